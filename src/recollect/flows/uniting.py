"""Nodes that are one: proposals, merges by hand, and parting them again."""

from typing import Any
from uuid import UUID

from recollect.core import check
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import statistics
from recollect.flows.indexing import node, passages_of
from recollect.flows.parts import Parts
from recollect.flows.revise import actor_of, find
from recollect.graph import merges
from recollect.graph.merges import STATUSES, Desk
from recollect.graph.model import Merge
from recollect.graph.names import NODE_KINDS
from recollect.records import service, store
from recollect.records.changes import Changes
from recollect.records.filters import allowed_sensitivities
from recollect.records.model import Actor, Memory, Passage


async def listed(parts: Parts, scope: Scope, status: object) -> list[Merge]:
    """Merges that wait to be decided; of another status, or all with None."""
    wanted = None if status is None else check.choice("status", status, STATUSES)
    found: list[Merge] = []
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            found += await merges.listed(connection, space, wanted, allowed_sensitivities(scope.sensitivity))
    return found


@again_after_deadlock
async def merge(parts: Parts, scope: Scope, kept_id: UUID, gone_id: UUID) -> Merge:
    """Make two nodes one, by hand: the first is kept, or whichever stands for the owner."""
    kept, gone = await find(parts, scope, kept_id), await find(parts, scope, gone_id)
    refuse_pair(kept, gone)
    if gone.data.get("owner"):
        kept, gone = gone, kept
    async with parts.database.transaction(kept.space) as connection:
        desk = await _hold(parts, connection, kept.space, actor_of(scope, "merged by hand"))
        id = await merges.merge(desk, kept.id, gone.id)
        await _acted(desk, id, "merge")
        await statistics.count_changes(connection, kept.space, desk.now, 1)
        return await _told(connection, kept.space, id)


def refuse_pair(kept: Memory, gone: Memory) -> None:
    """Only two nodes of one kind and space can be one."""
    for field, memory in (("a_id", kept), ("b_id", gone)):
        if memory.kind not in NODE_KINDS:
            raise InvalidInput(field, f"names a {memory.kind}, not a node")
    if kept.id == gone.id:
        raise InvalidInput("b_id", "is the same node as a_id")
    if kept.space != gone.space:
        raise InvalidInput("b_id", "lies in another space than a_id")
    if kept.kind != gone.kind:
        raise InvalidInput("b_id", f"names a {gone.kind}, a_id a {kept.kind}")


async def _hold(parts: Parts, connection: Connection, space: str, actor: Actor) -> Desk:
    now = parts.clock()
    await store.raise_revision(connection, space, now, knowledge=False, changes=0)
    return Desk(connection, space, now, actor, parts.settings.timezone)


async def _acted(desk: Desk, id: UUID, op: str) -> None:
    await store.act(desk.connection, desk.space, desk.now, "MERGE", op, [id], desk.actor)


async def _told(connection: Connection, space: str, id: UUID) -> Merge:
    [told] = await merges.listed(connection, space, None, ("low", "normal", "high"), id)
    return told


async def _find(parts: Parts, scope: Scope, id: UUID) -> tuple[str, Any]:
    """A merge whose nodes the scope may see: its space and row."""
    scope.refuse_blind()
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            row = await merges.find(connection, space, id)
            ends = await store.get(connection, space, [row.kept_id, row.gone_id]) if row else []
        if ends and all(scope.may_see(end) for end in ends):
            return space, row
    raise NotFound(f"there is no merge {id}")


@again_after_deadlock
async def resolve(parts: Parts, scope: Scope, id: UUID, accept: bool) -> Merge:
    """Say whether two nodes that may be one are; what was refused is not proposed again."""
    space, _ = await _find(parts, scope, id)
    async with parts.database.transaction(space) as connection:
        desk = await _hold(parts, connection, space, actor_of(scope, "proposal accepted"))
        row = await merges.find(connection, space, id)
        if row.status != "proposed":
            raise Conflict(f"merge {id} is {row.status} already")
        if accept:
            await merges.merge(desk, row.kept_id, row.gone_id)
            await statistics.count_changes(connection, space, desk.now, 1)
        else:
            await merges.refuse(desk, row)
        await _acted(desk, id, "merge" if accept else "refuse_merge")
        return await _told(connection, space, id)


@again_after_deadlock
async def unmerge(parts: Parts, scope: Scope, id: UUID) -> Merge:
    """Part two nodes again: what was moved goes back, what was written since stays with the one that was kept."""
    space, row = await _find(parts, scope, id)
    passages = await _before(parts, space, row)
    async with parts.database.transaction(space) as connection:
        desk = await _hold(parts, connection, space, actor_of(scope, "merge undone"))
        row = await merges.find(connection, space, id)
        if row.status != "merged":
            raise Conflict(f"merge {id} is {row.status}: there is nothing to undo")
        await merges.part(desk, row)
        await _acted(desk, id, "unmerge")
        await _describe_as_before(parts, desk, row, passages)
        await statistics.count_changes(connection, space, desk.now, 1)
        return await _told(connection, space, id)


async def _before(parts: Parts, space: str, row: Any) -> tuple[Passage, ...]:
    """The search entries of the kept node as it was described before the merge."""
    async with parts.database.transaction(space) as connection:
        rows = await store.get(connection, space, [row.kept_id])
    if not rows or "description" not in row.moved:
        return ()
    added = set(row.moved["aliases"])
    aliases = [alias for alias in rows[0].data.get("aliases", []) if alias not in added]
    [passages] = await passages_of(parts, space, [node(rows[0].title, row.moved["description"], aliases)])
    return passages


async def _describe_as_before(parts: Parts, desk: Desk, row: Any, passages: tuple[Passage, ...]) -> None:
    """What was said of the other node is no part of the kept one's description; what a person wrote stays."""
    kept = await service.get(desk.connection, desk.space, row.kept_id, desk.now, parts.rules)
    if kept.by_hand or kept.content == row.moved["description"]:
        return
    mean = await store.mean_length(desk.connection, desk.space)
    changes = Changes({"content": row.moved["description"]})
    actor = Actor(desk.actor.actor, desk.actor.agent_id, desk.actor.thread_id, desk.actor.reason, by_hand=False)
    await service.change(desk.connection, kept, changes, passages, desk.now, actor, mean)
