"""`recollect node …`: people, concepts and things, what is noted on them, how they stand to each other, and which of
them are one."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from recollect.cli.command import Call, command
from recollect.cli.memories import checked_id
from recollect.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from rich.console import RenderableType

    from recollect.graph.model import Merge, Node
    from recollect.memory import ScopedMemory
    from recollect.records.model import Note
    from recollect.records.relations import Relation

app = typer.Typer(
    name="node", help="See and change people, concepts and things, and their relations.", no_args_is_help=True
)

ALL = "all"
_MOST_NAMESAKES = 20
Named = Annotated[str, typer.Argument(help="The node: its name, or its id.", show_default=False)]
NoteId = Annotated[str, typer.Argument(help="The note's id.", show_default=False)]
RelationId = Annotated[str, typer.Argument(help="The relation's id.", show_default=False)]
MergeId = Annotated[str, typer.Argument(help="The merge's id.", show_default=False)]
Text = Annotated[str, typer.Argument(help="What to note.", show_default=False)]
Lifetime = Annotated[str, typer.Option(help="How long it is kept: week, month, year or forever.")]
Description = Annotated[str | None, typer.Option(help="What there is to say of it.")]
Attitude = Annotated[str | None, typer.Option(help="How the one feels about the other.")]
Proximity = Annotated[str | None, typer.Option(help="How close they are.")]
Confidence = Annotated[float | None, typer.Option(help="How sure it is, 0 to 1.")]
Strength = Annotated[float | None, typer.Option(help="How strong it is, 0 to 1.")]
_OPTIONAL_LIFETIME = Annotated[str | None, typer.Option(help="A new life from now: week, month, year or forever.")]


async def node_id(memory: "ScopedMemory", given: str) -> UUID:
    """The node that is meant by an id or a name: the one called so, or the only one whose name begins so."""
    try:
        return UUID(given)
    except ValueError:
        found = await memory.nodes(None, given, _MOST_NAMESAKES)
    called_so = [node for node in found if given.casefold() in map(str.casefold, (node.name, *node.aliases))]
    meant = called_so or found
    if not meant:
        raise NotFound(f"there is no node with the name {given[:80]!r}")
    if len(meant) > 1:
        listed = ", ".join(f"{node.name} ({node.type or node.kind}, {node.id})" for node in meant)
        raise InvalidInput("node", f"may be any of these, give an id: {listed}")
    return meant[0].id


@command(app, "list", without=("thread",))
async def list_(
    call: Call,
    name: Annotated[str | None, typer.Argument(help="Only names that begin so.", show_default=False)] = None,
    kind: Annotated[str, typer.Option(help="person, concept, entity, or all.")] = ALL,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100,
    after: Annotated[str | None, typer.Option(help="Go on after this id.")] = None,
) -> None:
    """List people, concepts and things."""
    async with call.scoped() as memory:
        found = await memory.nodes(None if kind == ALL else kind, name, limit, after)
    call.out.answer(found, lambda: _listed(found))


@command(app, "show", without=("thread",))
async def show_(call: Call, node: Named) -> None:
    """Show what is known of a node: its names, its description, notes and relations."""
    async with call.scoped() as memory:
        id = await node_id(memory, node)
        shown, noted, tied = await memory.get(id), await memory.notes(id), await memory.relations(id)
    aliases = ", ".join(shown.data.get("aliases", ()))

    def lines() -> "Iterator[RenderableType]":
        from rich.text import Text

        also = f"  also {aliases}" if aliases else ""
        kind = shown.type or shown.kind
        yield Text.assemble((shown.title or "", "bold"), f"  {kind}, {shown.state}{also}", (f"  {shown.id}", "dim"))
        if shown.content != shown.title:
            yield Text(shown.content)
        yield from _notes(noted)
        yield from _relations(tied)

    call.out.answer({"node": shown, "notes": noted, "relations": tied}, lines)


@command(app, "notes", without=("thread",))
async def notes(call: Call, node: Named) -> None:
    """What is noted on a node, or on any memory or relation by its id, oldest first."""
    async with call.scoped() as memory:
        found = await memory.notes(await node_id(memory, node))
    call.out.answer(found, lambda: _notes(found))


@command(app, "relations", without=("thread",))
async def relations(call: Call, node: Named) -> None:
    """The relations that hold from and to a node, or any memory by its id, the strongest first."""
    async with call.scoped() as memory:
        found = await memory.relations(await node_id(memory, node))
    call.out.answer(found, lambda: _relations(found))


@command(app, "note", without=("thread",))
async def note(call: Call, node: Named, text: Text, lifetime: Lifetime = "month") -> None:
    """Note something on a node."""
    async with call.scoped() as memory:
        written = await memory.add_note(await node_id(memory, node), text, lifetime)
    call.out.answer(written, lambda: _notes([written]))


@command(app, "edit-note", without=("thread",))
async def edit_note(
    call: Call,
    id: NoteId,
    text: Annotated[str | None, typer.Argument(help="The new text.", show_default=False)] = None,
    lifetime: _OPTIONAL_LIFETIME = None,
) -> None:
    """Give a note another text, or another life."""
    async with call.scoped() as memory:
        written = await memory.update_note(checked_id(id), text, lifetime=lifetime)
    call.out.answer(written, lambda: _notes([written]))


@command(app, "remove-note", without=("thread",))
async def remove_note(call: Call, id: NoteId) -> None:
    """Take a note away."""
    async with call.scoped() as memory:
        removed = await memory.remove_note(checked_id(id))
    call.out.answer(removed, lambda: [f"Removed: {removed.content}"])


@command(app, "relate", without=("thread",))
async def relate(
    call: Call,
    a: Named,
    type: Annotated[str, typer.Argument(help="How it stands to the other, as in works_at.", show_default=False)],
    b: Named,
    description: Description = None,
    attitude: Attitude = None,
    proximity: Proximity = None,
    confidence: Confidence = None,
    strength: Strength = None,
) -> None:
    """Say that a relation holds from one node to another."""
    async with call.scoped() as memory:
        ends = await node_id(memory, a), await node_id(memory, b)
        tie = await memory.relate(
            *ends,
            type,
            description=description,
            attitude=attitude,
            proximity=proximity,
            confidence=confidence,
            strength=strength,
        )
    call.out.answer(tie, lambda: _relations([tie]))


@command(app, "edit-relation", without=("thread",))
async def edit_relation(
    call: Call,
    id: RelationId,
    description: Description = None,
    attitude: Attitude = None,
    proximity: Proximity = None,
    confidence: Confidence = None,
    strength: Strength = None,
) -> None:
    """Say something else of a relation that holds."""
    async with call.scoped() as memory:
        tie = await memory.update_relation(
            checked_id(id),
            description=description,
            attitude=attitude,
            proximity=proximity,
            confidence=confidence,
            strength=strength,
        )
    call.out.answer(tie, lambda: _relations([tie]))


@command(app, "end-relation", without=("thread",))
async def end_relation(call: Call, id: RelationId) -> None:
    """Say that a relation holds no longer."""
    async with call.scoped() as memory:
        tie = await memory.end_relation(checked_id(id))
    call.out.answer(tie, lambda: _relations([tie]))


@command(app, "merges", without=("thread",))
async def merges(
    call: Call,
    status: Annotated[str, typer.Option(help="proposed, merged, refused, undone, or all.")] = "proposed",
) -> None:
    """Nodes that may be one, or were made one."""
    async with call.scoped() as memory:
        found = await memory.merges(None if status == ALL else status)
    call.out.answer(found, lambda: _merges(found))


@command(app, "merge", without=("thread",))
async def merge(call: Call, a: Named, b: Named) -> None:
    """Make two nodes one; the first is kept, with all names of both."""
    async with call.scoped() as memory:
        merged = await memory.merge(await node_id(memory, a), await node_id(memory, b))
    call.out.answer(merged, lambda: _merges([merged]))


@command(app, "decide-merge", without=("thread",))
async def decide_merge(
    call: Call,
    id: MergeId,
    accept: Annotated[bool, typer.Option("--accept/--refuse", help="Whether they are one.", show_default=False)],
) -> None:
    """Say whether two nodes that may be one are."""
    async with call.scoped() as memory:
        decided = await memory.resolve_merge(checked_id(id), accept=accept)
    call.out.answer(decided, lambda: _merges([decided]))


@command(app, "unmerge", without=("thread",))
async def unmerge(call: Call, id: MergeId) -> None:
    """Part two nodes again that were made one."""
    async with call.scoped() as memory:
        parted = await memory.unmerge(checked_id(id))
    call.out.answer(parted, lambda: _merges([parted]))


# For people -------------------------------------------------------------------------------------------------------


def _listed(found: "Sequence[Node]") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli import show

    if not found:
        yield Text("No nodes.", style="dim")
        return
    columns = ("id and name", "is", "state", "sources", "days", "notes", "also")
    table = show.table(*columns)
    for node in found:
        counted = (str(node.sources), str(node.days), str(node.notes))
        cells = (node.type or node.kind, node.state, *counted, ", ".join(node.aliases))
        table.add_row(show.with_id(node.name, node.id), *map(Text, cells))
    yield table


def _notes(found: "Sequence[Note]") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli import show

    for each in found:
        until = "kept forever" if each.expires_at is None else f"until {show.when(each.expires_at)}"
        yield Text.assemble(("note: ", "bold cyan"), each.content, (f"  {until}  {each.id}", "dim"))


def _relations(found: "Sequence[Relation]") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli import show

    for tie in found:
        said = f": {tie.description}" if tie.description else ""
        said += f" (until {show.when(tie.valid_until)})" if tie.valid_until else ""
        ends = tie.from_name or tie.from_id, tie.to_name or tie.to_id
        yield Text.assemble(f"{ends[0]} ", (f"-{tie.type}->", "cyan"), f" {ends[1]}{said}", (f"  {tie.id}", "dim"))


def _merges(found: "Sequence[Merge]") -> "Iterator[RenderableType]":
    from rich.text import Text

    if not found:
        yield Text("No merges.", style="dim")
    for each in found:
        alike = "" if each.similarity is None else f"  {each.similarity:.2f} alike"
        yield Text.assemble(
            (each.kept_name, "bold"), " and ", (each.gone_name, "bold"), f"  {each.kind}, {each.status}{alike}",
            (f"  {each.id}", "dim"),
        )  # fmt: skip
