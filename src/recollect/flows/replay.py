"""Upgrade by replay: the raw log is read again by what is configured now, and what would change is shown.

A message's reading is kept as it comes, so that a run that was interrupted goes on where it was. Nothing that is
remembered changes by it: `flows/replay_accept.py` writes what somebody accepts of it.

Reading is on the account of the space that is read. Where the day's cap is used up the run rests as it is and says so;
rules do not stand in for the model here, as somebody would take their words for the model's.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from time import perf_counter
from typing import Any
from uuid import UUID

from recollect.conversation import service as conversations
from recollect.conversation.model import Conversation
from recollect.core import check
from recollect.core.courtesy import let_others_go_first
from recollect.core.errors import Conflict, NotFound, Unavailable
from recollect.core.scope import Scope
from recollect.flows.parts import Parts
from recollect.flows.reading import Owner, Reading, known_owner, owner_space, read, weightiest
from recollect.flows.replay_heard import facts_of, heard_of
from recollect.flows.replay_profile import plan_profile
from recollect.flows.replay_statements import plan_statements
from recollect.flows.understand import BEFORE, rows_of, zone_of
from recollect.governance.spend import paid_by
from recollect.replays import store
from recollect.replays.model import RULES, Replay
from recollect.replays.store import Place, Stored

_BATCH = 100
_PAGE = 1_000
Progress = Callable[[int, int], None]


class _Rests(Exception):
    """The day's cap is used up: what was read stays, the rest waits."""


@dataclass(slots=True)
class _Run:
    """A replay under way."""

    parts: Parts
    at: Place
    id: UUID
    since: datetime | None
    known: dict[UUID, Stored]
    owners: dict[str, Owner]


async def replay(parts: Parts, scope: Scope, thread: object, since: object, progress: Progress | None = None) -> Replay:
    """Read what was said again, or the rest of it, and plan what would change by it."""
    named = None if thread is None else check.identifier("thread", thread)
    moment = None if since is None else check.filter_moment("since", since, await zone_of(parts, scope.own_space))
    talks = await _conversations(parts, scope, named)
    at, total = place_of(scope), await _total(parts, scope.space, talks, moment)
    async with parts.database.transaction(at.space) as connection:
        id = await store.begin(connection, at, named, moment, extractor(parts), parts.clock())
        await store.go_on(connection, at, id, total)
        known = await store.readings(connection, at, id)
    run = _Run(parts, at, id, moment, known, {})
    parts.breaker.reset()
    try:
        with paid_by(scope.space):
            await _read_all(run, talks, total, progress or _unseen)
    except _Rests:
        return await get_replay(parts, scope, id)
    return await _planned(run, scope)


def _unseen(done: int, total: int) -> None:
    """Nobody watches."""


def place_of(scope: Scope) -> Place:
    """Replays lie in the asker's own space, as they may tell of the profile."""
    return Place(scope.own_space, scope.space)


def extractor(parts: Parts) -> str:
    """What reads messages now."""
    return (parts.model.name("extract") if parts.model is not None else None) or RULES


async def _conversations(parts: Parts, scope: Scope, thread: str | None) -> list[Conversation]:
    """The scope's conversations and the shared ones, those that are remembered; of a thread, if one is named."""
    found: list[Conversation] = []
    after: UUID | None = None
    while page := await conversations.conversations(parts.database, scope, None, _PAGE, after):
        found += [each for each in page if each.remember and thread in (None, each.thread_id)]
        after = page[-1].id
    if thread is not None and not found:
        raise NotFound(f"there is no conversation {thread!r} that is remembered")
    return found


async def _total(parts: Parts, space: str, talks: Sequence[Conversation], since: datetime | None) -> int:
    [row] = await rows_of(parts, space, "count_said", ids=[each.id for each in talks], since=since)
    return int(row.said)


# Reading -----------------------------------------------------------------------------------------------


async def _read_all(run: _Run, talks: Sequence[Conversation], total: int, progress: Progress) -> None:
    """Message by message, in order; those that were read before are passed by."""
    done = 0
    progress(done, total)
    for conversation in talks:
        async for row, earlier in _said(run, conversation):
            owner = await _owner(run, conversation, row)
            stored = run.known.get(row.id)
            if stored is None or stored.fell_back:
                stored = await _read(run, conversation, row, earlier, owner, done, total)
            for fact in facts_of(stored.found):
                owner.learn(fact)
            run.known[row.id] = stored
            done += 1
            progress(done, max(total, done))


async def _said(run: _Run, conversation: Conversation) -> AsyncIterator[tuple[Any, Sequence[Any]]]:
    """What users said of which something was, or could have been, learned; each with what was said just before."""
    after = 0
    while True:
        place = {"conversation_id": conversation.id, "after": after - BEFORE, "limit": _BATCH + BEFORE}
        rows = await rows_of(run.parts, conversation.space, "since", **place)
        new = [row for row in rows if after < row.turn <= conversation.understood_turn]
        if not new:
            return
        for number, row in enumerate(rows):
            if after < row.turn <= conversation.understood_turn and _counts(run, row):
                yield row, rows[max(0, number - BEFORE) : number]
        after = new[-1].turn


def _counts(run: _Run, row: Any) -> bool:
    early = run.since is not None and row.at < run.since
    return bool(row.role == "user" and row.retracted_at is None and row.body.strip() and not early)


async def _owner(run: _Run, conversation: Conversation, row: Any) -> Owner:
    space = owner_space(conversation, row)
    if space not in run.owners:
        run.owners[space] = await known_owner(run.parts, space, row.actor_id)
    return run.owners[space]


async def _read(
    run: _Run, conversation: Conversation, row: Any, earlier: Sequence[Any], owner: Owner, done: int, total: int
) -> Stored:
    """One message, read now and kept. A model that is out of reach ends the run; what was read stays."""
    parts = run.parts
    began = perf_counter()
    reading = await read(parts, conversation, row, earlier, owner)
    await let_others_go_first(perf_counter() - began)
    if reading.fell_back and await parts.governor.stopped_for(run.at.of_space) is not None:
        raise _Rests
    if reading.fell_back and parts.breaker.is_open(parts.clock()):
        read_so_far = f"{done} of {total} messages are read: replay again to go on"
        raise Unavailable("the language model", f"{parts.breaker.problem}; {read_so_far}")
    stored = Stored(reading.fell_back, {} if reading.fell_back else _found(parts, reading))
    async with parts.database.transaction(run.at.space) as connection:
        if not await store.keep_reading(connection, run.at, run.id, row.id, stored, parts.clock()):
            raise Conflict(f"replay {run.id} was ended by somebody else")
    return stored


def _found(parts: Parts, reading: Reading) -> dict[str, Any]:
    """What a message taught, within the caps of a message, as it is kept."""
    statements = [asdict(each) for each in weightiest(reading, parts.settings.turn_writes)]
    for each in statements:
        each["happened"] = each["happened"] and each["happened"].isoformat()
    return {"facts": [asdict(fact) for fact in reading.facts], "statements": statements, "long": reading.long}


async def _planned(run: _Run, scope: Scope) -> Replay:
    """All is read: what would change, for somebody to decide. Messages that could not be read change nothing."""
    heard = {str(each.row.id): each for each in await heard_of(run.parts, scope.space, run.known)}
    facts = await plan_profile(run.parts, scope, heard)
    changes = facts + await plan_statements(run.parts, scope, heard)
    async with run.parts.database.transaction(run.at.space) as connection:
        row = await store.hold(connection, run.at, run.id)
        if row.status != "reading":
            raise Conflict(f"replay {run.id} was ended by somebody else")
        await store.plan(connection, run.at, run.id, list(run.known.values()), changes, run.parts.clock())
        return await store.get(connection, run.at, run.id)


# Looking, and letting go -------------------------------------------------------------------------------


async def replays(parts: Parts, scope: Scope, limit: object) -> list[Replay]:
    """The scope's replays, newest first."""
    most = check.count("limit", limit)
    async with parts.database.transaction(scope.own_space) as connection:
        found = await store.listed(connection, place_of(scope), most)
    rest = await parts.governor.stopped_for(scope.space)
    return [_resting(parts, each, rest) for each in found]


async def get_replay(parts: Parts, scope: Scope, id: UUID) -> Replay:
    """One of them."""
    async with parts.database.transaction(scope.own_space) as connection:
        found = await store.get(connection, place_of(scope), id)
    return _resting(parts, found, await parts.governor.stopped_for(scope.space))


def _resting(parts: Parts, replay: Replay, rest: timedelta | None) -> Replay:
    """A replay that is not through, with how long the space's cap keeps its model from reading on."""
    if rest is None or replay.status != "reading" or replay.extractor == RULES:
        return replay
    return replace(replay, resumes_at=parts.clock() + rest)


async def discard(parts: Parts, scope: Scope, id: UUID) -> Replay:
    """Nothing more of it is wanted."""
    at = place_of(scope)
    async with parts.database.transaction(at.space) as connection:
        row = await store.hold(connection, at, id)
        if row.status == "accepted":
            raise Conflict(f"replay {id} is accepted already")
        if row.status != "discarded":
            await store.finish(connection, at, id, "discarded", parts.clock())
        return await store.get(connection, at, id)
