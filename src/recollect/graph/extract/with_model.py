"""Extraction by a language model: the same outputs as the rules give, its answers held to the text.

A model proposes and the text decides: a name that does not occur in it is dropped, and so is what the model is not
sure of or has hardly a word to say about. Errors of the seam go up unchanged.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from recollect.graph.extract import prompts
from recollect.graph.extract.prompts import FoundEntity, FoundGraph, FoundNote, FoundRelation
from recollect.graph.extract.typed import NO_TYPES, Types
from recollect.graph.model import Entity, Extracted, Link, Remark, canonical
from recollect.providers.language import LanguageModel
from recollect.understanding.fence import unfenced
from recollect.understanding.lexicon import fold, listed
from recollect.understanding.secrets import holds_secret, mask
from recollect.understanding.writing import cut

LEAST_CONFIDENCE = 0.7
MORE_POINTS_THAN = 2
_MOST_NOTES = 3
_LONGEST_PART = 6_000
_LONGEST_NOTE = 240
_PRONOUNS = listed("pronouns")
_TYPE = re.compile(r"[^\w]+")

Key = tuple[str, str, str]


async def extract_with_model(
    model: LanguageModel,
    text: str,
    *,
    types: Types = NO_TYPES,
    speakers: Iterable[str] = (),
    owner: str | None = None,
    instructions: str | None = None,
) -> Extracted:
    """What a document names and says, by a model; a long one is read in parts."""
    readable = mask(unfenced(text)).strip()
    if not readable:
        return Extracted()
    asked, known = prompts.instructions(types, instructions), tuple(speakers)
    gathered = _Gathered(readable)
    for part in parts_of(readable):
        answer = await model.ask("extract", asked, prompts.prompt(part, known, owner), FoundGraph)
        gathered.take(answer.value)
    return gathered.extracted()


def parts_of(text: str, longest: int = _LONGEST_PART) -> list[str]:
    """A text in parts that a small model can read, cut between paragraphs or lines where it can be."""
    parts: list[str] = []
    rest = text
    while len(rest) > longest:
        room = rest[:longest]
        place = max(room.rfind("\n\n"), room.rfind("\n")) if "\n" in room[longest // 2 :] else room.rfind(" ")
        place = place if place > longest // 2 else longest
        parts.append(rest[:place].strip())
        rest = rest[place:].strip()
    return [part for part in (*parts, rest) if part]


@dataclass
class _Entry:
    """One entity as all parts of a text have it."""

    kind: str
    type: str
    name: str
    confidence: float
    aliases: dict[str, None] = field(default_factory=dict)
    points: dict[str, None] = field(default_factory=dict)


class _Gathered:
    """The answers about all parts of a text."""

    def __init__(self, text: str) -> None:
        self._text = f" {' '.join(_words(text))} "
        self._entries: dict[Key, _Entry] = {}
        self._names: dict[str, Key] = {}
        self._relations: list[FoundRelation] = []
        self._notes: list[FoundNote] = []

    def take(self, answer: FoundGraph) -> None:
        """Add what was found in a part."""
        for found in answer.entities:
            self._take_entity(found)
        self._relations += answer.relations
        self._notes += answer.notes

    def _take_entity(self, found: FoundEntity) -> None:
        names = [name for name in (found.name, *found.aliases) if self._occurs(name)]
        if not names or found.confidence < LEAST_CONFIDENCE:
            return
        type = _TYPE.sub("_", found.type.casefold()).strip("_") if found.kind == "entity" else ""
        key = next((self._names[canonical(name)] for name in names if canonical(name) in self._names), None)
        if key is None or (key[0], key[1]) != (found.kind, type):
            key = (found.kind, type, canonical(names[0]))
        entry = self._entries.setdefault(key, _Entry(found.kind, type, names[0], found.confidence))
        entry.confidence = max(entry.confidence, found.confidence)
        entry.aliases |= dict.fromkeys(name for name in names if canonical(name) != key[2])
        entry.points |= dict.fromkeys(point.strip() for point in found.points if point.strip())
        for name in names:
            self._names.setdefault(canonical(name), key)

    def _occurs(self, name: str) -> bool:
        """Whether the text has the name, in so many words."""
        words = _words(name)
        if not words or canonical(name) in _PRONOUNS or not canonical(name) or holds_secret(name):
            return False
        return f" {' '.join(words)} " in self._text or (not name.isascii() and fold(name).strip() in self._text)

    def extracted(self) -> Extracted:
        """What of it is believed."""
        kept = {key: entry for key, entry in self._entries.items() if len(entry.points) > MORE_POINTS_THAN}
        entities = [
            Entity(
                each.kind, each.type, each.name, each.confidence, aliases=tuple(each.aliases), points=len(each.points)
            )
            for each in kept.values()
        ]
        return Extracted(tuple(entities), tuple(self._links(kept.keys())), tuple(self._remarks(kept.keys())))

    def _links(self, kept: Iterable[Key]) -> Iterator[Link]:
        known, done = frozenset(kept), set()
        for found in self._relations:
            one, other = self._names.get(canonical(found.subject)), self._names.get(canonical(found.object))
            type = _TYPE.sub("_", found.type.casefold()).strip("_")
            if one is None or other is None or one == other or not {one, other} <= known or not type:
                continue
            if found.confidence < LEAST_CONFIDENCE or (one, type, other) in done:
                continue
            done.add((one, type, other))
            description = mask(found.description).strip()[:280] or None
            yield Link(one, type, other, found.confidence, 0.5, found.ended, description)

    def _remarks(self, kept: Iterable[Key]) -> Iterator[Remark]:
        told: dict[Key, int] = {}
        for found, about in self._told(frozenset(kept)):
            text = cut(" ".join(found.text.split()), _LONGEST_NOTE)
            if text and not holds_secret(text) and told.get(about, 0) < _MOST_NOTES:
                told[about] = told.get(about, 0) + 1
                yield Remark(about, text, found.lifetime)

    def _told(self, kept: frozenset[Key]) -> Iterator[tuple[FoundNote, Key]]:
        seen: set[str] = set()
        for found in self._notes:
            about = self._names.get(canonical(found.about))
            if about in kept and about is not None and found.text.strip() not in seen:
                seen.add(found.text.strip())
                yield found, about


def _words(text: str) -> Sequence[str]:
    """The folded words of a text, by which names are looked up in it."""
    return re.findall(r"\w+", fold(text))
