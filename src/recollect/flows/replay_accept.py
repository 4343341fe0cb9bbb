"""Writing what somebody accepts of a replay: all chosen changes in one transaction, by the rules of every day.

Each change says what it rests on. Where that is not so any more (a memory was changed, deleted or spoken for, a message
retracted), the change is skipped, and says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from recollect.conversation.store import QUERIES as CONVERSATIONS
from recollect.core import check
from recollect.core.errors import Conflict, InvalidInput
from recollect.core.scope import Scope
from recollect.db.database import Connection, again_after_deadlock, turn_to
from recollect.flows import owning, retract, statements, statistics
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.flows.reading import known_owner
from recollect.flows.replay import place_of
from recollect.flows.replay_heard import Heard, basis_of, heard_of, statement_of
from recollect.flows.replay_statements import is_unsure
from recollect.flows.statements import Draft
from recollect.flows.understand import desk_of, zone_of
from recollect.profile import service as profile
from recollect.profile import store as profiles
from recollect.records import service
from recollect.records import store as records
from recollect.records.changes import Changes
from recollect.records.kinds import default_category
from recollect.records.model import Actor, Event, Passage
from recollect.replays import store
from recollect.replays.model import Planned, Replay, ReplayChange
from recollect.replays.store import Place, Stored
from recollect.understanding import profile_keys
from recollect.understanding.model import Fact

_MOVED_ON = "overtaken: it was changed, deleted or spoken for since"
_RETRACTED = "overtaken: a message that it rests on is not there any more"
_KNOWN = "overtaken: it is known, or was deleted by hand"
_ASKED = "overtaken: the user was asked about it since"
_CAP = "waits: today's allowance for long messages is used up"
_ORDER = {"retired": 0, "changed": 1, "added": 2}

Passages = Mapping[str, tuple[Passage, ...]]


@dataclass(frozen=True, slots=True)
class _Ready:
    """Everything that is needed to write changes, made before the transaction."""

    parts: Parts
    scope: Scope
    id: UUID
    heard: Mapping[str, Heard]
    passages: Mapping[str, Passages]
    """Search entries by space and text."""
    names: Mapping[str, str | None]
    """What the owners of messages are called, by space."""
    zone: str

    @property
    def at(self) -> Place:
        """Where the replay is kept."""
        return place_of(self.scope)

    @property
    def because(self) -> str:
        """What history says."""
        return f"replay {self.id}"

    def actor(self, reason: str) -> Actor:
        """Who accepted it. No person wrote the words, so that later talk may still change them."""
        scope = self.scope
        return Actor(scope.user_id, scope.agent_id, scope.thread_id, f"{self.because}: {reason}", by_hand=False)

    def stands(self, message: str) -> bool:
        """Whether a message is still there."""
        return message in self.heard


@dataclass(slots=True)
class _Written:
    """What became of changes so far."""

    decided: list[ReplayChange] = field(default_factory=list)

    def accepted(self, change: ReplayChange, memory_id: UUID | None) -> None:
        self.decided.append(replace(change, status="accepted", outcome=None, memory_id=memory_id))

    def skipped(self, change: ReplayChange, outcome: str) -> None:
        self.decided.append(replace(change, status="skipped", outcome=outcome))

    def waits(self, change: ReplayChange, outcome: str) -> None:
        self.decided.append(replace(change, outcome=outcome))


async def accept(parts: Parts, scope: Scope, id: UUID, changes: object) -> Replay:
    """Take changes of a replay, all that are open or those that are named; what is overtaken is skipped."""
    at = place_of(scope)
    async with parts.database.transaction(at.space) as connection:
        found = await store.get(connection, at, id)
        planned = await store.planned(connection, at, id)
    _refuse_undecidable(found.status, id)
    chosen = _chosen(planned, changes)
    ready = await _made_ready(parts, scope, id, [each for each in planned if each.change.id in chosen])
    return await _write(ready, chosen)


def _refuse_undecidable(status: str, id: UUID) -> None:
    if status == "reading":
        raise Conflict(f"replay {id} has not read everything: replay again to go on")
    if status == "discarded":
        raise Conflict(f"replay {id} was discarded")


def _chosen(planned: Sequence[Planned], changes: object) -> set[str]:
    """The ids of the changes that are meant."""
    known = {each.change.id for each in planned}
    if changes is None:
        return {each.change.id for each in planned if each.change.status == "open"}
    named = check.names("changes", changes)
    if not named:
        raise InvalidInput("changes", "names no change; leave it out to accept all")
    for each in named:
        if each not in known:
            raise InvalidInput("changes", f"the replay has no change {each!r}")
    return set(named)


async def _made_ready(parts: Parts, scope: Scope, id: UUID, planned: Sequence[Planned]) -> _Ready:
    """Read the messages, and embed every text."""
    messages = {str(said.message_id) for each in planned for said in each.change.messages}
    messages |= {each["message"] for change in planned for each in _sayings(change)}
    nothing = Stored(False, {})
    heard = await heard_of(parts, scope.space, {UUID(each): nothing for each in messages})
    texts: dict[str, list[str]] = {}
    for each in planned:
        space = scope.space if each.change.kind == "statement" else scope.own_space
        texts.setdefault(space, []).extend(map(_text, _sayings(each)))
    passages = {}
    for space, wanted in texts.items():
        entries = await passages_of(parts, space, [plain(text) for text in wanted])
        passages[space] = dict(zip(wanted, entries, strict=True))
    names = {each.owner: (await known_owner(parts, each.owner, each.row.actor_id)).display for each in heard}
    by_id = {str(each.row.id): each for each in heard}
    return _Ready(parts, scope, id, by_id, passages, names, await zone_of(parts, scope.own_space))


def _sayings(planned: Planned) -> Iterable[Mapping[str, Any]]:
    """The drafts or words of a change, as its plan keeps them."""
    return [*planned.plan.get("drafts", ()), *planned.plan.get("words", ())]


def _text(saying: Mapping[str, Any]) -> str:
    if "statement" in saying:
        return str(saying["statement"]["content"])
    return profile_keys.sentence(saying["fact"]["key"], saying["fact"]["value"])


@again_after_deadlock
async def _write(ready: _Ready, chosen: set[str]) -> Replay:
    """One transaction: the changes, what became of each, and whether anything is left to decide."""
    parts, at, own, space = ready.parts, ready.at, ready.scope.own_space, ready.scope.space
    written = _Written()
    async with parts.database.transaction(own, space) as connection:
        row = await store.hold(connection, at, ready.id)
        _refuse_undecidable(row.status, ready.id)
        planned = await store.planned(connection, at, ready.id)
        wanted = [each for each in planned if each.change.id in chosen and each.change.status == "open"]
        await turn_to(connection, space, own)
        standing = replace(ready, heard=await _standing(connection, ready))
        await _write_statements(standing, connection, [e for e in wanted if e.change.kind == "statement"], written)
        await turn_to(connection, own, space)
        await _write_profile(standing, connection, [e for e in wanted if e.change.kind != "statement"], written)
        await store.decide(connection, at, ready.id, written.decided)
        await _finish_when_done(ready, connection, planned, written)
        found = await store.get(connection, at, ready.id)
        await owning.follow_when_due(parts, connection, own)
        for each in sorted({own, space}):
            await turn_to(connection, each)
            await statistics.refresh_when_due(connection, each)
    await owning.follow(parts, own)
    return found


async def _standing(connection: Connection, ready: _Ready) -> dict[str, Heard]:
    """The messages that are there and stay so until the commit."""
    ids = [each.row.id for each in ready.heard.values()]
    cursor = await connection.execute(CONVERSATIONS["share"], {"space": ready.scope.space, "ids": ids})
    left = {str(row.id) for row in await cursor.fetchall() if row.retracted_at is None}
    return {id: each for id, each in ready.heard.items() if id in left}


async def _finish_when_done(
    ready: _Ready, connection: Connection, planned: Sequence[Planned], written: _Written
) -> None:
    """Nothing is left to decide, or something waits."""
    decided = {each.id for each in written.decided if each.status != "open"}
    if all(each.change.status != "open" or each.change.id in decided for each in planned):
        await store.finish(connection, ready.at, ready.id, "accepted", ready.parts.clock())
    counts = {status: sum(each.status == status for each in written.decided) for status in ("accepted", "skipped")}
    event = Event("hotpath", "replay", "ok", detail=counts)
    await records.record_events(connection, ready.scope.own_space, [event], ready.parts.clock())


# Statements --------------------------------------------------------------------------------------------


async def _write_statements(
    ready: _Ready, connection: Connection, planned: Sequence[Planned], written: _Written
) -> None:
    """What goes first, so that it contradicts nothing; then what is told otherwise; then what is new."""
    if not planned:
        return
    parts, space = ready.parts, ready.scope.space
    await profiles.hold_space(connection, space, parts.clock())
    ids = [UUID(each.plan["memory"]) for each in planned if "memory" in each.plan]
    await records.lock(connection, space, sorted(ids))
    known = {row.id: row for row in await records.get(connection, space, ids)}
    left = await _allowance(ready, connection)
    for each in sorted(planned, key=lambda each: _place(each, known)):
        change, row = each.change, known.get(UUID(each.plan.get("memory", str(UUID(int=0)))))
        if change.op == "added":
            left -= await _add(ready, connection, each, left, written)
        elif row is None or basis_of([row]) != each.plan["basis"]:
            written.skipped(change, _MOVED_ON)
        elif change.op == "retired":
            await _retire(ready, connection, row.id)
            written.accepted(change, row.id)
        else:
            await _tell_otherwise(ready, connection, row, each, written)


def _place(planned: Planned, known: Mapping[UUID, Any]) -> tuple[int, float]:
    """What was said last goes first, so that what it had ended holds again before that goes too."""
    row = known.get(planned.change.memory_id) if planned.change.memory_id else None
    later = -row.happened_at.timestamp() if row is not None and planned.change.op == "retired" else 0.0
    return _ORDER[planned.change.op], later


async def _allowance(ready: _Ready, connection: Connection) -> int:
    """How many statements long messages may still add today."""
    settings, now = ready.parts.settings, ready.parts.clock()
    today = now.astimezone(ZoneInfo(ready.zone)).replace(hour=0, minute=0, second=0, microsecond=0)
    return settings.long_turn_daily - await records.learned_since(connection, ready.scope.space, today)


async def _add(ready: _Ready, connection: Connection, planned: Planned, left: int, written: _Written) -> int:
    """Something new, unless it is known by now; how much of the day's allowance it took."""
    change = planned.change
    said = [each for each in planned.plan["drafts"] if ready.stands(each["message"])]
    if not said:
        written.skipped(change, _RETRACTED)
        return 0
    long = bool(said[0]["long"])
    if long and left <= 0:
        written.waits(change, _CAP)
        return 0
    asked = [(_draft(ready, each), ready.names[ready.heard[each["message"]].owner]) for each in said]
    space = ready.scope.space
    done = await statements.absorb(ready.parts, connection, space, asked, {}, ready.because)
    if not done.added:
        written.skipped(change, _KNOWN)
        return 0
    written.accepted(change, done.added[0][1])
    return int(long)


def _draft(ready: _Ready, kept: Mapping[str, Any]) -> Draft:
    statement = statement_of(kept["statement"])
    passages = ready.passages[ready.scope.space][statement.content]
    return Draft(statement, passages, ready.heard[kept["message"]].said, kept["long"])


async def _retire(ready: _Ready, connection: Connection, id: UUID) -> None:
    """A statement that no message says goes, and what it had ended holds again."""
    parts, space, now = ready.parts, ready.scope.space, ready.parts.clock()
    memory = await service.get(connection, space, id, now, parts.rules)
    actor = ready.actor("read again, no message says so")
    await service.soft_delete(connection, space, [id], now, actor, purge_days=parts.settings.purge_days)
    await retract.reopen(parts, connection, space, {str(id): memory}, actor)


async def _tell_otherwise(ready: _Ready, connection: Connection, row: Any, planned: Planned, written: _Written) -> None:
    """The same statement in the words of today; one that waited because it was not sure is known with them."""
    [said], change = planned.plan["drafts"], planned.change
    if not ready.stands(said["message"]):
        written.skipped(change, _RETRACTED)
        return
    parts, space, now = ready.parts, ready.scope.space, ready.parts.clock()
    draft, memory = _draft(ready, said), records.memory_of(row, ready.parts.clock(), ready.parts.rules)
    actor, statement = ready.actor(change.reason), draft.statement
    told = {
        "content": statement.content,
        "type": statement.type,
        "category": default_category("statement", statement.type),
        "confidence": statement.confidence,
    }
    passages = draft.passages if statement.content != memory.content else None
    length = await records.mean_length(connection, space)
    await service.change(connection, memory, Changes(told), passages, now, actor, length)
    if is_unsure(memory, parts.settings.pending_below):
        changed = await service.get(connection, space, memory.id, now, parts.rules)
        await service.promote(connection, changed, now, actor, confidence=statement.confidence)
    written.accepted(change, memory.id)


# The profile -------------------------------------------------------------------------------------------


async def _write_profile(ready: _Ready, connection: Connection, planned: Sequence[Planned], written: _Written) -> None:
    """Key by key: what came of these messages is taken back, and their words are learned as they are read now."""
    if not planned:
        return
    parts, space = ready.parts, ready.scope.own_space
    await profiles.hold_space(connection, space, parts.clock())
    desk = replace(await desk_of(parts, connection, space, ready.actor("said in chat")), because=ready.because)
    for each in planned:
        if not all(ready.stands(word["message"]) for word in each.plan["words"]):
            written.skipped(each.change, _RETRACTED)
        elif each.change.kind == "proposal":
            await _propose(ready, desk, each, written)
        else:
            await _retell(ready, desk, each, written)


async def _propose(ready: _Ready, desk: profile.Desk, planned: Planned, written: _Written) -> None:
    """A value that the user is asked about; never taken here."""
    change, known = planned.change, await profiles.consents(desk.connection, desk.space, None, desk.now)
    asked = [row for row in known if (row.type, row.key, row.status != "ignored") == (change.type, change.key, True)]
    if any(profile_keys.same_value(row.key, row.value, str(change.after)) for row in asked):
        written.skipped(change, _ASKED)
        return
    await _learn(ready, desk, planned)
    written.accepted(change, None)


async def _retell(ready: _Ready, desk: profile.Desk, planned: Planned, written: _Written) -> None:
    """One key, told anew."""
    change, plan = planned.change, planned.plan
    rows = await _rows_of(desk, change)
    if basis_of(rows) != plan["basis"]:
        written.skipped(change, _MOVED_ON)
        return
    free = [UUID(id) for id in plan["withdraw"]]
    days = ready.parts.settings.purge_days
    await service.soft_delete(desk.connection, desk.space, free, desk.now, ready.actor(change.reason), purge_days=days)
    for row in rows:
        if str(row.id) in plan["reopen"]:
            await _hold_again(ready, desk, row)
    await _learn(ready, desk, planned)
    held = await _rows_of(desk, change)
    active = next((row.id for row in held if profiles.held_of(row).active), change.memory_id)
    written.accepted(change, active)


async def _rows_of(desk: profile.Desk, change: ReplayChange) -> list[Any]:
    """The values of a key; of one with many items, those of this item."""
    key, value = str(change.key), str(change.before if change.after is None else change.after)
    rows = await profiles.rows_of_key(desk.connection, desk.space, change.type, key)
    if profile_keys.holds_many(key):
        return [row for row in rows if profile_keys.same_value(key, row.data["value"], value)]
    return rows


async def _hold_again(ready: _Ready, desk: profile.Desk, row: Any) -> None:
    """A value holds again that what is taken back had ended."""
    memory = records.memory_of(row, desk.now, desk.rules)
    data = {name: value for name, value in memory.data.items() if name != "ended_by"}
    actor, length = ready.actor("what had ended it is read otherwise"), desk.mean_length
    await service.change(
        desk.connection, memory, Changes({"valid_until": None}), None, desk.now, actor, length, event=None, data=data
    )


async def _learn(ready: _Ready, desk: profile.Desk, planned: Planned) -> None:
    for word in planned.plan["words"]:
        fact = Fact(**word["fact"])
        passages = ready.passages[desk.space][profile_keys.sentence(fact.key, fact.value)]
        await profile.learn(desk, fact, passages, ready.heard[word["message"]].said)
