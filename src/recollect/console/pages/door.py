"""Coming in, going out, and choosing a space."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from recollect.console import choosing, csrf
from recollect.console.asking import Asked, address, read_form
from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.wire.headers import KEY_COOKIE

_DAYS = 30


async def sign_in(request: Request) -> Response:
    """Keep a key; the gate says on the next page whether it is good."""
    form = await read_form(request)
    key = form.get("key", "").strip()
    if not key or not key.isascii() or not key.isprintable():
        raise InvalidInput("key", "is no key")
    response = RedirectResponse(address(request, "/"), status_code=303)
    csrf.set_cookie(request, response, KEY_COOKIE, key, _DAYS)
    return response


async def sign_out(request: Request) -> Response:
    """Let go of the key and of the space that was chosen with it."""
    await read_form(request)
    response = RedirectResponse(address(request, "/"), status_code=303)
    for name in (KEY_COOKIE, choosing.SPACE_COOKIE, choosing.SENSITIVITY_COOKIE):
        response.delete_cookie(name, path=request.scope.get("root_path") or "/")
    return response


async def choose(asked: Asked) -> Response:
    """Look at another space from now on."""
    space = asked.needed("space")
    if not choosing.can_choose(space):
        raise InvalidInput("space", "must be user:…, project:… or agent:…")
    check.identifier("space", space.partition(":")[2])
    level = "high" if asked.sent("sensitive") else "normal"
    response = asked.go("/")
    csrf.set_cookie(asked.request, response, choosing.SPACE_COOKIE, choosing.kept(space), _DAYS)
    csrf.set_cookie(asked.request, response, choosing.SENSITIVITY_COOKIE, level, _DAYS)
    return response
