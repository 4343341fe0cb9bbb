"""Walks in the graph as PostgreSQL answers them: a statement for each step, whatever the number of nodes.

Ids stay text on the way from one step to the next: a frontier may hold ten thousand of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, LiteralString
from uuid import UUID

from recollect.core.errors import RecollectError
from recollect.db.database import Batch, Database, array_literal
from recollect.db.sql import load
from recollect.graph.model import STRUCTURAL, Edge, Reached, Route, Traversal, Ways
from recollect.records.filters import allowed_sensitivities
from recollect.records.lifecycle import Rules
from recollect.records.model import Memory
from recollect.records.store import VectorLiteral, memory_of

QUERIES = load("recollect.graph", "walking.sql")

_RELATIONS_READ = 10
"""Times the nodes shown, of either direction, for a step of a traversal: shared by the nodes that it starts from."""
_LEAST_READ = 20
_RELATIONS_SHOWN = 10
"""Times the nodes shown; those that led to a node come first."""
_NODES_VISITED = 250_000
"""By both ends of a path together, before the search gives up."""

_BATCH_SETTINGS = {"enable_seqscan": 0}  # the plan must not depend on what the planner thinks of the tables' sizes


_PARTS = ("seen", "open", "held", "wanted")


def _statement(name: str) -> LiteralString:
    """A statement with the conditions that walks share put in their places."""
    text = QUERIES[name]
    for part in _PARTS:
        text = text.replace("{" + part + "}", QUERIES[part])
    return text


_REACH, _RELATIONS_OF, _BEYOND = _statement("reach"), _statement("relations_of"), _statement("beyond")
_STEP, _AMONG, _STRONGEST = _statement("step"), _statement("among"), _statement("strongest")
_NEAR = _statement("near")


@dataclass(slots=True)
class _Walk:
    """A traversal on its way."""

    known: dict[str, None]
    """Every node that has a place already, the start first."""
    found: list[tuple[str, str, int, float]] = field(default_factory=list)
    """Node, the relation that led there, distance, score."""
    frontier: list[str] = field(default_factory=list)
    looked: int = 0
    not_shown: int = 0
    crowded: list[str] = field(default_factory=list)
    """Nodes of which only the strongest relations were read."""
    read: int = 0
    """How many those were."""


@dataclass(slots=True)
class _Side:
    """One end of a path, and what was met from there: a level for each step."""

    levels: list[set[str]]

    @property
    def visited(self) -> int:
        return sum(map(len, self.levels))


@dataclass(frozen=True, slots=True)
class PostgresGraph:
    """The graph as it lies in PostgreSQL."""

    database: Database
    rules: Rules

    async def neighbours(self, space: str, ids: Sequence[UUID], ways: Ways, most: int) -> dict[UUID, tuple[Edge, ...]]:
        """The strongest relations of each node, at most so many."""
        if not ids:
            return {}
        values = await self._values(space, ways)
        rows = await self._ask(_STRONGEST, **values, ids=_ids(map(str, ids)), most=most)
        chosen: dict[UUID, list[UUID]] = {id: [] for id in ids}
        for row in rows:
            if len(chosen[row.of_node]) < most and row.relation_id not in chosen[row.of_node]:
                chosen[row.of_node].append(row.relation_id)
        edges = await self._edges(values, {str(id) for some in chosen.values() for id in some})
        return {node: tuple(edges[id] for id in some if id in edges) for node, some in chosen.items()}

    async def traverse(self, start: Memory, ways: Ways, depth: int, limit: int) -> Traversal:
        """What lies around a node, up to a distance; cut by rank where it is more than `limit` nodes."""
        values = await self._values(start.space, ways, start.id)
        walk = _Walk({str(start.id): None}, frontier=[str(start.id)])
        for distance in range(1, depth + 1):
            await self._reach(values, walk, distance, limit)
            if not walk.frontier or (len(walk.found) >= limit and distance < depth):
                break
        if not walk.frontier:
            walk.looked = depth
        return await self._told(start, ways, values, walk, depth, limit)

    async def _reach(self, values: dict[str, Any], walk: _Walk, distance: int, limit: int) -> None:
        most = max(_LEAST_READ, _RELATIONS_READ * limit // len(walk.frontier))
        rows = await self._ask(
            _REACH,
            **values,
            frontier=_ids(walk.frontier),
            known=_ids(walk.known),
            most=most,
            room=limit - len(walk.found),
            now=values["at"],
            rate=self.rules.decay_rate,
            confident=self.rules.confident,
        )
        reached = [row for row in rows if row.id is not None]
        walk.looked = distance
        walk.frontier = [str(row.id) for row in reached]
        walk.known |= dict.fromkeys(walk.frontier)
        walk.found += [(str(row.id), str(row.relation_id), distance, row.score) for row in reached]
        walk.not_shown += reached[0].met - len(reached) if reached else 0
        walk.crowded += [str(id) for id in rows[0].crowded or ()]
        walk.read += int(rows[0].read or 0)

    async def _told(
        self, start: Memory, ways: Ways, values: dict[str, Any], walk: _Walk, depth: int, limit: int
    ) -> Traversal:
        """The nodes and relations of a walk, whole."""
        batch = self._batch(start.space)
        most = _RELATIONS_SHOWN * limit
        among = batch.add(_AMONG, **values, ids=_ids(walk.known), most=most)
        nodes = batch.add(QUERIES["memories"], space=start.space, ids=_ids(walk.known))
        counted = batch.add(_RELATIONS_OF, **values, ids=_ids(walk.crowded)) if walk.crowded else None
        results = await self.database.send(batch)
        led = dict.fromkeys(relation for _, relation, _, _ in walk.found)
        shown = [*led, *(str(row.id) for row in results[among] if str(row.id) not in led)][:most]
        edges = await self._edges(values, shown)
        memories = {row.id: memory_of(row, ways.now, self.rules) for row in results[nodes]}
        reached = (
            Reached(memories[UUID(id)], distance, score)
            for id, _, distance, score in walk.found
            if UUID(id) in memories
        )
        return Traversal(
            start,
            tuple(reached),
            tuple(edges[UUID(id)] for id in shown if UUID(id) in edges),
            depth,
            walk.looked,
            walk.not_shown,
            0 if counted is None else max(0, results[counted][0].relations - walk.read),
        )

    async def path(self, start: Memory, end: Memory, ways: Ways, most: int) -> Route | None:
        """A shortest way between two nodes of a space, of at most so many relations, if there is one."""
        if start.id == end.id:
            return Route((start,), ())
        values = await self._values(start.space, ways, start.id, end.id)
        sides = (_Side([{str(start.id)}]), _Side([{str(end.id)}]))
        for _ in range(most):
            if not sides[0].levels[-1] or not sides[1].levels[-1]:
                return None
            near, far = sorted(sides, key=lambda side: len(side.levels[-1]))
            await self._widen(values, near, far)
            if met := near.levels[-1] & far.levels[-1]:
                return await self._between(start.space, ways, values, sides, min(met))
        return None

    async def _widen(self, values: dict[str, Any], side: _Side, other: _Side) -> None:
        """Take a side one step further."""
        if side.visited + other.visited > _NODES_VISITED:
            raise RecollectError(
                f"no path among the first {_NODES_VISITED:,} nodes: ask for fewer steps, or name the types"
            )
        [row] = await self._ask(_BEYOND, **values, frontier=_ids(side.levels[-1]))
        met = set(row.ids[1:-1].split(",")) if row.ids != "{}" else set()
        side.levels.append(met.difference(*side.levels))

    async def _between(
        self, space: str, ways: Ways, values: dict[str, Any], sides: tuple[_Side, _Side], meeting: str
    ) -> Route:
        """The path through the node at which the two sides met: back from it, level by level, to either end."""
        back, relations_back = await self._walked_back(values, sides[0], meeting)
        on, relations_on = await self._walked_back(values, sides[1], meeting)
        ids = [*reversed(back), meeting, *on]
        relations = [*reversed(relations_back), *relations_on]
        rows = await self._ask(QUERIES["memories"], space=space, ids=_ids(ids))
        memories = {str(row.id): memory_of(row, ways.now, self.rules) for row in rows}
        edges = await self._edges(values, relations)
        return Route(tuple(memories[id] for id in ids), tuple(edges[UUID(id)] for id in relations))

    async def _walked_back(self, values: dict[str, Any], side: _Side, meeting: str) -> tuple[list[str], list[str]]:
        """The nodes and relations on the way from where the sides met to one end."""
        nodes: list[str] = []
        relations: list[str] = []
        place = next(number for number, level in enumerate(side.levels) if meeting in level)
        for level in reversed(side.levels[:place]):
            [row] = await self._ask(_STEP, **values, id=nodes[-1] if nodes else meeting, level=_ids(level))
            nodes.append(str(row.other))
            relations.append(str(row.id))
        return nodes, relations

    async def near(
        self, space: str, query: VectorLiteral, ways: Ways, between: Sequence[UUID] | None, most: int
    ) -> list[tuple[Edge, float]]:
        """The relations whose words are nearest to a question's vector, and how near; between some nodes, or any."""
        values = await self._values(space, ways)
        rows = await self._ask(
            _NEAR,
            **values,
            query=query.text,
            length=query.length,
            between=None if between is None else _ids(map(str, between)),
            most=most,
        )
        edges = await self._edges(values, [str(row.id) for row in rows]) if rows else {}
        return [(edges[row.id], row.similarity) for row in rows if row.id in edges]

    async def _edges(self, values: dict[str, Any], ids: Iterable[str]) -> dict[UUID, Edge]:
        rows = await self._ask(QUERIES["relations"], **values, ids=_ids(ids))
        return {row.id: Edge(*row) for row in rows}

    async def _values(self, space: str, ways: Ways, *ends: UUID) -> dict[str, Any]:
        """What says of every step which relations and nodes it may take."""
        secret: list[Any] = []
        if ways.sensitivity != "high":
            secret = await self._ask(QUERIES["secret"], space=space)
        at = ways.valid_at or ways.now
        return {
            "space": space,
            "types": None if ways.types is None else array_literal(ways.types),
            "structural": array_literal(sorted(STRUCTURAL)),
            "at": ways.now,
            "valid_at": ways.valid_at,
            "until": None if "expired" in ways.include and ways.valid_at is None else at,
            "ends": _ids(map(str, ends)),
            "secret": _ids(str(row.id) for row in secret),
            "hidden": array_literal(["soft_deleted"] if "archived" in ways.include else ["archived", "soft_deleted"]),
            "sensitivity": array_literal(allowed_sensitivities(ways.sensitivity)),
        }

    async def _ask(self, statement: LiteralString, **values: Any) -> list[Any]:
        batch = self._batch(values["space"])
        batch.add(statement, **values)
        [rows] = await self.database.send(batch)
        return rows

    def _batch(self, space: str) -> Batch:
        batch = Batch(space)
        batch.settings |= _BATCH_SETTINGS
        return batch


def _ids(ids: Iterable[str]) -> str:
    """An array literal of ids, which need no quotes."""
    return "{" + ",".join(ids) + "}"
