"""What Neo4j holds: who answers, which spaces, and pages of nodes and relations as PostgreSQL's are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.db.sql import load
from recollect.graph.projection.content import NodeContent, RelationContent
from recollect.graph.projection.driver import Neo4j

STATEMENTS = load("recollect.graph.projection", "looking.cypher")

_ID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_TURN = "turn"
"""A property that says who wrote a node or relation last, and nothing about it."""


@dataclass(frozen=True, slots=True)
class LyingRelation(RelationContent):
    """A relation as it lies in Neo4j; its ends are those of the relationship, not those of its properties."""

    from_space: str | None = None
    to_space: str | None = None


async def version(neo4j: Neo4j) -> str:
    """Which Neo4j answers."""
    [row] = await neo4j.read(STATEMENTS["version"])
    return str(row["version"])


async def spaces(neo4j: Neo4j) -> set[str]:
    """The spaces that it holds something of."""
    return {row["space"] for row in await neo4j.stream(STATEMENTS["spaces"])}


async def present(neo4j: Neo4j, space: str, ids: Sequence[str]) -> set[str]:
    """Which ids of a space are there, as nodes or relations."""
    rows = await neo4j.stream(STATEMENTS["present"], space=space, ids=list(ids)) if ids else []
    return {row["found"] for row in rows}


async def nodes_after(neo4j: Neo4j, space: str, after: str | None, limit: int) -> list[NodeContent]:
    """A page of the nodes of a space, in the order of their ids."""
    rows = await neo4j.stream(STATEMENTS["nodes_after"], **_page(space, after, limit))
    return [_node(row) for row in rows]


async def relations_after(neo4j: Neo4j, space: str, after: str | None, limit: int) -> list[LyingRelation]:
    """A page of the relations of a space, in the order of their ids."""
    rows = await neo4j.stream(STATEMENTS["relations_after"], **_page(space, after, limit))
    return [_relation(row) for row in rows]


def _page(space: str, after: str | None, limit: int) -> dict[str, Any]:
    return {"space": space, "after": after or "", "limit": limit, "pattern": _ID}


async def nodes(neo4j: Neo4j, space: str, ids: Sequence[str]) -> list[NodeContent]:
    """Some nodes of a space."""
    rows = await neo4j.stream(STATEMENTS["nodes"], space=space, ids=list(ids)) if ids else []
    return [_node(row) for row in rows]


async def relations(neo4j: Neo4j, space: str, ids: Sequence[str]) -> list[LyingRelation]:
    """Some relations of a space."""
    rows = await neo4j.stream(STATEMENTS["relations"], space=space, ids=list(ids)) if ids else []
    return [_relation(row) for row in rows]


async def foreign(neo4j: Neo4j, limit: int) -> list[str]:
    """Nodes and relations that no projection would leave, each in a few words."""
    found = await neo4j.stream(STATEMENTS["foreign_nodes"], limit=limit, pattern=_ID)
    told = [f"node {row['element']} with labels {', '.join(sorted(row['labels'])) or 'none'}" for row in found]
    ties = await neo4j.stream(STATEMENTS["foreign_relations"], limit=limit, pattern=_ID)
    return told + [f"relationship {row['element']} of type {row['type']}" for row in ties]


async def indexes(neo4j: Neo4j) -> set[str]:
    """The names of constraints and indexes."""
    return {row["name"] for row in await neo4j.stream(STATEMENTS["constraints"])}


def _node(row: Mapping[str, Any]) -> NodeContent:
    return NodeContent(row["id"], frozenset(row["labels"]) - {"Memory"}, _native(row["properties"]))


def _relation(row: Mapping[str, Any]) -> LyingRelation:
    ends = row["from_id"], row["to_id"]
    return LyingRelation(row["id"], *ends, _native(row["properties"]), row["from_space"], row["to_space"])


def _native(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Times as Python has them."""
    return {
        name: value.to_native() if hasattr(value, "to_native") else value
        for name, value in properties.items()
        if name != _TURN
    }
