"""What a person may attach to a talk: the profile, the list of storylines and themes, and each of them."""

from collections.abc import Iterator, Sequence
from uuid import UUID

import mcp_types as types

from recollect.core import check
from recollect.core.errors import InvalidInput, NotFound
from recollect.graph.model import name_of
from recollect.mcp.room import Room
from recollect.memory import ScopedMemory
from recollect.records.model import Memory
from recollect.retrieval.exploration import Exploration
from recollect.understanding.fence import fenced

PROFILE = "recollect://profile"
STORYLINES = "recollect://storylines"
STORYLINE = STORYLINES + "/{id}"
_MARKDOWN = "text/markdown"
_KINDS = ("storyline", "macro")
_PAGE = 50
_TOKENS = 8_000
_GONE = ("soft_deleted",)

_ALWAYS = (
    types.Resource(
        uri=PROFILE,
        name="profile",
        title="The user's profile",
        description="What holds for the user: identity, preferences, constraints, instructions.",
        mime_type=_MARKDOWN,
    ),
    types.Resource(
        uri=STORYLINES,
        name="storylines",
        title="Storylines and themes",
        description="The stories of people, projects and things, and the themes that they make over months.",
        mime_type=_MARKDOWN,
    ),
)

TEMPLATES = (
    types.ResourceTemplate(
        uri_template=STORYLINE,
        name="storyline",
        title="One storyline or theme",
        description="What it tells, whom it is about, and the documents or storylines that it is made of.",
        mime_type=_MARKDOWN,
    ),
)


async def listed(memory: ScopedMemory, cursor: str | None) -> types.ListResourcesResult:
    """A page of resources: first those that are always there, then storylines and themes in the order of their ids."""
    if cursor is not None:
        check.uuid("cursor", cursor)
    page = await memory.get_all(_PAGE, cursor, kinds=_KINDS)
    always = _ALWAYS if cursor is None else ()
    return types.ListResourcesResult(resources=[*always, *map(_resource, page)], next_cursor=page.next)


def _resource(story: Memory) -> types.Resource:
    return types.Resource(
        uri=STORYLINE.format(id=story.id),
        name=name_of(story),
        title=name_of(story),
        description="A theme over months." if story.kind == "macro" else "A storyline.",
        mime_type=_MARKDOWN,
    )


async def read(memory: ScopedMemory, uri: str) -> types.ReadResourceResult:
    """The text of a resource."""
    text = await _text(memory, uri)
    content = types.TextResourceContents(uri=uri, mime_type=_MARKDOWN, text=text)
    return types.ReadResourceResult(contents=[content])


async def _text(memory: ScopedMemory, uri: str) -> str:
    if uri == PROFILE:
        return await _profile(memory)
    if uri == STORYLINES:
        return await _storylines(memory)
    folder, slash, id = uri.rpartition("/")
    if folder == STORYLINES and slash:
        return await _storyline(memory, check.uuid("uri", id))
    raise InvalidInput("uri", f"there is no resource {uri[:200]!r}")


async def _profile(memory: ScopedMemory) -> str:
    facts = await memory.profile()
    lines = [f"- {fact.type} **{fact.key}**: {fact.value}" for fact in facts]
    return _page("Profile", lines, "Nothing is known of the user yet.")


async def _storylines(memory: ScopedMemory) -> str:
    stories: list[Memory] = []
    after: str | None = None
    while len(stories) < _MOST_STORIES:
        page = await memory.get_all(_PAGE, after, kinds=_KINDS)
        stories += page
        if (after := page.next) is None:
            break
    lines = [f"- [{name_of(story)}]({STORYLINE.format(id=story.id)}): {story.gist}" for story in stories]
    return _page("Storylines and themes", lines, "There are no storylines yet.")


_MOST_STORIES = 500


async def _storyline(memory: ScopedMemory, id: UUID) -> str:
    story = await memory.get(id)
    if story.kind not in _KINDS or story.state in _GONE:
        raise NotFound(f"there is no storyline {id}")
    below = await memory.explore([], within=id, granularity=2 if story.kind == "macro" else 1, limit=30)
    return _page(name_of(story), [story.gist, "", *_below(below)], "")


def _below(found: Exploration) -> Iterator[str]:
    for hit in found:
        below = hit.memory
        yield f"- {below.happened_at:%Y-%m-%d} ({below.kind}) {name_of(below)}: {below.gist}"


def _page(title: str, lines: Sequence[str], none: str) -> str:
    """A page within bounds, its lines marked as recalled."""
    room = Room(_TOKENS, texts=len(lines))
    kept = [text for line in lines if (text := room.take(line)) is not None]
    body = fenced("\n".join(kept)) + room.remark if kept else none
    return f"# {title}\n\n{body}\n"
