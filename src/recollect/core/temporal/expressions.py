"""What times become with the words around them: "last", "ago", "the first week of", "between … and …"."""

from dataclasses import replace

from recollect.core.temporal import series, times
from recollect.core.temporal.calendar import DAY, STEPS, Span, days, holding, hull, portion, shifted
from recollect.core.temporal.times import Asked, Recent, Tense, Time, mapped, once

Count = tuple[int, int]


def this(asked: Asked, time: Time) -> Time | None:
    """The present one, else the nearest in the direction in which the question looks."""
    if time.unit == "part":
        return once(time.at(0), "part")
    present = times.coming(time, asked) if time.period else None
    if present and present.start > asked.now and asked.tense is Tense.PAST:
        present = times.previous(time, asked, Recent.OVER)
    return once(present, time.unit)


def following(asked: Asked, time: Time) -> Time | None:
    return once(times.started_from(time, asked.now, asked), time.unit) if time.period else None


def ago(asked: Asked, count: Count, time: Time) -> Time | None:
    spans = [span for n in count if n and time.period and (span := times.previous(time, asked, time.last, n))]
    return once(hull(*spans), time.unit) if spans else None


def ago_from(asked: Asked, count: Count, time: Time) -> Time | None:
    """ "two or three days ago": three days ago is known."""
    nearer = ago(asked, count, series.unit(asked, time.unit)) if time.unit in STEPS else None
    return nearer and either(asked, nearer, time)


def rolling(asked: Asked, count: Count, time: Time) -> Time | None:
    """ "the past two weeks": from that long ago to the end of today."""
    if time.unit == "hour":
        return once(Span(asked.moved(-count[1]), asked.now), "hour")
    if time.unit not in STEPS:
        return None
    return once(Span(shifted(asked.today, time.unit, -count[1]), asked.today + DAY), "days")


def day_of(asked: Asked, day: int, month: Time) -> Time | None:
    """ "3 May", "the 5th of last month"."""
    if month.unit != "month":
        return None
    return mapped(month, "day", lambda span: days(span.start.year, span.start.month, day))


def month_day(asked: Asked, month: Time, day: int) -> Time | None:
    return day_of(asked, day, month) if month.period else None


def part_of(asked: Asked, index: int, time: Time, of: int = 3) -> Time | None:
    """Early, mid or late; the whole, where the thirds of a unit are a matter of taste."""
    if time.unit not in {"month", "quarter", "season", "year"}:
        return time
    return mapped(time, "days", lambda span: portion(span, time.unit, index, of))


def nth(asked: Asked, number: int, inner: Time, outer: Time) -> Time | None:
    """ "the first week of July" is its first seven days, "the last Friday" one of its Fridays."""

    def cut(span: Span) -> Span | None:
        if inner.unit in STEPS:
            return _edge(span, inner.unit, number)
        found = times.started_in(inner, span, asked)
        return found[number - (number > 0)] if number <= len(found) else None

    return mapped(outer, inner.unit, cut) if inner.period else None


def _edge(span: Span, unit: str, number: int) -> Span | None:
    """The n-th unit from the start, or from the end where negative; None if it reaches out."""
    at, before = (span.start, number - 1) if number > 0 else (span.end, number)
    piece = Span(shifted(at, unit, before), shifted(at, unit, before + 1))
    return piece if span.start <= piece.start < piece.end <= span.end and piece != span else None


def unit_of(asked: Asked, unit: Time, time: Time) -> Time | None:
    """ "the week of 3 May", "the month of May"."""
    if unit.unit not in {"week", "month"} or time.unit not in {"day", "holiday", unit.unit}:
        return None
    return mapped(time, unit.unit, lambda span: holding(span.start, unit.unit))


def beside(asked: Asked, inner: Time, side: int, time: Time) -> Time | None:
    """ "the week before Christmas", "the Friday after 15 July"; "before May left" is no month."""
    if not inner.period or (time.cues is not None and "from" not in time.cues):
        return None

    def cut(span: Span) -> Span | None:
        at = span.start if side < 0 else span.end
        if inner.unit in STEPS:
            return Span(*sorted((at, shifted(at, inner.unit, side))))
        return times.ended_by(inner, at, asked) if side < 0 else times.started_from(inner, at, asked)

    return mapped(time, inner.unit, cut)


def joined(asked: Asked, one: Time, other: Time) -> Time | None:
    """ "March last year", "Monday, 3 May", "yesterday evening": the only one that lies inside the other."""
    inner, outer = sorted((one, other), key=_rarity)

    def cut(span: Span) -> Span | None:
        found = times.started_in(inner, span, asked)
        return found[0] if len(found) == 1 else None

    # Whoever names a date with the wrong weekday means the date.
    mistaken = outer if inner.unit == "weekday" and outer.unit == "day" else None
    time = mapped(outer, inner.unit, cut) or mistaken
    return time and replace(time, guarded=bool(time.period))


def _rarity(time: Time) -> tuple[float, float]:
    span = time.at(0)
    return time.period or 1e9, (span.end - span.start).total_seconds() if span else 0


def ranged(asked: Asked, first: Time, last: Time) -> Time | None:
    """From the start of one to the end of the other; the one with a year settles the other."""
    if last.period and not first.period:
        begin = first.at(0)
        last = once(begin and times.started_from(last, begin.end, asked), last.unit) or last

    def cut(end: Span) -> Span | None:
        start = times.ended_by(first, end.start, asked) if first.period else first.at(0)
        return start and hull(start, end)

    return mapped(last, "range", cut)


def days_between(asked: Asked, one: Time | int, other: Time | int) -> Time | None:
    """ "10 to 14 April", "March 3 to 7"."""
    date, day = (one, other) if isinstance(one, Time) else (other, one)
    if not isinstance(date, Time) or not isinstance(day, int) or date.unit != "day":
        return None

    def cut(span: Span) -> Span | None:
        end = days(span.start.year, span.start.month, day)
        return end and hull(span, end)

    return mapped(date, "range", cut)


def either(asked: Asked, one: Time, other: Time) -> Time | None:
    """ "March or April", in any order: what spans both, each settled by itself unless the other has a year."""
    if one.period and not other.period:
        time = ranged(asked, one, other)
    else:
        spans = [span for time in (one, other) if (span := times.settled(time, asked)) is not None]
        time = once(hull(*spans), "range") if len(spans) == 2 else None
    return time and replace(time, cues=one.cues, guarded=other.guarded)
