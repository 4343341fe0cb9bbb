"""The graph by hand: nodes by name, and relations that people and agents state."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from recollect.core import check
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import barring, statistics
from recollect.flows.annotating import find_target, visible_relation
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.flows.revise import actor_of, find
from recollect.graph import merges
from recollect.graph import service as graph
from recollect.graph import store as nodes_store
from recollect.graph.model import Node, canonical, keys_of, tie_text
from recollect.graph.names import NODE_KINDS
from recollect.records import notes, relations, store
from recollect.records.filters import Filters, allowed_sensitivities
from recollect.records.model import Event, Memory, Passage
from recollect.records.relations import MENTIONS, Observed, Relation
from recollect.understanding.secrets import mask

_FIRST = UUID(int=0)
_LONGEST = 10_000
_STRENGTH = 0.5


# Nodes


async def nodes(parts: Parts, scope: Scope, kind: object, name: object, limit: object, after: object) -> list[Node]:
    """Nodes of a kind, or all, in the order of their ids; with `name`, those with a name that begins so."""
    kinds = NODE_KINDS if kind is None else (check.choice("kind", kind, NODE_KINDS),)
    wanted = _beginning(name)
    most, start = check.count("limit", limit), check.optional_uuid("after", after) or _FIRST
    filters, found = Filters(kinds=kinds, sensitivity=scope.sensitivity, allowed=scope.categories), list[Node]()
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            rows = await nodes_store.page(connection, space, filters, parts.clock(), wanted, start, most)
        found += [node_of(row, parts) for row in rows]
    return sorted(found, key=lambda node: node.id)[:most]


def _beginning(name: object) -> tuple[tuple[str, ...], str] | None:
    """A name as nodes may be known by it, and as it was written."""
    if name is None:
        return None
    given = check.identifier("name", name).strip()
    if not canonical(given):
        raise InvalidInput("name", "needs letters or digits")
    return keys_of(given), given.lower()


def node_of(row: Any, parts: Parts) -> Node:
    """A row as a value."""
    memory = store.memory_of(row, parts.clock(), parts.rules)
    values = {name: getattr(memory, name) for name in Memory.__slots__}
    counted = {"notes": row.notes, "sources": row.sources, "days": row.days}
    return Node(**values, **counted, first_mentioned_at=row.first_at, last_mentioned_at=row.last_at)


# Relations


async def of(parts: Parts, scope: Scope, id: UUID) -> list[Relation]:
    """The relations that hold from and to a memory, the strongest first."""
    memory = await find(parts, scope, id)
    async with parts.database.transaction(memory.space) as connection:
        seen = allowed_sensitivities(scope.sensitivity)
        return await relations.of(connection, memory.space, [id], parts.clock(), seen)


@again_after_deadlock
async def relate(
    parts: Parts, scope: Scope, ends: tuple[UUID, UUID], type: object, given: Mapping[str, Any]
) -> Relation:
    """Say that a relation holds between two memories; one that holds already is changed by what is given."""
    kind, values = _type(type), checked(given)
    one, other = await find(parts, scope, ends[0]), await find(parts, scope, ends[1])
    if (category := relations.category_of(kind)) is not None:
        scope.refuse_unseen(category)
    if one.id == other.id:
        raise InvalidInput("b_id", "is the same memory as a_id")
    if one.space != other.space:
        raise InvalidInput("b_id", "lies in another space than a_id: a relation cannot cross it")
    link = Observed(one.id, other.id, kind, 1.0, _STRENGTH, author=_author(scope))
    return await _state(parts, scope, one.space, link, values)


def _author(scope: Scope) -> str:
    return scope.agent_id or scope.user_id or scope.space


def _type(value: object) -> str:
    name = canonical(check.identifier("type", value)).replace("-", "_")
    if not name:
        raise InvalidInput("type", "needs letters or digits")
    if name == MENTIONS:
        raise InvalidInput("type", "mentions are what sources say")
    return name


def checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """What a caller says of a relation; what is not said stays as it is."""
    checks = {"confidence": check.unit, "strength": check.unit}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if value is not None:
            values[name] = checks[name](name, value) if name in checks else _words(name, value)
    return values


def _words(name: str, value: object) -> str:
    return check.text(name, value, most_bytes=_LONGEST).strip()


@again_after_deadlock
async def change(parts: Parts, scope: Scope, id: UUID, given: Mapping[str, Any]) -> Relation:
    """Say more, or something else, of a relation that holds."""
    values = checked(given)
    if not values:
        raise InvalidInput("description", "nothing to change was given")
    found = await _holding(parts, scope, id)
    link = Observed(found.from_id, found.to_id, found.type, found.confidence, found.strength, author=_author(scope))
    return await _state(parts, scope, found.space, link, values, of=id)


@again_after_deadlock
async def end(parts: Parts, scope: Scope, id: UUID) -> Relation:
    """Say that a relation holds no longer; it stays as a version that ended, and no text begins it again."""
    space = (await _holding(parts, scope, id)).space
    async with parts.database.transaction(space) as connection:
        now = parts.clock()
        await store.raise_revision(connection, space, now, knowledge=False, changes=0)
        [found] = await relations.get(connection, space, [id], now)
        if found.valid_until is None:
            await relations.end_by_hand(connection, space, found, now)
            await _tell(parts, connection, scope, space, found, id, "relation ended", ["valid_until"])
            await graph.mark(connection, space, [found.from_id], now)
        [ended] = await relations.get(connection, space, [id], now)
    return ended


async def _holding(parts: Parts, scope: Scope, id: UUID) -> Relation:
    """A relation that the scope may see, and that has not ended."""
    target = await find_target(parts, scope, id)
    async with parts.database.transaction(target.space) as connection:
        found = await visible_relation(parts, connection, scope, target.space, id)
    if found is None:
        raise NotFound(f"there is no relation {id}")
    if found.valid_until is not None:
        raise Conflict(f"relation {id} ended at {found.valid_until}: change the version that holds")
    return found


async def _state(
    parts: Parts, scope: Scope, space: str, link: Observed, values: Mapping[str, Any], of: UUID | None = None
) -> Relation:
    """Write a relation with the vector of what it says, which is made before the transaction."""
    said = await _said(parts, space, link, values)
    async with parts.database.transaction(space) as connection:
        now = parts.clock()
        await barring.refuse(parts, connection, space, [str(value) for value in values.values()])
        await store.raise_revision(connection, space, now, knowledge=False, changes=0)
        await _refuse_absent_ends(connection, space, link)
        if of is not None and (await relations.get(connection, space, [of], now))[0].valid_until is not None:
            raise Conflict(f"relation {of} was changed meanwhile: look at it again")
        salience = parts.settings.salience_initial
        id, changed = await relations.state(connection, space, link, values, now, salience)
        if changed:
            await _follow(parts, connection, scope, space, link, id, changed, said)
        await statistics.refresh_when_due(connection, space)
        [written] = await relations.get(connection, space, [id], now)
    return written


async def _refuse_absent_ends(connection: Connection, space: str, link: Observed) -> None:
    rows = {row.id: row for row in await store.get(connection, space, [link.from_id, link.to_id])}
    for id in (link.from_id, link.to_id):
        merges.refuse_absent(rows.get(id), id)


async def _follow(
    parts: Parts,
    connection: Connection,
    scope: Scope,
    space: str,
    link: Observed,
    id: UUID,
    changed: frozenset[str],
    said: Passage,
) -> None:
    """History, vector, and that the texts of relation and node have to follow."""
    await _tell(parts, connection, scope, space, link, id, "relation stated", changed)
    await nodes_store.put_entries(connection, space, {id: said})
    await graph.mark(connection, space, [link.from_id], parts.clock())


async def _tell(
    parts: Parts,
    connection: Connection,
    scope: Scope,
    space: str,
    link: Observed | Relation,
    id: UUID,
    reason: str,
    fields: Iterable[str],
) -> None:
    """Lines of history, on the relation and on the node that it begins at."""
    detail = {"type": link.type, "to": str(link.to_id), "relation": str(id), "fields": sorted(fields)}
    lines: list[tuple[UUID, int | None]] = [(link.from_id, None), (id, None)]
    await store.tell(connection, space, parts.clock(), "UPDATE", lines, actor_of(scope, reason), detail)
    await store.record_events(connection, space, [Event("hotpath", "relate", "ok", id)], parts.clock())


async def _said(parts: Parts, space: str, link: Observed, values: Mapping[str, Any]) -> Passage:
    """What the relation will say, as a vector."""
    async with parts.database.transaction(space) as connection:
        now = parts.clock()
        held = await relations.holding(connection, space, link)
        noted = await notes.of(connection, space, [held.id], now, ("low", "normal")) if held else []
        rows = {row.id: row for row in await store.get(connection, space, [link.from_id, link.to_id])}
    description = values.get("description", held.description if held else None)
    names = [(rows[id].title or rows[id].content)[:200] for id in (link.from_id, link.to_id) if id in rows]
    if len(names) < 2:
        raise NotFound("one of the two memories is gone")
    text = tie_text(names[0], link.type, names[1], description, [note.content for note in noted])
    [passages] = await passages_of(parts, space, [plain(mask(text))])
    return passages[0]
