"""`recollect simulate`: what forgetting does over a year, drawn, before one chooses settings."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli.command import Call, command
from recollect.core.errors import InvalidInput, Unavailable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from recollect.simulation.course import Course

app = typer.Typer()

_KINDS = (
    ("source", "sources"),
    ("person", "people"),
    ("concept", "concepts"),
    ("entity", "entities"),
    ("storyline", "storylines"),
    ("macro", "macros"),
    ("statement", "statements"),
    ("episode", "episodes"),
    ("relation", "relations"),
)
_STATES = ("core", "active", "candidate", "archived", "soft_deleted")
_DEEDS = (
    ("decay", "faded or past their time"),
    ("source_consolidation", "faded sources, their gist noted"),
    ("consolidation", "episodes and pending statements"),
)
_FORMATS = (".png", ".svg", ".pdf")


@command(app, "simulate", scope=False, without=("data_dir", "database_url"))
async def simulate(
    call: Call,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the picture goes: .png, .svg or .pdf.")] = Path(
        "recollect-simulation.png"
    ),
    days: Annotated[int, typer.Option(min=1, max=3_650, help="How many days are lived through.")] = 365,
    seed: Annotated[int, typer.Option(help="Another life for another number.")] = 0,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting to try, such as decay_rate=0.05; may be repeated."),
    ] = None,
    embedder: Annotated[
        str, typer.Option(help="What makes the vectors; `recollect-recall-v2` searches better, and takes longer.")
    ] = "fake",
) -> None:
    """Live through a year of a synthetic user in seconds, and draw what is remembered and what fades.

    The user writes notes, talks, looks things up and asks how things are going;
    every night the real jobs run, with the clock moved, on a database of its own
    that vanishes afterwards. Your own memory is not touched.

    The picture shows what is left of single memories (salience), the states of
    all of them, how many rows of each kind there are, what the nightly jobs
    archived, soft-deleted and purged, how storylines and macros grow, and how it
    stands at the end. It names the settings, so that pictures can be compared:

    recollect simulate -o usual.png

    recollect simulate -o quick.png --set decay_rate=0.06 --set source_below=0.3

    Settings that matter most: decay_rate, decay_confident, archive_below,
    salience_initial, salience_recall, core_accesses, source_below, source_days,
    ephemeral_episodic_days, consolidation_days, consolidation_below,
    consolidation_all, forgetting_days, forgetting_below, purge_days,
    storyline_sources, storyline_idle_days. Those in your environment and
    recollect.toml hold here too. With --json the series are printed.
    """
    if output.suffix.lower() not in _FORMATS:
        raise InvalidInput("output", f"must end in {', '.join(_FORMATS)}")
    drawing = _drawing()
    from recollect.simulation import course as simulation

    settings = {"embedder": embedder, **_settings(setting or ())}
    with call.out.progress("Living through the days") as advance:
        life = await simulation.simulate(days, seed, advance, **settings)
    drawing.draw(life, output)
    call.out.answer({"file": str(output), "course": life.course}, lambda: _told(life.course, output))


def _drawing() -> Any:
    """What draws; asked for before time is spent on what it would draw."""
    try:
        return import_module("recollect.simulation.drawing")
    except ModuleNotFoundError as error:
        raise Unavailable("matplotlib", "is not installed: pip install 'recollect[simulate]'") from error


def _settings(given: Sequence[str]) -> dict[str, str]:
    """`decay_rate=0.05` and the like; the settings check the values themselves."""
    pairs = [text.partition("=") for text in given]
    for name, equals, _ in pairs:
        if not name or not equals:
            raise InvalidInput("set", "must be NAME=VALUE")
    return {name: value for name, _, value in pairs}


def _told(course: "Course", output: Path) -> "Iterator[RenderableType]":
    from recollect.simulation.choices import changed

    last = course.samples[-1]
    yield (
        f"{course.days} days: {course.notes} notes, {course.messages} messages, {course.questions} questions."
        f" Settings: {changed(course.settings) or 'all at their defaults'}."
    )
    yield _table(course)
    archived = ", ".join(f"{course.total(job)} {what}" for job, what in _DEEDS)
    yield f"Archived by night: {archived}. Soft-deleted: {course.total('forgetting')}, purged: {course.total('purge')}."
    yield f"The default search reads {last.visible} of {last.entries} entries."
    yield f"Drawn to {output}."


def _table(course: "Course") -> "Table":
    """How many memories of each kind are in each state at the end."""
    from rich.table import Table

    table = Table("at the end", box=None, pad_edge=False, header_style="dim")
    for state in (*_STATES, "salience"):
        table.add_column(state.replace("_", "-"), justify="right")
    last = course.samples[-1]
    for kind, several in _KINDS:
        if states := last.states.get(kind):
            numbers = [str(states.get(state, 0)) for state in _STATES]
            table.add_row(several, *numbers, f"{last.salience[kind]:.2f}")
    return table
