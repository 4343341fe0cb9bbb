"""Conversations and their messages, as values."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.core.errors import InvalidInput

ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function"})
STATUSES = frozenset({"active", "paused", "ended"})

Content = str | list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A thread as it stands."""

    space: str
    id: UUID
    owner: str
    thread_id: str
    title: str | None
    status: str
    outcome: str | None
    remember: bool
    last_turn: int
    indexed_turn: int
    understood_turn: int
    compressed_turn: int
    begun_revision: int
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None

    @property
    def shared(self) -> bool:
        """Whether it belongs to the space rather than to one owner."""
        return self.owner == ""


@dataclass(frozen=True, slots=True)
class ListedConversation(Conversation):
    """A thread in a list, which tells when it took place: one that was imported may have been written just now."""

    said_at: datetime | None
    """When its last message was said; None where nothing was."""


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the raw log, as it was added."""

    id: UUID
    turn: int
    role: str
    name: str | None
    content: Content
    at: datetime
    metadata: dict[str, Any]
    watermark: str
    retracted: bool = False
    in_place_of: int | None = None


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message that was checked and may be written."""

    id: UUID
    role: str
    content: Content
    body: str
    at: datetime
    name: str | None
    metadata: dict[str, Any]
    given_id: bool


@dataclass(frozen=True, slots=True)
class Watermark:
    """A place in the raw log; a search can wait until all up to it is searchable."""

    space: str
    conversation_id: UUID
    turn: int

    def __str__(self) -> str:
        return f"{self.turn}.{self.conversation_id}.{self.space}"

    @classmethod
    def parse(cls, value: object) -> "Watermark":
        """The watermark that a write returned."""
        try:
            turn, conversation_id, space = str(value).split(".", 2)
            return cls(space, UUID(conversation_id), int(turn))
        except ValueError:
            raise InvalidInput("after", f"is no watermark: {str(value)[:80]!r}") from None


def searchable_text(content: Content) -> str:
    """The words of a message: its text, or the text parts among its parts."""
    if isinstance(content, str):
        return content
    texts = (part.get("text") for part in content if part.get("type", "text") in ("text", "input_text", "output_text"))
    return "\n".join(text for text in texts if isinstance(text, str))
