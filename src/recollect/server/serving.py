"""Running the server: it listens, ends what runs when it is told to stop, and only then lets the memory go."""

import asyncio
import errno
import math
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import uvicorn
from fastapi import FastAPI

from recollect.core.errors import Conflict, InvalidInput, NotAllowed
from recollect.memory import Recollect
from recollect.server import heads
from recollect.server.gate import is_loopback


def bound(host: str, port: int) -> socket.socket:
    """The socket of an address, which does not listen yet: where it cannot be had, nothing is started in vain."""
    place = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        place.bind((host, port))
    except OSError as error:
        place.close()
        if error.errno == errno.EADDRINUSE:
            raise Conflict(f"port {port} is taken: --port names another, 0 any that is free") from error
        raise InvalidInput("host", f"cannot listen on {host}, port {port}: {error.strerror}") from error
    return place


async def refuse_open_door(rc: Recollect, host: str) -> None:
    """Beyond this machine nobody comes in without a key, so that there has to be one."""
    if is_loopback(host) or any(key.revoked_at is None for key in await rc.keys()):
        return
    raise NotAllowed(f"host {host}", "others could reach it, and there is no key: `recollect keys make` makes one")


class Server(uvicorn.Server):
    """Uvicorn's server, which here stops by asyncio's signals: its own end the process before the memory is closed."""

    def __init__(
        self, app: FastAPI, rc: Recollect, host: str, port: int, ready: Callable[[str], None] | None = None
    ) -> None:
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            http=heads.Protocol,
            access_log=False,
            log_level="warning",
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=math.ceil(rc.settings.shutdown_seconds),
        )
        super().__init__(config)
        self._app, self._ready = app, ready

    async def startup(self, sockets: Any = None) -> None:
        """Listen, and say where."""
        await super().startup(sockets)
        if self._ready is not None and self.started:
            place = self.servers[0].sockets[0].getsockname()
            self._ready(f"http://{_shown(place[0])}:{place[1]}")

    def stop(self) -> None:
        """Take nothing new, and let what runs end."""
        self.should_exit = True
        self._app.state.rest.stopping.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop by SIGTERM or Ctrl-C."""
        loop, signals = asyncio.get_running_loop(), (signal.SIGTERM, signal.SIGINT)
        with suppress(NotImplementedError, RuntimeError, ValueError):  # not in the main thread, or not on this system
            for each in signals:
                loop.add_signal_handler(each, self.stop)
        try:
            yield
        finally:
            with suppress(NotImplementedError, RuntimeError, ValueError):
                for each in signals:
                    loop.remove_signal_handler(each)


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
