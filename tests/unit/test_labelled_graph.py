"""What the rules find in the passages for building: no kind falls below what it was built to."""

from pathlib import Path

import pytest

from labelled_graph import load, score

OPEN = Path(__file__).parent.parent / "data" / "graph" / "open.jsonl"


@pytest.fixture(scope="module")
def scores():
    return score(load([OPEN])).scores


@pytest.mark.parametrize(
    ("kind", "precision", "recall"),
    [
        ("people", 0.95, 0.95),
        ("organisations", 0.95, 0.7),
        ("places", 0.95, 0.8),
        ("products", 0.9, 0.65),
        ("concepts", 0.6, 0.3),
        ("relations", 0.85, 0.4),
    ],
)
def test_precision_and_recall(scores, kind, precision, recall):
    assert scores[kind].precision >= precision
    assert scores[kind].recall >= recall
