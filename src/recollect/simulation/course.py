"""The course of a simulation: one user lives through the days, every night the jobs run, every week is looked at."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.bench.place import place
from recollect.db.sql import load
from recollect.flows import fade
from recollect.jobs.schedule import Schedule, of_jobs
from recollect.memory import Recollect, ScopedMemory
from recollect.simulation.story import Story

QUERIES = load("recollect.simulation")

Progress = Callable[[int, int], None]

BEGIN = datetime(2026, 1, 1, 9, tzinfo=UTC)
_EVENING = timedelta(hours=10)
_NIGHT = timedelta(hours=20)
_WEEK = 7


@dataclass(frozen=True, slots=True)
class Sample:
    """How the memory stood on one day."""

    day: int
    states: dict[str, dict[str, int]]
    """Memories of each kind in each state."""
    salience: dict[str, float]
    """The mean of what each kind has left."""
    followed: dict[str, float]
    """What nodes that the story is about have left, by name."""
    visible: int
    """Entries that the default search reads."""
    entries: int

    def count(self, kind: str) -> int:
        """Memories of a kind that are not put away."""
        return sum(number for state, number in self.states.get(kind, {}).items() if state != "archived")


@dataclass(slots=True)
class Course:
    """What came of a simulation."""

    days: int
    seed: int
    notes: int = 0
    questions: int = 0
    samples: list[Sample] = field(default_factory=list)


@dataclass(slots=True)
class _Clock:
    now: datetime = BEGIN

    def __call__(self) -> datetime:
        return self.now


async def simulate(days: int, seed: int = 0, progress: Progress | None = None, **settings: Any) -> Course:
    """Live through so many days with the given settings, on a database that vanishes afterwards."""
    clock, story = _Clock(), Story(seed)
    course = Course(days, seed)
    async with place(None) as where, where.open(clock=clock, worker=False, **settings) as rc:
        me = rc.scope(user_id="simulated")
        for number, day in enumerate(story.days(days)):
            clock.now = BEGIN + timedelta(days=number)
            for note in day.notes:
                await me.ingest(note)
            await rc.drain(None)
            clock.now += _EVENING
            for question in day.questions:
                await me.search(question)
            await _night(rc, clock, number)
            course.notes += len(day.notes)
            course.questions += len(day.questions)
            if number % _WEEK == 0 or number == days - 1:
                course.samples.append(await _sample(rc, me, clock.now, number, [theme.name for theme in story.themes]))
            if progress is not None:
                progress(number + 1, days)
    return course


async def _night(rc: Recollect, clock: _Clock, day: int) -> None:
    """The jobs that are due in the night after a day, in their order."""
    clock.now = BEGIN + timedelta(days=day) + _NIGHT
    for schedule in sorted(of_jobs(frozenset(fade.SWEEPS)), key=lambda each: (each.hour, each.minute)):
        if _is_due(schedule, clock.now):
            await fade.run(rc.parts, schedule.job)
    await rc.drain(None)


def _is_due(schedule: Schedule, night: datetime) -> bool:
    return schedule.every is None and schedule.weekday in (None, night.weekday())


async def _sample(rc: Recollect, me: ScopedMemory, now: datetime, day: int, names: Sequence[str]) -> Sample:
    space, settings = me.scope.space, rc.settings
    asked = {"space": space, "now": now, "rate": settings.decay_rate, "confident": settings.decay_confident}
    async with rc.parts.database.transaction(space) as connection:
        standing = await (await connection.execute(QUERIES["standing"], asked)).fetchall()
        followed = await (await connection.execute(QUERIES["followed"], asked | {"names": list(names)})).fetchall()
        size = await (await connection.execute(QUERIES["searchable"], {"space": space})).fetchone()
    states: dict[str, dict[str, int]] = {}
    for row in standing:
        states.setdefault(row.kind, {})[row.state] = row.memories
    return Sample(
        day,
        states,
        {kind: _mean(standing, kind) for kind in states},
        {row.name: row.salience for row in followed},
        size.visible if size else 0,
        size.entries if size else 0,
    )


def _mean(standing: Sequence[Any], kind: str) -> float:
    """The mean salience of a kind over its states."""
    rows = [row for row in standing if row.kind == kind]
    return float(sum(row.salience * row.memories for row in rows) / sum(row.memories for row in rows))
