"""Reading and writing the raw log."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.conversation.model import Conversation, ListedConversation, Message, NewMessage, Watermark
from recollect.core.scope import Scope
from recollect.db.compose import Json
from recollect.db.database import Batch, Connection
from recollect.db.sql import load

QUERIES = load("recollect.conversation")


def append(
    batch: Batch, space: str, conversation_id: UUID, messages: Sequence[NewMessage], now: datetime, scope: Scope
) -> int:
    """Add the writing of messages to a batch; the place of its rows (id, turn)."""
    return batch.add(QUERIES["append"], **append_values(space, conversation_id, messages, now, scope))


def append_values(
    space: str, conversation_id: UUID, messages: Sequence[NewMessage], now: datetime, scope: Scope
) -> dict[str, Any]:
    """What the statement that writes messages is given."""
    rows = [
        {
            "place": place,
            "id": str(m.id),
            "role": m.role,
            "name": m.name,
            "content": m.content,
            "body": m.body,
            "at": m.at.isoformat(),
            "metadata": m.metadata,
        }
        for place, m in enumerate(messages, start=1)
    ]
    return {
        "space": space,
        "conversation_id": conversation_id,
        "messages": Json(rows, dumps=_dumps),
        "given_ids": [message.id for message in messages if message.given_id],
        "now": now,
        "agent_id": scope.agent_id,
        "run_id": scope.run_id,
        "actor_id": scope.user_id,
    }


async def hold(connection: Connection, space: str, id: UUID) -> Any | None:
    """The conversation's row, first of all locks: whoever retracts, learns or compresses holds it first."""
    cursor = await connection.execute(QUERIES["hold"], {"space": space, "id": id})
    return await cursor.fetchone()


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def conversation_of(row: Any) -> Conversation:
    """A row as a value."""
    return Conversation(*_standing(row))


def listed_of(row: Any) -> ListedConversation:
    """A row of a list as a value."""
    values = [*_standing(row), row.said_at]
    return ListedConversation(*values)


def _standing(row: Any) -> tuple[Any, ...]:
    return (
        row.space_id,
        row.id,
        row.owner,
        row.thread_id,
        row.title,
        row.status,
        row.outcome,
        row.remember,
        row.last_turn,
        row.indexed_turn,
        row.understood_turn,
        row.compressed_turn,
        row.begun_revision,
        row.created_at,
        row.updated_at,
        row.ended_at,
    )


def message_of(row: Any) -> Message:
    """A row as a value."""
    watermark = Watermark(row.space_id, row.conversation_id, row.turn)
    return Message(
        row.id,
        row.turn,
        row.role,
        row.name,
        row.content,
        row.at,
        row.metadata,
        str(watermark),
        row.retracted_at is not None,
        row.in_place_of,
    )
