"""Reading the graph: the seam behind which PostgreSQL answers, or Neo4j where it has the same graph."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from recollect.graph.matching import Pattern
from recollect.graph.model import Edge, Match, Route, Traversal, Ways
from recollect.records.model import Memory


class GraphReader(Protocol):
    """Walks in the graph of one space. Every implementation gives the same answers."""

    async def neighbours(self, space: str, ids: Sequence[UUID], ways: Ways, most: int) -> dict[UUID, tuple[Edge, ...]]:
        """The strongest relations of each node, at most so many."""
        ...

    async def traverse(self, start: Memory, ways: Ways, depth: int, limit: int) -> Traversal:
        """What lies around a node, up to a distance; cut by rank where it is more than `limit` nodes."""
        ...

    async def path(self, start: Memory, end: Memory, ways: Ways, most: int) -> Route | None:
        """A shortest way between two nodes of a space, of at most so many relations, if there is one."""
        ...

    async def match(self, space: str, pattern: Pattern, ways: Ways, limit: int) -> list[Match]:
        """What lies in the graph as a pattern says: by the sum of the relations' strengths, then by ids."""
        ...
