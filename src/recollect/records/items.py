"""Items: JSON under a namespace and a key, as programs put it. A connection in, values out.

An item is a memory of kind `item`: its namespace is the type, labels joined by full stops, its key the title, its value
the content, as JSON. Its id follows from namespace and key. `data` has what it is found by (`indexed`), its place among
the others (`put`) and the minutes that it lives after it was last put or read (`ttl`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

import numpy as np
from numpy.typing import NDArray

from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.core.scope import Sensitivity
from recollect.db.compose import SQL, Composed, Jsonb
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.records import item_filters, service, store
from recollect.records.filters import allowed_sensitivities
from recollect.records.kinds import KINDS
from recollect.records.model import Actor, NewMemory, Passage
from recollect.records.store import QUERIES as RECORDS

QUERIES = load("recollect.records", "items.sql")

KIND = "item"
CATEGORY = KINDS[KIND].category

Namespace = tuple[str, ...]

_IDS = UUID("0f4c8d0e-52b1-5c9b-8d51-9a7e4c0f6b3d")
_STOP = "."
_AFTER_STOP = "/"
_NAMESPACE_BYTES = 1_500
_KEY_BYTES = 1_500
_MOST_MINUTES = 100 * 366 * 24 * 60


@dataclass(frozen=True, slots=True)
class Item:
    """An item as it stands; `score` is how near it comes to a question."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    score: float | None = None

    @property
    def id(self) -> UUID:
        """The memory's id."""
        return item_id(self.namespace, self.key)


@dataclass(frozen=True, slots=True)
class Put:
    """An item to write, checked; without content, one to remove."""

    id: UUID
    path: str
    key: str
    content: str | None
    indexed: tuple[str, ...] = ()
    ttl: float | None = None

    def data(self, place: UUID) -> dict[str, Any]:
        """What only this kind has."""
        lasting = {} if self.ttl is None else {"ttl": self.ttl}
        return {"indexed": list(self.indexed), "put": str(place), **lasting}

    def until(self, now: datetime) -> datetime | None:
        """When it expires."""
        return None if self.ttl is None else now + timedelta(minutes=self.ttl)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which items are asked for; with a question, the nearest first."""

    prefix: Namespace
    filter: Mapping[str, Any] | None
    limit: int
    offset: int
    question: NDArray[np.float32] | None = None


def item_id(namespace: Namespace, key: str) -> UUID:
    """The same for the same namespace and key."""
    return uuid5(_IDS, json.dumps([*namespace, key]))


def new_put(
    namespace: Namespace,
    key: object,
    value: Mapping[str, Any] | None,
    indexed: Sequence[str] = (),
    ttl: float | None = None,
    *,
    most_bytes: int,
) -> Put:
    """Check what somebody wants to put, or with None to remove. What JSON would not give back as it is is refused."""
    check_labels("namespace", namespace)
    name = check.text("key", key, most_bytes=_KEY_BYTES, empty=True)
    id, path = item_id(namespace, name), _STOP.join(namespace)
    if value is None:
        return Put(id, path, name, None)
    check.text("namespace", path, most_bytes=_NAMESPACE_BYTES)
    if not isinstance(value, Mapping):
        raise InvalidInput("value", f"must be an object, not {type(value).__name__}")
    content = check.document("value", dict(value), most_bytes=most_bytes)
    if json.loads(content) != value:
        raise InvalidInput("value", "would not come back as it is: JSON has lists, not tuples, and keys that are text")
    return Put(id, path, name, content, tuple(indexed), _minutes(ttl))


def check_labels(field: str, namespace: Namespace) -> None:
    """A label with a full stop in it would name another namespace."""
    for label in namespace:
        if _STOP in check.text(field, label, most_bytes=_NAMESPACE_BYTES):
            raise InvalidInput(field, f"has a label that holds a full stop: {label!r:.80}")


def _minutes(ttl: object) -> float | None:
    if ttl is None:
        return None
    if isinstance(ttl, bool) or not isinstance(ttl, int | float) or not 0 <= ttl <= _MOST_MINUTES:
        raise InvalidInput("ttl", f"must be minutes, from 0 to {_MOST_MINUTES:,}, not {ttl!r:.80}")
    return float(ttl)


# Reading


async def get(
    connection: Connection, space: str, ids: Sequence[UUID], now: datetime, sensitivity: Sensitivity
) -> dict[UUID, Item]:
    """Items by id."""
    cursor = await connection.execute(QUERIES["items"], _asked(space, now, sensitivity) | {"ids": list(ids)})
    return {row.id: _item(row, None) for row in await cursor.fetchall()}


async def search(
    connection: Connection, space: str, wanted: Wanted, now: datetime, sensitivity: Sensitivity
) -> list[Item]:
    """Items below a namespace, in the order in which they came, or the nearest to a question first."""
    pieces = {"within": _within(wanted.prefix), "conditions": item_filters.conditions(wanted.filter)}
    asked = _asked(space, now, sensitivity) | {"limit": wanted.limit, "offset": wanted.offset}
    name = "items_within"
    if wanted.question is not None:
        vector = store.vector_literal(wanted.question)
        name, asked = "items_near", asked | {"query": vector.numbers, "length": vector.length}
    cursor = await connection.execute(SQL(QUERIES[name]).format(**pieces), asked)
    return [_item(row, row.score) for row in await cursor.fetchall()]


async def namespaces(connection: Connection, space: str, now: datetime, sensitivity: Sensitivity) -> list[Namespace]:
    """Every namespace that has an item."""
    cursor = await connection.execute(QUERIES["item_namespaces"], _asked(space, now, sensitivity))
    return [labels(row.type) for row in await cursor.fetchall()]


def _asked(space: str, now: datetime, sensitivity: Sensitivity) -> dict[str, Any]:
    return {"space": space, "now": now, "sensitivity": allowed_sensitivities(sensitivity)}


def _within(prefix: Namespace) -> Composed:
    """The namespace itself, and what follows it and a full stop: a range, so that an index serves."""
    if not prefix:
        return SQL("true").format()
    path = _STOP.join(prefix)
    return SQL('(type = {} or type collate "C" >= {} and type collate "C" < {})').format(
        path, path + _STOP, path + _AFTER_STOP
    )


def _item(row: Any, score: float | None) -> Item:
    value = json.loads(row.content)
    return Item(labels(row.type), row.title, value, row.created_at, row.updated_at, score)


def labels(path: str) -> Namespace:
    """The namespace that a type stands for."""
    return tuple(path.split(_STOP))


# Writing


async def replace(
    connection: Connection,
    space: str,
    memories: Sequence[NewMemory],
    now: datetime,
    actor: Actor,
    *,
    mean_length: float,
) -> None:
    """Give items that are there other values, with search entries to match; what they were before is not kept."""
    rows = [
        {
            "id": str(memory.id),
            "content": memory.content,
            "data": memory.data,
            "agent_id": memory.provenance.agent_id,
            "run_id": memory.provenance.run_id,
            "thread_id": memory.provenance.thread_id,
            "actor_id": memory.provenance.actor_id,
            "valid_until": memory.valid_until and memory.valid_until.isoformat(),
        }
        for memory in memories
    ]
    cursor = await connection.execute(QUERIES["replace_items"], {"space": space, "now": now, "items": Jsonb(rows)})
    written = [(row.id, row.version) for row in await cursor.fetchall()]
    await keep_until(connection, space, {memory.id: memory.valid_until for memory in memories})
    ids = [memory.id for memory in memories]
    await connection.execute(RECORDS["drop_all_entries"], {"space": space, "ids": ids})
    passages = [(memory.id, passage) for memory in memories for passage in memory.passages]
    if passages:
        entries = store.entry_arrays(passages, mean_length)
        await connection.execute(RECORDS["index"], {"space": space, **entries}, binary=True)
    await store.tell(connection, space, now, "UPDATE", written, actor, {"fields": ["content"]})
    await store.raise_revision(connection, space, now, knowledge=False, changes=len(passages))


async def keep_until(connection: Connection, space: str, moments: Mapping[UUID, datetime | None]) -> None:
    """Have items removed for good after their time; None: never."""
    asked = {"space": space, "ids": list(moments), "until": list(moments.values())}
    await connection.execute(QUERIES["keep_items_until"], asked)


async def refresh(connection: Connection, space: str, ids: Sequence[UUID], now: datetime) -> None:
    """Items that were read live as long again as they were given."""
    asked = {"space": space, "ids": list(ids), "now": now, "seconds": now.timestamp()}
    cursor = await connection.execute(QUERIES["refresh_items"], asked)
    moments = {row.id: row.valid_until for row in await cursor.fetchall()}
    if moments:
        asked = {"space": space, "ids": list(moments), "until": list(moments.values())}
        await connection.execute(QUERIES["refresh_item_entries"], asked)
        await keep_until(connection, space, moments)


async def sweep(connection: Connection, space: str, now: datetime) -> int:
    """Remove items that have outlived their time; how many."""
    cursor = await connection.execute(QUERIES["expired_items"], {"space": space, "now": now})
    ids = [row.id for row in await cursor.fetchall()]
    return await service.purge(connection, space, ids, now) if ids else 0


def numbered(passages: Sequence[Sequence[Passage]]) -> tuple[Passage, ...]:
    """The passages of several texts as those of one memory."""
    flat = [passage for of_text in passages for passage in of_text]
    return tuple(
        Passage(number, each.text_hash, each.length, each.counts, each.embedding) for number, each in enumerate(flat)
    )
