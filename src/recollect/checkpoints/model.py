"""What checkpoints look like to the rest of Recollect."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class SavedCheckpoint:
    """One version of a thread's state, without the state."""

    thread_id: str
    version: int
    bytes: int
    saved_by: str | None
    """The agent that saved it."""
    saved_at: datetime


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One version of a thread's state."""

    thread_id: str
    version: int
    state: Any
    saved_by: str | None
    saved_at: datetime


@dataclass(frozen=True, slots=True)
class Packed:
    """A value as bytes, and how they are to be read."""

    type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Place:
    """Where a graph's checkpoints lie: a thread of the scope's owner, and a subgraph of it or the graph itself."""

    thread_id: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class GraphCheckpoint:
    """A checkpoint of a graph. `versions` lists the channels that lie apart, `values` what there is of them."""

    place: Place
    id: str
    parent_id: str | None
    content: Packed
    metadata: Mapping[str, Any]
    run_id: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Packed] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Write:
    """What a task wrote into a channel after a checkpoint."""

    task_id: str
    task_path: str
    place: int
    """Its number among those of the task; below zero what stands once, such as an error."""
    channel: str
    content: Packed


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which checkpoints of graphs to list; None: whichever."""

    thread_id: str | None = None
    namespace: str | None = None
    id: str | None = None
    before: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
