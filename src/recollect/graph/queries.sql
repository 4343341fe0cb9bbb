-- name: names
-- The nodes that go by these names.
select n.kind, n.type, n.name, n.node_id
from node_name n
join unnest(%(kinds)s::text[], %(types)s::text[], %(names)s::text[]) as w (kind, type, name)
    on w.kind = n.kind and w.type = n.type and w.name = n.name
where n.space_id = %(space)s;

-- name: claim_names
-- Names that nobody had yet; whoever came first keeps one.
insert into node_name (space_id, kind, type, name, node_id)
select %(space)s, kind, type, name, node_id
from unnest(%(kinds)s::text[], %(types)s::text[], %(names)s::text[], %(ids)s::uuid[]) as n (kind, type, name, node_id)
order by kind, type, name
on conflict (space_id, kind, type, name) do nothing
returning kind, type, name, node_id;

-- name: names_in
-- The canonical names of the nodes that memories mention.
select r.from_id as memory_id, n.name
from relation r
join node_name n on n.space_id = %(space)s and n.node_id = r.to_id
where r.space_id = %(space)s and r.from_id = any (%(ids)s::uuid[]) and r.type = 'mentions';

-- name: ties_in
-- The relations that were found in memories, by the names of their ends.
select e.memory_id, a.name as subject, r.type, b.name as object
from evidence e
join relation r on r.space_id = %(space)s and r.id = e.relation_id
join node_name a on a.space_id = %(space)s and a.node_id = r.from_id
join node_name b on b.space_id = %(space)s and b.node_id = r.to_id
where e.space_id = %(space)s and e.memory_id = any (%(ids)s::uuid[]) and r.valid_until is null;

-- name: forget_counts
-- Counters that are reckoned anew.
delete from mentioned where space_id = %(space)s and node_id = any (%(ids)s::uuid[]);

-- name: count_mentions
-- How often sources mention nodes, on how many days, and since when: by the sources' own dates.
insert into mentioned (space_id, node_id, sources, days, first_at, last_at)
select %(space)s, wanted.id, count(*), count(distinct (m.happened_at at time zone %(zone)s)::date), min(m.happened_at),
    max(m.happened_at)
from unnest(%(ids)s::uuid[]) as wanted (id)
cross join lateral (
    select x.from_id from relation x
    where x.space_id = %(space)s and x.to_id = wanted.id and x.type = 'mentions'
    offset 0
) r
cross join lateral (
    select x.happened_at from memory x
    where x.space_id = %(space)s and x.id = r.from_id and x.kind = 'source'
    offset 0
) m
group by wanted.id
on conflict (space_id, node_id) do update
    set sources = excluded.sources, days = excluded.days, first_at = excluded.first_at, last_at = excluded.last_at;
