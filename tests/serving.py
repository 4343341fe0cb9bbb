"""A real server over a real socket, in the test's own loop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from recollect import Recollect
from recollect.server.app import create_app
from recollect.server.serving import Server


@asynccontextmanager
async def served(rc: Recollect, *, keyless: bool = True) -> AsyncIterator[str]:
    """Its URL, for as long as it is needed."""
    listening = asyncio.get_running_loop().create_future()
    server = Server(create_app(rc, keyless=keyless), rc, "127.0.0.1", 0, listening.set_result)
    running = asyncio.create_task(server.serve())
    try:
        await asyncio.wait({running, listening}, return_when=asyncio.FIRST_COMPLETED)
        yield await listening
    finally:
        server.stop()
        await running


def caller(url: str, key: str | None = None, **headers: str) -> httpx.AsyncClient:
    """Somebody who speaks HTTP."""
    secret = {} if key is None else {"Authorization": f"Bearer {key}"}
    return httpx.AsyncClient(base_url=url, headers={**secret, **headers}, timeout=60)
