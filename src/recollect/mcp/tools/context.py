"""`context`: all that a model should know to answer, ready to read."""

from uuid import UUID

from pydantic import Field

from recollect.flows.converse import LEAST_TOKENS
from recollect.mcp.talk import conversation
from recollect.mcp.tool import Data, Given, Told, Tool
from recollect.memory import ScopedMemory

DESCRIPTION = """\
Get one prompt-ready text with all that helps to answer a question: who the user is and how they want to be answered, \
the summary and the last turns of a conversation, what changed lately, and the memories that the question calls to \
mind, within a budget of tokens.

Use it at the start of a conversation or of a new topic. For a single fact use `recall`, which is shorter. `thread` is \
the conversation whose turns were kept with `remember`; without it you get the profile and memories alone. Where \
`recall_advised` is true nothing was sure to fit: try `query` or `recall` with other words before you say that you do \
not know."""


class ContextOf(Given):
    """What is asked, and where."""

    question: str = Field(description="What the user asks, or what you are about to do.")
    thread: str | None = Field(None, description="The conversation; the one of this server if not given.")
    tokens: int = Field(2_000, ge=LEAST_TOKENS, le=32_000, description="The most tokens that the text may take.")
    after: str | None = Field(None, description="The watermark of a `remember`: what it added is taken into account.")


class ContextText(Data):
    """A context, and what is to be known of it."""

    text: str
    tokens: int
    thread: str
    memories: list[UUID]
    """Those that the question called to mind."""
    recall_advised: bool
    warnings: list[str]


async def context(memory: ScopedMemory, given: ContextOf) -> Told:
    """Build a context."""
    chat = await conversation(memory, given.thread)
    built = await chat.context(given.question, tokens=given.tokens, after=given.after)
    data = ContextText(
        text=built.text,
        tokens=built.tokens,
        thread=chat.conversation.thread_id,
        memories=[hit.memory.id for hit in built.hits],
        recall_advised=built.recall_advised,
        warnings=list(built.warnings),
    )
    return Told(built.text, data)


TOOL = Tool("context", "Context for a question", DESCRIPTION, ContextOf, ContextText, context)
