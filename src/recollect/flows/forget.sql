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
-- The stored vectors that are nearest to another one, with what they are of: memories, which may be gone, and relations.
select v.id, v.similarity, not v.tie and m.id is null as orphan
from (
    select memory_id as id, false as tie,
        -(embedding <#> %(query)s::halfvec) / %(length)s / greatest(l2_norm(embedding), 1e-9) as similarity
    from entry where space_id = %(space)s
    union all
    select relation_id, true, -(embedding <#> %(query)s::halfvec) / %(length)s / greatest(l2_norm(embedding), 1e-9)
    from relation_entry where space_id = %(space)s
) as v
left join memory m on m.space_id = %(space)s and m.id = v.id
order by v.similarity desc
limit %(most)s;

-- name: unseen
-- What a scope may not read: memories of high sensitivity, and messages of somebody else's conversations.
select id from memory where space_id = %(space)s and sensitivity = 'high' and not %(high)s
union
select m.id from message m
join conversation c on c.space_id = %(space)s and c.id = m.conversation_id
where m.space_id = %(space)s and not c.owner = any (%(owners)s::text[]);
