-- name: messages_present
-- Which of these messages are in the log already, and where.
select id, conversation_id from message where space_id = %(space)s and id = any (%(ids)s);

-- name: memories_present
-- Which of these memories are there already.
select id, kind from memory where space_id = %(space)s and id = any (%(ids)s);
