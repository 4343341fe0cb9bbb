"""From what an agent works on to its short-term memory: every updated section lands, whole and once.

The raw text is stored in every case. A section is read, compared and embedded before the transaction begins that
writes all of it: source, chunks, graph, review, and that it has landed. What changed meanwhile makes the plan stale,
and it is made again; an update that came meanwhile still counts.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from recollect.active import store as actives
from recollect.active.model import Migrated, Waiting
from recollect.active.service import MIGRATE_TASK
from recollect.core.errors import Conflict
from recollect.core.ids import new_id
from recollect.core.scope import Scope
from recollect.db.database import Connection
from recollect.flows import comparing, statistics
from recollect.flows.comparing import Decision, Plan, ReadPiece
from recollect.flows.parts import Parts
from recollect.graph import service as graph
from recollect.graph.model import Extracted
from recollect.records import service, store
from recollect.records.changes import Changes
from recollect.records.kinds import KINDS
from recollect.records.model import Actor, Event, Memory, NewMemory, Passage, Provenance

TASK = MIGRATE_TASK
SECTION = "section"
"""The type of sources and chunks that come of sections."""

_TRIES = 10
_log = logging.getLogger(__name__)


async def migrate(parts: Parts, scope: Scope, active: UUID | None = None) -> list[Migrated]:
    """Migrate now: what the scope's agent works on, or all agents of its space where it names none."""
    return await _all(parts, scope.space, id=active, agent=scope.agent_id if active is None else None)


async def migrate_due(parts: Parts, space: str) -> dict[str, int]:
    """The job of one space: agents with enough updates, and tasks that are over."""
    return await _counted(parts, space, parts.settings.migrate_updates)


async def sweep(parts: Parts, space: str, _: datetime) -> dict[str, int]:
    """The periodic job: every section with an update that has not landed."""
    return await _counted(parts, space, 1)


async def _counted(parts: Parts, space: str, least: int) -> dict[str, int]:
    """A section that fails does not stop the others; it is tried again with the job."""
    async with parts.database.transaction(space) as connection:
        waiting = await actives.waiting(connection, space, least=least)
    counts = {"seen": len(waiting), "changed": 0, "merged": 0, "reviews": 0, "failed": 0}
    failure: Exception | None = None
    for section in waiting:
        try:
            landed = await migrate_section(parts, space, section)
        except Exception as error:
            _log.error("migrating a section failed: %s", type(error).__name__)
            counts["failed"] += 1
            failure = error
            continue
        counts["changed"] += landed is not None
        counts["merged"] += landed is not None and landed.outcome == "merged"
        counts["reviews"] += landed is not None and landed.review_id is not None
    if failure is not None:
        raise failure
    return counts


async def _all(parts: Parts, space: str, **which: Any) -> list[Migrated]:
    async with parts.database.transaction(space) as connection:
        waiting = await actives.waiting(connection, space, **which)
    landed = [await migrate_section(parts, space, section) for section in waiting]
    return [each for each in landed if each is not None]


async def migrate_section(parts: Parts, space: str, section: Waiting) -> Migrated | None:
    """Land what was read of a section; nothing if somebody else did meanwhile."""
    pieces = await comparing.read(parts, space, section.content)
    for _ in range(_TRIES):
        plan = await comparing.plan(parts, space, section.agent_id, pieces)
        async with parts.database.transaction(space) as connection:
            held = await actives.hold_for_landing(connection, space, section)
            if held is None:
                return None
            if await _still_holds(parts, connection, space, section, plan, pieces):
                return await _Landing(parts, connection, space, section, plan, parts.clock()).land(held.source_id)
    raise Conflict(f"section {section.name!r} could not be migrated: what it is compared with changes all the time")


async def _still_holds(
    parts: Parts, connection: Connection, space: str, section: Waiting, plan: Plan, pieces: Sequence[ReadPiece]
) -> bool:
    """Whether what the section was compared with is as it was; from here on nobody changes it."""
    if not pieces:
        return True
    await store.lock(connection, space, sorted(id for id, _ in plan.seen))
    return comparing.seen(await comparing.near(parts, connection, space, section.agent_id, pieces)) == plan.seen


@dataclass(slots=True)
class _Landing:
    """One section's transaction."""

    parts: Parts
    connection: Connection
    space: str
    section: Waiting
    plan: Plan
    now: datetime

    async def land(self, last_source: UUID | None) -> Migrated:
        """Write everything; asking for statistics comes last."""
        source = await self._raw(last_source)
        chunks = [] if source is None else await self._write_new(source)
        taken = [] if source is None else await self._take_in(source.id)
        review = None if source is None else await self._ask(source.id)
        if review is None and self._into():
            await actives.outdate_review(self.connection, self.space, self.section, self._into(), self.now)
        if source is not None:
            await self._graph(source, chunks)
        await actives.land(self.connection, self.space, self.section, None if source is None else source.id)
        await self._count(source, chunks)
        await statistics.refresh_when_due(self.connection, self.space)
        return self._told(source, [*(chunk.id for chunk, _ in chunks), *taken], review)

    async def _raw(self, last: UUID | None) -> Memory | NewMemory | None:
        """The source that holds the raw text: the last one of the section, if its text is the same."""
        if not self.section.content.strip():
            return None
        if last is not None:
            rows = await store.get(self.connection, self.space, [last])
            if rows and rows[0].content == self.section.content:
                return store.memory_of(rows[0], self.now, self.parts.rules)
        return source_of(self.section, self._into(), self.now)

    def _into(self) -> list[str]:
        """The chunks of other sources that hold its text."""
        return sorted({str(decision.into.id) for decision in self.plan.decisions if decision.into is not None})

    async def _write_new(self, source: Memory | NewMemory) -> list[tuple[NewMemory, Extracted]]:
        fresh = [
            (chunk_of(self.section, source.id, decision.read, self.now), decision.read.extracted)
            for decision in self.plan.decisions
            if decision.outcome == "new"
        ]
        written = [source] if isinstance(source, NewMemory) else []
        if written or fresh:
            await self._remember([*written, *(chunk for chunk, _ in fresh)])
        return fresh

    async def _remember(self, memories: Sequence[NewMemory]) -> None:
        await store.remember(
            self.connection,
            self.space,
            memories,
            self.now,
            self._actor("nothing like it was known"),
            salience=self.parts.settings.salience_initial,
            mean_length=await store.mean_length(self.connection, self.space),
        )

    def _actor(self, reason: str) -> Actor:
        return Actor("recollect", self.section.agent_id, None, reason, by_hand=False)

    async def _take_in(self, source: UUID) -> list[UUID]:
        """Chunks that take the section's pieces in, each once; those that change."""
        into = {decision.into.id: decision for decision in self.plan.decisions if decision.into is not None}
        changed: list[UUID] = []
        for id, decision in sorted(into.items()):
            memory = await service.get(self.connection, self.space, id, self.now, self.parts.rules)
            listed = list(dict.fromkeys([*memory.data.get("sources", []), str(source)]))
            await self._list(memory, memory.data | {"sources": listed}, decision)
            if id in self.plan.texts:
                changed.append(id)
        return changed

    async def _list(self, memory: Memory, data: dict[str, Any], decision: Decision) -> None:
        actor = self._actor(decision.reason)
        text = self.plan.texts.get(memory.id)
        if text is None:
            if data != memory.data:
                await service.annotate(self.connection, memory, data, self.now, actor, confidence=memory.confidence)
            return
        await change_text(
            self.parts, self.connection, memory, text, self.plan.passages[memory.id], self.now, actor, data
        )
        detail = _compared(decision)
        await store.tell(
            self.connection, self.space, self.now, "MERGE", [(memory.id, memory.version + 1)], actor, detail
        )

    async def _ask(self, source: UUID) -> UUID | None:
        doubtful = [decision for decision in self.plan.decisions if decision.outcome == "review"]
        if not doubtful or await actives.is_decided(self.connection, self.space, self.section):
            return None
        pieces = [decision.reviewed() for decision in doubtful]
        return await actives.review(
            self.connection, self.space, new_id(), self.section, source, doubtful[0].reason, pieces, self.now
        )

    async def _graph(self, source: Memory | NewMemory, chunks: Sequence[tuple[NewMemory, Extracted]]) -> None:
        """What is in doubt is named in the raw source only; its relations wait for the decision."""
        certain = [decision for decision in self.plan.decisions if decision.outcome != "review"]
        named = Extracted(
            tuple(entity for decision in self.plan.decisions for entity in decision.read.extracted.entities),
            tuple(link for decision in certain for link in decision.read.extracted.links),
        )
        found = [(source.id, named), *((chunk.id, extracted) for chunk, extracted in chunks)]
        found += list(self.plan.extracted.items())
        desk = graph_desk(self.parts, self.connection, self.space, self.now, self.section.agent_id)
        await graph.absorb(desk, found)

    async def _count(self, source: Memory | NewMemory | None, chunks: Sequence[tuple[NewMemory, Extracted]]) -> None:
        if source is not None:
            events = [
                Event("worker", "migrate", decision.outcome, similarity=decision.nearness)
                for decision in self.plan.decisions
            ] or [Event("worker", "migrate", "ok", source.id)]
            await store.record_events(self.connection, self.space, events, self.now)

    def _told(self, source: Memory | NewMemory | None, chunks: Sequence[UUID], review: UUID | None) -> Migrated:
        decisions = self.plan.decisions
        near = [decision.nearness for decision in decisions if decision.nearness is not None]
        return Migrated(
            self.section.active_id,
            self.section.name,
            _outcome(decisions, review),
            None if source is None else source.id,
            tuple(chunks),
            review,
            max(near, default=None),
            tuple(
                {"outcome": decision.outcome, "reason": decision.reason, **_compared(decision)}
                for decision in decisions
            ),
        )


def _outcome(decisions: Sequence[Decision], review: UUID | None) -> Literal["new", "merged", "review", "unchanged"]:
    """Of a section with several pieces what most calls for attention."""
    if review is not None:
        return "review"
    outcomes = {decision.outcome for decision in decisions}
    return "merged" if "merged" in outcomes else "new" if "new" in outcomes else "unchanged"


def _compared(decision: Decision) -> dict[str, Any]:
    best = decision.best
    if best is None:
        return {}
    return {
        "similarity": round(best.similarity, 4),
        "entity_overlap": round(best.names, 4),
        "relation_overlap": round(best.ties, 4),
    }


def source_of(section: Waiting, into: list[str], now: datetime) -> NewMemory:
    """The raw text of a section: written once, found by its chunks."""
    kind = KINDS["source"]
    return NewMemory(
        id=new_id(),
        kind="source",
        type=SECTION,
        category=kind.category,
        title=f"{section.title}: {section.section_title}"[:500],
        content=section.content,
        tier=kind.tier,
        importance=kind.importance,
        confidence=kind.confidence,
        happened_at=now,
        data={"active": str(section.active_id), "section": section.name, "update": section.updates, "into": into},
        metadata={"active": str(section.active_id), "section": section.name},
        provenance=Provenance(agent_id=section.agent_id),
    )


def chunk_of(section: Waiting, source: UUID, read: ReadPiece, now: datetime) -> NewMemory:
    """A piece of a section as a chunk of its source."""
    kind = KINDS["chunk"]
    return NewMemory(
        id=new_id(),
        kind="chunk",
        type=SECTION,
        category=kind.category,
        title=f"{section.title}: {section.section_title}"[:500],
        content=read.piece.text,
        tier="short",
        importance=kind.importance,
        confidence=kind.confidence,
        happened_at=now,
        data={"order": read.piece.order, "sources": [str(source)]},
        metadata={"active": str(section.active_id), "section": section.name},
        provenance=Provenance(source_id=source, agent_id=section.agent_id),
        passages=read.passages,
    )


async def change_text(
    parts: Parts,
    connection: Connection,
    memory: Memory,
    text: str,
    passages: tuple[Passage, ...],
    now: datetime,
    actor: Actor,
    data: dict[str, Any] | None = None,
) -> None:
    """Give a chunk that is held another text; the one before stays as a former version."""
    await service.change(
        connection,
        memory,
        Changes({"content": text}),
        passages,
        now,
        actor,
        await store.mean_length(connection, memory.space),
        event=None,
        data=data,
    )


def graph_desk(parts: Parts, connection: Connection, space: str, now: datetime, agent: str | None) -> graph.Desk:
    """What the graph is written with."""
    return graph.Desk(connection, space, now, parts.settings.salience_initial, Provenance(agent_id=agent))
