"""Sources of a team are stored once and learned from by each member for themself, at the member's first use.

The member's space then holds a reference: where the source is, and nothing of its text. It goes, with what came only of
it, when the member leaves the team or the source is gone.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.core.ids import new_id
from recollect.core.scope import Scope, is_team, team_space
from recollect.db.database import Connection, again_after_deadlock
from recollect.db.sql import load
from recollect.flows import statistics, unlearn
from recollect.flows.ingest import TASK as INGEST
from recollect.flows.ingest import memory_of
from recollect.flows.learn import zone_of
from recollect.flows.parts import Parts
from recollect.flows.remember import keep
from recollect.flows.revise import actor_of
from recollect.queue import enqueue_all, enqueue_on
from recollect.records import service, store
from recollect.records.model import Actor, Memory, NewMemory
from recollect.sources import store as sources
from recollect.sources.model import REFERENCES_TASK, NewSource

LIFECYCLE = load("recollect.records", "lifecycle.sql")

TASK = REFERENCES_TASK
Origin = tuple[str, UUID]
"""The space and the id of a source that is referred to."""
_WRITER = Actor("recollect", reason="first use of a source of the team", by_hand=False)


def origins_of(memories: Iterable[Memory]) -> set[Origin]:
    """The sources of teams that memories are, or are chunks of."""
    found: set[Origin] = set()
    for memory in memories:
        if is_team(memory.space) and memory.kind in ("source", "chunk"):
            ids = memory.data.get("sources", ()) if memory.kind == "chunk" else (memory.id,)
            found |= {(memory.space, UUID(str(id))) for id in ids}
    return found


@again_after_deadlock
async def refer(parts: Parts, space: str, used: Iterable[Origin]) -> int:
    """A user has used sources of teams: those of them that are new to the user are learned from; how many."""
    by_team: dict[str, set[UUID]] = defaultdict(set)
    for team, id in used:
        by_team[team].add(id)
    now = parts.clock()
    async with parts.database.transaction(space, *sorted(by_team)) as connection:
        if not await _unknown(connection, space, by_team):
            return 0
        # Held from here on: of two uses at the same moment one refers.
        await store.raise_revision(connection, space, now, knowledge=False, changes=0)
        unknown = await _unknown(connection, space, by_team)
        found = [(team, row) for team, ids in unknown.items() for row in await sources.origins(connection, team, ids)]
        made = [_reference(team, row) for team, row in found]
        if made:
            await keep(parts, connection, space, [memory for memory, _ in made], _WRITER)
            await sources.receive(connection, space, [source for _, source in made], now)
            await enqueue_on(connection, INGEST, space)
    return len(made)


async def _unknown(connection: Connection, space: str, by_team: dict[str, set[UUID]]) -> dict[str, set[UUID]]:
    """Those sources that the space does not refer to; a reference that was deleted by hand is one."""
    known = {(row.origin_space, row.origin_id) for row in await sources.references(connection, space)}
    left = {team: {id for id in ids if (team, id) not in known} for team, ids in sorted(by_team.items())}
    return {team: ids for team, ids in left.items() if ids}


def _reference(team: str, origin: Any) -> tuple[NewMemory, NewSource]:
    source = NewSource(
        id=new_id(),
        source_type=origin.source_type,
        started_at=origin.started_at,
        ended_at=origin.ended_at,
        context_type=origin.context_type,
        origin_space=team,
        origin_id=origin.id,
    )
    memory = memory_of(
        source,
        content="",
        sensitivity=origin.sensitivity,
        ttl_policy=origin.ttl_policy,
        happened_at=origin.happened_at,
        data={"origin": {"space": team, "id": str(origin.id)}},
    )
    return memory, source


async def leave(parts: Parts, scope: Scope, team_id: object) -> int:
    """A user leaves a team: the user's references to it go at once, what came only of them by job; how many went."""
    if scope.user_id is None:
        raise InvalidInput("user_id", "only a user can leave a team: open the scope of one")
    team = team_space(check.identifier("team_id", team_id))
    space, now = scope.own_space, parts.clock()
    async with parts.database.transaction(space) as connection:
        rows = await sources.references(connection, space, team)
        ids = sorted(row.id for row in rows)
        await store.lock(connection, space, ids)
        # Past its purge date at once: that is how the job knows it, and how the nightly purge would.
        await service.soft_delete(connection, space, ids, now, actor_of(scope, "left the team"), purge_days=0)
        if ids:
            await enqueue_on(connection, TASK, space)
    return len(ids)


async def tell_members(connection: Connection, space: str) -> None:
    """A source of a team is gone: references to it are looked after by job; the last of a transaction."""
    if is_team(space):
        await enqueue_on(connection, TASK, space)


async def reconcile(parts: Parts, space: str) -> dict[str, int]:
    """The job: from a team to all that refer to its sources; in a member's space, references that lead nowhere go."""
    if is_team(space):
        async with parts.database.owner() as owner:
            cursor = await owner.execute(LIFECYCLE["spaces_referring"], {"team": space})
            members = [row.space_id for row in await cursor.fetchall()]
        if members:
            async with parts.database.application() as connection:
                await enqueue_all(connection, TASK, members)
        return {"seen": len(members)}
    return await _look_after(parts, space)


@again_after_deadlock
async def _look_after(parts: Parts, space: str) -> dict[str, int]:
    now = parts.clock()
    async with parts.database.transaction(space) as connection:
        rows = await sources.references(connection, space)
    alive = await _alive(parts, space, rows)
    gone = sorted(
        row.id
        for row in rows
        if (row.origin_space, row.origin_id) not in alive or (row.purge_at is not None and row.purge_at <= now)
    )
    if gone:
        async with parts.database.transaction(space) as connection:
            await store.lock(connection, space, gone)
            await unlearn.unlearn(connection, space, gone, await zone_of(parts, connection, space), now)
            await service.purge(connection, space, gone, now)
            await unlearn.follow(connection, space)
            await statistics.refresh_when_due(connection, space)
    return {"seen": len(rows), "changed": len(gone)}


async def _alive(parts: Parts, space: str, rows: Sequence[Any]) -> set[Origin]:
    """The sources that are referred to and still there."""
    by_team: dict[str, set[UUID]] = defaultdict(set)
    for row in rows:
        by_team[row.origin_space].add(row.origin_id)
    if not by_team:
        return set()
    async with parts.database.transaction(space, *sorted(by_team)) as connection:
        return {(team, row.id) for team, ids in by_team.items() for row in await sources.origins(connection, team, ids)}
