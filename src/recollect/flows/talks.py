"""Talks feed the graph: the new turns of a conversation that has ended, or rests, become sources that refer to them.

A source has the turns of one day, by the messages' own dates in the space's time zone, so that days are counted
honestly in a thread that goes on for weeks. It holds no copy of what was said.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from recollect.conversation.model import Conversation
from recollect.conversation.service import SOURCE_TASK
from recollect.conversation.store import QUERIES, conversation_of, hold
from recollect.core.ids import new_id
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows.ingest import TASK as INGEST
from recollect.flows.ingest import memory_of
from recollect.flows.learn import zone_of
from recollect.flows.parts import Parts
from recollect.flows.remember import keep
from recollect.queue import enqueue_on
from recollect.records.model import Actor, NewMemory, Provenance
from recollect.sources import store as sources
from recollect.sources.model import NewSource

TASK = SOURCE_TASK
CONVERSATION = "conversation"
"""The type of sources that stretches of talk become."""
_WRITER = Actor("recollect", reason="a talk", by_hand=False)
_BATCH = 1_000


@dataclass(slots=True)
class _Stretch:
    """Turns of one day that follow each other, and what is known of them."""

    day: date
    rows: list[Any] = field(default_factory=list)

    @property
    def said(self) -> list[Any]:
        """What was not taken back."""
        return [row for row in self.rows if row.retracted_at is None]


async def source_talks(parts: Parts, space: str) -> dict[str, int]:
    """The job of one space: conversations that have ended, or rest."""
    return await sweep(parts, space, parts.clock())


async def sweep(parts: Parts, space: str, now: datetime) -> dict[str, int]:
    """The same by the clock, over every space that has such."""
    counts = {"seen": 0, "changed": 0}
    if not parts.settings.understand:
        return counts
    async with parts.database.transaction(space) as connection:
        asked = {"space": space, "idle_since": idle_since(parts, now)}
        cursor = await connection.execute(QUERIES["to_source"], asked)
        waiting = [conversation_of(row) for row in await cursor.fetchall()]
    for conversation in waiting:
        counts["seen"] += 1
        while (written := await _source(parts, conversation, now)) is not None:
            counts["changed"] += written
    return counts


def idle_since(parts: Parts, now: datetime) -> datetime:
    """Since when a conversation must have been silent to count as resting."""
    return now - timedelta(minutes=parts.settings.idle_minutes)


@again_after_deadlock
async def _source(parts: Parts, conversation: Conversation, now: datetime) -> int | None:
    """The next turns as sources, and that they are, in one transaction; how many sources, None if no turn is left."""
    space = conversation.space
    async with parts.database.transaction(space) as connection:
        held = await hold(connection, space, conversation.id)
        if held is None or held.sourced_turn >= held.last_turn or not _rests(parts, held, now):
            return None
        rows = await _turns(connection, space, held)
        zone = ZoneInfo(await zone_of(parts, connection, space))
        made = [_made(conversation, stretch) for stretch in _stretches(rows, zone) if stretch.said]
        if made:
            await keep(parts, connection, space, [memory for memory, _ in made], _WRITER)
            await sources.receive(connection, space, [source for _, source in made], now)
        last = rows[-1].turn if rows else held.last_turn
        place = {"space": space, "id": conversation.id, "turn": last}
        await connection.execute(QUERIES["mark_sourced"], place)
        if made:
            await enqueue_on(connection, INGEST, space)
    return len(made)


def _rests(parts: Parts, held: Any, now: datetime) -> bool:
    """Whether it still does, now that it is held: somebody may have gone on with it."""
    return held.status == "ended" or bool(held.updated_at <= idle_since(parts, now))


async def _turns(connection: Connection, space: str, held: Any) -> list[Any]:
    first = held.sourced_turn + 1
    asked = {"space": space, "conversation_id": held.id, "first": first, "last": first + _BATCH - 1}
    cursor = await connection.execute(QUERIES["turns"], asked)
    return await cursor.fetchall()


def _stretches(rows: Sequence[Any], zone: ZoneInfo) -> list[_Stretch]:
    """Turns by the days on which they were said; a day that comes back is another stretch."""
    days = groupby(rows, key=lambda row: row.at.astimezone(zone).date())
    return [_Stretch(day, list(said)) for day, said in days]


def _made(conversation: Conversation, stretch: _Stretch) -> tuple[NewMemory, NewSource]:
    """A stretch as a source; what it says in few words is found out in phase 1."""
    said = stretch.said
    times = [row.at for row in said]
    source = NewSource(
        id=new_id(),
        source_type=CONVERSATION,
        participants=tuple(dict.fromkeys(row.name for row in said if row.name and row.role == "user")),
        started_at=min(times),
        ended_at=max(times),
        conversation_id=conversation.id,
        first_turn=stretch.rows[0].turn,
        last_turn=stretch.rows[-1].turn,
    )
    agents = {row.agent_id for row in said}
    memory = memory_of(
        source,
        content="",
        title=f"{conversation.title or conversation.thread_id}, {stretch.day.isoformat()}",
        happened_at=source.started_at,
        data={"first_turn": source.first_turn, "last_turn": source.last_turn},
        provenance=Provenance(
            conversation_id=conversation.id,
            thread_id=conversation.thread_id,
            agent_id=agents.pop() if len(agents) == 1 else None,
        ),
    )
    return memory, source
