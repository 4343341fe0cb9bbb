"""The job table, as a worker uses it: a connection in, values out."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.queue.enqueue import EVERYWHERE, lock_of
from recollect.queue.model import Job, JobRun

# procrastinate announces here what is inserted into the queue `recollect`.
CHANNEL = "procrastinate_queue_v1#recollect"

_queries = load("recollect.queue")


@dataclass(frozen=True, slots=True)
class Descendant:
    """What is left of a job that somebody waits for."""

    id: int
    status: str  # procrastinate's word: todo, doing, failed
    deferred: bool  # made to wait for its time, whether or not that has come
    again_of: int | None


async def _rows(connection: Connection, name: str, **values: Any) -> list[Any]:
    cursor = await connection.execute(_queries[name], values)
    return await cursor.fetchall() if cursor.description else []


async def listen(connection: Connection) -> None:
    """Be told of new jobs on this connection."""
    await connection.execute(f'listen "{CHANNEL}"')


async def register(connection: Connection) -> int:
    """The number of a new worker."""
    return int((await _rows(connection, "register"))[0].worker_id)


async def unregister(connection: Connection, worker: int) -> None:
    """End a worker; jobs that it still holds are anybody's."""
    await _rows(connection, "unregister", worker=worker)


async def beat(connection: Connection, worker: int) -> bool:
    """Say that the worker lives; false if the others think it dead."""
    return bool(await _rows(connection, "beat", worker=worker))


async def fetch(connection: Connection, worker: int) -> Job | None:
    """Take the next job that may run."""
    row = (await _rows(connection, "fetch", worker=worker))[0]
    return None if row.id is None else _job(row, worker)


async def claim(connection: Connection, worker: int, task: str, space: str) -> Job | None:
    """A job that runs without having waited; none while one of its task and space runs."""
    rows = await _rows(connection, "claim", worker=worker, task=task, space=space, lock=lock_of(task, space))
    return _job(rows[0], worker) if rows else None


async def promote(connection: Connection) -> tuple[bool, float | None]:
    """Give due jobs their rank; whether there were any, and the seconds until the next is due."""
    row = (await _rows(connection, "promote"))[0]
    return row.promoted > 0, row.next


async def writers(connection: Connection, lock: str) -> set[str]:
    """Transactions that counted on a waiting job of this lock and are not yet committed."""
    return {row.virtualtransaction for row in await _rows(connection, "writers", lock=lock)}


async def done(connection: Connection, job: Job) -> bool:
    """Remove a job that ended well; false if another worker has taken it over."""
    return bool(await _rows(connection, "done", id=job.id, worker=job.worker))


async def try_later(connection: Connection, job: Job, *, after: float, error: str) -> bool:
    """Replace a job that failed by one that waits, and holds up nothing meanwhile."""
    return await _again(connection, job, prefix="retry:", tried=1, after=after, error=error)


async def take_over(connection: Connection, job: Job, *, error: str) -> bool:
    """Put the job of a dead worker back into the queue; its try counts, for it may be what kills them."""
    return await _again(connection, job, prefix="", tried=1, after=0, error=error)


async def hand_back(connection: Connection, job: Job) -> bool:
    """Put back a job that its worker cannot end."""
    return await _again(connection, job, prefix="", tried=0, after=0, error=None)


async def _again(connection: Connection, job: Job, **values: Any) -> bool:
    return bool(await _rows(connection, "again", id=job.id, worker=job.worker, **values))


async def fail(connection: Connection, job: Job, error: str) -> bool:
    """Give a job up, visibly."""
    return bool(await _rows(connection, "fail", id=job.id, worker=job.worker, error=error))


async def abandoned(connection: Connection, worker: int, running: Collection[int], silence: float) -> list[Job]:
    """Jobs that nobody works on: `running` are those that this worker does."""
    rows = await _rows(connection, "abandoned", worker=worker, running=list(running), timeout=silence)
    return [_job(row, row.worker_id) for row in rows]


async def prune(connection: Connection, worker: int, silence: float) -> None:
    """Forget workers that gave no sign of life for `silence` seconds."""
    await _rows(connection, "prune", worker=worker, timeout=silence)


async def queued(connection: Connection) -> tuple[set[int], set[int]]:
    """The ids of jobs that wait or run, and of those that wait for their time."""
    rows = await _rows(connection, "queued")
    return {row.id for row in rows if not row.later}, {row.id for row in rows if row.later}


async def descendants(connection: Connection, roots: Collection[int], others: Collection[int]) -> list[Descendant]:
    """What is left of the roots, of what follows from them, and of some others."""
    names = [str(root) for root in roots]
    rows = await _rows(connection, "descendants", ids=[*roots, *others], names=names)
    return [Descendant(*row) for row in rows]


async def first_seen(connection: Connection, jobs: Collection[str], now: datetime) -> None:
    """Count jobs that the schedule does not know as run."""
    await _rows(connection, "first_seen", jobs=list(jobs), now=now)


async def runs(connection: Connection) -> dict[str, JobRun]:
    """The last run of each job, by name."""
    return {row.job: JobRun(*row) for row in await _rows(connection, "runs")}


async def enqueue_due(connection: Connection, job: str, due: datetime) -> bool:
    """Enqueue a job for a due time; false if that was done before."""
    lock = lock_of(job, EVERYWHERE)
    return bool(await _rows(connection, "enqueue_due", task=job, due=due, lock=lock, space=EVERYWHERE))


async def record_run(
    connection: Connection,
    job: str,
    started: datetime,
    *,
    finished: datetime | None = None,
    counts: Mapping[str, int] | None = None,
    failed: str | None = None,
) -> None:
    """Keep how a run went; without `finished`, that it has begun."""
    values = {"job": job, "started": started, "finished": finished, "failed": failed}
    await _rows(connection, "record_run", **values, counts=json.dumps(dict(counts or {})))


def _job(row: Any, worker: int | None) -> Job:
    origins = tuple(row.args.get("origins", ()))
    return Job(row.id, row.task_name, row.args["space"], row.lock, row.attempts, origins, worker)
