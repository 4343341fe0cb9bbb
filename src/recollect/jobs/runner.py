"""One registered worker: takes jobs, runs their handlers, and shows that it lives.

The loop is our own, over procrastinate's tables and functions. procrastinate's worker loses a notification
that comes while it looks for a job, does not look again when the end of one job lets another begin, makes a
job that failed wait in front of its successors, and ends for good when its connection breaks.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import datetime

from recollect.core.clock import Clock
from recollect.core.describe import describe
from recollect.core.errors import RecollectError, Unavailable
from recollect.core.settings import Settings
from recollect.db.database import Connection, Database
from recollect.jobs.tasks import cancel
from recollect.queue import store
from recollect.queue.enqueue import EVERYWHERE, current_job, enqueue_on
from recollect.queue.model import Ending, Handler, Job

logger = logging.getLogger(__name__)

OnEnd = Callable[[Job, Ending], None]

DEAD = "its worker stopped responding"

# Seconds between looks into the queue when nothing calls: seldom if notifications come, else often.
_POLL_LISTENING = 5.0
_POLL_SILENT = 0.5
_LONGEST_HEARTBEAT = 10.0
_LONGEST_BACKOFF = 3600.0
_LONGEST_WAIT = 15.0  # between looks at something that is away
# How long a job waits for transactions that counted on it; for what is left then, another comes later.
_SETTLE = 1.0
_SETTLE_AGAIN = 2.0
# Between attempts to reach a server that does not answer.
_PATIENCE = 1.0
# A handler that was cancelled gets this long to put its things away.
_CANCELLED = 5.0
# One to take and end jobs, one for the heartbeat, one that listens.
_CONNECTIONS = 3


class Runner:
    """A worker from its registration to its end; a new one is made to start again."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        handlers: Mapping[str, Handler],
        clock: Clock,
        on_end: OnEnd,
    ) -> None:
        # Connections of its own: no heartbeat may be late because callers use up the others.
        self._database = Database(
            database.owner_url,
            database.app_url,
            pool_size=_CONNECTIONS,
            prepared=settings.prepared_statements,
        )
        self._settings = settings
        self._handlers = handlers
        self._clock = clock
        self._on_end = on_end
        self._worker = 0
        self._wake = asyncio.Event()
        self._fetching = asyncio.Lock()
        self._jobs: dict[int, asyncio.Task[None]] = {}
        self._own: set[int] = set()
        self._loops: list[asyncio.Task[None]] = []
        self.stopping = asyncio.Event()

    async def open(self, *, takes: bool) -> None:
        """Register; take over what dead workers left; begin."""
        await self._database.open()
        try:
            async with self._database.application() as connection:
                self._worker = await store.register(connection)
                await self._rescue(connection)
        except BaseException:
            await self._database.close()
            raise
        self._loops = [asyncio.create_task(self._beat(), name="recollect heartbeat")]
        if takes:
            self._loops.append(asyncio.create_task(self._take(), name="recollect worker"))
        if takes and self._settings.listen:
            self._loops.append(asyncio.create_task(self._listen(), name="recollect notifications"))

    async def close(self, grace: float) -> None:
        """Take nothing more, give running jobs `grace` seconds, hand back the rest, leave."""
        self.stopping.set()
        self._wake.set()
        try:
            await self._end_jobs(grace)
        finally:
            await cancel(self._loops)
            with suppress(RecollectError):
                async with self._database.application() as connection:
                    await store.unregister(connection, self._worker)
            await self._database.close()

    async def run_now(self, task: str, space: str) -> Mapping[str, int]:
        """Run a task in the caller's own time; its error is the caller's."""
        job = await self._claim(task, space)
        try:
            return await self._handled(job)
        finally:
            await asyncio.shield(self._insist(lambda connection: store.done(connection, job)))
            self._own.discard(job.id)

    # Taking ----------------------------------------------------------------------------------------

    async def _take(self) -> None:
        while not self.stopping.is_set():
            # Cleared before the look, so that a call during the look leads to another.
            self._wake.clear()
            try:
                pause = await self._take_all()
            except Exception as error:
                logger.warning("cannot take jobs: %s", describe(error))
                pause = _PATIENCE
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), pause)

    async def _take_all(self) -> float:
        """Begin what may run; the seconds until it is worth looking again."""
        poll = _POLL_LISTENING if self._settings.listen else _POLL_SILENT
        while len(self._jobs) < self._settings.worker_concurrency and not self.stopping.is_set():
            if not await self._take_one():
                return min(poll, await self._until_due())
        return poll

    async def _take_one(self) -> bool:
        # Held until the job is known here: the heartbeat would think it lost.
        async with self._fetching, self._database.application() as connection:
            job = await store.fetch(connection, self._worker)
            if job is not None:
                self._jobs[job.id] = asyncio.create_task(self._run(job), name=f"job {job.id} {job.task}")
        return job is not None

    async def _until_due(self) -> float:
        async with self._database.application() as connection:
            promoted, seconds = await store.promote(connection)
        if promoted:
            return 0
        return _POLL_LISTENING if seconds is None else max(seconds, 0.001)

    async def _claim(self, task: str, space: str) -> Job:
        while True:
            async with self._fetching, self._database.application() as connection:
                job = await store.claim(connection, self._worker, task, space)
                if job is not None:
                    self._own.add(job.id)
                    return job
            await asyncio.sleep(0.05)

    async def _listen(self) -> None:
        while True:
            try:
                async with self._database.application() as connection:
                    await store.listen(connection)
                    # What came before we listened, or while the connection was broken.
                    self._wake.set()
                    async for _ in connection.notifies():
                        self._wake.set()
            except Exception as error:
                logger.warning("cannot listen for jobs: %s", describe(error))
            await asyncio.sleep(_PATIENCE)

    # Running ---------------------------------------------------------------------------------------

    async def _run(self, job: Job) -> None:
        ending = Ending.AGAIN
        try:
            settled = await self._settle(job)
            await self._handled(job)
            await self._insist(lambda connection: self._done(connection, job, settled=settled))
            ending = Ending.DONE
        except asyncio.CancelledError as error:
            if not _is_cancelled():
                # Something in the handler was cancelled, not the job: handed back, it would run on and on.
                ending = await self._failed(job, error)
                return
            await asyncio.shield(self._insist(lambda connection: store.hand_back(connection, job)))
            raise
        except Exception as error:
            ending = await self._failed(job, error)
        finally:
            del self._jobs[job.id]
            self._wake.set()
            self._on_end(job, ending)

    async def _handled(self, job: Job) -> Mapping[str, int]:
        handler = self._handlers.get(job.task)
        if handler is None:
            raise RecollectError(f"no handler for {job.task}")
        started = self._clock()
        await self._record(job, started)
        try:
            counts = await _as_job(job, handler(job.space))
        except Exception as error:
            await self._record(job, started, failed=describe(error))
            raise
        await self._record(job, started, counts=counts)
        return counts

    async def _record(
        self,
        job: Job,
        started: datetime,
        *,
        counts: Mapping[str, int] | None = None,
        failed: str | None = None,
    ) -> None:
        """Keep the runs that the schedule asks about."""
        if job.space != EVERYWHERE:
            return
        finished = self._clock() if counts is not None or failed is not None else None
        async with self._database.application() as connection:
            await store.record_run(connection, job.task, started, finished=finished, counts=counts, failed=failed)

    async def _settle(self, job: Job) -> bool:
        """Wait for the transactions that found this job waiting and so left no other: it must see what they
        wrote. False if one of them takes too long."""
        left, deadline, pause = None, time.monotonic() + _SETTLE, 0.002
        while True:
            async with self._database.application() as connection:
                writers = await store.writers(connection, job.lock)
            left = writers if left is None else left & writers
            if not left or time.monotonic() > deadline:
                return not left
            await asyncio.sleep(pause)
            pause = min(pause * 2, 0.05)

    async def _done(self, connection: Connection, job: Job, *, settled: bool) -> None:
        if not settled:
            await enqueue_on(connection, job.task, job.space, after=_SETTLE_AGAIN)
        if not await store.done(connection, job):
            logger.warning("job %s %s was taken over by another worker before it ended", job.id, job.task)

    async def _failed(self, job: Job, error: BaseException) -> Ending:
        tries, told = job.attempts + 1, describe(error)
        # What is away comes back, and the job is not to blame: it waits for as long as that takes.
        away = isinstance(error, Unavailable)
        if tries >= self._settings.job_attempts and not away:
            logger.error("job %s %s failed %s times, given up: %s", job.id, job.task, tries, told)
            await self._insist(lambda connection: store.fail(connection, job, told))
            return Ending.FAILED
        longest = _LONGEST_WAIT if away else _LONGEST_BACKOFF
        after = min(self._settings.job_backoff * 2 ** min(tries - 1, 20), longest)
        logger.warning("job %s %s failed, tried again in %g s: %s", job.id, job.task, after, told)
        await self._insist(lambda connection: store.try_later(connection, job, after=after, error=told))
        return Ending.AGAIN

    async def _insist(self, statement: Callable[[Connection], Awaitable[object]]) -> None:
        """Tell the queue how a job ended. While it does not hear, nobody else could take the job up."""
        while True:
            try:
                async with self._database.application() as connection:
                    await statement(connection)
                return
            except Exception as error:
                logger.warning("cannot end a job: %s", describe(error))
                if self.stopping.is_set():
                    # Once we are gone, others find it without a worker.
                    return
            await asyncio.sleep(_PATIENCE)

    async def _end_jobs(self, grace: float) -> None:
        async with self._fetching:
            running = list(self._jobs.values())
        if running and grace > 0:
            await asyncio.wait(running, timeout=grace)
        await cancel(running, repeat=_CANCELLED / 2, limit=_CANCELLED)

    # Living ----------------------------------------------------------------------------------------

    async def _beat(self) -> None:
        timeout = self._settings.heartbeat_timeout
        interval = min(timeout / 3, _LONGEST_HEARTBEAT)
        last = time.time()
        while True:
            await asyncio.sleep(interval)
            # A machine that slept stops all its workers at once: after waking none may judge the others.
            slept = time.time() - last > timeout
            last = time.time()
            try:
                await self._show_life(rescue=not slept)
            except Exception as error:
                logger.warning("no heartbeat: %s", describe(error))

    async def _show_life(self, *, rescue: bool) -> None:
        async with self._database.application() as connection:
            if not await store.beat(connection, self._worker):
                # Thought dead: what runs here is being done by others, and its end will be refused.
                self._worker = await store.register(connection)
            if rescue:
                await self._rescue(connection)
            promoted, _ = await store.promote(connection)
        if promoted:
            self._wake.set()

    async def _rescue(self, connection: Connection) -> None:
        """Put the jobs of dead workers back into the queue, or give up those that killed too many."""
        timeout = self._settings.heartbeat_timeout
        async with self._fetching:
            running = {*self._jobs, *self._own}
            left = await store.abandoned(connection, self._worker, running, timeout)
        for job in left:
            logger.warning("job %s %s: %s", job.id, job.task, DEAD)
            if job.attempts + 1 >= self._settings.job_attempts:
                await store.fail(connection, job, DEAD)
            else:
                await store.take_over(connection, job, error=DEAD)
        await store.prune(connection, self._worker, timeout)


async def _as_job(job: Job, work: Awaitable[Mapping[str, int]]) -> Mapping[str, int]:
    """Do the work in a context in which what it enqueues follows from the job."""
    token = current_job.set(job)
    try:
        return await work
    finally:
        current_job.reset(token)


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
