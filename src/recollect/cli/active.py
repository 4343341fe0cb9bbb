"""What agents work on: `recollect active …`, migration, reviews, and the versions of a source's chunks."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import Call, command
from recollect.cli.filters import json_object
from recollect.cli.memories import checked_id, settle
from recollect.cli.output import stdin
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import RenderableType

    from recollect.active.model import Active, Migrated, Review, Section, SectionText
    from recollect.records.model import Memory

app = typer.Typer()
active_app = typer.Typer(name="active", help="See and keep the working notes of agents.", no_args_is_help=True)

ALL = "all"
ActiveId = Annotated[str, typer.Argument(help="The active memory's id.", show_default=False)]


@command(active_app, "create", without=("thread",))
async def create(
    call: Call,
    title: Annotated[str, typer.Argument(help="What the agent works on.", show_default=False)],
    template: Annotated[
        str | None, typer.Option(help="A YAML file, or the name of a built-in template (see `active templates`).")
    ] = None,
    section: Annotated[list[str] | None, typer.Option(help="NAME=TEXT, first words of a section; repeatable.")] = None,
    description: Annotated[str | None, typer.Option(help="A description.")] = None,
    metadata: Annotated[str | None, typer.Option(help="A JSON object to keep with it.")] = None,
) -> None:
    """Begin working notes; sections come from the template, or from --section."""
    async with call.scoped() as memory:
        made = await memory.create_active(
            title,
            template=_template(template),
            sections=_sections(section),
            description=description,
            metadata=json_object("metadata", metadata),
        )
    call.out.answer(made, lambda: _shown(made))


def _template(given: str | None) -> str | None:
    """The text of a file, or the name of a built-in one."""
    from recollect.active.templates import built_in

    if given is None or given in built_in():
        return given
    if not Path(given).exists():
        raise InvalidInput("template", f"there is no file {given}, and built in are {', '.join(built_in())}")
    try:
        return Path(given).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise InvalidInput("template", f"{given} cannot be read: {why}") from error


def _sections(given: Sequence[str] | None) -> dict[str, str] | None:
    if not given:
        return None
    for each in given:
        if "=" not in each:
            raise InvalidInput("section", f"must be NAME=TEXT, not {each[:80]!r}")
    return {name: text for name, _, text in (each.partition("=") for each in given)}


@command(active_app, "update", without=("thread",))
async def update(
    call: Call,
    id: ActiveId,
    section: Annotated[str, typer.Argument(help="The section's name.", show_default=False)],
    text: Annotated[
        str, typer.Argument(help="Its new text, in markdown; `-` reads it from stdin.", show_default=False)
    ],
) -> None:
    """Give a section another text; its update count rises by one."""
    content = stdin().read() if text == "-" else text
    async with call.memory() as opened:
        updated = await call.scope(opened).update_section(checked_id(id), section, content)
        await settle(call, opened)
    call.out.answer(updated, lambda: _shown(updated))


@command(active_app, "show", without=("thread",))
async def show(call: Call, id: ActiveId) -> None:
    """One active memory with its sections."""
    async with call.scoped() as memory:
        found = await memory.get_active(checked_id(id))
    call.out.answer(found, lambda: _shown(found))


@command(active_app, "list", without=("thread",))
async def list_(
    call: Call, ended: Annotated[bool, typer.Option("--ended", help="Those that have ended too.")] = False
) -> None:
    """What the agent works on; without --agent, what all agents of the space do."""
    async with call.scoped() as memory:
        found = await memory.actives(ended=ended)
    call.out.answer(found, lambda: _listed(found))


@command(active_app, "history", without=("thread",))
async def history(call: Call, id: ActiveId) -> None:
    """Every text that the sections of an active memory ever had."""
    async with call.scoped() as memory:
        found = await memory.section_history(checked_id(id))
    call.out.answer(found, lambda: _told(found))


@command(active_app, "end", without=("thread",))
async def end(call: Call, id: ActiveId) -> None:
    """The task is over: what has not landed in short-term memory is migrated."""
    async with call.memory() as opened:
        ended = await call.scope(opened).end_active(checked_id(id))
        await settle(call, opened)
    call.out.answer(ended, lambda: _shown(ended))


@command(active_app, "templates", scope=False)
async def templates(call: Call) -> None:
    """The templates that are built in."""
    from recollect.active.templates import built_in

    found = built_in()
    call.out.answer(found, lambda: (part for name, text in found.items() for part in (f"# {name}", text)))


@command(app, "migrate", without=("thread",))
async def migrate(call: Call) -> None:
    """Take updated sections into short-term memory now."""
    async with call.memory() as opened:
        landed = await call.scope(opened).migrate()
        await settle(call, opened)
    call.out.answer(landed, lambda: _landed(landed))


@command(app, "reviews", without=("thread",))
async def reviews(
    call: Call,
    status: Annotated[
        str, typer.Option(help="open, keep_old, keep_new, keep_both, merged, outdated, or all.")
    ] = "open",
) -> None:
    """Sections that contradict what is known, or may."""
    async with call.scoped() as memory:
        found = await memory.reviews(None if status == ALL else status)
    call.out.answer(found, lambda: _reviews(found))


@command(app, "resolve", without=("thread",))
async def resolve(
    call: Call,
    id: Annotated[str, typer.Argument(help="The review's id.", show_default=False)],
    resolution: Annotated[
        str, typer.Argument(help="keep_old, keep_new, keep_both, or merged with --text.", show_default=False)
    ],
    text: Annotated[str | None, typer.Option(help="With `merged`: the text that says both; `-` reads stdin.")] = None,
) -> None:
    """Decide a review."""
    merged = stdin().read() if text == "-" else text
    async with call.memory() as opened:
        resolved = await call.scope(opened).resolve(checked_id(id), resolution, merged)
        await settle(call, opened)
    call.out.answer(resolved, lambda: [f"{resolved.section}: {resolved.status}"])


@command(app, "chunks", without=("thread",))
async def chunks(
    call: Call, source: Annotated[str, typer.Argument(help="The source's id.", show_default=False)]
) -> None:
    """Every long-term version of a source's chunks, newest first."""
    async with call.scoped() as memory:
        found = await memory.chunk_history(checked_id(source))
    call.out.answer(found, lambda: _versions(found))


# For people -------------------------------------------------------------------------------------------------------


def _shown(active: "Active") -> "Iterator[RenderableType]":
    from rich.text import Text

    yield Text.assemble((active.title, "bold"), f"  {active.status}", (f"  {active.id}", "dim"))
    for section in active.sections.values():
        yield Text.assemble((f"{section.name}", "bold cyan"), (f"  {_standing(section)}", "dim"))
        yield Text(section.content or "—")


def _told(found: "Sequence[SectionText]") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli.show import when

    for each in found:
        yield Text.assemble(
            (each.section, "bold cyan"), (f"  {each.number}  {when(each.at)}  {each.actor or ''}", "dim")
        )
        yield Text(each.content or "—")


def _standing(section: "Section") -> str:
    """How far a section has come."""
    if section.update_count:
        return f"{section.update_count} to migrate"
    if not section.content.strip():
        return "empty"
    return "migrated" if section.source_id else "migrates when the task ends"


def _listed(found: "Sequence[Active]") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli.show import table

    if not found:
        yield Text("Nothing is being worked on.", style="dim")
        return
    listed = table("id", "agent", "title", "status", "to migrate")
    for active in found:
        waiting = sum(section.update_count for section in active.sections.values())
        listed.add_row(str(active.id), active.agent_id or "—", active.title, active.status, str(waiting))
    yield listed


def _landed(found: "Sequence[Migrated]") -> "Iterator[RenderableType]":
    from rich.text import Text

    if not found:
        yield Text("Nothing to migrate.", style="dim")
    for each in found:
        near = "" if each.similarity is None else f"  similarity {each.similarity:.2f}"
        outcome, source = ("empty", "") if each.source_id is None else (each.outcome, f"  {each.source_id}")
        yield Text.assemble((each.section, "bold cyan"), f"  {outcome}{near}", (source, "dim"))


def _reviews(found: "Sequence[Review]") -> "Iterator[RenderableType]":
    from rich.text import Text

    if not found:
        yield Text("Nothing to decide.", style="dim")
    for review in found:
        yield Text.assemble((review.section, "bold cyan"), f"  {review.status}", (f"  {review.id}", "dim"))
        yield Text(review.reason)
        for piece in review.pieces:
            yield Text.assemble(("new: ", "bold green"), piece.text)
            for chunk in piece.chunks:
                yield Text.assemble(("old: ", "bold red"), chunk.content)


def _versions(found: "Sequence[Memory]") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli.show import when

    if not found:
        yield Text("Nothing of it is in long-term memory.", style="dim")
    for version in found:
        span = f"{when(version.valid_from)} – {when(version.valid_until)}"
        yield Text.assemble((f"#{version.data.get('order', 0)}", "bold cyan"), f"  {span}", (f"  {version.id}", "dim"))
        yield Text(version.content)
