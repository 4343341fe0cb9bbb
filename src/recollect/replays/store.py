"""Reading and writing replays: a connection in, values out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.core.errors import NotFound
from recollect.core.ids import new_id
from recollect.db.compose import Jsonb
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.replays.model import Planned, Replay, ReplayChange, Said

QUERIES = load("recollect.replays")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the replays of a scope are kept, and whose talk they read."""

    space: str
    of_space: str


@dataclass(frozen=True, slots=True)
class Stored:
    """What was read of a message."""

    fell_back: bool
    found: dict[str, Any]


async def begin(
    connection: Connection, at: Place, thread: str | None, since: datetime | None, extractor: str, now: datetime
) -> UUID:
    """The undecided replay of the same talk by the same reader, or a new one."""
    asked = {"space": at.space, "of_space": at.of_space, "thread": thread, "since": since, "extractor": extractor}
    cursor = await connection.execute(QUERIES["unfinished"], asked)
    if row := await cursor.fetchone():
        return UUID(str(row.id))
    id = new_id()
    await connection.execute(QUERIES["begin"], asked | {"id": id, "now": now})
    return id


async def go_on(connection: Connection, at: Place, id: UUID, messages: int) -> None:
    """There are so many messages to read."""
    await connection.execute(QUERIES["go_on"], {"space": at.space, "id": id, "messages": messages})


async def get(connection: Connection, at: Place, id: UUID) -> Replay:
    """One replay with its changes."""
    asked = {"space": at.space, "of_space": at.of_space, "id": id}
    cursor = await connection.execute(QUERIES["get"], asked)
    if (row := await cursor.fetchone()) is None:
        raise NotFound(f"there is no replay {id}")
    [found] = await _with_changes(connection, at, [row])
    return found


async def listed(connection: Connection, at: Place, limit: int) -> list[Replay]:
    """Replays with their changes, newest first."""
    asked = {"space": at.space, "of_space": at.of_space, "limit": limit}
    cursor = await connection.execute(QUERIES["list"], asked)
    return await _with_changes(connection, at, await cursor.fetchall())


async def hold(connection: Connection, at: Place, id: UUID) -> Any:
    """A replay's row, held until the commit."""
    asked = {"space": at.space, "of_space": at.of_space, "id": id}
    cursor = await connection.execute(QUERIES["hold"], asked)
    if (row := await cursor.fetchone()) is None:
        raise NotFound(f"there is no replay {id}")
    return row


async def keep_reading(
    connection: Connection, at: Place, id: UUID, message: UUID, reading: Stored, now: datetime
) -> bool:
    """Keep what was read of a message, unless it is there; whether the replay still goes on."""
    row = await hold(connection, at, id)
    if row.status != "reading":
        return False
    values = {"message": message, "fell_back": reading.fell_back, "found": Jsonb(reading.found), "now": now}
    await connection.execute(QUERIES["keep_reading"], {"space": at.space, "id": id} | values)
    return True


async def readings(connection: Connection, at: Place, id: UUID) -> dict[UUID, Stored]:
    """What was read so far, by message."""
    cursor = await connection.execute(QUERIES["readings"], {"space": at.space, "id": id})
    return {row.message_id: Stored(row.fell_back, row.found) for row in await cursor.fetchall()}


async def plan(
    connection: Connection, at: Place, id: UUID, read: Sequence[Stored], changes: Sequence[Planned], now: datetime
) -> None:
    """Put changes in the place of those that were open. Where there are none, and all could be read, it is over."""
    where = {"space": at.space, "id": id}
    await connection.execute(QUERIES["clear_changes"], where)
    if changes:
        rows = [_row(place, planned) for place, planned in enumerate(changes, 1)]
        await connection.execute(QUERIES["plan"], where | {"changes": Jsonb(rows)})
    fell_back = sum(each.fell_back for each in read)
    counts = {"messages": len(read), "read": len(read), "fell_back": fell_back}
    await connection.execute(QUERIES["ready"], where | counts | {"now": now})
    if not changes and not fell_back:
        await finish(connection, at, id, "accepted", now)


def _row(place: int, planned: Planned) -> dict[str, Any]:
    change = planned.change
    named = {"change_id": change.id, "place": place, "op": change.op, "kind": change.kind}
    return named | {"shown": _shown(change), "plan": dict(planned.plan)}


def _shown(change: ReplayChange) -> dict[str, Any]:
    return {
        "type": change.type,
        "key": change.key,
        "before": change.before,
        "after": change.after,
        "reason": change.reason,
        "memory_id": None if change.memory_id is None else str(change.memory_id),
        "messages": [[str(said.message_id), said.thread_id, said.turn] for said in change.messages],
    }


async def planned(connection: Connection, at: Place, id: UUID) -> list[Planned]:
    """The changes of a replay, and what it takes to write them."""
    cursor = await connection.execute(QUERIES["changes"], {"space": at.space, "ids": [id]})
    return [Planned(_change(row), row.plan) for row in await cursor.fetchall()]


async def decide(connection: Connection, at: Place, id: UUID, changes: Sequence[ReplayChange]) -> None:
    """Keep what became of changes."""
    rows = [
        {"change_id": each.id, "status": each.status, "outcome": each.outcome, "shown": _shown(each)}
        for each in changes
    ]
    if rows:
        await connection.execute(QUERIES["decide"], {"space": at.space, "id": id, "decided": Jsonb(rows)})


async def finish(connection: Connection, at: Place, id: UUID, status: str, now: datetime) -> None:
    """A replay is over: what was read, and what nobody accepted, goes."""
    where = {"space": at.space, "id": id}
    await connection.execute(QUERIES["finish"], where | {"status": status, "now": now})
    await connection.execute(QUERIES["clear_readings"], where)
    await connection.execute(QUERIES["clear_changes"], where)


async def drop_old(connection: Connection, space: str, before: datetime) -> int:
    """Remove replays that are past their time; how many."""
    cursor = await connection.execute(QUERIES["drop_old"], {"space": space, "before": before})
    return cursor.rowcount


async def _with_changes(connection: Connection, at: Place, rows: Sequence[Any]) -> list[Replay]:
    if not rows:
        return []
    cursor = await connection.execute(QUERIES["changes"], {"space": at.space, "ids": [row.id for row in rows]})
    changes: dict[UUID, list[ReplayChange]] = {row.id: [] for row in rows}
    for row in await cursor.fetchall():
        changes[row.replay_id].append(_change(row))
    return [_replay(row, changes[row.id]) for row in rows]


def _replay(row: Any, changes: Sequence[ReplayChange]) -> Replay:
    return Replay(
        id=row.id,
        thread=row.thread_id,
        since=row.since,
        extractor=row.extractor,
        status=row.status,
        messages=row.messages,
        read=row.seen,
        fell_back=row.in_vain,
        begun_at=row.begun_at,
        ready_at=row.ready_at,
        ended_at=row.ended_at,
        changes=tuple(changes),
    )


def _change(row: Any) -> ReplayChange:
    shown = row.shown
    return ReplayChange(
        id=row.id,
        op=row.op,
        kind=row.kind,
        type=shown["type"],
        key=shown["key"],
        before=shown["before"],
        after=shown["after"],
        reason=shown["reason"],
        messages=tuple(Said(UUID(id), thread, turn) for id, thread, turn in shown["messages"]),
        memory_id=None if shown["memory_id"] is None else UUID(shown["memory_id"]),
        status=row.status,
        outcome=row.outcome,
    )
