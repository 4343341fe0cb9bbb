"""Reading and writing nodes: by name and type within a space."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from recollect.core.ids import new_id
from recollect.db.database import Connection
from recollect.db.sql import load

QUERIES = load("recollect.graph")

Key = tuple[str, str, str]


async def named(connection: Connection, space: str, keys: Iterable[Key]) -> dict[Key, UUID]:
    """The nodes that are known by these names."""
    wanted = sorted(keys)
    if not wanted:
        return {}
    cursor = await connection.execute(QUERIES["names"], {"space": space} | _columns(wanted))
    return {(row.kind, row.type, row.name): row.node_id for row in await cursor.fetchall()}


async def claim(connection: Connection, space: str, keys: Iterable[Key]) -> dict[Key, UUID]:
    """Give names that nobody had yet to new nodes; those that somebody else gave meanwhile are not among them."""
    wanted = sorted(keys)
    if not wanted:
        return {}
    ids = [new_id() for _ in wanted]
    cursor = await connection.execute(QUERIES["claim_names"], {"space": space, "ids": ids} | _columns(wanted))
    return {(row.kind, row.type, row.name): row.node_id for row in await cursor.fetchall()}


def _columns(keys: Sequence[Key]) -> dict[str, list[str]]:
    return {"kinds": [k for k, _, _ in keys], "types": [t for _, t, _ in keys], "names": [n for _, _, n in keys]}


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


async def recount(connection: Connection, space: str, nodes: Sequence[UUID], zone: str) -> None:
    """Reckon anew how often, and on how many days of a time zone, sources mention nodes."""
    asked = {"space": space, "ids": sorted(nodes), "zone": zone}
    await connection.execute(QUERIES["forget_counts"], asked)
    await connection.execute(QUERIES["count_mentions"], asked)
