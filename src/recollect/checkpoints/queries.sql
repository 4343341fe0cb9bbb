-- name: save_state
-- A state as the next version of its thread; nothing where another version than the expected one is the latest.
select save_state(
    %(space)s, %(owner)s, %(thread)s, %(state)s, %(expected)s::bigint, %(keep)s, %(agent)s::text, %(now)s) as version;

-- name: latest_state
-- The state that was saved last.
select version, body, saved_by, saved_at from checkpoint_state
where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s
order by version desc limit 1;

-- name: state
-- One version of a state.
select version, body, saved_by, saved_at from checkpoint_state
where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s and version = %(version)s;

-- name: states
-- The versions of a state, the newest first.
select version, octet_length(body) as bytes, saved_by, saved_at from checkpoint_state
where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s and version < %(before)s
order by version desc limit %(limit)s;

-- name: saved_by_others
-- Threads in which not every checkpoint is an agent's own.
select thread_id from checkpoint
where space_id = %(space)s and owner = %(owner)s and (%(threads)s::text[] is null or thread_id = any (%(threads)s))
  and saved_by is distinct from %(agent)s
union
select thread_id from checkpoint_state
where space_id = %(space)s and owner = %(owner)s and (%(threads)s::text[] is null or thread_id = any (%(threads)s))
  and saved_by is distinct from %(agent)s;

-- name: put_values
-- Values of channels, each once for a version. Their bodies come joined: bytes travel as they are, an array of them would
-- have to be written out.
insert into checkpoint_value (space_id, owner, thread_id, namespace, channel, version, type, body)
select %(space)s, %(owner)s, %(thread)s, %(namespace)s, v.channel, v.version, v.type,
    substring(%(bodies)s::bytea from v.start for v.length)
from unnest(%(channels)s::text[], %(versions)s::text[], %(types)s::text[], %(starts)s::integer[], %(lengths)s::integer[])
    as v (channel, version, type, start, length)
on conflict (space_id, owner, thread_id, namespace, channel, version) do nothing;

-- name: hold_values
-- Which values of channels are there, held so that whoever takes a thread away takes what refers to them along.
select v.channel from unnest(%(channels)s::text[], %(versions)s::text[]) as u (channel, version)
join checkpoint_value v on v.space_id = %(space)s and v.owner = %(owner)s and v.thread_id = %(thread)s
    and v.namespace = %(namespace)s and v.channel = u.channel and v.version = u.version
for key share of v;

-- name: put_checkpoint
-- A checkpoint of a graph, over one with the same id.
insert into checkpoint (
    space_id, owner, thread_id, namespace, id, parent_id, type, body, metadata, run_id, channels, versions,
    saved_by, saved_at)
values (%(space)s, %(owner)s, %(thread)s, %(namespace)s, %(id)s, %(parent)s, %(type)s, %(body)s,
        %(metadata)s::jsonb, %(run)s, %(channels)s::text[], %(versions)s::text[], %(agent)s, %(now)s)
on conflict (space_id, owner, thread_id, namespace, id) do update
    set parent_id = excluded.parent_id, type = excluded.type, body = excluded.body, metadata = excluded.metadata,
        run_id = excluded.run_id, channels = excluded.channels, versions = excluded.versions,
        saved_by = excluded.saved_by, saved_at = excluded.saved_at;

-- name: latest_checkpoint
-- The latest checkpoint of a graph, the values of its channels, and what was written after it, in the order in which a
-- run applies that.
with latest as (
    select id, parent_id, type, body, metadata, channels, versions from checkpoint
    where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s
      and namespace = %(namespace)s
    order by id desc limit 1
)
select 0 as part, id, parent_id, type, body, metadata, null as channel, null as task_id, null as task_path,
    null::integer as place
from latest
union all
select 1, null, null, v.type, v.body, null, v.channel, null, null, null
from latest l cross join unnest(l.channels, l.versions) as u (channel, version)
join checkpoint_value v on v.space_id = %(space)s and v.owner = %(owner)s and v.thread_id = %(thread)s
    and v.namespace = %(namespace)s and v.channel = u.channel and v.version = u.version
union all
select 2, null, null, w.type, w.body, null, w.channel, w.task_id, w.task_path, w.place
from latest l
join checkpoint_write w on w.space_id = %(space)s and w.owner = %(owner)s and w.thread_id = %(thread)s
    and w.namespace = %(namespace)s and w.checkpoint_id = l.id;

-- name: checkpoint
-- The same of one checkpoint.
with latest as (
    select id, parent_id, type, body, metadata, channels, versions from checkpoint
    where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s
      and namespace = %(namespace)s and id = %(id)s
)
select 0 as part, id, parent_id, type, body, metadata, null as channel, null as task_id, null as task_path,
    null::integer as place
from latest
union all
select 1, null, null, v.type, v.body, null, v.channel, null, null, null
from latest l cross join unnest(l.channels, l.versions) as u (channel, version)
join checkpoint_value v on v.space_id = %(space)s and v.owner = %(owner)s and v.thread_id = %(thread)s
    and v.namespace = %(namespace)s and v.channel = u.channel and v.version = u.version
union all
select 2, null, null, w.type, w.body, null, w.channel, w.task_id, w.task_path, w.place
from latest l
join checkpoint_write w on w.space_id = %(space)s and w.owner = %(owner)s and w.thread_id = %(thread)s
    and w.namespace = %(namespace)s and w.checkpoint_id = l.id;

-- name: put_write
-- What a task wrote; a second try of the task changes nothing.
insert into checkpoint_write (
    space_id, owner, thread_id, namespace, checkpoint_id, task_id, place, task_path, channel, type, body)
values (%(space)s, %(owner)s, %(thread)s, %(namespace)s, %(id)s, %(task)s, %(place)s, %(path)s, %(channel)s, %(type)s,
        %(body)s)
on conflict (space_id, owner, thread_id, namespace, checkpoint_id, task_id, place) do nothing;

-- name: replace_write
-- What stands once for a task, such as an error: the last one counts.
insert into checkpoint_write (
    space_id, owner, thread_id, namespace, checkpoint_id, task_id, place, task_path, channel, type, body)
values (%(space)s, %(owner)s, %(thread)s, %(namespace)s, %(id)s, %(task)s, %(place)s, %(path)s, %(channel)s, %(type)s,
        %(body)s)
on conflict (space_id, owner, thread_id, namespace, checkpoint_id, task_id, place) do update
    set task_path = excluded.task_path, channel = excluded.channel, type = excluded.type, body = excluded.body;

-- name: list
-- Checkpoints of graphs, the newest first, after a place in that order.
select thread_id, namespace, id, parent_id, type, body, metadata, run_id, channels, versions
from checkpoint
where space_id = %(space)s and owner = %(owner)s
  and (%(thread)s::text is null or thread_id = %(thread)s)
  and (%(namespace)s::text is null or namespace = %(namespace)s)
  and (%(id)s::text is null or id = %(id)s)
  and (%(before)s::text is null or id < %(before)s)
  and (%(after)s::text is null
       or (id, thread_id, namespace) < (%(after)s::text collate "C", %(after_thread)s::text collate "C",
                                        %(after_namespace)s::text collate "C"))
  and metadata @> %(metadata)s
order by id desc, thread_id desc, namespace desc
limit %(limit)s;

-- name: values
-- Values of channels by their versions.
select thread_id, namespace, channel, version, type, body from checkpoint_value
where space_id = %(space)s and owner = %(owner)s and thread_id = any (%(threads)s)
  and namespace = any (%(namespaces)s) and channel = any (%(channels)s) and version = any (%(versions)s);

-- name: writes
-- What was written after some checkpoints, in the order in which a run applies it.
select thread_id, namespace, checkpoint_id, task_id, task_path, place, channel, type, body from checkpoint_write
where space_id = %(space)s and owner = %(owner)s and thread_id = any (%(threads)s)
  and namespace = any (%(namespaces)s) and checkpoint_id = any (%(ids)s)
order by task_path, task_id, place;

-- name: tell_deleted
-- That the checkpoints of a thread's graphs go, where there are any, and its states where they do.
insert into history (space_id, memory_id, id, event, at, actor, agent_id, reason)
select distinct space_id, %(id)s::uuid, %(line)s::uuid, 'DELETE', %(now)s::timestamptz, %(actor)s::text,
    %(agent)s::text, 'checkpoints of a thread'
from (
    select space_id from checkpoint
    where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s
    union all
    select space_id from checkpoint_state
    where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s and %(states)s
) as going;

-- name: event_deleted
-- And an event.
insert into event (space_id, id, at, node, op, status)
select distinct space_id, %(line)s::uuid, %(now)s::timestamptz, 'hotpath', 'delete_checkpoints', 'ok'
from (
    select space_id from checkpoint
    where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s
    union all
    select space_id from checkpoint_state
    where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s and %(states)s
) as going;

-- name: delete_writes
-- All that tasks wrote in some threads.
delete from checkpoint_write where space_id = %(space)s and owner = %(owner)s and thread_id = any (%(threads)s);

-- name: delete_values
-- All values of some threads.
delete from checkpoint_value where space_id = %(space)s and owner = %(owner)s and thread_id = any (%(threads)s);

-- name: delete_checkpoints
-- All checkpoints of the graphs of some threads.
delete from checkpoint
where space_id = %(space)s and owner = %(owner)s and thread_id = any (%(threads)s)
returning id;

-- name: delete_states
-- All states of some threads.
delete from checkpoint_state
where space_id = %(space)s and owner = %(owner)s and thread_id = any (%(threads)s)
returning version;

-- name: delete_writes_of_runs
-- What was written after the checkpoints of some runs.
delete from checkpoint_write w using checkpoint c
where w.space_id = %(space)s and c.space_id = %(space)s and w.owner = %(owner)s and c.owner = %(owner)s
  and c.run_id = any (%(runs)s) and w.thread_id = c.thread_id and w.namespace = c.namespace
  and w.checkpoint_id = c.id;

-- name: delete_runs
-- The checkpoints of some runs.
delete from checkpoint
where space_id = %(space)s and owner = %(owner)s and run_id = any (%(runs)s)
returning thread_id;

-- name: uses_deltas
-- Threads in which a channel is kept as changes since an earlier checkpoint.
select distinct thread_id from checkpoint
where space_id = %(space)s and owner = %(owner)s and thread_id = any (%(threads)s)
  and metadata ? 'counters_since_delta_snapshot';

-- name: prune_writes
-- What was written after checkpoints that others have followed.
delete from checkpoint_write w
where w.space_id = %(space)s and w.owner = %(owner)s and w.thread_id = any (%(threads)s)
  and exists (
    select from checkpoint c
    where c.space_id = %(space)s and c.owner = %(owner)s and c.thread_id = w.thread_id
      and c.namespace = w.namespace and c.id > w.checkpoint_id);

-- name: prune_checkpoints
-- Checkpoints that others have followed.
delete from checkpoint e
where e.space_id = %(space)s and e.owner = %(owner)s and e.thread_id = any (%(threads)s)
  and exists (
    select from checkpoint c
    where c.space_id = %(space)s and c.owner = %(owner)s and c.thread_id = e.thread_id
      and c.namespace = e.namespace and c.id > e.id);

-- name: prune_parents
-- What is left has nothing before it.
update checkpoint set parent_id = null
where space_id = %(space)s and owner = %(owner)s and thread_id = any (%(threads)s)
  and parent_id is not null;

-- name: prune_values
-- Values that no checkpoint of their thread has any more.
delete from checkpoint_value v
where v.space_id = %(space)s and v.owner = %(owner)s and v.thread_id = any (%(threads)s)
  and not (v.thread_id, v.namespace, v.channel, v.version) in (
    select c.thread_id, c.namespace, u.channel, u.version
    from checkpoint c, unnest(c.channels, c.versions) as u (channel, version)
    where c.space_id = %(space)s and c.owner = %(owner)s and c.thread_id = any (%(threads)s));

-- name: copy_checkpoints
-- The checkpoints of a thread for another one.
insert into checkpoint (
    space_id, owner, thread_id, namespace, id, parent_id, type, body, metadata, run_id, channels, versions,
    saved_by, saved_at)
select space_id, owner, %(target)s, namespace, id, parent_id, type, body, metadata, run_id, channels, versions,
    saved_by, saved_at
from checkpoint
where space_id = %(space)s and owner = %(owner)s and thread_id = %(source)s
on conflict (space_id, owner, thread_id, namespace, id) do nothing;

-- name: copy_values
-- Their values.
insert into checkpoint_value (space_id, owner, thread_id, namespace, channel, version, type, body)
select space_id, owner, %(target)s, namespace, channel, version, type, body from checkpoint_value
where space_id = %(space)s and owner = %(owner)s and thread_id = %(source)s
on conflict (space_id, owner, thread_id, namespace, channel, version) do nothing;

-- name: copy_writes
-- And what was written after them.
insert into checkpoint_write (
    space_id, owner, thread_id, namespace, checkpoint_id, task_id, place, task_path, channel, type, body)
select space_id, owner, %(target)s, namespace, checkpoint_id, task_id, place, task_path, channel, type, body
from checkpoint_write
where space_id = %(space)s and owner = %(owner)s and thread_id = %(source)s
on conflict (space_id, owner, thread_id, namespace, checkpoint_id, task_id, place) do nothing;

-- name: carry_checkpoints
-- Checkpoints of every thread's graphs, in the order of their keys, after one of them.
select thread_id, namespace, id, parent_id, type, body, metadata, run_id, channels, versions, saved_by, saved_at
from checkpoint
where space_id = %(space)s and owner = %(owner)s
  and (thread_id, namespace, id) > (%(thread)s::text collate "C", %(namespace)s::text collate "C",
                                    %(id)s::text collate "C")
order by thread_id, namespace, id
limit %(limit)s;

-- name: carry_states
-- States of every thread, in the order of their keys, after one of them.
select thread_id, version, body, saved_by, saved_at from checkpoint_state
where space_id = %(space)s and owner = %(owner)s
  and (thread_id, version) > (%(thread)s::text collate "C", %(version)s::bigint)
order by thread_id, version
limit %(limit)s;

-- name: carry_values
-- Values in the order of their keys, after one of them.
select thread_id, namespace, channel, version, type, body from checkpoint_value
where space_id = %(space)s and owner = %(owner)s
  and (thread_id, namespace, channel, version) > (%(thread)s::text collate "C", %(namespace)s::text collate "C",
                                                  %(channel)s::text collate "C", %(version)s::text collate "C")
order by thread_id, namespace, channel, version
limit %(limit)s;

-- name: carry_writes
-- Writes in the order of their keys, after one of them.
select thread_id, namespace, checkpoint_id, task_id, place, task_path, channel, type, body from checkpoint_write
where space_id = %(space)s and owner = %(owner)s
  and (thread_id, namespace, checkpoint_id, task_id, place) > (
    %(thread)s::text collate "C", %(namespace)s::text collate "C", %(checkpoint)s::text collate "C",
    %(task)s::text collate "C", %(place)s::integer)
order by thread_id, namespace, checkpoint_id, task_id, place
limit %(limit)s;

-- name: bring_space
-- The space comes into being with what is brought.
insert into space (space_id, created_at) values (%(space)s, %(now)s) on conflict (space_id) do nothing;

-- name: bring_checkpoint
-- A checkpoint that was carried here, unless it is there.
insert into checkpoint (
    space_id, owner, thread_id, namespace, id, parent_id, type, body, metadata, run_id, channels, versions,
    saved_by, saved_at)
values (%(space)s, %(owner)s, %(thread)s, %(namespace)s, %(id)s, %(parent)s, %(type)s, %(body)s,
        %(metadata)s, %(run)s, %(channels)s::text[], %(versions)s::text[], %(saved_by)s, %(saved_at)s)
on conflict (space_id, owner, thread_id, namespace, id) do nothing
returning id;

-- name: bring_state
-- A state that was carried here, unless it is there.
insert into checkpoint_state (space_id, owner, thread_id, version, body, saved_by, saved_at)
values (%(space)s, %(owner)s, %(thread)s, %(version)s, %(body)s, %(saved_by)s, %(saved_at)s)
on conflict (space_id, owner, thread_id, version) do nothing
returning version;

-- name: bring_value
-- A value that was carried here, unless it is there.
insert into checkpoint_value (space_id, owner, thread_id, namespace, channel, version, type, body)
values (%(space)s, %(owner)s, %(thread)s, %(namespace)s, %(channel)s, %(version)s, %(type)s, %(body)s)
on conflict (space_id, owner, thread_id, namespace, channel, version) do nothing
returning channel;

-- name: bring_write
-- A write that was carried here, unless it is there.
insert into checkpoint_write (
    space_id, owner, thread_id, namespace, checkpoint_id, task_id, place, task_path, channel, type, body)
values (%(space)s, %(owner)s, %(thread)s, %(namespace)s, %(checkpoint)s, %(task)s, %(place)s, %(path)s, %(channel)s,
        %(type)s, %(body)s)
on conflict (space_id, owner, thread_id, namespace, checkpoint_id, task_id, place) do nothing
returning task_id;
