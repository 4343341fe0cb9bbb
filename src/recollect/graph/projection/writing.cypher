-- name: admit
-- A place for who writes a space, before the first copy.
MERGE (p:Projection {space: $space})

-- name: lock
-- Who writes a space holds it until the transaction ends. Only then is it read what stands there: by a statement of its own,
-- as one that locks may have read before.
MATCH (p:Projection {space: $space}) SET p.copy = p.copy

-- name: held
-- What stands there.
MATCH (p:Projection {space: $space})
RETURN p.origin AS origin, p.turn AS turn, p.copy AS copy, p.carried AS carried

-- name: mark
-- Who wrote the space, which copy it is, and what it was given last.
MATCH (p:Projection {space: $space})
SET p.origin = $origin, p.turn = $turn, p.copy = $copy, p.carried = $carried

-- name: unfence
-- Whoever wrote the space before counts for nothing.
MATCH (p:Projection {space: $space}) DELETE p

-- name: hanging_on_relations
-- What hangs on relations that go, and is no node of the graph by itself.
UNWIND $ids AS id
MATCH (a:Memory)-[:RELATES_TO {space: $space, id: id}]->(b:Memory)
UNWIND [a, b] AS end
WITH DISTINCT end WHERE NOT end.kind IN $kinds
RETURN end.id AS id

-- name: hanging_on_nodes
-- The same for nodes that go.
UNWIND $ids AS id
MATCH (:Memory {space: $space, id: id})-[:RELATES_TO]-(end:Memory)
WITH DISTINCT end WHERE NOT end.kind IN $kinds
RETURN end.id AS id

-- name: absent
-- Which of some nodes are not there.
UNWIND $ids AS id
OPTIONAL MATCH (n:Memory {space: $space, id: id})
WITH id, n WHERE n IS NULL
RETURN id

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

-- name: put_nodes
-- Nodes as they are now; one that was of another kind loses what it was.
UNWIND $nodes AS row
MERGE (n:Memory {space: $space, id: row.id})
SET n = row.properties, n.copy = $copy
SET n:$(row.labels)
WITH n, [label IN labels(n) WHERE label <> 'Memory' AND NOT label IN row.labels] AS others
WHERE size(others) > 0
REMOVE n:$(others)

-- name: update_relations
-- Relations that lie where they lay, as they are now; which ones.
UNWIND $relations AS row
MATCH (a)-[r:RELATES_TO {space: $space, id: row.id}]->(b)
WHERE a.space = $space AND a.id = row.from_id AND b.space = $space AND b.id = row.to_id
  AND r.from_entity_id = row.from_id AND r.to_entity_id = row.to_id
  AND r.type = row.properties.type AND r.start_date = row.properties.start_date
SET r = row.properties, r.copy = $copy
RETURN row.id AS id

-- name: has_any
-- Whether anything of the space is there.
RETURN EXISTS { MATCH (n:Memory) WHERE n.space = $space AND n.id > '' }
    OR EXISTS { MATCH ()-[r:RELATES_TO]->() WHERE r.space = $space AND r.id > '' } AS any

-- name: clear_keys
-- Relations that still stand where another one stands now; their own turn comes.
UNWIND $relations AS row
MATCH ()-[r:RELATES_TO {space: $space, from_entity_id: row.from_entity_id, to_entity_id: row.to_entity_id,
                        type: row.type, start_date: row.start_date}]->()
WHERE r.id <> row.id
DELETE r

-- name: put_relations
-- Relations as they are now.
UNWIND $relations AS row
MATCH (a:Memory {space: $space, id: row.from_id})
MATCH (b:Memory {space: $space, id: row.to_id})
CREATE (a)-[r:RELATES_TO]->(b)
SET r = row.properties, r.copy = $copy

-- name: stray_relations
-- Relations of the space that are no part of this copy.
MATCH ()-[r:RELATES_TO]->()
WHERE r.space = $space AND r.id > '' AND coalesce(r.copy, '') <> $copy
WITH r LIMIT $limit
DELETE r
RETURN count(*) AS gone

-- name: stray_nodes
-- The same for nodes.
MATCH (n:Memory)
WHERE n.space = $space AND n.id > '' AND coalesce(n.copy, '') <> $copy
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS gone
