"""What an embedding endpoint says that a call took, told to whoever waits for the call."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

_meter: ContextVar["Meter | None"] = ContextVar("meter", default=None)


@dataclass(slots=True)
class Meter:
    """Requests to an endpoint, and the tokens of their texts; nothing is told of a model on this machine."""

    calls: int = 0
    failures: int = 0
    tokens: int = 0

    @property
    def remote(self) -> bool:
        """Whether an endpoint was asked."""
        return self.calls > 0

    def failed(self) -> None:
        """The call as a whole failed, for whatever reason."""
        self.failures = max(1, self.failures)


@contextmanager
def metered() -> Iterator[Meter]:
    """Hear of all requests that are made meanwhile, in this task and in those that it begins."""
    meter = Meter()
    token = _meter.set(meter)
    try:
        yield meter
    finally:
        _meter.reset(token)


def tell(tokens: int, *, failed: bool = False) -> None:
    """A request was made."""
    if (meter := _meter.get()) is not None:
        meter.calls += 1
        meter.failures += failed
        meter.tokens += tokens
