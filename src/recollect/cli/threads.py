"""The conversations of a scope: listed, read, told as an arc, and corrected."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import Call, command
from recollect.cli.memories import settle
from recollect.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from recollect.memory import Chat, Recollect, ScopedMemory

app = typer.Typer()


async def find_chat(opened: "Recollect", memory: "ScopedMemory", thread: str) -> "Chat | None":
    """The scope's own conversation of a thread, or the one that its space shares; none is begun."""
    from recollect.conversation.store import QUERIES, conversation_of
    from recollect.db.database import Batch
    from recollect.memory import Chat

    for owner in dict.fromkeys([memory.scope.owner, ""]):
        batch = Batch(memory.scope.space)
        batch.add(QUERIES["find"], space=memory.scope.space, owner=owner, thread_id=thread)
        [rows] = await opened.parts.database.send(batch)
        if rows:
            return Chat(memory, conversation_of(rows[0]))
    return None


async def _chat(call: Call, opened: "Recollect") -> "Chat":
    """The conversation that the command line names; it has to be there."""
    if call.thread is None:
        raise InvalidInput("thread", "name the conversation with --thread")
    chat = await find_chat(opened, call.scope(opened), call.thread)
    if chat is None:
        raise NotFound(f"there is no conversation {call.thread!r}")
    return chat


@command(app, "conversations", without=("thread",))
async def conversations(
    call: Call,
    status: Annotated[str | None, typer.Option(help="Only active, paused or ended ones.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100,
    after: Annotated[str | None, typer.Option(help="Go on after this id.")] = None,
) -> None:
    """List conversations, in the order in which they were begun."""
    async with call.scoped() as memory:
        found = await memory.conversations(status, limit, after)
    from recollect.cli import show_talk

    call.out.answer(found, lambda: show_talk.conversations(found, limit))


@command(app, "conversation")
async def conversation(
    call: Call,
    title: Annotated[str | None, typer.Option(help="A title.")] = None,
    remember: Annotated[bool, typer.Option(help="Learn from it; a temporary one is removed at its end.")] = True,
    shared: Annotated[bool, typer.Option("--shared", help="It belongs to the space, rather than to you.")] = False,
) -> None:
    """Begin the conversation of --thread, or see the one that there is."""
    async with call.scoped() as memory:
        chat = await memory.conversation(title=title, remember=remember, shared=shared)
    _told(call, chat)


@command(app, "get-conversation")
async def get_conversation(
    call: Call, shared: Annotated[bool, typer.Option("--shared", help="The one that belongs to the space.")] = False
) -> None:
    """See the conversation of --thread; none is begun."""
    async with call.scoped() as memory:
        chat = await memory.get_conversation(shared=shared)
    _told(call, chat)


@command(app, "find-conversation", without=("thread",))
async def find_conversation(
    call: Call,
    id: Annotated[str, typer.Argument(help="The conversation's id, as `conversations` lists it.", show_default=False)],
) -> None:
    """See a conversation by its id."""
    async with call.scoped() as memory:
        chat = await memory.find_conversation(id)
    _told(call, chat)


@command(app, "ack")
async def ack(
    call: Call,
    offered: Annotated[
        list[str] | None,
        typer.Option(help="SPACE=REVISION: up to where; what the last context told, if not given. May be repeated."),
    ] = None,
) -> None:
    """Say that the updates at the head of a context were read."""
    read = dict(_offered(each) for each in offered or ()) or None
    async with call.memory() as opened:
        await (await _chat(call, opened)).ack(read)
    call.out.answer(None, lambda: ["They count as read."])


def _offered(given: str) -> tuple[str, int]:
    space, _, revision = given.rpartition("=")
    if not space or not revision.isdecimal():
        raise InvalidInput("offered", "must be SPACE=REVISION, as in user:alice=12")
    return space, int(revision)


@command(app, "pause")
async def pause(call: Call) -> None:
    """Set a conversation aside."""
    async with call.memory() as opened:
        chat = await _chat(call, opened)
        await chat.pause()
    _told(call, chat)


@command(app, "resume")
async def resume(call: Call) -> None:
    """Take a conversation up again."""
    async with call.memory() as opened:
        chat = await _chat(call, opened)
        await chat.resume()
    _told(call, chat)


@command(app, "end")
async def end(call: Call, outcome: Annotated[str | None, typer.Option(help="How it ended.")] = None) -> None:
    """End a conversation; a temporary one is removed."""
    async with call.memory() as opened:
        chat = await _chat(call, opened)
        await chat.end(outcome)
        await settle(call, opened)
    _told(call, chat)


def _told(call: Call, chat: "Chat") -> None:
    from recollect.cli import show_talk

    call.out.answer(chat.conversation, lambda: show_talk.conversations([chat.conversation], 2))


@command(app, "messages")
async def messages(
    call: Call,
    first: Annotated[int, typer.Option("--first", help="The first turn.")] = 1,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100,
) -> None:
    """Show the raw log of a conversation, with what was taken back."""
    async with call.memory() as opened:
        chat = await _chat(call, opened)
        found = await chat.messages(first, limit)
    from recollect.cli import show_talk

    call.out.answer(found, lambda: show_talk.messages(found, chat.conversation.last_turn))


@command(app, "arc")
async def arc(call: Call) -> None:
    """Show the milestones of a conversation: beginning, middle, end, and the key moments."""
    async with call.memory() as opened:
        told = await (await _chat(call, opened)).narrative_arc()
    from recollect.cli import show_talk

    call.out.answer(told, lambda: show_talk.arc(told))


@command(app, "retract")
async def retract(
    call: Call,
    turn: Annotated[int, typer.Argument(help="The message's turn.", show_default=False)],
    replace: Annotated[str | None, typer.Option(help="A text that is read in its place.")] = None,
) -> None:
    """Take a message back: the log keeps it, marked, and what came only of it is withdrawn."""
    async with call.memory() as opened:
        chat = await _chat(call, opened)
        new = await chat.retract(turn, replace)
        await settle(call, opened)
    instead = "" if new is None else f" Turn {new.turn} is read in its place."
    call.out.answer(new, lambda: [f"Turn {turn} is taken back.{instead}"])
