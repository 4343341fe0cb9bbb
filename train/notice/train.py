"""Teachers learn from the labels, a student from the teachers and the labels.

Few thousand messages are enough to train a tagger, but each such tagger errs in ways of its own. The mean of several
errs less, and can be had from one model: the student learns that mean, on many more texts than there are labels for.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from train.notice import losses
from train.notice.batch import Batch, Likely, batch, soft
from train.notice.encode import Example
from train.notice.model import Tagger
from train.notice.settings import Schedule, Settings

Weights = Mapping[str, Tensor]
_AT_ONCE = 64
"""How many examples a trained model looks at together."""


def teacher(
    examples: Sequence[Example], weights: Weights, seed: int, settings: Settings, device: torch.device
) -> Tagger:
    """A model that has learned the labels."""
    model = _fresh(weights, seed, settings, device)

    def loss(places: Sequence[int]) -> Tensor:
        these = batch([examples[place] for place in places], device)
        return losses.from_labels(*_logits(model, these), these, settings.key_weight)

    return _fitted(model, len(examples), loss, settings.teacher, seed, settings)


def student(
    examples: Sequence[Example],
    extra: Sequence[Example],
    opinion: Sequence[Likely],
    weights: Weights,
    settings: Settings,
    device: torch.device,
) -> Tagger:
    """A model that has learned what the teachers make of the labelled examples and of extra ones without labels."""
    model = _fresh(weights, settings.student_seed, settings, device)
    everything = [*examples, *extra]

    def loss(places: Sequence[int]) -> Tensor:
        these = batch([everything[place] for place in places], device)
        taught = soft([opinion[place] for place in places], [place < len(examples) for place in places], device)
        return losses.from_teachers(*_logits(model, these), these, taught, settings.hard_weight, settings.key_weight)

    return _fitted(model, len(everything), loss, settings.student, settings.student_seed, settings)


def opinion(models: Sequence[Tagger], examples: Sequence[Example], device: torch.device) -> list[Likely]:
    """What models make of examples, on average."""
    each = [predicted(model, examples, device) for model in models]
    return [
        Likely(np.mean([likely.kinds for likely in of_one], 0), np.mean([likely.keys for likely in of_one], 0))
        for of_one in zip(*each, strict=True)
    ]


@torch.no_grad()
def predicted(model: Tagger, examples: Sequence[Example], device: torch.device) -> list[Likely]:
    """What a model makes of examples."""
    found: list[Likely] = []
    for start in range(0, len(examples), _AT_ONCE):
        part = examples[start : start + _AT_ONCE]
        kinds, keys = _logits(model, batch(part, device))
        likely = zip(part, kinds.sigmoid().cpu().numpy(), keys.softmax(-1).cpu().numpy(), strict=True)
        found += [Likely(kinds[: len(each.ids)], keys[: len(each.ids)]) for each, kinds, keys in likely]
    return found


def _fresh(weights: Weights, seed: int, settings: Settings, device: torch.device) -> Tagger:
    torch.manual_seed(seed)
    return Tagger(weights, settings.layers, settings.dropout).to(device)


def _logits(model: Tagger, these: Batch) -> tuple[Tensor, Tensor]:
    """The model's answer. A GPU reckons it in 16 bits; losses are always taken in 32."""
    device = these.ids.device.type
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        kinds, keys = model(these.ids, these.mask)
    return kinds.float(), keys.float()


def _fitted(
    model: Tagger,
    count: int,
    loss: Callable[[Sequence[int]], Tensor],
    schedule: Schedule,
    seed: int,
    settings: Settings,
) -> Tagger:
    """A model after all epochs. `loss` takes the places of the examples that make up a batch."""
    model.train()
    dice = random.Random(seed)
    batches = math.ceil(count / schedule.batch)
    optimizer = _optimizer(model, schedule, settings)
    rates = torch.optim.lr_scheduler.LambdaLR(optimizer, _rise_and_fall(schedule.epochs * batches, schedule.warm_up))
    for epoch in range(1, schedule.epochs + 1):
        order = dice.sample(range(count), count)
        total = 0.0
        for start in range(0, count, schedule.batch):
            now = loss(order[start : start + schedule.batch])
            optimizer.zero_grad()
            now.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
            optimizer.step()
            rates.step()
            total += now.item()
        print(f"  epoch {epoch} of {schedule.epochs}: loss {total / batches:.4f}", flush=True)
    return model.eval()


def _optimizer(model: Tagger, schedule: Schedule, settings: Settings) -> torch.optim.Optimizer:
    body = [weights for weights in model.body.parameters() if weights.requires_grad]
    heads = [*model.kinds.parameters(), *model.keys.parameters()]
    return torch.optim.AdamW(
        [
            {"params": body, "lr": schedule.rate},
            {"params": heads, "lr": schedule.rate * schedule.head_factor},
        ],
        weight_decay=settings.weight_decay,
    )


def _rise_and_fall(steps: int, warm_up: float) -> Callable[[int], float]:
    """The part of the highest rate at each step."""
    return lambda step: min(1.0, (step + 1) / (warm_up * steps)) * max(0.0, 1 - step / steps)
