"""Reading a message: who speaks, what it teaches, by a model or by rules; nothing is written here."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from time import perf_counter
from typing import Any, Self
from uuid import UUID
from zoneinfo import ZoneInfo

from recollect.conversation.model import Conversation
from recollect.conversation.store import QUERIES
from recollect.core.courtesy import let_others_go_first
from recollect.core.describe import describe
from recollect.core.errors import RecollectError, Unavailable
from recollect.core.terms import terms
from recollect.flows.barring import bars_in, told_rows
from recollect.flows.parts import Parts
from recollect.profile import store as profiles
from recollect.profile.model import Said
from recollect.records.kinds import default_importance
from recollect.records.tombstones import Bars
from recollect.understanding import keyless, profile_keys, with_model
from recollect.understanding.acknowledgement import acknowledged, asks_consent
from recollect.understanding.model import Fact, Line, Statement, Understood, Utterance
from recollect.understanding.named import words_of
from recollect.understanding.secrets import mask
from recollect.understanding.with_model import Guidance

_log = logging.getLogger(__name__)

_NAMES = ("name", "full_name", "preferred_name")


@dataclass(slots=True)
class Owner:
    """Whose memory it is: the space of the profile, and the names that the owner goes by."""

    space: str
    names: set[str]
    display: str | None
    zone: str

    @property
    def words(self) -> frozenset[str]:
        """The words of the names, which say nothing about what is known of the owner."""
        return frozenset(word for name in self.names for word in words_of(name))

    def learn(self, fact: Fact) -> None:
        """A name that was just said counts from the next message on."""
        if fact.type == "identity" and fact.key in _NAMES and not fact.ended and fact.first_person:
            self.names |= _known_as(fact.value)
            if fact.key == "name" or self.display is None:
                self.display = fact.value

    def is_named(self, name: str) -> bool:
        """Whether a speaker's name is one of the owner's."""
        return name.casefold() in self.names


def _known_as(name: str) -> set[str]:
    """A name, and the first word of it: Alice Smith speaks as Alice, too."""
    return {name.casefold(), name.casefold().split()[0]}


@dataclass(frozen=True, slots=True)
class Reading:
    """What one message taught."""

    row: Any
    owner: Owner
    said: Said
    understood: Understood
    facts: tuple[Fact, ...]
    """Those that are sure enough."""
    long: bool
    """Whether it was read for several facts, which have a daily cap."""
    fell_back: bool
    """Whether rules read it because the model could not."""
    answers: tuple[tuple[Any, bool], ...] = ()
    """Proposals that the message says yes or no to."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Free knowledge, the caps not yet applied."""
        return self.understood.statements

    @property
    def something(self) -> bool:
        """Whether there is anything to write."""
        return bool(self.facts or self.statements or self.answers or self.fell_back or self.understood.written)


def owner_space(conversation: Conversation, row: Any) -> str:
    """Where what a message says of its owner belongs: the user's own space, whatever the project."""
    if row.actor_id:
        return f"user:{row.actor_id}"
    if row.agent_id and conversation.owner:
        return f"agent:{row.agent_id}"
    return conversation.owner or conversation.space


async def known_owner(parts: Parts, space: str, user_id: str | None) -> Owner:
    """The owner of a space, by the names that the profile has and the user's id."""
    async with parts.database.transaction(space) as connection:
        facts = await profiles.active(connection, space, parts.clock(), "high")
        cursor = await connection.execute(QUERIES["revision"], {"space": space})
        known = await cursor.fetchone()
    named = {fact.key: fact.value for fact in facts if fact.type == "identity" and fact.key in _NAMES}
    names = {name for value in named.values() for name in _known_as(value)}
    names |= {user_id.casefold()} if user_id else set()
    display = next((named[key] for key in _NAMES if key in named), None)
    return Owner(space, names, display, (known and known.timezone) or parts.settings.timezone)


async def facts_by_rules(
    parts: Parts, conversation: Conversation, row: Any, before: Any | None, owner: Owner
) -> tuple[Fact, ...]:
    """What a message says of its owner, as rules read it, whether or not there is a model."""
    await _rules_ready()
    bars = await bars_in(parts, conversation.space, owner.space)
    [row, *earlier] = told_rows(bars, [row, *([before] if before else [])])
    understood = await _by_rules(_utterance(conversation, row, earlier[0] if earlier else None, owner))
    return _sure_facts(parts, _unbarred(bars, understood, owner))


class Ahead:
    """What rules make of the messages that come next, read meanwhile on other threads.

    It counts where a message still reads the same when its turn comes: those before it may have taught who speaks, and
    something may have been barred.
    """

    def __init__(self) -> None:
        self._begun: dict[UUID, tuple[Utterance, asyncio.Task[Understood]]] = {}

    def begin(self, conversation: Conversation, row: Any, before: Any | None, owner: Owner) -> None:
        """Read a message before its turn, unless that is under way."""
        if row.id not in self._begun:
            utterance = _utterance(conversation, row, before, owner)
            self._begun[row.id] = utterance, asyncio.create_task(_by_rules(utterance))

    async def understood(self, row: Any, utterance: Utterance) -> Understood:
        """What rules make of a message whose turn it is."""
        begun = self._begun.pop(row.id, None)
        if begun is not None and begun[0] == utterance:
            return await begun[1]
        return await _by_rules(utterance)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for begun in self._begun.values():
            begun[1].cancel()


async def read(
    parts: Parts, conversation: Conversation, row: Any, earlier: Sequence[Any], owner: Owner, ahead: Ahead | None = None
) -> Reading:
    """Understand one message; `earlier` is what was said just before it, in order. What is barred was not said."""
    await _rules_ready()
    said, bars = said_of(conversation, row), await bars_in(parts, conversation.space, owner.space)
    heard, (row, *earlier) = row, told_rows(bars, [row, *earlier])
    before = earlier[-1] if earlier else None
    utterance = _utterance(conversation, row, before, owner)
    if utterance.own and keyless.is_bare_correction(row.body):
        talk = [_utterance(conversation, each, None, owner) for each in earlier if _leads_to(each, row)]
        utterance = replace(utterance, spoken_of=await asyncio.to_thread(_spoken_of, talk))
    understood, fell_back = Understood(), False
    if row.body.strip():
        by_rules = partial(ahead.understood, heard) if ahead is not None else _by_rules
        understood, fell_back = await _understood(parts, conversation.space, utterance, by_rules)
        understood = _unbarred(bars, understood, owner)
    return Reading(
        heard,
        owner,
        said,
        understood,
        _sure_facts(parts, understood),
        len(row.body) > parts.settings.long_turn,
        fell_back,
        await _answers(parts, owner, utterance, before),
    )


async def _rules_ready() -> None:
    """Before the first message: the rules are put together off the event loop, and those who wait go first."""
    for part in keyless.PARTS if not _ready else ():
        began = perf_counter()
        await asyncio.to_thread(keyless.put_together, part)
        await let_others_go_first(perf_counter() - began)
    _ready.add("rules")


_ready: set[str] = set()


def _unbarred(bars: Bars, understood: Understood, owner: Owner) -> Understood:
    """What a message taught, but for what is barred, and what a person deleted."""
    if not bars and not bars.deleted:
        return understood
    names = owner.words
    facts = (fact for fact in understood.facts if not _is_barred(bars, fact, names))
    statements = (
        statement
        for statement in understood.statements
        if not bars.bars(statement.content) and not bars.was_deleted(statement.content, names)
    )
    return replace(understood, facts=tuple(facts), statements=tuple(statements))


def _is_barred(bars: Bars, fact: Fact, names: frozenset[str]) -> bool:
    """That a value holds no more may be learned of one that was deleted, too."""
    sentence = profile_keys.sentence(fact.key, fact.value)
    return bars.bars(fact.value, sentence) or (not fact.ended and bars.was_deleted(sentence, names))


def _utterance(conversation: Conversation, row: Any, before: Any | None, owner: Owner) -> Utterance:
    own = row.name is None or owner.is_named(row.name)
    # In a space of many, "the user" would be anybody.
    unnamed = None if owner.space == conversation.space else row.actor_id
    speaker = (owner.display or row.name or unnamed) if own else row.name
    return Utterance(row.body, row.role, speaker, own, row.at, owner.zone, before.body if before else None)


def _leads_to(earlier: Any, row: Any) -> bool:
    """Whether a message is of the talk that one belongs to: the same person's, or the assistant's answers."""
    if earlier.retracted_at is not None or not earlier.body.strip():
        return False
    return bool(earlier.role == "assistant" or (earlier.role == "user" and earlier.name == row.name))


def _spoken_of(talk: Sequence[Utterance]) -> tuple[Fact, ...]:
    """What a talk was about at its end, so that "actually, it's …" is known to be of that."""
    facts: tuple[Fact, ...] = ()
    for utterance in talk:
        facts = keyless.spoken_of(replace(utterance, spoken_of=facts))
    return facts


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


async def _understood(
    parts: Parts, space: str, utterance: Utterance, by_rules: Callable[[Utterance], Awaitable[Understood]]
) -> tuple[Understood, bool]:
    """By the model where there is one; by rules where there is none, or where it cannot answer."""
    if parts.model is not None and parts.model.name("extract") is not None:
        if parts.breaker.is_open(parts.clock()):
            return await by_rules(utterance), True
        try:
            return await with_model.understand(parts.model, utterance, await guidance_of(parts, space)), False
        except Unavailable as error:
            parts.breaker.trip(parts.clock(), error)
            return await by_rules(utterance), True
        except RecollectError:
            return await by_rules(utterance), True
    return await by_rules(utterance), False


async def _by_rules(utterance: Utterance) -> Understood:
    """By rules; a message that they stumble over teaches nothing, and holds up none of the others."""
    try:
        return await asyncio.to_thread(keyless.understand, utterance)
    except Exception as error:
        _log.error("a message could not be understood: %s", describe(error))
        return Understood(rejected={"error": 1}, written=1)


async def guidance_of(parts: Parts, space: str) -> Guidance:
    """What a space tells extraction."""
    async with parts.database.transaction(space) as connection:
        cursor = await connection.execute(QUERIES["revision"], {"space": space})
        row = await cursor.fetchone()
    told = row.guidance if row else {}
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


def _sure_facts(parts: Parts, understood: Understood) -> tuple[Fact, ...]:
    return tuple(_settled(parts, fact) for fact in understood.facts if _is_sure(parts, fact))


def _is_sure(parts: Parts, fact: Fact) -> bool:
    settings = parts.settings
    return fact.confidence >= settings.fact_confidence and fact.importance >= settings.fact_importance


def _settled(parts: Parts, fact: Fact) -> Fact:
    """What the owner says of themself, and does not put in doubt, is certain: a model's 0.9 says no more."""
    if fact.first_person and fact.confidence >= parts.settings.pending_below:
        return replace(fact, confidence=1.0)
    return fact


async def _answers(
    parts: Parts, owner: Owner, utterance: Utterance, before: Any | None
) -> tuple[tuple[Any, bool], ...]:
    """Proposals that the assistant just named and the user says yes or no to."""
    if before is None or before.role != "assistant" or not utterance.own:
        return ()
    yes = acknowledged(utterance.text)
    if yes is None:
        return ()
    async with parts.database.transaction(owner.space) as connection:
        waiting = await profiles.consents(connection, owner.space, "open", parts.clock())
    return tuple((row, yes) for row in waiting if asks_consent(before.body, row.key, row.value))


def weightiest(reading: Reading, most: int) -> Sequence[Statement]:
    """The statements of a message that matter most, as many as it may add, in their order.

    What the profile tells of the same message already comes last; then what matters more is kept, and what is surer.
    """
    found = reading.statements
    if len(found) <= most:
        return found

    def weight(place: int) -> tuple[bool, float, float, int]:
        each = found[place]
        importance = default_importance("statement", each.type) if each.importance is None else each.importance
        return _is_told(each, reading.facts), -importance, -each.confidence, place

    return [found[place] for place in sorted(sorted(range(len(found)), key=weight)[:most])]


def _is_told(statement: Statement, facts: Sequence[Fact]) -> bool:
    """Whether a keyed fact of the message says the same: its value is in the statement, from the same words."""
    said = set(terms(statement.content))
    return any(
        (values := set(terms(fact.value))) and values <= said and _overlap(fact.quote, statement.quote)
        for fact in facts
        if not fact.ended
    )


def _overlap(one: str, other: str) -> bool:
    """Whether one piece of the message holds the other; without a piece, it cannot be told."""
    return not one or not other or one in other or other in one


def line_of(row: Any, zone: str = "UTC") -> Line:
    """A message as a summary reads it; its moment is one of the time zone, whose days "yesterday" counts by."""
    return Line(row.turn, row.role, row.name, mask(row.body), row.at.astimezone(ZoneInfo(zone)))
