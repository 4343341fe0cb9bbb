-- name: near_chunks
-- The short-term chunks of an agent's sections that lie nearest to some passages and have no end, as what goes into one would end
-- with it. Their entries are looked up by key, one after the other, and once for all passages: the work is in proportion
-- to the agent's chunks, whatever else the space holds.
with own as materialized (
    select id, version from memory
    where space_id = %(space)s and kind = 'chunk' and type = 'section' and tier = 'short'
      and agent_id is not distinct from %(agent)s and valid_until is null
),
passages as materialized (
    select e.memory_id, e.embedding
    from own
    cross join lateral (
        select x.memory_id, x.embedding from entry x
        where x.space_id = %(space)s and x.memory_id = own.id and x.version = own.version and x.visible
        offset 0
    ) e
)
select distinct near.memory_id as id
from unnest(%(queries)b::halfvec[]) as asked (query)
cross join lateral (
    select p.memory_id, -(p.embedding <#> asked.query) as similarity
    from passages p
    order by p.embedding <#> asked.query, p.memory_id
    limit %(most)s
) near
where near.similarity >= %(least)s;

-- name: hidden_chunks
-- Chunks of an agent that no search finds and that count all the same: put away with one of these very texts, or deleted
-- by somebody, where they came of the section or lie near some passages.
select r.id
from remembered r
where r.space_id = %(space)s and r.kind = 'chunk' and r.type = 'section' and r.tier = 'short'
  and r.agent_id is not distinct from %(agent)s and r.valid_until is null
  and (r.state = 'archived' and r.content = any (%(texts)s::text[])
    or r.state = 'soft_deleted' and (r.metadata @> %(section)s or exists (
        select from entry e cross join unnest(%(queries)b::halfvec[]) as asked (query)
        where e.space_id = %(space)s and e.memory_id = r.id and e.version = r.version
          and -(e.embedding <#> asked.query) >= %(least)s)));

-- name: listing
-- The chunks that hold what sources said, short-term ones and their versions.
select * from remembered
where space_id = %(space)s and kind = 'chunk' and data->'sources' ?| %(sources)s::text[]
order by id;

-- name: vectors_of
-- The passages of memories as they stand.
select e.memory_id, e.passage, e.embedding
from entry e
join memory m on m.space_id = %(space)s and m.id = e.memory_id and m.version = e.version
where e.space_id = %(space)s and e.memory_id = any (%(ids)s::uuid[]) and m.id = any (%(ids)s::uuid[])
order by e.memory_id, e.passage;

-- name: chunks_of
-- The short-term chunks of a source, in their order.
select * from remembered
where space_id = %(space)s and source_id = %(source)s and kind = 'chunk' and tier = 'short'
  and not state = 'soft_deleted'
order by (data->>'order')::integer, id;

-- name: places
-- Which places of a source have a chunk, in whatever state.
select (data->>'order')::integer as place from memory
where space_id = %(space)s and source_id = %(source)s and kind = 'chunk' and tier = 'short';

-- name: versions_of
-- The long-term versions of a source's chunks, newest first.
select * from remembered
where space_id = %(space)s and source_id = any (%(sources)s::uuid[]) and kind = 'chunk' and tier = 'long'
order by valid_from desc, (data->>'order')::integer, id desc;

-- name: connections
-- How many nodes the chunks of a source mention.
select count(distinct r.to_id) as nodes
from relation r
join memory m on m.space_id = %(space)s and m.id = r.from_id
where r.space_id = %(space)s and m.source_id = %(source)s and m.kind = 'chunk' and r.type = 'mentions';

-- name: unpromoted
-- Sources with a chunk that long-term memory does not have as it is now, or has though it ended.
select distinct c.source_id as id
from memory c
join memory_use u on u.space_id = %(space)s and u.memory_id = c.id
where c.space_id = %(space)s and c.kind = 'chunk' and c.tier = 'short' and not u.state in ('soft_deleted', 'archived')
  and c.source_id is not null
  and (c.valid_until is not null) = exists (
      select from memory l
      where l.space_id = %(space)s and l.source_id = c.source_id and l.kind = 'chunk' and l.tier = 'long'
        and l.valid_until is null and l.data->>'chunk' = c.id::text
        and (c.valid_until is not null or l.data->>'digest' = md5(c.content)))
order by 1;

-- name: signals
-- What speaks for each of some sources, counted as `importance.score` wants it; and whether a version of it is held.
select p.id, max(p.importance) as stated, sum(p.access_count) as accesses, max(p.repetitions) as repetitions,
       max(p.updated_at) as updated_at,
       (select count(distinct r.to_id) from memory c
        join relation r on r.space_id = %(space)s and r.from_id = c.id and r.type = 'mentions'
        where c.space_id = %(space)s and c.source_id = p.id and c.kind = 'chunk') as connections,
       exists (select from memory l
        where l.space_id = %(space)s and l.source_id = p.id and l.kind = 'chunk' and l.tier = 'long'
          and l.valid_until is null) as held
from (
    select id, importance, access_count, updated_at, 0 as repetitions
    from remembered where space_id = %(space)s and id = any (%(sources)s::uuid[]) and kind = 'source'
    union all
    select source_id, importance, access_count, updated_at, jsonb_array_length(coalesce(data->'sources', '[]')) - 1
    from remembered
    where space_id = %(space)s and source_id = any (%(sources)s::uuid[]) and kind = 'chunk' and tier = 'short'
      and not state = 'soft_deleted' and valid_until is null
) as p
group by p.id
order by p.id;

-- name: idle_chunks
-- Chunks of migrated sections that nobody asked for or changed in a long time and that were not promoted, held.
select u.memory_id as id
from memory_use u
join memory c on c.space_id = %(space)s and c.id = u.memory_id
where u.space_id = %(space)s and u.kind = 'chunk' and c.tier = 'short' and c.type = 'section'
  and u.state in ('candidate', 'active', 'core') and not u.pinned and not u.by_hand and not u.ttl_policy = 'keep_forever'
  and greatest(u.last_accessed_at, u.stored_at, c.updated_at) <= %(idle_since)s
  and not exists (
      select from memory l
      where l.space_id = %(space)s and l.source_id = c.source_id and l.kind = 'chunk' and l.tier = 'long'
        and l.valid_until is null and l.data->>'chunk' = c.id::text)
for update of u;

-- name: old_versions
-- Long-term versions that ended long ago.
select m.id from memory m
where m.space_id = %(space)s and m.kind = 'chunk' and m.tier = 'long' and m.valid_until <= %(ended_before)s;

-- name: receive
-- New sources; the text of a document is that of its memory, which was written just before.
insert into source (
    space_id, id, source_type, raw, participants, started_at, ended_at, context_type, conversation_id, first_turn,
    last_turn, origin_space, origin_id, received_at)
select %(space)s, s.id, s.source_type, case when s.has_text then m.content end, s.participants, s.started_at,
    s.ended_at, s.context_type, s.conversation_id, s.first_turn, s.last_turn, s.origin_space, s.origin_id, %(now)s
from jsonb_to_recordset(%(sources)s) as s (
    id uuid, source_type text, has_text boolean, participants text[], started_at timestamptz, ended_at timestamptz,
    context_type text, conversation_id uuid, first_turn integer, last_turn integer, origin_space text, origin_id uuid)
join memory m on m.space_id = %(space)s and m.id = s.id
on conflict do nothing;

-- name: due
-- Sources whose phase is due: those that never failed, or those that did; deleted ones wait until they are restored.
-- How long the text of a reference is, another space knows: it counts as long.
select s.id, s.attempts, coalesce(octet_length(s.raw), case when s.origin_id is null then 0 else 1000000 end) as size
from source s
join memory_use u on u.space_id = %(space)s and u.memory_id = s.id
where s.space_id = %(space)s and s.status = %(status)s and s.failed is null and (s.attempts > 0) = %(again)s
  and not u.state = 'soft_deleted'
order by s.id
limit %(most)s;

-- name: read_raw
-- Sources that have only come in, with their raw texts.
select s.id, s.source_type, s.raw, s.participants, s.started_at, s.conversation_id, s.first_turn, s.last_turn,
    s.origin_id, s.processed_at, m.title, m.metadata, m.agent_id, m.run_id, m.thread_id, m.actor_id, m.sensitivity,
    m.happened_at, u.ttl_policy
from source s
join memory m on m.space_id = %(space)s and m.id = s.id
join memory_use u on u.space_id = %(space)s and u.memory_id = s.id
where s.space_id = %(space)s and s.id = any (%(ids)s::uuid[]) and s.status = 'raw' and s.failed is null
order by s.id;

-- name: read_cleaned
-- Sources that are processed, with their cleaned texts.
select s.id, s.source_type, s.participants, s.conversation_id, s.first_turn, s.last_turn, s.origin_space, s.origin_id,
    s.extracted_at, m.content, m.agent_id, m.happened_at, m.sensitivity
from source s
join memory m on m.space_id = %(space)s and m.id = s.id
where s.space_id = %(space)s and s.id = any (%(ids)s::uuid[]) and s.status = 'processed' and s.failed is null
order by s.id;

-- name: origin
-- The text of a source of a team, if it is still there: cleaned, or raw where it is not cleaned yet.
select s.status, s.source_type, s.participants, m.content
from source s
join memory m on m.space_id = %(space)s and m.id = s.id
join memory_use u on u.space_id = %(space)s and u.memory_id = s.id
where s.space_id = %(space)s and s.id = %(id)s and not u.state = 'soft_deleted';

-- name: origins
-- How sources of a team stand that somebody uses, where they are still there.
select s.id, s.source_type, s.participants, s.started_at, s.ended_at, s.context_type, m.sensitivity, m.happened_at,
    u.ttl_policy
from source s
join memory m on m.space_id = %(space)s and m.id = s.id
join memory_use u on u.space_id = %(space)s and u.memory_id = s.id
where s.space_id = %(space)s and s.id = any (%(ids)s::uuid[]) and not u.state = 'soft_deleted'
order by s.id;

-- name: hold
-- The sources among some that are as they were read, held until the transaction ends.
select s.id
from source s
join memory_use u on u.space_id = %(space)s and u.memory_id = s.id
where s.space_id = %(space)s and s.id = any (%(ids)s::uuid[]) and s.status = %(status)s and s.failed is null
  and not u.state = 'soft_deleted'
order by s.id
for update of s;

-- name: step
-- A phase of sources is done.
update source s
set status = t.status, attempts = 0, by_rules = t.by_rules or t.status = 'extracted' and s.by_rules,
    participants = coalesce(t.participants, s.participants),
    started_at = coalesce(s.started_at, t.started_at), ended_at = coalesce(s.ended_at, t.ended_at),
    processed_at = case when t.status = 'processed' then %(now)s else s.processed_at end,
    extracted_at = case when t.status = 'extracted' then %(now)s else s.extracted_at end
from jsonb_to_recordset(%(steps)s) as t (
    id uuid, status text, by_rules boolean, participants text[], started_at timestamptz, ended_at timestamptz)
where s.space_id = %(space)s and s.id = t.id;

-- name: try
-- Sources are tried now: counted before, so that a try that kills its worker counts.
update source set attempts = attempts + 1
where space_id = %(space)s and id = any (%(ids)s::uuid[]) and failed is null
returning id, attempts;

-- name: untry
-- It was not the source's fault.
update source set attempts = greatest(0, attempts - 1) where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: give_up
-- A source is given up; its raw text stays.
update source set failed = %(reason)s where space_id = %(space)s and id = %(id)s and failed is null returning status;

-- name: begin_again
-- A source that was given up is tried once more.
update source set failed = null, attempts = 0
where space_id = %(space)s and id = %(id)s and failed is not null
returning status;

-- name: listed
-- Sources with how far they are, in the order of their ids.
select s.space_id, s.id, s.source_type, s.participants, s.started_at, s.ended_at, s.context_type, s.conversation_id,
    s.first_turn, s.last_turn, s.origin_space, s.origin_id, s.status, s.by_rules, s.attempts, s.failed, s.received_at,
    s.processed_at, s.extracted_at, m.title, m.sensitivity, m.category
from source s
join memory m on m.space_id = %(space)s and m.id = s.id
join memory_use u on u.space_id = %(space)s and u.memory_id = s.id
where s.space_id = %(space)s and s.id > %(after)s and not u.state = 'soft_deleted'
  and m.sensitivity = any (%(sensitivity)s::text[])
  and (%(status)s::text is null or case when s.failed is null then s.status else 'failed' end = %(status)s)
order by s.id
limit %(limit)s;

-- name: about
-- Sources with how far they are, by their ids.
select s.space_id, s.id, s.source_type, s.participants, s.started_at, s.ended_at, s.context_type, s.conversation_id,
    s.first_turn, s.last_turn, s.origin_space, s.origin_id, s.status, s.by_rules, s.attempts, s.failed, s.received_at,
    s.processed_at, s.extracted_at, m.title, m.sensitivity, m.category
from source s
join memory m on m.space_id = %(space)s and m.id = s.id
where s.space_id = %(space)s and s.id = any (%(ids)s::uuid[])
order by s.id;

-- name: documents
-- Documents as they came, in the order of their ids.
select s.id, s.raw, s.source_type, s.participants, s.started_at, s.ended_at, s.context_type, m.title, m.metadata,
    m.sensitivity, u.ttl_policy
from source s
join memory m on m.space_id = %(space)s and m.id = s.id
join memory_use u on u.space_id = %(space)s and u.memory_id = s.id
where s.space_id = %(space)s and s.id > %(after)s and s.raw is not null and not u.state = 'soft_deleted'
  and m.sensitivity = any (%(sensitivity)s::text[])
order by s.id
limit %(limit)s;

-- name: progress
-- How far a source is.
select status, failed from source where space_id = %(space)s and id = %(id)s;

-- name: about_turn
-- Sources that a turn of a conversation is part of are read anew.
update source set status = 'raw', attempts = 0, failed = null
where space_id = %(space)s and conversation_id = %(conversation_id)s and %(turn)s between first_turn and last_turn
returning id;

-- name: to_reread
-- Sources that rules read because the model could not, and how often the model was asked again.
select s.id, coalesce((m.data->>'rereads')::integer, 0) as rereads
from source s
join memory m on m.space_id = %(space)s and m.id = s.id
where s.space_id = %(space)s and s.by_rules and s.status = %(status)s and s.failed is null
order by s.id;

-- name: unsettle
-- Sources are read anew, from the beginning.
update source set status = 'raw', attempts = 0 where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: chunk_texts
-- The short-term chunks of sources as they were cut, without their vectors.
select id, source_id, content from memory
where space_id = %(space)s and source_id = any (%(sources)s::uuid[]) and kind = 'chunk' and tier = 'short'
order by source_id, id;

-- name: references
-- The references to sources of teams in a space, of one team or of all.
select s.id, s.origin_space, s.origin_id, u.state, u.purge_at
from source s
join memory_use u on u.space_id = %(space)s and u.memory_id = s.id
where s.space_id = %(space)s and s.origin_id is not null
  and (%(team)s::text is null or s.origin_space = %(team)s)
order by s.id;
