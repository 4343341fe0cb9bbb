"""Which space a person looks at: kept in a cookie, said to the gate as any other client says it, in headers."""

from urllib.parse import quote, unquote

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.wire.headers import HEADERS

SPACE_COOKIE = "recollect_space"
SENSITIVITY_COOKIE = "recollect_sensitivity"
_HEADERS = {kind: HEADERS[f"{kind}_id"] for kind in ("user", "project", "agent")}


def can_choose(space: str) -> bool:
    """Whether somebody can be in a space: a team's is read by its members."""
    kind, _, name = space.partition(":")
    return kind in _HEADERS and bool(name)


def kept(space: str) -> str:
    """A space as a cookie keeps it."""
    return quote(space, safe="")


class SayingSpace:
    """Says the chosen space to whoever decides for whom a request speaks; a client's own words go first."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with headers."""
        if scope["type"] == "http":
            scope["headers"] = list(scope["headers"])
            _say(HTTPConnection(scope).cookies, MutableHeaders(scope=scope))
        await self.app(scope, receive, send)


def _say(cookies: dict[str, str], headers: MutableHeaders) -> None:
    kind, _, name = unquote(cookies.get(SPACE_COOKIE, "")).partition(":")
    if kind in _HEADERS and name and not any(header in headers for header in _HEADERS.values()):
        headers[_HEADERS[kind]] = quote(name, safe="")
    if cookies.get(SENSITIVITY_COOKIE) == "high":
        headers.setdefault(HEADERS["sensitivity"], "high")
