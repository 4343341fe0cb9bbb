"""The types of a space's own, by the word for the type near a name: "project Apollo", "ticket ABC-12"."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from recollect.graph.extract.found import Mention
from recollect.graph.extract.lexicon import fold, is_common, is_given
from recollect.graph.extract.reading import Page

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
_WORD = r"[A-Z][\w'’-]*[a-z0-9]"
_NAME = rf"(?-i:{_WORD}(?:[ ]{_WORD}){{0,2}}|[A-Z]{{2,8}}-\d{{1,6}}|\#\d{{1,6}})"


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


def mentions(page: Page, types: Types) -> Iterator[Mention]:
    """Names with the word for their type."""
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
                start = sentence.start + match.start()
                yield Mention(start, sentence.start + match.end(), number, name, type, 0.95, also=match[0])


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
    listed = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    return re.compile(
        rf"\b(?P<before>{listed})s?\s+(?:called |named |[\"“'])?(?P<name>{_NAME})[\"”']?"
        rf"|(?P<other>{_NAME})\s+(?P<after>{listed})\b",
        re.IGNORECASE,
    )


def _spoken(type: str) -> str:
    """A type as it is said: "feature_flag" is "feature flag"."""
    return " ".join(re.split(r"[_\s-]+", fold(type))).strip()


def _singular(word: str, words: Sequence[str] | Mapping[str, str]) -> str:
    spoken = _spoken(word)
    return spoken if spoken in words else spoken.removesuffix("s")


def _is_name(name: str, opens: bool, *, own: bool) -> bool:
    """Whether it is a name, and not a word that a sentence begins with."""
    words = fold(name).split()
    if any(
        word in ("the", "this", "that", "our", "my", "a", "an", "each", "every", "new", "current") for word in words
    ):
        return False
    if own:
        return True
    return not (all(map(is_common, words)) and opens) and not is_given(words[0])
