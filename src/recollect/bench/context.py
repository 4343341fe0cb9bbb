"""What a context costs: its time in a space of growing size, and the share of its tokens that a prompt cache keeps."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from time import perf_counter

from rich.console import Console

from recollect.bench import load, texts
from recollect.bench.place import place, settle
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit, percentile
from recollect.bench.vectors import StoredVectors
from recollect.core.settings import load_settings
from recollect.core.tokens import estimate
from recollect.memory import Recollect, ScopedMemory
from recollect.providers.embedding import make_embedder
from recollect.providers.rerank import SHIPPED as RERANKER
from recollect.retrieval.search import Timing

MOST_MILLISECONDS = 40.0
MOST_RERANKED = 100.0
_SIZE_OF_LIMIT = 10_000
_TOKENS = 8_000
_WARM_UP = 10
_THREAD = "bench"
_TALK = 60
_MESSAGES_A_CALL = 2
_PROFILE = (
    ("identity", "name", "Robin"),
    ("identity", "city", "Lisbon"),
    ("constraint", "diet", "vegetarian"),
    ("preference", "language", "Python"),
    ("instruction", "reply_length", "short"),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """Milliseconds of contexts at one size: all but embedding, without and with reranking, and the whole."""

    rest: list[float]
    reranked: list[float]
    total: list[float]
    tokens: list[int]


async def run(
    console: Console,
    *,
    sizes: Sequence[int],
    questions: int = 200,
    paths: Sequence[Path] = (),
    cache: Path | None = None,
    database_url: str | None = None,
) -> Report:
    """Fill and ask; then one talk from its first message on: how much of each context was in the one before."""
    corpus = texts.read(paths, questions) if paths else texts.generated(max(sizes), questions)
    found: dict[int, Figures] = {}
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as kept:
        vectors = StoredVectors(make_embedder(load_settings()), cache or Path(kept))
        async with (
            place(database_url) as where,
            where.open(embedder=vectors, worker=False, context_reranker=RERANKER) as rc,
            where.open(embedder=vectors, worker=False, context_reranker="none") as plain,
        ):
            with progress(console) as bar:
                for size in sizes:
                    user = where.name(str(size))
                    me = rc.scope(user_id=user, agent_id="bench")
                    await load.fill(rc, me, vectors, corpus, size, bar)
                    await _set_profile(me)
                    await load.tidy(rc)
                    await _talk(rc, me, corpus.questions)
                    found[size] = await _ask(plain.scope(user_id=user, agent_id="bench"), me, corpus.questions)
                saved = await _cached_share(rc, rc.scope(user_id=where.name("talk"), agent_id="bench"), corpus)
    return _report(found, saved)


async def _set_profile(me: ScopedMemory) -> None:
    for type, key, value in _PROFILE:
        await me.set_profile(type, key, value)


async def _talk(rc: Recollect, me: ScopedMemory, questions: Sequence[str]) -> None:
    """A thread of twenty messages."""
    chat = await me.conversation(_THREAD)
    await chat.add_many(
        [{"role": "user" if n % 2 else "assistant", "content": q} for n, q in enumerate(questions[:20])]
    )
    await settle(rc)


async def _ask(plain: ScopedMemory, reranking: ScopedMemory, questions: Sequence[str]) -> Figures:
    """Contexts of the one, then of the other: a model that has just run leaves the next call a cold processor."""
    rest = await _pass(plain, questions)
    reranked = await _pass(reranking, questions)
    return Figures(
        [without for without, _, _ in rest],
        [without for without, _, _ in reranked],
        [whole for _, whole, _ in reranked],
        [tokens for _, _, tokens in reranked],
    )


async def _pass(me: ScopedMemory, questions: Sequence[str]) -> list[tuple[float, float, int]]:
    return [await _timed(me, question) for question in [*questions[:_WARM_UP], *questions]][_WARM_UP:]


async def _timed(me: ScopedMemory, question: str) -> tuple[float, float, int]:
    """The milliseconds of a context without and with its question's embedding, and its tokens."""
    chat, timing = await me.conversation(_THREAD), Timing()
    began = perf_counter()
    ctx = await chat.context(question, tokens=_TOKENS, timing=timing)
    seconds = perf_counter() - began
    return 1_000 * (seconds - timing.embedding), 1_000 * seconds, ctx.tokens


async def _cached_share(rc: Recollect, me: ScopedMemory, corpus: texts.Corpus) -> float:
    """Of the tokens of all contexts of a talk, those that stand at the head of the one before, byte for byte."""
    await _set_profile(me)
    chat = await me.conversation("talk")
    said = list(load.messages(corpus.texts[:_TALK]))
    before, known, whole = "", 0, 0
    for first in range(0, _TALK, _MESSAGES_A_CALL):
        await chat.add_many(said[first : first + _MESSAGES_A_CALL])
        await settle(rc)
        ctx = await chat.context(corpus.questions[first % len(corpus.questions)], tokens=_TOKENS)
        known += estimate(ctx.text[: _common(before, ctx.text[: ctx.stable_prefix])])
        whole += ctx.tokens
        before = ctx.text
        said = [message | {"at": message["at"] + timedelta(seconds=1)} for message in said]
    return known / whole


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their head."""
    length = min(len(one), len(other))
    return next((place for place in range(length) if one[place] != other[place]), length)


def _report(found: dict[int, Figures], saved: float) -> Report:
    rows = [
        [
            f"{size:,}",
            f"{percentile(figures.rest, 0.5):.1f}",
            f"{percentile(figures.rest, 0.95):.1f}",
            f"{percentile(figures.reranked, 0.95):.1f}",
            f"{percentile(figures.total, 0.95):.1f}",
            f"{percentile(figures.tokens, 0.5):,.0f}",
        ]
        for size, figures in found.items()
    ]
    columns = ["memories", "p50 ms", "p95 ms", "reranked p95", "and with embedding", "tokens, median"]
    grid = Grid(f"context(tokens={_TOKENS:,})", columns, rows)
    limits = [
        Limit(f"context p95 at {size:,}{how}", percentile(taken, 0.95), most, unit="ms")
        for size, figures in found.items()
        for how, taken, most in (
            ("", figures.rest, MOST_MILLISECONDS),
            (", reranked", figures.reranked, MOST_RERANKED),
        )
        if size == _SIZE_OF_LIMIT
    ]
    values = {str(size): {"p50": percentile(f.rest, 0.5), "p95": percentile(f.rest, 0.95)} for size, f in found.items()}
    note = f"{100 * saved:.0f} % of the tokens of a talk of {_TALK} messages stood at the head of the context before"
    return Report("context", {"milliseconds": values, "cached_share": saved}, [grid], limits, [note])
