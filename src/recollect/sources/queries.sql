-- name: near_chunks
-- The short-term chunks of an agent that lie nearest to some passages and have no end, as what goes into one would end
-- with it. Their entries are looked up by key, one after the other, and once for all passages: the work is in proportion
-- to the agent's chunks, whatever else the space holds.
with own as materialized (
    select id, version from memory
    where space_id = %(space)s and kind = 'chunk' and tier = 'short' and agent_id is not distinct from %(agent)s
      and valid_until is null
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
where r.space_id = %(space)s and r.kind = 'chunk' and r.tier = 'short' and r.agent_id is not distinct from %(agent)s
  and r.valid_until is null
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
