"""The command line: one file per group of commands. How commands end is in `exits.py`."""

from typing import Annotated

import typer

from recollect import __version__
from recollect.cli import (
    active,
    audit,
    bench,
    checkpoints,
    database,
    demo,
    forget,
    graph,
    ingest,
    jobs,
    keys,
    mcp,
    memories,
    models,
    nodes,
    overview,
    profile,
    projection,
    replay,
    serve,
    simulate,
    sources,
    spend,
    talk,
    threads,
    transfer,
    watch,
)
from recollect.cli.exits import Guarded

app = typer.Typer(
    name="recollect",
    cls=Guarded,
    help="Memory for AI agents and assistants: stores, finds, explains, fades and never leaks.",
    epilog="Every verb of the library is a command in its own words too: recollect get-all, recollect add-note.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for commands in (
    demo.app,
    serve.app,
    talk.app,
    memories.app,
    forget.app,
    audit.app,
    watch.app,
    graph.app,
    nodes.app,
    projection.app,
    profile.profile_app,
    profile.app,
    active.active_app,
    active.app,
    threads.app,
    checkpoints.app,
    ingest.app,
    sources.app,
    transfer.app,
    replay.app,
    jobs.app,
    jobs.worker_app,
    keys.app,
    database.app,
    models.app,
    mcp.app,
    overview.app,
    spend.app,
    simulate.app,
    bench.app,
):
    app.add_typer(commands)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"recollect {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Say which version this is.")
    ] = False,
) -> None:
    """What goes before a command; the program's help is told above."""


def main() -> None:
    """The script `recollect`."""
    app(prog_name="recollect")


__all__ = ["app", "main"]
