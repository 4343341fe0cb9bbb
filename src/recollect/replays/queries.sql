-- name: unfinished
-- The newest undecided replay of the same talk by the same reader.
select * from replay
where space_id = %(space)s and of_space = %(of_space)s and thread_id is not distinct from %(thread)s
  and since is not distinct from %(since)s and extractor = %(extractor)s and status in ('reading', 'ready')
order by id desc
limit 1;

-- name: begin
-- A replay that has read nothing yet.
insert into replay (space_id, id, of_space, thread_id, since, extractor, status, begun_at)
values (%(space)s, %(id)s, %(of_space)s, %(thread)s, %(since)s, %(extractor)s, 'reading', %(now)s);

-- name: go_on
-- More is read, or it is looked at once more.
update replay set status = 'reading', messages = %(messages)s
where space_id = %(space)s and id = %(id)s and status in ('reading', 'ready');

-- name: get
-- A replay, and how far it has read.
select r.*, coalesce(c.read, r.messages_read) as seen, coalesce(c.in_vain, r.fell_back) as in_vain
from replay r
left join (select replay_id, count(*) as read, count(*) filter (where fell_back) as in_vain from replay_reading
           where space_id = %(space)s and replay_id = %(id)s
           group by replay_id) c on c.replay_id = r.id
where r.space_id = %(space)s and r.id = %(id)s and r.of_space = %(of_space)s;

-- name: list
-- The replays of a space's talk, newest first.
select r.*, coalesce(c.read, r.messages_read) as seen, coalesce(c.in_vain, r.fell_back) as in_vain
from replay r
left join (select replay_id, count(*) as read, count(*) filter (where fell_back) as in_vain from replay_reading
           where space_id = %(space)s
           group by replay_id) c on c.replay_id = r.id
where r.space_id = %(space)s and r.of_space = %(of_space)s
order by r.id desc
limit %(limit)s;

-- name: hold
-- A replay, held while it is planned, accepted or discarded.
select * from replay where space_id = %(space)s and id = %(id)s and of_space = %(of_space)s for update;

-- name: keep_reading
-- What a message says as it is read now; another answer takes the place of one that could not be used.
insert into replay_reading (space_id, replay_id, message_id, fell_back, found, read_at)
values (%(space)s, %(id)s, %(message)s, %(fell_back)s, %(found)s, %(now)s)
on conflict (space_id, replay_id, message_id) do update
    set fell_back = excluded.fell_back, found = excluded.found, read_at = excluded.read_at
    where replay_reading.fell_back;

-- name: readings
-- All that was read so far.
select message_id, fell_back, found from replay_reading where space_id = %(space)s and replay_id = %(id)s;

-- name: clear_changes
-- Open changes are planned anew.
delete from replay_change where space_id = %(space)s and replay_id = %(id)s and status = 'open';

-- name: plan
-- What would change; what was decided before and would be another again is to be decided once more.
insert into replay_change (space_id, replay_id, id, place, op, kind, shown, plan, status)
select %(space)s, %(id)s, p.change_id, p.place, p.op, p.kind, p.shown, p.plan, 'open'
from jsonb_to_recordset(%(changes)s)
    as p (change_id text, place integer, op text, kind text, shown jsonb, plan jsonb)
on conflict (space_id, replay_id, id) do update
    set place = excluded.place, shown = excluded.shown, plan = excluded.plan, status = 'open', outcome = null;

-- name: ready
-- All is read, and the changes are there to be decided.
update replay
set status = 'ready', messages = %(messages)s, messages_read = %(read)s, fell_back = %(fell_back)s, ready_at = %(now)s
where space_id = %(space)s and id = %(id)s;

-- name: changes
-- The changes of replays, in order.
select * from replay_change where space_id = %(space)s and replay_id = any (%(ids)s) order by replay_id, place, id;

-- name: decide
-- What became of changes.
update replay_change c
set status = d.status, outcome = d.outcome, shown = d.shown
from jsonb_to_recordset(%(decided)s) as d (change_id text, status text, outcome text, shown jsonb)
where c.space_id = %(space)s and c.replay_id = %(id)s and c.id = d.change_id;

-- name: finish
-- A replay is over.
update replay set status = %(status)s, ended_at = %(now)s where space_id = %(space)s and id = %(id)s;

-- name: clear_readings
-- What was read is needed no more once the replay is over.
delete from replay_reading where space_id = %(space)s and replay_id = %(id)s;

-- name: drop_old
-- Replays that were decided, or that nobody looked at, long ago.
delete from replay where space_id = %(space)s and coalesce(ended_at, ready_at, begun_at) < %(before)s;
