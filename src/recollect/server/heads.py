"""The heads of requests and answers: read by a parser in C, which takes half of the time of one in Python, up to a
limit; and sent together with their bodies."""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST = 64_000
"""Bytes of a head, or of anything else between bodies."""
_AT_ONCE = 64_000
"""Bytes that wait for what else is written; more go at once, so that whoever reads slowly is waited for."""


class Protocol(HttpToolsProtocol):
    """Uvicorn's quicker protocol, which alone would keep a head of any length."""

    _pending = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody called."""
        super().connection_made(cast("asyncio.Transport", Joined(transport, self.loop)))

    def data_received(self, data: bytes) -> None:
        """Read on; whoever sends a head without an end is sent away."""
        self._pending += len(data)
        super().data_received(data)
        if self._pending > MOST and not self.transport.is_closing():
            self.send_400_response(f"The head of a request has at most {MOST} bytes.")

    def on_headers_complete(self) -> None:
        """A head has ended."""
        self._pending = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Bodies have limits of their own, by verb."""
        self._pending = 0
        super().on_body(body)


class Joined:
    """A transport that sends as one what is written in one turn of the loop.

    Uvicorn writes the head of an answer and its body apart. Each sending gives way to other threads and wakes whoever
    asked, who with the head alone can do nothing yet.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._waiting: list[bytes] = []
        self._bytes = 0

    def write(self, data: bytes) -> None:
        """Send this, with whatever follows at once."""
        if not self._waiting:
            self._loop.call_soon(self._send)
        self._waiting.append(data)
        self._bytes += len(data)
        if self._bytes > _AT_ONCE:
            self._send()

    def _send(self) -> None:
        waiting, self._waiting, self._bytes = self._waiting, [], 0
        if waiting and not self._transport.is_closing():
            self._transport.write(b"".join(waiting))

    def close(self) -> None:
        """Send what waits, and hang up."""
        self._send()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
