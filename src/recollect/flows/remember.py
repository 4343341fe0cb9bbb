"""Adding memories by hand: checked first, embedded, then written whole in one transaction with their links."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.conversation.store import QUERIES as MESSAGES
from recollect.core import check
from recollect.core.errors import Conflict, InvalidInput
from recollect.core.ids import new_id
from recollect.core.scope import SENSITIVITIES, Scope
from recollect.db.database import Connection, turn_to
from recollect.flows import barring, statistics
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.flows.repeating import may_repeat, repeated
from recollect.records import store
from recollect.records.changes import TTL_POLICIES
from recollect.records.kinds import ADDABLE, KINDS, STATEMENT_TYPES, default_category, default_importance
from recollect.records.model import Actor, Event, Memory, NewMemory, Provenance

_FIELDS = frozenset(
    {
        "content",
        "kind",
        "type",
        "category",
        "tags",
        "importance",
        "confidence",
        "pinned",
        "ttl_policy",
        "sensitivity",
        "metadata",
        "valid_from",
        "valid_until",
        "happened_at",
        "id",
        "lift",
        "title",
    }
)


def new_memory(parts: Parts, scope: Scope, given: Mapping[str, Any], now: datetime, *, field: str = "") -> NewMemory:
    """Check what a caller wants to add."""
    unknown = set(given) - _FIELDS
    if unknown:
        raise InvalidInput(field + min(unknown), "is not part of a memory")
    kind = check.choice(field + "kind", _given(given, "kind", "statement"), ADDABLE)
    type = _type(field + "type", kind, given.get("type"))
    importance = check.optional_unit(field + "importance", given.get("importance"))
    confidence = check.optional_unit(field + "confidence", given.get("confidence"))
    since, until = _validity(field, given)
    category = _category(field, kind, type, given.get("category"))
    scope.refuse_unseen(category)
    return NewMemory(
        id=check.optional_uuid(field + "id", given.get("id")) or new_id(),
        kind=kind,
        type=type,
        category=category,
        content=check.text(field + "content", given.get("content"), most_bytes=parts.settings.message_bytes),
        title=check.optional_text(field + "title", given.get("title")),
        tier=KINDS[kind].tier,
        importance=default_importance(kind, type) if importance is None else importance,
        confidence=KINDS[kind].confidence if confidence is None else confidence,
        happened_at=check.optional_moment(field + "happened_at", given.get("happened_at")) or since or now,
        tags=check.names(field + "tags", _given(given, "tags", ())),
        metadata=check.mapping(field + "metadata", given.get("metadata"), most_bytes=parts.settings.message_bytes),
        provenance=Provenance(
            thread_id=scope.thread_id, agent_id=scope.agent_id, run_id=scope.run_id, actor_id=scope.user_id
        ),
        pinned=check.flag(field + "pinned", _given(given, "pinned", False)),
        ttl_policy=check.choice(field + "ttl_policy", _given(given, "ttl_policy", "decay"), TTL_POLICIES),
        sensitivity=check.choice(field + "sensitivity", _given(given, "sensitivity", "normal"), SENSITIVITIES),
        by_hand=True,
        valid_from=since,
        valid_until=until,
    )


def _category(field: str, kind: str, type: str | None, given: object) -> str:
    return default_category(kind, type) if given is None else check.identifier(field + "category", given)


def _given(values: Mapping[str, Any], name: str, default: Any) -> Any:
    """What was given under a name; nothing, and None, mean the default."""
    value = values.get(name)
    return default if value is None else value


def _validity(field: str, given: Mapping[str, Any]) -> tuple[datetime | None, datetime | None]:
    since = check.optional_moment(field + "valid_from", given.get("valid_from"))
    until = check.optional_moment(field + "valid_until", given.get("valid_until"))
    if since and until and since > until:
        raise InvalidInput(field + "valid_until", "is before valid_from")
    return since, until


def _type(field: str, kind: str, given: object) -> str | None:
    if kind == "statement":
        return check.choice(field, "fact" if given is None else given, STATEMENT_TYPES)
    return None if given is None else check.identifier(field, given)


def space_of(scope: Scope, kind: str) -> str:
    """Where a memory goes: what is known of a person's mind lives with the person, whatever the project."""
    return scope.own_space if kind in ("profile", "insight") else scope.space


async def add(parts: Parts, scope: Scope, given: Mapping[str, Any]) -> Memory:
    """Add one memory; an id that exists gives what is there, and so does a statement that is known word by word."""
    draft = new_memory(parts, scope, given, parts.clock())
    [memory] = await _add(parts, scope, [draft], [given], [_lift(scope, given)])
    return memory


def _lift(scope: Scope, given: Mapping[str, Any], field: str = "") -> bool:
    """Whether a tombstone may be lifted for it: what is barred is barred for all categories."""
    lift = check.flag(field + "lift", _given(given, "lift", False))
    if lift:
        scope.refuse_narrowed("lift")
    return lift


async def add_many(parts: Parts, scope: Scope, given: Sequence[Mapping[str, Any]]) -> list[Memory]:
    """Add memories in one transaction: all of them, or none; what is there is given as it is, as by `add`."""
    now = parts.clock()
    return await _add(
        parts,
        scope,
        [new_memory(parts, scope, values, now, field=f"[{place}].") for place, values in enumerate(given)],
        given,
        [_lift(scope, values, f"[{place}].") for place, values in enumerate(given)],
    )


async def _add(
    parts: Parts,
    scope: Scope,
    drafts: Sequence[NewMemory],
    given: Sequence[Mapping[str, Any]],
    lifted: Sequence[bool],
) -> list[Memory]:
    """Everything is embedded before the transaction begins, which then visits each space once."""
    repeating = {draft.id for draft, values in zip(drafts, given, strict=True) if may_repeat(draft, values)}
    lifting = {draft.id for draft, lift in zip(drafts, lifted, strict=True) if lift}
    by_space: dict[str, dict[UUID, NewMemory]] = {}
    for draft in drafts:
        by_space.setdefault(space_of(scope, draft.kind), {}).setdefault(draft.id, draft)
    ready = {space: await _with_passages(parts, space, list(memories.values())) for space, memories in by_space.items()}
    written: dict[tuple[str, UUID], Memory] = {}
    first, *others = sorted(ready) or [""]
    if first:
        async with parts.database.transaction(first) as connection:
            written |= await _write(parts, connection, scope, first, ready[first], lifting, repeating)
            for space in others:
                await turn_to(connection, space)
                written |= await _write(parts, connection, scope, space, ready[space], lifting, repeating)
    return [written[space_of(scope, draft.kind), draft.id] for draft in drafts]


async def _with_passages(parts: Parts, space: str, memories: Sequence[NewMemory]) -> list[NewMemory]:
    rows = await passages_of(parts, space, [plain(memory.content) for memory in memories])
    return [replace(memory, passages=passages) for memory, passages in zip(memories, rows, strict=True)]


async def _write(
    parts: Parts,
    connection: Connection,
    scope: Scope,
    space: str,
    drafts: Sequence[NewMemory],
    lifting: Collection[UUID] = (),
    repeating: Collection[UUID] = (),
) -> dict[tuple[str, UUID], Memory]:
    now = parts.clock()
    said = [((draft.title, draft.content, *draft.tags), draft.id in lifting) for draft in drafts]
    await barring.refuse_all(parts, connection, space, said)
    same = await repeated(connection, space, [draft for draft in drafts if draft.id in repeating], now, scope)
    memories = [draft for draft in drafts if draft.id not in same]
    fresh = await store.remember(
        connection,
        space,
        memories,
        now,
        Actor(scope.user_id, scope.agent_id, scope.thread_id),
        salience=parts.settings.salience_initial,
        mean_length=await store.mean_length(connection, space),
    )
    found = await store.get(connection, space, list({*(memory.id for memory in memories), *same.values()}))
    await refuse_foreign(connection, scope, space, _older(found, fresh, same), memories)
    created = [memory for memory in memories if memory.id in fresh]
    linked = [memory.id for memory in created if KINDS[memory.kind].linked]
    if linked and parts.settings.link_neighbours:
        await link(parts, connection, space, linked, now)
    if created:
        events = [Event("hotpath", "create", "ok", memory.id, memory.category) for memory in created]
        await store.record_events(connection, space, events, now)
        await statistics.refresh_when_due(connection, space)
    known = {row.id: store.memory_of(row, now, parts.rules) for row in found}
    return {(space, draft.id): known[same.get(draft.id, draft.id)] for draft in drafts}


def _older(found: Sequence[Any], fresh: Collection[UUID], same: Mapping[UUID, UUID]) -> list[Any]:
    """What was there under ids that the caller named."""
    return [row for row in found if row.id not in fresh and row.id not in same.values()]


async def keep(
    parts: Parts,
    connection: Connection,
    space: str,
    memories: Sequence[NewMemory],
    actor: Actor,
    event: str | None = "created",
) -> set[UUID]:
    """Write what was derived, as of now, but for what is barred; the ids that were not there before."""
    free = list(memories)
    if any(memory.kind in barring.LEARNED_KINDS for memory in memories):
        free = barring.derivable(await barring.bars_of(parts, connection, space), memories)
    if not free:
        return set()
    return await store.remember(
        connection,
        space,
        free,
        parts.clock(),
        actor,
        salience=parts.settings.salience_initial,
        mean_length=await store.mean_length(connection, space),
        event=event,
    )


async def link(parts: Parts, connection: Connection, space: str, ids: Sequence[UUID], now: datetime) -> int:
    """Tie memories to their nearest neighbours."""
    return await store.link(
        connection,
        space,
        ids,
        now,
        dimensions=parts.embedder.dimensions,
        least=parts.calibration.raw(parts.settings.link_similarity),
        most=parts.settings.link_neighbours,
        salience=parts.settings.salience_initial,
    )


async def refuse_foreign(
    connection: Connection, scope: Scope, space: str, found: Sequence[Any], memories: Sequence[NewMemory]
) -> None:
    """An id names one thing for good: it cannot be given again for something else, or to see what it names."""
    kinds = {memory.id: memory.kind for memory in memories}
    for row in found:
        if row.kind != kinds[row.id] or not scope.may_see(row):
            raise Conflict(f"id: {row.id} belongs to another memory")
    cursor = await connection.execute(MESSAGES["by_ids"], {"space": space, "ids": list(kinds)})
    if taken := await cursor.fetchall():
        raise Conflict(f"id: {taken[0].id} belongs to a message")
