-- name: mention
-- Which nodes memories mention, each once.
insert into relation (space_id, id, from_id, to_id, type, strength, author, valid_from, created_at, updated_at)
select %(space)s, id, from_id, to_id, 'mentions', strength, 'recollect', %(now)s, %(now)s, %(now)s
from unnest(%(ids)s::uuid[], %(from_ids)s::uuid[], %(to_ids)s::uuid[], %(strengths)s::double precision[])
    as t (id, from_id, to_id, strength)
on conflict do nothing
returning id, from_id, to_id;

-- name: forget_mentions
-- What a memory no longer mentions, after its text was changed.
delete from relation
where space_id = %(space)s and from_id = %(id)s and type = 'mentions' and not to_id = any (%(kept)s::uuid[])
returning id;

-- name: forget_evidence
-- The same for relations that were found in it.
delete from evidence where space_id = %(space)s and memory_id = %(id)s;

-- name: end_use
-- The lifecycle of relations that are gone.
delete from memory_use where space_id = %(space)s and memory_id = any (%(ids)s::uuid[]);

-- name: open_relations
-- The versions that hold of the relations from some nodes, kept from others until the transaction ends. Node by node, by
-- key: of a space that has just been filled the planner knows nothing, and would try every pair.
select r.*, u.confidence
from unnest(%(from_ids)s::uuid[]) as wanted (id)
cross join lateral (
    select t.id, t.from_id, t.to_id, t.type, t.description, t.strength, t.valid_from, t.starts_on
    from relation t
    where t.space_id = %(space)s and t.from_id = wanted.id and t.valid_until is null
      and t.type = any (%(types)s::text[])
    order by t.to_id, t.type, t.starts_on  -- as the index has them
    offset 0
    for update
) r
cross join lateral (
    select x.confidence from memory_use x where x.space_id = %(space)s and x.memory_id = r.id offset 0
) u;

-- name: close
-- A version ends; never before it began, whatever the clock did.
update relation set valid_until = greatest(%(now)s, valid_from), updated_at = greatest(%(now)s, updated_at)
where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: strengthen
-- Seen once more on the day on which it began: the stronger value holds.
update relation r
set strength = greatest(r.strength, t.strength), updated_at = greatest(%(now)s, r.updated_at)
from unnest(%(ids)s::uuid[], %(strengths)s::double precision[]) as t (id, strength)
where r.space_id = %(space)s and r.id = t.id;

-- name: assure
-- The same for how sure it is.
update memory_use u
set confidence = greatest(u.confidence, t.confidence)
from unnest(%(ids)s::uuid[], %(confidences)s::double precision[]) as t (id, confidence)
where u.space_id = %(space)s and u.memory_id = t.id;

-- name: begin
-- New versions. One that began on the same day, and was ended since, holds again.
insert into relation (
    space_id, id, from_id, to_id, type, description, strength, author, valid_from, created_at, updated_at)
select %(space)s, id, from_id, to_id, type, description, strength, 'recollect', %(now)s, %(now)s, %(now)s
from unnest(
    %(ids)s::uuid[], %(from_ids)s::uuid[], %(to_ids)s::uuid[], %(types)s::text[], %(descriptions)s::text[],
    %(strengths)s::double precision[]
) as t (id, from_id, to_id, type, description, strength)
order by from_id, to_id, type
on conflict (space_id, from_id, to_id, type, starts_on) do update
    set valid_until = null, strength = greatest(relation.strength, excluded.strength),
        description = coalesce(excluded.description, relation.description), updated_at = excluded.updated_at
returning id, from_id, to_id, type;

-- name: begin_use
-- How new versions stand.
insert into memory_use (space_id, memory_id, kind, salience, salience_at, importance, confidence, stored_at)
select %(space)s, id, 'relation', %(salience)s, %(now)s, 0.5, confidence, %(now)s
from unnest(%(ids)s::uuid[], %(confidences)s::double precision[]) as t (id, confidence)
on conflict (space_id, memory_id) do nothing;

-- name: tell
-- Lines of history for them.
insert into history (space_id, memory_id, id, event, at, actor, detail)
select %(space)s, from_id, id, 'LINK', %(now)s, 'recollect', jsonb_build_object('type', type, 'to', to_id)
from unnest(%(ids)s::uuid[], %(from_ids)s::uuid[], %(to_ids)s::uuid[], %(types)s::text[]) as t (id, from_id, to_id, type)
on conflict (space_id, memory_id, id) do nothing;

-- name: witness
-- In which memories relations were found.
insert into evidence (space_id, memory_id, relation_id, at)
select %(space)s, memory_id, relation_id, %(now)s
from unnest(%(memory_ids)s::uuid[], %(relation_ids)s::uuid[]) as e (memory_id, relation_id)
on conflict (space_id, memory_id, relation_id) do nothing;

-- name: found_in
-- The relations that were found in memories.
select distinct e.relation_id as id
from unnest(%(ids)s::uuid[]) as wanted (id)
cross join lateral (
    select x.relation_id from evidence x
    where x.space_id = %(space)s and x.memory_id = wanted.id
    order by x.relation_id  -- as the index has them
    offset 0
) e;

-- name: classify
-- Relations that were only found where not everybody may look are marked so, as nodes are. Where all that is new is open
-- to everybody, those alone are looked at that are marked.
update relation r
set data = case when r.data ? 'sensitivity' then r.data - 'sensitivity' else r.data || '{"sensitivity": "high"}' end
where r.space_id = %(space)s and r.id = any (%(ids)s::uuid[]) and (%(closed)s or r.data ? 'sensitivity')
  and (r.data ? 'sensitivity') = exists (
      select from evidence e
      cross join lateral (
          select x.sensitivity from memory x where x.space_id = %(space)s and x.id = e.memory_id offset 0
      ) m
      where e.space_id = %(space)s and e.relation_id = r.id and not m.sensitivity = 'high');

-- name: learned
-- What memories taught the graph: the nodes that they mention, and the relations that were found in them.
select to_id as id, true as is_node from relation
where space_id = %(space)s and from_id = any (%(ids)s::uuid[]) and type = 'mentions'
union
select relation_id, false from evidence where space_id = %(space)s and memory_id = any (%(ids)s::uuid[]);

-- name: forget_all_evidence
-- Memories speak for no relation any more.
delete from evidence where space_id = %(space)s and memory_id = any (%(ids)s::uuid[]);

-- name: forget_all_mentions
-- Memories mention no node any more, but for some.
delete from relation
where space_id = %(space)s and from_id = any (%(ids)s::uuid[]) and type = 'mentions'
  and not to_id = any (%(kept)s::uuid[])
returning id;

-- name: forget_notes
-- What was noted on nodes and relations because of memories.
delete from note
where space_id = %(space)s and target_id = any (%(targets)s::uuid[]) and source_id = any (%(ids)s::uuid[]);

-- name: unfounded
-- Which of some relations no memory speaks for, and no person wrote or noted anything about.
select r.id from relation r
where r.space_id = %(space)s and r.id = any (%(ids)s::uuid[]) and r.author is not distinct from 'recollect'
  and not exists (select from evidence e where e.space_id = %(space)s and e.relation_id = r.id)
  and not exists (select from note n where n.space_id = %(space)s and n.target_id = r.id);

-- name: unmentioned
-- Which of some nodes nothing mentions, nobody noted anything about, and nobody stands for; the owner stays.
select r.id from remembered r
where r.space_id = %(space)s and r.id = any (%(ids)s::uuid[]) and not r.by_hand and not r.pinned
  and not r.ttl_policy = 'keep_forever' and not r.data ? 'owner'
  and not exists (
      select from relation t
      where t.space_id = %(space)s and (t.to_id = r.id or t.from_id = r.id)
        and (t.type = 'mentions' or t.author is distinct from 'recollect'))
  and not exists (select from note n where n.space_id = %(space)s and n.target_id = r.id);

-- name: drop
-- Relations are gone, with all that is kept about them.
with gone as (
    delete from relation where space_id = %(space)s and id = any (%(ids)s::uuid[])
),
uses as (
    delete from memory_use where space_id = %(space)s and memory_id = any (%(ids)s::uuid[])
),
stale as (
    delete from dirty where space_id = %(space)s and target_id = any (%(ids)s::uuid[])
),
entries as (
    delete from relation_entry where space_id = %(space)s and relation_id = any (%(ids)s::uuid[])
)
delete from note where space_id = %(space)s and target_id = any (%(ids)s::uuid[]);
