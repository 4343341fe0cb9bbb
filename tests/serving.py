"""A real server over a real socket: in the test's own loop, or in a process of its own."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from pathlib import Path

import httpx

from recollect import Recollect
from recollect.server import faces
from recollect.server.app import create_app
from recollect.server.gate import Gate
from recollect.server.serving import Server


class Quiet(Server):
    """A server that leaves signals to pytest."""

    def capture_signals(self) -> AbstractContextManager[None]:
        return nullcontext()


@asynccontextmanager
async def served(rc: Recollect, *, keyless: bool = True, user: str | None = None) -> AsyncIterator[str]:
    """Its URL, for as long as it is needed; where a `user` is named for whoever names nobody, with all its faces."""
    app = create_app(rc, Gate(rc, keyless=keyless)) if user is None else faces.create(rc, keyless=keyless, user=user)
    listening = asyncio.get_running_loop().create_future()
    server = Quiet(app, rc, "127.0.0.1", 0, listening.set_result)
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


@contextmanager
def process(database_url: str, folder: Path, **settings: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`recollect serve` as a process of its own, and its URL."""
    given = {"database_url": database_url, "data_dir": str(folder), "embedder": "fake", **settings}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    environment |= {f"RECOLLECT_{name.upper()}": value for name, value in given.items()}
    command = [sys.executable, "-c", "from recollect.cli import main; main()", "serve", "--port", "0"]
    running = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, cwd=folder)
    assert running.stderr is not None
    try:
        said = []
        while not (found := _LISTENS.search(said[-1] if said else "")):
            said.append(running.stderr.readline())
            assert said[-1], "".join(said)
        yield running, found[1]
    finally:
        if running.poll() is None:
            running.terminate()
        running.communicate()


_LISTENS = re.compile(r"listens on (http://\S+)")
