"""Teachers learn from the labels; a student learns what the teachers think, on average, and the labels."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

from train.same.model import Comparer
from train.same.pairs import Example
from train.same.settings import Settings

_AT_ONCE = 256
"""How many pairs a trained model looks at together."""


def teacher(
    examples: Sequence[Example], weights: Mapping[str, Tensor], seed: int, settings: Settings, device: torch.device
) -> Comparer:
    """A model that has learned the labels."""
    wanted = [float(example.same) for example in examples]
    return _fitted(examples, wanted, weights, seed, settings.epochs, settings, device)


def student(
    examples: Sequence[Example],
    opinion: Sequence[float],
    weights: Mapping[str, Tensor],
    settings: Settings,
    device: torch.device,
) -> Comparer:
    """A model that has learned the teachers' opinion, and something of the labels."""
    hard = settings.hard_weight
    wanted = [hard * example.same + (1 - hard) * said for example, said in zip(examples, opinion, strict=True)]
    return _fitted(examples, wanted, weights, settings.student_seed, settings.student_epochs, settings, device)


@torch.no_grad()
def likely(model: Comparer, examples: Sequence[Example], device: torch.device) -> NDArray[np.float32]:
    """How likely each pair says the same."""
    rows = _Rows.of(examples, device)
    parts = (range(start, min(start + _AT_ONCE, len(examples))) for start in range(0, len(examples), _AT_ONCE))
    return np.concatenate([rows.logits(model, part).sigmoid().cpu().numpy() for part in parts])


def _fitted(
    examples: Sequence[Example],
    wanted: Sequence[float],
    weights: Mapping[str, Tensor],
    seed: int,
    epochs: int,
    settings: Settings,
    device: torch.device,
) -> Comparer:
    torch.manual_seed(seed)
    model = Comparer(weights, settings.layers, settings.dropout).to(device).train()
    batches = math.ceil(len(examples) / settings.batch)
    optimizer = _optimizer(model, settings)
    rates = torch.optim.lr_scheduler.LambdaLR(optimizer, _rise_and_fall(epochs * batches, settings.warm_up))
    dice, targets, rows = random.Random(seed), torch.tensor(wanted, device=device), _Rows.of(examples, device)
    for epoch in range(1, epochs + 1):
        order, total = dice.sample(range(len(examples)), len(examples)), torch.zeros((), device=device)
        for start in range(0, len(order), settings.batch):
            places = order[start : start + settings.batch]
            loss = cross_entropy(rows.logits(model, places), targets[places])
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
            optimizer.step()
            rates.step()
            total = total + loss.detach()
        print(f"  epoch {epoch} of {epochs}: loss {total.item() / batches:.4f}", flush=True)
    return model.eval()


@dataclass(frozen=True, slots=True)
class _Rows:
    """All examples on the device, where a batch is cut out of them."""

    ids: Tensor
    lengths: Tensor

    @classmethod
    def of(cls, examples: Sequence[Example], device: torch.device) -> "_Rows":
        lengths = torch.tensor([len(example.ids) for example in examples])
        ids = torch.zeros(len(examples), int(lengths.max()), dtype=torch.long)
        for row, example in enumerate(examples):
            ids[row, : len(example.ids)] = torch.tensor(example.ids)
        return cls(ids.to(device), lengths)

    def logits(self, model: Comparer, places: Sequence[int]) -> Tensor:
        """The model's answer. A GPU reckons it in 16 bits; losses are always taken in 32."""
        chosen = torch.tensor(list(places))
        ids = self.ids[chosen.to(self.ids.device), : int(self.lengths[chosen].max())]
        with torch.autocast(ids.device.type, torch.bfloat16, enabled=ids.device.type == "cuda"):
            found: Tensor = model(ids, (ids > 0).long())
        return found.float()


def _optimizer(model: Comparer, settings: Settings) -> torch.optim.Optimizer:
    body = [weights for weights in model.body.parameters() if weights.requires_grad]
    heads = [*model.between.parameters(), *model.head.parameters()]
    groups = [{"params": body, "lr": settings.rate}, {"params": heads, "lr": settings.rate * settings.head_factor}]
    return torch.optim.AdamW(groups, weight_decay=settings.weight_decay)


def _rise_and_fall(steps: int, warm_up: float) -> Callable[[int], float]:
    """The part of the highest rate at each step."""
    return lambda step: min(1.0, (step + 1) / (warm_up * steps)) * max(0.0, 1 - step / steps)
