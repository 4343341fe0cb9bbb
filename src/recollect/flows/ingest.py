"""Phase 0 of a source: the raw text is stored, and understood later. Which sources there are, and trying one again."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from recollect.core import check
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.ids import new_id
from recollect.core.scope import SENSITIVITIES, Scope
from recollect.db.database import again_after_deadlock
from recollect.flows.migrate import SECTION
from recollect.flows.parts import Parts
from recollect.flows.remember import refuse_foreign
from recollect.flows.revise import actor_of
from recollect.queue import enqueue_on
from recollect.records import store
from recollect.records.changes import TTL_POLICIES
from recollect.records.filters import allowed_sensitivities
from recollect.records.kinds import KINDS
from recollect.records.model import Event, Memory, NewMemory, Provenance
from recollect.sources import store as sources
from recollect.sources.model import INGEST_TASK, STATUSES, NewSource, Source

TASK = INGEST_TASK
_FIRST = UUID(int=0)
_MOST_PARTICIPANTS = 1_000


async def ingest(parts: Parts, scope: Scope, raw: object, given: Mapping[str, Any]) -> Memory:
    """Store a document; an id that exists gives what is there. What it says is understood in the background."""
    scope.refuse_unseen(KINDS["source"].category)
    space = _space(scope, given.get("team_id"))
    return await _receive(parts, scope, space, *new_source(parts, scope, raw, given), named=given.get("id") is not None)


def _space(scope: Scope, team_id: object) -> str:
    return scope.space if team_id is None else scope.team_space(check.identifier("team_id", team_id))


def new_source(parts: Parts, scope: Scope, raw: object, given: Mapping[str, Any]) -> tuple[NewMemory, NewSource]:
    """Check what a caller wants to have ingested."""
    source = _checked(given)
    text = check.text("raw", raw, most_bytes=parts.settings.source_bytes)
    memory = memory_of(
        source,
        content=text,
        title=check.optional_text("title", given.get("title")),
        sensitivity=check.choice("sensitivity", given.get("sensitivity", "normal"), SENSITIVITIES),
        ttl_policy=check.choice("ttl_policy", given.get("ttl_policy", "decay"), TTL_POLICIES),
        metadata=check.mapping("metadata", given.get("metadata"), most_bytes=parts.settings.message_bytes),
        happened_at=source.started_at or parts.clock(),
        provenance=Provenance(
            thread_id=scope.thread_id, agent_id=scope.agent_id, run_id=scope.run_id, actor_id=scope.user_id
        ),
    )
    return memory, source


def _checked(given: Mapping[str, Any]) -> NewSource:
    source_type = check.identifier("source_type", given.get("source_type", "text-note"))
    if source_type == SECTION:
        raise InvalidInput("source_type", f"{SECTION!r} is kept for what agents work on")
    participants = check.names("participants", given.get("participants", ()))
    if len(participants) > _MOST_PARTICIPANTS:
        raise InvalidInput("participants", f"are more than {_MOST_PARTICIPANTS:,}")
    started = check.optional_moment("started_at", given.get("started_at"))
    ended = check.optional_moment("ended_at", given.get("ended_at"))
    if started and ended and ended < started:
        raise InvalidInput("ended_at", "is before started_at")
    context = given.get("context_type")
    return NewSource(
        id=check.optional_uuid("id", given.get("id")) or new_id(),
        source_type=source_type,
        participants=participants,
        started_at=started,
        ended_at=ended,
        context_type=None if context is None else check.identifier("context_type", context),
    )


def memory_of(source: NewSource, **values: Any) -> NewMemory:
    """The memory of a new source."""
    kind = KINDS["source"]
    data: dict[str, Any] = {"status": "raw", "source_type": source.source_type}
    if source.participants:
        data["participants"] = list(source.participants)
    if source.context_type is not None:
        data["context_type"] = source.context_type
    return NewMemory(
        id=source.id,
        kind="source",
        type=source.source_type,
        category=kind.category,
        tier=kind.tier,
        importance=kind.importance,
        confidence=kind.confidence,
        data=data | values.pop("data", {}),
        **values,
    )


@again_after_deadlock
async def _receive(
    parts: Parts, scope: Scope, space: str, memory: NewMemory, source: NewSource, *, named: bool
) -> Memory:
    """Write a source whole; an id that the caller named may be another's."""
    now, salience = parts.clock(), parts.settings.salience_initial
    async with parts.database.transaction(space) as connection:
        actor = actor_of(scope, "ingested")
        # It is in no search index yet, so that lengths do not matter.
        fresh = await store.remember(connection, space, [memory], now, actor, salience=salience, mean_length=1.0)
        found = await store.get(connection, space, [memory.id])
        if named:
            await refuse_foreign(connection, scope, space, [] if fresh else found, [memory])
        if fresh:
            await sources.receive(connection, space, [source], now)
            event = Event("hotpath", "ingest", "ok", memory.id, memory.category)
            await store.record_events(connection, space, [event], now)
            await enqueue_on(connection, TASK, space)
        return store.memory_of(found[0], now, parts.rules)


async def listed(parts: Parts, scope: Scope, status: object, limit: object, after: object) -> list[Source]:
    """Sources of all spaces that the scope reads, in the order of their ids; their texts are not read."""
    wanted: Any = None if status is None else check.choice("status", status, STATUSES)
    most, last = check.count("limit", limit), check.optional_uuid("after", after) or _FIRST
    seen = allowed_sensitivities(scope.sensitivity)
    found: list[Source] = []
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            found += await sources.listed(connection, space, wanted, seen, last, most)
    return sorted(found, key=lambda source: source.id)[:most]


async def retry(parts: Parts, scope: Scope, id: UUID) -> Source:
    """Try a source again that was given up, from the phase at which it failed."""
    scope.refuse_blind()
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            known = await _one(parts, scope, connection, space, id)
            if known is None:
                continue
            status = await sources.begin_again(connection, space, id)
            if status is None:
                raise Conflict(f"source {id} has not failed: it is {known.status}")
            await store.merge_data(connection, space, {id: {"status": status, "reason": None}})
            await enqueue_on(connection, TASK, space)
            again = await _one(parts, scope, connection, space, id)
            return again or known
    raise NotFound(f"there is no source {id}")


async def _one(parts: Parts, scope: Scope, connection: Any, space: str, id: UUID) -> Source | None:
    rows: Sequence[Any] = await sources.about(connection, space, [id])
    return sources.source_of(rows[0]) if rows and scope.may_see(rows[0]) else None
