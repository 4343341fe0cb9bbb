"""What the same-fact test answers."""

from dataclasses import dataclass
from typing import Literal

Relation = Literal["same", "contradicts", "different"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How two statements stand to each other."""

    relation: Relation
    reason: str
    """In a few words, for the history."""
    fuller: Literal["older", "newer"] = "newer"
    """Of two that say the same, the one that says more: its text is the one to keep."""
