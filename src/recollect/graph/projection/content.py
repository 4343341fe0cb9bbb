"""What of PostgreSQL stands in Neo4j: the rows of nodes and relations as the properties that they have there."""

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, LiteralString
from uuid import UUID

from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.graph.names import MOST_ALIASES
from recollect.graph.projection.schema import KIND_LABELS, TIER_LABELS
from recollect.records.kinds import GRAPH_KINDS

QUERIES = load("recollect.graph.projection")

_KINDS = list(GRAPH_KINDS)
_INDEXED = 2_000
"""Bytes of a text that is part of an index; three of them may be."""
_DESCRIBED = 10_000
"""Characters of a description. What is written to Neo4j at once is held there in memory, five thousand of them."""
_CUT = "…"
_READ = {"named": _INDEXED + 1, "described": _DESCRIBED + 1}
"""Characters of each that are read: one more than is kept tells that it is cut."""


def _statement(name: str) -> LiteralString:
    text = QUERIES[name]
    for part in ("node", "relation"):
        text = text.replace("{" + part + "}", QUERIES[part])
    return text


_NODES, _NODES_AFTER = _statement("nodes"), _statement("nodes_after")
_RELATIONS, _RELATIONS_AFTER = _statement("relations"), _statement("relations_after")

Properties = dict[str, Any]


@dataclass(frozen=True, slots=True)
class NodeContent:
    """A node as it stands, or should stand, in Neo4j."""

    id: str
    labels: frozenset[str]
    """But for `Memory`, which all have."""
    properties: Properties


@dataclass(frozen=True, slots=True)
class RelationContent:
    """A relation as it stands, or should stand, in Neo4j."""

    id: str
    from_id: str
    to_id: str
    properties: Properties


@dataclass(frozen=True, slots=True)
class Content:
    """What PostgreSQL holds of some ids."""

    nodes: tuple[NodeContent, ...] = ()
    ends: tuple[NodeContent, ...] = ()
    """Of the relations, beside those nodes: they may be no nodes without them."""
    relations: tuple[RelationContent, ...] = ()
    others: tuple[str, ...] = ()
    """All ids that were asked for and are no nodes: relations, and what is gone."""
    gone: tuple[str, ...] = ()


async def read(connection: Connection, space: str, targets: Collection[UUID]) -> Content:
    """Nodes and relations as they are now, and the ends of the relations."""
    relations = await _rows(connection, _RELATIONS, space=space, ids=list(targets), **_READ)
    ends = {end for row in relations for end in (row.from_id, row.to_id)}
    ids = sorted({*targets, *ends})
    rows = await _rows(connection, _NODES, space=space, ids=ids, kinds=_KINDS, **_READ)
    asked, nodes = set(targets), {row.id for row in rows}
    return Content(
        tuple(node_of(space, row) for row in rows if row.id in asked),
        tuple(node_of(space, row) for row in rows if row.id not in asked),
        tuple(relation_of(space, row) for row in relations),
        tuple(str(id) for id in targets if id not in nodes),
        tuple(str(id) for id in sorted(asked - nodes - {row.id for row in relations})),
    )


async def nodes_after(connection: Connection, space: str, after: str | None, limit: int) -> list[NodeContent]:
    """A page of the nodes of a space, in the order of their ids."""
    place = {"first": _next(after), "limit": limit, **_READ}
    return [node_of(space, row) for row in await _rows(connection, _NODES_AFTER, space=space, kinds=_KINDS, **place)]


async def relations_after(connection: Connection, space: str, after: str | None, limit: int) -> list[RelationContent]:
    """A page of the relations of a space, in the order of their ids."""
    place = {"first": _next(after), "limit": limit, **_READ}
    return [relation_of(space, row) for row in await _rows(connection, _RELATIONS_AFTER, space=space, **place)]


def _next(after: str | None) -> UUID:
    """The first id that may come after another."""
    return UUID(int=0 if after is None else UUID(after).int + 1)


async def size(connection: Connection, space: str) -> int:
    """About how many nodes and relations there are to copy."""
    [row] = await _rows(connection, QUERIES["size"], space=space, kinds=_KINDS)
    return int(row.nodes + row.relations)


async def _rows(connection: Connection, statement: LiteralString, **values: Any) -> list[Any]:
    cursor = await connection.execute(statement, values)
    return await cursor.fetchall()


def node_of(space: str, row: Any) -> NodeContent:
    """A row as a node; the names are those of document A, and of C where A has none."""
    properties = {
        "space": space,
        "id": str(row.id),
        "kind": row.kind,
        "tier": row.tier,
        "type": bounded(row.type),
        "name": bounded(row.name),
        "canonical_name": bounded(row.canonical_name),
        "aliases": _words(row.aliases),
        "description": _described(row.description),
        "state": row.state,
        "sensitivity": row.sensitivity,
        "confidence": row.confidence,
        "importance": row.importance,
        "first_seen": _seen(row.first_seen) or row.created_at,
        "last_seen": _seen(row.last_seen) or row.updated_at,
        "valid_from": row.valid_from,
        "valid_until": row.valid_until,
    }
    labels = frozenset({KIND_LABELS[row.kind], TIER_LABELS[row.tier]})
    return NodeContent(str(row.id), labels, dict(_given(properties)))


def relation_of(space: str, row: Any) -> RelationContent:
    """A row as a relation."""
    properties = {
        "space": space,
        "id": str(row.id),
        "from_entity_id": str(row.from_id),
        "to_entity_id": str(row.to_id),
        "type": bounded(row.type),
        "description": _described(row.description),
        "attitude": row.attitude,
        "proximity": row.proximity,
        "author": row.author,
        "state": row.state,
        "sensitivity": row.sensitivity,
        "confidence": row.confidence,
        "strength": row.strength,
        "start_date": row.starts_on,
        "first_observed": row.created_at,
        "last_updated": row.updated_at,
        "valid_from": row.valid_from,
        "valid_until": row.valid_until,
    }
    return RelationContent(str(row.id), str(row.from_id), str(row.to_id), dict(_given(properties)))


def bounded(text: str | None) -> str | None:
    """A text that Neo4j can index, which takes no more than 8 kB of all properties of an index together: one that is
    longer is cut, and says so."""
    if text is None or len(text.encode()) <= _INDEXED:
        return text
    return text.encode()[: _INDEXED - len(_CUT.encode())].decode(errors="ignore") + _CUT


def _described(text: str | None) -> str | None:
    """A text that is cut where it is very long: all of it is in PostgreSQL."""
    return text if text is None or len(text) <= _DESCRIBED else text[: _DESCRIBED - len(_CUT)] + _CUT


def _words(found: object) -> list[str] | None:
    """A list of Neo4j is of one type; whatever else was imported is there as text."""
    if isinstance(found, list):
        return [_word(word) for word in found[:MOST_ALIASES]] or None
    return _words([found]) if found else None


def _word(found: object) -> str:
    return bounded(found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)) or ""


def _seen(text: str | None) -> datetime | None:
    """When it was, unless what was imported is no moment."""
    try:
        found = None if text is None else datetime.fromisoformat(text)
        return found and (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _given(properties: Properties) -> Iterator[tuple[str, Any]]:
    """Neo4j keeps no nulls; all times are in UTC there."""
    for name, value in properties.items():
        if value is not None:
            yield name, value.astimezone(UTC) if isinstance(value, datetime) else value


def ids_of(contents: Iterable[NodeContent | RelationContent]) -> list[str]:
    """Their ids."""
    return [content.id for content in contents]
