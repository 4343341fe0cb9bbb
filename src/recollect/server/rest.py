"""The verbs over HTTP: a route for each row of the table."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from io import TextIOWrapper
from json import dumps
from typing import IO, Any
from uuid import UUID, uuid5

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from recollect.core.describe import describe
from recollect.core.errors import InvalidInput, RecollectError
from recollect.memory import Recollect
from recollect.server import bodies
from recollect.server.gate import Gate, NoKey
from recollect.server.telemetry import Telemetry
from recollect.wire import problems
from recollect.wire.headers import IDEMPOTENCY
from recollect.wire.verbs import VERBS, Verb

_log = logging.getLogger("recollect.server")
_IDEMPOTENT = UUID("6c3a2f0e-7d0c-5b6e-9a59-0d5d9c1b7f11")
_ALIVE = 15
"""Seconds after which a silent stream gives a sign of life."""
_LOOK = 1.0
_REVISION = re.compile(r"[0-9]{1,18}")
_PLACE = re.compile(r"([0-9]{1,18})(?:\.([0-9]{1,9}))?")
_END: Any = object()

Handler = Callable[[Request], Awaitable[Response]]


class Rest:
    """The routes, and what they share."""

    def __init__(self, rc: Recollect, gate: Gate, telemetry: Telemetry, stopping: asyncio.Event) -> None:
        self._rc, self._gate, self._telemetry = rc, gate, telemetry
        self.stopping = stopping
        """Set when the server is told to stop: what would go on for ever ends."""

    def routes(self) -> Iterator[Route]:
        """One for each verb."""
        for verb in VERBS:
            path = verb.path.replace("{thread}", "{thread:path}")
            yield Route(path, self.guarded(verb.id, self._handler(verb)), methods=[verb.method], name=verb.id)

    def guarded(self, name: str, handler: Handler) -> Handler:
        """A handler whose errors become problems, and which is counted."""

        async def handle(request: Request) -> Response:
            with self._telemetry.request(name, request) as measured:
                try:
                    response = await handler(request)
                except RecollectError as error:
                    response = refusal(error)
                except Exception as error:
                    _log.error("%s failed: %s", name, describe(error))
                    response = refusal(RecollectError("something went wrong here: the server's log tells what"))
                measured.status = response.status_code
                return response

        return handle

    def _handler(self, verb: Verb) -> Handler:
        if verb.takes_lines:
            return lambda request: self._import(verb, request)
        if verb.streams == "changes":
            return lambda request: self._watch(verb, request)
        return lambda request: self._call(verb, request)

    async def _call(self, verb: Verb, request: Request) -> Response:
        target = await self._speaker(verb, request)
        arguments = verb.parse(await bodies.whole(request, bodies.limit_of(verb, self._rc.settings)))
        arguments |= _idempotent(verb, request, arguments)
        _refuse_unseen(verb, arguments)
        target = await _addressed(verb, target, request)
        if verb.streams:
            return await self._lines(verb.function(target, **arguments))
        value = await verb.function(target, **arguments)
        return Response(verb.write(target if verb.tells_standing else value), media_type=bodies.JSON)

    async def _speaker(self, verb: Verb, request: Request) -> Any:
        """Who asks: before anything is read of what is asked."""
        _refuse_unknown(verb, request)
        if verb.admin:
            await self._gate.require_admin(request)
            return self._rc
        return await self._gate.whose(request)

    async def _import(self, verb: Verb, request: Request) -> Response:
        target = await self._speaker(verb, request)
        _idempotent(verb, request, {})
        async with bodies.spooled(request, bodies.limit_of(verb, self._rc.settings)) as file:
            return Response(verb.write(await verb.function(target, _lines_of(file))), media_type=bodies.JSON)

    async def _lines(self, lines: AsyncIterator[str]) -> Response:
        # What refuses the export does so before its first line.
        first = await anext(lines, _END)

        async def all_lines() -> AsyncIterator[bytes]:
            if first is not _END:
                yield f"{first}\n".encode()
            async for line in lines:
                yield f"{line}\n".encode()

        return StreamingResponse(all_lines(), media_type=bodies.LINES)

    async def _watch(self, verb: Verb, request: Request) -> Response:
        memory = await self._speaker(verb, request)
        seen = _seen(request) or (await memory.revision(), None)
        changes = _placed(verb.function(memory, seen[0] if seen[1] is None else max(0, seen[0] - 1)), seen)
        return StreamingResponse(
            self._events(verb, request, changes), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )

    async def _events(self, verb: Verb, request: Request, changes: AsyncIterator[Any]) -> AsyncIterator[bytes]:
        """Changes as they come, until the caller goes, the key is taken away, or the server stops."""
        yield b": watching\n\n"
        following, silent = asyncio.ensure_future(anext(changes)), 0.0
        stopping = asyncio.ensure_future(self.stopping.wait())
        try:
            while not stopping.done():
                await asyncio.wait({following, stopping}, timeout=_LOOK, return_when=asyncio.FIRST_COMPLETED)
                await self._gate.still_open(request)
                silent += _LOOK
                if following.done():
                    (place, change), silent = following.result(), 0.0
                    yield b"id: %s\nevent: change\ndata: %s\n\n" % (place.encode(), verb.write(change))
                    following = asyncio.ensure_future(anext(changes))
                elif silent >= _ALIVE:
                    silent = 0.0
                    yield b": still here\n\n"
        except RecollectError as error:
            yield b"event: error\ndata: %s\n\n" % dumps(problems.problem_of(error)).encode()
        finally:
            for task in (following, stopping):
                task.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration, RecollectError):
                await following


async def _addressed(verb: Verb, target: Any, request: Request) -> Any:
    """The conversation that a path names; it has to have begun."""
    if verb.owner != "chat":
        return target
    return await target.get_conversation(request.path_params["thread"], shared=_shared(request))


def _shared(request: Request) -> bool:
    given = request.query_params.get("shared", "false")
    if given not in ("true", "false"):
        raise InvalidInput("shared", "must be true or false")
    return given == "true"


def _refuse_unknown(verb: Verb, request: Request) -> None:
    known = {"shared"} if verb.owner == "chat" else {"after"} if verb.streams == "changes" else set()
    if unknown := set(request.query_params) - known:
        raise InvalidInput(min(unknown), f"is no parameter of {verb.name}; arguments go into the body")


def _refuse_unseen(verb: Verb, arguments: dict[str, Any]) -> None:
    """One request too many must not cost a whole space: whoever forgets all of it has seen what would go."""
    looks = arguments.get("dry_run") or arguments.get("token") is not None
    if verb.name == "forget" and arguments.get("everything") and not looks:
        raise InvalidInput("token", "is needed to forget everything: it comes with dry_run")


Seen = tuple[int, int | None]
"""A revision, and how many of its changes are known; None: all of them."""


def _seen(request: Request) -> Seen | None:
    """What a caller has seen: a browser that comes back asks as it did first, and says in a header how far it came."""
    if given := request.headers.get("last-event-id"):
        if (place := _PLACE.fullmatch(given)) is None:
            raise InvalidInput("Last-Event-ID", "must be the id of an event, or a revision")
        return int(place[1]), None if place[2] is None else int(place[2])
    if (given := request.query_params.get("after")) is None:
        return None
    if _REVISION.fullmatch(given) is None:
        raise InvalidInput("after", "must be a revision")
    return int(given), None


async def _placed(changes: AsyncIterator[Any], seen: Seen) -> AsyncIterator[tuple[str, Any]]:
    """Changes with their places: the revision, and the how-many-th of it. One transaction may have made several."""
    revision, number = -1, 0
    async for change in changes:
        number = number + 1 if change.revision == revision else 1
        revision = change.revision
        if (revision, number) > (seen[0], seen[1] or 0):
            yield f"{revision}.{number}", change


def _idempotent(verb: Verb, request: Request, arguments: dict[str, Any]) -> dict[str, Any]:
    """The caller's key for a request becomes the id of what it writes; where nothing has one, it is refused."""
    if (given := request.headers.get(IDEMPOTENCY)) is None:
        return {}
    if not verb.idempotent:
        raise InvalidInput(IDEMPOTENCY, f"{verb.name} takes none: a second time it is done again")
    if not given.strip():
        raise InvalidInput(IDEMPOTENCY, "is empty")
    if arguments.get("id") is not None:
        raise InvalidInput(IDEMPOTENCY, "an id is given already, and does the same")
    try:
        return {"id": str(UUID(given))}
    except ValueError:
        return {"id": str(uuid5(_IDEMPOTENT, given))}


def _lines_of(file: IO[bytes]) -> Iterator[str]:
    """Bytes that are no UTF-8 become lone surrogates, which every field refuses by name."""
    return (line.rstrip("\n") for line in TextIOWrapper(file, "utf-8", errors="surrogateescape", newline="\n"))


_STATUS: dict[type[RecollectError], int] = {NoKey: 401, bodies.TooLarge: 413, bodies.OtherKind: 415}


def refusal(error: RecollectError) -> Response:
    """An error as an answer."""
    problem = problems.problem_of(error, _STATUS.get(type(error)))
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, NoKey) else {}
    body = dumps(problem, ensure_ascii=False).encode()
    return Response(body, problem["status"], headers, media_type=problems.MEDIA_TYPE)
