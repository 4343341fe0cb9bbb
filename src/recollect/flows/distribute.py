"""Carrying a database to a Citus cluster: the tables first, then the vector indexes of large spaces, where they lie."""

from recollect.db import cluster
from recollect.db.cluster import DEFAULT_SHARDS, Distributed, Progress
from recollect.db.sql import load
from recollect.flows import statistics
from recollect.flows.parts import Parts

QUERIES = load("recollect.flows", "doctor.sql")


async def distribute(
    parts: Parts,
    *,
    shards: int = DEFAULT_SHARDS,
    progress: Progress | None = None,
    indexing: Progress | None = None,
) -> Distributed:
    """Spread the database, and make every large space quick to search again. Run it again after a crash: it goes on."""
    async with parts.database.owner() as owner:
        done = await cluster.distribute(owner, parts.database.app_url, shards=shards, progress=progress)
        cursor = await owner.execute(QUERIES["spaces_without_index"], {"limit": parts.settings.exact_limit})
        large = [row.name for row in await cursor.fetchall()]
    for place, space in enumerate(large):
        if indexing:
            indexing(place, len(large))
        await statistics.refresh(parts, space)
    if indexing and large:
        indexing(len(large), len(large))
    return done
