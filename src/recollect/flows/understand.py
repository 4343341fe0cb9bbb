"""Messages become knowledge: profile facts, statements and milestones. One job takes all that waits in a space.

What a group of messages taught is written in one transaction together with how far the conversation is understood, so
that nothing is learned twice and nothing is skipped. Rules read a whole batch at once; a model is slow, and each of its
readings is kept as soon as it is there.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from recollect.conversation.model import Conversation
from recollect.conversation.service import UNDERSTAND_TASK
from recollect.conversation.store import QUERIES, conversation_of, hold
from recollect.core.courtesy import let_others_go_first
from recollect.core.errors import RecollectError, Unavailable
from recollect.db.database import Connection, turn_to
from recollect.flows import milestones, owning, procedures, statements, statistics
from recollect.flows.barring import bars_in, told_rows
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.flows.reading import (
    Ahead,
    Owner,
    Reading,
    facts_by_rules,
    known_owner,
    line_of,
    owner_space,
    read,
    said_of,
    weightiest,
)
from recollect.flows.statements import Draft
from recollect.profile import service as profile
from recollect.profile import store as profiles
from recollect.profile.conflicts import Policy
from recollect.profile.model import Said
from recollect.providers.onnx import thread_count
from recollect.queue import enqueue_on
from recollect.records import store
from recollect.records.model import Actor, Event, Passage
from recollect.understanding import profile_keys, with_model

TASK = UNDERSTAND_TASK
REREAD = "reread"
REREAD_SECONDS = 60.0

_BATCH = 100
BEFORE = 6
"""Messages before the first new one, for milestones that began earlier and for what a correction corrects."""

Passages = tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Taught:
    """What one message taught, with the search entries of each text."""

    reading: Reading
    facts: tuple[Passages, ...]
    answers: tuple[Passages, ...]
    drafts: tuple[Draft, ...]


@dataclass(slots=True)
class Counts:
    """What a run did."""

    seen: int = 0
    changed: int = 0
    merged: int = 0
    failed: int = 0
    milestones: int = 0
    learned: list[tuple[int, UUID]] = field(default_factory=list)
    """Of the batch at hand: the turns, and the statements that they taught."""

    def as_dict(self) -> dict[str, int]:
        """The counts as jobs return them."""
        names = ("seen", "changed", "merged", "failed", "milestones")
        return {name: getattr(self, name) for name in names}


async def understand(parts: Parts, space: str) -> dict[str, int]:
    """Learn from all that waits, conversation by conversation, in the order in which it was said."""
    counts = Counts()
    if not parts.settings.understand:
        await _pass_over(parts, space)
        return counts.as_dict()
    for row in await rows_of(parts, space, "to_understand"):
        await _conversation(parts, conversation_of(row), counts)
    return counts.as_dict()


async def _pass_over(parts: Parts, space: str) -> None:
    """Mark all that waits as read."""
    passed = {"space": space, "ids": [row.id for row in await rows_of(parts, space, "to_pass_over")]}
    async with parts.database.transaction(space) as connection:
        await connection.execute(QUERIES["hold_conversations"], passed)
        await connection.execute(QUERIES["pass_over"], passed)


async def rows_of(parts: Parts, space: str, name: str, **values: Any) -> list[Any]:
    """What one statement about conversations gives."""
    async with parts.database.transaction(space) as connection:
        cursor = await connection.execute(QUERIES[name], {"space": space, **values})
        return await cursor.fetchall()


async def _conversation(parts: Parts, conversation: Conversation, counts: Counts) -> None:
    """Batch by batch, until nothing waits."""
    owners: dict[str, Owner] = {}
    after = conversation.understood_turn
    while True:
        place = {"conversation_id": conversation.id, "after": after - BEFORE, "limit": _BATCH + BEFORE}
        rows = await rows_of(parts, conversation.space, "since", **place)
        new = [row for row in rows if row.turn > after]
        if not new:
            return
        counts.learned = []
        async for group in _groups(parts, conversation, rows, after, owners):
            try:
                taught = await prepared(parts, conversation.space, group)
            except Exception:
                await _learn_profiles(parts, conversation, rows, after)
                raise
            await _write(parts, conversation, taught, counts)
        await _finish(parts, conversation, rows, after, counts)
        counts.seen += len(new)
        after = new[-1].turn


async def _groups(
    parts: Parts, conversation: Conversation, rows: Sequence[Any], after: int, owners: dict[str, Owner]
) -> AsyncIterator[list[Reading]]:
    """The new messages of a batch read in order, each knowing what the ones before it taught."""
    slow = parts.model is not None and parts.model.name("extract") is not None
    group: list[Reading] = []
    said, alone = list(_said_by_users(rows, after)), False
    with Ahead() as ahead:
        for number, (row, earlier) in enumerate(said):
            if alone and not slow:
                for next_row, before in said[number : number + thread_count(parts.settings.embedding_threads)]:
                    owner = await _owner(parts, conversation, next_row, owners)
                    ahead.begin(conversation, next_row, before[-1] if before else None, owner)
            owner = await _owner(parts, conversation, row, owners)
            began = perf_counter()
            reading = await read(parts, conversation, row, earlier, owner, ahead)
            alone = await let_others_go_first(perf_counter() - began)
            for fact in reading.understood.facts:
                owner.learn(fact)
            if reading.something:
                group.append(reading)
            if slow and group:
                yield group
                group = []
    if group:
        yield group


def _said_by_users(rows: Sequence[Any], after: int) -> Iterator[tuple[Any, Sequence[Any]]]:
    """The new messages that something can be learned from, each with those before it."""
    for place, row in enumerate(rows):
        if row.turn > after and row.role == "user" and row.retracted_at is None and row.body.strip():
            yield row, rows[max(0, place - BEFORE) : place]


async def _learn_profiles(parts: Parts, conversation: Conversation, rows: Sequence[Any], after: int) -> None:
    """The keyed facts of messages, which need no vector, while the embedder is away.

    Nothing counts as read by it: all of it is read once more when the embedder is back, and a value that is known by
    then is the same word of the same witness.
    """
    owners: dict[str, Owner] = {}
    for row, earlier in _said_by_users(rows, after):
        owner = await _owner(parts, conversation, row, owners)
        facts = await facts_by_rules(parts, conversation, row, earlier[-1] if earlier else None, owner)
        if not facts:
            continue
        said = said_of(conversation, row)
        async with parts.database.transaction(conversation.space, owner.space) as connection:
            await hold(connection, conversation.space, conversation.id)
            if await _taken_back(connection, conversation.space, [row.id]):
                continue
            await turn_to(connection, owner.space, conversation.space)
            desk = await desk_of(parts, connection, owner.space, _actor(said))
            for fact in facts:
                await profile.learn_unindexed(desk, fact, said)
                owner.learn(fact)


async def zone_of(parts: Parts, space: str) -> str:
    """The time zone whose days a space counts by."""
    [*found] = await rows_of(parts, space, "revision")
    return (found and found[0].timezone) or parts.settings.timezone


async def _owner(parts: Parts, conversation: Conversation, row: Any, owners: dict[str, Owner]) -> Owner:
    space = owner_space(conversation, row)
    if space not in owners:
        owners[space] = await known_owner(parts, space, row.actor_id)
    return owners[space]


# Preparing ---------------------------------------------------------------------------------------------


async def prepared(parts: Parts, space: str, group: Sequence[Reading]) -> list[Taught]:
    """Everything is embedded before the transaction begins, all texts of a space at once."""
    kept = await _within_caps(parts, space, group)
    texts: dict[str, dict[str, None]] = {}
    for reading, found in zip(group, kept, strict=True):
        texts.setdefault(space, {}).update(dict.fromkeys(statement.content for statement in found))
        texts.setdefault(reading.owner.space, {}).update(dict.fromkeys(_sentences(reading)))
    ready: dict[tuple[str, str], Passages] = {}
    for where, wanted in texts.items():
        if wanted:
            entries = await passages_of(parts, where, [plain(text) for text in wanted])
            ready |= {(where, text): passages for text, passages in zip(wanted, entries, strict=True)}
    taught = []
    for reading, found in zip(group, kept, strict=True):
        of_owner = [ready[reading.owner.space, text] for text in _sentences(reading)]
        drafts = [Draft(each, ready[space, each.content], reading.said, reading.long) for each in found]
        many = len(reading.facts)
        taught.append(Taught(reading, tuple(of_owner[:many]), tuple(of_owner[many:]), tuple(drafts)))
    return taught


def _sentences(reading: Reading) -> list[str]:
    """The texts that go into the owner's space: those of facts, then those of proposals."""
    said = [(fact.key, fact.value) for fact in reading.facts] + [(row.key, row.value) for row, _ in reading.answers]
    return [profile_keys.sentence(key, value) for key, value in said]


async def _within_caps(parts: Parts, space: str, group: Sequence[Reading]) -> list[Any]:
    """The statements that each message may add; long messages share a daily allowance."""
    settings = parts.settings
    left = settings.long_turn_daily
    if any(reading.long and reading.statements for reading in group):
        zone = ZoneInfo(group[0].owner.zone)
        today = parts.clock().astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
        async with parts.database.transaction(space) as connection:
            left -= await store.learned_since(connection, space, today)
    kept = []
    for reading in group:
        most = min(settings.turn_writes, max(0, left)) if reading.long else settings.turn_writes
        kept.append(weightiest(reading, most))
        left -= len(kept[-1]) if reading.long else 0
    return kept


async def judged(parts: Parts, space: str, taught: Sequence[Taught]) -> dict[tuple[UUID, str], str]:
    """What the model says of pairs in the doubtful band that the same-fact test would keep apart."""
    if parts.model is None or parts.model.name("judge") is None or parts.breaker.is_open(parts.clock()):
        return {}
    asked = [(draft, each.reading.owner.display) for each in taught for draft in each.drafts]
    async with parts.database.transaction(space) as connection:
        near = await statements.neighbours(parts, connection, space, asked)
    pairs = [(draft, neighbour) for (draft, _), of_one in zip(asked, near, strict=True) for neighbour in of_one]
    found: dict[tuple[UUID, str], str] = {}
    for draft, neighbour in pairs:
        in_doubt = parts.settings.merge_likely <= neighbour.similarity < parts.settings.merge_same
        if in_doubt and neighbour.alive and neighbour.verdict.relation == "different":
            text = draft.statement.content
            try:
                relation = await with_model.same_fact(parts.model, neighbour.memory.content, text)
            except Unavailable as error:
                parts.breaker.trip(parts.clock(), error)
                break
            except RecollectError:
                continue  # the test's word stands
            found[neighbour.memory.id, text] = relation
    return found


# Writing -----------------------------------------------------------------------------------------------


async def _write(parts: Parts, conversation: Conversation, group: Sequence[Taught], counts: Counts) -> None:
    """One transaction: what the messages taught, and that they were read."""
    space = conversation.space
    verdicts = await judged(parts, space, group)
    owners = sorted({taught.reading.owner.space for taught in group})
    async with parts.database.transaction(space, *owners) as connection:
        left = await _still_to_learn(connection, conversation, group)
        await absorb(parts, connection, space, left, verdicts, counts)
        await _note(parts, connection, conversation, left)
        last = group[-1].reading.row.turn
        await connection.execute(QUERIES["mark_understood"], {"space": space, "id": conversation.id, "turn": last})
        await write_profiles(parts, connection, space, left)
        await follow_names(parts, connection, space, left)
        if any(taught.reading.fell_back for taught in left):
            await enqueue_on(connection, REREAD, space, after=REREAD_SECONDS)
        await refresh(connection, space, *owners)


async def _still_to_learn(connection: Connection, conversation: Conversation, group: Sequence[Taught]) -> list[Taught]:
    """What no other worker has learned meanwhile, and was not taken back; the conversation is held."""
    space = conversation.space
    held = await hold(connection, space, conversation.id)
    if held is None:
        return []
    gone = await _taken_back(connection, space, [taught.reading.row.id for taught in group])
    rows = [(taught, taught.reading.row) for taught in group]
    return [taught for taught, row in rows if row.turn > held.understood_turn and row.id not in gone]


async def _taken_back(connection: Connection, space: str, ids: Sequence[UUID]) -> set[UUID]:
    """Which of some messages were retracted meanwhile."""
    cursor = await connection.execute(QUERIES["retracted"], {"space": space, "ids": list(ids)})
    return {row.id for row in await cursor.fetchall()}


async def absorb(
    parts: Parts,
    connection: Connection,
    space: str,
    group: Sequence[Taught],
    verdicts: dict[tuple[UUID, str], str],
    counts: Counts,
) -> None:
    """The statements of messages, each against all that is known by then."""
    asked = [(draft, taught.reading.owner.display) for taught in group for draft in taught.drafts]
    done = await statements.absorb(parts, connection, space, asked, verdicts)
    counts.changed += len(done.added) + sum(len(taught.reading.facts) for taught in group)
    counts.merged += len(done.merged)
    counts.failed += sum(taught.reading.fell_back for taught in group)
    counts.learned += [*done.added, *done.merged]


async def refresh(connection: Connection, *spaces: str) -> None:
    """Last of all: who enqueues the same work at the same moment waits for our commit."""
    for space in sorted(set(spaces)):
        await statistics.refresh_when_due(connection, space)


async def write_profiles(parts: Parts, connection: Connection, space: str, group: Sequence[Taught]) -> None:
    """What messages say of their owners, in the owners' spaces; the one they were said in is still read from."""
    for taught in group:
        reading = taught.reading
        if not reading.facts and not reading.answers:
            continue
        await turn_to(connection, reading.owner.space, space)
        desk = await desk_of(parts, connection, reading.owner.space, _actor(reading.said))
        for (row, yes), passages in zip(reading.answers, taught.answers, strict=True):
            by, status = reading.said.actor_id or reading.owner.space, "accepted" if yes else "declined"
            closed = await profiles.close(connection, desk.space, row.id, status, desk.now, by)
            if yes:
                await profile.accept(desk, row, passages)
            if closed:
                await profile.tell_decision(connection, row, status, desk.now, replace(desk.actor, actor=by))
        for fact, passages in zip(reading.facts, taught.facts, strict=True):
            await profile.learn(desk, fact, passages, reading.said)


async def follow_names(parts: Parts, connection: Connection, space: str, group: Sequence[Taught]) -> None:
    """The nodes of owners who said what they are called, or said yes to it, follow."""
    told = {taught.reading.owner.space for taught in group if _names_owner(taught.reading)}
    for owner in sorted(told):
        await turn_to(connection, owner, space)
        await owning.follow_when_due(parts, connection, owner)


def _names_owner(reading: Reading) -> bool:
    said = [(fact.type, fact.key) for fact in reading.facts] + [
        (row.type, row.key) for row, yes in reading.answers if yes
    ]
    return any(owning.names_owner(type, key) for type, key in said)


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


async def _note(parts: Parts, connection: Connection, conversation: Conversation, group: Sequence[Taught]) -> None:
    """What was read, by whom, and how many drafts kept to the writing rules."""
    events = []
    for taught in group:
        reading, understood = taught.reading, taught.reading.understood
        status = "fallback" if reading.fell_back else "ok"
        detail = {"written": understood.written, "rejected": dict(understood.rejected)}
        events.append(Event("worker", "extract", status, memory_id=reading.row.id, detail=detail))
        if reading.fell_back:
            place = {"space": conversation.space, "conversation_id": conversation.id, "turn": reading.row.turn}
            await connection.execute(QUERIES["remember_to_reread"], place | {"tries": 0})
    if events:
        await store.record_events(connection, conversation.space, events, parts.clock())


async def _finish(parts: Parts, conversation: Conversation, rows: Sequence[Any], after: int, counts: Counts) -> None:
    """Milestones and procedures of the batch, and that all of it was read."""
    zone = await zone_of(parts, conversation.space)
    free = told_rows(await bars_in(parts, conversation.space), rows)
    lines = [line_of(row, zone) for row in free if row.retracted_at is None and row.body.strip()]
    found = milestones.found(lines, after)
    ready = await milestones.prepared(parts, conversation, found, rows, counts.learned)
    told = procedures.found(free, after)
    spelled_out = await procedures.prepared(parts, conversation.space, told) if told else []
    async with parts.database.transaction(conversation.space) as connection:
        row = await hold(connection, conversation.space, conversation.id)
        if row is None or row.understood_turn > rows[-1].turn:
            return
        gone = await _taken_back(connection, conversation.space, [each.id for each in rows])
        ready = [each for each in ready if gone.isdisjoint(map(UUID, each.messages))]
        counts.milestones += await milestones.write(parts, connection, conversation, ready)
        kept = [each for each in spelled_out if each.row.id not in gone]
        counts.changed += await procedures.write(parts, connection, conversation, kept)
        await connection.execute(
            QUERIES["mark_understood"],
            {"space": conversation.space, "id": conversation.id, "turn": rows[-1].turn},
        )
