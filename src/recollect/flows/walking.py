"""Walks in the graph: what lies around a node, how two nodes hang together, and what lies as a pattern says."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any
from uuid import UUID

from recollect.core import check
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.flows import revise
from recollect.flows.parts import Parts
from recollect.graph import matching
from recollect.graph.matching import Hop, Pattern
from recollect.graph.model import Match, Route, Traversal, Ways
from recollect.graph.walking import PostgresGraph
from recollect.records.filters import INCLUDABLE
from recollect.records.kinds import KINDS
from recollect.records.model import Memory

DEEPEST = 4
LONGEST = 12
MOST_NODES = 1_000
BACK = "back"


async def traverse(
    parts: Parts, scope: Scope, id: UUID, depth: object, limit: object, asked: Mapping[str, Any]
) -> Traversal:
    """What lies around a node."""
    steps = check.count("depth", depth, most=DEEPEST)
    most = check.count("limit", limit, most=MOST_NODES)
    ways = await ways_of(parts, scope, asked)
    return await parts.graph.traverse(await _node(parts, scope, id), ways, steps, most)


async def path(parts: Parts, scope: Scope, a: UUID, b: UUID, most: object, asked: Mapping[str, Any]) -> Route | None:
    """A shortest way between two nodes; in different spaces there is none."""
    steps = check.count("most", most, most=LONGEST)
    ways = await ways_of(parts, scope, asked)
    start, end = await _node(parts, scope, a), await _node(parts, scope, b)
    return await parts.graph.path(start, end, ways, steps) if start.space == end.space else None


async def match(
    parts: Parts, scope: Scope, pattern: object, names: object, limit: object, asked: Mapping[str, Any]
) -> list[Match]:
    """What lies in the graphs of all readable spaces as a pattern says, the strongest first."""
    chain, called = _pattern(pattern), _names(names, pattern)
    most = check.count("limit", limit, most=MOST_NODES)
    ways = await ways_of(parts, scope, asked)
    found: list[Match] = []
    for space in scope.readable:
        named = await _called(parts, space, chain, called)
        if not named.impossible:
            found += await parts.graph.match(space, named, ways, most)
    return sorted(found, key=_rank)[:most]


def _rank(match: Match) -> tuple[Any, ...]:
    """As one space ranks its own."""
    weight = 0.0
    for edge in match.relations:
        weight += edge.strength
    return -weight, tuple(str(node.id) for node in match.nodes), tuple(str(edge.id) for edge in match.relations)


async def _called(parts: Parts, space: str, pattern: Pattern, names: Mapping[int, str | UUID]) -> Pattern:
    """The pattern with the nodes of a space that go by the names."""
    graph, places = PostgresGraph(parts.database, parts.rules), list(pattern.places)
    for place, name in names.items():
        ids = (name,) if isinstance(name, UUID) else tuple(await graph.called(space, name))
        places[place] = replace(places[place], ids=ids)
    return replace(pattern, places=tuple(places))


def _pattern(given: object) -> Pattern:
    """Edges that follow each other: (kind, type, kind), or with a fourth word, `back`, for one that leads the other
    way. None stands for any kind, and for any type."""
    if (
        isinstance(given, str | Mapping)
        or not isinstance(given, Sequence)
        or not 1 <= len(given) <= matching.MOST_STEPS
    ):
        raise InvalidInput("pattern", f"must be a list of 1 to {matching.MOST_STEPS} edges: (kind, type, kind)")
    edges = [_edge(f"pattern[{number}]", edge) for number, edge in enumerate(given)]
    for number, (before, after) in enumerate(pairwise(edges), start=1):
        if before[2] != after[0]:
            raise InvalidInput(f"pattern[{number}]", "must begin with the kind with which the edge before it ends")
    return matching.chain(edges)


def _edge(field: str, given: object) -> tuple[str | None, Hop, str | None]:
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence) or len(given) not in (3, 4):
        raise InvalidInput(field, "must be (kind, type, kind), with `back` as a fourth word where it leads back")
    kinds = [None if kind is None else check.choice(field, kind, KINDS) for kind in (given[0], given[2])]
    type = None if given[1] is None else check.identifier(field, given[1])
    if len(given) == 4:
        check.choice(field, given[3], (BACK,))
    return kinds[0], Hop(type, len(given) == 4), kinds[1]


def _names(given: object, pattern: object) -> dict[int, str | UUID]:
    """Names, or ids, of nodes by their places in the pattern, counted from 0; in a list None stands for any."""
    if given is None:
        return {}
    assert isinstance(pattern, Sequence)
    places = range(len(pattern) + 1)
    pairs = given.items() if isinstance(given, Mapping) else None
    if isinstance(given, Sequence) and not isinstance(given, str):
        pairs = {place: name for place, name in enumerate(given) if name is not None}.items()
    if pairs is None:
        raise InvalidInput("names", "must be a list of names, one for each node, or an object of names by place")
    found = {}
    for place, name in pairs:
        if isinstance(place, bool) or not isinstance(place, int) or place not in places:
            raise InvalidInput("names", f"there is no node {place!r} in the pattern: they are 0 to {places[-1]}"[:200])
        found[place] = name if isinstance(name, UUID) else _name(name)
    return found


def _name(given: object) -> str | UUID:
    text = check.identifier("names", given)
    try:
        return UUID(text)
    except ValueError:
        return text


async def ways_of(parts: Parts, scope: Scope, asked: Mapping[str, Any]) -> Ways:
    """Which relations may be taken, checked."""
    include = check.names("include", asked.get("include") or ())
    zone = await parts.searcher.zone(scope.readable)
    return Ways(
        parts.clock(),
        check.optional_names("types", asked.get("types")),
        frozenset(check.choice("include", word, INCLUDABLE) for word in include),
        check.filter_moment("valid_at", asked.get("valid_at"), zone),
        scope.sensitivity,
    )


async def _node(parts: Parts, scope: Scope, id: UUID) -> Memory:
    """A node by its id, whatever its state, unless it was deleted."""
    found = await revise.find(parts, scope, id)
    if found.state == "soft_deleted":
        raise NotFound(f"memory {id} was deleted")
    return found
