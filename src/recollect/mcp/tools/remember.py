"""`remember`: something worth keeping, or turns of a talk to learn from."""

from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from recollect.core.errors import InvalidInput
from recollect.mcp.talk import conversation
from recollect.mcp.tool import Data, Given, Told, Tool
from recollect.mcp.views import View, head, view
from recollect.memory import ScopedMemory

DESCRIPTION = """\
Keep something for later conversations. Use it when the user states a fact, preference, decision, constraint or goal \
of lasting worth, asks you to remember something, or corrects what was remembered.

Give either `content`: one self-contained statement in the third person, with names instead of pronouns ("Alice \
prefers tea to coffee."), one thing for each call; or `messages`: turns of this conversation as they were said, from \
which facts about the user are learned in the background. What the user says about themselves (name, city, diet, how \
you should answer) belongs into `messages` with role `user`, as only the user's own words change the profile.

Do not keep passwords or other secrets, small talk, or what `recall` has just told you. What was forgotten on request \
cannot be kept again unless the user says so (`lift`)."""


class Turn(Given):
    """One message of a conversation."""

    role: Literal["user", "assistant", "system", "developer", "tool", "function"]
    content: str
    name: str | None = Field(None, description="Who speaks, if it is not the user themselves.")
    at: str | None = Field(None, description="When it was said, with a time zone; now, if not given.")


class Remember(Given):
    """What to keep."""

    content: str | None = Field(None, description="One self-contained statement, in the third person.")
    messages: list[Turn] | None = Field(
        None, min_length=1, max_length=100, description="Instead of `content`: turns as they were said, in order."
    )
    thread: str | None = Field(None, description="With `messages`: the conversation; one for this server if not given.")
    kind: Literal["statement", "episode", "insight", "procedure"] = Field(
        "statement",
        description="statement: what holds; episode: what happened; insight: how somebody thinks or feels;"
        " procedure: numbered steps.",
    )
    type: str | None = Field(
        None, description="Of a statement: fact (default), decision, preference, constraint or goal."
    )
    category: str | None = Field(None, description="Only if the user keeps categories of their own.")
    tags: list[str] = Field(default_factory=list, max_length=50)
    title: str | None = None
    importance: float | None = Field(None, ge=0, le=1, description="How much it matters; if not given, by its type.")
    confidence: float | None = Field(None, ge=0, le=1, description="How sure it is.")
    pinned: bool = Field(False, description="It never fades.")
    valid_from: str | None = Field(None, description="Since when it is true: date and time with a time zone.")
    metadata: dict[str, Any] | None = Field(None, description="Anything else to keep with it.")
    id: UUID | None = Field(None, description="An id of your own: the same id again adds nothing.")
    lift: bool = Field(False, description="Keep it although it was forgotten on request: only if the user says so.")


class Kept(Data):
    """A turn that was added."""

    id: UUID
    thread: str
    turn: int
    role: str


class Remembered(Data):
    """What is kept now."""

    memory: View | None = None
    """The memory: a new one, or the one that said the same already."""
    messages: list[Kept] = Field(default_factory=list)
    watermark: str
    """Goes into `after` of `recall`, so that it finds this."""


_OF_MEMORIES = frozenset(Remember.model_fields) - {"messages", "thread", "content"}


async def remember(memory: ScopedMemory, given: Remember) -> Told:
    """Add a memory, or messages."""
    if given.messages is not None:
        return await _messages(memory, given, given.messages)
    if given.content is None:
        raise InvalidInput("content", "give content or messages")
    if given.thread is not None:
        raise InvalidInput("thread", "goes with messages")
    added = await memory.add(given.content, **given.model_dump(include=set(_OF_MEMORIES)))
    brief = view(added, added.content[:_SHOWN])
    return Told(f"Kept: {head(added)} {brief.text}", Remembered(memory=brief, watermark=added.watermark))


async def _messages(memory: ScopedMemory, given: Remember, turns: list[Turn]) -> Told:
    misplaced = (given.model_fields_set - {"messages", "thread"}) & (_OF_MEMORIES | {"content"})
    if misplaced:
        raise InvalidInput(min(misplaced), "goes without messages: those are kept as they were said")
    chat = await conversation(memory, given.thread)
    thread = chat.conversation.thread_id
    added = await chat.add_many([turn.model_dump(exclude_none=True) for turn in turns])
    kept = [Kept(id=each.id, thread=thread, turn=each.turn, role=each.role) for each in added]
    told = f"Kept {len(kept)} messages of the conversation {thread}, up to turn {kept[-1].turn}."
    return Told(told, Remembered(messages=kept, watermark=added[-1].watermark))


_SHOWN = 500

TOOL = Tool("remember", "Remember", DESCRIPTION, Remember, Remembered, remember, reads=False)
