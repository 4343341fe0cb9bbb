"""`recollect graph …`: how far Neo4j is, making it anew, comparing it, and a Neo4j to try it with."""

import asyncio
import contextlib
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import Call, command
from recollect.cli.exits import CODES
from recollect.core.errors import Unavailable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from recollect.flows.projecting import GraphStatus

app = typer.Typer(name="graph", help="See, rebuild and compare the graph in Neo4j.", no_args_is_help=True)

_MOST_SHOWN = 50
"""Spaces in a table; those that are behind come first."""

Spaces = Annotated[list[str] | None, typer.Option("--space", help="Only this space; may be repeated.")]


@command(app, "status", scope=False)
async def status(call: Call) -> None:
    """Whether Neo4j answers, and how far behind it is; exit code 5 where it is configured and does not answer."""
    async with call.memory() as opened:
        found = await opened.graph_status()
    call.out.answer(found, lambda: _status(found))
    if found.problem is not None:
        raise typer.Exit(CODES[Unavailable])


def _status(found: "GraphStatus") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli import show

    if found.url is None:
        yield Text("Neo4j is not configured: PostgreSQL answers. Set RECOLLECT_NEO4J_URL.", style="dim")
    elif found.problem is not None:
        yield Text(f"Neo4j at {found.url} does not answer: {found.problem}. PostgreSQL answers.", style="red")
    else:
        yield f"Neo4j {found.version} at {found.url}, database {found.database}"
    if not found.spaces:
        return
    if found.level:
        yield f"Nothing waits: Neo4j has all of {_spaces(len(found.spaces))}."
    else:
        copies = sum(stand.state in ("whole", "copying") for stand in found.spaces)
        more = f", and {_spaces(copies)} to be copied whole" if copies else ""
        yield f"{found.waiting:,} changes wait{more}; the longest for {found.lag:.1f} s"
    table = show.table("space", "state", "waiting", "lag", "carried over", "failure")
    for stand in sorted(found.spaces, key=lambda stand: stand.level)[:_MOST_SHOWN]:
        lag = "" if stand.lag is None else f"{stand.lag:.1f} s"
        failure = "Neo4j does not hold it: it is copied anew" if stand.astray else stand.failed or ""
        cells = (stand.space, stand.state, f"{stand.waiting:,}", lag, show.when(stand.projected_at), failure)
        table.add_row(*map(Text, cells))
    yield table
    if len(found.spaces) > _MOST_SHOWN:
        yield Text(f"… and {_spaces(len(found.spaces) - _MOST_SHOWN)} more: --json names all", style="dim")


def _spaces(number: int) -> str:
    return f"{number:,} space{'' if number == 1 else 's'}"


@command(app, "rebuild", scope=False)
async def rebuild(call: Call, spaces: Spaces = None) -> None:
    """Copy the graph to Neo4j anew; meanwhile PostgreSQL answers."""
    async with call.memory() as opened:
        with call.out.progress("rebuild") as advance:
            counts = await opened.rebuild_graph(spaces or None, advance)
    told = f"{counts['copied']:,} nodes and relations of {_spaces(counts['spaces'])} copied."
    call.out.answer(counts, lambda: [told])


@command(app, "verify", scope=False)
async def verify(call: Call, spaces: Spaces = None) -> None:
    """Compare Neo4j with PostgreSQL and name every difference; exit code 1 where there is one."""
    async with call.memory() as opened:
        with call.out.progress("verify") as advance:
            found = await opened.verify_graph(spaces or None, advance)

    def shown() -> "Iterator[RenderableType]":
        counted = f"{found.nodes:,} nodes and {found.relations:,} relations of {_spaces(found.spaces)}"
        late = f"; {found.waiting:,} changes wait to be carried over" if found.waiting else ""
        yield f"{'Equal' if found.equal else 'Different'}: {counted}{late}."
        yield from map(str, found.differences)
        if found.unnamed:
            yield f"… and {found.unnamed:,} more nodes and relationships that belong to no space."

    call.out.answer(found, shown)
    if not found.equal:
        raise typer.Exit(1)


@command(app, "dev-server", scope=False)
async def dev_server(
    call: Call,
    home: Annotated[Path | None, typer.Option(help="Where it stores things; in the data folder if not given.")] = None,
    port: Annotated[int | None, typer.Option(help="Where it listens on loopback; 7687 if that is free.")] = None,
    only_fetch: Annotated[
        bool, typer.Option("--only-fetch", help="Fetch Neo4j into the cache, start nothing.")
    ] = False,
) -> None:
    """Run a Neo4j to try things with, until Ctrl-C. It needs Java 17 and Maven, and fetches itself once."""
    from recollect.graph.projection import server

    stop, wanted = threading.Event(), asyncio.Event()

    def end() -> None:
        stop.set()
        wanted.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, end)
    if not server.is_fetched():
        call.out.remark("Fetching Neo4j into the cache, once; that takes a minute or two.")
    with contextlib.ExitStack() as ending, contextlib.suppress(server.Stopped):
        if only_fetch:
            jars = await asyncio.to_thread(server.fetch, stop)
            call.out.answer({"fetched": jars}, lambda: [f"Neo4j {server.VERSION} is in {jars}"])
            return
        place = home or call.settings().data_dir / "neo4j"
        call.out.remark(f"Starting Neo4j; what it stores lies in {place}")
        started = await asyncio.to_thread(server.start, place, port=port or server.usual_port(), stop=stop)
        ending.callback(started.stop)
        lines = [f"RECOLLECT_{name.upper()}={value}" for name, value in started.settings.items()]
        if call.json:
            call.out.line({"event": "started", **started.settings})
        else:
            call.out.answer(lines, lambda: ["export " + " ".join(lines)])
            call.out.remark("Neo4j runs. Ctrl-C stops it.")
        await wanted.wait()
    call.out.remark("Stopped.")
