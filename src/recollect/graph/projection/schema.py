"""How the graph looks in Neo4j: labels, properties, constraints and indexes.

Every node is a `Memory` with its space, and has a label of its kind (`Person`, `Concept`, `Entity`, `Source`,
`Storyline`, `Macro`, …) and one of its tier (`ShorttermEntity`, `LongtermEntity`). Every relation is a `RELATES_TO`
whose `type` is a property: types are words of texts and callers, and no such word is ever part of a statement.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, LiteralString

from recollect.graph.projection.driver import Neo4j, patiently
from recollect.records.kinds import KINDS

KIND_LABELS = {kind: kind.capitalize() for kind in KINDS}
TIER_LABELS = {"short": "ShorttermEntity", "long": "LongtermEntity"}


@dataclass(frozen=True, slots=True)
class Rule:
    """A constraint (what is unique), or an index."""

    name: LiteralString
    of: LiteralString
    """A label, or the type of relations."""
    properties: tuple[LiteralString, ...]
    unique: bool = True
    relation: bool = False

    def making(self) -> LiteralString:
        """The statement that brings it about, if it is not there."""
        place: LiteralString = "()-[x:" + self.of + "]-()" if self.relation else "(x:" + self.of + ")"
        listed: LiteralString = "(" + ", ".join(["x." + name for name in self.properties]) + ")"
        if self.unique:
            return (
                "CREATE CONSTRAINT " + self.name + " IF NOT EXISTS FOR " + place + " REQUIRE " + listed + " IS UNIQUE"
            )
        return "CREATE INDEX " + self.name + " IF NOT EXISTS FOR " + place + " ON " + listed

    def is_told_by(self, row: Mapping[str, Any]) -> bool:
        """Whether an index of that name is this one, and works."""
        return (
            row["of"] == [self.of]
            and row["properties"] == list(self.properties)
            and (row["constraint"] is not None) == self.unique
            and row["entity"] == ("RELATIONSHIP" if self.relation else "NODE")
            and row["type"] == "RANGE"
            and row["state"] != "FAILED"
        )


RULES = (
    # One node and one relation for each id of a space.
    Rule("memory_id", "Memory", ("space", "id")),
    Rule("relation_id", "RELATES_TO", ("space", "id"), relation=True),
    # Document A: versions of a relation differ in the day on which they began.
    Rule(
        "relationship_temporal_unique",
        "RELATES_TO",
        ("space", "from_entity_id", "to_entity_id", "type", "start_date"),
        relation=True,
    ),
    # Who writes a space at the moment.
    Rule("projection_space", "Projection", ("space",)),
    # Document C finds people by their canonical name, concepts by name, things by name and type.
    Rule("person_name", "Person", ("space", "canonical_name"), unique=False),
    Rule("concept_name", "Concept", ("space", "name"), unique=False),
    Rule("entity_name", "Entity", ("space", "name", "type"), unique=False),
)

_SHOW: LiteralString = (
    "SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, owningConstraint, state"
    " RETURN name, type, entityType AS entity, labelsOrTypes AS of, properties, owningConstraint AS constraint, state"
)


async def ensure(neo4j: Neo4j) -> None:
    """Bring constraints and indexes about; those that are there stay, unless they have the name of another one."""
    found = await _shown(neo4j)
    if all(rule.name in found and rule.is_told_by(found[rule.name]) for rule in RULES):
        return
    for rule in RULES:
        row = found.get(rule.name)
        if row is not None and not rule.is_told_by(row):
            kind: LiteralString = "INDEX" if row["constraint"] is None else "CONSTRAINT"
            await _change(neo4j, "DROP " + kind + " " + rule.name + " IF EXISTS")
        await _change(neo4j, rule.making())
    await _change(neo4j, "CALL db.awaitIndexes(300)")


async def lacking(neo4j: Neo4j) -> dict[str, Literal["missing", "different"]]:
    """Constraints and indexes that are `missing`, or `different` from what they should be."""
    found = await _shown(neo4j)
    return {
        rule.name: "missing" if rule.name not in found else "different"
        for rule in RULES
        if rule.name not in found or not rule.is_told_by(found[rule.name])
    }


async def _shown(neo4j: Neo4j) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in await neo4j.stream(_SHOW)}


async def _change(neo4j: Neo4j, statement: LiteralString) -> None:
    """Neo4j takes one such change in a transaction; another process may make the same one."""

    async def once() -> None:
        async with neo4j.writing() as run:
            await run(statement)

    await patiently(once)
