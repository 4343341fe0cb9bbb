"""Walking in what is known: explore, traverse, path, match."""

from typing import Annotated

import typer

from recollect.cli.command import Call, command
from recollect.cli.filters import Include, ValidAt
from recollect.cli.nodes import Named, node_id
from recollect.core.errors import InvalidInput

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
    if not found.hits and found.granularity > 1:
        call.out.remark("Stories are told at night, of what several documents speak of; -g 1 looks into the documents.")


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
    call.out.answer(found, lambda: [str(found)])


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


@command(app, "match", without=("thread",))
async def match(
    call: Call,
    chain: Annotated[
        list[str],
        typer.Argument(
            help="Kinds and types by turns, as in: person works_at entity. `any` is any kind or type;"
            " a type with ~ before it leads back.",
            show_default=False,
        ),
    ],
    names: Annotated[
        list[str] | None, typer.Option("--name", help="PLACE=NAME: what a node is called, the first being 0.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100,
    include: Include = None,
    valid_at: ValidAt = None,
) -> None:
    """Find what lies in the graph as a pattern says."""
    pattern, called = _edges(chain), dict(_named(given) for given in names or ())
    async with call.scoped() as memory:
        found = await memory.match(pattern, called, limit, include=include or (), valid_at=valid_at)
    call.out.answer(found, lambda: [each.compact() for each in found] or ["Nothing lies so."])


def _edges(chain: list[str]) -> list[tuple[str | None, ...]]:
    """A chain of words as edges."""
    if len(chain) < 3 or len(chain) % 2 == 0:
        raise InvalidInput("chain", "must be kind, type, kind, and then type and kind for each further edge")
    words = [None if word.removeprefix(_BACK) == _ANY else word.removeprefix(_BACK) for word in chain]
    edges = []
    for place in range(0, len(chain) - 2, 2):
        back = ("back",) if chain[place + 1].startswith(_BACK) else ()
        edges.append((*words[place : place + 3], *back))
    return edges


def _named(given: str) -> tuple[int, str]:
    place, equals, name = given.partition("=")
    if not equals or not place.isdecimal():
        raise InvalidInput("name", "must be PLACE=NAME, as in 0=Sarah Chen")
    return int(place), name


_ANY, _BACK = "any", "~"
