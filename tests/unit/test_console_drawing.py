"""What pages of the console draw, as numbers."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from recollect.console import drawing
from recollect.flows.overview import GrownDay
from recollect.records.kinds import KINDS
from recollect.records.model import HistoryEntry, Memory, Provenance

NOW = datetime(2026, 3, 18, tzinfo=UTC)


def memory(**given: Any) -> Memory:
    values: dict[str, Any] = dict.fromkeys(Memory.__slots__)
    return Memory(**(values | {"provenance": Provenance(), "happened_at": NOW - timedelta(days=10)} | given))


def entry(days: int) -> HistoryEntry:
    at = NOW - timedelta(days=days)
    return HistoryEntry(uuid4(), uuid4(), "UPDATE", 1, at, None, None, None, {}, None)


def test_every_kind_has_a_family() -> None:
    assert {kind for kinds in drawing.FAMILIES.values() for kind in kinds} == set(KINDS)


def test_channels_come_by_weight_and_never_leave_their_bar() -> None:
    bars = drawing.channels({"keyword": 0.5, "semantic": 1.0, "recency": 0.001, "relation": -0.2}, 1.0)
    assert [(bar.name, bar.length) for bar in bars] == [("semantic", 100), ("keyword", 50), ("relation", 0)]
    assert drawing.channels({"semantic": 0.5}, 0.0)[0].length == 0


def test_days_are_stacked_against_the_largest() -> None:
    growth = [GrownDay(date(2026, 3, 1), {"turn": 2, "statement": 1, "person": 1}), GrownDay(date(2026, 3, 2), {})]
    first, second = drawing.columns(growth)
    assert first.pieces == (("said", 0, 50), ("known", 50, 25), ("connected", 75, 25))
    assert (second.total, second.pieces) == (0, ())
    assert [column.pieces for column in drawing.columns(growth[1:])] == [()]


def test_a_validity_lies_among_the_moments_of_its_history() -> None:
    open_one = drawing.timeline(memory(), [entry(10), entry(5)], NOW)
    assert (open_one.start, open_one.end, open_one.open) == (0, 100, True)
    assert [place for _, _, place in open_one.ticks] == [0, 50]
    ended = drawing.timeline(replace(memory(), valid_until=NOW - timedelta(days=5)), [], NOW)
    assert (ended.start, ended.end, ended.open) == (0, 50, False)


@pytest.mark.parametrize("history", [[], [entry(0)]])
def test_a_moment_without_length_is_whole(history: list[HistoryEntry]) -> None:
    line = drawing.timeline(memory(happened_at=NOW), history, NOW)
    assert (line.start, line.end) == (0, 100)
