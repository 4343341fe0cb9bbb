"""What a message is searched with, and how a question is made ready."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.terms import terms
from recollect.retrieval.surroundings import PREVIOUS_CHARACTERS, embedding_text, prepare, search_text

AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
SPEAKERS = ["Caroline", "Melanie Stone", "Will", "王芳", "Dr. Ann O'Neil"]


def test_search_text_holds_speaker_date_and_what_came_before() -> None:
    text = search_text("Yes, in Lisbon!", "Caroline", AT, ("Melanie", "Did you find a flat?"))
    assert text == "Caroline: Yes, in Lisbon!\n8 May 2023\nDid you find a flat?"
    assert {"carolin", "lisbon", "may", "2023", "flat"} <= set(terms(text))


def test_search_text_of_a_first_turn_without_a_name() -> None:
    assert search_text("Hello", None, AT, None) == "Hello\n8 May 2023"


def test_only_the_end_of_a_long_previous_turn_counts() -> None:
    text = search_text("Yes", None, AT, (None, "start " + "x" * PREVIOUS_CHARACTERS + " end?"))
    assert text.endswith("end?")
    assert "start" not in text


def test_the_embedder_sees_the_bare_turn() -> None:
    assert embedding_text("Yes, in Lisbon!", "Caroline") == "Yes, in Lisbon!"


@pytest.mark.parametrize(
    ("question", "bare", "named"),
    [
        ("When did Caroline paint a sunrise?", "When did paint a sunrise?", {"Caroline"}),
        ("what is CAROLINE’S dog called", "what is dog called", {"Caroline"}),
        ("Did Melanie Stone's cat come home?", "Did cat come home?", {"Melanie Stone"}),
        ("Did melanie adopt a cat?", "Did adopt a cat?", {"Melanie Stone"}),
        ("Where do Caroline and Melanie hike?", "Where do and hike?", {"Caroline", "Melanie Stone"}),
        ("What does Ann study?", "What does study?", {"Dr. Ann O'Neil"}),
        ("When will the carolines sing?", "When will the carolines sing?", set()),
        ("Did Will win the race?", "Did win the race?", {"Will"}),
        ("王芳喜欢什么茶？", "喜欢什么茶？", {"王芳"}),
        ("Who is Caroline?", "Who is Caroline?", {"Caroline"}),
        ("Caroline", "Caroline", {"Caroline"}),
        ("", "", set()),
    ],
)
def test_names_leave_the_embedded_question(question: str, bare: str, named: set[str]) -> None:
    prepared = prepare(question, SPEAKERS)
    assert prepared.text == question
    assert prepared.for_embedding == bare
    assert prepared.named == named


def test_a_first_name_means_everyone_who_bears_it_and_a_full_name_one() -> None:
    speakers = ["John Smith", "John Doe"]
    assert prepare("Where does John live?", speakers).named == set(speakers)
    assert prepare("Where does John Doe live?", speakers).named == {"John Doe"}


@pytest.mark.parametrize(
    ("question", "first_person"),
    [
        ("What did I buy last week?", True),
        ("what's my sister's name", True),
        ("Which restaurant did you recommend to me?", False),
        ("What did Caroline buy in Miami?", False),
    ],
)
def test_first_person(question: str, first_person: bool) -> None:
    assert prepare(question, SPEAKERS).first_person is first_person


@given(st.text(max_size=80), st.lists(st.text(max_size=12), max_size=5))
def test_any_question_and_any_names(question: str, speakers: list[str]) -> None:
    prepared = prepare(question, speakers)
    assert prepared.named <= set(speakers)
    assert prepared.for_embedding.strip() or not question.strip()
    assert terms(prepared.for_embedding) or prepared.for_embedding == question


@given(st.sampled_from(SPEAKERS), st.sampled_from(["", "'s", "’s"]))
def test_a_known_speaker_is_always_found(name: str, ending: str) -> None:
    assert name in prepare(f"Where is {name}{ending} house?", SPEAKERS).named
