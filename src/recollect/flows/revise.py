"""Changing, deleting and restoring memories by hand."""

from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.core.errors import InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import belonging, statistics
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.graph import service as graph
from recollect.graph.extract import extract_section
from recollect.profile import service as profile
from recollect.records import changes as changing
from recollect.records import service, store
from recollect.records.filters import Filters
from recollect.records.model import Actor, HistoryEntry, Memory, Page, Provenance
from recollect.understanding import profile_keys

_FIRST = UUID(int=0)
_OF_PROMOTION = frozenset({"content", "valid_from", "valid_until"})
"""What tells a version in long-term memory from the one before."""


def actor_of(scope: Scope, reason: str | None = None) -> Actor:
    """The scope as history names it."""
    return Actor(scope.user_id, scope.agent_id, scope.thread_id, reason)


async def find(parts: Parts, scope: Scope, id: UUID) -> Memory:
    """A memory of any space that the scope may read."""
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            rows = await store.get(connection, space, [id])
        if rows and scope.may_see(rows[0].sensitivity):
            return store.memory_of(rows[0], parts.clock(), parts.rules)
    raise NotFound(f"there is no memory {id}")


@again_after_deadlock
async def update(parts: Parts, scope: Scope, id: UUID, given: dict[str, Any], if_version: int | None) -> Memory:
    """Change a memory; the text before stays as a former version."""
    found = await find(parts, scope, id)
    if found.kind == "source" and "content" in given:
        raise InvalidInput("content", "is the raw text of a source, which is written once; change its chunks instead")
    _refuse_version(found, given)
    space, now = found.space, parts.clock()
    changes = changing.parse(_since(found, _as_written(found, given), now), parts.settings.message_bytes)
    text = changes.values.get("content")
    passages = None if text is None else (await passages_of(parts, space, [plain(text)]))[0]
    async with parts.database.transaction(space) as connection:
        memory = await service.hold(connection, space, id, now, parts.rules, if_version)
        new_text = passages if "content" in changes.differing(memory) else None
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
        if memory.kind == "chunk" and new_text is not None:
            await _name_anew(parts, connection, memory, changes.values["content"])
        await statistics.refresh_when_due(connection, space)
        return await service.get(connection, space, id, now, parts.rules)


def _refuse_version(memory: Memory, given: dict[str, Any]) -> None:
    """Versions in long-term memory follow each other without gap or overlap: promotion alone writes them."""
    if memory.kind == "chunk" and memory.tier == "long":
        for field in sorted(_OF_PROMOTION & given.keys()):
            raise InvalidInput(
                field, "of a long-term version is written by promotion alone; change its chunk and promote it"
            )


async def _name_anew(parts: Parts, connection: Connection, chunk: Memory, text: str) -> None:
    """What a chunk names follows its text."""
    where = Provenance(agent_id=chunk.provenance.agent_id)
    desk = graph.Desk(connection, chunk.space, parts.clock(), parts.settings.salience_initial, where)
    await graph.reread(desk, chunk.id, extract_section(text))


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
        await belonging.restore(connection, memory.space, id, parts.clock(), actor_of(scope))
        await statistics.refresh_when_due(connection, memory.space)
        return await service.get(connection, memory.space, id, parts.clock(), parts.rules)


async def history(parts: Parts, scope: Scope, id: UUID) -> list[HistoryEntry]:
    """Everything that happened to a memory, oldest first."""
    memory = await find(parts, scope, id)
    async with parts.database.transaction(memory.space) as connection:
        return await service.history(connection, memory.space, id)


async def page(parts: Parts, scope: Scope, filters: Filters, limit: int, after: UUID | None) -> Page:
    """One page over all readable spaces, in the order of ids."""
    found: list[Memory] = []
    for space in scope.readable:
        found += await _page_of(parts, space, filters, limit + 1, after or _FIRST)
    found.sort(key=lambda memory: memory.id)
    memories = tuple(found[:limit])
    return Page(memories, str(memories[-1].id) if len(found) > limit else None)


async def _page_of(parts: Parts, space: str, filters: Filters, limit: int, after: UUID) -> list[Memory]:
    now, known = parts.clock(), dict[UUID, Any]()
    async with parts.database.transaction(space) as connection:
        rows = await store.page(connection, space, filters, now, after, limit)
        if filters.as_known_at:
            known = await store.versions_known(connection, space, [row.id for row in rows], filters.as_known_at)
    return [store.as_known(store.memory_of(row, now, parts.rules), known.get(row.id)) for row in rows]
