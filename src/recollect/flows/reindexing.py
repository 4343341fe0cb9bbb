"""Search entries made anew from what memories say now: for another embedding model, or after a forgetting."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from recollect.db.database import Connection, again_after_deadlock
from recollect.db.sql import load
from recollect.flows import statistics
from recollect.flows.barring import bars_of, hold_unless_forgotten, told_before
from recollect.flows.indexing import Searchable, digest, node, passages_of, plain, turn
from recollect.flows.parts import Parts
from recollect.graph.names import NODE_KINDS
from recollect.records import items, store, tombstones
from recollect.records.model import Passage
from recollect.understanding.secrets import mask

QUERIES = load("recollect.flows", "reindexing.sql")

_BATCH = 256

Entries = list[tuple[UUID, int, Passage]]


async def reindex(parts: Parts, space: str, ids: Sequence[UUID]) -> int:
    """Make memories searchable again by what they say now; how many."""
    done = 0
    for start in range(0, len(ids), _BATCH):
        done += await _reindex(parts, space, ids[start : start + _BATCH])
    return done


@again_after_deadlock
async def _reindex(parts: Parts, space: str, ids: Sequence[UUID]) -> int:
    """What somebody changed meanwhile has new entries already."""
    now = parts.clock()
    async with parts.database.transaction(space) as connection:
        newest = await tombstones.newest(connection, space)
        rows = await _rows(connection, "memories_of", space=space, ids=list(ids))
        mean = await store.mean_length(connection, space)
    entries = await _entries(parts, space, rows, anew=False)
    async with parts.database.transaction(space) as connection:
        await hold_unless_forgotten(connection, space, newest, now)
        await store.lock(connection, space, sorted(row.id for row in rows))
        present = {row.id: row.version for row in await store.get(connection, space, [row.id for row in rows])}
        same = {row.id for row in rows if present.get(row.id) == row.version}
        await _replace(connection, space, sorted(same), [each for each in entries if each[0] in same], mean)
        await statistics.refresh_when_due(connection, space)
    return len(same)


async def rewrite(parts: Parts, space: str, rows: Sequence[Any], mean: float, *, anew: bool) -> None:
    """Make the entries of some memories anew: embed outside the transaction, then replace them whole."""
    entries = await _entries(parts, space, rows, anew=anew)
    async with parts.database.transaction(space) as connection:
        await _replace(connection, space, [row.id for row in rows], entries, mean)


async def _rows(connection: Connection, name: str, **values: Any) -> list[Any]:
    cursor = await connection.execute(QUERIES[name], values)
    return await cursor.fetchall()


async def _entries(parts: Parts, space: str, rows: Sequence[Any], *, anew: bool) -> Entries:
    async with parts.database.transaction(space) as connection:
        former = await _rows(connection, "versions_of", space=space, ids=[row.id for row in rows])
        bars = await bars_of(parts, connection, space)
    rows = [told_before(bars, row) for row in rows]
    present = {row.id: row for row in rows}
    versions = [(row.id, row) for row in rows] + [(row.memory_id, row) for row in former]
    indexed = [(id, row) for id, row in versions if present[id].kind != "source" or row.summary]
    texts = [_searchables(present[id], row) for id, row in indexed]
    found = iter(await passages_of(parts, space, [text for of_one in texts for text in of_one], anew=anew))
    made = [items.numbered([next(found) for _ in of_one]) for of_one in texts]
    return [(id, row.version, each) for (id, row), of_one in zip(indexed, made, strict=True) for each in of_one]


async def _replace(connection: Connection, space: str, ids: Sequence[UUID], entries: Entries, mean: float) -> None:
    await connection.execute(QUERIES["remove_entries"], {"space": space, "ids": list(ids)})
    await connection.execute(QUERIES["write_entries"], _values(space, entries, mean), binary=True)


def _values(space: str, entries: Entries, mean: float) -> dict[str, Any]:
    arrays = store.entry_arrays([(id, passage) for id, _, passage in entries], mean)
    return {"space": space, "versions": [version for _, version, _ in entries], **arrays}


def _searchables(row: Any, version: Any) -> list[Searchable]:
    """An item is found by the texts that its program chose, if any; all else by one."""
    if row.kind == items.KIND:
        return [plain(mask(text)) for text in row.indexed or ()]
    return [_searchable(row, version)]


def _searchable(row: Any, version: Any) -> Searchable:
    """A turn with its surroundings, as it was indexed first, a source in few words, a node with its names; what was
    edited, and all else, by itself."""
    if row.kind in NODE_KINDS:
        return node(version.title, version.content, row.aliases or [])
    if row.kind == "source":
        return digest(version.title, version.summary, row.keywords or ())
    if row.body is None or row.body != version.content:
        return plain(version.content)
    return turn(row)
