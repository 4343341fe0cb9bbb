"""What sources tell of one node over days and weeks becomes a storyline, which later sources join.

A story is read, told and embedded before the transaction that writes it. That one holds the space's row, as whoever
writes mentions does, and looks whether the sources are still those that were read: none is lost in between.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from recollect.core.errors import Conflict
from recollect.db.compose import Composed
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import statistics, telling
from recollect.flows.parts import Parts
from recollect.flows.remember import keep
from recollect.flows.telling import Counts
from recollect.graph import dirty
from recollect.hierarchy import store as hierarchy
from recollect.hierarchy.model import (
    ABOUT,
    GROUPS,
    INCLUDES,
    MACRO,
    STORYLINE,
    Extent,
    Node,
    Piece,
    most_sensitive,
)
from recollect.hierarchy.store import Covered, Untold
from recollect.records import store
from recollect.records.model import Actor, Event, NewMemory

_TOLD = Actor("recollect", reason="storyline", by_hand=False)
_TRIES = 10


def spaces_to_promote_in(parts: Parts, now: datetime) -> Composed:
    """The statement that finds the spaces with a story to be told."""
    return hierarchy.spaces_to_tell_in(_untold(parts, now))


def spaces_to_refresh_in(_: Parts, __: datetime) -> Composed:
    """The statement that finds the spaces with storylines that are behind."""
    return hierarchy.spaces_with_dirty(STORYLINE)


def _untold(parts: Parts, now: datetime) -> Untold:
    s = parts.settings
    return Untold(
        s.storyline_sources,
        s.storyline_days,
        now - timedelta(days=s.storyline_age_days),
        now - timedelta(days=s.storyline_idle_days),
        s.timezone,
    )


async def promote(parts: Parts, space: str, now: datetime) -> Counts:
    """The nightly job: nodes that enough sources speak of get a storyline."""
    async with parts.database.transaction(space) as connection:
        made = await hierarchy.made_since(connection, space, STORYLINE, now - telling.ONE_RUN)
        left = max(0, parts.settings.storylines_nightly - made)
        ids = await hierarchy.to_tell(connection, space, _untold(parts, now), left)
        nodes = await hierarchy.nodes(connection, space, ids)
    due = [nodes[id] for id in ids if id in nodes]
    return await telling.each(due, lambda node: _begin(parts, space, node, now))


async def refresh(parts: Parts, space: str, now: datetime) -> Counts:
    """The nightly job: storylines that are behind are told anew."""
    return await telling.refresh(parts, space, STORYLINE, now, parts.settings.storyline_refreshes)


@again_after_deadlock
async def _begin(parts: Parts, space: str, node: Node, now: datetime) -> Counts:
    """The storyline of one node, from the sources that none of its storylines reaches."""
    for _ in range(_TRIES):
        async with parts.database.transaction(space) as connection:
            sources = await hierarchy.sources_to_tell(connection, space, node.id)
            zone = await hierarchy.zone(connection, space, parts.settings.timezone)
        if not sources:
            return {}
        extent = Extent.of(sources)
        newest = sources[-parts.settings.storyline_summaries :]
        tale = await telling.tell(parts, space, STORYLINE, node, newest, extent, zone)
        passages = await telling.entries(parts, space, node, tale.text)
        level = most_sensitive(*(source.sensitivity for source in sources))
        memory = telling.story(STORYLINE, node, tale, extent, zone, level, passages)
        async with parts.database.transaction(space) as connection:
            await store.raise_revision(connection, space, now, knowledge=False, changes=0)
            if await hierarchy.sources_to_tell(connection, space, node.id) != sources:
                continue
            await _write(parts, connection, space, node, memory, sources, now)
            if tale.by_rules:
                await dirty.mark(connection, space, {memory.id: STORYLINE}, now)
            await statistics.refresh_when_due(connection, space)
            return {"changed": 1, "failed": int(tale.by_rules)}
    raise Conflict("a storyline could not be written: its sources change all the time")


async def _write(
    parts: Parts,
    connection: Connection,
    space: str,
    node: Node,
    memory: NewMemory,
    sources: Sequence[Piece],
    now: datetime,
) -> None:
    """The storyline, what it is about and includes, and its place in the node's macro, if there is one."""
    salience = parts.settings.salience_initial
    await keep(parts, connection, space, [memory], _TOLD)
    await store.relate(connection, space, memory.id, [node.id], ABOUT, now, salience)
    await store.relate(connection, space, memory.id, [source.id for source in sources], INCLUDES, now, salience)
    await join_macro(parts, connection, space, memory.id, node.id, now)
    await store.record_events(connection, space, [Event("worker", "create", "ok", memory.id, memory.category)], now)


async def join_macro(
    parts: Parts, connection: Connection, space: str, storyline: UUID, node: UUID, now: datetime
) -> bool:
    """A storyline becomes part of its node's macro, the oldest one that is not archived; whether there is one."""
    macros = await hierarchy.macros_about(connection, space, node)
    if not macros:
        return False
    await store.lock(connection, space, macros[:1])
    await store.relate(connection, space, macros[0], [storyline], GROUPS, now, parts.settings.salience_initial)
    await telling.grow(parts, connection, space, MACRO, macros[:1], now)
    return True


async def any_in(connection: Connection, space: str) -> bool:
    """Whether there is any storyline that a source could join."""
    return await hierarchy.any_storyline(connection, space)


async def attach(
    parts: Parts, connection: Connection, space: str, source_id: UUID, node_ids: Sequence[UUID], now: datetime
) -> list[UUID]:
    """A source joins the recent storyline of each node that it mentions; which storylines those are.

    Part of the transaction that writes the mentions, after them; a second time it finds nothing to do. The source lies
    less than `storyline_idle_days` from the storyline's own time, by the sources' dates; the nearest storyline in time
    is chosen, then the most alike. The storyline and its macro cover more from now on, and their texts are behind.
    """
    if not node_ids:
        return []
    await store.raise_revision(connection, space, now, knowledge=False, changes=0)
    idle = timedelta(days=parts.settings.storyline_idle_days)
    storylines = await hierarchy.joinable(connection, space, source_id, node_ids, idle)
    if not storylines:
        return []
    macros = await hierarchy.macros_of(connection, space, storylines)
    await store.lock(connection, space, sorted({*storylines, *macros}))
    [source] = await store.get(connection, space, [source_id])
    for storyline in storylines:
        await store.relate(connection, space, storyline, [source_id], INCLUDES, now, parts.settings.salience_initial)
    one = Covered(Extent(1, source.happened_at, source.happened_at), source.sensitivity)
    await telling.grow(parts, connection, space, STORYLINE, storylines, now, by=one)
    await telling.grow(parts, connection, space, MACRO, macros, now, by=one)
    return storylines
