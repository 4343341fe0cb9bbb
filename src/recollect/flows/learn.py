"""Phase 2 of a source: the people, concepts and things that it speaks of become part of the graph.

Many sources are read together; one transaction writes what all of them say and that they are extracted. A source that
is read anew, because a message was taken back or the model answers again, first takes back what it said before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.conversation.store import QUERIES
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import reread_sources, source_texts, statistics, storylines, unlearn
from recollect.flows.barring import bars_in, hold_unless_forgotten, unbarred
from recollect.flows.graphing import graph_desk, prepare
from recollect.flows.parts import Parts
from recollect.flows.source_texts import Hints
from recollect.graph import service as graph
from recollect.graph import store as nodes
from recollect.graph.extract import Types
from recollect.graph.model import Extracted, Prepared
from recollect.records import relations, service, store, tombstones
from recollect.records.model import Event
from recollect.sources import store as sources
from recollect.sources.model import Step


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of a source: what it says, and what of that each of its chunks does."""

    row: Any
    found: Extracted
    by_rules: bool
    chunks: tuple[tuple[UUID, Extracted], ...] = ()
    gone: bool = False
    """Whether it refers to a source that is no longer there."""

    @property
    def memories(self) -> list[UUID]:
        """The source and its chunks."""
        return [self.row.id, *(id for id, _ in self.chunks)]


async def learn(parts: Parts, space: str, ids: Sequence[UUID]) -> int:
    """Take what processed sources say into the graph; how many."""
    async with parts.database.transaction(space) as connection:
        rows = await sources.cleaned(connection, space, ids)
        chunks = await sources.chunk_texts(connection, space, [row.id for row in rows])
        talks = {row.id: await source_texts.talk(parts, connection, space, row) for row in rows if row.conversation_id}
        hints = await _hints(connection, space)
        newest = await tombstones.newest(connection, space)
    read = [await _read(parts, space, row, chunks.get(row.id, ()), talks.get(row.id), hints) for row in rows]
    if not read:
        return 0
    prepared = await prepare(parts, space, [each.found for each in read])
    return await _write(parts, space, read, prepared, newest)


async def _hints(connection: Connection, space: str) -> Hints:
    """What the space asks extraction to look for, and who its owner is."""
    cursor = await connection.execute(QUERIES["revision"], {"space": space})
    row = await cursor.fetchone()
    guidance, owner = (row.guidance if row else {}), await nodes.owner(connection, space)
    return Hints(Types.of(guidance), guidance.get("instructions"), owner.title if owner else None)


async def _read(
    parts: Parts, space: str, row: Any, chunks: Sequence[Any], talk: Sequence[Any] | None, hints: Hints
) -> _Read:
    text, people = row.content, tuple(row.participants)
    if talk is not None:
        lines = source_texts.lines_of(talk)
        text, people = source_texts.spoken(lines), source_texts.speakers(lines)
    elif row.origin_id is not None:
        origin = await _origin(parts, space, row)
        if origin is None:
            return _Read(row, Extracted(), False, gone=True)
        text, people = origin
    bars = await bars_in(parts, space, *([row.origin_space] if row.origin_space else []))
    free, named = bars.told(text), bars.keep(people)
    found, by_rules = await source_texts.extracted(parts, free, named, hints)
    found = unbarred(bars, found)
    of_chunks = source_texts.of_chunks(found, [(chunk.id, chunk.content) for chunk in chunks]) if chunks else []
    return _Read(row, found, by_rules, tuple(of_chunks))


async def _origin(parts: Parts, space: str, row: Any) -> tuple[str, tuple[str, ...]] | None:
    """The text of the team's source that a reference names, and who took part; None where it is gone."""
    async with parts.database.transaction(space, row.origin_space) as connection:
        origin = await sources.origin(connection, row.origin_space, row.origin_id)
    if origin is None:
        return None
    if origin.status == "raw":
        cleaned = source_texts.cleaned(origin.source_type, origin.content)
        return cleaned.text, tuple(dict.fromkeys((*origin.participants, *cleaned.participants)))
    return origin.content, tuple(origin.participants)


@again_after_deadlock
async def _write(parts: Parts, space: str, read: Sequence[_Read], prepared: Prepared, newest: UUID | None) -> int:
    """One transaction: what sources say, and that they are extracted; those alone that still wait."""
    now = parts.clock()
    async with parts.database.transaction(space) as connection:
        await hold_unless_forgotten(connection, space, newest, now)
        await store.lock(connection, space, sorted(each.row.id for each in read))
        held = await sources.hold(connection, space, [each.row.id for each in read], "processed")
        left = [each for each in read if each.row.id in held]
        await _remove_gone(connection, space, [each.row.id for each in left if each.gone], now)
        left = [each for each in left if not each.gone]
        if left:
            await _Learning(parts, connection, space, left, now, prepared).write()
    return len(left)


async def _remove_gone(connection: Connection, space: str, ids: Sequence[UUID], now: datetime) -> None:
    """A reference to nothing has taught nothing yet."""
    if ids:
        await service.purge(connection, space, ids, now)


async def zone_of(parts: Parts, connection: Connection, space: str) -> str:
    """The time zone in which a space counts days."""
    cursor = await connection.execute(QUERIES["revision"], {"space": space})
    row = await cursor.fetchone()
    return (row and row.timezone) or parts.settings.timezone


@dataclass(slots=True)
class _Learning:
    """The transaction of some sources."""

    parts: Parts
    connection: Connection
    space: str
    read: Sequence[_Read]
    now: datetime
    prepared: Prepared

    async def write(self) -> None:
        """The graph, how sensitive it is, and the sources; asking for statistics comes last."""
        zone = await zone_of(self.parts, self.connection, self.space)
        again = [id for each in self.read if each.row.extracted_at is not None for id in each.memories]
        before = await unlearn.begin(self.connection, self.space, again, self.now) if again else None
        known = await self._absorb()
        gone = 0
        if before is not None:
            await self._let_go(again, known)
            gone = await unlearn.finish(self.connection, self.space, again, before, zone, self.now)
        await self._classify(known)
        await self._attach(known)
        await self._settle()
        if gone:
            await unlearn.follow(self.connection, self.space)
        await reread_sources.ask_again(self.parts, self.connection, self.space)
        await statistics.refresh_when_due(self.connection, self.space)

    async def _absorb(self) -> dict[Any, UUID]:
        agents = {each.row.agent_id for each in self.read}
        agent = agents.pop() if len(agents) == 1 else None
        desk = graph_desk(self.parts, self.connection, self.space, self.now, agent, self.prepared)
        found = [(each.row.id, each.found) for each in self.read]
        found += [chunk for each in self.read for chunk in each.chunks]
        return await graph.absorb(desk, found)

    async def _let_go(self, again: Sequence[UUID], known: dict[Any, UUID]) -> None:
        """What a source that was read anew no longer names."""
        for each in self.read:
            if each.row.id in again:
                kept = {known[entity.key] for entity in each.found.entities}
                await relations.unmention(self.connection, self.space, each.memories, sorted(kept))

    async def _classify(self, known: dict[Any, UUID]) -> None:
        """How sensitive it is what they speak of."""
        ids = sorted(set(known.values()))
        if not ids:
            return
        closed = any(each.row.sensitivity == "high" for each in self.read)
        await store.classify(self.connection, self.space, ids, closed=closed)
        memories = [id for each in self.read for id in each.memories]
        await relations.classify(self.connection, self.space, memories, closed=closed)

    async def _attach(self, known: dict[Any, UUID]) -> None:
        """Sources join the storylines of what they speak of, in the order of their own dates."""
        if not await storylines.any_in(self.connection, self.space):
            return
        for each in sorted(self.read, key=lambda each: (each.row.happened_at, each.row.id)):
            nodes_of = sorted({known[entity.key] for entity in each.found.entities})
            await storylines.attach(self.parts, self.connection, self.space, each.row.id, nodes_of, self.now)

    async def _settle(self) -> None:
        steps = [Step(each.row.id, "extracted", each.by_rules) for each in self.read]
        await sources.step(self.connection, self.space, steps, self.now)
        done = {each.row.id: {"status": "extracted"} for each in self.read}
        await store.merge_data(self.connection, self.space, done)
        events = [
            Event("worker", "learn", "fallback" if each.by_rules else "ok", each.row.id, detail=_counted(each))
            for each in self.read
        ]
        await store.record_events(self.connection, self.space, events, self.now)


def _counted(read: _Read) -> dict[str, int]:
    return {"nodes": len(read.found.entities), "relations": len(read.found.links)}
