"""What of the graph has changed and is to be carried to Neo4j: ids alone, noted in the transaction of the change.

Writers call `touch` (`db.touched`); `Outbox.follow` writes down what a transaction touched, in one message with its
commit. Only spaces that are projected are noted, and of those none that is to be copied whole anyway: where there
is no Neo4j the outbox stays empty, and where one stays away for good it does not grow without end.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from recollect.core.clock import system_clock
from recollect.core.ids import new_ids
from recollect.db.database import Batch, Connection, Touched, touch
from recollect.db.sql import load
from recollect.queue import enqueue

QUERIES = load("recollect.records", "outbox.sql")

TASK = "projection"
MOST_WAITING = 100_000
"""Changes of a space from which on copying it whole is less work than carrying them over one by one."""


@dataclass(frozen=True, slots=True)
class Outbox:
    """Writes down what transactions touch."""

    adopting: bool
    """Whether Neo4j is configured here, so that a space that is new is projected too."""

    def follow(self, touched: Touched) -> list[Batch]:
        """What notes what the transaction touched, and has it carried over once it is committed.

        None of it needs an answer, so that it costs no round trip: it goes out together with the commit.
        """
        batches = [self._noting(space, touched.ids[space]) for space in sorted(touched.ids)]
        if self.adopting:
            for batch in batches:
                enqueue(batches[-1], TASK, batch.spaces[0])
        return batches

    def _noting(self, space: str, ids: Collection[UUID]) -> Batch:
        batch = Batch(space)
        batch.add(QUERIES["hold_off"], space=space)
        if self.adopting:
            batch.add(QUERIES["adopt"], space=space, at=system_clock())
        targets = sorted(ids)
        batch.add(QUERIES["note"], space=space, ids=new_ids(len(targets)), targets=targets, at=system_clock())
        return batch


async def forget(connection: Connection, space: str, ids: Iterable[UUID]) -> None:
    """Memories and relations are gone for good, whoever removed their rows: Neo4j is to forget them too.

    Called in the transaction that removes them. Nothing else of them is kept here: the outbox holds no text.
    """
    touch(connection, space, ids)


async def copy_whole(connection: Connection, space: str) -> None:
    """Have the space copied anew, whatever of it Neo4j holds."""
    await connection.execute(QUERIES["hold_alone"], {"space": space})
    await connection.execute(QUERIES["copy_whole"], {"space": space, "at": system_clock()})
    await connection.execute(QUERIES["clear"], {"space": space})


async def copy_emptied(connection: Connection, space: str) -> bool:
    """All rows of the space are gone: Neo4j is to empty it too. Whether it is projected.

    It waits for nobody: what others note meanwhile is carried over after the copy.
    """
    return await _copy_again(connection, "copy_emptied", space)


async def copy_lost(connection: Connection, space: str, copy: UUID) -> bool:
    """Neo4j does not hold the copy that it should hold; false if that one is no longer expected there."""
    return await _copy_again(connection, "copy_lost", space, copy=copy)


async def refuse(connection: Connection, space: str, turn: "Turn", why: str) -> bool:
    """Write nothing more until somebody wants the space rebuilt; false if somebody took a later turn meanwhile."""
    refused = await _copy_again(connection, "refuse", space, turn=turn.number)
    if refused:
        await went_wrong(connection, space, why)
    return refused


async def _copy_again(connection: Connection, name: str, space: str, **values: Any) -> bool:
    """What waits is part of the copy that comes."""
    found = await _one(connection, name, space=space, at=system_clock(), **values)
    if found is not None:
        await connection.execute(QUERIES["clear"], {"space": space})
    return found is not None


@dataclass(frozen=True, slots=True)
class Turn:
    """Somebody's right to write a space to Neo4j, until another one takes it."""

    number: int
    whole: bool
    """Whether all of the space is to be copied, rather than what waits."""
    origin: UUID
    """Of the projection that writes."""
    copy: UUID
    """Which is made, or was and is followed."""
    carried: UUID | None = None
    """What Neo4j had last, as far as PostgreSQL knows."""
    batch: UUID | None = None
    """What it is given now; a batch that was cut off may have given it already."""


async def take_turn(connection: Connection, space: str) -> Turn | None:
    """Begin to write a space to Neo4j; None where it is not projected, or refused."""
    before = await _one(connection, "state", space=space)
    if before is None:
        return None
    if before.state == "whole":
        await connection.execute(QUERIES["hold_alone"], {"space": space})
        await connection.execute(QUERIES["begin_copy"], {"space": space})
    row = await _one(connection, "take_turn", space=space, fresh=uuid4())
    if row is None:
        return None
    # Somebody may have asked for another copy since: then this one comes to nothing, and the next turn is for that.
    return Turn(row.turn, row.state != "following", row.origin, row.copy_id, row.carried_id, row.carrying_id)


async def latest_turn(connection: Connection, space: str) -> int | None:
    """The number of the last turn."""
    row = await _one(connection, "latest_turn", space=space)
    return None if row is None else int(row.turn)


async def end_copy(connection: Connection, space: str, turn: Turn) -> bool:
    """The copy is whole; false if somebody wants another one, or makes one."""
    return await _one(connection, "end_copy", space=space, turn=turn.number, at=system_clock()) is not None


async def waiting(connection: Connection, space: str, limit: int) -> list[tuple[UUID, UUID]]:
    """What changed, in order: the note, and what it is of."""
    cursor = await connection.execute(QUERIES["waiting"], {"space": space, "limit": limit})
    return [(row.id, row.target_id) for row in await cursor.fetchall()]


async def carried(connection: Connection, space: str, turn: Turn, notes: Sequence[UUID]) -> None:
    """Take away the notes of what was carried over; without any, Neo4j was not given the batch."""
    await connection.execute(QUERIES["carried"], {"space": space, "ids": list(notes)})
    batch = turn.batch if notes else None
    await connection.execute(QUERIES["went_well"], {"space": space, "batch": batch, "at": system_clock()})


async def went_wrong(connection: Connection, space: str, why: str) -> None:
    """Keep why the last try failed."""
    await connection.execute(QUERIES["went_wrong"], {"space": space, "failed": why, "at": system_clock()})


@dataclass(frozen=True, slots=True)
class Stand:
    """How far the projection of a space is. Real time."""

    space: str
    state: str
    """`whole`: it waits to be copied; `copying`; `following`: what changes is carried over; `refused`: Neo4j holds this
    space of another database."""
    waiting: int
    """Changes that Neo4j does not have, beside those that a copy will bring."""
    lag: float | None
    """Seconds since the oldest of them, or since the space had to be copied."""
    projected_at: datetime | None
    failed: str | None
    failed_at: datetime | None
    astray: bool = False
    """Whether Neo4j was looked at, and does not hold the copy that was made: it was emptied, or is another one."""

    @property
    def level(self) -> bool:
        """Whether Neo4j has all of it."""
        return self.state == "following" and not self.waiting and not self.astray


async def stand(connection: Connection, space: str) -> Stand | None:
    """How far the projection of a space is; None where it is not projected."""
    row = await _one(connection, "stand", space=space)
    return None if row is None else _stand(row)


async def stands(owner: Connection) -> list[Stand]:
    """How far the projection of each space is (for the owner)."""
    cursor = await owner.execute(QUERIES["stands"])
    return [_stand(row) for row in await cursor.fetchall()]


def _stand(row: Any) -> Stand:
    since = min((at for at in (row.oldest, row.behind_since) if at is not None), default=None)
    lag = None if since is None else max(0.0, (system_clock() - since).total_seconds())
    return Stand(row.space_id, row.state, row.waiting, lag, row.projected_at, row.failed, row.failed_at)


@dataclass(frozen=True, slots=True)
class Held:
    """What Neo4j should hold of a space."""

    copy: UUID
    carried: UUID
    carrying: UUID | None = None
    """A batch that is on its way, and may be there."""


async def followed(owner: Connection) -> dict[str, Held]:
    """What Neo4j should hold of each space that it follows (for the owner)."""
    cursor = await owner.execute(QUERIES["spaces_followed"])
    return {row.space_id: Held(row.copy_id, row.carried_id, row.carrying_id) for row in await cursor.fetchall()}


async def waits(connection: Connection, space: str, ids: Collection[UUID]) -> set[UUID]:
    """Which of some nodes and relations wait to be carried over."""
    cursor = await connection.execute(QUERIES["waits"], {"space": space, "ids": list(ids)})
    return {row.target_id for row in await cursor.fetchall()}


async def _one(connection: Connection, name: str, **values: Any) -> Any | None:
    cursor = await connection.execute(QUERIES[name], values)
    return await cursor.fetchone()
