"""What a profile rule finds in a clause, and the helpers that take values apart."""

import re
from typing import NamedTuple

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


_TAIL = re.compile(
    r",? (?:but|so|which|because|since|though|although|if|when|as|that|where|while|after|before|for|with"
    r"|in|on|at|ever|too|these|now|anymore|any more|unfortunately|by the way|btw|please|thanks|and (?:it"
    r"|that|this|I|my|we|have|am|so|only|not|try|avoid|always|would|need)|who|from|or I|just|especially"
    r"|myself|then|mainly|apparently|pls|is|are|was|it)\b.*$"
)
_ASIDE = re.compile(r",? (?:and|or), (?:\w+ly|of all things|believe it or not), |,? (?:and|or) (?:\w+ly)?,? (?=to )")
_BETWEEN = re.compile(
    r"\s*,\s*(?:and |or |as well as )?(?:to |also )?|\s+(?:and|or|as well as|plus)\s+(?:to |also )?|\s*&\s*"
)
_FILLER = re.compile(
    r"^(?:also|both|all (?:kinds|types|sorts) of|any(?: kind of)?|some(?: kinds of)?|most(?: kinds of)?"
    r"|certain|all|the|a|an|severely|mild|severe|really|very|things like|stuff like|my|tree(?= "
    r"nuts?\b)\b(?!))\s+",
    re.IGNORECASE,
)
_LONGEST_ITEM = 5


def head(value: str) -> str:
    """A value up to where the sentence goes on."""
    return _TAIL.sub("", value).strip(" ,.;:!?\"'")


def items(value: str) -> list[str]:
    """The things of a list: "peanuts, soy and shellfish" gives three."""
    parts = [_FILLER.sub("", part.strip(" .;:!?\"'")) for part in _BETWEEN.split(head(_ASIDE.sub(" and ", value)))]
    return [part for part in parts if part and len(part.split()) <= _LONGEST_ITEM]
