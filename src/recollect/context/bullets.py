"""The answer to a query: bullets, or whole memories, within a budget of tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.context.cutting import cut
from recollect.context.gather import said
from recollect.core.scope import Scope
from recollect.core.tokens import TokenCounter
from recollect.records.lifecycle import level
from recollect.records.model import Memory
from recollect.retrieval.related import Related
from recollect.retrieval.search import Hit
from recollect.understanding.fence import escaped
from recollect.understanding.named import words_of

RETURNS = ("bullets", "full")
_LEAST_WORDS = 3
"""Fewer words of a text that was cut say nothing."""


@dataclass(frozen=True, slots=True)
class Bullet:
    """A memory in one line; its parts are read as attributes or, like those of a JSON object, by name."""

    id: UUID
    category: str
    text: str
    related: tuple["Bullet", ...] = ()
    """What it is tied to, and the question does not name."""

    def __getitem__(self, name: str) -> Any:
        """A part by its name."""
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """The names of its parts."""
        return tuple(field.name for field in fields(cls))


@dataclass(frozen=True, slots=True)
class Whole(Bullet):
    """A memory with all that it says, and what is known of it."""

    kind: str = ""
    type: str | None = None
    summary: str | None = None
    importance: int = 1
    """As a level from 1 to 5."""
    confidence: float = 0.0
    score: float = 0.0
    evidence: float = 0.0
    pinned: bool = False
    metadata: Mapping[str, Any] | None = None
    happened_at: datetime | None = None
    updated_at: datetime | None = None
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What is told within a budget, and how much was found that is not."""

    told: list[Bullet]
    left_out: int = 0


def answer(
    hits: Sequence[Hit], ties: Sequence[Related], scope: Scope, counter: TokenCounter, tokens: int, *, whole: bool
) -> Answer:
    """What of the hits, best first, and of what they are tied to is within so many tokens.

    What does not fit is left out for something shorter; only the best is cut rather than nothing being said, if enough
    of it is left to say something.
    """
    room = _Room(counter, tokens)
    told: list[Bullet] = []
    for hit in hits:
        made = _whole(hit, scope) if whole else _bullet(hit.memory, scope)
        if room.takes(made.text):
            told.append(made)
        elif not told and _says_something(shorter := room.cut(made.text)):
            return Answer([replace(made, text=shorter)], len(hits) - 1)
    for tie in ties:
        made = _bullet(tie.memory, scope)
        place = next((number for number, each in enumerate(told) if each.id == tie.via), None)
        if place is not None and room.takes(made.text):
            told[place] = replace(told[place], related=(*told[place].related, made))
    return Answer(told, len(hits) - len(told))


def _says_something(cut_text: str) -> bool:
    """Whether what is left of a text is more than its label and the beginning of a sentence."""
    said = cut_text.partition("] ")[2] if cut_text.startswith("[") else cut_text
    return len(words_of(said)) >= _LEAST_WORDS


class _Room:
    """What is left of a budget: the texts that were taken stand one below the other."""

    def __init__(self, counter: TokenCounter, tokens: int) -> None:
        self._counter = counter
        self._tokens = tokens
        self._taken: list[str] = []

    def _size(self, text: str) -> int:
        return self._counter.count("\n".join([*self._taken, text]))

    def takes(self, text: str) -> bool:
        """Whether a text fits; if so, it is taken."""
        fits = self._size(text) <= self._tokens
        if fits:
            self._taken.append(text)
        return fits

    def cut(self, text: str) -> str:
        """As much of a text as fits."""
        return cut(text, self._tokens, self._size)


def _bullet(memory: Memory, scope: Scope) -> Bullet:
    return Bullet(memory.id, memory.category, _line(memory, scope))


def _line(memory: Memory, scope: Scope) -> str:
    return f"[{memory.category}] {escaped(' '.join(said(memory, scope).split()))}"


def _whole(hit: Hit, scope: Scope) -> Whole:
    memory = hit.memory
    return Whole(
        id=memory.id,
        category=memory.category,
        text=escaped(said(memory, scope)),
        kind=memory.kind,
        type=memory.type,
        summary=memory.summary,
        importance=level(memory.importance),
        confidence=memory.confidence,
        score=hit.score,
        evidence=hit.evidence,
        pinned=memory.pinned,
        metadata=memory.metadata,
        happened_at=memory.happened_at,
        updated_at=memory.updated_at,
        memory=memory,
    )
