"""Carrying the graph to Neo4j: what changed, in order, and whole spaces.

A job for a space takes what waits there in batches: it takes a turn, reads the rows as they are now, writes them to
Neo4j in one transaction, and takes the notes away. Whatever stops it between two of these steps, the next job does the
same again, which changes nothing. Of two that write a space at once the one with the later turn holds, in Neo4j itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recollect.core.describe import describe
from recollect.core.errors import NotFound, RecollectError, Unavailable
from recollect.db.compose import SQL, Composed
from recollect.flows.parts import Parts
from recollect.graph.projection import content, looking, schema, writing
from recollect.graph.projection.driver import NAME, Neo4j
from recollect.graph.projection.writing import Overtaken, Writer
from recollect.queue import EVERYWHERE, enqueue_on
from recollect.records import outbox
from recollect.records.outbox import TASK, Stand, Turn

Counts = dict[str, int]
Progress = Callable[[int, int], None]

_BATCH = 1_000
_PAGE = 5_000

_progress: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def reporting(progress: Progress | None) -> Iterator[None]:
    """Copies begun inside tell `progress` how many nodes and relations are done, of how many."""
    token = _progress.set(progress)
    try:
        yield
    finally:
        _progress.reset(token)


def _tell(done: int, total: int) -> None:
    if progress := _progress.get():
        progress(min(done, total), total)


# What changed ---------------------------------------------------------------------------------------------


async def project(parts: Parts, space: str) -> Counts:
    """Carry over what waits in a space; where Neo4j is not configured, others do."""
    counts = {"seen": 0, "copied": 0}
    if parts.neo4j is None:
        return counts
    try:
        await parts.neo4j.ready(schema.ensure)
        while await _go_on(parts, parts.neo4j, space, counts):
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
    try:
        if turn.whole:
            counts["copied"] += await _copy(parts, Writer(neo4j, space, turn.number), space, turn)
        elif notes:
            await Writer(neo4j, space, turn.number).write(found)
    except Overtaken:
        await _refuse_stranger(parts, space, turn)
        return False
    if turn.whole:
        return True
    counts["seen"] += len(notes)
    async with parts.database.transaction(space) as connection:
        await outbox.carried(connection, space, [note for note, _ in notes])
    return len(notes) == _BATCH


async def _refuse_stranger(parts: Parts, space: str, turn: Turn) -> None:
    """Whoever overtook us took a turn in PostgreSQL; without that, Neo4j holds the graph of another database."""
    async with parts.database.transaction(space) as connection:
        latest = await outbox.latest_turn(connection, space)
    if latest == turn.number:
        raise RecollectError(
            f"{NAME}: its graph of {space} was written from another database, or from this one before it was restored: "
            "`recollect graph rebuild` replaces it"
        )


# Whole spaces ---------------------------------------------------------------------------------------------


async def _copy(parts: Parts, writer: Writer, space: str, turn: Turn) -> int:
    """All nodes and relations of a space, page by page; then whatever else stands under its name goes."""
    async with parts.database.transaction(space) as connection:
        total = await content.size(connection, space)
    nodes = await _copy_nodes(parts, writer, space, total)
    done = await _copy_relations(parts, writer, space, nodes, total)
    await writer.drop_strays()
    async with parts.database.transaction(space) as connection:
        await outbox.end_copy(connection, space, turn)
    _tell(total, total)
    return done


async def _copy_nodes(parts: Parts, writer: Writer, space: str, total: int) -> int:
    done, after = 0, None
    while True:
        async with parts.database.transaction(space) as connection:
            page = await content.nodes_after(connection, space, after, _PAGE)
        if not page:
            return done
        await writer.copy_nodes(page)
        done, after = done + len(page), page[-1].id
        _tell(done, total)


async def _copy_relations(parts: Parts, writer: Writer, space: str, done: int, total: int) -> int:
    after = None
    while True:
        async with parts.database.transaction(space) as connection:
            page = await content.relations_after(connection, space, after, _PAGE)
        if not page:
            return done
        await writer.copy_relations(page)
        done, after = done + len(page), page[-1].id
        _tell(done, total)


async def begin_anew(parts: Parts, spaces: Sequence[str] | None) -> list[str]:
    """Have spaces copied whole by their next jobs, whatever Neo4j holds of them and whoever wrote that; which ones.
    Where all are meant, those go that PostgreSQL does not have."""
    neo4j, known = _required(parts), await all_spaces(parts)
    if spaces is None:
        await _drop_strangers(neo4j, known)
    elif strange := sorted(set(spaces) - set(known)):
        raise NotFound(f"there is no space {strange[0]}")
    for space in known if spaces is None else spaces:
        await writing.unfence(neo4j, space)
        async with parts.database.transaction(space) as connection:
            await outbox.copy_whole(connection, space)
    return list(known if spaces is None else spaces)


async def _drop_strangers(neo4j: Neo4j, known: Sequence[str]) -> None:
    for space in sorted(await looking.spaces(neo4j) - set(known)):
        await writing.drop_space(neo4j, space)


def _required(parts: Parts) -> Neo4j:
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
        if stand is None or stand.waiting > outbox.MOST_WAITING:
            await outbox.copy_whole(connection, space)
        if parts.neo4j is not None:
            await enqueue_on(connection, TASK, space)
    return {"seen": 1}


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
        cursor = await owner.execute(outbox.QUERIES["spaces_projected"])
        spaces = [row.space_id for row in await cursor.fetchall()]
    stands = []
    for space in spaces:
        async with parts.database.transaction(space) as connection:
            stands.append(await outbox.stand(connection, space))
    version, problem = await _reached(parts.neo4j)
    found = tuple(stand for stand in stands if stand is not None)
    return GraphStatus(parts.settings.neo4j_url, parts.settings.neo4j_database, version, problem, found)


async def _reached(neo4j: Neo4j | None) -> tuple[str | None, str | None]:
    if neo4j is None:
        return None, None
    try:
        return await looking.version(neo4j), None
    except Unavailable as error:
        return None, str(error)


async def forgotten(parts: Parts, space: str, ids: Sequence[UUID]) -> bool:
    """Have Neo4j forget now what `outbox.forget` noted in a transaction that is committed; whether it holds none of it.

    False where Neo4j does not answer: what was noted is carried over as soon as it does.
    """
    if parts.neo4j is None:
        async with parts.database.transaction(space) as connection:
            return not await outbox.is_projected(connection, space)
    try:
        await project(parts, space)
        return not await looking.present(parts.neo4j, space, [str(id) for id in ids])
    except Unavailable:
        return False
