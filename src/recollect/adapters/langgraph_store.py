"""LangGraph's store on Recollect: JSON under namespaces and keys in the user's own space, found by meaning too.

    store = RecollectStore(rc.scope(user_id="alice"), index={"fields": ["text"]})
    graph = builder.compile(store=store)
    await store.aput(("notes",), "tea", {"text": "Alice prefers tea."})
    await store.asearch(("notes",), query="what does she drink?")

A store belongs to one scope: items of another user are not its own, whatever their namespace. It takes a scope of
`recollect.Recollect`, or of `recollect.sync.Recollect`; either serves calls with and without `await`. Vectors are those
of the embedder that Recollect was opened with. Needs `pip install 'recollect[langgraph]'`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
)

from recollect import sync
from recollect.adapters.bridge import Bridge
from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.flows import items
from recollect.flows.items import Reader
from recollect.memory import ScopedMemory
from recollect.records import items as records
from recollect.records.items import Namespace, Put, Wanted

__all__ = ["RecollectStore"]

_WHOLE = "$"
_ANY = "*"
_MOST = 2**31 - 1
_OWN = frozenset({"embed", "dims"})


class RecollectStore(BaseStore):
    """Keeps items in the space of a scope.

    `index` names the fields by which items are found, as paths; the whole value where nothing is said, nothing with
    False. `ttl` is LangGraph's: `default_ttl` in minutes, `refresh_on_read`. What has expired is never given back.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: ScopedMemory | sync.ScopedMemory,
        *,
        index: dict[str, Any] | Literal[False] | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        self._bridge = Bridge(memory, "store")
        self._memory: ScopedMemory = self._bridge.inner
        self._parts = self._memory._parts
        self._fields = _fields_of(index)
        self.ttl_config = ttl

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several operations: reads see what stood before the writes, which come about together or not at all."""
        return await self._bridge.there(self._done(list(ops)))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """The same without `await`."""
        asked = list(ops)
        return self._bridge.wait(lambda: self._done(asked))

    async def asweep_ttl(self) -> int:
        """Remove what has expired; how many. The nightly purge does so too."""
        return await self._bridge.there(items.sweep(self._parts, self._memory.scope))

    def sweep_ttl(self) -> int:
        """The same without `await`."""
        return self._bridge.wait(lambda: items.sweep(self._parts, self._memory.scope))

    async def _done(self, ops: Sequence[Op]) -> list[Result]:
        for op in ops:
            if not isinstance(op, GetOp | SearchOp | ListNamespacesOp | PutOp):
                raise InvalidInput("ops", f"hold an operation of unknown type {type(op).__name__}")
            _check_labels(op)
        puts = [self._put(op) for op in ops if isinstance(op, PutOp)]
        results = await self._read(ops)
        if puts:
            await items.put(self._parts, self._memory.scope, puts)
        return results

    # Reading

    async def _read(self, ops: Sequence[Op]) -> list[Result]:
        if all(isinstance(op, PutOp) for op in ops):
            return [None] * len(ops)
        wanted = {place: await self._wanted(op) for place, op in enumerate(ops) if isinstance(op, SearchOp)}
        async with items.reading(self._parts, self._memory.scope) as reader:
            return [await _answer(reader, op, wanted.get(place)) for place, op in enumerate(ops)]

    async def _wanted(self, op: SearchOp) -> Wanted:
        limit = check.count("limit", op.limit, least=0, most=_MOST)
        offset = check.count("offset", op.offset, least=0, most=_MOST)
        question = None
        if op.query and self._fields is not None:
            query = check.text("query", op.query, most_bytes=self._parts.settings.message_bytes)
            space, parts = self._memory.scope.space, self._parts
            [question] = await parts.governor.embed(parts.embedder, space, [query], purpose="query")
        return Wanted(tuple(op.namespace_prefix), op.filter, limit, offset, question)

    # Writing

    def _put(self, op: PutOp) -> Put:
        most = self._parts.settings.message_bytes
        put = records.new_put(tuple(op.namespace), op.key, op.value, ttl=op.ttl, most_bytes=most)
        return put if op.value is None else replace(put, indexed=tuple(self._texts(op)))

    def _texts(self, op: PutOp) -> list[str]:
        """What an item is found by."""
        if op.index is False or self._fields is None:
            return []
        fields = self._fields if op.index is None else _paths("index", op.index)
        found = [text for field in fields for text in get_text_at_path(op.value, field)]
        return [text for text in found if text.strip()]


def _check_labels(op: Op) -> None:
    """What is given straight to `batch` has not been checked before."""
    if isinstance(op, SearchOp):
        records.check_labels("namespace_prefix", op.namespace_prefix)
    elif isinstance(op, ListNamespacesOp):
        for condition in op.match_conditions or ():
            records.check_labels("match_conditions", condition.path)
    else:
        records.check_labels("namespace", op.namespace)


def _fields_of(index: dict[str, Any] | Literal[False] | None) -> list[str] | None:
    """The fields by which items are found; None: by nothing."""
    if index is False:
        return None
    if index is None:
        return [_WHOLE]
    if not isinstance(index, dict):
        raise InvalidInput("index", "must be an object with `fields`, or False")
    for name in sorted(_OWN & index.keys()):
        raise InvalidInput(f"index.{name}", "is not for the store to say: open Recollect with an `embedder`")
    return _paths("index.fields", index.get("fields") or [_WHOLE])


def _paths(field: str, given: object) -> list[str]:
    if isinstance(given, str) or not isinstance(given, Sequence) or not all(isinstance(each, str) for each in given):
        raise InvalidInput(field, "must be a list of paths")
    return list(given)


async def _answer(reader: Reader, op: Op, wanted: Wanted | None) -> Result:
    if isinstance(op, GetOp):
        found = await reader.get(tuple(op.namespace), str(op.key), refresh=op.refresh_ttl)
        return None if found is None else _item(found)
    if isinstance(op, SearchOp) and wanted is not None:
        return [_search_item(item) for item in await reader.search(wanted, refresh=op.refresh_ttl)]
    if isinstance(op, ListNamespacesOp):
        return _listed(await reader.namespaces(), op)
    return None


def _item(found: records.Item) -> Item:
    return Item(
        value=found.value,
        key=found.key,
        namespace=found.namespace,
        created_at=found.created_at,
        updated_at=found.updated_at,
    )


def _search_item(found: records.Item) -> SearchItem:
    return SearchItem(found.namespace, found.key, found.value, found.created_at, found.updated_at, found.score)


def _listed(found: Iterable[Namespace], op: ListNamespacesOp) -> list[Namespace]:
    matching = [each for each in found if all(_matches(each, condition) for condition in op.match_conditions or ())]
    listed = sorted({each if op.max_depth is None else each[: op.max_depth] for each in matching})
    return listed[op.offset : op.offset + op.limit]


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path, labels = tuple(condition.path), namespace
    check.choice("match_type", condition.match_type, ("prefix", "suffix"))
    if len(labels) < len(path):
        return False
    part = labels[: len(path)] if condition.match_type == "prefix" else labels[len(labels) - len(path) :]
    return all(wanted in (_ANY, label) for wanted, label in zip(path, part, strict=True))
