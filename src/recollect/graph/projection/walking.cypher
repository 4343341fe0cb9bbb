-- Conditions are cases, not ands and ors: the planner would turn those inside out for every node of a pattern, and
-- need seconds for it. A comparison with null is not true, and the case goes on. No value that is given is null: a plan is
-- kept for values of the same types.

-- name: wanted
-- Whether a relation is of a type that is wanted, holds at the moment asked for, and is known not from sensitive texts
-- alone; as in PostgreSQL.
CASE
    WHEN $every AND r.type IN $structural THEN false
    WHEN NOT $every AND NOT r.type IN $types THEN false
    WHEN r.valid_from > $valid_at THEN false
    WHEN r.valid_until <= $until THEN false
    WHEN r.sensitivity = 'high' AND NOT $high THEN false
    ELSE true
END

-- name: held
-- And may be walked: neither archived nor deleted.
CASE WHEN r.state IN $hidden THEN false ELSE {wanted} END

-- name: open
-- Whether a node may be shown to who asks, and holds at the moment asked for. The ends of a walk were named.
CASE
    WHEN n.id IN $ends THEN true
    WHEN n.valid_from > $valid_at THEN false
    WHEN n.sensitivity <> 'high' AND n.valid_until IS NULL THEN true
    WHEN NOT n.sensitivity IN $sensitivity THEN false
    WHEN n.valid_until <= $until THEN false
    ELSE true
END

-- name: seen
-- And is neither archived nor deleted.
CASE WHEN n.state IN $hidden AND NOT n.id IN $ends THEN false ELSE {open} END

-- name: reach
-- What lies one step beyond some nodes: of each of them the strongest relations of either direction are read.
UNWIND $frontier AS via
MATCH (v:Memory {space: $space, id: via})
CALL (v) {
    MATCH (v)-[r:RELATES_TO]->(n:Memory)
    WHERE r.space = $space AND {held}
    RETURN n, r, true AS outward ORDER BY r.strength DESC, r.id LIMIT $most
    UNION ALL
    MATCH (v)<-[r:RELATES_TO]-(n:Memory)
    WHERE r.space = $space AND {held}
    RETURN n, r, false AS outward ORDER BY r.strength DESC, r.id LIMIT $most
}
RETURN via, n.id AS other, r.id AS relation, r.strength AS strength, outward,
    n.space = $space AND NOT n.state IN $hidden AND {open} AS open

-- name: strongest
-- The strongest relations of each of some nodes.
UNWIND $ids AS id
MATCH (v:Memory {space: $space, id: id})
CALL (v) {
    MATCH (v)-[r:RELATES_TO]->(n:Memory)
    WHERE r.space = $space AND {held}
    RETURN n, r ORDER BY r.strength DESC, r.id LIMIT 4 * $most
    UNION ALL
    MATCH (v)<-[r:RELATES_TO]-(n:Memory)
    WHERE r.space = $space AND {held}
    RETURN n, r ORDER BY r.strength DESC, r.id LIMIT 4 * $most
}
WITH id, n, r
WHERE n.space = $space AND {seen}
RETURN id, r.id AS relation
ORDER BY id, r.strength DESC, relation

-- name: beyond
-- All nodes one step beyond others, for paths.
UNWIND $frontier AS via
MATCH (:Memory {space: $space, id: via})-[r:RELATES_TO]-(n:Memory)
WHERE r.space = $space AND n.space = $space AND {held} AND {seen}
RETURN collect(DISTINCT n.id) AS ids

-- name: step
-- The strongest relation between a node and any of others.
MATCH (:Memory {space: $space, id: $id})-[r:RELATES_TO]-(n:Memory)
WHERE r.space = $space AND n.space = $space AND n.id IN $level AND {held}
RETURN n.id AS other, r.id AS relation
ORDER BY r.strength DESC, relation
LIMIT 1

-- name: among
-- The relations between nodes, the strongest first; archived ones too.
UNWIND $ids AS id
MATCH (:Memory {space: $space, id: id})-[r:RELATES_TO]->(n:Memory)
WHERE r.space = $space AND n.space = $space AND n.id IN $ids AND {wanted}
RETURN r.id AS relation
ORDER BY r.strength DESC, relation
LIMIT $most

-- name: relations_of
-- How many relations nodes have that hold, archived or not; one from a node to itself counts for either direction.
UNWIND $ids AS id
MATCH (v:Memory {space: $space, id: id})
CALL (v) {
    MATCH (v)-[r:RELATES_TO]->() WHERE r.space = $space AND {wanted} RETURN r
    UNION ALL
    MATCH (v)<-[r:RELATES_TO]-() WHERE r.space = $space AND {wanted} RETURN r
}
RETURN count(r) AS relations
