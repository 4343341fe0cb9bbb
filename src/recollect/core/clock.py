"""Domain time comes from here, so that tests and simulations can move it."""

from collections.abc import Callable
from datetime import UTC, datetime

from recollect.core.errors import InvalidInput

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """The real time, in UTC."""
    return datetime.now(UTC)


def checked(clock: Clock) -> Clock:
    """The same clock, refusing an answer without a time zone."""

    def now() -> datetime:
        moment = clock()
        if not isinstance(moment, datetime) or moment.tzinfo is None:
            raise InvalidInput("clock", "must return a datetime with a time zone")
        return moment.astimezone(UTC)

    return now
