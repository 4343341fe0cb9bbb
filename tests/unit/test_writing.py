"""The writing rules: what is put right, what is refused, and that nothing added by hand is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.understanding.writing import MOST_CHARACTERS, MOST_SENTENCES, checked, cut, is_past, sentences, trimmed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Alice prefers tea", "Alice prefers tea."),
        ("  Alice \n prefers\ttea. ", "Alice prefers tea."),
        ("Alice prefers tea!", "Alice prefers tea."),
        ("Alice prefers tea;", "Alice prefers tea."),
        ("- Alice prefers tea", "Alice prefers tea."),
        ("Alice lives in Rome (Italy)", "Alice lives in Rome (Italy)."),
        ("爱丽丝喜欢茶", "爱丽丝喜欢茶。"),
    ],
)
def test_what_can_be_put_right_is(text: str, expected: str) -> None:
    draft = checked(text)
    assert (draft.text, draft.problems) == (expected, ())


@pytest.mark.parametrize(
    "text",
    [
        "Alice said that she likes tea.",
        "Alice's sister lives with her dog.",
        "Dogs love their owners.",
        "The team decided to use PostgreSQL, because they know it.",
        "World War I ended in 1918.",
        "Phase I is complete.",
        "The US has 50 states.",
        'Alice likes the film "You\'ve Got Mail".',
        "The user's favourite song is 'Call Me Maybe'.",
        "Use of force is banned.",
        "Go is Alice's favourite language.",
        "Will Smith is an actor.",
        "Dr. Smith met J. Doe at 3.5 p.m. in Rome.",
    ],
)
def test_good_texts_pass_as_they_are(text: str) -> None:
    assert (checked(text).text, checked(text).problems) == (text, ())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("...", "empty"),
        ("I like tea.", "pronoun"),
        ("Alice likes my tea.", "pronoun"),
        ("Alice and I like tea.", "pronoun"),
        ("Alice told us the truth.", "pronoun"),
        ("Alice likes you.", "pronoun"),
        ("He likes tea.", "pronoun"),
        ("Yesterday he went home.", "pronoun"),
        ("In 2024 she moved.", "pronoun"),
        ("It is raining.", "pronoun"),
        ("Their dog is called Rex.", "pronoun"),
        ("This is important.", "pronoun"),
        ("我喜欢茶", "pronoun"),
        ("Does Alice like tea?", "question"),
        ("What is Alice's name", "question"),
        ("Alice likes tea. Does Bob?", "question"),
        ("Likes tea.", "person"),
        ("Always reply in German.", "person"),
        ("Please keep replies short.", "person"),
    ],
)
def test_what_cannot_be_put_right_is_refused(text: str, problem: str) -> None:
    draft = checked(text)
    assert draft.text is None
    assert problem in draft.problems


def test_more_than_two_sentences_are_cut() -> None:
    draft = checked("Alice met Bob. Bob left. Alice stayed.")
    assert (draft.text, draft.problems) == ("Alice met Bob. Bob left.", ("trimmed",))


def test_a_second_sentence_that_makes_it_too_long_goes_first() -> None:
    draft = checked(f"Alice met Bob. Bob {'really ' * 50}left.")
    assert (draft.text, draft.problems) == ("Alice met Bob.", ("trimmed",))


def test_a_sentence_that_is_too_long_is_cut_at_a_word() -> None:
    draft = checked("Alice " + "walked " * 60)
    assert draft.text is not None
    assert draft.text.endswith("walked…")
    assert len(draft.text) <= MOST_CHARACTERS
    assert draft.problems == ("trimmed",)


def test_an_episode_should_be_in_the_past_and_may_lack_a_subject() -> None:
    assert checked("Alice walked home.", episodic=True).problems == ()
    assert checked("Alice walks home.", episodic=True).problems == ("tense",)
    assert checked("Discussed the budget.", episodic=True).text == "Discussed the budget."
    assert checked("Decided on Rust.", episodic=True).text == "Decided on Rust."
    assert checked("Decided on Rust.").text is None


def test_what_is_added_by_hand_stays_as_it_is() -> None:
    assert trimmed(" I like\ntea ") == ("I like\ntea", None)
    assert trimmed("Do I like tea?") == ("Do I like tea?", None)
    assert trimmed("") == ("", None)


def test_what_is_added_by_hand_and_too_long_is_cut_with_a_warning() -> None:
    text, warning = trimmed("One two. Three four. Five six.")
    assert text == "One two. Three four."
    assert warning is not None
    assert "trimmed from 30 to 20 characters" in warning


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Dr. Smith came. He left.", ["Dr. Smith came.", "He left."]),
        ("It costs 3.50 euros. Cheap.", ["It costs 3.50 euros.", "Cheap."]),
        ('She said "Stop." Then she left.', ['She said "Stop."', "Then she left."]),
        ("first line\nsecond line", ["first line", "second line"]),
        ("我喜欢茶。他喜欢咖啡。", ["我喜欢茶。", "他喜欢咖啡。"]),
        ("See example.com for more.", ["See example.com for more."]),
        ("", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_past_tense() -> None:
    assert is_past("Alice walked.")
    assert is_past("Alice went home.")
    assert not is_past("Alice needs speed.")
    assert not is_past("Alice walks.")


PIECES = [
    "Alice",
    "He",
    "tea",
    "walked",
    ".",
    "!",
    "?",
    "…",
    "\n",
    "I",
    "1.",
    "-",
    "Dr.",
    "。",
    '"',
    ")",
    "likes",
    ";",
    "茶",
]
TEXTS = st.text(max_size=800) | st.builds(str.join, st.sampled_from(["", " "]), st.lists(st.sampled_from(PIECES)))


@given(TEXTS, st.booleans())
def test_what_passes_follows_the_rules_and_passes_again(text: str, episodic: bool) -> None:
    draft = checked(text, episodic=episodic)
    if draft.text is not None:
        assert 0 < len(draft.text) <= MOST_CHARACTERS
        assert len(sentences(draft.text)) <= MOST_SENTENCES
        assert checked(draft.text, episodic=episodic).text == draft.text
    else:
        assert draft.problems


@given(TEXTS)
def test_by_hand_nothing_is_refused(text: str) -> None:
    kept, warning = trimmed(text)
    assert bool(kept) == bool(text.strip())
    assert len(kept) <= MOST_CHARACTERS
    assert warning is None or kept != text.strip()


@given(st.text(max_size=100), st.integers(0, 120))
def test_a_cut_text_fits(text: str, most: int) -> None:
    assert len(cut(text, most)) <= max(most, 0)
