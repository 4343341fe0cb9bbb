"""Carrying a database to a Citus cluster: the tables first, then the vector indexes of large spaces, where they lie.

Both go on where they stopped when they are run again.
"""

from recollect.db import cluster
from recollect.db.cluster import DEFAULT_SHARDS, Distributed, Progress
from recollect.db.sql import load
from recollect.flows import statistics
from recollect.flows.parts import Parts

QUERIES = load("recollect.flows", "doctor.sql")


async def distribute(parts: Parts, *, shards: int = DEFAULT_SHARDS, progress: Progress | None = None) -> Distributed:
    """Spread the tables."""
    async with parts.database.owner() as owner:
        done = await cluster.distribute(owner, parts.database.app_url, shards=shards, progress=progress)
    parts.database.spread = True
    return done


async def index_large_spaces(parts: Parts, progress: Progress | None = None) -> list[str]:
    """Build the vector index of each large space that has none; those spaces."""
    async with parts.database.owner() as owner:
        cursor = await owner.execute(QUERIES["spaces_without_index"], {"limit": parts.settings.exact_limit})
        spaces = [row.name for row in await cursor.fetchall()]
    for done, space in enumerate(spaces, start=1):
        await statistics.refresh(parts, space)
        if progress:
            progress(done, len(spaces))
    return spaces
