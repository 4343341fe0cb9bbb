-- name: names
-- The nodes that go by these names, whatever they are.
select n.kind, n.type, n.name, n.node_id
from node_name n
where n.space_id = %(space)s and n.name = any (%(names)s::text[]);

-- name: by_first_name
-- People by the first of several names. The bounds hold whatever begins with it and a hyphen.
select distinct w.short, n.node_id
from unnest(%(shorts)s::text[], %(lows)s::text[], %(highs)s::text[]) as w (short, low, high)
join node_name n on n.name ~>=~ w.low and n.name ~<~ w.high
join memory_use u on u.space_id = %(space)s and u.memory_id = n.node_id and not u.state = 'soft_deleted'
where n.space_id = %(space)s and n.kind = 'person';

-- name: by_last_name
-- People by the last of several names.
select distinct w.short, n.node_id
from unnest(%(shorts)s::text[], %(endings)s::text[]) as w (short, ending)
join node_name n on right(n.name, length(w.ending)) = w.ending
join memory_use u on u.space_id = %(space)s and u.memory_id = n.node_id and not u.state = 'soft_deleted'
where n.space_id = %(space)s and n.kind = 'person';

-- name: claim_names
-- Names that nobody had yet; whoever came first keeps one.
insert into node_name (space_id, kind, type, name, node_id)
select %(space)s, kind, type, name, node_id
from unnest(%(kinds)s::text[], %(types)s::text[], %(names)s::text[], %(ids)s::uuid[]) as n (kind, type, name, node_id)
order by kind, type, name
on conflict (space_id, kind, type, name) do nothing
returning kind, type, name, node_id;

-- name: refine_names
-- More is known of what nodes are: their names are of a kind and type too, where no other node has them.
update node_name n set kind = t.kind, type = t.type
from unnest(%(ids)s::uuid[], %(kinds)s::text[], %(types)s::text[]) as t (id, kind, type)
where n.space_id = %(space)s and n.node_id = t.id and n.kind = 'entity' and n.type = 'name'
  and not exists (
      select from node_name k
      where k.space_id = %(space)s and k.kind = t.kind and k.type = t.type and k.name = n.name);

-- name: names_of
-- Every name of some nodes.
select node_id, kind, type, name from node_name
where space_id = %(space)s and node_id = any (%(ids)s::uuid[])
order by node_id, kind, type, name;

-- name: give_names
-- Names that go over from one node to another.
update node_name set node_id = %(to)s
where space_id = %(space)s and node_id = %(from)s
  and (%(names)s::text[] is null or name = any (%(names)s::text[]));

-- name: drop_names
-- Names that a node goes by no more.
delete from node_name where space_id = %(space)s and node_id = %(id)s and name = any (%(names)s::text[]);

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

-- name: origins
-- What memories that speak of nodes are, how sensitive, and when they happened.
select id, kind, sensitivity, happened_at from memory where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: uncount
-- Counters that are reckoned anew.
delete from mentioned where space_id = %(space)s and node_id = any (%(ids)s::uuid[]);

-- name: count
-- How many sources mention nodes, on how many of the space's days, since when and until when.
insert into mentioned (space_id, node_id, sources, days, first_at, last_at)
select r.space_id, r.to_id, count(*), count(distinct (s.happened_at at time zone %(zone)s)::date), min(s.happened_at),
    max(s.happened_at)
from relation r
join memory s on s.space_id = r.space_id and s.id = r.from_id and s.kind = 'source'
join memory_use u on u.space_id = r.space_id and u.memory_id = r.from_id and not u.state = 'soft_deleted'
where r.space_id = %(space)s and r.to_id = any (%(ids)s::uuid[]) and r.type = 'mentions'
group by r.space_id, r.to_id
on conflict (space_id, node_id) do update
    set sources = excluded.sources, days = excluded.days, first_at = excluded.first_at, last_at = excluded.last_at;

-- name: zone
-- In which time zone the space's days begin.
select timezone from space where space_id = %(space)s;

-- name: mentioned_by
-- The nodes that sources mention.
select distinct r.to_id as id
from relation r
where r.space_id = %(space)s and r.from_id = any (%(ids)s::uuid[]) and r.type = 'mentions';

-- name: owner
-- The node of the space's owner.
select * from remembered
where space_id = %(space)s and kind = 'person' and data @> '{"owner": true}'
  and not data ? 'merged_into' and not state = 'soft_deleted'
order by id
limit 1;

-- name: nodes
-- A page of nodes with what is counted of them, in the order of their ids.
select r.*, coalesce(c.sources, 0) as sources, coalesce(c.days, 0) as days, c.first_at, c.last_at,
    (select count(*) from note n
     left join memory s on s.space_id = %(space)s and s.id = n.source_id
     where n.space_id = %(space)s and n.target_id = r.id and (n.expires_at is null or n.expires_at > %(now)s)
       and (n.source_id is null or s.sensitivity = any (%(sensitivity)s))) as notes
from remembered r
left join mentioned c on c.space_id = %(space)s and c.node_id = r.id
where r.space_id = %(space)s and {conditions} and r.id > %(after)s
  and (%(alias)s::text is null
       or exists (
           select from node_name k
           where k.space_id = %(space)s and k.node_id = r.id and k.name ^@ any (%(beginnings)s::text[]))
       or exists (
           select from jsonb_array_elements_text(coalesce(r.data->'aliases', '[]')) as a (alias)
           where starts_with(lower(a.alias), %(alias)s)))
order by r.id
limit %(limit)s;

-- name: put_entries
-- What relations say, as vectors.
insert into relation_entry (space_id, relation_id, text_hash, embedding)
select %(space)s, id, hash, embedding
from unnest(%(ids)s::uuid[], %(hashes)s::bytea[], %(embeddings)b::halfvec[]) as e (id, hash, embedding)
on conflict (space_id, relation_id) do update set text_hash = excluded.text_hash, embedding = excluded.embedding;

-- name: entry_hashes
-- Which texts the vectors of relations were made of.
select relation_id, text_hash from relation_entry
where space_id = %(space)s and relation_id = any (%(ids)s::uuid[]);

-- name: entries_after
-- A stretch of the relations that have vectors.
select relation_id from relation_entry
where space_id = %(space)s and relation_id > %(after)s
order by relation_id
limit %(limit)s;

-- name: waiting
-- What has to be described anew: what somebody asked for last comes first.
select d.target_id, d.kind, d.mark, d.anew
from dirty d
join memory_use u on u.space_id = %(space)s and u.memory_id = d.target_id
where d.space_id = %(space)s and d.kind in ('person', 'concept', 'entity', 'relation')
order by u.last_accessed_at desc nulls last, d.since, d.target_id
limit %(limit)s;

-- name: kinds_of
-- Which of some targets have a text that follows their notes.
select memory_id, kind from memory_use
where space_id = %(space)s and memory_id = any (%(ids)s::uuid[])
  and kind in ('person', 'concept', 'entity', 'relation', 'storyline', 'macro');
