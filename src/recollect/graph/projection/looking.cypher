-- name: version
-- Who answers.
CALL dbms.components() YIELD name, versions RETURN versions[0] AS version LIMIT 1

-- name: spaces
-- The spaces that Neo4j holds something of.
MATCH (n:Memory) WITH DISTINCT n.space AS space WHERE space IS :: STRING NOT NULL RETURN space
UNION
MATCH ()-[r:RELATES_TO]->() WITH DISTINCT r.space AS space WHERE space IS :: STRING NOT NULL RETURN space
UNION
MATCH (p:Projection) WHERE p.space IS :: STRING NOT NULL RETURN p.space AS space

-- name: marks
-- Which copy of each space is there, and what it was given last.
MATCH (p:Projection) RETURN p.space AS space, p.copy AS copy, p.carried AS carried

-- name: holds
-- Whether a space is the copy that it should be, and was given all of it.
MATCH (p:Projection {space: $space}) RETURN p.copy = $copy AND p.carried = $carried AS holds

-- name: nodes_after
-- A page of nodes, in the order of their ids.
MATCH (n:Memory)
WHERE n.space = $space AND n.id > $after AND n.id =~ $pattern
RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties
ORDER BY n.id
LIMIT $limit

-- name: relations_after
-- A page of relations, with what they really lie between.
MATCH (a)-[r:RELATES_TO]->(b)
WHERE r.space = $space AND r.id > $after AND r.id =~ $pattern
RETURN r.id AS id, a.space AS from_space, a.id AS from_id, b.space AS to_space, b.id AS to_id,
    properties(r) AS properties
ORDER BY r.id
LIMIT $limit

-- name: nodes
-- Some nodes.
UNWIND $ids AS id
MATCH (n:Memory {space: $space, id: id})
RETURN n.id AS id, labels(n) AS labels, properties(n) AS properties

-- name: relations
-- Some relations.
UNWIND $ids AS id
MATCH (a)-[r:RELATES_TO {space: $space, id: id}]->(b)
RETURN r.id AS id, a.space AS from_space, a.id AS from_id, b.space AS to_space, b.id AS to_id,
    properties(r) AS properties

-- name: foreign_node
-- Nodes that no projection would leave: without a space, an id of ours, or the label that all have.
MATCH (n)
WHERE NOT n:Projection AND (NOT n:Memory OR NOT n.space IS :: STRING NOT NULL OR NOT n.id IS :: STRING NOT NULL
    OR NOT n.id =~ $pattern)

-- name: foreign_relation
-- The same for relations.
MATCH ()-[r]->()
WHERE NOT r:RELATES_TO OR NOT r.space IS :: STRING NOT NULL OR NOT r.id IS :: STRING NOT NULL OR NOT r.id =~ $pattern

-- name: foreign_nodes
-- Some of them.
{foreign_node} RETURN elementId(n) AS element, labels(n) AS labels LIMIT $limit

-- name: foreign_relations
-- The same for relations.
{foreign_relation} RETURN elementId(r) AS element, type(r) AS type LIMIT $limit

-- name: foreign_nodes_counted
-- How many there are.
{foreign_node} RETURN count(*) AS total

-- name: foreign_relations_counted
-- The same for relations.
{foreign_relation} RETURN count(*) AS total
