"""A stretch of real time, open or closed on either side."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Interval:
    """A stretch of time in UTC that includes `since` and excludes `until`; None is open on that side."""

    since: datetime | None
    until: datetime | None

    def holds(self, at: datetime) -> bool:
        """Whether the instant lies inside."""
        return (self.since is None or self.since <= at) and (self.until is None or at < self.until)
