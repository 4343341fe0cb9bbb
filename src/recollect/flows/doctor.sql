-- Asked by the owner, who sees every space.

-- name: server
-- What runs, how large it is, and what is in it.
select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
    current_database() as database, pg_database_size(current_database()) as bytes,
    (select extversion from pg_extension where extname = 'vector') as pgvector,
    (select default_version from pg_available_extensions where name = 'vector') as pgvector_available,
    (select max(number) from recollect.migration) as schema,
    (select value from recollect.installation where name = 'embedder') as embedder,
    (select value from recollect.installation where name = 'reembedding') as reembedding,
    exists (select from recollect.installation where name = 'distributing') as distributing;

-- name: counts
-- How much there is.
select (select count(*) from recollect.space) as spaces,
    (select count(*) from recollect.conversation) as conversations,
    (select count(*) from recollect.message) as messages,
    (select count(*) from recollect.memory) as memories,
    (select count(*) from recollect.entry) as entries,
    (select coalesce(sum(last_turn - indexed_turn), 0)::bigint
     from recollect.conversation where indexed_turn < last_turn and remember) as waiting_turns;

-- name: spent
-- What models took on the day that it is in each space, and which spaces have used up what they may spend.
select coalesce(sum(p.calls), 0)::bigint as calls, coalesce(sum(p.failures), 0)::bigint as failures,
    coalesce(sum(p.input_tokens + p.output_tokens), 0)::bigint as tokens, coalesce(sum(p.money), 0) as money
from recollect.spend p left join recollect.space s on s.space_id = p.space_id
where p.day = (%(now)s::timestamptz at time zone coalesce(s.timezone, %(zone)s))::date;

-- name: stopped
-- Spaces in which rules do the work of models until their day is over.
select p.space_id
from recollect.spend_stop p left join recollect.space s on s.space_id = p.space_id
where p.day = (%(now)s::timestamptz at time zone coalesce(s.timezone, %(zone)s))::date
order by p.space_id limit 20;

-- name: largest
-- The spaces with most memories.
select space_id, count(*) as memories from recollect.memory group by space_id order by memories desc, space_id limit 5;

-- name: queue
-- Jobs by what they are doing.
select count(*) filter (where status = 'todo' and (scheduled_at is null or scheduled_at <= now())) as waiting,
    count(*) filter (where status = 'todo' and scheduled_at > now()) as later,
    count(*) filter (where status = 'doing') as running,
    count(*) filter (where status = 'failed') as failed
from recollect_queue.procrastinate_jobs;

-- name: role
-- What the application role may do beyond its work.
select r.rolsuper, r.rolbypassrls, r.rolcreaterole, r.rolcreatedb,
    pg_has_role(r.oid, current_user, 'member') as is_owner,
    (select count(*) from pg_class c where c.relowner = r.oid)
    + (select count(*) from pg_namespace n where n.nspowner = r.oid)
    + (select count(*) from pg_proc p where p.proowner = r.oid) as owns
from pg_roles r
where r.rolname = %(role)s;

-- name: missing_rights
-- Tables that the application role cannot work with, and common ones that it could change.
select c.relname as name
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and n.nspname in ('recollect', 'recollect_queue')
  and case when n.nspname = 'recollect' and c.relname = any (%(common)s)
      then not has_table_privilege(%(role)s, c.oid, 'select')
           or has_table_privilege(%(role)s, c.oid, 'insert, update, delete')
      else not (has_table_privilege(%(role)s, c.oid, 'select') and has_table_privilege(%(role)s, c.oid, 'insert')
           and has_table_privilege(%(role)s, c.oid, 'update') and has_table_privilege(%(role)s, c.oid, 'delete'))
      end
order by name;

-- name: open_tables
-- Tables of spaces whose rows are not kept apart: a policy for each of the four verbs, and none beside them.
select c.relname as name
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and n.nspname = 'recollect' and not c.relname = any (%(common)s)
  and not (c.relrowsecurity and (
      select count(*) = 4 and count(distinct p.polcmd) = 4 from pg_policy p where p.polrelid = c.oid and not p.polcmd = '*')
      and not exists (select from pg_policy p where p.polrelid = c.oid and p.polcmd = '*'))
order by name;

-- name: invalid_indexes
-- Indexes that a broken build left behind.
select c.relname as name
from pg_index i
join pg_class c on c.oid = i.indexrelid
join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('recollect', 'recollect_queue') and not i.indisvalid
order by name;

-- name: spaces_without_index
-- Spaces too large to be read whole, that have no vector index; or whose index is gone.
select s.space_id as name
from recollect.space_statistics s
where s.entries > %(limit)s and s.vector_index is null
   or s.vector_index is not null and to_regclass('recollect.' || quote_ident(s.vector_index)) is null
order by s.entries desc;

-- name: stale_spaces
-- Spaces that have changed much since their statistics were taken.
select sp.space_id as name
from recollect.space sp
left join recollect.space_statistics st using (space_id)
where sp.changes > greatest(%(least)s, %(share)s * coalesce(st.entries, 0))
order by sp.changes desc;

-- name: unindexed
-- Memories that no search can find. Raw sections and nodes are found by the chunks that came of them, or name them.
select m.space_id as name, count(*) as count
from recollect.memory m
where not (m.kind = 'source' and m.type is not distinct from 'section')
  and not m.kind in ('person', 'concept', 'entity')
  and not exists (
    select from recollect.entry e
    where e.space_id = m.space_id and e.memory_id = m.id and e.version = m.version)
group by m.space_id
order by count desc;

-- name: awaited
-- Spaces for which work is due or under way.
select distinct args ->> 'space' as name from recollect_queue.procrastinate_jobs
where status = 'doing' or (status = 'todo' and (scheduled_at is null or scheduled_at <= now()));

-- name: orphans
-- Search entries, uses and versions of memories that are gone.
select name, count(*) as count from (
    select 'entry' as name from recollect.entry x
    where not exists (select from recollect.memory m where m.space_id = x.space_id and m.id = x.memory_id)
    union all
    select 'memory_version' from recollect.memory_version x
    where not exists (select from recollect.memory m where m.space_id = x.space_id and m.id = x.memory_id)
    union all
    select 'memory_use' from recollect.memory_use x
    where not exists (select from recollect.memory m where m.space_id = x.space_id and m.id = x.memory_id)
      and not exists (select from recollect.relation r where r.space_id = x.space_id and r.id = x.memory_id)
    union all
    select 'memory' from recollect.memory x
    where not exists (select from recollect.memory_use u where u.space_id = x.space_id and u.memory_id = x.id)
) lost
group by name
order by name;

-- name: other_vectors
-- Vectors of other dimensions than the model's.
select count(*) as count from recollect.entry where not public.vector_dims(embedding) = %(dimensions)s;
