"""Items: what programs put under a namespace and a key, and get back as it was; found by texts that they choose.

An item is also a line of a plain export: `{"record": "item", "namespace", "key", "value", "indexed"?, "ttl"?}`.
Nothing is learned from an item, nothing merges with it, and it does not fade. Putting replaces it, removing removes it
for good. Reads of a batch see what stood before its writes, which are one transaction.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.core.ids import new_id
from recollect.core.scope import Scope
from recollect.db import sight
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import statistics
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.records import filters as filtering
from recollect.records import items, service, store
from recollect.records.items import Item, Namespace, Put
from recollect.records.kinds import KINDS
from recollect.records.model import Actor, NewMemory, Passage, Provenance
from recollect.understanding.secrets import mask

RECORD = "item"
_PAGE = 500


class Reader:
    """Reads of one scope in one transaction."""

    def __init__(self, parts: Parts, scope: Scope, connection: Connection) -> None:
        self._parts, self._scope, self._connection = parts, scope, connection
        self._now = parts.clock()

    async def get(self, namespace: Namespace, key: str, *, refresh: bool) -> Item | None:
        """One item; reading lets it live on, where `refresh` says so."""
        id = items.item_id(namespace, key)
        at = (self._scope.space, [id], self._now)
        found = (await items.get(self._connection, *at, self._scope.sensitivity)).get(id)
        if found is not None and refresh:
            await items.refresh(self._connection, *at)
        return found

    async def search(self, wanted: items.Wanted, *, refresh: bool) -> list[Item]:
        """Items below a namespace."""
        space, now = self._scope.space, self._now
        found = await items.search(self._connection, space, wanted, now, self._scope.sensitivity)
        if found and refresh:
            await items.refresh(self._connection, space, [item.id for item in found], now)
        return found

    async def namespaces(self) -> list[Namespace]:
        """Every namespace that has an item."""
        return await items.namespaces(self._connection, self._scope.space, self._now, self._scope.sensitivity)


@asynccontextmanager
async def reading(parts: Parts, scope: Scope) -> AsyncIterator[Reader]:
    """Read items as the scope may see them."""
    _refuse_unseen(scope)
    with sight.narrowed_to(scope.categories):
        async with parts.database.transaction(scope.space) as connection:
            yield Reader(parts, scope, connection)


def _refuse_unseen(scope: Scope) -> None:
    scope.refuse_blind()
    scope.refuse_unseen(items.CATEGORY)


async def put(parts: Parts, scope: Scope, puts: Sequence[Put]) -> None:
    """Write and remove items, all of them or none; of two with one namespace and key the last counts."""
    _refuse_unseen(scope)
    last = {put.id: put for put in puts}
    wanted = [put for put in last.values() if put.content is not None]
    passages = await _passages(parts, scope.space, wanted)
    memories = [_memory(parts, scope, put, found) for put, found in zip(wanted, passages, strict=True)]
    await _write(parts, scope, memories, [put.id for put in last.values() if put.content is None])


async def _passages(parts: Parts, space: str, puts: Sequence[Put]) -> list[tuple[Passage, ...]]:
    """The search entries of each item; secrets are found by nothing."""
    texts = [plain(mask(text)) for put in puts for text in put.indexed]
    found = iter(await passages_of(parts, space, texts))
    return [items.numbered([next(found) for _ in put.indexed]) for put in puts]


def _memory(parts: Parts, scope: Scope, put: Put, passages: tuple[Passage, ...]) -> NewMemory:
    kind, now = KINDS[items.KIND], parts.clock()
    return NewMemory(
        id=put.id,
        kind=items.KIND,
        type=put.path,
        category=kind.category,
        title=put.key,
        content=put.content or "",
        tier=kind.tier,
        importance=kind.importance,
        confidence=kind.confidence,
        happened_at=now,
        data=put.data(new_id()),
        provenance=Provenance(
            thread_id=scope.thread_id, agent_id=scope.agent_id, run_id=scope.run_id, actor_id=scope.user_id
        ),
        ttl_policy="keep_forever",
        by_hand=True,
        valid_until=put.until(now),
        passages=passages,
    )


@again_after_deadlock
async def _write(parts: Parts, scope: Scope, memories: Sequence[NewMemory], gone: Sequence[UUID]) -> None:
    space, now = scope.space, parts.clock()
    actor = Actor(scope.user_id, scope.agent_id, scope.thread_id)
    async with parts.database.transaction(space) as connection:
        await store.raise_revision(connection, space, now, knowledge=False, changes=0)  # holds the space
        mean = await store.mean_length(connection, space)
        salience = parts.settings.salience_initial
        fresh = await store.remember(connection, space, memories, now, actor, salience=salience, mean_length=mean)
        lasting = {memory.id: memory.valid_until for memory in memories if memory.id in fresh and memory.valid_until}
        if lasting:
            await items.keep_until(connection, space, lasting)
        if known := [memory for memory in memories if memory.id not in fresh]:
            await items.replace(connection, space, known, now, actor, mean_length=mean)
        if gone:
            await service.purge(connection, space, gone, now)
        await statistics.refresh_when_due(connection, space)


async def sweep(parts: Parts, scope: Scope) -> int:
    """Remove the scope's items that have outlived their time; how many. The nightly purge does so too."""
    space, now = scope.space, parts.clock()
    async with parts.database.transaction(space) as connection:
        await store.raise_revision(connection, space, now, knowledge=False, changes=0)
        return await items.sweep(connection, space, now)


# As lines of a plain export


async def lines(parts: Parts, scope: Scope) -> AsyncIterator[dict[str, Any]]:
    """Every item of the scope's space that it may see, a page at a time."""
    if not scope.sees(items.CATEGORY):
        return
    filters = filtering.parse({"kinds": [items.KIND]}, zone="UTC", scope=scope)
    after = UUID(int=0)
    while True:
        with sight.narrowed_to(scope.categories):
            async with parts.database.transaction(scope.space) as connection:
                rows = await store.page(connection, scope.space, filters, parts.clock(), after, _PAGE)
        if not rows:
            return
        for row in rows:
            yield _line(row)
        after = rows[-1].id


def _line(row: Any) -> dict[str, Any]:
    what = {"record": RECORD, "namespace": items.labels(row.type), "key": row.title, "value": json.loads(row.content)}
    return what | {name: row.data[name] for name in ("indexed", "ttl") if row.data.get(name)}


def line(parts: Parts, values: Mapping[str, Any]) -> Put:
    """Check a line."""
    if unknown := set(values) - {"namespace", "key", "value", "indexed", "ttl"}:
        raise InvalidInput(min(unknown), "is not part of an item")
    if not isinstance(values.get("value"), Mapping):
        raise InvalidInput("value", "must be an object")
    namespace, indexed = (_texts(name, values.get(name, ())) for name in ("namespace", "indexed"))
    most = parts.settings.message_bytes
    for text in indexed:
        check.text("indexed", text, most_bytes=most)
    if not namespace:
        raise InvalidInput("namespace", "is empty")
    return items.new_put(namespace, values.get("key"), values["value"], indexed, values.get("ttl"), most_bytes=most)


def _texts(field: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise InvalidInput(field, "must be a list of texts")
    return tuple(value)


async def bring(parts: Parts, scope: Scope, puts: Sequence[Put]) -> int:
    """Write those that are not there yet; how many."""
    fresh = {put.id: put for put in puts}
    if fresh:
        async with parts.database.transaction(scope.space) as connection:
            for row in await store.get(connection, scope.space, fresh):
                del fresh[row.id]
        await put(parts, scope, list(fresh.values()))
    return len(fresh)
