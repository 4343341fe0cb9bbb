-- New memories are written by the statements that follow, in one transaction. They are not one statement with many
-- parts: on a cluster what one part hands to the next would go to every node, also to one that is down.

-- name: remember
-- The texts of new memories. An id that exists already is left as it is, and is not among those returned.
insert into memory (
    space_id, id, kind, type, category, tags, title, summary, content, data, metadata, conversation_id,
    thread_id, turn, message_id, source_id, agent_id, run_id, actor_id, role, speaker, tier, sensitivity,
    happened_at, valid_from, valid_until, recorded_at, created_at, updated_at)
select %(space)s, id, kind, type, category, tags, title, summary, content, data, metadata, conversation_id,
    thread_id, turn, message_id, source_id, agent_id, run_id, actor_id, role, speaker, tier, sensitivity,
    happened_at, valid_from, valid_until, %(now)s, %(now)s, %(now)s
from jsonb_to_recordset(%(memories)s) as m (
    id uuid, kind text, type text, category text, tags text[], title text, summary text, content text, data jsonb,
    metadata jsonb, conversation_id uuid, thread_id text, turn integer, message_id uuid, source_id uuid, agent_id text,
    run_id text, actor_id text, role text, speaker text, tier text, sensitivity text, happened_at timestamptz,
    valid_from timestamptz, valid_until timestamptz)
order by id  -- writers of the same ids meet in the same order
on conflict (space_id, id) do nothing
returning id;

-- name: begin_use
-- How new memories stand.
insert into memory_use (
    space_id, memory_id, kind, salience, salience_at, importance, confidence, pinned, ttl_policy, by_hand, pending,
    stored_at)
select %(space)s, id, kind, salience, %(now)s, importance, confidence, pinned, ttl_policy, by_hand, pending, %(now)s
from jsonb_to_recordset(%(memories)s) as m (
    id uuid, kind text, salience double precision, importance double precision, confidence double precision,
    pinned boolean, ttl_policy text, by_hand boolean, pending boolean)
on conflict (space_id, memory_id) do nothing;

-- name: index_new
-- Search entries of new memories.
insert into entry (
    space_id, memory_id, version, passage, kind, category, sensitivity, visible, part_of, speaker, role,
    happened_at, valid_from, valid_until, importance, text_hash, length, terms, weights, embedding)
select %(space)s, id, 1, passage, kind, category, sensitivity, not pending, coalesce(conversation_id, source_id),
    speaker, role, happened_at, valid_from, valid_until, importance, text_hash, length, terms::integer[], weights,
    embedding
from unnest(
    %(entry_ids)s::uuid[], %(passages)s::integer[], %(hashes)s::bytea[], %(lengths)s::integer[],
    %(terms)s::text[], %(weights)b::sparsevec[], %(embeddings)b::halfvec[]
) as e (id, passage, text_hash, length, terms, weights, embedding)
join jsonb_to_recordset(%(memories)s) as m (
    id uuid, kind text, category text, sensitivity text, pending boolean, conversation_id uuid, source_id uuid,
    speaker text, role text, happened_at timestamptz, valid_from timestamptz, valid_until timestamptz,
    importance double precision) using (id)
on conflict (space_id, memory_id, version, passage) do nothing;

-- name: indexed
-- Which version of memories is in the search index.
select memory_id, max(version) as version from entry
where space_id = %(space)s and memory_id = any (%(ids)s::uuid[])
group by memory_id;

-- name: near
-- The nearest neighbours of new memories among linkable kinds; of two new ones, each pair once.
select fresh.memory_id as from_id, neighbour.memory_id as to_id, neighbour.similarity
from entry fresh
cross join lateral (
    select e.memory_id, -(e.embedding <#> fresh.embedding) as similarity
    from entry e
    where e.space_id = {space} and e.visible and e.kind = any (%(kinds)s)
      and not e.memory_id = fresh.memory_id
      and (e.memory_id < fresh.memory_id or not e.memory_id = any (%(ids)s))
    order by (e.embedding::halfvec({dimensions})) <#> (fresh.embedding::halfvec({dimensions}))
    limit %(most)s
) neighbour
where fresh.space_id = {space} and fresh.memory_id = any (%(ids)s) and fresh.passage = 0 and fresh.visible
  and neighbour.similarity >= %(least)s;

-- name: tie
-- Ties between memories, none twice.
insert into relation (space_id, id, from_id, to_id, type, strength, author, valid_from, created_at, updated_at)
select %(space)s, id, from_id, to_id, 'related_to', strength, 'recollect', %(now)s, %(now)s, %(now)s
from unnest(%(ids)s::uuid[], %(from_ids)s::uuid[], %(to_ids)s::uuid[], %(strengths)s::double precision[])
    as t (id, from_id, to_id, strength)
on conflict do nothing
returning id, from_id, to_id;

-- name: begin_use_of_ties
-- Ties fade as memories do.
insert into memory_use (space_id, memory_id, kind, salience, salience_at, importance, confidence, stored_at)
select %(space)s, id, 'relation', %(salience)s, %(now)s, 0.5, 1, %(now)s
from unnest(%(ids)s::uuid[]) as t (id)
on conflict (space_id, memory_id) do nothing;

-- name: tell_ties
-- Lines of history for new ties.
insert into history (space_id, memory_id, id, event, at, actor, reason, detail)
select %(space)s, from_id, id, 'LINK', %(now)s, 'recollect', 'nearest neighbour',
       jsonb_build_object('type', 'related_to', 'to', to_id)
from unnest(%(ids)s::uuid[], %(from_ids)s::uuid[], %(to_ids)s::uuid[]) as t (id, from_id, to_id)
on conflict (space_id, memory_id, id) do nothing;

-- name: relate
-- Relations of one type, none twice.
insert into relation (space_id, id, from_id, to_id, type, strength, author, valid_from, created_at, updated_at)
select %(space)s, id, from_id, to_id, %(type)s, 1, 'recollect', %(now)s, %(now)s, %(now)s
from unnest(%(ids)s::uuid[], %(from_ids)s::uuid[], %(to_ids)s::uuid[]) as t (id, from_id, to_id)
on conflict do nothing
returning id, from_id, to_id;

-- name: tell_relations
-- Lines of history for them.
insert into history (space_id, memory_id, id, event, at, actor, detail)
select %(space)s, from_id, id, 'LINK', %(now)s, 'recollect', jsonb_build_object('type', %(type)s::text, 'to', to_id)
from unnest(%(ids)s::uuid[], %(from_ids)s::uuid[], %(to_ids)s::uuid[]) as t (id, from_id, to_id)
on conflict (space_id, memory_id, id) do nothing;

-- name: annotate
-- What only this kind has, and how sure it is; the text and its version stay.
update memory set data = %(data)s where space_id = %(space)s and id = %(id)s;

-- name: merge_data
-- The same for many at once, added to what is there.
update memory m set data = m.data || t.data::jsonb
from unnest(%(ids)s::uuid[], %(data)s::text[]) as t (id, data)
where m.space_id = %(space)s and m.id = t.id;

-- name: reform
-- Memories in the form that a job brought them into; that is no new version. What a person gave them stays.
update memory m
set content = coalesce(t.content, m.content), title = coalesce(m.title, t.title), summary = t.summary,
    tags = (select coalesce(array_agg(distinct tag order by tag), '{}') from unnest(m.tags || t.tags) as x (tag)),
    data = m.data || t.data, happened_at = coalesce(t.happened_at, m.happened_at), updated_at = %(now)s
from jsonb_to_recordset(%(forms)s) as t (
    id uuid, content text, title text, summary text, tags text[], data jsonb, happened_at timestamptz)
where m.space_id = %(space)s and m.id = t.id
returning m.id, m.version;

-- name: drop_entries
-- The entries of the present versions, before others take their place.
delete from entry e
using memory m
where e.space_id = %(space)s and e.memory_id = any (%(ids)s::uuid[])
  and m.space_id = %(space)s and m.id = e.memory_id and m.version = e.version;

-- name: classify
-- Nodes are as sensitive as the least sensitive memory that mentions them: a node that is only named where not everybody
-- may look is `high`. Where all that is new is open to everybody, those alone are looked at that are. What a person added
-- stays as it is.
update memory n
set sensitivity = case when n.sensitivity = 'high' then 'normal' else 'high' end
where n.space_id = %(space)s and n.id = any (%(ids)s::uuid[]) and (%(closed)s or n.sensitivity = 'high')
  and not exists (select from memory_use u where u.space_id = %(space)s and u.memory_id = n.id and u.by_hand)
  and exists (select from relation r where r.space_id = %(space)s and r.to_id = n.id and r.type = 'mentions')
  and (n.sensitivity = 'high') = exists (
      select from relation r
      cross join lateral (
          select x.sensitivity from memory x where x.space_id = %(space)s and x.id = r.from_id offset 0
      ) m
      where r.space_id = %(space)s and r.to_id = n.id and r.type = 'mentions' and not m.sensitivity = 'high')
returning n.id;

-- name: classify_entries
-- Search entries are as sensitive as their memories.
update entry e
set sensitivity = m.sensitivity
from memory m
where e.space_id = %(space)s and e.memory_id = any (%(ids)s::uuid[]) and m.space_id = %(space)s and m.id = e.memory_id
  and not e.sensitivity = m.sensitivity;

-- name: classify_parts
-- The chunks of a source are as sensitive as it is.
update memory c
set sensitivity = s.sensitivity
from memory s
where c.space_id = %(space)s and c.source_id = %(id)s and c.kind = 'chunk'
  and s.space_id = %(space)s and s.id = %(id)s and not c.sensitivity = s.sensitivity
returning c.id;

-- name: set_data
-- The same for many memories.
update memory m set data = t.data::jsonb
from unnest(%(ids)s::uuid[], %(data)s::text[]) as t (id, data)
where m.space_id = %(space)s and m.id = t.id;

-- name: refine
-- More is known of what memories are.
update memory m set kind = t.kind, type = t.type, category = t.category, updated_at = %(now)s
from unnest(%(ids)s::uuid[], %(kinds)s::text[], %(types)s::text[], %(categories)s::text[])
    as t (id, kind, type, category)
where m.space_id = %(space)s and m.id = t.id;

-- name: refine_use
-- The same for how they stand.
update memory_use u set kind = t.kind
from unnest(%(ids)s::uuid[], %(kinds)s::text[]) as t (id, kind)
where u.space_id = %(space)s and u.memory_id = t.id and not u.kind = t.kind;

-- name: refine_entries
-- The same for the search index.
update entry e set kind = t.kind, category = t.category
from unnest(%(ids)s::uuid[], %(kinds)s::text[], %(categories)s::text[]) as t (id, kind, category)
where e.space_id = %(space)s and e.memory_id = t.id;

-- name: drop_versions
-- Former versions of memories, for good.
delete from memory_version where space_id = %(space)s and memory_id = any (%(ids)s::uuid[]);

-- name: drop_all_entries
-- What the search index holds of them.
delete from entry where space_id = %(space)s and memory_id = any (%(ids)s::uuid[]);

-- name: drop_former_entries
-- What it holds of their former versions.
delete from entry e
using memory m
where e.space_id = %(space)s and e.memory_id = any (%(ids)s::uuid[])
  and m.space_id = %(space)s and m.id = e.memory_id and not e.version = m.version;

-- name: disclose
-- Less sensitive, with no more to say than the name.
update memory m
set sensitivity = t.level, content = m.title, data = m.data - 'lead' - 'described_at', version = m.version + 1,
    recorded_at = %(now)s, updated_at = %(now)s
from unnest(%(ids)s::uuid[], %(levels)s::text[]) as t (id, level)
where m.space_id = %(space)s and m.id = t.id;

-- name: keep_core
-- Certain, at the core, for good.
update memory_use
set state = 'core', confidence = 1, ttl_policy = 'keep_forever', salience = 1, salience_at = %(now)s
where space_id = %(space)s and memory_id = %(id)s;

-- name: put_away
-- Another state.
update memory_use set state = %(state)s where space_id = %(space)s and memory_id = %(id)s;

-- name: reword
-- Other words for the present version of memories; the first passage has them.
update entry e
set terms = t.terms, weights = t.weights, length = t.length
from jsonb_to_recordset(%(words)s) as t (id uuid, length integer, terms integer[], weights sparsevec)
    join memory m on m.space_id = %(space)s and m.id = t.id
where e.space_id = %(space)s and e.memory_id = t.id and e.version = m.version and e.passage = 0;

-- name: trust
-- How sure a memory is, and whether it still waits to be corroborated.
update memory_use set confidence = %(confidence)s, pending = %(pending)s, by_hand = by_hand or %(by_hand)s
where space_id = %(space)s and memory_id = %(id)s;

-- name: nearest_of_kind
-- The nearest memories of a kind, of the category asked for, in whatever state: what ended or was deleted counts too.
select asked.place, near.similarity, r.*
from unnest(%(categories)s::text[], %(queries)b::halfvec[]) with ordinality as asked (category, query, place)
cross join lateral (
    select e.memory_id, e.version, -(e.embedding <#> asked.query) as similarity
    from entry e
    where e.space_id = %(space)s and e.kind = %(kind)s and e.category = asked.category and e.passage = 0
    order by e.embedding <#> asked.query
    limit %(most)s  -- a former version may be among them
) near
join remembered r on r.space_id = %(space)s and r.id = near.memory_id and r.version = near.version
where near.similarity >= %(least)s
order by asked.place, near.similarity desc, r.id;

-- name: count_since
-- How many memories of a kind were learned since a moment.
select count(*) as found from memory
where space_id = %(space)s and kind = %(kind)s and created_at >= %(since)s and data ? 'long';

-- name: pending
-- Statements that wait for corroboration, oldest first; what was settled since waits no more.
select * from remembered
where space_id = %(space)s and kind = 'statement' and pending and not state = 'soft_deleted' and valid_until is null
order by id
limit %(limit)s;

-- name: derived_from
-- What was learned from a message, deleted or not.
select * from remembered
where space_id = %(space)s and kind in ('profile', 'statement', 'episode', 'procedure')
  and data @> jsonb_build_object('messages', jsonb_build_array(%(message)s::text));

-- name: stated_by
-- Statements that some messages speak for; of the deleted ones, those that a person deleted.
select * from remembered
where space_id = %(space)s and kind = 'statement' and data->'messages' ?| %(messages)s::text[]
  and (not state = 'soft_deleted' or by_hand and not data ? 'same_as')
order by id;

-- name: say_alone
-- Whoever adds the same text waits for whom came first, and then finds it; in the order of the places, so that nobody
-- waits for each other.
select pg_advisory_xact_lock(hashtextextended('said:' || %(space)s::text, p.place))
from unnest(%(places)s::bigint[]) as p (place);

-- name: said_already
-- Statements that are known and hold, by the hashes of their texts.
select e.text_hash, r.* from entry e
join remembered r on r.space_id = %(space)s and r.id = e.memory_id and r.version = e.version
where e.space_id = %(space)s and e.text_hash = any (%(hashes)s::bytea[]) and e.passage = 0 and e.kind = 'statement'
  and r.state in ('candidate', 'active', 'core') and not r.pending and r.valid_until is null
order by r.id;

-- name: vouch
-- A person says memories once more: they are as sure as the surer word, and a person stands for them.
update memory_use u set confidence = greatest(u.confidence, t.confidence), by_hand = true
from unnest(%(ids)s::uuid[], %(confidences)s::double precision[]) as t (id, confidence)
where u.space_id = %(space)s and u.memory_id = t.id;

-- name: ended_by
-- What something ended: a memory, or a message that said no more than that.
select * from remembered
where space_id = %(space)s and kind in ('profile', 'statement') and data->>'ended_by' = any (%(ids)s::text[]);

-- name: get
-- Memories by id, soft-deleted ones too.
select * from remembered where space_id = %(space)s and id = any (%(ids)s);

-- name: lock
-- The same, holding them for a change.
select m.* from memory m where m.space_id = %(space)s and m.id = any (%(ids)s) order by m.id for update;

-- name: versions_known
-- Texts as they were known at a moment, where they have changed since.
select memory_id, version, title, summary, content, valid_from, valid_until
from memory_version
where space_id = %(space)s and memory_id = any (%(ids)s::uuid[])
  and recorded_from <= %(at)s and recorded_until > %(at)s;

-- name: former_texts
-- What memories said before.
select memory_id, content from memory_version
where space_id = %(space)s and memory_id = any (%(ids)s::uuid[])
order by memory_id, version desc;

-- name: page
-- One page of memories in the order of their ids.
select * from remembered
where space_id = %(space)s and {conditions} and id > %(after)s
order by id
limit %(limit)s;

-- name: page_back
-- One page of memories, the newest id first.
select * from remembered
where space_id = %(space)s and {conditions} and id < %(after)s
order by id desc
limit %(limit)s;

-- name: deleted
-- One page of memories that can still be restored, the newest id first.
select * from remembered
where space_id = %(space)s and state = 'soft_deleted' and sensitivity = any (%(sensitivity)s) and id < %(before)s
order by id desc
limit %(limit)s;

-- name: matching
-- The ids of all memories that filters describe.
select id from remembered where space_id = %(space)s and {conditions};

-- name: embedded_texts
-- Vectors of texts that this space has embedded before.
select distinct on (text_hash) text_hash, embedding
from entry
where text_hash = any (%(hashes)s) and space_id = %(space)s
order by text_hash;

-- name: weighted_length
-- The mean length that the term weights of a space are made with.
select weighted_length from space_statistics where space_id = %(space)s;

-- name: raise_revision
-- One rise of the revision for a transaction that changes knowledge; the entries it touched count as changes.
insert into space (space_id, created_at, revision, changes)
values (%(space)s, %(now)s, %(rise)s, %(changes)s)
on conflict (space_id) do update
    set revision = space.revision + excluded.revision, changes = space.changes + excluded.changes
returning revision;

-- name: log_changes
-- Lines of the change log for the transaction that has just raised the revision.
insert into change_log (space_id, revision, position, memory_id, kind, event, thread_id, at)
select %(space)s, %(revision)s, row_number() over (order by id), id, kind, event, thread_id, %(now)s
from unnest(%(ids)s::uuid[], %(kinds)s::text[], %(events)s::text[], %(threads)s::text[])
    as c (id, kind, event, thread_id)
on conflict (space_id, revision, position) do nothing;

-- name: tell
-- Lines of history.
insert into history (space_id, memory_id, id, event, version, at, actor, agent_id, reason, detail)
select %(space)s, memory_id, id, %(event)s, version, %(now)s, %(actor)s, %(agent_id)s, %(reason)s, %(detail)s
from unnest(%(memory_ids)s::uuid[], %(ids)s::uuid[], %(versions)s::integer[]) as h (memory_id, id, version)
on conflict (space_id, memory_id, id) do nothing;

-- name: keep_version
-- Put the present version aside before it changes.
insert into memory_version (
    space_id, memory_id, version, title, summary, content, valid_from, valid_until, recorded_from, recorded_until)
select space_id, id, version, title, summary, content, valid_from, valid_until, recorded_at, %(now)s
from memory
where space_id = %(space)s and id = %(id)s
on conflict (space_id, memory_id, version) do nothing;

-- name: change_memory
-- The new text and fields of a memory, as its next version.
update memory
set type = %(type)s, category = %(category)s, tags = %(tags)s, title = %(title)s, summary = %(summary)s,
    content = %(content)s, metadata = %(metadata)s, data = %(data)s, sensitivity = %(sensitivity)s,
    valid_from = %(valid_from)s, valid_until = %(valid_until)s,
    version = version + 1, updated_at = %(now)s,
    recorded_at = case when %(new_version)s then %(now)s else recorded_at end
where space_id = %(space)s and id = %(id)s
returning version;

-- name: change_use
-- How a memory stands, after a person changed it.
update memory_use
set importance = %(importance)s, confidence = %(confidence)s, pinned = %(pinned)s, ttl_policy = %(ttl_policy)s,
    by_hand = by_hand or %(by_hand)s
where space_id = %(space)s and memory_id = %(id)s;

-- name: retire_entries
-- Former versions stay in the index, unseen, so that `as_known_at` finds them.
update entry set visible = false
where space_id = %(space)s and memory_id = %(id)s and version = %(version)s;

-- name: copy_entries
-- The text did not change, but what was known before is kept: the new version gets entries of its own.
insert into entry (
    space_id, memory_id, version, passage, kind, category, sensitivity, visible, part_of, speaker, role,
    happened_at, valid_from, valid_until, importance, text_hash, length, terms, weights, embedding)
select space_id, memory_id, version + 1, passage, kind, %(category)s, %(sensitivity)s, visible, part_of, speaker, role,
    happened_at, %(valid_from)s, %(valid_until)s, %(importance)s, text_hash, length, terms, weights, embedding
from entry
where space_id = %(space)s and memory_id = %(id)s and version = %(version)s
on conflict (space_id, memory_id, version, passage) do nothing;

-- name: carry_entries
-- Nothing that is kept of the former version changed: its entries go on as those of the new one.
update entry
set version = %(version)s + 1, category = %(category)s, sensitivity = %(sensitivity)s,
    importance = %(importance)s, valid_from = %(valid_from)s, valid_until = %(valid_until)s
where space_id = %(space)s and memory_id = %(id)s and version = %(version)s;

-- name: index
-- Search entries of a new version.
insert into entry (
    space_id, memory_id, version, passage, kind, category, sensitivity, visible, part_of, speaker, role,
    happened_at, valid_from, valid_until, importance, text_hash, length, terms, weights, embedding)
select %(space)s, r.id, r.version, e.passage, r.kind, r.category, r.sensitivity,
    r.state not in ('archived', 'soft_deleted') and not r.pending, coalesce(r.conversation_id, r.source_id),
    r.speaker, r.role, r.happened_at, r.valid_from, r.valid_until, r.importance, e.text_hash, e.length,
    e.terms::integer[], e.weights, e.embedding
from unnest(
    %(entry_ids)s::uuid[], %(passages)s::integer[], %(hashes)s::bytea[], %(lengths)s::integer[], %(terms)s::text[],
    %(weights)b::sparsevec[], %(embeddings)b::halfvec[]
) as e (id, passage, text_hash, length, terms, weights, embedding)
join remembered r on r.space_id = %(space)s and r.id = e.id
on conflict (space_id, memory_id, version, passage) do nothing
returning 1;

-- name: soft_delete
-- Out of every search at once, restorable until purged.
update memory_use
set state_before = state, state = 'soft_deleted', deleted_at = %(now)s, purge_at = %(purge_at)s,
    by_hand = by_hand or %(by_hand)s
where space_id = %(space)s and memory_id = any (%(ids)s) and not state = 'soft_deleted'
returning memory_id;

-- name: restore
-- Back to where it was.
update memory_use
set state = coalesce(state_before, 'active'), state_before = null, deleted_at = null, purge_at = null,
    salience_at = %(now)s, by_hand = true
where space_id = %(space)s and memory_id = any (%(ids)s) and state = 'soft_deleted'
returning memory_id;

-- name: mark_along
-- Because of which others memories go, where they are still there.
update memory m
set data = jsonb_set(m.data, '{deleted_with}', t.roots::jsonb)
from unnest(%(ids)s::uuid[], %(roots)s::text[]) as t (id, roots)
join memory_use u on u.space_id = %(space)s and u.memory_id = t.id and not u.state = 'soft_deleted'
where m.space_id = %(space)s and m.id = t.id;

-- name: gone_along
-- What went because of a memory.
select id from remembered
where space_id = %(space)s and state = 'soft_deleted' and kind = 'chunk' and data->'deleted_with' ? %(id)s;

-- name: unmark_along
-- They are back.
update memory set data = data - 'deleted_with' where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: archive
-- Out of the default search; what it says still holds.
update memory_use set state = 'archived'
where space_id = %(space)s and memory_id = any (%(ids)s) and state in ('candidate', 'active', 'core')
returning memory_id;

-- name: wake
-- Back into the default search: it was said again.
update memory_use set state = 'active', last_accessed_at = greatest(last_accessed_at, %(now)s)
where space_id = %(space)s and memory_id = any (%(ids)s) and state = 'archived'
returning memory_id;

-- name: mark_consolidated
-- What of sources was noted on the nodes that they mention, beside what was before.
update memory m
set data = jsonb_set(m.data, '{consolidated}', coalesce(m.data->'consolidated', '{}') || t.marks::jsonb)
from unnest(%(ids)s::uuid[], %(marks)s::text[]) as t (id, marks)
where m.space_id = %(space)s and m.id = t.id;

-- name: move_on
-- What only this kind has, and when it last happened, of a memory that goes on; the text and its version stay.
update memory set data = %(data)s, happened_at = %(happened_at)s where space_id = %(space)s and id = %(id)s;

-- name: move_entries_on
-- The same for its search entries.
update entry set happened_at = %(happened_at)s
where space_id = %(space)s and memory_id = %(id)s and version = %(version)s and not happened_at = %(happened_at)s;

-- name: release
-- What somebody wrote or stood for gave way to another text: jobs may change it again.
update memory_use set by_hand = false where space_id = %(space)s and memory_id = any (%(ids)s);

-- name: episodes
-- Episodes of a conversation, in any state but deleted, in the order of their turns.
select * from remembered
where space_id = %(space)s and conversation_id = %(conversation_id)s and kind = 'episode'
  and not state = 'soft_deleted' and (%(chunks)s = (type is not distinct from 'chunk'))
order by (data->>'first_turn')::integer, id;

-- name: show_entries
-- Make the present version's entries match the state: seen, or not. State and version are looked up for each entry: joined,
-- all entries would be tried with all memories in a space that the planner knows nothing of yet.
update entry e
set visible = (
    select u.state not in ('archived', 'soft_deleted') and not u.pending
    from memory_use u
    where u.space_id = %(space)s and u.memory_id = e.memory_id
)
where e.space_id = %(space)s and e.memory_id = any (%(ids)s)
  and e.version = (select m.version from memory m where m.space_id = %(space)s and m.id = e.memory_id)
returning 1;

-- name: purge
-- Remove memories for good: text, versions, vectors, relations, notes, history, and of a source the raw text. The log of
-- conversations is not touched.
with gone as (
    delete from memory where space_id = %(space)s and id = any (%(ids)s) returning id
),
uses as (
    delete from memory_use where space_id = %(space)s and memory_id = any (%(ids)s)
),
versions as (
    delete from memory_version where space_id = %(space)s and memory_id = any (%(ids)s)
),
entries as (
    delete from entry where space_id = %(space)s and memory_id = any (%(ids)s)
),
ties as (
    delete from relation
    where space_id = %(space)s and (from_id = any (%(ids)s) or to_id = any (%(ids)s))
    returning id
),
tie_uses as (
    delete from memory_use where space_id = %(space)s and memory_id in (select id from ties)
),
notes as (
    delete from note
    where space_id = %(space)s
      and (target_id = any (%(ids)s) or source_id = any (%(ids)s) or target_id in (select id from ties))
),
names as (
    delete from node_name where space_id = %(space)s and node_id = any (%(ids)s)
),
counters as (
    delete from mentioned where space_id = %(space)s and node_id = any (%(ids)s)
),
stale as (
    delete from dirty
    where space_id = %(space)s and (target_id = any (%(ids)s) or target_id in (select id from ties))
),
merges as (
    delete from node_merge where space_id = %(space)s and (kept_id = any (%(ids)s) or gone_id = any (%(ids)s))
),
tie_entries as (
    delete from relation_entry where space_id = %(space)s and relation_id in (select id from ties)
),
raw as (
    delete from source where space_id = %(space)s and id = any (%(ids)s)
),
witnesses as (
    delete from evidence
    where space_id = %(space)s and (memory_id = any (%(ids)s) or relation_id in (select id from ties))
),
lines as (
    delete from history where space_id = %(space)s and memory_id = any (%(ids)s)
)
select count(*) as purged from gone;

-- name: history
-- What happened to a memory, oldest first, with the text of each version. A version is kept when its text changes:
-- until then the next one that is kept, or the present one, has the same text.
select h.*, case when h.version is not null then coalesce(v.content, m.content) end as content
from history h
left join memory m on m.space_id = %(space)s and m.id = h.memory_id
left join lateral (
    select content from memory_version v
    where v.space_id = %(space)s and v.memory_id = %(id)s and v.version >= h.version
    order by v.version
    limit 1
) v on true
where h.space_id = %(space)s and h.memory_id = %(id)s
order by h.at, h.event <> 'ADD', h.id;

-- name: record_events
-- What the system did, for counting.
insert into event (space_id, id, at, node, op, status, memory_id, category, similarity, milliseconds, detail)
select {space}, e.id, {now}, e.node, e.op, e.status, e.memory_id, e.category, e.similarity, e.milliseconds, e.detail
from json_to_recordset({events}) as e (
    id uuid, node text, op text, status text, memory_id uuid, category text, similarity double precision,
    milliseconds double precision, detail jsonb)
on conflict (space_id, id) do nothing;

-- name: revision
-- The revision of a space.
select revision from space where space_id = %(space)s;

-- name: changes_seen_after
-- The same as far as somebody may see what changed; what has been purged says nothing of itself any more.
select c.revision, c.position, c.memory_id, c.kind, c.event, c.thread_id, c.at
from change_log c
join memory m on m.space_id = %(space)s and m.id = c.memory_id
where c.space_id = %(space)s and (c.revision, c.position) > (%(revision)s, %(position)s)
  and m.sensitivity = any (%(sensitivity)s)
order by c.revision, c.position
limit %(limit)s;

-- name: changes_after
-- Lines of the change log after a place in it: a revision may have many.
select revision, position, memory_id, kind, event, thread_id, at
from change_log
where space_id = %(space)s and (revision, position) > (%(revision)s, %(position)s)
order by revision, position
limit %(limit)s;
