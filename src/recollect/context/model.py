"""What a context is made of, and what comes out, as values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Content = str | list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ChunkText:
    """The summary of a stretch of turns that is no longer in the window."""

    first_turn: int
    last_turn: int
    text: str


@dataclass(frozen=True, slots=True)
class WindowMessage:
    """A message of the window, as it was added."""

    turn: int
    role: str
    name: str | None
    content: Content
    text: str
    """Its words, without tool calls and media."""


@dataclass(frozen=True, slots=True)
class RecalledText:
    """A memory that was found, ready to be said."""

    id: str
    text: str
    score: float = 0.0
    turn: int | None = None
    """The message of the window that says it, if one does: where that one is shown, this is not said again."""


@dataclass(frozen=True, slots=True)
class Materials:
    """All that could go into a context; what fits is chosen of it."""

    question: str
    asker: str | None = None
    """Who asks, where several people talk."""
    system: str | None = None
    profile: Sequence[tuple[str, str]] = ()
    """Keys and values, most important first, as they stood when the window's start last moved."""
    summaries: Sequence[ChunkText] = ()
    """Oldest first."""
    messages: Sequence[WindowMessage] = ()
    """In order."""
    unread: int = 0
    """How many older messages of the window were not even read, as the budget could not hold them."""
    header: Sequence[str] = ()
    """The delta header, its first line included; empty: nothing changed."""
    changed: Sequence[str] = ()
    """Profile facts that changed after `profile` was taken."""
    actives: Sequence[str] = ()
    extra: Sequence[str] = ()
    episodes: Sequence[RecalledText] = ()
    memories: Sequence[RecalledText] = ()
    related: Sequence[RecalledText] = ()
    """What the memories that were found are tied to; said after them."""
    most_episodes: int | None = None
    most_memories: int | None = None
    """How many of those that no message shows are wanted."""
    warnings: Sequence[str] = ()
    """What went wrong before; comes first among the warnings of the context."""


@dataclass(frozen=True, slots=True)
class Stable:
    """What was chosen for the part that stays the same from turn to turn."""

    system: str | None = None
    profile: tuple[tuple[str, str], ...] = ()
    summaries: tuple[ChunkText, ...] = ()
    messages: tuple[WindowMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class Volatile:
    """What was chosen for the part that is new each time."""

    question: str
    asker: str | None = None
    header: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    actives: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    episodes: tuple[RecalledText, ...] = ()
    memories: tuple[RecalledText, ...] = ()
    closing: bool = True
    """Whether the closing line is said; a tiny budget has no room for it."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """All that was chosen, and what had to stay out."""

    stable: Stable
    volatile: Volatile
    tokens: int
    """Of the whole as text."""
    warnings: tuple[str, ...] = ()
    shown: frozenset[int] = frozenset()
    """The turns whose messages are in it, as the question too."""
