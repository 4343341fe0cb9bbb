"""What only some memories taught the graph goes with them: mentions, notes, relations, and nodes only they name.

What stays and may quote them is marked: descriptions and stories are told anew, from what is left, by a job that
`follow` asks for.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from recollect.db.database import Connection
from recollect.flows import descriptions, macros, storylines
from recollect.flows.parts import Parts
from recollect.graph import dirty
from recollect.graph import service as graph_service
from recollect.graph import store as graph
from recollect.hierarchy import store as hierarchy
from recollect.hierarchy.model import MACRO, STORYLINE
from recollect.queue import enqueue_on
from recollect.records import relations, service, store
from recollect.records.relations import Learned

TASK = "follow_texts"


async def unlearn(connection: Connection, space: str, memories: Sequence[UUID], zone: str, now: datetime) -> int:
    """Take back all that memories taught; how many nodes and relations went with it. The caller removes the memories,
    and then lets texts `follow`."""
    learned = await begin(connection, space, memories, now)
    await relations.unmention(connection, space, memories)
    return await finish(connection, space, memories, learned, zone, now)


async def begin(connection: Connection, space: str, memories: Sequence[UUID], now: datetime) -> Learned:
    """What memories taught; they speak for none of it from here on, but still mention the nodes.

    The space's row is held, as whoever writes the graph holds it: no node that goes is mentioned meanwhile.
    """
    await store.raise_revision(connection, space, now, knowledge=False, changes=0)
    learned = await relations.learned_from(connection, space, memories)
    await relations.forget_words(connection, space, memories, learned)
    return learned


async def finish(
    connection: Connection, space: str, memories: Sequence[UUID], learned: Learned, zone: str, now: datetime
) -> int:
    """Let go of what nothing speaks for any more, and count the mentions of what stays; how many nodes and relations
    went."""
    dropped = await relations.drop_unfounded(connection, space, learned.relations)
    gone = await relations.unmentioned(connection, space, learned.nodes)
    if gone:
        await store.lock(connection, space, sorted(gone))
        await service.purge(connection, space, gone, now)
    if left := sorted(set(learned.nodes) - set(gone)):
        await graph.recount(connection, space, left, zone)
        await store.classify(connection, space, left, closed=True)
    await _mark_quoting(connection, space, memories, [*left, *learned.relations], now)
    return len(gone) + dropped


async def _mark_quoting(
    connection: Connection, space: str, memories: Sequence[UUID], taught: Sequence[UUID], now: datetime
) -> None:
    """Texts that may still tell of what was taken back: descriptions, storylines, and macros of these."""
    await graph_service.mark(connection, space, taught, now, anew=True)
    told = await hierarchy.storylines_of(connection, space, memories)
    if told:
        themes = await hierarchy.macros_of(connection, space, told)
        kinds = dict.fromkeys(told, STORYLINE) | dict.fromkeys(themes, MACRO)
        await dirty.mark(connection, space, kinds, now, anew=True)


async def follow(connection: Connection, space: str) -> None:
    """Have texts follow what was taken back, soon; the last that a transaction does."""
    await enqueue_on(connection, TASK, space)


async def follow_texts(parts: Parts, space: str) -> dict[str, int]:
    """The job: descriptions, storylines and macros that are behind are told from what there is."""
    now, total = parts.clock(), dict[str, int]()
    for work in (descriptions.sweep, storylines.refresh, macros.refresh):
        for name, count in (await work(parts, space, now)).items():
            total[name] = total.get(name, 0) + count
    return total
