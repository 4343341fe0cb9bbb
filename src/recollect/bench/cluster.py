"""Many processes on many spaces, on a cluster and on the embedded server in one run: what does spreading cost?

Each process writes and searches spaces by chance: single messages, searches, and batches of a hundred messages. This
process does the background work meanwhile. At the end every message that was acknowledged has to be in the log, in
turns without gaps.
"""

import asyncio
import multiprocessing
import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from time import monotonic, perf_counter
from typing import Any

from rich.console import Console
from rich.progress import Progress

from recollect.bench import texts
from recollect.bench.load import messages
from recollect.bench.place import Place, place
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit, percentile
from recollect.core.errors import RecollectError
from recollect.memory import Recollect

_TEXTS = 5_000
_BATCH = 100
_BATCHES, _SEARCHES = 0.11, 0.6  # bounds of a draw: a tenth are batches, half are searches, the rest single messages
_AT_ONCE = 2
_SEED = 17


@dataclass(frozen=True, slots=True)
class Load:
    """Who does how much for how long."""

    seconds: float
    processes: int
    spaces: int


@dataclass(slots=True)
class Done:
    """What processes did: milliseconds of each call by its name, acknowledged messages by space, errors by name."""

    calls: dict[str, list[float]] = field(default_factory=dict)
    written: dict[int, int] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)

    def add(self, other: "Done") -> None:
        """Take in what another process did."""
        for name, taken in other.calls.items():
            self.calls.setdefault(name, []).extend(taken)
        for space, count in other.written.items():
            self.written[space] = self.written.get(space, 0) + count
        for name, count in other.errors.items():
            self.errors[name] = self.errors.get(name, 0) + count


@dataclass(frozen=True, slots=True)
class Measured:
    """One server's part."""

    done: Done
    seconds: float
    lost: int

    @property
    def rate(self) -> float:
        """Calls a second."""
        return sum(map(len, self.done.calls.values())) / self.seconds


async def run(
    console: Console,
    *,
    database_url: str,
    seconds: float = 60.0,
    processes: int = 8,
    spaces: int = 2_000,
) -> Report:
    """The same load on both, one after the other."""
    load = Load(seconds, processes, spaces)
    found: dict[str, Measured] = {}
    with progress(console) as bar:
        for name, url in (("embedded", None), ("cluster", database_url)):
            async with AsyncExitStack() as stack:
                where = await stack.enter_async_context(place(url))
                rc = await stack.enter_async_context(where.open())
                found[name] = await _measure(where, rc, load, name, bar)
    return _report(load, found)


async def _measure(where: Place, rc: Recollect, load: Load, name: str, bar: Progress) -> Measured:
    task = bar.add_task(f"{load.processes} processes, {name}", total=None)
    loop = asyncio.get_running_loop()
    done = Done()
    with ProcessPoolExecutor(load.processes, multiprocessing.get_context("spawn")) as pool:
        work = [
            loop.run_in_executor(pool, partial(work_elsewhere, where, load, number)) for number in range(load.processes)
        ]
        for one in await asyncio.gather(*work):
            done.add(one)
    lost = await _lost(where, rc, done)
    bar.remove_task(task)
    return Measured(done, load.seconds, lost)


def work_elsewhere(where: Place, load: Load, number: int) -> Done:
    """What one process does."""

    async def work() -> Done:
        corpus = texts.generated(_TEXTS, 200)
        done = Done()
        async with where.open(worker=False, pool_size=_AT_ONCE + 2) as rc:
            end = monotonic() + load.seconds
            chances = [random.Random(_SEED + 1_000 * number + task) for task in range(_AT_ONCE)]
            await asyncio.gather(*(_until(where, rc, load, corpus, chance, end, done) for chance in chances))
        return done

    return asyncio.run(work())


async def _until(
    where: Place, rc: Recollect, load: Load, corpus: texts.Corpus, chance: random.Random, end: float, done: Done
) -> None:
    while monotonic() < end:
        space = chance.randrange(load.spaces)
        draw, began = chance.random(), perf_counter()
        name, count = ("add 100", _BATCH) if draw < _BATCHES else ("search", 0) if draw < _SEARCHES else ("add", 1)
        try:
            await _call(where, rc, space, name, corpus, chance)
        except RecollectError as error:
            done.errors[type(error).__name__] = done.errors.get(type(error).__name__, 0) + 1
        else:
            done.calls.setdefault(name, []).append(1_000 * (perf_counter() - began))
            if count:
                done.written[space] = done.written.get(space, 0) + count


async def _call(
    where: Place, rc: Recollect, space: int, name: str, corpus: texts.Corpus, chance: random.Random
) -> None:
    scope = rc.scope(user_id=where.name(str(space)))
    if name == "search":
        await scope.search(chance.choice(corpus.questions))
        return
    chat = await scope.conversation("only")
    if name == "add":
        await chat.add("user", chance.choice(corpus.texts))
    else:
        await chat.add_many(list(messages(chance.choices(corpus.texts, k=_BATCH))))


async def _lost(where: Place, rc: Recollect, done: Done) -> int:
    """Acknowledged messages that the log does not hold, and turns that are missing or there twice."""
    wrong = 0
    for space, count in done.written.items():
        chat = await rc.scope(user_id=where.name(str(space))).conversation("only")
        turns: list[int] = []
        while page := await chat.messages(first=len(turns) + 1, limit=1_000):
            turns += [message.turn for message in page]
        wrong += max(0, count - len(turns)) + (turns != list(range(1, len(turns) + 1)))
    return wrong


def _report(load: Load, found: dict[str, Measured]) -> Report:
    embedded, cluster = found["embedded"], found["cluster"]
    errors = sum(sum(one.done.errors.values()) for one in found.values())
    limits = [
        Limit("cluster ÷ embedded, calls a second", cluster.rate / embedded.rate, 0.5, at_most=False),
        Limit("errors", errors, 0),
        Limit("messages lost", sum(one.lost for one in found.values()), 0),
    ]
    columns = ["server", "call", "calls", "a second", "p50 ms", "p95 ms"]
    rows: list[Sequence[Any]] = [
        [name, call, len(taken), len(taken) / one.seconds, percentile(taken, 0.5), percentile(taken, 0.95)]
        for name, one in found.items()
        for call, taken in sorted(one.done.calls.items())
    ]
    values = {
        "load": {"seconds": load.seconds, "processes": load.processes, "spaces": load.spaces},
        **{
            name: {
                "calls_per_second": one.rate,
                "calls": {call: len(taken) for call, taken in one.done.calls.items()},
                "messages_per_second": sum(one.done.written.values()) / one.seconds,
                "errors": one.done.errors,
                "lost": one.lost,
            }
            for name, one in found.items()
        },
    }
    title = f"{load.processes} processes on {load.spaces:,} spaces for {load.seconds:g} s"
    return Report("cluster", values, [Grid(title, columns, rows)], limits)
