"""What is known of jobs, runs and workers."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

# Does all the work of one task that waits in a space; what it counted.
Handler = Callable[[str], Awaitable[Mapping[str, int]]]


_MOST_ORIGINS = 20  # of a long chain of jobs; whoever waits, waits for a late link of it


@dataclass(frozen=True, slots=True)
class Job:
    """A job in the hands of a worker."""

    id: int
    task: str
    space: str
    lock: str
    attempts: int  # how often it was tried before
    origins: tuple[str, ...] = ()  # ids of the jobs it descends from that descend from none
    worker: int | None = None

    @property
    def roots(self) -> tuple[str, ...]:
        """What its own followers descend from: itself, and what it descends from itself."""
        return (*self.origins[-_MOST_ORIGINS:], str(self.id))


class JobState(StrEnum):
    """What a job in the table is doing."""

    WAITING = "waiting"
    LATER = "later"  # waits for its time: a retry, or one enqueued with a delay
    RUNNING = "running"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job as the queue shows it."""

    id: int
    task: str
    space: str
    state: JobState
    attempts: int  # tries that ended in an error
    due_at: datetime | None  # real time
    worker: int | None
    error: str | None  # of the last try; holds no memory text
    failed_at: datetime | None  # real time


@dataclass(frozen=True, slots=True)
class JobRun:
    """The last run of a job of the schedule. Domain time."""

    job: str
    last_due: datetime
    last_started: datetime | None = None
    last_finished: datetime | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    failed: str | None = None

    @property
    def last_run(self) -> datetime:
        """From when on a due time counts as missed."""
        return max(self.last_due, self.last_started or self.last_due)


@dataclass(frozen=True, slots=True)
class LiveWorker:
    """A worker with a recent heartbeat."""

    id: int
    last_heartbeat: datetime  # real time
    running: int


@dataclass(frozen=True, slots=True)
class Drained:
    """What became of the work that `drain` took."""

    done: int
    failed: int
    deferred: int  # waits for its time, or did not end within the timeout


class Ending(StrEnum):
    """How a try of a job ended."""

    DONE = "done"
    FAILED = "failed"  # for good
    AGAIN = "again"  # another job goes on with it
