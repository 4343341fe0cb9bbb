"""`recollect bench …`: one command for each benchmark."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from recollect.bench.report import Report

# Everything heavy is imported by the command that needs it: this module is loaded by `recollect --help`.

app = typer.Typer(help="Measure quality, speed and weight, on a database that vanishes afterwards.", no_args_is_help=True)

Json = Annotated[Path | None, typer.Option("--json", help="Write the results to this file too.")]
DatabaseUrl = Annotated[
    str | None, typer.Option("--database-url", help="Measure on this server instead of a temporary embedded one.")
]
Cache = Annotated[Path | None, typer.Option("--cache", help="Folder that keeps the vectors of texts between runs.")]
DataFile = Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The data set's file.")]


def _console() -> "Console":
    from rich.console import Console

    return Console()


def _finish(console: "Console", work: Coroutine[Any, Any, "Report"], json: Path | None) -> None:
    """Run a benchmark, show what it found, and write it down."""
    from recollect.bench import report

    found = asyncio.run(work)
    report.show(console, found)
    if json is not None:
        report.save(json, found.to_json())


@app.command()
def locomo(
    path: DataFile,
    rerank: Annotated[int, typer.Option(min=0, help="Rerank this many of the best hits; 0 for none.")] = 0,
    limit_conversations: Annotated[int | None, typer.Option(min=1, help="Only the first conversations.")] = None,
    cache: Cache = None,
    database_url: DatabaseUrl = None,
    json: Json = None,
) -> None:
    """LoCoMo: recall of the turns that answer a question."""
    from recollect.bench import locomo as bench

    console = _console()
    work = bench.run(
        path,
        console,
        rerank=rerank,
        limit_conversations=limit_conversations,
        database_url=database_url,
        cache=cache,
    )
    _finish(console, work, json)


if __name__ == "__main__":
    app()
