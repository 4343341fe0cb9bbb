"""What only some memories taught the graph goes with them: mentions, notes, relations, and nodes only they name."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from recollect.db.database import Connection
from recollect.graph import store as graph
from recollect.records import relations, service, store
from recollect.records.relations import Learned


async def unlearn(connection: Connection, space: str, memories: Sequence[UUID], zone: str, now: datetime) -> int:
    """Take back all that memories taught; how many nodes went with it."""
    learned = await begin(connection, space, memories, now)
    await relations.unmention(connection, space, memories)
    return await finish(connection, space, learned, zone, now)


async def begin(connection: Connection, space: str, memories: Sequence[UUID], now: datetime) -> Learned:
    """What memories taught; they speak for none of it from here on, but still mention the nodes.

    The space's row is held, as whoever writes the graph holds it: no node that goes is mentioned meanwhile.
    """
    await store.raise_revision(connection, space, now, knowledge=False, changes=0)
    learned = await relations.learned_from(connection, space, memories)
    await relations.forget_words(connection, space, memories, learned)
    return learned


async def finish(connection: Connection, space: str, learned: Learned, zone: str, now: datetime) -> int:
    """Let go of what nothing speaks for any more, and count the mentions of what stays; how many nodes went."""
    await relations.drop_unfounded(connection, space, learned.relations)
    gone = await relations.unmentioned(connection, space, learned.nodes)
    if gone:
        await store.lock(connection, space, sorted(gone))
        await service.purge(connection, space, gone, now)
    if left := sorted(set(learned.nodes) - set(gone)):
        await graph.recount(connection, space, left, zone)
        await store.classify(connection, space, left, closed=True)
    return len(gone)
