"""`recollect db …`: the database itself."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli.command import Call, command
from recollect.cli.exits import FAILED
from recollect.core.counting import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

    from recollect.core.settings import Settings
    from recollect.db.bootstrap import Opened
    from recollect.db.cluster import ClusterStatus, Mode
    from recollect.db.embedded import ServerStatus
    from recollect.flows.doctor import Check, Overview
    from recollect.flows.parts import Parts

app = typer.Typer(name="db", help="Look at the database, upgrade it, mend it, stop it.", no_args_is_help=True)

_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


@command(app, "upgrade", scope=False)
async def upgrade(call: Call) -> None:
    """Bring the data directory, the schema and the application role's rights to this version."""
    from recollect.db import embedded, migrate

    settings, major = call.settings(), None
    if settings.database_url is None:
        major = await asyncio.to_thread(embedded.upgrade_major, settings.data_dir, report=call.out.remark)
    async with call.database() as opened:
        await _grant(settings, opened)
    done = {"server": major, "applied": opened.applied, "schema": migrate.migrations()[-1].number}

    def shown() -> Iterator["RenderableType"]:
        if major is not None:
            yield f"PostgreSQL {major.old_major} → {major.new_major}: {major.rows} rows carried over."
            yield f"Kept, and yours to remove: {major.kept_data} and {major.kept_dump}"
        for step in opened.applied:
            yield f"Applied {step.number:04} {step.name}"
        yield f"The schema is at {done['schema']}, the newest."

    told = done | {"applied": [{"number": step.number, "name": step.name} for step in opened.applied]}
    call.out.answer(told, shown)


async def _grant(settings: "Settings", opened: "Opened") -> None:
    from recollect.db import migrate

    async with opened.database.owner() as owner:
        await migrate.admit_application(owner, opened.database.app_url, create_role=settings.app_url is None)


@command(app, "backup", scope=False)
async def backup(
    call: Call, file: Annotated[Path, typer.Argument(help="The file to write.", show_default=False)]
) -> None:
    """Write all spaces into one file, with a checksum and the keys of what was forgotten."""
    async with call.memory() as opened:
        with call.out.progress("Backing up") as advance:
            done = await opened.backup(file, advance)
    held = f"{counted(done.spaces, 'space')}, {counted(done.lines, 'line')}"
    call.out.answer(done, lambda: [f"{held} written to {file}."])


@command(app, "restore", scope=False)
async def restore(
    call: Call, file: Annotated[Path, typer.Argument(help="A file that `db backup` wrote.", show_default=False)]
) -> None:
    """Bring back what a backup holds; what was forgotten since it was made stays forgotten."""
    from recollect.flows.backup import verify

    verify(file)  # before a server is started for it
    async with call.memory() as opened:
        with call.out.progress("Restoring") as advance:
            done = await opened.restore(file, advance)
        await opened.drain(None)
    kept = f" Forgotten since, and to stay so: {done.forgotten:,}." if done.forgotten else ""
    rows = f"{counted(done.rows, 'row')} restored; there already: {done.present:,}."
    call.out.answer(done, lambda: [f"{counted(done.spaces, 'space')}, {rows}{kept}"])


@command(app, "status", scope=False)
async def status(call: Call) -> None:
    """Say what runs, how large it is and what is in it."""
    from recollect.db import embedded
    from recollect.flows.doctor import overview

    settings = call.settings()
    before = None
    if settings.database_url is None:
        before = await asyncio.to_thread(embedded.status, settings.data_dir)
        if before.state == "absent" or before.needs_upgrade:
            call.out.answer({"server": before}, lambda: [_server_line(before), _advice(before)])
            return
    async with call.database() as opened:
        found = await overview(opened.database, settings)
    from recollect.cli import show

    call.out.answer({"server": before, "database": found}, lambda: [show.rows(_described(before, found))])


def _server_line(server: "ServerStatus | None") -> str:
    if server is None:
        return "the server that is configured"
    users = f", used by {len(server.users)} processes" if server.users else ""
    return f"embedded, {server.state} in {server.folder}{users}"


def _advice(server: "ServerStatus") -> str:
    if server.state == "absent":
        return "It is made when it is first used: try `recollect demo`."
    return f"Its data are of PostgreSQL {server.major}: run `recollect db upgrade`."


def _described(server: "ServerStatus | None", found: "Overview") -> Iterator[tuple[str, object]]:
    yield "server", _server_line(server)
    yield "version", f"PostgreSQL {found.server_version}, pgvector {found.pgvector_version}"
    yield "database", f"{found.database}, {_size(found.bytes)}"
    yield "schema", f"{found.schema} of {found.newest_schema}"
    yield "spread", _spread(found.cluster)
    yield "embedder", _model(found.embedder)
    if found.reembedding:
        yield "re-embedding", f"to {_model(found.reembedding)}, unfinished"
    yield "memories", f"{found.memories:,} in {found.spaces:,} spaces, {found.entries:,} search entries"
    yield (
        "messages",
        f"{found.messages:,} in {found.conversations:,} conversations, {found.waiting_turns:,} not indexed yet",
    )
    if found.largest_spaces:
        yield "largest", ", ".join(f"{space} ({count:,})" for space, count in found.largest_spaces.items())
    spent = found.spent_today
    told = f"{spent['calls']:,} calls, {spent['tokens']:,} tokens, {spent['money']:.4g} dollars"
    yield "models today", told + (f", {spent['failures']:,} calls failed" if spent["failures"] else "")
    if found.over_their_cap:
        yield "over their cap", ", ".join(found.over_their_cap) + " (rules stand in for the model)"
    yield "queue", ", ".join(f"{count} {name}" for name, count in found.queue.items())
    yield "workers", f"{len(found.workers)} alive"


def _spread(found: "ClusterStatus | None") -> str:
    if found is None:
        return "local: one server holds everything"
    nodes = ", ".join(
        f"{node.host}:{node.port} ({node.shards} shards, {_size(node.bytes)}{'' if node.active else ', not active'})"
        for node in found.nodes
        if node.shards or not node.coordinator
    )
    return f"distributed: {found.shards} shards on {nodes}"


def _model(model: dict[str, Any] | None) -> str:
    return "none yet" if model is None else f"{model['name']}, {model['dimensions']} dimensions"


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1024:
            return f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.1f} TB"


@command(app, "doctor", scope=False)
async def doctor(call: Call) -> None:
    """Check rights, isolation, indexes, jobs and the search index; say how to mend what is broken."""
    from recollect.flows.doctor import examine
    from recollect.providers.embedding import make_embedder

    settings = call.settings()
    async with call.database() as opened:
        checks = await examine(opened.database, settings, make_embedder(settings).name)
    failed = any(check.level == "fail" for check in checks)
    call.out.answer({"ok": not failed, "checks": checks}, lambda: _findings(checks))
    if failed:
        raise typer.Exit(FAILED)


def _findings(checks: "Iterable[Check]") -> "Iterator[RenderableType]":
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for check in checks:
        table.add_row(Text(check.level, style=_STYLES[check.level]), check.name, Text(check.finding))
        if check.hint:
            table.add_row("", "", Text(f"→ {check.hint}", style="italic"))
    yield table


@command(app, "stop", scope=False, without=("database_url",))
async def stop(
    call: Call, force: Annotated[bool, typer.Option("--force", help="Also while others use it.")] = False
) -> None:
    """Stop the embedded PostgreSQL of the data directory."""
    from recollect.db import embedded

    stopped = await asyncio.to_thread(embedded.stop, call.settings().data_dir, force=force)
    call.out.answer({"stopped": stopped}, lambda: ["Stopped." if stopped else "It was not running."])


@command(app, "reembed", scope=False)
async def reembed(
    call: Call, force: Annotated[bool, typer.Option("--force", help="Also if the model is the same.")] = False
) -> None:
    """Carry everything to the configured embedding model. Run it again after a crash: it goes on."""
    from recollect.flows import reembed as flow

    async with _parts(call) as parts:
        with call.out.progress("Re-embedding") as advance:
            done = await flow.reembed(parts, force=force, progress=advance)

    def shown() -> Iterator["RenderableType"]:
        if done is None:
            yield f"Everything is of {parts.embedder.name} already; --force builds the search index anew."
        else:
            yield f"{done.memories} memories of {done.spaces} spaces: {done.before} → {done.after}."

    call.out.answer(done, shown)


@command(app, "distribute", scope=False)
async def distribute(
    call: Call,
    shards: Annotated[
        int, typer.Option(min=1, max=10_000, help="Pieces to divide the spaces into; later it can only be split.")
    ] = 32,
) -> None:
    """Spread the database over its Citus cluster. Run it again after a crash: it goes on."""
    from recollect.flows import distribute as flow

    async with _parts(call) as parts:
        with call.out.progress("Distributing") as advance:
            done = await flow.distribute(parts, shards=shards, progress=advance)
        with call.out.progress("Vector indexes") as advance:
            indexed = await flow.index_large_spaces(parts, advance)

    def shown() -> Iterator["RenderableType"]:
        yield (
            f"Spread over {done.shards} shards: {', '.join(done.tables)}." if done.tables else "It was spread already."
        )
        if indexed:
            yield f"Indexed anew: {', '.join(indexed)}."

    call.out.answer({"tables": done.tables, "shards": done.shards, "indexed": indexed}, shown)


_MODE_HELP = "How Citus carries shards: block_writes (writers of that shard wait), force_logical (they go on) or auto."


@command(app, "move", scope=False)
async def move(
    call: Call,
    space: Annotated[str, typer.Argument(help="Such as user:alice.")],
    to: Annotated[str | None, typer.Option(help="Also carry it to this node, given as host:port.")] = None,
    mode: Annotated[str, typer.Option(help=_MODE_HELP)] = "block_writes",
) -> None:
    """Give a large space a shard of its own on the cluster."""
    from recollect.db import cluster

    async with call.database() as opened, opened.database.owner() as owner:
        place = await cluster.move(owner, space, to, mode=_mode(mode))
    call.out.answer(place, lambda: [f"{space} lies alone in shard {place.shard} on {place.host}:{place.port}."])


@command(app, "rebalance", scope=False)
async def rebalance(call: Call, mode: Annotated[str, typer.Option(help=_MODE_HELP)] = "block_writes") -> None:
    """Even out the shards over the nodes of the cluster, after one was added or a space was moved."""
    from recollect.db import cluster

    async with call.database() as opened, opened.database.owner() as owner:
        with call.out.progress("Rebalancing") as advance:
            moved = await cluster.rebalance(owner, mode=_mode(mode), progress=advance)
    call.out.answer({"moved": moved}, lambda: [f"{moved} moves." if moved else "The load is even already."])


def _mode(given: str) -> "Mode":
    from typing import cast

    from recollect.core import check
    from recollect.db.cluster import MODES

    return cast("Mode", check.choice("mode", given, MODES))


@asynccontextmanager
async def _parts(call: Call) -> "AsyncIterator[Parts]":
    """What flows need, without the check that the model is the recorded one."""
    from recollect.core.clock import system_clock
    from recollect.flows.parts import Parts
    from recollect.governance.spend import Governor
    from recollect.providers.calibration import calibration_for
    from recollect.providers.embedding import make_embedder
    from recollect.records.lifecycle import Rules
    from recollect.retrieval.search import Searcher

    settings = call.settings()
    async with call.database() as opened:
        embedder = make_embedder(settings)
        try:
            await embedder.ready()
            calibration, rules = calibration_for(embedder.name, settings.data_dir), Rules.of(settings)
            governor = Governor(opened.database, settings, system_clock)
            searcher = Searcher(opened.database, embedder, calibration, None, settings, rules, governor)
            yield Parts(settings, system_clock, opened.database, embedder, calibration, None, rules, searcher, governor)
            await governor.flush()
        finally:
            await embedder.close()
