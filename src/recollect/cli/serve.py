"""`recollect serve`: the server, with a worker."""

import asyncio
import signal
from functools import partial
from typing import Annotated

import typer

from recollect.cli.command import Call, command

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
) -> None:
    """Serve the memory: the console in a browser, REST under /v1, MCP at /mcp, health and metrics."""
    try:
        from recollect.server import faces, gate, serving
    except ModuleNotFoundError as error:
        from recollect.core.errors import Unavailable

        raise Unavailable("serve", f"needs `pip install recollect[server]` ({error.name} is missing)") from error
    async with call.memory(worker=worker) as rc:
        # From here on a signal ends the server, in order, rather than the command.
        asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)
        await serving.refuse_open_door(rc, host)
        application = faces.create(rc, keyless=gate.is_loopback(host))
        await serving.Server(application, rc, host, port, partial(_tell, call)).serve()


def _tell(call: Call, url: str) -> None:
    call.out.remark(f"Recollect listens on {url}: the console there, REST under /v1, MCP at /mcp. Ctrl-C ends it.")
