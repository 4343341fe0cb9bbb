"""How a memory stands on a day of its simulated life: counts, what is left of single memories, stories."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.db.sql import load
from recollect.graph.names import NODE_KINDS
from recollect.memory import Recollect

QUERIES = load("recollect.simulation")

FOLLOWED = ("source", *NODE_KINDS)
"""Kinds whose memories are followed one by one: those that decay archives, less the few stories."""
AWAY = ("archived", "soft_deleted")


@dataclass(frozen=True, slots=True)
class StoryOf:
    """A storyline or macro on one day."""

    id: UUID
    kind: str
    about: str
    sources: int


@dataclass(frozen=True, slots=True)
class Sample:
    """How the memory stood on one day."""

    day: int
    states: dict[str, dict[str, int]]
    """Memories of each kind in each state; relations are a kind too."""
    salience: dict[str, float]
    """The mean of what each kind has left."""
    stories: tuple[StoryOf, ...]
    visible: int
    """Entries that the default search reads."""
    entries: int
    done: dict[str, int]
    """What the nights since the last sample did: archived by each job, soft-deleted, purged."""

    def count(self, *kinds: str) -> int:
        """Memories of these kinds that are not put away."""
        return sum(number for kind in kinds for state, number in self.states.get(kind, {}).items() if state not in AWAY)

    def in_state(self, state: str, *kinds: str) -> int:
        """Memories of these kinds in a state."""
        return sum(self.states.get(kind, {}).get(state, 0) for kind in kinds)


@dataclass(slots=True)
class Track:
    """One memory over the days on which somebody looked."""

    id: UUID
    kind: str
    ttl_policy: str
    confidence: float
    title: str = ""
    days: list[int] = field(default_factory=list)
    recalls: list[int] = field(default_factory=list)
    salience: list[float] = field(default_factory=list)
    states: list[str] = field(default_factory=list)

    @property
    def state(self) -> str:
        """How it stood last."""
        return self.states[-1]

    @property
    def recalled(self) -> int:
        """How often it was recalled in all."""
        return self.recalls[-1]

    def see(self, day: int, row: Any) -> None:
        """One more day."""
        self.confidence = row.confidence
        self.days.append(day)
        self.recalls.append(row.recalls)
        self.salience.append(row.salience)
        self.states.append(row.state)


class Observer:
    """Looks at the space of the simulated user from time to time."""

    def __init__(self, rc: Recollect, space: str) -> None:
        self._rc = rc
        self._space = space
        self.tracks: dict[UUID, Track] = {}

    async def look(self, day: int, now: datetime, done: dict[str, int]) -> Sample:
        """How everything stands; what is followed gets one more point."""
        settings = self._rc.settings
        asked = {"space": self._space, "now": now, "rate": settings.decay_rate, "confident": settings.decay_confident}
        async with self._rc.parts.database.transaction(self._space) as connection:
            standing = await (await connection.execute(QUERIES["standing"], asked)).fetchall()
            each = await (await connection.execute(QUERIES["each"], asked | {"kinds": list(FOLLOWED)})).fetchall()
            stories = await (await connection.execute(QUERIES["stories"], asked)).fetchall()
            size = await (await connection.execute(QUERIES["searchable"], asked)).fetchone()
        for row in each:
            track = self.tracks.setdefault(row.id, Track(row.id, row.kind, row.ttl_policy, row.confidence))
            track.see(day, row)
        return Sample(
            day,
            _states(standing),
            {kind: _mean(standing, kind) for kind in {row.kind for row in standing}},
            tuple(StoryOf(row.id, row.kind, row.about, row.sources) for row in stories),
            size.visible if size else 0,
            size.entries if size else 0,
            done,
        )

    async def name(self, tracks: Iterable[Track]) -> None:
        """Give tracks the titles of their memories."""
        named = {track.id: track for track in tracks}
        asked = {"space": self._space, "ids": list(named)}
        async with self._rc.parts.database.transaction(self._space) as connection:
            for row in await (await connection.execute(QUERIES["titles"], asked)).fetchall():
                named[row.id].title = row.title


def _states(standing: Sequence[Any]) -> dict[str, dict[str, int]]:
    states: dict[str, dict[str, int]] = {}
    for row in standing:
        states.setdefault(row.kind, {})[row.state] = row.memories
    return states


def _mean(standing: Sequence[Any], kind: str) -> float:
    """The mean salience of a kind over its states."""
    rows = [row for row in standing if row.kind == kind]
    return float(sum(row.salience * row.memories for row in rows) / sum(row.memories for row in rows))
