"""A bare correction: "Actually, it's Porto." says a value and leaves its key to what was said just before."""

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from typing import NamedTuple

from recollect.understanding.keyless import identity, limits, tastes
from recollect.understanding.keyless.found import Found
from recollect.understanding.keyless.text import written_out
from recollect.understanding.keyless.vocabulary import DEMONYMS, FIRST_NAMES
from recollect.understanding.model import Fact, Utterance
from recollect.understanding.profile_keys import FAVORITE, STANDING, holds_many, normal_value, same_value
from recollect.understanding.secrets import holds_secret

_LONGEST = 80
_MARK = (
    r"(?:no|nope|nah|actually|in fact|sorry|oops|whoops|ups|wait|correction|apologies|my (?:mistake|bad)|I misspoke"
    r"|I was wrong|that was wrong|scratch that|not quite|typo)"
)
_FILLER = r"(?:hm+|oh|ah|uh|um|well|and|but|yes|thanks|hey)"
_POINT = (
    r"(?:it is|that is|I (?:meant|mean)(?: to say| to write)?|make (?:it|that)"
    r"|(?:it |that )?should (?:be|read|say|have been))"
)
_BARE = re.compile(
    rf"\W*(?P<lead>(?:(?:{_MARK}|{_FILLER})\b[ ,.!:;–—-]+)*)(?:(?P<point>{_POINT}) )?"
    r"(?:(?:actually|really|in fact|now|rather)\b,? )*(?:(?:in|on|at|to|called|spelled) )?(?P<v>(?!(?:I|my|we|our"
    r"|you|he|she|they)\b)"
    r"[^\s,;:?][^,;:?\n]{0,50}?)"
    r"(?:,? (?:and )?(?:not|instead of|rather than) (?:in |on |at |to )?(?P<old>[^,;:?\n]{1,40}?))?"
    r"(?:,? (?:actually|sorry|instead|though|of course|my (?:mistake|bad)|that is|I (?:meant|mean)))*\W*",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"[.!] \w")
_STRONG = re.compile(rf"\b{_MARK}\b", re.IGNORECASE)
_REPLACES = re.compile(r"I mean|make|should", re.IGNORECASE)

_SENTENCES = {
    "name": "my name is {}",
    "full_name": "my full name is {}",
    "preferred_name": "call me {}",
    "age": "I am {} years old",
    "birthday": "my birthday is {}",
    "city": "I live in {}",
    "hometown": "I am originally from {}",
    "nationality": "I am {}",
    "language": "my native language is {}",
    "timezone": "my timezone is {}",
    "job": "I am a {}",
    "employer": "I work at {}",
    "school": "I study at {}",
    "partner": "my partner is called {}",
    "children": "my son is called {}",
    "pets": "my dog is called {}",
    "email": "my email is {}",
    "pronouns": "my pronouns are {}",
    "diet": "I am {}",
    "allergy": "I am allergic to {}",
    "intolerance": "I am intolerant to {}",
    "medication": "I take {}",
    "budget": "my budget is {}",
}
"""How a value of each key is said, for the rules to tell whether it can be one."""
_TASTE = "I prefer {}"
_NAMES = frozenset({"name", "full_name", "preferred_name", "partner", "children", "pets"})
_PLACES = frozenset({"city", "hometown"})


class Correction(NamedTuple):
    """A value that was said in place of another."""

    found: Found
    instead: Fact


def is_bare(text: str) -> bool:
    """Whether a message may be no more than a correction of what was said before it."""
    return named(text) is not None


def corrected(text: str, spoken_of: tuple[Fact, ...]) -> Iterator[Correction]:
    """The one of some facts just spoken of that a message corrects; none where it is not clear which."""
    said = _read(text) if len(text) <= _LONGEST and "?" not in text else None
    if said is None:
        return
    value, old, point = said
    if old is not None:
        spoken_of = tuple(fact for fact in spoken_of if same_value(fact.key, fact.value, old))
    able = [
        fact for fact in spoken_of if _fits(fact, value, sure=old is not None or _REPLACES.match(point) is not None)
    ]
    if (meant := _meant(able, value)) is not None:
        yield Correction(Found(meant.type, meant.key, value, corrects=True), meant)


def turned(text: str) -> str:
    """What an assistant says of "you", as the user would say it: "So you live in Lisbon?" is about "I live in"."""
    for pattern, meaning in _TURNED:
        text = pattern.sub(meaning, text)
    return text.replace("?", ".")


_TURNED = tuple(
    (re.compile(source, re.IGNORECASE), meaning)
    for source, meaning in (
        (r"\b(?:so|and|ah|oh|great|right|ok|okay|got it|i see|thanks|understood|noted)[,.!:]? (?=you)", ""),
        (r"\bdo you (?=\w)", "I "),
        (r"\bare you (?=\w)", "I am "),
        (r"\byou(?:'re| are)\b", "I am"),
        (r"\byou(?:'ve| have)\b", "I have"),
        (r"\byour\b", "my"),
        (r"\byou\b", "I"),
    )
)


def _read(text: str) -> tuple[str, str | None, str] | None:
    """The value that a bare correction names, what it replaces, and how it points; None for anything else."""
    found = _BARE.fullmatch(written_out(" ".join(text.split())))
    if found is None or _GOES_ON.search(f"{found['v']} {found['old'] or ''}"):
        return None
    point = found["point"] or ""
    if not (_STRONG.search(found["lead"]) or _REPLACES.match(point) or (point and found["old"])):
        return None
    return found["v"].strip(" .!"), found["old"] and found["old"].strip(" .!"), point


def _fits(fact: Fact, value: str, *, sure: bool) -> bool:
    """Whether a value is of the kind that the key has; a word in lower case only where it surely replaces another."""
    key = fact.key
    if fact.ended or key.startswith(STANDING) or same_value(key, fact.value, value):
        return False
    if not (sure or value[:1].isupper() or any(sign.isdigit() or sign == "@" for sign in value)):
        return False
    if value in DEMONYMS and key in _NAMES | _PLACES:
        return False
    sentence = _TASTE if fact.type == "preference" else _SENTENCES.get(key, _TASTE)
    if key.startswith(FAVORITE):
        sentence = f"my {key.replace('_', ' ')} is {{}}"
    read = (each for room in (identity, tastes, limits) for each in room.read(sentence.format(value)))
    if key.startswith(FAVORITE) and sure and len(value.split()) <= 3:
        return True
    return any(
        (each.type, each.key, normal_value(key, each.value)) == (fact.type, key, normal_value(key, value))
        for each in read
    )


def _meant(able: list[Fact], value: str) -> Fact | None:
    """Which of several facts a value is for: the only one, the only one of its kind, or the one most like it."""
    if value.split(maxsplit=1)[0] in FIRST_NAMES:
        able = [fact for fact in able if fact.key in _NAMES] or able
    if len(able) > 1:
        alike = [fact for fact in able if SequenceMatcher(None, fact.value, value).ratio() > 0.6]
        able = alike or able
    return able[0] if len(able) == 1 else None


def named(text: str) -> str | None:
    """The bare value of a message that may be no more than a correction."""
    said = _read(text) if len(text) <= _LONGEST and "?" not in text else None
    return said[0] if said else None


def corrections(utterance: Utterance) -> tuple[Fact, ...]:
    """The facts of a message that only corrects: the new value, and the old one's end where several stand together."""
    made: list[Fact] = []
    for found, instead in corrected(utterance.text, utterance.spoken_of) if utterance.own else ():
        value = normal_value(found.key, found.value)
        if not holds_secret(value):
            new = replace(
                instead, value=value, confidence=1.0, correction=True, first_person=True, quote=utterance.text
            )
            made += [replace(new, value=instead.value, ended=True)] * holds_many(found.key) + [new]
    return tuple(made)
