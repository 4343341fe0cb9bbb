"""Reading and writing active memories, sections and reviews: a connection in, values out."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.active.model import Active, Review, ReviewedChunk, ReviewedPiece, Section, SectionText, Waiting
from recollect.active.templates import SectionPlan
from recollect.db.compose import Jsonb
from recollect.db.database import Connection
from recollect.db.sql import load

QUERIES = load("recollect.active")


async def create(
    connection: Connection,
    space: str,
    id: UUID,
    values: Mapping[str, Any],
    plans: Sequence[SectionPlan],
    contents: Mapping[str, str],
    actor: str | None,
    now: datetime,
) -> None:
    """Write a new active memory with its sections."""
    at = {"space": space, "id": id, "now": now}
    await connection.execute(QUERIES["create"], at | {**values, "metadata": Jsonb(values["metadata"])})
    if not plans:
        return
    columns = {"names": [plan.id for plan in plans], "contents": [contents.get(plan.id, "") for plan in plans]}
    shown = {"titles": [plan.name for plan in plans], "required": [plan.required for plan in plans]}
    await connection.execute(QUERIES["create_sections"], at | columns | shown)
    await connection.execute(QUERIES["log_initial"], at | columns | {"actor": actor})


async def get(connection: Connection, space: str, id: UUID, *, hold: bool = False) -> Active | None:
    """One active memory with its sections."""
    cursor = await connection.execute(QUERIES["hold" if hold else "get"], {"space": space, "id": id})
    found = await _with_sections(connection, space, await cursor.fetchall())
    return found[0] if found else None


async def listed(connection: Connection, space: str, agent: str | None, *, ended: bool) -> list[Active]:
    """The active memories of an agent, or of all."""
    cursor = await connection.execute(QUERIES["list"], {"space": space, "agent": agent, "ended": ended})
    return await _with_sections(connection, space, await cursor.fetchall())


async def _with_sections(connection: Connection, space: str, rows: Sequence[Any]) -> list[Active]:
    if not rows:
        return []
    cursor = await connection.execute(QUERIES["sections"], {"space": space, "ids": [row.id for row in rows]})
    sections: dict[UUID, dict[str, Section]] = {row.id: {} for row in rows}
    for row in await cursor.fetchall():
        count = row.updates - row.landed
        sections[row.active_id][row.name] = Section(
            row.name, row.title, row.content, count, row.required, row.updated_at, row.source_id
        )
    return [_active(row, sections[row.id]) for row in rows]


def _active(row: Any, sections: dict[str, Section]) -> Active:
    return Active(
        space=row.space_id,
        id=row.id,
        agent_id=row.agent or None,
        title=row.title,
        description=row.description,
        template=row.template,
        sections=sections,
        metadata=row.metadata,
        status=row.status,
        created_at=row.created_at,
        updated_at=max([row.created_at, *(section.updated_at for section in sections.values())]),
        ended_at=row.ended_at,
    )


async def texts(connection: Connection, space: str, id: UUID) -> list[SectionText]:
    """Every text that the sections of an active memory ever had."""
    cursor = await connection.execute(QUERIES["texts"], {"space": space, "id": id})
    return [SectionText(*row) for row in await cursor.fetchall()]


async def waiting(
    connection: Connection, space: str, *, id: UUID | None = None, agent: str | None = None, least: int = 1
) -> list[Waiting]:
    """Sections with updates that have not landed."""
    asked = {"space": space, "id": id, "agent": agent, "least": least}
    cursor = await connection.execute(QUERIES["waiting"], asked)
    return [Waiting(*row) for row in await cursor.fetchall()]


async def hold_agent(connection: Connection, space: str, agent: str) -> None:
    """Migrations and decisions of one agent go one after the other."""
    await connection.execute(QUERIES["hold_agent"], {"space": space, "agent": agent})


async def hold_for_landing(connection: Connection, space: str, section: Waiting) -> Any | None:
    """Hold a section for its migration, after others of its agent; nothing if what was read has landed already."""
    await hold_agent(connection, space, section.agent)
    at = {"space": space, "id": section.active_id, "name": section.name}
    cursor = await connection.execute(QUERIES["hold_section"], at)
    row = await cursor.fetchone()
    return row if row is not None and row.landed < section.updates else None


async def land(connection: Connection, space: str, section: Waiting, source: UUID | None) -> None:
    """What was read of a section has landed, its raw text in a source."""
    at = {"space": space, "id": section.active_id, "name": section.name}
    await connection.execute(QUERIES["land"], at | {"updates": section.updates, "source": source})


async def review(
    connection: Connection,
    space: str,
    id: UUID,
    section: Waiting,
    source_id: UUID,
    reason: str,
    pieces: Sequence[ReviewedPiece],
    now: datetime,
) -> UUID:
    """Ask for a decision, or bring an open question up to date; its id."""
    values = {
        "space": space,
        "id": id,
        "active_id": section.active_id,
        "section": section.name,
        "agent": section.agent,
        "source_id": source_id,
        "content": section.content,
        "reason": reason,
        "pieces": Jsonb([_plain(piece) for piece in pieces]),
        "now": now,
    }
    cursor = await connection.execute(QUERIES["review"], values)
    row = await cursor.fetchone()
    return UUID(str(row.id)) if row else id


def _plain(piece: ReviewedPiece) -> dict[str, Any]:
    chunks = [
        {"id": str(chunk.id), "content": chunk.content, "similarity": chunk.similarity, "why": chunk.why}
        for chunk in piece.chunks
    ]
    return {"order": piece.order, "text": piece.text, "chunks": chunks}


async def decisions(connection: Connection, space: str, agent: str, chunks: Sequence[UUID]) -> list[Review]:
    """What was decided about some chunks, the last decision first."""
    asked = {"space": space, "agent": agent, "chunks": [str(id) for id in chunks]}
    cursor = await connection.execute(QUERIES["decisions"], asked)
    return [review_of(row) for row in await cursor.fetchall()]


async def outdate_review(connection: Connection, space: str, section: Waiting, now: datetime) -> None:
    """A section moved on to something that contradicts nothing: an open review of it has nothing left to decide."""
    values = {"space": space, "active_id": section.active_id, "section": section.name, "now": now}
    await connection.execute(QUERIES["outdate_review"], values)


async def close_reviews(connection: Connection, space: str, sources: Sequence[UUID], now: datetime) -> None:
    """Close the open reviews of sources that are being deleted, after what their agents are at."""
    asked = {"space": space, "sources": list(sources)}
    cursor = await connection.execute(QUERIES["asking_agents"], asked)
    agents = [row.agent for row in await cursor.fetchall()]
    for agent in agents:
        await hold_agent(connection, space, agent)
    if agents:
        await connection.execute(QUERIES["close_reviews"], asked | {"now": now})


async def refresh_review(
    connection: Connection, space: str, id: UUID, pieces: Sequence[ReviewedPiece], now: datetime
) -> None:
    """Show what is known as it is by now."""
    values = {"space": space, "id": id, "pieces": Jsonb([_plain(piece) for piece in pieces]), "now": now}
    await connection.execute(QUERIES["refresh_review"], values)


async def open_review_of(connection: Connection, space: str, source: UUID) -> UUID | None:
    """The open review of a source."""
    cursor = await connection.execute(QUERIES["open_review_of"], {"space": space, "source": source})
    row = await cursor.fetchone()
    return UUID(str(row.id)) if row else None


async def reviews(connection: Connection, space: str, status: str | None, agent: str | None = None) -> list[Review]:
    """Reviews of a status, or all; of one agent, or of all."""
    cursor = await connection.execute(QUERIES["reviews"], {"space": space, "status": status, "agent": agent})
    return [review_of(row) for row in await cursor.fetchall()]


async def get_review(connection: Connection, space: str, id: UUID, *, hold: bool = False) -> Review | None:
    """One review."""
    cursor = await connection.execute(QUERIES["hold_review" if hold else "get_review"], {"space": space, "id": id})
    row = await cursor.fetchone()
    return review_of(row) if row else None


async def resolve(connection: Connection, space: str, id: UUID, status: str, by: str, now: datetime) -> Review:
    """Close a review that is held and open."""
    values = {"space": space, "id": id, "status": status, "by": by, "now": now}
    cursor = await connection.execute(QUERIES["resolve"], values)
    return review_of(await cursor.fetchone())


def review_of(row: Any) -> Review:
    """A row as a value."""
    return Review(
        id=row.id,
        active_id=row.active_id,
        section=row.section,
        agent_id=row.agent or None,
        source_id=row.source_id,
        content=row.content,
        reason=row.reason,
        pieces=tuple(_piece(piece) for piece in row.pieces),
        status=row.status,
        resolved_by=row.resolved_by,
        created_at=row.created_at,
        updated_at=row.updated_at,
        resolved_at=row.resolved_at,
    )


def _piece(given: Mapping[str, Any]) -> ReviewedPiece:
    chunks = tuple(
        ReviewedChunk(UUID(chunk["id"]), chunk["content"], chunk["similarity"], chunk["why"])
        for chunk in given["chunks"]
    )
    return ReviewedPiece(given["order"], given["text"], chunks)
