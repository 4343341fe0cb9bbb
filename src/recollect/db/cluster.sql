-- Asked by the owner. What Citus keeps in its catalogues is there only after `create extension citus`.

-- name: extension
-- Whether Citus is in this database, and whether it could be: its settings are there only where it is loaded.
select exists (select from pg_extension where extname = 'citus') as installed,
    exists (select from pg_available_extensions where name = 'citus')
        and exists (select from pg_settings where name = 'citus.shard_count') as possible;

-- name: is_distributed
-- Whether the tables of spaces are spread over a cluster.
select exists (
    select from pg_dist_partition where logicalrelid = 'recollect.space'::regclass and partmethod = 'h'
) as distributed;

-- name: other_sessions
-- Who else is in this database.
select count(*) as others
from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
  and usename in (current_user, %(role)s)
  and application_name not like 'citus%%';

-- name: here
-- Who asks, and where.
select current_user as owner, current_database() as database;

-- name: lets_settings_travel
-- Whether a role's transactions carry their settings to the nodes.
select 1 as found
from pg_db_role_setting s join pg_roles r on r.oid = s.setrole
where r.rolname = %(role)s and s.setdatabase = (select oid from pg_database where datname = current_database())
  and 'citus.propagate_set_commands=local' = any (s.setconfig);

-- name: space
-- Whether there is such a space.
select 1 as found from recollect.space where space_id = %(space)s;

-- name: tables
-- The tables of spaces: the one that all others lie beside first, then those that others refer to. `rows` is an
-- estimate, for progress alone.
select c.relname as name, greatest(c.reltuples, 0)::bigint as rows,
    exists (select from pg_dist_partition p where p.logicalrelid = c.oid) as distributed
from pg_class c
where c.relnamespace = 'recollect'::regnamespace and c.relkind = 'r' and not c.relname = any (%(common)s)
order by c.relname <> 'space',
    (select count(*) from pg_constraint k where k.conrelid = c.oid and k.contype = 'f'), c.relname;

-- name: functions
-- Our functions: those that take `of_space` run where it lies, the others on every node. Whether they do already,
-- and whether they keep a plan that was made before the space is known.
select p.oid::regprocedure::text as signature, p.of_space, p.planned,
    o.objid is not null and (not p.of_space or o.distribution_argument_index is not null) as distributed
from (select oid, coalesce('of_space' = any (proargnames), false) as of_space,
             coalesce('plan_cache_mode=force_generic_plan' = any (proconfig), false) as planned
      from pg_proc where pronamespace = 'recollect'::regnamespace) p
left join pg_catalog.pg_dist_object o on o.classid = 'pg_proc'::regclass and o.objid = p.oid;

-- name: views
-- Our views: Citus makes them on the nodes, but leaves their rights behind.
select relname as name from pg_class where relnamespace = 'recollect'::regnamespace and relkind = 'v';

-- name: common_table
-- A small table that every node has whole.
select create_reference_table(%(name)s)
where not exists (select from pg_dist_partition where logicalrelid = %(name)s::regclass);

-- name: first_table
-- The table beside which all others lie.
select create_distributed_table(%(name)s, 'space_id', colocate_with => 'none', shard_count => %(shards)s);

-- name: table
-- A table whose rows lie where their space does.
select create_distributed_table(%(name)s, 'space_id', colocate_with => 'recollect.space');

-- name: everywhere
-- A function that statements call on the nodes.
select create_distributed_function(%(signature)s::regprocedure);

-- name: beside_space
-- A function that runs where its space lies.
select create_distributed_function(
    %(signature)s::regprocedure, 'of_space', colocate_with => 'recollect.entry', force_delegation => true);

-- name: local_rows
-- Whether the coordinator still keeps the rows that a table had before it was distributed.
select pg_relation_size(%(name)s::regclass) > 0 as left_behind;

-- name: local_bytes
-- All that it keeps of them.
select coalesce(sum(pg_relation_size(logicalrelid)), 0) as bytes from pg_dist_partition where partmethod = 'h';

-- name: columns
-- The tables of spaces, with their columns.
select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = 'recollect'::regnamespace and c.relkind = 'r' and not c.relname = any (%(common)s)
group by c.relname;

-- name: clear_local
-- Remove them: what is forgotten later must not live on there.
select truncate_local_data_after_distributing_table(%(name)s);

-- name: drop_foreign_key
-- A local table may not refer to a distributed one, not even on its way to become one.
alter table recollect.message drop constraint if exists message_space_id_conversation_id_fkey;

-- name: restore_foreign_key
-- As the migration made it.
alter table recollect.message add foreign key (space_id, conversation_id)
    references recollect.conversation (space_id, id) on delete cascade;

-- name: has_foreign_key
-- Whether it is there.
select exists (
    select from pg_constraint where conrelid = 'recollect.message'::regclass and contype = 'f') as there;

-- name: vector_indexes
-- Spaces that have a vector index of their own.
select space_id, vector_index from recollect.space_statistics where vector_index is not null;

-- name: forget_vector_indexes
-- They are built anew where their spaces come to lie.
update recollect.space_statistics set vector_index = null where vector_index is not null;

-- name: begin
-- Until this is removed, nobody opens the database.
insert into recollect.installation (name, value) values ('distributing', 'true') on conflict (name) do nothing;

-- name: finish
-- Everything lies where it belongs.
delete from recollect.installation where name = 'distributing';

-- name: nodes
-- The servers of the cluster, and how much each holds: shards of the first table, with all that lies beside them.
select n.nodename as host, n.nodeport as port, n.groupid = 0 as coordinator, n.isactive as active,
    count(*) filter (where s.table_name = 'recollect.space'::regclass) as shards,
    coalesce(sum(s.shard_size), 0)::bigint as bytes
from pg_dist_node n
left join (
    citus_shards s join pg_class c on c.oid = s.table_name and c.relnamespace = 'recollect'::regnamespace
) on s.nodename = n.nodename and s.nodeport = n.nodeport
where n.noderole = 'primary'
group by n.nodename, n.nodeport, n.groupid, n.isactive
order by n.groupid;

-- name: shards
-- Into how many pieces the spaces are divided.
select count(*) as shards from pg_dist_shard where logicalrelid = 'recollect.space'::regclass;

-- name: isolate
-- Give a space a shard of its own, in every table.
select isolate_tenant_to_new_shard('recollect.space', %(space)s::text, 'CASCADE', shard_transfer_mode => %(mode)s) as shard;

-- name: place
-- Where a space lies, and whether anything else lies there.
select s.shardid as shard, s.nodename as host, s.nodeport as port,
    (select shardminvalue = shardmaxvalue from pg_dist_shard d where d.shardid = s.shardid) as alone
from citus_shards s
where s.shardid = get_shard_id_for_distribution_column('recollect.space', %(space)s::text);

-- name: move
-- Carry a shard, with all that lies beside it, to another node.
select citus_move_shard_placement(
    %(shard)s, %(from_host)s, %(from_port)s, %(to_host)s, %(to_port)s, shard_transfer_mode => %(mode)s);

-- name: rebalance
-- Even out the load, in the background; the number of the job, or nothing where nothing has to move.
select citus_rebalance_start(shard_transfer_mode => %(mode)s) as job;

-- name: rebalancing
-- How far that is.
select state,
    (select count(*) from pg_dist_background_task t where t.job_id = j.job_id) as total,
    (select count(*) from pg_dist_background_task t where t.job_id = j.job_id and t.status = 'done') as finished,
    (select max(t.message) from pg_dist_background_task t where t.job_id = j.job_id and t.status = 'error') as error
from citus_rebalance_status() j
where j.job_id = %(job)s;
