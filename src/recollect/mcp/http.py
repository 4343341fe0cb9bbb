"""The protocol over streamable HTTP, to be mounted in a server.

Every request is answered for whoever its own key names; a session can be used only by who opened it. On loopback a
request has to name a loopback host, so that no web page reaches the memory through a name of its own.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from recollect.core.errors import InvalidInput, NotAllowed, RecollectError
from recollect.mcp.server import build, problem
from recollect.memory import Recollect, ScopedMemory
from recollect.wire.headers import KEY_COOKIE

Whose = Callable[[Request], Awaitable[ScopedMemory]]

_MEMORY = "recollect.memory"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_BESIDE_TEXT = 64 * 1024
"""What a request may have beside a text of the greatest length."""


class HttpFace:
    """MCP over HTTP: `app` is mounted, `run()` lasts as long as the server does."""

    def __init__(
        self, rc: Recollect, whose: Whose, *, loopback: bool = True, stopping: asyncio.Event | None = None
    ) -> None:
        self._whose = whose
        self._stopping = stopping or asyncio.Event()
        # A character may take six bytes of JSON.
        most = 6 * rc.settings.message_bytes + _BESIDE_TEXT
        security = _only_loopback() if loopback else None
        self._sessions = StreamableHTTPSessionManager(
            build(_of_request), security_settings=security, max_request_body_size=most
        )

    @property
    def app(self) -> "HttpFace":
        """The ASGI app."""
        return self

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Hold the sessions; they end with it."""
        async with self._sessions.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, if who sends it may ask at all."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            memory = await self._whose(request)
        except RecollectError as error:
            await _refused(error)(scope, receive, send)
            return
        scope[_MEMORY] = memory
        scope["user"] = _asker(request, memory)
        if request.method == "GET":
            await self._listen(scope, receive, send)
        else:
            await self._sessions.handle_request(scope, receive, send)

    async def _listen(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What an assistant might be told unasked has no end of its own: it ends when the server stops."""
        cut = False

        async def until_stopped() -> Message:
            nonlocal cut
            following, stopping = asyncio.ensure_future(receive()), asyncio.ensure_future(self._stopping.wait())
            try:
                await asyncio.wait({following, stopping}, return_when=asyncio.FIRST_COMPLETED)
                if following.done():
                    return following.result()
                cut = True
                return {"type": "http.disconnect"}
            finally:
                following.cancel()
                stopping.cancel()

        await self._sessions.handle_request(scope, until_stopped, send)
        if cut:
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _of_request(request: Any) -> ScopedMemory:
    memory = request.scope[_MEMORY]
    assert isinstance(memory, ScopedMemory)
    return memory


def _asker(request: Request, memory: ScopedMemory) -> AuthenticatedUser:
    """Who a session belongs to: the key that opened it, and what it speaks for. A thread may change meanwhile."""
    scope = memory.scope
    spoken_for = (scope.user_id, scope.project_id, scope.agent_id, scope.team_ids, scope.sensitivity)
    shown = (request.headers.get("authorization"), request.cookies.get(KEY_COOKIE))
    name = hashlib.sha256(repr((spoken_for, shown)).encode()).hexdigest()
    return AuthenticatedUser(AccessToken(token=name, client_id=name, scopes=[]))


def _only_loopback() -> TransportSecuritySettings:
    hosts = [name + port for name in _LOOPBACK for port in ("", ":*")]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])


def _status(error: RecollectError) -> int:
    match error:
        case NotAllowed(what="key"):
            return 401
        case NotAllowed():
            return 403
        case InvalidInput():
            return 400
    return 503


def _refused(error: RecollectError) -> JSONResponse:
    """Before the protocol begins there are only HTTP's own numbers."""
    status = _status(error)
    body = {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": types.INVALID_REQUEST, "message": str(error), "data": problem(error)},
    }
    return JSONResponse(body, status, {"WWW-Authenticate": "Bearer"} if status == 401 else None)
