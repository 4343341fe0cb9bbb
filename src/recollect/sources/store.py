"""Reading sources and their chunks: a connection in, values out. Writing them is a matter of the records."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from recollect.db.compose import Jsonb
from recollect.db.database import Connection
from recollect.db.sql import load

QUERIES = load("recollect.sources")

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


async def past_their_time(
    connection: Connection, space: str, idle_since: datetime, ended_before: datetime
) -> tuple[list[UUID], list[UUID]]:
    """Chunks of sections that nobody asked for since, and versions that ended before."""
    idle = await connection.execute(QUERIES["idle_chunks"], {"space": space, "idle_since": idle_since})
    idle_ids = [row.id for row in await idle.fetchall()]
    old = await connection.execute(QUERIES["old_versions"], {"space": space, "ended_before": ended_before})
    return idle_ids, [row.id for row in await old.fetchall()]
