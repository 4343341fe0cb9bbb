"""One order out of many signals.

Each signal is brought to 0–1 and weighted, and the parts are added: adding scores keeps how much better
one hit is than the next, which adding ranks throws away. Similarity is measured from `floor`, which belongs
to the embedder, and both channels up to the best candidate. The score therefore orders the hits of one
search, and says nothing about whether any of them is good enough.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from recollect.retrieval.surroundings import Question

THREAD_HITS = 3
"""How many of a thread's best hits speak for the thread."""
# Scores that all lie this near to their floor tell nothing apart, and are not blown up to look otherwise.
_LEAST_SPREAD = 0.05
_LEAST_LEXICAL = 1e-6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that a channel found, with what is known about its memory."""

    memory_id: UUID
    space: str
    kind: str
    similarity: float
    """Cosine of passage and question."""
    lexical: float
    """BM25 of passage and question; 0 when they share no term."""
    at: datetime | None
    thread: str | None
    speaker: str | None
    role: str | None
    importance: float
    access_count: int
    in_time: bool
    """Whether it happened in the time that the question names."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal may add to a score. The defaults are what measured best."""

    semantic: float = 1.2
    keyword: float = 0.8
    recency: float = 0.02
    importance: float = 0.1
    access: float = 0.0
    speaker: float = 0.5
    thread: float = 0.3
    time: float = 0.5


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its score and the parts that add up to it."""

    candidate: Candidate
    score: float
    why: dict[str, float]


def fuse(
    question: Question,
    candidates: Sequence[Candidate],
    weights: Weights,
    now: datetime,
    half_life_days: float,
    *,
    floor: float = 0.0,
) -> list[Scored]:
    """The candidates as memories, best first; of several passages of a memory the best one stands for it."""
    best = _best_passages(_matches(question, candidates, weights, floor))
    threads, half_life = _thread_scores(best), timedelta(days=half_life_days)
    hits = [_scored(match, threads, weights, now, half_life) for match in best]
    hits.sort(key=order)
    return hits


def order(hit: Scored) -> tuple[float, int]:
    """The key to sort by: the best score first, and of equals the older memory."""
    return -hit.score, hit.candidate.memory_id.int


_Thread = tuple[str, str | None]


class _Match(NamedTuple):
    """What a passage itself adds: the two channels, who spoke, and whether the time fits."""

    candidate: Candidate
    semantic: float
    keyword: float
    speaker: float
    time: float
    total: float


def _matches(
    question: Question, candidates: Sequence[Candidate], weights: Weights, floor: float
) -> Iterator[_Match]:
    semantic = _scaled([c.similarity for c in candidates], floor, _LEAST_SPREAD, weights.semantic)
    keyword = _scaled([c.lexical for c in candidates], 0.0, _LEAST_LEXICAL, weights.keyword)
    speaker = _speaker_parts(question, candidates, weights.speaker)
    time = [weights.time if c.in_time else 0.0 for c in candidates]
    total = [a + b + c + d for a, b, c, d in zip(semantic, keyword, speaker, time, strict=True)]
    return map(_Match, candidates, semantic, keyword, speaker, time, total)


def _scored(
    match: _Match, threads: Mapping[_Thread, float], weights: Weights, now: datetime, half_life: timedelta
) -> Scored:
    candidate = match.candidate
    why = {
        "semantic": match.semantic,
        "keyword": match.keyword,
        "speaker": match.speaker,
        "time": match.time,
        "thread": weights.thread * threads.get((candidate.space, candidate.thread), 0.0),
        "recency": weights.recency * _recency(candidate.at, now, half_life),
        "importance": weights.importance * candidate.importance,
        "access": weights.access * _use(candidate.access_count),
    }
    return Scored(candidate, sum(why.values()), why)


def _speaker_parts(question: Question, candidates: Iterable[Candidate], weight: float) -> list[float]:
    """For what the one asked about said: a speaker by name, or the user who asks about themselves."""
    named, role = question.named, "user" if question.first_person else "nobody"
    return [weight if c.speaker in named or c.role == role else 0.0 for c in candidates]


def _scaled(values: Sequence[float], floor: float, least: float, weight: float) -> list[float]:
    """From 0 at the floor to `weight` at the best value, or at `least` above the floor if that is more.

    A NaN compares false with everything and so counts as nothing.
    """
    above = [value - floor if floor < value < math.inf else 0.0 for value in values]
    factor = weight / max([least, *above])
    return [factor * value for value in above]


def _best_passages(matches: Iterable[_Match]) -> list[_Match]:
    """The best passage of each memory."""
    best: dict[tuple[str, int], _Match] = {}
    for match in matches:
        key = (match.candidate.space, match.candidate.memory_id.int)
        if best.setdefault(key, match).total < match.total:
            best[key] = match
    return list(best.values())


def _thread_scores(matches: Iterable[_Match]) -> dict[_Thread, float]:
    """The mean of each thread's best hits, where a hit that is missing counts as nothing."""
    by_thread: dict[_Thread, list[float]] = defaultdict(list)
    for match in matches:
        if match.candidate.thread is not None:
            by_thread[match.candidate.space, match.candidate.thread].append(match.total)
    return {
        thread: sum(sorted(totals, reverse=True)[:THREAD_HITS]) / THREAD_HITS
        for thread, totals in by_thread.items()
    }


def _recency(at: datetime | None, now: datetime, half_life: timedelta) -> float:
    """Halved with every half-life; what lies ahead counts as now."""
    if at is None:
        return 0.0
    age = (now - at) / half_life
    return math.exp2(-age) if age > 0.0 else 1.0


def _use(access_count: int) -> float:
    """A tenth for each recall, up to a half."""
    return 0.1 * access_count if access_count < 5 else 0.5
