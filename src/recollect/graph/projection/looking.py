"""What Neo4j holds: who answers, which spaces, and pages of nodes and relations as PostgreSQL's are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

from recollect.db.sql import load
from recollect.graph.projection.content import NodeContent, RelationContent
from recollect.graph.projection.driver import Neo4j
from recollect.records.outbox import Held

STATEMENTS = load("recollect.graph.projection", "looking.cypher")

_ID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_COPY = "copy"
"""A property that says with which copy a node or relation came, and nothing about it."""


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


async def marks(neo4j: Neo4j) -> dict[str, tuple[str | None, str | None]]:
    """Which copy of each space it holds, and what that was given last."""
    return {row["space"]: (row["copy"], row["carried"]) for row in await neo4j.stream(STATEMENTS["marks"])}


async def holds(neo4j: Neo4j, space: str, held: Held) -> bool:
    """Whether a space is the copy that it should be, and was given all of it."""
    rows = await neo4j.read(STATEMENTS["holds"], space=space, copy=str(held.copy), carried=str(held.carried))
    return bool(rows and rows[0]["holds"])


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


async def foreign(neo4j: Neo4j, limit: int) -> tuple[list[str], int]:
    """Nodes and relations that no projection would leave, each in a few words; at most so many of either are named, and
    how many are not."""
    nodes, more = await _some(neo4j, "foreign_nodes", limit)
    ties, more_ties = await _some(neo4j, "foreign_relations", limit)
    told = [f"node {row['element']} with labels {', '.join(sorted(row['labels'])) or 'none'}" for row in nodes]
    told += [f"relationship {row['element']} of type {row['type']}" for row in ties]
    return told, more + more_ties


async def _some(neo4j: Neo4j, name: str, limit: int) -> tuple[list[dict[str, Any]], int]:
    found = await neo4j.stream(_statement(name), limit=limit, pattern=_ID)
    if len(found) < limit:
        return found, 0
    [counted] = await neo4j.stream(_statement(f"{name}_counted"), pattern=_ID)
    return found, counted["total"] - len(found)


def _statement(name: str) -> LiteralString:
    text = STATEMENTS[name]
    for part in ("foreign_node", "foreign_relation"):
        text = text.replace("{" + part + "}", STATEMENTS[part])
    return text


def _node(row: Mapping[str, Any]) -> NodeContent:
    return NodeContent(row["id"], frozenset(row["labels"]) - {"Memory"}, _native(row["properties"]))


def _relation(row: Mapping[str, Any]) -> LyingRelation:
    ends = row["from_id"], row["to_id"]
    return LyingRelation(row["id"], *ends, _native(row["properties"]), row["from_space"], row["to_space"])


def _native(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Times as Python has them, unless they are finer than those."""
    return {name: _moment(value) for name, value in properties.items() if name != _COPY}


def _moment(value: Any) -> Any:
    if not hasattr(value, "to_native") or getattr(value, "nanosecond", 0) % 1000:
        return value
    return value.to_native()
