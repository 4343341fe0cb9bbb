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

app = typer.Typer(
    help="Measure quality, speed and weight, on a database that vanishes afterwards.",
    no_args_is_help=True,
    add_completion=False,
)

Json = Annotated[Path | None, typer.Option("--json", help="Write the results to this file too.")]
DatabaseUrl = Annotated[
    str | None, typer.Option("--database-url", help="Measure on this server instead of a temporary embedded one.")
]
Cache = Annotated[Path | None, typer.Option("--cache", help="Folder that keeps the vectors of texts between runs.")]
Texts = Annotated[
    list[Path] | None,
    typer.Option(
        "--texts", exists=True, dir_okay=False, help="LongMemEval or LoCoMo file with real texts; may be repeated."
    ),
]
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
    graph: Annotated[
        float | None, typer.Option(min=0, help="Let talks feed the graph, and give its channel this weight.")
    ] = None,
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
        graph=graph,
        limit_conversations=limit_conversations,
        database_url=database_url,
        cache=cache,
    )
    _finish(console, work, json)


@app.command()
def abstention(
    path: DataFile,
    rerank: Annotated[int, typer.Option(min=0, help="Rerank this many of the best hits; 0 for none.")] = 0,
    limit_conversations: Annotated[int | None, typer.Option(min=1, help="Only the first conversations.")] = None,
    cache: Cache = None,
    database_url: DatabaseUrl = None,
    json: Json = None,
) -> None:
    """LoCoMo: how many questions that nothing answers come back empty."""
    from recollect.bench import abstention as bench

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


@app.command()
def longmemeval(
    path: DataFile,
    questions: Annotated[
        int | None, typer.Option(min=1, help="Only so many questions, the same ones each time.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Histories that are loaded at the same time.")] = 2,
    rerank: Annotated[int, typer.Option(min=0, help="Rerank this many of the best hits; 0 for none.")] = 0,
    at_question_date: Annotated[
        bool, typer.Option("--at-question-date", help="Ask on the day that the data set names instead of today.")
    ] = False,
    cache: Cache = None,
    database_url: DatabaseUrl = None,
    json: Json = None,
) -> None:
    """LongMemEval: recall of the sessions that answer a question."""
    from recollect.bench import longmemeval as bench

    console = _console()
    work = bench.run(
        path,
        console,
        questions=questions,
        jobs=jobs,
        rerank=rerank,
        at_question_date=at_question_date,
        database_url=database_url,
        cache=cache,
    )
    _finish(console, work, json)


@app.command()
def speed(
    sizes: Annotated[str, typer.Option(help="Memories in a space, separated by commas.")] = "1000,10000,100000",
    neighbours: Annotated[int, typer.Option(min=0, help="Other spaces beside it, of 300 memories each.")] = 1_000,
    questions: Annotated[int, typer.Option(min=1, help="Questions that are asked at each size.")] = 200,
    texts: Texts = None,
    cache: Cache = None,
    peers: Annotated[
        bool, typer.Option("--peers", help="Measure other memories too, where they are installed.")
    ] = False,
    database_url: DatabaseUrl = None,
    json: Json = None,
) -> None:
    """Milliseconds and throughput of every operation, embedding told apart."""
    from recollect.bench import speed as bench

    console = _console()
    work = bench.run(
        console,
        sizes=_sizes(sizes),
        neighbours=neighbours,
        questions=questions,
        paths=texts or (),
        cache=cache,
        with_peers=peers,
        database_url=database_url,
    )
    _finish(console, work, json)


@app.command()
def context(
    sizes: Annotated[str, typer.Option(help="Memories in a space, separated by commas.")] = "1000,10000",
    questions: Annotated[int, typer.Option(min=20, help="Contexts that are asked for at each size.")] = 200,
    texts: Texts = None,
    cache: Cache = None,
    database_url: DatabaseUrl = None,
    json: Json = None,
) -> None:
    """Milliseconds of a context, and the share of its tokens that a prompt cache keeps."""
    from recollect.bench import context as bench

    console = _console()
    work = bench.run(
        console,
        sizes=_sizes(sizes),
        questions=questions,
        paths=texts or (),
        cache=cache,
        database_url=database_url,
    )
    _finish(console, work, json)


def _sizes(given: str) -> list[int]:
    try:
        sizes = [int(size.replace("_", "")) for size in given.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1:
        raise typer.BadParameter("must be whole numbers, separated by commas", param_hint="--sizes")
    return sizes


@app.command()
def concurrency(
    seconds: Annotated[float, typer.Option(min=1, help="How long they write and search.")] = 20,
    writers: Annotated[int, typer.Option(min=1, help="Tasks that add messages, each to its own thread.")] = 8,
    searchers: Annotated[int, typer.Option(min=0, help="Tasks that search.")] = 8,
    processes: Annotated[
        int, typer.Option(min=0, help="Spread the writers over so many processes; 0 for none but this.")
    ] = 0,
    texts: Texts = None,
    database_url: DatabaseUrl = None,
    json: Json = None,
) -> None:
    """Writers and searchers on one space at the same time."""
    from recollect.bench import concurrency as bench

    console = _console()
    work = bench.run(
        console,
        seconds=seconds,
        writers=writers,
        searchers=searchers,
        processes=processes,
        paths=texts or (),
        database_url=database_url,
    )
    _finish(console, work, json)


@app.command()
def cluster(
    database_url: Annotated[str, typer.Option(help="The owner's URL of a distributed database.")],
    seconds: Annotated[float, typer.Option(min=1, help="How long they write and search on each server.")] = 60,
    processes: Annotated[int, typer.Option(min=1, help="Processes that write and search.")] = 8,
    spaces: Annotated[int, typer.Option(min=1, help="Spaces that they choose from.")] = 2_000,
    json: Json = None,
) -> None:
    """A cluster against the embedded server: many processes on many spaces."""
    from recollect.bench import cluster as bench

    console = _console()
    work = bench.run(console, database_url=database_url, seconds=seconds, processes=processes, spaces=spaces)
    _finish(console, work, json)


@app.command()
def distribute(
    database_url: Annotated[str, typer.Option(help="The owner's URL of an empty database whose server has Citus.")],
    spaces: Annotated[int, typer.Option(min=1, help="Small spaces.")] = 1_000,
    each: Annotated[int, typer.Option(min=1, help="Memories of each of them.")] = 200,
    large: Annotated[int, typer.Option(min=1, help="Memories of the one large space.")] = 100_000,
    questions: Annotated[int, typer.Option(min=1, help="Questions asked before and after.")] = 500,
    texts: Texts = None,
    cache: Cache = None,
    json: Json = None,
) -> None:
    """Carry a filled database to its cluster: every row, and every answer."""
    from recollect.bench import distribute as bench

    console = _console()
    sizes = bench.Sizes(spaces, each, large)
    work = bench.run(
        console, database_url=database_url, sizes=sizes, questions=questions, paths=texts or (), cache=cache
    )
    _finish(console, work, json)


@app.command()
def footprint(json: Json = None) -> None:
    """Start-up time, resident memory and size on disk."""
    from recollect.bench import footprint as bench

    console = _console()
    _finish(console, bench.run(console), json)


@app.command()
def decay(
    memories: Annotated[int, typer.Option(min=1_000, help="How many memories there are.")] = 1_000_000,
    spaces: Annotated[int, typer.Option(min=1, help="Over how many spaces they are spread.")] = 1_000,
    database_url: DatabaseUrl = None,
    json: Json = None,
) -> None:
    """The nightly decay run, one memory in a hundred crossing the threshold."""
    from recollect.bench import decay as bench

    console = _console()
    _finish(console, bench.run(console, memories=memories, spaces=spaces, database_url=database_url), json)


@app.command()
def projection(
    nodes: Annotated[int, typer.Option(min=1_000, help="How many nodes there are.")] = 100_000,
    relations: Annotated[int, typer.Option(min=2_000, help="How many relations between them.")] = 300_000,
    database_url: DatabaseUrl = None,
    json: Json = None,
) -> None:
    """The graph carried to a Neo4j of its own, which needs Java and Maven: rates, memory, and walks on both sides."""
    from recollect.bench import projection as bench

    console = _console()
    _finish(console, bench.run(console, nodes=nodes, relations=relations, database_url=database_url), json)


@app.command()
def graph(
    nodes: Annotated[int, typer.Option(min=1_000, help="How many nodes there are.")] = 100_000,
    relations: Annotated[int, typer.Option(min=5_000, help="How many relations between them.")] = 500_000,
    walks: Annotated[int, typer.Option(min=20, help="Walks of each sort.")] = 100,
    database_url: DatabaseUrl = None,
    json: Json = None,
) -> None:
    """Neighbours and shortest paths in a power-law graph with hubs, faded parts and islands."""
    from recollect.bench import graph as bench

    console = _console()
    work = bench.run(console, nodes=nodes, relations=relations, walks=walks, database_url=database_url)
    _finish(console, work, json)


@app.command()
def ingest(
    documents: Annotated[int, typer.Option(min=2, help="How many short documents.")] = 1_000,
    texts: Texts = None,
    database_url: DatabaseUrl = None,
    json: Json = None,
) -> None:
    """Documents through all phases, against embedding the same texts alone; and resident memory."""
    from recollect.bench import ingest as bench

    console = _console()
    work = bench.run(console, documents=documents, paths=texts or (), database_url=database_url)
    _finish(console, work, json)


@app.command()
def governed(
    memories: Annotated[int, typer.Option(min=100, help="Memories of the space that is asked.")] = 10_000,
    questions: Annotated[int, typer.Option(min=20, help="Questions of each sort.")] = 200,
    cache: Cache = None,
    database_url: DatabaseUrl = None,
    json: Json = None,
) -> None:
    """Document D's milliseconds: an edge, bullets, a recall, a message that tells much; and a day's consolidation."""
    from recollect.bench import governed as bench

    console = _console()
    work = bench.run(console, memories=memories, questions=questions, cache=cache, database_url=database_url)
    _finish(console, work, json)


@app.command()
def checkpoints(
    versions: Annotated[int, typer.Option(min=50, help="How many versions of the state are saved.")] = 1_000,
    loads: Annotated[int, typer.Option(min=50, help="How often the latest is loaded.")] = 1_000,
    size: Annotated[int, typer.Option(min=1_000, help="Bytes of the state.")] = 20_000,
    database_url: DatabaseUrl = None,
    json: Json = None,
) -> None:
    """Saving and loading the state of a thread, beside LangGraph's own saver where that is installed."""
    from recollect.bench import checkpoints as bench

    console = _console()
    work = bench.run(console, versions=versions, loads=loads, size=size, database_url=database_url)
    _finish(console, work, json)


@app.command()
def server(
    memories: Annotated[int, typer.Option(min=10, help="Memories of the space that is asked.")] = 2_000,
    requests: Annotated[int, typer.Option(min=10, help="Requests of each sort.")] = 600,
    callers: Annotated[str, typer.Option(help="How many ask at once, separated by commas.")] = "1,8,64",
    database_url: DatabaseUrl = None,
    json: Json = None,
) -> None:
    """Search and add over HTTP beside the library's own, with few and many callers."""
    from recollect.bench import server as bench

    console = _console()
    work = bench.run(console, memories=memories, requests=requests, callers=_sizes(callers), database_url=database_url)
    _finish(console, work, json)


if __name__ == "__main__":
    app()
