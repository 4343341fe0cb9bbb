"""A model that does not answer is left alone for a while: nobody waits for it message by message."""

from datetime import datetime, timedelta

REST = timedelta(minutes=1)


class Breaker:
    """Whether the model rests, because it could not be reached or did not answer in time."""

    def __init__(self) -> None:
        self._until: datetime | None = None

    def trip(self, now: datetime) -> None:
        """It did not answer: for a minute rules do its work."""
        self._until = now + REST

    def reset(self) -> None:
        """It is to be asked again."""
        self._until = None

    def is_open(self, now: datetime) -> bool:
        """Whether it rests."""
        return self._until is not None and now < self._until
