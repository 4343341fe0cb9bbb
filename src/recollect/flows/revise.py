"""Changing, deleting and restoring memories by hand."""

from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.core.errors import InvalidInput, NotFound
from recollect.core.scope import Scope, is_team
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import barring, belonging, owning, statistics
from recollect.flows.graphing import graph_desk, prepare
from recollect.flows.indexing import node, passages_of, plain
from recollect.flows.parts import Parts
from recollect.graph import service as graph
from recollect.graph.extract import extract_section
from recollect.graph.names import NODE_KINDS
from recollect.profile import service as profile
from recollect.queue import enqueue_on
from recollect.records import changes as changing
from recollect.records import items, relations, service, store
from recollect.records.changes import Changes
from recollect.records.filters import Filters, allowed_sensitivities
from recollect.records.model import Actor, HistoryEntry, Memory, Page, Passage
from recollect.sources.model import INGEST_TASK, REFERENCES_TASK
from recollect.understanding import profile_keys

_FIRST = UUID(int=0)
_LAST = UUID(int=2**128 - 1)
_INDEXED = (frozenset({"content"}), frozenset({"content", "title"}))
"""What the search index is made of: of a memory, and of a node."""
_OF_ITEMS = frozenset({"content", "title", "summary", "type", "valid_from", "valid_until"})
"""What a program says of an item."""
_OF_PROMOTION = frozenset({"content", "valid_from", "valid_until"})
"""What tells a version in long-term memory from the one before."""


def actor_of(scope: Scope, reason: str | None = None) -> Actor:
    """The scope as history names it."""
    return Actor(scope.user_id, scope.agent_id, scope.thread_id, reason)


async def find(parts: Parts, scope: Scope, id: UUID) -> Memory:
    """A memory of any space that the scope may read."""
    scope.refuse_blind()
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            rows = await store.get(connection, space, [id])
        if rows and scope.may_see(rows[0]):
            return store.memory_of(rows[0], parts.clock(), parts.rules)
    raise NotFound(f"there is no memory {id}")


@again_after_deadlock
async def update(parts: Parts, scope: Scope, id: UUID, given: dict[str, Any], if_version: int | None) -> Memory:
    """Change a memory; the text before stays as a former version."""
    found = await find(parts, scope, id)
    if found.kind == "source" and "content" in given:
        raise InvalidInput("content", "is the raw text of a source, which is written once; change its chunks instead")
    _refuse_put(found, given)
    _refuse_version(found, given)
    space, now = found.space, parts.clock()
    changes = changing.parse(_since(found, _as_written(found, given), now), parts.settings.message_bytes)
    if (category := changes.values.get("category")) is not None:
        scope.refuse_unseen(category)
    text = changes.values.get("content")
    named = extract_section(text) if found.kind == "chunk" and text is not None else None
    prepared = await prepare(parts, space, [named] if named else [])
    passages = await _passages(parts, found, changes)
    async with parts.database.transaction(space) as connection:
        texts = [value for value in (text, changes.values.get("title")) if isinstance(value, str)]
        await barring.refuse(parts, connection, space, texts)
        memory = await service.hold(connection, space, id, now, parts.rules, if_version)
        new_text = passages if changes.differing(memory) & _INDEXED[memory.kind in NODE_KINDS] else None
        await service.change(
            connection,
            memory,
            changes,
            new_text,
            now,
            actor_of(scope),
            await store.mean_length(connection, space),
            data=_with_value(memory, given),
        )
        if named is not None and new_text is not None:
            desk = graph_desk(parts, connection, space, now, memory.provenance.agent_id, prepared)
            await graph.reread(desk, memory.id, named)
        if memory.kind in NODE_KINDS:
            await graph.rename(connection, memory, changes.after(memory))
        await _follow_owner(parts, connection, memory)
        if memory.kind == "source" and "sensitivity" in changes.differing(memory):
            await _classify(connection, memory)
        await statistics.refresh_when_due(connection, space)
        return await service.get(connection, space, id, now, parts.rules)


async def _follow_owner(parts: Parts, connection: Connection, memory: Memory) -> None:
    """What the owner's node is called follows the profile."""
    if memory.kind == "profile" and owning.names_owner(memory.type, memory.data.get("key")):
        await owning.follow_when_due(parts, connection, memory.space)


def _refuse_put(memory: Memory, given: dict[str, Any]) -> None:
    """What a program put under a namespace and a key comes back to it as it was."""
    if memory.kind == items.KIND:
        for field in sorted(_OF_ITEMS & given.keys()):
            raise InvalidInput(field, "of an item is written by the program that put it")


def _refuse_version(memory: Memory, given: dict[str, Any]) -> None:
    """Versions in long-term memory follow each other without gap or overlap: promotion alone writes them."""
    if memory.kind == "chunk" and memory.tier == "long":
        for field in sorted(_OF_PROMOTION & given.keys()):
            raise InvalidInput(
                field, "of a long-term version is written by promotion alone; change its chunk and promote it"
            )


async def _passages(parts: Parts, memory: Memory, changes: Changes) -> tuple[Passage, ...] | None:
    """The search entries that a change may need; of a node its names are a part."""
    after = changes.after(memory)
    if memory.kind in NODE_KINDS:
        text = node(after["title"], after["content"], memory.data.get("aliases", []))
    elif "content" in changes.values:
        text = plain(after["content"])
    else:
        return None
    [passages] = await passages_of(parts, memory.space, [text])
    return passages


async def _classify(connection: Connection, source: Memory) -> None:
    """What came of a source is as sensitive as it is."""
    chunks = await store.classify_parts(connection, source.space, source.id)
    memories = [source.id, *chunks]
    learned = await relations.learned_from(connection, source.space, memories)
    await store.classify(connection, source.space, learned.nodes, closed=True)
    await relations.classify(connection, source.space, memories, closed=True)


def _as_written(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    """The content of a profile fact is a sentence about its value: who changes it gives the value, or the sentence."""
    if memory.kind != "profile" or not isinstance(given.get("content"), str):
        return given
    return given | {"content": profile_keys.sentence(memory.data["key"], _value(memory, given["content"]))}


def _since(memory: Memory, given: dict[str, Any], now: datetime) -> dict[str, Any]:
    """A short-term chunk says another thing from now on, unless told otherwise: before, its versions tell."""
    is_chunk = memory.kind == "chunk" and memory.tier == "short"
    changed = "content" in given and given["content"] != memory.content
    return {"valid_from": now} | given if is_chunk and changed else given


def _with_value(memory: Memory, given: dict[str, Any]) -> dict[str, Any] | None:
    if memory.kind != "profile" or "content" not in given:
        return None
    return memory.data | {"value": _value(memory, given["content"])}


def _value(memory: Memory, text: str) -> str:
    """What was given, without the words that every sentence of its key begins with."""
    before, _, after = profile_keys.sentence(memory.data["key"], "\0").partition("\0")
    said = text.strip()
    return said.removeprefix(before).removesuffix(after).strip() if said.startswith(before) else said


@again_after_deadlock
async def delete(parts: Parts, scope: Scope, id: UUID, reason: str | None = None) -> Memory:
    """Soft-delete a memory with what belongs to it: out of every search at once, restorable until it is purged."""
    memory = await find(parts, scope, id)
    async with parts.database.transaction(memory.space) as connection:
        await belonging.delete(parts, connection, memory.space, [id], parts.clock(), actor_of(scope, reason))
        if memory.kind == "source" and is_team(memory.space):
            await enqueue_on(connection, REFERENCES_TASK, memory.space)
        await _follow_owner(parts, connection, memory)
        await statistics.refresh_when_due(connection, memory.space)
        return await service.get(connection, memory.space, id, parts.clock(), parts.rules)


@again_after_deadlock
async def delete_all(parts: Parts, scope: Scope, filters: Filters) -> int:
    """Soft-delete every memory of the scope's own space that the filters describe, in one transaction."""
    now = parts.clock()
    async with parts.database.transaction(scope.space) as connection:
        ids = await store.matching(connection, scope.space, filters, now)
        deleted = await belonging.delete(parts, connection, scope.space, ids, now, actor_of(scope))
        await statistics.refresh_when_due(connection, scope.space)
    return len(deleted)


@again_after_deadlock
async def restore(parts: Parts, scope: Scope, id: UUID) -> Memory:
    """Bring a deleted memory back, and what went with it."""
    memory = await find(parts, scope, id)
    async with parts.database.transaction(memory.space) as connection:
        if memory.kind == "profile":
            await profile.refuse_second_value(connection, memory)
        await belonging.restore(parts, connection, memory.space, id, parts.clock(), actor_of(scope))
        await _follow_owner(parts, connection, memory)
        if memory.kind == "source":
            await enqueue_on(connection, INGEST_TASK, memory.space)  # it may have been deleted on its way
        await statistics.refresh_when_due(connection, memory.space)
        return await service.get(connection, memory.space, id, parts.clock(), parts.rules)


async def history(parts: Parts, scope: Scope, id: UUID) -> list[HistoryEntry]:
    """Everything that happened to a memory, or to a relation, oldest first."""
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            tie = await relations.get(connection, space, [id], parts.clock())
            ends = await store.get(connection, space, [tie[0].from_id, tie[0].to_id]) if tie else []
            if ends and all(scope.may_see(each) for each in [*tie, *ends]):
                return await service.history(connection, space, id)
    memory = await find(parts, scope, id)
    async with parts.database.transaction(memory.space) as connection:
        return await service.history(connection, memory.space, id)


async def page(
    parts: Parts, scope: Scope, filters: Filters, limit: int, after: UUID | None, *, newest_first: bool = False
) -> Page:
    """One page over all readable spaces, in the order of ids."""
    start, found = after or (_LAST if newest_first else _FIRST), list[Memory]()
    for space in scope.readable:
        found += await _page_of(parts, space, filters, limit + 1, start, back=newest_first)
    return _cut(found, limit, back=newest_first)


def _cut(found: list[Memory], limit: int, *, back: bool) -> Page:
    """A page of what was found in several spaces, one memory more than it holds where there are more."""
    found.sort(key=lambda memory: memory.id, reverse=back)
    memories = tuple(found[:limit])
    return Page(memories, str(memories[-1].id) if len(found) > limit else None)


async def deleted(parts: Parts, scope: Scope, limit: int, after: UUID | None) -> Page:
    """One page of what can be restored, the newest first."""
    seen, found = allowed_sensitivities(scope.sensitivity), list[Memory]()
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            rows = await store.deleted(connection, space, seen, after or _LAST, limit + 1)
        found += [store.memory_of(row, parts.clock(), parts.rules) for row in rows if scope.may_see(row)]
    return _cut(found, limit, back=True)


async def _page_of(parts: Parts, space: str, filters: Filters, limit: int, after: UUID, *, back: bool) -> list[Memory]:
    now, known = parts.clock(), dict[UUID, Any]()
    async with parts.database.transaction(space) as connection:
        rows = await store.page(connection, space, filters, now, after, limit, back=back)
        if filters.as_known_at:
            known = await store.versions_known(connection, space, [row.id for row in rows], filters.as_known_at)
    return [store.as_known(store.memory_of(row, now, parts.rules), known.get(row.id)) for row in rows]
