"""Keyed facts about the owner of a space, and what was proposed for a key, as values."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.records.model import Provenance

TYPES = ("identity", "preference", "constraint", "instruction")
STATUSES = ("open", "accepted", "declined", "lapsed", "ignored")


@dataclass(frozen=True, slots=True)
class ProfileFact:
    """What holds for a key now. A key that holds several things has them in `items`, and joined in `value`."""

    type: str
    key: str
    value: str
    confidence: float
    importance: float
    items: tuple[str, ...]
    memory_ids: tuple[UUID, ...]
    since: datetime


@dataclass(frozen=True, slots=True)
class Consent:
    """A value for a profile key that was not simply taken."""

    id: UUID
    type: str
    key: str
    value: str
    status: str
    reason: str
    confidence: float
    signals: int
    proposed_at: datetime
    expires_at: datetime | None
    decided_at: datetime | None
    decided_by: str | None
    thread_id: str | None
    turn: int | None


@dataclass(frozen=True, slots=True)
class Said:
    """Where and when a fact was said."""

    at: datetime
    turn: int = 0
    message_id: UUID | None = None
    conversation_id: UUID | None = None
    thread_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    actor_id: str | None = None
    role: str | None = None
    speaker: str | None = None
    fingerprint: str = ""
    """The same for copies of one message: they are one witness."""

    @property
    def provenance(self) -> Provenance:
        """Where what was said comes from."""
        return Provenance(
            message_id=self.message_id,
            conversation_id=self.conversation_id,
            thread_id=self.thread_id,
            turn=self.turn or None,
            agent_id=self.agent_id,
            run_id=self.run_id,
            actor_id=self.actor_id,
            role=self.role,
            speaker=self.speaker,
        )


@dataclass(frozen=True, slots=True)
class Held:
    """One value that a key has, had, or was deleted with."""

    id: UUID
    value: str
    confidence: float
    said_at: datetime
    turn: int
    ended_at: datetime | None
    deleted: bool
    by_hand: bool
    data: dict[str, Any]

    @property
    def active(self) -> bool:
        """Whether it holds now."""
        return self.ended_at is None and not self.deleted
