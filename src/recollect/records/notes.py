"""Notes: dated remarks on memories and relations, each with a life of its own."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from recollect.core.ids import new_ids
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.records.model import Note

QUERIES = load("recollect.records", "notes.sql")

LIFETIMES: dict[str, int | None] = {"week": 7, "month": 30, "year": 365, "forever": None}
"""How many days each lasts."""


@dataclass(frozen=True, slots=True)
class NewNote:
    """A remark to be written down."""

    target_id: UUID
    content: str
    lifetime: str = "month"
    added_by: str | None = None
    source_id: UUID | None = None


def expiry(lifetime: str, now: datetime) -> datetime | None:
    """When a note that is written now ends."""
    days = LIFETIMES[lifetime]
    return None if days is None else now + timedelta(days=days)


async def add(connection: Connection, space: str, drafts: Sequence[NewNote], now: datetime) -> list[Note]:
    """Write notes down, as they are."""
    if not drafts:
        return []
    values = {
        "ids": new_ids(len(drafts)),
        "target_ids": [draft.target_id for draft in drafts],
        "contents": [draft.content for draft in drafts],
        "authors": [draft.added_by for draft in drafts],
        "source_ids": [draft.source_id for draft in drafts],
        "lifetimes": [draft.lifetime for draft in drafts],
        "expiries": [expiry(draft.lifetime, now) for draft in drafts],
    }
    return await _notes(connection, "add", {"space": space, "now": now} | values)


async def add_unsaid(connection: Connection, space: str, drafts: Iterable[NewNote], now: datetime) -> list[Note]:
    """Write those notes down that their targets do not have, word for word; the caller holds the space."""
    fresh = {(draft.target_id, draft.content): draft for draft in drafts}
    if not fresh:
        return []
    asked = {"ids": sorted({target for target, _ in fresh}), "contents": sorted({text for _, text in fresh})}
    cursor = await connection.execute(QUERIES["known"], {"space": space, "now": now} | asked)
    for row in await cursor.fetchall():
        fresh.pop((row.target_id, row.content), None)
    return await add(connection, space, list(fresh.values()), now)


async def of(
    connection: Connection, space: str, targets: Sequence[UUID], now: datetime, sensitivity: Sequence[str]
) -> list[Note]:
    """The notes of some targets that have not ended, oldest first; none of a source that may not be seen."""
    asked = {"space": space, "ids": list(targets), "now": now, "sensitivity": list(sensitivity)}
    return await _notes(connection, "of", asked)


async def get(connection: Connection, space: str, id: UUID) -> Note | None:
    """One note, also one that has ended and is still there."""
    found = await _notes(connection, "get", {"space": space, "id": id})
    return found[0] if found else None


async def change(
    connection: Connection, note: Note, content: str, lifetime: str, expires_at: datetime | None, now: datetime
) -> Note | None:
    """Give a note another text or life; nothing if it is gone."""
    values = {"content": content, "lifetime": lifetime, "expires_at": expires_at, "now": now}
    found = await _notes(connection, "change", {"space": note.space, "id": note.id} | values)
    return found[0] if found else None


async def remove(connection: Connection, space: str, id: UUID) -> Note | None:
    """Take a note away; nothing if it was gone."""
    found = await _notes(connection, "remove", {"space": space, "id": id})
    return found[0] if found else None


async def drop_expired(connection: Connection, space: str, now: datetime) -> list[Note]:
    """Take every note away that has ended; those."""
    return await _notes(connection, "drop_expired", {"space": space, "now": now})


async def retarget(connection: Connection, space: str, moves: Mapping[UUID, UUID]) -> list[tuple[UUID, UUID]]:
    """Let targets hand their notes over to others; which notes, and whose each was."""
    if not moves:
        return []
    asked = {"space": space, "olds": list(moves), "news": list(moves.values())}
    cursor = await connection.execute(QUERIES["retarget"], asked)
    return [(row.id, row.old) for row in await cursor.fetchall()]


async def hand_back(connection: Connection, space: str, notes: Mapping[UUID, UUID], holders: Sequence[UUID]) -> None:
    """Give notes back to the targets they were of, where the holders still have them."""
    if notes:
        asked = {"space": space, "ids": list(notes), "targets": list(notes.values()), "holders": list(holders)}
        await connection.execute(QUERIES["hand_back"], asked)


async def _notes(connection: Connection, name: str, values: Mapping[str, Any]) -> list[Note]:
    cursor = await connection.execute(QUERIES[name], values)
    return [note_of(row) for row in await cursor.fetchall()]


def note_of(row: Any) -> Note:
    """A row as a value."""
    return Note(
        row.space_id,
        row.id,
        row.target_id,
        row.content,
        row.added_by,
        row.source_id,
        row.lifetime,
        row.expires_at,
        row.created_at,
        row.updated_at,
    )
