"""Identifiers: version 7, rising, unique."""

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from uuid import RFC_4122

import pytest

from recollect.core import ids
from recollect.core.ids import new_id, new_ids


def milliseconds(value: int) -> int:
    return value >> 80


def test_version_and_variant() -> None:
    for each in new_ids(100):
        assert (each.version, each.variant) == (7, RFC_4122)


def test_they_hold_the_time() -> None:
    before = time.time_ns() // 1_000_000
    made = milliseconds(new_id().int)
    # A burst counts ahead of the clock by a millisecond for every 4,096 of them.
    assert before <= made <= time.time_ns() // 1_000_000 + 100


def test_they_rise_strictly() -> None:
    assert all(first < second for first, second in pairwise(new_ids(20_000)))


def test_as_text_they_rise_too() -> None:
    made = [str(each) for each in new_ids(5_000)]
    assert made == sorted(made)


def test_a_clock_that_goes_back_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    first = new_id()
    monkeypatch.setattr(ids.time, "time_ns", lambda: 0)
    second = new_id()
    assert second > first


def test_unique_and_rising_in_every_thread() -> None:
    with ThreadPoolExecutor(8) as pool:
        batches = list(pool.map(lambda _: new_ids(5_000), range(8)))
    assert len({each for batch in batches for each in batch}) == 40_000
    assert all(first < second for batch in batches for first, second in pairwise(batch))
