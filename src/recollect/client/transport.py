"""How the client speaks to a server: a request for each call, and the server's problems as the library's errors."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from recollect.core.errors import InvalidInput, RecollectError, Unavailable
from recollect.core.keys import Key
from recollect.wire.answers import WHO
from recollect.wire.problems import MEDIA_TYPE, error_of
from recollect.wire.verbs import Verb

_JSON = {"Content-Type": "application/json"}
_LINES = {"Content-Type": "application/x-ndjson"}


class Transport:
    """The connections to one server."""

    def __init__(self, url: str, key: str | None, timeout: float | None) -> None:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        try:
            self._http = httpx.AsyncClient(
                base_url=url, headers=headers, timeout=httpx.Timeout(timeout, connect=10), limits=_LIMITS
            )
        except (httpx.InvalidURL, UnicodeEncodeError, TypeError) as error:
            raise InvalidInput("url", f"is no URL of a server: {error}") from error

    async def close(self) -> None:
        """Close them."""
        await self._http.aclose()

    async def whoami(self) -> Key | None:
        """The key that requests come with; None where the server needs none."""
        async with self._answered(self._http.build_request("GET", "/v1/whoami")) as response:
            return WHO.validate_json(await response.aread())

    async def call(self, verb: Verb, place: "Place", arguments: Mapping[str, Any]) -> Any:
        """What a verb answers."""
        async with self._answered(self._request(verb, place, arguments)) as response:
            return verb.read(await response.aread())

    async def lines(self, verb: Verb, place: "Place", arguments: Mapping[str, Any]) -> AsyncIterator[str]:
        """What a verb answers line by line."""
        async with self._answered(self._request(verb, place, arguments)) as response:
            async for line in response.aiter_lines():
                yield line

    async def events(self, verb: Verb, place: "Place", after: int | None) -> AsyncIterator[Any]:
        """What a verb tells as it happens, for as long as it is listened to."""
        query = {} if after is None else {"after": str(_revision(after))}
        request = self._http.build_request("GET", verb.path, params=query, headers=place.headers)
        request.extensions["timeout"] = httpx.Timeout(None, connect=10).as_dict()
        async with self._answered(request) as response:
            async for kind, data in _events(response.aiter_lines()):
                if kind == "error":
                    raise error_of(json.loads(data))
                yield verb.read(data.encode())
        raise Unavailable("server", "it has stopped")

    async def send_lines(self, verb: Verb, place: "Place", lines: Iterable[str]) -> Any:
        """What a verb makes of lines, which are sent as they come."""

        async def content() -> AsyncIterator[bytes]:
            for line in lines:
                yield line.rstrip("\n").encode(errors="surrogateescape") + b"\n"

        request = self._http.build_request("POST", verb.path, content=content(), headers=place.headers | _LINES)
        async with self._answered(request) as response:
            return verb.read(await response.aread())

    def _request(self, verb: Verb, place: "Place", arguments: Mapping[str, Any]) -> httpx.Request:
        return self._http.build_request(
            "POST", place.path(verb), params=place.query, content=_body(arguments), headers=place.headers | _JSON
        )

    @asynccontextmanager
    async def _answered(self, request: httpx.Request) -> AsyncIterator[httpx.Response]:
        """The answer to a request; an error where it is none."""
        try:
            response = await self._http.send(request, stream=True)
            try:
                if response.status_code != httpx.codes.OK:
                    raise _error(response, await response.aread())
                yield response
            finally:
                await response.aclose()
        except httpx.HTTPError as error:
            raise Unavailable("server", f"{type(error).__name__}: {error}") from error


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
        return error_of(json.loads(body))
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
