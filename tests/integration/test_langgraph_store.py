"""LangGraph's store: for the same calls the same as its own in memory, and what only Recollect promises."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.graph import START, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore
from langgraph.store.postgres import PostgresStore
from typing_extensions import TypedDict

from conftest import MovedClock, Opener
from recollect import InvalidInput, NotAllowed, Recollect, RecollectError
from recollect import sync as blocking
from recollect.adapters.langgraph import RecollectStore
from recollect.providers.embedding.fake import FakeEmbedder
from recollect.records.items import item_id

# Several databases at a time, which a cluster does not have; `test_items.py` is for both.
pytestmark = pytest.mark.local


@pytest.fixture(scope="module")
def opened(server: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One memory for most tests, each of which has a space of its own."""
    with server.fresh_database() as url:
        folder = tmp_path_factory.mktemp("items")
        with blocking.Recollect.open(database_url=url, data_dir=folder, embedder="fake", worker=False) as rc:
            yield rc


_users = iter(range(1_000_000))


@pytest.fixture
def ours(opened: Any) -> RecollectStore:
    return RecollectStore(opened.scope(user_id=f"user-{next(_users)}"), index={"fields": ["text"]})


def in_memory(fields: list[str]) -> InMemoryStore:
    """LangGraph's own, with the vectors that Recollect's embedder makes."""
    embedder = FakeEmbedder()

    async def embed(texts: list[str]) -> list[list[float]]:
        found = await embedder.embed(list(texts), purpose="document")
        return [[float(number) for number in vector] for vector in found]

    return InMemoryStore(index={"dims": embedder.dimensions, "embed": embed, "fields": fields})


@pytest.fixture(params=["in memory", "recollect"])
def store(request: pytest.FixtureRequest, ours: RecollectStore) -> BaseStore:
    """Each of the two, for tests that both have to pass."""
    return ours if request.param == "recollect" else in_memory(["text"])


@pytest.fixture
async def own(rc: Recollect) -> RecollectStore:
    """Of Alice, in a database of its own."""
    return RecollectStore(rc.scope(user_id="alice"), index={"fields": ["text"]})


def seen(item: Item | None) -> Any:
    return item and (item.namespace, item.key, item.value)


def keys(found: list[Any]) -> list[str]:
    return [item.key for item in found]


VALUES: list[dict[str, Any]] = [
    {},
    {"text": "plain"},
    {"z": 1, "a": {"b": [1, 2.5, -0.0, 1e22, 1e-9, True, False, None, "x", [], {}]}},
    {"unicode": "Ω 漢字 🙂 \u200b \ufeff \r\n\t", "ключ": "значение", "": "empty key"},
    {"quote": "\"'\\ \\u0000 \\n", "percent": "100%s %(x)s"},
    {"big": 2**70, "small": 5e-324, "long": "x" * 100_000, "deep": [[[[[[{"a": [{}]}]]]]]]},
]


class TestPutAndGet:
    @pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
    async def test_a_value_comes_back_as_it_was(self, store: BaseStore, value: dict[str, Any]) -> None:
        await store.aput(("docs", "x"), "one", value)
        found = await store.aget(("docs", "x"), "one")
        assert seen(found) == (("docs", "x"), "one", value)
        assert found is not None
        assert json.dumps(found.value) == json.dumps(value)  # the order of keys, and 1e22 is no whole number

    async def test_there_is_nothing_where_nothing_was_put(self, store: BaseStore) -> None:
        await store.aput(("docs",), "one", {"a": 1})
        assert await store.aget(("docs",), "two") is None
        assert await store.aget(("docs", "one"), "one") is None
        assert await store.aget(("other",), "one") is None

    async def test_the_last_value_counts(self, store: BaseStore) -> None:
        for number in range(3):
            await store.aput(("docs",), "one", {"n": number})
        assert seen(await store.aget(("docs",), "one")) == (("docs",), "one", {"n": 2})

    async def test_what_is_deleted_is_gone_and_can_be_put_again(self, store: BaseStore) -> None:
        await store.aput(("docs",), "one", {"n": 1})
        await store.adelete(("docs",), "one")
        await store.adelete(("docs",), "never")
        assert await store.aget(("docs",), "one") is None
        await store.aput(("docs",), "one", {"n": 2})
        assert seen(await store.aget(("docs",), "one")) == (("docs",), "one", {"n": 2})

    async def test_names_are_told_apart(self, store: BaseStore) -> None:
        places = [(("a",), "b.c"), (("a", "b"), "c"), (("a",), "B.c"), (("A",), "b.c"), (("a",), ""), (("a",), "%")]
        for number, (namespace, key) in enumerate(places):
            await store.aput(namespace, key, {"n": number})
        found = [await store.aget(namespace, key) for namespace, key in places]
        assert [item and item.value["n"] for item in found] == list(range(len(places)))

    @pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), ("langgraph", "x"), (1,), ("a\x00b",)])
    async def test_bad_namespaces(self, store: BaseStore, namespace: Any) -> None:
        with pytest.raises(InvalidNamespaceError):
            await store.aput(namespace, "one", {"a": 1})

    async def test_times(self, rc: Recollect, own: RecollectStore, clock: MovedClock) -> None:
        """As PostgresStore has them: an item is created once. InMemoryStore forgets when."""
        began = clock()
        await own.aput(("docs",), "one", {"n": 1})
        clock.forward(hours=1)
        await own.aput(("docs",), "one", {"n": 2})
        found = await own.aget(("docs",), "one")
        assert found is not None
        assert (found.created_at, found.updated_at) == (began, clock())


class TestSearch:
    @pytest.fixture
    async def filled(self, store: BaseStore) -> BaseStore:
        rows = [
            (("users", "ann"), "p1", {"text": "tea", "n": 1, "tags": ["a", "b"], "in": {"x": 1, "y": None}}),
            (("users", "bob"), "p1", {"text": "coffee", "n": 2.5, "ok": True}),
            (("users", "ann", "old"), "p2", {"text": "milk", "n": "3", "in": {"x": 2}}),
            (("users",), "p3", {"text": "juice", "n": 4, "ok": False}),
            (("usersets", "ann"), "p4", {"text": "soda", "n": 5, "gone": None}),
            (("users-x",), "p5", {"text": "beer", "n": -1, "tags": []}),
        ]
        for namespace, key, value in rows:
            await store.aput(namespace, key, value)
        return store

    @pytest.mark.parametrize(
        ("prefix", "expected"),
        [
            ((), 6),
            (("users",), 4),
            (("users", "ann"), 2),
            (("users", "ann", "old"), 1),
            (("users", "a"), 0),
            (("user",), 0),
            (("usersets",), 1),
            (("users-x",), 1),
            (("*",), 0),
        ],
    )
    async def test_prefixes(self, filled: BaseStore, prefix: tuple[str, ...], expected: int) -> None:
        assert len(await filled.asearch(prefix)) == expected

    @pytest.mark.parametrize(
        ("filter", "expected"),
        [
            (None, ["p1", "p1", "p2", "p3", "p4", "p5"]),
            ({}, ["p1", "p1", "p2", "p3", "p4", "p5"]),
            ({"text": "tea"}, ["p1"]),
            ({"text": "Tea"}, []),
            ({"n": 4}, ["p3"]),
            ({"n": 4.0}, ["p3"]),
            ({"n": "4"}, []),
            ({"n": 1, "text": "tea"}, ["p1"]),
            ({"n": 1, "text": "milk"}, []),
            ({"ok": True}, ["p1"]),
            ({"ok": 1}, ["p1"]),
            ({"ok": False}, ["p3"]),
            ({"gone": None}, ["p1", "p1", "p2", "p3", "p4", "p5"]),
            ({"missing": None}, ["p1", "p1", "p2", "p3", "p4", "p5"]),
            ({"tags": ["a", "b"]}, ["p1"]),
            ({"tags": ["a"]}, []),
            ({"tags": []}, ["p5"]),
            ({"in": {"x": 1}}, ["p1"]),
            ({"in": {"x": 1, "y": None}}, ["p1"]),
            ({"in": {"y": None}}, ["p1", "p2"]),
            ({"in": {}}, ["p1", "p2"]),
            ({"in": {"x": {"$gt": 1}}}, ["p2"]),
            ({"text": {"$eq": "tea"}}, ["p1"]),
            ({"text": {"$ne": "tea"}}, ["p1", "p2", "p3", "p4", "p5"]),
            ({"in": {"$eq": {"x": 2}}}, ["p2"]),
            ({"tags": {"$ne": []}}, ["p1", "p1", "p2", "p3", "p4"]),
            ({"n": {"$gt": 2.5}}, ["p2", "p3", "p4"]),
            ({"n": {"$gte": 2.5}}, ["p1", "p2", "p3", "p4"]),
            ({"n": {"$lt": 1}}, ["p5"]),
            ({"n": {"$lte": 1}}, ["p1", "p5"]),
            ({"n": {"$gt": 0, "$lt": 4}}, ["p1", "p1", "p2"]),
            ({"n": {"$gt": -1e300}}, ["p1", "p1", "p2", "p3", "p4", "p5"]),
        ],
        ids=str,
    )
    async def test_filters(self, filled: BaseStore, filter: Any, expected: list[str]) -> None:
        assert keys(await filled.asearch((), filter=filter)) == expected

    @pytest.mark.parametrize("filter", [{"n": {"$in": [1]}}, {"n": {"$gt": "many"}}, {"n": {"$gt": 1, "x": 2}}])
    async def test_bad_filters(self, filled: BaseStore, filter: Any) -> None:
        with pytest.raises(ValueError):  # noqa: PT011 - each says it in words of its own
            await filled.asearch((), filter=filter)

    async def test_what_is_no_number_is_not_compared(self, ours: RecollectStore) -> None:
        """Where InMemoryStore gives up, for one item among many."""
        for key, value in {"a": 3, "b": "many", "c": None, "d": [4], "e": {"x": 4}}.items():
            await ours.aput(("docs",), key, {"n": value})
        await ours.aput(("docs",), "f", {})
        assert keys(await ours.asearch(("docs",), filter={"n": {"$gt": 1}})) == ["a"]

    @pytest.mark.parametrize(("limit", "offset"), [(10, 0), (2, 0), (2, 2), (4, 4), (3, 9), (0, 0)])
    async def test_pages(self, filled: BaseStore, limit: int, offset: int) -> None:
        found = keys(await filled.asearch((), limit=limit, offset=offset))
        assert found == ["p1", "p1", "p2", "p3", "p4", "p5"][offset : offset + limit]

    async def test_the_nearest_come_first(self, filled: BaseStore) -> None:
        found = await filled.asearch(("users",), query="coffee", limit=3)
        assert seen(found[0])[:2] == (("users", "bob"), "p1")
        scores = [item.score for item in found]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] == pytest.approx(1, abs=0.01)

    async def test_a_filter_holds_for_the_nearest_too(self, filled: BaseStore) -> None:
        found = await filled.asearch((), query="coffee", filter={"n": {"$gt": 3}})
        assert set(keys(found)) == {"p3", "p4"}

    async def test_without_a_question_there_is_no_score(self, filled: BaseStore) -> None:
        assert {item.score for item in await filled.asearch((), query=None)} == {None}
        assert {item.score for item in await filled.asearch((), query="")} == {None}


class TestIndex:
    async def test_what_is_not_indexed_comes_last_without_a_score(self, store: BaseStore) -> None:
        await store.aput(("docs",), "off", {"text": "apple pie"}, index=False)
        await store.aput(("docs",), "none", {"other": "apple pie"})
        await store.aput(("docs",), "on", {"text": "apple tart"})
        found = await store.asearch(("docs",), query="apple pie")
        assert keys(found) == ["on", "off", "none"]
        assert [item.score is None for item in found] == [False, True, True]

    async def test_fields_of_one_item(self, store: BaseStore) -> None:
        value = {"text": "unrelated words", "parts": [{"t": "green apples"}, {"t": "red pears"}], "a": {"b": "plums"}}
        await store.aput(("docs",), "parts", value, index=["parts[*].t"])
        await store.aput(("docs",), "nested", value, index=["a.b"])
        await store.aput(("docs",), "text", value)
        for question, best in (("red pears", "parts"), ("plums", "nested"), ("unrelated words", "text")):
            assert keys(await store.asearch(("docs",), query=question))[0] == best

    async def test_scores_are_equal(self, opened: Any) -> None:
        """To what a half-precision number can tell."""
        for fields in (["text"], ["text", "more"], ["$"], ["list[*]"]):
            scope = opened.scope(user_id=f"user-{next(_users)}")
            stores = (in_memory(fields), RecollectStore(scope, index={"fields": fields}))
            answers = []
            for store in stores:
                for number, word in enumerate(("tea", "green tea", "black coffee", "rye bread")):
                    value = {"text": word, "more": f"{word} in the morning", "list": [word, f"no {word}"]}
                    await store.aput(("docs", str(number % 2)), str(number), value)
                found = await store.asearch(("docs",), query="tea in the morning")
                answers.append([(item.key, item.score) for item in found])
            theirs, mine = (dict(answer) for answer in answers)
            assert mine == pytest.approx(theirs, abs=0.002)
            assert answers[0][0][0] == answers[1][0][0]

    async def test_another_value_is_found_by_itself_alone(self, ours: RecollectStore) -> None:
        await ours.aput(("docs",), "one", {"text": "green apples"})
        await ours.aput(("docs",), "one", {"text": "rye bread"})
        [found] = await ours.asearch(("docs",), query="green apples")
        assert found.score is not None
        assert found.score < 0.9
        await ours.aput(("docs",), "one", {"text": "green apples"}, index=False)
        assert [item.score for item in await ours.asearch(("docs",), query="green apples")] == [None]

    async def test_a_store_without_an_index(self, opened: Any) -> None:
        store, theirs = RecollectStore(opened.scope(user_id="plain"), index=False), InMemoryStore()
        for each in (store, theirs):
            await each.aput(("docs",), "one", {"text": "tea"}, index=["text"])
            found = await each.asearch(("docs",), query="tea")
            assert [(item.key, item.score) for item in found] == [("one", None)]

    @pytest.mark.parametrize(
        ("index", "field"),
        [
            ({"embed": len}, "index.embed"),
            ({"dims": 3}, "index.dims"),
            ({"fields": "text"}, "index.fields"),
            (True, "index"),
        ],
    )
    async def test_what_the_store_does_not_say(self, opened: Any, index: Any, field: str) -> None:
        with pytest.raises(InvalidInput) as refused:
            RecollectStore(opened.scope(user_id="alice"), index=index)
        assert refused.value.field == field


class TestNamespaces:
    @pytest.fixture
    async def filled(self, store: BaseStore) -> BaseStore:
        for namespace in (("b", "x", "1"), ("a", "x"), ("a", "y", "2", "z"), ("a", "y", "1"), ("c",), ("a-b", "x")):
            for key in ("one", "two"):
                await store.aput(namespace, key, {})
        return store

    @pytest.mark.parametrize(
        ("asked", "expected"),
        [
            ({}, 6),
            ({"prefix": ("a",)}, 3),
            ({"prefix": ("a", "y")}, 2),
            ({"prefix": ("*", "x")}, 3),
            ({"prefix": ("a", "*", "1")}, 1),
            ({"suffix": ("x",)}, 2),
            ({"suffix": ("1",)}, 2),
            ({"suffix": ("y", "*")}, 1),
            ({"prefix": ("a",), "suffix": ("1",)}, 1),
            ({"max_depth": 1}, 4),
            ({"max_depth": 2}, 5),
            ({"prefix": ("a",), "max_depth": 2}, 2),
            ({"limit": 2}, 2),
            ({"limit": 2, "offset": 5}, 1),
            ({"max_depth": 1, "limit": 2, "offset": 1}, 2),
            ({"prefix": ("nothing",)}, 0),
            ({"prefix": ("a", "x", "y", "z", "more")}, 0),
        ],
        ids=str,
    )
    async def test_lists(self, filled: BaseStore, asked: Any, expected: int) -> None:
        found = await filled.alist_namespaces(**asked)
        assert len(found) == expected
        assert found == sorted(found)

    async def test_both_list_the_same(self, own: RecollectStore) -> None:
        theirs = InMemoryStore()
        for store in (own, theirs):
            for namespace in (("b", "x"), ("a", "x", "1"), ("a", "*"), ("é", "Z"), ("e", "z"), ("Z",)):
                await store.aput(namespace, "k", {})
        for asked in ({}, {"prefix": ("*",)}, {"suffix": ("*", "*")}, {"max_depth": 1}, {"max_depth": 0}):
            assert await own.alist_namespaces(**asked) == await theirs.alist_namespaces(**asked)

    async def test_a_namespace_without_items_is_none(self, ours: RecollectStore) -> None:
        """InMemoryStore lists what was once put, and even what was only asked for."""
        await ours.aput(("docs",), "one", {})
        await ours.adelete(("docs",), "one")
        await ours.aget(("asked",), "one")
        assert await ours.alist_namespaces() == []


class TestBatch:
    async def test_reads_see_what_stood_before(self, store: BaseStore) -> None:
        await store.aput(("docs",), "one", {"n": 1})
        ops = [
            PutOp(("docs",), "one", {"n": 2}),
            GetOp(("docs",), "one"),
            PutOp(("docs",), "two", {"n": 3}),
            SearchOp(("docs",)),
            ListNamespacesOp(),
            PutOp(("new",), "one", {"n": 4}),
            GetOp(("new",), "one"),
            PutOp(("docs",), "one", None),
            PutOp(("docs",), "two", {"n": 5}),
        ]
        found = await store.abatch(ops)
        assert [None if index in (0, 2, 5, 7, 8) else type(each) for index, each in enumerate(found)] == [
            None, Item, None, list, list, None, type(None), None, None,
        ]  # fmt: skip
        assert seen(found[1]) == (("docs",), "one", {"n": 1})  # type: ignore[arg-type]
        assert [seen(item) for item in found[3]] == [(("docs",), "one", {"n": 1})]  # type: ignore[union-attr]
        assert found[4] == [("docs",)]
        left = [(item.namespace, item.key, item.value["n"]) for item in await store.asearch(())]
        assert left == [(("docs",), "two", 5), (("new",), "one", 4)]

    async def test_an_empty_one(self, store: BaseStore) -> None:
        assert await store.abatch([]) == []

    async def test_one_bad_operation_and_nothing_is_written(self, ours: RecollectStore) -> None:
        with pytest.raises(InvalidInput, match="value"):
            await ours.abatch([PutOp(("docs",), "one", {"n": 1}), PutOp(("docs",), "two", {"n": {1, 2}})])  # type: ignore[dict-item]
        assert await ours.aget(("docs",), "one") is None

    @pytest.mark.parametrize(
        "op",
        [
            PutOp(("a.b",), "k", {}),
            GetOp(("a.b",), "k"),
            SearchOp(("a.b",)),
            ListNamespacesOp((MatchCondition("prefix", ("a.b",)),)),
            PutOp((), "k", {}),
            "get",
        ],
    )
    async def test_what_is_given_straight_to_it_is_checked(self, ours: RecollectStore, op: Any) -> None:
        with pytest.raises(InvalidInput):
            await ours.abatch([op])

    async def test_many_at_once(self, ours: RecollectStore) -> None:
        await asyncio.gather(*(ours.aput(("docs",), str(n % 5), {"n": n, "text": f"note {n}"}) for n in range(40)))
        found = await ours.asearch(("docs",), limit=100)
        assert sorted(keys(found)) == ["0", "1", "2", "3", "4"]
        await asyncio.gather(
            *(ours.adelete(("docs",), str(n % 5)) if n % 2 else ours.aput(("docs",), str(n % 5), {}) for n in range(40))
        )


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"a": "x\x00y"}, "NUL"),
        ({"a\x00": 1}, "NUL"),
        ({"a": "\ud800"}, "surrogate"),
        ({"a": float("nan")}, "JSON"),
        ({"a": float("inf")}, "JSON"),
        ({"a": (1, 2)}, "as it is"),
        ({"a": {1: 2}}, "as it is"),
        ({"a": {1, 2}}, "JSON"),
        ({"a": b"bytes"}, "JSON"),
        ({"a": "x" * 2_000_000}, "limit"),
        ([1, 2], "object"),
    ],
)
async def test_what_json_would_not_give_back_is_refused(ours: RecollectStore, value: Any, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        await ours.aput(("docs",), "one", value)
    assert await ours.asearch(()) == []


async def test_the_same_where_all_of_it_is_indexed(rc: Recollect) -> None:
    with pytest.raises(InvalidInput, match="value: is no JSON"):
        await RecollectStore(rc.scope(user_id="alice")).aput(("docs",), "one", {"a": {1, 2}})


async def test_keys_that_cannot_be(ours: RecollectStore) -> None:
    for key in ("x\x00", "\ud800", "x" * 3_000):
        with pytest.raises(InvalidInput, match="key"):
            await ours.aput(("docs",), key, {})
        assert await ours.aget(("docs",), key) is None


# Whatever is done, in whichever order

LABELS = st.sampled_from(["a", "b", "ab", "*", "é"])
NAMESPACES = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
KEYS = st.sampled_from(["k", "K", "k.1", "", "键"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 2, 1.5, "x", "y", "1", "", "Ω"])
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["f", "g"]), inner, max_size=2),
    max_leaves=4,
)
FIELDS = st.sampled_from(["f", "g"])
ITEMS = st.dictionaries(FIELDS, TREES, max_size=2)
NUMBERS = st.dictionaries(st.sampled_from(["n"]), st.sampled_from([0, 1, 1.5, "2", True]), min_size=1)
FILTERS = st.dictionaries(FIELDS, TREES | st.fixed_dictionaries({"$eq": TREES}) | st.fixed_dictionaries({"$ne": TREES}))
PUTS = st.builds(PutOp, NAMESPACES, KEYS, ITEMS | st.none(), index=st.none(), ttl=st.none())
READS = st.one_of(
    st.builds(GetOp, NAMESPACES, KEYS),
    st.builds(
        SearchOp,
        st.just(()) | NAMESPACES,
        st.none() | FILTERS,
        limit=st.integers(0, 12),
        offset=st.integers(0, 4),
        query=st.none(),
    ),
    st.builds(
        ListNamespacesOp,
        st.none() | st.lists(st.builds(MatchCondition, st.sampled_from(["prefix", "suffix"]), NAMESPACES), max_size=2),
        st.none() | st.integers(1, 3),
        st.integers(0, 8),
        st.integers(0, 3),
    ),
)
BATCHES = st.lists(st.lists(PUTS | READS, max_size=5), max_size=8)


class Reference:
    """InMemoryStore with a fault mended: it lists namespaces without items, even such as were only asked for."""

    def __init__(self) -> None:
        self.store = InMemoryStore()

    async def abatch(self, ops: list[Any]) -> list[Any]:
        puts = [op for op in ops if isinstance(op, PutOp)]
        found = [None if isinstance(op, PutOp) else (await self._done([op]))[0] for op in ops]
        await self._done(puts)  # reads of a batch see what was there before it
        return found

    async def _done(self, ops: list[Any]) -> list[Any]:
        found = await self.store.abatch(ops)
        for namespace in [each for each, items in self.store._data.items() if not items]:
            del self.store._data[namespace]
        return found


def shown(result: Any) -> Any:
    if isinstance(result, list):
        return [shown(each) for each in result]
    return seen(result) if isinstance(result, Item) else result


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(batches=BATCHES)
def test_any_sequence_gives_the_same(opened: Any, batches: list[list[Any]]) -> None:
    user = f"user-{next(_users)}"
    ours, theirs = RecollectStore(opened.scope(user_id=user)), Reference()
    for ops in batches:
        mine = [shown(each) for each in ours.batch(ops)]
        assert mine == [shown(each) for each in asyncio.run(theirs.abatch(ops))], ops


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    values=st.lists(NUMBERS, min_size=1, max_size=5),
    operator=st.sampled_from(["$gt", "$gte", "$lt", "$lte"]),
    bound=st.sampled_from([0, 1, 1.5, 2, "1", -1e300]),
)
def test_any_comparison_gives_the_same(opened: Any, values: list[Any], operator: str, bound: Any) -> None:
    user = f"user-{next(_users)}"
    puts = [PutOp(("n",), str(place), value) for place, value in enumerate(values)]
    asked = [SearchOp(("n",), {"n": {operator: bound}})]
    ours, theirs = RecollectStore(opened.scope(user_id=user)), InMemoryStore()
    for store in (ours, theirs):
        store.batch(puts)
    assert shown(ours.batch(asked)) == shown(theirs.batch(asked))


# Time to live, as PostgresStore has it


class Lived:
    """A store and a way to let time pass for it."""

    def __init__(self, store: Any, passes: Callable[[float], Awaitable[None]]) -> None:
        self.store, self.passes = store, passes


@pytest.fixture(params=["postgres", "recollect"])
async def lived(request: pytest.FixtureRequest, rc: Recollect, clock: MovedClock, server: Any) -> Any:
    """Both with the same configuration, which each test may change."""
    config = {"default_ttl": 60, "refresh_on_read": True, "omit_expired": True}
    if request.param == "recollect":

        async def forward(minutes: float) -> None:
            clock.forward(minutes=minutes)

        yield Lived(RecollectStore(rc.scope(user_id="alice"), ttl=config), forward)  # type: ignore[arg-type]
        return
    with server.fresh_database() as url, PostgresStore.from_conn_string(url, ttl=config) as store:  # type: ignore[arg-type]
        store.setup()

        async def backward(minutes: float) -> None:
            with psycopg.connect(url, autocommit=True) as owner:
                owner.execute("update store set expires_at = expires_at - make_interval(mins => %s)", [int(minutes)])

        yield Lived(store, backward)


async def put(lived: Lived, key: str, **more: Any) -> None:
    await asyncio.to_thread(lived.store.put, ("docs",), key, {"k": key}, **more)


async def got(lived: Lived, key: str, **more: Any) -> bool:
    return await asyncio.to_thread(lived.store.get, ("docs",), key, **more) is not None


class TestTimeToLive:
    async def test_the_default_and_the_exceptions(self, lived: Lived) -> None:
        await put(lived, "default")
        await put(lived, "short", ttl=10)
        await put(lived, "forever", ttl=None)
        await lived.passes(30)
        assert [await got(lived, key, refresh_ttl=False) for key in ("default", "short", "forever")] == [
            True,
            False,
            True,
        ]
        await lived.passes(31)
        assert [await got(lived, key) for key in ("default", "short", "forever")] == [False, False, True]

    async def test_reading_refreshes(self, lived: Lived) -> None:
        await put(lived, "read")
        await put(lived, "found")
        await put(lived, "unread")
        for _ in range(3):
            await lived.passes(40)
            assert await got(lived, "read") is True
            found = await asyncio.to_thread(lived.store.search, ("docs",), filter={"k": "found"})
            assert keys(found) == ["found"]
        assert await got(lived, "unread") is False

    async def test_reading_refreshes_only_where_it_shall(self, lived: Lived) -> None:
        lived.store.ttl_config = {**lived.store.ttl_config, "refresh_on_read": False}
        await put(lived, "one")
        await put(lived, "two")
        await lived.passes(40)
        assert await got(lived, "one") is True
        assert await got(lived, "two", refresh_ttl=True) is True
        await lived.passes(40)
        assert [await got(lived, key) for key in ("one", "two")] == [False, True]

    async def test_putting_begins_anew(self, lived: Lived) -> None:
        await put(lived, "one", ttl=10)
        await put(lived, "two", ttl=10)
        await put(lived, "one", ttl=None)
        await put(lived, "two")
        await lived.passes(30)
        assert [await got(lived, key) for key in ("one", "two")] == [True, True]

    async def test_what_expired_can_be_put_again(self, lived: Lived) -> None:
        await put(lived, "one", ttl=10)
        await lived.passes(30)
        await put(lived, "one")
        assert await got(lived, "one") is True
        assert await asyncio.to_thread(lived.store.sweep_ttl) == 0

    async def test_what_expired_is_in_no_list(self, lived: Lived) -> None:
        await put(lived, "one", ttl=10)
        await asyncio.to_thread(lived.store.put, ("other",), "two", {})
        await lived.passes(30)
        assert await asyncio.to_thread(lived.store.list_namespaces) == [("other",)]
        assert keys(await asyncio.to_thread(lived.store.search, ())) == ["two"]

    async def test_a_sweep_counts_what_it_removes(self, lived: Lived) -> None:
        for key, ttl in (("a", 10), ("b", 20), ("c", 100), ("d", None)):
            await put(lived, key, ttl=ttl)
        assert await asyncio.to_thread(lived.store.sweep_ttl) == 0
        await lived.passes(50)
        assert await asyncio.to_thread(lived.store.sweep_ttl) == 2
        assert await asyncio.to_thread(lived.store.sweep_ttl) == 0
        assert [await got(lived, key) for key in "abcd"] == [False, False, True, True]


async def test_the_nightly_purge_sweeps_too(rc: Recollect, own: RecollectStore, clock: MovedClock) -> None:
    await own.aput(("docs",), "short", {"text": "tea"}, ttl=10)
    await own.aput(("docs",), "long", {"text": "tea"})
    clock.forward(days=1)
    assert (await rc.run_job("purge"))["purged"] == 1
    page = await rc.scope(user_id="alice").get_all(kinds=["item"], include=["expired"])
    assert [memory.title for memory in page] == ["long"]


@pytest.mark.parametrize("ttl", [-1, float("nan"), float("inf"), "10", True])
async def test_times_to_live_that_are_none(ours: RecollectStore, ttl: Any) -> None:
    with pytest.raises(InvalidInput, match="ttl"):
        await ours.aput(("docs",), "one", {}, ttl=ttl)


# What only Recollect promises


async def test_items_are_the_users_own(rc: Recollect, own: RecollectStore) -> None:
    await own.aput(("docs",), "one", {"text": "tea"})
    other = RecollectStore(rc.scope(user_id="bob"))
    assert await other.aget(("docs",), "one") is None
    assert await other.asearch((), query="tea") == []
    assert await other.alist_namespaces() == []
    await other.aput(("docs",), "one", {"text": "coffee"})
    await other.adelete(("docs",), "one")
    assert seen(await own.aget(("docs",), "one")) == (("docs",), "one", {"text": "tea"})


async def test_an_item_is_a_memory(rc: Recollect, own: RecollectStore, clock: MovedClock) -> None:
    me = rc.scope(user_id="alice")
    await own.aput(("docs", "x"), "one", {"text": "Rooibos before bed."})
    [hit] = await me.search("rooibos", kinds=["item"])
    assert (hit.memory.type, hit.memory.title, hit.memory.tier) == ("docs.x", "one", "long")
    assert hit.memory.id == item_id(("docs", "x"), "one")
    await own.aput(("docs", "x"), "one", {"text": "Camomile before bed."})
    assert [entry.event for entry in await me.history(hit.memory.id)] == ["ADD", "UPDATE"]
    assert (await me.get(hit.memory.id)).version == 2
    for name in ("decay", "consolidation", "forgetting", "purge", "retention"):
        clock.forward(days=400)
        await rc.run_job(name)
    assert await own.aget(("docs", "x"), "one") is not None
    with pytest.raises(InvalidInput, match="program"):
        await me.update(hit.memory.id, content="not JSON")
    await me.delete(hit.memory.id)
    assert await own.aget(("docs", "x"), "one") is None
    await own.aput(("docs", "x"), "one", {"text": "again"})
    assert seen(await own.aget(("docs", "x"), "one"))[2] == {"text": "again"}


async def test_forgetting_reaches_items(rc: Recollect, own: RecollectStore) -> None:
    me = rc.scope(user_id="alice")
    statement = await me.add("Quillon Vexley collects barometers.")
    await own.aput(("docs",), "one", {"text": "Quillon Vexley collects barometers. The sea is calm.", "n": 1})
    await own.aput(("docs",), "two", {"text": "The sea is rough."})
    receipt = await me.forget(statement.id)
    assert receipt.counts.get("rewritten_item") == 1
    found = await own.aget(("docs",), "one")
    assert found is not None
    assert found.value == {"text": "The sea is calm.", "n": 1}
    await rc.drain()
    assert "barometers" not in "".join(hit.memory.content for hit in await me.search("barometers", kinds=["item"]))
    assert [item.score is None for item in await own.asearch((), query="The sea is calm.")] == [False, False]
    await me.forget(item_id(("docs",), "two"))
    assert keys(await own.asearch(())) == ["one"]


async def test_exports_carry_items(rc: Recollect, own: RecollectStore) -> None:
    await own.aput(("docs",), "one", {"z": "ü", "a": [1.0, None], "text": "tea"}, ttl=100)
    await own.aput(("docs", "x"), "two", {"text": "coffee"}, index=False)
    for plain in (True, False):
        lines = [line async for line in rc.scope(user_id="alice").export(plain=plain)]
        target = rc.scope(user_id=f"copy-{plain}")
        await target.import_lines(lines)
        again = await target.import_lines(lines)
        assert (again.rows, again.memories if plain else 0) == (0, 0)
        copy = RecollectStore(target, index={"fields": ["text"]})
        found = await copy.asearch((), query="tea")
        assert [(item.key, item.score is None) for item in found] == [("one", False), ("two", True)]
        assert json.dumps(found[0].value) == json.dumps({"z": "ü", "a": [1.0, None], "text": "tea"})


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ({"namespace": ["a.b"], "key": "k", "value": {}}, "namespace"),
        ({"namespace": [], "key": "k", "value": {}}, "namespace"),
        ({"namespace": "a", "key": "k", "value": {}}, "namespace"),
        ({"namespace": ["a"], "value": {}}, "key"),
        ({"namespace": ["a"], "key": "k", "value": 1}, "value"),
        ({"namespace": ["a"], "key": "k", "value": {}, "ttl": -1}, "ttl"),
        ({"namespace": ["a"], "key": "k", "value": {}, "more": 1}, "more"),
    ],
)
async def test_bad_lines_of_items(rc: Recollect, line: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput, match=f"line 1, {field}"):
        await rc.scope(user_id="alice").import_lines([json.dumps({"record": "item", **line})])


async def test_vectors_are_made_anew_for_another_model(open_recollect: Opener) -> None:
    from recollect.flows.reembed import reembed

    opened = await open_recollect()
    ours = RecollectStore(opened.scope(user_id="alice"), index={"fields": ["a", "b"]})
    await ours.aput(("docs",), "one", {"a": "green apples", "b": "rye bread", "c": "unseen words"})
    await ours.aput(("docs",), "off", {"a": "green apples"}, index=False)
    await reembed(opened.parts, force=True)
    found = await ours.asearch((), query="rye bread")
    assert [(item.key, item.score is None) for item in found] == [("one", False), ("off", True)]
    assert found[0].score == pytest.approx(1, abs=0.01)


async def test_an_allowlist_holds(open_recollect: Opener) -> None:
    opened = await open_recollect(categories="allowlists: {taster: [preferences], reader: [knowledge]}")
    reader = RecollectStore(opened.scope(user_id="alice", agent_id="reader"))
    await reader.aput(("docs",), "one", {"a": 1})
    assert seen(await reader.aget(("docs",), "one")) == (("docs",), "one", {"a": 1})
    taster = RecollectStore(opened.scope(user_id="alice", agent_id="taster"))
    for attempt in (
        lambda: taster.aget(("docs",), "one"),
        lambda: taster.asearch(()),
        taster.alist_namespaces,
        lambda: taster.aput(("docs",), "one", {"a": 2}),
        lambda: taster.adelete(("docs",), "one"),
    ):
        with pytest.raises(NotAllowed, match="knowledge"):
            await attempt()


class Counted(TypedDict):
    count: int


async def test_a_graph_uses_it(own: RecollectStore) -> None:
    async def count(state: Counted, *, store: BaseStore) -> Counted:
        known = await store.aget(("counts",), "all")
        number = (known.value["n"] if known else 0) + 1
        await store.aput(("counts",), "all", {"n": number})
        return {"count": number}

    builder = StateGraph(Counted)
    builder.add_node("count", count)
    builder.add_edge(START, "count")
    graph = builder.compile(store=own)
    assert [(await graph.ainvoke({"count": 0}))["count"] for _ in range(3)] == [1, 2, 3]


def test_without_await(opened: Any) -> None:
    store = RecollectStore(opened.scope(user_id="blocking"), index={"fields": ["text"]})
    store.put(("docs",), "one", {"text": "tea"})
    assert seen(store.get(("docs",), "one")) == (("docs",), "one", {"text": "tea"})
    assert keys(store.search(("docs",), query="tea")) == ["one"]
    assert store.list_namespaces() == [("docs",)]
    assert asyncio.run(store.aget(("docs",), "one")) == store.get(("docs",), "one")
    store.delete(("docs",), "one")
    assert store.sweep_ttl() == 0
    assert store.get(("docs",), "one") is None


async def test_the_loop_that_would_work_cannot_wait(own: RecollectStore) -> None:
    with pytest.raises(RecollectError, match="await"):
        own.get(("docs",), "one")


def test_it_needs_an_open_scope() -> None:
    with pytest.raises(InvalidInput, match="scope"):
        RecollectStore("alice")  # type: ignore[arg-type]
