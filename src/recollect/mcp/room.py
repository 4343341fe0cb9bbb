"""Answers within a budget: a model's context is not for one tool alone."""

from typing import Annotated

from pydantic import Field

from recollect.context.cutting import cut
from recollect.core.tokens import estimate
from recollect.understanding.fence import fenced

Tokens = Annotated[int, Field(ge=100, le=8_000, description="The most tokens that the answer may take.")]

_LEAST = 32
"""With less room than this left, a text is left out rather than cut to a few words."""
_SHARE = 4
"""No text but an only one takes more than this part of the whole."""


class Room:
    """What is left of a budget; texts are taken in order, and those that are too long are cut."""

    def __init__(self, tokens: int, *, texts: int = 1) -> None:
        self._left = tokens
        self._each = tokens if texts == 1 else max(_LEAST, tokens // _SHARE)
        self.left_out = 0

    def take(self, text: str, beside: str = "") -> str | None:
        """As much of a text as there is room for beside what stands with it; None where there is none."""
        around = estimate(beside) if beside else 0
        room = min(self._left - around, self._each)
        kept = cut(text, room, estimate) if room >= _LEAST else ""
        if not kept:
            self.left_out += 1
            return None
        self._left -= around + estimate(kept)
        return kept

    @property
    def remark(self) -> str:
        """What to say of texts that had no room; nothing where all had."""
        return f"\n({self.left_out} more had no room: ask for more tokens, or more precisely.)" if self.left_out else ""


def recalled(lines: list[str], none: str, room: Room | None = None) -> str:
    """Lines from memory, marked as such, so that they are not taken for something newly said."""
    if not lines:
        return none
    return fenced("\n".join(lines)) + (room.remark if room else "")
