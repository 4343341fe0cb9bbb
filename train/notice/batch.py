"""Examples side by side, as tensors: short ones are filled up with tokens that nobody looks at."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from train.notice.encode import IGNORED, Example


@dataclass(frozen=True, slots=True)
class Batch:
    """Some examples; the names are those of `Example`."""

    ids: Tensor
    mask: Tensor
    """1 for a token, 0 for what fills up."""
    kinds: Tensor
    counted: Tensor
    keys: Tensor


class Likely(NamedTuple):
    """How likely each kind and each key is, for each token of an example."""

    kinds: NDArray[np.float32]
    keys: NDArray[np.float32]


class Soft(NamedTuple):
    """What the student learns from beside the labels, for some examples."""

    kinds: Tensor
    keys: Tensor
    labelled: Tensor
    """1 for an example that has labels, 0 for one that has none."""


def batch(examples: Sequence[Example], device: torch.device) -> Batch:
    """Some examples as a batch."""
    return Batch(
        _filled([np.asarray(each.ids) for each in examples], device),
        _filled([np.ones(len(each.ids), np.int64) for each in examples], device),
        _filled([each.kinds for each in examples], device),
        _filled([each.counted for each in examples], device),
        _filled([each.keys for each in examples], device, IGNORED),
    )


def soft(likely: Sequence[Likely], labelled: Sequence[bool], device: torch.device) -> Soft:
    """The teachers' opinion on the examples of a batch."""
    return Soft(
        _filled([each.kinds for each in likely], device),
        _filled([each.keys for each in likely], device),
        torch.tensor(labelled, dtype=torch.float32, device=device),
    )


def _filled(rows: Sequence[NDArray[np.generic]], device: torch.device, value: float = 0) -> Tensor:
    return pad_sequence([torch.from_numpy(row) for row in rows], batch_first=True, padding_value=value).to(device)
