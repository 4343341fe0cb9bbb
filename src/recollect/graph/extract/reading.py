"""A text read once: its lines with their labels, its sentences, and the words of each with what their shape says."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from recollect.understanding.lexicon import DATES, DETERMINERS, LABELS, TITLES, WORDS, fold, listed

CAPITAL, CAPITALS, MIXED, LOWER, NUMBER, SIGN = range(6)
"""The shapes of a word."""

_TOKEN = re.compile(
    r"[^\W_]+(?:(?:['’&+.]|[-‐](?!(?:based|like|style|specific|driven|powered|related|only|first|native|backed|compatible)\b))[^\W_]+)*"
    r"(?:\+\+|#(?!\w))?|@(?=\w)|[^\s]"
)
# Also the endings that Turkish sets off: "Lojistik'ten", "Kasım'da".
_POSSESSIVE = re.compile(r"['’](?:s|S|[dt][ae]n?|[nyls]?[aeıiuü]n?|[ıiuü]n)$|(?<=s)['’]$")
_BREAK = re.compile(
    r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[\"'“‘(\[¿¡]?[^\W_a-z])|(?<=[。！？])(?=\S)|\s+[–—|•]\s+|;\s+"
    # In a text without capitals too.
    r"|(?<=[a-z0-9]{2}[.!?])\s+(?=[a-z])"
)
_ABBREVIATION = re.compile(
    r"\b(?:[A-Z]|Dr|Mr|Mrs|Ms|Prof|St|vs|etc|e\.g|i\.e|cf|No|Nr|approx|ca|Fig|Vol|a\.m|p\.m|Hr|Fr|Sra|Dra|Dott|Mme|Mlle|Rev|Gen|Col|Lt|Capt|Sgt|Hon|Ave|Rd|Blvd|mr|mrs|ms|dr|prof|st|no|dept|inc|approx|min|max|incl|est|tel|ext|e\.g|i\.e|u\.a|z\.b|bzw|ca|nr|str)\.$"
)
_MARKS = re.compile(r"\s*(?:>\s*)*(?:#{1,6}\s+|[-*+•–]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s*)?(?:\*\*|__)?")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S|\s*(?:Subject|Betreff|Asunto|Objet|Oggetto|Re|Fwd?)\s*:", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_STAMP = (
    r"(?:[\[(]?(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?[AaPp]\.?[Mm]\.?)?[\])]?\s*[-–—]?\s*)"
)
_LABEL = re.compile(
    rf"(?P<before>{_STAMP}?(?:<v(?:\.\w+)?\s+)?[@<]?)"
    r"(?P<label>[^\W\d_][^\n:：<>\[\](){}\"“”?!,;=/|]{0,48}?)"
    rf"(?P<after>>?\s*(?:\((?P<aside>[^)\n]{{1,40}})\))?\s*{_STAMP}?(?:\*\*|__)?\s*[:：](?!\S)(?:\*\*|__)?|>(?=\S)|"
    r"\s+\[?\d{1,2}:\d\d(?:\s?[AaPp][Mm])?\]?\s*$)"
)
_BLANK = re.compile(r"(?:https?://|www\.)\S+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+|`[^`\n]{1,80}`")
_LONGEST_LABEL = 5
_LONG_LINE = 55
_WRAPPED = re.compile(r"(?<=[\w,’')])\n(?=[a-z(])")


@dataclass(slots=True)
class Token:
    """A word, or a sign, with its place in the text."""

    text: str
    start: int
    end: int
    folded: str
    shape: int
    possessive: bool = False
    """Whether "'s" follows, which is not part of it."""

    @property
    def is_name_like(self) -> bool:
        """Whether it is written as names are."""
        return self.shape in (CAPITAL, MIXED)


@dataclass(slots=True)
class Sentence:
    """A sentence, or a line that is none."""

    start: int
    end: int
    text: str
    tokens: list[Token] = field(default_factory=list)
    loud: bool = False
    """A heading, a line in capitals or in title case: capitals say nothing there."""
    label: "Label | None" = None
    """Who says it, where the line names somebody."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Label:
    """What stands before the colon of a line."""

    text: str
    start: int
    end: int
    aside: str = ""
    field: bool = False
    """A part of the document rather than somebody who speaks."""


@dataclass(slots=True)
class Page:
    """A text as the rules see it."""

    text: str
    lines: list[tuple[int, int]]
    sentences: list[Sentence]
    english: bool = True
    nouns_capital: bool = False
    """German: every noun has a capital, and capitals say little."""

    def sentence_at(self, place: int) -> int:
        """The number of the sentence that a place is in, or behind."""
        return max(0, bisect_right(self.sentences, place, key=lambda sentence: sentence.start) - 1)


_ENGLISH = listed("english_words")
_GERMAN = listed("german_words")


def read(text: str) -> Page:
    """A text in lines, sentences and words; addresses, links and code have no words."""
    joined = _joined(text)
    plain = _BLANK.sub(lambda match: " " * len(match[0]), joined)
    lines = list(_lines(joined))
    sentences: list[Sentence] = []
    for number, (start, end, code) in enumerate(lines):
        if not code:
            sentences += _sentences(plain, start, end, number)
    words = [token.folded for sentence in sentences for token in sentence.tokens if token.shape != SIGN]
    english = sum(word in _ENGLISH for word in words)
    german = sum(word in _GERMAN for word in words)
    return Page(
        joined,
        [(start, end) for start, end, _ in lines],
        sentences,
        english=english * 8 >= len(words) and english >= german,
        nouns_capital=german > english,
    )


def _joined(text: str) -> str:
    """A text whose wrapped lines are one; every character stays in its place."""
    if "\n" not in text:
        return text
    return _WRAPPED.sub(lambda match: " " if _is_wrapped(text, match.start()) else "\n", text)


def _is_wrapped(text: str, end: int) -> bool:
    start = text.rfind("\n", 0, end) + 1
    following = text[end + 1 : end + 60].partition("\n")[0]
    return end - start >= _LONG_LINE and _LABEL.match(following) is None


def _lines(text: str) -> Iterator[tuple[int, int, bool]]:
    """Where each line begins and ends, and whether it is code."""
    place, code = 0, False
    for line in text.splitlines(keepends=True):
        start, place = place, place + len(line)
        if _FENCE.match(line):
            code = not code
            yield start, start + len(line.rstrip()), True
        elif line.strip():
            yield start, start + len(line.rstrip()), code


def _sentences(text: str, start: int, end: int, number: int) -> Iterator[Sentence]:
    line = text[start:end]
    heading = _HEADING.match(line) is not None
    opening = _MARKS.match(line)
    place = start + (opening.end() if opening else 0)
    label = None if heading and line.lstrip().startswith("#") else _label(text, place, end)
    if label is not None:
        place = label[1]
    letters = [letter for letter in line[:200] if letter.isalpha()]
    shouted = len(letters) > 3 and not any(map(str.islower, letters)) and any(map(str.isupper, letters))
    empty = True
    for first, last in _spans(text, place, end):
        tokens = _tokens(text, first, last)
        loud = heading or shouted or _in_title_case(tokens, text[last - 1])
        yield Sentence(first, last, text[first:last], tokens, loud, label[0] if label else None, number)
        empty = False
    if empty and label is not None:
        yield Sentence(place, place, "", [], heading, label[0], number)


def _label(text: str, start: int, end: int) -> tuple[Label, int] | None:
    """The label of a line, and where what it labels begins."""
    found = _LABEL.match(text, start, end)
    if found is None:
        return None
    said = found["label"].strip(" *_-–\t")
    words = fold(said).replace(".", " ").split()
    if not words or len(words) > _LONGEST_LABEL:
        return None
    place = found.start("label")
    is_field = all(word.strip("'’&-") in LABELS or word in WORDS or word.isdigit() for word in words)
    return Label(said, place, place + len(said), found["aside"] or "", field=is_field), found.end()


def _spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for match in _BREAK.finditer(text, start, end):
        so_far = text[begin : match.start()]
        if (
            so_far.strip()
            and not _ABBREVIATION.search(so_far)
            and fold(so_far.rstrip(".").rpartition(" ")[2]) not in TITLES
        ):
            yield begin, match.start() + len(match[0].rstrip())
            begin = match.end()
    while begin < end and text[begin].isspace():
        begin += 1
    if begin < end:
        yield begin, end


def _tokens(text: str, start: int, end: int) -> list[Token]:
    return [_token(match[0], match.start()) for match in _TOKEN.finditer(text, start, end)]


def _token(word: str, start: int) -> Token:
    end = start + len(word)
    if not (word[0].isalnum()):
        return Token(word, start, end, word, SIGN)
    possessive = False
    if ("'" in word or "’" in word) and (found := _POSSESSIVE.search(word)):
        word, possessive = word[: found.start()], True
    return Token(word, start, start + len(word), fold(word), _shape(word), possessive)


def _shape(word: str) -> int:
    if word.islower():
        return LOWER
    first = word[0]
    if first.isdigit():
        return NUMBER
    if word.isupper():
        return CAPITALS if len(word) > 1 else CAPITAL
    if first.isupper():
        return CAPITAL if word[1:].islower() or "-" in word or "'" in word or "’" in word else MIXED
    return MIXED if any(map(str.isupper, word)) else LOWER


_FEW = 3
_ENDS = frozenset(".!?…。！？,:")


def _in_title_case(tokens: list[Token], last: str) -> bool:
    """Whether nearly every word has a capital, as in headings."""
    if last in _ENDS:
        return False
    words = [token for token in tokens if token.shape in (CAPITAL, MIXED, LOWER)]
    content = [
        word for word in words if word.folded not in DETERMINERS and (len(word.text) > _FEW or word.shape != LOWER)
    ]
    capitals = sum(word.shape != LOWER for word in content)
    common = sum(word.shape != LOWER and word.folded in WORDS and word.folded not in DATES for word in content)
    few = len(content) <= _FEW
    return len(content) > 1 and capitals * 10 >= len(content) * (10 if few else 8) and common * 2 >= capitals
