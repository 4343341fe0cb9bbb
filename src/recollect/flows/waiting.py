"""Read your writes: wait until what was written is searchable, for a while, and not for a worker that is not there."""

import asyncio
from time import monotonic

from recollect.conversation.model import Watermark
from recollect.conversation.service import INDEX_TASK
from recollect.conversation.store import QUERIES
from recollect.core.errors import NotFound
from recollect.core.scope import Scope
from recollect.db.database import Batch
from recollect.flows.parts import Parts
from recollect.queue import failed_jobs, live_workers

MOST_SECONDS = 2.0
_PAUSE = 0.02


async def wait_until_searchable(parts: Parts, scope: Scope, mark: Watermark) -> str | None:
    """Nothing once everything up to the watermark can be found; else what the answer may lack, and why."""
    if mark.space not in scope.readable:
        raise NotFound("after: the watermark belongs to a space that this scope does not read")
    end = monotonic() + MOST_SECONDS
    while not await _is_searchable(parts, mark):
        if await _is_given_up(parts, mark.space):
            return "what was just written is not searchable: its job has failed (`recollect jobs failed`)"
        if not await live_workers(parts.database, parts.settings.heartbeat_timeout):
            return "what was just written is not searchable yet, and no worker is running"
        if monotonic() >= end:
            return f"what was just written is not searchable yet, after {MOST_SECONDS:g} s"
        await asyncio.sleep(_PAUSE)
    return None


async def _is_given_up(parts: Parts, space: str) -> bool:
    failed = await failed_jobs(parts.database, task=INDEX_TASK)
    return any(job.space == space for job in failed)


async def _is_searchable(parts: Parts, mark: Watermark) -> bool:
    batch = Batch(mark.space)
    batch.add(QUERIES["indexed_turn"], space=mark.space, id=mark.conversation_id)
    [rows] = await parts.database.send(batch)
    return not rows or not rows[0].remember or rows[0].indexed_turn >= mark.turn
