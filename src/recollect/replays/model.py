"""A replay: talk read again by what is configured now, and the changes that it proposes, as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any, Literal
from uuid import UUID

Op = Literal["added", "changed", "retired"]
Kind = Literal["statement", "profile", "proposal"]

OPS: tuple[Op, ...] = ("added", "changed", "retired")
RULES = "rules"
"""What reads where no model is configured."""

_ID_BYTES = 5


@dataclass(frozen=True, slots=True)
class Said:
    """The message that a change rests on."""

    message_id: UUID
    thread_id: str
    turn: int


@dataclass(frozen=True, slots=True)
class ReplayChange:
    """One thing that would be another, had the talk been read by what is configured now."""

    id: str
    """The same for the same change, however often the replay is planned."""
    op: Op
    kind: Kind
    """`statement`, `profile`, or `proposal`: a value for the profile that would wait for the user's consent."""
    type: str
    key: str | None
    """Of a profile fact."""
    before: str | None
    after: str | None
    reason: str
    messages: tuple[Said, ...]
    memory_id: UUID | None
    """What is changed or retired; once accepted, what was added."""
    status: str = "open"
    """`open`, `accepted`, or `skipped`: overtaken by what happened since."""
    outcome: str | None = None
    """Why it was skipped, or waits though it was accepted."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A run over the raw log, and what would change by it."""

    id: UUID
    thread: str | None
    since: datetime | None
    extractor: str
    """What read the messages: a model's name, or `rules`."""
    status: str
    """`reading`, `ready`, `accepted` or `discarded`."""
    messages: int
    """How many there are to read."""
    read: int
    fell_back: int
    """Messages of which the model gave no answer that could be used: what is known of them stays as it is."""
    begun_at: datetime
    ready_at: datetime | None
    ended_at: datetime | None
    changes: tuple[ReplayChange, ...] = ()
    resumes_at: datetime | None = None
    """While it is `reading` and the space has used up what models may cost it today: when the model may read on."""

    @property
    def counts(self) -> dict[str, int]:
        """How many things it would add, change and retire."""
        return {op: sum(change.op == op for change in self.changes) for op in OPS}


@dataclass(frozen=True, slots=True)
class Planned:
    """A change, and what it takes to write it."""

    change: ReplayChange
    plan: Mapping[str, Any]


def change_id(*parts: object) -> str:
    """A short name for a change, made of what it is."""
    return blake2b("\n".join(map(str, parts)).encode(errors="replace"), digest_size=_ID_BYTES).hexdigest()
