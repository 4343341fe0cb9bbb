"""Relative dates made absolute from the message's own date."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.understanding.keyless.dates import absolute

TUESDAY = date(2026, 3, 10)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("I ran yesterday", "I ran on 2026-03-09"),
        ("I ran the day before yesterday", "I ran on 2026-03-08"),
        ("We fly tomorrow", "We fly on 2026-03-11"),
        ("I ran last Friday", "I ran on 2026-03-06"),
        ("I ran last Tuesday", "I ran on 2026-03-03"),
        ("We meet next Tuesday", "We meet on 2026-03-17"),
        ("We meet this Friday", "We meet on 2026-03-13"),
        ("We meet on Friday evening", "We meet on 2026-03-13"),
        ("We agreed on Friday", "We agreed on 2026-03-06"),
        ("We meet on Fridays", "We meet on Fridays"),
        ("We meet every Friday", "We meet every Friday"),
        ("I moved three days ago", "I moved on 2026-03-07"),
        ("I moved two months ago", "I moved in 2026-01"),
        ("I moved five years ago", "I moved in 2021"),
        ("We leave in two weeks", "We leave on 2026-03-24"),
        ("I moved last month", "I moved in 2026-02"),
        ("I moved last year", "I moved in 2025"),
        ("I moved in October", "I moved in 2025-10"),
        ("I will move in October", "I will move in 2026-10"),
        ("I will move in February", "I will move in 2027-02"),
        ("It is due by the end of June", "It is due by the end of 2026-06"),
        ("It is due by the end of the month", "It is due by the end of 2026-03"),
        ("It is on the 5th", "It is on 2026-04-05"),
        ("It was on the 5th", "It was on 2026-03-05"),
        ("It was on 4 July 2019", "It was on 2019-07-04"),
        ("It is on June 5", "It is on 2026-06-05"),
        ("It is closed from 23 December to 2 January", "It is closed from 2026-12-23 to 2027-01-02"),
        ("I moved last week", "I moved in the week of 2026-03-02"),
        ("I moved last summer", "I moved in the summer of 2025"),
        ("I may march in step", "I may march in step"),
    ],
)
def test_a_date_is_written_out(text: str, written: str) -> None:
    assert absolute(text, TUESDAY).text == written


def test_the_day_is_told() -> None:
    assert absolute("I ran last Friday", TUESDAY).day == date(2026, 3, 6)
    assert absolute("I moved in 2019", TUESDAY).day == date(2019, 1, 1)
    assert absolute("I like tea", TUESDAY).day is None


@given(
    st.dates(),
    st.sampled_from(["last week", "in 300 years", "on 31 February", "on the 31st", "next year", "in 3 months"]),
)
def test_no_date_breaks_the_calendar(today: date, said: str) -> None:
    assert absolute(f"I will go {said}", today).text.startswith("I will go")
