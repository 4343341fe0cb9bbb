"""What understanding reads and what it yields, as values. The same whether rules or a language model did it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

FactType = Literal["identity", "preference", "constraint", "instruction"]
StatementType = Literal["fact", "decision", "preference", "constraint", "goal"]
MilestoneType = Literal["decision", "solution", "breakthrough", "issue", "completion", "pivot"]

THE_USER = "The user"
"""Who is meant where the owner's name is not known."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message as it is to be understood."""

    text: str
    role: str
    speaker: str | None
    """The name that statements call the speaker by; None: not known."""
    own: bool
    """Whether the owner of the memory speaks: only then are there profile facts and instructions."""
    at: datetime
    zone: str
    """The time zone in which "last Friday" is a day."""
    before: str | None = None
    """What was said just before, by whomever."""
    spoken_of: "tuple[Fact, ...]" = ()
    """Facts that the talk was about just before: what a bare "actually, it's …" corrects."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A keyed fact about the owner: one value for a key, or one of several where the key holds many."""

    type: FactType
    key: str
    value: str
    confidence: float
    importance: float = 0.8
    correction: bool = False
    """Said as a correction ("actually, it's …"): counts as certain."""
    ended: bool = False
    """It is the end of this value that was said ("I'm no longer …")."""
    first_person: bool = True
    """Said by the owner about themself, in so many words; else inferred."""
    quote: str = ""
    """The words that it was taken from."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Free knowledge in the third person, one or two sentences, by the writing rules."""

    type: StatementType
    content: str
    confidence: float
    importance: float | None = None
    about: str | None = None
    """The person it is about, by name."""
    happened: datetime | None = None
    """When what it tells happened or will happen, where it says so."""
    ends: bool = False
    """It says that something no longer holds."""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Understood:
    """What one message taught."""

    facts: tuple[Fact, ...] = ()
    statements: tuple[Statement, ...] = ()
    rejected: Mapping[str, int] = field(default_factory=dict)
    """How many drafts the writing rules refused, by reason."""
    written: int = 0
    """How many drafts were made: with `rejected`, the pass rate of the writing rules."""


@dataclass(frozen=True, slots=True)
class Line:
    """One message of a stretch that is to be summarised."""

    turn: int
    role: str
    speaker: str | None
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Summary:
    """A stretch of talk in few words."""

    text: str
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Milestone:
    """Something that happened in a talk and is worth telling."""

    type: MilestoneType
    title: str
    summary: str
    context: str
    participants: tuple[str, ...]
    outcome: str | None
    valence: float
    """From -1, bad, to 1, good."""
    significance: float
    first_turn: int
    last_turn: int
