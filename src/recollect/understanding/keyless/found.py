"""What a profile rule finds in a clause, and the helpers that take values apart."""

import re
from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

from recollect.understanding.model import FactType


class Found(NamedTuple):
    """A keyed value, before it is a fact."""

    type: FactType
    key: str
    value: str
    eventful: bool = False
    """Whether the clause tells an event beyond the value ("I moved to …")."""
    aside: bool = False
    """Whether the value was only mentioned on the way to something else."""
    corrects: bool = False
    """Whether the words themselves replace an older value ("I switched to …")."""


_OPENINGS = (
    ("I ", ("I",)),
    ("my ", ("my",)),
    ("(?:I|we) ", ("I", "we")),
    ("(?:my|our) ", ("my", "our")),
    ("(?:I am|we are) ", ("I", "we")),
    ("(?:my|our|the) ", ("my", "our", "the")),
)
_Ruled = TypeVar("_Ruled")


class ByOpening(Generic[_Ruled]):
    """Rules sorted by the word that a clause must open with, so that a clause meets only those that can match it."""

    def __init__(self, rules: Iterable[_Ruled], pattern_of: Callable[[_Ruled], re.Pattern[str]]) -> None:
        needed = [(rule, _opening(pattern_of(rule))) for rule in rules]
        words = {word for _, opening in needed for word in opening or ()}
        self._by_word = {
            word: tuple(rule for rule, opening in needed if not opening or word in opening) for word in words
        }
        self._rest = tuple(rule for rule, opening in needed if not opening)

    def of(self, text: str) -> tuple[_Ruled, ...]:
        """The rules that a clause may match."""
        return self._by_word.get(text.partition(" ")[0], self._rest)


def _opening(compiled: re.Pattern[str]) -> tuple[str, ...] | None:
    if compiled.flags & re.IGNORECASE or _outer_choice(compiled.pattern):
        return None
    return next((words for start, words in _OPENINGS if compiled.pattern.startswith(start)), None)


def _outer_choice(source: str) -> bool:
    """Whether a pattern is a choice between several as a whole, so that its start says little."""
    depth, escaped, listed_ = 0, False, False
    for character in source:
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif listed_:
            listed_ = character != "]"
        elif character == "[":
            listed_ = True
        elif character in "()":
            depth += 1 if character == "(" else -1
        elif character == "|" and depth == 0:
            return True
    return False


_TAIL = re.compile(
    r",? (?:but|so|which|because|since|though|although|if|when|as|that|where|while|after|before|for|with"
    r"|in|on|at|ever|too|these|now|anymore|any more|unfortunately|by the way|btw|please|thanks|and (?:it"
    r"|that|this|I|my|we|have|am|so|only|not|try|avoid|always|would|need)|who|from|or I|just|especially"
    r"|myself|then|mainly|apparently|pls|is|are|was|it)\b.*$"
)
_ASIDE = re.compile(r",? (?:and|or), (?:\w+ly|of all things|believe it or not), |,? (?:and|or) (?:\w+ly)?,? (?=to )")
_BETWEEN = re.compile(
    r"\s*,\s*(?:and |or |as well as )?(?:also )?(?:to )?|\s+(?:and|or|as well as|plus)\s+(?:also )?(?:to )?|\s*&\s*"
)
_FILLER = re.compile(
    r"^(?:also|both|all (?:kinds|types|sorts) of|any(?: kind of)?|some(?: kinds of)?|most(?: kinds of)?"
    r"|certain|all|the|a|an|severely|mild|severe|really|very|things like|stuff like|my|tree(?= "
    r"nuts?\b)\b(?!))\s+",
    re.IGNORECASE,
)
_LONGEST_ITEM = 5


_LED_TO = re.compile(
    r"^(?:(?:yes|yeah|yep|no|nope|right|still|again|of (?:last|this) \w+|day to day|in my own (?:code|projects|work)"
    r"|in code"
    r"|at work|professionally|when coding|when I code|for me personally|if it is not obvious),? )+(?=(?:I|my|we|our"
    r"|please|call)\b)",
    re.IGNORECASE,
)


_NEARLY = re.compile(
    r"\b(?:pretty much|more or less|practically|just about|nearly|virtually) (?=all\b|everything|always|only|every)"
)
_DOING = re.compile(r"^[Dd]oing (?=(?:my|an?) )")


def led(text: str) -> str:
    """A clause without what stands before its subject and says nothing of its own."""
    return _DOING.sub("I am doing ", _NEARLY.sub("", _LED_TO.sub("", text)))


def listed(parts: list[str]) -> list[str]:
    """The things of a list up to where it is no list any more ("cats, test came back negative")."""
    for place, part in enumerate(parts[1:], 1):
        if _A_CLAUSE.search(part):
            return parts[:place]
    return parts


_A_CLAUSE = re.compile(
    r"\b(?:I|me|my|we|he|she|they|it|you|came|went|got|confirmed|said|makes?|gives?|was|were|will|would|does|did|had"
    r"|can"
    r"|cannot|could|must|should|no|not|even|especially|so|avoid|keep|check|just|usually|means?)\b"
)


def head(value: str) -> str:
    """A value up to where the sentence goes on."""
    return _TAIL.sub("", value).strip(" ,.;:!?\"'")


def items(value: str) -> list[str]:
    """The things of a list: "peanuts, soy and shellfish" gives three."""
    parts = [_FILLER.sub("", part.strip(" .;:!?\"'")) for part in _BETWEEN.split(head(_ASIDE.sub(" and ", value)))]
    return [part for part in listed(parts) if part and len(part.split()) <= _LONGEST_ITEM]
