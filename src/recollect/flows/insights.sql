-- name: spaces_due
-- Users who have said something since their talk was last read for insights, if that is long enough ago.
select distinct c.space_id
from conversation c
left join upkeep k on k.space_id = c.space_id
where starts_with(c.space_id, 'user:') and c.remember and c.last_turn > 0
  and (k.insights_at is null or k.insights_at <= {read_before} and c.updated_at > k.insights_at);

-- name: last_read
-- When a user's talk was last read, held until it is read again.
select insights_at from upkeep where space_id = %(space)s for update;

-- name: note_read
-- That it is read now.
insert into upkeep (space_id, insights_at) values (%(space)s, %(now)s)
on conflict (space_id) do update set insights_at = excluded.insights_at;

-- name: activities
-- What happened of late: the newest episodes that may be told.
select r.id, coalesce(r.title || ': ', '') || coalesce(r.summary, r.content) as text
from remembered r
where r.space_id = %(space)s and r.kind = 'episode' and not r.state in ('archived', 'soft_deleted')
  and r.sensitivity = any (%(sensitivity)s)
order by r.happened_at desc, r.id
limit %(most)s;

-- name: new_statements
-- What was learned since the last time, the newest first.
select r.id, r.content as text
from remembered r
where r.space_id = %(space)s and r.kind = 'statement' and not r.pending and r.valid_until is null
  and not r.state in ('archived', 'soft_deleted') and r.sensitivity = any (%(sensitivity)s)
  and (%(since)s::timestamptz is null or r.created_at > %(since)s)
order by r.created_at desc, r.id
limit %(most)s;

-- name: talk
-- What was said last, in all conversations that are remembered, the newest first.
select m.id, m.role, m.name, m.body, m.at
from message m join conversation c on c.space_id = %(space)s and c.id = m.conversation_id
where m.space_id = %(space)s and c.remember and m.retracted_at is null and m.role in ('user', 'assistant')
order by m.at desc, m.turn desc
limit %(most)s;
