"""The course of a simulation as a picture: salience, states, sizes and storylines over time."""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from recollect.simulation.course import Course

_STATES = ("core", "active", "candidate", "archived")
_COLOURS = ("#2f6f4f", "#66a182", "#c9dfd2", "#b9b4ab")


def draw(course: Course, path: Path) -> None:
    """Write the picture, in the format that the name ends in."""
    figure = Figure(figsize=(13, 8.5), layout="constrained")
    axes = figure.subplots(2, 2)
    (salience, states), (sizes, stories) = axes
    _salience(salience, course)
    _states(states, course)
    _sizes(sizes, course)
    _stories(stories, course)
    for plot in axes.flat:
        plot.set_xlabel("day")
        plot.set_xlim(0, max(1, course.days))
        plot.spines[["top", "right"]].set_visible(False)
    figure.suptitle(
        f"{course.days} days: {course.notes} notes written, {course.questions} questions asked (seed {course.seed})"
    )
    figure.savefig(path, dpi=110)


def _salience(plot: Any, course: Course) -> None:
    plot.set_title("What is left of what the notes are about")
    days = [sample.day for sample in course.samples]
    for name in sorted({name for sample in course.samples for name in sample.followed}):
        plot.plot(days, [sample.followed.get(name, float("nan")) for sample in course.samples], label=name)
    plot.set_ylabel("salience")
    plot.set_ylim(0, 1.02)
    plot.legend(fontsize=8, loc="upper right")


def _states(plot: Any, course: Course) -> None:
    plot.set_title("States of sources, nodes, storylines and relations")
    days = [sample.day for sample in course.samples]
    kinds = ("source", "person", "concept", "entity", "storyline", "macro", "relation")
    rows = [
        [sum(sample.states.get(kind, {}).get(state, 0) for kind in kinds) for sample in course.samples]
        for state in _STATES
    ]
    plot.stackplot(days, rows, labels=_STATES, colors=_COLOURS)
    plot.set_ylabel("memories and relations")
    plot.legend(fontsize=8, loc="upper left")


def _sizes(plot: Any, course: Course) -> None:
    plot.set_title("What the default search reads")
    days = [sample.day for sample in course.samples]
    plot.plot(days, [sample.entries for sample in course.samples], color="#b9b4ab", label="kept")
    plot.plot(days, [sample.visible for sample in course.samples], color="#2f6f4f", label="read by default")
    plot.set_ylabel("entries")
    plot.legend(fontsize=8, loc="upper left")


def _stories(plot: Any, course: Course) -> None:
    plot.set_title("Storylines and macros")
    days = [sample.day for sample in course.samples]
    for kind, colour in (("storyline", "#2f6f4f"), ("macro", "#b5651d")):
        plot.step(days, [sample.count(kind) for sample in course.samples], where="post", color=colour, label=f"{kind}s")
    plot.set_ylabel("not archived")
    plot.legend(fontsize=8, loc="upper left")
