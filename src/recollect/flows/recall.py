"""Counting recalls off the answer path: collected in the process, written shortly after, and at an orderly end."""

import asyncio
import logging
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recollect.core.errors import RecollectError
from recollect.core.scope import Scope
from recollect.db import sight
from recollect.flows import teams
from recollect.flows.parts import Parts
from recollect.flows.teams import Origin
from recollect.records import store
from recollect.records.model import Event, Memory
from recollect.retrieval.search import Hit

_PAUSE = 0.5  # seconds in which recalls gather, so that a burst of searches costs a few statements
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recall:
    """What one call gave to its caller from one space."""

    space: str
    now: datetime
    ids: tuple[UUID, ...]
    searches: tuple[Event, ...] = ()
    origins: frozenset[Origin] = frozenset()
    """Sources of teams that the user of the space was given."""


class Recalls:
    """Recalls that are not written yet, each as its own, and the task that writes them."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._waiting: deque[Recall] = deque()
        self._writing = asyncio.Lock()
        self._writer: asyncio.Task[None] | None = None

    def note(self, scope: Scope, memories: Iterable[Memory], now: datetime) -> None:
        """A caller was given these memories."""
        self._note(scope, list(memories), (), now)

    def note_walk(self, space: str, ids: Iterable[UUID], now: datetime) -> None:
        """A caller was given these nodes and relations of a space."""
        self._waiting.append(Recall(space, now, tuple(ids)))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_soon())

    def note_search(
        self, scope: Scope, hits: Sequence[Hit], now: datetime, seconds: float, *, op: str = "search"
    ) -> None:
        """A search, or a query, was answered."""
        best = max((hit.evidence for hit in hits), default=None)
        status, detail = ("ok" if hits else "empty"), {"hits": len(hits)}
        event = Event("hotpath", op, status, similarity=best, milliseconds=seconds * 1000, detail=detail)
        given = [memory for hit in hits for memory in (hit.memory, *hit.also)]
        self._note(scope, given, (event,), now)

    def note_problem(self, scope: Scope, op: str, problem: str, now: datetime) -> None:
        """Something went wrong that the caller's answer does not tell."""
        self._note(scope, [], (Event("hotpath", op, "error", detail={"problem": problem}),), now)

    def note_context(self, scope: Scope, hits: Sequence[Hit], now: datetime, seconds: float, *, advised: bool) -> None:
        """A context was made; the memories that are in it count as recalled."""
        status = "ok" if hits else "empty"
        detail = {"hits": len(hits), "recall_advised": advised}
        event = Event("context", "search", status, milliseconds=seconds * 1000, detail=detail)
        self._note(scope, [hit.memory for hit in hits], (event,), now)

    def _note(self, scope: Scope, memories: Sequence[Memory], events: tuple[Event, ...], now: datetime) -> None:
        ids, searches = _ids_by_space(memories), {scope.space: events} if events else {}
        for space in {*ids, *searches}:
            self._waiting.append(Recall(space, now, tuple(ids.get(space, ())), searches.get(space, ())))
        if scope.user_id is not None and (origins := teams.origins_of(memories)):
            used = Recall(scope.own_space, now, (), origins=frozenset(origins))
            self._waiting.append(used)
        if self._waiting and (self._writer is None or self._writer.done()):
            self._writer = asyncio.create_task(self._write_soon())

    async def _write_soon(self) -> None:
        written = True
        while written and self._waiting:
            await asyncio.sleep(_PAUSE)
            async with self._writing:
                written = await self._write()

    async def flush(self) -> None:
        """Write all that waits; nothing is lost in an orderly shutdown."""
        async with self._writing:
            if self._writer is not None:
                self._writer.cancel()  # it sleeps, or waits for us: nothing is cut off half-way
            while self._waiting and await self._write():
                pass

    async def _write(self) -> bool:
        """A space at a time, all that waits of it in one transaction: of every reader, whoever began the writing.

        What comes meanwhile gathers for the next time. False where something could not be written.
        """
        with sight.narrowed_to(None):
            return await self._write_all()

    async def _write_all(self) -> bool:
        for space in dict.fromkeys(waiting.space for waiting in self._waiting):
            taken = [waiting for waiting in self._waiting if waiting.space == space]
            try:
                await recall(self._parts, space, taken)
            except RecollectError as error:
                # The counters are not worth a crash; they stay and are tried with the next recall.
                _log.warning("%s recalls could not be counted yet: %s", len(taken), error)
                return False
            done = set(map(id, taken))
            self._waiting = deque(waiting for waiting in self._waiting if id(waiting) not in done)
        return True


class Looks:
    """In place of recalls where a person looks: what is looked at is not used, and gains nothing by it."""

    def __init__(self, recalls: Recalls) -> None:
        self._recalls = recalls

    def note(self, *_: object) -> None:
        """Some memories were shown."""

    def note_walk(self, *_: object) -> None:
        """A part of the graph was shown."""

    def note_search(self, *_: object, **__: object) -> None:
        """What a search found was shown."""

    def note_context(self, *_: object, **__: object) -> None:
        """A context was shown."""

    def note_problem(self, scope: Scope, op: str, problem: str, now: datetime) -> None:
        """A problem is one for everybody."""
        self._recalls.note_problem(scope, op, problem, now)


def _ids_by_space(memories: Iterable[Memory]) -> dict[str, list[UUID]]:
    ids: dict[str, list[UUID]] = defaultdict(list)
    for memory in memories:
        ids[memory.space].append(memory.id)
    return ids


async def recall(parts: Parts, space: str, recalls: Sequence[Recall]) -> None:
    """Count each recall of each memory, in one transaction; one that was archived is back in every search.

    All of them count as of the last one's moment: they lie less than a second apart.
    """
    now = max(waiting.now for waiting in recalls)
    counts = Counter(memory_id for waiting in recalls for memory_id in set(waiting.ids))
    if origins := {origin for waiting in recalls for origin in waiting.origins}:
        await teams.refer(parts, space, origins)
    searches = [event for waiting in recalls for event in waiting.searches]
    if counts or searches:
        async with parts.database.transaction(space) as connection:
            await store.recall(connection, space, counts, now, parts.rules)
            if searches:
                await store.record_events(connection, space, searches, now)
