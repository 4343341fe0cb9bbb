"""Keeping what search knows of a space true: term counts, mean length, speakers, and the vector index of large spaces.

All of it is off the write path: document frequencies are hot rows that writers would fight over.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from hashlib import blake2b
from typing import Any

from recollect.db.compose import SQL, Identifier, Jsonb, Literal
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.flows.parts import Parts
from recollect.queue import enqueue_on
from recollect.records import bm25, store
from recollect.records.store import term_vector

TASK = "statistics"
QUERIES = load("recollect.flows", "statistics.sql")

# Statistics are taken anew when this share of the entries has changed: the work stays in proportion to the writing.
STALE_SHARE = 0.05
# While more is on its way that will ask for them again: a space that is filled is counted as often as it doubles.
_FILLING_SHARE = 1.0
# How far the mean length may move before all entries are weighed anew. In a large space that costs as much as indexing
# all of them did: there more is let pass, as though K1 were 0.93 or 1.47 and B 0.68 or 0.80.
_DRIFT = 0.1
_DRIFT_OF_MANY = 0.3
_MANY = 1_000
_REWEIGH_ROWS = 2_000
_STORED_AT_ONCE = 250
_WORTH_ANALYZING = 200
_BUILD_PAUSE = 0.2


async def refresh_when_due(connection: Connection, space: str, *, filling: bool = False) -> None:
    """Ask for new statistics, in the transaction that made the old ones stale; `filling`: more follows at once."""
    share = _FILLING_SHARE if filling else STALE_SHARE
    cursor = await connection.execute(QUERIES["stale"], {"space": space, "share": share})
    row = await cursor.fetchone()
    if row is not None and row.stale:
        await enqueue_on(connection, TASK, space)


async def count_changes(connection: Connection, space: str, now: datetime, changes: int) -> None:
    """Note that entries came or went without a change of knowledge."""
    if changes:
        await store.raise_revision(connection, space, now, knowledge=False, changes=changes)
        await refresh_when_due(connection, space)


async def refresh(parts: Parts, space: str) -> dict[str, int]:
    """Count terms and entries anew; weigh entries again if texts have become longer or shorter; index a large space."""
    async with parts.database.transaction(space) as connection:
        row = await _take(connection, space, parts.clock())
    if row is None:
        return {"entries": 0}
    await _analyze(parts, row.entries)
    reweighed = await _reweigh(parts, space, row)
    built = await _index_vectors(parts, space, row)
    return {"entries": row.entries, "reweighed": reweighed, "indexed": int(built)}


async def _take(connection: Connection, space: str, now: datetime) -> Any | None:
    """Count first, then store: writers wait for the rows that this locks, so it locks them last and in their order."""
    pending = await _one(connection, "pending_changes", space=space)
    if pending is None:
        return None
    await connection.execute(QUERIES["count_terms"], {"space": space})
    counted = await _one(connection, "count_entries", space=space)
    await connection.execute(QUERIES["settle"], {"space": space, "changes": pending.changes})
    return await _one(
        connection,
        "take",
        space=space,
        entries=counted.entries,
        mean_length=counted.mean_length,
        kinds=Jsonb(counted.kinds),
        now=now,
    )


async def _one(connection: Connection, name: str, **values: Any) -> Any:
    cursor = await connection.execute(QUERIES[name], values)
    return await cursor.fetchone()


async def tell_planner(parts: Parts) -> None:
    """The same for work that fills a space batch after batch, whose own statements join what it has just written."""
    if parts.database.spread:
        return
    async with parts.database.owner() as owner:
        cursor = await owner.execute(QUERIES["outgrown"])
        row = await cursor.fetchone()
        if row and row.outgrown:
            await owner.execute(QUERIES["analyze"])


async def _analyze(parts: Parts, entries: int) -> None:
    """Tell the planner of many new rows at once: what it thinks is small it joins by trying every pair.

    On a cluster that would go through every shard of every space: there it is left to each node's own housekeeping.
    """
    if entries < _WORTH_ANALYZING or parts.database.spread:
        return
    async with parts.database.owner() as owner:
        cursor = await owner.execute(QUERIES["believed_entries"])
        row = await cursor.fetchone()
        if row and entries > 2 * row.entries:
            await owner.execute(QUERIES["analyze"])


async def _reweigh(parts: Parts, space: str, taken: Any) -> int:
    """BM25 weighs a text by its length against the mean: when the mean has moved, the stored weights follow."""
    mean, old = taken.mean_length, taken.weighted_length or bm25.TYPICAL_LENGTH
    drift = _DRIFT if taken.entries <= _MANY else _DRIFT_OF_MANY
    if not mean or abs(mean - old) <= drift * old:
        return 0
    done, after = 0, None
    async with parts.database.transaction(space) as connection:
        while rows := await _weights_after(connection, space, after):
            await _store_all_weights(connection, space, rows, mean)
            done += len(rows)
            after = rows[-1]
        await connection.execute(QUERIES["set_weighted_length"], {"space": space, "mean": mean})
    return done


async def _store_all_weights(connection: Connection, space: str, rows: list[Any], mean: float) -> None:
    """New weights for some entries, a few at a time: while those are stored, the next ones are made on a thread."""
    stretches = [rows[start : start + _STORED_AT_ONCE] for start in range(0, len(rows), _STORED_AT_ONCE)]
    coming = _made(stretches[0], mean)
    for stretch, following in zip(stretches, [*stretches[1:], []], strict=True):
        weights = await coming
        coming = _made(following, mean)
        await _store_weights(connection, space, stretch, weights)


def _made(rows: list[Any], mean: float) -> asyncio.Task[list[Any]]:
    """Their weights for another mean length, soon."""
    return asyncio.create_task(asyncio.to_thread(lambda: [_again(row, mean) for row in rows]))


async def _weights_after(connection: Connection, space: str, after: Any | None) -> list[Any]:
    place = [after.memory_id, after.version, after.passage] if after else ["00000000-0000-0000-0000-000000000000", 0, 0]
    cursor = await connection.execute(
        QUERIES["weights_after"],
        {"space": space, "memory_id": place[0], "version": place[1], "passage": place[2], "limit": _REWEIGH_ROWS},
        binary=True,
    )
    return await cursor.fetchall()


async def _store_weights(connection: Connection, space: str, rows: list[Any], weights: list[Any]) -> None:
    await connection.execute(
        QUERIES["store_weights"],
        {
            "space": space,
            "ids": [row.memory_id for row in rows],
            "versions": [row.version for row in rows],
            "passages": [row.passage for row in rows],
            "weights": weights,
        },
        binary=True,
    )


def _again(row: Any, mean: float) -> Any:
    known = dict(zip((index + 1 for index in row.weights.indices()), row.weights.values(), strict=True))
    return term_vector(bm25.reweighted(known, row.length, mean))


async def _index_vectors(parts: Parts, space: str, row: Any) -> bool:
    """A space that has grown past reading it whole gets an index of its own; only the owner can build one."""
    if row.vector_index is not None or row.entries <= parts.settings.exact_limit:
        return False
    name = index_name(space)
    async with parts.database.owner() as owner, _alone(owner):
        await _drop_invalid(owner, name)
        await owner.execute("set maintenance_work_mem = '512MB'")
        await owner.execute(
            SQL(QUERIES["build_index"]).format(
                name=Identifier(name), space=Literal(space), dimensions=Literal(parts.embedder.dimensions)
            ),
            {},
        )
        await owner.execute("reset maintenance_work_mem")
    async with parts.database.transaction(space) as connection:
        await connection.execute(QUERIES["set_vector_index"], {"space": space, "name": name})
    return True


@asynccontextmanager
async def _alone(owner: Connection) -> AsyncIterator[None]:
    """Two builds on one table wait for each other's snapshots, and so would a wait for a lock: it asks, and sleeps."""
    while not await _is_free(owner):  # noqa: ASYNC110 - other processes build too
        await asyncio.sleep(_BUILD_PAUSE)
    try:
        yield
    finally:
        await owner.execute(QUERIES["end_building"])


async def _is_free(owner: Connection) -> bool:
    cursor = await owner.execute(QUERIES["begin_building"])
    row = await cursor.fetchone()
    return bool(row and row.alone)


async def _drop_invalid(owner: Connection, name: str) -> None:
    """A build that was interrupted leaves an index that serves nothing and stands in the way."""
    cursor = await owner.execute(QUERIES["invalid_index"], {"name": name})
    if await cursor.fetchone():
        await owner.execute(SQL("drop index concurrently if exists {}").format(Identifier(name)))


def index_name(space: str) -> str:
    """The name of a space's own vector index."""
    return "entry_vectors_" + blake2b(space.encode(), digest_size=10).hexdigest()


async def add_speakers(connection: Connection, space: str, names: set[str]) -> None:
    """Make names known that a question may hold."""
    for name in ("begin_statistics", "add_speakers"):
        await connection.execute(QUERIES[name], {"space": space, "names": sorted(names)})
