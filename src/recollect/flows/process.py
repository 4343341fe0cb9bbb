"""Phase 1 of a source: cleaned, in few words, cut into chunks, and searchable from then on.

Many sources are made ready together and embedded at once; then one transaction writes all that came of them and that
they are processed.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.conversation.store import QUERIES
from recollect.core.ids import new_id
from recollect.core.scope import is_team
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import reread_sources, source_texts, statistics
from recollect.flows.barring import bars_of, hold_unless_forgotten
from recollect.flows.comparing import sizes
from recollect.flows.indexing import Searchable, digest, passages_of, plain
from recollect.flows.parts import Parts
from recollect.flows.remember import keep
from recollect.records import service, store, tombstones
from recollect.records.kinds import KINDS
from recollect.records.model import Actor, Event, Form, NewMemory, Passage, Provenance
from recollect.records.tombstones import Bars
from recollect.sources import chunking
from recollect.sources import store as sources
from recollect.sources.cleaning.model import Cleaned
from recollect.sources.digesting import Digest
from recollect.sources.model import Piece, Step

_WRITER = Actor("recollect", reason="processed", by_hand=False)
_CHUNKS_AT_ONCE = 1_000
"""Chunks that one statement writes."""
_MOST_METADATA = 4_000
"""Characters of a source's metadata up to which each of its chunks carries them, so that filters find it."""

Passages = tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of a source."""

    row: Any
    cleaned: Cleaned
    digest: Digest
    by_rules: bool
    pieces: tuple[Piece, ...] = ()
    speakers: tuple[str, ...] = ()
    messages: tuple[UUID, ...] = ()
    """Of a talk: those that it was read from."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """The same with the search entries of its digest and of its chunks."""

    read: _Read
    passages: Passages
    chunks: tuple[Passages, ...]


async def process(parts: Parts, space: str, ids: Sequence[UUID]) -> int:
    """Bring raw sources into the form in which they are found; how many."""
    async with parts.database.transaction(space) as connection:
        rows = await sources.raw(connection, space, ids)
        talks = {row.id: await source_texts.talk(parts, connection, space, row) for row in rows if row.conversation_id}
        newest, bars = await tombstones.newest(connection, space), await bars_of(parts, connection, space)
    read = [await _read(parts, row, talks.get(row.id), bars) for row in rows]
    ready = await _ready(parts, space, read)
    return await _write(parts, space, ready, newest) if ready else 0


async def _read(parts: Parts, row: Any, talk: Sequence[Any] | None, bars: Bars) -> _Read:
    if talk is not None:
        lines = source_texts.lines_of(talk)
        told, by_rules = await source_texts.summarised(parts, lines)
        words = Digest(told.text, told.topics, told.topics[:5])
        speakers, messages = source_texts.speakers(lines), tuple(said.id for said in talk)
        return _Read(row, Cleaned(told.text), words, by_rules, speakers=speakers, messages=messages)
    if row.origin_id is not None:
        return _Read(row, Cleaned(""), Digest(""), False)
    cleaned, cut = await asyncio.to_thread(_cleaned, parts, row)
    free = replace(cleaned, text=bars.told(cleaned.text), title=None if bars.bars(cleaned.title) else cleaned.title)
    words, by_rules = await source_texts.digested(
        parts, free, None if bars.bars(row.title) else row.title, row.source_type
    )
    return _Read(row, cleaned, _unbarred(bars, words), by_rules, cut, cleaned.participants)


def _unbarred(bars: Bars, words: Digest) -> Digest:
    """A document in few words, but for what is barred."""
    if not bars:
        return words
    lists = (tuple(bars.keep(words.keywords)), tuple(bars.keep(words.tags)))
    return replace(words, summary=bars.told(words.summary), keywords=lists[0], tags=lists[1])


def _cleaned(parts: Parts, row: Any) -> tuple[Cleaned, tuple[Piece, ...]]:
    """A document cleaned and cut. One that is read anew keeps its chunks: somebody may have changed them."""
    cleaned = source_texts.cleaned(row.source_type, row.raw)
    if row.processed_at is not None:
        return cleaned, ()
    return cleaned, tuple(chunking.pieces(cleaned.text, parts.counter, sizes(parts)))


async def _ready(parts: Parts, space: str, read: Sequence[_Read]) -> list[_Ready]:
    """All texts of all sources are embedded together."""
    summaries = [_searchable(each) for each in read if each.digest.summary]
    texts = [plain(piece.text) for each in read for piece in each.pieces]
    entries = iter(await passages_of(parts, space, [*summaries, *texts]))
    of_summaries = [next(entries) if each.digest.summary else () for each in read]
    of_chunks = [tuple(next(entries) for _ in each.pieces) for each in read]
    return [_Ready(*each) for each in zip(read, of_summaries, of_chunks, strict=True)]


def _searchable(read: _Read) -> Searchable:
    return digest(read.row.title or read.cleaned.title, read.digest.summary, read.digest.keywords)


@again_after_deadlock
async def _write(parts: Parts, space: str, ready: Sequence[_Ready], newest: UUID | None) -> int:
    """One transaction: digests, chunks, entries, and that the sources are processed; those alone that still wait."""
    now = parts.clock()
    async with parts.database.transaction(space) as connection:
        await hold_unless_forgotten(connection, space, newest, now)
        await store.lock(connection, space, sorted(each.read.row.id for each in ready))
        held = await sources.hold(connection, space, [each.read.row.id for each in ready], "raw")
        taken_back = await _taken_back(connection, space, ready)
        left = [each for each in ready if each.read.row.id in held and taken_back.isdisjoint(each.read.messages)]
        if not left:
            return 0
        forms = [_form(each) for each in left]
        mean = await store.mean_length(connection, space)
        await service.reform(connection, space, forms, now, _WRITER, mean)
        await _write_chunks(parts, connection, space, left)
        await sources.step(connection, space, [_step(each.read) for each in left], now)
        events = [
            Event("worker", "process", "fallback" if each.read.by_rules else "ok", each.read.row.id) for each in left
        ]
        await store.record_events(connection, space, events, now)
        if is_team(space):
            await reread_sources.ask_again(parts, connection, space)
        await statistics.refresh_when_due(connection, space)
    return len(left)


async def _taken_back(connection: Connection, space: str, ready: Sequence[_Ready]) -> set[UUID]:
    """Which messages were retracted since they were read: their talk is read anew by the job that this began."""
    ids = [id for each in ready for id in each.read.messages]
    if not ids:
        return set()
    cursor = await connection.execute(QUERIES["retracted"], {"space": space, "ids": ids})
    return {row.id for row in await cursor.fetchall()}


async def _write_chunks(parts: Parts, connection: Connection, space: str, ready: Sequence[_Ready]) -> None:
    chunks = [chunk for each in ready for chunk in _chunks(each)]
    for start in range(0, len(chunks), _CHUNKS_AT_ONCE):
        await keep(parts, connection, space, chunks[start : start + _CHUNKS_AT_ONCE], _WRITER)


def _form(ready: _Ready) -> Form:
    read, row = ready.read, ready.read.row
    data: dict[str, Any] = {"status": "processed", "keywords": list(read.digest.keywords)}
    if people := _participants(read):
        data["participants"] = list(people)
    if read.by_rules or row.processed_at is not None:
        data["by_rules"] = read.by_rules
    return Form(
        id=row.id,
        summary=read.digest.summary,
        content=None if row.origin_id is not None else read.cleaned.text,
        title=(read.cleaned.title or "")[:500] or None,
        tags=read.digest.tags,
        data=data,
        happened_at=_happened(read),
        passages=ready.passages,
    )


def _participants(read: _Read) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*read.row.participants, *read.speakers)))


def _happened(read: _Read) -> datetime | None:
    """When it happened, as the text itself says where the caller did not."""
    return read.cleaned.started_at if read.row.started_at is None else None


def _step(read: _Read) -> Step:
    started, ended = read.cleaned.started_at, read.cleaned.ended_at
    return Step(read.row.id, "processed", read.by_rules, _participants(read), started, ended)


def _chunks(ready: _Ready) -> list[NewMemory]:
    kind, row = KINDS["chunk"], ready.read.row
    metadata = row.metadata if len(json.dumps(row.metadata)) <= _MOST_METADATA else {}
    return [
        NewMemory(
            id=new_id(),
            kind="chunk",
            type=row.source_type,
            category=kind.category,
            title=row.title or ready.read.cleaned.title,
            content=piece.text,
            tier="short",
            importance=kind.importance,
            confidence=kind.confidence,
            happened_at=_happened(ready.read) or row.happened_at,
            tags=ready.read.digest.tags,
            data={"order": piece.order, "sources": [str(row.id)]},
            metadata=metadata,
            provenance=Provenance(
                source_id=row.id,
                agent_id=row.agent_id,
                run_id=row.run_id,
                thread_id=row.thread_id,
                actor_id=row.actor_id,
            ),
            sensitivity=row.sensitivity,
            ttl_policy=row.ttl_policy,
            passages=passages,
        )
        for piece, passages in zip(ready.read.pieces, ready.chunks, strict=True)
    ]
