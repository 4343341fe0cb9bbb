-- name: threads
-- Whose threads conversations are.
select owner, thread_id from conversation where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: states
-- Every state that a program saved, and what goes with a graph's, held.
select owner, thread_id, kind, namespace, id, body, metadata from checkpoint where space_id = %(space)s for update;

-- name: values
-- Values of graphs' checkpoints.
select owner, thread_id, body from checkpoint_value where space_id = %(space)s;

-- name: writes
-- What graphs' tasks wrote.
select owner, thread_id, body from checkpoint_write where space_id = %(space)s;

-- name: reword_state
-- A state without what was forgotten.
update checkpoint set body = %(body)s, metadata = %(metadata)s
where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s and kind = %(kind)s
  and namespace = %(namespace)s and id = %(id)s;

-- name: drop_checkpoints
-- All of a thread, or what its graphs saved alone.
delete from checkpoint
where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s and kind = any (%(kinds)s::text[]);

-- name: drop_values
-- Values of a thread's graphs.
delete from checkpoint_value where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s;

-- name: drop_writes
-- What tasks of a thread's graphs wrote.
delete from checkpoint_write where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s;

-- name: readings
-- What replays read, as text.
select replay_id, found::text as text from replay_reading where space_id = %(space)s
union all
select replay_id, concat_ws(' ', shown::text, plan::text, outcome) from replay_change where space_id = %(space)s;

-- name: drop_replays
-- Replays that quote it: they can be made again.
delete from replay where space_id = %(space)s and id = any (%(ids)s::uuid[]);
