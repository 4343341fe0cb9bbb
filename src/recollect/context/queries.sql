-- name: changes_since
-- Changes of knowledge after a revision with what is left of each memory, newest first.
select c.revision, c.position, c.event, c.memory_id, c.kind, m.category, m.title, m.content, m.valid_until,
    u.importance
from change_log c
join memory m on m.space_id = %(space)s and m.id = c.memory_id
join memory_use u on u.space_id = %(space)s and u.memory_id = c.memory_id
where c.space_id = %(space)s and c.revision > %(since)s and m.sensitivity = any (%(sensitivity)s)
order by c.revision desc, c.position desc
limit %(limit)s;

-- name: chunks
-- The chunks of a conversation as a context shows them, in the order of their turns.
select id, content, (data->>'first_turn')::integer as first_turn, (data->>'last_turn')::integer as last_turn
from remembered
where space_id = %(space)s and conversation_id = %(conversation_id)s and kind = 'episode' and type = 'chunk'
  and not state = 'soft_deleted' and not data ? 'merged_into' and sensitivity = any (%(sensitivity)s)
order by first_turn, id;

-- name: whole
-- What a context shows of some categories whatever the question, the weightiest first.
select * from remembered
where space_id = %(space)s and category = any (%(categories)s::text[]) and kind = any (%(kinds)s::text[])
  and not state in ('soft_deleted', 'archived') and not pending and sensitivity = any (%(sensitivity)s)
  and (valid_until is null or valid_until > %(now)s)
order by importance desc, happened_at desc, id
limit %(limit)s;
