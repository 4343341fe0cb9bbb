"""Storylines of one node become a macro: the theme behind them, which later storylines join."""

from datetime import datetime, timedelta
from uuid import UUID

from recollect.core.errors import Conflict
from recollect.db.compose import Composed
from recollect.db.database import again_after_deadlock
from recollect.flows import statistics, storylines, telling
from recollect.flows.parts import Parts
from recollect.flows.remember import keep
from recollect.flows.telling import Counts
from recollect.graph import dirty
from recollect.hierarchy import store as hierarchy
from recollect.hierarchy.model import GROUPS, MACRO, ROOTED_IN, Node
from recollect.hierarchy.store import Rootless
from recollect.records import store
from recollect.records.model import Actor, Event

_TOLD = Actor("recollect", reason="macro", by_hand=False)
_TRIES = 10


def spaces_to_promote_in(parts: Parts, now: datetime) -> Composed:
    """The statement that finds the spaces with storylines to be grouped."""
    return hierarchy.spaces_to_group_in(_rootless(parts, now))


def spaces_to_refresh_in(_: Parts, __: datetime) -> Composed:
    """The statement that finds the spaces with macros that are behind."""
    return hierarchy.spaces_with_dirty(MACRO)


def _rootless(parts: Parts, now: datetime) -> Rootless:
    s = parts.settings
    return Rootless(s.macro_storylines, now - timedelta(days=s.macro_age_days))


async def promote(parts: Parts, space: str, now: datetime) -> Counts:
    """The weekly job: storylines join the macro of their node; nodes with enough storylines and none get one."""
    async with parts.database.transaction(space) as connection:
        alone = await hierarchy.to_take_in(connection, space)
        made = await hierarchy.made_since(connection, space, MACRO, now - telling.ONE_RUN)
        left = max(0, parts.settings.macros_weekly - made)
        ids = await hierarchy.to_group(connection, space, _rootless(parts, now), left)
        nodes = await hierarchy.nodes(connection, space, ids)
    due = [nodes[id] for id in ids if id in nodes]
    joined = await telling.each(alone, lambda one: _take_in(parts, space, one, now))
    begun = await telling.each(due, lambda node: _begin(parts, space, node, now))
    return {key: joined.get(key, 0) + begun.get(key, 0) for key in joined | begun}


async def refresh(parts: Parts, space: str, now: datetime) -> Counts:
    """The weekly job: macros that are behind are told anew."""
    return await telling.refresh(parts, space, MACRO, now, parts.settings.macro_refreshes)


@again_after_deadlock
async def _take_in(parts: Parts, space: str, alone: tuple[UUID, UUID], now: datetime) -> Counts:
    """A storyline that its node's macro does not have yet; nothing, if it has it by now."""
    async with parts.database.transaction(space) as connection:
        await store.raise_revision(connection, space, now, knowledge=False, changes=0)
        if alone not in await hierarchy.to_take_in(connection, space):
            return {}
        joined = await storylines.join_macro(parts, connection, space, *alone, now)
        await statistics.refresh_when_due(connection, space)
    return {"changed": int(joined)}


@again_after_deadlock
async def _begin(parts: Parts, space: str, node: Node, now: datetime) -> Counts:
    """The macro of one node, from its storylines."""
    for _ in range(_TRIES):
        async with parts.database.transaction(space) as connection:
            told = await hierarchy.storylines_about(connection, space, node.id)
            covered = await hierarchy.extent_together(connection, space, [storyline.id for storyline in told])
            zone = await hierarchy.zone(connection, space, parts.settings.timezone)
        if covered is None:
            return {}
        tale = await telling.tell(parts, space, MACRO, node, told, covered.extent, zone)
        passages = await telling.entries(parts, space, node, tale.text)
        memory = telling.story(MACRO, node, tale, covered.extent, zone, covered.sensitivity, passages)
        async with parts.database.transaction(space) as connection:
            await store.raise_revision(connection, space, now, knowledge=False, changes=0)
            if await hierarchy.macros_about(connection, space, node.id):
                return {}
            if await hierarchy.storylines_about(connection, space, node.id) != told:
                continue
            salience = parts.settings.salience_initial
            await keep(parts, connection, space, [memory], _TOLD)
            await store.relate(connection, space, memory.id, [node.id], ROOTED_IN, now, salience)
            await store.relate(connection, space, memory.id, [one.id for one in told], GROUPS, now, salience)
            await store.record_events(
                connection, space, [Event("worker", "create", "ok", memory.id, memory.category)], now
            )
            if tale.by_rules:
                await dirty.mark(connection, space, {memory.id: MACRO}, now)
            await statistics.refresh_when_due(connection, space)
            return {"changed": 1, "failed": int(tale.by_rules)}
    raise Conflict("a macro could not be written: its storylines change all the time")
