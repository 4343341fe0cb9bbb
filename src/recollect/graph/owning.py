"""The node of the space's owner: it follows the name in the profile, never what others say."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from recollect.core.ids import new_id
from recollect.db.database import Connection
from recollect.graph import dirty, merges, store
from recollect.graph.merges import Desk
from recollect.graph.model import Entity, canonical
from recollect.graph.names import MOST_ALIASES
from recollect.graph.resolving import name_key
from recollect.records import service
from recollect.records import store as records
from recollect.records.changes import Changes
from recollect.records.kinds import KINDS
from recollect.records.lifecycle import Rules
from recollect.records.model import NewMemory, Passage


@dataclass(frozen=True, slots=True)
class Called:
    """What the profile calls the owner, with the search entries of that."""

    name: str
    also: tuple[str, ...]
    """Other names that the profile knows: a first name, the preferred one."""
    passages: tuple[Passage, ...]


async def is_followed(connection: Connection, space: str, name: str, also: Sequence[str]) -> bool:
    """Whether the owner's node is called as the profile says."""
    row = await store.owner(connection, space)
    return row is not None and row.title == name and not _unheard(row, also)


async def present(connection: Connection, space: str) -> Any | None:
    """The row of the owner's node, if there is one."""
    return await store.owner(connection, space)


def _unheard(row: Any, names: Sequence[str]) -> list[str]:
    known = {canonical(name) for name in [row.title, *row.data.get("aliases", [])]}
    return [name for name in names if canonical(name) and canonical(name) not in known]


async def follow(desk: Desk, called: Called, rules: Rules, salience: float) -> UUID:
    """Let the owner's node be called so; the former name stays as an alias. The space is held by the caller."""
    row = await store.owner(desk.connection, desk.space)
    if row is None:
        id = await _create(desk, called, salience)
    else:
        id = row.id
        await _rename(desk, row, called, rules)
    await _take_name(desk, id, called.name)
    await records.keep_core(desk.connection, desk.space, id, desk.now)
    return id


async def _create(desk: Desk, called: Called, salience: float) -> UUID:
    kind, seen = KINDS["person"], desk.now.isoformat()
    new = NewMemory(
        id=new_id(),
        kind="person",
        type=None,
        category=kind.category,
        title=called.name,
        content=called.name,
        tier=kind.tier,
        importance=kind.importance,
        confidence=1.0,
        happened_at=desk.now,
        ttl_policy="keep_forever",
        data={
            "canonical": _key(called.name)[2],
            "aliases": list(called.also),
            "first_seen": seen,
            "last_seen": seen,
            "owner": True,
        },
        passages=called.passages,
    )
    mean = await records.mean_length(desk.connection, desk.space)
    await records.remember(
        desk.connection, desk.space, [new], desk.now, desk.actor, salience=salience, mean_length=mean
    )
    await dirty.mark(desk.connection, desk.space, {new.id: "person"}, desk.now)
    return new.id


def _key(name: str) -> store.Key:
    return name_key(Entity("person", "", name))


async def _rename(desk: Desk, row: Any, called: Called, rules: Rules) -> None:
    """The node gets the name that the profile has now; its description stays, if it was more than the name."""
    await records.lock(desk.connection, desk.space, [row.id])
    memory = await service.get(desk.connection, desk.space, row.id, desk.now, rules)
    former = [] if row.title == called.name else [row.title]
    names = [*row.data.get("aliases", []), *former, *called.also]
    spoken = {canonical(name): name for name in reversed(names)}
    spoken.pop(canonical(called.name), None)
    aliases = list(reversed(spoken.values()))[: 2 * MOST_ALIASES]
    data = row.data | {"canonical": _key(called.name)[2], "aliases": aliases}
    changed = {"title": called.name} | ({"content": called.name} if memory.content == memory.title else {})
    mean = await records.mean_length(desk.connection, desk.space)
    await service.change(
        desk.connection, memory, Changes(changed), called.passages, desk.now, desk.actor, mean, data=data
    )
    await records.set_data(desk.connection, desk.space, {row.id: data})
    await dirty.mark(desk.connection, desk.space, {row.id: "person"}, desk.now)


async def _take_name(desk: Desk, id: UUID, name: str) -> None:
    """The name is the owner's: a person who was known by it is merged into the owner, unless they were parted."""
    key = _key(name)
    held = (await store.named(desk.connection, desk.space, [key[2]])).get(key)
    if held is None:
        await store.claim(desk.connection, desk.space, {key: id})
    elif held != id and not await merges.was_parted(desk.connection, desk.space, id, held):
        await merges.merge(desk, id, held)
