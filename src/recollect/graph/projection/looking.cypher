-- name: version
-- Who answers.
CALL dbms.components() YIELD name, versions RETURN versions[0] AS version LIMIT 1

-- name: spaces
-- The spaces that Neo4j holds something of.
MATCH (n:Memory) WITH DISTINCT n.space AS space WHERE space IS NOT NULL RETURN space
UNION
MATCH (p:Projection) RETURN p.space AS space

-- name: present
-- Which of some ids are there, as nodes or relations.
UNWIND $ids AS id
CALL (id) {
    MATCH (n:Memory {space: $space, id: id}) RETURN n.id AS found
    UNION
    MATCH ()-[r:RELATES_TO {space: $space, id: id}]->() RETURN r.id AS found
}
RETURN DISTINCT found

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

-- name: foreign_nodes
-- Nodes that no projection would leave: without a space, an id of ours, or the label that all have.
MATCH (n)
WHERE NOT n:Projection AND (NOT n:Memory OR n.space IS NULL OR n.id IS NULL OR NOT n.id =~ $pattern)
RETURN elementId(n) AS element, labels(n) AS labels
LIMIT $limit

-- name: foreign_relations
-- The same for relations.
MATCH ()-[r]->()
WHERE NOT r:RELATES_TO OR r.space IS NULL OR r.id IS NULL OR NOT r.id =~ $pattern
RETURN elementId(r) AS element, type(r) AS type
LIMIT $limit

-- name: constraints
-- Constraints and indexes by name.
SHOW INDEXES YIELD name RETURN name
