"""Texts made fit for models: encodable, and cut into overlapping passages where they are long."""

import re
from collections.abc import Callable, Iterator, Sequence

Offsets = Sequence[tuple[int, int]]

PIECE = 8_192

_ROUGH_TOKEN = re.compile(r"[A-Za-z0-9]{1,4}|\S")


def encodable(text: str) -> str:
    """The text with lone surrogates, which have no UTF-8 form, replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")


def rough_offsets(text: str) -> Offsets:
    """Where tokens may begin and end, for models whose tokenizer is not at hand."""
    return [match.span() for match in _ROUGH_TOKEN.finditer(text)]


def windows(offsets: Offsets, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Character spans of at most `size` tokens, each beginning `overlap` tokens before the last one ended."""
    first = 0
    while first < len(offsets):
        end = min(first + size, len(offsets))
        if end < len(offsets):
            end = _word_start(offsets, end, lowest=first + size // 2)
        yield offsets[first][0], offsets[end - 1][1]
        if end == len(offsets):
            return
        first = _word_start(offsets, end - overlap, lowest=first + 1)


def _word_start(offsets: Offsets, index: int, lowest: int) -> int:
    """The nearest token at or before `index` that follows a gap; `index` itself where none does."""
    for candidate in range(index, lowest, -1):
        if offsets[candidate][0] > offsets[candidate - 1][1]:
            return candidate
    return max(index, lowest)


def split(text: str, offsets: Callable[[str], Offsets], size: int, overlap: int) -> list[str]:
    """The text in passages, read piece by piece so that neither time nor memory outgrows its length."""
    passages: list[str] = []
    begin = 0
    while begin < len(text):
        piece = text[begin : begin + PIECE]
        spans = list(windows(offsets(piece), size, overlap))
        is_last = begin + PIECE >= len(text)
        if not is_last and len(spans) > 1:
            begin += spans.pop()[0]
        else:
            begin += PIECE
        passages += [piece[start:end] for start, end in spans]
    return passages or [text]
