"""Shortening what is too long: the head and the tail stay, and a mark says how much is missing."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from recollect.context.model import WindowMessage
from recollect.context.parts import Result, Text, plain, read, result_text

T = TypeVar("T")

_HEAD = 2 / 3
_CHARACTERS = 4
"""About so many characters make a token: there the search for the right length begins."""
MOST_CHARACTERS = 40
"""Where there are more of them to each token that is free, the text is too long without being counted."""
_ROUNDS = 14
_NEAR = 0.9
_ROOM_FOR_MARK = 48
"""Below so many tokens the mark would take the room of the words."""
_LEAST_FOR_WORDS = 0.3
"""Calls and media may take all but this share of a message that is cut; else it is told in words."""


def cut(text: str, limit: int, size: Callable[[str], int]) -> str:
    """The text if its size is within the limit, else as much of its head and tail as is; empty if nothing is."""
    if len(text) <= limit * MOST_CHARACTERS and size(text) <= limit:
        return text
    marked = limit >= _ROOM_FOR_MARK
    return _largest(lambda length: _shortened(text, length, marked=marked), len(text), limit, size) or ""


def cut_message(message: WindowMessage, limit: int, size: Callable[[WindowMessage], int]) -> WindowMessage:
    """A message within the limit: its words and tool results are cut, its calls stay while there is room for words."""
    if isinstance(message.content, list):
        length = sum(len(text) for text in _texts(message))
        if size(_trimmed(message, 0, length)) <= limit * (1 - _LEAST_FOR_WORDS):
            found = _largest(lambda kept: _trimmed(message, kept, length), length, limit, size)
            if found is not None:
                return found
    words = plain(message)
    return _worded(message, cut(words, limit, lambda text: size(_worded(message, text))))


def _largest(make: Callable[[int], T], most: int, limit: int, size: Callable[[T], int]) -> T | None:
    """What `make` makes of the greatest length, up to `most`, whose size is within the limit; found within a tenth."""
    best: T | None = None
    low, high, length = -1, most + 1, min(most, max(limit, 1) * _CHARACTERS)
    for turn in range(_ROUNDS):
        made = make(length)
        measured = size(made)
        if measured <= limit:
            best, low = made, length
        else:
            high = length
        if high - low <= 1 or limit * _NEAR <= measured <= limit:
            break
        length = _next_length(length * 0.97 * limit / max(measured, 1), low, high, halve=turn % 2 == 1 and high <= most)
    return best


def _next_length(guess: float, low: int, high: int, *, halve: bool) -> int:
    """The next length to try between two: in proportion, or half way, which cannot creep."""
    return int(guess) if low < int(guess) < high and not halve else (low + high) // 2


def _shortened(text: str, length: int, *, marked: bool = True) -> str:
    """So many characters of a text: of its head and tail around a mark, or of its head alone."""
    if length >= len(text):
        return text
    if not marked:
        return f"{text[:length]}…" if length else ""
    head = int(length * _HEAD)
    tail = text[len(text) - (length - head) :] if length > head else ""
    return f"{text[:head]}\n[… {len(text) - length:,} characters left out …]\n{tail}"


def _texts(message: WindowMessage) -> list[str]:
    return [text for piece in read(message) if (text := _text_of(piece)) is not None]


def _text_of(piece: object) -> str | None:
    """The words of a part that may be cut."""
    if isinstance(piece, Text):
        return piece.text
    return result_text(piece.content) if isinstance(piece, Result) else None


def _trimmed(message: WindowMessage, kept: int, length: int) -> WindowMessage:
    """A message of which so many characters are kept, each part giving in proportion."""
    share = kept / length if length else 1.0
    parts = [_trimmed_part(piece, share) for piece in read(message)]
    return replace(message, content=parts)


def _trimmed_part(piece: Any, share: float) -> dict[str, Any]:
    text = _text_of(piece)
    if text is None:
        return _part(piece)
    shorter = _shortened(text, int(len(text) * share))
    if shorter == text:
        return _part(piece)
    if isinstance(piece, Text):
        return {**piece.part, "text": shorter}
    key = "output" if "output" in piece.part else "content"
    return {**piece.part, key: shorter}


def _part(piece: Any) -> dict[str, Any]:
    part: Mapping[str, Any] = piece.part
    return dict(part)


def _worded(message: WindowMessage, text: str) -> WindowMessage:
    return replace(message, content=text, text=text)
