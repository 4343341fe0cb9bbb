"""What there is, in numbers: memories by kind and state, how they grew, and what was said."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from recollect.conversation.service import CATEGORY as SAID
from recollect.core.scope import Scope
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.flows.parts import Parts
from recollect.records.filters import allowed_sensitivities

QUERIES = load("recollect.flows", "overview.sql")


@dataclass(frozen=True, slots=True)
class GrownDay:
    """What is from one day, by kind."""

    day: date
    kinds: dict[str, int]

    @property
    def total(self) -> int:
        """Of all kinds."""
        return sum(self.kinds.values())


@dataclass(frozen=True, slots=True)
class Overview:
    """The spaces of a scope in numbers."""

    spaces: tuple[str, ...]
    timezone: str
    counts: dict[str, dict[str, int]]
    """By kind, then by state; `pending` is a state here."""
    growth: tuple[GrownDay, ...]
    """The oldest day first; the last is today."""
    conversations: int
    messages: int

    @property
    def standing(self) -> int:
        """Memories that a search may find."""
        return sum(self.states.get(state, 0) for state in ("candidate", "active", "core"))

    @property
    def states(self) -> dict[str, int]:
        """How many stand in each state, whatever their kind."""
        total: Counter[str] = Counter()
        for states in self.counts.values():
            total.update(states)
        return dict(total)


async def overview(parts: Parts, scope: Scope, days: int) -> Overview:
    """Count in every space that a scope reads; of what was said, in the one that it writes."""
    zone = await parts.searcher.zone(scope.readable)
    today = parts.clock().astimezone(ZoneInfo(zone)).date()
    first = today - timedelta(days=days - 1)
    counted = _Counted({}, {})
    for space in scope.readable:
        async with parts.database.transaction(space) as connection:
            await counted.add(connection, space, scope, zone, first)
    conversations, messages = await _said(parts, scope) if scope.sees(SAID) else (0, 0)
    growth = [first + timedelta(days=place) for place in range(days)]
    grown = tuple(GrownDay(day, dict(counted.growth.get(str(day), {}))) for day in growth)
    return Overview(scope.readable, zone, counted.kinds, grown, conversations, messages)


@dataclass(frozen=True, slots=True)
class _Counted:
    """Numbers of several spaces, added up."""

    kinds: dict[str, dict[str, int]]
    growth: dict[str, Counter[str]]

    async def add(self, connection: Connection, space: str, scope: Scope, zone: str, first: date) -> None:
        """What one space has."""
        since = datetime.combine(first, time(), ZoneInfo(zone))
        asked = {"space": space, "zone": zone, "since": since}
        asked |= {"sensitivity": allowed_sensitivities(scope.sensitivity)}
        cursor = await connection.execute(QUERIES["counts"], asked)
        for row in await cursor.fetchall():
            states = self.kinds.setdefault(row.kind, {})
            states[row.state] = states.get(row.state, 0) + row.count
        cursor = await connection.execute(QUERIES["growth"], asked)
        for row in await cursor.fetchall():
            self.growth.setdefault(row.day, Counter())[row.kind] += row.count


async def _said(parts: Parts, scope: Scope) -> Sequence[int]:
    async with parts.database.transaction(scope.space) as connection:
        owners = list({scope.owner, ""})
        cursor = await connection.execute(QUERIES["said"], {"space": scope.space, "owners": owners})
        row = await cursor.fetchone()
    return (row.conversations, row.messages) if row else (0, 0)
