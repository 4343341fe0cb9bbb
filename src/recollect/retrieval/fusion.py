"""One order out of many signals.

Each signal is brought to 0–1 and weighted, and the parts are added: adding scores keeps how much better
one hit is than the next, which adding ranks throws away. Similarity is measured from `floor`, which belongs
to the embedder, and both channels up to the best candidate. The score therefore orders the hits of one
search, and says nothing about whether any of them is good enough.

This is the hot loop of a search: candidates are plain tuples, as the database hands them over, and only the
hits that are wanted get their explanation.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from recollect.retrieval.surroundings import Question

THREAD_HITS = 3
"""How many of a thread's best hits speak for the thread."""
# Scores that all lie this near to their floor tell nothing apart, and are not blown up to look otherwise.
_LEAST_SPREAD = 0.05
_LEAST_LEXICAL = 1e-6
_DAY = 86_400.0


class Candidate(NamedTuple):
    """A passage that a channel found, with what is known about its memory: a row of the candidate statements."""

    memory_id: str
    space: str
    kind: str
    similarity: float
    """Cosine of passage and question."""
    lexical: float
    """BM25 of passage and question; 0 when they share no term."""
    at: float | None
    """When it happened, in seconds since 1970."""
    thread: str | None
    speaker: str | None
    role: str | None
    importance: float
    length: int = 0
    """How many terms it has."""
    weight: float | None = None
    """What the question's words weigh altogether in this space."""


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
    graph: float = 0.0


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its score and the parts that add up to it."""

    candidate: Candidate
    score: float
    why: dict[str, float]


Within = tuple[float, float]
"""A stretch of time, in seconds since 1970: from the first on, up to but not at the second."""

Ties = Mapping[tuple[str, str], float]
"""How strongly memories are connected with what the question names, from 0 to 1, by space and id."""

_UNTIED: Ties = {}
_Match = tuple[float, Candidate, tuple[float, float, float, float, float]]
"""What a passage itself adds: in all, and by the two channels, who spoke, whether the time fits, and the graph."""
_Thread = tuple[str, str | None]
_Ranked = tuple[float, str, _Match, tuple[float, float, float]]
_PLACE = itemgetter(0, 1)
_PARTS = ("semantic", "keyword", "speaker", "time", "graph", "thread", "recency", "importance")


@dataclass(frozen=True)
class Fused:
    """An order. Who reads the memories needs no explanations: they are put together while the memories are read."""

    ranked: list[_Ranked]

    @property
    def candidates(self) -> list[Candidate]:
        """What is in it, best first."""
        return [match[1] for _, _, match, _ in self.ranked]

    def rather(self, wanted: Callable[[Candidate], bool], least: int, most: int | None) -> "Fused":
        """The best of those that are wanted; where they are fewer than the least, the best of the others too."""
        chosen = [place for place, each in enumerate(self.ranked) if wanted(each[2][1])][:most]
        held = set(chosen)
        others = (place for place in range(len(self.ranked)) if place not in held)
        chosen += islice(others, max(0, least - len(chosen)))
        return Fused([self.ranked[place] for place in sorted(chosen)])

    @cached_property
    def hits(self) -> list[Scored]:
        """The same with their scores, and the parts that these are made of."""
        return list(map(_scored, self.ranked))

    def explain(self) -> None:
        """Have `hits` ready."""
        _ = self.hits


def fuse(
    question: Question,
    candidates: Sequence[Candidate],
    weights: Weights,
    now: datetime,
    half_life_days: float,
    *,
    floor: float = 0.0,
    within: Within | None = None,
    ties: Ties = _UNTIED,
    most: int | None = None,
) -> Fused:
    """The best memories, best first; of several passages of a memory the best one stands for it."""
    best = _best_passages(_matches(question, candidates, weights, floor, within, ties))
    ranked = _ranked(best, weights, now.timestamp(), half_life_days * _DAY)
    ranked.sort(key=_PLACE)
    return Fused(ranked[:most])


def _matches(
    question: Question,
    candidates: Sequence[Candidate],
    weights: Weights,
    floor: float,
    within: Within | None,
    ties: Ties,
) -> list[_Match]:
    similar = _scale([candidate.similarity for candidate in candidates], floor, _LEAST_SPREAD, weights.semantic)
    lexical = _scale([candidate.lexical for candidate in candidates], 0.0, _LEAST_LEXICAL, weights.keyword)
    named, first_person = question.named, question.first_person
    matches = []
    for candidate in candidates:
        memory_id, space, _, similarity, words, at, _, spoken_by, role, _, _, _ = candidate
        semantic = similar * (similarity - floor) if floor < similarity < math.inf else 0.0
        keyword = lexical * words if 0 < words < math.inf else 0.0
        # The one asked about said it: a speaker by name, or the user who asks about themselves.
        asked_about = spoken_by in named or (first_person and role == "user")
        speaker = weights.speaker if asked_about else 0.0
        time = weights.time if within and at is not None and within[0] <= at < within[1] else 0.0
        graph = weights.graph * ties.get((space, memory_id), 0.0) if ties else 0.0
        total = semantic + keyword + speaker + time + graph
        matches.append((total, candidate, (semantic, keyword, speaker, time, graph)))
    return matches


def _scale(values: Sequence[float], floor: float, least: float, weight: float) -> float:
    """What to multiply with, so that the best value counts `weight`; NaN, which compares false, is passed over."""
    best = max((value for value in values if floor < value < math.inf), default=floor)
    return weight / max(best - floor, least)


def _best_passages(matches: Iterable[_Match]) -> list[_Match]:
    """The best passage of each memory."""
    best: dict[tuple[str, str], _Match] = {}
    for match in matches:
        key = match[1][:2]
        if best.setdefault(key, match)[0] < match[0]:
            best[key] = match
    return list(best.values())


def _ranked(matches: Sequence[_Match], weights: Weights, now: float, half_life: float) -> list[_Ranked]:
    """Each match with what it gains by its thread, by when it happened and by how much it matters."""
    beside_of = {thread: weights.thread * score for thread, score in _thread_scores(matches).items()}
    exp2, of_recency, of_importance = math.exp2, weights.recency, weights.importance
    ranked = []
    for match in matches:
        memory_id, space, _, _, _, at, thread, _, _, matters, _, _ = match[1]
        age = 0.0 if at is None else 1.0 if at >= now else exp2((at - now) / half_life)
        beside = 0.0 if thread is None else beside_of[space, thread]
        recency, importance = of_recency * age, of_importance * matters
        score = match[0] + beside + recency + importance
        ranked.append((-score, memory_id, match, (beside, recency, importance)))
    return ranked


def _thread_scores(matches: Iterable[_Match]) -> dict[_Thread, float]:
    """The mean of each thread's best hits, where a hit that is missing counts as nothing."""
    by_thread: dict[_Thread, list[float]] = defaultdict(list)
    for total, candidate, _ in matches:
        if (thread := candidate.thread) is not None:
            by_thread[candidate.space, thread].append(total)
    return {
        thread: sum(sorted(totals, reverse=True)[:THREAD_HITS]) / THREAD_HITS for thread, totals in by_thread.items()
    }


def _scored(ranked: _Ranked) -> Scored:
    _, _, (_, candidate, parts), around = ranked
    why = dict(zip(_PARTS, parts + around, strict=True))
    return Scored(candidate, sum(why.values()), why)


def order(hit: Scored) -> tuple[float, str]:
    """Best first; ties by id."""
    return -hit.score, hit.candidate.memory_id
