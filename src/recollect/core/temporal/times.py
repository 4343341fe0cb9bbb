"""Times that words name: one span, or a series of them of which the question means one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

from recollect.core.temporal.calendar import DAY, Span


class Recent(Enum):
    """When an occurrence counts as a most recent one."""

    STARTED = auto()
    BEFORE_TODAY = auto()
    OVER = auto()


class Tense(Enum):
    PAST = auto()
    PRESENT = auto()
    FUTURE = auto()


@dataclass(frozen=True, slots=True)
class Asked:
    """The circumstances of the question."""

    now: datetime
    """On the local clock; `fold` tells the two passes of a repeated hour apart."""
    zone: ZoneInfo
    tense: Tense
    habitual: bool
    """Asks for what is usual, not for one time."""

    @property
    def today(self) -> datetime:
        return self.now.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)

    def moved(self, hours: int) -> datetime:
        """The local clock after real hours, whatever the clock did meanwhile."""
        instant = self.now.replace(tzinfo=self.zone).astimezone(UTC) + timedelta(hours=hours)
        return instant.astimezone(self.zone).replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class Time:
    """A time that words name, perhaps one that comes round again and is not settled yet."""

    at: Callable[[int], Span | None]
    """The occurrence so many periods from the present one; some have none, such as 29 February."""
    unit: str
    period: float = 0
    """Days from one occurrence to the next; 0: there is one only."""
    recent: Recent = Recent.STARTED
    last: Recent = Recent.STARTED
    """What "last" makes of `recent`."""
    cues: frozenset[str] | None = None
    """The words one of which must stand before it; None: it needs none."""
    guarded: bool = False
    """Whether a noun that follows would make it part of a name."""


def once(span: Span | None, unit: str) -> Time | None:
    return None if span is None else Time(at=lambda _: span, unit=unit)


def mapped(time: Time, unit: str, cut: Callable[[Span], Span | None]) -> Time | None:
    """The same time with each occurrence cut down; None where nothing is left of any."""

    def at(k: int) -> Span | None:
        whole = time.at(k)
        return None if whole is None else cut(whole)

    found = any(at(k) is not None for k in (range(-8, 2) if time.period else range(1)))
    return replace(time, at=at, unit=unit, cues=None) if found else None


def previous(time: Time, asked: Asked, recent: Recent, count: int = 1) -> Span | None:
    """The most recent occurrence, or one so many back."""
    if not time.period:
        return time.at(0)
    found = (span for span in _from(time, asked.now, asked, -1, 60 + count) if _is_recent(span, recent, asked))
    return next(islice(found, count - 1, None), None)


def coming(time: Time, asked: Asked) -> Span | None:
    """The present occurrence or the next."""
    return next((span for span in _from(time, asked.now, asked, 1) if span.end > asked.now), None)


def ended_by(time: Time, at: datetime, asked: Asked) -> Span | None:
    return next((span for span in _from(time, at, asked, -1) if span.end <= at), None)


def started_from(time: Time, at: datetime, asked: Asked) -> Span | None:
    return next((span for span in _from(time, at, asked, 1) if span.start >= at), None)


def started_in(time: Time, whole: Span, asked: Asked) -> list[Span]:
    spans = takewhile(lambda span: span.start < whole.end, _from(time, whole.start, asked, 1))
    return [span for span in spans if span.start >= whole.start]


def settled(time: Time, asked: Asked, cue: str = "") -> Span | None:
    """The one occurrence that the question means; None where it means all of them."""
    if time.period and cue != "since":
        if asked.habitual or asked.tense is Tense.PRESENT:
            return None
        if asked.tense is Tense.FUTURE:
            return coming(time, asked)
    return previous(time, asked, time.recent)


def _is_recent(span: Span, recent: Recent, asked: Asked) -> bool:
    if recent is Recent.OVER:
        return span.end <= asked.now
    return span.start < asked.today if recent is Recent.BEFORE_TODAY else span.start <= asked.now


def _from(time: Time, at: datetime, asked: Asked, step: int, reach: int = 60) -> Iterator[Span]:
    """The occurrences from a little before an instant on, forward or backward."""
    if not time.period:
        return (span for span in (time.at(0),) if span is not None)
    near = round((at - asked.now) / (time.period * DAY))
    return (span for k in range(near - 2 * step, near + reach * step, step) if (span := time.at(k)) is not None)
