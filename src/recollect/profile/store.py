"""Reading and writing keyed facts and proposals: a connection in, values out."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.core.scope import Sensitivity
from recollect.db.database import Batch, Connection
from recollect.db.sql import load
from recollect.profile.model import Consent, Held, ProfileFact, Said
from recollect.records.filters import allowed_sensitivities

QUERIES = load("recollect.profile")


async def hold_space(connection: Connection, space: str, now: datetime) -> None:
    """Have the profile of a space to oneself until the commit."""
    await connection.execute(QUERIES["begin_space"], {"space": space, "now": now})
    await connection.execute(QUERIES["lock"], {"space": space})


async def rows_of_key(connection: Connection, space: str, type: str, key: str) -> list[Any]:
    """Every value of a key, as rows."""
    cursor = await connection.execute(QUERIES["of_key"], {"space": space, "type": type, "key": key})
    return await cursor.fetchall()


async def rows_of_all(connection: Connection, space: str) -> list[Any]:
    """Every value of every key, as rows."""
    cursor = await connection.execute(QUERIES["values"], {"space": space})
    return await cursor.fetchall()


def ask_active(batch: Batch, space: str, now: datetime, sensitivity: Sensitivity, importance: float = 0.0) -> int:
    """Add the question for what holds now to a batch; the place of its rows."""
    return batch.add(
        QUERIES["active"],
        space=space,
        now=now,
        importance=importance,
        sensitivity=allowed_sensitivities(sensitivity),
    )


async def active(connection: Connection, space: str, now: datetime, sensitivity: Sensitivity) -> list[ProfileFact]:
    """What holds now, on a connection."""
    return facts_of(await active_rows(connection, space, now, sensitivity))


async def active_rows(connection: Connection, space: str, now: datetime, sensitivity: Sensitivity) -> list[Any]:
    """The same, each value as a row."""
    values = {"space": space, "now": now, "importance": 0.0, "sensitivity": allowed_sensitivities(sensitivity)}
    cursor = await connection.execute(QUERIES["active"], values)
    return await cursor.fetchall()


def facts_of(rows: Sequence[Any]) -> list[ProfileFact]:
    """Rows as facts, the items of a key joined, in the order of the rows."""
    by_key: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        by_key.setdefault((row.type, row.data["key"]), []).append(row)
    return [_fact(type, key, found) for (type, key), found in by_key.items()]


def _fact(type: str, key: str, rows: Sequence[Any]) -> ProfileFact:
    items = tuple(row.data["value"] for row in rows)
    return ProfileFact(
        type=type,
        key=key,
        value=", ".join(items),
        confidence=min(row.confidence for row in rows),
        importance=max(row.importance for row in rows),
        items=items,
        memory_ids=tuple(row.id for row in rows),
        since=max(row.happened_at for row in rows),
    )


def held_of(row: Any) -> Held:
    """A row as one of the values of its key."""
    return Held(
        id=row.id,
        value=row.data["value"],
        confidence=row.confidence,
        said_at=datetime.fromisoformat(row.data["said_at"]),
        turn=row.data.get("turn", 0),
        ended_at=row.valid_until,
        deleted=row.state == "soft_deleted",
        by_hand=row.by_hand,
        data=row.data,
    )


async def set_timezone(connection: Connection, space: str, timezone: str) -> None:
    """Let the space's days be those of a time zone."""
    await connection.execute(QUERIES["set_timezone"], {"space": space, "timezone": timezone})


async def signals_of(connection: Connection, space: str, type: str, key: str, value: str) -> list[UUID]:
    """The messages that speak for a value which waits."""
    cursor = await connection.execute(
        QUERIES["open_proposal"], {"space": space, "type": type, "key": key, "value": value}
    )
    row = await cursor.fetchone()
    return list(row.signals) if row else []


async def propose(
    connection: Connection, space: str, proposal: dict[str, Any], said: Said, now: datetime
) -> Consent | None:
    """Keep a proposal; one that is passed over, once for each message."""
    values = {
        "space": space,
        "now": now,
        "said_at": said.at,
        "conversation_id": said.conversation_id,
        "thread_id": said.thread_id,
        "turn": said.turn,
        "message_id": said.message_id,
        "expires_at": None,
        "decided_at": None,
        "decided_by": None,
    } | proposal
    if values["status"] == "ignored":
        cursor = await connection.execute(QUERIES["was_ignored"], values)
        if await cursor.fetchone():
            return None
    cursor = await connection.execute(QUERIES["propose"], values)
    row = await cursor.fetchone()
    return consent_of(row) if row else None


async def was_declined(connection: Connection, space: str, type: str, key: str, value: str) -> bool:
    """Whether the user has said no to a value."""
    asked = {"space": space, "type": type, "key": key, "value": value}
    cursor = await connection.execute(QUERIES["was_declined"], asked)
    return await cursor.fetchone() is not None


async def withdraw_proposals(connection: Connection, space: str, ids: Sequence[UUID], now: datetime) -> list[Any]:
    """Close proposals that only retracted messages speak for; they, as rows."""
    cursor = await connection.execute(QUERIES["withdraw_proposals"], {"space": space, "ids": list(ids), "now": now})
    return await cursor.fetchall()


async def consents(connection: Connection, space: str, status: str | None, now: datetime) -> list[Any]:
    """Proposals of a status, as rows."""
    cursor = await connection.execute(QUERIES["consents"], {"space": space, "status": status, "now": now})
    return await cursor.fetchall()


async def consent(connection: Connection, space: str, id: UUID) -> Any | None:
    """One proposal, held until it is decided."""
    cursor = await connection.execute(QUERIES["consent"], {"space": space, "id": id})
    return await cursor.fetchone()


async def close(connection: Connection, space: str, id: UUID, status: str, now: datetime, by: str) -> Consent | None:
    """Decide a proposal; nothing, if it is decided already."""
    values = {"space": space, "id": id, "status": status, "now": now, "by": by}
    cursor = await connection.execute(QUERIES["close"], values)
    row = await cursor.fetchone()
    return consent_of(row) if row else None


async def lapse(connection: Connection, space: str, now: datetime) -> list[Any]:
    """Close what nobody decided in time; the proposals, as rows."""
    cursor = await connection.execute(QUERIES["lapse"], {"space": space, "now": now})
    return await cursor.fetchall()


def consent_of(row: Any) -> Consent:
    """A row as a value."""
    return Consent(
        id=row.id,
        type=row.type,
        key=row.key,
        value=row.value,
        status=row.status,
        reason=row.reason,
        confidence=row.confidence,
        signals=len(row.signals),
        proposed_at=row.proposed_at,
        expires_at=row.expires_at,
        decided_at=row.decided_at,
        decided_by=row.decided_by,
        thread_id=row.thread_id,
        turn=row.turn,
    )
