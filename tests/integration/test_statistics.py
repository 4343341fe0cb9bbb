"""What search knows of a space: BM25 by the book, taken anew when due, and the vector index of a large space."""

import math
from collections import Counter
from typing import Any

import psycopg
import pytest

from recollect.core.terms import terms
from recollect.flows import statistics
from recollect.flows.statistics import index_name
from recollect.queue import list_jobs
from recollect.records import store
from recollect.records.bm25 import K1, TYPICAL_LENGTH, B

WORDS = (
    "tea",
    "coffee",
    "morning",
    "evening",
    "lemon",
    "honey",
    "bridge",
    "river",
    "mountain",
    "violin",
    "garden",
    "ferret",
)


def texts(count: int, spread: int = 5) -> list[str]:
    """Short texts of few words, no two alike in length or words by chance alone: the same every time."""
    return [
        " ".join(WORDS[(n * 7 + place * (n % 5 + 1)) % len(WORDS)] for place in range(2 + n % spread))
        for n in range(count)
    ]


def reference(documents: list[str], question: str, mean: float) -> list[float]:
    """BM25 as the books have it; the mean length is that of the stored weights."""
    counted = [Counter(terms(document)) for document in documents]
    frequency = Counter(term for counts in counted for term in counts)

    def score(counts: Counter[str]) -> float:
        length = sum(counts.values())
        total = 0.0
        for term in dict.fromkeys(terms(question)):
            n = frequency[term]
            idf = math.log(1 + (len(documents) - n + 0.5) / (n + 0.5))
            total += idf * counts[term] * (K1 + 1) / (counts[term] + K1 * (1 - B + B * length / mean))
        return total

    return [score(counts) for counts in counted]


def one(rc: Any, query: str, *values: Any) -> Any:
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        return owner.execute(query, values or None).fetchone()


def weighted_length(rc: Any) -> float:
    found = one(rc, "select weighted_length from space_statistics where space_id = 'user:alice'")
    return (found and found[0]) or TYPICAL_LENGTH


async def lexical_scores(rc: Any, question: str, **filters: Any) -> dict[str, float]:
    """What the keyword channel alone gives, on the scale of BM25: the parts of `why` are relative to the best."""
    me = rc.scope(user_id="alice")
    hits = await me.search(question, limit=200, weights={"semantic": 0, "thread": 0, "relation": 0}, **filters)
    return {hit.memory.content: hit.why["keyword"] for hit in hits}


async def assert_by_the_book(rc: Any, documents: list[str]) -> None:
    for question in ("tea", "honey lemon tea", "ferret garden bridge bridge", "violin"):
        expected = reference(documents, question, weighted_length(rc))
        best = max(expected) or 1.0
        found = await lexical_scores(rc, question)
        for document, score in zip(documents, expected, strict=True):
            assert found[document] == pytest.approx(0.8 * score / best, abs=1e-5), (question, document)


async def test_keyword_scores_are_bm25_by_the_book(rc):
    me = rc.scope(user_id="alice")
    documents = list(dict.fromkeys(texts(60)))
    await me.add_many([{"content": text} for text in documents])
    await rc.drain()
    assert weighted_length(rc) == pytest.approx(sum(len(terms(d)) for d in documents) / len(documents), rel=0.1)
    await assert_by_the_book(rc, documents)


async def test_scores_stay_by_the_book_when_texts_grow_and_another_process_writes(rc, open_recollect, monkeypatch):
    monkeypatch.setattr(statistics, "_REWEIGH_ROWS", 30)
    monkeypatch.setattr(statistics, "_STORED_AT_ONCE", 8)
    documents = list(dict.fromkeys(texts(40)))
    await rc.scope(user_id="alice").add_many([{"content": text} for text in documents])
    await rc.drain()
    before = weighted_length(rc)
    # This one never searched, and so has not seen what the space is like.
    other = await open_recollect()
    longer = [" ".join([*texts(6, 9)[:3], text]) for text in texts(40)]
    longer = list(dict.fromkeys(longer))
    await other.scope(user_id="alice").add_many([{"content": text} for text in longer[:20]])
    await other.scope(user_id="alice").add_many([{"content": text} for text in longer[20:]])
    await other.drain()
    assert weighted_length(rc) > before * 1.1
    await assert_by_the_book(rc, documents + longer)


async def test_many_entries_are_weighed_anew_where_the_mean_length_has_moved_far(rc, monkeypatch):
    me = rc.scope(user_id="alice")
    await me.add_many([{"content": text} for text in dict.fromkeys(texts(60))])
    await rc.drain()
    monkeypatch.setattr(statistics, "_MANY", 20)
    for length, weighted in ((100, 100), (125, 100), (150, 150)):
        async with rc.parts.database.owner() as owner:
            await owner.execute("update recollect.entry set length = %(length)s", {"length": length})
        await statistics.refresh(rc.parts, "user:alice")
        assert weighted_length(rc) == weighted


async def test_deleted_and_changed_entries_no_longer_count(rc):
    me = rc.scope(user_id="alice")
    documents = list(dict.fromkeys(texts(40)))
    added = await me.add_many([{"content": text} for text in documents])
    for memory in added[:8]:
        await me.delete(memory.id)
    await me.update(added[8].id, content="tea tea tea honey")
    await rc.drain()
    await assert_by_the_book(rc, ["tea tea tea honey", *documents[9:]])
    assert one(rc, "select entries, kinds from space_statistics") == (
        len(documents) - 8,
        {"statement": len(documents) - 8},
    )


async def waiting(rc: Any) -> list[str]:
    return [job.task for job in await list_jobs(rc.parts.database)]


async def test_statistics_are_taken_when_enough_has_changed(rc):
    me = rc.scope(user_id="alice")
    await me.add_many([{"content": f"{text} {n}"} for n, text in enumerate(texts(100))])
    assert await waiting(rc) == ["statistics"]
    await rc.drain()
    assert one(rc, "select entries from space_statistics") == (100,)
    for n in range(5):
        await me.add(f"One more, number {n}.")
        assert await waiting(rc) == []
    await me.add("That is more than a twentieth.")
    assert await waiting(rc) == ["statistics"]
    await rc.drain()
    assert one(rc, "select entries from space_statistics") == (106,)
    assert one(rc, "select changes from space") == (0,)


async def test_while_a_space_is_filled_statistics_are_taken_less_often(rc):
    me = rc.scope(user_id="alice")
    await me.add_many([{"content": f"{text} {n}"} for n, text in enumerate(texts(100))])
    await rc.drain()
    for n, (changes, due_meanwhile) in enumerate([(5, False), (95, False), (1, True)]):
        async with rc.parts.database.transaction("user:alice") as connection:
            await store.raise_revision(connection, "user:alice", rc.parts.clock(), knowledge=False, changes=changes)
            await statistics.refresh_when_due(connection, "user:alice", filling=True)
        assert await waiting(rc) == (["statistics"] if due_meanwhile else []), n


async def test_statistics_are_fresh_once_many_messages_are_in(rc):
    chat = await rc.scope(user_id="alice").conversation("chat-1")
    await chat.add_many([{"role": "user", "content": f"{text} {n}"} for n, text in enumerate(texts(600))])
    await rc.drain()
    assert one(rc, "select changes <= 0.05 * entries from space join space_statistics using (space_id)") == (True,)


async def test_deleting_makes_statistics_due_too(rc):
    me = rc.scope(user_id="alice")
    added = await me.add_many([{"content": text} for text in texts(10)])
    await rc.drain()
    await me.delete(added[0].id)
    assert await waiting(rc) == ["statistics"]
    await rc.drain()
    await me.restore(added[0].id)
    assert await waiting(rc) == ["statistics"]


async def test_terms_that_are_gone_are_dropped(rc):
    me = rc.scope(user_id="alice")
    added = await me.add_many([{"content": "quuxberry"}, {"content": "tea"}])
    await rc.drain()
    assert one(rc, "select count(*) from term_statistics") == (2,)
    await me.delete(added[0].id)
    await rc.drain()
    assert one(rc, "select count(*) from term_statistics") == (1,)


async def test_a_large_space_gets_a_vector_index_of_its_own(open_recollect):
    rc = await open_recollect(exact_limit=50)
    name = "100% o'clock"
    await rc.scope(user_id=name).add_many([{"content": text} for text in texts(60)])
    await rc.scope(user_id="small").add_many([{"content": text} for text in texts(10)])
    assert (await rc.drain()).failed == 0
    space = f"user:{name}"
    assert one(rc, "select vector_index from space_statistics where space_id = %s", space) == (index_name(space),)
    assert one(rc, "select vector_index from space_statistics where space_id = 'user:small'") == (None,)
    definition = one(rc, "select indexdef from pg_indexes where indexname = %s", index_name(space))[0]
    assert "100% o''clock" in definition
    assert await rc.scope(user_id=name).search("tea")


async def test_an_index_that_was_left_half_built_is_built_anew(open_recollect):
    rc = await open_recollect(exact_limit=50)
    me = rc.scope(user_id="alice")
    await me.add_many([{"content": text} for text in texts(60)])
    await rc.drain()
    name = index_name("user:alice")
    with psycopg.connect(rc.database_url, autocommit=True) as owner:
        owner.execute("update pg_index set indisvalid = false where indexrelid = %s::regclass", (f"recollect.{name}",))
        owner.execute("update recollect.space_statistics set vector_index = null")
    await me.add_many([{"content": text + " again"} for text in texts(20)])
    assert (await rc.drain()).failed == 0
    assert one(rc, "select indisvalid from pg_index where indexrelid = %s::regclass", f"recollect.{name}") == (True,)


async def test_speakers_are_known_as_soon_as_they_can_be_found(rc):
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    await chat.add("user", "I adopted a ferret.", name="Caroline")
    await chat.add("user", "I adopted a cat.", name="Melanie")
    await rc.drain()
    assert sorted(one(rc, "select speakers from space_statistics")[0]) == ["Caroline", "Melanie"]
    hits = await me.search("What did Melanie adopt?")
    assert hits[0].memory.provenance.speaker == "Melanie"
    assert hits[0].why["speaker"] > 0
