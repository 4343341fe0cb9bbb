"""Walking in what is known: explore, traverse, path."""

from typing import Annotated

import typer

from recollect.cli.command import Call, command
from recollect.cli.memories import Include, ValidAt
from recollect.cli.nodes import Named, node_id
from recollect.cli.output import plain

app = typer.Typer()

Relations = Annotated[
    list[str] | None, typer.Option("--type", help="Only follow relations of this type; may be repeated.")
]


@command(app, "explore", without=("thread",))
async def explore(
    call: Call,
    queries: Annotated[
        list[str] | None, typer.Argument(help="What you want to know; several at once.", show_default=False)
    ] = None,
    granularity: Annotated[
        int, typer.Option("--granularity", "-g", help="1 sources and nodes, 2 storylines, 3 macros.")
    ] = 2,
    mode: Annotated[str, typer.Option(help="`full`, or `fast`: by vectors alone.")] = "full",
    within: Annotated[
        str | None, typer.Option(help="Drill down into this macro or storyline (its id), or node (or its name).")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many hits at most.")] = 10,
    threshold: Annotated[float | None, typer.Option(help="Least evidence for a hit, from 0 to 1.")] = None,
    include: Include = None,
) -> None:
    """Find themes, stories, sources and nodes, and drill down from one into the next."""
    async with call.scoped() as memory:
        place = None if within is None else await node_id(memory, within)
        found = await memory.explore(
            queries or [],
            granularity,
            mode,  # type: ignore[arg-type]  # checked by the verb
            place,
            limit=limit,
            threshold=threshold,
            include=include or (),
        )
    call.out.answer(found, lambda: [str(found)])


@command(app, "traverse", without=("thread",))
async def traverse(
    call: Call,
    node: Named,
    depth: Annotated[int, typer.Option("--depth", "-d", help="How many relations away, up to 4.")] = 2,
    types: Relations = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many nodes at most.")] = 50,
    include: Include = None,
    valid_at: ValidAt = None,
) -> None:
    """Show what lies around a node, nearest first."""
    async with call.scoped() as memory:
        id = await node_id(memory, node)
        found = await memory.traverse(id, depth, types or None, limit=limit, include=include or (), valid_at=valid_at)
    call.out.answer(plain(found) | {"truncated": found.truncated}, lambda: [str(found)])


@command(app, "path", without=("thread",))
async def path(
    call: Call,
    a: Named,
    b: Named,
    types: Relations = None,
    most: Annotated[int, typer.Option(help="How many relations long at most.")] = 6,
    include: Include = None,
    valid_at: ValidAt = None,
) -> None:
    """Show a shortest way between two nodes."""
    async with call.scoped() as memory:
        ends = await node_id(memory, a), await node_id(memory, b)
        found = await memory.path(*ends, types or None, most=most, include=include or (), valid_at=valid_at)
    none = f"No path of at most {most} relations."
    call.out.answer(found, lambda: [none if found is None else str(found)])
