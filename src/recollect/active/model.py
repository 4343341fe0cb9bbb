"""The values of active memory: what an agent works on, its sections, and reviews of what could not be merged."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

Resolution = Literal["keep_old", "keep_new", "keep_both", "merged"]
RESOLUTIONS: tuple[str, ...] = ("keep_old", "keep_new", "keep_both", "merged")
REVIEW_STATUSES: tuple[str, ...] = ("open", *RESOLUTIONS, "outdated")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of an active memory. Its values can be read by name too, as in `section["content"]`."""

    name: str
    title: str
    content: str
    update_count: int
    """Updates that have not landed in short-term memory yet."""
    required: bool
    updated_at: datetime
    source_id: UUID | None
    """The raw text that landed last; nothing, where none has."""

    def __getitem__(self, name: str) -> Any:
        """A value by its name."""
        return getattr(self, name)


@dataclass(frozen=True, slots=True)
class Active:
    """What an agent works on."""

    space: str
    id: UUID
    agent_id: str | None
    title: str
    description: str | None
    template: str | None
    """YAML, as it was given."""
    sections: dict[str, Section]
    metadata: dict[str, Any]
    status: str
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class SectionText:
    """A text that a section was given; number 0 is its initial content."""

    section: str
    number: int
    content: str
    actor: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """A section with updates that have not landed, as it was read."""

    active_id: UUID
    agent: str
    title: str
    name: str
    section_title: str
    content: str
    updates: int
    landed: int

    @property
    def agent_id(self) -> str | None:
        """The agent as provenance names it."""
        return self.agent or None

    @property
    def marks(self) -> dict[str, str]:
        """What the metadata of its sources and chunks say of it."""
        return {"active": str(self.active_id), "section": self.name}


@dataclass(frozen=True, slots=True)
class ReviewedChunk:
    """A chunk that stands against a section."""

    id: UUID
    content: str
    similarity: float
    why: str


@dataclass(frozen=True, slots=True)
class ReviewedPiece:
    """A piece of a section, and the chunks that it may contradict."""

    order: int
    text: str
    chunks: tuple[ReviewedChunk, ...]

    @property
    def chunk_ids(self) -> frozenset[UUID]:
        """Which chunks those are."""
        return frozenset(chunk.id for chunk in self.chunks)


@dataclass(frozen=True, slots=True)
class Review:
    """A section that contradicts what is known, or may: both sides, why, and what was decided."""

    id: UUID
    active_id: UUID
    section: str
    agent_id: str | None
    source_id: UUID
    content: str
    """The section's text."""
    reason: str
    pieces: tuple[ReviewedPiece, ...]
    status: str
    resolved_by: str | None
    created_at: datetime
    updated_at: datetime
    resolved_at: datetime | None

    @property
    def chunks(self) -> tuple[ReviewedChunk, ...]:
        """What is known, and stands against it."""
        return tuple({chunk.id: chunk for piece in self.pieces for chunk in piece.chunks}.values())


@dataclass(frozen=True, slots=True)
class Migrated:
    """What became of a section: where each of its pieces landed."""

    active_id: UUID
    section: str
    outcome: Literal["new", "merged", "review", "unchanged"]
    source_id: UUID | None
    """The raw text; nothing where the section is empty."""
    chunk_ids: tuple[UUID, ...] = ()
    """Chunks that are new or took something in."""
    review_id: UUID | None = None
    similarity: float | None = None
    """To the nearest chunk that was known, on the common scale."""
    details: tuple[dict[str, Any], ...] = field(default=())
    """For each piece: its outcome, and what it was compared by."""
