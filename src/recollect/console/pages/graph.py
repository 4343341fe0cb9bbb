"""People, concepts and things: a list, what lies around one, and ways between two."""

from collections.abc import Sequence
from typing import Any

from starlette.responses import JSONResponse, Response

from recollect.console.asking import Asked, number
from recollect.core import check
from recollect.core.errors import NotFound
from recollect.graph.model import Node, Traversal, name_of
from recollect.graph.names import NODE_KINDS

_PAGE = 60
_AROUND = 24
_STARTS = 8
_NAMES = 200
_DEPTHS = (1, 2, 3)


async def show(asked: Asked) -> Response:
    """Nodes by kind and name."""
    kind, name = asked.given("kind"), asked.given("name")
    nodes = await asked.memory.nodes(kind, name, limit=_PAGE + 1, after=asked.given("after"))
    more = nodes[_PAGE - 1].id if len(nodes) > _PAGE else None
    query = None if more is None else str(asked.request.url.include_query_params(after=str(more)).query)
    return await asked.page(
        "graph.html",
        nodes=nodes[:_PAGE],
        starts=[] if name or asked.given("after") else _starts(nodes),
        kinds=NODE_KINDS,
        kind=kind,
        name=name,
        next_page=query,
    )


def _starts(nodes: Sequence[Node]) -> list[str]:
    """The nodes around which the picture is drawn: those that are spoken of most."""
    spoken_of = sorted(nodes, key=lambda node: (not node.is_owner, -node.sources, node.name))
    return [str(node.id) for node in spoken_of[:_STARTS]]


async def around(asked: Asked) -> Response:
    """What lies around a node, as a list; the picture is drawn beside it."""
    wanted = number(asked.given("depth"))
    depth = wanted if wanted in _DEPTHS else 1
    found = await asked.memory.traverse(_id(asked), depth=depth, limit=100)
    others = await asked.memory.get_all(kinds=list(NODE_KINDS), limit=_NAMES, newest_first=True)
    return await asked.page(
        "node.html", found=found, node=found.start, depth=depth, depths=_DEPTHS, others=others, edges=_edges(found)
    )


def _id(asked: Asked) -> str:
    return str(asked.request.path_params["id"])


def _edges(found: Traversal) -> dict[Any, list[Any]]:
    """Every relation once, beside that of its two nodes which stands further down in the list."""
    places = {reached.memory.id: place for place, reached in enumerate(found.nodes, 1)}
    told: dict[Any, list[Any]] = {}
    for edge in found.relations:
        later = max(edge.from_id, edge.to_id, key=lambda end: places.get(end, 0))
        told.setdefault(later, []).append(edge)
    return told


async def neighbours(asked: Asked) -> Response:
    """The same for the picture: a node with those next to it."""
    found = await asked.memory.traverse(_id(asked), depth=1, limit=_AROUND)
    shown = [found.start, *(reached.memory for reached in found.nodes)]
    nodes = [
        {"id": str(node.id), "name": name_of(node), "kind": node.kind, "href": asked.at(f"/graph/{node.id}")}
        for node in shown
    ]
    edges = [
        {"id": str(edge.id), "from": str(edge.from_id), "to": str(edge.to_id), "type": edge.type.replace("_", " ")}
        for edge in found.relations
    ]
    return JSONResponse({"nodes": nodes, "edges": edges, "cut": found.cut})


async def path(asked: Asked) -> Response:
    """A shortest way from one node to another."""
    one = await asked.memory.get(check.uuid("a", asked.given("a")))
    other = await _named(asked, asked.given("b") or "")
    route = await asked.memory.path(one.id, other.id)
    return await asked.page("path.html", one=one, other=other, route=route)


async def _named(asked: Asked, name: str) -> Any:
    """The node that is called so."""
    found = await asked.memory.nodes(None, name or None, limit=20) if name else []
    exact = [node for node in found if node.name.casefold() == name.casefold()]
    if not found:
        raise NotFound(f"nobody and nothing is called {name!r}")
    return (exact or found)[0]
