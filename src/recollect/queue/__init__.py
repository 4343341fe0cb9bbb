"""The job table behind procrastinate: enqueue inside a transaction, take, finish, look at.

A job names a task and a space, never a message: its handler takes all that waits there. Of one task and
space at most one job waits and one runs. What procrastinate brings is the schema, its functions and its
notifications; the statements that it lacks are in `queries.sql`.
"""

from recollect.queue.admin import count_jobs, failed_jobs, last_runs, list_jobs, live_workers, retry
from recollect.queue.enqueue import EVERYWHERE, enqueue, enqueue_all, enqueue_on
from recollect.queue.model import Drained, Handler, Job, JobRun, JobState, LiveWorker, QueuedJob

__all__ = [
    "EVERYWHERE",
    "Drained",
    "Handler",
    "Job",
    "JobRun",
    "JobState",
    "LiveWorker",
    "QueuedJob",
    "count_jobs",
    "enqueue",
    "enqueue_all",
    "enqueue_on",
    "failed_jobs",
    "last_runs",
    "list_jobs",
    "live_workers",
    "retry",
]
