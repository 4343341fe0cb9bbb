"""Sources that rules had to read are given to the model again; a few tries, then what the rules found stays."""

from recollect.core.scope import is_team
from recollect.db.database import Connection
from recollect.flows.ingest import TASK as INGEST
from recollect.flows.parts import Parts
from recollect.queue import enqueue_on
from recollect.records import store
from recollect.sources import store as sources
from recollect.sources.model import Status

TASK = "reread_sources"
_SECONDS = 60.0


def last_status(space: str) -> Status:
    """How far sources of a space come: those of a team are learned from by each of its members, not by the team."""
    return "processed" if is_team(space) else "extracted"


async def ask_again(parts: Parts, connection: Connection, space: str) -> None:
    """Have the model asked again for what rules read in its place, if it has tries left, in a transaction that ends."""
    if parts.model is None:
        return
    waiting = await sources.to_reread(connection, space, last_status(space), parts.settings.job_attempts)
    if waiting:
        await enqueue_on(connection, TASK, space, after=_SECONDS * 2 ** min(waiting.values()))


async def reread(parts: Parts, space: str) -> dict[str, int]:
    """Have sources read anew, from the beginning; what the rules found gives way to what the model finds."""
    if (rest := await parts.governor.stopped_for(space)) is not None:
        async with parts.database.transaction(space) as connection:
            await enqueue_on(connection, TASK, space, after=rest.total_seconds())
        return {"seen": 0, "changed": 0}
    async with parts.database.transaction(space) as connection:
        waiting = await sources.to_reread(connection, space, last_status(space), parts.settings.job_attempts)
        if waiting:
            await sources.unsettle(connection, space, sorted(waiting))
            await store.merge_data(connection, space, {id: {"rereads": tries + 1} for id, tries in waiting.items()})
            await enqueue_on(connection, INGEST, space)
    return {"seen": len(waiting), "changed": len(waiting)}
