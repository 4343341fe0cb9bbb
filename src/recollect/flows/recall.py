"""Counting recalls off the answer path: collected in the process, written shortly after, and at an orderly end."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from recollect.core.errors import RecollectError
from recollect.db.sql import load
from recollect.flows.parts import Parts
from recollect.records import store
from recollect.records.model import Event, Memory
from recollect.retrieval.search import Hit

LIFECYCLE = load("recollect.records", "lifecycle.sql")

_PAUSE = 0.25  # seconds in which recalls gather, so that a burst of searches costs a few statements
_log = logging.getLogger(__name__)


class Recalls:
    """Recalls that are not written yet, and the task that writes them."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._waiting: dict[tuple[str, datetime], list[UUID]] = defaultdict(list)
        self._searches: dict[tuple[str, datetime], list[Event]] = defaultdict(list)
        self._writer: asyncio.Task[None] | None = None

    def note(self, memories: Iterable[Memory], now: datetime) -> None:
        """A caller was given these memories."""
        for memory in memories:
            self._waiting[memory.space, now].append(memory.id)
        self._start()

    def note_search(self, space: str, hits: Sequence[Hit], now: datetime, seconds: float) -> None:
        """A search was answered."""
        best = max((hit.evidence for hit in hits), default=None)
        status, detail = ("ok" if hits else "empty"), {"hits": len(hits)}
        event = Event("hotpath", "search", status, similarity=best, milliseconds=seconds * 1000, detail=detail)
        self._searches[space, now].append(event)
        self.note((hit.memory for hit in hits), now)

    def _start(self) -> None:
        if (self._waiting or self._searches) and (self._writer is None or self._writer.done()):
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
        while self._waiting or self._searches:
            space, now = next(iter(self._waiting or self._searches))
            ids, searches = self._waiting.get((space, now), []), self._searches.get((space, now), [])
            try:
                await recall(self._parts, space, ids, now, searches)
            except RecollectError:
                # The counters are not worth a crash; they stay and are tried with the next recall.
                _log.warning("recalls of %s memories could not be counted yet", len(ids), exc_info=True)
                return
            self._waiting.pop((space, now), None)
            self._searches.pop((space, now), None)


async def recall(parts: Parts, space: str, ids: Iterable[UUID], now: datetime, searches: Sequence[Event] = ()) -> None:
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
        if searches:
            await store.record_events(connection, space, searches, now)
        back = [row.memory_id for row in await cursor.fetchall() if row.state_before == "archived"]
        if back:
            await connection.execute(store.QUERIES["show_entries"], {"space": space, "ids": back})
