"""What is found in a text for the graph: nodes by name, and relations between them."""

import re
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

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
