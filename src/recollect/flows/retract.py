"""Taking a message back: the log keeps it, marked, and what came only of it is withdrawn."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from recollect.conversation import service as conversations
from recollect.conversation import store as log
from recollect.conversation.model import Content, Conversation, Message
from recollect.conversation.service import INDEX_TASK
from recollect.core import check
from recollect.core.errors import Conflict, NotFound, Unavailable
from recollect.core.scope import Scope
from recollect.db.database import Connection, turn_to
from recollect.flows import compress, owning, statistics
from recollect.flows.parts import Parts
from recollect.flows.reading import owner_space
from recollect.profile import service as profile
from recollect.profile import store as profiles
from recollect.queue import enqueue_on
from recollect.records import service, store
from recollect.records.changes import Changes
from recollect.records.model import Actor, Memory
from recollect.sources import store as sources
from recollect.sources.model import INGEST_TASK

_REASON = "its message was retracted"
_TRIES = 4


async def retract(
    parts: Parts, scope: Scope, conversation: Conversation, turn: int, replace: Content | None
) -> Message | None:
    """Mark a message and withdraw what came of it; with `replace`, a message that is read in its place."""
    if replace is not None:
        conversations.checked_content("replace", replace, parts.settings.message_bytes)
    for _ in range(_TRIES - 1):
        try:
            return await _retract(parts, scope, conversation, turn, replace)
        except Unavailable as error:
            if "deadlock" not in str(error):
                raise  # else a job changed the same memories in another order: it is done by now
    return await _retract(parts, scope, conversation, turn, replace)


async def _retract(
    parts: Parts, scope: Scope, conversation: Conversation, turn: int, replace: Content | None
) -> Message | None:
    now, space = parts.clock(), conversation.space
    async with parts.database.transaction(space) as connection:
        row = await _mark(connection, conversation, turn, now)
        new = None if replace is None else await _put_in_place(parts, connection, scope, conversation, row, replace)
        actor = Actor(scope.user_id, scope.agent_id, conversation.thread_id, _REASON, by_hand=False)
        waits = await _mark_chunks(parts, connection, conversation, row.in_place_of or turn)
        await _withdraw(parts, connection, space, [row.id], actor)
        await service.soft_delete(connection, space, [row.id], now, actor, purge_days=parts.settings.purge_days)
        own = owner_space(conversation, row)
        if own != space:
            await turn_to(connection, own)
            await _withdraw(parts, connection, own, [row.id], actor)
            await turn_to(connection, space)
        told = await sources.unsettle_turn(connection, space, conversation.id, turn)
        if waits:
            await enqueue_on(connection, compress.TASK, space)
        if new:
            await enqueue_on(connection, INDEX_TASK, space)
        if told:
            await enqueue_on(connection, INGEST_TASK, space)
        await turn_to(connection, own, space)
        await owning.follow_when_due(parts, connection, own)
        await statistics.refresh_when_due(connection, space)
    return new


async def _mark(connection: Connection, conversation: Conversation, turn: int, now: Any) -> Any:
    place = {"space": conversation.space, "conversation_id": conversation.id}
    asked = place | {"turn": check.count("turn", turn, most=2**31 - 1), "now": now}
    await log.hold(connection, conversation.space, conversation.id)
    cursor = await connection.execute(log.QUERIES["retract"], asked)
    if row := await cursor.fetchone():
        return row
    cursor = await connection.execute(log.QUERIES["stretch"], place | {"first": turn, "last": turn})
    if any(row.turn == turn for row in await cursor.fetchall()):
        raise Conflict(f"turn {turn} is retracted already")
    raise NotFound(f"conversation {conversation.thread_id!r} has no turn {turn}")


async def put_in_place(parts: Parts, conversation: Conversation, turn: int, of: UUID) -> None:
    """Let a message that is in the log be read where another one stood."""
    place = {"space": conversation.space, "conversation_id": conversation.id, "turn": turn}
    async with parts.database.transaction(conversation.space) as connection:
        cursor = await connection.execute(log.QUERIES["by_ids"], {"space": conversation.space, "ids": [of]})
        if (row := await cursor.fetchone()) is not None and row.conversation_id == conversation.id:
            stands = row.in_place_of or row.turn
            await connection.execute(log.QUERIES["put_in_place"], place | {"in_place_of": stands})


async def _put_in_place(
    parts: Parts, connection: Connection, scope: Scope, conversation: Conversation, old: Any, content: Content
) -> Message:
    given = {"role": old.role, "content": content, "name": old.name, "metadata": old.metadata}
    message = conversations.new_message(given, parts.clock(), parts.settings.message_bytes, field="replace.")
    values = log.append_values(conversation.space, conversation.id, [message], parts.clock(), scope)
    cursor = await connection.execute(log.QUERIES["append"], values)
    written = await cursor.fetchone()
    if written is None:
        raise Conflict(f"conversation {conversation.thread_id!r} has ended: resume it first")
    stands = old.in_place_of or old.turn
    place = {"space": conversation.space, "conversation_id": conversation.id, "turn": written.turn}
    await connection.execute(log.QUERIES["put_in_place"], place | {"in_place_of": stands})
    cursor = await connection.execute(log.QUERIES["by_ids"], {"space": conversation.space, "ids": [message.id]})
    return log.message_of(await cursor.fetchone())


async def _withdraw(parts: Parts, connection: Connection, space: str, ids: Sequence[UUID], actor: Actor) -> None:
    """What only this message speaks for goes; what it ended holds again; what has other witnesses stays."""
    now, gone = parts.clock(), dict[str, Memory | None]((str(id), None) for id in ids)
    for message in list(gone):
        cursor = await connection.execute(store.QUERIES["derived_from"], {"space": space, "message": message})
        for row in await cursor.fetchall():
            memory = store.memory_of(row, now, parts.rules)
            left = [other for other in memory.data["messages"] if other != message]
            data = memory.data | {"messages": left}
            await service.annotate(connection, memory, data, now, actor, confidence=memory.confidence)
            if not left and not memory.by_hand and memory.state != "soft_deleted":
                await service.soft_delete(
                    connection, space, [memory.id], now, actor, purge_days=parts.settings.purge_days
                )
                gone[str(memory.id)] = memory
    await reopen(parts, connection, space, gone, actor)
    for row in await profiles.withdraw_proposals(connection, space, list(ids), now):
        await profile.tell_decision(connection, row, "lapsed", now, actor)


async def reopen(
    parts: Parts, connection: Connection, space: str, gone: dict[str, Memory | None], actor: Actor
) -> None:
    """What ended with something that is gone holds again, or until that had itself ended."""
    cursor = await connection.execute(store.QUERIES["ended_by"], {"space": space, "ids": list(gone)})
    for row in await cursor.fetchall():
        memory = store.memory_of(row, parts.clock(), parts.rules)
        if memory.state == "soft_deleted":
            continue
        ender = gone[memory.data["ended_by"]]
        until = ender.valid_until if ender else None
        data = {name: value for name, value in memory.data.items() if name != "ended_by"}
        if ender and until:
            data["ended_by"] = ender.data.get("ended_by", str(ender.id))
        await service.change(
            connection,
            memory,
            Changes({"valid_until": until}),
            None,
            parts.clock(),
            actor,
            await store.mean_length(connection, space),
            event=None if until else "restored",
            data=data,
        )


async def _mark_chunks(parts: Parts, connection: Connection, conversation: Conversation, turn: int) -> bool:
    """Chunks that told of the turn are told anew."""
    rows = await store.episodes(connection, conversation.space, conversation.id, chunks=True)
    told = [row for row in rows if row.data["first_turn"] <= turn <= row.data["last_turn"]]
    for row in told:
        memory = store.memory_of(row, parts.clock(), parts.rules)
        await service.set_data(connection, memory, memory.data | {"dirty": -1})
    return bool(told)
