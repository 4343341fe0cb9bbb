"""Notes by hand: on nodes, relations and any other memory. Who wrote one is kept, and the target's history tells it."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from recollect.core import check
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import barring, statistics, unlearn
from recollect.flows.parts import Parts
from recollect.flows.revise import actor_of
from recollect.graph import merges
from recollect.graph import service as graph
from recollect.records import notes, relations, service, store
from recollect.records.filters import allowed_sensitivities
from recollect.records.model import Event, Note
from recollect.records.notes import LIFETIMES, NewNote

_LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class Target:
    """What a note is on."""

    space: str
    id: UUID
    row: Any | None
    """Of a memory; None for a relation."""


async def find_target(parts: Parts, scope: Scope, id: UUID) -> Target:
    """A memory or a relation of any space that the scope may read."""
    scope.refuse_blind()
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            found = await _seen(parts, connection, scope, space, id)
        if found is not None:
            return found
    raise NotFound(f"there is no memory and no relation {id}")


async def _seen(parts: Parts, connection: Connection, scope: Scope, space: str, id: UUID) -> Target | None:
    rows = await store.get(connection, space, [id])
    if rows:
        return Target(space, id, rows[0]) if scope.may_see(rows[0]) else None
    return Target(space, id, None) if await visible_relation(parts, connection, scope, space, id) else None


async def visible_relation(
    parts: Parts, connection: Connection, scope: Scope, space: str, id: UUID
) -> relations.Relation | None:
    """A relation, if the scope may see it and both of its ends."""
    found = await relations.get(connection, space, [id], parts.clock())
    if not found or not scope.may_see(found[0]):
        return None
    ends = await store.get(connection, space, [found[0].from_id, found[0].to_id])
    return found[0] if ends and all(scope.may_see(end) for end in ends) else None


async def listed(parts: Parts, scope: Scope, id: UUID) -> list[Note]:
    """What is noted on a memory or relation and has not ended, oldest first."""
    target = await find_target(parts, scope, id)
    async with parts.database.transaction(target.space) as connection:
        seen = allowed_sensitivities(scope.sensitivity)
        return await notes.of(connection, target.space, [id], parts.clock(), seen)


@again_after_deadlock
async def add(parts: Parts, scope: Scope, id: UUID, text: object, lifetime: object) -> Note:
    """Note something on a memory or relation."""
    said, life = _text(text), check.choice("lifetime", lifetime, LIFETIMES)
    target = await find_target(parts, scope, id)
    if target.row is not None:
        merges.refuse_absent(target.row, id)
    draft = NewNote(id, said, life, scope.agent_id or scope.user_id or scope.space)
    async with parts.database.transaction(target.space) as connection:
        await barring.refuse(parts, connection, target.space, [said])
        await _hold(parts, connection, target)
        [note] = await notes.add(connection, target.space, [draft], parts.clock())
        await _follow(parts, connection, scope, target, note, "added")
    return note


def _text(value: object) -> str:
    return check.text("text", value, most_bytes=_LONGEST).strip()


async def _hold(parts: Parts, connection: Connection, target: Target) -> None:
    """The space first, as whoever writes the graph; then the memory, which must still be there."""
    await store.raise_revision(connection, target.space, parts.clock(), knowledge=False, changes=0)
    if target.row is not None:
        await service.hold(connection, target.space, target.id, parts.clock(), parts.rules, None)
    elif not await relations.get(connection, target.space, [target.id], parts.clock()):
        raise NotFound(f"there is no relation {target.id}")


async def _follow(parts: Parts, connection: Connection, scope: Scope, target: Target, note: Note, change: str) -> None:
    """History, revision, and that the target's text has to follow."""
    now = parts.clock()
    detail = {"fields": ["notes"], "note": str(note.id), "change": change, "lifetime": note.lifetime}
    await service.told(connection, target.space, target.row, target.id, now, actor_of(scope, f"note {change}"), detail)
    event = Event("hotpath", "note", "ok", target.id, detail={"change": change})
    await store.record_events(connection, target.space, [event], now)
    withdrawn = change != "added"
    await graph.mark(connection, target.space, [target.id], now, anew=withdrawn)
    if withdrawn:
        await unlearn.follow(connection, target.space)
    await statistics.refresh_when_due(connection, target.space)


@again_after_deadlock
async def change(parts: Parts, scope: Scope, id: UUID, text: object, lifetime: object) -> Note:
    """Give a note another text, or another life that counts from now."""
    if text is None and lifetime is None:
        raise InvalidInput("text", "nothing to change was given")
    said = None if text is None else _text(text)
    life = None if lifetime is None else check.choice("lifetime", lifetime, LIFETIMES)
    note, target = await _find(parts, scope, id)
    now = parts.clock()
    until = note.expires_at if life is None else notes.expiry(life, now)
    async with parts.database.transaction(target.space) as connection:
        await barring.refuse(parts, connection, target.space, [said])
        await _hold(parts, connection, target)
        changed = await notes.change(connection, note, said or note.content, life or note.lifetime, until, now)
        if changed is None:
            raise NotFound(f"there is no note {id}")
        await _follow(parts, connection, scope, target, changed, "changed")
    return changed


@again_after_deadlock
async def remove(parts: Parts, scope: Scope, id: UUID) -> Note:
    """Take a note away; what it was."""
    note, target = await _find(parts, scope, id)
    async with parts.database.transaction(target.space) as connection:
        await _hold(parts, connection, target)
        if await notes.remove(connection, target.space, note.id) is None:
            raise NotFound(f"there is no note {id}")
        await _follow(parts, connection, scope, target, note, "removed")
    return note


async def _find(parts: Parts, scope: Scope, id: UUID) -> tuple[Note, Target]:
    """A note that the scope may see, and what it is on."""
    scope.refuse_blind()
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            note = await notes.get(connection, space, id)
            if note is None:
                continue
            seen = await notes.of(
                connection, space, [note.target_id], parts.clock(), allowed_sensitivities(scope.sensitivity)
            )
            target = await _seen(parts, connection, scope, space, note.target_id)
        if target is not None and any(each.id == id for each in seen):
            return note, target
    raise NotFound(f"there is no note {id}")
