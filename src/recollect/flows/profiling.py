"""The profile by hand: reading it, setting a value, deciding proposals; pending statements; a space's own guidance."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from recollect.conversation.store import QUERIES as CONVERSATIONS
from recollect.core import check
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.db.compose import Jsonb
from recollect.flows import barring, owning, revise, statistics
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.flows.revise import actor_of
from recollect.flows.understand import desk_of
from recollect.profile import service, store
from recollect.profile.model import STATUSES, TYPES, Consent, ProfileFact, Said
from recollect.records import service as records
from recollect.records import store as memories
from recollect.records.kinds import KINDS
from recollect.records.model import Actor, Event, HistoryEntry, Memory
from recollect.understanding import profile_keys
from recollect.understanding.model import Fact

_CATEGORY = KINDS["profile"].category
_LONGEST_VALUE = 2_000
_GUIDANCE = ("instructions", "profile_keys", "entity_types", "relation_types")


async def profile(parts: Parts, scope: Scope) -> list[ProfileFact]:
    """What holds for the scope's owner, most important first."""
    space = scope.own_space
    async with parts.database.transaction(space) as connection:
        return await store.active(connection, space, parts.clock(), scope.sensitivity)


async def set_profile(
    parts: Parts, scope: Scope, type: object, key: object, value: object, confidence: object
) -> ProfileFact:
    """Say what holds; whatever held for the key gives way."""
    fact = checked_fact(type, key, value, confidence)
    space, now = scope.own_space, parts.clock()
    [passages] = await passages_of(parts, space, [plain(profile_keys.sentence(fact.key, fact.value))])
    said = Said(now, agent_id=scope.agent_id, run_id=scope.run_id, actor_id=scope.user_id, thread_id=scope.thread_id)
    async with parts.database.transaction(space) as connection:
        sentence = profile_keys.sentence(fact.key, fact.value)
        await barring.refuse(parts, connection, space, [fact.value, sentence])
        desk = await desk_of(parts, connection, space, actor_of(scope, "set by hand"))
        await service.set_by_hand(desk, fact, passages, said)
        event = Event("hotpath", "set_profile", "ok", detail={"type": fact.type, "key": fact.key})
        await memories.record_events(connection, space, [event], now)
        facts = await store.active(connection, space, now, "high")
        await owning.follow_when_due(parts, connection, space)
        await statistics.refresh_when_due(connection, space)
    await owning.follow(parts, space)
    return next(found for found in facts if (found.type, found.key) == (fact.type, fact.key))


def checked_fact(type: object, key: object, value: object, confidence: object) -> Fact:
    """A fact as a caller gave it."""
    kind: Any = check.choice("type", type, TYPES)
    name = profile_keys.normal_key(check.identifier("key", key))
    if not name:
        raise InvalidInput("key", "needs letters or digits")
    text = " ".join(check.text("value", value, most_bytes=_LONGEST_VALUE).split())
    if (kind, name) == ("identity", "timezone") and not service.is_zone(text):
        raise InvalidInput("value", f"{text!r} is no time zone, such as Europe/Lisbon")
    return Fact(kind, name, text, check.unit("confidence", confidence), profile_keys.importance(kind, name))


async def consents(parts: Parts, scope: Scope, status: str | None) -> list[Consent]:
    """Proposals for the owner's profile; those that wait to be decided, unless another status is asked for."""
    wanted = None if status is None else check.choice("status", status, STATUSES)
    space = scope.own_space
    async with parts.database.transaction(space) as connection:
        return [store.consent_of(row) for row in await store.consents(connection, space, wanted, parts.clock())]


async def decide(parts: Parts, scope: Scope, id: UUID, accept: bool) -> Consent:
    """The owner says yes or no to a proposal."""
    space = scope.own_space
    scope.refuse_blind()
    async with parts.database.transaction(space) as connection:
        row = await store.consent(connection, space, id)
    if row is None or not scope.sees(_CATEGORY):
        raise NotFound(f"there is no proposal {id}")
    if row.status == "open" and row.expires_at is not None and row.expires_at <= parts.clock():
        raise Conflict(f"proposal {id} has lapsed")
    [passages] = await passages_of(parts, space, [plain(profile_keys.sentence(row.key, row.value))])
    async with parts.database.transaction(space) as connection:
        status = "accepted" if accept else "declined"
        desk = await desk_of(parts, connection, space, actor_of(scope, f"proposal {status}"))
        by = scope.user_id or scope.agent_id or space
        decided = await store.close(connection, space, id, status, desk.now, by)
        if decided is None:
            found = await store.consent(connection, space, id)
            if found is None:
                raise NotFound(f"there is no proposal {id}")
            raise Conflict(f"proposal {id} is {found.status} already")
        if accept:
            await service.accept(desk, row, passages)
            await owning.follow_when_due(parts, connection, space)
        await service.tell_decision(connection, row, status, desk.now, desk.actor)
        await memories.record_events(connection, space, [Event("hotpath", "decide", status, id)], desk.now)
        if accept:
            await statistics.refresh_when_due(connection, space)
    await owning.follow(parts, space)
    return decided


async def history(parts: Parts, scope: Scope, id: UUID) -> list[HistoryEntry]:
    """Everything that happened to a memory, or to a proposal of the owner, oldest first."""
    try:
        return await revise.history(parts, scope, id)
    except NotFound:
        space = scope.own_space
        async with parts.database.transaction(space) as connection:
            if not scope.sees(_CATEGORY) or await store.consent(connection, space, id) is None:
                raise
            return await records.history(connection, space, id)


async def lapse(parts: Parts, space: str, now: datetime) -> dict[str, int]:
    """Proposals that nobody decided in time are void."""
    async with parts.database.transaction(space) as connection:
        lapsed = await store.lapse(connection, space, now)
        for row in lapsed:
            await service.tell_decision(connection, row, "lapsed", now, Actor("recollect", by_hand=False))
    return {"seen": len(lapsed), "changed": len(lapsed)}


async def pending(parts: Parts, scope: Scope, limit: int) -> list[Memory]:
    """Statements that wait for corroboration, oldest first."""
    found: list[Memory] = []
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            cursor = await connection.execute(memories.QUERIES["pending"], {"space": space, "limit": limit})
            rows = [row for row in await cursor.fetchall() if scope.may_see(row)]
        found += [memories.memory_of(row, parts.clock(), parts.rules) for row in rows]
    return sorted(found, key=lambda memory: memory.id)[:limit]


async def promote(parts: Parts, scope: Scope, memory: Memory) -> Memory:
    """A pending statement is known from now on, because a person says so."""
    if memory.kind != "statement":
        raise InvalidInput("id", f"names a {memory.kind}; only a pending statement or a source can be promoted")
    async with parts.database.transaction(memory.space) as connection:
        held = await records.hold(connection, memory.space, memory.id, parts.clock(), parts.rules, None)
        if held.pending:
            sure = max(held.confidence, parts.settings.pending_below)
            actor = actor_of(scope, "promoted by hand")
            await records.promote(connection, held, parts.clock(), actor, confidence=sure)
            await statistics.refresh_when_due(connection, memory.space)
        return await records.get(connection, memory.space, memory.id, parts.clock(), parts.rules)


async def guide(parts: Parts, scope: Scope, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the scope's space tells extraction; what is given replaces what was said before, an empty value ends it."""
    changes = {name: _checked_guidance(name, value) for name, value in given.items() if value is not None}
    space = scope.space
    async with parts.database.transaction(space) as connection:
        cursor = await connection.execute(CONVERSATIONS["revision"], {"space": space})
        row = await cursor.fetchone()
        merged = {**(row.guidance if row else {}), **changes}
        guidance = {name: value for name, value in merged.items() if value}
        if changes:
            await connection.execute(
                CONVERSATIONS["set_guidance"], {"space": space, "now": parts.clock(), "guidance": Jsonb(guidance)}
            )
            told = {"fields": sorted(changes)}
            id, actor = uuid5(NAMESPACE_URL, f"guidance of {space}"), actor_of(scope, "guidance")
            await memories.act(connection, space, parts.clock(), "UPDATE", "guide", [id], actor, told)
    return guidance


def _checked_guidance(name: str, value: Any) -> str | list[str]:
    if value == "" and name == "instructions":
        return ""
    if name == "instructions":
        return check.text(name, value, most_bytes=10_000)
    names: Sequence[str] = check.names(name, value)
    return [profile_keys.normal_key(each) if name == "profile_keys" else each for each in names]
