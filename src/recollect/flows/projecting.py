"""Carrying the graph to Neo4j: what changed, in order, and whole spaces.

A job for a space takes what waits there in batches: it takes a turn, reads the rows as they are now, writes them to
Neo4j in one transaction, and takes the notes away. Whatever stops it between two of these steps, the next job does the
same again, which changes nothing. Of two that write a space at once the one with the later turn holds, in Neo4j itself.

Which copy Neo4j holds and what that was given last stands on both sides. Where it is not the same, Neo4j was emptied or
brought back from a backup, and the space is copied anew; where another database wrote it, this one writes no more.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from uuid import UUID

from recollect.core.describe import describe
from recollect.core.errors import NotFound, RecollectError, Unavailable
from recollect.db.compose import SQL, Composed
from recollect.flows.parts import Parts
from recollect.graph.projection import content, looking, schema, writing
from recollect.graph.projection.driver import NAME, Neo4j, patiently
from recollect.graph.projection.writing import Foreign, Lost, Overtaken, Writer
from recollect.queue import EVERYWHERE, enqueue_on
from recollect.records import outbox
from recollect.records.outbox import TASK, Held, Stand, Turn

Counts = dict[str, int]
Progress = Callable[[int, int], None]

_log = logging.getLogger(__name__)

_BATCH = 1_000
_PAGE = 5_000
_PATIENCE = 5
"""How many times as long as for a step of a walk a receipt waits for Neo4j to forget."""

_more: ContextVar[Callable[[int], None]] = ContextVar("more")
"""Told how many nodes and relations more are done."""


@asynccontextmanager
async def reporting(parts: Parts, spaces: Sequence[str], progress: Progress | None) -> AsyncIterator[None]:
    """What is copied or compared of the spaces inside tells `progress` how many nodes and relations are done, of how
    many in all of them."""
    if progress is None:
        yield
        return
    total, done = await _size(parts, spaces), 0

    def more(count: int) -> None:
        nonlocal done
        done = min(done + count, total)
        progress(done, total)

    token = _more.set(more)
    try:
        yield
    finally:
        _more.reset(token)
    progress(total, total)


async def _size(parts: Parts, spaces: Sequence[str]) -> int:
    found = 0
    for space in spaces:
        async with parts.database.transaction(space) as connection:
            found += await content.size(connection, space)
    return found


def tell(count: int) -> None:
    """So many more are done."""
    if more := _more.get(None):
        more(count)


# What changed ---------------------------------------------------------------------------------------------


async def project(parts: Parts, space: str) -> Counts:
    """Carry over what waits in a space; where Neo4j is not configured, others do."""
    counts = {"seen": 0, "copied": 0}
    if parts.neo4j is None:
        return counts
    try:
        await parts.neo4j.ready(schema.ensure)
        while await patiently(partial(_go_on, parts, parts.neo4j, space, counts)):
            pass
    except Exception as error:
        await _keep_failure(parts, space, error)
        raise
    return counts


async def _keep_failure(parts: Parts, space: str, error: Exception) -> None:
    why = str(error) if isinstance(error, RecollectError) else describe(error)
    async with parts.database.transaction(space) as connection:
        await outbox.went_wrong(connection, space, why)


async def _go_on(parts: Parts, neo4j: Neo4j, space: str, counts: Counts) -> bool:
    """One batch, or the copy of all of it; false where nothing waits, or somebody else goes on with it."""
    async with parts.database.transaction(space) as connection:
        turn = await outbox.take_turn(connection, space)
        if turn is None:
            return False
        notes = [] if turn.whole else await outbox.waiting(connection, space, _BATCH)
        found = await content.read(connection, space, sorted({target for _, target in notes}))
    writer = Writer(neo4j, space, turn)
    try:
        if turn.whole:
            counts["copied"] += await _copy(parts, writer, space, turn)
            return True
        await (writer.write(found) if notes else writer.check())
    except Overtaken:
        return await _overtaken(parts, space, turn)
    except Foreign:
        await _refuse(parts, space, turn)
    except Lost:
        return await _lost(parts, space, turn)
    counts["seen"] += len(notes)
    async with parts.database.transaction(space) as connection:
        await outbox.carried(connection, space, turn, [note for note, _ in notes])
    return len(notes) == _BATCH


async def _overtaken(parts: Parts, space: str, turn: Turn) -> bool:
    """Whoever overtook us took a turn in PostgreSQL, and goes on with it; without that, it is none of ours."""
    async with parts.database.transaction(space) as connection:
        latest = await outbox.latest_turn(connection, space)
    if latest == turn.number:
        await _refuse(parts, space, turn)
    return False


async def _refuse(parts: Parts, space: str, turn: Turn) -> None:
    """Neo4j holds the graph of another database: what both write would be mixed."""
    why = (
        f"{NAME}: its graph of {space} was written from another database, or from this one before it was restored: "
        "`recollect graph rebuild` replaces it"
    )
    async with parts.database.transaction(space) as connection:
        await outbox.refuse(connection, space, turn, why)
    raise RecollectError(why)


async def _lost(parts: Parts, space: str, turn: Turn) -> bool:
    """What Neo4j holds is not what was written there: all of it is copied anew, at once."""
    if turn.whole:
        raise Unavailable(NAME, f"the copy of {space} was taken away while it was made")
    _log.warning("Neo4j does not hold the graph that was carried there: it is copied anew")
    async with parts.database.transaction(space) as connection:
        await outbox.copy_lost(connection, space, turn.copy)
    return True


# Whole spaces ---------------------------------------------------------------------------------------------


async def _copy(parts: Parts, writer: Writer, space: str, turn: Turn) -> int:
    """All nodes and relations of a space, page by page; then whatever else stands under its name goes."""
    await writer.begin_copy()
    done = await _copy_nodes(parts, writer, space) + await _copy_relations(parts, writer, space)
    await writer.end_copy()
    async with parts.database.transaction(space) as connection:
        await outbox.end_copy(connection, space, turn)
    return done


async def _copy_nodes(parts: Parts, writer: Writer, space: str) -> int:
    done, after = 0, None
    while True:
        async with parts.database.transaction(space) as connection:
            page = await content.nodes_after(connection, space, after, _PAGE)
        if not page:
            return done
        await patiently(partial(writer.copy_nodes, page))
        done, after = done + len(page), page[-1].id
        tell(len(page))


async def _copy_relations(parts: Parts, writer: Writer, space: str) -> int:
    done, after = 0, None
    while True:
        async with parts.database.transaction(space) as connection:
            page = await content.relations_after(connection, space, after, _PAGE)
        if not page:
            return done
        await patiently(partial(writer.copy_relations, page))
        done, after = done + len(page), page[-1].id
        tell(len(page))


async def begin_anew(parts: Parts, spaces: Sequence[str] | None) -> list[str]:
    """Have spaces copied whole by their next jobs, whatever Neo4j holds of them and whoever wrote that; which ones.
    Where all are meant, those go that PostgreSQL does not have."""
    neo4j, known = required(parts), await all_spaces(parts)
    asked = chosen(spaces, known)
    if spaces is None:
        await _drop_strangers(neo4j, known)
    for space in asked:
        await writing.unfence(neo4j, space)
        async with parts.database.transaction(space) as connection:
            await outbox.copy_whole(connection, space)
    return asked


def chosen(spaces: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """Those that are asked for, each once; all that there are where none is named."""
    if spaces is None:
        return list(known)
    if strange := sorted(set(spaces) - set(known)):
        raise NotFound(f"there is no space {strange[0]}")
    return list(dict.fromkeys(spaces))


async def _drop_strangers(neo4j: Neo4j, known: Sequence[str]) -> None:
    for space in sorted(await looking.spaces(neo4j) - set(known)):
        await writing.drop_space(neo4j, space)


def required(parts: Parts) -> Neo4j:
    """The Neo4j that is configured."""
    if parts.neo4j is None:
        raise Unavailable(NAME, "it is not configured: set neo4j_url")
    return parts.neo4j


async def all_spaces(parts: Parts) -> list[str]:
    """Every space there is."""
    async with parts.database.owner() as owner:
        cursor = await owner.execute(outbox.QUERIES["spaces_all"])
        return [row.space_id for row in await cursor.fetchall()]


# Over all spaces ------------------------------------------------------------------------------------------


def spaces_behind(parts: Parts, _: datetime) -> Composed:
    """The statement (for the owner) that finds spaces whose projection is behind; with Neo4j, those without one too."""
    name = "spaces_to_project" if parts.neo4j is None else "spaces_to_adopt"
    return SQL(outbox.QUERIES[name]).format()


async def sweep(parts: Parts, space: str, _: datetime) -> Mapping[str, int]:
    """Have a space carried over that no job takes care of. One with very much to carry over is copied whole: so
    nothing gathers without end where Neo4j stays away."""
    async with parts.database.transaction(space) as connection:
        stand = await outbox.stand(connection, space)
        if stand is not None and stand.state == "refused":
            return {"seen": 1}
        if stand is None or stand.waiting > outbox.MOST_WAITING:
            await outbox.copy_whole(connection, space)
        if parts.neo4j is not None:
            await enqueue_on(connection, TASK, space)
    return {"seen": 1}


async def look_after(parts: Parts) -> None:
    """Have those spaces looked at whose copy in Neo4j is not the one that was made, though nothing of them changes."""
    if parts.neo4j is None:
        return
    try:
        astray = await _astray(parts, parts.neo4j)
    except RecollectError:
        return  # it is away: what it holds is looked at once it is back
    for space in sorted(astray):
        async with parts.database.transaction(space) as connection:
            await enqueue_on(connection, TASK, space)


async def _astray(parts: Parts, neo4j: Neo4j) -> set[str]:
    """Spaces that follow, but of which Neo4j holds another copy, or none. A batch may be carried over between two
    looks: what is astray is so in both."""
    found: set[str] | None = None
    for _ in range(2):
        async with parts.database.owner() as owner:
            expected = await outbox.followed(owner)
        marks = await looking.marks(neo4j)
        wrong = {space for space, held in expected.items() if not _is_held(held, marks.get(space))}
        found = wrong if found is None else found & wrong
        if not found:
            break
    return found or set()


def _is_held(held: Held, mark: tuple[str | None, str | None] | None) -> bool:
    return mark is not None and mark[0] == str(held.copy) and mark[1] in {str(held.carried), str(held.carrying)}


async def begin(parts: Parts) -> None:
    """Have all spaces carried over that are behind, or are not projected yet, as soon as a worker runs."""
    if parts.neo4j is not None:
        async with parts.database.application() as connection:
            await enqueue_on(connection, TASK, EVERYWHERE)


@dataclass(frozen=True, slots=True)
class GraphStatus:
    """How far Neo4j is."""

    url: str | None
    """None: it is not configured here, and PostgreSQL answers."""
    database: str
    version: str | None
    problem: str | None
    """Why it cannot be reached."""
    spaces: tuple[Stand, ...]
    """Those that are projected."""

    @property
    def waiting(self) -> int:
        """Changes that Neo4j does not have."""
        return sum(stand.waiting for stand in self.spaces)

    @property
    def lag(self) -> float:
        """Seconds since the oldest of them."""
        return max((stand.lag or 0.0 for stand in self.spaces), default=0.0)

    @property
    def level(self) -> bool:
        """Whether Neo4j has all of every space."""
        return all(stand.level for stand in self.spaces)


async def status(parts: Parts) -> GraphStatus:
    """How far Neo4j is, and whether it answers."""
    async with parts.database.owner() as owner:
        stands = await outbox.stands(owner)
    version, problem, astray = await _reached(parts)
    found = tuple(replace(stand, astray=stand.space in astray) for stand in stands)
    return GraphStatus(parts.settings.neo4j_url, parts.settings.neo4j_database, version, problem, found)


async def _reached(parts: Parts) -> tuple[str | None, str | None, set[str]]:
    """Which Neo4j answers, or why it does not, and the spaces of which it holds another copy than was made."""
    if parts.neo4j is None:
        return None, None, set()
    try:
        return await looking.version(parts.neo4j), None, await _astray(parts, parts.neo4j)
    except RecollectError as error:
        return None, str(error), set()


@dataclass(frozen=True, slots=True)
class Pending:
    """What was forgotten, and Neo4j may still hold; it is taken away there as soon as that can be reached."""

    space: str
    ids: tuple[UUID, ...] = ()
    """Memories and relations; none: all that Neo4j holds of the space."""


async def forgotten(parts: Parts, space: str, ids: Sequence[UUID]) -> Pending | None:
    """Have Neo4j forget now what a transaction that is committed forgot; what it may still hold. Nobody waits long for
    it: what is not carried over now is carried over by the job."""
    if parts.neo4j is not None and not parts.neo4j.rests:
        try:
            async with asyncio.timeout(_PATIENCE * parts.settings.neo4j_timeout):
                await project(parts, space)
        except (RecollectError, TimeoutError):
            parts.neo4j.rest()
    async with parts.database.transaction(space) as connection:
        stand = await outbox.stand(connection, space)
        left = await outbox.waits(connection, space, ids)
    if stand is None or (stand.state == "following" and not left):
        return None
    return Pending(space, tuple(sorted(left)) if stand.state == "following" else ())
