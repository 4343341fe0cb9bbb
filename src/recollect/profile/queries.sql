-- name: lock
-- Whoever changes the profile of a space holds the space until the commit: of two writers one waits.
select 1 from space where space_id = %(space)s for update;

-- name: begin_space
-- A space comes into being with its first fact.
insert into space (space_id, created_at) values (%(space)s, %(now)s) on conflict (space_id) do nothing;

-- name: of_key
-- Every value that a key has, had, or was deleted with.
select * from remembered
where space_id = %(space)s and kind = 'profile' and type = %(type)s and data->>'key' = %(key)s
order by id;

-- name: values
-- Every value of every key.
select * from remembered where space_id = %(space)s and kind = 'profile' order by id;

-- name: active
-- What holds now, most important first.
select id, type, data, confidence, importance, happened_at, by_hand
from remembered
where space_id = %(space)s and kind = 'profile' and state not in ('soft_deleted', 'archived')
  and (valid_until is null or valid_until > %(now)s) and not pending
  and importance >= %(importance)s and sensitivity = any (%(sensitivity)s)
order by importance desc, type, data->>'key', happened_at, id;

-- name: set_timezone
-- The space's days are the owner's days.
update space set timezone = %(timezone)s where space_id = %(space)s;

-- name: propose
-- A value that waits, or was passed over; said again it has one more signal.
insert into consent (
    space_id, id, type, key, value, confidence, importance, status, reason, signals, conversation_id, thread_id, turn,
    message_id, said_at, proposed_at, expires_at, decided_at, decided_by)
values (
    %(space)s, %(id)s, %(type)s, %(key)s, %(value)s, %(confidence)s, %(importance)s, %(status)s, %(reason)s,
    %(signals)s, %(conversation_id)s, %(thread_id)s, %(turn)s, %(message_id)s, %(said_at)s, %(now)s, %(expires_at)s,
    %(decided_at)s, %(decided_by)s)
on conflict (space_id, type, key, lower(value)) where status = 'open' do update
    set signals = excluded.signals, reason = excluded.reason,
        confidence = greatest(consent.confidence, excluded.confidence)
returning *;

-- name: open_proposal
-- The open proposal of a value, if there is one.
select * from consent
where space_id = %(space)s and type = %(type)s and key = %(key)s and lower(value) = lower(%(value)s)
  and status = 'open';

-- name: was_ignored
-- Whether the same value of the same message was passed over before.
select 1 from consent
where space_id = %(space)s and type = %(type)s and key = %(key)s and value = %(value)s and said_at = %(said_at)s
  and status = 'ignored'
limit 1;

-- name: was_declined
-- Whether the user has said no to a value.
select 1 from consent
where space_id = %(space)s and type = %(type)s and key = %(key)s and lower(value) = lower(%(value)s)
  and status = 'declined'
limit 1;

-- name: consents
-- Proposals of a status, oldest first; one that is past its time is not open, whether or not the job has been here.
select * from consent
where space_id = %(space)s and (%(status)s::text is null or status = %(status)s)
  and not (%(status)s::text is not distinct from 'open' and expires_at <= %(now)s) and sees('profile')
order by proposed_at, id;

-- name: withdraw_proposals
-- Proposals that only retracted messages speak for.
update consent set status = 'lapsed', decided_at = %(now)s, decided_by = 'recollect'
where space_id = %(space)s and status = 'open'
  and (message_id = any (%(ids)s) and cardinality(signals) <= 1 or signals <@ %(ids)s and cardinality(signals) > 0)
returning *;

-- name: consent
-- One proposal, held until it is decided.
select * from consent where space_id = %(space)s and id = %(id)s for update;

-- name: close
-- A proposal is decided.
update consent set status = %(status)s, decided_at = %(now)s, decided_by = %(by)s
where space_id = %(space)s and id = %(id)s and status = 'open'
returning *;

-- name: lapse
-- Proposals that nobody decided in time.
update consent set status = 'lapsed', decided_at = %(now)s, decided_by = 'recollect'
where space_id = %(space)s and status = 'open' and expires_at <= %(now)s
returning *;
