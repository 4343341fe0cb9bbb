"""A model that does not answer is left alone for a while: nobody waits for it message by message."""

from datetime import datetime, timedelta

from recollect.core.errors import Unavailable

REST = timedelta(minutes=1)


class Breaker:
    """Whether the model rests, because it could not be reached or did not answer in time."""

    def __init__(self) -> None:
        self._until: datetime | None = None
        self.problem = "it does not answer"
        """Why it rests."""

    def trip(self, now: datetime, why: Unavailable) -> None:
        """It did not answer: for a minute rules do its work."""
        self._until, self.problem = now + REST, why.problem

    def reset(self) -> None:
        """It is to be asked again."""
        self._until = None

    def is_open(self, now: datetime) -> bool:
        """Whether it rests."""
        return self._until is not None and now < self._until
