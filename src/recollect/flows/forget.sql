-- name: empty_space
-- A space of which nothing is left says nothing of its owner either.
update space set guidance = '{}', timezone = null, changes = 0 where space_id = %(space)s;

-- name: conversation
-- The conversation of a thread.
select id from conversation where space_id = %(space)s and owner = %(owner)s and thread_id = %(thread)s;

-- name: message_at
-- A message by its turn.
select id, body, actor_id from message
where space_id = %(space)s and conversation_id = any (%(conversations)s::uuid[]) and turn = %(turn)s;

-- name: messages_in
-- All messages of conversations.
select id, body, actor_id from message
where space_id = %(space)s and conversation_id = any (%(conversations)s::uuid[]);

-- name: note
-- A note by its id.
select content from note where space_id = %(space)s and id = %(id)s;

-- name: relation
-- What is said of a relation.
select coalesce(description, '') as content from relation where space_id = %(space)s and id = %(id)s;

-- name: versions
-- What memories said before.
select content from memory_version where space_id = %(space)s and memory_id = any (%(ids)s::uuid[]);

-- name: talk
-- The messages of the stretch of talk that a source stands for.
select m.id from source s
join message m on m.space_id = %(space)s and m.conversation_id = s.conversation_id
where s.space_id = %(space)s and s.id = %(id)s and m.turn between s.first_turn and s.last_turn;

-- name: nearest
-- The stored vector that is nearest to another one, of memories and of relations.
select max(v.similarity) as similarity
from (
    select -(embedding <#> %(query)s::halfvec) / %(length)s / greatest(l2_norm(embedding), 1e-9) as similarity
    from entry where space_id = %(space)s
    union all
    select -(embedding <#> %(query)s::halfvec) / %(length)s / greatest(l2_norm(embedding), 1e-9)
    from relation_entry where space_id = %(space)s
) as v;
