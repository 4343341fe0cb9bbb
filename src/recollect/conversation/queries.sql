-- name: find
-- The conversation of a thread, if there is one.
select * from conversation where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread_id)s;

-- name: begin_space
-- The space comes into being with its first conversation.
insert into space (space_id, created_at) values (%(space)s, %(now)s) on conflict (space_id) do nothing;

-- name: open
-- The conversation of a thread, made if it is new.
insert into conversation (space_id, id, owner, thread_id, title, remember, created_at, updated_at)
values (%(space)s, %(id)s, %(owner)s, %(thread_id)s, %(title)s, %(remember)s, %(now)s, %(now)s)
on conflict (space_id, owner, thread_id) do update
    set title = coalesce(excluded.title, conversation.title)
returning *;

-- name: append
-- Number and write messages.
select * from append_messages(
    %(space)s, %(conversation_id)s, %(messages)s, %(given_ids)s::uuid[], %(now)s, %(agent_id)s, %(run_id)s,
    %(actor_id)s);

-- name: get
-- One conversation.
select * from conversation where space_id = %(space)s and id = %(id)s;

-- name: foreign_ids
-- Ids that name a memory which is no message's turn.
select id from memory where space_id = %(space)s and id = any (%(ids)s) and message_id is distinct from id;

-- name: by_ids
-- Messages by their ids.
select * from message where space_id = %(space)s and id = any (%(ids)s) order by turn;

-- name: messages
-- A stretch of the raw log, in order.
select * from message
where space_id = %(space)s and conversation_id = %(conversation_id)s and turn >= %(first)s
order by turn
limit %(limit)s;

-- name: list
-- Conversations of an owner and the shared ones, newest id last.
select * from conversation
where space_id = %(space)s and owner = any (%(owners)s) and id > %(after)s
  and (%(status)s::text is null or status = %(status)s)
order by id
limit %(limit)s;

-- name: set_status
-- Pause, resume or end.
update conversation
set status = %(status)s, outcome = coalesce(%(outcome)s, outcome), updated_at = %(now)s,
    ended_at = case when %(status)s = 'ended' then %(now)s end
where space_id = %(space)s and id = %(id)s and not (status = 'ended' and %(status)s = 'paused')
returning *;

-- name: remove
-- A temporary conversation leaves nothing behind.
delete from conversation where space_id = %(space)s and id = %(id)s and not remember;

-- name: waiting
-- Messages that are not searchable yet, in order and after a place, each with what was said just before it.
select m.*, c.thread_id, c.last_turn, before.body as body_before, before.name as name_before
from conversation c
join message m on m.space_id = c.space_id and m.conversation_id = c.id and m.turn > c.indexed_turn
left join message before
    on before.space_id = m.space_id and before.conversation_id = m.conversation_id and before.turn = m.turn - 1
where c.space_id = %(space)s and c.indexed_turn < c.last_turn and c.remember
  and (%(conversation_id)s::uuid is null or (m.conversation_id, m.turn) > (%(conversation_id)s, %(turn)s))
order by m.conversation_id, m.turn
limit %(limit)s;

-- name: mark_indexed
-- Turns up to here are searchable.
update conversation c
set indexed_turn = greatest(c.indexed_turn, done.turn)
from unnest(%(ids)s::uuid[], %(turns)s::integer[]) as done (id, turn)
where c.space_id = %(space)s and c.id = done.id;

-- name: indexed_turn
-- How far a conversation is searchable.
select indexed_turn, last_turn, remember from conversation where space_id = %(space)s and id = %(id)s;
