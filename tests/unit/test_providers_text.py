"""Passages cover the whole text, end between words and overlap."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from recollect.providers.text import PIECE, encodable, rough_offsets, split, windows

SIZE, OVERLAP = 20, 5


def numbered(count: int) -> str:
    return " ".join(f"w{number}" for number in range(count))


def passages(text: str) -> list[str]:
    return split(text, rough_offsets, SIZE, OVERLAP)


def test_every_word_is_in_a_passage_and_none_is_cut() -> None:
    text = numbered(20_000)
    found = passages(text)
    assert len(text) > 5 * PIECE
    assert {word for passage in found for word in passage.split()} == set(text.split())


def test_neighbours_overlap_and_follow_each_other() -> None:
    found = passages(numbered(3_000))
    for before, after in pairwise(found):
        assert after.split()[0] in before.split()
        assert after.split()[-1] not in before.split()


def test_passages_are_within_the_size() -> None:
    assert all(len(rough_offsets(passage)) <= SIZE for passage in passages(numbered(5_000)))


def test_a_text_without_spaces_is_cut_all_the_same() -> None:
    found = passages("x" * 1_000)
    assert len(found) > 5
    assert all(0 < len(passage) <= 4 * SIZE for passage in found)


def test_nothing_but_space_is_one_passage() -> None:
    assert [passages(text) for text in ("", "  \n ", " " * 3 * PIECE)] == [[""], ["  \n "], [" " * 3 * PIECE]]


def test_windows_of_few_tokens_are_one() -> None:
    assert list(windows([(0, 3), (4, 7)], SIZE, OVERLAP)) == [(0, 7)]
    assert list(windows([], SIZE, OVERLAP)) == []


@given(st.text(max_size=600))
def test_any_text_gives_passages_that_hold_all_its_marks(text: str) -> None:
    found = passages(text)
    assert found
    assert set("".join(text.split())) <= set("".join(found))


def test_lone_surrogates_are_replaced_and_the_length_is_kept() -> None:
    assert encodable("a\ud800b😀") == "a?b😀"
