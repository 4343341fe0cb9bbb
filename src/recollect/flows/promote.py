"""From short-term to long-term memory: a source's chunks become versions in time.

All versions of a source that no longer hold end at the moment at which the new ones begin, in one transaction. A chunk
whose text did not change keeps its version. A clock that stands still or goes back makes neither gap nor overlap:
nothing begins before what it follows.
"""

import asyncio
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import md5
from typing import Any
from uuid import UUID

from recollect.active import store as actives
from recollect.core.errors import Conflict, InvalidInput, RecollectError
from recollect.core.ids import new_id
from recollect.core.scope import Scope
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import barring, statistics
from recollect.flows.graphing import graph_desk, prepare
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.flows.remember import keep
from recollect.flows.revise import actor_of, find
from recollect.graph import service as graph
from recollect.graph.extract import extract_section
from recollect.graph.model import Extracted, Prepared
from recollect.records import service, store
from recollect.records.changes import Changes
from recollect.records.lifecycle import days_between
from recollect.records.model import Actor, Event, Memory, NewMemory, Passage
from recollect.sources import store as sources
from recollect.understanding import importance

TASK = "promotion"
_TRIES = 10
_YEAR = 365.25
_JOB = Actor("recollect", reason="promotion", by_hand=False)
_RETENTION = Actor("recollect", reason="retention", by_hand=False)
_log = logging.getLogger(__name__)


def digest(text: str) -> str:
    """What tells whether a chunk still says what was promoted; PostgreSQL can make it too."""
    return md5(text.encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class _Read:
    """A source as it was read: its chunks that hold, and what long-term memory has of it."""

    source: Memory
    chunks: tuple[Memory, ...]
    held: dict[str, Memory]
    """Versions that hold, by the id of their chunk."""
    barred: frozenset[tuple[str, str]]
    """Chunks and digests of versions that somebody deleted."""
    deleted: tuple[Memory, ...]
    """Those of them that have no end: they may be restored."""
    last: datetime | None
    """The last moment at which any version of the source, also one that was deleted, began or ended."""
    by_hand: bool
    """Then what was archived is promoted too, and what was deleted of it once more."""

    @property
    def changed(self) -> list[Memory]:
        """Chunks that long-term memory does not have as they are."""
        return [chunk for chunk in self.chunks if not self._is_held(chunk) and (self.by_hand or self._is_due(chunk))]

    def _is_due(self, chunk: Memory) -> bool:
        """Whether the job may take it: it was not put away, and nobody deleted what would come of it."""
        return chunk.state != "archived" and (str(chunk.id), digest(chunk.content)) not in self.barred

    def _is_held(self, chunk: Memory) -> bool:
        held = self.held.get(str(chunk.id))
        return held is not None and held.data.get("digest") == digest(chunk.content)

    @property
    def ending(self) -> list[Memory]:
        """Versions of chunks that changed, or are gone; a deleted one too, where another version takes its place."""
        changed = {str(chunk.id) for chunk in self.changed}
        kept = {str(chunk.id) for chunk in self.chunks} - changed
        replaced = [version for version in self.deleted if version.data["chunk"] in changed]
        return [*(version for id, version in self.held.items() if id not in kept), *replaced]

    @property
    def stamp(self) -> frozenset[tuple[UUID, int]]:
        """Everything as it was: another change makes what was prepared stale."""
        return frozenset((each.id, each.version) for each in (*self.chunks, *self.held.values(), *self.deleted))


@dataclass(frozen=True, slots=True)
class _Ready:
    """What was made ready before the transaction."""

    read: _Read
    importance: float
    passages: dict[UUID, tuple[Passage, ...]]
    extracted: dict[UUID, Extracted]
    prepared: Prepared


async def promote(parts: Parts, scope: Scope, source: Memory) -> Memory:
    """Promote a source by hand, whatever its importance; one that was merged, together with what it went into."""
    if source.state == "soft_deleted":
        raise Conflict(f"source {source.id} is deleted: restore it first")
    async with parts.database.transaction(source.space) as connection:
        review = await actives.open_review_of(connection, source.space, source.id)
    if review is not None:
        raise Conflict(f"source {source.id} is under review {review}: decide it first")
    asked = await homes(parts, source)
    if not asked:
        raise Conflict(f"no chunk holds what source {source.id} says: there is nothing to promote")
    for id in asked:
        await _promote_source(parts, source.space, id, actor_of(scope, "promoted by hand"), least=None)
    return await find(parts, scope, source.id)


async def homes(parts: Parts, source: Memory) -> list[UUID]:
    """The sources whose chunks hold a source's text: itself, and those of the chunks that it went into."""
    async with parts.database.transaction(source.space) as connection:
        rows = await sources.listing(connection, source.space, [source.id])
    return list(dict.fromkeys(row.source_id for row in rows if row.source_id is not None))


async def chunk_history(parts: Parts, scope: Scope, id: UUID) -> list[Memory]:
    """Every long-term version of the chunks that hold a source's text, newest first."""
    source = await find(parts, scope, id)
    if source.kind != "source":
        raise InvalidInput("source_id", f"names a {source.kind}, not a source")
    asked = await homes(parts, source)
    async with parts.database.transaction(source.space) as connection:
        rows = await sources.versions_of(connection, source.space, asked)
    seen = [row for row in rows if scope.may_see(row) and row.state != "soft_deleted"]
    return [_memory(parts, row) for row in seen]


async def sweep(parts: Parts, space: str, _: datetime) -> dict[str, int]:
    """The nightly job: what is important enough and not in long-term memory as it is."""
    least = parts.settings.promote_importance
    async with parts.database.transaction(space) as connection:
        waiting = await sources.unpromoted(connection, space)
        signals = await sources.signals(connection, space, waiting)
    counts = {"seen": len(waiting), "changed": 0, "failed": 0}
    for id in [row.id for row in signals if _may_be_due(parts, row, least)]:
        try:
            counts["changed"] += await _promote_source(parts, space, id, _JOB, least=least)
        except Exception as error:
            # Its own trouble: the others go on, and it is looked at again tomorrow.
            _log.error("promoting a source failed: %s", type(error).__name__)
            counts["failed"] += 1
    return counts


def _may_be_due(parts: Parts, row: Any, least: float) -> bool:
    """Whether a source is worth a closer look: most of what waits is not important enough, night after night."""
    age = days_between(row.updated_at, parts.clock())
    found = importance.Signals(row.stated, int(row.accesses), row.connections, row.repetitions, age)
    score = importance.score(found, parts.settings.recency_half_life_days)
    if parts.model is not None and parts.model.name("judge") is not None:
        score = importance.at_best(score)
    # A version of what has ended, or changed, may have to end whatever the source is worth now.
    return bool(row.held) or score >= least


@again_after_deadlock
async def retain(parts: Parts, space: str, now: datetime) -> dict[str, int]:
    """Archive chunks of sections that nobody asks for and that were not promoted; remove what ended long ago."""
    idle_since, ended_before = limits(parts, now)
    async with parts.database.transaction(space) as connection:
        idle, old = await sources.past_their_time(connection, space, idle_since, ended_before)
        archived = await service.archive(connection, space, idle, now, _RETENTION)
        removed = await service.purge(connection, space, old, now) if old else 0
        await statistics.refresh_when_due(connection, space)
    return {"seen": len(idle) + len(old), "changed": archived + removed, "archived": archived, "removed": removed}


def limits(parts: Parts, now: datetime) -> tuple[datetime, datetime]:
    """Since when a chunk must have been idle, and before when a version must have ended."""
    settings = parts.settings
    return now - timedelta(days=settings.short_term_days), now - timedelta(days=_YEAR * settings.long_term_years)


@again_after_deadlock
async def _promote_source(parts: Parts, space: str, id: UUID, actor: Actor, *, least: float | None) -> bool:
    """Bring long-term memory up to date with a source; whether anything changed."""
    for _ in range(_TRIES):
        ready = await _prepare(parts, space, id, least)
        if ready is None:
            return False
        async with parts.database.transaction(space) as connection:
            await store.lock(connection, space, [id])
            read = await _read(parts, connection, space, id, by_hand=least is None, hold=True)
            if read is not None and read.stamp == ready.read.stamp:
                await _Promotion(parts, connection, read, ready, actor, parts.clock()).write()
                return True
    raise Conflict(f"source {id} could not be promoted: it changes all the time")


async def _prepare(parts: Parts, space: str, id: UUID, least: float | None) -> _Ready | None:
    """Look whether there is something to do, and do all that needs no transaction."""
    async with parts.database.transaction(space) as connection:
        read = await _read(parts, connection, space, id, by_hand=least is None)
        if read is None or not (read.changed or read.ending):
            return None
        score = await _importance(parts, connection, read)
    score = await _with_opinion(parts, read, score)
    changed = read.changed
    if changed and least is not None and score < least:
        return None
    passages = await passages_of(parts, space, [plain(chunk.content) for chunk in changed])
    found = await asyncio.to_thread(lambda: [extract_section(chunk.content) for chunk in changed])
    ids = [chunk.id for chunk in changed]
    prepared = await prepare(parts, space, found)
    return _Ready(read, score, dict(zip(ids, passages, strict=True)), dict(zip(ids, found, strict=True)), prepared)


async def _read(
    parts: Parts, connection: Connection, space: str, id: UUID, *, by_hand: bool, hold: bool = False
) -> _Read | None:
    rows = await store.get(connection, space, [id])
    if not rows or rows[0].kind != "source":
        return None
    chunks = await sources.chunks_of(connection, space, id)
    if hold:
        versions = await sources.versions_of(connection, space, [id])
        await store.lock(connection, space, sorted(row.id for row in (*chunks, *versions)))
        chunks = await sources.chunks_of(connection, space, id)
    versions = await sources.versions_of(connection, space, [id])
    valid = [row for row in versions if row.valid_until is None and row.state != "soft_deleted"]
    held = {row.data["chunk"]: _memory(parts, row) for row in valid}
    deleted = [row for row in versions if row.state == "soft_deleted"]
    barred = frozenset((row.data["chunk"], row.data["digest"]) for row in deleted)
    restorable = tuple(_memory(parts, row) for row in deleted if row.valid_until is None)
    last = max((at for row in versions for at in (row.valid_from, row.valid_until) if at is not None), default=None)
    holding = [_memory(parts, row) for row in chunks if row.valid_until is None]
    return _Read(_memory(parts, rows[0]), tuple(holding), held, barred, restorable, last, by_hand)


def _memory(parts: Parts, row: Any) -> Memory:
    return store.memory_of(row, parts.clock(), parts.rules)


async def _importance(parts: Parts, connection: Connection, read: _Read) -> float:
    memories = (read.source, *read.chunks)
    signals = importance.Signals(
        max(memory.importance for memory in memories),
        sum(memory.access_count for memory in memories),
        await sources.connections(connection, read.source.space, read.source.id),
        max([len(chunk.data.get("sources", [])) - 1 for chunk in read.chunks], default=0),
        days_between(max(memory.updated_at for memory in memories), parts.clock()),
    )
    return importance.score(signals, parts.settings.recency_half_life_days)


async def _with_opinion(parts: Parts, read: _Read, score: float) -> float:
    if parts.model is None or parts.model.name("judge") is None:
        return score
    try:
        return await importance.with_opinion(parts.model, read.source.content, score)
    except RecollectError:
        return score


@dataclass(slots=True)
class _Promotion:
    """One source's transaction."""

    parts: Parts
    connection: Connection
    read: _Read
    ready: _Ready
    actor: Actor
    now: datetime

    async def write(self) -> None:
        """End what no longer holds and begin what does, together; then the graph. Statistics come last."""
        # Nothing begins before what it follows began, and ended, whatever the clock did.
        moment = max(self.now, self.read.last or self.now)
        for version in self.read.ending:
            await self._end(version, moment)
        versions = {chunk.id: self._version(chunk, moment) for chunk in self.read.changed}
        if versions:
            space = self.read.source.space
            await keep(self.parts, self.connection, space, list(versions.values()), self.actor)
            await self._graph(versions)
        data = self.read.source.data | {"promoted_at": self.now.isoformat(), "importance": self.ready.importance}
        source = self.read.source
        await service.annotate(self.connection, source, data, self.now, self.actor, confidence=source.confidence)
        events = [Event("worker", "promote", "ok", source.id, source.category)]
        await store.record_events(self.connection, source.space, events, self.now)
        await statistics.refresh_when_due(self.connection, source.space)

    async def _end(self, version: Memory, moment: datetime) -> None:
        await service.change(
            self.connection,
            version,
            Changes({"valid_until": moment}),
            None,
            self.now,
            self.actor,
            await store.mean_length(self.connection, version.space),
            event=None,
        )

    def _version(self, chunk: Memory, moment: datetime) -> NewMemory:
        return NewMemory(
            id=new_id(),
            kind="chunk",
            type=chunk.type,
            category=chunk.category,
            tags=chunk.tags,
            title=chunk.title,
            content=chunk.content,
            tier="long",
            importance=self.ready.importance,
            confidence=chunk.confidence,
            happened_at=chunk.happened_at,
            data={
                "chunk": str(chunk.id),
                "order": chunk.data.get("order", 0),
                "sources": chunk.data.get("sources", []),
                "digest": digest(chunk.content),
            },
            metadata=chunk.metadata,
            provenance=chunk.provenance,
            sensitivity=chunk.sensitivity,
            valid_from=moment,
            passages=self.ready.passages[chunk.id],
        )

    async def _graph(self, versions: dict[UUID, NewMemory]) -> None:
        """Mentions and relations of the new versions, and what they say for the nodes."""
        source = self.read.source
        agent = source.provenance.agent_id
        desk = graph_desk(self.parts, self.connection, source.space, self.now, agent, self.ready.prepared)
        bars = await barring.bars_of(self.parts, self.connection, source.space)
        found = [(version.id, barring.unbarred(bars, self.ready.extracted[id])) for id, version in versions.items()]
        known = await graph.absorb(desk, found)
        evidence: dict[UUID, float] = {}
        for _, extracted in found:
            for entity in extracted.entities:
                sure = 0.0 if entity.denied else entity.confidence
                evidence[known[entity.key]] = max(evidence.get(known[entity.key], 0.0), sure)
        for row in await store.get(self.connection, source.space, sorted(evidence)):
            await self._assure(store.memory_of(row, self.now, self.parts.rules), evidence[row.id])

    async def _assure(self, node: Memory, evidence: float) -> None:
        """A node in long-term memory: as sure as it was found to be at first, then moved by each new mention."""
        sure = node.confidence
        if node.data.get("promoted") and not node.by_hand:
            sure = importance.updated_confidence(node.confidence, evidence)
        seen = max(self.now.isoformat(), node.data.get("last_seen", ""))
        data = node.data | {"promoted": True, "last_seen": seen}
        await service.annotate(self.connection, node, data, self.now, self.actor, confidence=sure)
