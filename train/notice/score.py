"""How well a model marks tokens: precision and recall of each kind, and of all keys together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.providers.tagging import KEYS, KINDS, NO_KEY
from train.notice.batch import Likely
from train.notice.encode import IGNORED, Example

_NONE = KEYS.index(NO_KEY)
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Score:
    """How many tokens a model found, took in error, and missed."""

    name: str
    right: int
    wrong: int
    missed: int

    def __str__(self) -> str:
        precision = self.right / max(1, self.right + self.wrong)
        recall = self.right / max(1, self.right + self.missed)
        return f"  {self.name:15} precision {precision:.3f}  recall {recall:.3f}"


def scores(examples: Sequence[Example], likely: Sequence[Likely]) -> Iterator[Score]:
    """The score of each kind, and that of the keys. Tokens that do not count are left out."""
    truth = np.concatenate([example.kinds for example in examples]) > _HALF
    said = np.concatenate([each.kinds for each in likely]) > _HALF
    counted = np.concatenate([example.counted for example in examples]) > 0
    for column, name in enumerate(KINDS):
        rows = counted[:, column]
        yield _score(name, truth[rows, column].astype(int), said[rows, column].astype(int), 0)
    keys = np.concatenate([example.keys for example in examples])
    best = np.concatenate([each.keys.argmax(-1) for each in likely])
    yield _score("keys", keys[keys != IGNORED], best[keys != IGNORED], _NONE)


def _score(name: str, truth: NDArray[np.int_], said: NDArray[np.int_], nothing: int) -> Score:
    """One that was taken for another is both wrong and missed."""
    same = truth == said
    return Score(
        name,
        int((same & (truth != nothing)).sum()),
        int((~same & (said != nothing)).sum()),
        int((~same & (truth != nothing)).sum()),
    )
