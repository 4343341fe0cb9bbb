"""`recollect-same-v1`: how likely two statements say the same. Its weights are part of the package.

It has read many statements in other words, and near misses of them. How it was made: `train/same/`.
"""

from pathlib import Path

from recollect.providers import onnx

NAME = "recollect-same-v1"
MODEL = Path(__file__).parents[1] / "data" / NAME / "model.onnx"
_LONGEST = 64
"""Tokens of a statement that are read."""


def same(one: str, other: str) -> float:
    """How likely two statements say the same, from 0 to 1. Takes milliseconds: not for an event loop."""
    model = onnx.shared(NAME, lambda: onnx.Model(MODEL, shares_words=True))
    first, second = onnx.tokens(one)[:_LONGEST], onnx.tokens(other)[:_LONGEST]
    # Either may come first: what is the same the one way is the same the other way round.
    return (_likely(model, first, second) + _likely(model, second, first)) / 2


def _likely(model: onnx.Model, first: list[int], second: list[int]) -> float:
    row = [onnx.START, *first, onnx.END, *second, onnx.END]
    return float(model.run(row, [1] * len(row))[0])
