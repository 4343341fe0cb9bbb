"""What is found in a text for the graph: nodes by name, and relations between them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from recollect.records.model import Memory, Passage

Lifetime = Literal["week", "month", "year", "forever"]
_PLAIN = re.compile(r"[^\w+#.]+")


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
    """A name as nodes are resolved by: lower case, hyphenated."""
    return _PLAIN.sub("-", name.casefold()).strip("-.")


def overlap(one: frozenset[object], other: frozenset[object]) -> float:
    """The share of the smaller set that the other one holds too; 1 where one of them has nothing to compare."""
    if not one or not other:
        return 1.0
    return len(one & other) / min(len(one), len(other))


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
