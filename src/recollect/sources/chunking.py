"""Cutting a text into chunks: at headings and between sentences, each a little longer than the last one's end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.core.tokens import TokenCounter, Weight
from recollect.sources.model import Piece
from recollect.understanding.units import units


@dataclass(frozen=True, slots=True)
class Sizes:
    """How long chunks are, in tokens."""

    single: int = 500
    """A text up to here is one chunk."""
    most: int = 512
    overlap: int = 50


_LETTERS_A_TOKEN = 8
"""More than most tokens have."""


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    weight: Weight
    heading: bool


def pieces(text: str, counter: TokenCounter, sizes: Sizes) -> list[Piece]:
    """The chunks of a text, in order. Together they hold all of it; a text of white space alone has none."""
    if not text.strip():
        return []
    if counter.count(text) <= sizes.single:
        return [Piece(0, text.strip())]
    spans = list(_spans(text, counter, sizes.most))
    cut = (text[spans[first].start : spans[last].end].strip() for first, last in _groups(spans, counter, sizes))
    return [Piece(order, piece) for order, piece in enumerate(piece for piece in cut if piece)]


def _spans(text: str, counter: TokenCounter, most: int) -> Iterator[_Span]:
    """The units of a text with their weights; one that is too long for a chunk is cut between words, if it has any."""
    for unit in units(text):
        for start, end in _within(text, unit.start, unit.end, counter, most):
            yield _Span(start, end, counter.weigh(text[start:end]), unit.heading)


def _within(text: str, start: int, end: int, counter: TokenCounter, most: int) -> Iterator[tuple[int, int]]:
    while start < end:
        # No further than a chunk may reach: a text without a stop would be counted whole for each of its pieces.
        size = min(end - start, most * _LETTERS_A_TOKEN)
        while counter.count(text[start : start + size]) > most:
            size = max(1, size // 2)
        stop = start + size if start + size == end else _seam(text, start, start + size)
        yield start, stop
        start = stop


def _seam(text: str, start: int, stop: int) -> int:
    """The last place up to there where a cut goes through no word: after a space, else after any other sign."""
    for seam in (str.isspace, _is_sign):
        for place in range(stop, start, -1):
            if seam(text[place - 1]):
                return place
    return stop


def _is_sign(letter: str) -> bool:
    return not letter.isalnum()


def _groups(spans: Sequence[_Span], counter: TokenCounter, sizes: Sizes) -> Iterator[tuple[int, int]]:
    """First and last span of each chunk."""
    first = 0
    while True:
        last = _last(spans, first, counter, sizes.most)
        if last == len(spans) - 1:
            yield first, last
            return
        last = _before_heading(spans, first, last)
        yield first, last
        first = _next_first(spans, first, last, counter, sizes.overlap)


def _last(spans: Sequence[_Span], first: int, counter: TokenCounter, most: int) -> int:
    """As far as a chunk that begins there can reach; at least one span."""
    last, weight = first, spans[first].weight
    while last + 1 < len(spans) and counter.total([both := _sum(weight, spans[last + 1].weight)]) <= most:
        last += 1
        weight = both
    return last


def _sum(one: Weight, other: Weight) -> Weight:
    return Weight(one.tokens + other.tokens, one.pieces + other.pieces, one.beyond + other.beyond)


def _before_heading(spans: Sequence[_Span], first: int, last: int) -> int:
    """Rather end before the last heading, if the chunk stays at least half as long; never right after one."""
    middle = first + (last - first) // 2
    for place in range(last + 1, middle, -1):
        if place < len(spans) and spans[place].heading and place > first:
            return place - 1
    return last


def _next_first(spans: Sequence[_Span], first: int, last: int, counter: TokenCounter, overlap: int) -> int:
    """Where the next chunk begins: some sentences before the last one ended, unless a heading begins it."""
    begin = last + 1
    if spans[begin].heading:
        return begin
    weight = Weight(0.0)
    while begin - 1 > first and counter.total([both := _sum(weight, spans[begin - 1].weight)]) <= overlap:
        begin -= 1
        weight = both
        if spans[begin].heading:
            break
    return begin
