"""The course of a simulation: one user lives through the days, every night the jobs run, and now and then we look."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.bench.place import Place, place
from recollect.core.errors import RecollectError
from recollect.flows import fade
from recollect.jobs.schedule import Schedule, of_jobs
from recollect.memory import Recollect, ScopedMemory
from recollect.simulation.choices import chosen, without_models
from recollect.simulation.examples import Example, examples
from recollect.simulation.looking import Observer, Sample, Track
from recollect.simulation.story import Day, Story

Progress = Callable[[int, int], None]

BEGIN = datetime(2026, 1, 1, 9, tzinfo=UTC)
_EVENING = timedelta(hours=10)
_NIGHT = timedelta(hours=20)
_MONTH = 30
_COUNTED = "analyze memory, memory_use, relation, entry, source, mentioned, note, history"
_SAMPLES = 90
"""How often a life is looked at: often enough for a picture, however long it is."""

# Jobs that follow from what was written or asked: after a day on which nothing was, they would find nothing. The others
# follow from time that passes, and run every night.
_AFTER_WRITING = frozenset({"storyline_promotion", "storyline_refresh", "descriptions", "promotion", "catch_up"})

# What nights do to memories, by the job and the count that it returns.
_DEEDS = {
    "decay": "archived",
    "source_consolidation": "archived",
    "consolidation": "archived",
    "forgetting": "soft_deleted",
    "purge": "purged",
    "storyline_promotion": "changed",
    "macro_promotion": "changed",
}


@dataclass(slots=True)
class Course:
    """What came of a simulation."""

    days: int
    seed: int
    settings: dict[str, Any] = field(default_factory=dict)
    """The settings that decide what is remembered, as they were."""
    notes: int = 0
    messages: int = 0
    questions: int = 0
    samples: list[Sample] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)

    def total(self, job: str) -> int:
        """How many memories a job has archived, deleted, purged or made in all."""
        return sum(sample.done.get(job, 0) for sample in self.samples)


@dataclass(slots=True)
class Life:
    """The course, and every single memory that was followed through it."""

    course: Course
    tracks: list[Track]


@dataclass(slots=True)
class _Clock:
    now: datetime = BEGIN

    def __call__(self) -> datetime:
        return self.now


async def simulate(
    days: int, seed: int = 0, progress: Progress | None = None, *, embedder: str = "fake", **settings: Any
) -> Life:
    """Live through so many days with the given settings, on a database that vanishes afterwards.

    Jobs, flows and tables are the real ones; only the clock is moved, and by default vectors are made of words alone,
    as nothing here depends on how well a search understands.
    """
    clock, course = _Clock(), Course(days, seed)
    async with place(None) as where, _opened(where, clock, {"embedder": embedder, **settings}) as rc:
        await _hurry(rc)
        course.settings = chosen(rc.settings, settings)
        me = rc.scope(user_id="simulated")
        observer, days_lived = Observer(rc, me.scope.space), _Days(rc, me, clock, course)
        for number, day in enumerate(Story(seed).days(days)):
            await days_lived.live(number, day)
            if number % max(1, days // _SAMPLES) == 0 or number == days - 1:
                course.samples.append(await observer.look(number, clock.now, days_lived.take_done()))
            if progress is not None:
                progress(number + 1, days)
        tracks = list(observer.tracks.values())
        course.examples = examples(tracks, rc.settings.decay_confident)
        await observer.name(example.track for example in course.examples)
    return Life(course, tracks)


def _opened(where: Place, clock: _Clock, given: dict[str, Any]) -> Recollect:
    rc = where.open(clock=clock, worker=False, **given)
    rc.settings = without_models(rc.settings, given)
    return rc


async def _hurry(rc: Recollect) -> None:
    """The database lives for seconds, and nobody misses it after a power cut."""
    async with rc.parts.database.owner() as owner:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            await owner.execute(f"alter system set {name} = off")
        await owner.execute("select pg_reload_conf()")
    # A worker that stays saves a connection for each time that its work is waited for.
    await rc.worker.start()


@dataclass(slots=True)
class _Days:
    """The days of the simulated user."""

    rc: Recollect
    me: ScopedMemory
    clock: _Clock
    course: Course
    _done: Counter[str] = field(default_factory=Counter)

    async def live(self, number: int, day: Day) -> None:
        """Write, talk, ask; sleep, while the jobs run."""
        self.clock.now = BEGIN + timedelta(days=number)
        await self._write(day)
        self.clock.now += _EVENING
        await self._ask(day)
        self.clock.now = BEGIN + timedelta(days=number) + _NIGHT
        await self._night(quiet=day.is_quiet)
        await self._let_the_database_look(number)

    async def _write(self, day: Day) -> None:
        for note in day.notes:
            await self.me.ingest(note.text, ttl_policy=note.ttl_policy)
        if day.talk:
            await self._talk(day.talk)
        if day.notes or day.talk:
            await self._settle()
        self.course.notes += len(day.notes)
        self.course.messages += len(day.talk)

    async def _talk(self, talk: Iterable[tuple[str, str]]) -> None:
        """A conversation of its own, which ends and so becomes a source."""
        chat = await self.me.conversation(f"{self.clock.now:%Y-%m-%d}")
        for role, said in talk:
            await chat.add(role, said)
        await chat.end()

    async def _ask(self, day: Day) -> None:
        for question in day.questions:
            if question.of_theme:
                await self.me.search(question.text, limit=5)
                await self.me.explore([question.text], limit=2)
            else:
                await self.me.search(question.text, limit=2, kinds=["source"])
        if day.questions:
            await self.rc.recalls.flush()
        self.course.questions += len(day.questions)

    async def _settle(self) -> None:
        """Have background work done before the clock is moved: a figure of half a day means nothing."""
        drained = await self.rc.drain(None)
        if drained.failed:
            raise RecollectError(f"{drained.failed} jobs failed: the picture would not be true")

    async def _night(self, *, quiet: bool) -> None:
        """The jobs that are due in the night after a day, in their order."""
        for schedule in sorted(of_jobs(frozenset(fade.SWEEPS)), key=lambda each: (each.hour, each.minute)):
            if _is_due(schedule, self.clock.now) and not (quiet and schedule.job in _AFTER_WRITING):
                counts = await fade.run(self.rc.parts, schedule.job)
                self._done[schedule.job] += counts.get(_DEEDS.get(schedule.job, ""), 0)

    async def _let_the_database_look(self, number: int) -> None:
        """PostgreSQL counts its rows anew every few minutes; days that pass in moments leave it no time for that."""
        if number & (number - 1) == 0 or number % _MONTH == 0:
            async with self.rc.parts.database.owner() as owner:
                await owner.execute(_COUNTED)

    def take_done(self) -> dict[str, int]:
        """What the nights did since the last call."""
        done = {job: number for job, number in self._done.items() if number}
        self._done.clear()
        return done


def _is_due(schedule: Schedule, night: datetime) -> bool:
    return schedule.every is None and schedule.weekday in (None, night.weekday())
