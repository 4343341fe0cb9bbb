"""`recollect simulate`: what forgetting does over a year, drawn, before one chooses settings."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli.command import Call, command
from recollect.core.errors import InvalidInput, Unavailable

if TYPE_CHECKING:
    from recollect.simulation.course import Course

app = typer.Typer()

_KINDS = (
    ("source", "sources"),
    ("person", "people"),
    ("entity", "entities"),
    ("concept", "concepts"),
    ("storyline", "storylines"),
    ("macro", "macros"),
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
        typer.Option("--set", help="A setting to try, as NAME=VALUE; may be repeated.", show_default=False),
    ] = None,
) -> None:
    """Live through a year of a synthetic user with the clock moved, and draw what is remembered and what fades."""
    if output.suffix.lower() not in _FORMATS:
        raise InvalidInput("output", f"must end in {', '.join(_FORMATS)}")
    drawing = _drawing()
    from recollect.simulation import course as simulation

    settings = _settings(setting or ())
    with call.out.progress("Living through the days") as advance:
        course = await simulation.simulate(days, seed, advance, **settings)
    drawing.draw(course, output)
    call.out.answer({"file": str(output), "course": course}, lambda: _told(course, output))


def _drawing() -> Any:
    """What draws; asked for before a minute is spent on what it would draw."""
    try:
        return import_module("recollect.simulation.drawing")
    except ModuleNotFoundError as error:
        raise Unavailable("matplotlib", "is not installed: pip install 'recollect[simulate]'") from error


def _settings(given: "list[str] | tuple[str, ...]") -> dict[str, str]:
    """`decay_rate=0.05` and the like; the settings check the values themselves."""
    pairs = [text.partition("=") for text in given]
    for name, equals, _ in pairs:
        if not name or not equals:
            raise InvalidInput("set", "must be NAME=VALUE")
    return {name: value for name, _, value in pairs}


def _told(course: "Course", output: Path) -> list[str]:
    last = course.samples[-1]
    live = [(last.count(kind), kind, several) for kind, several in _KINDS]
    shown = ", ".join(f"{number} {kind if number == 1 else several}" for number, kind, several in live if number)
    return [
        f"{course.days} days, {course.notes} notes, {course.questions} questions.",
        f"At the end: {shown or 'nothing'}; the default search reads {last.visible} of {last.entries} entries.",
        f"Drawn to {output}.",
    ]
