"""Counting recalls off the answer path: collected in the process, written shortly after, and at an orderly end."""

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class _Recall:
    """What one call gave to its caller from one space."""

    space: str
    now: datetime
    ids: tuple[UUID, ...]
    searches: tuple[Event, ...] = ()


class Recalls:
    """Recalls that are not written yet, each as its own, and the task that writes them."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._waiting: deque[_Recall] = deque()
        self._writing = asyncio.Lock()
        self._writer: asyncio.Task[None] | None = None

    def note(self, memories: Iterable[Memory], now: datetime) -> None:
        """A caller was given these memories."""
        self._note(_ids_by_space(memories), {}, now)

    def note_search(self, space: str, hits: Sequence[Hit], now: datetime, seconds: float) -> None:
        """A search was answered."""
        best = max((hit.evidence for hit in hits), default=None)
        status, detail = ("ok" if hits else "empty"), {"hits": len(hits)}
        event = Event("hotpath", "search", status, similarity=best, milliseconds=seconds * 1000, detail=detail)
        given = (memory for hit in hits for memory in (hit.memory, *hit.also))
        self._note(_ids_by_space(given), {space: (event,)}, now)

    def _note(
        self, ids: Mapping[str, Sequence[UUID]], searches: Mapping[str, tuple[Event, ...]], now: datetime
    ) -> None:
        for space in {*ids, *searches}:
            self._waiting.append(_Recall(space, now, tuple(ids.get(space, ())), searches.get(space, ())))
        if self._waiting and (self._writer is None or self._writer.done()):
            self._writer = asyncio.create_task(self._write_soon())

    async def _write_soon(self) -> None:
        await asyncio.sleep(_PAUSE)
        async with self._writing:
            await self._write()

    async def flush(self) -> None:
        """Write all that waits; nothing is lost in an orderly shutdown."""
        async with self._writing:
            if self._writer is not None:
                self._writer.cancel()  # it sleeps, or waits for us: nothing is cut off half-way
            await self._write()

    async def _write(self) -> None:
        while self._waiting:
            first = self._waiting[0]
            try:
                await recall(self._parts, first.space, first.ids, first.now, first.searches)
            except RecollectError:
                # The counters are not worth a crash; they stay and are tried with the next recall.
                _log.warning("recalls of %s memories could not be counted yet", len(first.ids), exc_info=True)
                return
            self._waiting.popleft()


def _ids_by_space(memories: Iterable[Memory]) -> dict[str, list[UUID]]:
    ids: dict[str, list[UUID]] = defaultdict(list)
    for memory in memories:
        ids[memory.space].append(memory.id)
    return ids


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
