"""Messages as they are read now, and which memories may change because of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.conversation.model import Conversation
from recollect.conversation.store import conversation_of
from recollect.flows.parts import Parts
from recollect.flows.reading import owner_space, said_of
from recollect.flows.understand import rows_of
from recollect.profile.model import Said as SaidThere
from recollect.profile.service import MOST_WITNESSES
from recollect.records.verdicts import is_judged
from recollect.replays.model import Said, change_id
from recollect.replays.store import Stored
from recollect.understanding.model import Fact, Statement

_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Heard:
    """A message, and what it says as it is read now."""

    row: Any
    conversation: Conversation
    said: SaidThere
    found: Mapping[str, Any]

    @property
    def owner(self) -> str:
        """In whose space what it says of its owner belongs."""
        return owner_space(self.conversation, self.row)

    @property
    def facts(self) -> list[Fact]:
        """What it says of its owner."""
        return facts_of(self.found)

    @property
    def statements(self) -> list[Statement]:
        """Free knowledge, within the caps of a message."""
        return [statement_of(each) for each in self.found["statements"]]

    @property
    def shown(self) -> Said:
        """Where it was said, as a change names it."""
        return Said(self.row.id, self.conversation.thread_id, self.row.turn)


def facts_of(found: Mapping[str, Any]) -> list[Fact]:
    """The facts of a reading that was kept."""
    return [Fact(**each) for each in found.get("facts", ())]


def statement_of(kept: Mapping[str, Any]) -> Statement:
    """A statement of a reading that was kept."""
    happened = kept["happened"]
    return Statement(**{**kept, "happened": happened and datetime.fromisoformat(happened)})


async def heard_of(parts: Parts, space: str, readings: Mapping[UUID, Stored]) -> list[Heard]:
    """Messages that were read and still stand, in the order in which they were said."""
    read = {id: stored.found for id, stored in readings.items() if not stored.fell_back}
    rows = [row for page in _pages(list(read)) for row in await rows_of(parts, space, "by_ids", ids=page)]
    talks = {row.conversation_id: await _talk(parts, space, row.conversation_id) for row in _one_of_each(rows)}
    heard = [
        Heard(row, talk, said_of(talk, row), read[row.id])
        for row in rows
        if row.retracted_at is None and (talk := talks[row.conversation_id]) is not None
    ]
    return sorted(heard, key=lambda each: (each.row.at, each.row.turn, each.row.id))


def _pages(ids: Sequence[UUID]) -> Iterator[list[UUID]]:
    return (list(ids[first : first + _PAGE]) for first in range(0, len(ids), _PAGE))


def _one_of_each(rows: Sequence[Any]) -> Sequence[Any]:
    return list({row.conversation_id: row for row in rows}.values())


async def _talk(parts: Parts, space: str, id: UUID) -> Conversation | None:
    found = await rows_of(parts, space, "get", id=id)
    return conversation_of(found[0]) if found else None


def is_free(row: Any, heard: Mapping[str, Any]) -> bool:
    """Whether a memory came of these messages alone, and no person had a hand in it."""
    messages = row.data.get("messages", ())
    alone = 0 < len(messages) < MOST_WITNESSES and all(message in heard for message in messages)
    touched = row.by_hand or row.pinned or row.state == "soft_deleted" or is_judged(row.data)
    return alone and not touched


def basis_of(rows: Sequence[Any]) -> str:
    """What a change rests on, in a word: another one, and somebody was faster."""
    return change_id(*(_state_of(row) for row in sorted(rows, key=lambda row: row.id)))


def _state_of(row: Any) -> tuple[object, ...]:
    until = row.valid_until and row.valid_until.timestamp()
    deleted = row.state == "soft_deleted"
    hands = row.by_hand, row.pinned, is_judged(row.data)
    return row.id, row.version, *hands, deleted, until, *row.data.get("messages", ())


def shown_of(ids: Sequence[str], heard: Mapping[str, Heard]) -> tuple[Said, ...]:
    """Messages as a change names them."""
    return tuple(heard[id].shown for id in dict.fromkeys(ids) if id in heard)
