"""Carrying a database to another embedding model: every search entry is made anew from what it was made of.

The owner notes the target first, and from then on nobody can open the database until all is done: half of its
vectors are of one model, half of another. How far each space is, is noted after every batch; killed at any
moment, the work goes on from there when it is run again.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from recollect.core.errors import Conflict
from recollect.db.compose import SQL, Identifier, Jsonb
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.flows import reindexing, statistics
from recollect.flows.descriptions import tie_texts
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.graph import store as graph
from recollect.queue import live_workers
from recollect.records import store

QUERIES = load("recollect.flows", "reembed.sql")

Progress = Callable[[int, int], None]

_BATCH = 256
_FIRST = str(UUID(int=0))


@dataclass(frozen=True, slots=True)
class Reembedded:
    """What was done: from which model to which, and how many memories of how many spaces in this run."""

    before: str | None
    after: str
    spaces: int
    memories: int
    resumed: bool


async def reembed(parts: Parts, *, force: bool = False, progress: Progress | None = None) -> Reembedded | None:
    """Bring every vector to the configured model; None if they are of it already."""
    if workers := await live_workers(parts.database, parts.settings.heartbeat_timeout):
        raise Conflict(f"{len(workers)} workers are at work on this database with the old model: stop them first")
    target = {"name": parts.embedder.name, "dimensions": parts.embedder.dimensions}
    async with _locked(parts) as owner:
        models = {row.name: row.value for row in await _rows(owner, "models")}
        before, unfinished = models.get("embedder"), models.get("reembedding")
        if before is None or (before == target and unfinished is None and not force):
            return None
        resumed = unfinished == target
        async with owner.transaction():
            if not resumed:
                await owner.execute(QUERIES["forget_marks"])
            await owner.execute(QUERIES["begin"], {"target": Jsonb(target)})
        spaces = await _rows(owner, "spaces")
        memories = await _all_spaces(parts, owner, spaces, progress or _unseen)
        await owner.execute(QUERIES["finish"], {"target": Jsonb(target)})
    return Reembedded(before["name"], parts.embedder.name, len(spaces), memories, resumed)


def _unseen(done: int, total: int) -> None:
    """Nobody looks."""


@asynccontextmanager
async def _locked(parts: Parts) -> AsyncIterator[Connection]:
    async with parts.database.owner() as owner:
        [row] = await _rows(owner, "lock")
        if not row.mine:
            raise Conflict("another process is re-embedding this database")
        try:
            yield owner
        finally:
            if not owner.closed:
                await owner.execute(QUERIES["unlock"])


async def _rows(connection: Connection, name: str, **values: Any) -> list[Any]:
    cursor = await connection.execute(QUERIES[name], values or None)
    return await cursor.fetchall()


async def _all_spaces(parts: Parts, owner: Connection, spaces: Sequence[Any], progress: Progress) -> int:
    total = sum(row.memories for row in spaces)
    before = done = sum(_already(row) for row in spaces)
    progress(done, total)
    for row in spaces:
        if row.mark and row.mark["done"]:
            continue
        async for count in _space(parts, owner, row.space_id, row.mark or {"after": _FIRST, "memories": 0}):
            done += count
            progress(done, max(done, total))
    return done - before


def _already(row: Any) -> int:
    """Memories of a space that an earlier run has done."""
    return int(row.mark["memories"]) if row.mark else 0


async def _space(parts: Parts, owner: Connection, space: str, mark: dict[str, Any]) -> AsyncIterator[int]:
    """Make a space's entries anew, batch by batch; how many memories each had."""
    name = Identifier(statistics.index_name(space))
    await owner.execute(SQL(QUERIES["drop_index"]).format(name=name))
    mean = await _prepare(parts, space)
    after, count = mark["after"], mark["memories"]
    while rows := await _read(parts, space, after):
        await reindexing.rewrite(parts, space, rows, mean, anew=True)
        after, count = str(rows[-1].id), count + len(rows)
        await _mark(owner, space, after, count, done=False)
        yield len(rows)
    await _ties(parts, space)
    await statistics.refresh(parts, space)
    await _mark(owner, space, after, count, done=True)


async def _ties(parts: Parts, space: str) -> None:
    """Make the vectors of a space's relations anew."""
    after = UUID(_FIRST)
    while True:
        async with parts.database.transaction(space) as connection:
            ids = await graph.entries_after(connection, space, after, _BATCH)
            texts = await tie_texts(parts, connection, space, ids) if ids else {}
        if not ids:
            return
        passages = await passages_of(parts, space, [plain(text) for text in texts.values()], anew=True)
        async with parts.database.transaction(space) as connection:
            made = {id: found[0] for id, found in zip(texts, passages, strict=True)}
            await graph.put_entries(connection, space, made)
        after = ids[-1]


async def _prepare(parts: Parts, space: str) -> float:
    async with parts.database.transaction(space) as connection:
        await connection.execute(QUERIES["forget_index"], {"space": space})
        return await store.mean_length(connection, space)


async def _mark(owner: Connection, space: str, after: str, memories: int, *, done: bool) -> None:
    mark = Jsonb({"after": after, "memories": memories, "done": done})
    await owner.execute(QUERIES["mark"], {"space": space, "mark": mark})


async def _read(parts: Parts, space: str, after: str) -> list[Any]:
    async with parts.database.transaction(space) as connection:
        return await _rows(connection, "memories_after", space=space, after=after, limit=_BATCH)
