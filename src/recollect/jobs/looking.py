"""How background work stands: what waits, what failed, what the schedule did last and does next, and who works."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from recollect.core.settings import Settings
from recollect.db.database import Database
from recollect.jobs.schedule import next_due, of_jobs
from recollect.queue import JobRun, LiveWorker, QueuedJob, last_runs, list_jobs, live_workers


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A job that can be run by name: when it is due next, and how its last run went."""

    job: str
    next_due: datetime | None
    """None: it runs only when asked for."""
    run: JobRun | None


@dataclass(frozen=True, slots=True)
class Work:
    """The queue, the schedule and the workers."""

    queue: tuple[QueuedJob, ...]
    schedule: tuple[Scheduled, ...]
    workers: tuple[LiveWorker, ...]

    @property
    def failed(self) -> tuple[QueuedJob, ...]:
        """What was given up."""
        return tuple(job for job in self.queue if job.state == "failed")


async def look(
    database: Database, settings: Settings, jobs: Collection[str], now: datetime, spaces: Sequence[str] | None = None
) -> Work:
    """How work stands in some spaces, or in all."""
    runs = {run.job: run for run in await last_runs(database)}
    return Work(
        tuple(await list_jobs(database, spaces=spaces)),
        tuple(_schedule(jobs, runs, now, settings.timezone)),
        tuple(await live_workers(database, settings.heartbeat_timeout)),
    )


def _schedule(jobs: Collection[str], runs: dict[str, JobRun], now: datetime, timezone: str) -> list[Scheduled]:
    zone = ZoneInfo(timezone)
    due = {schedule.job: next_due(schedule, now, zone) for schedule in of_jobs(jobs)}
    return [Scheduled(job, due.get(job), runs.get(job)) for job in [*due, *sorted(set(jobs) - set(due))]]
