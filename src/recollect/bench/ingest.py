"""How long documents take through all phases, against the time of embedding the same texts, and the memory it needs."""

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter

import psutil
from rich.console import Console
from rich.progress import Progress

from recollect.bench import texts
from recollect.bench.place import place, settle
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit
from recollect.core.settings import load_settings
from recollect.memory import Recollect, ScopedMemory
from recollect.providers.embedding import make_embedder
from recollect.providers.embedding.base import Embedder, Purpose, Vectors

RATIO = 2.0
GROWTH = 100.0
"""Megabytes that the process may have grown between the first half of the documents and the second."""
_AT_ONCE = 256
_MB = 1e6
_SEED = 23
_PAUSE = 0.2

_FIRST = ("Sarah", "Tom", "Maria", "Wei", "Amara", "Jonas", "Priya", "Elena", "Omar", "Nora", "Luca", "Ingrid", "Kofi")
_LAST = ("Chen", "Ford", "Silva", "Okafor", "Berg", "Patel", "Rossi", "Haddad", "Novak", "Kim", "Mwangi", "Lind")
_FIRMS = ("Acme Robotics", "Northwind Labs", "Blue Harbor", "Helix Foods", "Orbital Bank", "Quarry Systems")
_THINGS = ("Kafka", "Redis", "PostgreSQL", "Docker", "Grafana", "Stripe", "Terraform", "GraphQL")
_TOPICS = ("the launch", "the budget", "the migration", "the contract", "hiring", "the roadmap", "the audit", "support")
_SENTENCES = (
    "{a} works at {firm}.",
    "{a} met {b} about {topic} on Tuesday.",
    "{a} reports to {b}, who manages {topic}.",
    "The {thing} cluster of {firm} was slow again, and {a} restarted it.",
    "{b} asked whether {topic} can wait until {a} is back from {firm}.",
    "We decided that {firm} uses {thing} for {topic} from April on.",
    "{a} is worried that {topic} will cost more than the {number} that {b} planned.",
    "Nobody has answered {b} about ticket {number} yet.",
)
_TYPES = ("text-note", "meeting", "email", "artifact")


class Listening:
    """An embedder that keeps the texts that it was asked for, each once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self.heard: dict[str, None] = {}

    async def ready(self) -> None:
        """As the embedder does."""
        await self._embedder.ready()
        self.dimensions = self._embedder.dimensions

    async def embed(self, given: Sequence[str], *, purpose: Purpose) -> Vectors:
        """As the embedder does."""
        if purpose == "document":
            self.heard |= dict.fromkeys(given)
        return await self._embedder.embed(given, purpose=purpose)

    def passages(self, content: str) -> list[str]:
        """As the embedder does."""
        return self._embedder.passages(content)

    async def close(self) -> None:
        """As the embedder does."""
        await self._embedder.close()


class Resident:
    """The resident memory of this process, looked at while something runs; in megabytes."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self.most = 0.0
        self._looking: asyncio.Task[None] | None = None

    @property
    def now(self) -> float:
        """As of now."""
        return float(self._process.memory_info().rss) / _MB

    async def __aenter__(self) -> "Resident":
        self._looking = asyncio.create_task(self._look())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._looking is not None:
            self._looking.cancel()
            with suppress(asyncio.CancelledError):
                await self._looking

    async def _look(self) -> None:
        while True:
            self.most = max(self.most, self.now)
            await asyncio.sleep(_PAUSE)


async def run(
    console: Console,
    *,
    documents: int = 1_000,
    paths: Sequence[Path] = (),
    database_url: str | None = None,
    embedder: str | None = None,
) -> Report:
    """Ingest two halves, so that the memory of both can be compared; then embed what was embedded, and nothing else."""
    written = _read(paths, documents) if paths else generated(documents)
    listening = Listening(make_embedder(load_settings(embedder=embedder)))
    async with (
        place(database_url) as where,
        where.open(embedder=listening, worker=False) as rc,
        Resident() as resident,
    ):
        me = rc.scope(user_id=where.name("ingest"))
        await listening.embed(["warm up"], purpose="document")
        listening.heard.clear()
        with progress(console) as bar:
            start = resident.now
            middle = len(written) // 2
            stored, phases = await _ingest(rc, me, written[:middle], bar)
            half = resident.now
            more = await _ingest(rc, me, written[middle:], bar)
            end, most = resident.now, resident.most
            heard = list(listening.heard)
            embedding = await _embed(listening, heard, bar)
        counts = await _counted(me)
    total = stored + phases + sum(more)
    memory = {"start_mb": start, "half_mb": half, "end_mb": end, "most_mb": most}
    values = {
        "documents": len(written),
        "texts": len(heard),
        "seconds": {"storing": stored + more[0], "phases": phases + more[1], "total": total, "embedding": embedding},
        "resident": memory,
        "found": counts,
    }
    return _report(values, total, embedding, end - half)


def generated(count: int) -> list[str]:
    """Short documents about some people, firms and things, the same every time."""
    chance = random.Random(_SEED)
    return [_document(chance, number) for number in range(count)]


def _document(chance: random.Random, number: int) -> str:
    people = [f"{chance.choice(_FIRST)} {chance.choice(_LAST)}" for _ in range(3)]
    lines = []
    for _ in range(chance.randint(4, 8)):
        a, b = chance.sample(people, 2)
        values = {"a": a, "b": b, "firm": chance.choice(_FIRMS), "thing": chance.choice(_THINGS)}
        more = {"topic": chance.choice(_TOPICS), "number": str(chance.randint(100, 99_999))}
        lines.append(chance.choice(_SENTENCES).format(**values, **more))
    return f"Note {number}. " + " ".join(lines)


def _read(paths: Sequence[Path], count: int) -> list[str]:
    return list(texts.read(paths, 0).texts[:count])


async def _ingest(rc: Recollect, me: ScopedMemory, written: Sequence[str], bar: Progress) -> tuple[float, float]:
    """Seconds of storing documents, and of all that follows."""
    task = bar.add_task("storing", total=len(written))
    began = perf_counter()
    for number, text in enumerate(written):
        await me.ingest(text, _TYPES[number % len(_TYPES)], title=f"Document {number}")
        bar.advance(task)
    stored = perf_counter()
    bar.update(task, description="phases")
    await settle(rc)
    bar.remove_task(task)
    return stored - began, perf_counter() - stored


async def _embed(embedder: Listening, heard: Sequence[str], bar: Progress) -> float:
    """Seconds of embedding texts, many at a time."""
    task = bar.add_task("embedding alone", total=len(heard))
    began = perf_counter()
    for start in range(0, len(heard), _AT_ONCE):
        batch = heard[start : start + _AT_ONCE]
        await embedder.embed(batch, purpose="document")
        bar.advance(task, len(batch))
    bar.remove_task(task)
    return perf_counter() - began


async def _counted(me: ScopedMemory) -> dict[str, int]:
    """How many memories of each kind came of it."""
    counts: dict[str, int] = {}
    after = None
    while True:
        page = await me.get_all(limit=1_000, after=after)
        for memory in page:
            counts[memory.kind] = counts.get(memory.kind, 0) + 1
        if (after := page.next) is None:
            return dict(sorted(counts.items()))


def _report(values: dict[str, object], total: float, embedding: float, growth: float) -> Report:
    ratio = total / embedding if embedding else float("inf")
    grids = [
        Grid("Seconds", ["what", "s"], list(_pairs(values["seconds"]))),
        Grid("Resident memory", ["when", "MB"], list(_pairs(values["resident"]))),
        Grid("What came of it", ["kind", "memories"], list(_pairs(values["found"]))),
    ]
    limits = [
        Limit("all phases against embedding the same texts", ratio, RATIO, unit="×"),
        Limit("growth from the first half to the second", growth, GROWTH, unit="MB"),
    ]
    notes = [f"{values['documents']:,} documents, {values['texts']:,} distinct texts embedded"]
    return Report("ingest", values | {"ratio": ratio}, grids, limits, notes)


def _pairs(values: object) -> list[tuple[object, object]]:
    return list(values.items()) if isinstance(values, dict) else []
