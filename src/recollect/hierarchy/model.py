"""What storylines and macros are told from, and what they are told with."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

STORYLINE, MACRO = "storyline", "macro"
ABOUT, INCLUDES, ROOTED_IN, GROUPS = "about", "includes", "rooted_in", "groups"

_SENSITIVITY = ("low", "normal", "high")


@dataclass(frozen=True, slots=True)
class Node:
    """The person, concept or thing that a story is about."""

    id: UUID
    name: str
    names: tuple[str, ...] = ()
    """Its aliases too."""

    @classmethod
    def of(cls, row: Any) -> "Node":
        """As a row has it."""
        names = row.names if isinstance(row.names, list) else []
        return cls(row.id, " ".join((row.name or "").split()), tuple(map(str, names)))


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that a story is told from: a source with its summary, or a storyline with its text."""

    id: UUID
    version: int
    first: datetime
    last: datetime
    text: str
    sensitivity: str

    @classmethod
    def of(cls, row: Any) -> "Piece":
        """As a row has it."""
        return cls(row.id, row.version, row.first, row.last, row.text, row.sensitivity)


@dataclass(frozen=True, slots=True)
class Extent:
    """How much a story covers, and from when to when."""

    sources: int
    first: datetime
    last: datetime
    storylines: int = 0
    """Of a macro."""

    @classmethod
    def of(cls, pieces: tuple[Piece, ...]) -> "Extent":
        """Of sources, each counted once."""
        return cls(len(pieces), min(piece.first for piece in pieces), max(piece.last for piece in pieces))

    @classmethod
    def kept(cls, data: dict[str, Any], default: "Extent") -> "Extent":
        """As a memory keeps it; what it does not say is nothing, at the default's time."""
        first, last = data.get("first_source_at"), data.get("last_source_at")
        return cls(
            data.get("source_count", 0),
            datetime.fromisoformat(first) if first else default.first,
            datetime.fromisoformat(last) if last else default.last,
            data.get("storyline_count", 0),
        )

    def plus(self, other: "Extent") -> "Extent":
        """Together with what is not part of it yet."""
        return Extent(
            self.sources + other.sources,
            min(self.first, other.first),
            max(self.last, other.last),
            self.storylines + other.storylines,
        )

    @property
    def data(self) -> dict[str, Any]:
        """As a memory keeps it: in UTC, so that the texts of moments sort as the moments do."""
        kept: dict[str, Any] = {
            "source_count": self.sources,
            "first_source_at": self.first.astimezone(UTC).isoformat(),
            "last_source_at": self.last.astimezone(UTC).isoformat(),
        }
        return kept | ({"storyline_count": self.storylines} if self.storylines else {})


def most_sensitive(*levels: str) -> str:
    """What comes of several is as sensitive as the most sensitive of them."""
    return max(levels, key=_SENSITIVITY.index, default="normal")
