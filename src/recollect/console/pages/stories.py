"""Storylines and macros: what they tell, and what they are told from."""

from starlette.responses import Response

from recollect.console.asking import Asked
from recollect.graph.names import NODE_KINDS

_MOST = 200


async def show(asked: Asked) -> Response:
    """All stories, the newest first."""
    macros = await asked.memory.get_all(kinds=["macro"], limit=_MOST, newest_first=True)
    storylines = await asked.memory.get_all(kinds=["storyline"], limit=_MOST, newest_first=True)
    return await asked.page("stories.html", macros=macros, storylines=storylines)


async def one(asked: Asked) -> Response:
    """A story and its members."""
    story = await asked.memory.get(str(asked.request.path_params["id"]))
    below = 2 if story.kind == "macro" else 1
    found = await asked.memory.explore([], granularity=below, within=story.id, limit=100, include=["archived"])
    members = [hit.memory for hit in found.hits]
    return await asked.page(
        "story.html",
        story=story,
        told_from=[memory for memory in members if memory.kind not in NODE_KINDS],
        about=[memory for memory in members if memory.kind in NODE_KINDS],
    )
