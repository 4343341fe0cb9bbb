"""How the client speaks to a server: a request for each call, and the server's problems as the library's errors."""

import json
import math
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any, TypeVar
from urllib.parse import quote
from uuid import UUID

import httpx
from pydantic import ValidationError

from recollect.core.errors import InvalidInput, RecollectError, Unavailable
from recollect.core.keys import Key
from recollect.wire.answers import WHO
from recollect.wire.problems import MEDIA_TYPE, error_of
from recollect.wire.verbs import Verb

_JSON = {"Content-Type": "application/json"}
_LINES = {"Content-Type": "application/x-ndjson"}
T = TypeVar("T")


class Transport:
    """The connections to one server."""

    def __init__(self, url: str, key: str | None, timeout: float | None) -> None:
        self._timeout = httpx.Timeout(_seconds(timeout), connect=_CONNECT)
        headers = {} if key is None else {"Authorization": f"Bearer {_sendable(key)}"}
        self._http = httpx.AsyncClient(base_url=_server(url), headers=headers, timeout=self._timeout, limits=_LIMITS)
        self.is_open = False

    async def open(self) -> Key | None:
        """Look whether the server is there; the key that requests come with, None where it needs none."""
        try:
            async with self._sent(self._http.build_request("GET", "/v1/whoami")) as response:
                key = _read(WHO.validate_json, await response.aread())
        except BaseException:
            await self.close()
            raise
        self.is_open = True
        return key

    async def close(self) -> None:
        """Close them."""
        self.is_open = False
        await self._http.aclose()

    def refuse_closed(self) -> None:
        """Nothing is asked before it is open, or afterwards."""
        if not self.is_open:
            raise RecollectError("Recollect is not open: use `async with Recollect.connect(…) as rc`")

    async def call(self, verb: Verb, place: "Place", arguments: Mapping[str, Any]) -> Any:
        """What a verb answers."""
        async with self._answered(self._request(verb, place, arguments)) as response:
            return _read(verb.read, await response.aread())

    async def lines(self, verb: Verb, place: "Place", arguments: Mapping[str, Any]) -> AsyncIterator[str]:
        """What a verb answers line by line."""
        async with self._answered(self._request(verb, place, arguments)) as response:
            async for line in _lines(response.aiter_bytes()):
                yield line

    async def events(self, verb: Verb, place: "Place", after: int | None) -> AsyncIterator[Any]:
        """What a verb tells as it happens, for as long as it is listened to."""
        query = {} if after is None else {"after": str(_revision(after))}
        request = self._http.build_request("GET", verb.path, params=query, headers=place.headers)
        request.extensions["timeout"] = httpx.Timeout(None, connect=_CONNECT).as_dict()
        async with self._answered(request) as response:
            async for kind, data in _events(_lines(response.aiter_bytes())):
                if kind == "error":
                    raise error_of(json.loads(data))
                yield _read(verb.read, data.encode())
        raise Unavailable("server", "it has stopped")

    async def send_lines(self, verb: Verb, place: "Place", lines: Iterable[str]) -> Any:
        """What a verb makes of lines, which are sent as they come."""

        async def content() -> AsyncIterator[bytes]:
            for line in lines:
                yield line.rstrip("\n").encode(errors="surrogateescape") + b"\n"

        request = self._http.build_request("POST", verb.path, content=content(), headers=place.headers | _LINES)
        async with self._answered(request) as response:
            return _read(verb.read, await response.aread())

    def _request(self, verb: Verb, place: "Place", arguments: Mapping[str, Any]) -> httpx.Request:
        return self._http.build_request(
            "POST", place.path(verb), params=place.query, content=_body(arguments), headers=place.headers | _JSON
        )

    @asynccontextmanager
    async def _answered(self, request: httpx.Request) -> AsyncIterator[httpx.Response]:
        """The answer to a request of somebody who has opened this."""
        self.refuse_closed()
        async with self._sent(request) as response:
            yield response

    @asynccontextmanager
    async def _sent(self, request: httpx.Request) -> AsyncIterator[httpx.Response]:
        """The answer to a request; an error where it is none."""
        try:
            response = await self._http.send(request, stream=True)
            try:
                if response.status_code != httpx.codes.OK:
                    raise _error(response, await response.aread())
                yield response
            finally:
                await response.aclose()
        except httpx.ConnectTimeout as error:
            raise Unavailable("server", f"it cannot be reached within {_CONNECT} s") from error
        except httpx.TimeoutException as error:
            raise Unavailable("server", f"it did not answer within {self._timeout.read} s") from error
        except httpx.HTTPError as error:
            raise Unavailable("server", f"{type(error).__name__}: {error}") from error


_CONNECT = 10


def _server(url: Any) -> httpx.URL:
    try:
        found = httpx.URL(url)
    except (httpx.InvalidURL, UnicodeEncodeError, TypeError) as error:
        raise InvalidInput("url", f"is no URL of a server: {error}") from error
    if found.scheme not in ("http", "https") or not found.host or (found.port or 0) >= 2**16:
        raise InvalidInput("url", f"must be http://… or https://…, not {str(url)[:100]!r}")
    # The address of REST itself is as good as the server's.
    return found.copy_with(path=found.path.rstrip("/").removesuffix("/v1"), query=None, fragment=None)


def _sendable(key: Any) -> str:
    if not isinstance(key, str) or not key or not key.isascii() or not key.isprintable():
        raise InvalidInput("key", "is none: it has letters, digits, - and _ alone")
    return key


def _seconds(timeout: Any) -> float | None:
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout < math.inf:
        raise InvalidInput("timeout", "must be a number of seconds above 0, or None")
    return timeout


def _read(reader: Callable[[bytes], T], body: bytes) -> T:
    try:
        return reader(body)
    except ValidationError as error:
        raise Unavailable("server", "it answered in words of something else, or of another version") from error


_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=100)


class Place:
    """Where a call goes: for whom, and to which conversation."""

    def __init__(self, headers: dict[str, str], thread: str | None = None, *, shared: bool = False) -> None:
        self.headers = headers
        self.query = {"shared": "true"} if shared else {}
        self._thread = thread

    def path(self, verb: Verb) -> str:
        """The path of a verb. A dot is encoded too, so that a thread called `..` stays one."""
        if self._thread is None:
            return verb.path
        thread = quote(self._thread, safe="", errors="surrogatepass").replace(".", "%2E")
        return verb.path.replace("{thread}", thread)


def _error(response: httpx.Response, body: bytes) -> RecollectError:
    if response.headers.get("content-type", "").startswith(MEDIA_TYPE):
        with suppress(ValueError):
            problem = json.loads(body)
            if isinstance(problem, dict) and {"title", "detail"} <= problem.keys():
                return error_of(problem)
    return Unavailable("server", f"it answered {response.status_code}, and nothing of ours")


def _revision(after: Any) -> int:
    if isinstance(after, bool) or not isinstance(after, int) or not 0 <= after <= 2**62:
        raise InvalidInput("after", "must be a revision")
    return after


def _body(arguments: Mapping[str, Any]) -> bytes:
    """Arguments as JSON; one that is none is named."""
    try:
        return json.dumps(_plain(arguments), allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        raise _unfit(arguments) from None


def _unfit(arguments: Mapping[str, Any]) -> InvalidInput:
    for name, value in arguments.items():
        try:
            json.dumps(_plain(value), allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            return InvalidInput(name, f"is no JSON: {error}")
    return InvalidInput("arguments", "are no JSON")


def _plain(value: Any) -> Any:
    """A value in the types that JSON has; what it has no type for is left for the encoder to refuse."""
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, UUID):
        return str(value)
    return value.isoformat() if isinstance(value, date) else value


async def _lines(parts: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """Lines that end with a line feed alone: JSON may hold what others take for the end of one."""
    held: list[bytes] = []
    async for part in parts:
        first, *more = part.split(b"\n")
        held.append(first)
        for following in more:
            yield b"".join(held).decode()
            held = [following]
    if any(held):
        yield b"".join(held).decode()


async def _events(lines: AsyncIterator[str]) -> AsyncIterator[tuple[str, str]]:
    """Server-sent events: their kinds and data."""
    kind, data = "message", list[str]()
    async for line in lines:
        name, _, value = line.partition(":")
        if not line and data:
            yield kind, "\n".join(data)
            kind, data = "message", []
        elif name == "event":
            kind = value.strip()
        elif name == "data":
            data.append(value.removeprefix(" "))
