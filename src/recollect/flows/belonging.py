"""What belongs to a memory goes, and comes back, with it: a source's chunks, and their versions in long-term memory.

A chunk goes with the last of its sources: what another one says too is still said.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.active import store as actives
from recollect.db.database import Connection
from recollect.flows.parts import Parts
from recollect.graph import service as graph
from recollect.records import service, store
from recollect.records.model import Actor
from recollect.sources import store as sources

Roots = dict[UUID, set[UUID]]
"""Memories, and because of which others each of them goes."""


async def delete(
    parts: Parts, connection: Connection, space: str, ids: Sequence[UUID], now: datetime, actor: Actor
) -> list[UUID]:
    """Soft-delete memories with all that belongs to them; which of the given ones.

    They are held in the order of their ids before anything else, as whoever changes them holds them.
    """
    await actives.close_reviews(connection, space, ids, now)
    along = await _belonging(connection, space, ids)
    await store.lock(connection, space, sorted({*ids, *along}))
    await store.mark_along(connection, space, {id: sorted(roots) for id, roots in along.items()})
    deleted = await service.soft_delete(
        connection, space, [*ids, *along], now, actor, purge_days=parts.settings.purge_days
    )
    await graph.recount_mentioned_by(connection, space, deleted, parts.settings.timezone)
    return [id for id in deleted if id not in along]


async def restore(parts: Parts, connection: Connection, space: str, id: UUID, now: datetime, actor: Actor) -> None:
    """Bring a memory back with all that went because of it."""
    along = await store.gone_along(connection, space, id)
    await store.lock(connection, space, sorted({id, *along}))
    restored = await service.restore(connection, space, [id, *along], now, actor)
    await store.unmark_along(connection, space, along)
    await graph.recount_mentioned_by(connection, space, restored, parts.settings.timezone)


async def _belonging(connection: Connection, space: str, ids: Sequence[UUID]) -> Roots:
    rows = await store.get(connection, space, ids)
    going = {row.id for row in rows if row.kind == "source"}
    chunks = [row for row in rows if row.kind == "chunk" and row.tier == "short"]
    roots: Roots = {row.id: {row.id} for row in chunks}
    if going:
        listed = [row for row in await sources.listing(connection, space, sorted(going)) if row.tier == "short"]
        living = await _living(connection, space, listed)
        orphans = {row.id: _sources(row) & going for row in listed if not _sources(row) & living - going}
        roots |= {id: because for id, because in orphans.items() if id not in roots}
        chunks += [row for row in listed if row.id in orphans]
    homes = sorted({row.source_id for row in chunks if row.source_id is not None})
    for version in await sources.versions_of(connection, space, homes) if homes else []:
        if because := roots.get(UUID(version.data["chunk"])):
            roots[version.id] = because
    return {id: because for id, because in roots.items() if id not in set(ids)}


def _sources(chunk: Any) -> set[UUID]:
    return set(map(UUID, chunk.data.get("sources", [])))


async def _living(connection: Connection, space: str, chunks: Sequence[Any]) -> set[UUID]:
    """Which of the sources of some chunks are still there."""
    named = {id for chunk in chunks for id in _sources(chunk)}
    rows = await store.get(connection, space, sorted(named))
    return {row.id for row in rows if row.state != "soft_deleted"}
