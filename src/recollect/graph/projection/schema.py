"""How the graph looks in Neo4j: labels, properties, constraints and indexes.

Every node is a `Memory` with its space, and has a label of its kind (`Person`, `Concept`, `Entity`, `Source`,
`Storyline`, `Macro`, …) and one of its tier (`ShorttermEntity`, `LongtermEntity`). Every relation is a `RELATES_TO`
whose `type` is a property: types are words of texts and callers, and no such word is ever part of a statement.
"""

from recollect.graph.projection.driver import Neo4j
from recollect.records.kinds import KINDS

KIND_LABELS = {kind: kind.capitalize() for kind in KINDS}
TIER_LABELS = {"short": "ShorttermEntity", "long": "LongtermEntity"}
LABELS = frozenset({*KIND_LABELS.values(), *TIER_LABELS.values()})
"""All that a node may have beside `Memory`."""

SCHEMA = (
    # One node and one relation for each id of a space.
    "CREATE CONSTRAINT memory_id IF NOT EXISTS FOR (n:Memory) REQUIRE (n.space, n.id) IS UNIQUE",
    "CREATE CONSTRAINT relation_id IF NOT EXISTS FOR ()-[r:RELATES_TO]-() REQUIRE (r.space, r.id) IS UNIQUE",
    # Document A: versions of a relation differ in the day on which they began.
    "CREATE CONSTRAINT relationship_temporal_unique IF NOT EXISTS FOR ()-[r:RELATES_TO]-()"
    " REQUIRE (r.space, r.from_entity_id, r.to_entity_id, r.type, r.start_date) IS UNIQUE",
    # Who writes a space at the moment.
    "CREATE CONSTRAINT projection_space IF NOT EXISTS FOR (p:Projection) REQUIRE p.space IS UNIQUE",
    # Document C finds people by their canonical name, concepts by name, things by name and type.
    "CREATE INDEX person_name IF NOT EXISTS FOR (n:Person) ON (n.space, n.canonical_name)",
    "CREATE INDEX concept_name IF NOT EXISTS FOR (n:Concept) ON (n.space, n.name)",
    "CREATE INDEX entity_name IF NOT EXISTS FOR (n:Entity) ON (n.space, n.name, n.type)",
)

NAMES = frozenset(statement.split()[2] for statement in SCHEMA)
"""Of the constraints and indexes."""


async def ensure(neo4j: Neo4j) -> None:
    """Bring constraints and indexes about; those that are there stay."""
    for statement in (*SCHEMA, "CALL db.awaitIndexes(300)"):
        async with neo4j.writing() as run:  # Neo4j takes one such change in a transaction
            await run(statement)
