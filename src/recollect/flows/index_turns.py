"""Messages become turns: searchable memories with their surroundings. One job takes all that waits in a space."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from recollect.conversation.service import COMPRESS_TASK, INDEX_TASK, UNDERSTAND_TASK
from recollect.conversation.store import QUERIES
from recollect.core.errors import RecollectError, Unavailable
from recollect.flows import statistics
from recollect.flows.barring import bars_of, hold_unless_forgotten, told_before
from recollect.flows.indexing import Draft, drafted, embedded, turn
from recollect.flows.parts import Parts
from recollect.flows.remember import keep
from recollect.providers.http import RequestRefused
from recollect.queue import enqueue_on
from recollect.records import store, tombstones
from recollect.records.kinds import KINDS
from recollect.records.model import Actor, Event, NewMemory, Passage, Provenance
from recollect.understanding.secrets import mask

TASK = INDEX_TASK

_BATCH = 256
_WRITER = Actor("recollect", reason="message", by_hand=False)

Indexed = tuple[Any, tuple[Passage, ...]]
"""A message, and its search entries."""


async def index_turns(parts: Parts, space: str) -> dict[str, int]:
    """Index what waits, batch by batch; while one is embedded, the one before is written and the next one is read."""
    counts = {"seen": 0, "changed": 0, "failed": 0}
    reading: asyncio.Task[_Waiting] | None = None
    writing: asyncio.Task[None] | None = None
    try:
        waiting = await _waiting(parts, space, None)
        while rows := waiting.rows:
            after = (rows[-1].conversation_id, rows[-1].turn)
            reading = asyncio.create_task(_waiting(parts, space, after)) if waiting.more else None
            ready = await _ready_or_learn(parts, space, waiting)
            if writing:
                await writing
            writing = asyncio.create_task(_write(parts, space, waiting, ready))
            counts["seen"] += len(rows)
            counts["changed"] += len(ready)
            counts["failed"] += len(rows) - len(ready)
            waiting = await (reading or _waiting(parts, space, after))
    finally:
        if reading:
            reading.cancel()
        if writing:
            await writing
    return counts


async def _ready_or_learn(parts: Parts, space: str, waiting: "_Waiting") -> list[Indexed]:
    """The rows with their entries; where the embedder fails, what needs no vector is learned all the same."""
    try:
        return await _ready(parts, space, list(zip(waiting.rows, waiting.drafts, strict=True)))
    except Exception:
        async with parts.database.transaction(space) as connection:
            await enqueue_on(connection, UNDERSTAND_TASK, space)
        raise


async def _ready(parts: Parts, space: str, rows: Sequence[tuple[Any, list[Draft]]]) -> list[Indexed]:
    """The rows with their entries. A text that the embedder refuses is left out, so that it does not stop the others.

    Where all are refused it is not the texts, and where the embedder is out of reach it is none of them: then the
    error goes up, and the job is tried again.
    """
    try:
        entries = await embedded(parts, space, [drafts for _, drafts in rows])
        return [(row, passages) for (row, _), passages in zip(rows, entries, strict=True)]
    except RecollectError as error:
        if not _is_of_the_text(error) or len(rows) == 1:
            raise
    halves = [rows[: len(rows) // 2], rows[len(rows) // 2 :]]
    done = await asyncio.gather(*(_ready(parts, space, half) for half in halves), return_exceptions=True)
    failures = [result for result in done if isinstance(result, BaseException)]
    for failure in failures:
        if len(failures) == len(halves) or not _is_of_the_text(failure):
            raise failure
    return [pair for result in done if not isinstance(result, BaseException) for pair in result]


def _is_of_the_text(error: BaseException) -> bool:
    """Whether it is the text that cannot be embedded, rather than the embedder that is out of reach."""
    if isinstance(error, Unavailable):
        return isinstance(error, RequestRefused)
    return isinstance(error, RecollectError)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Messages as they were read, their passages, and what had been forgotten last by then."""

    rows: list[Any]
    drafts: list[list[Draft]]
    newest: UUID | None
    more: bool
    """Whether others waited behind them."""


async def _waiting(parts: Parts, space: str, after: tuple[Any, int] | None) -> _Waiting:
    async with parts.database.transaction(space) as connection:
        newest = await tombstones.newest(connection, space)
        cursor = await connection.execute(
            QUERIES["waiting"],
            {
                "space": space,
                "limit": _BATCH + 1,
                "conversation_id": after[0] if after else None,
                "turn": after[1] if after else 0,
            },
            binary=True,
        )
        rows, bars = await cursor.fetchall(), await bars_of(parts, connection, space)
    told = [told_before(bars, row) for row in rows[:_BATCH]]
    drafts = await drafted(parts, space, [turn(row) for row in told])
    return _Waiting(told, drafts, newest, more=len(rows) > _BATCH)


async def _write(parts: Parts, space: str, waiting: _Waiting, ready: Sequence[Indexed]) -> None:
    """One transaction: the turns, how far each conversation is searchable now, and what could not be made so."""
    rows = waiting.rows
    done = {row.conversation_id: row.turn for row in rows}
    now = parts.clock()
    async with parts.database.transaction(space) as connection:
        # First of all: what is retracted from here on waits until the turns are there.
        await connection.execute(QUERIES["share_conversations"], {"space": space, "ids": list(done)})
        await hold_unless_forgotten(connection, space, waiting.newest, now)
        cursor = await connection.execute(QUERIES["retracted"], {"space": space, "ids": [row.id for row in rows]})
        taken_back = {row.id for row in await cursor.fetchall()}
        # A message without words, such as a bare tool call, is in the log and gives nothing to search for.
        turns = [_turn(row, passages) for row, passages in ready if row.body.strip() and row.id not in taken_back]
        if turns:
            await keep(parts, connection, space, turns, _WRITER)
        if names := {row.name for row in rows if row.name}:
            await statistics.add_speakers(connection, space, names)
        lost = {row.id for row in rows} - {row.id for row, _ in ready}
        done_well = Event("worker", TASK, "ok", detail={"turns": len(turns)})
        events = [done_well, *(Event("worker", TASK, "failed", memory_id=id) for id in lost)]
        await store.record_events(connection, space, events, now)
        # Only now: from here to the commit those who add to these conversations wait.
        marks = {"space": space, "ids": list(done), "turns": list(done.values())}
        await connection.execute(QUERIES["hold_conversations"], marks)
        await connection.execute(QUERIES["mark_indexed"], marks)
        if any(row.last_turn - row.compressed_turn > parts.settings.window_most for row in rows):
            await enqueue_on(connection, COMPRESS_TASK, space)
        await statistics.refresh_when_due(connection, space, filling=waiting.more)
        await enqueue_on(connection, UNDERSTAND_TASK, space)


def _turn(row: Any, passages: tuple[Passage, ...]) -> NewMemory:
    kind = KINDS["turn"]
    return NewMemory(
        id=row.id,
        kind="turn",
        type=None,
        category=kind.category,
        content=mask(row.body),  # the log has it to the letter
        tier=kind.tier,
        importance=kind.importance,
        confidence=kind.confidence,
        happened_at=row.at,
        metadata=row.metadata,
        provenance=Provenance(
            message_id=row.id,
            conversation_id=row.conversation_id,
            thread_id=row.thread_id,
            turn=row.turn,
            agent_id=row.agent_id,
            run_id=row.run_id,
            actor_id=row.actor_id,
            role=row.role,
            speaker=row.name,
        ),
        passages=passages,
    )
