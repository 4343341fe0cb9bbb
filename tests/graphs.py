"""Graphs for tests, written as they lie in the database."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg

from recollect.memory import Recollect

DAY = timedelta(days=1)


@dataclass
class Node:
    """A node of a graph, or another memory."""

    name: str
    kind: str = "entity"
    state: str = "active"
    sensitivity: str = "normal"
    salience: float = 0.5
    ended: bool = False
    began: timedelta | None = None
    content: str | None = None
    id: UUID = field(default_factory=uuid4)


@dataclass
class Arrow:
    """A relation between two of them."""

    start: Node
    end: Node
    type: str = "knows"
    strength: float = 0.5
    state: str = "active"
    ended: bool = False
    began: timedelta = 10 * DAY
    id: UUID = field(default_factory=uuid4)


_MEMORY = (
    "insert into memory (space_id, id, kind, category, title, content, tier, sensitivity, valid_from, valid_until,"
    " happened_at, recorded_at, created_at, updated_at)"
    " values (%s, %s, %s, 'knowledge', %s, %s, 'long', %s, %s, %s, %s, %s, %s, %s)"
)
_USE = (
    "insert into memory_use (space_id, memory_id, kind, state, salience, salience_at, importance, confidence,"
    " stored_at) values (%s, %s, %s, %s, %s, %s, 0.5, 0.9, %s)"
)
_RELATION = (
    "insert into relation (space_id, id, from_id, to_id, type, strength, author, valid_from, valid_until, created_at,"
    " updated_at) values (%s, %s, %s, %s, %s, %s, 'test', %s, %s, %s, %s)"
)


def write(rc: Recollect, space: str, nodes: list[Node], arrows: list[Arrow], now: datetime) -> None:
    """All of it, as the owner."""
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner, owner.cursor() as cursor:
        cursor.execute("insert into space (space_id, created_at) values (%s, %s) on conflict do nothing", (space, now))
        cursor.executemany(_MEMORY, [_memory(space, node, now) for node in nodes])
        cursor.executemany(_USE, [_use(space, n.id, n.kind, n.state, n.salience, now) for n in nodes])
        cursor.executemany(_RELATION, [_relation(space, arrow, now) for arrow in arrows])
        cursor.executemany(_USE, [_use(space, a.id, "relation", a.state, 0.5, now) for a in arrows])


def _memory(space: str, node: Node, now: datetime) -> tuple[Any, ...]:
    since, until = now - node.began if node.began else None, now - DAY if node.ended else None
    said = node.content or f"What is known of {node.name}."
    return space, node.id, node.kind, node.name, said, node.sensitivity, since, until, now, now, now, now


def _use(space: str, id: UUID, kind: str, state: str, salience: float, now: datetime) -> tuple[Any, ...]:
    return space, id, kind, state, salience, now, now


def _relation(space: str, arrow: Arrow, now: datetime) -> tuple[Any, ...]:
    until = now - DAY if arrow.ended else None
    ends = arrow.start.id, arrow.end.id
    return space, arrow.id, *ends, arrow.type, arrow.strength, now - arrow.began, until, now, now
