"""Storylines and macros: what they tell, and what they are told from."""

from starlette.responses import Response

from recollect.console.asking import Asked

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
    members = await asked.memory.explore([], granularity=below, within=story.id, limit=100, include=["archived"])
    return await asked.page("story.html", story=story, members=[hit.memory for hit in members.hits])
