"""The verbs of conversations. A message is durable when `append` returns; all else happens in the background."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.conversation import store
from recollect.conversation.model import (
    ROLES,
    STATUSES,
    Conversation,
    ListedConversation,
    Message,
    NewMessage,
    Watermark,
    searchable_text,
)
from recollect.conversation.store import QUERIES, conversation_of, listed_of, message_of
from recollect.core import check
from recollect.core.errors import Conflict, InvalidInput, NotAllowed, NotFound
from recollect.core.ids import new_id
from recollect.core.scope import Scope
from recollect.db.database import Batch, Database, Rows, UniqueViolation
from recollect.queue import enqueue
from recollect.records.model import Actor
from recollect.records.store import act_in

INDEX_TASK = "index_turns"
COMPRESS_TASK = "compress"
UNDERSTAND_TASK = "understand"
SOURCE_TASK = "conversation_sources"
CATEGORY = "activity"
"""Of what was said."""
_NOTHING = UUID(int=0)
_SHORT = 65_536
"""Characters of messages up to which others need not mind sharing a transaction."""


async def begin(
    database: Database, scope: Scope, thread_id: str, now: datetime, *, title: str | None, remember: bool, shared: bool
) -> Conversation:
    """The conversation of a thread, made if it is new."""
    asked = {
        "space": scope.space,
        "owner": "" if check.flag("shared", shared) else scope.owner,
        "thread_id": check.identifier("thread_id", thread_id),
    }
    made = {
        "id": new_id(),
        "title": check.optional_text("title", title),
        "remember": check.flag("remember", remember),
        "now": now,
    }
    sees_all = scope.sees(CATEGORY)
    row = await _last(database, scope, ["find"], asked) if title is None or not sees_all else None
    if row is not None:
        await refuse_foreign(database, scope, conversation_of(row))
    if row is None or title is not None:
        row = await _open(database, scope, asked | made)
    if row.remember != remember:
        kind = "is remembered" if row.remember else "is a temporary one"
        raise Conflict(f"thread_id: the conversation {thread_id!r} {kind}: open it with remember={row.remember}")
    return conversation_of(row)


async def find(database: Database, scope: Scope, thread_id: str, *, shared: bool) -> Conversation:
    """The conversation of a thread that has begun."""
    asked = {
        "space": scope.space,
        "owner": "" if check.flag("shared", shared) else scope.owner,
        "thread_id": check.identifier("thread_id", thread_id),
    }
    row = await _last(database, scope, ["find"], asked)
    if row is None:
        raise NotFound(f"there is no conversation {thread_id!r}")
    found = conversation_of(row)
    await refuse_foreign(database, scope, found)
    return found


async def refuse_foreign(database: Database, scope: Scope, conversation: Conversation) -> None:
    """An agent that does not see what is said elsewhere takes part in its own threads alone.

    Its own is the thread that its scope is bound to; where that is bound to none, one in which it has taken part, or
    a new one.
    """
    if scope.sees(CATEGORY) or scope.thread_id == conversation.thread_id:
        return
    if scope.thread_id is None and conversation.last_turn == 0:
        return
    place = {"space": conversation.space, "id": conversation.id, "agent": scope.agent_id}
    if scope.thread_id is not None or not (await _last(database, scope, ["took_part"], place)).own:
        problem = f"agent {scope.agent_id} sees no {CATEGORY} but that of its own thread: bind the scope to it"
        raise NotAllowed(f"thread {conversation.thread_id}", problem)


async def _open(database: Database, scope: Scope, values: Mapping[str, Any]) -> Any:
    """A new conversation, which knows how much its space knew when it began."""
    known = await _last(database, scope, ["begin_space", "revision"], values)
    batch = Batch(scope.space)
    place = batch.add(QUERIES["open"], **values, revision=known.revision)
    told = {"line": new_id(), "event": new_id(), "actor": scope.user_id, "agent_id": scope.agent_id}
    for name in ("tell_begun", "event_begun"):
        batch.add(QUERIES[name], space=scope.space, id=values["id"], now=values["now"], **told)
    return (await database.send(batch))[place][0]


async def _last(database: Database, scope: Scope, names: Sequence[str], values: Mapping[str, Any]) -> Any:
    """The row that the last of some statements returns, if it does."""
    batch = Batch(scope.space)
    for name in names:
        batch.add(QUERIES[name], **values)
    rows = (await database.send(batch))[-1]
    return rows[0] if rows else None


def new_message(given: Mapping[str, Any], now: datetime, most_bytes: int, *, field: str = "") -> NewMessage:
    """Check a message before anything is written."""
    given = _with_tools(given)
    unknown = set(given) - {"role", "content", "name", "at", "metadata", "id"}
    if unknown:
        raise InvalidInput(field + min(unknown), "is not part of a message")
    content = checked_content(field + "content", given.get("content"), most_bytes)
    return NewMessage(
        id=check.optional_uuid(field + "id", given.get("id")) or new_id(),
        role=check.choice(field + "role", given.get("role"), ROLES),
        content=content,
        body=searchable_text(content),
        at=check.optional_moment(field + "at", given.get("at")) or now,
        name=None if given.get("name") is None else check.identifier(field + "name", given["name"]),
        metadata=check.mapping(field + "metadata", given.get("metadata"), most_bytes=most_bytes),
        given_id=given.get("id") is not None,
    )


def _with_tools(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message as OpenAI writes it: calls and answers of tools, which stand beside its content, become parts of it."""
    calls, answered = given.get("tool_calls"), given.get("tool_call_id")
    if not calls and answered is None:
        return given
    content = given.get("content")
    if answered is not None:
        parts: Any = [{"type": "tool_result", "tool_call_id": answered, "content": content}]
    else:
        said = [{"type": "text", "text": content}] if isinstance(content, str) and content else content or []
        parts = [*said, *calls] if isinstance(calls, list) else calls
    rest = {name: value for name, value in given.items() if name not in ("tool_calls", "tool_call_id")}
    return rest | {"content": parts}


def checked_content(field: str, value: Any, most_bytes: int) -> Any:
    """Text, or a list of parts."""
    if isinstance(value, str):
        return check.text(field, value, most_bytes=most_bytes)
    if not isinstance(value, list) or not value or not all(isinstance(part, Mapping) for part in value):
        raise InvalidInput(field, "must be text, or a list of parts")
    check.document(field, value, most_bytes=most_bytes)
    return value


async def append(
    database: Database, scope: Scope, conversation: Conversation, messages: Sequence[NewMessage], now: datetime
) -> list[Message]:
    """Write messages, durable and in order: one transaction, one round trip. An id given twice is written once."""
    written: dict[UUID, Message] = {}
    while left := _first_of_each([message for message in messages if message.id not in written]):
        done = await _write(database, scope, conversation, left, now)
        written |= done or await _written_before(database, conversation, left)
    return [written[message.id] for message in messages]


def _first_of_each(messages: Sequence[NewMessage]) -> list[NewMessage]:
    first: dict[UUID, NewMessage] = {}
    for message in messages:
        first.setdefault(message.id, message)
    return list(first.values())


async def _write(
    database: Database, scope: Scope, conversation: Conversation, messages: Sequence[NewMessage], now: datetime
) -> dict[UUID, Message]:
    """All of them, or none if one of the ids is there already or the conversation takes no more."""
    batch = Batch(conversation.space)
    written = store.append(batch, conversation.space, conversation.id, messages, now, scope)
    # Who writes has read what it was told before.
    batch.add(
        QUERIES["acknowledge"],
        space=conversation.space,
        conversation_id=conversation.id,
        owner=scope.owner,
        agent=scope.agent_id or "",
        revisions=None,
    )
    if conversation.remember:
        enqueue(batch, INDEX_TASK, conversation.space)
    try:
        rows = (await _sent(database, batch, conversation, messages))[written]
    except UniqueViolation:
        return {}  # somebody wrote the same id at the same moment
    turns = {row.id: row.turn for row in rows}
    return {message.id: _message(conversation, message, turns[message.id]) for message in messages if turns}


async def _sent(
    database: Database, batch: Batch, conversation: Conversation, messages: Sequence[NewMessage]
) -> list[Rows]:
    """Send what writes messages: short ones with those of others, so that many writers share an fsync."""
    if sum(_size(message) for message in messages) > _SHORT:
        return await database.send(batch)
    return await database.send_with_others(batch, holds=str(conversation.id))


def _size(message: NewMessage) -> int:
    """About how many characters of a message are sent; its parts and metadata may be far larger than its text."""
    return len(message.body) + len(str(message.content)) + len(str(message.metadata))


def _message(conversation: Conversation, new: NewMessage, turn: int) -> Message:
    watermark = Watermark(conversation.space, conversation.id, turn)
    return Message(new.id, turn, new.role, new.name, new.content, new.at, new.metadata, str(watermark))


async def _written_before(
    database: Database, conversation: Conversation, messages: Sequence[NewMessage]
) -> dict[UUID, Message]:
    """Nothing was written: either some of these ids are there already, or the conversation takes no more."""
    batch = Batch(conversation.space)
    batch.add(QUERIES["by_ids"], space=conversation.space, ids=[message.id for message in messages])
    batch.add(QUERIES["get"], space=conversation.space, id=conversation.id)
    batch.add(QUERIES["foreign_ids"], space=conversation.space, ids=[message.id for message in messages])
    found, present, foreign = await database.send(batch)
    if foreign:
        raise Conflict(f"id: {foreign[0].id} belongs to a memory")
    if any(row.conversation_id != conversation.id for row in found):
        raise Conflict("id: belongs to a message of another conversation")
    if not present:
        raise NotFound(f"conversation {conversation.thread_id!r} is gone")
    if len(found) < len(messages) and present[0].status == "ended":
        raise Conflict(f"conversation {conversation.thread_id!r} has ended: resume it first")
    return {row.id: message_of(row) for row in found}


async def messages(
    database: Database, scope: Scope, conversation: Conversation, first: int, limit: int
) -> list[Message]:
    """A stretch of the raw log, in order; for an agent that sees no more than the window, no further back than that."""
    start = check.count("first", first, most=2**31 - 1)
    await refuse_foreign(database, scope, conversation)
    if not scope.sees(CATEGORY):
        start = max(start, (await get(database, conversation)).compressed_turn + 1)
    batch = Batch(conversation.space)
    batch.add(
        QUERIES["messages"],
        space=conversation.space,
        conversation_id=conversation.id,
        first=start,
        limit=check.count("limit", limit),
    )
    [rows] = await database.send(batch)
    return [message_of(row) for row in rows]


async def conversations(
    database: Database, scope: Scope, status: str | None, limit: int, after: str | UUID | None
) -> list[ListedConversation]:
    """The owner's conversations and the shared ones, in the order in which they were begun."""
    batch = Batch(scope.space)
    batch.add(
        QUERIES["list"],
        space=scope.space,
        owners=_owners(scope),
        status=None if status is None else check.choice("status", status, STATUSES),
        limit=check.count("limit", limit),
        after=check.optional_uuid("after", after) or _NOTHING,
        agent=None if scope.sees(CATEGORY) else scope.agent_id,
        thread=scope.thread_id,
    )
    [rows] = await database.send(batch)
    return [listed_of(row) for row in rows]


async def find_by_id(database: Database, scope: Scope, id: UUID) -> Conversation:
    """A conversation that is there, of the owner or shared."""
    row = await _last(database, scope, ["get"], {"space": scope.space, "id": id})
    if row is None or row.owner not in _owners(scope) or not await _may_find(database, scope, row):
        raise NotFound(f"there is no conversation {id}")
    return conversation_of(row)


async def _may_find(database: Database, scope: Scope, row: Any) -> bool:
    """Whoever sees no threads but its own finds no others by their ids, nor their names."""
    if scope.sees(CATEGORY) or scope.thread_id == row.thread_id:
        return True
    place = {"space": scope.space, "id": row.id, "agent": scope.agent_id}
    return scope.thread_id is None and bool((await _last(database, scope, ["took_part"], place)).own)


async def get(database: Database, conversation: Conversation) -> Conversation:
    """The conversation as it stands now."""
    batch = Batch(conversation.space)
    batch.add(QUERIES["get"], space=conversation.space, id=conversation.id)
    [rows] = await database.send(batch)
    if not rows:
        raise NotFound(f"conversation {conversation.thread_id!r} is gone")
    return conversation_of(rows[0])


def _owners(scope: Scope) -> list[str]:
    return list({scope.owner, ""})


async def set_status(
    database: Database,
    conversation: Conversation,
    status: str,
    now: datetime,
    outcome: str | None = None,
    actor: Actor | None = None,
) -> Conversation:
    """Pause, resume or end a conversation; a temporary one is removed when it ends."""
    batch = Batch(conversation.space)
    place = batch.add(
        QUERIES["set_status"],
        space=conversation.space,
        id=conversation.id,
        status=status,
        outcome=check.optional_text("outcome", outcome),
        now=now,
    )
    if status == "ended":
        batch.add(QUERIES["remove"], space=conversation.space, id=conversation.id)
        if conversation.remember:
            enqueue(batch, SOURCE_TASK, conversation.space)
    if conversation.remember:
        act_in(batch, conversation.space, now, "UPDATE", status, conversation.id, actor or Actor())
    rows = (await database.send(batch))[place]
    if rows:
        return conversation_of(rows[0])
    if conversation.status == "ended" and status == "paused":
        raise Conflict(f"conversation {conversation.thread_id!r} has ended: resume it first")
    raise NotFound(f"conversation {conversation.thread_id!r} is gone")
