"""Which passages of a text carry something that is forgotten, and the text without them. Pure.

A finder says where it stands: a person by every name (`Names`), a text by its sentences (`Texts`), or either by keyed
hashes alone (`Marks`), when nobody knows any more what was forgotten. A passage is a sentence, or all that a speaker
says in a line of a talk.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

from recollect.core.terms import terms
from recollect.understanding.named import (
    LONG_ENOUGH_JOINED,
    NO_NAMES,
    WORD,
    Known,
    Reading,
    Span,
    Words,
    folded,
    folded_text,
    is_ordinary,
    words_of,
)
from recollect.understanding.plain import plain

FORGOTTEN = "[forgotten]"
"""What stands in raw text where a passage stood."""

_END = re.compile(r"[.!?…]+[\"'”’)\]}]*(?=\s|</)|[。！？]+|\n[ \t]*\n\s*|\n(?!\s*[a-z])")
_ABBREVIATED = re.compile(r"(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|jr|sr|no|vs|etc|e\.g|i\.e|[a-z])\.$", re.I)
_INITIALS = re.compile(r"(?:^|[\s(])(?:[^\W\d_]\.){2,3}$")
_LABEL = re.compile(r"^[\s>*\-#\[\]():\d.,|apmAPM]*$")
_SPEAKER = re.compile(r"[^\S\n]*(?:[\[(][^\])\n]{0,40}[\])])?[^\S\n]*:(?!//)")
_HEADING = re.compile(r"[\s\[\](),\-–—.:\d|@]*(?:[ap]\.?m\.?)?[\s\[\](),\-–—.:\d|]*", re.I)
_DEEPEST = 50
"""Levels of an object that are looked at one by one."""
_ANNOUNCED = re.compile(r"^\W*\w+(?:\s\w+){0,2}:\s+")
_LEVEL = re.compile(r"[ ]{0,3}(#{1,6})[ \t]")
"""A heading of Markdown."""
_PRONOUN = re.compile(r"\s*[\"'“‘(]?(?:she|he|they|her|his|their|hers|him)\b", re.I)


class Finder(Protocol):
    """Says where something stands in a text."""

    @property
    def follows(self) -> bool:
        """Whether a sentence that goes on with "she" or "he" goes with the one before it."""

    @property
    def needles(self) -> tuple[str, ...]:
        """ASCII words, one of which stands in every text of ASCII that has a place of it; none: it cannot be told."""

    def spans(self, text: str) -> list[Span]:
        """The places of it, in order."""

    def labels(self, label: str, *, meant: bool) -> bool:
        """Whether a tag or keyword stands for it; `meant`: it is one of a text that carries it."""


# Passages ------------------------------------------------------------------------------------------------


def passages(text: str) -> list[Span]:
    """Where the sentences of a text stand; a line of its own is one, unless it goes on in lower case."""
    found: list[Span] = []
    start = 0
    for end in _END.finditer(text):
        if end[0] == "." and (_ABBREVIATED.search(text, start, end.end()) or _goes_on_after(text, end)):
            continue
        if text[start : end.end()].strip():
            found.append((start, end.end()))
            start = end.end()
    if text[start:].strip():
        found.append((start, len(text)))
    return found


def _goes_on_after(text: str, end: re.Match[str]) -> bool:
    """Whether a stop is that of initials in the middle of a sentence: "A.W. signed"."""
    initials = _INITIALS.search(text, max(0, end.start() - 6), end.end())
    return initials is not None and text[end.end() : end.end() + 2].strip().islower()


def carried(text: str, finder: Finder) -> list[Span]:
    """The passages that carry it, as stretches of the text, in order and apart."""
    places = finder.spans(text)
    if not places:
        return []
    sentences = passages(text)
    taken = [any(start < end and begin < stop for start, stop in places) for begin, end in sentences]
    if finder.follows:
        _follow(text, sentences, taken, places)
    return _united([span for span, gone in zip(sentences, taken, strict=True) if gone])


def _follow(text: str, sentences: Sequence[Span], taken: list[bool], places: Sequence[Span]) -> None:
    """What a speaker says in a line goes with the speaker's name, and "she …" with the sentence before."""
    until = -1
    for number, (begin, end) in enumerate(sentences):
        for start, stop in places:
            if begin <= start < end and (line := _line_of_speaker(text, start, stop)) is not None:
                until = max(until, line)
        before = number > 0 and taken[number - 1] and "\n\n" not in text[sentences[number - 1][0] : begin]
        if begin < until or (before and not taken[number] and _goes_on(text, sentences, places, number)):
            taken[number] = True


def _goes_on(text: str, sentences: Sequence[Span], places: Sequence[Span], number: int) -> bool:
    """Whether a sentence begins with a pronoun that nobody else in the one before could be meant by."""
    begin, end = sentences[number]
    if not _PRONOUN.match(text, begin, end):
        return False
    first, last = sentences[number - 1]
    if _PRONOUN.match(text, first, last):
        return True
    others = [
        found
        for found in WORD.finditer(text, first, last)
        if found[0][0].isupper()
        and found.start() > first
        and not any(start <= found.start() < stop for start, stop in places)
        and folded(found[0]) not in NO_NAMES
        and text[first : found.start()].strip(" \t\n\"'“‘(")
    ]
    return not others


def _line_of_speaker(text: str, start: int, stop: int) -> int | None:
    """Where the words end of somebody whose name stands before a colon, or alone in a line above them; or what is told
    of them, under a heading that is their name."""
    begin = text.rfind("\n", 0, start) + 1
    if not _LABEL.match(text[begin:start]):
        return None
    end = text.find("\n", stop)
    end = len(text) if end < 0 else end
    if _SPEAKER.match(text, stop, end):
        return end
    heading = _HEADING.match(text, stop, end)
    if heading and heading.end() == end and (level := _LEVEL.match(text, begin)):
        following = re.compile(rf"\n#{{1,{len(level[1])}}}[ \t]").search(text, end)
        return len(text) if following is None else following.start()
    if heading and heading.end() == end and end < len(text) and text[end + 1 : end + 2].strip():
        blank = text.find("\n\n", end)
        return len(text) if blank < 0 else blank
    return None


def _united(spans: Sequence[Span]) -> list[Span]:
    found: list[Span] = []
    for begin, end in spans:
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return found


def nearest(text: str, said: str) -> list[str]:
    """The sentences of a text that share the most with another one; none where nothing is shared."""
    wanted = frozenset(terms(said))
    sentences = [text[begin:end] for begin, end in passages(text)]
    shared = [len(wanted.intersection(terms(sentence))) for sentence in sentences]
    most = max(shared, default=0)
    return [sentence for sentence, number in zip(sentences, shared, strict=True) if most and number == most]


def redacted(text: str, finder: Finder) -> str:
    """A raw text in which what carries it has given way to a marker."""
    return _replaced(text, carried(text, finder), FORGOTTEN)


def without(text: str, finder: Finder) -> str:
    """A derived text without the sentences that carry it; as it is where none does."""
    gone = carried(text, finder)
    return _replaced(text, gone, "").strip() if gone else text


def _replaced(text: str, gone: Sequence[Span], marker: str) -> str:
    kept, place = [], 0
    for begin, end in gone:
        passage = text[begin:end]
        before, after = passage[: len(passage) - len(passage.lstrip())], passage[len(passage.rstrip()) :]
        gap = "" if begin == 0 or text[end : end + 1].isspace() else before or after
        kept += [text[place:begin], before + marker + after if marker else gap]
        place = end
    return "".join([*kept, text[place:]])


def lost(text: str, finder: Finder) -> list[str]:
    """The passages that carry it."""
    return [text[begin:end].strip() for begin, end in carried(text, finder)]


def has(text: str | None, finder: Finder) -> bool:
    """Whether a text carries it at all."""
    return bool(text) and bool(finder.spans(text or ""))


def labelled(labels: Iterable[str], finder: Finder, *, meant: bool) -> list[str]:
    """Tags or names without those that stand for it."""
    return [label for label in labels if not finder.labels(label, meant=meant)]


def told(text: str) -> str:
    """A raw text as something is derived from it: without markers of what was forgotten."""
    return text.replace(FORGOTTEN, "") if FORGOTTEN in text else text


def without_in(value: Any, finder: Finder, rewrite: Callable[[str, Finder], str] = without, within: int = 0) -> Any:
    """An object without it: list items and keys that carry it go, of texts their sentences; so in JSON in a text.

    `within` so many others. What lies deeper than any program would read goes whole, or stays: who says `[[[[…` shall
    not keep others from being forgotten.
    """
    if isinstance(value, str):
        return _without_in_text(value, finder, rewrite, within) if finder.spans(value) else value
    if not isinstance(value, list | dict):
        return value
    if within >= _DEEPEST:
        return None if _any_text_has(value, finder) else value
    if isinstance(value, list):
        listed = [each for each in value if not (isinstance(each, str) and _is_label_of(each, finder))]
        kept = [(each, without_in(each, finder, rewrite, within + 1)) for each in listed]
        return [after for before, after in kept if after not in ("", None) or before in ("", None)]
    return {
        key: without_in(each, finder, rewrite, within + 1) for key, each in value.items() if not finder.spans(str(key))
    }


def _any_text_has(value: Any, finder: Finder) -> bool:
    """Whether any text in an object carries it, however deep."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                if finder.spans(text):
                    return True
            case list() as items:
                waiting += items
            case dict() as items:
                waiting += [*map(str, items), *items.values()]
    return False


def _is_label_of(text: str, finder: Finder) -> bool:
    """Whether an item of a list goes whole: of several sentences some may stay."""
    return finder.labels(text, meant=False) and json_in(text) is None and len(passages(text)) < 2


def _without_in_text(text: str, finder: Finder, rewrite: Callable[[str, Finder], str], within: int) -> str:
    """A text, or JSON that is one: what is left of that is still JSON."""
    inner = json_in(text) if within < _DEEPEST else None
    if inner is None:
        return rewrite(text, finder)
    after = without_in(inner, finder, rewrite, within + 1)
    try:
        return rewrite(text, finder) if after == inner else json.dumps(after, ensure_ascii=False)
    except RecursionError:
        return rewrite(text, finder)


def json_in(text: str) -> Any:
    """The object, list or string that a text is the JSON of; None where it is none."""
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


# Finders -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Names:
    """A person or thing, by every name."""

    full: frozenset[Words]
    first: frozenset[str] = frozenset()
    """First names that count where they stand alone."""
    last: frozenset[str] = frozenset()
    """Surnames, the same."""
    shared: frozenset[str] = frozenset()
    """Those of them that others have too: they count only where the full name stands in the same text."""
    others: frozenset[Words] = frozenset()
    """Names of others, in which nothing is meant."""
    forms: frozenset[str] = frozenset()
    """Further forms, as `told_form` has them."""
    follows: bool = True

    @property
    def needles(self) -> tuple[str, ...]:
        """Words, one of which stands in every text that has a place of it; for the server, which folds ASCII alone."""
        return _needles(self)

    def spans(self, text: str) -> list[Span]:
        """The places of the names that mean it."""
        return _places(text, self._places)

    def labels(self, label: str, *, meant: bool) -> bool:
        """Whether a tag is one of the names, or a part of one that nobody shares; where it is meant, any part."""
        words = words_of(plain(label).text)
        parts = self.first | self.last if meant else (self.first | self.last) - self.shared
        alone = len(words) == 1 and words[0] in parts and (meant or not is_ordinary(words[0]))
        part = meant and len(words) == 1 and words[0] in _parts(self)
        return alone or part or bool(self.spans(label))

    def _places(self, text: str) -> list[Span]:
        if _hint(self).search(folded_text(text)) is None:
            return []
        starts = _starts(self)
        reading = Reading.of(text, self._known(text), self.others.__contains__, _longest(self))
        return sorted(reading.places(lambda word: word in starts or word.rstrip("0123456789") in starts))

    def _known(self, text: str) -> Known:
        shared = self.shared if self.shared and not self._is_meant(text) else frozenset()
        alone = {"name": _written(self), "first": self.first - shared, "last": self.last - shared}
        return lambda form, name: name in alone[form]

    def _is_meant(self, text: str) -> bool:
        """Whether a text names them in full, and nobody else who shares a part of the name."""
        found = words_of(text)
        named = any(_holds(found, name) for name in self.full if len(name) > 1)
        return named and not any(_holds(found, name) for name in self.others if self.shared.intersection(name))


def _holds(words: Words, name: Words) -> bool:
    return any(words[at : at + len(name)] == name for at in range(len(words) - len(name) + 1))


def _places(text: str, find: Callable[[str], list[Span]]) -> list[Span]:
    """Places in a text, as it is written and as it is read: what looks like an escape may be none."""
    found, read = find(text), plain(text)
    if read.below is not None:
        found = sorted({*found, *(read.span(begin, end) for begin, end in find(read.text))})
    return found


# What is made once of names, and asked for with every text.


@lru_cache(maxsize=256)
def _written(names: Names) -> frozenset[str]:
    """All that is a name wherever it stands."""
    return frozenset(form[1] for form in name_forms(names) if form[0] == "name")


@lru_cache(maxsize=256)
def _starts(names: Names) -> frozenset[str]:
    """Words with which a place of the names may begin, and that somebody else's name may begin with."""
    forms = (form.partition(": ")[2].split()[0] for form in names.forms)
    alone = {*names.first, *names.last, *forms, *("".join(words) for words in names.full)}
    inflected = {word + ending for word in alone for ending in ("s", "es")}
    return frozenset({words[0] for words in names.full | names.others if words} | alone | inflected)


@lru_cache(maxsize=256)
def _parts(names: Names) -> frozenset[str]:
    """Words of the names that mean nothing else, such as each half of a double one."""
    return frozenset(word for words in names.full for word in words if len(word) > 2 and not is_ordinary(word))


@lru_cache(maxsize=256)
def _longest(names: Names) -> int:
    return max(map(len, names.full | names.others), default=1)


@lru_cache(maxsize=256)
def _needles(names: Names) -> tuple[str, ...]:
    found = {max(words, key=len) for words in names.full if words} | names.first | names.last
    for form in names.forms:
        kind, _, said = form.partition(": ")
        words = said.split()
        if kind == "initials":
            found |= {f"{words[0]}.{words[-1]}.", f"{words[0]}. {words[-1]}."}
        elif kind == "whole" and said.isdigit():  # there may be anything between its groups
            found.add(said[-2:])
        else:
            found.add(max(words, key=len))
    joined = {"".join(words) for words in names.full if len("".join(words)) >= LONG_ENOUGH_JOINED}
    return tuple(sorted(found | joined))


@lru_cache(maxsize=256)
def _hint(names: Names) -> re.Pattern[str]:
    """What every text holds, once it is folded, that has a place of the names."""
    needles = sorted(_needles(names), key=lambda needle: (-len(needle), needle))
    return re.compile("|".join(map(re.escape, needles)) or "(?!)")


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts that are forgotten, by their sentences: the very words, or the same words in another order."""

    exact: frozenset[Words]
    terms: frozenset[frozenset[str]] = frozenset()
    within: bool = False
    """Whether a sentence that says it among other things counts too: of what it was learned from."""
    ignored: frozenset[str] = frozenset()
    """Terms that say nothing here, such as the owner's name."""
    follows: bool = False

    @classmethod
    def of(cls, texts: Iterable[str], *, within: bool = False, ignored: Iterable[str] = ()) -> "Texts":
        """The sentences of texts."""
        said = [text[begin:end] for text in texts for begin, end in passages(text)]
        skipped = frozenset(term for word in (*ignored, "user") for term in terms(word))
        weighty = frozenset(found for each in said if (found := frozenset(terms(each)) - skipped))
        return cls(frozenset(words for each in said if (words := words_of(each))), weighty, within, skipped)

    @property
    def needles(self) -> tuple[str, ...]:
        """The beginning of each sentence's longest word, which no ending changes; none where one is of no ASCII."""
        longest = [max((word for word in words if word.isascii()), key=len, default="") for words in self.exact]
        return tuple(sorted({word[:4] for word in longest})) if all(longest) else ()

    def spans(self, text: str) -> list[Span]:
        """The sentences that say it."""
        return [(begin, end) for begin, end in passages(text) if self._carries(text[begin:end])]

    def labels(self, label: str, *, meant: bool) -> bool:
        """A tag says too little to be a sentence."""
        return words_of(label) in self.exact

    def _carries(self, written: str) -> bool:
        """Whether a sentence says it, or what follows a word or two and a colon: "Note: …", "User said: …"."""
        sentence = plain(written).text
        announced = _ANNOUNCED.sub("", sentence)
        return self._says(sentence, self.within) or (announced != sentence and self._says(announced, False))

    def _says(self, sentence: str, within: bool) -> bool:
        words = words_of(sentence)
        if words in self.exact:
            return True
        said = frozenset(terms(sentence)) - self.ignored
        if not said:
            return False
        if said in self.terms:
            return True
        return within and any(each <= said or (len(said) > 1 and said <= each) for each in self.terms)


@dataclass(frozen=True, slots=True)
class Learned:
    """Texts in what they were learned from: where no sentence says one of them, the one that says most of it."""

    texts: Texts
    follows: bool = False
    needles: tuple[str, ...] = ()

    def spans(self, text: str) -> list[Span]:
        """The sentences that it was learned from; all of them, where none has a word of it."""
        found = self.texts.spans(text)
        if found:
            return found
        sentences = passages(text)
        shared = [self._shared(text[begin:end]) for begin, end in sentences]
        most = max(shared, default=0)
        return [span for span, number in zip(sentences, shared, strict=True) if number == most]

    def labels(self, label: str, *, meant: bool) -> bool:
        """As the texts have it."""
        return self.texts.labels(label, meant=meant)

    def _shared(self, sentence: str) -> int:
        said = frozenset(terms(sentence))
        return max((len(said & each) for each in self.texts.terms), default=0)


@dataclass(frozen=True, slots=True)
class Both:
    """What either of several finders finds."""

    finders: tuple[Any, ...] = ()
    follows: bool = True

    @property
    def needles(self) -> tuple[str, ...]:
        """Those of all, or none if one has none."""
        each = [finder.needles for finder in self.finders]
        return tuple(needle for needles in each for needle in needles) if all(each) else ()

    def spans(self, text: str) -> list[Span]:
        """The places that any of them finds."""
        return sorted({span for finder in self.finders for span in finder.spans(text)})

    def labels(self, label: str, *, meant: bool) -> bool:
        """Whether any of them says so."""
        return any(finder.labels(label, meant=meant) for finder in self.finders)


@dataclass(frozen=True, slots=True)
class Marks:
    """What was forgotten, by keyed hashes alone: `known` says whether a text has a mark of a form."""

    known: Callable[[str, str], bool]
    forms: frozenset[str] = frozenset({"name", "first", "last", "text", "said"})
    longest: int = 5
    follows: bool = True
    needles: tuple[str, ...] = ()
    _seen: dict[tuple[str, str], bool] = field(default_factory=dict)

    def spans(self, text: str) -> list[Span]:
        """The places of names and sentences that have a mark."""
        found = set(_places(text, self._places)) if "name" in self.forms else set()
        for form in self.forms & {"text", "said"}:
            found |= {span for span in passages(text) if self._is_said(form, text[span[0] : span[1]])}
        return sorted(found)

    def labels(self, label: str, *, meant: bool) -> bool:
        """Whether a tag has a mark, as a name or a part of one."""
        words = words_of(plain(label).text)
        part = len(words) == 1 and (meant or not is_ordinary(words[0]))
        return bool(self.spans(label)) or (part and (self._has("first", words[0]) or self._has("last", words[0])))

    def _places(self, text: str) -> list[Span]:
        return sorted(Reading.of(text, self._has, lambda _: False, self.longest).places(lambda _: True))

    def _is_said(self, form: str, sentence: str) -> bool:
        return any(self._has(form, each) for each in sentence_forms(plain(sentence).text))

    def _has(self, form: str, text: str) -> bool:
        if form not in self.forms:
            return False
        key = (form, text)
        if key not in self._seen:
            self._seen[key] = self.known(form, text)
        return self._seen[key]


def name_forms(names: Names) -> Iterator[tuple[str, str]]:
    """What is marked of names."""
    for words in names.full:
        yield "name", " ".join(words)
        if len(words) > 1 and len("".join(words)) >= LONG_ENOUGH_JOINED:
            yield "name", "".join(words)
    yield from (("name", form) for form in names.forms)
    for form, known in (("first", names.first), ("last", names.last)):
        yield from ((form, word) for word in known - names.shared)


def sentence_forms(sentence: str, ignored: frozenset[str] = frozenset()) -> list[str]:
    """What a sentence is known by: its words in order, and what they say in any order."""
    found = frozenset(terms(sentence))
    orders = {found, found - {"user"}, found - ignored - {"user"}}
    return ["=" + " ".join(words_of(sentence)), *("~" + " ".join(sorted(each)) for each in orders if len(each) > 1)]
