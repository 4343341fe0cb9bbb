"""Relations between nodes, as versions in time, and which nodes a memory mentions.

A relation has one version that holds. Seen again on the day on which it began, the stronger values count; later a
mention that changes nothing only moves `updated_at`, and a change ends the version and begins another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from recollect.core.ids import new_id, new_ids
from recollect.db.database import Connection
from recollect.db.sql import load

QUERIES = load("recollect.records", "relations.sql")

Key = tuple[UUID, UUID, str]


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

    @property
    def key(self) -> Key:
        """What versions of one relation share."""
        return self.from_id, self.to_id, self.type


@dataclass(slots=True)
class _Plan:
    """What becomes of the relations of a transaction."""

    ended: set[UUID] = field(default_factory=set)
    seen: dict[UUID, tuple[float, float]] = field(default_factory=dict)
    fresh: dict[Key, Observed] = field(default_factory=dict)
    ids: dict[Key, UUID] = field(default_factory=dict)


async def observe(
    connection: Connection, space: str, links: Sequence[Observed], now: datetime, salience: float
) -> dict[Key, UUID]:
    """Write what was seen of relations; the version that holds of each."""
    if not links:
        return {}
    asked = {
        "space": space,
        "from_ids": sorted({link.from_id for link in links}),
        "types": sorted({link.type for link in links}),
    }
    cursor = await connection.execute(QUERIES["open_relations"], asked)
    plan = _plan({(row.from_id, row.to_id, row.type): row for row in await cursor.fetchall()}, links, now)
    at = {"space": space, "now": now}
    if plan.ended:
        await connection.execute(QUERIES["close"], at | {"ids": sorted(plan.ended)})
    if plan.seen:
        ids = sorted(plan.seen)
        strengths = [plan.seen[id][0] for id in ids]
        await connection.execute(QUERIES["strengthen"], at | {"ids": ids, "strengths": strengths})
        sure = [plan.seen[id][1] for id in ids]
        await connection.execute(QUERIES["assure"], {"space": space, "ids": ids, "confidences": sure})
    if plan.fresh:
        plan.ids |= await _begin(connection, at, list(plan.fresh.values()), salience)
    return plan.ids


def _plan(known: dict[Key, Any], links: Sequence[Observed], now: datetime) -> _Plan:
    plan, today = _Plan(), now.astimezone(UTC).date()
    for link in links:
        row = known.get(link.key)
        if link.denied:
            if row is not None:
                plan.ended.add(row.id)
            continue
        if link.alone and row is None:  # what held already says nothing new of the others
            plan.ended |= {
                other.id
                for (from_id, to_id, type), other in known.items()
                if (from_id, type) == (link.from_id, link.type) and to_id != link.to_id
            }
        if row is None or row.id in plan.ended:
            plan.fresh[link.key] = link
        elif row.starts_on >= today:
            plan.seen[row.id] = (link.strength, link.confidence)
            plan.ids[link.key] = row.id
        elif link.strength <= row.strength and link.confidence <= row.confidence:
            plan.seen[row.id] = (0.0, 0.0)  # it only moves `updated_at`
            plan.ids[link.key] = row.id
        else:
            plan.ended.add(row.id)
            plan.fresh[link.key] = link
    return plan


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
            "strengths": [link.strength for link in links],
        },
    )
    rows = await cursor.fetchall()
    ids = {(row.from_id, row.to_id, row.type): row.id for row in rows}
    sure = {link.key: link.confidence for link in links}
    confidences = [sure[row.from_id, row.to_id, row.type] for row in rows]
    begun = [row.id for row in rows]
    await connection.execute(
        QUERIES["begin_use"], at | {"ids": begun, "confidences": confidences, "salience": salience}
    )
    told = {name: [getattr(row, name[:-1]) for row in rows] for name in ("from_ids", "to_ids", "types")}
    await connection.execute(QUERIES["tell"], at | told | {"ids": new_ids(len(rows))})
    return ids


@dataclass(frozen=True, slots=True)
class Learned:
    """What memories taught the graph."""

    nodes: tuple[UUID, ...] = ()
    relations: tuple[UUID, ...] = ()


async def mention(
    connection: Connection, space: str, pairs: Sequence[tuple[UUID, UUID, float]], now: datetime, salience: float
) -> None:
    """Memories mention nodes: (memory, node, how sure)."""
    if not pairs:
        return
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
    if made := [row.id for row in await cursor.fetchall()]:
        sure = [1.0] * len(made)
        await connection.execute(QUERIES["begin_use"], at | {"ids": made, "confidences": sure, "salience": salience})


async def forget_evidence(connection: Connection, space: str, id: UUID) -> None:
    """A memory's text has changed: it speaks for no relation until it is read again."""
    await connection.execute(QUERIES["forget_evidence"], {"space": space, "id": id})


async def forget_mentions(connection: Connection, space: str, id: UUID, kept: Sequence[UUID]) -> None:
    """A memory's text has changed: what it no longer mentions is let go."""
    cursor = await connection.execute(QUERIES["forget_mentions"], {"space": space, "id": id, "kept": list(kept)})
    if gone := [row.id for row in await cursor.fetchall()]:
        await connection.execute(QUERIES["end_use"], {"space": space, "ids": gone})


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


async def drop_unfounded(connection: Connection, space: str, ids: Sequence[UUID]) -> int:
    """Remove relations that nothing and nobody speaks for any more; how many."""
    cursor = await connection.execute(QUERIES["unfounded"], {"space": space, "ids": list(ids)})
    gone = [row.id for row in await cursor.fetchall()]
    if gone:
        await connection.execute(QUERIES["drop"], {"space": space, "ids": gone})
    return len(gone)


async def unmentioned(connection: Connection, space: str, nodes: Sequence[UUID]) -> list[UUID]:
    """Which of some nodes nothing and nobody speaks of any more."""
    cursor = await connection.execute(QUERIES["unmentioned"], {"space": space, "ids": list(nodes)})
    return [row.id for row in await cursor.fetchall()]
