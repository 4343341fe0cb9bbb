"""Counting recalls off the answer path: collected in the process, written shortly after, and at an orderly end."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from recollect.core.errors import RecollectError
from recollect.db.sql import load
from recollect.flows.parts import Parts
from recollect.records.model import Memory
from recollect.records.store import QUERIES

LIFECYCLE = load("recollect.records", "lifecycle.sql")

_PAUSE = 0.25  # seconds in which recalls gather, so that a burst of searches costs a few statements
_log = logging.getLogger(__name__)


class Recalls:
    """Recalls that are not written yet, and the task that writes them."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._waiting: dict[tuple[str, datetime], list[UUID]] = defaultdict(list)
        self._writer: asyncio.Task[None] | None = None

    def note(self, memories: Iterable[Memory], now: datetime) -> None:
        """A caller was given these memories."""
        for memory in memories:
            self._waiting[memory.space, now].append(memory.id)
        if self._waiting and (self._writer is None or self._writer.done()):
            self._writer = asyncio.create_task(self._write_soon())

    async def _write_soon(self) -> None:
        await asyncio.sleep(_PAUSE)
        await self._write()

    async def flush(self) -> None:
        """Write all that waits; nothing is lost in an orderly shutdown."""
        if self._writer and not self._writer.done():
            self._writer.cancel()
            await asyncio.gather(self._writer, return_exceptions=True)
        await self._write()

    async def _write(self) -> None:
        while self._waiting:
            (space, now), ids = next(iter(self._waiting.items()))
            try:
                await recall(self._parts, space, ids, now)
            except RecollectError:
                # The counters are not worth a crash; they stay and are tried with the next recall.
                _log.warning("recalls of %s memories could not be counted yet", len(ids), exc_info=True)
                return
            del self._waiting[space, now]


async def recall(parts: Parts, space: str, ids: Iterable[UUID], now: datetime) -> None:
    """Count a recall of each memory; one that was archived is back in every search."""
    rules = parts.rules
    async with parts.database.transaction(space) as connection:
        cursor = await connection.execute(
            LIFECYCLE["recall"],
            {
                "space": space,
                "ids": list(dict.fromkeys(ids)),
                "now": now,
                "rate": rules.decay_rate,
                "confident": rules.confident,
                "gain": rules.salience_recall,
                "active_accesses": rules.active_accesses,
                "core_accesses": rules.core_accesses,
            },
        )
        back = [row.memory_id for row in await cursor.fetchall() if row.state_before == "archived"]
        if back:
            await connection.execute(QUERIES["show_entries"], {"space": space, "ids": back})
