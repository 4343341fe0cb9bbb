"""Reading which sources fade, or speak of one node together, and what they say: a connection in, values out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.db.compose import SQL, Composable, Composed, Literal
from recollect.db.database import Connection
from recollect.db.sql import load

QUERIES = load("recollect.sources", "fading.sql")

_EVERYWHERE = SQL("c.space_id")


@dataclass(frozen=True, slots=True)
class Fading:
    """When a source has faded, and how many make a cluster."""

    now: datetime
    stored_before: datetime
    below: float
    accesses: int
    overlap: int
    rate: float
    confident: float

    def fading(self, space: Composable) -> Composed:
        """The sources that little is left of, as a statement."""
        return SQL(QUERIES["fading"]).format(
            space=space,
            now=self.now,
            stored_before=self.stored_before,
            below=self.below,
            accesses=self.accesses,
            rate=self.rate,
            confident=self.confident,
        )

    def overlapping(self, space: Composable) -> Composed:
        """The nodes that enough sources speak of, as a statement."""
        return SQL(QUERIES["overlapping"]).format(space=space, overlap=self.overlap)


def spaces_to_consolidate_in(rules: Fading) -> Composed:
    """The statement (for the owner) that finds spaces with sources whose gist is to be noted."""
    return SQL(QUERIES["spaces_to_consolidate_in"]).format(
        fading=rules.fading(_EVERYWHERE), overlapping=rules.overlapping(_EVERYWHERE)
    )


async def faded(connection: Connection, space: str, rules: Fading, after: UUID, most: int) -> dict[UUID, bool]:
    """Some sources that little is left of, after one of them; of each whether it is old enough to be archived."""
    statement = SQL(QUERIES["faded"]).format(fading=rules.fading(Literal(space)), after=after, most=most)
    cursor = await connection.execute(statement, {})
    return {row.id: row.over for row in await cursor.fetchall()}


async def still_faded(connection: Connection, space: str, rules: Fading, ids: Sequence[UUID]) -> dict[UUID, bool]:
    """Which of some sources little is left of still."""
    statement = SQL(QUERIES["still_faded"]).format(fading=rules.fading(Literal(space)), ids=list(ids))
    cursor = await connection.execute(statement, {})
    return {row.id: row.over for row in await cursor.fetchall()}


async def clustered(connection: Connection, space: str, rules: Fading) -> list[UUID]:
    """The nodes that enough sources speak of together."""
    statement = SQL(QUERIES["clustered"]).format(overlapping=rules.overlapping(Literal(space)))
    cursor = await connection.execute(statement, {})
    return [row.id for row in await cursor.fetchall()]


async def clusters(connection: Connection, space: str, nodes: Sequence[UUID], newest: int) -> list[Any]:
    """Rows of the sources that speak of each node together, in their order; so many of the newest with their text."""
    asked = {"space": space, "nodes": list(nodes), "newest": newest}
    cursor = await connection.execute(QUERIES["clusters"], asked)
    return await cursor.fetchall()


async def said_of(connection: Connection, space: str, sources: Sequence[UUID]) -> list[Any]:
    """A row for each source and node that it mentions."""
    cursor = await connection.execute(QUERIES["said_of"], {"space": space, "ids": list(sources)})
    return await cursor.fetchall()


async def bare_chunks(connection: Connection, space: str, sources: Sequence[UUID]) -> list[UUID]:
    """The chunks of which no source is in use once these are not."""
    cursor = await connection.execute(QUERIES["bare_chunks"], {"space": space, "ids": [str(id) for id in sources]})
    return [row.id for row in await cursor.fetchall()]
