"""Hard negatives: of a question's pool, what a model takes for an answer."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from train.recall.prepared import NONE, Ints, Prepared
from train.recall.settings import Settings

_AT_ONCE = 512
_NEVER = -9.0


@dataclass(frozen=True, slots=True)
class Negatives:
    """For each example its wrong turns, the hardest first, and how many they are."""

    table: Ints
    counts: Ints

    @classmethod
    def of(cls, table: Ints) -> "Negatives":
        """A table whose rows may end early."""
        return cls(table, (table != NONE).sum(1))


@torch.no_grad()
def mined(prepared: Prepared, vectors: Tensor, settings: Settings) -> Negatives:
    """The negatives by the vectors of all rows.

    A near copy of an answer is no negative; where labels miss answers, nothing is that scores above the labelled ones.
    """
    found = []
    unsure = np.isin(prepared.sets, list(settings.unsure))
    for start in range(0, len(prepared.asked), _AT_ONCE):
        these = slice(start, start + _AT_ONCE)
        pools, golds = _moved(prepared.pools[these], vectors), _moved(prepared.golds[these], vectors)
        asked = vectors[_moved(prepared.bare[these], vectors)]
        scores = torch.einsum("npw,nw->np", vectors[pools.clamp(min=0)], asked)
        of_golds = torch.einsum("ngw,nw->ng", vectors[golds.clamp(min=0)], asked).masked_fill(golds < 0, _NEVER)
        alike = torch.einsum("npw,ngw->npg", vectors[pools.clamp(min=0)], vectors[golds.clamp(min=0)])
        alike = alike.masked_fill((golds < 0)[:, None], _NEVER).amax(2)
        wrong = (pools >= 0) & (alike < settings.near_copy)
        wrong &= ~_moved(unsure[these], vectors)[:, None] | (scores < of_golds.amax(1, keepdim=True))
        best = scores.masked_fill(~wrong, _NEVER).topk(min(settings.kept, pools.shape[1]), 1)
        found.append(pools.gather(1, best.indices).masked_fill(best.values == _NEVER, NONE).cpu().numpy())
    return Negatives.of(np.concatenate(found))


def mixed(one: Negatives, other: Negatives) -> Negatives:
    """The negatives of two models, in turns: what either takes for an answer."""
    width = one.table.shape[1]
    table = np.full((len(one.table), width), NONE, np.int64)
    for place, (first, second) in enumerate(zip(one.table, other.table, strict=True)):
        in_turns = np.stack([first, second], 1).ravel()
        distinct = list(dict.fromkeys(in_turns[in_turns != NONE].tolist()))[:width]
        table[place, : len(distinct)] = distinct
    return Negatives.of(table)


def _moved(values: np.ndarray, like: Tensor) -> Tensor:
    return torch.from_numpy(values).to(like.device)
