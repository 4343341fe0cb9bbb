"""Finding memories: a search with the reasons for its scores, or a list with filters."""

from typing import Any

from starlette.responses import Response

from recollect.console import drawing
from recollect.console.asking import Asked
from recollect.records.filters import STATES
from recollect.records.kinds import ADDABLE, KINDS, STATEMENT_TYPES

_HITS = 20
_PAGE = 50
DELETED = "deleted"
_SEVERAL = {"kind": "kinds", "type": "types", "category": "categories", "tag": "tags"}
_SINGLE = ("tier", "since", "until", "thread")


async def show(asked: Asked) -> Response:
    """Hits of a question, or a page of memories, the newest first."""
    query, state = asked.given("q"), asked.given("state")
    filters = _filters(asked)
    values: dict[str, Any] = {"hits": None, "listed": None, "most": 0.0, "warnings": ()}
    if query is not None:
        hits = await asked.memory.search(query, limit=_HITS, **filters)
        values |= {"hits": hits, "most": drawing.largest(hits), "warnings": hits.warnings}
    elif state == DELETED:
        values["listed"] = await asked.memory.deleted(limit=_PAGE, after=asked.given("after"))
    else:
        after = asked.given("after")
        values["listed"] = await asked.memory.get_all(limit=_PAGE, after=after, newest_first=True, **filters)
    return await asked.page(
        "memories.html",
        query=query,
        given={name: asked.given(name) or "" for name in (*_SEVERAL, *_SINGLE, "state")},
        filtered=bool(filters) or state is not None,
        kinds=list(KINDS),
        states=(*STATES, DELETED),
        addable=sorted(ADDABLE),
        types=list(STATEMENT_TYPES),
        next_page=_next(asked, values["listed"]),
        **values,
    )


def _filters(asked: Asked) -> dict[str, Any]:
    """The filters of the address, as the library takes them."""
    found: dict[str, Any] = {}
    for name, plural in _SEVERAL.items():
        if value := asked.given(name):
            found[plural] = [each.strip() for each in value.split(",") if each.strip()]
    for name in _SINGLE:
        if value := asked.given(name):
            found[name] = value
    if (state := asked.given("state")) and state != DELETED:
        found["states"] = [state]
    return found


def _next(asked: Asked, listed: Any) -> str | None:
    """The address of the next page, with the same filters."""
    if listed is None or listed.next is None:
        return None
    return str(asked.request.url.include_query_params(after=listed.next).query)


async def add(asked: Asked) -> Response:
    """Take a memory by hand."""
    kind = asked.sent("kind") or "statement"
    values: dict[str, Any] = {"kind": kind}
    if kind == "statement":
        values["type"] = asked.sent("type") or "fact"
    added = await asked.memory.add(asked.needed("content"), **values)
    return asked.go(f"/memories/{added.id}?done=added")
