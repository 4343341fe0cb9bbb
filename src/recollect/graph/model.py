"""What is found in a text for the graph, nodes by name and relations between them; and what a walk in it finds."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from recollect.core.scope import Sensitivity
from recollect.records.model import Memory, Passage

Lifetime = Literal["week", "month", "year", "forever"]
_PLAIN = re.compile(r"[^\w+#.]+")
_MARKS = re.compile("[\u0300-\u036f]")
_NAME_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, concept or thing that a text names."""

    kind: str
    """`person`, `concept` or `entity`."""
    type: str
    """Of an entity; empty for the others."""
    name: str
    confidence: float = 0.8
    denied: bool = False
    """Whether the text names it only to say that something does not, or no longer, hold of it."""
    aliases: tuple[str, ...] = ()
    """Other names by which the text calls it."""
    points: int = 1
    """How many things the text says about it."""

    @property
    def key(self) -> tuple[str, str, str]:
        """By what it is resolved within a space."""
        return self.kind, self.type, canonical(self.name)


@dataclass(frozen=True, slots=True)
class Link:
    """A relation between two things that a text names."""

    subject: tuple[str, str, str]
    type: str
    object: tuple[str, str, str]
    confidence: float = 0.8
    strength: float = 0.5
    denied: bool = False
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a text says of a node, to be noted on it."""

    about: tuple[str, str, str]
    """The key of the entity."""
    text: str
    lifetime: Lifetime = "month"


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a text says about the graph."""

    entities: tuple[Entity, ...] = ()
    links: tuple[Link, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The canonical names."""
        return frozenset(entity.key[2] for entity in self.entities)

    @property
    def ties(self) -> frozenset[tuple[str, str, str]]:
        """The relations by names."""
        return frozenset((link.subject[2], link.type, link.object[2]) for link in self.links if not link.denied)


@dataclass(frozen=True, slots=True)
class Tie:
    """A relation between nodes, as it is stored."""

    id: UUID
    from_id: UUID
    to_id: UUID
    type: str


def canonical(name: str) -> str:
    """A name as nodes are resolved by: lower case, hyphenated. No mark that lower case leaves parts a word: İnci."""
    folded = name.casefold()
    return _hyphenated(folded if folded.isascii() else _MARKS.sub("", unicodedata.normalize("NFC", folded)))


def keys_of(name: str) -> tuple[str, ...]:
    """What a node of this name may be known by: its canonical name, and as marks parted it in version 0.1."""
    now = canonical(name)
    before = now if name.isascii() else _hyphenated(name.casefold())
    return (now,) if before == now else (now, before)


def _hyphenated(name: str) -> str:
    return _PLAIN.sub("-", name).strip("-.")


def overlap(one: frozenset[object], other: frozenset[object]) -> float:
    """The share of the smaller set that the other one holds too; 1 where one of them has nothing to compare."""
    if not one or not other:
        return 1.0
    return len(one & other) / min(len(one), len(other))


@dataclass(frozen=True, slots=True)
class Ways:
    """Which relations and nodes a walk may take."""

    now: datetime
    types: tuple[str, ...] | None = None
    """None: all that say something of nodes, which leaves out the structural ones."""
    include: frozenset[str] = frozenset()
    """`archived`, `expired`."""
    valid_at: datetime | None = None
    sensitivity: Sensitivity = "normal"

    @property
    def until(self) -> datetime | None:
        """The moment after which what is walked must not have ended; None: whatever has ended counts too."""
        return None if "expired" in self.include and self.valid_at is None else self.valid_at or self.now

    @property
    def hidden(self) -> tuple[str, ...]:
        """The states of what is not walked."""
        return ("soft_deleted",) if "archived" in self.include else ("archived", "soft_deleted")


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two nodes, with their names."""

    id: UUID
    from_id: UUID
    to_id: UUID
    from_name: str
    to_name: str
    type: str
    description: str | None
    strength: float
    valid_from: datetime
    valid_until: datetime | None
    confidence: float
    state: str

    def __str__(self) -> str:
        return f"{self.from_name} -{self.type}-> {self.to_name} ({self.strength:.1f})"


@dataclass(frozen=True, slots=True)
class Reached:
    """A node that a walk came to."""

    memory: Memory
    distance: int
    score: float
    """Its salience times the strength of the relation that led to it."""


@dataclass(frozen=True, slots=True)
class Traversal:
    """What lies around a node: nearest first, and within a distance the weightiest."""

    start: Memory
    nodes: tuple[Reached, ...]
    relations: tuple[Edge, ...]
    """Between the nodes shown, the start among them."""
    depth: int
    looked: int
    """The last distance that was looked at."""
    not_shown: int
    """Nodes that were met and had no room; what lies behind them is not counted."""
    not_followed: int
    """Relations of nodes with very many that were not looked at, being weaker than those that were."""

    @property
    def truncated(self) -> bool:
        """Whether there is more than is shown."""
        return bool(self.not_shown or self.not_followed or self.looked < self.depth)

    @property
    def cut(self) -> str | None:
        """What is not shown, in words."""
        said = [
            f"{self.not_shown:,} more nodes were met" if self.not_shown else "",
            f"{self.not_followed:,} weaker relations were not followed" if self.not_followed else "",
            f"nothing farther than {self.looked} was looked at" if self.looked < self.depth else "",
        ]
        return "; ".join(filter(None, said)) or None

    def __str__(self) -> str:
        lines = [f"{name_of(self.start)} ({self.start.kind})"]
        for distance in range(1, self.looked + 1):
            reached = [node for node in self.nodes if node.distance == distance]
            shown = (f"{name_of(node.memory)} ({node.memory.kind})" for node in reached)
            lines += [f"{distance} away: {', '.join(shown)}"] if reached else []
        lines += [f"  {edge}" + (f": {edge.description}" if edge.description else "") for edge in self.relations]
        return "\n".join([*lines, f"Not shown: {self.cut}."] if self.cut else lines)

    def compact(self) -> str:
        """For an agent: a line for each relation, and what was left out."""
        lines = [str(edge) for edge in self.relations] or [f"{name_of(self.start)}: no relations"]
        return "\n".join([*lines, f"… {self.cut}"] if self.cut else lines)


@dataclass(frozen=True, slots=True)
class Route:
    """A shortest way between two nodes: the relations lie between the nodes, in order."""

    nodes: tuple[Memory, ...]
    relations: tuple[Edge, ...]

    @property
    def ids(self) -> tuple[UUID, ...]:
        """Of its nodes and relations."""
        return tuple(node.id for node in self.nodes) + tuple(edge.id for edge in self.relations)

    def __len__(self) -> int:
        """How many relations lie between the two."""
        return len(self.relations)

    def __bool__(self) -> bool:
        """A way is there, even from a node to itself."""
        return True

    def __str__(self) -> str:
        lines = [f"{edge}" + (f": {edge.description}" if edge.description else "") for edge in self.relations]
        return "\n".join(lines) or name_of(self.nodes[0])

    def compact(self) -> str:
        """In one line: `Sarah Chen -works_at-> Acme Corp <-part_of- Payments`."""
        steps = [name_of(self.nodes[0])]
        for node, edge in zip(self.nodes, self.relations, strict=False):
            steps += (
                [f"-{edge.type}->", edge.to_name] if edge.from_id == node.id else [f"<-{edge.type}-", edge.from_name]
            )
        return " ".join(steps)


@dataclass(frozen=True, slots=True)
class Match(Route):
    """Nodes and relations that lie as a pattern says: a node for each place of it, the relations between them."""


def name_of(memory: Memory) -> str:
    """What a node is called; of what has no name, how it begins."""
    line = " ".join((memory.title or memory.summary or memory.content).split())
    return line if len(line) <= _NAME_LENGTH else line[: _NAME_LENGTH - 1] + "…"


@dataclass(frozen=True, slots=True)
class Node(Memory):
    """A person, concept or thing, with what is counted of it."""

    notes: int = 0
    sources: int = 0
    """How many of them mention it."""
    days: int = 0
    """On how many days they lie."""
    first_mentioned_at: datetime | None = None
    last_mentioned_at: datetime | None = None

    @property
    def name(self) -> str:
        """What it is called."""
        return self.title or self.content

    @property
    def aliases(self) -> tuple[str, ...]:
        """What else it is called."""
        return tuple(self.data.get("aliases", ()))

    @property
    def description(self) -> str | None:
        """What it is, where more is known than its name."""
        return None if self.content == self.title else self.content

    @property
    def is_owner(self) -> bool:
        """Whether it stands for the owner of the space."""
        return self.data.get("owner") is True


@dataclass(frozen=True, slots=True)
class Merge:
    """Two nodes that may be one, or were made one."""

    id: UUID
    status: str
    """`proposed`, `merged`, `refused` or `undone`."""
    kept_id: UUID
    kept_name: str
    gone_id: UUID
    gone_name: str
    kind: str
    similarity: float | None
    """Calibrated; None where somebody, or a text, says that they are one."""
    proposed_at: datetime
    decided_at: datetime | None
    decided_by: str | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """Vectors that were made before the transaction: of names that may be new, and of what relations say."""

    names: Mapping[tuple[str, str, str], tuple[Passage, ...]] = field(default_factory=dict)
    ties: Mapping[tuple[tuple[str, str, str], str, tuple[str, str, str]], Passage] = field(default_factory=dict)


def node_words(title: str, content: str, aliases: Iterable[str]) -> str:
    """The words that a node is found by: its description, and those of its names that it does not hold."""
    names = [name for name in dict.fromkeys([title, *aliases]) if name not in content]
    return ". ".join([*names, content])


def node_meaning(title: str, content: str) -> str:
    """What a node is about: its name, with its description where that does not begin with it."""
    return content if content.startswith(title) else f"{title}: {content}"


def tie_text(subject: str, type: str, object: str, description: str | None, notes: Iterable[str] = ()) -> str:
    """What a relation says, as a text that a question can be compared with."""
    said = "; ".join([text for text in (description, *notes) if text])
    tie = f"{subject} {type.replace('_', ' ')} {object}"
    return f"{tie}: {said}"[:_LONGEST_TIE] if said else tie


_LONGEST_TIE = 1_000
