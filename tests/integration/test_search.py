"""Search: filters, thresholds, reasons, several spaces in two round trips, the same hits with indexes and without."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import numpy as np
import psycopg
import pytest

from recollect.bench.speed import AsTeam
from recollect.core.errors import InvalidInput
from recollect.core.terms import term_ids
from recollect.db import sight
from recollect.db.compose import SQL
from recollect.db.database import Batch, Database, number_array
from recollect.memory import ScopedMemory
from recollect.providers.embedding.fake import FakeEmbedder
from recollect.records.store import vector_literal
from recollect.retrieval.search import QUERIES as SEARCH

DAY = timedelta(days=1)


@contextmanager
def round_trips() -> Iterator[list[int]]:
    """How many statements each message to the server holds, meanwhile."""
    sent: list[int] = []
    send = Database.send

    async def counting(self: Database, batch: Any) -> Any:
        sent.append(len(batch.statements))
        return await send(self, batch)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "send", counting)
        yield sent


def texts_of(hits: Any) -> list[str]:
    return [hit.memory.content for hit in hits]


def execute(rc: Any, query: str, *values: Any) -> None:
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        owner.execute(query, values or None)


# Filters


async def test_each_filter_is_applied(rc, clock):
    me = rc.scope(user_id="alice", agent_id="planner", run_id="run-1", thread_id="chat-1")
    other = rc.scope(user_id="alice", agent_id="writer", run_id="run-2", thread_id="chat-2")
    since = clock.now - 10 * DAY
    wanted = await me.add(
        "Tea with lemon.",
        type="goal",
        category="drinks",
        tags=["hot", "sour"],
        metadata={"shop": {"name": "Kult"}, "year": 2026},
        importance=0.9,
        valid_from=since,
    )
    source = uuid4()
    execute(rc, "update memory set source_id = %s, speaker = 'Zoë', role = 'user' where id = %s", source, wanted.id)
    await other.add("Tea with milk.", type="preference", importance=0.3, valid_from=clock.now - 20 * DAY)
    await other.add("Pour tea slowly.", kind="procedure", importance=0.3, pinned=True)
    assert len(await me.search("tea")) == 3
    filters: list[dict[str, Any]] = [
        {"types": ["goal", "decision"]},
        {"categories": ["drinks"]},
        {"tags": ["sour", "sweet"]},
        {"agent": "planner"},
        {"run": "run-1"},
        {"thread": "chat-1"},
        {"source": source},
        {"source": str(source)},
        {"speaker": "zoë"},
        {"metadata": {"shop": {"name": "Kult"}}},
        {"metadata": {"year": 2026}, "min_importance": 0.5},
        {"min_importance": 0.9},
        {"since": since, "until": since + DAY},
        {"since": since.date().isoformat(), "until": (since + DAY).date().isoformat()},
        {"kinds": ["statement"], "min_importance": 0.5},
        {"tier": "long", "types": ["goal"]},
    ]
    for given in filters:
        assert texts_of(await me.search("tea", **given)) == ["Tea with lemon."], given
        assert [memory.id for memory in await me.get_all(**given)] == [wanted.id], given
    assert texts_of(await me.search("tea", kinds=["procedure"])) == ["Pour tea slowly."]
    assert texts_of(await me.search("tea", pinned=True)) == ["Pour tea slowly."]
    for given in (
        {"tier": "short"},
        {"kinds": ["turn"]},
        {"tags": ["sweet"]},
        {"kinds": []},
        {"metadata": {"year": 1}},
    ):
        assert await me.search("tea", **given) == [], given


async def test_turns_and_statements_have_their_tiers(rc):
    me = rc.scope(user_id="alice")
    await me.add("Tea is a drink.")
    await (await me.conversation("chat-1")).add("user", "I like tea.")
    await rc.drain()
    assert texts_of(await me.search("tea", tier="short")) == ["I like tea."]
    assert texts_of(await me.search("tea", tier="long")) == ["Tea is a drink."]


async def test_a_bare_date_is_a_day_of_the_space(rc, open_recollect):
    me = rc.scope(user_id="alice")
    # 23:30 in New York on 17 March is 03:30 on 18 March in UTC.
    await me.add("Tea at night.", valid_from=datetime(2026, 3, 18, 3, 30, tzinfo=UTC))
    execute(rc, "update space set timezone = 'America/New_York'")
    for reader in (await open_recollect(), await open_recollect()):
        you = reader.scope(user_id="alice")
        assert len(await you.get_all(since="2026-03-17", until="2026-03-18")) == 1
        assert len(await you.search("tea", since="2026-03-17", until="2026-03-18")) == 1
        assert await you.search("tea", since="2026-03-18") == []
    tokyo = await open_recollect(timezone="Asia/Tokyo")
    you = tokyo.scope(user_id="bob")
    await you.add("Tea at noon.", valid_from=datetime(2026, 3, 18, 15, 30, tzinfo=UTC))
    assert len(await you.search("tea", since="2026-03-19")) == 1


async def test_archived_and_expired_come_only_when_asked_for(rc, clock):
    me = rc.scope(user_id="alice")
    archived, expired, pending, deleted = await me.add_many([{"content": f"Tea number {n}."} for n in range(4)])
    both = await me.add("Tea number 5.", valid_until=clock.now - DAY)
    await me.update(expired.id, valid_until=clock.now)
    await me.delete(deleted.id)
    execute(rc, "update memory_use set state = 'archived' where memory_id = any(%s)", [archived.id, both.id])
    execute(rc, "update entry set visible = false where memory_id = any(%s)", [archived.id, both.id, pending.id])
    execute(rc, "update memory_use set pending = true where memory_id = %s", pending.id)

    async def found(*include: str) -> set[Any]:
        listed = {memory.id for memory in await me.get_all(include=include)}
        assert {hit.memory.id for hit in await me.search("tea", include=include)} == listed
        return listed

    assert await found() == set()
    assert await found("archived") == {archived.id}
    assert await found("expired") == {expired.id}
    assert await found("archived", "expired") == {archived.id, expired.id, both.id}


# Order and reasons


async def test_the_parts_of_a_score_add_up(rc):
    me = rc.scope(user_id="alice")
    await me.add_many([{"content": f"Alice drinks tea in place {n}."} for n in range(5)])
    chat = await me.conversation("chat-1")
    await chat.add("user", "I drink tea last week too.", name="Alice")
    await rc.drain()
    hits = await me.search("What tea did Alice drink last week?", weights={"access": 0.5}, context="places")
    assert len(hits) == 6
    for hit in hits:
        assert sum(hit.why.values()) == pytest.approx(hit.score, abs=1e-9)
        assert {"semantic", "keyword", "recency", "importance"} <= set(hit.why)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


async def test_equals_are_ordered_by_id(rc):
    me = rc.scope(user_id="alice")
    ids = sorted(uuid4() for _ in range(8))
    for id in reversed(ids):
        await me.add("Tea.", id=id)
    weights = {"relation": 0}
    assert [hit.memory.id for hit in await me.search("tea", weights=weights)] == ids
    assert [hit.memory.id for hit in await me.search("tea", limit=3, weights=weights)] == ids[:3]


async def test_weights_of_one_call_change_the_order(rc, clock):
    me = rc.scope(user_id="alice")
    old = await me.add("Tea.", importance=0.1, valid_from=clock.now - 400 * DAY)
    new = await me.add("Tea and a very long walk.", importance=0.2, valid_from=clock.now)
    weighty = await me.add("Tea and a somewhat long walk.", importance=1.0, valid_from=clock.now - 400 * DAY)
    none = dict.fromkeys(("semantic", "keyword", "recency", "importance", "thread", "relation"), 0)
    for weights, first in (
        ({"semantic": 1}, old),
        ({"recency": 1}, new),
        ({"importance": 1}, weighty),
    ):
        hits = await me.search("tea", weights=none | weights)
        assert hits[0].memory.id == first.id, weights
        assert hits[0].score == pytest.approx(hits[0].why[min(weights)])


async def test_context_words_boost(rc):
    me = rc.scope(user_id="alice")
    await me.add("The bank by the river floods.")
    await me.add("The bank of the town lends.")
    assert texts_of(await me.search("bank", context="river floods"))[0] == "The bank by the river floods."
    assert texts_of(await me.search("bank", context="town lends"))[0] == "The bank of the town lends."


async def test_hits_of_one_message_fold_into_one(rc):
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    message = await chat.add("user", "I adopted a ferret in May.")
    await rc.drain()
    statement = await me.add("Alice adopted a ferret in May.")
    execute(rc, "update memory set message_id = %s where id = %s", message.id, statement.id)
    [hit] = await me.search("ferret in May")
    assert {hit.memory.id, *(memory.id for memory in hit.also)} == {message.id, statement.id}
    assert len(hit.also) == 1
    await rc.drain()
    assert [memory.access_count for memory in await me.get_all()] == [1, 1]
    assert len(await me.search("ferret in May", kinds=["turn", "statement"])) == 2


async def test_a_question_about_last_week_prefers_what_happened_then(open_recollect, clock):
    rc = await open_recollect(embedder="recollect-recall-v2")
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    for days, place in ((40, "Lisbon"), (6, "Oslo"), (1, "Rome"), (300, "Paris")):
        await chat.add("user", f"I went to a concert in {place}.", at=clock.now - days * DAY)
    await rc.drain()
    assert "Oslo" in (await me.search("Which concert did I go to last week?"))[0].memory.content
    assert "Lisbon" in (await me.search("Which concert did I go to in February?"))[0].memory.content
    assert (await me.search("Which concert did I go to last week?"))[0].why["time"] > 0


# Thresholds


async def test_a_threshold_means_something(open_recollect):
    rc = await open_recollect(embedder="recollect-recall-v2")
    me = rc.scope(user_id="alice")
    await me.add_many(
        [
            {"content": "Alice prefers green tea in the morning."},
            {"content": "The deployment of Zephyr-9 failed because a certificate had expired."},
            {"content": "Bob moved to Lisbon in 2021."},
        ]
    )
    await rc.drain()
    nonsense = ("xqzt blorf wug", "How many moons does Jupiter have?")
    for question in nonsense:
        assert await me.search(question, threshold=0.6) == [], question
        assert await me.search(question)
    [hit] = await me.search("What does Alice like to drink?", threshold=0.6)
    assert "tea" in hit.memory.content
    assert hit.evidence >= 0.6
    [hit] = await me.search("Zephyr-9", threshold=0.6)
    assert "Zephyr-9" in hit.memory.content
    assert await me.search("What does Alice like to drink?", threshold=1.0) == []


async def test_the_very_words_are_evidence(rc):
    me = rc.scope(user_id="alice")
    await me.add_many([{"content": f"Filler text about item{n} and thing{n}."} for n in range(30)])
    await me.add("A rare quuxberry tree grew beside the mill.")
    await rc.drain()
    [hit] = await me.search("quuxberry", threshold=0.7)
    assert "quuxberry" in hit.memory.content
    assert await me.search("zanzibar", threshold=0.9) == []


# Several spaces


@pytest.mark.parametrize("often", [False, True])
async def test_what_is_done_meanwhile_may_fail_and_leaves_no_answer_behind(rc, often):
    done: list[str] = []

    async def sent(text: str, meanwhile: Any) -> Any:
        batch = Batch("user:alice", often=often)
        batch.add("select %(text)s::text as text", text=text)
        batch.meanwhile = meanwhile
        [[row]] = await rc.parts.database.send(batch)
        return row.text

    assert await sent("first", lambda: done.append("once")) == "first"
    assert done == ["once"]
    with pytest.raises(ZeroDivisionError):
        await sent("second", lambda: 1 / 0)
    assert await sent("third", lambda: None) == "third"


@pytest.mark.parametrize("often", [False, True])
async def test_both_parts_of_a_batch_are_held_to_what_it_names(rc, often):
    asked = (
        "select %(n)s::integer as n, current_setting('recollect.spaces') as spaces,"
        " current_setting('recollect.categories') as categories, current_setting('hnsw.ef_search') as breadth"
    )
    done: list[str] = []
    batch = Batch("user:alice", "team:red", often=often)
    batch.settings["hnsw.ef_search"] = 77
    batch.meanwhile = lambda: done.append("once")
    batch.add(asked, n=1)
    batch.part()
    batch.add(asked, n=2)
    batch.add(SQL(asked + ", {} as literal").format("100%"), n=3)
    with sight.narrowed_to(("work",)):
        rows = [row for [row] in await rc.parts.database.send(batch)]
    assert [row.n for row in rows] == [1, 2, 3]
    assert {(row.spaces, row.categories, row.breadth) for row in rows} == {
        ('{"user:alice","team:red"}', '{"work"}', "77")
    }
    assert rows[2].literal == "100%"
    assert done == ["once"]


async def test_several_spaces_are_fused_in_two_round_trips(rc):
    me = rc.scope(user_id="alice", project_id="apollo", team_ids=["red", "blue"])
    spaces = {
        "user:alice": rc.scope(user_id="alice"),
        "project:apollo": rc.scope(project_id="apollo"),
        "team:red": ScopedMemory(rc, AsTeam(user_id="x", team_ids=("red",))),
        "team:blue": ScopedMemory(rc, AsTeam(user_id="x", team_ids=("blue",))),
    }
    for name, scope in spaces.items():
        await scope.add(f"Tea of {name}.")
    await rc.scope(user_id="bob").add("Tea of bob.")
    assert len(await me.search("tea")) == 4
    await rc.drain()  # what a search writes afterwards is no round trip of the next
    with round_trips() as sent:
        hits = await me.search("tea")
    assert len(sent) <= 2, sent
    assert {hit.memory.space for hit in hits} == {"user:alice", "project:apollo", "team:red", "team:blue"}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    await rc.drain()
    with round_trips() as sent:
        assert await me.search("tea", threshold=1.0, kinds=["procedure"]) == []
    assert len(sent) == 1
    assert {hit.memory.space for hit in await rc.scope(user_id="alice").search("tea")} == {"user:alice"}


async def test_many_questions_at_once(rc):
    me = rc.scope(user_id="alice")
    await me.add_many([{"content": "Tea with lemon."}, {"content": "Bridges over rivers."}])
    tea, bridges, none = await me.search_many(
        ["lemon tea", {"query": "bridges", "limit": 1}, {"query": "tea", "kinds": ["procedure"]}], threshold=0.6
    )
    assert texts_of(tea) == ["Tea with lemon."]
    assert texts_of(bridges) == ["Bridges over rivers."]
    assert none == []
    assert await me.search_many([]) == []


async def test_an_empty_memory_answers_with_nothing(rc):
    me = rc.scope(user_id="nobody", team_ids=["none"])
    assert await me.search("anything") == []
    assert await me.search("the and of") == []
    assert list(await me.get_all()) == []


async def test_a_very_long_question_is_answered(rc):
    me = rc.scope(user_id="alice")
    await me.add("Tea with lemon.")
    question = "tea " + " ".join(f"{n:04x}" for n in range(4_096, 65_536))
    assert len(await me.search(question[:99_000])) == 1
    assert len(await me.search("tea", context=question[:99_000])) == 1


async def test_questions_of_any_script_and_sign(rc):
    me = rc.scope(user_id="alice")
    texts = [
        "東京で寿司を食べました。",
        "Καλημέρα κόσμε",
        "100% of {braces} and %s",
        "naïve café ☕",
        "'; drop table memory; --",
    ]
    await me.add_many([{"content": text} for text in texts])
    for text in texts:
        assert texts_of(await me.search(text))[0] == text


async def test_a_long_memory_leaves_room_for_others(rc):
    me = rc.scope(user_id="alice")
    long = await me.add(" ".join(f"The quick brown fox number {n} jumps over the lazy dog." for n in range(8_000)))
    short = await me.add(
        "A dog is an animal, and so are most of the others that live in the house at the end of the road."
    )
    assert [hit.memory.id for hit in await me.search("quick brown fox and lazy dog")] == [long.id, short.id]


# Large spaces


TOPICS = ("tea", "rivers", "violins", "ferrets", "bridges", "gardens", "trains", "clouds")


def clustered(count: int) -> list[dict[str, Any]]:
    """Texts about a few topics, of several kinds, tags and weights."""
    return [
        {
            "content": f"{TOPICS[n % 8]} word{n % 61} word{n % 53} note{n} about {TOPICS[n % 8]} part{n % 37}",
            "kind": "procedure" if n % 10 == 0 else "statement",
            "tags": ["rare"] if n % 97 == 0 else ["common"] if n % 2 else ["other"],
            "importance": (n % 100) / 100,
            "metadata": {"topic": TOPICS[n % 8]},
        }
        for n in range(count)
    ]


@pytest.fixture
async def both(open_recollect):
    """The same large space, searched by its indexes and by reading it whole."""
    indexed = await open_recollect(exact_limit=100, filter_limit=400, link_neighbours=0)
    await indexed.scope(user_id="alice").add_many(clustered(1_600))
    await indexed.scope(user_id="bob").add_many(clustered(200))
    assert (await indexed.drain()).failed == 0
    reading = await open_recollect(exact_limit=1_000_000)
    return indexed.scope(user_id="alice"), reading.scope(user_id="alice")


QUESTIONS = ["tea word5", "rivers and bridges", "violins part3 word12", "note77", "clouds", "word7 word9 gardens"]
FILTERS: list[dict[str, Any]] = [
    {},
    {"kinds": ["procedure"]},
    {"kinds": ["statement"]},
    {"tags": ["rare"]},
    {"tags": ["common"]},
    {"metadata": {"topic": "trains"}},
    {"metadata": {"topic": "tea"}, "kinds": ["procedure"]},
    {"min_importance": 0.5},
    {"min_importance": 0.5, "limit": 30},
    {"limit": 50},
    {"threshold": 0.8},
    {"include": ["archived"]},
]


class Aimed(FakeEmbedder):
    """Texts say themselves how near they lie to a question, as in "0.85 …"; a question says nothing."""

    def _vector(self, content):
        near = float(content.split()[0]) if content[0].isdigit() else 1.0
        vector = np.zeros(self.dimensions, np.float32)
        vector[:2] = near, (1 - near**2) ** 0.5
        return vector


async def test_what_is_good_by_both_channels_is_found_though_it_leads_in_none(open_recollect):
    rc = await open_recollect(embedder=Aimed(), candidates=1, link_neighbours=0)
    me = rc.scope(user_id="alice")
    await me.add_many([{"content": f"0.95 pebble number {n}"} for n in range(8)])
    await me.add_many([{"content": f"0.05 lantern harbour {n}"} for n in range(8)])
    wanted = await me.add("0.85 lantern harbour, and more about it than the others say")
    [hit] = await me.search("Which lantern harbour?", limit=1)
    assert hit.memory.id == wanted.id


async def test_indexes_give_what_reading_gives(both):
    by_index, by_reading = both
    missed, shares = [], []
    for given in FILTERS:
        for question in QUESTIONS:
            found = await by_index.search(question, **({"limit": 20} | given))
            expected = await by_reading.search(question, **({"limit": 20} | given))
            scores = {hit.memory.id: hit.score for hit in expected}
            same = [hit for hit in found if hit.memory.id in scores]
            shares.append(len(same) / max(1, len(expected)) if expected else 1.0)
            if len(found) != len(expected) or shares[-1] < 0.9:
                missed.append((given, question, len(same), len(found), len(expected)))
    assert missed == []
    assert sum(shares) / len(shares) >= 0.97


async def test_a_filter_against_the_question_still_fills_the_page(both):
    """The nearest memories are all about tea, and the filter wants none of them."""
    by_index, by_reading = both
    given: dict[str, Any] = {"min_importance": 0.0, "metadata": {"topic": "trains"}}
    execute(by_index._recollect, "update memory set metadata = metadata || '{\"all\": 1}'")
    wide = {"metadata": {"all": 1}}
    for filters in (given, wide):
        found = await by_index.search("tea tea tea word5", limit=20, **filters)
        expected = await by_reading.search("tea tea tea word5", limit=20, **filters)
        assert [hit.memory.id for hit in found] == [hit.memory.id for hit in expected]


async def test_common_words_find_what_holds_two_of_them(rc):
    """Rare words find entries one by one; of the three that follow, any two together."""
    me, trees = rc.scope(user_id="alice"), ("ash", "birch", "cedar")
    await me.add_many([{"content": f"{tree} filler{n}"} for tree in trees for n in range(20)])
    together = ("ash birch", "ash cedar", "birch cedar")
    await me.add_many([{"content": text} for text in (*together, "yew alone")])
    await rc.drain()
    zero = vector_literal(np.zeros(rc.parts.embedder.dimensions, np.float32))

    async def found(most_rows: int, *words: str) -> set[str]:
        batch = Batch("user:alice", often=True)
        asked = {"space": "user:alice", "kinds": None, "sensitivity": "{normal}", "now": datetime.now(UTC), "most": 100}
        terms = {"terms": number_array(term_ids("user:alice", words)), "boosts": number_array([1.0] * len(words))}
        vector = {"query": zero.numbers, "length": zero.length}
        batch.add(SEARCH["wordiest"], most_rows=most_rows, **asked, **terms, **vector)
        [rows] = await rc.parts.database.send(batch)
        return {(await me.get(row.memory_id)).content for row in rows}

    assert await found(10, *trees, "yew") == {*together, "yew alone"}
    assert await found(10, "ash", "birch") == {"ash birch"}
    assert len(await found(10, "ash")) == 22
    assert len(await found(1_000, *trees)) == 63
    assert await found(10) == set()


async def test_a_large_space_hides_what_a_small_one_hides(both):
    by_index, _ = both
    [first, *_] = await by_index.search("note77")
    await by_index.delete(first.memory.id)
    assert first.memory.id not in {hit.memory.id for hit in await by_index.search("note77", limit=100)}
    await by_index.restore(first.memory.id)
    assert (await by_index.search("note77"))[0].memory.id == first.memory.id
    fresh = await by_index.add("A brand new quuxberry appeared.")
    assert (await by_index.search("quuxberry"))[0].memory.id == fresh.id


async def test_a_large_space_is_searched_in_two_round_trips(both):
    by_index, _ = both
    await by_index.search("tea")
    for given, most in (({}, 2), ({"kinds": ["statement"]}, 2), ({"tags": ["common"]}, 3)):
        await by_index._recollect.recalls.flush()
        with round_trips() as sent:
            await by_index.search("tea word5", **given)
        assert len(sent) <= most, (given, sent)


async def test_an_unknown_filter_is_refused(rc):
    with pytest.raises(InvalidInput) as caught:
        await rc.scope(user_id="alice").search("tea", colour="red")
    assert caught.value.field == "colour"
