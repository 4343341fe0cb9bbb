"""Questions that nothing answers: how many come back empty, at a threshold that keeps the answerable ones?

LoCoMo's conversations, loaded as `locomo` loads them. The threshold is the highest at which 19 in 20 questions of the
categories 1–4 still find something in their own conversation. At it, the same questions are asked of the next
conversation, where nothing answers them: without names, since a name alone would tell. Category 5 asks a conversation
for what it does not say, in its own names and topics, and is reported beside.
"""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console

from recollect.bench import locomo
from recollect.bench.locomo import Talk
from recollect.bench.place import place, reranking
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit, mean
from recollect.bench.vectors import StoredVectors
from recollect.core.settings import load_settings
from recollect.memory import ScopedMemory
from recollect.providers.embedding import make_embedder
from recollect.retrieval.surroundings import prepare

KEPT = 0.95
EMPTY = 0.6
_ADVERSARIAL = 5
_AT_ONCE = 4
_STEPS = 8

Ask = tuple[ScopedMemory, str]
"""A question, and whom it is asked of."""


async def run(
    path: Path,
    console: Console,
    *,
    rerank: int = 0,
    limit_conversations: int | None = None,
    database_url: str | None = None,
    cache: Path | None = None,
) -> Report:
    """Load the conversations, find the threshold, and count what comes back empty at it."""
    talks = locomo.read(path)[:limit_conversations]
    vectors = StoredVectors(make_embedder(load_settings()), cache)
    async with place(database_url) as where, where.open(embedder=vectors, understand=False, **reranking(rerank)) as rc:
        scopes = [rc.scope(user_id=where.name(talk.name)) for talk in talks]
        with progress(console) as bar:
            loading = bar.add_task("turns", total=sum(len(s.turns) for talk in talks for s in talk.sessions))
            for scope, talk in zip(scopes, talks, strict=True):
                await locomo.load(rc, scope, talk, bar, loading)
            searching = bar.add_task("thresholds", total=_STEPS + 2)
            own, other, adversarial = _own(scopes, talks), _other(scopes, talks), _adversarial(scopes, talks)
            low, high = 0.0, 1.0
            for _ in range(_STEPS):
                middle = (low + high) / 2
                low, high = (middle, high) if await _answered(own, middle) >= KEPT else (low, middle)
                bar.advance(searching)
            shares = [1 - await _answered(asked, low) for asked in (own, other, adversarial)]
            bar.advance(searching, 2)
    return _report(low, shares, [len(own), len(other), len(adversarial)], rerank)


def _own(scopes: Sequence[ScopedMemory], talks: Sequence[Talk]) -> list[Ask]:
    return [(scope, text) for scope, talk in zip(scopes, talks, strict=True) for text in _answerable(talk)]


def _other(scopes: Sequence[ScopedMemory], talks: Sequence[Talk]) -> list[Ask]:
    following = [*scopes[1:], *scopes[:1]]
    return [
        (scope, prepare(text, _speakers(talk)).for_embedding)
        for scope, talk in zip(following, talks, strict=True)
        for text in _answerable(talk)
    ]


def _adversarial(scopes: Sequence[ScopedMemory], talks: Sequence[Talk]) -> list[Ask]:
    return [
        (scope, asked.text)
        for scope, talk in zip(scopes, talks, strict=True)
        for asked in talk.questions
        if asked.category == _ADVERSARIAL
    ]


def _answerable(talk: Talk) -> list[str]:
    return [asked.text for asked in talk.questions if asked.category != _ADVERSARIAL]


def _speakers(talk: Talk) -> frozenset[str]:
    return frozenset(turn.speaker for session in talk.sessions for turn in session.turns)


async def _answered(asked: Iterable[Ask], threshold: float) -> float:
    """The share of questions that find something, a few asked at a time."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(scope: ScopedMemory, question: str) -> float:
        async with gate:
            return float(bool(await scope.search(question, limit=20, kinds=["turn"], threshold=threshold)))

    return mean(await asyncio.gather(*(one(*each) for each in asked)))


def _report(threshold: float, empty: Sequence[float], counts: Sequence[int], rerank: int) -> Report:
    names = ("their own conversation", "the next one, without names", "category 5")
    rows = [[name, count, 100 * share] for name, count, share in zip(names, counts, empty, strict=True)]
    title = f"LoCoMo, come back empty at a threshold of {threshold:.2f} (%)"
    title += f", the best {rerank} reranked" if rerank else ""
    limit = Limit("empty of what nothing answers", 100 * empty[1], 100 * EMPTY, at_most=False, unit="%")
    found = {"rerank": rerank, "threshold": threshold, "empty": dict(zip(names, empty, strict=True))}
    return Report("abstention", found, [Grid(title, ["asked of", "questions", "empty"], rows)], [limit])
