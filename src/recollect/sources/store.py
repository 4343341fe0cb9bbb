"""Sources and their chunks: a connection in, values out. Their memories are written by the records, how far a source
is understood here."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from recollect.db.compose import Jsonb
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.sources.model import Due, NewSource, Source, Status, Step

QUERIES = load("recollect.sources")

MOST_AT_ONCE = 50
"""Sources of a batch."""
_MOST_BYTES = 4_000_000
"""Text of a batch, unless one source alone has more."""

Vectors = Sequence[NDArray[np.float32]]


async def near_chunks(
    connection: Connection,
    space: str,
    agent: str | None,
    passages: Vectors,
    *,
    least: float,
    most: int,
) -> list[UUID]:
    """The short-term chunks of an agent of which some passage is near one of these."""
    if not passages:
        return []
    asked = {"space": space, "agent": agent, "least": least, "most": most}
    queries = [HalfVector(vector) for vector in passages]
    cursor = await connection.execute(QUERIES["near_chunks"], asked | {"queries": queries})
    return [row.id for row in await cursor.fetchall()]


async def hidden_chunks(
    connection: Connection,
    space: str,
    agent: str | None,
    section: dict[str, str],
    texts: Sequence[str],
    passages: Vectors,
    *,
    least: float,
) -> list[UUID]:
    """The chunks of an agent that were put away with one of these texts, or deleted and have to do with them.

    `section` is what the metadata of a section's chunks hold.
    """
    asked = {"space": space, "agent": agent, "section": Jsonb(section), "texts": list(texts), "least": least}
    queries = [HalfVector(vector) for vector in passages]
    cursor = await connection.execute(QUERIES["hidden_chunks"], asked | {"queries": queries})
    return [row.id for row in await cursor.fetchall()]


async def listing(connection: Connection, space: str, sources: Sequence[UUID]) -> list[Any]:
    """Rows of the chunks that hold what sources said, in any state, and of their versions."""
    cursor = await connection.execute(QUERIES["listing"], {"space": space, "sources": [str(id) for id in sources]})
    return await cursor.fetchall()


async def vectors_of(connection: Connection, space: str, ids: Sequence[UUID]) -> dict[UUID, list[NDArray[np.float32]]]:
    """The vectors of memories, passage by passage."""
    cursor = await connection.execute(QUERIES["vectors_of"], {"space": space, "ids": list(ids)})
    found: dict[UUID, list[NDArray[np.float32]]] = {}
    for row in await cursor.fetchall():
        found.setdefault(row.memory_id, []).append(row.embedding.to_numpy().astype(np.float32))
    return found


def likeness(passages: Vectors, others: Vectors) -> float:
    """How alike two texts are: the mean over the passages of one of the nearest of the other."""
    if not passages or not others:
        return 0.0
    return float(np.mean(np.max(np.stack(passages) @ np.stack(others).T, axis=1)))


async def chunks_of(connection: Connection, space: str, source: UUID) -> list[Any]:
    """Rows of a source's short-term chunks, in their order."""
    cursor = await connection.execute(QUERIES["chunks_of"], {"space": space, "source": source})
    return await cursor.fetchall()


async def places(connection: Connection, space: str, source: UUID) -> set[int]:
    """Which places of a source have a chunk, in whatever state."""
    cursor = await connection.execute(QUERIES["places"], {"space": space, "source": source})
    return {row.place for row in await cursor.fetchall()}


async def versions_of(connection: Connection, space: str, sources: Sequence[UUID]) -> list[Any]:
    """Rows of the long-term versions of the chunks of sources, newest first."""
    cursor = await connection.execute(QUERIES["versions_of"], {"space": space, "sources": list(sources)})
    return await cursor.fetchall()


async def connections(connection: Connection, space: str, source: UUID) -> int:
    """How many nodes the chunks of a source mention."""
    cursor = await connection.execute(QUERIES["connections"], {"space": space, "source": source})
    row = await cursor.fetchone()
    return int(row.nodes) if row else 0


async def unpromoted(connection: Connection, space: str) -> list[UUID]:
    """Sources with something that long-term memory does not have."""
    cursor = await connection.execute(QUERIES["unpromoted"], {"space": space})
    return [row.id for row in await cursor.fetchall()]


async def signals(connection: Connection, space: str, sources: Sequence[UUID]) -> list[Any]:
    """What speaks for sources, a row for each: one statement for all of them."""
    cursor = await connection.execute(QUERIES["signals"], {"space": space, "sources": list(sources)})
    return await cursor.fetchall()


async def past_their_time(
    connection: Connection, space: str, idle_since: datetime, ended_before: datetime
) -> tuple[list[UUID], list[UUID]]:
    """Chunks of sections that nobody asked for since, and versions that ended before."""
    idle = await connection.execute(QUERIES["idle_chunks"], {"space": space, "idle_since": idle_since})
    idle_ids = [row.id for row in await idle.fetchall()]
    old = await connection.execute(QUERIES["old_versions"], {"space": space, "ended_before": ended_before})
    return idle_ids, [row.id for row in await old.fetchall()]


# How far sources are understood ------------------------------------------------------------------------


async def receive(connection: Connection, space: str, sources: Sequence[NewSource], now: datetime) -> None:
    """New sources; their memories are there already."""
    rows = [
        {
            "id": str(source.id),
            "source_type": source.source_type,
            "has_text": source.has_text,
            "participants": list(source.participants),
            "started_at": _moment(source.started_at),
            "ended_at": _moment(source.ended_at),
            "context_type": source.context_type,
            "conversation_id": _text(source.conversation_id),
            "first_turn": source.first_turn,
            "last_turn": source.last_turn,
            "origin_space": source.origin_space,
            "origin_id": _text(source.origin_id),
        }
        for source in sources
    ]
    await connection.execute(QUERIES["receive"], {"space": space, "now": now, "sources": Jsonb(rows)})


def _moment(value: datetime | None) -> str | None:
    return value.isoformat() if value else None


def _text(value: UUID | None) -> str | None:
    return str(value) if value else None


async def due(connection: Connection, space: str, status: Status, *, again: bool) -> list[Due]:
    """Sources whose phase is due, oldest first, as many as go together; `again`, those that failed before, all."""
    asked = {"space": space, "status": status, "again": again, "most": 2**31 - 1 if again else MOST_AT_ONCE}
    cursor = await connection.execute(QUERIES["due"], asked)
    found = [Due(row.id, row.attempts, row.size) for row in await cursor.fetchall()]
    return found if again else _that_fit(found)


def _that_fit(found: Sequence[Due]) -> list[Due]:
    kept, size = list[Due](), 0
    for each in found:
        size += each.size
        if kept and size > _MOST_BYTES:
            break
        kept.append(each)
    return kept


async def raw(connection: Connection, space: str, ids: Sequence[UUID]) -> list[Any]:
    """Rows of sources that have only come in, with what phase 1 needs of their memories."""
    cursor = await connection.execute(QUERIES["read_raw"], {"space": space, "ids": list(ids)})
    return await cursor.fetchall()


async def cleaned(connection: Connection, space: str, ids: Sequence[UUID]) -> list[Any]:
    """Rows of sources that are processed, with their cleaned texts."""
    cursor = await connection.execute(QUERIES["read_cleaned"], {"space": space, "ids": list(ids)})
    return await cursor.fetchall()


async def origin(connection: Connection, space: str, id: UUID) -> Any | None:
    """The row of a source that another space refers to, with its text, if it is still there."""
    cursor = await connection.execute(QUERIES["origin"], {"space": space, "id": id})
    return await cursor.fetchone()


async def origins(connection: Connection, space: str, ids: Iterable[UUID]) -> list[Any]:
    """Rows of sources to be referred to that are still there."""
    cursor = await connection.execute(QUERIES["origins"], {"space": space, "ids": sorted(ids)})
    return await cursor.fetchall()


async def hold(connection: Connection, space: str, ids: Sequence[UUID], status: Status) -> set[UUID]:
    """Which of some sources are still at a status and not deleted; from here on nobody moves them."""
    asked = {"space": space, "ids": sorted(ids), "status": status}
    cursor = await connection.execute(QUERIES["hold"], asked)
    return {row.id for row in await cursor.fetchall()}


async def step(connection: Connection, space: str, steps: Sequence[Step], now: datetime) -> None:
    """Write how far sources have come."""
    rows = [
        {
            "id": str(each.id),
            "status": each.status,
            "by_rules": each.by_rules,
            "participants": None if each.participants is None else list(each.participants),
            "started_at": _moment(each.started_at),
            "ended_at": _moment(each.ended_at),
        }
        for each in steps
    ]
    await connection.execute(QUERIES["step"], {"space": space, "now": now, "steps": Jsonb(rows)})


async def count_try(connection: Connection, space: str, ids: Sequence[UUID]) -> dict[UUID, int]:
    """Sources are tried; the how manyth time of each."""
    cursor = await connection.execute(QUERIES["try"], {"space": space, "ids": list(ids)})
    return {row.id: row.attempts for row in await cursor.fetchall()}


async def uncount_try(connection: Connection, space: str, ids: Sequence[UUID]) -> None:
    """The last try of sources does not count."""
    await connection.execute(QUERIES["untry"], {"space": space, "ids": list(ids)})


async def give_up(connection: Connection, space: str, id: UUID, reason: str) -> bool:
    """Try a source no more; whether somebody else had not given it up before."""
    cursor = await connection.execute(QUERIES["give_up"], {"space": space, "id": id, "reason": reason})
    return await cursor.fetchone() is not None


async def begin_again(connection: Connection, space: str, id: UUID) -> Status | None:
    """Take a source up that was given up: at which status it is, if it was."""
    cursor = await connection.execute(QUERIES["begin_again"], {"space": space, "id": id})
    row = await cursor.fetchone()
    return row.status if row else None


async def listed(
    connection: Connection, space: str, status: Status | None, sensitivity: Sequence[str], after: UUID, limit: int
) -> list[Source]:
    """Sources of a space after an id."""
    asked = {"space": space, "status": status, "sensitivity": list(sensitivity), "after": after, "limit": limit}
    cursor = await connection.execute(QUERIES["listed"], asked)
    return [source_of(row) for row in await cursor.fetchall()]


async def documents(
    connection: Connection, space: str, sensitivity: Sequence[str], after: UUID, limit: int
) -> list[Any]:
    """Rows of documents after an id, with their raw texts."""
    asked = {"space": space, "sensitivity": list(sensitivity), "after": after, "limit": limit}
    cursor = await connection.execute(QUERIES["documents"], asked)
    return await cursor.fetchall()


async def about(connection: Connection, space: str, ids: Sequence[UUID]) -> list[Any]:
    """Rows of sources, whatever became of them."""
    cursor = await connection.execute(QUERIES["about"], {"space": space, "ids": list(ids)})
    return await cursor.fetchall()


def source_of(row: Any) -> Source:
    """A row as a value."""
    return Source(
        space=row.space_id,
        id=row.id,
        source_type=row.source_type,
        title=row.title,
        status="failed" if row.failed is not None else row.status,
        reason=row.failed,
        attempts=row.attempts,
        by_rules=row.by_rules,
        sensitivity=row.sensitivity,
        participants=tuple(row.participants),
        context_type=row.context_type,
        started_at=row.started_at,
        ended_at=row.ended_at,
        conversation_id=row.conversation_id,
        first_turn=row.first_turn,
        last_turn=row.last_turn,
        origin_space=row.origin_space,
        origin_id=row.origin_id,
        received_at=row.received_at,
        processed_at=row.processed_at,
        extracted_at=row.extracted_at,
    )


async def unsettle_turn(connection: Connection, space: str, conversation_id: UUID, turn: int) -> list[UUID]:
    """A turn was taken back: the sources that tell of it are read anew; which."""
    asked = {"space": space, "conversation_id": conversation_id, "turn": turn}
    cursor = await connection.execute(QUERIES["about_turn"], asked)
    return [row.id for row in await cursor.fetchall()]


async def to_reread(connection: Connection, space: str, status: Status, most: int) -> dict[UUID, int]:
    """Sources that the model should have read and has tries left for, and how many it had."""
    cursor = await connection.execute(QUERIES["to_reread"], {"space": space, "status": status})
    return {row.id: row.rereads for row in await cursor.fetchall() if row.rereads < most}


async def unsettle(connection: Connection, space: str, ids: Sequence[UUID]) -> None:
    """Have sources read anew, from the beginning."""
    await connection.execute(QUERIES["unsettle"], {"space": space, "ids": list(ids)})


async def chunk_texts(connection: Connection, space: str, sources: Iterable[UUID]) -> dict[UUID, list[Any]]:
    """Ids and texts of the chunks of sources."""
    cursor = await connection.execute(QUERIES["chunk_texts"], {"space": space, "sources": list(sources)})
    found: dict[UUID, list[Any]] = {}
    for row in await cursor.fetchall():
        found.setdefault(row.source_id, []).append(row)
    return found


async def references(connection: Connection, space: str, team: str | None = None) -> list[Any]:
    """Rows of a space's references to sources of teams: of one team's space, or of all."""
    cursor = await connection.execute(QUERIES["references"], {"space": space, "team": team})
    return await cursor.fetchall()
