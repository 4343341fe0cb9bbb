"""What search knows of each space before it asks: kept in the process, brought up to date by searches."""

from dataclasses import dataclass, field
from time import monotonic
from typing import Any


@dataclass(frozen=True, slots=True)
class SpaceStatistics:
    """A space as its statistics describe it."""

    entries: int = 0
    weighted_length: float = 0.0
    kinds: dict[str, int] = field(default_factory=dict)
    speakers: tuple[str, ...] = ()
    vector_index: str | None = None
    timezone: str | None = None

    def entries_of(self, kinds: tuple[str, ...] | None) -> int:
        """How many entries are of one of these kinds."""
        return self.entries if kinds is None else sum(self.kinds.get(kind, 0) for kind in kinds)


def statistics_of(rows: list[Any]) -> SpaceStatistics:
    """The row of a space, if it has one yet."""
    if not rows:
        return SpaceStatistics()
    row = rows[0]
    return SpaceStatistics(
        row.entries,
        row.weighted_length,
        row.kinds,
        tuple(row.speakers),
        row.vector_index,
        row.timezone,
    )


_FRESH = 2.0  # seconds


class Known:
    """The statistics last seen of each space. A stale answer costs speed or a name not recognised, never a hit."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._spaces: dict[str, tuple[float, SpaceStatistics]] = {}

    def get(self, space: str) -> SpaceStatistics | None:
        """What is known, if anything."""
        seen = self._spaces.get(space)
        return seen and seen[1]

    def is_stale(self, space: str) -> bool:
        """Whether it is time to look again."""
        seen = self._spaces.get(space)
        return seen is None or monotonic() - seen[0] > _FRESH

    def forget(self, space: str) -> None:
        """Look again before the next search."""
        self._spaces.pop(space, None)

    def put(self, space: str, statistics: SpaceStatistics) -> None:
        """Remember what was just read; the longest unseen space makes room."""
        self._spaces.pop(space, None)
        self._spaces[space] = (monotonic(), statistics)
        if len(self._spaces) > self._most:
            del self._spaces[next(iter(self._spaces))]
