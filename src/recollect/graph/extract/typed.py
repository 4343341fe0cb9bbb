"""Types by the word for them near a name: "project Apollo", "ticket ABC-12".

The types that a space asks for are also read from what is said of a name, "Zorvax is a vehicle", and hold wherever the
text has the name.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from recollect.graph.extract.found import Mention
from recollect.graph.extract.reading import Page
from recollect.understanding.lexicon import COUNTED, fold, is_common, is_given

_BUILT_IN = {
    "project": "project",
    "initiative": "project",
    "programme": "project",
    "conference": "event",
    "summit": "event",
    "festival": "event",
    "hackathon": "event",
    "meetup": "event",
    "ticket": "ticket",
}
_UNNAMED = ("the", "this", "that", "our", "my", "a", "an", "each", "every", "new", "current")
_WORD = r"[A-Z][\w'’-]*[a-z0-9]"
_NUMBER = rf"[ ]\d{{1,3}}(?![\w%]|[.,:/-]\d|[ ](?:{'|'.join(sorted(COUNTED))})\b)"
_NO_NAME = rf"(?!(?:{'|'.join(word.capitalize() for word in _UNNAMED)})\b)"
_NAME = rf"(?-i:{_NO_NAME}(?:{_WORD}(?:[ ]{_WORD}){{0,2}}(?:{_NUMBER})?|[A-Z]{{2,8}}-\d{{1,6}}|\#\d{{1,6}}))"
_OWN, _BUILT = 1.0, 0.95
"""How sure a type is: what a space asks for counts more than what the rules know of a name."""


@dataclass(frozen=True, slots=True)
class Types:
    """Kinds of things and relations that a space asks for, beside those that every space has."""

    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()

    @classmethod
    def of(cls, guidance: Mapping[str, Any]) -> "Types":
        """What a space's guidance says of types."""
        return cls(tuple(guidance.get("entity_types") or ()), tuple(guidance.get("relation_types") or ()))


NO_TYPES = Types()
"""Of a space that asks for none."""


def mentions(page: Page, types: Types) -> list[Mention]:
    """Names with the word for their type, and what the space asks for wherever it is named."""
    found = [*_beside(page, types), *_told(page, types)]
    return [*found, *_again(page, {mention.text: mention.type for mention in found if mention.type in types.entities})]


def _again(page: Page, own: Mapping[str, str]) -> Iterator[Mention]:
    """Every other place of a name whose type the text has told."""
    for name, type in own.items():
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", page.text):
            yield Mention(match.start(), match.end(), page.sentence_at(match.start()), name, type, _OWN)


def _beside(page: Page, types: Types) -> Iterator[Mention]:
    """Names with the word for their type before or behind them."""
    words = {**_BUILT_IN, **{_spoken(type): type for type in types.entities}}
    pattern, firsts = _pattern(tuple(words)), {word.split()[0] for word in words}
    for number, sentence in enumerate(page.sentences):
        if not any(token.folded in firsts or token.folded[:-1] in firsts for token in sentence.tokens):
            continue
        text = page.text[sentence.start : sentence.end]
        for match in pattern.finditer(text):
            word = match["before"] or match["after"]
            type = words.get(_singular(fold(word), words), "")
            name = match["name"] or match["other"]
            own = type in types.entities
            if type and (own or not sentence.loud) and _is_name(name, match.start() == 0, own=own):
                start, sure = sentence.start + match.start(), _OWN if own else _BUILT
                yield Mention(start, sentence.start + match.end(), number, name, type, sure, also=match[0])


def _told(page: Page, types: Types) -> Iterator[Mention]:
    """Names of which a sentence says that they are of a type of the space: "Zorvax is a vehicle"."""
    words = {_spoken(type): type for type in types.entities}
    if not words:
        return
    pattern = _predicate(tuple(words))
    for number, sentence in enumerate(page.sentences):
        for match in pattern.finditer(sentence.text):
            if not all(map(is_common, fold(match["name"]).split())):
                start = sentence.start + match.start("name")
                type = words[fold(match["type"])]
                yield Mention(start, sentence.start + match.end("name"), number, match["name"], type, _OWN)


def relations(types: Types) -> list[tuple[str, re.Pattern[str]]]:
    """The patterns of a space's own relations: the type's own words, as a verb."""
    return list(_own_verbs(types.relations))


@lru_cache(maxsize=256)
def _own_verbs(names: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (name, re.compile(rf"\b(?:is |was |are |were )?{_inflected(_spoken(name))}\b", re.IGNORECASE))
        for name in names
        if _spoken(name)
    )


def _inflected(verb: str) -> str:
    first, *others = verb.split(" ")
    base = first.removesuffix("s").removesuffix("e")
    ending = "" if first.endswith("ed") else r"(?:e|s|es|ed|d|ing)?"
    stem = re.escape(first) if first.endswith("ed") else re.escape(base) + ending
    return r"\s+".join([stem, *map(re.escape, others)])


@lru_cache(maxsize=256)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    listed = _any_of(words)
    return re.compile(
        rf"\b(?P<before>{listed})s?\s+(?:called |named |[\"“'])?(?P<name>{_NAME})[\"”']?"
        rf"|(?P<other>{_NAME})\s+(?P<after>{listed})\b",
        re.IGNORECASE,
    )


@lru_cache(maxsize=256)
def _predicate(words: tuple[str, ...]) -> re.Pattern[str]:
    listed = _any_of(words)
    return re.compile(
        rf"\b(?P<name>{_NAME})(?:,| is| was| remains| became),? (?:an?|our|the|my|their|his|her) (?:[\w-]+ ){{0,2}}"
        rf"(?P<type>{listed})\b",
        re.IGNORECASE,
    )


def _any_of(words: Sequence[str]) -> str:
    """A pattern of the words, the longest first: "feature flag" before "feature"."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def _spoken(type: str) -> str:
    """A type as it is said: "feature_flag" is "feature flag"."""
    return " ".join(re.split(r"[_\s-]+", fold(type))).strip()


def _singular(word: str, words: Sequence[str] | Mapping[str, str]) -> str:
    spoken = _spoken(word)
    return spoken if spoken in words else spoken.removesuffix("s")


def _is_name(name: str, opens: bool, *, own: bool) -> bool:
    """Whether it is a name, and not a word that a sentence begins with."""
    words = fold(name).split()
    if any(word in _UNNAMED for word in words):
        return False
    if own:
        return True
    return not (all(map(is_common, words)) and opens) and not is_given(words[0])
