-- name: known_pairs
-- What was proposed, decided or undone of some nodes before.
select kept_id, gone_id from node_merge
where space_id = %(space)s and kept_id = any (%(ids)s::uuid[]) and gone_id = any (%(ids)s::uuid[]);

-- name: propose
-- Pairs of nodes that may be one.
insert into node_merge (space_id, id, kept_id, gone_id, similarity, status, proposed_at)
select %(space)s, id, kept, gone, similarity, 'proposed', %(now)s
from unnest(%(ids)s::uuid[], %(kept)s::uuid[], %(gone)s::uuid[], %(similarities)s::double precision[])
    as p (id, kept, gone, similarity)
on conflict do nothing;

-- name: listed
-- Merges of a status, oldest first, with the names; a proposal only as long as both nodes stand.
select m.*, a.title as kept_name, b.title as gone_name, a.kind
from node_merge m
join remembered a on a.space_id = %(space)s and a.id = m.kept_id
join remembered b on b.space_id = %(space)s and b.id = m.gone_id
where m.space_id = %(space)s and (%(status)s::text is null or m.status = %(status)s)
  and a.sensitivity = any (%(sensitivity)s) and b.sensitivity = any (%(sensitivity)s)
  and (not m.status = 'proposed'
       or not a.data ? 'merged_into' and not b.data ? 'merged_into'
          and not a.state in ('archived', 'soft_deleted') and not b.state in ('archived', 'soft_deleted'))
order by m.proposed_at, m.id;

-- name: get
-- One merge, held until it is decided.
select * from node_merge where space_id = %(space)s and id = %(id)s for update;

-- name: of_pair
-- The merge of two nodes that has not been undone, either way round.
select * from node_merge
where space_id = %(space)s and kept_id in (%(one)s, %(other)s) and gone_id in (%(one)s, %(other)s)
  and not status = 'undone'
for update;

-- name: ever
-- Whether two nodes were ever merged, and parted again.
select 1 from node_merge
where space_id = %(space)s and kept_id in (%(one)s, %(other)s) and gone_id in (%(one)s, %(other)s)
  and status in ('undone', 'refused')
limit 1;

-- name: into
-- The merge by which a node went into another one.
select * from node_merge where space_id = %(space)s and gone_id = %(id)s and status = 'merged';

-- name: decide
-- What became of a pair.
insert into node_merge (
    space_id, id, kept_id, gone_id, similarity, status, moved, proposed_at, decided_at, decided_by)
values (%(space)s, %(id)s, %(kept)s, %(gone)s, null, %(status)s, %(moved)s, %(now)s, %(now)s, %(by)s)
on conflict (space_id, id) do update
    set kept_id = excluded.kept_id, gone_id = excluded.gone_id, status = excluded.status, moved = excluded.moved,
        decided_at = excluded.decided_at, decided_by = excluded.decided_by;

-- name: relations_of
-- Every relation of two nodes, held; what memories mention too.
select id, from_id, to_id, type, starts_on, valid_until
from relation
where space_id = %(space)s and (from_id in (%(kept)s, %(gone)s) or to_id in (%(kept)s, %(gone)s))
order by id
for update;

-- name: turn_from
-- Relations that begin at another node from now on.
update relation set from_id = %(to)s
where space_id = %(space)s and id = any (%(ids)s::uuid[]) and from_id = %(from)s;

-- name: turn_to
-- Relations that end at another node from now on.
update relation set to_id = %(to)s
where space_id = %(space)s and id = any (%(ids)s::uuid[]) and to_id = %(from)s;

-- name: starts
-- Where relations begin.
select distinct from_id from relation where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: evidence_of
-- In which memories relations were found.
select memory_id, relation_id from evidence
where space_id = %(space)s and relation_id = any (%(ids)s::uuid[])
order by relation_id, memory_id;

-- name: turn_evidence
-- Memories speak for another relation, where they do not already.
update evidence e set relation_id = t.new
from unnest(%(memories)s::uuid[], %(olds)s::uuid[], %(news)s::uuid[]) as t (memory_id, old, new)
where e.space_id = %(space)s and e.memory_id = t.memory_id and e.relation_id = t.old;
