"""The queue and its worker on a real server."""

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.core.settings import Settings, load_settings
from recollect.db.database import Batch, Database
from recollect.jobs.schedule import Scheduler
from recollect.jobs.worker import Worker
from recollect.queue import (
    Drained,
    Handler,
    JobState,
    count_jobs,
    enqueue,
    enqueue_all,
    enqueue_on,
    failed_jobs,
    last_runs,
    list_jobs,
    live_workers,
    retry,
)

PATIENCE = 60.0
SPACE = "user:älice " + "x" * 290


def settings(**values: Any) -> Settings:
    return load_settings(**{"job_backoff": 0.05, "job_attempts": 3, **values})


async def nothing(space: str) -> Mapping[str, int]:
    return {}


async def put(database: Database, task: str, space: str = SPACE, after: float = 0) -> None:
    batch = Batch(space)
    enqueue(batch, task, space, after=after)
    await database.send(batch)


@asynccontextmanager
async def working(database: Database, handlers: Mapping[str, Handler], **values: Any) -> AsyncIterator[Worker]:
    worker = Worker(database, settings(**values), handlers)
    await worker.start()
    try:
        yield worker
    finally:
        await worker.stop()


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await condition():  # noqa: ASYNC110 - the condition is in the database
            await asyncio.sleep(0.02)


async def states(database: Database) -> list[tuple[str, JobState]]:
    return [(job.task, job.state) for job in await list_jobs(database)]


# Enqueueing


async def test_one_job_waits_for_many_calls(database: Database) -> None:
    for _ in range(5):
        await put(database, "index")
    async with database.application() as connection:
        await enqueue_on(connection, "index", SPACE)
        await enqueue_all(connection, "index", [SPACE, SPACE, "user:bob"])
    jobs = await list_jobs(database)
    assert [(job.task, job.space, job.state) for job in jobs] == [
        ("index", SPACE, JobState.WAITING),
        ("index", "user:bob", JobState.WAITING),
    ]


async def test_tasks_and_spaces_wait_side_by_side(database: Database) -> None:
    for task, space in [("index", "user:a"), ("index", "user:b"), ("decay", "user:a")]:
        await put(database, task, space)
    assert len(await list_jobs(database)) == 3


async def test_jobs_are_counted_however_many_there_are(database: Database) -> None:
    async with database.application() as connection:
        await enqueue_all(connection, "index", [f"user:{number}" for number in range(1_100)])
    await put(database, "index", after=3600)
    assert len(await list_jobs(database)) == 1_000
    expected = {JobState.WAITING: 1_100, JobState.LATER: 1, JobState.RUNNING: 0, JobState.FAILED: 0}
    assert await count_jobs(database) == expected


async def test_a_rolled_back_transaction_leaves_nothing(database: Database) -> None:
    with suppress(ZeroDivisionError):
        async with database.transaction(SPACE) as connection:
            await enqueue_on(connection, "index", SPACE)
            raise ZeroDivisionError
    batch = Batch(SPACE)
    enqueue(batch, "index", SPACE)
    batch.add("select 1 / 0")
    with pytest.raises(psycopg.errors.DivisionByZero):
        await database.send(batch)
    assert await list_jobs(database) == []


async def test_what_is_due_later_lets_others_pass(database: Database) -> None:
    await put(database, "index", after=3600)
    await put(database, "index", after=1800)
    (later,) = await list_jobs(database)
    assert later.state is JobState.LATER
    assert later.due_at is not None
    assert later.due_at < datetime.now(UTC) + timedelta(seconds=2000)
    await put(database, "index")
    drained = await Worker(database, settings(), {"index": nothing}).drain(PATIENCE)
    assert drained == Drained(done=1, failed=0, deferred=1)
    assert await states(database) == [("index", JobState.LATER)]


async def _make_written(database: Database) -> None:
    async with database.owner() as owner:
        await owner.execute("create table recollect.written (space text)")
        await owner.execute("grant all on recollect.written to public")


@pytest.mark.local
async def test_a_job_sees_the_transactions_that_counted_on_it(database: Database) -> None:
    """A writer that finds a job waiting leaves none of its own: that job must not begin without it."""
    await _make_written(database)
    seen: list[int] = []

    async def count(space: str) -> Mapping[str, int]:
        async with database.application() as connection:
            row = await (await connection.execute("select count(*) from recollect.written")).fetchone()
        assert row is not None
        seen.append(row[0])
        return {}

    await put(database, "index")
    async with database.transaction(SPACE) as connection:
        await connection.execute("insert into recollect.written values (%s)", [SPACE])
        await enqueue_on(connection, "index", SPACE)
        worker = Worker(database, settings(), {"index": count})
        drain = asyncio.create_task(worker.drain(PATIENCE))
        await asyncio.sleep(0.3)
    await drain
    assert seen == [1]


@pytest.mark.local
async def test_no_write_is_left_behind_by_many_writers(database: Database) -> None:
    await _make_written(database)
    written = taken = 0

    async def take(space: str) -> Mapping[str, int]:
        nonlocal taken
        async with database.application() as connection:
            taken += (await connection.execute("delete from recollect.written")).rowcount
        return {}

    async def write() -> None:
        nonlocal written
        batch = Batch(SPACE)
        batch.add("insert into recollect.written values (%(space)s)", space=SPACE)
        enqueue(batch, "index", SPACE)
        await database.send(batch)
        written += 1

    async with working(database, {"index": take}) as worker:
        for _ in range(60):
            await asyncio.gather(*(write() for _ in range(8)))
            await worker.drain(PATIENCE)
            assert taken == written


async def test_a_writer_that_takes_too_long_gets_a_job_of_its_own(database: Database) -> None:
    ran = Counter[str]()

    async def count(space: str) -> Mapping[str, int]:
        ran[space] += 1
        return {}

    await put(database, "index")
    async with AsyncExitStack() as stack:
        async with database.transaction(SPACE) as connection:
            await enqueue_on(connection, "index", SPACE)
            await stack.enter_async_context(working(database, {"index": count}))
            await until(lambda: _is(ran[SPACE] == 1))
        await until(lambda: _is(ran[SPACE] == 2))


async def _is(value: bool) -> bool:
    return value


# Running


async def test_a_job_runs_and_is_gone(database: Database) -> None:
    spaces: list[str] = []

    async def note(space: str) -> Mapping[str, int]:
        spaces.append(space)
        return {"seen": 1}

    async with working(database, {"index": note}) as worker:
        assert worker.running
        await put(database, "index")
        await until(lambda: _is(bool(spaces)))
        await worker.drain(PATIENCE)
    assert not worker.running
    assert spaces == [SPACE]
    assert await list_jobs(database) == []


@pytest.mark.parametrize("listen", [True, False])
async def test_new_work_is_taken_when_the_running_job_ends(database: Database, listen: bool) -> None:
    """Of one task and space one waits while one runs, also when there is room for more."""
    begun, go = asyncio.Semaphore(0), asyncio.Semaphore(0)

    async def wait(space: str) -> Mapping[str, int]:
        begun.release()
        await go.acquire()
        return {}

    async with asyncio.timeout(PATIENCE), working(database, {"index": wait}, worker_concurrency=4, listen=listen):
        for _ in range(5):
            await put(database, "index")
            await begun.acquire()
            await put(database, "index")
            await put(database, "index")
            assert await states(database) == [("index", JobState.RUNNING), ("index", JobState.WAITING)]
            go.release()
            await begun.acquire()
            go.release()
            await until(lambda: _empty(database))


async def _empty(database: Database) -> bool:
    return await list_jobs(database) == []


async def test_two_workers_never_run_one_task_of_a_space_at_once(database: Database) -> None:
    running, most = Counter[str](), Counter[str]()
    ran = Counter[str]()

    async def watch(space: str) -> Mapping[str, int]:
        running[space] += 1
        most[space] = max(most[space], running[space])
        await asyncio.sleep(0.005)
        running[space] -= 1
        ran[space] += 1
        return {}

    async with (
        working(database, {"index": watch}, worker_concurrency=4),
        working(database, {"index": watch}, worker_concurrency=4) as worker,
    ):
        for _ in range(40):
            await asyncio.gather(*(put(database, "index", f"user:{number}") for number in range(4)))
        await worker.drain(PATIENCE)
    assert set(most.values()) == {1}
    assert len(ran) == 4
    assert await list_jobs(database) == []


async def test_a_poisoned_job_delays_nothing_and_ends_failed(database: Database) -> None:
    ran = Counter[str]()
    poison = True

    async def fail(space: str) -> Mapping[str, int]:
        ran["index"] += 1
        if poison:
            raise ValueError("the secret text of a memory")
        return {}

    async def other(space: str) -> Mapping[str, int]:
        ran["other"] += 1
        return {}

    handlers = {"index": fail, "other": other}
    async with working(database, handlers, job_backoff=3600, job_attempts=2, worker_concurrency=1) as worker:
        await put(database, "index")
        assert await worker.drain(PATIENCE) == Drained(done=0, failed=0, deferred=1)
        (waiting,) = await list_jobs(database)
        assert (waiting.state, waiting.attempts) == (JobState.LATER, 1)
        assert waiting.error is not None
        assert waiting.error.startswith("ValueError")
        assert "secret" not in waiting.error
        # Neither another task of the space nor newer work of the same one waits behind the retry.
        await put(database, "other")
        assert (await worker.drain(PATIENCE)).deferred == 1
        assert ran == {"index": 1, "other": 1}
        poison = False
        await put(database, "index")
        assert (await worker.drain(PATIENCE)).deferred == 1
        assert ran == {"index": 2, "other": 1}
        # Nor do failures of newer work pile up.
        poison = True
        await put(database, "index")
        await worker.drain(PATIENCE)
        assert await states(database) == [("index", JobState.LATER)]
        async with database.owner() as owner:
            await owner.execute("update procrastinate_jobs set scheduled_at = now()")
        await put(database, "other")
        await until(lambda: _has_failed(database))
    (failed,) = await failed_jobs(database)
    assert (failed.task, failed.space, failed.state, failed.attempts) == ("index", SPACE, JobState.FAILED, 2)
    assert failed.error is not None
    assert "secret" not in failed.error
    assert failed.failed_at is not None


async def _has_failed(database: Database) -> bool:
    return bool(await failed_jobs(database))


async def test_a_job_that_always_fails_is_given_up_under_constant_new_work(database: Database) -> None:
    async def fail(space: str) -> Mapping[str, int]:
        raise RecollectError("never")

    async with working(database, {"index": fail}, heartbeat_timeout=0.6):

        async def keep_adding() -> bool:
            await put(database, "index")
            return await _has_failed(database)

        await until(keep_adding)
    (failed,) = await failed_jobs(database)
    assert failed.error is not None
    assert failed.error.startswith("RecollectError (never)")


async def test_only_the_latest_failure_of_a_task_and_space_is_kept(database: Database) -> None:
    async def fail(space: str) -> Mapping[str, int]:
        raise ValueError

    worker = Worker(database, settings(job_attempts=1), {"index": fail})
    for _ in range(3):
        await put(database, "index")
        assert await worker.drain(PATIENCE) == Drained(done=0, failed=1, deferred=0)
    assert len(await failed_jobs(database)) == 1


async def test_an_error_of_the_server_is_kept_without_the_data_that_it_quotes(database: Database) -> None:
    async def fail(space: str) -> Mapping[str, int]:
        async with database.application() as connection:
            await connection.execute("select 'the secret text'::integer")
        return {}

    await put(database, "index")
    await Worker(database, settings(job_attempts=1), {"index": fail}).drain(PATIENCE)
    (failed,) = await failed_jobs(database)
    assert failed.error is not None
    assert failed.error.startswith("InvalidTextRepresentation (22P02) at ")
    assert "secret" not in failed.error


async def test_an_unknown_task_fails_visibly(database: Database) -> None:
    await put(database, "unheard-of")
    await Worker(database, settings(job_attempts=1), {}).drain(PATIENCE)
    (failed,) = await failed_jobs(database)
    assert failed.error is not None
    assert "no handler for unheard-of" in failed.error


async def test_a_failed_job_can_be_started_over(database: Database) -> None:
    broken = True

    async def once(space: str) -> Mapping[str, int]:
        if broken:
            raise ValueError
        return {}

    worker = Worker(database, settings(job_attempts=1), {"index": once})
    await put(database, "index")
    await worker.drain(PATIENCE)
    (failed,) = await failed_jobs(database)
    broken = False
    await retry(database, failed.id)
    assert await states(database) == [("index", JobState.WAITING)]
    assert await worker.drain(PATIENCE) == Drained(done=1, failed=0, deferred=0)
    assert await list_jobs(database) == []
    with pytest.raises(NotFound):
        await retry(database, failed.id)


# Stopping and dying


async def test_an_orderly_stop_lets_jobs_end(database: Database) -> None:
    begun, ended = asyncio.Event(), False

    async def slow(space: str) -> Mapping[str, int]:
        nonlocal ended
        begun.set()
        await asyncio.sleep(0.2)
        ended = True
        return {}

    worker = Worker(database, settings(), {"index": slow})
    await worker.start()
    await put(database, "index")
    await begun.wait()
    await put(database, "index")
    await worker.stop(grace=PATIENCE)
    assert ended
    assert await states(database) == [("index", JobState.WAITING)]
    assert await live_workers(database, 30) == []


async def test_what_does_not_end_in_time_is_handed_back(database: Database) -> None:
    begun = asyncio.Event()

    async def endless(space: str) -> Mapping[str, int]:
        begun.set()
        await asyncio.Event().wait()
        return {}

    worker = Worker(database, settings(), {"index": endless})
    await worker.start()
    await put(database, "index")
    await begun.wait()
    assert [one.running for one in await live_workers(database, 30)] == [1]
    await put(database, "index")
    await worker.stop(grace=0.05)
    (job,) = await list_jobs(database)
    assert (job.state, job.attempts) == (JobState.WAITING, 0)
    assert await Worker(database, settings(), {"index": nothing}).drain(PATIENCE) == Drained(1, 0, 0)


async def test_a_handler_that_is_cancelled_from_inside_counts_as_failed(database: Database) -> None:
    async def cancelled(space: str) -> Mapping[str, int]:
        raise asyncio.CancelledError

    await put(database, "index")
    drained = await Worker(database, settings(job_attempts=1), {"index": cancelled}).drain(PATIENCE)
    assert drained == Drained(done=0, failed=1, deferred=0)


async def test_a_broken_connection_does_not_end_the_worker(database: Database) -> None:
    begun, go = asyncio.Event(), asyncio.Event()

    async def wait(space: str) -> Mapping[str, int]:
        begun.set()
        await go.wait()
        return {}

    async with working(database, {"index": wait}) as worker:
        await put(database, "index")
        await begun.wait()
        async with database.owner() as owner:
            await owner.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where pid <> pg_backend_pid() and datname = current_database() and usename <> current_user"
            )
        go.set()
        await until(lambda: _can_put(database))
        await until(lambda: _empty(database))
        assert worker.running


async def _can_put(database: Database) -> bool:
    with suppress(RecollectError):
        await put(database, "index")
        return True
    return False


_DYING = """
import asyncio, sys
from recollect.core.settings import load_settings
from recollect.db.database import Database
from recollect.jobs.worker import Worker

async def endless(space):
    print("begun", flush=True)
    await asyncio.Event().wait()

async def main():
    database = Database(sys.argv[1], sys.argv[2], pool_size=2, prepared=True)
    await database.open()
    await Worker(database, load_settings(heartbeat_timeout=1.0), {"index": endless}).start()
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def _start_and_kill(database: Database) -> None:
    command = [sys.executable, "-c", _DYING, database.owner_url, database.app_url]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE):
            assert await process.stdout.readline() == b"begun\n"
    finally:
        os.kill(process.pid, signal.SIGKILL)
        await process.wait()


async def test_the_work_of_a_killed_worker_is_taken_over(database: Database) -> None:
    spaces: list[str] = []

    async def note(space: str) -> Mapping[str, int]:
        spaces.append(space)
        return {}

    await put(database, "index")
    await _start_and_kill(database)
    assert await states(database) == [("index", JobState.RUNNING)]
    await put(database, "index")
    async with working(database, {"index": note}, heartbeat_timeout=1.0) as worker:
        await worker.drain(PATIENCE)
    assert spaces == [SPACE]
    assert await list_jobs(database) == []
    assert await live_workers(database, 30) == []


async def test_a_job_that_kills_its_workers_is_given_up(database: Database) -> None:
    await put(database, "index")
    async with database.owner() as owner:
        await owner.execute("update procrastinate_jobs set attempts = 2")
    await _start_and_kill(database)
    async with working(database, {"index": nothing}, heartbeat_timeout=1.0):
        await until(lambda: _has_failed(database))
    (failed,) = await failed_jobs(database)
    assert failed.error == "its worker stopped responding"


# Draining


async def test_drain_follows_what_the_work_enqueues(database: Database) -> None:
    ran: list[str] = []

    def then(*tasks: str) -> Handler:
        async def handler(space: str) -> Mapping[str, int]:
            ran.append(space)
            for task in tasks:
                await put(database, task, space)
            return {}

        return handler

    handlers = {"first": then("second", "third"), "second": then("third"), "third": then()}
    await put(database, "first")
    drained = await Worker(database, settings(), handlers).drain(PATIENCE)
    assert drained.done == len(ran) >= 3
    assert (drained.failed, drained.deferred) == (0, 0)
    assert await list_jobs(database) == []


async def test_drain_waits_for_work_that_joined_a_job_of_others(database: Database) -> None:
    """What follows from the work may find its job waiting already, put there by somebody else."""
    go, ran = asyncio.Event(), Counter[str]()

    async def first(space: str) -> Mapping[str, int]:
        await go.wait()
        await put(database, "second", space)
        return {}

    async def second(space: str) -> Mapping[str, int]:
        ran[space] += 1
        return {}

    async with working(database, {"first": first, "second": second}, worker_concurrency=1) as worker:
        await put(database, "first")
        drain = asyncio.create_task(worker.drain(PATIENCE))
        await until(lambda: _running(database))
        await put(database, "second")
        go.set()
        assert await drain == Drained(done=2, failed=0, deferred=0)
        assert ran[SPACE] == 1


async def _running(database: Database) -> bool:
    return JobState.RUNNING in [job.state for job in await list_jobs(database)]


async def test_drain_ends_under_constant_load(database: Database) -> None:
    async def brief(space: str) -> Mapping[str, int]:
        await asyncio.sleep(0.002)
        return {}

    loaded = asyncio.Event()

    async def load() -> None:
        while not loaded.is_set():
            await put(database, "index")

    async with working(database, {"index": brief}) as worker:
        loading = [asyncio.create_task(load()) for _ in range(4)]
        await asyncio.sleep(0.2)
        drained = await worker.drain(PATIENCE)
        loaded.set()
        await asyncio.gather(*loading)
    assert drained.deferred == 0
    assert 1 <= drained.done <= 2


async def test_drain_gives_up_after_its_time(database: Database) -> None:
    begun = asyncio.Event()

    async def endless(space: str) -> Mapping[str, int]:
        begun.set()
        await asyncio.Event().wait()
        return {}

    await put(database, "index")
    await put(database, "index", "user:bob")
    worker = Worker(database, settings(worker_concurrency=1), {"index": endless})
    assert await worker.drain(0.3) == Drained(done=0, failed=0, deferred=2)
    assert begun.is_set()
    assert await states(database) == [("index", JobState.WAITING)] * 2
    assert await live_workers(database, 30) == []


async def test_drain_waits_for_workers_elsewhere(database: Database) -> None:
    begun, go = asyncio.Event(), asyncio.Event()

    async def wait(space: str) -> Mapping[str, int]:
        begun.set()
        await go.wait()
        return {}

    async with working(database, {"index": wait}):
        await put(database, "index")
        await begun.wait()
        drain = asyncio.create_task(Worker(database, settings(), {"index": nothing}).drain(PATIENCE))
        await asyncio.sleep(0.2)
        assert not drain.done()
        go.set()
        assert await drain == Drained(done=1, failed=0, deferred=0)


async def test_drains_at_once_share_the_work(database: Database) -> None:
    worker = Worker(database, settings(), {"index": nothing})
    for number in range(20):
        await put(database, "index", f"user:{number}")
    for drained in await asyncio.gather(*(worker.drain(PATIENCE) for _ in range(3))):
        assert drained.failed == drained.deferred == 0
    assert await list_jobs(database) == []


async def test_stopping_ends_a_drain(database: Database) -> None:
    begun = asyncio.Event()

    async def endless(space: str) -> Mapping[str, int]:
        begun.set()
        await asyncio.Event().wait()
        return {}

    worker = Worker(database, settings(), {"index": endless})
    await worker.start()
    await put(database, "index")
    await begun.wait()
    drain = asyncio.create_task(worker.drain(PATIENCE))
    await asyncio.sleep(0.1)
    await worker.stop(grace=0)
    assert await drain == Drained(done=0, failed=0, deferred=1)


async def test_drain_of_nothing(database: Database) -> None:
    assert await Worker(database, settings(), {}).drain(PATIENCE) == Drained(0, 0, 0)


# The schedule


class MovableClock:
    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


async def test_missed_nights_run_once(database: Database) -> None:
    clock = MovableClock(datetime(2024, 3, 6, 12, tzinfo=UTC))
    ran: list[datetime] = []

    async def decay(space: str) -> Mapping[str, int]:
        assert space == "*"
        ran.append(clock())
        return {"seen": 7}

    handlers = {"decay": decay, "index": nothing}

    async def opened() -> list[str]:
        worker = Worker(database, settings(), handlers, clock)
        schedulers = [Scheduler(database, handlers, clock) for _ in range(3)]
        await asyncio.gather(*(scheduler.start() for scheduler in schedulers))
        await worker.drain(PATIENCE)
        checked = await schedulers[0].check()
        await asyncio.gather(*(scheduler.stop() for scheduler in schedulers))
        return checked

    assert await opened() == []
    assert ran == []
    clock.now += timedelta(days=7)
    assert await opened() == []
    assert ran == [clock.now]
    (run,) = await last_runs(database)
    assert (run.job, run.last_started, run.last_finished) == ("decay", clock.now, clock.now)
    assert (run.counts, run.failed) == ({"seen": 7}, None)
    clock.now += timedelta(hours=3)
    assert await opened() == []
    assert len(ran) == 1
    clock.now += timedelta(days=1)
    assert await opened() == []
    assert len(ran) == 2


async def test_a_run_by_hand_is_recorded_and_its_error_is_the_callers(database: Database) -> None:
    async def decay(space: str) -> Mapping[str, int]:
        return {"archived": 2}

    async def purge(space: str) -> Mapping[str, int]:
        raise RecollectError("no")

    worker = Worker(database, settings(), {"decay": decay, "purge": purge})
    assert await worker.run_now("decay") == {"archived": 2}
    with pytest.raises(RecollectError, match="no"):
        await worker.run_now("purge")
    with pytest.raises(InvalidInput, match="decay, purge"):
        await worker.run_now("index")
    runs = {run.job: run for run in await last_runs(database)}
    assert runs["decay"].counts == {"archived": 2}
    assert runs["purge"].failed is not None
    assert await list_jobs(database) == []
    assert await live_workers(database, 30) == []


async def test_a_run_by_hand_waits_for_the_one_under_way(database: Database) -> None:
    running = most = 0

    async def decay(space: str) -> Mapping[str, int]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.05)
        running -= 1
        return {}

    worker = Worker(database, settings(), {"decay": decay})
    await asyncio.gather(*(worker.run_now("decay") for _ in range(3)))
    assert most == 1


# Costs


async def test_a_waiting_job_costs_later_calls_no_row_and_no_notification(database: Database) -> None:
    async with database.application() as listener:
        await listener.execute('listen "procrastinate_queue_v1#recollect"')
        await asyncio.gather(*(put(database, "index") for _ in range(50)))
        heard = [notice async for notice in listener.notifies(timeout=0.2)]
        await listener.execute("unlisten *")
    assert len(heard) == 1


async def test_taking_a_job_uses_the_index_on_locks(database: Database) -> None:
    spaces = [f"user:{number}" for number in range(3000)]
    async with database.application() as connection:
        await enqueue_all(connection, "index", spaces)
    async with database.owner() as owner:
        await owner.execute("analyze procrastinate_jobs")
        cursor = await owner.execute(
            "explain select from procrastinate_jobs where lock = 'index:user:7'"
            " and (status = 'doing' or (status = 'todo' and priority > 0))"
        )
        plan = "\n".join(row[0] for row in await cursor.fetchall())
    assert "job_lock" in plan
