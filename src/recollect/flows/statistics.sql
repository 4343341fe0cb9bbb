-- name: stale
-- Whether enough has changed since the statistics were taken.
select sp.changes > %(share)s * coalesce(st.entries, 0) as stale
from space sp
left join space_statistics st on st.space_id = %(space)s
where sp.space_id = %(space)s;

-- name: pending_changes
-- How many changes the statistics that are taken now will hold.
select changes from space where space_id = %(space)s;

-- name: settle
-- Those changes are in the statistics; more may have come meanwhile. Writers hold this row while they count theirs
-- and ask for `space_statistics` after it: it comes before that one here too, and both come last, since counting
-- takes long.
update space set changes = greatest(0, changes - %(changes)s) where space_id = %(space)s;

-- name: count_entries
-- Entries, kinds and mean length of a space, as they are now.
select coalesce(sum(entries), 0)::bigint as entries,
    coalesce(sum(length) / nullif(sum(entries), 0), 0)::double precision as mean_length,
    coalesce(jsonb_object_agg(kind, entries) filter (where kind is not null), '{}') as kinds
from (
    select kind, count(*) as entries, sum(length)::double precision as length
    from entry
    where space_id = %(space)s and visible
    group by kind
) by_kind;

-- name: take
-- Keep what was counted.
insert into space_statistics (space_id, entries, mean_length, kinds, taken_at)
values (%(space)s, %(entries)s, %(mean_length)s, %(kinds)s, %(now)s)
on conflict (space_id) do update
    set entries = excluded.entries, mean_length = excluded.mean_length, kinds = excluded.kinds,
        taken_at = excluded.taken_at
returning entries, mean_length, weighted_length, vector_index;

-- name: count_terms
-- In how many visible entries each term occurs; terms that are gone are dropped.
with counted as materialized (
    select term, count(*)::integer as documents
    from entry, unnest(terms) as term
    where space_id = %(space)s and visible
    group by term
),
dropped as (
    delete from term_statistics t
    where t.space_id = %(space)s and not exists (select from counted c where c.term = t.term)
)
insert into term_statistics (space_id, term, documents)
select %(space)s, term, documents from counted
on conflict (space_id, term) do update set documents = excluded.documents
    where not term_statistics.documents = excluded.documents;

-- name: weights_after
-- A stretch of term weights, in the order of the primary key.
select memory_id, version, passage, length, weights
from entry
where space_id = %(space)s and (memory_id, version, passage) > (%(memory_id)s::uuid, %(version)s, %(passage)s)
order by memory_id, version, passage
limit %(limit)s;

-- name: store_weights
-- New term weights.
update entry e
set weights = w.weights
from unnest(%(ids)s::uuid[], %(versions)s::integer[], %(passages)s::integer[], %(weights)b::sparsevec[])
    as w (memory_id, version, passage, weights)
where e.space_id = %(space)s and e.memory_id = w.memory_id and e.version = w.version and e.passage = w.passage;

-- name: set_weighted_length
-- The mean length that the weights are now made with.
update space_statistics set weighted_length = %(mean)s where space_id = %(space)s;

-- name: believed_entries
-- How many entries of all spaces the planner knows of.
select greatest(reltuples, 0) as entries from pg_class where oid = 'recollect.entry'::regclass;

-- name: outgrown
-- Whether a table that is joined by key is far larger than the planner believes; one that fits a few pages does not count.
select bool_or(pg_relation_size(c.oid) > 2 * 8192 * greatest(c.relpages, 16)) as outgrown
from pg_class c
where c.oid = any ('{recollect.memory, recollect.memory_use, recollect.relation, recollect.evidence}'::regclass[]);

-- name: analyze
-- Tell it how many there are. A table that somebody is busy with is left out: waiting would hold up an index build.
analyze (skip_locked) recollect.entry, recollect.memory, recollect.memory_use, recollect.term_statistics,
    recollect.relation, recollect.evidence, recollect.node_name, recollect.source;

-- name: begin_building
-- Of all processes one builds an index at a time; whether it is this one.
select pg_try_advisory_lock(hashtextextended('recollect index', 0)) as alone;

-- name: end_building
-- The next one may build.
select pg_advisory_unlock(hashtextextended('recollect index', 0));

-- name: invalid_index
-- An index of that name that a broken build left behind.
select 1 from pg_index i join pg_class c on c.oid = i.indexrelid where c.relname = %(name)s and not i.indisvalid;

-- name: build_index
-- The vector index of one large space: over all spaces together, a filter on one would make it slow and inexact.
create index concurrently if not exists {name} on recollect.entry
using hnsw ((embedding::halfvec({dimensions})) halfvec_ip_ops)
where space_id = {space} and visible;

-- name: set_vector_index
-- Searches may use it from now on.
update space_statistics set vector_index = %(name)s where space_id = %(space)s;

-- name: begin_statistics
-- The row of a space that has none yet.
insert into space_statistics (space_id) values (%(space)s) on conflict (space_id) do nothing;

-- name: add_speakers
-- Names of those who have spoken here.
update space_statistics
set speakers = (select array_agg(distinct name) from unnest(speakers || %(names)s::text[]) as name)
where space_id = %(space)s and not speakers @> %(names)s::text[];
