"""What there is: a scope in numbers, and the spaces that exist."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import Call, command

if TYPE_CHECKING:
    from rich.console import RenderableType

    from recollect.flows.directory import Space
    from recollect.flows.overview import Overview

app = typer.Typer()


@command(app, "overview", without=("thread",))
async def overview(
    call: Call, days: Annotated[int, typer.Option("--days", "-n", help="How many days of growth.")] = 30
) -> None:
    """Count memories by kind and state, and what was written in the last days."""
    async with call.scoped() as memory:
        found = await memory.overview(days)
    call.out.answer(found, lambda: _counted(found))


@command(app, "timezone", without=("thread",))
async def timezone(call: Call) -> None:
    """The time zone in which the space's days are counted."""
    async with call.scoped() as memory:
        zone = await memory.timezone()
    call.out.answer(zone, lambda: [zone])


@command(app, "spaces", scope=False)
async def spaces(
    call: Call, limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 1_000
) -> None:
    """List the spaces that exist, by name."""
    async with call.memory() as opened:
        found = await opened.spaces(limit)
    call.out.answer(found, lambda: _listed(found))


def _counted(found: "Overview") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli import show

    lately = sum(day.total for day in found.growth)
    yield Text(
        f"{', '.join(found.spaces)}: {found.standing:,} memories can be found, {lately:,} of all are from the last"
        f" {len(found.growth)} days ({found.timezone}); {found.messages:,} messages in {found.conversations:,}"
        " conversations."
    )
    states = sorted(found.states)
    table = show.table("kind", *states)
    for kind, counts in sorted(found.counts.items()):
        table.add_row(Text(kind), *(f"{counts.get(state, 0) or '·'}" for state in states))
    yield table


def _listed(found: "Sequence[Space]") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli import show

    if not found:
        yield Text("There is none yet.", style="dim")
        return
    table = show.table("space", "since", "search entries")
    for each in found:
        table.add_row(Text(each.space), f"{each.created_at:%Y-%m-%d}", f"{each.entries:,}")
    yield table
