"""Reading what storylines and macros are made of: a connection in, values out. Writing them is up to the records."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from recollect.db.compose import SQL, Composable, Composed, Literal
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.hierarchy.model import MACRO, Extent, Node, Piece, most_sensitive

QUERIES = load("recollect.hierarchy")

_EVERYWHERE = SQL("c.space_id")


@dataclass(frozen=True, slots=True)
class Untold:
    """Which nodes have a story that is to be told."""

    least_sources: int
    least_days: int
    known_before: datetime
    idle_since: datetime
    zone: str

    def due(self, space: Composable) -> Composed:
        """As a statement."""
        return SQL(QUERIES["untold"]).format(
            space=space,
            least_sources=self.least_sources,
            least_days=self.least_days,
            known_before=self.known_before,
            idle_since=self.idle_since,
            zone=self.zone,
        )


@dataclass(frozen=True, slots=True)
class Rootless:
    """Which nodes have storylines that a macro is to be made of."""

    least_storylines: int
    known_before: datetime

    def due(self, space: Composable) -> Composed:
        """As a statement."""
        return SQL(QUERIES["rootless"]).format(
            space=space, least_storylines=self.least_storylines, known_before=self.known_before
        )


@dataclass(frozen=True, slots=True)
class Dirty:
    """A storyline or macro whose text is behind, and the mark that says so."""

    id: UUID
    mark: UUID
    anew: bool
    """Whether nothing of the text so far may be carried on."""


@dataclass(frozen=True, slots=True)
class Covered:
    """What a story covers, and how sensitive that is."""

    extent: Extent
    sensitivity: str


def spaces_to_tell_in(untold: Untold) -> Composed:
    """The statement (for the owner) that finds spaces with a story to be told."""
    return SQL(QUERIES["spaces_to_tell_in"]).format(due=untold.due(_EVERYWHERE))


def spaces_to_group_in(rootless: Rootless) -> Composed:
    """The statement (for the owner) that finds spaces with storylines to be grouped."""
    return SQL(QUERIES["spaces_to_group_in"]).format(
        due=rootless.due(_EVERYWHERE), left_out=SQL(QUERIES["left_out"]).format(space=_EVERYWHERE)
    )


def spaces_with_dirty(kind: str) -> Composed:
    """The statement (for the owner) that finds spaces with texts that are behind."""
    return SQL(QUERIES["spaces_with_dirty"]).format(kind=kind)


async def to_tell(connection: Connection, space: str, untold: Untold, most: int) -> list[UUID]:
    """Nodes whose story is to be told, those with most sources first."""
    statement = SQL(QUERIES["to_tell"]).format(due=untold.due(Literal(space)), most=most)
    cursor = await connection.execute(statement, {})
    return [row.id for row in await cursor.fetchall()]


async def to_group(connection: Connection, space: str, rootless: Rootless, most: int) -> list[UUID]:
    """Nodes whose storylines are to become a macro, those with most of them first."""
    statement = SQL(QUERIES["to_group"]).format(due=rootless.due(Literal(space)), most=most)
    cursor = await connection.execute(statement, {})
    return [row.id for row in await cursor.fetchall()]


async def to_take_in(connection: Connection, space: str) -> list[tuple[UUID, UUID]]:
    """Storylines that their node's macro does not have, each with the node."""
    left_out = SQL(QUERIES["left_out"]).format(space=space)
    cursor = await connection.execute(SQL(QUERIES["to_take_in"]).format(left_out=left_out), {})
    return [(row.id, row.node_id) for row in await cursor.fetchall()]


async def dirty(connection: Connection, space: str, kind: str, most: int) -> list[Dirty]:
    """Storylines, or macros, whose text is behind."""
    cursor = await connection.execute(QUERIES["dirty"], {"space": space, "kind": kind, "most": most})
    return [Dirty(row.id, row.mark, row.anew) for row in await cursor.fetchall()]


async def sources_to_tell(connection: Connection, space: str, node: UUID) -> tuple[Piece, ...]:
    """The sources of a node that none of its storylines reaches, in their order."""
    return await _pieces(connection, "sources_to_tell", space=space, node=node)


async def sources_told(connection: Connection, space: str, storyline: UUID, most: int) -> tuple[Piece, ...]:
    """The newest sources of a storyline, in their order."""
    return (await _pieces(connection, "sources_told", space=space, id=storyline, most=most))[::-1]


async def storylines_about(connection: Connection, space: str, node: UUID) -> tuple[Piece, ...]:
    """The storylines of a node, in their order."""
    return await _pieces(connection, "storylines_about", space=space, node=node)


async def storylines_told(connection: Connection, space: str, macro: UUID) -> tuple[Piece, ...]:
    """The storylines of a macro, in their order."""
    return await _pieces(connection, "storylines_told", space=space, id=macro)


async def _pieces(connection: Connection, name: str, **asked: Any) -> tuple[Piece, ...]:
    cursor = await connection.execute(QUERIES[name], asked)
    return tuple(Piece.of(row) for row in await cursor.fetchall())


async def node_of(connection: Connection, space: str, story: UUID) -> Node | None:
    """What a storyline or macro is about."""
    cursor = await connection.execute(QUERIES["node_of"], {"space": space, "id": story})
    row = await cursor.fetchone()
    return Node.of(row) if row else None


async def nodes(connection: Connection, space: str, ids: Sequence[UUID]) -> dict[UUID, Node]:
    """Nodes by id."""
    cursor = await connection.execute(QUERIES["nodes"], {"space": space, "ids": list(ids)})
    return {row.id: Node.of(row) for row in await cursor.fetchall()}


async def zone(connection: Connection, space: str, default: str) -> ZoneInfo:
    """The time zone of a space."""
    cursor = await connection.execute(QUERIES["zone"], {"space": space})
    row = await cursor.fetchone()
    return ZoneInfo((row and row.timezone) or default)


async def made_since(connection: Connection, space: str, kind: str, since: datetime) -> int:
    """How many storylines, or macros, were made since a moment."""
    return await _count(connection, "made_since", space, kind, since)


async def told_since(connection: Connection, space: str, kind: str, since: datetime) -> int:
    """How many storylines, or macros, were told anew since a moment."""
    return await _count(connection, "told_since", space, kind, since)


async def _count(connection: Connection, name: str, space: str, kind: str, since: datetime) -> int:
    cursor = await connection.execute(QUERIES[name], {"space": space, "kind": kind, "since": since})
    row = await cursor.fetchone()
    return int(row.made) if row else 0


async def joinable(
    connection: Connection, space: str, source: UUID, nodes: Sequence[UUID], idle: timedelta
) -> list[UUID]:
    """The storylines that a source belongs to, at most one for each node that it mentions."""
    asked = {"space": space, "source": source, "nodes": list(nodes), "idle": idle}
    cursor = await connection.execute(QUERIES["joinable"], asked)
    return sorted({row.id for row in await cursor.fetchall()})


async def storylines_of(connection: Connection, space: str, sources: Sequence[UUID]) -> list[UUID]:
    """The storylines that sources belong to."""
    cursor = await connection.execute(QUERIES["storylines_of"], {"space": space, "ids": list(sources)})
    return [row.id for row in await cursor.fetchall()]


async def macros_of(connection: Connection, space: str, storylines: Sequence[UUID]) -> list[UUID]:
    """The macros that storylines belong to."""
    cursor = await connection.execute(QUERIES["macros_of"], {"space": space, "ids": list(storylines)})
    return [row.id for row in await cursor.fetchall()]


async def macros_about(connection: Connection, space: str, node: UUID) -> list[UUID]:
    """The macros that are rooted in a node."""
    cursor = await connection.execute(QUERIES["macros_about"], {"space": space, "node": node})
    return [row.id for row in await cursor.fetchall()]


async def extents(connection: Connection, space: str, kind: str, ids: Sequence[UUID]) -> dict[UUID, Covered]:
    """What storylines, or macros, cover."""
    if kind == MACRO:
        return await _extents(connection, "extents_of_macros", space, ids)
    return await _extents(connection, "extents_of_storylines", space, ids)


async def extent_together(connection: Connection, space: str, storylines: Sequence[UUID]) -> Covered | None:
    """What storylines cover together."""
    return next(iter((await _extents(connection, "extent_together", space, storylines)).values()), None)


async def _extents(connection: Connection, name: str, space: str, ids: Sequence[UUID]) -> dict[UUID, Covered]:
    cursor = await connection.execute(QUERIES[name], {"space": space, "ids": list(ids)})
    return {
        row.id: Covered(Extent(row.sources, row.first, row.last, row.storylines), most_sensitive(*row.levels))
        for row in await cursor.fetchall()
    }


async def any_storyline(connection: Connection, space: str) -> bool:
    """Whether a space tells any story yet."""
    cursor = await connection.execute(QUERIES["any_storyline"], {"space": space})
    row = await cursor.fetchone()
    return bool(row and row.there)
