"""Put work into the queue, inside the transaction that makes it necessary.

In a transaction with other writes this belongs at the end: two transactions that enqueue the same task and
space at the same moment wait for each other's commit. Several tasks go in one order everywhere, say by name.
"""

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, LiteralString

from recollect.db.database import Batch, Connection
from recollect.db.sql import load
from recollect.queue.model import Job

# The space of jobs that visit all spaces.
EVERYWHERE = "*"

# The job whose handler runs in this context: what it enqueues follows from it, and `drain` waits for that.
current_job: ContextVar[Job | None] = ContextVar("current_job", default=None)

_queries = load("recollect.queue")


def lock_of(task: str, space: str) -> str:
    """What at most one running and one waiting job hold. A task's name has no colon."""
    return f"{task}:{space}"


def enqueue(batch: Batch, task: str, space: str, *, after: float = 0) -> None:
    """Have the task done in the space once the batch is committed, or `after` seconds of real time later."""
    statement, values = _statement(task, space, after)
    batch.add_last(statement, **values)


async def enqueue_on(connection: Connection, task: str, space: str, *, after: float = 0) -> None:
    """The same on a connection, inside its transaction if it is in one."""
    await connection.execute(*_statement(task, space, after))


async def enqueue_all(connection: Connection, task: str, spaces: Sequence[str]) -> None:
    """Have the task done in many spaces. Only for work that is committed already, such as a sweep finds."""
    values = {"task": task, "spaces": list(spaces), "origins": _origins()}
    await connection.execute(_queries["enqueue_all"], values)


def _statement(task: str, space: str, after: float) -> tuple[LiteralString, dict[str, Any]]:
    origins = _origins()
    values = {"task": task, "space": space, "lock": lock_of(task, space), "origins": origins, "after": after}
    if after > 0:
        return _queries["enqueue_later"], values
    return _queries["enqueue_following" if origins else "enqueue"], values


def _origins() -> list[str] | None:
    job = current_job.get()
    return list(job.roots) if job else None
