"""The verbs of the profile: a value said in chat, set by hand, or decided; each in the caller's transaction.

Every value is a memory of its own. Of a key one value holds at a time, of a key with many items one for each item; a
value that gives way gets its `valid_until` and is named by a `supersedes` relation of the new one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from recollect.core.errors import Conflict
from recollect.core.ids import new_id
from recollect.db.database import Connection
from recollect.profile import store
from recollect.profile.conflicts import Decision, Policy, certainty, decide
from recollect.profile.model import Held, Said
from recollect.records import service as records
from recollect.records import store as memories
from recollect.records.changes import Changes
from recollect.records.kinds import KINDS
from recollect.records.lifecycle import Rules
from recollect.records.model import Actor, Event, Memory, NewMemory, Passage
from recollect.records.verdicts import is_refuted
from recollect.understanding import profile_keys
from recollect.understanding.model import Fact

MOST_WITNESSES = 50
_UNINDEXED = "unindexed"
"""Marks a value that was learned while the embedder was away: it has no search entries yet."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What it takes to write a profile: the transaction, its space and moment, and the rules."""

    connection: Connection
    space: str
    now: datetime
    actor: Actor
    policy: Policy
    rules: Rules
    salience: float
    mean_length: float
    consent_days: float
    because: str = ""
    """What history puts before the reason of each change."""

    def reason(self, why: str) -> str:
        """A reason as history tells it."""
        return f"{self.because}: {why}" if self.because else why


async def learn(desk: Desk, fact: Fact, passages: Sequence[Passage], said: Said) -> Decision:
    """Take a value that was said, or say why not; every decision is recorded."""
    await store.hold_space(desk.connection, desk.space, desk.now)
    rows = await _rows(desk, fact)
    signals = await _signals(desk, fact, said)
    decision = decide(fact, said, [store.held_of(row) for row in rows], len(signals), desk.policy)
    held = {row.id: memories.memory_of(row, desk.now, desk.rules) for row in rows}
    await _index_late(desk, fact, passages, held.values())
    target = held[decision.target.id] if decision.target else None
    match decision.outcome:
        case "add" | "replace":
            await _take(desk, fact, passages, said, decision, target)
        case "confirm" if target:
            await _confirm(desk, fact, said, target)
        case "rule_out":
            await _rule_out(desk, fact, passages, said)
        case "end" if target:
            await end(desk, target, said.at, decision.reason, str(said.message_id), event="deleted")
        case _:
            await _put_aside(desk, fact, said, decision, signals)
    await memories.record_events(desk.connection, desk.space, [_event(decision, target)], desk.now)
    return decision


async def learn_unindexed(desk: Desk, fact: Fact, said: Said) -> None:
    """Take or end a value while the embedder is away; all that is less, and its search entries, can wait for it."""
    await store.hold_space(desk.connection, desk.space, desk.now)
    rows = await _rows(desk, fact)
    signals = await _signals(desk, fact, said)
    decision = decide(fact, said, [store.held_of(row) for row in rows], len(signals), desk.policy)
    if decision.outcome in ("add", "replace", "end"):
        await learn(desk, fact, (), said)


async def _index_late(desk: Desk, fact: Fact, passages: Sequence[Passage], held: Iterable[Memory]) -> None:
    """The search entries of a value that was learned without them."""
    for memory in held if passages else ():
        if memory.data.get(_UNINDEXED) and profile_keys.same_value(fact.key, memory.data["value"], fact.value):
            del memory.data[_UNINDEXED]
            await records.index_late(desk.connection, memory, passages, desk.now, desk.mean_length)


def _event(decision: Decision, target: Memory | None) -> Event:
    status = "skipped" if decision.outcome in ("ignore", "propose") else "ok"
    detail = {"reason": decision.reason}
    return Event(
        "worker", f"profile.{decision.outcome}", status, target.id if target else None, "profile", detail=detail
    )


async def _rows(desk: Desk, fact: Fact) -> list[Any]:
    """The values of the key; of a key with many items, those of this one."""
    rows = await store.rows_of_key(desk.connection, desk.space, fact.type, fact.key)
    if profile_keys.holds_many(fact.key):
        return [row for row in rows if profile_keys.same_value(fact.key, row.data["value"], fact.value)]
    return rows


async def _signals(desk: Desk, fact: Fact, said: Said) -> list[UUID]:
    """The messages that speak for an inferred value, this one included."""
    if fact.first_person:
        return []
    known = await store.signals_of(desk.connection, desk.space, fact.type, fact.key, fact.value)
    return known if said.message_id is None or said.message_id in known else [*known, said.message_id]


async def _take(
    desk: Desk, fact: Fact, passages: Sequence[Passage], said: Said, decision: Decision, old: Memory | None
) -> UUID:
    """The value holds from now on, and the one before it no more."""
    new = _new_memory(desk, fact, passages, said)
    if old:
        await end(desk, old, said.at, decision.reason, str(new.id), event=None)
    reason = desk.reason(decision.reason)
    actor = Actor(desk.actor.actor, desk.actor.agent_id, said.thread_id, reason, desk.actor.by_hand)
    await _keep(desk, new, actor, "updated" if old else "created")
    if old:
        await memories.relate(desk.connection, desk.space, new.id, [old.id], "supersedes", desk.now, desk.salience)
    if (fact.type, fact.key) == ("identity", "timezone") and is_zone(fact.value):
        await store.set_timezone(desk.connection, desk.space, fact.value)
    await _settle_proposals(desk, fact)
    return new.id


async def _keep(desk: Desk, new: NewMemory, actor: Actor, event: str | None) -> None:
    await memories.remember(
        desk.connection,
        desk.space,
        [new],
        desk.now,
        actor,
        salience=desk.salience,
        mean_length=desk.mean_length,
        event=event,
    )


def _new_memory(desk: Desk, fact: Fact, passages: Sequence[Passage], said: Said) -> NewMemory:
    kind = KINDS["profile"]
    witnesses = [str(said.message_id)] if said.message_id else []
    return NewMemory(
        id=new_id(),
        kind="profile",
        type=fact.type,
        category=kind.category,
        content=profile_keys.sentence(fact.key, fact.value),
        tier=kind.tier,
        importance=fact.importance,
        confidence=certainty(fact),
        happened_at=said.at,
        valid_from=min(said.at, desk.now),  # a clock that ran ahead does not put it off
        data={
            "key": fact.key,
            "value": fact.value,
            "said_at": said.at.isoformat(),
            "turn": said.turn,
            "messages": witnesses,
            **({} if passages else {_UNINDEXED: True}),
        }
        | ({} if fact.first_person else {"inferred": True}),
        provenance=said.provenance,
        by_hand=desk.actor.by_hand,
        passages=tuple(passages),
    )


async def _confirm(desk: Desk, fact: Fact, said: Said, active: Memory) -> None:
    """One more witness, and a newer one may be; the value stays."""
    known = active.data.get("messages", [])
    later = (said.at, said.turn) > (datetime.fromisoformat(active.data["said_at"]), active.data.get("turn", 0))
    refuted = is_refuted(active.data, said.at)
    confidence = active.confidence if refuted else max(active.confidence, certainty(fact))
    data = active.data | {"messages": _with_witness(known, said)}
    if fact.first_person:
        data.pop("inferred", None)
    if not later and confidence == active.confidence:
        await records.set_data(desk.connection, active, data)
        return
    if later:
        data |= {"said_at": said.at.isoformat(), "turn": said.turn}
    actor = Actor("recollect", said.agent_id, said.thread_id, desk.reason("said again"), by_hand=False)
    await records.annotate(desk.connection, active, data, desk.now, actor, confidence=confidence)


def _with_witness(known: Sequence[str], said: Said) -> list[str]:
    if said.message_id is None or str(said.message_id) in known:
        return list(known)
    return [*known, str(said.message_id)][-MOST_WITNESSES:]


async def end(desk: Desk, old: Memory, at: datetime, reason: str, by: str, *, event: str | None) -> None:
    """A value holds no more, from the moment at which that was said."""
    until = max(min(at, desk.now), old.valid_from or at)
    why = desk.reason(reason)
    actor = Actor(desk.actor.actor, desk.actor.agent_id, desk.actor.thread_id, why, desk.actor.by_hand)
    await records.change(
        desk.connection,
        old,
        Changes({"valid_until": until}),
        None,
        desk.now,
        actor,
        desk.mean_length,
        event=event,
        data=old.data | {"ended_by": by},
    )


async def _rule_out(desk: Desk, fact: Fact, passages: Sequence[Passage], said: Said) -> None:
    """A value that was said to hold no more before it was ever known: an older word that comes later is too late."""
    at = min(said.at, desk.now)
    over = replace(_new_memory(desk, fact, passages, said), valid_from=at, valid_until=at)
    actor = Actor("recollect", said.agent_id, said.thread_id, desk.reason("no longer true"), by_hand=False)
    await _keep(desk, over, actor, None)


async def _put_aside(desk: Desk, fact: Fact, said: Said, decision: Decision, signals: Sequence[UUID]) -> None:
    """A value that is not taken is recorded: as a proposal to decide, or as one that was passed over."""
    waits = decision.outcome == "propose"
    if waits and await store.was_declined(desk.connection, desk.space, fact.type, fact.key, fact.value):
        decision, waits = Decision("ignore", "the user has said no to it"), False
    if fact.ended and waits:
        return  # there is no value to propose; the event tells it
    await store.propose(
        desk.connection,
        desk.space,
        {
            "id": new_id(),
            "type": fact.type,
            "key": fact.key,
            "value": fact.value,
            "confidence": fact.confidence,
            "importance": fact.importance,
            "status": "open" if waits else "ignored",
            "reason": decision.reason,
            "signals": list(signals),
            "expires_at": desk.now + timedelta(days=desk.consent_days) if waits else None,
            "decided_at": None if waits else desk.now,
            "decided_by": None if waits else "recollect",
        },
        said,
        desk.now,
    )


async def _settle_proposals(desk: Desk, fact: Fact) -> None:
    """What was proposed and is now taken needs no more deciding."""
    for row in await store.consents(desk.connection, desk.space, "open", desk.now):
        if (row.type, row.key) == (fact.type, fact.key) and profile_keys.same_value(fact.key, row.value, fact.value):
            by = desk.actor.actor or "recollect"
            await store.close(desk.connection, desk.space, row.id, "accepted", desk.now, by)
            await tell_decision(desk.connection, row, "accepted", desk.now, desk.actor)


async def tell_decision(connection: Connection, proposal: Any, status: str, now: datetime, actor: Actor) -> None:
    """That a proposal was accepted, declined or lapsed, in its own history and in that of what holds for its key."""
    rows = await store.rows_of_key(connection, proposal.space_id, proposal.type, proposal.key)
    held = [row for row in rows if _is_active(row)]
    same = [row for row in held if profile_keys.same_value(proposal.key, row.data["value"], proposal.value)]
    about = same if profile_keys.holds_many(proposal.key) else held
    ids = [proposal.id, *(row.id for row in about)]
    told = replace(actor, reason=f"proposal {status}: {proposal.reason}")
    detail = {"proposal": str(proposal.id), "type": proposal.type, "key": proposal.key, "status": status}
    await memories.tell(connection, proposal.space_id, now, "UPDATE", [(id, None) for id in ids], told, detail)


async def set_by_hand(
    desk: Desk, fact: Fact, passages: Sequence[Passage], said: Said, reason: str = "set by hand"
) -> None:
    """A person says what holds: it replaces whatever did."""
    await store.hold_space(desk.connection, desk.space, desk.now)
    rows = await _rows(desk, fact)
    active = next((row for row in rows if _is_active(row)), None)
    old = memories.memory_of(active, desk.now, desk.rules) if active else None
    if old and profile_keys.same_value(fact.key, old.data["value"], fact.value):
        await _claim(desk, old, fact)
        return
    await _take(desk, fact, passages, said, Decision("replace" if old else "add", reason), old)


async def _claim(desk: Desk, old: Memory, fact: Fact) -> None:
    """The value was there: now a person stands for it."""
    if old.confidence != fact.confidence:
        changes = Changes({"confidence": fact.confidence})
        await records.change(desk.connection, old, changes, None, desk.now, desk.actor, desk.mean_length)
    elif not old.by_hand:
        await records.mark_by_hand(desk.connection, old, desk.now, desk.actor)


def _is_active(row: Any) -> bool:
    return store.held_of(row).active


async def accept(desk: Desk, row: Any, passages: Sequence[Passage]) -> None:
    """A proposal becomes the value of its key: the user said so."""
    fact = Fact(row.type, row.key, row.value, 1.0, row.importance)
    said = Said(max(row.said_at, desk.now), row.turn or 0, row.message_id, row.conversation_id, row.thread_id)
    await set_by_hand(desk, fact, passages, said, "proposal accepted")


async def refuse_second_value(connection: Connection, memory: Memory) -> None:
    """Of a key one value holds: a deleted one cannot come back beside another."""
    rows = await store.rows_of_key(connection, memory.space, memory.type or "", memory.data["key"])
    key, value = memory.data["key"], memory.data["value"]
    if profile_keys.holds_many(key):
        rows = [row for row in rows if profile_keys.same_value(key, row.data["value"], value)]
    if memory.valid_until is None and any(_is_active(row) and row.id != memory.id for row in rows):
        raise Conflict(f"{key}: another value holds now; set_profile changes it")


def is_zone(value: str) -> bool:
    """Whether it names a time zone."""
    try:
        ZoneInfo(value)
    except (KeyError, OSError, ValueError):
        return False
    return True


__all__ = [
    "Desk",
    "Held",
    "accept",
    "end",
    "is_zone",
    "learn",
    "learn_unindexed",
    "refuse_second_value",
    "set_by_hand",
    "tell_decision",
]
