"""What each kind of memory is by default: its tier, category, importance and confidence."""

from dataclasses import dataclass
from typing import Literal

Tier = Literal["short", "long"]


@dataclass(frozen=True, slots=True)
class Kind:
    """The defaults of one kind."""

    tier: Tier
    category: str
    importance: float = 0.5
    confidence: float = 1.0
    episodic: bool = False  # something that happened, rather than something known
    knowledge: bool = False  # raises the space's revision and appears in the change log
    linked: bool = False  # linked to its nearest neighbours on write
    forgettable: bool = False  # derived, so that the forgetting job may take it
    node: bool = False  # stands in the graph by itself, whether or not a relation leads to it


KINDS: dict[str, Kind] = {
    "turn": Kind("short", "activity", episodic=True),
    "source": Kind("short", "knowledge", episodic=True, node=True),
    "chunk": Kind("short", "knowledge", episodic=True),
    "profile": Kind("long", "profile", importance=0.8, knowledge=True),
    "statement": Kind("long", "knowledge", knowledge=True, linked=True, forgettable=True),
    "episode": Kind("long", "event", importance=0.6, episodic=True, knowledge=True, linked=True, forgettable=True),
    "insight": Kind("long", "relationship_dynamic", importance=0.4, knowledge=True, linked=True, forgettable=True),
    "procedure": Kind("long", "procedural", knowledge=True, linked=True, forgettable=True),
    "person": Kind("long", "relationships", node=True),
    "concept": Kind("long", "knowledge", node=True),
    "entity": Kind("long", "knowledge", node=True),
    "storyline": Kind("long", "knowledge", node=True),
    "macro": Kind("long", "knowledge", node=True),
    "item": Kind("long", "knowledge"),
}

# Types of a statement, with the category and importance that go with them.
STATEMENT_TYPES: dict[str, tuple[str, float]] = {
    "fact": ("knowledge", 0.5),
    "decision": ("knowledge", 0.7),
    "preference": ("preferences", 0.6),
    "constraint": ("constraints", 0.6),
    "goal": ("goals", 0.8),
}

# Kinds that a caller may add as they are; the others are made by their own verbs.
ADDABLE: frozenset[str] = frozenset({"statement", "episode", "insight", "procedure"})

EPISODIC_KINDS: tuple[str, ...] = tuple(name for name, kind in KINDS.items() if kind.episodic)
FORGETTABLE_KINDS: tuple[str, ...] = tuple(name for name, kind in KINDS.items() if kind.forgettable)
KNOWLEDGE_KINDS: tuple[str, ...] = tuple(name for name, kind in KINDS.items() if kind.knowledge)
GRAPH_KINDS: tuple[str, ...] = tuple(name for name, kind in KINDS.items() if kind.node)
LINKED_KINDS: tuple[str, ...] = tuple(name for name, kind in KINDS.items() if kind.linked)


# A stretch of a conversation in few words; the other episodes are milestones, or what a caller added.
CHUNK = "chunk"


def is_knowledge(kind: str, type: str | None) -> bool:
    """Whether a change of it raises the revision: a chunk of a conversation says nothing that was not said before."""
    return KINDS[kind].knowledge and not (kind == "episode" and type == CHUNK)


def default_category(kind: str, type: str | None) -> str:
    """Where a memory belongs when nobody said so."""
    if kind == "statement" and type in STATEMENT_TYPES:
        return STATEMENT_TYPES[type][0]
    return KINDS[kind].category


def default_importance(kind: str, type: str | None) -> float:
    """How much a memory matters when nobody said so."""
    if kind == "statement" and type in STATEMENT_TYPES:
        return STATEMENT_TYPES[type][1]
    return KINDS[kind].importance
