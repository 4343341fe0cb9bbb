"""The job that brings sources on: phase 1 of all that wait in a space, then phase 2.

Sources go together as long as nothing fails. Where something does, each is tried alone, and one that fails is left to a
later job, with growing pauses; after some tries it is given up, visibly, and its raw text stays. What is out of reach
for all of them (the embedder, the database) is nobody's own failure: then the job itself is tried again.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from recollect.core.describe import describe
from recollect.core.errors import RecollectError, Unavailable
from recollect.core.scope import is_team
from recollect.flows import learn, process, statistics
from recollect.flows.ingest import TASK
from recollect.flows.parts import Parts
from recollect.providers.http import RequestRefused
from recollect.queue import enqueue_on
from recollect.queue.enqueue import current_job
from recollect.records import store
from recollect.records.model import Event
from recollect.sources import store as sources
from recollect.sources.model import Due, Status

AGAIN = "ingest_again"
_DIED = "its worker died each time"
_log = logging.getLogger(__name__)

Counts = dict[str, int]


@dataclass(frozen=True, slots=True)
class Phase:
    """What is done with sources at a status."""

    status: Status
    work: Callable[[Parts, str, Sequence[UUID]], Awaitable[int]]


_PHASES = (Phase("raw", process.process), Phase("processed", learn.learn))


def _phases(space: str) -> Sequence[Phase]:
    """Sources of a team are learned from where they are used."""
    return _PHASES[:1] if is_team(space) else _PHASES


async def ingest(parts: Parts, space: str) -> Counts:
    """Bring on all that waits and never failed: while some are embedded, those before them are learned from."""
    counts, phases = {"seen": 0, "changed": 0, "failed": 0}, _phases(space)
    last: list[list[Due]] = []
    # What comes back as it was is in somebody else's hands.
    while any(batches := [await _due(parts, space, phase, again=False) for phase in phases]) and batches != last:
        last = batches
        work = [_together(parts, space, *each, counts) for each in zip(phases, batches, strict=True) if each[1]]
        for failure in await asyncio.gather(*work, return_exceptions=True):
            if failure is not None:
                raise failure
        counts["seen"] += sum(map(len, batches))
        await statistics.tell_planner(parts)
    return counts


async def ingest_again(parts: Parts, space: str) -> Counts:
    """Try again what failed, each alone; what is on its way then goes on to the next phase."""
    counts = {"seen": 0, "changed": 0, "failed": 0}
    for phase in _phases(space):
        for each in await _due(parts, space, phase, again=True):
            counts["seen"] += 1
            await _alone(parts, space, phase, each.id, counts)
    if counts["changed"]:
        async with parts.database.transaction(space) as connection:
            await enqueue_on(connection, TASK, space)
    return counts


async def _due(parts: Parts, space: str, phase: Phase, *, again: bool) -> list[Due]:
    async with parts.database.transaction(space) as connection:
        return await sources.due(connection, space, phase.status, again=again)


async def _together(parts: Parts, space: str, phase: Phase, batch: Sequence[Due], counts: Counts) -> None:
    """All of a batch; where one of them fails, each for itself.

    A job that was tried before may have been killed by one of them: then their tries are counted first.
    """
    ids = [each.id for each in batch]
    if _was_tried():
        await _begin_try(parts, space, ids)
    try:
        counts["changed"] += await phase.work(parts, space, ids)
    except asyncio.CancelledError:
        await _cut_off(parts, space, ids if _was_tried() else ())
        raise
    except Exception as error:
        if is_outage(error):
            await _forgive(parts, space, ids if _was_tried() else ())
            raise
        if _was_tried():
            await _forgive(parts, space, ids)
        for id in ids:
            await _alone(parts, space, phase, id, counts)


def _was_tried() -> bool:
    job = current_job.get()
    return job is not None and job.attempts > 0


def is_outage(error: BaseException) -> bool:
    """Whether something is out of reach for every source, rather than one that cannot be read."""
    return isinstance(error, Unavailable) and not isinstance(error, RequestRefused)


async def _alone(parts: Parts, space: str, phase: Phase, id: UUID, counts: Counts) -> None:
    """One source; that it is tried is written before, so that it is known should the worker not survive it."""
    tries = (await _begin_try(parts, space, [id])).get(id)
    if tries is None:
        return
    if tries > parts.settings.job_attempts:
        counts["failed"] += await _give_up(parts, space, id, _DIED)
        return
    try:
        counts["changed"] += await phase.work(parts, space, [id])
    except asyncio.CancelledError:
        await _cut_off(parts, space, [id])
        raise
    except Exception as error:
        if is_outage(error):
            await _forgive(parts, space, [id])
            raise
        _log.warning("a source could not be brought on from %s: %s", phase.status, describe(error))
        counts["failed"] += 1
        if tries >= parts.settings.job_attempts:
            await _give_up(parts, space, id, describe(error))


async def _begin_try(parts: Parts, space: str, ids: Sequence[UUID]) -> dict[UUID, int]:
    """Count the try of sources and have them tried again later: should they come on, there is nothing left to do."""
    settings = parts.settings
    async with parts.database.transaction(space) as connection:
        tries = await sources.count_try(connection, space, ids)
        if tries:
            after = settings.job_backoff * 2 ** (min(tries.values()) - 1)
            await enqueue_on(connection, AGAIN, space, after=after)
    return tries


async def _cut_off(parts: Parts, space: str, ids: Sequence[UUID]) -> None:
    """A worker that is told to stop has not failed: its tries do not count."""
    await asyncio.shield(_forgive(parts, space, ids))


async def _forgive(parts: Parts, space: str, ids: Sequence[UUID]) -> None:
    if not ids:
        return
    try:
        async with parts.database.transaction(space) as connection:
            await sources.uncount_try(connection, space, ids)
    except RecollectError as error:
        _log.warning("tries of sources could not be taken back: %s", describe(error))


async def _give_up(parts: Parts, space: str, id: UUID, reason: str) -> bool:
    """Leave a source as it is, for somebody to look at."""
    now = parts.clock()
    async with parts.database.transaction(space) as connection:
        given_up = await sources.give_up(connection, space, id, reason)
        if given_up:
            await store.merge_data(connection, space, {id: {"status": "failed", "reason": reason}})
            await store.record_events(connection, space, [Event("worker", "ingest", "failed", id)], now)
    return given_up
