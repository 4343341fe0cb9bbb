"""Which passages of a text carry something that is forgotten, and the text without them. Pure.

A finder says where it stands: a person by every name (`Names`), a text by its sentences (`Texts`), or either by keyed
hashes alone (`Marks`), when nobody knows any more what was forgotten. A passage is a sentence, or all that a speaker
says in a line of a talk.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

from recollect.core.terms import STOP_WORDS, terms

FORGOTTEN = "[forgotten]"
"""What stands in raw text where a passage stood."""

Span = tuple[int, int]
Words = tuple[str, ...]

_MARKS = "\u0300-\u036f"
# Scripts without spaces: each character is a word of its own, so that a name is found inside a run of them.
_RUNNING = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff"
_WORD = re.compile(rf"[{_RUNNING}]|(?:(?![{_RUNNING}])[^\W_][{_MARKS}]*)+")
_OPTIONAL = re.compile(f"[{_MARKS}]+")
_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)|[。！？]+|\n[ \t]*\n\s*|\n(?!\s*[a-z])")
_ABBREVIATED = re.compile(r"(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|jr|sr|no|vs|etc|e\.g|i\.e|[a-z])\.$", re.I)
_LABEL = re.compile(r"^[\s>*\-#\[\]():\d.,|apmAPM]*$")
_SPEAKER = re.compile(r"[^\S\n]*(?:[\[(][^\])\n]{0,40}[\])])?[^\S\n]*:(?!//)")
_HEADING = re.compile(r"[\s\[\](),\-–—.:\d|@]*(?:[ap]\.?m\.?)?[\s\[\](),\-–—.:\d|]*", re.I)
_PRONOUN = re.compile(r"\s*[\"'“‘(]?(?:she|he|they|her|his|their|hers|him)\b", re.I)


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_TITLES = _listed("mr mrs ms miss mx dr prof professor sir madam herr frau señor señora aunt uncle")
_CALENDAR = _listed(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august"
    " september october november december today tomorrow yesterday"
)
# First names that are words: in lower case they are taken for the word.
_WORD_NAMES = _listed(
    "amber angel art ash august april autumn basil bill bob brook carol chance chase chip christian clay cliff coral"
    " crystal daisy dale dawn dean don drew earl eve faith fern flora forest frank gene ginger glen grace grant guy"
    " harmony hazel heath heather holly hope hunter iris ivy jack jade jasmine jay jean jewel josh joy june ken lance"
    " laurel lily lane mark may max melody mercy merry miles misty nick norm olive opal pat patience patsy pearl penny"
    " piper poppy precious ray rich rob robin rock rod rose ruby rusty sandy sky skip sonny spencer stew sue summer ted"
    " terry tiffany tony trinity van victor violet wade ward warren will winter wren young"
)
_NO_NAMES = STOP_WORDS | _CALENDAR | _TITLES
_LONG_ENOUGH_JOINED = 8


@lru_cache(maxsize=100_000)
def folded(word: str) -> str:
    """A word without case and accents."""
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFC", _OPTIONAL.sub("", unicodedata.normalize("NFKD", word).casefold()))


def words_of(text: str) -> Words:
    """The words of a text, folded."""
    return tuple(folded(found[0]) for found in _WORD.finditer(text))


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
        if end[0] == "." and _ABBREVIATED.search(text, start, end.end()):
            continue
        if text[start : end.end()].strip():
            found.append((start, end.end()))
            start = end.end()
    if text[start:].strip():
        found.append((start, len(text)))
    return found


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
        for found in _WORD.finditer(text, first, last)
        if found[0][0].isupper()
        and found.start() > first
        and not any(start <= found.start() < stop for start, stop in places)
        and folded(found[0]) not in _NO_NAMES
        and text[first : found.start()].strip(" \t\n\"'“‘(")
    ]
    return not others


def _line_of_speaker(text: str, start: int, stop: int) -> int | None:
    """Where the words end of somebody whose name stands before a colon, or alone in a line above them."""
    begin = text.rfind("\n", 0, start) + 1
    if not _LABEL.match(text[begin:start]):
        return None
    end = text.find("\n", stop)
    end = len(text) if end < 0 else end
    if _SPEAKER.match(text, stop, end):
        return end
    heading = _HEADING.match(text, stop, end)
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


def without_in(value: Any, finder: Finder, rewrite: Callable[[str, Finder], str] = without) -> Any:
    """An object without it: list items and keys that carry it go, of texts their sentences."""
    if isinstance(value, str):
        return rewrite(value, finder) if finder.spans(value) else value
    if isinstance(value, list):
        listed = [each for each in value if not (isinstance(each, str) and finder.labels(each, meant=False))]
        kept = [(each, without_in(each, finder, rewrite)) for each in listed]
        return [after for before, after in kept if after not in ("", None) or before in ("", None)]
    if isinstance(value, dict):
        return {key: without_in(each, finder, rewrite) for key, each in value.items() if not finder.spans(str(key))}
    return value


# Finders -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Names:
    """A person or thing, by every name."""

    full: frozenset[Words]
    first: frozenset[str] = frozenset()
    """First names that count where they stand alone."""
    last: frozenset[str] = frozenset()
    """Surnames, the same; after a title, or in capitals."""
    shared: frozenset[str] = frozenset()
    """Those of them that others have too: they count only where the full name stands in the same text."""
    others: frozenset[Words] = frozenset()
    """Names of others, in which nothing is meant."""
    follows: bool = True

    @property
    def needles(self) -> tuple[str, ...]:
        """Words, one of which stands in every text that has a place of it; for the server, which folds ASCII alone."""
        longest = {max(words, key=len) for words in self.full if words}
        joined = {"".join(words) for words in self.full if len("".join(words)) >= _LONG_ENOUGH_JOINED}
        return tuple(sorted(longest | joined | self.first | self.last))

    def spans(self, text: str) -> list[Span]:
        """The places of the names that mean it."""
        return list(_named(text, self._is_full, self._counts(text), max(map(len, self.full | self.others), default=1)))

    def labels(self, label: str, *, meant: bool) -> bool:
        """Whether a tag is one of the names, or a part of one that nobody shares, or that is meant."""
        words = words_of(label)
        parts = self.first | self.last if meant else (self.first | self.last) - self.shared
        return bool(self.spans(label)) or (len(words) == 1 and words[0] in parts - _WORD_NAMES)

    def _is_full(self, words: Words) -> bool | None:
        if words in self.others:
            return None
        return words in self.full or _joins(words, self.full)

    def _counts(self, text: str) -> Callable[[str, str], bool]:
        shared = self.shared and not self._is_meant(text)

        def counts(form: str, word: str) -> bool:
            known = self.first if form == "first" else self.last
            return word in known and not (shared and word in self.shared)

        return counts

    def _is_meant(self, text: str) -> bool:
        """Whether a text names them in full, and nobody else who shares a part of the name."""
        found = words_of(text)
        named = any(_holds(found, name) for name in self.full if len(name) > 1)
        return named and not any(_holds(found, name) for name in self.others if self.shared.intersection(name))


def _holds(words: Words, name: Words) -> bool:
    return any(words[at : at + len(name)] == name for at in range(len(words) - len(name) + 1))


def _joins(words: Words, full: frozenset[Words]) -> bool:
    """Names written together, as in addresses, or with a genitive that has no apostrophe."""
    if len(words) == 1 and len(words[0]) >= _LONG_ENOUGH_JOINED:
        return any(len(name) > 1 and "".join(name) == words[0] for name in full)
    return len(words) > 1 and words[-1].endswith("s") and (*words[:-1], words[-1][:-1]) in full


def _named(
    text: str, is_full: Callable[[Words], bool | None], counts: Callable[[str, str], bool], longest: int
) -> Iterator[Span]:
    """Where a full name stands, or a short one alone; where `is_full` says None, somebody else is named."""
    found = list(_WORD.finditer(text))
    words = tuple(folded(each[0]) for each in found)
    place = 0
    while place < len(found):
        for length in range(min(longest, len(found) - place), 0, -1):
            verdict = is_full(words[place : place + length])
            if verdict or verdict is None:
                if verdict:
                    yield found[place].start(), found[place + length - 1].end()
                place += length
                break
        else:
            if _stands_alone(text, found, words, place, counts):
                yield found[place].start(), found[place].end()
            place += 1


def _stands_alone(
    text: str, found: Sequence[re.Match[str]], words: Words, place: int, counts: Callable[[str, str], bool]
) -> bool:
    """Whether a word is a first name or surname that no other word makes into somebody else's name."""
    word, written = words[place], found[place][0]
    first, last = counts("first", word), counts("last", word)
    if not first and not last:
        return False
    capital = written[0].isupper() or not written[0].islower()
    before = found[place - 1] if place and _adjoins(text, found[place - 1], found[place]) else None
    after = found[place + 1] if place + 1 < len(found) and _adjoins(text, found[place], found[place + 1]) else None
    titled = before is not None and folded(before[0]) in _TITLES
    genitive = text[found[place].end() : found[place].end() + 2] in ("'s", "’s")
    if last and (titled or ((capital or genitive) and not _is_name(before) and not _is_name(after))):
        return True
    if not first or (not capital and word in _WORD_NAMES) or (not capital and place and titled):
        return False
    begins = before is not None and (before.start() == 0 or text[: before.start()].rstrip()[-1:] in (".", "!", "?", ""))
    return not (capital and (_is_name(after) or (_is_name(before) and not begins)))


def _adjoins(text: str, one: re.Match[str], other: re.Match[str]) -> bool:
    return text[one.end() : other.start()] in (" ", ". ", "-", "\u00a0")


def _is_name(word: re.Match[str] | None) -> bool:
    if word is None or not word[0][0].isupper() or len(word[0]) == 1:
        return False
    return folded(word[0]) not in _NO_NAMES


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

    def _carries(self, sentence: str) -> bool:
        words = words_of(sentence)
        if words in self.exact:
            return True
        said = frozenset(terms(sentence)) - self.ignored
        if not said:
            return False
        if said in self.terms:
            return True
        return self.within and any(each <= said or (len(said) > 1 and said <= each) for each in self.terms)


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
        found = set(_named(text, self._is_name, self._has, self.longest)) if "name" in self.forms else set()
        for form in self.forms & {"text", "said"}:
            found |= {span for span in passages(text) if self._is_said(form, text[span[0] : span[1]])}
        return sorted(found)

    def labels(self, label: str, *, meant: bool) -> bool:
        """Whether a tag has a mark, as a name or a part of one."""
        words = words_of(label)
        part = len(words) == 1 and words[0] not in _WORD_NAMES
        return bool(self.spans(label)) or (part and (self._has("first", words[0]) or self._has("last", words[0])))

    def _is_name(self, words: Words) -> bool:
        if self._has("name", " ".join(words)):
            return True
        return len(words) > 1 and words[-1].endswith("s") and self._has("name", " ".join((*words[:-1], words[-1][:-1])))

    def _is_said(self, form: str, sentence: str) -> bool:
        return any(self._has(form, each) for each in sentence_forms(sentence))

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
        if len(words) > 1 and len("".join(words)) >= _LONG_ENOUGH_JOINED:
            yield "name", "".join(words)
    for form, known in (("first", names.first), ("last", names.last)):
        yield from ((form, word) for word in known - names.shared)


def sentence_forms(sentence: str, ignored: frozenset[str] = frozenset()) -> list[str]:
    """What a sentence is known by: its words in order, and what they say in any order."""
    found = frozenset(terms(sentence))
    orders = {found, found - {"user"}, found - ignored - {"user"}}
    return ["=" + " ".join(words_of(sentence)), *("~" + " ".join(sorted(each)) for each in orders if len(each) > 1)]
