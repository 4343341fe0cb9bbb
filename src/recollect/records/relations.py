"""Relations between nodes, as versions in time, and which nodes a memory mentions.

A relation has one version that holds. Seen again on the day on which it began, the stronger values count; later a
mention that changes nothing only moves `updated_at`, and a change ends the version and begins another. What a person
said of a relation stays as it is, whatever texts say.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from recollect.core.ids import new_id, new_ids
from recollect.db.database import Connection, touch
from recollect.db.sql import load
from recollect.records import notes

QUERIES = load("recollect.records", "relations.sql")

Key = tuple[UUID, UUID, str]
MENTIONS = "mentions"
STRUCTURAL = frozenset({"about", "groups", "includes", "mentions", "related_to", "rooted_in", "supersedes"})
"""Relations that hold memory together; a walk takes them only where they are named."""
_CATEGORY = "relationships"
STATED = ("description", "attitude", "proximity", "confidence", "strength")
"""What can be said of a relation."""


def category_of(type: str) -> str | None:
    """What a relation of a type counts as; None: whoever sees both ends sees it."""
    return None if type in STRUCTURAL else _CATEGORY


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation as it is read."""

    space: str
    id: UUID
    from_id: UUID
    to_id: UUID
    type: str
    description: str | None
    attitude: str | None
    proximity: str | None
    confidence: float
    strength: float
    state: str
    author: str | None
    by_hand: bool
    valid_from: datetime
    valid_until: datetime | None
    created_at: datetime
    updated_at: datetime
    from_name: str | None
    to_name: str | None
    notes: int
    """How many there are on it."""
    sensitivity: str = "normal"

    @property
    def category(self) -> str | None:
        """What is said of people and things has one of its own; what holds memory together shows where both ends do."""
        return category_of(self.type)


@dataclass(frozen=True, slots=True)
class Observed:
    """A relation between two nodes that a text speaks of."""

    from_id: UUID
    to_id: UUID
    type: str
    confidence: float
    strength: float
    description: str | None = None
    denied: bool = False
    """Whether the text says that it does not hold, or no longer."""
    alone: bool = False
    """Whether it can hold of one object at a time."""
    attitude: str | None = None
    proximity: str | None = None
    author: str | None = "recollect"
    sensitive: bool = False
    """Whether only texts of high sensitivity speak of it."""

    @property
    def key(self) -> Key:
        """What versions of one relation share."""
        return self.from_id, self.to_id, self.type


@dataclass(slots=True)
class Written:
    """What became of the relations of a transaction."""

    held: dict[Key, UUID] = field(default_factory=dict)
    """The version that holds of each."""
    begun: set[UUID] = field(default_factory=set)
    ended: set[UUID] = field(default_factory=set)
    sources: set[UUID] = field(default_factory=set)
    """The nodes from which relations began or ended."""


@dataclass(slots=True)
class _Plan(Written):
    """What is to become of them."""

    seen: dict[UUID, Observed | None] = field(default_factory=dict)
    """Versions that go on, with the values that may raise theirs."""
    fresh: dict[Key, Observed] = field(default_factory=dict)
    replaced: dict[Key, UUID] = field(default_factory=dict)
    """Versions that end for another one of the same relation."""


async def observe(
    connection: Connection, space: str, links: Sequence[Observed], now: datetime, salience: float
) -> Written:
    """Write what was seen of relations."""
    if not links:
        return Written()
    plan = _plan(await _open(connection, space, links), links, now)
    at = {"space": space, "now": now}
    if plan.ended:
        await connection.execute(QUERIES["close"], at | {"ids": sorted(plan.ended)})
        touch(connection, space, plan.ended)
    if plan.seen:
        await _see_again(connection, at, plan.seen)
    if plan.fresh:
        plan.held |= await _begin(connection, at, list(plan.fresh.values()), salience)
        plan.begun = {plan.held[key] for key in plan.fresh}
        await _hand_over(connection, space, {old: plan.held[key] for key, old in plan.replaced.items()})
    return plan


async def _open(connection: Connection, space: str, links: Iterable[Observed]) -> dict[Key, Any]:
    asked = {
        "space": space,
        "from_ids": sorted({link.from_id for link in links}),
        "types": sorted({link.type for link in links}),
    }
    cursor = await connection.execute(QUERIES["open_relations"], asked)
    # What holds comes last, and so before what ended.
    rows = sorted(await cursor.fetchall(), key=lambda row: row.valid_until is None)
    return {(row.from_id, row.to_id, row.type): row for row in rows}


def _plan(known: Mapping[Key, Any], links: Sequence[Observed], now: datetime) -> _Plan:
    plan, today = _Plan(), now.astimezone(UTC).date()
    for link in links:
        row = known.get(link.key)
        if row is not None and row.valid_until is not None:
            continue  # a person ended it, and what a person did stays done
        if link.denied:
            if row is not None and not row.by_hand:
                plan.ended.add(row.id)
                plan.sources.add(link.from_id)
            continue
        if link.alone and row is None:  # what held already says nothing new of the others
            plan.ended |= {other.id for other in _others(known, link)}
        if row is None or row.id in plan.ended:
            plan.fresh[link.key] = link
            plan.sources.add(link.from_id)
        else:
            _go_on(plan, link, row, today)
    return plan


def _others(known: Mapping[Key, Any], link: Observed) -> list[Any]:
    """What a relation that can hold of one object alone puts an end to."""
    return [
        other
        for (from_id, to_id, type), other in known.items()
        if (from_id, type) == (link.from_id, link.type)
        and to_id != link.to_id
        and not other.by_hand
        and other.valid_until is None
    ]


def _go_on(plan: _Plan, link: Observed, row: Any, today: date) -> None:
    """A relation that holds is seen again."""
    weaker = link.strength <= row.strength and link.confidence <= row.confidence
    if row.by_hand or row.starts_on >= today or (weaker and (link.sensitive or not row.sensitive)):
        plan.seen[row.id] = None if row.by_hand or row.starts_on < today else link
        plan.held[link.key] = row.id
        return
    said = None if row.sensitive else row.description
    plan.ended.add(row.id)
    plan.sources.add(link.from_id)
    plan.replaced[link.key] = row.id
    plan.fresh[link.key] = replace(
        link, description=link.description or said, attitude=row.attitude, proximity=row.proximity
    )


async def _see_again(connection: Connection, at: dict[str, Any], seen: Mapping[UUID, Observed | None]) -> None:
    ids = sorted(seen)
    links = [seen[id] for id in ids]
    values = {
        "ids": ids,
        "strengths": [link.strength if link else 0.0 for link in links],
        "descriptions": [link.description if link else None for link in links],
        "open": [link is not None and not link.sensitive for link in links],
    }
    await connection.execute(QUERIES["strengthen"], at | values)
    sure = [link.confidence if link else 0.0 for link in links]
    await connection.execute(QUERIES["assure"], {"space": at["space"], "ids": ids, "confidences": sure})
    touch(connection, at["space"], ids)


async def _begin(
    connection: Connection, at: dict[str, Any], links: Sequence[Observed], salience: float
) -> dict[Key, UUID]:
    cursor = await connection.execute(
        QUERIES["begin"],
        at
        | {
            "ids": new_ids(len(links)),
            "from_ids": [link.from_id for link in links],
            "to_ids": [link.to_id for link in links],
            "types": [link.type for link in links],
            "descriptions": [link.description for link in links],
            "attitudes": [link.attitude for link in links],
            "proximities": [link.proximity for link in links],
            "strengths": [link.strength for link in links],
            "authors": [link.author for link in links],
            "sensitive": [link.sensitive for link in links],
        },
    )
    rows = await cursor.fetchall()
    ids = {(row.from_id, row.to_id, row.type): row.id for row in rows}
    sure = {link.key: link.confidence for link in links}
    confidences = [sure[row.from_id, row.to_id, row.type] for row in rows]
    begun = [row.id for row in rows]
    touch(connection, at["space"], begun)
    await connection.execute(
        QUERIES["begin_use"], at | {"ids": begun, "confidences": confidences, "salience": salience}
    )
    author = {link.key: link.author for link in links}
    told = {name: [getattr(row, name[:-1]) for row in rows] for name in ("from_ids", "to_ids", "types")}
    told["authors"] = [author[row.from_id, row.to_id, row.type] for row in rows]
    await connection.execute(QUERIES["tell"], at | told | {"ids": new_ids(len(rows))})
    return ids


@dataclass(frozen=True, slots=True)
class Learned:
    """What memories taught the graph."""

    nodes: tuple[UUID, ...] = ()
    relations: tuple[UUID, ...] = ()


async def _hand_over(connection: Connection, space: str, versions: Mapping[UUID, UUID]) -> None:
    """What is noted on a version that ended for another one is noted on that."""
    await notes.retarget(connection, space, versions)


async def state(
    connection: Connection, space: str, link: Observed, given: Mapping[str, Any], now: datetime, salience: float
) -> tuple[UUID, frozenset[str]]:
    """Say by hand that a relation holds, and what is `given` of it; its version, and what changed.

    The values of `link` are for a relation that is new. One that began on another day ends, and its texts still
    speak for the version that follows.
    """
    row = await holding(connection, space, link)
    before = {} if row is None else {name: getattr(row, name) for name in STATED}
    after = {name: getattr(link, name) for name in STATED} | before | dict(given)
    changed = frozenset(name for name in STATED if row is None or after[name] != before[name])
    at = {"space": space, "now": now}
    if row is not None and (not changed or row.starts_on >= now.astimezone(UTC).date()):
        id = row.id
    else:
        if row is not None:
            await connection.execute(QUERIES["close"], at | {"ids": [row.id]})
            touch(connection, space, [row.id])
        id = (await _begin(connection, at, [replace(link, **after)], salience))[link.key]
        if row is not None:
            await _hand_over(connection, space, {row.id: id})
            await connection.execute(QUERIES["witness_anew"], {"space": space, "old": row.id, "new": id})
    if changed:
        await connection.execute(QUERIES["restate"], at | {"id": id, "author": link.author} | after)
    use = {"space": space, "id": id, "confidence": after["confidence"]}
    await connection.execute(QUERIES["vouch"], use)
    touch(connection, space, [id])
    return id, changed


async def holding(connection: Connection, space: str, link: Observed) -> Any | None:
    """The row of the version that holds, held."""
    row = (await _open(connection, space, [link])).get(link.key)
    return row if row is not None and row.valid_until is None else None


async def end_by_hand(connection: Connection, space: str, relation: Relation, now: datetime) -> None:
    """A version ends now because a person says so; only a person begins it again."""
    await connection.execute(QUERIES["end_by_hand"], {"space": space, "now": now, "id": relation.id})
    use = {"space": space, "id": relation.id, "confidence": relation.confidence}
    await connection.execute(QUERIES["vouch"], use)
    touch(connection, space, [relation.id])


async def describe(connection: Connection, space: str, texts: Mapping[UUID, str | None], now: datetime) -> None:
    """Give relations other descriptions, or none; what they are, and since when, stays."""
    if texts:
        values = {"ids": list(texts), "descriptions": list(texts.values())}
        await connection.execute(QUERIES["describe"], {"space": space, "now": now} | values)
        touch(connection, space, texts)


async def get(connection: Connection, space: str, ids: Sequence[UUID], now: datetime) -> list[Relation]:
    """Relations by id, whatever their state; not what memories merely mention."""
    cursor = await connection.execute(QUERIES["get"], {"space": space, "ids": list(ids), "now": now})
    return [relation_of(row) for row in await cursor.fetchall()]


async def of(
    connection: Connection, space: str, ids: Sequence[UUID], now: datetime, sensitivity: Sequence[str]
) -> list[Relation]:
    """The relations that hold from or to some memories and may be seen, the strongest first."""
    asked = {"space": space, "ids": list(ids), "now": now, "sensitivity": list(sensitivity)}
    cursor = await connection.execute(QUERIES["of"], asked | {"structural": sorted(STRUCTURAL)})
    return [relation_of(row) for row in await cursor.fetchall()]


def relation_of(row: Any) -> Relation:
    """A row as a value."""
    return Relation(
        space=row.space_id,
        id=row.id,
        from_id=row.from_id,
        to_id=row.to_id,
        type=row.type,
        description=row.description,
        attitude=row.attitude,
        proximity=row.proximity,
        confidence=row.confidence,
        strength=row.strength,
        state=row.state,
        author=row.author,
        by_hand=row.by_hand,
        valid_from=row.valid_from,
        valid_until=row.valid_until,
        created_at=row.created_at,
        updated_at=row.updated_at,
        from_name=row.from_name,
        to_name=row.to_name,
        notes=row.notes,
        sensitivity=row.sensitivity,
    )


async def mention(
    connection: Connection, space: str, pairs: Sequence[tuple[UUID, UUID, float]], now: datetime, salience: float
) -> list[tuple[UUID, UUID]]:
    """Memories mention nodes: (memory, node, how sure); those pairs that are new."""
    if not pairs:
        return []
    at = {"space": space, "now": now}
    cursor = await connection.execute(
        QUERIES["mention"],
        at
        | {
            "ids": [new_id() for _ in pairs],
            "from_ids": [memory for memory, _, _ in pairs],
            "to_ids": [node for _, node, _ in pairs],
            "strengths": [sure for _, _, sure in pairs],
        },
    )
    rows = await cursor.fetchall()
    if made := [row.id for row in rows]:
        sure = [1.0] * len(made)
        await connection.execute(QUERIES["begin_use"], at | {"ids": made, "confidences": sure, "salience": salience})
        touch(connection, space, made)
    return [(row.from_id, row.to_id) for row in rows]


async def forget_evidence(connection: Connection, space: str, id: UUID) -> None:
    """A memory's text has changed: it speaks for no relation until it is read again."""
    await connection.execute(QUERIES["forget_evidence"], {"space": space, "id": id})


async def forget_mentions(connection: Connection, space: str, id: UUID, kept: Sequence[UUID]) -> list[UUID]:
    """A memory's text has changed: what it no longer mentions is let go; which nodes those were."""
    cursor = await connection.execute(QUERIES["forget_mentions"], {"space": space, "id": id, "kept": list(kept)})
    rows = await cursor.fetchall()
    if rows:
        await connection.execute(QUERIES["end_use"], {"space": space, "ids": [row.id for row in rows]})
        touch(connection, space, (row.id for row in rows))
    return [row.to_id for row in rows]


async def witness(connection: Connection, space: str, found: Sequence[tuple[UUID, UUID]], now: datetime) -> None:
    """Relations were found in memories: (memory, relation)."""
    if found:
        values = {"memory_ids": [memory for memory, _ in found], "relation_ids": [relation for _, relation in found]}
        await connection.execute(QUERIES["witness"], {"space": space, "now": now} | values)


# What came of memories, and goes with them ----------------------------------------------------------------


async def classify(connection: Connection, space: str, memories: Sequence[UUID], *, closed: bool) -> None:
    """Relations that were found in memories are as sensitive as the least sensitive one that tells of them.

    `closed`: not everybody may see all of these memories.
    """
    cursor = await connection.execute(QUERIES["found_in"], {"space": space, "ids": list(memories)})
    if found := [row.id for row in await cursor.fetchall()]:
        await connection.execute(QUERIES["classify"], {"space": space, "ids": found, "closed": closed})
        touch(connection, space, found)


async def learned_from(connection: Connection, space: str, memories: Sequence[UUID]) -> Learned:
    """The nodes that memories mention, and the relations that they speak for."""
    cursor = await connection.execute(QUERIES["learned"], {"space": space, "ids": list(memories)})
    rows = await cursor.fetchall()
    return Learned(
        tuple(sorted(row.id for row in rows if row.is_node)), tuple(sorted(row.id for row in rows if not row.is_node))
    )


async def forget_words(connection: Connection, space: str, memories: Sequence[UUID], learned: Learned) -> None:
    """Memories speak for no relation, and nothing is noted because of them."""
    at = {"space": space, "ids": list(memories)}
    await connection.execute(QUERIES["forget_all_evidence"], at)
    await connection.execute(QUERIES["forget_notes"], at | {"targets": [*learned.nodes, *learned.relations]})


async def unmention(connection: Connection, space: str, memories: Sequence[UUID], kept: Sequence[UUID] = ()) -> None:
    """Memories mention no node, but for those that are kept."""
    asked = {"space": space, "ids": list(memories), "kept": list(kept)}
    cursor = await connection.execute(QUERIES["forget_all_mentions"], asked)
    if gone := [row.id for row in await cursor.fetchall()]:
        await connection.execute(QUERIES["end_use"], {"space": space, "ids": gone})
        touch(connection, space, gone)


async def drop(connection: Connection, space: str, ids: Sequence[UUID]) -> None:
    """Remove relations with all that is kept about them."""
    await connection.execute(QUERIES["drop"], {"space": space, "ids": list(ids)})
    touch(connection, space, ids)


async def drop_unfounded(connection: Connection, space: str, ids: Sequence[UUID]) -> int:
    """Remove relations that nothing and nobody speaks for any more; how many."""
    cursor = await connection.execute(QUERIES["unfounded"], {"space": space, "ids": list(ids)})
    gone = [row.id for row in await cursor.fetchall()]
    if gone:
        await connection.execute(QUERIES["drop"], {"space": space, "ids": gone})
        touch(connection, space, gone)
    return len(gone)


async def unmentioned(connection: Connection, space: str, nodes: Sequence[UUID]) -> list[UUID]:
    """Which of some nodes nothing and nobody speaks of any more."""
    cursor = await connection.execute(QUERIES["unmentioned"], {"space": space, "ids": list(nodes)})
    return [row.id for row in await cursor.fetchall()]
