"""Read your writes: wait until what was written is searchable, or understood; not for ever, nor for nobody."""

import asyncio
from time import monotonic

from recollect.conversation.model import Watermark
from recollect.conversation.service import INDEX_TASK, UNDERSTAND_TASK
from recollect.conversation.store import QUERIES
from recollect.core.errors import NotFound
from recollect.core.scope import Scope
from recollect.db.database import Batch
from recollect.flows.ingest import TASK as INGEST
from recollect.flows.parts import Parts
from recollect.flows.reread_sources import last_status
from recollect.queue import failed_jobs, live_workers
from recollect.sources.store import QUERIES as SOURCES

MOST_SECONDS = 2.0
_PAUSE = 0.02


async def wait_for(parts: Parts, scope: Scope, mark: Watermark, state: str = "searchable") -> str | None:
    """Nothing once everything up to the watermark can be found, or was learned from; else what may lack, and why."""
    if mark.space not in scope.readable:
        raise NotFound("after: the watermark belongs to a space that this scope does not read")
    end = monotonic() + MOST_SECONDS
    while not await _is_reached(parts, mark, state):
        if mark.turn == 0 and await _source_failed(parts, mark):
            return f"what was just written is not {state}: it could not be read (`recollect sources list`)"
        if await _is_given_up(parts, mark, state):
            return f"what was just written is not {state}: its job has failed (`recollect jobs failed`)"
        if not await live_workers(parts.database, parts.settings.heartbeat_timeout):
            return f"what was just written is not {state} yet, and no worker is running"
        if monotonic() >= end:
            return f"what was just written is not {state} yet, after {MOST_SECONDS:g} s"
        await asyncio.sleep(_PAUSE)
    return None


async def _is_given_up(parts: Parts, mark: Watermark, state: str) -> bool:
    for task in _tasks(mark, state):
        if any(job.space == mark.space for job in await failed_jobs(parts.database, task=task)):
            return True
    return False


def _tasks(mark: Watermark, state: str) -> tuple[str, ...]:
    """The jobs that bring it on: of a source one, of a message another for each state."""
    if mark.turn == 0:
        return (INGEST,)
    return (INDEX_TASK, UNDERSTAND_TASK) if state == "understood" else (INDEX_TASK,)


async def _is_reached(parts: Parts, mark: Watermark, state: str) -> bool:
    batch = Batch(mark.space)
    batch.add(QUERIES["progress"], space=mark.space, id=mark.conversation_id)
    batch.add(SOURCES["progress"], space=mark.space, id=mark.conversation_id)
    rows, of_source = await parts.database.send(batch)
    if of_source:
        return _has_come(of_source[0].status, mark.space, state)
    if not rows or not rows[0].remember:
        return True
    reached = [rows[0].indexed_turn, *([rows[0].understood_turn] if state == "understood" else [])]
    return bool(min(reached) >= mark.turn)


def _has_come(status: str, space: str, state: str) -> bool:
    """Whether a source is as far as asked for; one of a team is understood by nobody until somebody uses it."""
    return status == last_status(space) if state == "understood" else status != "raw"


async def _source_failed(parts: Parts, mark: Watermark) -> bool:
    batch = Batch(mark.space)
    batch.add(SOURCES["progress"], space=mark.space, id=mark.conversation_id)
    [rows] = await parts.database.send(batch)
    return bool(rows and rows[0].failed)
