"""The values of the records room: what a memory is when it is read, and what it takes to write one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a memory came from."""

    message_id: UUID | None = None
    conversation_id: UUID | None = None
    thread_id: str | None = None
    turn: int | None = None
    source_id: UUID | None = None
    agent_id: str | None = None
    run_id: str | None = None
    actor_id: str | None = None
    role: str | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as it stands. `salience` is what is left of it at the moment of reading."""

    space: str
    id: UUID
    kind: str
    type: str | None
    category: str
    tags: tuple[str, ...]
    title: str | None
    summary: str | None
    content: str
    data: dict[str, Any]
    metadata: dict[str, Any]
    provenance: Provenance
    tier: str
    sensitivity: str
    importance: float
    confidence: float
    pinned: bool
    ttl_policy: str
    state: str
    salience: float
    access_count: int
    recall_frequency: int
    last_recall_interval: float
    decay_gradient: float
    last_accessed_at: datetime | None
    happened_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    version: int
    created_at: datetime
    updated_at: datetime
    by_hand: bool
    pending: bool
    purge_at: datetime | None

    @property
    def watermark(self) -> str:
        """For `after=`, as every write has one; a memory that was added is searchable at once."""
        return f"0.{self.id}.{self.space}"

    @property
    def gist(self) -> str:
        """What it says, as a prompt shows it: of a source, which may be long, the summary."""
        return self.summary if self.kind == "source" and self.summary else self.content

    @property
    def is_bare(self) -> bool:
        """Whether it is a node of which nothing but the name is known: it answers only who asks for nodes."""
        return self.kind in ("person", "concept", "entity") and self.content == self.title


@dataclass(frozen=True, slots=True)
class Passage:
    """One searchable piece of a text: the words it is found by, and what it is about as a vector."""

    number: int
    text_hash: bytes
    length: int
    counts: dict[int, int]
    embedding: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class NewMemory:
    """All that is written of a new memory; `passages` are its rows in the search index."""

    id: UUID
    kind: str
    type: str | None
    category: str
    content: str
    tier: str
    importance: float
    confidence: float
    happened_at: datetime
    tags: tuple[str, ...] = ()
    title: str | None = None
    summary: str | None = None
    data: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance)
    sensitivity: str = "normal"
    pinned: bool = False
    ttl_policy: str = "decay"
    by_hand: bool = False
    pending: bool = False
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """What a job makes of a memory that was written as it came: no new version, but the form in which it is found."""

    id: UUID
    summary: str
    content: str | None = None
    """None: it stays."""
    title: str | None = None
    """Where it has none."""
    tags: tuple[str, ...] = ()
    """Beside those that it has."""
    data: dict[str, Any] = field(default_factory=dict)
    happened_at: datetime | None = None
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One thing that happened to a memory; the text is that of the version it left behind, if that is kept."""

    id: UUID
    memory_id: UUID
    event: str
    version: int | None
    at: datetime
    actor: str | None
    agent_id: str | None
    reason: str | None
    detail: dict[str, Any]
    content: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """Some memories in the order of their ids; `next` goes into `after=` for those that follow."""

    memories: tuple[Memory, ...]
    next: str | None

    def __iter__(self) -> Iterator[Memory]:
        """The memories of this page."""
        return iter(self.memories)

    def __len__(self) -> int:
        """How many memories this page holds."""
        return len(self.memories)


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does a write, and why: what history keeps."""

    actor: str | None = None
    agent_id: str | None = None
    thread_id: str | None = None
    reason: str | None = None
    by_hand: bool = True


@dataclass(frozen=True, slots=True)
class Event:
    """Something that the system did, for counting."""

    node: str
    op: str
    status: str
    memory_id: UUID | None = None
    category: str | None = None
    similarity: float | None = None
    milliseconds: float | None = None
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Note:
    """A dated remark on a memory or a relation, which may have an end."""

    space: str
    id: UUID
    target_id: UUID
    content: str
    added_by: str | None
    source_id: UUID | None
    """The source that it was found in; None where somebody wrote it."""
    lifetime: str
    expires_at: datetime | None
    created_at: datetime
    updated_at: datetime | None
