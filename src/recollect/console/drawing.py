"""What pages draw: bars of scores, growth by day, validity in time. Numbers only; templates make them visible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.flows.overview import GrownDay
from recollect.records.model import HistoryEntry, Memory

LEAST = 0.005  # parts below this would round to nothing
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "said": ("turn", "source", "chunk"),
    "known": ("profile", "statement", "episode", "insight", "procedure", "item"),
    "connected": ("person", "concept", "entity", "storyline", "macro"),
}
"""Kinds as a chart groups them: what came in, what was learned, and how it hangs together."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a whole, with its length in percent."""

    name: str
    value: float
    length: float


def family(kind: str) -> str:
    """Which colour a kind has."""
    return next((name for name, kinds in FAMILIES.items() if kind in kinds), "known")


def channels(why: Mapping[str, float], most: float) -> list[Bar]:
    """The parts of a score, the largest first; `most` fills a bar."""
    parts = sorted(why.items(), key=lambda part: -part[1])
    return [Bar(name, value, _share(value, most)) for name, value in parts if abs(value) >= LEAST]


def largest(hits: Sequence[Any]) -> float:
    """The largest part of any hit, which fills a bar."""
    return max((part for hit in hits for part in hit.why.values()), default=0.0)


def _share(value: float, most: float) -> float:
    return round(100 * min(max(value, 0.0), most) / most, 1) if most > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Column:
    """A day of a chart: pieces with their bottom and height in percent."""

    day: Any
    total: int
    pieces: tuple[tuple[str, float, float], ...]


def columns(growth: Sequence[GrownDay]) -> list[Column]:
    """Growth by day, stacked by family."""
    most = max((day.total for day in growth), default=0)
    return [Column(day.day, day.total, tuple(_stacked(day, most))) for day in growth]


def _stacked(day: GrownDay, most: int) -> list[tuple[str, float, float]]:
    pieces, bottom = [], 0.0
    for name, kinds in FAMILIES.items():
        height = _share(sum(day.kinds.get(kind, 0) for kind in kinds), most)
        if height:
            pieces.append((name, round(bottom, 1), height))
            bottom += height
    return pieces


@dataclass(frozen=True, slots=True)
class Timeline:
    """When a memory holds, and what happened to it: places in percent between two moments."""

    first: datetime
    last: datetime
    start: float
    end: float
    open: bool
    ticks: tuple[tuple[str, datetime, float], ...]


def timeline(memory: Memory, history: Sequence[HistoryEntry], now: datetime) -> Timeline:
    """The validity of a memory among the moments of its history."""
    begins = memory.valid_from or memory.happened_at
    ends = memory.valid_until or now
    moments = [begins, ends, now, *(entry.at for entry in history)]
    first, last = min(moments), max(moments)
    span = (last - first).total_seconds()

    def place(moment: datetime) -> float:
        return round(100 * (moment - first).total_seconds() / span, 1) if span else 0.0

    ticks = tuple((entry.event, entry.at, place(entry.at)) for entry in history)
    end = place(ends) if span else 100.0
    return Timeline(first, last, place(begins), end, memory.valid_until is None, ticks)
