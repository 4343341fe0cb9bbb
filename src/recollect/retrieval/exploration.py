"""What an exploration finds, and how it reads: hits of one granularity, each with a glimpse of what lies below."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import overload
from uuid import UUID

from recollect.graph.model import Edge, name_of
from recollect.records.model import Memory

_LINE = 200
_TEXT = 600


@dataclass(frozen=True, slots=True)
class Part:
    """Something that lies below a hit, or that it is about: enough to choose by."""

    id: UUID
    kind: str
    type: str | None
    title: str | None
    summary: str
    at: datetime
    state: str
    sources: int | None = None
    """Of a storyline."""
    first_at: str | None = None
    last_at: str | None = None

    def __str__(self) -> str:
        named = f"{self.title}: " if self.title else ""
        span = (
            f"{self.first_at[:10]} to {self.last_at[:10]}" if self.first_at and self.last_at else f"{self.at:%Y-%m-%d}"
        )
        counted = f", {self.sources} sources" if self.sources else ""
        faded = ", archived" if self.state == "archived" else ""
        return f"{span} ({self.type or self.kind}{counted}{faded}) {named}{_short(self.summary, _LINE)}"


@dataclass(frozen=True, slots=True)
class Explored:
    """A memory that was found. The parts of `why` add up to `score`."""

    memory: Memory
    score: float
    why: dict[str, float]
    evidence: float
    queries: tuple[str, ...]
    """Those that found it, the one that found it best first."""
    parts: tuple[Part, ...] = ()
    """The newest sources of a storyline, or storylines of a macro."""
    all_parts: int = 0
    about: tuple[Part, ...] = ()
    """The nodes that a storyline or macro is about."""
    relations: tuple[Edge, ...] = ()
    """The strongest of a node."""
    entities: tuple[Memory, ...] = ()
    """The nodes that a source mentions."""

    def __str__(self) -> str:
        memory = self.memory
        kind = memory.kind if memory.type is None else f"{memory.kind}, {memory.type}"
        lines = [f"{self.score:.2f}  {name_of(memory)} ({kind}, {memory.happened_at:%Y-%m-%d})  {memory.id}"]
        said = _short(memory.summary or memory.content, _TEXT)
        lines += [f"      {said}"] if said != name_of(memory) else []
        lines += [f"      about {', '.join(part.title or part.summary for part in self.about)}"] if self.about else []
        lines += [f"      mentions {', '.join(map(name_of, self.entities))}"] if self.entities else []
        lines += [f"      {edge}" for edge in self.relations]
        lines += [f"    - {part}" for part in self.parts]
        more = self.all_parts - len(self.parts)
        return "\n".join([*lines, f"    - and {more} more"] if more else lines)

    def compact(self) -> str:
        """For an agent: what it is, its id to drill down by, what it says, and what hangs on it."""
        memory = self.memory
        said = _short(memory.summary or memory.content, _LINE)
        head = f"[{memory.kind} {memory.id}] {name_of(memory)}"
        lines = [head if said == name_of(memory) else f"{head}: {said}", *(f"  {edge}" for edge in self.relations)]
        lines += [f"  - {part.id} {part}" for part in self.parts]
        more = self.all_parts - len(self.parts)
        return "\n".join([*lines, f"  - … {more} more"] if more else lines)


@dataclass(frozen=True, slots=True)
class NearRelation:
    """A relation that says what was asked."""

    relation: Edge
    evidence: float
    queries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exploration(Sequence[Explored]):
    """What was found for several questions at once, best first."""

    granularity: int
    within: Memory | None
    hits: tuple[Explored, ...]
    relations: tuple[NearRelation, ...] = ()

    @overload
    def __getitem__(self, place: int) -> Explored: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Explored]: ...
    def __getitem__(self, place: int | slice) -> Explored | Sequence[Explored]:
        """A hit by its rank."""
        return self.hits[place]

    def __len__(self) -> int:
        """How many hits there are."""
        return len(self.hits)

    def __iter__(self) -> Iterator[Explored]:
        """The hits, best first."""
        return iter(self.hits)

    def __str__(self) -> str:
        found = [str(hit) for hit in self.hits] + [f"{near.evidence:.2f}  {near.relation}" for near in self.relations]
        return "\n".join(found) or "Nothing found."

    def compact(self) -> str:
        """For an agent, with ids to drill down by."""
        found = [hit.compact() for hit in self.hits] + [str(near.relation) for near in self.relations]
        return "\n".join(found) or "nothing found"


def _short(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
