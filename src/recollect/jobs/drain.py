"""Wait for the work that is there now, and for what follows from it."""

import asyncio
import time

from recollect.db.database import Database
from recollect.queue import store
from recollect.queue.model import Drained, Ending, Job
from recollect.queue.store import Descendant

# Seconds between looks at what other processes do; the end of a job of our own is told at once.
_SHORTEST = 0.01
_LONGEST = 0.1


class Drain:
    """The jobs of one call: those that waited or ran at the call, and those that descend from them.

    Every job carries the ids of those that it descends from, and a handler enqueues before its own job ends:
    when no job of the call is left to be seen, none will come.
    """

    def __init__(self, database: Database, caller: Job | None) -> None:
        self._database = database
        self._caller = caller
        self._changed = asyncio.Event()
        self._roots: set[int] = set()
        self._delayed: set[int] = set()
        self._seen: set[int] = set()
        self._replaced: set[int] = set()
        self._endings: dict[int, Ending] = {}
        self.complete = False

    def ended(self, job: Job, ending: Ending) -> None:
        """A job ended in this process."""
        if job.id in self._roots or self._roots & {int(origin) for origin in job.origins}:
            self._endings[job.id] = ending
        self._changed.set()

    async def wait(self, limit: float | None, stopping: asyncio.Event) -> Drained:
        """Until nothing is left, the time is over, or the worker stops."""
        await self._begin()
        deadline = None if limit is None else time.monotonic() + limit
        pause = _SHORTEST
        while True:
            self._changed.clear()
            began = time.monotonic()
            left = await self._look()
            cost = time.monotonic() - began
            active = [job for job in left if self._is_active(job)]
            self.complete = not active
            if self.complete or stopping.is_set() or _passed(deadline):
                return self._result(left)
            # Among thousands of jobs a look is dear: not one for every job that ends.
            await asyncio.sleep(min(2 * cost, _LONGEST))
            if not await self._woken(pause, deadline):
                pause = min(pause * 1.5, _LONGEST)

    async def _begin(self) -> None:
        async with self._database.application() as connection:
            self._roots, self._delayed = await store.queued(connection)
        if self._caller is not None:
            self._roots.discard(self._caller.id)
        self._seen = set(self._roots)

    async def _look(self) -> list[Descendant]:
        async with self._database.application() as connection:
            left = await store.descendants(connection, self._roots, self._delayed)
        if self._caller is not None:
            left = [job for job in left if job.id != self._caller.id]
        self._seen |= {job.id for job in left if self._is_active(job)}
        self._replaced |= {job.again_of for job in left if job.again_of is not None}
        return left

    def _is_active(self, job: Descendant) -> bool:
        if job.status == "failed":
            return False
        return job.id in self._roots or not job.deferred

    async def _woken(self, pause: float, deadline: float | None) -> bool:
        if deadline is not None:
            pause = max(0.0, min(pause, deadline - time.monotonic()))
        try:
            await asyncio.wait_for(self._changed.wait(), pause)
        except TimeoutError:
            return False
        return True

    def _result(self, left: list[Descendant]) -> Drained:
        failed = {job.id for job in left if job.status == "failed"}
        waiting = {job.id for job in left if job.status != "failed"}
        told = {job for job, ending in self._endings.items() if ending is Ending.DONE}
        gone = self._seen - failed - waiting - self._replaced - self._endings.keys()
        return Drained(done=len(told | gone), failed=len(failed), deferred=len(waiting))


def _passed(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline
