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
from recollect.records.verdicts import is_refuted
from recollect.understanding.model import THE_USER, Statement
from recollect.understanding.same_fact import Verdict, compare, doubtful, settles

_NEIGHBOURS = 8
_MOST_WITNESSES = 50
_ROUNDING = 0.01
"""Stored vectors are rounded to halves: what is nearly near is looked at again."""

_RELATED = {
    "knowledge": ("constraints", "goals"),
    "constraints": ("knowledge",),
    "goals": ("knowledge",),
}  # fmt: skip

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
    def related(self) -> tuple[str, ...]:
        """Its category, and those in which its contrary may be: a goal is called off by a decision."""
        return (self.category, *_RELATED.get(self.category, ()))

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
    settled: bool = False
    """Whether it was left open, and the new one says for sure what it asks."""

    @property
    def alive(self) -> bool:
        """Whether it holds, or waits to be corroborated."""
        return self.memory.valid_until is None and self.memory.state != "soft_deleted"


@dataclass(slots=True)
class Absorbed:
    """What became of the statements of some messages: the turn that taught each, and the statement."""

    added: list[tuple[int, UUID]] = field(default_factory=list)
    merged: list[tuple[int, UUID]] = field(default_factory=list)


Asked = tuple[Draft, str | None]
"""A draft, and the name of the owner of what it was said in."""


async def neighbours(parts: Parts, connection: Connection, space: str, asked: Sequence[Asked]) -> list[list[Neighbour]]:
    """For each draft the known statements that are near enough to be the same or its contrary, nearest first."""
    found: list[list[Neighbour]] = [[] for _ in asked]
    if not asked:
        return found
    places = [(place, category) for place, (draft, _) in enumerate(asked) for category in draft.related]
    rows = await store.nearest_of_kind(
        connection,
        space,
        "statement",
        [(category, asked[place][0].passages[0].embedding) for place, category in places],
        least=parts.calibration.raw(parts.settings.merge_related),
        most=_NEIGHBOURS,
    )
    for row in rows:
        place, category = places[row.place - 1]
        neighbour = _neighbour(parts, row, *asked[place])
        if category == asked[place][0].category or neighbour.settled or neighbour.verdict.relation == "contradicts":
            found[place].append(neighbour)
    return found


def _neighbour(parts: Parts, row: Any, draft: Draft, owner: str | None) -> Neighbour:
    memory, near = _memory(parts, row), parts.calibration.calibrated(row.similarity)
    known, told = named(memory.content, owner), named(draft.statement.content, owner)
    verdict = compare(known, told, similarity=near)
    return Neighbour(memory, near, verdict, memory.pending and settles(known, told))


def _memory(parts: Parts, row: Any) -> Memory:
    return store.memory_of(row, parts.clock(), parts.rules)


def named(text: str, owner: str | None) -> str:
    """The owner by name, also in what was written before the name was known."""
    return text.replace(THE_USER, owner).replace(THE_USER.lower(), owner) if owner else text


async def absorb(
    parts: Parts, connection: Connection, space: str, asked: Sequence[Asked], judged: Judged, because: str = ""
) -> Absorbed:
    """Write statements in the order in which they were said, each against all that is known by then.

    `because` is what history puts before the reason of each.
    """
    return await _Absorber(parts, connection, space, judged, because).absorb(asked)


class _Absorber:
    """One transaction's statements. What has nothing like it waits, and is written together; whatever has to do with
    something that waits, or was touched before, has it written first and looks again."""

    def __init__(self, parts: Parts, connection: Connection, space: str, judged: Judged, because: str) -> None:
        self._because = because
        self._parts = parts
        self._connection = connection
        self._space = space
        self._judged = judged
        self._done = Absorbed()
        self._waiting: list[tuple[Draft, NewMemory]] = []
        self._seen: list[Draft] = []
        self._touched: set[UUID] = set()

    async def absorb(self, asked: Sequence[Asked]) -> Absorbed:
        """All of them, then what waits."""
        found = await neighbours(self._parts, self._connection, self._space, asked)
        for (draft, owner), known in zip(asked, found, strict=True):
            near = known
            if self._is_stale(draft, known):
                await self._write_waiting()
                [near] = await neighbours(self._parts, self._connection, self._space, [(draft, owner)])
            await self._place(draft, [_with_judgement(each, draft, self._judged) for each in near])
            self._seen.append(draft)
        await self._write_waiting()
        return self._done

    def _is_stale(self, draft: Draft, near: Sequence[Neighbour]) -> bool:
        """Whether what was written since the neighbours were read could be among them, or has changed one."""
        if any(neighbour.memory.id in self._touched for neighbour in near):
            return True
        least = self._parts.calibration.raw(self._parts.settings.merge_related)
        vector = draft.passages[0].embedding
        return any(
            other.category in draft.related and float(other.passages[0].embedding @ vector) >= least - _ROUNDING
            for other in self._seen
        )

    async def _place(self, draft: Draft, near: Sequence[Neighbour]) -> None:
        likely = self._parts.settings.merge_likely
        same = [each for each in near if each.similarity >= likely and each.verdict.relation == "same"]
        if known := next((each for each in same if covers(each, draft)), None):
            self._touched.add(known.memory.id)
            if await _witness(self._parts, self._connection, known, draft):
                self._done.merged.append((draft.said.turn, known.memory.id))
        elif any(map(was_deleted_by_hand, same)):
            detail = {"reason": "a person deleted it"}
            event = Event("worker", "merge", "skipped", category=draft.category, detail=detail)
            await store.record_events(self._connection, self._space, [event], self._parts.clock())
        elif alive := [each for each in near if each.alive]:
            self._touched |= {each.memory.id for each in alive}
            new = await _add(self._parts, self._connection, self._space, draft, alive, self._because)
            self._done.added.append((draft.said.turn, new.id))
        else:
            pending = draft.statement.confidence < self._parts.settings.pending_below
            new = _new_memory(draft, self._parts.clock(), pending=pending, until=None)
            self._waiting.append((draft, new))

    async def _write_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for agent in dict.fromkeys(draft.said.agent_id for draft, _ in waiting):
            fresh = [(draft, new) for draft, new in waiting if draft.said.agent_id == agent]
            reason = _reason(self._because, "nothing like it was known")
            actor = Actor("recollect", agent, reason=reason, by_hand=False)
            memories = [new for _, new in fresh]
            await remember.keep(self._parts, self._connection, self._space, memories, actor, "created")
            self._done.added += [(draft.said.turn, new.id) for draft, new in fresh]
            await _link(self._parts, self._connection, self._space, memories)


def was_deleted_by_hand(known: Neighbour) -> bool:
    """Not what went into another statement that says the same."""
    memory = known.memory
    return memory.state == "soft_deleted" and memory.by_hand and "same_as" not in memory.data


def _with_judgement(neighbour: Neighbour, draft: Draft, judged: Judged) -> Neighbour:
    relation = judged.get((neighbour.memory.id, draft.statement.content))
    if relation == "same" and neighbour.verdict.relation == "different":
        return Neighbour(neighbour.memory, neighbour.similarity, Verdict("same", "the model takes them for the same"))
    return neighbour


def covers(known: Neighbour, draft: Draft) -> bool:
    """Whether a statement that says the same holds, or held, when this one was said."""
    memory = known.memory
    if memory.state == "soft_deleted":
        return False
    return memory.valid_until is None or draft.said.at < memory.valid_until


async def _witness(parts: Parts, connection: Connection, known: Neighbour, draft: Draft) -> bool:
    """The same fact, said once more: a witness, unless it is a copy of one that was heard already."""
    memory, now = known.memory, parts.clock()
    heard = memory.data.get("evidence", [])
    if draft.said.fingerprint in heard:
        await _note_copy(connection, memory, draft)
        return False
    data = memory.data | {
        "evidence": [*heard, draft.said.fingerprint][-_MOST_WITNESSES:],
        "messages": [*memory.data.get("messages", []), str(draft.said.message_id)][-_MOST_WITNESSES:],
    }
    reason = f"{known.verdict.reason} (similarity {known.similarity:.2f})"
    actor = Actor("recollect", draft.said.agent_id, draft.said.thread_id, reason, by_hand=False)
    if is_refuted(memory.data, draft.said.at):
        await service.annotate(connection, memory, data, now, actor, confidence=memory.confidence)
        return True
    confidence = max(memory.confidence, draft.statement.confidence)
    if _says_more(known, draft):
        await _tell_fuller(parts, connection, memory, draft, actor, data)
    else:
        await service.annotate(connection, memory, data, now, actor, confidence=confidence)
    if memory.pending and memory.valid_until is None and not doubtful(draft.statement.content):
        # Two witnesses are enough for what one alone left open; the same doubt said again is none.
        sure = max(confidence, parts.settings.pending_below)
        await service.promote(connection, memory, now, actor, confidence=sure)
    return True


async def _note_copy(connection: Connection, memory: Memory, draft: Draft) -> None:
    """A copy of a message that was heard already adds nothing, but it still says so when the other is taken back."""
    messages = memory.data.get("messages", [])
    if str(draft.said.message_id) not in messages:
        data = memory.data | {"messages": [*messages, str(draft.said.message_id)][-_MOST_WITNESSES:]}
        await service.set_data(connection, memory, data)


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
    parts: Parts, connection: Connection, space: str, draft: Draft, near: Sequence[Neighbour], because: str
) -> NewMemory:
    """Something new; what it contradicts ends with it, or, where that was said later, it has ended already."""
    now = parts.clock()
    contrary = [n.memory for n in near if n.verdict.relation == "contradicts"]
    sure = draft.statement.confidence >= parts.settings.pending_below
    open_ones = [n.memory for n in near if n.settled and sure and not n.memory.by_hand and n.memory not in contrary]
    settled = [memory for memory in contrary if memory.by_hand]
    pending = draft.statement.confidence < parts.settings.pending_below or bool(settled)
    later = [memory for memory in contrary if memory.happened_at > draft.said.at and not memory.pending]
    earlier = [memory for memory in contrary if memory not in settled and memory not in later]
    until = None if not later or settled else min(memory.valid_from or memory.happened_at for memory in later)
    new = _new_memory(draft, now, pending=pending, until=until)
    superseded = [*earlier, *open_ones] if not pending else []
    for memory in superseded:
        await _end(parts, connection, memory, new, draft, because)
    reason = _reason(because, _why(near))
    actor = Actor("recollect", draft.said.agent_id, draft.said.thread_id, reason, by_hand=False)
    await remember.keep(parts, connection, space, [new], actor, "updated" if superseded else "created")
    for type, others in (("supersedes", superseded), ("contradicts", contrary)):
        if others:
            ids = [memory.id for memory in others]
            await store.relate(connection, space, new.id, ids, type, now, parts.settings.salience_initial)
    await _link(parts, connection, space, [new])
    return new


async def _link(parts: Parts, connection: Connection, space: str, memories: Sequence[NewMemory]) -> None:
    """Ties to the nearest neighbours, for what is known and holds."""
    ids = [memory.id for memory in memories if not memory.pending and memory.valid_until is None]
    if ids and parts.settings.link_neighbours:
        await remember.link(parts, connection, space, ids, parts.clock())


def _reason(because: str, why: str) -> str:
    return f"{because}: {why}" if because else why


def _why(near: Sequence[Neighbour]) -> str:
    """What history says of a new statement: the decision, and what it was taken by."""
    if not near:
        return "nothing like it was known"
    first = near[0]
    return f"{first.verdict.relation}: {first.verdict.reason} (similarity {first.similarity:.2f})"


async def _end(
    parts: Parts, connection: Connection, memory: Memory, new: NewMemory, draft: Draft, because: str
) -> None:
    reason = _reason(because, "contradicted by what was said later")
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
