"""Stretches of the local calendar, without zone."""

from datetime import datetime, timedelta
from typing import NamedTuple

DAY = timedelta(days=1)
# The days and the months of each unit that a date can be moved by.
STEPS = {"day": (1, 0), "week": (7, 0), "fortnight": (14, 0), "month": (0, 1), "quarter": (0, 3), "year": (0, 12)}
_MONTHS = {"month": 1, "quarter": 3, "season": 3, "year": 12, "decade": 120}


class Span(NamedTuple):
    """A half-open stretch on the local clock."""

    start: datetime
    end: datetime


def hull(*spans: Span) -> Span:
    return Span(min(span.start for span in spans), max(span.end for span in spans))


def days(year: int, month: int, day: int, count: int = 1) -> Span | None:
    """Some days from a date on, or None where the calendar has no such date."""
    try:
        start = datetime(year, month, day)
    except ValueError:
        return None
    return Span(start, start + count * DAY)


def months(year: int, month: int, count: int) -> Span:
    start = datetime(year, month, 1)
    return Span(start, shifted(start, "month", count))


def shifted(at: datetime, unit: str, count: int) -> datetime:
    """So many units on; the 31st becomes the last day of a shorter month."""
    step_days, step_months = STEPS[unit]
    if step_days:
        return at + count * step_days * DAY
    month = at.year * 12 + at.month - 1 + count * step_months
    first = at.replace(year=month // 12, month=month % 12 + 1, day=1)
    last = (first + 31 * DAY).replace(day=1) - DAY
    return first.replace(day=min(at.day, last.day))


def holding(day: datetime, unit: str) -> Span:
    """The calendar unit that a day lies in."""
    if unit == "day":
        return Span(day, day + DAY)
    if unit in {"week", "fortnight"}:
        monday = day - day.weekday() * DAY
        return Span(monday, monday + 7 * DAY)
    count = _MONTHS[unit]
    return months(day.year, (day.month - 1) // count * count + 1, count)


def portion(span: Span, unit: str, index: int, of: int) -> Span | None:
    """One of the equal parts of a unit; a month is cut after its 10th and 20th, or its 15th."""
    if unit == "month":
        marks = [span.start + 30 // of * part * DAY for part in range(of)]
    elif _MONTHS.get(unit, 1) % of == 0:
        marks = [shifted(span.start, "month", _MONTHS[unit] // of * part) for part in range(of)]
    else:
        return None
    return Span(marks[index], [*marks, span.end][index + 1])
