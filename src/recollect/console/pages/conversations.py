"""Conversations: a list, and one with its raw log, its episodes and its narrative arc."""

import asyncio
from typing import Any

from starlette.responses import Response

from recollect.console.asking import Asked, number
from recollect.conversation.model import STATUSES, searchable_text
from recollect.core.errors import NotAllowed
from recollect.memory import Chat, ScopedMemory
from recollect.records.kinds import CHUNK

_MOST = 10_000
_PAGE = 50
_TURNS = 100


async def show(asked: Asked) -> Response:
    """The newest first, some at a time."""
    status = asked.given("status")
    found = (await asked.memory.conversations(status, limit=_MOST))[::-1]
    found.sort(key=lambda talk: talk.said_at or talk.updated_at, reverse=True)
    place = number(asked.given("from")) or 0
    more = place + _PAGE if len(found) > place + _PAGE else None
    return await asked.page(
        "conversations.html",
        found=found[place : place + _PAGE],
        total=len(found),
        status=status,
        statuses=sorted(STATUSES),
        more=more,
    )


async def one(asked: Asked) -> Response:
    """The raw log from a turn on, and what was made of it."""
    chat = await asked.memory.find_conversation(str(asked.request.path_params["id"]))
    talk = chat.conversation
    marked = number(asked.given("turn")) or 0
    first = max(1, number(asked.given("from")) or marked - _TURNS // 2)
    messages, opening, arc, episodes = await asyncio.gather(
        chat.messages(first, _TURNS), chat.messages(1, 1), _arc(chat), _episodes(asked.memory, talk.thread_id)
    )
    return await asked.page(
        "conversation.html",
        talk=talk,
        began=opening[0].at if opening else talk.created_at,
        said=[(message, searchable_text(message.content)) for message in messages],
        marked=marked,
        earlier=max(1, first - _TURNS) if first > 1 else None,
        later=first + _TURNS if first + _TURNS <= talk.last_turn else None,
        arc=arc,
        episodes=episodes,
    )


async def _arc(chat: Chat) -> Any:
    """The story of the talk, for whoever may see it."""
    try:
        return await chat.narrative_arc()
    except NotAllowed:
        return None


async def _episodes(me: ScopedMemory, thread: str) -> list[Any]:
    """The summaries of stretches of the talk, in order."""
    found = await me.get_all(kinds=["episode"], thread=thread, include=["archived"], limit=200)
    return [memory for memory in found if memory.type == CHUNK]
