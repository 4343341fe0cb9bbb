"""LoCoMo: which turns of a long conversation between two people does a question find?

One user for each conversation, one thread for each session, every turn with its speaker's name, its session's date
and its `dia_id`; then `search(question, limit=20, kinds=["turn"])`. Both people get the role "user": neither of them
is an assistant, and the roles must not tell apart what only the names do.
"""

import asyncio
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from recollect.bench.place import Place, place, reranking, settle
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit, mean, recall_at
from recollect.bench.vectors import StoredVectors
from recollect.core.errors import InvalidInput
from recollect.core.settings import load_settings
from recollect.memory import Recollect, ScopedMemory
from recollect.providers.embedding import make_embedder

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
DEPTHS = (5, 10, 20)
_AT_ONCE = 4
_SESSION = re.compile(r"session_(\d+)")
_DIA_ID = re.compile(r"D\d+:\d+")


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that one of the two said."""

    dia_id: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """One meeting of the two."""

    name: str
    at: datetime
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the turns that answer it."""

    text: str
    gold: frozenset[str]
    category: int


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation with its questions."""

    name: str
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """What a question found: the ids of turns, best first."""

    question: Question
    found: tuple[str, ...]


def read(path: Path) -> list[Talk]:
    """The conversations of a LoCoMo file."""
    try:
        return [_talk(place, row) for place, row in enumerate(json.loads(path.read_text(encoding="utf-8")))]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidInput("path", f"{path.name} is no LoCoMo file: {error!r}") from error


def _talk(place: int, row: Mapping[str, Any]) -> Talk:
    conversation = row["conversation"]
    numbers = sorted(int(match[1]) for match in map(_SESSION.fullmatch, conversation) if match)
    sessions = tuple(_session(f"session_{number}", conversation) for number in numbers)
    known = frozenset(turn.dia_id for session in sessions for turn in session.turns)
    questions = (
        Question(str(qa["question"]), evidence(qa.get("evidence") or (), known), int(qa["category"]))
        for qa in row["qa"]
    )
    # A question whose evidence resolves to no turn cannot be scored.
    return Talk(str(row.get("sample_id", place)), sessions, tuple(question for question in questions if question.gold))


def _session(name: str, conversation: Mapping[str, Any]) -> Session:
    turns = (Turn(turn["dia_id"], turn["speaker"], spoken(turn)) for turn in conversation[name])
    return Session(name, moment(conversation[f"{name}_date_time"]), tuple(turn for turn in turns if turn.text))


def spoken(turn: Mapping[str, Any]) -> str:
    """The words of a turn; the caption of an image that was shared is part of them."""
    text, caption = (turn.get("text") or "").strip(), (turn.get("blip_caption") or "").strip()
    return "\n".join(part for part in (text, caption and f"[image: {caption}]") if part)


def moment(written: str) -> datetime:
    """A date such as "1:56 pm on 8 May, 2023"; the data set names no time zone."""
    return datetime.strptime(written.strip(), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def evidence(given: Iterable[str], known: frozenset[str]) -> frozenset[str]:
    """The turns that evidence names; one string may hold several ids, and some ids are of no turn."""
    return frozenset(dia_id for text in given for dia_id in _DIA_ID.findall(text)) & known


def scores(answered: Sequence[Answered]) -> dict[str, dict[str, float]]:
    """Recall in percent: per category, over 1–4, and over all."""
    groups = {name: (number,) for number, name in CATEGORIES.items()} | {"1–4": (1, 2, 3, 4), "1–5": (1, 2, 3, 4, 5)}
    return {name: _score([one for one in answered if one.question.category in of]) for name, of in groups.items()}


def _score(answered: Sequence[Answered]) -> dict[str, float]:
    recalls = {
        f"recall@{depth}": 100 * mean([recall_at(one.found, one.question.gold, depth) for one in answered])
        for depth in DEPTHS
    }
    return {"questions": len(answered), **recalls}


async def run(
    path: Path,
    console: Console,
    *,
    rerank: int = 0,
    graph: float | None = None,
    limit_conversations: int | None = None,
    database_url: str | None = None,
    cache: Path | None = None,
    embedder: str | None = None,
) -> Report:
    """Load the conversations, ask every question, and score what was found.

    With `graph`, the weight of that channel, the sessions are ended first: talks that are over become sources, which
    give the graph its nodes.
    """
    talks = read(path)[:limit_conversations]
    settings: dict[str, Any] = reranking(rerank)
    settings |= {"understand": False} if graph is None else {"understand": True, "weight_graph": graph}
    vectors = StoredVectors(make_embedder(load_settings(embedder=embedder)), cache)
    answered: list[Answered] = []
    async with place(database_url) as where, where.open(embedder=vectors, **settings) as rc:
        with progress(console) as bar:
            loading = bar.add_task("turns", total=sum(len(s.turns) for talk in talks for s in talk.sessions))
            for talk in talks:
                await load(rc, _scope(rc, where, talk), talk, bar, loading, end=graph is not None)
            asking = bar.add_task("questions", total=sum(len(talk.questions) for talk in talks))
            for talk in talks:
                answered += await ask(_scope(rc, where, talk), talk, bar, asking)
    return _report(answered, rerank, graph)


def _scope(rc: Recollect, where: Place, talk: Talk) -> ScopedMemory:
    return rc.scope(user_id=where.name(talk.name))


async def load(rc: Recollect, scope: ScopedMemory, talk: Talk, bar: Progress, task: Any, *, end: bool = False) -> None:
    """Add every turn, and have them made searchable."""
    for session in talk.sessions:
        chat = await scope.conversation(session.name)
        await chat.add_many([_message(session, turn) for turn in session.turns])
        if end:
            await chat.end()
        bar.advance(task, len(session.turns))
    await settle(rc)


def _message(session: Session, turn: Turn) -> dict[str, Any]:
    return {
        "role": "user",
        "name": turn.speaker,
        "content": turn.text,
        "at": session.at,
        "metadata": {"dia_id": turn.dia_id},
    }


async def ask(scope: ScopedMemory, talk: Talk, bar: Progress, task: Any) -> list[Answered]:
    """What each question finds, a few at a time."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(question: Question) -> Answered:
        async with gate:
            hits = await scope.search(question.text, limit=max(DEPTHS), kinds=["turn"])
        bar.advance(task)
        return Answered(question, tuple(hit.memory.metadata["dia_id"] for hit in hits))

    return await asyncio.gather(*map(one, talk.questions))


def _report(answered: Sequence[Answered], rerank: int, graph: float | None) -> Report:
    found = scores(answered)
    columns = ["questions", *(f"recall@{depth}" for depth in DEPTHS)]
    rows = [
        [name, int(values["questions"]), *(values[column] for column in columns[1:])] for name, values in found.items()
    ]
    title = f"LoCoMo, turns found (%), the best {rerank} reranked" if rerank else "LoCoMo, turns found (%)"
    title += "" if graph is None else f", graph weighted {graph:g}"
    main = found["1–4"]
    limits = [Limit("recall@10, categories 1–4", main["recall@10"], 84.5 if rerank else 83.0, at_most=False, unit="%")]
    if rerank:
        limits.append(Limit("recall@5, categories 1–4", main["recall@5"], 79.0, at_most=False, unit="%"))
    return Report(
        "locomo",
        {"rerank": rerank, "graph": graph, "scores": found},
        [Grid(title, ["category", *columns], rows)],
        limits,
    )
