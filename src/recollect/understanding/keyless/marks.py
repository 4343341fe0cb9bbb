"""What a trained tagger makes of each word of a message: its kinds of memory, and the key it is a value of."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from recollect.core.terms import stems
from recollect.providers.tagging import KEYS, KINDS, NO_KEY, Tags, tag
from recollect.understanding.keyless.dates import DATE

_WORD = re.compile(r"[^\W_]+(?:['’](?!s\b)[^\W_]+)*")
_STOP = re.compile(r"[.!?…]+[\"')\]]*(?=\s|$)|\n+")
_TITLE = re.compile(
    r"\b(?:Mr|Mrs|Ms|Mx|Dr|Prof|Fam|Rev|Sr|St|Mt|vs|etc|e\.g|i\.e|approx|incl|excl|Inc|Ltd|a\.m|p\.m|no)\.$"
    r"|(?-i:(?<=[ '‘\"“(])[A-HJ-Z]\.$)",
    re.IGNORECASE,
)
_SEAM = re.compile(rf"[;:–—()]|(?<!day),(?=\s)|(?<=day),(?=\s)(?! {DATE})|\s-\s")
_SLACK = 3
_POSSIBLE = 0.02
_MOST_SENTENCES = 20
_CLEAR = 0.5
_BRIEF = 48
_DEMANDING = re.compile(
    r"\b(?:always|must|never|don['’]?t|do not|please|pls|from now|from here|going forward|every|each|whenever|stop"
    r"|only|no more|mustn['’]?t|can['’]?t|cannot|has to|have to|needs? to|allowed|forbid\w*|at most|at least"
    r"|limit\w*|without|keep|use|call me|answer|reply|put|show|give|remind|avoid|in future|by default|as a rule"
    r"|habit|stick to)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a message with the tagger's view of it."""

    start: int
    end: int
    stems: frozenset[str]
    kinds: Mapping[str, float]
    """How likely it belongs to each kind of memory."""
    keys: Mapping[str, float]
    """Type and key of the profile ("identity.city"), as far as they are possible at all."""


@dataclass(frozen=True, slots=True)
class Value:
    """Words beside each other that are the value of one key."""

    key: str
    start: int
    end: int
    likely: float
    ended: float
    """How likely it is that the value was said to hold no longer."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a sentence that is likely one kind of memory: whole parts between commas."""

    start: int
    end: int
    likely: float
    sentence: tuple[int, int]


class Marks:
    """A message, word by word.

    In a long message the tagger overlooks things that it sees in a short one, such as an order at the end. Sentences
    that sound like an order or a limit are therefore read alone, too, and so is one of which the rules say otherwise.
    """

    @classmethod
    def of(cls, text: str) -> Self:
        """A message with the tagger's view of it."""
        made = cls(text, list(_tagged(text, tag(text))))
        if 1 < len(made._sentences) <= _MOST_SENTENCES:
            for place, (start, end) in enumerate(made._sentences):
                if _DEMANDING.search(text, start, end):
                    made._strengthen(start, made._alone(place))
        return made

    def __init__(self, text: str, words: list[Word]) -> None:
        self.text = text
        self._words = words
        self._sentences = list(sentences_of(text))
        self._read_alone: dict[int, Marks] = {}

    @property
    def is_brief(self) -> bool:
        """Whether it is one short plain sentence: rules read such ones well, and the tagger has seen few."""
        return len(self._sentences) == 1 and len(self.text) <= _BRIEF and "?" not in self.text

    def likely(self, kind: str, said: str) -> float:
        """How likely a stretch of the message is a kind of memory; it may be told in other words around its own."""
        place = self._place(said)
        found = _mean(word.kinds[kind] for word in place)
        alone = self._second_look(found, place)
        return found if alone is None else max(found, alone.likely(kind, said))

    def likely_value(self, key: str, value: str, said: str) -> float:
        """How likely a value is that of a key; where it was put into other words, the best of its sentence counts."""
        place = self._place(value)
        if place and len(place) >= len(stems(value)):
            found = _mean(word.keys.get(key, 0.0) for word in place)
        else:
            place = self._place(said)
            found = max((word.keys.get(key, 0.0) for word in place), default=0.0)
        alone = self._second_look(found, place)
        return found if alone is None else max(found, alone.likely_value(key, value, said))

    def _second_look(self, found: float, place: Sequence[Word]) -> "Marks | None":
        """The sentence of some words, read without the others, where these leave it unclear what they are."""
        if found >= _CLEAR or not place or len(self._sentences) == 1:
            return None
        return self._alone(next(at for at, (_, end) in enumerate(self._sentences) if place[0].start < end))

    def _alone(self, place: int) -> "Marks":
        if place not in self._read_alone:
            start, end = self._sentences[place]
            part = self.text[start:end]
            self._read_alone[place] = Marks(part, list(_tagged(part, tag(part))))
        return self._read_alone[place]

    def _strengthen(self, start: int, alone: "Marks") -> None:
        """Each word of a sentence belongs to a kind of memory if it does so either way."""
        seen = {word.start + start: word.kinds for word in alone._words}
        for place, word in enumerate(self._words):
            if (other := seen.get(word.start)) is not None:
                kinds = {kind: max(likely, other[kind]) for kind, likely in word.kinds.items()}
                self._words[place] = replace(word, kinds=kinds)

    def within(self, kind: str, passage: Passage) -> float:
        """How likely a passage is another kind of memory, too."""
        return _mean(word.kinds[kind] for word in self._words if passage.start <= word.start < passage.end)

    def stands(self, said: str) -> tuple[int, int] | None:
        """Where in the message a phrase was taken from."""
        place = self._place(said)
        return (place[0].start, place[-1].end) if place else None

    def sentence_of(self, said: str) -> str | None:
        """The sentence that has a passage in it, word for word."""
        whole = (self.text[start:end].strip() for start, end in self._sentences)
        return next((sentence for sentence in whole if said in sentence), None)

    def sentence_before(self, sentence: tuple[int, int]) -> str:
        """The sentence right before another one; nothing before the first."""
        place = self._sentences.index(sentence)
        return self.text[slice(*self._sentences[place - 1])].strip() if place else ""

    def values(self) -> list[Value]:
        """The values that the tagger sees, in order."""
        runs: list[tuple[str, list[Word]]] = []
        for word in self._words:
            key = max(word.keys, key=word.keys.__getitem__, default=NO_KEY)
            if key == NO_KEY:
                continue
            if runs and runs[-1][0] == key and _joins(key, self.text[runs[-1][1][-1].end : word.start]):
                runs[-1][1].append(word)
            else:
                runs.append((key, [word]))
        return [
            Value(
                key,
                run[0].start,
                run[-1].end,
                _mean(word.keys[key] for word in run),
                _mean(word.kinds["ended"] for word in run),
            )
            for key, run in runs
        ]

    def passages(self, kind: str, least: float) -> Iterator[Passage]:
        """The parts of sentences that are at least that likely a kind of memory; neighbours are one."""
        starts = [word.start for word in self._words]
        for sentence in self._sentences:
            run: list[tuple[int, int, float]] = []
            for start, end in _cut(self.text, *sentence, _SEAM):
                words = self._words[bisect_left(starts, start) : bisect_left(starts, end)]
                inside = [word.kinds[kind] for word in words]
                if not inside:
                    continue
                if (likely := _mean(inside)) >= least:
                    run.append((start, end, likely))
                elif run:
                    yield _passage(run, sentence)
                    run = []
            if run:
                yield _passage(run, sentence)

    def part_before(self, passage: Passage) -> int:
        """Where the part of the sentence begins that is right before a passage; the passage's own start if none is."""
        starts = [start for start, end in _cut(self.text, *passage.sentence, _SEAM) if end <= passage.start]
        return starts[-1] if starts else passage.start

    def _place(self, said: str) -> list[Word]:
        """The words of the message that a phrase was made of: those in the stretch that holds most of them."""
        wanted = stems(said)
        hits = [place for place, word in enumerate(self._words) if word.stems & wanted]
        reach = len(_WORD.findall(said)) + _SLACK
        ends = [bisect_left(hits, first + reach) for first in hits]
        best = max(range(len(hits)), key=lambda at: ends[at] - at, default=0)
        return [self._words[place] for place in hits[best : ends[best]]] if hits else []


_INSIDE = re.compile(r"[ \t]|[^\s,;:!?()]{1,3}|,(?=\d)|,|[ \t]?[&/+-][ \t]?|\. (?=[A-Z])")
_SMALL = re.compile(r" (?:and|of|the|de|la|&)(?: the)? ")
_LISTS = frozenset(
    {"constraint.allergy", "constraint.intolerance", "constraint.condition", "constraint.medication"}
    | {"identity.children", "identity.pets", "identity.partner", "preference.editor", "identity.city"}
    | {"identity.hometown", "identity.language", "identity.nationality", "identity.name"}
)


def _joins(key: str, gap: str) -> bool:
    """Whether two words belong to one value: a sign as inside a word, or a small word, is between them."""
    return _INSIDE.fullmatch(gap) is not None or (key not in _LISTS and _SMALL.fullmatch(gap) is not None)


def _tagged(text: str, tags: Tags) -> Iterator[Word]:
    """The words of a text, each with the mean of what its tokens are tagged with."""
    places = list(_tokens_of_words(text, tags.spans))
    if not places:
        return
    first, last = (np.array([place[at] for place in places]) for at in (2, 3))
    kinds, keys = _means(tags.kinds, first, last).tolist(), _means(tags.keys, first, last).tolist()
    for (start, end, _, _), kind, key in zip(places, kinds, keys, strict=True):
        possible = {name: likely for name, likely in zip(KEYS, key, strict=True) if likely > _POSSIBLE}
        yield Word(start, end, stems(text[start:end]), dict(zip(KINDS, kind, strict=True)), possible)


def _tokens_of_words(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """Where each word stands, and its first token and the one after its last; until the tokens end."""
    place = 0
    for found in _WORD.finditer(text):
        start, end = found.span()
        while place < len(spans) and spans[place][1] <= start:
            place += 1
        stop = place
        while stop < len(spans) and spans[stop][0] < end:
            stop += 1
        if stop == place:
            return
        yield start, end, place, stop


def _means(rows: NDArray[np.float32], first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.float64]:
    """The means of stretches of rows."""
    sums = np.concatenate([np.zeros((1, rows.shape[1])), rows.cumsum(0, np.float64)])
    means: NDArray[np.float64] = (sums[last] - sums[first]) / (last - first)[:, None]
    return means


def sentences_of(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a text stand."""
    start = 0
    for found in _STOP.finditer(text):
        if found.group() == "." and _TITLE.search(text, max(0, found.start() - 8), found.end()):
            continue
        yield start, found.end()
        start = found.end()
    if start < len(text):
        yield start, len(text)


def _cut(text: str, start: int, end: int, seam: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for found in seam.finditer(text, start, end):
        yield start, found.end()
        start = found.end()
    if start < end:
        yield start, end


def _passage(run: Sequence[tuple[int, int, float]], sentence: tuple[int, int]) -> Passage:
    return Passage(run[0][0], run[-1][1], max(likely for _, _, likely in run), sentence)


def _mean(values: Iterator[float] | Sequence[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
