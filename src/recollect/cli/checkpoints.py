"""`recollect checkpoint …`: the state of a thread, saved, loaded, listed and removed."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli.command import Call, command, when_alone
from recollect.cli.output import stdin
from recollect.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from rich.console import RenderableType

    from recollect.checkpoints.model import SavedCheckpoint

app = typer.Typer(name="checkpoint", help="Save the state of a thread, and load it; --thread names it.")


@command(app, "save")
async def save(
    call: Call,
    file: Annotated[Path, typer.Argument(help="A file with JSON; `-` reads stdin.", show_default=False)],
    if_version: Annotated[
        int | None, typer.Option("--if-version", help="Only if this version is the latest; 0: if there is none.")
    ] = None,
) -> None:
    """Save a state, any JSON, as the next version of the thread's."""
    state = _read(file)
    async with call.scoped() as memory:
        saved = await memory.save_checkpoint(state, if_version=if_version)
    call.out.answer(saved, lambda: [f"Saved as version {saved.version} of {saved.thread_id}, {saved.bytes:,} bytes."])


def _read(file: Path) -> Any:
    if str(file) != "-" and not file.is_file():
        raise InvalidInput("file", f"there is no file {file}")
    text = stdin().read() if str(file) == "-" else file.read_text("utf-8", errors="surrogateescape")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("state", f"is no JSON: {error}") from None


@when_alone(app)
@command(app, "load")
async def load(
    call: Call, version: Annotated[int | None, typer.Option(help="This version instead of the latest.")] = None
) -> None:
    """Load the state that was saved last; it is printed as JSON, with --json together with its version."""
    async with call.scoped() as memory:
        found = await memory.checkpoint(version)
    if found is None:
        raise NotFound(f"nothing was saved for thread {call.thread!r}")
    call.out.answer(found, lambda: [json.dumps(found.state, ensure_ascii=False, indent=2)])


@command(app, "list")
async def list_(
    call: Call,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100,
    before: Annotated[int | None, typer.Option(help="Only those before this version.")] = None,
) -> None:
    """List the versions of the thread's state that are kept, newest first."""
    async with call.scoped() as memory:
        found = await memory.checkpoints(limit, before)
    call.out.answer(found, lambda: _shown(found))


@command(app, "delete")
async def delete(call: Call) -> None:
    """Remove all checkpoints of the thread, those of LangGraph's graphs too."""
    async with call.scoped() as memory:
        count = await memory.delete_checkpoints()
    call.out.answer(count, lambda: [f"{count} checkpoints removed."])


def _shown(found: "Sequence[SavedCheckpoint]") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli import show

    if not found:
        yield Text("No checkpoints.", style="dim")
        return
    table = show.table("version", "bytes", "saved", "by")
    for saved in found:
        table.add_row(str(saved.version), f"{saved.bytes:,}", show.when(saved.saved_at), Text(saved.saved_by or ""))
    yield table
