"""Forms are taken from the console's own pages alone.

A form carries the value of a cookie that no other site can read or send along, and a browser says where a form comes
from: both have to agree.
"""

import hmac
import secrets
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from recollect.core.errors import NotAllowed

COOKIE = "recollect_csrf"
FIELD = "csrf"
_OWN = ("same-origin", "none")


def token_of(request: Request) -> str:
    """The token of this browser; a new one on its first visit."""
    if "csrf" not in request.scope:
        request.scope["csrf"] = request.cookies.get(COOKIE) or secrets.token_urlsafe(24)
    return str(request.scope["csrf"])


def check(request: Request, form: Mapping[str, str]) -> None:
    """Refuse a form that did not come from a page of ours."""
    kept, given = request.cookies.get(COOKIE), form.get(FIELD, "")
    if not kept or not hmac.compare_digest(kept.encode(), given.encode()):
        raise NotAllowed("form", "it is too old, or came from another page: open the page again and send it from there")
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise NotAllowed("form", f"it came from another site: {origin[:200]}")
    if request.headers.get("sec-fetch-site", "none") not in _OWN:
        raise NotAllowed("form", "it came from another site")


def keep(request: Request, response: Response) -> None:
    """Let the browser keep its token."""
    if request.cookies.get(COOKIE) != token_of(request):
        set_cookie(request, response, COOKIE, token_of(request))


def set_cookie(request: Request, response: Response, name: str, value: str, days: int | None = None) -> None:
    """A cookie that neither scripts nor other sites get hold of."""
    response.set_cookie(
        name,
        value,
        max_age=None if days is None else days * 86_400,
        path=request.scope.get("root_path") or "/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
