"""Walks in the graph: a statement for each step, whatever the number of nodes, as PostgreSQL answers it.

Which steps make a walk is said here once: `PostgresGraph` takes them in PostgreSQL, and whoever has the same graph
elsewhere takes other steps on the same ways. Ids stay text on the way from one step to the next: a frontier may hold
ten thousand of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, LiteralString
from uuid import UUID

from recollect.core.errors import RecollectError, Unavailable
from recollect.db import sight
from recollect.db.database import Batch, Database, array_literal, number_array
from recollect.db.sql import load
from recollect.graph import matching
from recollect.graph.matching import Pattern
from recollect.graph.model import Edge, Match, Reached, Route, Traversal, Ways, keys_of
from recollect.records.filters import allowed_sensitivities
from recollect.records.kinds import GRAPH_KINDS
from recollect.records.lifecycle import Rules
from recollect.records.model import Memory
from recollect.records.relations import STRUCTURAL
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
_FOR_SOME = ("said_to", "there", "both_there")


def _statements(*, narrowed: bool) -> dict[str, LiteralString]:
    """The statements with the conditions that walks share put in their places; those that only matter to who does not
    see every category cost the others nothing."""
    shared = {part: QUERIES[part] for part in _PARTS}
    shared |= {part: QUERIES[part] if narrowed else "true" for part in _FOR_SOME}
    made: dict[str, LiteralString] = {}
    for name, statement in QUERIES.statements.items():
        made[name] = statement
        for part, condition in shared.items():
            made[name] = made[name].replace("{" + part + "}", condition)
    return made


_FOR_ALL_SEEN, _FOR_SOME_SEEN = _statements(narrowed=False), _statements(narrowed=True)


def _statement(name: str) -> LiteralString:
    """A statement for whoever is asking."""
    return (_FOR_ALL_SEEN if sight.seen() is None else _FOR_SOME_SEEN)[name]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a walk was asked for."""

    space: str
    ways: Ways
    ends: tuple[str, ...]
    """Nodes that were named, and are seen whatever their state."""
    sql: dict[str, Any]
    """The same as the values of PostgreSQL's statements."""


@dataclass(frozen=True, slots=True)
class Step:
    """What lies one step beyond some nodes."""

    reached: list[tuple[str, str, float]]
    """Node, the relation that led there, score; best first."""
    met: int
    """How many there were."""
    crowded: list[str]
    """Nodes of which only the strongest relations were read."""
    read: int
    """How many those were."""


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

    # Walks

    async def neighbours(self, space: str, ids: Sequence[UUID], ways: Ways, most: int) -> dict[UUID, tuple[Edge, ...]]:
        """The strongest relations of each node, at most so many."""
        if not ids:
            return {}
        asked = await self._asked(space, ways)
        chosen: dict[UUID, list[UUID]] = {id: [] for id in ids}
        for node, relation in await self._strongest(asked, [str(id) for id in ids], most):
            if len(chosen[node]) < most and relation not in chosen[node]:
                chosen[node].append(relation)
        edges = await self._edges(asked, {str(id) for some in chosen.values() for id in some})
        return {node: tuple(edges[id] for id in some if id in edges) for node, some in chosen.items()}

    async def traverse(self, start: Memory, ways: Ways, depth: int, limit: int) -> Traversal:
        """What lies around a node, up to a distance; cut by rank where it is more than `limit` nodes."""
        asked = await self._asked(start.space, ways, start.id)
        walk = _Walk({str(start.id): None}, frontier=[str(start.id)])
        for distance in range(1, depth + 1):
            await self._go(asked, walk, distance, limit)
            if not walk.frontier or (len(walk.found) >= limit and distance < depth):
                break
        if not walk.frontier:
            walk.looked = depth
        return await self._told(start, asked, walk, depth, limit)

    async def _go(self, asked: Asked, walk: _Walk, distance: int, limit: int) -> None:
        most = max(_LEAST_READ, _RELATIONS_READ * limit // len(walk.frontier))
        step = await self._reach(asked, walk.frontier, list(walk.known), most, limit - len(walk.found))
        walk.looked = distance
        walk.frontier = [id for id, _, _ in step.reached]
        walk.known |= dict.fromkeys(walk.frontier)
        walk.found += [(id, relation, distance, score) for id, relation, score in step.reached]
        walk.not_shown += step.met - len(step.reached) if step.reached else 0
        walk.crowded += step.crowded
        walk.read += step.read

    async def _told(self, start: Memory, asked: Asked, walk: _Walk, depth: int, limit: int) -> Traversal:
        """The nodes and relations of a walk, whole."""
        most = _RELATIONS_SHOWN * limit
        among, rows, counted = await self._around(asked, list(walk.known), walk.crowded, most)
        led = dict.fromkeys(relation for _, relation, _, _ in walk.found)
        shown = [*led, *(id for id in among if id not in led)][:most]
        edges = await self._edges(asked, shown)
        memories = {row.id: memory_of(row, asked.ways.now, self.rules) for row in rows}
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
            max(0, counted - walk.read) if walk.crowded else 0,
        )

    async def path(self, start: Memory, end: Memory, ways: Ways, most: int) -> Route | None:
        """A shortest way between two nodes of a space, of at most so many relations, if there is one."""
        if start.id == end.id:
            return Route((start,), ())
        asked = await self._asked(start.space, ways, start.id, end.id)
        sides = (_Side([{str(start.id)}]), _Side([{str(end.id)}]))
        for _ in range(most):
            if not sides[0].levels[-1] or not sides[1].levels[-1]:
                return None
            near, far = sorted(sides, key=lambda side: len(side.levels[-1]))
            await self._widen(asked, near, far)
            if met := near.levels[-1] & far.levels[-1]:
                return await self._between(asked, sides, min(met))
        return None

    async def _widen(self, asked: Asked, side: _Side, other: _Side) -> None:
        """Take a side one step further."""
        if side.visited + other.visited > _NODES_VISITED:
            raise RecollectError(
                f"no path among the first {_NODES_VISITED:,} nodes: ask for fewer steps, or name the types"
            )
        met = await self._beyond(asked, side.levels[-1])
        side.levels.append(met.difference(*side.levels))

    async def _between(self, asked: Asked, sides: tuple[_Side, _Side], meeting: str) -> Route:
        """The path through the node at which the two sides met: back from it, level by level, to either end."""
        back, relations_back = await self._walked_back(asked, sides[0], meeting)
        on, relations_on = await self._walked_back(asked, sides[1], meeting)
        ids = [*reversed(back), meeting, *on]
        relations = [*reversed(relations_back), *relations_on]
        memories, edges = await self._whole(asked, ids, relations)
        return Route(tuple(memories[id] for id in ids), tuple(edges[UUID(id)] for id in relations))

    async def _walked_back(self, asked: Asked, side: _Side, meeting: str) -> tuple[list[str], list[str]]:
        """The nodes and relations on the way from where the sides met to one end."""
        nodes: list[str] = []
        relations: list[str] = []
        place = next(number for number, level in enumerate(side.levels) if meeting in level)
        for level in reversed(side.levels[:place]):
            node, relation = await self._step_back(asked, nodes[-1] if nodes else meeting, level)
            nodes.append(node)
            relations.append(relation)
        return nodes, relations

    async def match(self, space: str, pattern: Pattern, ways: Ways, limit: int) -> list[Match]:
        """What lies in the graph as a pattern says, the strongest first."""
        asked = await self._asked(space, ways)
        found = await self._lying(asked, pattern, limit)
        nodes = dict.fromkeys(id for each in found for id in each[::2])
        memories, edges = await self._whole(asked, list(nodes), [id for each in found for id in each[1::2]])
        return [
            Match(tuple(memories[id] for id in each[::2]), tuple(edges[UUID(id)] for id in each[1::2]))
            for each in found
        ]

    # Steps, as PostgreSQL takes them

    async def _strongest(self, asked: Asked, ids: Sequence[str], most: int) -> list[tuple[UUID, UUID]]:
        """Nodes, each with its strongest relations, in order; a few more than were asked for."""
        rows = await self._ask(_statement("strongest"), **asked.sql, ids=_ids(ids), most=most)
        return [(row.of_node, row.relation_id) for row in rows]

    async def _reach(self, asked: Asked, frontier: Sequence[str], known: Sequence[str], most: int, room: int) -> Step:
        """The best nodes one step beyond others."""
        given = {"frontier": _ids(frontier), "known": _ids(known), "most": most, "room": room}
        rows = await self._ask(_statement("reach"), **asked.sql, **given, **self._salience(asked))
        reached = [row for row in rows if row.id is not None]
        return Step(
            [(str(row.id), str(row.relation_id), row.score) for row in reached],
            reached[0].met if reached else 0,
            [str(id) for id in rows[0].crowded or ()],
            int(rows[0].read or 0),
        )

    def _salience(self, asked: Asked) -> dict[str, Any]:
        return {"now": asked.ways.now, "rate": self.rules.decay_rate, "confident": self.rules.confident}

    async def _around(
        self, asked: Asked, known: Sequence[str], crowded: Sequence[str], most: int
    ) -> tuple[list[str], list[Any], int]:
        """The relations among nodes, the rows of the nodes, and how many relations the crowded ones have."""
        batch = self._batch(asked.space)
        among = batch.add(_statement("among"), **asked.sql, ids=_ids(known), most=most)
        nodes = batch.add(QUERIES["memories"], space=asked.space, ids=_ids(known))
        counted = batch.add(_statement("relations_of"), **asked.sql, ids=_ids(crowded)) if crowded else None
        results = await self.database.send(batch)
        relations = 0 if counted is None else int(results[counted][0].relations)
        return [str(row.id) for row in results[among]], results[nodes], relations

    async def _beyond(self, asked: Asked, frontier: Iterable[str]) -> set[str]:
        """All nodes one step beyond others."""
        [row] = await self._ask(_statement("beyond"), **asked.sql, frontier=_ids(frontier))
        return set(row.ids[1:-1].split(",")) if row.ids != "{}" else set()

    async def _step_back(self, asked: Asked, id: str, level: Iterable[str]) -> tuple[str, str]:
        """The strongest relation between a node and any of others: which one, and the relation."""
        [row] = await self._ask(_statement("step"), **asked.sql, id=id, level=_ids(level))
        return str(row.other), str(row.id)

    async def _lying(self, asked: Asked, pattern: Pattern, limit: int) -> list[tuple[str, ...]]:
        """Ids of nodes and relations, by turns, that lie as the pattern says."""
        statement, values = matching.as_sql(pattern, QUERIES.statements)
        batch = self._batch(asked.space)
        batch.settings |= {"statement_timeout": int(matching.LONGEST * 1000)}
        batch.add(statement, **asked.sql, **values, limit=limit)
        try:
            [rows] = await self.database.send(batch)
        except Unavailable as error:
            if "statement timeout" in str(error):
                raise matching.TooMany from None
            raise
        return [tuple(map(str, row)) for row in rows]

    # Whole nodes and relations

    async def _whole(
        self, asked: Asked, ids: Sequence[str], relations: Sequence[str]
    ) -> tuple[dict[str, Memory], dict[UUID, Edge]]:
        rows = await self.rows(asked, ids)
        memories = {str(row.id): memory_of(row, asked.ways.now, self.rules) for row in rows}
        return memories, await self._edges(asked, relations)

    async def rows(self, asked: Asked, ids: Iterable[str]) -> list[Any]:
        """The rows of nodes."""
        return await self._ask(QUERIES["memories"], space=asked.space, ids=_ids(ids))

    async def near(
        self, space: str, query: VectorLiteral, ways: Ways, between: Sequence[UUID] | None, most: int
    ) -> list[tuple[Edge, float]]:
        """The relations whose words are nearest to a question's vector, and how near; between some nodes, or any."""
        asked = await self._asked(space, ways)
        rows = await self._ask(
            _statement("near"),
            **asked.sql,
            query=query.numbers,
            length=query.length,
            between=None if between is None else _ids(map(str, between)),
            most=most,
        )
        edges = await self._edges(asked, [str(row.id) for row in rows]) if rows else {}
        return [(edges[row.id], row.similarity) for row in rows if row.id in edges]

    async def called(self, space: str, name: str) -> list[UUID]:
        """The nodes that go by a name, whatever they are."""
        asked = {"names": array_literal(keys_of(name)), "title": name, "kinds": array_literal(GRAPH_KINDS)}
        rows = await self._ask(QUERIES["called"], space=space, **asked)
        return [row.id for row in rows]

    async def _edges(self, asked: Asked, ids: Iterable[str]) -> dict[UUID, Edge]:
        rows = await self._ask(QUERIES["relations"], **asked.sql, ids=_ids(ids))
        return {row.id: Edge(*row) for row in rows}

    async def visible(self, asked: Asked, ids: Iterable[str]) -> set[str]:
        """Which of some nodes may be seen as things are now."""
        rows = await self._ask(_statement("visible"), **asked.sql, ids=_ids(ids))
        return {str(row.id) for row in rows}

    async def scored(self, asked: Asked, met: Sequence[tuple[str, str, float]], room: int) -> Step:
        """Nodes that were met elsewhere, with the relation that led there and its strength, as far as they may be seen
        now; best first."""
        columns = {
            "others": _ids(other for other, _, _ in met),
            "relation_ids": _ids(relation for _, relation, _ in met),
            "strengths": number_array(strength for _, _, strength in met),
        }
        rows = await self._ask(_statement("scored"), **asked.sql, **columns, **self._salience(asked), room=room)
        reached = [(str(row.id), str(row.relation_id), row.score) for row in rows]
        return Step(reached, rows[0].met if rows else 0, [], 0)

    async def _asked(self, space: str, ways: Ways, *ends: UUID) -> Asked:
        """What says of every step which relations and nodes it may take."""
        secret: list[Any] = []
        if ways.sensitivity != "high":
            secret = await self._ask(QUERIES["secret"], space=space)
        named = tuple(map(str, ends))
        values = {
            "space": space,
            "types": None if ways.types is None else array_literal(ways.types),
            "structural": array_literal(sorted(STRUCTURAL)),
            "at": ways.now,
            "valid_at": ways.valid_at,
            "until": ways.until,
            "ends": _ids(named),
            "secret": _ids(str(row.id) for row in secret),
            "hidden": array_literal(ways.hidden),
            "sensitivity": array_literal(allowed_sensitivities(ways.sensitivity)),
        }
        return Asked(space, ways, named, values)

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
