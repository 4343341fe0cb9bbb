"""How fast each operation is, in spaces of growing size, alone and among neighbours; embedding told apart.

Everything goes through the public object, that is through the application role with its policies on. `exact` is a
second Recollect on the same database that never uses an index: the order against which the indexed one is compared.
"""

import asyncio
import random
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from rich.console import Console
from rich.progress import Progress

from recollect.bench import load, peers, texts
from recollect.bench.place import Place, place, settle
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit, mean, overlap, percentile
from recollect.bench.texts import Corpus
from recollect.bench.vectors import StoredVectors
from recollect.core.scope import Scope
from recollect.core.settings import load_settings
from recollect.memory import Recollect, ScopedMemory
from recollect.providers.embedding import make_embedder
from recollect.records.model import Memory
from recollect.retrieval.search import Timing

T = TypeVar("T")

LIMIT = 10
"""What `search` returns by default; the orders with and without an index are compared over more."""
COMPARED = 20
SEARCH_LIMITS = {1_000: 3.0, 10_000: 12.0, 100_000: 15.0}
NEIGHBOUR_MEMORIES = 300
SIDE_MEMORIES = 1_000
SIDE_ALLOWANCE = 6.0
_WARM_UP = 20
_SAMPLES = 100
_BATCHES = 10
_BATCH = 100
_MANY = 1_000
_NO_INDEX = 2**31 - 1
_SEED = 11


@dataclass(slots=True)
class Samples:
    """Milliseconds of an operation: in all, those spent in embedding, and what is left without."""

    what: str
    items: int = 1
    total: list[float] = field(default_factory=list)
    embedding: list[float] = field(default_factory=list)
    rest: list[float] = field(default_factory=list)

    def add(self, seconds: float, embedding: float) -> None:
        """Note one call."""
        self.total.append(1_000 * seconds)
        self.embedding.append(1_000 * embedding)
        self.rest.append(1_000 * (seconds - embedding))

    def figures(self) -> dict[str, float]:
        """p50 and p95 with and without embedding, and items a second."""
        return {
            "calls": len(self.total),
            "p50": percentile(self.rest, 0.5),
            "p95": percentile(self.rest, 0.95),
            "p50_with_embedding": percentile(self.total, 0.5),
            "p95_with_embedding": percentile(self.total, 0.95),
            "embedding_p50": percentile(self.embedding, 0.5),
            "per_second": 1_000 * self.items / mean(self.total) if self.total else 0.0,
        }


@dataclass(slots=True)
class Speed:
    """What was measured, by size."""

    alone: dict[int, Samples] = field(default_factory=dict)
    among: dict[int, Samples] = field(default_factory=dict)
    beside: dict[int, Samples] = field(default_factory=dict)
    at_once: dict[int, float] = field(default_factory=dict)
    overlaps: dict[int, float] = field(default_factory=dict)
    operations: dict[int, list[Samples]] = field(default_factory=dict)


class AsTeam(Scope):
    """A scope that writes its team's space, which no verb does yet."""

    @property
    def space(self) -> str:
        return self.team_space(self.team_ids[0])


@dataclass(frozen=True, slots=True)
class Bench:
    """What the parts of this benchmark share."""

    where: Place
    rc: Recollect
    exact: Recollect
    vectors: StoredVectors
    corpus: Corpus
    bar: Progress

    def user(self, size: int) -> ScopedMemory:
        """The scope whose space has this many memories."""
        return self.rc.scope(user_id=self.where.name(str(size)))


async def run(
    console: Console,
    *,
    sizes: Sequence[int],
    neighbours: int = 1_000,
    questions: int = 200,
    paths: Sequence[Path] = (),
    cache: Path | None = None,
    with_peers: bool = False,
    database_url: str | None = None,
    embedder: str | None = None,
) -> Report:
    """Fill, search, fill more around it, search again, then all other operations."""
    largest = max(sizes)
    corpus = texts.read(paths, questions) if paths else texts.generated(min(largest, 100_000), questions)
    found, compared = Speed(), peers.Compared()
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as kept:
        vectors = StoredVectors(make_embedder(load_settings(embedder=embedder)), cache or Path(kept))
        async with (
            place(database_url) as where,
            where.open(embedder=vectors, worker=False, understand=False) as rc,
            where.open(embedder=vectors, worker=False, understand=False, exact_limit=_NO_INDEX) as exact,
        ):
            with progress(console) as bar:
                bench = Bench(where, rc, exact, vectors, corpus, bar)
                await _measure(bench, found, sorted(sizes), neighbours)
                if with_peers:
                    compared = await peers.compare(rc, vectors, corpus, min(sizes), bar)
    return _report(found, corpus, neighbours, compared)


async def _measure(bench: Bench, found: Speed, sizes: Sequence[int], neighbours: int) -> None:
    for size in sizes:
        await load.fill(bench.rc, bench.user(size), bench.vectors, bench.corpus, size, bench.bar)
        await load.tidy(bench.rc)
        found.alone[size] = await _searches(bench, bench.user(size), f"search {size:,}")
        found.at_once[size] = await _searches_at_once(bench, bench.user(size))
        found.overlaps[size] = await _overlap(bench, size)
    await _fill_sides(bench)
    for size in sizes:
        found.beside[size] = await _searches(bench, _with_sides(bench, size), f"three spaces, {size:,}")
    if neighbours:
        await _fill_neighbours(bench, neighbours)
        for size in sizes:
            found.among[size] = await _searches(bench, bench.user(size), f"among neighbours {size:,}")
    for size in sizes:
        found.operations[size] = await _operations(bench, bench.user(size))


async def _searches(bench: Bench, scope: ScopedMemory, what: str) -> Samples:
    """Every question twice, one after the other: with its embedding, then with its vector at hand."""
    samples = Samples("search")
    for question in bench.corpus.questions[:_WARM_UP]:
        await scope.search(question)
    task = bench.bar.add_task(what, total=2 * len(bench.corpus.questions))
    with bench.vectors.questions_known():
        for question in bench.corpus.questions:
            samples.add(*await _search(scope, question))
            bench.bar.advance(task)
        samples.rest.clear()
        for question in bench.corpus.questions:
            whole, embedding = await _search(scope, question)
            samples.rest.append(1_000 * (whole - embedding))
            bench.bar.advance(task)
    bench.bar.remove_task(task)
    return samples


async def _search(scope: ScopedMemory, question: str) -> tuple[float, float]:
    """Seconds that a search took, and those of them that it waited for its vector."""
    timing = Timing()
    began = perf_counter()
    await scope.search(question, limit=LIMIT, timing=timing)
    return perf_counter() - began, timing.embedding


async def _searches_at_once(bench: Bench, scope: ScopedMemory, callers: int = 8) -> float:
    """Searches a second, embedding included, when several ask at the same time."""
    waiting = iter(bench.corpus.questions)

    async def caller() -> None:
        for question in waiting:
            await scope.search(question, limit=LIMIT)

    began = perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    return len(bench.corpus.questions) / (perf_counter() - began)


async def _overlap(bench: Bench, size: int) -> float:
    """How much of the order without any index the ordinary search returns."""
    by_index, without = bench.user(size), bench.exact.scope(user_id=bench.where.name(str(size)))
    shares = []
    for question in bench.corpus.questions:
        first = await by_index.search(question, limit=COMPARED)
        second = await without.search(question, limit=COMPARED)
        shares.append(overlap([str(hit.memory.id) for hit in first], [str(hit.memory.id) for hit in second]))
    return mean(shares)


async def _fill_sides(bench: Bench) -> None:
    """A project and a team that a user reads beside their own space."""
    side = bench.where.name("side")
    project = bench.rc.scope(project_id=side)
    team = ScopedMemory(bench.rc, AsTeam(user_id=side, team_ids=(side,)))
    for scope in (project, team):
        await load.fill(bench.rc, scope, bench.vectors, bench.corpus, SIDE_MEMORIES, bench.bar)
    await load.tidy(bench.rc)


def _with_sides(bench: Bench, size: int) -> ScopedMemory:
    side = bench.where.name("side")
    return bench.rc.scope(user_id=bench.where.name(str(size)), project_id=side, team_ids=[side])


async def _fill_neighbours(bench: Bench, count: int) -> None:
    scopes = [bench.rc.scope(user_id=bench.where.name(f"neighbour-{number}")) for number in range(count)]
    await load.fill_neighbours(bench.rc, scopes, bench.corpus, NEIGHBOUR_MEMORIES, bench.bar)
    await load.tidy(bench.rc)


async def _operations(bench: Bench, scope: ScopedMemory) -> list[Samples]:
    """Reading and writing. What is written is new in each run and embedded for real."""
    fresh = _fresh_texts(bench, 3 * _SAMPLES + _BATCHES * _BATCH + _MANY)
    bench.vectors.keeping = False
    done = [await _gets(bench, scope)]
    done += await _adding_messages(bench, scope, fresh)
    await settle(bench.rc)
    done += await _statements(bench, scope, fresh)
    await settle(bench.rc)
    bench.vectors.keeping = True
    return done


async def _gets(bench: Bench, scope: ScopedMemory) -> Samples:
    ids = [memory.id for memory in await scope.get_all(limit=1_000)]
    return await _timed(bench, "get", scope.get, random.Random(_SEED).choices(ids, k=_SAMPLES))


async def _adding_messages(bench: Bench, scope: ScopedMemory, fresh: list[str]) -> list[Samples]:
    chat = await scope.conversation("operations")
    single = await _timed(bench, "add a message", partial(chat.add, "user"), _take(fresh, _SAMPLES))
    batches = [list(load.messages(_take(fresh, _BATCH))) for _ in range(_BATCHES)]
    return [single, await _timed(bench, f"add {_BATCH} messages", chat.add_many, batches, items=_BATCH)]


async def _statements(bench: Bench, scope: ScopedMemory, fresh: list[str]) -> list[Samples]:
    added: list[Memory] = []

    async def add(text: str) -> None:
        added.append(await scope.add(text))

    async def change(change: tuple[Memory, str]) -> None:
        await scope.update(change[0].id, content=change[1])

    async def delete(memory: Memory) -> None:
        await scope.delete(memory.id)

    adding = await _timed(bench, "add a statement", add, _take(fresh, _SAMPLES))
    changing = await _timed(bench, "update", change, list(zip(added, _take(fresh, _SAMPLES), strict=True)))
    deleting = await _timed(bench, "delete", delete, added)
    many = [[{"content": text} for text in _take(fresh, _MANY)]]
    return [
        adding,
        changing,
        deleting,
        await _timed(bench, f"add {_MANY:,} statements", scope.add_many, many, items=_MANY),
    ]


def _take(waiting: list[str], count: int) -> list[str]:
    taken = waiting[:count]
    del waiting[:count]
    return taken


def _fresh_texts(bench: Bench, count: int) -> list[str]:
    """Texts that no space holds: the run's name makes each of them new."""
    base = bench.corpus.texts
    return [f"{base[-1 - place % len(base)]} ({bench.where.run} {place})" for place in range(count)]


async def _timed(
    bench: Bench, what: str, call: Callable[[T], Awaitable[object]], values: Sequence[T], *, items: int = 1
) -> Samples:
    """Call it with one value after the other."""
    samples = Samples(what, items)
    for value in values:
        embedded, began = bench.vectors.seconds, perf_counter()
        await call(value)
        samples.add(perf_counter() - began, bench.vectors.seconds - embedded)
    return samples


def _report(found: Speed, corpus: Corpus, neighbours: int, compared: peers.Compared) -> Report:
    report = Report("speed")
    report.values = {
        "texts": {"real": corpus.real, "distinct": len(corpus.texts), "questions": len(corpus.questions)},
        "search": {size: samples.figures() for size, samples in found.alone.items()},
        "search_among_neighbours": {size: samples.figures() for size, samples in found.among.items()},
        "search_three_spaces": {size: samples.figures() for size, samples in found.beside.items()},
        "searches_per_second_8_callers": found.at_once,
        "overlap_at_20": found.overlaps,
        "neighbours": {"spaces": neighbours, "memories_each": NEIGHBOUR_MEMORIES},
        "operations": {size: {one.what: one.figures() for one in done} for size, done in found.operations.items()},
        "peers": compared.figures,
    }
    report.grids = [_search_grid(found), _operations_grid(found), *compared.grids]
    report.limits = _limits(found)
    report.notes = compared.notes
    return report


def _search_grid(found: Speed) -> Grid:
    columns = ["memories", "p50", "p95", "three spaces p95", "among neighbours p50", "p95"]
    columns += ["overlap@20", "with embedding p50", "p95", "8 callers, searches/s"]
    rows = []
    for size, alone in found.alone.items():
        figures, beside = alone.figures(), found.beside[size].figures()
        among = found.among[size].figures() if size in found.among else {}
        rows.append(
            [
                f"{size:,}",
                figures["p50"],
                figures["p95"],
                beside["p95"],
                among.get("p50", float("nan")),
                among.get("p95", float("nan")),
                f"{found.overlaps[size]:.3f}",
                figures["p50_with_embedding"],
                figures["p95_with_embedding"],
                found.at_once[size],
            ]
        )
    return Grid(
        f"search(limit={LIMIT}), ms; the question's vector at hand, unless a column says otherwise", columns, rows
    )


def _operations_grid(found: Speed) -> Grid:
    columns = ["operation", "memories", "p50", "p95", "embedding p50", "items/s with embedding"]
    rows = [
        [one.what, f"{size:,}", figures["p50"], figures["p95"], figures["embedding_p50"], figures["per_second"]]
        for size, done in found.operations.items()
        for one in done
        for figures in [one.figures()]
    ]
    return Grid("Operations, ms a call without embedding", columns, rows)


def _limits(found: Speed) -> list[Limit]:
    limits = []
    for size, alone in found.alone.items():
        p95 = alone.figures()["p95"]
        limits.append(Limit(f"overlap@20 at {size:,}", found.overlaps[size], 0.97, at_most=False))
        if size in found.among:
            limits.append(
                Limit(f"p95 among neighbours ÷ alone, {size:,}", found.among[size].figures()["p95"] / p95, 1.3)
            )
        if size in SEARCH_LIMITS:
            allowed = SEARCH_LIMITS[size]
            limits.append(Limit(f"search p95 at {size:,}", p95, allowed, unit="ms"))
            beside = found.beside[size].figures()["p95"]
            limits.append(Limit(f"three spaces p95 at {size:,}", beside, allowed + SIDE_ALLOWANCE, unit="ms"))
    return limits
