"""Messages become knowledge: profile facts, statements and milestones. One job takes all that waits in a space.

A model reads a message where one is configured; where it cannot answer, rules read it, which is marked, and the model
gets it again later. What one message taught is written in one transaction together with how far the conversation is
understood, so that nothing is learned twice and nothing is skipped.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from recollect.conversation.model import Conversation
from recollect.conversation.service import UNDERSTAND_TASK
from recollect.conversation.store import QUERIES, conversation_of
from recollect.core.describe import describe
from recollect.core.errors import RecollectError
from recollect.db.database import Connection, turn_to
from recollect.flows import milestones, statements, statistics
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.flows.statements import Draft
from recollect.profile import service as profile
from recollect.profile import store as profiles
from recollect.profile.conflicts import Policy
from recollect.profile.model import Said
from recollect.queue import enqueue_on
from recollect.records import store
from recollect.records.model import Actor, Event, Passage
from recollect.understanding import keyless, profile_keys, with_model
from recollect.understanding.acknowledgement import acknowledged
from recollect.understanding.model import Fact, Line, Statement, Understood, Utterance
from recollect.understanding.secrets import mask
from recollect.understanding.with_model import Guidance

TASK = UNDERSTAND_TASK
REREAD = "reread"

_log = logging.getLogger(__name__)

_BATCH = 50
_BEFORE = 6
"""Messages before the first new one, for milestones that began earlier."""
_REREAD_SECONDS = 60.0
_READ_AT_ONCE = 2_000
"""Characters up to which reading is over before another thread would have begun."""
_NAMES = ("name", "full_name", "preferred_name")


@dataclass(slots=True)
class Owner:
    """Whose memory it is: the space of the profile, and the names that the owner goes by."""

    space: str
    names: set[str]
    display: str | None
    zone: str

    def learn(self, fact: Fact) -> None:
        """A name that was just said counts from the next message on."""
        if fact.type == "identity" and fact.key in _NAMES and not fact.ended and fact.first_person:
            self.names.add(fact.value.casefold())
            if fact.key == "name" or self.display is None:
                self.display = fact.value

    def is_named(self, name: str) -> bool:
        """Whether a speaker's name is one of the owner's."""
        plain = name.casefold()
        return plain in self.names or plain.split()[0] in self.names


@dataclass(frozen=True, slots=True)
class Taught:
    """What one message taught, with all that writing it needs."""

    row: Any
    owner: Owner
    said: Said
    understood: Understood
    facts: tuple[tuple[Fact, tuple[Passage, ...]], ...]
    drafts: tuple[Draft, ...]
    speaker: str | None
    fell_back: bool = False
    answers: tuple[tuple[Any, bool, tuple[Passage, ...]], ...] = ()
    """Proposals that the message says yes or no to."""

    @property
    def something(self) -> bool:
        """Whether there is anything to write."""
        return bool(self.facts or self.drafts or self.answers or self.fell_back or self.understood.written)


@dataclass(slots=True)
class Counts:
    """What a run did."""

    seen: int = 0
    changed: int = 0
    merged: int = 0
    failed: int = 0
    milestones: int = 0
    learned: list[tuple[int, UUID]] = field(default_factory=list)

    def as_dict(self) -> dict[str, int]:
        """The counts as jobs return them."""
        names = ("seen", "changed", "merged", "failed", "milestones")
        return {name: getattr(self, name) for name in names}


async def understand(parts: Parts, space: str) -> dict[str, int]:
    """Learn from all that waits, conversation by conversation, in the order in which it was said."""
    counts = Counts()
    for row in await _rows(parts, space, "to_understand"):
        await _conversation(parts, conversation_of(row), counts)
    return counts.as_dict()


async def _rows(parts: Parts, space: str, name: str, **values: Any) -> list[Any]:
    async with parts.database.transaction(space) as connection:
        cursor = await connection.execute(QUERIES[name], {"space": space, **values})
        return await cursor.fetchall()


async def _conversation(parts: Parts, conversation: Conversation, counts: Counts) -> None:
    """Batch by batch, until nothing waits."""
    owners: dict[str, Owner] = {}
    after = conversation.understood_turn
    while True:
        rows = await _rows(
            parts,
            conversation.space,
            "since",
            conversation_id=conversation.id,
            after=after - _BEFORE,
            limit=_BATCH + _BEFORE,
        )
        new = [row for row in rows if row.turn > after]
        if not new:
            return
        counts.learned = []
        if parts.settings.understand:
            await _batch(parts, conversation, rows, after, owners, counts)
        await _finish(parts, conversation, rows, after, counts)
        counts.seen += len(new)
        after = new[-1].turn


async def _batch(
    parts: Parts,
    conversation: Conversation,
    rows: Sequence[Any],
    after: int,
    owners: dict[str, Owner],
    counts: Counts,
) -> None:
    """Read the new messages of a batch in order, each knowing what the ones before it taught."""
    for place, row in enumerate(rows):
        if row.turn <= after or row.role != "user" or row.retracted_at is not None or not row.body.strip():
            continue
        before = rows[place - 1] if place else None
        owner = await _owner(parts, conversation, row, owners)
        taught = await _read(parts, conversation, row, before, owner)
        for fact in taught.understood.facts:
            owner.learn(fact)
        if taught.something:
            await _write(parts, conversation, taught, counts)


async def _owner(parts: Parts, conversation: Conversation, row: Any, owners: dict[str, Owner]) -> Owner:
    space = owner_space(conversation, row)
    if space not in owners:
        owners[space] = await _known_owner(parts, space, row.actor_id)
    return owners[space]


def owner_space(conversation: Conversation, row: Any) -> str:
    """Where what a message says of its owner belongs: the user's own space, whatever the project."""
    if row.actor_id:
        return f"user:{row.actor_id}"
    if row.agent_id and conversation.owner:
        return f"agent:{row.agent_id}"
    return conversation.owner or conversation.space


async def _known_owner(parts: Parts, space: str, user_id: str | None) -> Owner:
    async with parts.database.transaction(space) as connection:
        facts = await profiles.active(connection, space, parts.clock(), "high")
        cursor = await connection.execute(QUERIES["revision"], {"space": space})
        known = await cursor.fetchone()
    named = {fact.key: fact.value for fact in facts if fact.type == "identity" and fact.key in _NAMES}
    names = {value.casefold() for value in named.values()} | ({user_id.casefold()} if user_id else set())
    display = next((named[key] for key in _NAMES if key in named), None)
    return Owner(space, names, display, (known and known.timezone) or parts.settings.timezone)


async def _read(parts: Parts, conversation: Conversation, row: Any, before: Any | None, owner: Owner) -> Taught:
    """Understand one message, and prepare what it takes to write that."""
    utterance = _utterance(conversation, row, before, owner)
    understood, fell_back = await _understood(parts, conversation.space, utterance)
    said = said_of(conversation, row)
    facts = [_settled(parts, fact) for fact in understood.facts if _is_sure(parts, fact)]
    long = len(row.body) > parts.settings.long_turn
    kept = await _within_caps(parts, conversation.space, understood.statements, long, owner.zone)
    answers = await _answers(parts, owner, utterance, before)
    texts = [plain(profile_keys.sentence(fact.key, fact.value)) for fact in facts]
    of_facts = await passages_of(parts, owner.space, texts) if texts else []
    of_statements = await passages_of(parts, conversation.space, [plain(each.content) for each in kept]) if kept else []
    drafts = [Draft(each, passages, said, long) for each, passages in zip(kept, of_statements, strict=True)]
    return Taught(
        row,
        owner,
        said,
        understood,
        tuple(zip(facts, of_facts, strict=True)),
        tuple(drafts),
        utterance.speaker,
        fell_back,
        answers,
    )


def _utterance(conversation: Conversation, row: Any, before: Any | None, owner: Owner) -> Utterance:
    own = row.name is None or owner.is_named(row.name)
    # In a space of many, "the user" would be anybody.
    unnamed = None if owner.space == conversation.space else row.actor_id
    speaker = (owner.display or row.name or unnamed) if own else row.name
    return Utterance(row.body, row.role, speaker, own, row.at, owner.zone, before.body if before else None)


def said_of(conversation: Conversation, row: Any) -> Said:
    """Where and when a message was said."""
    digest = blake2b(f"{row.at.isoformat()}\n{row.name}\n{row.body}".encode(errors="replace"), digest_size=12)
    return Said(
        at=row.at,
        turn=row.turn,
        message_id=row.id,
        conversation_id=row.conversation_id,
        thread_id=conversation.thread_id,
        agent_id=row.agent_id,
        run_id=row.run_id,
        actor_id=row.actor_id,
        role=row.role,
        speaker=row.name,
        fingerprint=digest.hexdigest(),
    )


async def _understood(parts: Parts, space: str, utterance: Utterance) -> tuple[Understood, bool]:
    """By the model where there is one; by rules where there is none, or where it cannot answer."""
    if parts.model is not None and parts.model.name("extract") is not None:
        try:
            return await with_model.understand(parts.model, utterance, await guidance_of(parts, space)), False
        except RecollectError:
            return await _by_rules(utterance), True
    return await _by_rules(utterance), False


async def _by_rules(utterance: Utterance) -> Understood:
    """By rules; a message that they stumble over teaches nothing, and holds up none of the others."""
    try:
        if len(utterance.text) > _READ_AT_ONCE:
            return await asyncio.to_thread(keyless.understand, utterance)
        return keyless.understand(utterance)
    except Exception as error:
        _log.error("a message could not be understood: %s", describe(error))
        return Understood(rejected={"error": 1}, written=1)


async def guidance_of(parts: Parts, space: str) -> Guidance:
    """What a space tells extraction."""
    rows = await _rows(parts, space, "revision")
    told = rows[0].guidance if rows else {}
    keys = tuple(told.get("profile_keys", ()))
    settings = parts.settings
    return Guidance(
        told.get("instructions"),
        keys,
        settings.long_turn_candidates,
        settings.turn_writes,
        settings.long_turn,
        settings.fact_confidence,
        settings.fact_importance,
    )


def _is_sure(parts: Parts, fact: Fact) -> bool:
    settings = parts.settings
    return fact.confidence >= settings.fact_confidence and fact.importance >= settings.fact_importance


def _settled(parts: Parts, fact: Fact) -> Fact:
    """What the owner says of themself, and does not put in doubt, is certain: a model's 0.9 says no more."""
    if fact.first_person and fact.confidence >= parts.settings.pending_below:
        return replace(fact, confidence=1.0)
    return fact


async def _within_caps(
    parts: Parts, space: str, found: Sequence[Statement], long: bool, zone: str
) -> Sequence[Statement]:
    """The surest statements of a message, as many as one may add; long ones share a daily allowance."""
    most = parts.settings.turn_writes
    if long and found:
        today = parts.clock().astimezone(ZoneInfo(zone)).replace(hour=0, minute=0, second=0, microsecond=0)
        async with parts.database.transaction(space) as connection:
            learned = await store.learned_since(connection, space, today)
        most = max(0, min(most, parts.settings.long_turn_daily - learned))
    if len(found) <= most:
        return found
    surest = sorted(range(len(found)), key=lambda place: (-found[place].confidence, place))[:most]
    return [found[place] for place in sorted(surest)]


async def _answers(
    parts: Parts, owner: Owner, utterance: Utterance, before: Any | None
) -> tuple[tuple[Any, bool, tuple[Passage, ...]], ...]:
    """Proposals that the assistant just named and the user says yes or no to."""
    yes = acknowledged(utterance.text) if utterance.own and before is not None and before.role == "assistant" else None
    if yes is None or before is None:
        return ()
    async with parts.database.transaction(owner.space) as connection:
        waiting = await profiles.consents(connection, owner.space, "open")
    named = [row for row in waiting if row.value.casefold() in before.body.casefold()]
    if not named:
        return ()
    texts = [plain(profile_keys.sentence(row.key, row.value)) for row in named]
    passages = await passages_of(parts, owner.space, texts)
    return tuple((row, yes, entries) for row, entries in zip(named, passages, strict=True))


async def _write(parts: Parts, conversation: Conversation, taught: Taught, counts: Counts) -> None:
    """One transaction: what the message taught, and that it was read."""
    judged = await _judged(parts, conversation.space, taught)
    async with parts.database.transaction(conversation.space, taught.owner.space) as connection:
        if not await _hold(connection, conversation, taught.row):
            return  # another worker was here first, or the message was taken back
        done = await statements.absorb(parts, connection, conversation.space, taught.drafts, judged, taught.speaker)
        await _note_events(parts, connection, conversation, taught)
        await connection.execute(
            QUERIES["mark_understood"],
            {"space": conversation.space, "id": conversation.id, "turn": taught.row.turn},
        )
        await _write_profile(parts, connection, conversation.space, taught)
        if taught.fell_back:
            await enqueue_on(connection, REREAD, conversation.space, after=_REREAD_SECONDS)
        await _refresh(connection, conversation.space, taught.owner.space)
    counts.changed += len(done.added) + len(taught.facts)
    counts.merged += len(done.merged)
    counts.failed += taught.fell_back
    counts.learned += [(taught.row.turn, id) for id in (*done.added, *done.merged)]


async def _hold(connection: Connection, conversation: Conversation, message: Any) -> bool:
    """Whether the message still has to be learned from, the conversation being held."""
    cursor = await connection.execute(QUERIES["hold"], {"space": conversation.space, "id": conversation.id})
    row = await cursor.fetchone()
    if row is None or row.understood_turn >= message.turn:
        return False
    cursor = await connection.execute(QUERIES["retracted"], {"space": conversation.space, "ids": [message.id]})
    return await cursor.fetchone() is None


async def _refresh(connection: Connection, *spaces: str) -> None:
    """Last of all: who enqueues the same work at the same moment waits for our commit."""
    for space in sorted(set(spaces)):
        await statistics.refresh_when_due(connection, space)


async def _write_profile(parts: Parts, connection: Connection, space: str, taught: Taught) -> None:
    """What the message says of its owner, in the owner's space; the one it was said in is still read from."""
    if not taught.facts and not taught.answers:
        return
    await turn_to(connection, taught.owner.space, space)
    desk = await desk_of(parts, connection, taught.owner.space, _actor(taught.said))
    for row, yes, passages in taught.answers:
        by = taught.said.actor_id or taught.owner.space
        if yes:
            await profile.accept(desk, row, passages)
        await profiles.close(connection, desk.space, row.id, "accepted" if yes else "declined", desk.now, by)
    for fact, passages in taught.facts:
        await profile.learn(desk, fact, passages, taught.said)


async def desk_of(parts: Parts, connection: Connection, space: str, actor: Actor) -> profile.Desk:
    """What it takes to write a profile."""
    settings = parts.settings
    return profile.Desk(
        connection,
        space,
        parts.clock(),
        actor,
        Policy(frozenset(settings.consent_keys), settings.consent_signals),
        parts.rules,
        settings.salience_initial,
        await store.mean_length(connection, space),
        settings.consent_days,
    )


def _actor(said: Said) -> Actor:
    return Actor("recollect", said.agent_id, said.thread_id, "said in chat", by_hand=False)


async def _note_events(parts: Parts, connection: Connection, conversation: Conversation, taught: Taught) -> None:
    """What was read, by whom, and how many drafts kept to the writing rules."""
    understood = taught.understood
    status = "fallback" if taught.fell_back else "ok"
    detail = {"written": understood.written, "rejected": dict(understood.rejected)}
    events = [Event("worker", "extract", status, memory_id=taught.row.id, detail=detail)]
    if taught.fell_back:
        await connection.execute(
            QUERIES["remember_to_reread"],
            {
                "space": conversation.space,
                "conversation_id": conversation.id,
                "turn": taught.row.turn,
                "tries": 0,
            },
        )
    await store.record_events(connection, conversation.space, events, parts.clock())


async def _judged(parts: Parts, space: str, taught: Taught) -> dict[tuple[UUID, str], str]:
    """What the model says of pairs in the doubtful band that the same-fact test would keep apart."""
    if parts.model is None or parts.model.name("judge") is None or not taught.drafts:
        return {}
    found: dict[tuple[UUID, str], str] = {}
    async with parts.database.transaction(space) as connection:
        near = [
            (draft, neighbour)
            for draft in taught.drafts
            for neighbour in await statements.neighbours(parts, connection, space, draft, taught.speaker)
        ]
    for draft, neighbour in near:
        in_doubt = parts.settings.merge_likely <= neighbour.similarity < parts.settings.merge_same
        if in_doubt and neighbour.alive and neighbour.verdict.relation == "different":
            text = draft.statement.content
            try:
                relation = await with_model.same_fact(parts.model, neighbour.memory.content, text)
            except RecollectError:
                continue  # the test's word stands
            found[neighbour.memory.id, text] = relation
    return found


async def _finish(parts: Parts, conversation: Conversation, rows: Sequence[Any], after: int, counts: Counts) -> None:
    """Milestones of the batch, and that all of it was read."""
    lines = [line_of(row) for row in rows if row.retracted_at is None and row.body.strip()]
    found = milestones.found(lines, after) if parts.settings.understand else ()
    ready = await milestones.prepared(parts, conversation, found, rows, counts.learned)
    async with parts.database.transaction(conversation.space) as connection:
        cursor = await connection.execute(QUERIES["hold"], {"space": conversation.space, "id": conversation.id})
        row = await cursor.fetchone()
        if row is None or row.understood_turn > rows[-1].turn:
            return
        counts.milestones += await milestones.write(parts, connection, conversation, ready)
        await connection.execute(
            QUERIES["mark_understood"],
            {"space": conversation.space, "id": conversation.id, "turn": rows[-1].turn},
        )


def line_of(row: Any) -> Line:
    """A message as a summary reads it."""
    return Line(row.turn, row.role, row.name, mask(row.body), row.at)


# What the model could not read at first -------------------------------------------------------------


async def reread(parts: Parts, space: str) -> dict[str, int]:
    """Give messages that rules had to read to the model again; a few tries, then what the rules found stays."""
    waiting = await _rows(parts, space, "to_reread")
    counts = Counts(seen=len(waiting))
    for row in waiting:
        [found] = await _rows(parts, space, "get", id=row.conversation_id) or [None]
        if found is None or parts.model is None or parts.model.name("extract") is None:
            await _forget_reread(parts, space, row)
            continue
        conversation = conversation_of(found)
        owner = await _known_owner(parts, owner_space(conversation, row), row.actor_id)
        taught = await _read(parts, conversation, row, await _before(parts, conversation, row.turn), owner)
        if taught.fell_back:
            counts.failed += 1
            await _try_later(parts, space, row)
        else:
            await _write_again(parts, conversation, taught, counts)
    return counts.as_dict()


async def _before(parts: Parts, conversation: Conversation, turn: int) -> Any | None:
    rows = await _rows(
        parts, conversation.space, "stretch", conversation_id=conversation.id, first=turn - 1, last=turn - 1
    )
    return rows[0] if rows else None


async def _write_again(parts: Parts, conversation: Conversation, taught: Taught, counts: Counts) -> None:
    """What the model adds to what the rules found; the same fact is one more word of the same witness."""
    judged = await _judged(parts, conversation.space, taught)
    async with parts.database.transaction(conversation.space, taught.owner.space) as connection:
        done = await statements.absorb(parts, connection, conversation.space, taught.drafts, judged, taught.speaker)
        await connection.execute(QUERIES["reread_done"], _place(conversation.space, taught.row))
        await _write_profile(parts, connection, conversation.space, taught)
        await _refresh(connection, conversation.space, taught.owner.space)
    counts.changed += len(done.added)
    counts.merged += len(done.merged)


async def _try_later(parts: Parts, space: str, row: Any) -> None:
    tries = row.tries + 1
    if tries >= parts.settings.job_attempts:
        await _forget_reread(parts, space, row, status="failed")
        return
    async with parts.database.transaction(space) as connection:
        await connection.execute(QUERIES["remember_to_reread"], _place(space, row) | {"tries": tries})
        await enqueue_on(connection, REREAD, space, after=_REREAD_SECONDS * 2**tries)


async def _forget_reread(parts: Parts, space: str, row: Any, status: str = "skipped") -> None:
    async with parts.database.transaction(space) as connection:
        await connection.execute(QUERIES["reread_done"], _place(space, row))
        event = Event("worker", "reread", status, memory_id=row.id)
        await store.record_events(connection, space, [event], parts.clock())


def _place(space: str, row: Any) -> dict[str, Any]:
    return {"space": space, "conversation_id": row.conversation_id, "turn": row.turn}


__all__ = ["REREAD", "TASK", "reread", "understand"]
