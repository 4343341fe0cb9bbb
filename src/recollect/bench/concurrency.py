"""Writers and searchers on one space at the same time, with the real embedder: is it fast, and is nothing lost?

1. For some seconds writers add single messages, each in a thread of its own, and searchers ask questions, while the
   worker of the process embeds what was written.
2. `drain()` brings the rest in; its time is held against what the embedder alone would need for it.
3. Sampled messages are searched for with their own words.
4. Messages in batches, into another space: the rate against the embedder's own on the same texts.

All of it twice: with learning from messages off, when nothing but embedding is waited for, and as it is by default.
"""

import asyncio
import multiprocessing
import random
from collections.abc import Awaitable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, NamedTuple
from uuid import UUID

from rich.console import Console
from rich.progress import Progress

from recollect.bench import texts
from recollect.bench.load import messages
from recollect.bench.place import Place, place
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit, percentile
from recollect.core.errors import RecollectError
from recollect.memory import Recollect, ScopedMemory

_TEXTS = 60_000
_SAMPLE = 200
_AMONG = 10
_EMBEDDER_SAMPLE = 600
_BATCH = 100
_BATCHED = 2_000
_SEED = 13


class Written(NamedTuple):
    """A message that was acknowledged."""

    id: UUID
    text: str


@dataclass(slots=True)
class Traffic:
    """What writers or searchers did: milliseconds of each call, and the errors by name."""

    milliseconds: list[float] = field(default_factory=list)
    errors: dict[str, int] = field(default_factory=dict)
    written: list[Written] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: "Traffic") -> None:
        """Take in what others did."""
        self.milliseconds += other.milliseconds
        self.written += other.written
        for name, count in other.errors.items():
            self.errors[name] = self.errors.get(name, 0) + count

    def failed(self, error: Exception) -> None:
        """Note a call that did not come back."""
        name = type(error).__name__
        self.errors[name] = self.errors.get(name, 0) + 1

    def figures(self) -> dict[str, Any]:
        """Rate, percentiles and errors."""
        seconds = self.seconds or float("nan")
        return {
            "calls": len(self.milliseconds),
            "per_second": len(self.milliseconds) / seconds,
            "p50": percentile(self.milliseconds, 0.5),
            "p95": percentile(self.milliseconds, 0.95),
            "errors": self.errors,
        }


@dataclass(frozen=True, slots=True)
class Load:
    """Who does what for how long."""

    seconds: float
    writers: int
    searchers: int
    processes: int


@dataclass(frozen=True, slots=True)
class Measured:
    """What was found with learning off, or on."""

    learning: bool
    wrote: Traffic
    searched: Traffic
    drained: dict[str, Any]
    embedder_rates: tuple[float, float]
    batched: dict[str, float]

    @property
    def mode(self) -> str:
        """How the figures are told apart."""
        return "learning" if self.learning else "without learning"

    @property
    def drain_ratio(self) -> float:
        """Over the whole of what was written, not only what was left: the limit is stated so."""
        alone = self.drained["acknowledged"] / (sum(self.embedder_rates) / 2)
        return float(self.drained["drain_seconds"] / alone)

    @property
    def note(self) -> str:
        """How much the writers were ahead of the embedder."""
        waiting = self.drained["waiting_before_drain"]
        return f"{waiting:,} messages waited for the embedder when the writers stopped, {self.mode}."

    def limits(self) -> list[Limit]:
        """What was promised; of draining and of batches where embedding is all that is waited for."""
        drained = self.drained
        errors = sum(self.wrote.errors.values()) + sum(self.searched.errors.values()) + drained["failed_jobs"]
        lost = abs(drained["lost"]) + drained["waiting_after_drain"]
        limits = [
            Limit(
                f"acknowledged messages a second, {self.mode}", self.wrote.figures()["per_second"], 300, at_most=False
            ),
            Limit(f"errors, {self.mode}", errors, 0),
            Limit(f"messages lost, {self.mode}", lost, 0),
            Limit(f"found by their own words, {self.mode}", drained["found"], 1.0, at_most=False),
        ]
        if not self.learning:
            limits += [
                Limit("drain ÷ (messages ÷ embedder throughput)", self.drain_ratio, 1.5),
                Limit("batches ÷ embedder throughput", self.batched["share"], 0.8, at_most=False),
            ]
        return limits

    def values(self) -> dict[str, Any]:
        """All figures."""
        return {
            "writing": self.wrote.figures(),
            "searching": self.searched.figures(),
            "afterwards": self.drained | {"drain_ratio": self.drain_ratio},
            "embedder_texts_per_second": {"before": self.embedder_rates[0], "after": self.embedder_rates[1]},
            "batches": self.batched,
        }


async def run(
    console: Console,
    *,
    seconds: float = 20.0,
    writers: int = 8,
    searchers: int = 8,
    processes: int = 0,
    paths: Sequence[Path] = (),
    database_url: str | None = None,
    embedder: str | None = None,
) -> Report:
    """All four parts, without learning and with it, on one database."""
    corpus = texts.read(paths, 200) if paths else texts.generated(_TEXTS, 200)
    load = Load(seconds, writers, searchers, processes)
    measured = []
    async with place(database_url) as where:
        for learning in (False, True):
            async with where.open(embedder=embedder, understand=learning) as rc:
                with progress(console) as bar:
                    measured.append(await _measure(where, rc, corpus, load, bar))
    return _report(load, measured)


async def _measure(where: Place, rc: Recollect, corpus: texts.Corpus, load: Load, bar: Progress) -> Measured:
    """The four parts, in spaces of their own."""
    learning = rc.parts.settings.understand
    before = await _embedder_rate(rc, corpus.texts[-_EMBEDDER_SAMPLE:], bar)
    scope = rc.scope(user_id=where.name("crowd-learning" if learning else "crowd"))
    wrote, searched = await _crowd(where, rc, scope, corpus, load, bar)
    drained = await _drain(rc, scope, wrote)
    sought = _sampled(wrote.written, _SAMPLE)
    missed = await _missed(scope, sought, bar)
    drained |= {"found": 1 - len(missed) / len(sought) if sought else float("nan"), "missed": missed}
    after = await _embedder_rate(rc, [each.text for each in _sampled(wrote.written, _EMBEDDER_SAMPLE)], bar)
    batches = rc.scope(user_id=where.name("batches-learning" if learning else "batches"))
    batched = await _batches(rc, batches, corpus.texts[-_BATCHED:], bar)
    return Measured(learning, wrote, searched, drained, (before, after), batched)


async def _embedder_rate(rc: Recollect, sample: Sequence[str], bar: Progress) -> float:
    """Texts a second of the embedder with nothing else to do."""
    if not sample:
        return float("nan")
    task = bar.add_task("embedder alone", total=None)
    began = perf_counter()
    await rc.parts.embedder.embed(sample, purpose="document")
    seconds = perf_counter() - began
    bar.remove_task(task)
    return len(sample) / seconds


async def _crowd(
    where: Place, rc: Recollect, scope: ScopedMemory, corpus: texts.Corpus, load: Load, bar: Progress
) -> tuple[Traffic, Traffic]:
    """Everybody at once."""
    # The first message makes the space, so that the searchers have one from the start.
    await (await scope.conversation("first")).add("user", corpus.texts[0])
    shares = [corpus.texts[1 + number :: load.writers] for number in range(load.writers)]
    # Writers of other processes begin when those are ready: the searchers go on until the last of them has ended.
    stop = asyncio.Event()
    asking = asyncio.gather(*(search_until(scope, corpus.questions, number, stop) for number in range(load.searchers)))
    task, end = bar.add_task("writers and searchers", total=None), monotonic() + load.seconds
    if load.processes:
        writing = _in_processes(where, scope.scope.user_id or "", shares, load)
    else:
        writing = _gathered([write_until(scope, number, share, end) for number, share in enumerate(shares)])
    began = perf_counter()
    wrote = await writing
    wrote.seconds = load.seconds
    stop.set()
    searched = _together(await asking)
    searched.seconds = perf_counter() - began
    bar.remove_task(task)
    return wrote, searched


async def _gathered(tasks: Sequence[Awaitable[Traffic]]) -> Traffic:
    return _together(await asyncio.gather(*tasks))


def _together(traffic: Sequence[Traffic]) -> Traffic:
    together = Traffic()
    for one in traffic:
        together.add(one)
    return together


async def write_until(scope: ScopedMemory, number: int, share: Sequence[str], end: float) -> Traffic:
    """Add single messages to a thread until the time is over; only what was acknowledged counts."""
    traffic, waiting = Traffic(), _again(share)
    chat = await scope.conversation(f"writer-{number}")
    while monotonic() < end:
        text, began = next(waiting), perf_counter()
        try:
            message = await chat.add("user", text)
        except RecollectError as error:
            traffic.failed(error)
        else:
            traffic.milliseconds.append(1_000 * (perf_counter() - began))
            traffic.written.append(Written(message.id, text))
    return traffic


def _again(share: Sequence[str]) -> Iterator[str]:
    """The texts, and when they run out the same ones numbered, so that each message is one of a kind."""
    for text in share:
        yield text
    number = 0
    while True:
        for text in share:
            number += 1
            yield f"{text} (again {number})"


async def search_until(scope: ScopedMemory, questions: Sequence[str], number: int, stop: asyncio.Event) -> Traffic:
    """Ask until told to stop."""
    traffic, chance = Traffic(), random.Random(_SEED + number)
    while not stop.is_set():
        began = perf_counter()
        try:
            await scope.search(chance.choice(questions), limit=10)
        except RecollectError as error:
            traffic.failed(error)
        else:
            traffic.milliseconds.append(1_000 * (perf_counter() - began))
    return traffic


async def _in_processes(where: Place, user: str, shares: Sequence[Sequence[str]], load: Load) -> Traffic:
    """The writers spread over processes that have no worker: this one does their background work."""
    numbered = list(enumerate(shares))
    groups = [numbered[start :: load.processes] for start in range(load.processes)]
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(load.processes, multiprocessing.get_context("spawn")) as pool:
        work = [
            loop.run_in_executor(pool, partial(write_elsewhere, where, user, group, load.seconds))
            for group in groups
            if group
        ]
        return await _gathered(work)


def write_elsewhere(where: Place, user: str, shares: Sequence[tuple[int, Sequence[str]]], seconds: float) -> Traffic:
    """What one process of writers does."""

    async def work() -> Traffic:
        async with where.open(worker=False) as rc:
            scope = rc.scope(user_id=user)
            end = monotonic() + seconds
            return await _gathered([write_until(scope, number, share, end) for number, share in shares])

    return asyncio.run(work())


async def _drain(rc: Recollect, scope: ScopedMemory, wrote: Traffic) -> dict[str, Any]:
    """Bring everything in; how long it took, how much was left to do, and whether the log holds what it should."""
    logged, searchable = await _counts(scope)
    began = perf_counter()
    drained = await rc.drain(timeout=None)
    seconds = perf_counter() - began
    _, afterwards = await _counts(scope)
    acknowledged = len(wrote.milliseconds) + 1
    return {
        "acknowledged": acknowledged,
        "logged": logged,
        "lost": acknowledged - logged,
        "waiting_before_drain": logged - searchable,
        "waiting_after_drain": logged - afterwards,
        "drain_seconds": seconds,
        "failed_jobs": drained.failed,
    }


async def _counts(scope: ScopedMemory) -> tuple[int, int]:
    """Messages in the log of all threads, and how many of them are searchable."""
    threads = await scope.conversations(limit=1_000)
    logged = 0
    for thread in threads:
        logged += await _logged(scope, thread.thread_id)
    return logged, sum(thread.indexed_turn for thread in threads)


async def _logged(scope: ScopedMemory, thread: str) -> int:
    """Messages of a thread, read one page after the other, each turn checked to be the one after the last."""
    chat, count = await scope.conversation(thread), 0
    while page := await chat.messages(first=count + 1, limit=1_000):
        if [message.turn for message in page] != list(range(count + 1, count + 1 + len(page))):
            raise RecollectError(f"the turns of {thread} have gaps or duplicates after {count}")
        count += len(page)
    return count


async def _missed(scope: ScopedMemory, sought: Sequence[Written], bar: Progress) -> list[str]:
    """Those of some messages that are not among the first hits for their own words."""
    task = bar.add_task("found by their own words", total=len(sought))
    missed = []
    for message in sought:
        hits = await scope.search(message.text, limit=_AMONG)
        # A turn has its message's id; what a message taught and the message itself are one hit.
        if not any(memory.id == message.id for hit in hits for memory in (hit.memory, *hit.also)):
            missed.append(message.text)
        bar.advance(task)
    bar.remove_task(task)
    return missed


def _sampled(written: Sequence[Written], most: int) -> list[Written]:
    return random.Random(_SEED).sample(written, min(most, len(written)))


async def _batches(rc: Recollect, scope: ScopedMemory, sample: Sequence[str], bar: Progress) -> dict[str, float]:
    """Messages a second, from the first batch until all are searchable, and the embedder's rate on the same texts."""
    pieces = [piece for text in sample for piece in rc.parts.embedder.passages(text)]
    before = await _embedder_rate(rc, pieces, bar)
    task = bar.add_task("batches", total=None)
    chat = await scope.conversation("batches")
    began = perf_counter()
    for start in range(0, len(sample), _BATCH):
        await chat.add_many(list(messages(sample[start : start + _BATCH], start)))
    await rc.drain(timeout=None)
    rate = len(sample) / (perf_counter() - began)
    bar.remove_task(task)
    # On both sides of the work, since a machine is not equally fast all the time.
    alone = (before + await _embedder_rate(rc, pieces, bar)) / 2
    rate = rate * len(pieces) / len(sample)
    return {"passages_per_second": rate, "embedder_passages_per_second": alone, "share": rate / alone}


def _report(load: Load, measured: Sequence[Measured]) -> Report:
    columns = ["", "calls", "a second", "p50 ms", "p95 ms", "errors"]
    rows = [
        [f"{name}, {each.mode}", one["calls"], one["per_second"], one["p50"], one["p95"], sum(one["errors"].values())]
        for each in measured
        for name, one in (("add a message", each.wrote.figures()), ("search", each.searched.figures()))
    ]
    title = f"{load.writers} writers and {load.searchers} searchers for {load.seconds:g} s"
    afterwards = [[each.mode, each.drain_ratio, each.batched["share"]] for each in measured]
    return Report(
        "concurrency",
        {
            "load": {"seconds": load.seconds, "writers": load.writers, "searchers": load.searchers},
            "processes": load.processes,
            **{each.mode: each.values() for each in measured},
        },
        [
            Grid(title, columns, rows),
            Grid(
                "Afterwards; learning costs more than embedding does, and both are waited for",
                ["", "drain ÷ (messages ÷ embedder throughput)", "batches ÷ embedder throughput"],
                afterwards,
            ),
        ],
        [limit for each in measured for limit in each.limits()],
        [each.note for each in measured],
    )
