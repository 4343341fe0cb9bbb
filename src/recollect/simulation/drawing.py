"""The course of a simulation as a picture: salience, states, sizes, what the nights did, and storylines over time."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import wrap
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator

from recollect.graph.names import NODE_KINDS
from recollect.simulation.choices import changed, shown
from recollect.simulation.course import Course, Life
from recollect.simulation.looking import AWAY, Sample, StoryOf, Track

# From what is used most to what is gone.
_STATES = {
    "core": "#1b5e43",
    "active": "#4c9a75",
    "candidate": "#bfdccb",
    "archived": "#b8b2a7",
    "soft_deleted": "#d98c5f",
    "purged": "#f2e3d5",
}
_MOVED = ("source", *NODE_KINDS, "storyline", "macro", "statement", "episode", "insight", "procedure")
"""Kinds that the lifecycle moves from state to state."""
_KINDS = {
    "notes and talks": ("source",),
    "people, things": NODE_KINDS,
    "storylines, macros": ("storyline", "macro"),
    "statements": ("statement",),
    "episodes": ("episode",),
}
_SIZES = {
    "relations": (("relation",), "#8c7aa9"),
    "sources": (("source",), "#1b5e43"),
    "chunks of them": (("chunk",), "#7fb89a"),
    "messages": (("turn",), "#4f7cac"),
    "nodes": (NODE_KINDS, "#c9a227"),
    "statements, episodes": (("statement", "episode"), "#b5533c"),
}
_DEEDS = {
    "decay": ("archived: faded, or past its time", "#8d8779"),
    "source_consolidation": ("archived: source faded, gist noted", "#b8b2a7"),
    "consolidation": ("archived: episode or pending statement", "#cfc3ad"),
    "forgetting": ("soft-deleted: unused, unimportant", "#d98c5f"),
    "purge": ("purged", "#a63d2f"),
}
_COLOURS = ("#2f6f4f", "#b5533c", "#4f7cac", "#c9a227", "#7d5ba6", "#d17fa3", "#8d8779", "#222222")
_STYLE: Any = {
    "font.size": 9.5,
    "axes.titlesize": 11.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#777777",
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
    "legend.frameon": False,
    "legend.fontsize": 8.5,
}
Points = list[tuple[int, int]]

_BARS = 26
_LINE, _TITLE = 170, 125


def draw(life: Life, path: Path) -> None:
    """Write the picture, in the format that the name ends in."""
    course = life.course
    with rc_context(_STYLE):
        engine = ConstrainedLayoutEngine(h_pad=0.12, w_pad=0.12, hspace=0.04, wspace=0.04)
        figure = Figure(figsize=(15, 15.5), layout=engine)
        (salience, states), (sizes, nights), (stories, ends) = figure.subplots(3, 2)
        _salience(salience, life)
        _states(states, course)
        _sizes(sizes, course)
        _nights(nights, course)
        _stories(stories, course)
        for plot in (salience, states, sizes, nights, stories):
            plot.set_xlabel("day")
            plot.set_xlim(0, max(1, course.days - 1))
        _ends(ends, course)
        figure.suptitle(_title(course), fontsize=13, fontweight="bold", x=0.01, ha="left")
        figure.supxlabel(_footer(course.settings), fontsize=8.5, color="#444444", x=0.01, ha="left")
        figure.savefig(path, dpi=110)


def _title(course: Course) -> str:
    told = (
        f"{course.notes} notes written, {course.messages} messages, {course.questions} questions asked"
        f" (seed {course.seed}); settings: {changed(course.settings) or 'all at their defaults'}"
    )
    return "\n".join([f"What a simulated user remembers over {course.days} days", *wrap(told, _TITLE)])


def _footer(settings: dict[str, Any]) -> str:
    """All settings that count here, in lines."""
    lines = ["Settings of this run:"]
    for told in (f"{name} {shown(value)}" for name, value in settings.items()):
        if len(lines[-1]) + len(told) > _LINE:
            lines.append(told)
        else:
            lines[-1] += ("  " if lines[-1].endswith(":") else ",  ") + told
    return "\n".join(lines)


def _days(course: Course) -> list[int]:
    return [sample.day for sample in course.samples]


def _below(plot: Any, columns: int) -> None:
    """The legend under the axes, where it hides nothing."""
    plot.legend(loc="upper left", bbox_to_anchor=(-0.02, -0.13), ncols=columns, handlelength=1.6, columnspacing=1.4)


# Salience -------------------------------------------------------------------------------------------------


def _salience(plot: Any, life: Life) -> None:
    plot.set_title("What is left of single memories")
    chosen = {example.track.id for example in life.course.examples}
    for track in life.tracks:
        if track.id not in chosen:
            days, left, _ = _until_put_away(track)
            plot.plot(days, left, color="#999999", alpha=0.18, linewidth=0.7)
    for example, colour in zip(life.course.examples, _COLOURS, strict=False):
        days, left, away = _until_put_away(example.track)
        label = f"{example.fate}: {example.track.state.replace('_', ' ')}"
        plot.plot(days, left, color=colour, linewidth=2, label=label)
        if away:
            plot.plot(days[-1:], left[-1:], "X", color=colour, markersize=9, markeredgecolor="white")
    plot.plot([], [], color="#bbbbbb", linewidth=0.9, label="all other notes, people and things")
    plot.plot([], [], "X", color="#555555", markeredgecolor="white", markersize=9, label="archived here")
    threshold = life.course.settings["source_below"]
    plot.axhline(threshold, color="#555555", linewidth=0.9, linestyle=(0, (4, 3)))
    plot.annotate(
        f"notes below {threshold:g} are archived, their gist kept",
        (1, threshold),
        (-4, -11),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        fontsize=8,
        color="#555555",
    )
    plot.set_ylabel("salience, 0 to 1")
    plot.set_ylim(0, 1.03)
    _below(plot, 2)


def _until_put_away(track: Track) -> tuple[list[int], list[float], bool]:
    """The points up to the first at which it was archived; whether there is one."""
    end = next((place for place, state in enumerate(track.states) if state in AWAY), None)
    if end is None or track.state not in AWAY:
        return track.days, track.salience, False
    return track.days[: end + 1], track.salience[: end + 1], True


# States, sizes, nights --------------------------------------------------------------------------------------


def _states(plot: Any, course: Course) -> None:
    plot.set_title("In which state memories are")
    rows = [[sample.in_state(state, *_MOVED) for sample in course.samples] for state in _STATES if state != "purged"]
    rows.append(_purged(course))
    labels = [state.replace("_", "-") for state in _STATES]
    plot.stackplot(_days(course), rows, labels=labels, colors=_STATES.values(), edgecolor="white", linewidth=0.4)
    plot.set_ylabel("notes, nodes, stories, statements, episodes")
    plot.yaxis.set_major_locator(MaxNLocator(integer=True))
    _below(plot, 6)


def _purged(course: Course) -> list[int]:
    """How many memories are gone for good, day by day."""
    total, so_far = 0, []
    for sample in course.samples:
        total += sample.done.get("purge", 0)
        so_far.append(total)
    return so_far


def _sizes(plot: Any, course: Course) -> None:
    plot.set_title("Sizes: rows in use, and what the default search reads")
    days = _days(course)
    for label, (kinds, colour) in _SIZES.items():
        plot.plot(days, [sample.count(*kinds) for sample in course.samples], color=colour, linewidth=1.7, label=label)
    plot.plot(days, [s.entries for s in course.samples], color="#222222", linestyle=":", label="index entries kept")
    plot.plot(days, [s.visible for s in course.samples], color="#222222", linewidth=2, label="entries read by default")
    plot.set_ylabel("rows not archived or deleted")
    plot.set_ylim(bottom=0)
    _below(plot, 4)


def _nights(plot: Any, course: Course) -> None:
    plot.set_title("What the nightly jobs took away")
    width = max(1, -(-course.days // _BARS))
    starts = list(range(0, course.days, width))
    floor = [0] * len(starts)
    for job, (label, colour) in _DEEDS.items():
        heights = [_between(course.samples, job, start, start + width) for start in starts]
        plot.bar(
            starts, heights, width * 0.86, bottom=floor, align="edge", color=colour, label=f"{label} ({sum(heights)})"
        )
        floor = [low + high for low, high in zip(floor, heights, strict=True)]
    plot.set_ylabel(f"memories in {width} days" if width > 1 else "memories a day")
    plot.yaxis.set_major_locator(MaxNLocator(integer=True))
    _below(plot, 2)


def _between(samples: Sequence[Sample], job: str, first: int, last: int) -> int:
    return sum(sample.done.get(job, 0) for sample in samples if first <= sample.day < last)


# Stories, and how it ends ------------------------------------------------------------------------------------


def _stories(plot: Any, course: Course) -> None:
    plot.set_title("Storylines (solid) and macros (dashed) as they grow")
    growth = _growth(course)
    about = list(dict.fromkeys(name for _, name in growth))
    colours = {name: _COLOURS[place % len(_COLOURS)] for place, name in enumerate(about)}
    drawn: set[str] = set()
    for (kind, name), several in growth.items():
        for points in several:
            days, sources = [day for day, _ in points], [number for _, number in points]
            label, line = None if name in drawn else name, "--" if kind == "macro" else "-"
            drawn.add(name)
            plot.step(days, sources, line, where="post", color=colours[name], linewidth=1.8, label=label)
            plot.plot(days[:1], sources[:1], "D" if kind == "macro" else "o", color=colours[name], markersize=5)
    plot.set_ylabel("sources that it tells of")
    plot.set_ylim(bottom=0)
    plot.yaxis.set_major_locator(MaxNLocator(integer=True))
    if growth:
        _below(plot, 2)
    else:
        plot.text(0.5, 0.5, "none yet", transform=plot.transAxes, ha="center", color="#777777")


def _growth(course: Course) -> dict[tuple[str, str], list[Points]]:
    """Day and size of stories, by their kind and what they are about; those that grow alike go by one name."""
    grown: dict[StoryOf, Points] = {}
    for sample in course.samples:
        for story in sample.stories:
            grown.setdefault(replace(story, sources=0), []).append((sample.day, story.sources))
    alike: dict[tuple[str, tuple[tuple[int, int], ...]], list[str]] = {}
    for story, points in grown.items():
        alike.setdefault((story.kind, tuple(points)), []).append(story.about)
    found: dict[tuple[str, str], list[Points]] = {}
    for (kind, points_of_all), names in alike.items():
        found.setdefault((kind, ", ".join(sorted(names))), []).append(list(points_of_all))
    return found


def _ends(plot: Any, course: Course) -> None:
    plot.set_title(f"How it stands after {course.days} days, by kind")
    last, places = course.samples[-1], list(range(len(_KINDS)))
    left = [0] * len(_KINDS)
    for state, colour in _STATES.items():
        if state == "purged":
            continue
        widths = [last.in_state(state, *kinds) for kinds in _KINDS.values()]
        plot.barh(places, widths, 0.6, left=left, color=colour, label=state.replace("_", "-"))
        _number(plot, places, left, widths, "white" if state in ("core", "active") else "#333333")
        left = [start + width for start, width in zip(left, widths, strict=True)]
    for place, kind in zip(places, _KINDS, strict=True):
        plot.text(0, place - 0.32, f" {kind}", va="bottom", fontsize=9)
    plot.set_yticks([])
    plot.set_ylim(len(_KINDS) - 0.5, -0.75)
    plot.grid(visible=False)
    plot.set_xlabel("memories")
    _below(plot, 5)


def _number(plot: Any, places: Sequence[int], left: Sequence[int], widths: Sequence[int], colour: str) -> None:
    """How many, in each part of the bars that is wide enough for it."""
    for place, start, width in zip(places, left, widths, strict=True):
        if width > 2:
            plot.text(start + width / 2, place, str(width), ha="center", va="center", fontsize=8, color=colour)
