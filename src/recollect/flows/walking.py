"""Walks in the graph: what lies around a node, and how two nodes hang together."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from recollect.core import check
from recollect.core.errors import NotFound
from recollect.core.scope import Scope
from recollect.flows import revise
from recollect.flows.parts import Parts
from recollect.graph.model import Route, Traversal, Ways
from recollect.records.filters import INCLUDABLE
from recollect.records.model import Memory

DEEPEST = 4
LONGEST = 12
MOST_NODES = 1_000


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
