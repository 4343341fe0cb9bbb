"""Numbers of things, as people tell them."""

import pytest

from recollect.core.counting import counted, forgotten, keys, listed


@pytest.mark.parametrize(
    ("number", "word", "told"),
    [
        (1, "memory", "1 memory"),
        (2, "memory", "2 memories"),
        (0, "person", "0 people"),
        (1_200, "essay", "1,200 essays"),
        (3, "term statistics", "3 term statistics"),
    ],
)
def test_a_number_of_things(number: int, word: str, told: str) -> None:
    assert counted(number, word) == told


def test_a_list_is_joined() -> None:
    assert [listed(list(parts)) for parts in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]


def test_a_forgetting_is_told_by_what_became_of_things() -> None:
    counts = {"statement": 2, "notes": 1, "profile": 1, "messages": 1, "rewritten_statement": 1, "rewritten_turn": 3}
    gone = "1 note, 1 profile fact and 2 statements removed"
    assert forgotten(counts, keep_raw=False) == f"{gone}; 1 message, 1 statement and 3 turns rewritten"
    assert forgotten(counts, keep_raw=True) == f"{gone}; 1 statement and 3 turns rewritten; 1 message left as asked"
    assert forgotten({"rewritten_history": 2, "versions": 1}, keep_raw=False) == (
        "1 former version removed; 2 lines of history rewritten"
    )
    assert forgotten({}, keep_raw=False) == "nothing"


def test_keys_are_told_by_what_they_are_keys_of() -> None:
    assert keys({"category": 1, "section": 1, "thread": 2}) == "1 category, 1 section name and 2 thread ids"
