"""JSON over HTTP to a model's endpoint, where every foreign error becomes `Unavailable`.

Messages name the address and the status, never the key, the request or the answer.
"""

import asyncio
import random
from typing import Any

import httpx

from recollect.core.errors import Unavailable

ATTEMPTS = 4
LONGEST_WAIT = 10.0
_RETRIED = {408, 425, 429, 500, 502, 503, 504, 529}
# Not the endpoint's fault: this very request is not to its liking.
_REFUSED = frozenset({400, 413, 422})


class RequestRefused(Unavailable):
    """The endpoint is there, and will never take this request."""


class _PassingError(Exception):
    """The request failed in a way that may pass."""

    def __init__(self, problem: str, wait: float | None = None) -> None:
        super().__init__(problem)
        self.wait = wait


class Endpoint:
    """One address that takes JSON by POST. What may pass is tried again, a bounded number of times."""

    def __init__(self, part: str, url: str, key: str | None, timeout: float, backoff: float = 0.25) -> None:
        self._part, self._url, self._timeout, self._backoff = part, url, timeout, backoff
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.AsyncClient(headers=headers, timeout=timeout)

    async def post(self, payload: dict[str, Any]) -> Any:
        """The answer, decoded."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._decoded(await self._sent(payload))
            except _PassingError as problem:
                if attempt == ATTEMPTS:
                    raise self.unavailable(f"{problem}, {ATTEMPTS} times") from problem.__cause__
                await asyncio.sleep(self._pause(attempt, problem.wait))
        raise AssertionError("unreachable")

    def unavailable(self, problem: str) -> Unavailable:
        """The error that says what is wrong with this endpoint."""
        return Unavailable(self._part, f"{self._url.partition('?')[0]} {problem}")

    async def close(self) -> None:
        await self._client.aclose()

    async def _sent(self, payload: dict[str, Any]) -> httpx.Response:
        try:
            async with asyncio.timeout(self._timeout):
                return await self._client.post(self._url, json=payload)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise self.unavailable(f"did not answer within {self._timeout:g} s") from error
        except httpx.TransportError as error:
            raise _PassingError(f"cannot be reached ({type(error).__name__})") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self.unavailable(f"cannot be asked ({type(error).__name__})") from error

    def _decoded(self, response: httpx.Response) -> Any:
        problem = f"answered {response.status_code} {response.reason_phrase}".rstrip()
        if response.status_code in _RETRIED:
            raise _PassingError(problem, _retry_after(response))
        if response.status_code in _REFUSED:
            raise RequestRefused(self._part, f"{self._url.partition('?')[0]} {problem}")
        if not response.is_success:
            raise self.unavailable(problem)
        try:
            return response.json()
        except ValueError as error:
            raise self.unavailable("answered something that is not JSON") from error

    def _pause(self, attempt: int, asked: float | None) -> float:
        """Doubling, with chance in it; longer where the endpoint asked for it, within bounds."""
        wait: float = self._backoff * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
        return min(max(wait, asked or 0.0), LONGEST_WAIT)


def _retry_after(response: httpx.Response) -> float | None:
    value = str(response.headers.get("retry-after", ""))
    return float(value) if value.isdecimal() else None
