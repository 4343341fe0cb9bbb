"""Cuts texts into the pieces that our models know: WordPiece, as BERT's uncased models do it.

What becomes of a character does not depend on its neighbours. So a text is cut first, at white space and around what
stands alone, and each run of characters between is looked at once: in talk most come again and again.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
Pieces = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]
"""The numbers of pieces, and where each begins and ends."""

_MARKS = r"\[(?:PAD|UNK|CLS|SEP|MASK)\]"
"""The models' own. Whoever writes one in a text exactly so means it."""
_WORD = re.compile("[^ ]+")
_LONGEST_WORD = 100
_LONGEST_KEPT = 32
_MOST_KEPT = 16_384


class WordPiece:
    """Knows the pieces in `words.txt`, one a line, and what is done to which characters from `characters.txt`."""

    def __init__(self, folder: Path) -> None:
        pieces = (folder / "words.txt").read_text("utf-8").split("\n")
        lines = (folder / "characters.txt").read_text("ascii").splitlines()
        alone, dropped = (_Ranges(line.split(" ")[1:]) for line in lines)
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._longest = max(map(len, pieces))
        self._unknown = self._numbers["[UNK]"]
        self._runs = re.compile(rf"{_MARKS}|[{alone.written()}]|[^ \t\n\r{alone.written()}]+")
        self._plain = _Kept(_Plainly(alone, dropped))
        self._cut = _Kept(self._cut_run)

    def ids(self, text: str) -> list[int]:
        """The numbers of a text's pieces."""
        runs = map(self._cut.__getitem__, self._runs.findall(text))
        return list(chain.from_iterable(map(itemgetter(0), runs)))

    def pieces(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """The numbers of a text's pieces, and where each begins and ends."""
        ids: list[int] = []
        spans: list[tuple[int, int]] = []
        for run in self._runs.finditer(text):
            start = run.start()
            numbers, places = self._cut[run[0]]
            ids += numbers
            spans += [(start + first, start + last) for first, last in places]
        return ids, spans

    def _cut_run(self, run: str) -> Pieces:
        if re.fullmatch(_MARKS, run):
            return (self._numbers[run],), ((0, len(run)),)
        plain = [self._plain[character] for character in run]
        came_from = [place for place, letters in enumerate(plain) for _ in letters]
        ids: list[int] = []
        spans: list[tuple[int, int]] = []
        for word in _WORD.finditer("".join(plain)):
            places = came_from[word.start() : word.end()]
            numbers, cuts = self._cut_word(word[0])
            ids += numbers
            spans += [(places[first], places[last - 1] + 1) for first, last in cuts]
        return tuple(ids), tuple(spans)

    def _cut_word(self, word: str) -> Pieces:
        """The longest piece that a word begins with, then that its rest continues with; unknown if any is."""
        ids: list[int] = []
        cuts: list[tuple[int, int]] = []
        first, joined = 0, ""
        while first < len(word) <= _LONGEST_WORD:
            last = min(len(word), first + self._longest)
            while last > first and joined + word[first:last] not in self._numbers:
                last -= 1
            if last == first:
                break
            ids.append(self._numbers[joined + word[first:last]])
            cuts.append((first, last))
            first, joined = last, "##"
        if first < len(word):
            return (self._unknown,), ((0, len(word)),)
        return tuple(ids), tuple(cuts)


class _Ranges:
    """Many characters, read from hexadecimal numbers in order, two with a hyphen for all between them."""

    def __init__(self, spans: list[str]) -> None:
        self._spans = [(int(span.split("-")[0], 16), int(span.split("-")[-1], 16)) for span in spans]
        self._turns = [turn for first, last in self._spans for turn in (first, last + 1)]

    def __contains__(self, character: str) -> bool:
        return bisect_right(self._turns, ord(character)) % 2 == 1

    def written(self) -> str:
        """Those that a regular expression finds at once: the rare ones beyond would slow it down."""
        return "".join(rf"\u{first:04x}-\u{last:04x}" for first, last in self._spans if last <= 0xFFFF)


class _Plainly:
    """What a character becomes: lower case without marks, with spaces around it if it stands alone, or nothing.

    The lists hold what Unicode 8 says of characters, by which the pieces were made, whatever Python's version says.
    """

    def __init__(self, alone: _Ranges, dropped: _Ranges) -> None:
        self._alone, self._dropped = alone, dropped

    def __call__(self, character: str) -> str:
        if character in self._dropped:
            return ""
        if character.isspace():
            return " "
        kept = (part for part in unicodedata.normalize("NFD", character) if part not in self._dropped)
        return "".join(f" {part} " if part in self._alone else part.lower() for part in kept)


class _Kept(dict[str, T]):
    """What was worked out for short texts; when there is no room for another, it begins anew."""

    def __init__(self, work_out: Callable[[str], T]) -> None:
        super().__init__()
        self._work_out = work_out

    def __missing__(self, text: str) -> T:
        found = self._work_out(text)
        if len(text) <= _LONGEST_KEPT:
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[text] = found
        return found
