"""New statements among those that are known: one more witness of the same fact, its end, or something new.

Nearness alone never makes two statements one: the same-fact test has to agree. What is ended keeps its text and gets
its `valid_until`; what a person added, edited or deleted is never overwritten, and not made again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.core.ids import new_id
from recollect.db.database import Connection
from recollect.flows import remember
from recollect.flows.parts import Parts
from recollect.profile.model import Said
from recollect.records import service, store
from recollect.records.changes import Changes
from recollect.records.kinds import KINDS, default_category, default_importance
from recollect.records.model import Actor, Event, Memory, NewMemory, Passage
from recollect.understanding.model import THE_USER, Statement
from recollect.understanding.same_fact import Verdict, compare

_NEIGHBOURS = 8
_MOST_WITNESSES = 50

Judged = Mapping[tuple[UUID, str], str]
"""What a model said of pairs that the test left open: (id of the known one, text of the new one) → relation."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A statement that a message taught, ready to be written."""

    statement: Statement
    passages: tuple[Passage, ...]
    said: Said
    long: bool
    """Whether it came of a long message: those have a daily cap."""

    @property
    def category(self) -> str:
        """Where it belongs; it is compared with its like."""
        return default_category("statement", self.statement.type)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A statement that is known, how near it is, and what the same-fact test says of the two."""

    memory: Memory
    similarity: float
    verdict: Verdict

    @property
    def alive(self) -> bool:
        """Whether it holds, or waits to be corroborated."""
        return self.memory.valid_until is None and self.memory.state != "soft_deleted"


@dataclass(slots=True)
class Absorbed:
    """What became of the statements of a message."""

    added: list[UUID] = field(default_factory=list)
    merged: list[UUID] = field(default_factory=list)
    ended: list[UUID] = field(default_factory=list)
    dropped: int = 0


async def neighbours(
    parts: Parts, connection: Connection, space: str, draft: Draft, owner: str | None
) -> list[Neighbour]:
    """The known statements that are near enough to be the same or its contrary, nearest first."""
    rows = await store.nearest_of_kind(
        connection,
        space,
        "statement",
        draft.category,
        draft.passages[0].embedding,
        least=parts.calibration.raw(parts.settings.merge_related),
        most=_NEIGHBOURS,
    )
    found = []
    for row in rows:
        memory, near = _memory(parts, row), parts.calibration.calibrated(row.similarity)
        verdict = compare(_named(memory.content, owner), _named(draft.statement.content, owner), similarity=near)
        found.append(Neighbour(memory, near, verdict))
    return found


def _memory(parts: Parts, row: Any) -> Memory:
    return store.memory_of(row, parts.clock(), parts.rules)


def _named(text: str, owner: str | None) -> str:
    """The owner by name, also in what was written before the name was known."""
    return text.replace(THE_USER, owner).replace(THE_USER.lower(), owner) if owner else text


async def absorb(
    parts: Parts, connection: Connection, space: str, drafts: Sequence[Draft], judged: Judged, owner: str | None
) -> Absorbed:
    """Write the statements of one message, each against all that is known by then."""
    done = Absorbed()
    for draft in drafts:
        near = await neighbours(parts, connection, space, draft, owner)
        await _place(parts, connection, space, draft, [_with_judgement(n, draft, judged) for n in near], done)
    return done


def _with_judgement(neighbour: Neighbour, draft: Draft, judged: Judged) -> Neighbour:
    relation = judged.get((neighbour.memory.id, draft.statement.content))
    if relation == "same" and neighbour.verdict.relation == "different":
        return Neighbour(neighbour.memory, neighbour.similarity, Verdict("same", "the model takes them for the same"))
    return neighbour


async def _place(
    parts: Parts, connection: Connection, space: str, draft: Draft, near: Sequence[Neighbour], done: Absorbed
) -> None:
    likely = [n for n in near if n.similarity >= parts.settings.merge_likely and n.verdict.relation == "same"]
    if known := next((n for n in likely if _covers(n, draft)), None):
        await _witness(parts, connection, known, draft, done)
        return
    if any(n.memory.state == "soft_deleted" and n.memory.by_hand for n in likely):
        done.dropped += 1
        event = Event("worker", "merge", "skipped", category=draft.category, detail={"reason": "a person deleted it"})
        await store.record_events(connection, space, [event], parts.clock())
        return
    await _add(parts, connection, space, draft, [n for n in near if n.alive], done)


def _covers(known: Neighbour, draft: Draft) -> bool:
    """Whether a statement that says the same holds, or held, when this one was said."""
    memory = known.memory
    if memory.state == "soft_deleted":
        return False
    return memory.valid_until is None or draft.said.at < memory.valid_until


async def _witness(parts: Parts, connection: Connection, known: Neighbour, draft: Draft, done: Absorbed) -> None:
    """The same fact, said once more: a witness, unless it is a copy of one that was heard already."""
    memory, now = known.memory, parts.clock()
    heard = memory.data.get("evidence", [])
    if draft.said.fingerprint in heard:
        return
    data = memory.data | {
        "evidence": [*heard, draft.said.fingerprint][-_MOST_WITNESSES:],
        "messages": [*memory.data.get("messages", []), str(draft.said.message_id)][-_MOST_WITNESSES:],
    }
    reason = f"{known.verdict.reason} (similarity {known.similarity:.2f})"
    actor = Actor("recollect", draft.said.agent_id, draft.said.thread_id, reason, by_hand=False)
    confidence = max(memory.confidence, draft.statement.confidence)
    if _says_more(known, draft):
        await _tell_fuller(parts, connection, memory, draft, actor, data)
    else:
        await service.annotate(connection, memory, data, now, actor, confidence=confidence)
    if memory.pending and memory.valid_until is None:
        # Two witnesses are enough for what one alone left open.
        sure = max(confidence, parts.settings.pending_below)
        await service.promote(connection, memory, now, actor, confidence=sure)
    done.merged.append(memory.id)


def _says_more(known: Neighbour, draft: Draft) -> bool:
    """Whether the newer words are to be kept: they are later, say more, and no person wrote the older ones."""
    memory = known.memory
    return (
        known.verdict.fuller == "newer"
        and draft.said.at > memory.happened_at
        and draft.statement.confidence >= memory.confidence
        and memory.valid_until is None
        and not memory.by_hand
        and len(draft.statement.content) > len(memory.content)
    )


async def _tell_fuller(
    parts: Parts, connection: Connection, memory: Memory, draft: Draft, actor: Actor, data: dict[str, Any]
) -> None:
    await service.change(
        connection,
        memory,
        Changes({"content": draft.statement.content, "confidence": draft.statement.confidence}),
        draft.passages,
        parts.clock(),
        actor,
        await store.mean_length(connection, memory.space),
        event="merged",
        data=data,
    )


async def _add(
    parts: Parts, connection: Connection, space: str, draft: Draft, near: Sequence[Neighbour], done: Absorbed
) -> None:
    """Something new; what it contradicts ends with it, or, where that was said later, it has ended already."""
    now = parts.clock()
    contrary = [n.memory for n in near if n.verdict.relation == "contradicts"]
    settled = [memory for memory in contrary if memory.by_hand]
    pending = draft.statement.confidence < parts.settings.pending_below or bool(settled)
    later = [memory for memory in contrary if memory.happened_at > draft.said.at and not memory.pending]
    earlier = [memory for memory in contrary if memory not in settled and memory not in later]
    until = None if not later or settled else min(memory.valid_from or memory.happened_at for memory in later)
    new = _new_memory(draft, now, pending=pending, until=until)
    superseded = earlier if not pending else []
    for memory in superseded:
        await _end(parts, connection, memory, new, draft)
    actor = Actor("recollect", draft.said.agent_id, draft.said.thread_id, _why(near), by_hand=False)
    await store.remember(
        connection,
        space,
        [new],
        now,
        actor,
        salience=parts.settings.salience_initial,
        mean_length=await store.mean_length(connection, space),
        event="updated" if superseded else "created",
    )
    await _tie(parts, connection, space, new, superseded, contrary)
    done.added.append(new.id)
    done.ended += [memory.id for memory in superseded]


def _why(near: Sequence[Neighbour]) -> str:
    """What history says of a new statement: the decision, and what it was taken by."""
    if not near:
        return "nothing like it was known"
    first = near[0]
    return f"{first.verdict.relation}: {first.verdict.reason} (similarity {first.similarity:.2f})"


async def _tie(
    parts: Parts,
    connection: Connection,
    space: str,
    new: NewMemory,
    superseded: Sequence[Memory],
    contrary: Sequence[Memory],
) -> None:
    now, salience = parts.clock(), parts.settings.salience_initial
    if superseded:
        ids = [memory.id for memory in superseded]
        await store.relate(connection, space, new.id, ids, "supersedes", now, salience)
    if contrary:
        await store.relate(connection, space, new.id, [memory.id for memory in contrary], "contradicts", now, salience)
    if not new.pending and new.valid_until is None and parts.settings.link_neighbours:
        await remember.link(parts, connection, space, [new.id], now)


async def _end(parts: Parts, connection: Connection, memory: Memory, new: NewMemory, draft: Draft) -> None:
    reason = "contradicted by what was said later"
    actor = Actor("recollect", draft.said.agent_id, draft.said.thread_id, reason, by_hand=False)
    start = memory.valid_from or memory.happened_at
    await service.change(
        connection,
        memory,
        Changes({"valid_until": max(min(draft.said.at, parts.clock()), start)}),
        None,
        parts.clock(),
        actor,
        await store.mean_length(connection, memory.space),
        event=None,
        data=memory.data | {"ended_by": str(new.id)},
    )


def _new_memory(draft: Draft, now: datetime, *, pending: bool, until: datetime | None) -> NewMemory:
    statement, said, kind = draft.statement, draft.said, KINDS["statement"]
    data: dict[str, Any] = {"messages": [str(said.message_id)], "evidence": [said.fingerprint]}
    if statement.about:
        data["about"] = statement.about
    if draft.long:
        data["long"] = True
    importance = statement.importance
    return NewMemory(
        id=new_id(),
        kind="statement",
        type=statement.type,
        category=draft.category,
        content=statement.content,
        tier=kind.tier,
        importance=default_importance("statement", statement.type) if importance is None else importance,
        confidence=statement.confidence,
        happened_at=said.at,
        valid_from=min(said.at, now),  # a clock that ran ahead does not put it off
        valid_until=until,
        data=data,
        provenance=said.provenance,
        pending=pending,
        passages=draft.passages,
    )
