"""A statement before it is told in the third person."""

import re
from typing import NamedTuple

from recollect.understanding.model import StatementType

_POINTING = re.compile(r"(?:it|this|that|them|these|those|you|your)\b")


class Draft(NamedTuple):
    """A statement still in the first person."""

    type: StatementType
    text: str
    confidence: float = 0.9
    about: str | None = None
    """Another person than the speaker, by name."""
    ends: bool = False
    own: bool = True
    """Whether it is about the speaker at all."""


def pointing(said: str) -> bool:
    """Whether a phrase begins with a word that only the talk around explains."""
    return _POINTING.match(said) is not None
