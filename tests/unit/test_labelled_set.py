"""The extractor on labelled messages: a floor under what it can do."""

from pathlib import Path

import pytest

import labelled
from recollect.understanding.keyless import understand

DATA = Path(__file__).parents[1] / "data" / "understanding"


FEWEST = 15
"""Of a type with fewer labels in a set, the set says too little."""


@pytest.mark.parametrize(
    "name", ["open.jsonl", "practice.jsonl", "practice_more.jsonl", "practice_newest.jsonl", "unseen.jsonl"]
)
def test_what_was_understood_stays_understood(name: str) -> None:
    result = labelled.score(labelled.load([DATA / name]), understand)
    low = {
        kind: (round(score.precision, 3), round(score.recall, 3))
        for kind, score in result.scores.items()
        if score.right + score.missed >= FEWEST and (score.precision < 0.91 or score.recall < 0.7)
    }
    assert low == {}
