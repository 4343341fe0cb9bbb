"""Which categories a reader sees, carried beside the work that is done for it.

Whoever answers an agent narrows its sight first; every transaction that is begun within is held to it by the database,
so that no statement can forget it. Background work sees everything.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Categories = tuple[str, ...] | None
"""None: all of them."""

_seen: ContextVar[Categories] = ContextVar("recollect_categories", default=None)


def seen() -> Categories:
    """The categories that are seen here."""
    return _seen.get()


@contextmanager
def narrowed_to(categories: Categories) -> Iterator[None]:
    """Let transactions that are begun within see these categories alone; None: all of them."""
    before = _seen.set(categories)
    try:
        yield
    finally:
        _seen.reset(before)
