"""Which nodes, relations, storylines and macros have a text that is behind what was noted or attached."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from recollect.core.ids import new_id
from recollect.db.database import Connection
from recollect.db.sql import load

QUERIES = load("recollect.graph", "dirty.sql")


async def mark(
    connection: Connection, space: str, kinds: Mapping[UUID, str], now: datetime, *, anew: bool = False
) -> None:
    """Texts have to follow what came: those of these targets, each with its kind. `anew`: something was taken back, so
    that nothing of what they say may be carried on."""
    if kinds:
        ids = sorted(kinds)
        marked = {"ids": ids, "kinds": [kinds[id] for id in ids]}
        await connection.execute(QUERIES["mark"], {"space": space, "now": now, "mark": new_id(), "anew": anew} | marked)


async def clear(connection: Connection, space: str, read: Mapping[UUID, UUID]) -> None:
    """Texts followed what came under these marks; what was marked since stays so."""
    if read:
        ids = sorted(read)
        await connection.execute(QUERIES["clear"], {"space": space, "ids": ids, "marks": [read[id] for id in ids]})


async def drop(connection: Connection, space: str, ids: Sequence[UUID]) -> None:
    """Targets whose texts nobody will bring up to date."""
    if ids:
        await connection.execute(QUERIES["drop"], {"space": space, "ids": list(ids)})
