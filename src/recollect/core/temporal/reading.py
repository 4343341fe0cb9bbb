"""The times of a question with the prepositions before them, as one interval."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import reduce
from zoneinfo import ZoneInfo

from recollect.core.temporal import words
from recollect.core.temporal.calendar import Span
from recollect.core.temporal.grammar import folded
from recollect.core.temporal.interval import Interval
from recollect.core.temporal.items import Item, items_of
from recollect.core.temporal.times import Asked, Tense, Time, settled

# In characters. Beyond it stands a pasted text, whose many dates say nothing about what is asked.
_LONGEST = 2000
_WORDS = re.compile(r"[a-z]+|[0-9]")
_STOPS = frozenset("?.,;:!)]\"'…–—|")

# A span on the local clock that may be open on a side.
_Reading = tuple[datetime | None, datetime | None]


def named_time(question: str, now: datetime, timezone: str) -> Interval | None:
    """The time that an English question names, for a user in an IANA time zone; None where it names none.

    `now` is the instant of asking, with an offset. An unknown zone raises what `ZoneInfo` raises.
    """
    if len(question) > _LONGEST:
        return None
    said = _WORDS.findall(question.lower())
    if words.TRIGGERS.isdisjoint(said):
        return None
    zone = ZoneInfo(timezone)
    local = now.astimezone(zone).replace(tzinfo=None)
    asked = Asked(local, zone, _tense(said), habitual=not words.HABITUAL.isdisjoint(said))
    try:
        return _interval(_readings(folded(items_of(question, asked), asked), asked), zone)
    except (OverflowError, ValueError):
        # Beyond the calendar, such as the end of the year 9999: no memory is there to be found.
        return None


def _tense(said: list[str]) -> Tense:
    """Where the question looks. Without a verb to tell ("notes in March") a memory is asked for the past."""
    has, plain = "have" in said, "do" in said or "does" in said
    participle = any(word.endswith("ed") and len(word) > 4 and word not in words.NO_PAST for word in said)
    if participle or not words.PAST.isdisjoint(said) or (has and not plain):
        return Tense.PAST
    if has or not words.FUTURE.isdisjoint(said):
        return Tense.FUTURE
    return Tense.PAST if words.PRESENT.isdisjoint(said) else Tense.PRESENT


def _readings(items: list[Item], asked: Asked) -> Iterator[_Reading]:
    for place, item in enumerate(items):
        if "TIME" in item.tags and (reading := _read(items, place, asked)) is not None:
            yield reading


def _read(items: list[Item], place: int, asked: Asked) -> _Reading | None:
    """One time, with what stands before and after it."""
    tags = items[place].tags
    time: Time = tags["TIME"]
    before = place - 2 if place and items[place - 1].text == "the" else place - 1
    cue = "since" if "SINCE" in tags else "until" if "UNTIL" in tags else items[before].text if before >= 0 else ""
    if _hyphenated(items, place) or (time.cues is not None and cue not in time.cues):
        return None
    if time.guarded and not _stands(items, place + 1):
        return None
    span = settled(time, asked, cue)
    if span is None:
        return None
    return _BOUNDED[cue](span) if cue in _BOUNDED else _around_event(items, before, span)


def _hyphenated(items: list[Item], place: int) -> bool:
    """Part of a compound: "post-Christmas", "last week-long"."""
    if place and items[place].glued and items[place - 1].text in {"-", "/", "_", "#", "@", "$"}:
        return True
    after = items[place + 1 : place + 3]
    return len(after) == 2 and after[0].text == "-" and after[0].glued and after[1].glued


def _stands(items: list[Item], place: int) -> bool:
    """Whether what follows leaves the time a time, rather than the first half of a name."""
    if place >= len(items) or "TIME" in items[place].tags:
        return True
    text = items[place].text.partition("'")[0]
    return text in _STOPS or text in words.FOLLOWERS or not text or (text.endswith("ly") and len(text) > 4)


def _widened(span: Span) -> _Reading:
    slack = max(span.end - span.start, timedelta(days=3))
    return (span.start - slack, span.end + slack)


_BOUNDED: Mapping[str, Callable[[Span], _Reading]] = {
    "since": lambda span: (span.start, None),
    "after": lambda span: (span.end, None),
    "before": lambda span: (None, span.start),
    "until": lambda span: (None, span.end),
    "till": lambda span: (None, span.end),
    "by": lambda span: (None, span.end),
    **dict.fromkeys(("around", "roughly", "approximately"), _widened),
}


def _around_event(items: list[Item], place: int, span: Span) -> _Reading:
    """The span, opened where it dates an event that the question asks around ("since the move in March")."""
    for at in range(place, max(place - 9, -1), -1):
        text = items[at].text
        if not text or text in _STOPS or "TIME" in items[at].tags:
            break
        if text in {"since", "after", "before", "until"} and items[at + 1].text not in words.ROUTINES:
            return (span.start, None) if text in {"since", "after"} else (None, span.end)
    return span


def _interval(readings: Iterable[_Reading], zone: ZoneInfo) -> Interval | None:
    """What all readings come to; None where they share nothing, or where the zone skipped the day."""
    open_sides: _Reading = (None, None)
    whole = reduce(_both, readings, open_sides)
    since, until = (None if bound is None else bound.replace(tzinfo=zone).astimezone(UTC) for bound in whole)
    if since is None or until is None:
        return None if since is until else Interval(since, until)
    return Interval(since, until) if since < until else None


def _both(one: _Reading, other: _Reading) -> _Reading:
    """What spans two closed readings; where one of them is open, what they share."""
    starts, ends = ([bound for bound in bounds if bound is not None] for bounds in zip(one, other, strict=True))
    if len(starts) == len(ends) == 2:
        return (min(starts), max(ends))
    return (max(starts, default=None), min(ends, default=None))
