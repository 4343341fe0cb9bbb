"""From labels to spans: which characters of a message carry what its labels say.

A label says what has to be learned ("moved, Lisbon, 2026-03-06"), not where it stands. The tagger needs a place:

- a keyed value is marked where it stands word for word, else where its words stand close together;
- a statement or a standing order is marked from the first to the last of the words it must contain, widened to the
  nearest commas or stops, so that clauses are learned and not single words;
- what is optional, pending or cannot be found is marked as not counting: the tagger is then neither praised nor blamed
  for what it says there.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from recollect.core.terms import stems, terms
from train.notice.messages import Labels, Message, ProfileLabel, StatementLabel

_DATE = re.compile(r"\d{4}(?:-\d\d){0,2}")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SEAM = re.compile(r"[.!?…]+[\"')\]]*(?=\s|$)|\n+|[;:–—()]|,(?=\s)|\s-\s")
_SLACK = 12
"""How many characters longer than a value the stretch may be that holds its words in another form."""
_BRITISH = (("color", "colour"), ("flavor", "flavour"))


class Place(NamedTuple):
    """Where something stands in a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a message, and the label of the tagger that it carries."""

    place: Place
    label: str
    """One of the tagger's kinds or keys."""
    counts: bool = True
    """Whether the tagger has to say so; otherwise it may say there what it likes."""


def spans(message: Message) -> list[Span]:
    """The spans of a message. Of what only an optional label says, none counts."""
    return [*_uncounted(_marked(message.content, message.optional)), *_marked(message.content, message)]


def _uncounted(found: Iterable[Span]) -> Iterator[Span]:
    return (Span(span.place, span.label, counts=False) for span in found)


def _marked(text: str, labels: Labels) -> Iterator[Span]:
    for fact in labels.profile:
        yield from _order(text, fact) if fact.type == "instruction" else _value(text, fact)
    for statement in labels.statements:
        yield _statement(text, statement)


def _order(text: str, label: ProfileLabel) -> Iterator[Span]:
    """A standing order, and what it is about if that is one of the things with a key."""
    place = _place_of_value(text, label)
    if place is None:
        yield _nowhere(text, "instruction")
        return
    place = _widened(text, place)
    yield Span(place, "instruction")
    if label.key:
        yield Span(place, label.key)


def _value(text: str, label: ProfileLabel) -> Iterator[Span]:
    """A keyed value; beside it that it was given up, or what it is the favorite of."""
    favorite = label.type == "preference" and (label.key or "").startswith("favorite")
    name = "preference.favorite" if favorite else f"{label.type}.{label.key}"
    place = _place_of_value(text, label)
    if place is None:
        yield _nowhere(text, name)
        return
    yield Span(place, name)
    if label.retract:
        yield Span(place, "ended")
    if favorite and label.key and (thing := _place_of_thing(text, label.key, place)):
        yield Span(thing, "preference.thing")


def _statement(text: str, label: StatementLabel) -> Span:
    place = closest(text, label.must)
    if place is None:
        return _nowhere(text, label.type)
    return Span(_widened(text, place), label.type, counts=not label.pending)


def _nowhere(text: str, label: str) -> Span:
    """The message holds it somewhere, in other words: of the whole message nothing is known about that label."""
    return Span(Place(0, len(text)), label, counts=False)


def _place_of_value(text: str, label: ProfileLabel) -> Place | None:
    """Where a value stands word for word, the longest wording first; else where its words stand, or those it needs."""
    for value in sorted(label.value, key=len, reverse=True):
        if found := re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE):
            return Place(*found.span())
    for value in label.value:
        place = closest(text, [value])
        if place and place.end - place.start <= len(value) + _SLACK:
            return place
    return closest(text, label.must)


def _place_of_thing(text: str, key: str, value: Place) -> Place | None:
    """Where the thing stands that a value is the favorite of: "colour" for "favorite_color", outside of the value."""
    thing = key.removeprefix("favorite_").replace("_", " ")
    british = thing
    for here, there in _BRITISH:
        british = british.replace(here, there)
    for spelling in (thing, british):
        place = closest(text, spelling.split())
        if place and not _overlap(place, value):
            return place
    return None


def closest(text: str, wanted: Sequence[str]) -> Place | None:
    """The smallest stretch with all of the wanted words that occur at all, in any order; dates are never looked for."""
    words = list(_words(text))
    wherever = [
        found
        for stem in _wanted_stems(wanted)
        if (found := [place for place, word in enumerate(words) if stem in word.stems])
    ]
    stretches = [
        (first, max(ends))
        for first in sorted({place for found in wherever for place in found})
        if len(ends := [later for found in wherever if (later := _next(found, first)) is not None]) == len(wherever)
    ]
    if not stretches:
        return None
    first, last = min(stretches, key=lambda stretch: stretch[1] - stretch[0])
    return Place(words[first].start, words[last].end)


def _next(places: Sequence[int], first: int) -> int | None:
    return next((place for place in places if place >= first), None)


class _Word(NamedTuple):
    start: int
    end: int
    stems: frozenset[str]


def _words(text: str) -> Iterator[_Word]:
    """The words of a text, each with its stem and those of its parts: "5k" is found by "5", "don't" by "don"."""
    for found in _WORD.finditer(text):
        yield _Word(found.start(), found.end(), stems(found.group()) | {_stem(found.group())})


def _wanted_stems(wanted: Iterable[str]) -> Iterator[str]:
    """The stems to look for. A date is given in full, while the message may say "last Friday"."""
    for each in wanted:
        if not _DATE.fullmatch(each):
            yield from stems(each)


def _stem(word: str) -> str:
    """The stem of a word; of a stop word, which has none, the word."""
    folded = word.casefold()
    return next(iter(terms(folded)), folded)


def _widened(text: str, place: Place) -> Place:
    """A place, widened to the seams between clauses around it."""
    touched = [clause for clause in _clauses(text) if _overlap(clause, place)]
    return Place(touched[0].start, touched[-1].end)


def _clauses(text: str) -> Iterator[Place]:
    start = 0
    for seam in _SEAM.finditer(text):
        yield Place(start, seam.end())
        start = seam.end()
    if start < len(text):
        yield Place(start, len(text))


def _overlap(one: Place, other: Place) -> bool:
    return one.start < other.end and one.end > other.start
