"""What a person may see of the queue, and do about it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from recollect.core.errors import NotFound
from recollect.db.database import Database
from recollect.db.sql import load
from recollect.queue import store
from recollect.queue.model import JobRun, JobState, LiveWorker, QueuedJob

_queries = load("recollect.queue")

_STATES = {"doing": JobState.RUNNING, "failed": JobState.FAILED, "later": JobState.LATER, "todo": JobState.WAITING}


async def list_jobs(
    database: Database, *, task: str | None = None, spaces: Sequence[str] | None = None, limit: int = 1000
) -> list[QueuedJob]:
    """What waits, runs or failed, oldest first; of some spaces, or of all."""
    return await _list(database, ["todo", "doing", "failed"], task, limit, spaces)


async def count_jobs(database: Database) -> dict[JobState, int]:
    """How many there are in each state, of all spaces and however many."""
    async with database.application() as connection:
        cursor = await connection.execute(_queries["count_jobs"])
        found = {_STATES[row.state]: int(row.jobs) for row in await cursor.fetchall()}
    return {state: found.get(state, 0) for state in JobState}


async def failed_jobs(database: Database, *, task: str | None = None, limit: int = 1000) -> list[QueuedJob]:
    """What was given up, with why."""
    return await _list(database, ["failed"], task, limit)


async def retry(database: Database, job_id: int) -> int:
    """Start a failed job over; the id of the job that does it."""
    async with database.application() as connection:
        cursor = await connection.execute(_queries["revive"], {"id": job_id})
        row = await cursor.fetchone()
    if row is None:
        raise NotFound(f"no failed job {job_id}")
    return int(row.id)


async def live_workers(database: Database, heartbeat_timeout: float) -> list[LiveWorker]:
    """The workers of all processes that gave a sign of life within the timeout."""
    async with database.application() as connection:
        cursor = await connection.execute(_queries["live_workers"], {"timeout": heartbeat_timeout})
        return [LiveWorker(*row) for row in await cursor.fetchall()]


async def last_runs(database: Database) -> list[JobRun]:
    """The last run of each job of the schedule, by name."""
    async with database.application() as connection:
        return list((await store.runs(connection)).values())


async def _list(
    database: Database, statuses: Sequence[str], task: str | None, limit: int, spaces: Sequence[str] | None = None
) -> list[QueuedJob]:
    named = None if spaces is None else list(spaces)
    values = {"statuses": list(statuses), "task": task, "limit": limit, "spaces": named}
    async with database.application() as connection:
        cursor = await connection.execute(_queries["list_jobs"], values)
        return [_queued(row) for row in await cursor.fetchall()]


def _queued(row: Any) -> QueuedJob:
    later = row.status == "todo" and row.due_at is not None and row.due_at > datetime.now(UTC)
    state = JobState.LATER if later else _STATES[row.status]
    worker = row.worker if state is JobState.RUNNING else None
    return QueuedJob(row.id, row.task, row.space, state, row.attempts, row.due_at, worker, row.error, row.failed_at)
