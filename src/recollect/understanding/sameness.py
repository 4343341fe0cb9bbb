"""Whether two statements say the same, in whatever words: the same-fact test, and a model that has read paraphrases.

The test knows what makes two statements disagree, and most often cannot tell when they agree in other words. The model
can, but now and then overlooks a number, a name, or who did it to whom. So each is held to the other.
"""

import re
from typing import Literal

from recollect.core.temporal.words import MONTHS
from recollect.providers import comparing
from recollect.understanding.same_fact import Verdict, clashes, compare
from recollect.understanding.same_fact.reading import plain
from recollect.understanding.same_fact.words import BE, canonical

_LEAST = 0.08
"""How likely two statements must be the same that the test leaves open."""
_LEAST_DENIED = 0.5
"""The same where only one of them denies something."""
_LEAST_REORDERED = 0.1
"""The same where the test finds the same words, in another order."""
_NAME = re.compile(r"(?<=[^\W_][ ,;:'’\"(/-])[A-ZÀ-Þ][^\W\d_]+")
"""A word with a capital that does not begin a sentence."""
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|been|being|got)\s+(?:\w+ly\s+)?(?P<verb>\w+)\b[^.;]*?\bby\s+(?:\w+(?:['’]s)?\s+)??(?P<agent>\w+)"
)
_DENIAL = re.compile(r"\b(?:no|not|never|none|nothing|nobody|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)
_MUTUAL = re.compile(r"\b(?:with|each other|together|married|friends|siblings|engaged|met|and)\b")
_OWNER = re.compile(r"([^\W\d_]+)['’]s\b")
_SURE = frozenset({"is / has", "the other way round", "opposite happenings"})
"""What the test finds against two statements, and never finds in error."""


def judge(older: str, newer: str, *, similarity: float) -> Verdict:
    """How the newer statement stands to the older one. Takes milliseconds: not for an event loop."""
    verdict = compare(older, newer, similarity=similarity)
    if verdict.relation == "contradicts" or verdict.reason in _SURE or plain(older) == plain(newer):
        return verdict
    if why := _obstacle(older, newer):
        return Verdict("different", why) if verdict.relation == "same" else verdict
    if verdict.relation == "same" and not _reordered(older, newer):
        return verdict
    likely = comparing.same(older, newer)
    if verdict.relation == "same":
        return verdict if likely >= _LEAST_REORDERED else Verdict("different", "the same words, of something else")
    if likely < (_LEAST_DENIED if _is_denied(older) != _is_denied(newer) else _LEAST):
        return verdict
    return Verdict("same", f"the same in other words, as likely as {likely:.2f}", _fuller(older, newer))


def _obstacle(older: str, newer: str) -> str | None:
    """What two statements that say the same cannot differ in."""
    if clashes(older, newer):
        return "other number or date"
    if _names_clash(older, newer):
        return "other name"
    if _turned(older, newer) or _roles_clash(older, newer) or _roles_clash(newer, older) or _owners_clash(older, newer):
        return "who did it to whom"
    return None


def _is_denied(text: str) -> bool:
    return len(_DENIAL.findall(text)) % 2 == 1


def _fuller(older: str, newer: str) -> Literal["older", "newer"]:
    return "older" if len(older) >= len(newer) else "newer"


def _names_clash(older: str, newer: str) -> bool:
    """Whether each has a name that the other has nowhere."""
    return bool(_missing(older, newer) and _missing(newer, older))


def _missing(text: str, other: str) -> set[str]:
    told = {canonical(word) for word in _words(other)}
    named = {name.lower() for name in _NAME.findall(text)}
    return {name for name in named if canonical(name) not in told and name[:3] not in _MONTHS}


_MONTHS = frozenset(month[:3] for month in MONTHS)
"""Months are dates, which the test compares."""


def _words(text: str) -> list[str]:
    """The words in lower case, each without its "'s"."""
    return re.findall(r"[^\W\d_]+", _OWNER.sub(r"\1", text).lower())


def _reordered(older: str, newer: str) -> bool:
    """Whether both have their common words in another order, around a verb that is more than "is"."""
    one, other = ([canonical(word) for word in _words(text)] for text in (older, newer))
    if BE & {*_words(older), *_words(newer)}:
        return False
    common = set(one) & set(other) - {""}
    return [word for word in one if word in common] != [word for word in other if word in common]


def _owners_clash(older: str, newer: str) -> bool:
    """Whether what is one's here is another's there, and both are named in both: "Ben's tree", "the neighbour's"."""
    one, other = ({name.lower() for name in _OWNER.findall(text)} for text in (older, newer))
    return bool(one - other and other - one) and one <= set(_words(newer)) and other <= set(_words(older))


def _turned(older: str, newer: str) -> bool:
    """Whether two do the same to each other: "Ana lent Ben 50", "Ben lent Ana 50"; not what they do together."""
    one, other = _words(older), _words(newer)
    if not one or not other or _MUTUAL.search(older) or _MUTUAL.search(newer) or _PASSIVE.search(older + newer):
        return False
    swapped = one[0] != other[0] and one[0] in other[1:] and other[0] in one[1:]
    return swapped and one[1] not in BE and canonical(one[1]) == canonical(other[1])


def _roles_clash(passive: str, active: str) -> bool:
    """Whether one says by whom it was done, and in the other that one stands behind the verb: it was done to them."""
    found = _PASSIVE.search(passive)
    if found is None or found["agent"].lower() in MONTHS or _PASSIVE.search(active):
        return False
    words = [canonical(word) for word in _words(active)]
    verb, agent = canonical(found["verb"].lower()), canonical(found["agent"].lower())
    return verb in words and agent in words and words.index(agent) > words.index(verb)
