"""Chunks: at headings and between sentences, within their size, with nothing lost."""

import itertools

from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.core.tokens import Estimator
from recollect.sources.chunking import Sizes, pieces
from recollect.understanding.units import units

COUNTER = Estimator()
SIZES = Sizes()


def sentences(part: int, count: int) -> str:
    return " ".join(f"Sentence {place} of part {part} says what worker {place} did." for place in range(count))


def test_a_small_text_is_one_chunk() -> None:
    [piece] = pieces("# Progress\n\n- [x] Set up database\n", COUNTER, SIZES)
    assert (piece.order, piece.text) == (0, "# Progress\n\n- [x] Set up database")


def test_up_to_500_tokens_it_is_one_chunk_and_from_there_on_several() -> None:
    text = sentences(1, 200)
    while COUNTER.count(text) > SIZES.single:
        text = text[: text.rindex("Sentence")].strip()
    assert len(pieces(text, COUNTER, SIZES)) == 1
    assert len(pieces(text + " " + sentences(2, 5), COUNTER, SIZES)) == 2


def test_chunks_are_within_their_size_and_overlap() -> None:
    found = pieces(sentences(1, 200), COUNTER, SIZES)
    assert len(found) >= 3
    assert all(COUNTER.count(piece.text) <= SIZES.most for piece in found)
    for before, after in itertools.pairwise(found):
        shared = next(n for n in range(len(after.text), 0, -1) if before.text.endswith(after.text[:n].strip()))
        assert 20 <= COUNTER.count(after.text[:shared]) <= SIZES.overlap


def test_chunks_begin_at_headings_where_they_can() -> None:
    text = "\n\n".join(f"## Part {part}\n\n{sentences(part, 16)}" for part in range(6))
    found = pieces(text, COUNTER, SIZES)
    assert len(found) >= 3
    assert all(piece.text.startswith("## Part") for piece in found)


def test_a_change_in_one_part_leaves_the_chunks_before_it_as_they_are() -> None:
    text = "\n\n".join(f"## Part {part}\n\n{sentences(part, 20)}" for part in range(6))
    before, after = pieces(text, COUNTER, SIZES), pieces(text + "\n\nOne more line.", COUNTER, SIZES)
    assert before[:-1] == after[: len(before) - 1]


def test_a_word_without_end_is_cut() -> None:
    found = pieces("x" * 10_000, COUNTER, SIZES)
    assert all(COUNTER.count(piece.text) <= SIZES.most for piece in found)
    assert "".join(piece.text for piece in found) == "x" * 10_000


def test_white_space_has_no_chunk() -> None:
    assert pieces(" \n\t ", COUNTER, SIZES) == []


_PARTS = ["# Head w{}q\n", "- [ ] item w{}q\n", "Words and w{}q. ", "```\ncode w{}q\n```\n", "\n w{}q", "日本語w{}q。"]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(_PARTS)))
@example([_PARTS[2], _PARTS[3], *[_PARTS[5]] * 8])  # all of it inside a block of code that never ends
def test_nothing_is_lost_and_the_order_stays(parts: list[str]) -> None:
    text = "".join(part.format(place) for place, part in enumerate(parts))
    found = pieces(text, COUNTER, Sizes(single=10, most=40, overlap=8))
    assert [piece.order for piece in found] == list(range(len(found)))
    homes = [[piece.order for piece in found if f"w{place}q" in piece.text] for place in range(len(parts))]
    assert all(homes)
    assert [orders[0] for orders in homes] == sorted(orders[0] for orders in homes)


@given(st.text(max_size=400))
def test_units_cover_a_text(text: str) -> None:
    found = units(text)
    assert "".join(text[unit.start : unit.end] for unit in found) == (text if found else "")
    assert found or not text.strip()
