-- name: fence
-- Of two who write a space the one with the later turn holds; the node is locked until the transaction ends.
MERGE (p:Projection {space: $space})
ON CREATE SET p.turn = $turn
SET p.turn = CASE WHEN p.turn > $turn THEN p.turn ELSE $turn END
RETURN p.turn = $turn AS ours

-- name: unfence
-- Whoever wrote the space before counts for nothing.
MATCH (p:Projection {space: $space}) DELETE p

-- name: ends_of
-- What hangs on relations that go, and on nodes that go, and is no node of the graph by itself.
UNWIND $ids AS id
CALL (id) {
    MATCH (a:Memory)-[:RELATES_TO {space: $space, id: id}]->(b:Memory)
    UNWIND [a, b] AS end
    RETURN end
    UNION
    MATCH (:Memory {space: $space, id: id})-[:RELATES_TO]-(end:Memory)
    RETURN end
}
WITH DISTINCT end WHERE NOT end.kind IN $kinds
RETURN end.id AS id

-- name: drop_relations
-- Relations that are gone, or are written anew.
UNWIND $ids AS id
MATCH ()-[r:RELATES_TO {space: $space, id: id}]->()
DELETE r

-- name: drop_nodes
-- Nodes that are gone, with their relations.
UNWIND $ids AS id
MATCH (n:Memory {space: $space, id: id})
DETACH DELETE n

-- name: drop_orphans
-- What is no node of the graph by itself, and hangs on no relation any more.
UNWIND $ids AS id
MATCH (n:Memory {space: $space, id: id})
WHERE NOT n.kind IN $kinds AND NOT (n)--()
DELETE n

-- name: unlabel
-- Nodes that are of another kind than they were.
UNWIND $nodes AS row
MATCH (n:Memory {space: $space, id: row.id})
WHERE any(label IN labels(n) WHERE label <> 'Memory' AND NOT label IN row.labels)
REMOVE n:{labels}

-- name: put_nodes
-- Nodes as they are now.
UNWIND $nodes AS row
MERGE (n:Memory {space: $space, id: row.id})
SET n = row.properties, n.turn = $turn
SET n:$(row.labels)

-- name: clear_keys
-- Relations that still stand where another one stands now; their own turn comes.
UNWIND $relations AS row
WITH row, row.properties AS p
MATCH ()-[r:RELATES_TO {space: $space, from_entity_id: p.from_entity_id, to_entity_id: p.to_entity_id, type: p.type,
                        start_date: p.start_date}]->()
WHERE r.id <> row.id
DELETE r

-- name: put_relations
-- Relations as they are now.
UNWIND $relations AS row
MATCH (a:Memory {space: $space, id: row.from_id})
MATCH (b:Memory {space: $space, id: row.to_id})
CREATE (a)-[r:RELATES_TO]->(b)
SET r = row.properties, r.turn = $turn

-- name: stray_relations
-- Relations of the space that no copy of this turn brought.
MATCH ()-[r:RELATES_TO]->()
WHERE r.space = $space AND r.id > '' AND coalesce(r.turn, -1) < $turn
WITH r LIMIT $limit
DELETE r
RETURN count(*) AS gone

-- name: stray_nodes
-- The same for nodes.
MATCH (n:Memory)
WHERE n.space = $space AND n.id > '' AND coalesce(n.turn, -1) < $turn
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS gone
