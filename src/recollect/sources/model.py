"""A source on its way into the graph, what it is cut into, and what lies near it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from recollect.records.model import Memory

INGEST_TASK = "ingest"
REFERENCES_TASK = "references"

Status = Literal["raw", "processed", "extracted", "failed"]
STATUSES: tuple[Status, ...] = ("raw", "processed", "extracted", "failed")


@dataclass(frozen=True, slots=True)
class NewSource:
    """What is written of a new source beside its memory, which has the same id and, of a document, the raw text."""

    id: UUID
    source_type: str
    participants: tuple[str, ...] = ()
    started_at: datetime | None = None
    ended_at: datetime | None = None
    context_type: str | None = None
    conversation_id: UUID | None = None
    """Of a stretch of talk, with its turns."""
    first_turn: int | None = None
    last_turn: int | None = None
    origin_space: str | None = None
    """Of a reference to a source of a team."""
    origin_id: UUID | None = None

    @property
    def has_text(self) -> bool:
        """Whether it is a document, rather than a reference to what is kept elsewhere."""
        return self.conversation_id is None and self.origin_id is None


@dataclass(frozen=True, slots=True)
class Source:
    """A source without its text: what it is, and how far it is understood."""

    space: str
    id: UUID
    source_type: str
    title: str | None
    status: Status
    reason: str | None
    """Why it was given up; holds nothing of the text."""
    attempts: int
    """Tries of the phase that is due."""
    by_rules: bool
    """Whether rules read it because the model could not."""
    sensitivity: str
    participants: tuple[str, ...]
    context_type: str | None
    started_at: datetime | None
    ended_at: datetime | None
    conversation_id: UUID | None
    first_turn: int | None
    last_turn: int | None
    origin_space: str | None
    origin_id: UUID | None
    received_at: datetime
    processed_at: datetime | None
    extracted_at: datetime | None


@dataclass(frozen=True, slots=True)
class Due:
    """A source whose next phase is due, and about how many bytes it takes to read."""

    id: UUID
    attempts: int
    size: int


@dataclass(frozen=True, slots=True)
class Step:
    """How far a source has come: what a phase found out about it."""

    id: UUID
    status: Status
    by_rules: bool = False
    participants: tuple[str, ...] | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage of a text that becomes one chunk; `order` counts them from 0."""

    order: int
    text: str


@dataclass(frozen=True, slots=True)
class NearChunk:
    """A chunk that is near a text, and how near on the common scale."""

    memory: Memory
    similarity: float
