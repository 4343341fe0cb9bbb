"""What a transaction has changed, gathered until its end, so that whoever follows the graph is told in one go.

A writer of nodes or relations calls `touch`; `Database.transaction` hands all of it to its follower at the commit.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

import psycopg

Connection = psycopg.AsyncConnection[Any]


@dataclass(slots=True)
class Touched:
    """What one transaction has changed so far."""

    ids: dict[str, set[UUID]] = field(default_factory=dict)
    """Memories and relations, by space."""


_gathering: WeakKeyDictionary[Connection, Touched] = WeakKeyDictionary()


def touch(connection: Connection, space: str, ids: Iterable[UUID]) -> None:
    """Nodes or relations of a space are not what they were. Ids of other memories do no harm."""
    touched = _gathering.get(connection)
    if touched is None:
        raise RuntimeError("nodes and relations are written in a transaction of `Database` only")
    if found := set(ids):
        touched.ids.setdefault(space, set()).update(found)


@contextmanager
def gathering(connection: Connection) -> Iterator[Touched]:
    """What is touched on the connection meanwhile."""
    touched = Touched()
    _gathering[connection] = touched
    try:
        yield touched
    finally:
        del _gathering[connection]
