"""The background work of one process: started with it, stopped with it, or only for the time of a call."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from recollect.core.clock import Clock, system_clock
from recollect.core.errors import InvalidInput
from recollect.core.settings import Settings
from recollect.db.database import Database
from recollect.jobs.drain import Drain
from recollect.jobs.runner import Runner
from recollect.queue.enqueue import EVERYWHERE, current_job
from recollect.queue.model import Drained, Ending, Handler, Job

# Seconds that jobs get to end after a drain that ran them itself: only later arrivals still run then.
_AFTER_DRAIN = 10.0


class Worker:
    """Takes jobs and runs their handlers, which are found by the name of the task."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        handlers: Mapping[str, Handler],
        clock: Clock = system_clock,
    ) -> None:
        self._database = database
        self._settings = settings
        self._handlers = handlers
        self._clock = clock
        self._gate = asyncio.Lock()
        self._runner: Runner | None = None
        self._started = False
        self._drains: set[Drain] = set()

    @property
    def running(self) -> bool:
        """Whether `start` was called, and `stop` was not."""
        return self._started

    async def start(self) -> None:
        """Begin to take jobs. Calling it twice does no harm."""
        async with self._gate:
            await self._ensure_runner()
            self._started = True

    async def stop(self, grace: float = 10.0) -> None:
        """Take no more jobs; let those that run end within `grace` seconds, and hand back the rest."""
        self._started = False
        async with self._gate:
            runner, self._runner = self._runner, None
        if runner is not None:
            await runner.close(grace)

    async def drain(self, timeout: float | None = 60.0) -> Drained:
        """Have done what waits or runs at the call, and what follows from it, here or in other processes.

        Jobs that others enqueue later are not waited for, nor those that wait for their time: retries and
        delays count as deferred, as does what has not ended after `timeout` seconds. Where no worker runs in
        this process, one works for as long as the call lasts.
        """
        drain = Drain(self._database, current_job.get())
        async with self._joined(drain) as runner:
            return await drain.wait(timeout, runner.stopping)

    async def run_now(self, task: str, space: str = EVERYWHERE) -> Mapping[str, int]:
        """Run a task here and now, after a run of it that is under way; its counts, or its error."""
        if task not in self._handlers:
            raise InvalidInput("job", f"{task!r} is none of: {', '.join(sorted(self._handlers))}")
        runner = await self._new_runner(takes=False)
        try:
            return await runner.run_now(task, space)
        finally:
            await runner.close(0)

    @asynccontextmanager
    async def _joined(self, drain: Drain) -> AsyncIterator[Runner]:
        async with self._gate:
            runner = await self._ensure_runner()
            self._drains.add(drain)
        try:
            yield runner
        finally:
            self._drains.discard(drain)
            await self._end_if_unused(runner, _AFTER_DRAIN if drain.complete else 0)

    async def _end_if_unused(self, runner: Runner, grace: float) -> None:
        async with self._gate:
            if self._started or self._drains or self._runner is not runner:
                return
            self._runner = None
        await runner.close(grace)

    async def _ensure_runner(self) -> Runner:
        if self._runner is None:
            self._runner = await self._new_runner(takes=True)
        return self._runner

    async def _new_runner(self, *, takes: bool) -> Runner:
        runner = Runner(self._database, self._settings, self._handlers, self._clock, self._tell_drains)
        await runner.open(takes=takes)
        return runner

    def _tell_drains(self, job: Job, ending: Ending) -> None:
        for drain in self._drains:
            drain.ended(job, ending)
