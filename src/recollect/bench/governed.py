"""Document D's promises in milliseconds: an edge, a query's bullets, a recall, a message that tells many things, a day.

Bullets and recalls are timed as a caller sees them, with the embedding of the question. The messages are added while
the same process learns from those before them: the reply waits for none of that.
"""

import itertools
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.progress import Progress

from recollect.bench import load, texts
from recollect.bench.place import Place, place, settle
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit, percentile
from recollect.bench.vectors import StoredVectors
from recollect.core.settings import load_settings
from recollect.flows import remember
from recollect.memory import Recollect, ScopedMemory
from recollect.providers.embedding import make_embedder

EDGE, BULLETS, RECALL, HOT_PATH = 2.0, 150.0, 200.0, 150.0
"""Document D's milliseconds, in its sections 2, 6, 11 and 13."""
_WARM_UP = 10
_MESSAGES = 100
_DEEDS = ("paint", "repair", "measure", "sell", "photograph", "insure", "clean", "move", "rent out", "heat")
_THINGS = ("boat", "garden", "kitchen", "piano", "bicycle", "library", "harbour", "workshop", "orchard", "studio")
_TOLD = (
    "We decided to use {0} for the {1}.",
    "My sister {0} lives in Ghent with two cats.",
    "I want to {2} the {1} before November.",
    "I can't {2} anything on Fridays.",
    "I really like a quiet {1} with a view of {0}.",
    "It has been a long week, and there is more to tell than there is time for, as all of this shows you.",
    "Whatever comes of it, let us speak about the rest when the others are back from their holidays in the south.",
)


@dataclass(slots=True)
class Figures:
    """What was measured, in milliseconds."""

    edges: list[float] = field(default_factory=list)
    """Of each write, by edge."""
    tying: float = 0.0
    tied: int = 0
    """All of them together, and how many edges that made."""
    bullets: list[float] = field(default_factory=list)
    recalls: list[float] = field(default_factory=list)
    short: list[float] = field(default_factory=list)
    long: list[float] = field(default_factory=list)
    pairs: int = 0
    day: float = 0.0


async def run(
    console: Console,
    *,
    memories: int = 10_000,
    questions: int = 200,
    cache: Path | None = None,
    database_url: str | None = None,
) -> Report:
    """Fill a space and ask; tie statements; add messages while others are learned from; let a day pass."""
    corpus = texts.generated(memories, questions)
    found = Figures()
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as kept:
        vectors = StoredVectors(make_embedder(load_settings()), cache or Path(kept))
        async with place(database_url) as where:
            with progress(console) as bar:
                async with where.open(embedder=vectors, worker=False, understand=False) as rc:
                    await _ask(rc, where, vectors, corpus, memories, found, bar)
                await _tie(where, vectors, found)
                async with where.open(embedder=vectors, worker=True, understand=True) as rc:
                    await _talk(rc, rc.scope(user_id=where.name("talk")), found)
    return _report(found, memories)


async def _ask(
    rc: Recollect,
    where: Place,
    vectors: StoredVectors,
    corpus: texts.Corpus,
    memories: int,
    found: Figures,
    bar: Progress,
) -> None:
    me = rc.scope(user_id=where.name("asked"), agent_id="planner")
    await load.fill(rc, me, vectors, corpus, memories, bar)
    await load.tidy(rc)
    for number, question in enumerate([*corpus.questions[:_WARM_UP], *corpus.questions]):
        bullets = await _milliseconds(partial(me.query, question, top_k=10, budget_tokens=512))
        recall = await _milliseconds(partial(me.query, f"{question} Then?", top_k=3, budget_tokens=256))
        if number >= _WARM_UP:
            found.bullets.append(bullets)
            found.recalls.append(recall)


async def _milliseconds(call: Callable[[], Awaitable[object]]) -> float:
    began = perf_counter()
    await call()
    return 1_000 * (perf_counter() - began)


async def _tie(where: Place, vectors: StoredVectors, found: Figures) -> None:
    """Statements that were written without edges, tied one after the other, as writing them would; then a day."""
    user = where.name("tied")
    given = [
        {"content": f"Ana wants to {deed} the {adjective} {thing} in spring."}
        for adjective, thing, deed in itertools.product(("old", "new"), _THINGS, _DEEDS)
    ]
    async with where.open(embedder=vectors, worker=False, understand=False, link_neighbours=0) as bare:
        added = await bare.scope(user_id=user).add_many(given)
    async with where.open(embedder=vectors, worker=False, understand=False) as rc:
        await load.tidy(rc)
        for number, memory in enumerate(added):
            async with rc.parts.database.transaction(memory.space) as connection:
                began = perf_counter()
                edges = await remember.link(rc.parts, connection, memory.space, [memory.id], rc.parts.clock())
                spent = 1_000 * (perf_counter() - began)
            if edges and number >= _WARM_UP:
                found.edges.append(spent / edges)
                found.tying, found.tied = found.tying + spent, found.tied + edges
        began = perf_counter()
        found.pairs = (await rc.run_job("daily_consolidation"))["seen"]
        found.day = perf_counter() - began


async def _talk(rc: Recollect, me: ScopedMemory, found: Figures) -> None:
    """Short and long messages in turn; what they teach is learned meanwhile."""
    chat = await me.conversation("talk")
    for number in range(_WARM_UP + _MESSAGES):
        words = f"Name{number}", _THINGS[number % len(_THINGS)], _DEEDS[number // 10 % len(_DEEDS)]
        told = [sentence.format(*words) for sentence in _TOLD]
        short = await _milliseconds(partial(chat.add, "user", told[0]))
        long = await _milliseconds(partial(chat.add, "user", " ".join(told)))
        if number >= _WARM_UP:
            found.short.append(short)
            found.long.append(long)
    await settle(rc)


def _report(found: Figures, memories: int) -> Report:
    measured: dict[str, tuple[str, list[float], float]] = {
        "an edge": ("2", found.edges, EDGE),
        f"bullets of a query, {memories:,} memories": ("6", found.bullets, BULLETS),
        f"on-demand recall, {memories:,} memories": ("11", found.recalls, RECALL),
        "adding a short message": ("13", found.short, HOT_PATH),
        "adding a long one, with many facts": ("13", found.long, HOT_PATH),
    }
    figures = {what: (percentile(of, 0.5), percentile(of, 0.95)) for what, (_, of, _) in measured.items()}
    report = Report("governed")
    report.values = {
        "milliseconds": {what: {"p50": p50, "p95": p95} for what, (p50, p95) in figures.items()},
        "edge_mean": found.tying / max(1, found.tied),
        "daily_consolidation": {"pairs": found.pairs, "seconds": found.day},
    }
    rows = [[what, f"D §{section}", *figures[what], most] for what, (section, _, most) in measured.items()]
    report.grids = [Grid("Document D, ms", ["figure", "section", "p50", "p95", "D"], rows)]
    report.limits = [Limit(f"D §2: an edge, mean of {found.tied}", report.values["edge_mean"], EDGE, unit="ms")]
    for what, (section, _, most) in list(measured.items())[1:]:
        report.limits.append(Limit(f"D §{section}: {what}, p95", figures[what][1], most, unit="ms"))
    report.notes = [f"D §4: a day's consolidation of one user, {found.pairs} pairs at most, took {found.day:.1f} s."]
    return report
