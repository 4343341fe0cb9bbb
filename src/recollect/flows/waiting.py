"""Read your writes: wait until what was written is searchable, for a while, and not for a worker that is not there."""

import asyncio
from time import monotonic

from recollect.conversation.model import Watermark
from recollect.conversation.store import QUERIES
from recollect.core.errors import NotFound
from recollect.core.scope import Scope
from recollect.db.database import Batch
from recollect.flows.parts import Parts
from recollect.queue import live_workers

MOST_SECONDS = 2.0
_PAUSE = 0.02


async def wait_until_searchable(parts: Parts, scope: Scope, mark: Watermark) -> bool:
    """Whether everything up to the watermark can be found by now."""
    if mark.space not in scope.readable:
        raise NotFound("after: the watermark belongs to a space that this scope does not read")
    end = monotonic() + MOST_SECONDS
    while not await _is_searchable(parts, mark):
        if monotonic() >= end or not await live_workers(parts.database, parts.settings.heartbeat_timeout):
            return False
        await asyncio.sleep(_PAUSE)
    return True


async def _is_searchable(parts: Parts, mark: Watermark) -> bool:
    batch = Batch(mark.space)
    batch.add(QUERIES["indexed_turn"], space=mark.space, id=mark.conversation_id)
    [rows] = await parts.database.send(batch)
    return not rows or not rows[0].remember or rows[0].indexed_turn >= mark.turn
