"""A text in markdown, cut into what belongs together: headings, list items, sentences, blocks of code."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from recollect.understanding.writing import sentences

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_ITEM = re.compile(r"\s*(?:>\s*)*(?:[-*+•]|\d{1,3}[.)])\s+")
_STEP = re.compile(r"\s*\d{1,3}[.)]\s+")
_MARKS = re.compile(r"^\s*(?:>\s*)*(?:#{1,6}\s+|[-*+•]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s*)?")
_EMPHASIS = re.compile(r"[*`]+|(?<![^\W_])_+|_+(?![^\W_])")  # not the one within dark_mode
_ENDS = " \t\r\n.,;:!"


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a text that is not cut any further, with the white space that follows it."""

    start: int
    end: int
    text: str
    """Without the white space around it."""
    heading: bool = False
    path: tuple[str, ...] = ()
    """The headings above it, in normal form, the outermost first; a heading's own is the last of them."""

    @property
    def under(self) -> str:
        """The nearest heading above it."""
        return self.path[-1] if self.path else ""

    @property
    def is_item(self) -> bool:
        """Whether it stands on a line of its own."""
        return self.heading or _ITEM.match(self.text) is not None or _FENCE.match(self.text) is not None

    @property
    def is_numbered(self) -> bool:
        """Whether it is a step of a numbered list."""
        return _STEP.match(self.text) is not None

    @property
    def level(self) -> int:
        """How deep a heading is."""
        return len(self.text) - len(self.text.lstrip("#"))

    @property
    def key(self) -> str:
        """What makes two units the same: their words, whatever the marks, the case and a ticked box."""
        return normal(self.text)


def without_marks(text: str) -> str:
    """A unit without the marks of lists, boxes and headings."""
    return _MARKS.sub("", text).strip()


def bare(text: str) -> str:
    """The words of a unit, without emphasis either."""
    return _EMPHASIS.sub("", without_marks(text)).strip()


def normal(text: str) -> str:
    """A unit in the form in which it is compared."""
    return " ".join(bare(text).casefold().split()).strip(_ENDS)


def units(text: str) -> list[Unit]:
    """The units of a text in order; together they cover it."""
    found = list(_pieces(text))
    ends = [start for start, _, _ in found[1:]] + ([len(text)] if found else [])
    cut: list[Unit] = []
    for (start, piece, heading), end in zip(found, ends, strict=True):
        cut.append(Unit(0 if not cut else start, end, piece, heading))
    return placed(cut)


def placed(cut: Sequence[Unit]) -> list[Unit]:
    """Units with the headings that they stand under, in this order."""
    above: list[Unit] = []
    found = []
    for unit in cut:
        if unit.heading:
            above = [*(each for each in above if each.level < unit.level), unit]
        found.append(replace(unit, path=tuple(each.key for each in above)))
    return found


def same_place(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two paths name one place: a text that was cut may not have the outer headings."""
    short, long = sorted((one, other), key=len)
    return short == long or (bool(short) and long[-len(short) :] == short)


def _pieces(text: str) -> Iterator[tuple[int, str, bool]]:
    """Where each unit begins, its words, and whether it is a heading."""
    place, code = 0, -1
    for line in text.splitlines(keepends=True):
        start, place = place, place + len(line)
        if _FENCE.match(line):
            if code >= 0:
                yield code, text[code:place].strip(), False
                code = -1
            else:
                code = start
        elif code < 0 and line.strip():
            yield from _of_line(line, start)
    if code >= 0:
        yield code, text[code:].strip(), False


def _of_line(line: str, start: int) -> Iterator[tuple[int, str, bool]]:
    if _HEADING.match(line):
        yield start, line.strip(), True
        return
    step = _STEP.match(line)  # a number with its dot is no sentence
    place, first = step.end() if step else 0, True
    for sentence in sentences(line[place:]):
        at = line.find(sentence, place)
        if at < 0:
            continue  # it goes on as a part of the one before
        yield start + (0 if first else at), (step[0].lstrip() if step and first else "") + sentence, False
        place, first = at + len(sentence), False
    if first:  # signs alone, such as a rule
        yield start, line.strip(), False
