"""Texts and questions to measure speed with: real ones from a data set's file, else made from a small grammar."""

import gzip
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recollect.core.errors import InvalidInput
from recollect.providers.embedding.base import Vectors

LENGTH = 600
"""Characters of a text: longer ones are cut into several."""
_SHORTEST = 20
_QUESTION = 200
_SEED = 7


@dataclass(frozen=True, slots=True)
class Corpus:
    """Distinct texts, and questions none of which is among them."""

    texts: tuple[str, ...]
    questions: tuple[str, ...]
    real: bool


def read(paths: Sequence[Path], questions: int) -> Corpus:
    """Turns of LongMemEval and LoCoMo files. Where they bring too few questions, turns that ask stand in."""
    rows = [row for path in paths for row in _rows(path)]
    asked = list(dict.fromkeys(_questions(rows)))
    turns = list(dict.fromkeys(_turns(rows)))
    asking = [turn for turn in turns if turn.endswith("?") and _SHORTEST <= len(turn) <= _QUESTION]
    asked = (asked + random.Random(_SEED).sample(asking, len(asking)))[:questions]
    taken = set(asked)
    return Corpus(tuple(dict.fromkeys(_pieces([turn for turn in turns if turn not in taken]))), tuple(asked), real=True)


def _rows(path: Path) -> list[Mapping[str, Any]]:
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        rows: list[Mapping[str, Any]] = json.loads(content)
    except (ValueError, gzip.BadGzipFile) as error:
        raise InvalidInput("texts", f"{path.name} cannot be read: {error}") from error
    if not all(isinstance(row, dict) and ("haystack_sessions" in row or "conversation" in row) for row in rows):
        raise InvalidInput("texts", f"{path.name} is neither a LongMemEval nor a LoCoMo file")
    return rows


def _questions(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield from [row["question"]] if "question" in row else [qa["question"] for qa in row["qa"]]


def _turns(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for row in rows:
        for session in _sessions(row):
            for turn in session:
                yield (turn.get("content") or turn.get("text") or "").replace("\0", "").strip()


def _sessions(row: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    if "haystack_sessions" in row:
        sessions: list[list[dict[str, Any]]] = row["haystack_sessions"]
        return sessions
    return [part for part in row["conversation"].values() if isinstance(part, list)]


def _pieces(turns: Sequence[str]) -> Iterator[str]:
    """The beginnings of all turns, then what follows in each, so that small samples are of beginnings only."""
    longest = max(map(len, turns), default=0)
    left: Sequence[str] = turns
    for start in range(0, longest, LENGTH):
        left = [turn for turn in left if len(turn) > start]
        for turn in left:
            if len(piece := turn[start : start + LENGTH].strip()) >= _SHORTEST:
                yield piece


# The grammar is small, its names are not: a long tail of rare words is what makes keyword search find anything.
_WHO = ("Alice", "Ben", "my sister", "our neighbour", "the team", "a colleague", "the doctor", "my teacher", "grandma")
_DID = ("visited", "repaired", "painted", "sold", "borrowed", "described", "measured", "planned", "cancelled", "found")
_WHAT = (
    "bicycle",
    "garden",
    "report",
    "recipe",
    "camera",
    "violin",
    "kitchen",
    "contract",
    "telescope",
    "boat",
    "oven",
)
_HOW = ("old", "expensive", "blue", "broken", "famous", "tiny", "unfinished", "wooden", "second", "favourite", "quiet")
_WHY = ("because of the rain", "before the exam", "after work", "for a friend", "without telling anyone")
_SYLLABLES = (
    "ba",
    "ke",
    "li",
    "mo",
    "nu",
    "ra",
    "se",
    "ti",
    "vo",
    "wen",
    "dor",
    "fal",
    "gri",
    "hun",
    "jos",
    "kel",
    "mar",
)


def generated(count: int, questions: int) -> Corpus:
    """Texts of a few sentences each, the same every time."""
    chance = random.Random(_SEED)
    texts: dict[str, None] = {}
    while len(texts) < count:
        texts[" ".join(_sentence(chance) for _ in range(chance.randint(2, 6)))] = None
    asked = [_asked(chance) for _ in range(questions)]
    return Corpus(tuple(texts), tuple(asked), real=False)


def _sentence(chance: random.Random) -> str:
    who, did, how, what, why = (chance.choice(words) for words in (_WHO, _DID, _HOW, _WHAT, _WHY))
    return f"{who} {did} the {how} {what} in {_name(chance)} with {_name(chance)} {why}."


def _name(chance: random.Random) -> str:
    # Low numbers of syllables come up often, so that some names are common and most are rare.
    return "".join(chance.choice(_SYLLABLES) for _ in range(min(4, 1 + int(chance.expovariate(0.7))))).title()


def _asked(chance: random.Random) -> str:
    return f"When did {chance.choice(_WHO)} {chance.choice(_DID)} the {chance.choice(_WHAT)} in {_name(chance)}?"


def mixed(texts: Sequence[str], vectors: Vectors, first: int, count: int) -> tuple[list[str], Vectors]:
    """More texts than there are: the beginning of one with the end of another, and the direction between theirs.

    The words stay real and so do their frequencies; the vectors are near to those of the parts, not those that the
    embedder would give. For sizes whose embedding would take hours.
    """
    chance = np.random.default_rng([_SEED, first])
    left, right = chance.integers(0, len(texts), (2, count))
    written = [
        f"{_half(texts[a], 0)} {_half(texts[b], 1)} [{first + place}]"
        for place, (a, b) in enumerate(zip(left, right, strict=True))
    ]
    total = 0.6 * vectors[left] + 0.4 * vectors[right]
    return written, (total / np.linalg.norm(total, axis=1, keepdims=True)).astype(np.float32)


def _half(text: str, which: int) -> str:
    words = text.split()
    middle = (len(words) + 1) // 2
    return " ".join(words[middle:] if which else words[:middle])
