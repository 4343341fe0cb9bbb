"""Messages become turns: searchable memories with their surroundings. One job takes all that waits in a space."""

import asyncio
from collections.abc import Sequence
from typing import Any

from recollect.conversation.store import QUERIES
from recollect.flows import statistics
from recollect.flows.indexing import Searchable, passages_of
from recollect.flows.parts import Parts
from recollect.records import store
from recollect.records.kinds import KINDS
from recollect.records.model import Actor, NewMemory, Passage, Provenance
from recollect.retrieval.surroundings import embedding_text, search_text

TASK = "index_turns"

_BATCH = 256
_WRITER = Actor("recollect", reason="message", by_hand=False)


async def index_turns(parts: Parts, space: str) -> dict[str, int]:
    """Index what waits, batch by batch; while one batch is embedded, the one before is written."""
    seen, writing = 0, None
    after: tuple[Any, int] | None = None
    try:
        while rows := await _waiting(parts, space, after):
            after = (rows[-1].conversation_id, rows[-1].turn)
            entries = await _entries(parts, space, rows)
            if writing:
                await writing
            writing = asyncio.create_task(_write(parts, space, rows, entries))
            seen += len(rows)
    finally:
        if writing:
            await writing
    return {"seen": seen, "changed": seen}


async def _waiting(parts: Parts, space: str, after: tuple[Any, int] | None) -> list[Any]:
    async with parts.database.transaction(space) as connection:
        cursor = await connection.execute(
            QUERIES["waiting"],
            {
                "space": space,
                "limit": _BATCH,
                "conversation_id": after[0] if after else None,
                "turn": after[1] if after else 0,
            },
            binary=True,
        )
        return await cursor.fetchall()


async def _entries(parts: Parts, space: str, rows: Sequence[Any]) -> list[tuple[Passage, ...]]:
    return await passages_of(parts, space, [_searchable(row) for row in rows])


def _searchable(row: Any) -> Searchable:
    def words(piece: str, first: bool) -> str:
        # What was said before helps to find the beginning of a long turn, not all of it.
        before = (row.name_before, row.body_before) if first and row.body_before else None
        return search_text(piece, row.name, row.at, before)

    return Searchable(embedding_text(row.body, row.name), words)


async def _write(parts: Parts, space: str, rows: Sequence[Any], entries: Sequence[tuple[Passage, ...]]) -> None:
    """One transaction: the turns, and how far each conversation is searchable now."""
    # A message without words, such as a bare tool call, is in the log and gives nothing to search for.
    turns = [_turn(row, passages) for row, passages in zip(rows, entries, strict=True) if row.body.strip()]
    done = {row.conversation_id: row.turn for row in rows}
    async with parts.database.transaction(space) as connection:
        if turns:
            await store.remember(
                connection,
                space,
                turns,
                parts.clock(),
                _WRITER,
                salience=parts.settings.salience_initial,
                mean_length=parts.mean_length(space),
            )
        await connection.execute(
            QUERIES["mark_indexed"], {"space": space, "ids": list(done), "turns": list(done.values())}
        )
        if names := {row.name for row in rows if row.name}:
            await statistics.add_speakers(connection, space, names)
        await statistics.refresh_when_due(connection, space)


def _turn(row: Any, passages: tuple[Passage, ...]) -> NewMemory:
    kind = KINDS["turn"]
    return NewMemory(
        id=row.id,
        kind="turn",
        type=None,
        category=kind.category,
        content=row.body,
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
