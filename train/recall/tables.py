"""Tokens on the device, where batches are cut out of them: no time goes into moving or padding them.

Rows of a batch are run in the order of their lengths, in a few parts, so that short ones are not padded to the
longest.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from train.recall.network import Embedder, Reranker
from train.recall.prepared import Ints, Prepared, Ragged

END = 102
_STEP = 8
"""Widths are multiples of this."""
_AT_ONCE = 131_072
"""Tokens that a model which is not being trained looks at together."""


class Table:
    """Rows of tokens on a device."""

    def __init__(self, rows: Ragged, device: torch.device) -> None:
        self.lengths = rows.lengths
        self.tokens = torch.from_numpy(rows.tokens).to(device)
        self.starts = torch.from_numpy(rows.starts).to(device)

    def at(self, rows: Tensor, offsets: Tensor) -> Tensor:
        """The tokens at offsets of rows; past the end of all tokens, the last."""
        places = (self.starts[rows][:, None] + offsets).clamp(0, len(self.tokens) - 1)
        return self.tokens[places].long()


def embedded(model: Embedder, table: Table, rows: Ints, parts: int = 2) -> Tensor:
    """The vectors of rows, to learn from."""
    lengths = table.lengths[rows]
    return in_parts(
        lengths,
        np.array_split(np.argsort(lengths, kind="stable"), parts),
        lambda part: _embed(model, table, rows[part]),
    )


@torch.no_grad()
def all_embedded(model: Embedder, table: Table, rows: Ints) -> Tensor:
    """The vectors of rows, however many."""
    lengths = table.lengths[rows]
    model.eval()
    return in_parts(lengths, full_parts(lengths), lambda part: _embed(model, table, rows[part]))


class Pairs:
    """Questions and turns read together: start, question, end, turn, end, of which the turn is cut."""

    def __init__(self, prepared: Prepared, window: int, device: torch.device) -> None:
        self._questions = Table(prepared.rows, device)
        self._said = Table(prepared.said, device)
        self._alone = prepared.said_alone
        self._window = window
        self._device = device

    def scores(self, model: Reranker, questions: Ints, texts: Ints, alone: bool = False, parts: int = 2) -> Tensor:
        """The scores of pairs, to learn from."""
        lengths = self._lengths(questions, texts, alone)
        by_length = np.array_split(np.argsort(lengths[2], kind="stable"), parts)
        return in_parts(lengths[2], by_length, lambda part: self._score(model, questions, texts, lengths, part))

    @torch.no_grad()
    def all_scores(self, model: Reranker, questions: Ints, texts: Ints) -> Tensor:
        """The scores of pairs, however many."""
        model.eval()
        lengths = self._lengths(questions, texts, alone=False)
        return in_parts(
            lengths[2], full_parts(lengths[2]), lambda part: self._score(model, questions, texts, lengths, part)
        )

    def _lengths(self, questions: Ints, texts: Ints, alone: bool) -> tuple[Ints, Ints, Ints]:
        """Of each pair the tokens of the question with its start and end, those of the turn, and all."""
        first = np.minimum(self._questions.lengths[questions], self._window // 2)
        second = np.minimum(self._alone[texts] if alone else self._said.lengths[texts], self._window - first - 1)
        return first, second, first + second + 1

    def _score(
        self, model: Reranker, questions: Ints, texts: Ints, lengths: tuple[Ints, Ints, Ints], part: Ints
    ) -> Tensor:
        first, _, whole = (self._moved(each[part])[:, None] for each in lengths)
        offsets = torch.arange(width(lengths[2][part]), device=self._device)[None]
        asked = self._questions.at(self._moved(questions[part]), offsets)
        said = self._said.at(self._moved(texts[part]), offsets - first)
        ids = torch.where(offsets < first, asked, said)
        ids = torch.where((offsets == first - 1) | (offsets == whole - 1), END, ids)
        mask = (offsets < whole).long()
        types = ((offsets >= first) & (offsets < whole)).long()
        with half_precision(self._device):
            return model(ids * mask, mask, types).float()

    def _moved(self, values: Ints) -> Tensor:
        return torch.from_numpy(values).to(self._device)


def half_precision(device: torch.device) -> torch.autocast:
    """A GPU reckons in 16 bits."""
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


def _embed(model: Embedder, table: Table, rows: Ints) -> Tensor:
    device = table.tokens.device
    offsets = torch.arange(width(table.lengths[rows]), device=device)[None]
    mask = (offsets < torch.from_numpy(table.lengths[rows]).to(device)[:, None]).long()
    ids = table.at(torch.from_numpy(rows).to(device), offsets) * mask
    with half_precision(device):
        return model(ids, mask).float()


def in_parts(lengths: Ints, parts: Sequence[Ints] | Iterator[Ints], run: Callable[[Ints], Tensor]) -> Tensor:
    """What is found for each part, put back into the order of the whole."""
    used = [part for part in parts if len(part)]
    found = torch.cat([run(part) for part in used])
    back = np.empty(len(lengths), np.int64)
    back[np.concatenate(used)] = np.arange(len(lengths))
    return found[torch.from_numpy(back).to(found.device)]


def full_parts(lengths: Ints) -> Iterator[Ints]:
    """Places by length, in parts of about as many tokens."""
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < len(order):
        # The longest row of a part decides its width; the part is cut by that of its first row, and then once more.
        end = start + max(1, _AT_ONCE // width(lengths[order[start : start + 1]]))
        end = start + max(1, _AT_ONCE // width(lengths[order[start:end]]))
        yield order[start:end]
        start = end


def width(lengths: Ints) -> int:
    return -(-int(lengths.max()) // _STEP) * _STEP
