"""`recollect replay`: what was said is read again by the model of today, and what would change is accepted or not."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import Call, command, when_alone
from recollect.cli.memories import checked_id, settle

if TYPE_CHECKING:
    from rich.console import RenderableType

    from recollect.replays.model import Replay, ReplayChange

app = typer.Typer(name="replay", help="Learn again from what was said, by the model of today, and decide what changes.")

ReplayId = Annotated[str, typer.Argument(help="The replay's id.", show_default=False)]
_COLOURS = {"added": "green", "changed": "yellow", "retired": "red"}


@when_alone(app)
async def replay(
    call: Call,
    since: Annotated[str | None, typer.Option(help="Only what was said from this date or time on.")] = None,
) -> None:
    """Read what was said again and show what would change; `replay accept` takes it. Run it again to go on."""
    async with call.scoped() as memory:
        with call.out.progress("Reading") as advance:
            found = await memory.replay(call.thread, since, progress=advance)
    call.out.answer(found, lambda: _shown(found))


@command(app, "list", without=("thread",))
async def list_(
    call: Call, limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100
) -> None:
    """List replays, newest first."""
    async with call.scoped() as memory:
        found = await memory.replays(limit)
    call.out.answer(found, lambda: _listed(found))


@command(app, "show", without=("thread",))
async def show(call: Call, id: ReplayId) -> None:
    """See what a replay would change, and what became of it."""
    async with call.scoped() as memory:
        found = await memory.get_replay(checked_id(id))
    call.out.answer(found, lambda: _shown(found))


@command(app, "accept", without=("thread",))
async def accept(
    call: Call,
    id: ReplayId,
    changes: Annotated[
        list[str] | None,
        typer.Option("--only", help="Only this change, by its id; may be repeated, or name several with commas."),
    ] = None,
) -> None:
    """Take what a replay would change: all of it, or some changes."""
    named = [name for each in changes or () for part in each.split(",") if (name := part.strip())]
    chosen = None if changes is None else named
    async with call.memory() as opened:
        found = await call.scope(opened).accept_replay(checked_id(id), chosen)
        await settle(call, opened)
    call.out.answer(found, lambda: _shown(found))


@command(app, "discard", without=("thread",))
async def discard(call: Call, id: ReplayId) -> None:
    """Let go of what is left of a replay."""
    async with call.scoped() as memory:
        found = await memory.discard_replay(checked_id(id))
    call.out.answer(found, lambda: [f"Replay {found.id} is discarded."])


def _listed(found: "Sequence[Replay]") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli.show import table, when

    if not found:
        yield Text("No replays.", style="dim")
        return
    listed = table("id", "status", "by", "read", "changes", "begun")
    for each in found:
        read = f"{each.read} of {each.messages}"
        cells = (str(each.id), each.status, each.extractor, read, str(len(each.changes)), when(each.begun_at))
        listed.add_row(*map(Text, cells))
    yield listed


def _shown(found: "Replay") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli.show import when

    counts = ", ".join(f"{count} {op}" for op, count in found.counts.items())
    yield f"Replay {found.id} by {found.extractor}: {found.read} of {found.messages} messages read; {counts}."
    if found.fell_back:
        yield Text(
            f"Of {found.fell_back} messages the model gave no answer that could be used: what is known of them stays."
            " Run `recollect replay` again to ask once more.",
            style="yellow",
        )
    if found.resumes_at is not None:
        yield Text(
            "What models may cost the space today is used up, and the rest waits:"
            f" run `recollect replay` again from {when(found.resumes_at)} on.",
            style="yellow",
        )
    for change in found.changes:
        yield from _change(change)
    if any(change.status == "open" for change in found.changes):
        yield Text(f"Take it with `recollect replay accept {found.id}`, some of it with --only.", style="dim")
    elif found.status not in ("reading", "discarded") and not found.changes:
        yield Text("Nothing would change.", style="dim")


def _change(change: "ReplayChange") -> "Iterator[RenderableType]":
    from rich.text import Text

    where = ", ".join(f"{said.thread_id} #{said.turn}" for said in change.messages[:3])
    more = f" and {len(change.messages) - 3} more" if len(change.messages) > 3 else ""
    key = "" if change.key is None else f"{change.key} = "
    yield Text.assemble(
        (change.id, "dim"),
        "  ",
        (change.op, _COLOURS[change.op]),
        f" {change.kind}",
        (f"  {where}{more}" if where else "", "dim"),
        f"  {change.status}" if change.status != "open" else "",
        (f"  {change.outcome}" if change.outcome else "", "yellow"),
    )
    if change.before is not None:
        yield Text(f"    - {key}{change.before}")
    if change.after is not None:
        yield Text(f"    + {key}{change.after}")
    yield Text(f"      {change.reason}", style="dim")
