"""`explore`: themes, stories, documents and people, and from one down into the next."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from recollect.graph.model import name_of
from recollect.mcp.room import Room, Tokens, recalled
from recollect.mcp.tool import Data, Given, Told, Tool
from recollect.memory import ScopedMemory
from recollect.retrieval.exploration import Explored, Part

DESCRIPTION = """\
See the larger picture that many documents and talks make together: themes over months (granularity 3), the stories of \
people and projects (2), or single documents and the people, concepts and things in them (1). Use it for questions \
about a course of events, a person or a project as a whole ("how did the job search go?", "who is Sarah?"); for single \
facts use `recall`.

Begin with granularity 2 or 3, then drill down: give the id of a hit as `within`, with or without a question, to see \
what it is made of."""


class Question(Given):
    """A question with a threshold of its own."""

    query: str
    threshold: float | None = Field(None, ge=0, le=1)


class Explore(Given):
    """What to look for, and how closely."""

    queries: list[str | Question] = Field(
        default_factory=list, max_length=20, description="What you want to know; may be empty with `within`."
    )
    granularity: Literal[1, 2, 3] = Field(2, description="1 documents and nodes, 2 storylines, 3 themes over months.")
    mode: Literal["full", "fast"] = Field("full", description="fast ranks by meaning alone.")
    within: UUID | None = Field(None, description="Drill down into this theme, storyline, or node.")
    limit: int = Field(5, ge=1, le=30, description="How many hits at most.")
    threshold: float | None = Field(None, ge=0, le=1, description="The least evidence for a hit.")
    include: list[Literal["archived", "expired"]] = Field(default_factory=list, description="Also what has faded.")
    tokens: Tokens = 1_500


class Below(Data):
    """Something that a hit is made of, or is about."""

    id: UUID
    kind: str
    title: str | None


class Found(Data):
    """A theme, story, document or node."""

    id: UUID
    kind: str
    type: str | None
    name: str
    text: str
    """What it is, what it says and what hangs on it; shortened where it is long."""
    score: float
    parts: list[Below]
    """The newest of what it is made of; their ids go into `within`."""
    all_parts: int
    about: list[Below]


class Picture(Data):
    """What was found, best first."""

    hits: list[Found]
    relations: list[str]
    """Relations that say what was asked."""
    left_out: int


async def explore(memory: ScopedMemory, given: Explore) -> Told:
    """Explore, and tell as much as there is room for."""
    found = await memory.explore(
        [each if isinstance(each, str) else each.model_dump(exclude_none=True) for each in given.queries],
        given.granularity,
        given.mode,
        given.within,
        limit=given.limit,
        threshold=given.threshold,
        include=given.include,
    )
    room = Room(given.tokens, texts=len(found) + len(found.relations))
    hits = [(hit, text) for hit in found.hits if (text := room.take(hit.compact())) is not None]
    ties = [text for near in found.relations if (text := room.take(str(near.relation))) is not None]
    told = recalled([text for _, text in hits] + ties, "Nothing was found.", room)
    data = Picture(hits=[_found(hit, text) for hit, text in hits], relations=ties, left_out=room.left_out)
    return Told(told, data)


def _found(hit: Explored, text: str) -> Found:
    memory = hit.memory
    return Found(
        id=memory.id,
        kind=memory.kind,
        type=memory.type,
        name=name_of(memory),
        text=text,
        score=round(hit.score, 4),
        parts=[_below(part) for part in hit.parts],
        all_parts=hit.all_parts,
        about=[_below(part) for part in hit.about],
    )


def _below(part: Part) -> Below:
    return Below(id=part.id, kind=part.kind, title=part.title and part.title[:_TITLE])


_TITLE = 120


TOOL = Tool("explore", "Explore themes, stories and people", DESCRIPTION, Explore, Picture, explore)
