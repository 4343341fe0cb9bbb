"""When the nightly and weekly jobs are due, and how none is missed.

The domain clock decides what is overdue; real time only decides when to look. The newest due time that was
enqueued is kept for each job, so that a process that is opened a week late runs the missed nights once, and
of many processes one enqueues.
"""

import asyncio
import logging
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from recollect.core.clock import Clock, system_clock
from recollect.core.describe import describe
from recollect.db.database import Database
from recollect.jobs.tasks import cancel
from recollect.queue import store

logger = logging.getLogger(__name__)

SUNDAY = 6
_HOUR = 3600.0
_DAY = timedelta(days=1)
# Between due times of jobs that the schedule puts one after the other.
_STEP = 5


@dataclass(frozen=True, slots=True)
class Schedule:
    """A time of day at which a job is due, every day or on one day of the week (Monday is 0); or every few minutes."""

    job: str
    hour: int = 0
    minute: int = 0
    weekday: int | None = None
    every: int | None = None
    """Minutes from one due time to the next, counted from midnight UTC."""


def _in_turn(hour: int, minute: int, *jobs: str) -> list[Schedule]:
    """Jobs that are due one after the other."""
    return [Schedule(job, hour, minute + _STEP * place) for place, job in enumerate(jobs)]


SCHEDULE: tuple[Schedule, ...] = (
    Schedule("migration", every=10),
    Schedule("conversation_sources", every=10),
    Schedule("projection", every=10),
    Schedule("macro_promotion", 2, 0, SUNDAY),
    Schedule("macro_refresh", 2, 30, SUNDAY),
    Schedule("storyline_promotion", 3, 0),
    *_in_turn(3, 30, "storyline_refresh", "decay", "descriptions", "source_consolidation"),
    *_in_turn(4, 0, "note_cleanup", "consent_expiry", "consolidation", "forgetting", "purge"),
    *_in_turn(4, 25, "daily_consolidation", "theory_of_mind", "promotion", "retention", "catch_up"),
)


def of_jobs(jobs: Collection[str]) -> list[Schedule]:
    """The schedule of those jobs, in order; jobs that it does not name run only when asked for."""
    return [schedule for schedule in SCHEDULE if schedule.job in jobs]


def last_due(schedule: Schedule, now: datetime, zone: tzinfo = UTC) -> datetime:
    """The newest due time that is not after `now`."""
    if schedule.every is not None:
        return _step(schedule.every, now)
    due = _at(schedule, now.astimezone(zone) + _DAY)
    while due > now or not _on_its_day(schedule, due):
        due = _at(schedule, due - _DAY)
    return due.astimezone(UTC)


def next_due(schedule: Schedule, now: datetime, zone: tzinfo = UTC) -> datetime:
    """The first due time after `now`."""
    if schedule.every is not None:
        return _step(schedule.every, now) + timedelta(minutes=schedule.every)
    due = _at(schedule, now.astimezone(zone) - _DAY)
    while due <= now or not _on_its_day(schedule, due):
        due = _at(schedule, due + _DAY)
    return due.astimezone(UTC)


def overdue(schedule: Schedule, last_run: datetime, now: datetime, zone: tzinfo = UTC) -> bool:
    """Whether a due time has passed since the last run."""
    return last_due(schedule, now, zone) > last_run


def _step(every: int, now: datetime) -> datetime:
    """The newest of the due times that are so many minutes apart."""
    moment = now.astimezone(UTC)
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + (moment - midnight) // timedelta(minutes=every) * timedelta(minutes=every)


def _at(schedule: Schedule, day: datetime) -> datetime:
    return day.replace(hour=schedule.hour, minute=schedule.minute, second=0, microsecond=0, fold=0)


def _on_its_day(schedule: Schedule, due: datetime) -> bool:
    return schedule.weekday is None or due.weekday() == schedule.weekday


async def enqueue_overdue(
    database: Database, schedules: Iterable[Schedule], now: datetime, zone: tzinfo = UTC
) -> list[str]:
    """Enqueue what is overdue, once; the names. Jobs seen for the first time count as run now."""
    planned = list(schedules)
    async with database.application() as connection:
        await store.first_seen(connection, [schedule.job for schedule in planned], now)
        runs = await store.runs(connection)
        due = [schedule for schedule in planned if overdue(schedule, runs[schedule.job].last_run, now, zone)]
        return [
            schedule.job
            for schedule in due
            if await store.enqueue_due(connection, schedule.job, last_due(schedule, now, zone))
        ]


class Scheduler:
    """Looks at the start, every hour and at the due times in between whether something is overdue."""

    def __init__(
        self,
        database: Database,
        jobs: Collection[str],
        clock: Clock = system_clock,
        timezone: str = "UTC",
    ) -> None:
        self._database = database
        self._schedules = of_jobs(jobs)
        self._clock = clock
        self._zone = ZoneInfo(timezone)
        self._loop: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Enqueue what is overdue, and keep looking."""
        if self._loop is None and self._schedules:
            await self.check()
            self._loop = asyncio.create_task(self._look(), name="recollect schedule")

    async def stop(self) -> None:
        """Look no more."""
        loop, self._loop = self._loop, None
        if loop is not None:
            await cancel([loop])

    async def check(self) -> list[str]:
        """Enqueue what is overdue; the names."""
        return await enqueue_overdue(self._database, self._schedules, self._clock(), self._zone)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(self._pause())
            try:
                await self.check()
            except Exception as error:
                logger.warning("cannot look at the schedule: %s", describe(error))

    def _pause(self) -> float:
        """Seconds until the next due time, at most an hour: the machine may sleep, the clock may be moved."""
        now = self._clock()
        soonest = min(next_due(schedule, now, self._zone) for schedule in self._schedules)
        return min(_HOUR, max((soonest - now).total_seconds(), 0.001))
