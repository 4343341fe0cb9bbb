"""The heads of requests: read by a parser in C, which takes half of the time of one in Python, up to a limit."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST = 64_000
"""Bytes of a head, or of anything else between bodies."""


class Protocol(HttpToolsProtocol):
    """Uvicorn's quicker protocol, which alone would keep a head of any length."""

    _pending = 0

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
