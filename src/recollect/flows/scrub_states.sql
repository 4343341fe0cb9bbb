-- name: threads
-- Whose threads conversations are.
select owner, thread_id from conversation where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: states
-- Every state that a program saved, held.
select owner, thread_id, version, body from checkpoint_state where space_id = %(space)s for update;

-- name: checkpoints
-- Checkpoints of graphs, held.
select owner, thread_id, body, metadata from checkpoint where space_id = %(space)s for update;

-- name: values
-- Values of graphs' checkpoints.
select owner, thread_id, body from checkpoint_value where space_id = %(space)s;

-- name: writes
-- What graphs' tasks wrote.
select owner, thread_id, body from checkpoint_write where space_id = %(space)s;

-- name: reword_state
-- A state without what was forgotten.
update checkpoint_state set body = %(body)s
where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s and version = %(version)s;

-- name: drop_states
-- All states of a thread.
delete from checkpoint_state where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s;

-- name: drop_checkpoints
-- All checkpoints of a thread's graphs.
delete from checkpoint where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s;

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
