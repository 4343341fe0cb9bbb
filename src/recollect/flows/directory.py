"""The directory of spaces, which only the owner of the database sees."""

from dataclasses import dataclass
from datetime import datetime

from recollect.db.sql import load
from recollect.flows.parts import Parts

QUERIES = load("recollect.flows", "directory.sql")


@dataclass(frozen=True, slots=True)
class Space:
    """A space that exists."""

    space: str
    created_at: datetime
    entries: int
    """Search entries, as of when its statistics were taken."""


async def spaces(parts: Parts, limit: int) -> list[Space]:
    """The first spaces by name."""
    async with parts.database.owner() as connection:
        cursor = await connection.execute(QUERIES["spaces"], {"limit": limit})
        return [Space(*row) for row in await cursor.fetchall()]
