"""What a single word or number names: days, months, years, and what comes round with them."""

import re
from collections.abc import Callable
from datetime import timedelta

from recollect.core.temporal import words
from recollect.core.temporal.calendar import DAY, STEPS, Span, days, holding, months, shifted
from recollect.core.temporal.times import Asked, Recent, Time, once

_MONTH_FIRST = re.compile(
    r"US/.+|Pacific/Honolulu|America/(?:(?:Indiana|Kentucky|North_Dakota)/.+|Anchorage|Boise|Chicago|Denver|Detroit"
    r"|Juneau|Los_Angeles|New_York|Phoenix)"
)


def yearly(asked: Asked, unit: str, of_year: Callable[[int], Span | None], cues: frozenset[str]) -> Time:
    year = asked.now.year
    last = Recent.OVER if unit in {"season", "holiday"} else Recent.STARTED
    return Time(lambda k: of_year(year + k), unit, period=365.2425, last=last, cues=cues, guarded=True)


def months_of_year(asked: Asked, unit: str, first: int, count: int, cues: frozenset[str] = words.IN) -> Time:
    return yearly(asked, unit, lambda year: months(year, first, count), cues)


def quarter(asked: Asked, number: int) -> Time:
    return months_of_year(asked, "quarter", 3 * number - 2, 3)


def holiday(month: int, day: int, count: int) -> Callable[[Asked], Time]:
    return lambda asked: yearly(asked, "holiday", lambda year: days(year, month, day, count), words.ON)


def years(first: int, count: int = 1) -> Time:
    return Time(lambda _: months(first, 1, 12 * count), "year" if count == 1 else "decade", cues=words.IN, guarded=True)


def weekday(asked: Asked, number: int) -> Time:
    return _weekly(asked, "weekday", number, 1, Recent.BEFORE_TODAY, words.BEFORE_WEEKDAY)


def weekend(asked: Asked) -> Time:
    return _weekly(asked, "weekend", 5, 2, Recent.OVER, words.ON)


def _weekly(asked: Asked, unit: str, first: int, count: int, recent: Recent, cues: frozenset[str]) -> Time:
    start = holding(asked.today, "week").start + first * DAY

    def at(k: int) -> Span:
        return Span(start + 7 * k * DAY, start + (7 * k + count) * DAY)

    return Time(at, unit, period=7, recent=recent, last=recent, cues=cues, guarded=True)


def day_of_month(asked: Asked, number: int) -> Time:
    """ "the 5th"."""

    def at(k: int) -> Span | None:
        first = shifted(asked.today.replace(day=1), "month", k)
        return days(first.year, first.month, number)

    return Time(at, "day", period=30.44, cues=words.ON_DAY, guarded=True)


def day_from_today(asked: Asked, count: int) -> Time | None:
    return once(holding(asked.today + count * DAY, "day"), "day")


def part_of_day(asked: Asked, name: str) -> Time:
    first, last = (timedelta(hours=hour) for hour in words.PARTS[name])

    def at(k: int) -> Span:
        day = asked.today + k * DAY
        return Span(day + first, day + last)

    return Time(at, "part", period=1, last=Recent.BEFORE_TODAY)


def unit(asked: Asked, name: str) -> Time:
    """The calendar units around the present one; an hour reaches an hour to both sides."""
    if name == "weekend":
        return weekend(asked)
    if name == "hour":
        return Time(lambda k: Span(asked.moved(k - 1), asked.moved(k + 1)), name, period=1 / 24, last=Recent.OVER)
    period = STEPS[name][0] + 30.44 * STEPS[name][1]
    return Time(lambda k: holding(shifted(asked.today, name, k), name), name, period=period, last=Recent.OVER)


def date(year: int, month: int, day: int) -> Time | None:
    return once(days(year, month, day), "day") if 1900 <= year < 2200 else None


def numeric_date(asked: Asked, slashed: bool, first: int, second: int, year: int | None = None) -> Time | None:
    """Without a year it is a date behind "on" only; 9/11 means something else."""
    # A number beyond twelve tells; where none does, the custom decides.
    month_first = slashed and first <= 12 and _MONTH_FIRST.fullmatch(asked.zone.key)
    day, month = (second, first) if second > 12 or month_first else (first, second)
    if year is not None:
        return date(year if year > 99 else 2000 + year, month, day)
    time = yearly(asked, "day", lambda year: days(year, month, day), frozenset({"on"}))
    return None if (first, second) == (9, 11) else time
