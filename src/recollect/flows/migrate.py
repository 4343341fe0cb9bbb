"""From what an agent works on to its short-term memory: every updated section lands, whole and once.

The raw text is stored in every case. A section is read, compared and embedded before the transaction begins that
writes all of it: source, chunks, graph, review, and that it has landed. What changed meanwhile makes the plan stale,
and it is made again; an update that came meanwhile still counts.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from recollect.active import store as actives
from recollect.active.model import Migrated, Waiting
from recollect.active.service import MIGRATE_TASK
from recollect.core.errors import Conflict
from recollect.core.ids import new_id
from recollect.core.scope import Scope
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import barring, comparing, statistics
from recollect.flows.comparing import Decision, Plan, ReadPiece
from recollect.flows.graphing import graph_desk, prepare
from recollect.flows.parts import Parts
from recollect.flows.remember import keep
from recollect.governance.spend import paid_by
from recollect.graph import service as graph
from recollect.graph.model import Extracted, Prepared
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
    with paid_by(scope.space):
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


@again_after_deadlock
async def migrate_section(parts: Parts, space: str, section: Waiting) -> Migrated | None:
    """Land what was read of a section; nothing if somebody else did meanwhile."""
    pieces = await comparing.read(parts, space, section.content)
    prepared = await prepare(parts, space, [piece.extracted for piece in pieces])
    for _ in range(_TRIES):
        plan = await comparing.plan(parts, space, section, pieces)
        async with parts.database.transaction(space) as connection:
            held = await actives.hold_for_landing(connection, space, section)
            if held is None:
                return None
            if await _still_holds(parts, connection, space, section, plan, pieces):
                landing = _Landing(parts, connection, space, section, plan, parts.clock(), prepared)
                return await landing.land(held.source_id)
    raise Conflict(f"section {section.name!r} could not be migrated: what it is compared with changes all the time")


async def _still_holds(
    parts: Parts, connection: Connection, space: str, section: Waiting, plan: Plan, pieces: Sequence[ReadPiece]
) -> bool:
    """Whether what the section was compared with is as it was; from here on nobody changes it."""
    if not pieces:
        return True
    await store.lock(connection, space, sorted(id for id, _, _ in plan.seen))
    return await comparing.seen(parts, connection, space, section, pieces, plan) == plan.seen


@dataclass(slots=True)
class _Landing:
    """One section's transaction."""

    parts: Parts
    connection: Connection
    space: str
    section: Waiting
    plan: Plan
    now: datetime
    prepared: Prepared

    async def land(self, last_source: UUID | None) -> Migrated:
        """Write everything; asking for statistics comes last."""
        if not self.section.content.strip():
            await actives.land(self.connection, self.space, self.section, None)
            return self._told(None, (), None)
        await self._settle()
        source = await self._raw(last_source)
        chunks = await self._write_new(source)
        taken = await self._take_in(source.id)
        review = await self._ask(source.id)
        if review is None:
            await actives.outdate_review(self.connection, self.space, self.section, self.now)
        await self._graph(source, chunks)
        await actives.land(self.connection, self.space, self.section, source.id)
        await self._count(source)
        await statistics.refresh_when_due(self.connection, self.space)
        return self._told(source.id, [*(chunk.id for chunk, _ in chunks), *taken], review)

    async def _settle(self) -> None:
        """What somebody has decided on already is not asked again."""
        doubtful = [decision for decision in self.plan.decisions if decision.outcome == "review"]
        ids = sorted({id for decision in doubtful for id in decision.reviewed().chunk_ids})
        if not ids:
            return
        decided = await actives.decisions(self.connection, self.space, self.section.agent, ids)
        self.plan.decisions = [
            replace(decision, outcome="unchanged", reason="it was decided on")
            if decision.outcome == "review" and decision.is_settled(decided)
            else decision
            for decision in self.plan.decisions
        ]

    async def _raw(self, last: UUID | None) -> Memory | NewMemory:
        """The source that holds the raw text: the section's last one, if its text is the same and gets no new chunk.

        A source gets its chunks when it is written, so that each of them has one at each place.
        """
        new = any(decision.outcome == "new" for decision in self.plan.decisions)
        if last is not None and not new:
            rows = await store.get(self.connection, self.space, [last])
            if rows and rows[0].content == self.section.content:
                return store.memory_of(rows[0], self.now, self.parts.rules)
        return source_of(self.section, self.now)

    async def _write_new(self, source: Memory | NewMemory) -> list[tuple[NewMemory, Extracted]]:
        fresh = [
            (chunk_of(self.section, source.id, decision.read, self.now), decision.read.extracted)
            for decision in self.plan.decisions
            if decision.outcome == "new"
        ]
        written = [*([source] if isinstance(source, NewMemory) else []), *(chunk for chunk, _ in fresh)]
        if written:
            actor = self._actor("nothing like it was known")
            await keep(self.parts, self.connection, self.space, written, actor)
        return fresh

    def _actor(self, reason: str) -> Actor:
        return Actor("recollect", self.section.agent_id, None, reason, by_hand=False)

    async def _take_in(self, source: UUID) -> list[UUID]:
        """Chunks that take the section's pieces in, each once; those that change, or come back."""
        into = {decision.into.id: decision for decision in self.plan.decisions if decision.into is not None}
        asleep = [id for id, decision in into.items() if decision.into and decision.into.state == "archived"]
        await service.wake(self.connection, self.space, sorted(asleep), self.now, self._actor("said again"))
        for id, decision in sorted(into.items()):
            memory = await service.get(self.connection, self.space, id, self.now, self.parts.rules)
            listed = list(dict.fromkeys([*memory.data.get("sources", []), str(source)]))
            await self._list(memory, memory.data | {"sources": listed}, decision)
        return sorted({*asleep, *(id for id in into if id in self.plan.texts)})

    async def _list(self, memory: Memory, data: dict[str, Any], decision: Decision) -> None:
        actor = self._actor(decision.reason)
        text = self.plan.texts.get(memory.id)
        if text is None:
            if data != memory.data:
                await service.annotate(self.connection, memory, data, self.now, actor, confidence=memory.confidence)
            return
        await change_text(self.connection, memory, text, self.plan.passages[memory.id], self.now, actor, data)
        detail = _compared(decision)
        await store.tell(
            self.connection, self.space, self.now, "MERGE", [(memory.id, memory.version + 1)], actor, detail
        )

    async def _ask(self, source: UUID) -> UUID | None:
        doubtful = [decision for decision in self.plan.decisions if decision.outcome == "review"]
        if not doubtful:
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
        bars = await barring.bars_of(self.parts, self.connection, self.space)
        found = [(id, barring.unbarred(bars, extracted)) for id, extracted in found]
        desk = graph_desk(self.parts, self.connection, self.space, self.now, self.section.agent_id, self.prepared)
        await graph.absorb(desk, found)

    async def _count(self, source: Memory | NewMemory) -> None:
        events = [
            Event("worker", "migrate", decision.outcome, similarity=decision.nearness)
            for decision in self.plan.decisions
        ] or [Event("worker", "migrate", "ok", source.id)]
        await store.record_events(self.connection, self.space, events, self.now)

    def _told(self, source: UUID | None, chunks: Sequence[UUID], review: UUID | None) -> Migrated:
        decisions = self.plan.decisions
        near = [decision.nearness for decision in decisions if decision.nearness is not None]
        return Migrated(
            self.section.active_id,
            self.section.name,
            _outcome(decisions, review),
            source,
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


def source_of(section: Waiting, now: datetime) -> NewMemory:
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
        data=section.marks | {"update": section.updates},
        metadata=section.marks,
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
        metadata=section.marks,
        valid_from=now,
        provenance=Provenance(source_id=source, agent_id=section.agent_id),
        passages=read.passages,
    )


async def change_text(
    connection: Connection,
    memory: Memory,
    text: str,
    passages: tuple[Passage, ...],
    now: datetime,
    actor: Actor,
    data: dict[str, Any] | None = None,
) -> None:
    """Give a chunk that is held another text, which holds from now on; the one before stays as a former version."""
    await service.change(
        connection,
        memory,
        Changes({"content": text, "valid_from": now}),
        passages,
        now,
        actor,
        await store.mean_length(connection, memory.space),
        event=None,
        data=data,
    )
