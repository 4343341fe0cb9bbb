"""Walks in the graph as Neo4j takes their steps. Texts, names and salience come from PostgreSQL, where they are now."""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, LiteralString, TypeVar
from uuid import UUID

from recollect.core.errors import RecollectError, Unavailable
from recollect.db import sight
from recollect.db.database import Batch, Database
from recollect.db.sql import load
from recollect.graph import matching
from recollect.graph.matching import Pattern, few
from recollect.graph.model import Edge, Match, Route, Traversal, Ways
from recollect.graph.projection import looking
from recollect.graph.projection.driver import NAME, Neo4j, Refused, TookTooLong
from recollect.graph.reading import GraphReader
from recollect.graph.walking import Asked, PostgresGraph, Step
from recollect.records import outbox
from recollect.records.filters import allowed_sensitivities
from recollect.records.model import Memory
from recollect.records.outbox import Held
from recollect.records.relations import STRUCTURAL

STATEMENTS = load("recollect.graph.projection", "walking.cypher")

Answer = TypeVar("Answer")

_log = logging.getLogger(__name__)

# Later, and earlier, than anything that is dated.
_NEVER, _EVER = datetime(9999, 12, 31, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC)
_PARTS = ("seen", "open", "held", "wanted")


def _statement(name: str) -> LiteralString:
    text = STATEMENTS[name]
    for part in _PARTS:
        text = text.replace("{" + part + "}", STATEMENTS[part])
    return text


_REACH, _STRONGEST, _BEYOND, _STEP = map(_statement, ("reach", "strongest", "beyond", "step"))
_AMONG, _RELATIONS_OF, _HELD, _SEEN = map(_statement, ("among", "relations_of", "held", "seen"))


class Moved(RecollectError):
    """What Neo4j found is not so in PostgreSQL any more."""


@dataclass(frozen=True, slots=True)
class Neo4jGraph(PostgresGraph):
    """The same walks, with their steps taken in Neo4j. Nothing is shown that PostgreSQL would not show."""

    neo4j: Neo4j

    async def _strongest(self, asked: Asked, ids: Sequence[str], most: int) -> list[tuple[UUID, UUID]]:
        rows = await self._read(_STRONGEST, asked, ids=list(ids), most=most)
        return [(UUID(row["id"]), UUID(row["relation"])) for row in rows]

    async def _reach(self, asked: Asked, frontier: Sequence[str], known: Sequence[str], most: int, room: int) -> Step:
        rows = await self._read(_REACH, asked, frontier=list(frontier), most=most)
        met = _best(rows, set(known))
        step = await self.scored(asked, met, room) if met else Step([], 0, [], 0)
        read = Counter((row["via"], row["outward"]) for row in rows)
        crowded = sorted({via for (via, _), count in read.items() if count >= most})
        return Step(step.reached, step.met, crowded, sum(read[via, way] for via in crowded for way in (True, False)))

    async def _around(
        self, asked: Asked, known: Sequence[str], crowded: Sequence[str], most: int
    ) -> tuple[list[str], list[Any], int]:
        among = await self._read(_AMONG, asked, ids=list(known), most=most)
        counted = await self._read(_RELATIONS_OF, asked, ids=list(crowded)) if crowded else [{"relations": 0}]
        rows = await self.rows(asked, known)
        return [row["relation"] for row in among], rows, counted[0]["relations"]

    async def _beyond(self, asked: Asked, frontier: Iterable[str]) -> set[str]:
        [row] = await self._read(_BEYOND, asked, frontier=list(frontier))
        return set(row["ids"])

    async def _step_back(self, asked: Asked, id: str, level: Iterable[str]) -> tuple[str, str]:
        rows = await self._read(_STEP, asked, id=id, level=list(level))
        if not rows:
            raise Moved("the way is gone")
        return rows[0]["other"], rows[0]["relation"]

    async def _lying(self, asked: Asked, pattern: Pattern, limit: int) -> list[tuple[str, ...]]:
        statement, values = matching.as_cypher(pattern, _HELD, _SEEN)
        return [tuple(row["ids"]) for row in await self._read(statement, asked, **values, limit=limit)]

    async def _whole(
        self, asked: Asked, ids: Sequence[str], relations: Sequence[str]
    ) -> tuple[dict[str, Memory], dict[UUID, Edge]]:
        memories, edges = await PostgresGraph._whole(self, asked, ids, relations)
        if await self.visible(asked, ids) != set(ids) or not set(map(UUID, relations)) <= edges.keys():
            raise Moved("something of it has changed")
        return memories, edges

    async def _read(self, statement: LiteralString, asked: Asked, **values: Any) -> list[dict[str, Any]]:
        ways = asked.ways
        common = {
            "space": asked.space,
            "every": ways.types is None,
            "types": few(ways.types or ()),
            "structural": sorted(STRUCTURAL),
            "valid_at": ways.valid_at or _NEVER,
            "until": ways.until or _EVER,
            "ends": few(asked.ends),
            "hidden": few(ways.hidden),
            "high": ways.sensitivity == "high",
            "sensitivity": list(allowed_sensitivities(ways.sensitivity)),
        }
        return await self.neo4j.read(statement, **common, **values)


def _best(rows: Sequence[dict[str, Any]], known: set[str]) -> list[tuple[str, str, float]]:
    """Of each node that was met and is new the strongest relation that led there."""
    best: dict[str, tuple[float, str]] = {}
    for row in rows:
        other, rank = row["other"], (-row["strength"], row["relation"])
        if row["open"] and other not in known:
            best[other] = min(best.get(other, rank), rank)
    return [(other, relation, -strength) for other, (strength, relation) in best.items()]


@dataclass(frozen=True, slots=True)
class EitherGraph:
    """Neo4j where it has all of the space and answers, else PostgreSQL: the same is answered either way, and nobody
    waits for the other."""

    database: Database
    postgres: GraphReader
    projected: GraphReader
    neo4j: Neo4j

    async def neighbours(self, space: str, ids: Sequence[UUID], ways: Ways, most: int) -> dict[UUID, tuple[Edge, ...]]:
        """The strongest relations of each node, at most so many."""
        return await self._answered(space, lambda graph: graph.neighbours(space, ids, ways, most))

    async def traverse(self, start: Memory, ways: Ways, depth: int, limit: int) -> Traversal:
        """What lies around a node, up to a distance; cut by rank where it is more than `limit` nodes."""
        return await self._answered(start.space, lambda graph: graph.traverse(start, ways, depth, limit))

    async def path(self, start: Memory, end: Memory, ways: Ways, most: int) -> Route | None:
        """A shortest way between two nodes of a space, of at most so many relations, if there is one."""
        return await self._answered(start.space, lambda graph: graph.path(start, end, ways, most))

    async def match(self, space: str, pattern: Pattern, ways: Ways, limit: int) -> list[Match]:
        """What lies in the graph as a pattern says, the strongest first."""
        return await self._answered(space, lambda graph: graph.match(space, pattern, ways, limit))

    async def _answered(self, space: str, ask: Callable[[GraphReader], Awaitable[Answer]]) -> Answer:
        # Which categories a reader sees only PostgreSQL knows.
        if sight.seen() is None and not self.neo4j.rests and (held := await self._level(space)):
            try:
                answer = await ask(self.projected)
                # Looked at last: what was so at the beginning and still is was so in between.
                if await looking.holds(self.neo4j, space, held):
                    return answer
            except (Moved, TookTooLong):
                pass
            except (Unavailable, Refused) as error:
                if getattr(error, "part", NAME) != NAME:
                    raise
                _log.warning("PostgreSQL answers for a while: %s", error)
                self.neo4j.rest()
        return await ask(self.postgres)

    async def _level(self, space: str) -> Held | None:
        """What Neo4j should hold if it has all that PostgreSQL has of a space."""
        batch = Batch(space)
        batch.add(outbox.QUERIES["level"], space=space)
        [rows] = await self.database.send(batch)
        return Held(rows[0].copy_id, rows[0].carried_id) if rows else None
