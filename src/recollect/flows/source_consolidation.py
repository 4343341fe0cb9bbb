"""From what happened to what is known: the gist of sources becomes notes on the nodes that they mention.

A source that has faded is archived once its gist is noted; one that was asked for often and has faded is noted before
it is old enough for that; and where enough sources speak of one node, what they say together is noted on it. Raw text,
links and what anybody stands for stay.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Any
from uuid import UUID

from recollect.core.errors import RecollectError
from recollect.db.compose import Composed
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import barring, statistics
from recollect.flows.parts import Parts
from recollect.graph import dirty
from recollect.hierarchy import prompts, telling
from recollect.hierarchy import store as hierarchy
from recollect.hierarchy.model import Extent, Node, Piece, most_sensitive
from recollect.records import notes, service, store
from recollect.records.model import Actor
from recollect.records.notes import NewNote
from recollect.sources import fading
from recollect.sources.fading import Fading

Counts = dict[str, int]

_AT_ONCE = 200
_NODES = 50
_LIFETIME = "year"
_NONE = UUID(int=0)
_WRITER = "recollect"
_ARCHIVED = Actor(_WRITER, reason="its gist was noted", by_hand=False)
_log = logging.getLogger(__name__)


def spaces_to_consolidate_in(parts: Parts, now: datetime) -> Composed:
    """The statement that finds the spaces with sources whose gist is to be noted."""
    return fading.spaces_to_consolidate_in(_rules(parts, now))


def _rules(parts: Parts, now: datetime) -> Fading:
    s = parts.settings
    return Fading(
        now,
        now - timedelta(days=s.source_days),
        s.source_below,
        s.source_accesses,
        s.source_overlap,
        s.decay_rate,
        s.decay_confident,
    )


async def consolidate(parts: Parts, space: str, now: datetime) -> Counts:
    """The nightly job: note what sources say together first, as those that have faded are archived after."""
    rules = _rules(parts, now)
    counts = {"seen": 0, "changed": 0, "archived": 0, "notes": 0, "failed": 0}
    async with parts.database.transaction(space) as connection:
        nodes = await fading.clustered(connection, space, rules)
        zone = await hierarchy.zone(connection, space, parts.settings.timezone)
    for start in range(0, len(nodes), _NODES):
        some = nodes[start : start + _NODES]
        await _counted(counts, some, lambda ids: _note_together(parts, space, ids, zone, rules))
    after = _NONE
    while batch := await _faded(parts, space, rules, after):
        after = batch[-1]
        await _counted(counts, batch, lambda ids: _note_faded(parts, space, ids, zone, rules))
    return counts


async def _faded(parts: Parts, space: str, rules: Fading, after: UUID) -> list[UUID]:
    async with parts.database.transaction(space) as connection:
        return sorted(await fading.faded(connection, space, rules, after, _AT_ONCE))


async def _counted(counts: Counts, ids: Sequence[UUID], work: Callable[[Sequence[UUID]], Awaitable[Counts]]) -> None:
    """Work on all of them at once; where that fails on each alone, so that one does not stop the others."""
    try:
        done = await work(ids) | {"seen": len(ids)}
    except Exception as error:
        if len(ids) > 1:
            for id in ids:
                await _counted(counts, [id], work)
            return
        _log.error("a source could not be consolidated: %s", type(error).__name__)
        done = {"seen": 1, "failed": 1}
    for key, value in done.items():
        counts[key] += value


# Sources that have faded ----------------------------------------------------------------------------------


@again_after_deadlock
async def _note_faded(parts: Parts, space: str, ids: Sequence[UUID], zone: tzinfo, rules: Fading) -> Counts:
    """Keep what sources say of each node that they mention, then archive those that are old enough."""
    async with parts.database.transaction(space) as connection:
        said = await fading.said_of(connection, space, ids)
    gists = await asyncio.to_thread(_gists, said, zone)
    async with parts.database.transaction(space) as connection:
        held, due = await _hold(connection, space, ids, rules)
        fresh = [note for note in gists if _is_due(note, due, held)]
        written = await _note(parts, connection, space, fresh, {row.id: row.kind for row in said}, rules.now)
        marks = {id: {"faded" if over else "referred": True} for id, over in due.items()}
        await store.mark_consolidated(connection, space, marks)
        over = [id for id, is_over in due.items() if is_over]
        archived = await _archive(connection, space, over, rules.now)
        await statistics.refresh_when_due(connection, space)
    return {"changed": len(due), "archived": archived, "notes": written}


def _gists(said: Sequence[Any], zone: tzinfo) -> list[NewNote]:
    """A note for each node of each source, where the source says anything in words."""
    told = ((row, telling.gist(Node.of(row), row.text, row.happened_at, zone)) for row in said)
    return [NewNote(row.id, text, _LIFETIME, _WRITER, row.source_id) for row, text in told if text]


async def _hold(
    connection: Connection, space: str, ids: Sequence[UUID], rules: Fading
) -> tuple[dict[UUID, Any], dict[UUID, bool]]:
    """The sources, kept from others, and which of them have faded still."""
    await store.raise_revision(connection, space, rules.now, knowledge=False, changes=0)
    await store.lock(connection, space, sorted(ids))
    due = await fading.still_faded(connection, space, rules, ids)
    return {row.id: row for row in await store.get(connection, space, sorted(due))}, due


def _is_due(note: NewNote, due: dict[UUID, bool], held: dict[UUID, Any]) -> bool:
    """Whether its source has faded and was not noted before: woken up, and faded again, it says nothing new."""
    return note.source_id in due and not _marks(held[note.source_id]).keys() & {"faded", "referred"}


def _marks(source: Any) -> dict[str, Any]:
    found = source.data.get("consolidated")
    return found if isinstance(found, dict) else {}


async def _note(
    parts: Parts,
    connection: Connection,
    space: str,
    drafts: Sequence[NewNote],
    kinds: dict[UUID, str],
    now: datetime,
) -> int:
    """Write notes that their nodes do not have yet; those nodes' descriptions are behind. How many."""
    bars = await barring.bars_of(parts, connection, space)
    free = [note for note in drafts if not bars.bars(note.content)]
    written = await notes.add_unsaid(connection, space, free, now)
    await dirty.mark(connection, space, {note.target_id: kinds[note.target_id] for note in written}, now)
    return len(written)


async def _archive(connection: Connection, space: str, sources: Sequence[UUID], now: datetime) -> int:
    """Archive sources with the chunks that none in use speaks for; how many sources."""
    if not sources:
        return 0
    chunks = await fading.bare_chunks(connection, space, sources)
    await store.lock(connection, space, chunks)
    archived = await service.archive(connection, space, sources, now, _ARCHIVED)
    await service.archive(connection, space, chunks, now, _ARCHIVED)
    return archived


# Sources that speak of one node together -------------------------------------------------------------------


@again_after_deadlock
async def _note_together(parts: Parts, space: str, ids: Sequence[UUID], zone: tzinfo, rules: Fading) -> Counts:
    """Note what sources together say about nodes; each of them counts once for a node."""
    newest = parts.settings.storyline_summaries
    async with parts.database.transaction(space) as connection:
        read = await _clusters(connection, space, ids, newest)
        named = await hierarchy.nodes(connection, space, ids)
    enough = {id: sources for id, sources in read.items() if id in named and len(sources) >= rules.overlap}
    texts = {id: await _insight(parts, named[id], sources, zone) for id, sources in enough.items()}
    held = sorted({source.id for sources in enough.values() for source in sources})
    async with parts.database.transaction(space) as connection:
        await store.raise_revision(connection, space, rules.now, knowledge=False, changes=0)
        await store.lock(connection, space, held)
        now = await _clusters(connection, space, sorted(enough), newest)
        # What changed meanwhile is looked at in the next run.
        same = {id: sources for id, sources in enough.items() if now.get(id) == sources}
        drafts = [NewNote(id, texts[id], _LIFETIME, _WRITER, _witness(same[id]).id) for id in same]
        kinds = {row.id: row.kind for row in await store.get(connection, space, sorted(same))}
        written = await _note(parts, connection, space, drafts, kinds, rules.now)
        noted = await _mark_together(connection, space, same)
    return {"changed": noted, "notes": written}


async def _clusters(
    connection: Connection, space: str, nodes: Sequence[UUID], newest: int
) -> dict[UUID, tuple[Piece, ...]]:
    found: dict[UUID, list[Piece]] = {}
    for row in await fading.clusters(connection, space, nodes, newest):
        found.setdefault(row.node_id, []).append(Piece.of(row))
    return {id: tuple(sources) for id, sources in found.items()}


async def _mark_together(connection: Connection, space: str, clusters: dict[UUID, tuple[Piece, ...]]) -> int:
    """Keep of each source for which nodes it was noted; how many sources."""
    told: dict[UUID, set[str]] = {}
    for node, sources in clusters.items():
        for source in sources:
            told.setdefault(source.id, set()).add(str(node))
    rows = await store.get(connection, space, sorted(told))
    marks = {row.id: {"overlap": sorted(told[row.id] | set(_marks(row).get("overlap", ())))} for row in rows}
    await store.mark_consolidated(connection, space, marks)
    return len(marks)


async def _insight(parts: Parts, node: Node, sources: tuple[Piece, ...], zone: tzinfo) -> str:
    newest = sources[-parts.settings.storyline_summaries :]
    if parts.model is not None and parts.model.name("summarise") is not None:
        try:
            return await prompts.insight(parts.model, node, newest, zone)
        except RecollectError:
            pass  # by rules; the node's description is made anew of it by the model
    return await asyncio.to_thread(telling.insight, node, newest, Extent.of(sources), zone)


def _witness(sources: Sequence[Piece]) -> Piece:
    """The source that a note of several names: as hidden as the most sensitive of them, and as new as can be."""
    level = most_sensitive(*(source.sensitivity for source in sources))
    return [source for source in sources if source.sensitivity == level][-1]
