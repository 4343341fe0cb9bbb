"""The console as an ASGI application: its routes, its headers, and what becomes of errors."""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from recollect.console import csrf, failing
from recollect.console.asking import Asked, Gate, IsAdmin, Whose
from recollect.console.choosing import SayingSpace
from recollect.console.headers import WithHeaders
from recollect.console.pages import PAGES, door
from recollect.memory import Recollect

_STATIC = Path(__file__).with_name("static")
Answer = Callable[[Asked], Awaitable[Response]]


def app(rc: Recollect, whose: Whose, is_admin: IsAdmin) -> Starlette:
    """The console over an open memory; `whose` says for whom a request speaks, `is_admin` whether it may see all."""
    gate = Gate(rc, whose, is_admin)
    return Starlette(
        routes=list(_routes(gate)),
        middleware=[Middleware(WithHeaders), Middleware(SayingSpace)],
        exception_handlers=failing.handlers(gate),
    )


def _routes(gate: Gate) -> Iterator[BaseRoute]:
    yield Mount("/static", StaticFiles(directory=_STATIC), name="static")
    for path, method, answer in PAGES:
        yield Route(path, _endpoint(gate, answer), methods=[method])
    yield Route("/sign-in", door.sign_in, methods=["POST"])
    yield Route("/sign-out", door.sign_out, methods=["POST"])


def _endpoint(gate: Gate, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        response = await answer(await Asked.of(request, gate))
        csrf.keep(request, response)
        return response

    return endpoint
