"""Reading and writing nodes: by name and type within a space; how often they are mentioned; vectors of relations."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pgvector import HalfVector

from recollect.db.compose import SQL
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.records.filters import Filters, allowed_sensitivities, conditions
from recollect.records.model import Passage

QUERIES = load("recollect.graph")

Key = tuple[str, str, str]
_AFTER_HYPHEN = "."
"""The character that follows a hyphen: names between the two begin with what stands before them."""


async def named(connection: Connection, space: str, names: Iterable[str]) -> dict[Key, UUID]:
    """The nodes that are known by these canonical names, of whatever kind and type."""
    wanted = sorted(set(names))
    if not wanted:
        return {}
    cursor = await connection.execute(QUERIES["names"], {"space": space, "names": wanted})
    return {(row.kind, row.type, row.name): row.node_id for row in await cursor.fetchall()}


async def by_first_name(connection: Connection, space: str, shorts: Iterable[str]) -> dict[str, set[UUID]]:
    """The people whose several names begin with each of these."""
    wanted = sorted(set(shorts))
    if not wanted:
        return {}
    bounds = {"lows": [f"{short}-" for short in wanted], "highs": [short + _AFTER_HYPHEN for short in wanted]}
    return _grouped(await _rows(connection, "by_first_name", space=space, shorts=wanted, **bounds))


async def by_last_name(connection: Connection, space: str, shorts: Iterable[str]) -> dict[str, set[UUID]]:
    """The people whose several names end with each of these."""
    wanted = sorted(set(shorts))
    if not wanted:
        return {}
    endings = [f"-{short}" for short in wanted]
    return _grouped(await _rows(connection, "by_last_name", space=space, shorts=wanted, endings=endings))


def _grouped(rows: Iterable[Any]) -> dict[str, set[UUID]]:
    found: dict[str, set[UUID]] = {}
    for row in rows:
        found.setdefault(row.short, set()).add(row.node_id)
    return found


async def _rows(connection: Connection, name: str, **values: Any) -> list[Any]:
    cursor = await connection.execute(QUERIES[name], values)
    return await cursor.fetchall()


async def claim(connection: Connection, space: str, names: Mapping[Key, UUID]) -> dict[Key, UUID]:
    """Give names that nobody had yet to nodes; those that somebody else has are not among them."""
    if not names:
        return {}
    values = {"space": space, "ids": list(names.values())} | _columns(list(names))
    cursor = await connection.execute(QUERIES["claim_names"], values)
    return {(row.kind, row.type, row.name): row.node_id for row in await cursor.fetchall()}


def _columns(keys: Sequence[Key]) -> dict[str, list[str]]:
    return {"kinds": [k for k, _, _ in keys], "types": [t for _, t, _ in keys], "names": [n for _, _, n in keys]}


async def refine_names(connection: Connection, space: str, refined: Mapping[UUID, tuple[str, str]]) -> None:
    """Names of nodes of which nothing was known are of a kind and type."""
    if refined:
        values = {"ids": list(refined), "kinds": [k for k, _ in refined.values()]}
        values["types"] = [type for _, type in refined.values()]
        await connection.execute(QUERIES["refine_names"], {"space": space} | values)


async def names_of(connection: Connection, space: str, ids: Sequence[UUID]) -> dict[UUID, list[Key]]:
    """Every name that nodes go by."""
    found: dict[UUID, list[Key]] = {id: [] for id in ids}
    for row in await _rows(connection, "names_of", space=space, ids=list(ids)):
        found[row.node_id].append((row.kind, row.type, row.name))
    return found


async def give_names(
    connection: Connection, space: str, from_id: UUID, to_id: UUID, names: Sequence[str] | None = None
) -> None:
    """Let one node have the names of another: all of them, or some."""
    given = None if names is None else list(names)
    await connection.execute(QUERIES["give_names"], {"space": space, "from": from_id, "to": to_id, "names": given})


async def drop_names(connection: Connection, space: str, id: UUID, names: Sequence[str]) -> None:
    """Take names away from a node."""
    if names:
        await connection.execute(QUERIES["drop_names"], {"space": space, "id": id, "names": list(names)})


async def names_in(connection: Connection, space: str, ids: Sequence[UUID]) -> dict[UUID, frozenset[str]]:
    """The canonical names of what memories mention."""
    cursor = await connection.execute(QUERIES["names_in"], {"space": space, "ids": list(ids)})
    found: dict[UUID, set[str]] = {id: set() for id in ids}
    for row in await cursor.fetchall():
        found[row.memory_id].add(row.name)
    return {id: frozenset(names) for id, names in found.items()}


async def ties_in(
    connection: Connection, space: str, ids: Sequence[UUID]
) -> dict[UUID, frozenset[tuple[str, str, str]]]:
    """The relations that were found in memories, by names."""
    cursor = await connection.execute(QUERIES["ties_in"], {"space": space, "ids": list(ids)})
    found: dict[UUID, set[tuple[str, str, str]]] = {id: set() for id in ids}
    for row in await cursor.fetchall():
        found[row.memory_id].add((row.subject, row.type, row.object))
    return {id: frozenset(ties) for id, ties in found.items()}


async def origins(connection: Connection, space: str, ids: Iterable[UUID]) -> dict[UUID, Any]:
    """Rows of memories that speak of nodes: kind, sensitivity, when they happened."""
    return {row.id: row for row in await _rows(connection, "origins", space=space, ids=sorted(set(ids)))}


async def recount(connection: Connection, space: str, ids: Iterable[UUID], zone: str) -> None:
    """Reckon anew how often sources mention nodes; days are the space's own, or those of `zone`."""
    wanted = sorted(set(ids))
    if not wanted:
        return
    [*known] = await _rows(connection, "zone", space=space)
    days = (known[0].timezone if known else None) or zone
    await uncount(connection, space, wanted)
    await connection.execute(QUERIES["count"], {"space": space, "ids": wanted, "zone": days})


async def uncount(connection: Connection, space: str, ids: Sequence[UUID]) -> None:
    """Nodes that stand for nothing any more have no counters."""
    await connection.execute(QUERIES["uncount"], {"space": space, "ids": list(ids)})


async def mentioned_by(connection: Connection, space: str, sources: Sequence[UUID]) -> list[UUID]:
    """The nodes that some sources mention."""
    return [row.id for row in await _rows(connection, "mentioned_by", space=space, ids=list(sources))]


async def owner(connection: Connection, space: str) -> Any | None:
    """The row of the node that stands for the space's owner."""
    rows = await _rows(connection, "owner", space=space)
    return rows[0] if rows else None


async def page(
    connection: Connection,
    space: str,
    filters: Filters,
    now: datetime,
    name: tuple[Sequence[str], str] | None,
    after: UUID,
    limit: int,
) -> list[Any]:
    """Rows of nodes; `name` is the beginning of one, as nodes may be known by it and as it is written."""
    beginnings, alias = name or ((), None)
    statement = SQL(QUERIES["nodes"]).format(conditions=conditions(filters, now, "r"))
    values = {
        "space": space,
        "now": now,
        "sensitivity": allowed_sensitivities(filters.sensitivity),
        "beginnings": list(beginnings),
        "alias": alias,
        "after": after,
        "limit": limit,
    }
    cursor = await connection.execute(statement, values)
    return await cursor.fetchall()


async def put_entries(connection: Connection, space: str, passages: Mapping[UUID, Passage]) -> None:
    """Keep what relations say as vectors."""
    if passages:
        values = {
            "ids": list(passages),
            "hashes": [passage.text_hash for passage in passages.values()],
            "embeddings": [HalfVector(passage.embedding) for passage in passages.values()],
        }
        await connection.execute(QUERIES["put_entries"], {"space": space} | values)


async def entry_hashes(connection: Connection, space: str, ids: Sequence[UUID]) -> dict[UUID, bytes]:
    """Of which texts the vectors of relations were made."""
    rows = await _rows(connection, "entry_hashes", space=space, ids=list(ids))
    return {row.relation_id: bytes(row.text_hash) for row in rows}


async def entries_after(connection: Connection, space: str, after: UUID, limit: int) -> list[UUID]:
    """Relations that have vectors, a stretch of them."""
    return [row.relation_id for row in await _rows(connection, "entries_after", space=space, after=after, limit=limit)]


async def waiting(connection: Connection, space: str, limit: int) -> list[Any]:
    """Rows of nodes and relations whose description is behind, the last asked for first."""
    return await _rows(connection, "waiting", space=space, limit=limit)


async def kinds_of(connection: Connection, space: str, ids: Iterable[UUID]) -> dict[UUID, str]:
    """Of targets whose texts follow their notes, what they are."""
    rows = await _rows(connection, "kinds_of", space=space, ids=sorted(set(ids)))
    return {row.memory_id: row.kind for row in rows}
