-- name: named
-- What goes by a name.
select kind, name, node_id from node_name where space_id = %(space)s and name = any (%(names)s::text[]);

-- name: merged_into
-- Nodes that became a part of others.
select id from memory where space_id = %(space)s and data->>'merged_into' = any (%(ids)s::text[]);

-- name: nodes
-- Nodes with what they are called.
select id, kind, title, data from memory
where space_id = %(space)s and id = any (%(ids)s::uuid[]) and kind in ('person', 'concept', 'entity');

-- name: names_of
-- The names under which nodes are known.
select name from node_name where space_id = %(space)s and node_id = any (%(ids)s::uuid[]);

-- name: names
-- All names of a space.
select kind, name, node_id from node_name where space_id = %(space)s;
