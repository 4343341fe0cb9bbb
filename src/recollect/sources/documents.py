"""A document that was read from somewhere, ready to be ingested."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from recollect.sources.cleaning import clean
from recollect.sources.cleaning.plain import tidy

_SOURCES = uuid5(NAMESPACE_URL, "recollect:source")


@dataclass(frozen=True, slots=True)
class Document:
    """What `ingest` is given."""

    id: UUID
    """By what it says: the same document is the same source, wherever it lies."""
    source_type: str
    raw: str
    title: str | None = None
    participants: tuple[str, ...] = ()
    started_at: datetime | None = None
    ended_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was not read, and why."""

    path: str
    reason: str


def document(
    raw: str,
    source_type: str,
    *,
    title: str | None = None,
    name: str | None = None,
    at: datetime | None = None,
    identity: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Document:
    """A document of a text, with what the text says of itself.

    `title` goes before its own, `name` and `at` stand in where it has none; `identity` is what makes it the same as
    another, if not its text.
    """
    text = raw.replace("\x00", "").encode("utf-8", "replace").decode()
    cleaned = clean(source_type, text)
    return Document(
        id=uuid5(_SOURCES, tidy(text) if identity is None else identity),
        source_type=source_type,
        raw=text,
        title=title or cleaned.title or name,
        participants=cleaned.participants,
        started_at=cleaned.started_at or at,
        ended_at=cleaned.ended_at,
        metadata=dict(metadata or {}),
    )
