"""What a source is cut into, and what lies near it."""

from dataclasses import dataclass

from recollect.records.model import Memory


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
