"""Memories as tools tell them."""

from datetime import datetime
from uuid import UUID

from recollect.context.gather import said
from recollect.mcp.tool import Data
from recollect.memory import ScopedMemory
from recollect.records.model import Memory

_MOST_TAGS = 20


class View(Data):
    """A memory in brief."""

    id: UUID
    kind: str
    type: str | None
    category: str
    text: str
    """Shortened where it is long: the tool `history` gives it whole."""
    happened_at: datetime
    thread: str | None
    turn: int | None
    speaker: str | None
    state: str
    importance: float
    confidence: float
    pinned: bool
    tags: tuple[str, ...]


def words(memory: ScopedMemory, found: Memory) -> str:
    """What a memory says to who asks: when and by whom, where that matters; secrets masked."""
    return said(found, memory.scope)


def view(found: Memory, text: str) -> View:
    """A memory with so much of its text."""
    source = found.provenance
    return View(
        id=found.id,
        kind=found.kind,
        type=found.type,
        category=found.category,
        text=text,
        happened_at=found.happened_at,
        thread=source.thread_id,
        turn=source.turn,
        speaker=source.speaker or source.role,
        state=found.state,
        importance=found.importance,
        confidence=found.confidence,
        pinned=found.pinned,
        tags=found.tags[:_MOST_TAGS],
    )


def head(found: Memory) -> str:
    """What a line about a memory begins with: its id, what it is, and when."""
    kind = found.kind if found.type is None else f"{found.kind}, {found.type}"
    faded = "" if found.state in ("candidate", "active", "core") else f", {found.state}"
    return f"[{found.id} | {kind} | {found.happened_at:%Y-%m-%d}{faded}]"
