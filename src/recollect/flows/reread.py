"""Messages that rules had to read are given to the model again; a few tries, then what the rules found stays."""

from dataclasses import replace
from typing import Any

from recollect.conversation.model import Conversation
from recollect.conversation.store import QUERIES, conversation_of
from recollect.flows.parts import Parts
from recollect.flows.reading import Reading, known_owner, owner_space, read
from recollect.flows.understand import (
    BEFORE,
    REREAD,
    REREAD_SECONDS,
    Counts,
    absorb,
    follow_names,
    judged,
    prepared,
    refresh,
    rows_of,
    write_profiles,
)
from recollect.flows.wordings import still_to_say
from recollect.queue import enqueue_on
from recollect.records import store
from recollect.records.model import Event

TASK = REREAD


async def reread(parts: Parts, space: str) -> dict[str, int]:
    """Ask the model about all that waits for it in a space."""
    waiting = await rows_of(parts, space, "to_reread")
    counts = Counts(seen=len(waiting))
    if waiting and (rest := await parts.governor.stopped_for(space)) is not None:
        await _ask_later(parts, space, rest.total_seconds())
        return counts.as_dict()
    parts.breaker.reset()
    for row in waiting:
        if parts.breaker.is_open(parts.clock()):
            await _ask_later(parts, space)
            break
        found = await rows_of(parts, space, "get", id=row.conversation_id)
        if not found or row.retracted_at is not None or parts.model is None or parts.model.name("extract") is None:
            await _give_up(parts, space, row, "skipped")
            continue
        conversation = conversation_of(found[0])
        owner = await known_owner(parts, owner_space(conversation, row), row.actor_id)
        reading = await read(parts, conversation, row, await _before(parts, conversation, row.turn), owner)
        if reading.fell_back:
            counts.failed += 1
            await _try_later(parts, space, row)
        else:
            await _write(parts, conversation, reading, counts)
    return counts.as_dict()


async def _before(parts: Parts, conversation: Conversation, turn: int) -> list[Any]:
    """The messages just before one, in order."""
    place = {"conversation_id": conversation.id, "first": turn - BEFORE, "last": turn - 1}
    return await rows_of(parts, conversation.space, "stretch", **place)


async def _write(parts: Parts, conversation: Conversation, reading: Reading, counts: Counts) -> None:
    """What the model adds to what the rules found; the same fact is one more word of the same witness."""
    space = conversation.space
    [found] = await prepared(parts, space, [reading])
    asked = await still_to_say(parts, space, [(draft, reading.owner.display) for draft in found.drafts])
    taught = replace(found, drafts=tuple(draft for draft, _ in asked))
    verdicts = await judged(parts, space, [taught])
    async with parts.database.transaction(space, reading.owner.space) as connection:
        await absorb(parts, connection, space, [taught], verdicts, counts)
        await connection.execute(QUERIES["reread_done"], _place(space, reading.row))
        await write_profiles(parts, connection, space, [taught])
        await follow_names(parts, connection, space, [taught])
        await refresh(connection, space, reading.owner.space)


async def _try_later(parts: Parts, space: str, row: Any) -> None:
    tries = row.tries + 1
    if tries >= parts.settings.job_attempts:
        await _give_up(parts, space, row, "failed")
        return
    async with parts.database.transaction(space) as connection:
        await connection.execute(QUERIES["remember_to_reread"], _place(space, row) | {"tries": tries})
        await enqueue_on(connection, TASK, space, after=REREAD_SECONDS * 2**tries)


async def _ask_later(parts: Parts, space: str, seconds: float = REREAD_SECONDS) -> None:
    """The model does not answer, or may not be asked: what it was not asked about has lost no try."""
    async with parts.database.transaction(space) as connection:
        await enqueue_on(connection, TASK, space, after=seconds)


async def _give_up(parts: Parts, space: str, row: Any, status: str) -> None:
    async with parts.database.transaction(space) as connection:
        await connection.execute(QUERIES["reread_done"], _place(space, row))
        event = Event("worker", "reread", status, memory_id=row.id)
        await store.record_events(connection, space, [event], parts.clock())


def _place(space: str, row: Any) -> dict[str, Any]:
    return {"space": space, "conversation_id": row.conversation_id, "turn": row.turn}
