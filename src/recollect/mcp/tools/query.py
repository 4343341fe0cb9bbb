"""`query`: what an agent needs to know, in a few bullets."""

from uuid import UUID

from pydantic import Field

from recollect.context.bullets import Bullet, Whole
from recollect.mcp.room import recalled
from recollect.mcp.tool import Data, Given, Told, Tool
from recollect.memory import ScopedMemory

DESCRIPTION = """\
Get a few terse bullets from chosen categories, each with what is tied to it. Use it while you work on a task and need \
a fact without filling your context, when you want only some categories (such as `constraints`, `preferences`, \
`knowledge`, `tasks`), or when you need a procedure: those come only where the category `procedural` is named. \
It is also the second try where `context` found nothing sure. For a broad search use `recall`."""


class Filters(Given):
    """What a memory must be like."""

    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    actor_id: str | None = None
    role: str | None = None
    category: str | None = None
    pinned: bool | None = None
    importance_min: int | None = Field(None, ge=1, le=5)
    importance_max: int | None = Field(None, ge=1, le=5)
    updated_after: str | None = Field(None, description="A date, or a moment with a time zone.")
    updated_before: str | None = None


class Query(Given):
    """What is needed."""

    query: str = Field(description="What you need to know.")
    categories: list[str] | None = Field(None, description="Only these; one that you may not see is refused by name.")
    filters: Filters | None = None
    top_k: int = Field(3, ge=1, le=20, description="How many memories at most.")
    threshold: float | None = Field(None, ge=0, le=1, description="The least evidence.")
    full: bool = Field(False, description="All that the memories say, rather than a line of each.")
    budget_tokens: int = Field(512, ge=50, le=8_000, description="The most tokens that the texts may take together.")
    agent: str | None = Field(None, description="Act as this agent, held to its allowlist.")


class Line(Data):
    """A memory in a line."""

    id: UUID
    category: str
    text: str


class Answer(Line):
    """A memory, and what it is tied to."""

    kind: str | None = None
    type: str | None = None
    importance: int | None = None
    confidence: float | None = None
    related: list[Line] = Field(default_factory=list)


class Queried(Data):
    """The bullets, best first."""

    bullets: list[Answer]


async def query(memory: ScopedMemory, given: Query) -> Told:
    """Ask, and tell the bullets."""
    told = await memory.query(
        given.query,
        agent=given.agent,
        categories=given.categories,
        filters=None if given.filters is None else given.filters.model_dump(exclude_none=True),
        top_k=given.top_k,
        threshold=given.threshold,
        return_="full" if given.full else "bullets",
        budget_tokens=given.budget_tokens,
    )
    lines = [line for each in told for line in _lines(each)]
    return Told(recalled(lines, "Nothing is remembered that fits."), Queried(bullets=[_bullet(each) for each in told]))


def _lines(each: Bullet) -> list[str]:
    return [f"- {each.text} ({each.id})", *(f"  tied to it: {tied.text} ({tied.id})" for tied in each.related)]


def _bullet(each: Bullet) -> Answer:
    told = Answer(**dict(_line(each)), related=[_line(tied) for tied in each.related])
    if isinstance(each, Whole):
        told.kind, told.type, told.importance, told.confidence = each.kind, each.type, each.importance, each.confidence
    return told


def _line(each: Bullet) -> Line:
    return Line(id=each.id, category=each.category, text=each.text)


TOOL = Tool("query", "Query", DESCRIPTION, Query, Queried, query)
