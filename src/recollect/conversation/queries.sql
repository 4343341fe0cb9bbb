-- name: find
-- The conversation of a thread, if there is one.
select * from conversation where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread_id)s;

-- name: begin_space
-- The space comes into being with its first conversation.
insert into space (space_id, created_at) values (%(space)s, %(now)s) on conflict (space_id) do nothing;

-- name: open
-- The conversation of a thread, made if it is new.
insert into conversation (space_id, id, owner, thread_id, title, remember, created_at, updated_at, begun_revision)
values (%(space)s, %(id)s, %(owner)s, %(thread_id)s, %(title)s, %(remember)s, %(now)s, %(now)s, %(revision)s)
on conflict (space_id, owner, thread_id) do update
    set title = coalesce(excluded.title, conversation.title)
returning *;

-- name: tell_begun
-- A conversation that was just made, and is remembered, has a history.
insert into history (space_id, memory_id, id, event, at, actor, agent_id, reason)
select space_id, id, %(line)s, 'ADD', %(now)s, %(actor)s, %(agent_id)s, 'conversation begun'
from conversation where space_id = %(space)s and id = %(id)s and remember
on conflict (space_id, memory_id, id) do nothing;

-- name: event_begun
-- And an event.
insert into event (space_id, id, at, node, op, status, memory_id)
select space_id, %(event)s, %(now)s, 'hotpath', 'begin', 'ok', id
from conversation where space_id = %(space)s and id = %(id)s and remember
on conflict (space_id, id) do nothing;

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

-- name: took_part
-- Whether an agent has said something in a conversation, or had it said.
select exists (
    select from message where space_id = %(space)s and conversation_id = %(id)s and agent_id = %(agent)s) as own;

-- name: list
-- Conversations of an owner and the shared ones, newest id last; for an agent that sees no others, its own.
select c.*, last.at as said_at
from conversation c
left join message last
    on last.space_id = c.space_id and last.conversation_id = c.id and last.turn = c.last_turn
where c.space_id = %(space)s and c.owner = any (%(owners)s) and c.id > %(after)s
  and (%(status)s::text is null or c.status = %(status)s)
  and (%(agent)s::text is null or c.thread_id = %(thread)s
       or %(thread)s::text is null and exists (
           select from message m
           where m.space_id = %(space)s and m.conversation_id = c.id and m.agent_id = %(agent)s))
order by c.id
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
-- Messages that are not searchable yet, in order and after a place, each with what was said just before it: the row
-- before, as turns have no gaps. Joined to themselves they would be read once for each, while the planner knows nothing
-- of them.
select m.*, c.thread_id, c.last_turn, c.compressed_turn
from (
    select id, thread_id, last_turn, compressed_turn,
        case when id = %(conversation_id)s then greatest(indexed_turn, %(turn)s) else indexed_turn end as done
    from conversation
    where space_id = %(space)s and indexed_turn < last_turn and remember
      and (%(conversation_id)s::uuid is null or id >= %(conversation_id)s)
) c
cross join lateral (
    select *, lag(body) over in_order as body_before, lag(name) over in_order as name_before
    from (
        select * from message
        where space_id = %(space)s and conversation_id = c.id and turn >= c.done
        order by turn
        limit %(limit)s + 1
    ) said
    window in_order as (order by turn)
) m
where m.turn > c.done
order by m.conversation_id, m.turn
limit %(limit)s;

-- name: share_conversations
-- Conversations whose messages nobody may retract until the commit; who adds to them goes on.
select id from conversation where space_id = %(space)s and id = any (%(ids)s::uuid[]) order by id for key share;

-- name: hold_conversations
-- Conversations that are about to be marked, held in one order by whoever holds several.
select id from conversation where space_id = %(space)s and id = any (%(ids)s::uuid[]) order by id for no key update;

-- name: mark_indexed
-- Turns up to here are searchable.
update conversation c
set indexed_turn = greatest(c.indexed_turn, done.turn)
from unnest(%(ids)s::uuid[], %(turns)s::integer[]) as done (id, turn)
where c.space_id = %(space)s and c.id = done.id;

-- name: revision
-- How much the space knew.
select revision, guidance, timezone from space where space_id = %(space)s;

-- name: progress
-- How far a conversation is searchable, and learned from.
select understood_turn, indexed_turn, last_turn, remember from conversation
where space_id = %(space)s and id = %(id)s;

-- name: to_understand
-- Conversations with messages that nothing was learned from yet.
select * from conversation
where space_id = %(space)s and understood_turn < last_turn and remember
order by id;

-- name: stretch
-- Messages of a stretch of turns, read where they stand: a replacement in the place of what it replaces.
select * from message
where space_id = %(space)s and conversation_id = %(conversation_id)s
  and turn >= %(first)s and coalesce(in_place_of, turn) between %(first)s and %(last)s
order by coalesce(in_place_of, turn), turn;

-- name: turns
-- Messages of a stretch of turns, in the order in which they came.
select * from message
where space_id = %(space)s and conversation_id = %(conversation_id)s and turn between %(first)s and %(last)s
order by turn;

-- name: to_source
-- Conversations with turns that no source holds yet, which have ended or rest since a moment.
select * from conversation
where space_id = %(space)s and sourced_turn < last_turn and remember
  and (status = 'ended' or updated_at <= %(idle_since)s)
order by id;

-- name: mark_sourced
-- Turns up to here have become sources.
update conversation set sourced_turn = %(turn)s where space_id = %(space)s and id = %(id)s;

-- name: since
-- Messages after a turn, in the order in which they came.
select * from message
where space_id = %(space)s and conversation_id = %(conversation_id)s and turn > %(after)s
order by turn
limit %(limit)s;

-- name: hold
-- A conversation, held while what was made of it is written.
select * from conversation where space_id = %(space)s and id = %(id)s for update;

-- name: mark_understood
-- Learned from up to here.
update conversation set understood_turn = greatest(understood_turn, %(turn)s)
where space_id = %(space)s and id = %(id)s;

-- name: to_pass_over
-- Conversations with something to pass over.
select id from conversation where space_id = %(space)s and understood_turn < last_turn and remember;

-- name: pass_over
-- Nothing is learned from what was said so far, as learning is off.
update conversation set understood_turn = last_turn where space_id = %(space)s and id = any (%(ids)s::uuid[]);

-- name: to_compress
-- Conversations whose window has grown past its most, and those with a chunk that has to be told anew.
select * from conversation c
where c.space_id = %(space)s and c.remember
  and (c.last_turn - c.compressed_turn > %(most)s
       or exists (select from memory m
                  where m.space_id = %(space)s and m.conversation_id = c.id and m.kind = 'episode'
                    and m.type = 'chunk' and m.data ? 'dirty'))
order by c.id;

-- name: mark_compressed
-- In finished chunks up to here.
update conversation set compressed_turn = %(turn)s where space_id = %(space)s and id = %(id)s;

-- name: window
-- The messages of the window: those after the last finished chunk; of very many, the newest before a place.
select turn, role, name, content, body, actor_id, coalesce(in_place_of, turn) as place from (
    select * from message
    where space_id = %(space)s and conversation_id = %(conversation_id)s
      and turn > %(after)s and coalesce(in_place_of, turn) > %(after)s and retracted_at is null
      and (%(place)s::integer is null or (coalesce(in_place_of, turn), turn) < (%(place)s, %(turn)s::integer))
    order by coalesce(in_place_of, turn) desc, turn desc
    limit %(limit)s
) newest
order by coalesce(in_place_of, turn), turn;

-- name: window_before
-- How many messages of the window stand before a place.
select count(*) as messages from message
where space_id = %(space)s and conversation_id = %(conversation_id)s
  and turn > %(after)s and coalesce(in_place_of, turn) > %(after)s and retracted_at is null
  and (coalesce(in_place_of, turn), turn) < (%(place)s, %(turn)s);

-- name: retract
-- Mark a message; the log keeps it.
update message set retracted_at = %(now)s
where space_id = %(space)s and conversation_id = %(conversation_id)s and turn = %(turn)s and retracted_at is null
returning *;

-- name: put_in_place
-- Let a message be read where another stood.
update message set in_place_of = %(in_place_of)s
where space_id = %(space)s and conversation_id = %(conversation_id)s and turn = %(turn)s;

-- name: reader
-- What a reader of a conversation was told, and sees of the profile.
select * from reader
where space_id = %(space)s and conversation_id = %(conversation_id)s and owner = %(owner)s and agent = %(agent)s;

-- name: offer
-- What the context just made tells its reader, and the profile that its stable part shows.
insert into reader (space_id, conversation_id, owner, agent, told, offered, anchor, profile, sight)
values (%(space)s, %(conversation_id)s, %(owner)s, %(agent)s, %(told)s, %(offered)s, %(anchor)s, %(profile)s, %(sight)s)
on conflict (space_id, conversation_id, owner, agent) do update
    set offered = excluded.offered, anchor = excluded.anchor, profile = excluded.profile, sight = excluded.sight;

-- name: acknowledge
-- The reader has read what it was last told.
update reader set told = told || coalesce(%(revisions)s::jsonb, offered)
where space_id = %(space)s and conversation_id = %(conversation_id)s and owner = %(owner)s and agent = %(agent)s;

-- name: set_guidance
-- What a space tells extraction.
insert into space (space_id, created_at, guidance) values (%(space)s, %(now)s, %(guidance)s)
on conflict (space_id) do update set guidance = excluded.guidance;

-- name: remember_to_reread
-- Read this message again when the model answers.
insert into reread (space_id, conversation_id, turn, tries)
values (%(space)s, %(conversation_id)s, %(turn)s, %(tries)s)
on conflict (space_id, conversation_id, turn) do update set tries = excluded.tries;

-- name: to_reread
-- Messages that wait for the model.
select r.tries, m.* from reread r
join message m on m.space_id = %(space)s and m.conversation_id = r.conversation_id and m.turn = r.turn
where r.space_id = %(space)s
order by r.conversation_id, r.turn;

-- name: reread_done
-- A message that waits no more.
delete from reread where space_id = %(space)s and conversation_id = %(conversation_id)s and turn = %(turn)s;

-- name: retracted
-- Which of some messages were taken back.
select id from message where space_id = %(space)s and id = any (%(ids)s) and retracted_at is not null;

-- name: count_said
-- How many messages of conversations taught something, or may have.
select count(*) as said
from conversation c
join message m on m.space_id = c.space_id and m.conversation_id = c.id and m.turn <= c.understood_turn
where c.space_id = %(space)s and c.id = any (%(ids)s) and m.role = 'user' and m.retracted_at is null
  and btrim(m.body) <> '' and (%(since)s::timestamptz is null or m.at >= %(since)s);

-- name: share
-- Messages that nobody may retract until the commit.
select id, retracted_at from message where space_id = %(space)s and id = any (%(ids)s) order by id for share;
