"""What storylines and macros have in common: how they are told, kept up to date, and told anew when they are behind."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from uuid import UUID

from recollect.core.errors import RecollectError
from recollect.core.ids import new_id
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import barring, statistics
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.graph import dirty
from recollect.hierarchy import prompts, telling
from recollect.hierarchy import store as hierarchy
from recollect.hierarchy.model import MACRO, STORYLINE, Extent, Node, Piece, most_sensitive
from recollect.hierarchy.store import Covered, Dirty
from recollect.records import service, store, tombstones
from recollect.records.changes import Changes
from recollect.records.kinds import KINDS
from recollect.records.model import Actor, Memory, NewMemory, Passage

Counts = dict[str, int]

ONE_RUN = timedelta(hours=12)
"""What was made, or told anew, in this time before a run counts as made by the same run: what a run may do at most, it
does once, however often it is begun again."""

_RETOLD = Actor("recollect", reason="told anew", by_hand=False)
_GREW = Actor("recollect", reason="more was attached", by_hand=False)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Tale:
    """A story in words."""

    text: str
    by_rules: bool
    """Whether a model was to tell it and could not."""


async def tell(
    parts: Parts,
    space: str,
    kind: str,
    node: Node,
    pieces: Sequence[Piece],
    extent: Extent,
    zone: tzinfo,
    so_far: str = "",
) -> Tale:
    """A story by the model, or by rules where there is none or it fails; nothing of it is barred."""
    bars = await barring.bars_in(parts, space)
    pieces = [replace(piece, text=bars.told(piece.text)) for piece in pieces] if bars else pieces
    tale = await _tell(parts, kind, node, pieces, extent, zone, so_far)
    return replace(tale, text=bars.told(tale.text) or node.name) if bars.bars(tale.text) else tale


async def _tell(
    parts: Parts, kind: str, node: Node, pieces: Sequence[Piece], extent: Extent, zone: tzinfo, so_far: str
) -> Tale:
    has_model = parts.model is not None and parts.model.name("summarise") is not None
    if parts.model is not None and has_model:
        ask = prompts.macro if kind == MACRO else prompts.storyline
        try:
            return Tale(await ask(parts.model, node, pieces, so_far, zone), by_rules=False)
        except RecollectError:
            pass  # told by rules for now, and still behind
    by_rules = telling.macro if kind == MACRO else telling.storyline
    return Tale(await asyncio.to_thread(by_rules, node, pieces, extent, zone), by_rules=has_model)


async def entries(parts: Parts, space: str, node: Node, text: str) -> tuple[Passage, ...]:
    """What a story is found by: its words, and whom it is about."""
    [passages] = await passages_of(parts, space, [plain(f"{node.name}. {text}")])
    return passages


def story(
    kind: str,
    node: Node,
    tale: Tale,
    extent: Extent,
    zone: tzinfo,
    sensitivity: str,
    passages: tuple[Passage, ...],
) -> NewMemory:
    """A new storyline or macro."""
    defaults = KINDS[kind]
    return NewMemory(
        id=new_id(),
        kind=kind,
        type=None,
        category=defaults.category,
        title=telling.title(node, extent, zone),
        content=tale.text,
        tier=defaults.tier,
        importance=defaults.importance,
        confidence=defaults.confidence,
        happened_at=extent.last,
        data=extent.data,
        sensitivity=sensitivity,
        passages=passages,
    )


async def grow(
    parts: Parts,
    connection: Connection,
    space: str,
    kind: str,
    ids: Sequence[UUID],
    now: datetime,
    by: Covered | None = None,
) -> None:
    """More belongs to storylines, or macros, that are held: counts, dates and sensitivity follow, and their text is
    behind. `by` is what came, where that is known; else all is counted anew."""
    covered = await hierarchy.extents(connection, space, kind, ids) if by is None else {}
    for row in await store.get(connection, space, ids):
        memory = store.memory_of(row, now, parts.rules)
        whole = covered.get(row.id) or (by and _with(memory, by))
        if whole is None:
            continue
        data = memory.data | whole.extent.data
        await service.move_on(connection, memory, data, whole.extent.last)
        level = most_sensitive(memory.sensitivity, whole.sensitivity)
        if level != memory.sensitivity:
            changes = Changes({"sensitivity": level})
            length = await store.mean_length(connection, space)
            await service.change(connection, memory, changes, None, now, _GREW, length, event=None, data=data)
    await dirty.mark(connection, space, dict.fromkeys(ids, kind), now)


def _with(memory: Memory, more: Covered) -> Covered:
    """What a story covers with something more; told anew, it is counted."""
    known = Extent.kept(memory.data, more.extent)
    return Covered(known.plus(more.extent), more.sensitivity)


async def each(ids: Sequence[Any], work: Callable[[Any], Awaitable[Counts]]) -> Counts:
    """Work on one after the other; what fails does not stop the rest, and is tried again with the next run."""
    counts = {"seen": len(ids), "changed": 0, "failed": 0}
    for one in ids:
        try:
            done = await work(one)
        except Exception as error:
            _log.error("a storyline or macro failed: %s", type(error).__name__)
            done = {"failed": 1}
        for key, value in done.items():
            counts[key] = counts.get(key, 0) + value
    return counts


# Told anew ----------------------------------------------------------------------------------------------


async def refresh(parts: Parts, space: str, kind: str, now: datetime, most: int) -> Counts:
    """Tell storylines, or macros, anew that are behind, at most so many in one run."""
    async with parts.database.transaction(space) as connection:
        left = most - await hierarchy.told_since(connection, space, kind, now - ONE_RUN)
        waiting = await hierarchy.dirty(connection, space, kind, max(0, left))
    return await each(waiting, lambda one: _retell(parts, space, kind, one, now))


@dataclass(frozen=True, slots=True)
class _Read:
    """A story as it was read."""

    memory: Memory
    node: Node
    pieces: tuple[Piece, ...]
    extent: Extent
    sensitivity: str
    zone: tzinfo


@again_after_deadlock
async def _retell(parts: Parts, space: str, kind: str, behind: Dirty, now: datetime) -> Counts:
    """One story, brought up to date; it stays marked where the model could not tell it or something came meanwhile."""
    async with parts.database.transaction(space) as connection:
        read = await _read(parts, connection, space, kind, behind.id, now)
        if read is None:  # nothing is left that it could be told from
            return {"changed": await _let_go(connection, space, kind, behind, now)}
        newest = await tombstones.newest(connection, space)
    tale = await _retold(parts, kind, read, anew=behind.anew)
    told_by_hand = read.memory.by_hand
    passages = None
    if tale.text != read.memory.content:
        passages = await entries(parts, space, read.node, tale.text)
    async with parts.database.transaction(space) as connection:
        await barring.hold_unless_forgotten(connection, space, newest, now)
        await store.lock(connection, space, [behind.id])
        held = await service.get(connection, space, behind.id, now, parts.rules)
        if held.version != read.memory.version or held.state == "soft_deleted" or held.by_hand != told_by_hand:
            return {}
        changed = await _write(connection, held, read, tale, passages, now)
        if behind.anew and not held.by_hand:
            await store.forget_versions(connection, space, [held.id])
        if changed and kind == STORYLINE:
            macros = await hierarchy.macros_of(connection, space, [held.id])
            await dirty.mark(connection, space, dict.fromkeys(macros, MACRO), now)
        if not tale.by_rules:
            await dirty.clear(connection, space, {behind.id: behind.mark})
        await statistics.refresh_when_due(connection, space)
    return {"changed": int(changed), "failed": int(tale.by_rules)}


async def _let_go(connection: Connection, space: str, kind: str, behind: Dirty, now: datetime) -> int:
    """A story goes if all of it was taken back, unless a person told it; whether it did. One whose sources are merely
    deleted waits: they may be restored."""
    await store.raise_revision(connection, space, now, knowledge=False, changes=0)
    await store.lock(connection, space, [behind.id])
    gone = [row.id for row in await store.get(connection, space, [behind.id]) if behind.anew and not row.by_hand]
    if gone and kind == STORYLINE:
        macros = await hierarchy.macros_of(connection, space, gone)
        await dirty.mark(connection, space, dict.fromkeys(macros, MACRO), now, anew=True)
    await dirty.clear(connection, space, {behind.id: behind.mark})
    return await service.purge(connection, space, gone, now) if gone else 0


async def _read(parts: Parts, connection: Connection, space: str, kind: str, id: UUID, now: datetime) -> _Read | None:
    rows = await store.get(connection, space, [id])
    node = await hierarchy.node_of(connection, space, id)
    covered = (await hierarchy.extents(connection, space, kind, [id])).get(id)
    if not rows or node is None or covered is None:
        return None
    if kind == MACRO:
        pieces = await hierarchy.storylines_told(connection, space, id)
    else:
        pieces = await hierarchy.sources_told(connection, space, id, parts.settings.storyline_summaries)
    zone = await hierarchy.zone(connection, space, parts.settings.timezone)
    memory = store.memory_of(rows[0], now, parts.rules)
    sensitivity = most_sensitive(memory.sensitivity, covered.sensitivity)
    return _Read(memory, node, pieces, covered.extent, sensitivity, zone)


async def _retold(parts: Parts, kind: str, read: _Read, *, anew: bool) -> Tale:
    """The story in new words; what a person wrote stays."""
    if read.memory.by_hand:
        return Tale(read.memory.content, by_rules=False)
    so_far = "" if anew else read.memory.content
    return await tell(parts, read.memory.space, kind, read.node, read.pieces, read.extent, read.zone, so_far=so_far)


async def _write(
    connection: Connection, held: Memory, read: _Read, tale: Tale, passages: tuple[Passage, ...] | None, now: datetime
) -> bool:
    """The story's new text, title and counts; whether it says something else now."""
    data = held.data | read.extent.data | {"refreshed_at": now.astimezone(UTC).isoformat()}
    await service.move_on(connection, held, data, read.extent.last)
    title = held.title if held.by_hand else telling.title(read.node, read.extent, read.zone)
    changes = Changes({"content": tale.text, "title": title, "sensitivity": read.sensitivity})
    if not changes.differing(held):
        return False
    length = await store.mean_length(connection, held.space)
    await service.change(connection, held, changes, passages, now, _RETOLD, length, event=None, data=data)
    return True
