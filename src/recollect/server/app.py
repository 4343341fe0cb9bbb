"""The application: REST under `/v1`, what keeps an eye on the server beside it, and whatever else is mounted."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect import __version__
from recollect.core.errors import InvalidInput, NotFound, RecollectError, Unavailable
from recollect.memory import Recollect
from recollect.server.gate import Gate
from recollect.server.openapi import document
from recollect.server.rest import Handler, Rest, refusal
from recollect.server.telemetry import Telemetry
from recollect.wire.answers import WHO
from recollect.wire.problems import problem_of

Lifetime = Callable[[], AbstractAsyncContextManager[Any]]
_NO_OTHERS: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False}
"""Spans and counts of requests are our own, by verb; FastAPI's would be a second of each."""


def create_app(
    rc: Recollect,
    gate: Gate,
    *,
    mounts: Mapping[str, ASGIApp] | None = None,
    lifetimes: Sequence[Lifetime] = (),
    stopping: asyncio.Event | None = None,
) -> FastAPI:
    """The server of an open memory, behind a gate.

    `mounts`: other faces by their paths, in the order in which they are asked; `lifetimes`: what has to run meanwhile;
    `stopping`: is set when the server is told to stop.
    """

    @asynccontextmanager
    async def alive(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for lifetime in lifetimes:
                await stack.enter_async_context(lifetime())
            yield

    app = FastAPI(
        title="Recollect",
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=alive,
        telemetry=_NO_OTHERS,
    )
    telemetry = Telemetry()
    app.state.rest = rest = Rest(rc, gate, telemetry, stopping or asyncio.Event())
    app.router.routes.extend(rest.routes())
    for path, handler in _house_keeping(rc, gate, telemetry, rest).items():
        app.add_route(path, handler, methods=["GET"])
    app.add_exception_handler(HTTPException, _unrouted)
    # Whatever else is asked under /v1 is a mistake of a program, which no page answers.
    app.router.routes.append(Route("/v1/{path:path}", _Nothing(app.router.routes[:])))
    for path, face in (mounts or {}).items():
        if path:
            app.router.routes.append(Route(path, face))  # without a slash at its end, too
        app.mount(path, face)
    return app


class _Nothing:
    """What none of some routes answers; a path of theirs asked with another method says which it takes."""

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        for route in self._routes:
            if route.matches(scope)[0] is Match.PARTIAL:
                await route.handle(scope, receive, send)
        raise HTTPException(404)


def _house_keeping(rc: Recollect, gate: Gate, telemetry: Telemetry, rest: Rest) -> dict[str, Handler]:
    async def healthz(request: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__})

    async def readyz(request: Request) -> Response:
        if rest.stopping.is_set():
            raise Unavailable("server", "it is stopping")
        async with rc.parts.database.application() as connection:
            await connection.execute("select 1")
        return JSONResponse({"status": "ready"})

    async def metrics(request: Request) -> Response:
        await gate.require_admin(request)
        return PlainTextResponse(await telemetry.page(rc), media_type="text/plain; version=0.0.4")

    async def whoami(request: Request) -> Response:
        return Response(WHO.dump_json(await gate.key(request)), media_type="application/json")

    async def openapi(request: Request) -> Response:
        return JSONResponse(document())

    plain = {"/healthz": healthz, "/v1/openapi.json": openapi}
    counted = {"/readyz": readyz, "/metrics": metrics, "/v1/whoami": whoami}
    return plain | {path: rest.guarded(handler.__name__, handler) for path, handler in counted.items()}


async def _unrouted(request: Request, error: Exception) -> Response:
    """What no route answers, as a problem like the others."""
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return refusal(NotFound(f"there is no {request.url.path}"))
    if error.status_code == 405:
        told = InvalidInput("method", f"{request.method} is not what {request.url.path} takes")
    else:
        told = RecollectError(error.detail)  # type: ignore[assignment]
    problem = problem_of(told, error.status_code)
    return JSONResponse(problem, error.status_code, error.headers, media_type="application/problem+json")
