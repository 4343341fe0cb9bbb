"""The figures of the benchmarks: shares of gold found, ranks of threads, percentiles."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass


def recall_at(ranked: Sequence[str], gold: Collection[str], most: int) -> float:
    """The share of the gold ids among the first `most`; an id that is ranked twice counts once."""
    return len(set(gold) & set(ranked[:most])) / len(set(gold))


def any_at(ranked: Sequence[str], gold: Collection[str], most: int) -> float:
    """1 if one gold id is among the first `most`, else 0."""
    return float(not set(gold).isdisjoint(ranked[:most]))


def all_at(ranked: Sequence[str], gold: Collection[str], most: int) -> float:
    """1 if every gold id is among the first `most`, else 0."""
    return float(set(gold) <= set(ranked[:most]))


def by_best_hit(names: Iterable[str]) -> list[str]:
    """Threads in the order of their best hit, given the thread of each hit, best first."""
    return list(dict.fromkeys(names))


def mean(values: Collection[float]) -> float:
    """The mean; of nothing, not a number, so that nobody takes it for a result."""
    return sum(values) / len(values) if values else math.nan


def percentile(values: Collection[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


def overlap(first: Collection[str], second: Collection[str]) -> float:
    """The share of the second's members that the first holds too; 1 if the second is empty."""
    return len(set(first) & set(second)) / len(set(second)) if second else 1.0


@dataclass(frozen=True, slots=True)
class Limit:
    """A figure against what was promised."""

    name: str
    value: float
    limit: float
    at_most: bool = True
    unit: str = ""

    @property
    def kept(self) -> bool:
        """Whether the promise holds; a figure that is missing keeps none."""
        return self.value <= self.limit if self.at_most else self.value >= self.limit

    def to_json(self) -> dict[str, object]:
        """For the file of results."""
        bound = "at most" if self.at_most else "at least"
        return {"name": self.name, "value": self.value, bound: self.limit, "unit": self.unit, "kept": self.kept}
