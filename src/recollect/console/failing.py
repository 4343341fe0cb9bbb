"""What a person sees when something does not work: what happened, and what to do about it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from recollect.console import choosing, csrf
from recollect.console.asking import Asked, Gate, SignInNeeded, address
from recollect.console.rendering import Telling, render
from recollect.core.errors import Conflict, InvalidInput, NotAllowed, NotFound, RecollectError, Unavailable
from recollect.wire.headers import KEY_COOKIE

Handler = Callable[[Request, Exception], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Problem:
    """What a page says of an error."""

    status: int
    title: str
    help: str


_PROBLEMS: Mapping[type[Exception], Problem] = {
    NotFound: Problem(
        404,
        "This is not here",
        "It may lie in another space, may have been purged or forgotten, or the address is mistyped.",
    ),
    InvalidInput: Problem(400, "That cannot be taken", "Nothing was written. Go back, correct the field, try again."),
    NotAllowed: Problem(403, "This is not for you", "Nothing was read or written."),
    Conflict: Problem(409, "Somebody was faster", "Nothing was written. Look at what is there now, then decide again."),
    Unavailable: Problem(
        503,
        "A part is not answering",
        Markup("Nothing is lost. Try again in a moment; <code>recollect db status</code> says more."),
    ),
    RecollectError: Problem(500, "That did not work", "The server's log says more."),
}
_NO_PAGE = Problem(404, "There is no such page", "The menu leads to all there are.")
_NO_FORM = Problem(400, "That cannot be taken", "Nothing was written: what was sent is not a form of ours.")
_UNEXPECTED = Problem(500, "Something broke", "This is a mistake in Recollect. The server's log says more.")


def handlers(gate: Gate) -> dict[Any, Handler]:
    """By error, what answers it."""

    async def told(request: Request, error: Exception) -> Response:
        problem = next((found for kind, found in _PROBLEMS.items() if isinstance(error, kind)), _UNEXPECTED)
        return await _page(request, gate, problem, str(error) if isinstance(error, RecollectError) else "")

    async def no_page(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        problem = _NO_PAGE if status in (404, 405) else _NO_FORM
        return await _page(request, gate, replace(problem, status=status), "")

    return {SignInNeeded: _sign_in, RecollectError: told, HTTPException: no_page, Exception: told}


async def _page(request: Request, gate: Gate, problem: Problem, said: str) -> Response:
    """The problem within the usual page; alone where even that cannot be made."""
    try:
        request.scope["method"] = "GET"  # the form was read, or refused
        asked = await Asked.of(request, gate)
        response = await asked.page("problem.html", code=problem.status, problem=problem, said=said)
    except Exception:  # whatever it was, a person is told of the first
        response = _bare(request, "alone.html", problem.status, problem=problem, said=said)
    csrf.keep(request, response)
    return response


async def _sign_in(request: Request, error: Exception) -> Response:
    """Ask for a key; a choice of space that is not allowed is let go first."""
    chosen = [name for name in (choosing.SPACE_COOKIE, choosing.SENSITIVITY_COOKIE) if name in request.cookies]
    if chosen and request.method == "GET":
        response: Response = RedirectResponse(address(request, "/"), status_code=303)
        for name in chosen:
            response.delete_cookie(name, path=request.scope.get("root_path") or "/")
        return response
    refused = KEY_COOKIE in request.cookies
    response = _bare(request, "sign_in.html", 401, refused=refused, said=str(error))
    csrf.keep(request, response)
    return response


def _bare(request: Request, template: str, status: int, **values: Any) -> Response:
    """A page of somebody of whom nothing is known."""
    return render(template, request, Telling("UTC", datetime.now(UTC)), status, **values)
