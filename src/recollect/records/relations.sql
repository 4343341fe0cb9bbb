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
returning id, to_id;

-- name: forget_evidence
-- The same for relations that were found in it.
delete from evidence where space_id = %(space)s and memory_id = %(id)s;

-- name: end_use
-- The lifecycle of relations that are gone.
delete from memory_use where space_id = %(space)s and memory_id = any (%(ids)s::uuid[]);

-- name: open_relations
-- The versions that hold of the relations from some nodes, and those that a person ended, kept from others until the
-- transaction ends. Node by node, by key: of a space that has just been filled the planner knows nothing, and would try
-- every pair.
select r.*, u.confidence, u.by_hand
from unnest(%(from_ids)s::uuid[]) as wanted (id)
cross join lateral (
    select t.id, t.from_id, t.to_id, t.type, t.description, t.attitude, t.proximity, t.strength, t.valid_from,
           t.valid_until, t.starts_on, coalesce(t.data->>'sensitivity' = 'high', false) as sensitive
    from relation t
    where t.space_id = %(space)s and t.from_id = wanted.id and (t.valid_until is null or t.data ? 'ended_by_hand')
      and t.type = any (%(types)s::text[])
    order by t.to_id, t.type, t.starts_on  -- as the index has them
    offset 0
    for update
) r
cross join lateral (
    select x.confidence, x.by_hand from memory_use x where x.space_id = %(space)s and x.memory_id = r.id offset 0
) u;

-- name: close
-- A version ends; never before it began, whatever the clock did.
update relation set valid_until = greatest(%(now)s, valid_from), updated_at = greatest(%(now)s, updated_at)
where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: end_by_hand
-- A person says that a version ends: no text begins it again.
update relation
set valid_until = greatest(%(now)s, valid_from), data = data || '{"ended_by_hand": true}',
    updated_at = greatest(%(now)s, updated_at)
where space_id = %(space)s and id = %(id)s;

-- name: strengthen
-- Seen once more on the day on which it began: the stronger value holds. What was told in confidence, and is told openly
-- now, is told in the words of the open text.
update relation r
set strength = greatest(r.strength, t.strength), updated_at = greatest(%(now)s, r.updated_at),
    description = case when t.open and r.data ? 'sensitivity' then t.description else r.description end,
    data = case when t.open then r.data - 'sensitivity' else r.data end
from unnest(%(ids)s::uuid[], %(strengths)s::double precision[], %(descriptions)s::text[], %(open)s::boolean[])
    as t (id, strength, description, open)
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
    space_id, id, from_id, to_id, type, description, attitude, proximity, strength, author, data, valid_from, created_at,
    updated_at)
select %(space)s, id, from_id, to_id, type, description, attitude, proximity, strength, author,
    case when sensitive then jsonb_build_object('sensitivity', 'high') else '{}' end, %(now)s, %(now)s, %(now)s
from unnest(
    %(ids)s::uuid[], %(from_ids)s::uuid[], %(to_ids)s::uuid[], %(types)s::text[], %(descriptions)s::text[],
    %(attitudes)s::text[], %(proximities)s::text[], %(strengths)s::double precision[], %(authors)s::text[],
    %(sensitive)s::boolean[]
) as t (id, from_id, to_id, type, description, attitude, proximity, strength, author, sensitive)
order by from_id, to_id, type
on conflict (space_id, from_id, to_id, type, starts_on) do update
    set valid_until = null, strength = greatest(relation.strength, excluded.strength),
        description = coalesce(excluded.description, relation.description), data = excluded.data,
        updated_at = excluded.updated_at
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
select %(space)s, from_id, id, 'LINK', %(now)s, author, jsonb_build_object('type', type, 'to', to_id)
from unnest(%(ids)s::uuid[], %(from_ids)s::uuid[], %(to_ids)s::uuid[], %(types)s::text[], %(authors)s::text[])
    as t (id, from_id, to_id, type, author)
on conflict (space_id, memory_id, id) do nothing;

-- name: restate
-- What a person says of a relation.
update relation
set description = %(description)s, attitude = %(attitude)s, proximity = %(proximity)s, strength = %(strength)s,
    author = %(author)s, data = data - 'sensitivity', updated_at = greatest(%(now)s, updated_at)
where space_id = %(space)s and id = %(id)s;

-- name: vouch
-- A person stands for it: no job and no text changes it from now on.
update memory_use set confidence = %(confidence)s, by_hand = true,
    state = case when state = 'archived' then 'active' else state end
where space_id = %(space)s and memory_id = %(id)s;

-- name: describe
-- Descriptions that follow the notes.
update relation r set description = t.description, updated_at = greatest(%(now)s, r.updated_at)
from unnest(%(ids)s::uuid[], %(descriptions)s::text[]) as t (id, description)
where r.space_id = %(space)s and r.id = t.id;

-- name: get
-- Relations by id.
select r.space_id, r.id, r.from_id, r.to_id, r.type, r.description, r.attitude, r.proximity, r.strength, r.author,
    r.valid_from, r.valid_until, r.created_at, r.updated_at, u.confidence, u.state, u.by_hand,
    coalesce(r.data->>'sensitivity', 'normal') as sensitivity, a.title as from_name, b.title as to_name,
    (select count(*) from note n
     where n.space_id = %(space)s and n.target_id = r.id and (n.expires_at is null or n.expires_at > %(now)s)) as notes
from relation r
join memory_use u on u.space_id = %(space)s and u.memory_id = r.id
join memory a on a.space_id = %(space)s and a.id = r.from_id
join memory b on b.space_id = %(space)s and b.id = r.to_id
where r.space_id = %(space)s and r.id = any (%(ids)s::uuid[]) and not r.type = 'mentions'
order by r.id;

-- name: of
-- What holds between some memories and others, as far as both ends and the relation itself may be seen.
select r.space_id, r.id, r.from_id, r.to_id, r.type, r.description, r.attitude, r.proximity, r.strength, r.author,
    r.valid_from, r.valid_until, r.created_at, r.updated_at, u.confidence, u.state, u.by_hand,
    coalesce(r.data->>'sensitivity', 'normal') as sensitivity, a.title as from_name, b.title as to_name,
    (select count(*) from note n
     where n.space_id = %(space)s and n.target_id = r.id and (n.expires_at is null or n.expires_at > %(now)s)) as notes
from relation r
join memory_use u on u.space_id = %(space)s and u.memory_id = r.id
join remembered a on a.space_id = %(space)s and a.id = r.from_id
join remembered b on b.space_id = %(space)s and b.id = r.to_id
where r.space_id = %(space)s and (r.from_id = any (%(ids)s::uuid[]) or r.to_id = any (%(ids)s::uuid[]))
  and not r.type = 'mentions' and (r.valid_until is null or r.valid_until > %(now)s)
  and not u.state in ('archived', 'soft_deleted') and not a.state = 'soft_deleted' and not b.state = 'soft_deleted'
  and not a.data ? 'merged_into' and not b.data ? 'merged_into'
  and a.sensitivity = any (%(sensitivity)s) and b.sensitivity = any (%(sensitivity)s)
  and coalesce(r.data->>'sensitivity', 'normal') = any (%(sensitivity)s)
  and (sees('relationships') or r.type = any (%(structural)s::text[]))
order by r.strength * u.confidence desc, r.id;

-- name: witness_anew
-- The memories that spoke for a version speak for the one that follows.
insert into evidence (space_id, memory_id, relation_id, at)
select space_id, memory_id, %(new)s, at from evidence where space_id = %(space)s and relation_id = %(old)s
on conflict (space_id, memory_id, relation_id) do nothing;

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
