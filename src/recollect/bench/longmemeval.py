"""LongMemEval: which sessions of a user's history does a question find?

Each question is a user of its own, with one thread for each session of its haystack, dated as it says; then
`search(question, limit=100, kinds=["turn"])`, and threads are ranked by their best hit. Questions whose id ends in
`_abs` have no answer and are left out.
"""

import asyncio
import gzip
import json
import random
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from recollect.bench.place import Place, place, reranking, settle
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit, all_at, any_at, by_best_hit, mean, recall_at
from recollect.bench.vectors import StoredVectors
from recollect.core.clock import system_clock
from recollect.core.errors import InvalidInput
from recollect.core.settings import load_settings
from recollect.memory import Recollect, ScopedMemory
from recollect.providers.embedding import make_embedder

HITS = 100
FIGURES = ("recall@5", "recall@10", "any@5", "all@5")
_SEED = 20


@dataclass(frozen=True, slots=True)
class Session:
    """One chat of the history."""

    id: str
    at: datetime
    turns: tuple[tuple[str, str], ...]
    """Role and text."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question, when it was asked, the history behind it, and the sessions that answer it."""

    id: str
    kind: str
    question: str
    asked_at: datetime
    gold: frozenset[str]
    sessions: tuple[Session, ...]

    @property
    def turns(self) -> int:
        """How many messages its history has."""
        return sum(len(session.turns) for session in self.sessions)


@dataclass(frozen=True, slots=True)
class Answered:
    """The sessions that a question found, best first."""

    case: Case
    found: tuple[str, ...]


def read(path: Path) -> list[Case]:
    """The answerable questions of a LongMemEval file, gzipped or not."""
    try:
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        return [_case(row) for row in json.loads(text) if not row["question_id"].endswith("_abs")]
    except (KeyError, TypeError, AttributeError, ValueError, gzip.BadGzipFile) as error:
        raise InvalidInput("path", f"{path.name} is no LongMemEval file: {error!r}") from error


def _case(row: Mapping[str, Any]) -> Case:
    sessions = zip(row["haystack_session_ids"], row["haystack_dates"], row["haystack_sessions"], strict=True)
    return Case(
        id=row["question_id"],
        kind=row["question_type"],
        question=row["question"],
        asked_at=moment(row["question_date"]),
        gold=frozenset(row["answer_session_ids"]),
        sessions=tuple(Session(id, moment(at), _turns(turns)) for id, at, turns in sessions),
    )


def _turns(turns: Sequence[Mapping[str, str]]) -> tuple[tuple[str, str], ...]:
    # NUL is no character of a text in PostgreSQL, and a message must say something.
    said = ((turn["role"], turn["content"].replace("\0", "")) for turn in turns)
    return tuple((role, content) for role, content in said if content.strip())


def moment(written: str) -> datetime:
    """A date such as "2023/08/03 (Thu) 06:02"; the data set names no time zone."""
    day, _, time = written.split()
    return datetime.strptime(f"{day} {time}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


def sample(cases: Sequence[Case], most: int | None) -> list[Case]:
    """The same questions each time, in the file's order."""
    if most is None or most >= len(cases):
        return list(cases)
    return [cases[place] for place in sorted(random.Random(_SEED).sample(range(len(cases)), most))]


def scores(answered: Sequence[Answered]) -> dict[str, dict[str, float]]:
    """The figures in percent, per type of question and over all."""
    kinds = sorted({one.case.kind for one in answered})
    groups = {kind: [one for one in answered if one.case.kind == kind] for kind in kinds}
    return {name: _score(group) for name, group in (groups | {"all": list(answered)}).items()}


def _score(answered: Sequence[Answered]) -> dict[str, float]:
    pairs = [(one.found, one.case.gold) for one in answered]
    return {
        "questions": len(pairs),
        "recall@5": 100 * mean([recall_at(found, gold, 5) for found, gold in pairs]),
        "recall@10": 100 * mean([recall_at(found, gold, 10) for found, gold in pairs]),
        "any@5": 100 * mean([any_at(found, gold, 5) for found, gold in pairs]),
        "all@5": 100 * mean([all_at(found, gold, 5) for found, gold in pairs]),
    }


async def run(
    path: Path,
    console: Console,
    *,
    questions: int | None = None,
    jobs: int = 2,
    rerank: int = 0,
    at_question_date: bool = False,
    database_url: str | None = None,
    cache: Path | None = None,
    embedder: str | None = None,
) -> Report:
    """Load each history, ask its question, and score the sessions that were found."""
    cases = sample(read(path), questions)
    settings: dict[str, Any] = reranking(rerank)
    vectors = StoredVectors(make_embedder(load_settings(embedder=embedder)), cache)
    gate = asyncio.Semaphore(jobs)
    async with (
        place(database_url) as where,
        where.open(embedder=vectors, clock=_clock, understand=False, **settings) as rc,
    ):
        with progress(console) as bar:
            task = bar.add_task("turns", total=sum(case.turns for case in cases))

            async def one(case: Case) -> Answered:
                async with gate:
                    found = await _answer(rc, where, case, at_question_date=at_question_date)
                bar.advance(task, case.turns)
                return found

            answered = await asyncio.gather(*map(one, cases))
    return _report(answered, rerank, at_question_date=at_question_date)


# Questions are answered at the same time, each on its own day if so wanted.
_today: ContextVar[datetime | None] = ContextVar("today", default=None)


def _clock() -> datetime:
    return _today.get() or system_clock()


async def _answer(rc: Recollect, where: Place, case: Case, *, at_question_date: bool) -> Answered:
    scope = rc.scope(user_id=where.name(case.id))
    await _load(scope, case)
    await settle(rc)
    if at_question_date:
        _today.set(case.asked_at)
    hits = await scope.search(case.question, limit=HITS, kinds=["turn"])
    return Answered(case, tuple(by_best_hit(hit.memory.metadata["session"] for hit in hits)))


async def _load(scope: ScopedMemory, case: Case) -> None:
    # A few histories hold a session twice: its place keeps the threads apart, its id joins them again in the ranking.
    for place_of, session in enumerate(case.sessions):
        chat = await scope.conversation(f"{place_of}-{session.id}")
        metadata = {"session": session.id}
        await chat.add_many(
            [
                {"role": role, "content": content, "at": session.at, "metadata": metadata}
                for role, content in session.turns
            ]
        )


def _report(answered: Sequence[Answered], rerank: int, *, at_question_date: bool) -> Report:
    found = scores(answered)
    rows = [[name, int(values["questions"]), *(values[figure] for figure in FIGURES)] for name, values in found.items()]
    grid = Grid("LongMemEval, sessions found (%)", ["type", "questions", *FIGURES], rows)
    limit = Limit("all gold sessions among the first 5", found["all"]["all@5"], 95.0, at_most=False, unit="%")
    missed = [one.case.id for one in answered if not all_at(one.found, one.case.gold, 5)]
    values = {"rerank": rerank, "at_question_date": at_question_date, "scores": found, "not_all_at_5": missed}
    return Report("longmemeval", values, [grid], [limit])
