"""Documents: how far each is understood, and adding one."""

from starlette.responses import Response

from recollect.console.asking import Asked, number
from recollect.sources.model import STATUSES

_MOST = 10_000
_PAGE = 50


async def show(asked: Asked) -> Response:
    """The newest first."""
    status = asked.given("status")
    found = (await asked.memory.sources(status, limit=_MOST))[::-1]
    place = number(asked.given("from")) or 0
    more = place + _PAGE if len(found) > place + _PAGE else None
    shown = found[place : place + _PAGE]
    return await asked.page("sources.html", found=shown, total=len(found), status=status, statuses=STATUSES, more=more)


async def add(asked: Asked) -> Response:
    """Take a text as a document."""
    source = await asked.memory.ingest(asked.needed("text"), "text-note", title=asked.sent("title"))
    return asked.go(f"/memories/{source.id}?done=ingested")


async def retry(asked: Asked) -> Response:
    """Try one again that was given up."""
    await asked.memory.retry_source(str(asked.request.path_params["id"]))
    return asked.go("/sources?done=retried")
