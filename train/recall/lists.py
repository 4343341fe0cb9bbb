"""The lists that all models learn from: of each question its hardest wrong turns, and what the teacher thinks of them.

They are made once, on a GPU, with a language model of a gigabyte, and kept in a file of two megabytes: whoever makes
the models again does without the language model.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from train.recall.mine import Negatives
from train.recall.prepared import Prepared
from train.recall.reranker import Opinion


@dataclass(frozen=True, slots=True)
class Lists:
    """For each example its wrong turns, the hardest first, and the scores of these and of its answers."""

    negatives: Negatives
    opinion: Opinion


def write(lists: Lists, prepared: Prepared, path: Path) -> None:
    """Keep lists in a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        path,
        of=np.array(_digest(prepared)),
        negatives=lists.negatives.table.astype(np.int32),
        scores=lists.opinion.scores.astype(np.float16),
    )


def read(path: Path, prepared: Prepared) -> Lists:
    """The lists of a file, which must have been made of the same talks."""
    with np.load(path) as stored:
        if str(stored["of"]) != _digest(prepared):
            raise ValueError(f"{path} was made of other talks, templates or pools: make it again with `teach`")
        negatives, scores = stored["negatives"].astype(np.int64), stored["scores"].astype(np.float32)
    return Lists(Negatives.of(negatives), Opinion(np.concatenate([prepared.golds, negatives], 1), scores))


def _digest(prepared: Prepared) -> str:
    """What tells talks and pools apart: places in the lists mean nothing elsewhere."""
    digest = hashlib.sha256("\n".join([*prepared.questions, *prepared.contexts]).encode())
    for table in (prepared.golds, prepared.pools):
        digest.update(table.tobytes())
    return digest.hexdigest()
