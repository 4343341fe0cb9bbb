"""Talks and questions about them, as they lie in `dialogues.jsonl.xz`: one talk a line."""

import json
import lzma
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from train.recall.settings import Settings


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said; a sentence of a story has no speaker."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the numbers of the turns that answer it."""

    text: str
    gold: tuple[int, ...]
    span: tuple[int, ...] = ()
    """All turns of the stretch that the answer lies in, which are no wrong answers either."""
    family: str | None = None
    """Of a question from a template: which. Two questions of one family may have the same answer."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A talk, or something else that is read from start to end: a story, a year of messages."""

    set: str
    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def read(path: Path) -> list[Talk]:
    """All talks of a file."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [_talk(json.loads(line)) for line in lines]


def write(path: Path, talks: Iterable[Talk]) -> None:
    """Write talks in the form that `read` reads."""
    with lzma.open(path, "wt", encoding="utf-8") as file:
        for talk in talks:
            file.write(json.dumps(_plain(talk)) + "\n")


def held_out(sets: Sequence[str], settings: Settings) -> set[int]:
    """The places of talks to keep apart, by their sets: of each that has labels the same part, drawn by a seed."""
    places = defaultdict(list)
    for place, name in enumerate(sets):
        if name not in settings.unlabelled:
            places[name].append(place)
    dice, part = random.Random(settings.held_out_seed), settings.held_out
    return {place for of_set in places.values() for place in dice.sample(of_set, round(part * len(of_set)))}


def fewer(talks: Sequence[Talk], questions: int) -> list[Talk]:
    """Of each set the first talks, as many as have that many questions; no talk with more than its share."""
    left: dict[str, int] = defaultdict(lambda: questions)
    kept = []
    for talk in talks:
        asked = talk.questions[: min(left[talk.set], max(1, questions // 3))]
        left[talk.set] -= len(asked)
        if asked:
            kept.append(Talk(talk.set, talk.id, talk.turns, asked))
    return kept


def _talk(line: dict[str, Any]) -> Talk:
    return Talk(
        line["set"],
        line["id"],
        tuple(Turn(turn["speaker"] or "", turn["text"] or "") for turn in line["turns"]),
        tuple(_question(question) for question in line["questions"]),
    )


def _question(line: dict[str, Any]) -> Question:
    family = line.get("family")
    span = tuple(line.get("span") or ())
    return Question(line["question"], tuple(line["gold"]), span, None if family is None else str(family))


def _plain(talk: Talk) -> dict[str, Any]:
    return {
        "set": talk.set,
        "id": talk.id,
        "turns": [{"speaker": turn.speaker, "text": turn.text} for turn in talk.turns],
        "questions": [
            {"question": asked.text, "gold": asked.gold, "span": asked.span, "family": asked.family}
            for asked in talk.questions
        ],
    }
