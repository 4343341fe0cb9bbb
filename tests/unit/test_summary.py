"""Summaries without a model: what they tell, that they fit, and that merging never outgrows its bound."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.core.terms import STOP_WORDS, terms
from recollect.understanding import summary
from recollect.understanding.model import Line, Summary
from recollect.understanding.summary import (
    MOST_MERGED_TOPICS,
    asked,
    key_topics,
    merge,
    outline,
    rough_tokens,
    summarise,
    third_person,
)

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def talk(*said: tuple[str, str], name: str | None = "Alice") -> list[Line]:
    """Lines of a talk; the user's are by name."""
    return [
        Line(turn, role, name if role == "user" else None, text, AT) for turn, (role, text) in enumerate(said, start=1)
    ]


DATABASES = talk(
    ("user", "Hi there! What is the difference between FAISS and pgvector?"),
    (
        "assistant",
        "FAISS is a library that holds vectors in memory. pgvector is an extension for Postgres. Fun, right?",
    ),
    ("user", "Thanks, great!"),
    ("assistant", "You're welcome!"),
    ("user", "I live in Porto. We decided to go with pgvector for the search service."),
    ("assistant", "A sound choice. Start with an HNSW index in pgvector."),
)


def test_who_asked_and_who_explained_is_told() -> None:
    text = summarise(DATABASES).text
    assert "Alice asked about the difference between FAISS and pgvector; the assistant explained: " in text
    assert "The group decided to go with pgvector for the search service." in text
    assert "Alice lives in Porto." in text


def test_chatter_is_left_out() -> None:
    text = summarise(DATABASES).text
    assert "Thanks" not in text
    assert "welcome" not in text


def test_decisions_and_facts_come_before_explanations() -> None:
    text = summarise(DATABASES, most_tokens=32).text
    assert "decided to go with pgvector" in text
    assert "explained" not in text


def test_the_order_of_the_talk_is_kept() -> None:
    text = summarise(DATABASES).text
    assert text.index("asked about") < text.index("lives in Porto") < text.index("decided")


def test_somebody_without_a_name_is_the_user() -> None:
    text = summarise(talk(("user", "I prefer Python for scripts."), name=None)).text
    assert text == "The user prefers Python for scripts."


def test_chatter_alone_is_better_than_nothing() -> None:
    assert summarise(talk(("user", "Thanks!"))).text == "Alice said: Thanks."


def test_code_alone_is_better_than_nothing() -> None:
    assert "print" in summarise(talk(("user", "```python\nprint(1)\n```"))).text


def test_code_is_left_out_where_there_is_talk() -> None:
    text = summarise(talk(("user", "The parser crashes on empty input.\n```\nraise ValueError(x)\n```"))).text
    assert "parser crashes" in text
    assert "ValueError" not in text


@pytest.mark.parametrize("text", ["", "…", "?!", "```\n```"])
def test_where_nothing_is_said_nothing_is_told(text: str) -> None:
    assert summarise(talk(("user", text))) == Summary("")
    assert summarise([]) == Summary("")


def test_what_is_said_twice_is_told_once() -> None:
    said = ("user", "The release is planned for 3 June in Lisbon.")
    assert summarise(talk(said, ("assistant", "Noted."), said)).text.count("3 June") == 1


def test_a_pasted_book_is_summarised_within_bounds() -> None:
    book = " ".join(f"Chapter {n} tells of the {n}th king and his {n} horses." for n in range(3_000))
    assert 0 < rough_tokens(summarise(talk(("user", book))).text) <= 150


SAID = ["I like tea.", "We decided on Rust.", "Why?", "Thanks!", "喜欢茶。", "```", "x" * 90]
LINES = st.lists(
    st.builds(
        Line,
        turn=st.integers(1, 100),
        role=st.sampled_from(["user", "assistant", "tool", "system"]),
        speaker=st.sampled_from([None, "Alice", "Bob"]),
        text=st.text(max_size=60) | st.lists(st.sampled_from(SAID), max_size=5).map(" ".join),
        at=st.just(AT),
    ),
    max_size=5,
)


@given(LINES, st.integers(1, 200))
def test_a_summary_fits_and_is_never_empty_where_there_are_words(lines: list[Line], most: int) -> None:
    text = summarise(lines, most).text
    assert rough_tokens(text) <= most
    assert bool(text) == any(any(char.isalnum() or char == "_" for char in line.text) for line in lines)


@given(LINES, st.integers(1, 200))
def test_an_outline_fits_too(lines: list[Line], most: int) -> None:
    told = outline(lines, most)
    assert rough_tokens(told.text) <= most
    assert bool(told.text) == any(any(char.isalnum() or char == "_" for char in line.text) for line in lines)


def test_an_outline_is_about_what_it_tells() -> None:
    small_talk = [("user", f"Marmalade number {n} was fine.") for n in range(3)]
    told = outline(talk(("user", "We decided to move the archive to Ghent."), *small_talk), 16)
    assert told.text == "The group decided to move the archive to Ghent."
    assert "Ghent" in told.topics
    assert not any("Marmalade" in topic for topic in told.topics)


@given(LINES, st.integers(1, 120))
def test_what_is_not_even_tried_would_not_have_fitted(lines: list[Line], most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        told = summarise(lines, most)
        patch.setattr(summary, "_is_too_much", lambda *_: False)
        assert summarise(lines, most) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I'm a nurse.", "Alice is a nurse."),
        ("I've moved to Rome.", "Alice has moved to Rome."),
        ("I like my dog.", "Alice likes Alice's dog."),
        ("I no longer use Vim.", "Alice no longer uses Vim."),
        ("I need coffee.", "Alice needs coffee."),
        ("I went home.", "Alice went home."),
        ("I must go.", "Alice must go."),
        ("I carry it.", "Alice carries it."),
        ("We decided to wait.", "The group decided to wait."),
        ("You're right.", "Pip is right."),
        ("Show me your list.", "Show Alice Pip's list."),
        ('My song is "I Will Survive".', 'Alice\'s song is "I Will Survive".'),
        ("The sky is blue.", "The sky is blue."),
    ],
)
def test_the_first_person_becomes_the_third(said: str, told: str) -> None:
    assert third_person(said, "Alice", "Pip") == told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What about HNSW?", "Alice asked about HNSW."),
        ("What's the best index?", "Alice asked about the best index."),
        ("Can you show me an example?", "Alice asked Pip to show Alice an example."),
        ("How do I build a wheel?", "Alice asked how to build a wheel."),
        ("Why does it fail?", 'Alice asked: "Why does it fail?"'),
    ],
)
def test_questions_are_told(question: str, told: str) -> None:
    assert asked(question, "Alice", "Pip") == told


def test_topics_are_what_the_talk_was_about() -> None:
    topics = key_topics(DATABASES)
    assert {"FAISS", "pgvector"} <= set(topics[:3])
    assert len(topics) <= 6


def test_topics_hold_names_and_phrases() -> None:
    lines = talk(
        ("user", "I work at Tidewater Analytics on release notes."),
        ("assistant", "Release notes at Tidewater Analytics need a footer."),
    )
    assert key_topics(lines, 2) == ("Tidewater Analytics", "release notes")


def test_topics_of_chinese_and_japanese() -> None:
    chinese = talk(("user", "我们决定使用数据库。数据库很快。"), ("assistant", "数据库的索引很重要。"))
    assert "数据库" in key_topics(chinese)
    japanese = talk(("user", "東京タワーに行きたいです。"), ("assistant", "東京タワーは港区にあります。"))
    assert key_topics(japanese)[0] == "東京タワー"


@settings(max_examples=50)
@given(LINES, st.integers(0, 8))
def test_topics_are_few_distinct_and_no_stop_words(lines: list[Line], most: int) -> None:
    topics = key_topics(lines, most)
    stems = [frozenset(terms(topic)) for topic in topics]
    assert len(topics) <= most
    assert len(set(stems)) == len(stems)
    assert all(stems)
    assert not STOP_WORDS & {topic.lower() for topic in topics}


def test_two_summaries_become_one() -> None:
    merged = merge(Summary("Alice likes tea.", ("tea",)), Summary("Alice likes cake.", ("cake", "teas")))
    assert merged.text == "Earlier: Alice likes tea.\n\nThen: Alice likes cake."
    assert merged.topics == ("cake", "teas")


def test_nothing_and_something_is_something() -> None:
    some = Summary("Alice likes tea.", ("tea",))
    assert merge(Summary(""), some) == some
    assert merge(some, Summary("")) == some


def test_the_earlier_part_gives_way_first() -> None:
    older = Summary(" ".join(f"Alice asked about topic {n}." for n in range(60)))
    newer = Summary("Alice decided to move to Rome.")
    merged = merge(older, newer, 100)
    assert merged.text.endswith("Then: Alice decided to move to Rome.")
    assert rough_tokens(merged.text) <= 100
    assert merged.text.startswith("Earlier: Alice asked about topic")


def test_a_hundred_merges_stay_bounded_and_flat() -> None:
    merged = summarise(DATABASES)
    for n in range(100):
        lines = talk(
            ("user", f"I bought {n} apples for project number {n} in Rome."), ("assistant", f"Noted: {n} apples.")
        )
        merged = merge(merged, summarise(lines))
        assert rough_tokens(merged.text) <= 300
        assert merged.text.count("Earlier:") == 1
        assert merged.text.count("Then:") == 1
        assert len(merged.topics) <= MOST_MERGED_TOPICS
    assert "bought 99 apples" in merged.text
    assert "decided to go with pgvector" in merged.text


TEXTS = st.lists(st.sampled_from(["Earlier: x.", "Then: y.", "Alice likes tea.", "z" * 50, "茶" * 20])).map(" ".join)


@given(TEXTS, TEXTS, st.integers(20, 300))
def test_a_merged_summary_fits_and_never_nests(older: str, newer: str, most: int) -> None:
    text = merge(Summary(older), Summary(newer), most).text
    assert rough_tokens(text) <= most
    assert text.count("Earlier:") <= 1
    assert text.count("Then:") <= 1
