"""Exploring at three granularities: sources and nodes, storylines, macros; and from each down into the next.

Several questions are asked at once. What is found is ranked as a search ranks it, and salience lifts it: what is
often recalled comes first among what fits equally well.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from recollect.core import check
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.db.compose import SQL
from recollect.db.database import Batch, array_literal
from recollect.db.sql import load
from recollect.flows import revise, searching
from recollect.flows.parts import Parts
from recollect.graph.model import Edge, Ways
from recollect.graph.names import NODE_KINDS
from recollect.graph.walking import PostgresGraph
from recollect.providers.calibration import RELEVANT
from recollect.records.filters import allowed_sensitivities, conditions
from recollect.records.model import Memory
from recollect.records.store import memory_of
from recollect.retrieval import request as requesting
from recollect.retrieval.exploration import Exploration, Explored, NearRelation, Part
from recollect.retrieval.fusion import Weights
from recollect.retrieval.request import Request
from recollect.retrieval.search import QUERIES as SEARCH
from recollect.retrieval.search import Hit, Timing

QUERIES = load("recollect.retrieval", "exploring.sql")

KINDS: dict[int, tuple[str, ...]] = {1: ("source", *NODE_KINDS), 2: ("storyline",), 3: ("macro",)}
MODES = ("fast", "full")
_LEVELS = {"macro": 3, "storyline": 2} | dict.fromkeys(NODE_KINDS, 1)
_PARTS_SHOWN = 5
_RELATIONS_SHOWN = 5
_MOST_QUERIES = 20
_VECTOR_ALONE = Weights(**dict.fromkeys(Weights.__slots__, 0.0) | {"semantic": 1.0})
_SPARE = 3  # times as many hits are read as are wanted: salience reorders them


@dataclass(frozen=True, slots=True)
class _Asked:
    """An exploration, checked."""

    requests: tuple[Request, ...]
    granularity: int
    full: bool
    limit: int
    within: Memory | None
    below: tuple[UUID, ...] | None
    """The ids that it is confined to."""
    ways: Ways

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is looked for; within a node, its sources alone."""
        inside_node = self.within is not None and self.within.kind in NODE_KINDS
        return ("source",) if inside_node else KINDS[self.granularity]


async def explore(parts: Parts, scope: Scope, queries: object, given: Mapping[str, Any]) -> Exploration:
    """The best of what fits any of the questions."""
    asked = await _checked(parts, scope, queries, given)
    if not asked.requests:
        return await _with_parts(parts, asked, scope, await _listed(parts, scope, asked))
    found = await asyncio.gather(*(_search(parts, asked, request) for request in asked.requests))
    best: dict[tuple[str, UUID], Explored] = {}
    for request, hits in zip(asked.requests, found, strict=True):
        for hit in hits:
            key = (hit.memory.space, hit.memory.id)
            best[key] = _joined(best.get(key), _explored(parts, hit, request.question))
    ranked = sorted(best.values(), key=lambda hit: (-hit.score, str(hit.memory.id)))[: asked.limit]
    explored = await _with_parts(parts, asked, scope, ranked)
    return replace(explored, relations=await _relations(parts, asked))


# What is asked


async def _checked(parts: Parts, scope: Scope, queries: object, given: Mapping[str, Any]) -> _Asked:
    level = check.count("granularity", given["granularity"], most=3)
    full = check.choice("mode", given["mode"], MODES) == "full"
    limit = check.count("limit", given["limit"], most=100)
    within = None if given["within"] is None else await _place(parts, scope, check.uuid("within", given["within"]))
    if within is not None:
        level = max(1, min(level, _LEVELS[within.kind] - 1))
    requests = tuple([await _request(parts, scope, query, level, limit, given) for query in _listed_queries(queries)])
    if not requests and within is None:
        raise InvalidInput("queries", "is empty")
    below = None if within is None else await _below(parts, within, nodes=within.kind not in NODE_KINDS)
    ways = Ways(parts.clock(), None, _include(given["include"]), None, scope.sensitivity)
    asked = _Asked(requests, level, full, limit, within, below, ways)
    return replace(asked, requests=tuple(_confined(asked, request) for request in requests))


def _listed_queries(queries: object) -> list[tuple[object, object]]:
    """Each question with its own threshold, if it has one."""
    given = [queries] if isinstance(queries, str | Mapping) else queries
    if not isinstance(given, Sequence) or len(given) > _MOST_QUERIES:
        raise InvalidInput("queries", f"must be a list of at most {_MOST_QUERIES} questions")
    for query in given:
        if isinstance(query, Mapping) and (unknown := set(query) - {"query", "threshold"}):
            raise InvalidInput(f"queries.{min(map(str, unknown))}", "is neither query nor threshold")
    return [(q.get("query"), q.get("threshold")) if isinstance(q, Mapping) else (q, None) for q in given]


async def _request(
    parts: Parts, scope: Scope, query: tuple[object, object], level: int, limit: int, given: Mapping[str, Any]
) -> Request:
    text, threshold = query
    filters = {
        "kinds": list(KINDS[level]),
        "threshold": given["threshold"] if threshold is None else threshold,
        "include": given["include"],
    }
    zone = await parts.searcher.zone(scope.readable)
    return requesting.parse(scope, text, _SPARE * limit, filters, parts.settings, parts.clock(), zone)


def _include(given: Any) -> frozenset[str]:
    return frozenset(check.names("include", given or ()))


def _confined(asked: _Asked, request: Request) -> Request:
    """Within a place, only what lies below it; in fast mode, ranked by the vectors alone."""
    filters = replace(request.filters, kinds=asked.kinds, ids=asked.below)
    spaces = request.spaces if asked.within is None else (asked.within.space,)
    weights = request.weights if asked.full else _VECTOR_ALONE
    return replace(request, filters=filters, spaces=spaces, weights=weights)


async def _place(parts: Parts, scope: Scope, id: UUID) -> Memory:
    """What is drilled into."""
    found = await revise.find(parts, scope, id)
    if found.state == "soft_deleted":
        raise NotFound(f"memory {id} was deleted")
    if found.kind not in _LEVELS:
        raise InvalidInput("within", f"must be a macro, a storyline or a node, not a {found.kind}")
    return found


async def _below(parts: Parts, within: Memory, *, nodes: bool) -> tuple[UUID, ...]:
    batch = Batch(within.space)
    batch.add(QUERIES["below"], space=within.space, id=within.id, nodes=nodes)
    [rows] = await parts.database.send(batch)
    return tuple(row.id for row in rows)


# What is found


async def _search(parts: Parts, asked: _Asked, request: Request) -> list[Hit]:
    if asked.full:
        return await searching.search(parts, request, Timing())
    plain = parts.searcher.plain()
    question = await plain.ask(request, Timing())
    by_vector = replace(question, words=(), scene=(), names=(), now=None)
    return await searching.search(replace(parts, searcher=plain), request, Timing(), by_vector)


def _explored(parts: Parts, hit: Hit, question: str) -> Explored:
    lift = parts.settings.weight_salience * hit.memory.salience
    why = hit.why | {"salience": lift}
    return Explored(hit.memory, hit.score + lift, why, hit.evidence, (question,), entities=hit.entities)


def _joined(known: Explored | None, found: Explored) -> Explored:
    """A memory that several questions found counts as the best of them found it."""
    if known is None:
        return found
    first, second = (found, known) if found.score > known.score else (known, found)
    return replace(
        first,
        evidence=max(first.evidence, second.evidence),
        queries=tuple(dict.fromkeys(first.queries + second.queries)),
    )


async def _listed(parts: Parts, scope: Scope, asked: _Asked) -> list[Explored]:
    """What lies below a place when nothing is asked, the newest first."""
    assert asked.within is not None
    space, now = asked.within.space, parts.clock()
    given = {"kinds": list(asked.kinds), "include": list(asked.ways.include)}
    zone = await parts.searcher.zone(scope.readable)
    any_question = requesting.parse(scope, "anything", asked.limit, given, parts.settings, now, zone)
    filters = replace(any_question.filters, ids=asked.below)
    batch = Batch(space)
    statement = SQL(SEARCH["hydrate_filtered"]).format(conditions=conditions(filters, now, "r"))
    batch.add(statement, space=space, ids=array_literal(map(str, asked.below or ())))
    [rows] = await parts.database.send(batch)
    memories = sorted((memory_of(row, now, parts.rules) for row in rows), key=_newest_first)
    return [Explored(memory, 0.0, {}, 0.0, ()) for memory in memories[: asked.limit]]


def _newest_first(memory: Memory) -> tuple[float, str]:
    return -memory.happened_at.timestamp(), str(memory.id)


async def _with_parts(parts: Parts, asked: _Asked, scope: Scope, hits: Sequence[Explored]) -> Exploration:
    """The hits with a glimpse of what lies below each, and the relations of nodes."""
    below = await _parts_of(parts, scope, [hit.memory for hit in hits if hit.memory.kind in ("storyline", "macro")])
    edges = await _edges_of(parts, asked, [hit.memory for hit in hits if hit.memory.kind in NODE_KINDS])
    told = tuple(replace(hit, relations=edges.get(hit.memory.id, ()), **below.get(hit.memory.id, {})) for hit in hits)
    return Exploration(asked.granularity, asked.within, told)


async def _parts_of(parts: Parts, scope: Scope, memories: Sequence[Memory]) -> dict[UUID, dict[str, Any]]:
    if not memories:
        return {}
    spaces = dict.fromkeys(memory.space for memory in memories)
    batch = Batch(*spaces)
    for space in spaces:
        ids = array_literal(str(memory.id) for memory in memories if memory.space == space)
        sensitivity = allowed_sensitivities(scope.sensitivity)
        batch.add(QUERIES["parts"], space=space, ids=ids, sensitivity=sensitivity, most=_PARTS_SHOWN)
    found: dict[UUID, dict[str, Any]] = {memory.id: {"parts": (), "about": ()} for memory in memories}
    for row in (row for rows in await parts.database.send(batch) for row in rows):
        of_hit, name = found[row.of_id], "about" if row.is_about else "parts"
        of_hit[name] += (_part(row),)
        if not row.is_about:
            of_hit["all_parts"] = row.all_of_type
    return found


def _part(row: Any) -> Part:
    told = (row.id, row.kind, row.type, row.title, row.summary, row.happened_at, row.state)
    return Part(*told, row.sources, row.first_at, row.last_at)


async def _edges_of(parts: Parts, asked: _Asked, nodes: Sequence[Memory]) -> dict[UUID, tuple[Edge, ...]]:
    found: dict[UUID, tuple[Edge, ...]] = {}
    for space in dict.fromkeys(node.space for node in nodes):
        ids = [node.id for node in nodes if node.space == space]
        found |= await parts.graph.neighbours(space, ids, asked.ways, _RELATIONS_SHOWN)
    return found


async def _relations(parts: Parts, asked: _Asked) -> tuple[NearRelation, ...]:
    """Relations that say what was asked; within a story, those between its nodes."""
    if asked.granularity > 1 or asked.kinds == ("source",):
        return ()
    found: dict[UUID, NearRelation] = {}
    for request in asked.requests:
        for edge, evidence in await _near(parts, asked, request):
            known = found.get(edge.id)
            queries = (*(known.queries if known else ()), request.question)
            found[edge.id] = NearRelation(edge, max(evidence, known.evidence if known else 0.0), queries)
    ranked = sorted(found.values(), key=lambda near: (-near.evidence, str(near.relation.id)))
    return tuple(ranked[: asked.limit])


async def _near(parts: Parts, asked: _Asked, request: Request) -> list[tuple[Edge, float]]:
    """Those of one question whose similarity, calibrated, is enough."""
    least = RELEVANT if request.threshold is None else request.threshold
    question = await parts.searcher.ask(request, Timing())
    reader = PostgresGraph(parts.database, parts.rules)
    found: list[tuple[Edge, float]] = []
    for space in request.spaces:
        for edge, similarity in await reader.near(space, question.vector, asked.ways, asked.below, asked.limit):
            if (evidence := parts.calibration.calibrated(similarity)) >= least:
                found.append((edge, evidence))
    return found
