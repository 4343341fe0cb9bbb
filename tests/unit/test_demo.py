"""The life that the demo tells."""

import json
from datetime import UTC, datetime, timedelta
from uuid import UUID

from recollect import demo

NOW = datetime(2026, 11, 18, 0, 40, tzinfo=UTC)


def said(now: datetime) -> list[dict[str, str]]:
    return [line for line in map(json.loads, demo.lines(now)) if line.get("role") and "id" in line]


def test_a_list_in_the_order_of_ids_is_one_of_dates() -> None:
    lines = said(NOW)
    assert sorted(lines, key=lambda line: UUID(line["id"])) == sorted(lines, key=lambda line: line["at"])


def test_it_is_the_same_on_every_day() -> None:
    later = said(NOW + timedelta(days=40))
    assert [line["id"] for line in said(NOW)] == [line["id"] for line in later]
    assert len({line["id"] for line in later}) == len(later)
