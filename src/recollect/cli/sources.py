"""`recollect sources …`: how far documents and talks are understood, and trying those again that failed."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import Call, command, when_alone
from recollect.cli.memories import settle

if TYPE_CHECKING:
    from rich.console import RenderableType

    from recollect.sources.model import Source

app = typer.Typer(name="sources", help="Documents and talks, and how far they are understood.")


@when_alone(app, without=("thread",))
@command(app, "list", without=("thread",))
async def list_(
    call: Call,
    status: Annotated[str | None, typer.Option(help="Only raw, processed, extracted or failed ones.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100,
    after: Annotated[str | None, typer.Option(help="Go on after this id.")] = None,
) -> None:
    """List sources in the order in which they came, failed ones with why."""
    async with call.scoped() as memory:
        found = await memory.sources(status, limit, after)
    call.out.answer(found, lambda: _shown(found))


@command(app, "retry", without=("thread",))
async def retry(
    call: Call, id: Annotated[str, typer.Argument(help="The source's id, as `sources list` shows it.")]
) -> None:
    """Try a source again that was given up."""
    async with call.memory() as opened:
        memory = call.scope(opened)
        found = await memory.retry_source(id)
        await settle(call, opened)
        left = [source for source in await memory.sources("failed", 10_000) if source.id == found.id]
    said = f"Source {found.id} failed again: {left[0].reason}" if left else f"Source {found.id} is on its way again."
    call.out.answer(left[0] if left else found, lambda: [said])


@command(app, "leave-team", without=("thread", "team"))
async def leave_team(
    call: Call, team: Annotated[str, typer.Argument(help="The team's id.", show_default=False)]
) -> None:
    """Let go of a team's sources, and of what you know only from them."""
    async with call.memory() as opened:
        left = await call.scope(opened).leave_team(team)
        await settle(call, opened)
    call.out.answer(left, lambda: [f"Let go of {left} sources of {team}."])


def _shown(found: "Sequence[Source]") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli import show

    if not found:
        yield Text("No sources.", style="dim")
        return
    columns = ("id and title", "type", "status", "tries", "received", "why")
    table = show.table(*columns)
    for source in found:
        by_rules = " (by rules)" if source.by_rules else ""
        title = source.title or (f"of {source.origin_space}" if source.origin_space else "")
        cells = (
            source.source_type,
            source.status + by_rules,
            str(source.attempts),
            show.when(source.received_at),
            source.reason or "",
        )
        table.add_row(show.with_id(title, source.id), *map(Text, cells))
    yield table
