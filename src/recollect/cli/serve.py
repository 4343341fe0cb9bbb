"""`recollect serve`: the server, with a worker."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import DEFAULT_USER, Call, command

if TYPE_CHECKING:
    from types import ModuleType

    from recollect.memory import Recollect

app = typer.Typer()


@command(app, "serve", scope=False, without=("json",))
async def serve(
    call: Call,
    host: Annotated[str, typer.Option("--host", help="Where to listen; beyond this machine a key is needed.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="Port; 0 for any that is free.")] = 7077,
    worker: Annotated[
        bool, typer.Option("--worker/--no-worker", help="Do background work too, or leave it to others.")
    ] = True,
    demo: Annotated[
        bool, typer.Option("--demo", help="Fill a space with somebody's life, and show it to whoever comes.")
    ] = False,
) -> None:
    """Serve the memory: the console in a browser, REST under /v1, MCP at /mcp, health and metrics."""
    from recollect import demo as story

    async with AsyncExitStack() as stack:
        with call.out.waiting("Starting"):
            faces, gate, serving = _server()
            place = stack.enter_context(serving.bound(host, port))
            rc = await stack.enter_async_context(call.memory(worker=worker))
        # From here on a signal ends the server, in order, rather than the command.
        asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)
        await serving.refuse_open_door(rc, host)
        user, lifetimes = (story.USER, [partial(_filling, rc)]) if demo else (DEFAULT_USER, [])
        application = faces.create(rc, keyless=gate.is_loopback(host), user=user, lifetimes=lifetimes)
        await serving.Server(application, rc, host, port, partial(_tell, call)).serve([place])


def _server() -> "tuple[ModuleType, ModuleType, ModuleType]":
    try:
        from recollect.server import faces, gate, serving
    except ModuleNotFoundError as error:
        from recollect.core.errors import Unavailable

        raise Unavailable("serve", f"needs `pip install recollect[server]` ({error.name} is missing)") from error
    return faces, gate, serving


@asynccontextmanager
async def _filling(rc: "Recollect") -> AsyncIterator[None]:
    """Load the demo while the server answers already; what is missing when it stops is loaded the next time."""
    from recollect.demo.furnishing import fill

    loading = asyncio.create_task(fill(rc))
    try:
        yield
    finally:
        loading.cancel()
        await asyncio.wait([loading])


def _tell(call: Call, url: str) -> None:
    call.out.remark(f"Recollect listens on {url}")
    call.out.remark("The console is there, REST under /v1, MCP at /mcp. Ctrl-C ends it.")
