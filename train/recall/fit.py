"""What the training of all models has in common: which questions come when, and how weights are moved."""

import random
import time
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from train.recall.mine import Negatives
from train.recall.prepared import NONE, Ints, Prepared
from train.recall.settings import Schedule, Settings

LEAST_NEGATIVES = 3
_SHOWN = 8
"""How often a run says how far it is."""


def usable(prepared: Prepared, negatives: Negatives, kept_apart: set[int]) -> Ints:
    """The examples that are trained on: of talks that are not kept apart, and with negatives to learn from."""
    apart = np.isin(prepared.talks, list(kept_apart))
    return np.flatnonzero(~apart & (negatives.counts >= LEAST_NEGATIVES))


def batches(prepared: Prepared, examples: Ints, schedule: Schedule, dice: random.Random) -> list[Ints]:
    """The examples of each step, over all epochs. A set of weight 0.7 gives seven tenths of its questions in each."""
    weights = [schedule.weights.get(name, 1.0) for name in prepared.sets[examples].tolist()]
    found = []
    for _ in range(schedule.epochs):
        taken = [
            example
            for example, weight in zip(examples.tolist(), weights, strict=True)
            for _ in range(int(weight) + (dice.random() < weight % 1))
        ]
        dice.shuffle(taken)
        ends = range(schedule.batch, len(taken) + 1, schedule.batch)
        found += [np.array(taken[end - schedule.batch : end]) for end in ends]
    return found


def drawn(prepared: Prepared, negatives: Negatives, batch: Ints, schedule: Schedule, dice: random.Random) -> Ints:
    """For each example one of its answers and then as many of its hardest wrong turns as are wanted.

    Where no answer is known, all of them are turns that look right.
    """
    rows = []
    for example in batch.tolist():
        golds = prepared.golds[example]
        hard = negatives.table[example, : min(schedule.hardest, negatives.counts[example])].tolist()
        first = dice.choice(golds[golds != NONE].tolist() or hard)
        enough = len(hard) >= schedule.negatives
        rows.append([first, *(dice.sample if enough else dice.choices)(hard, k=schedule.negatives)])
    return np.array(rows)


def labelled(prepared: Prepared, batch: Ints, device: torch.device) -> Tensor:
    """1 for each example whose answers are known, so that the first of what is drawn for it is one of them; else 0."""
    return torch.from_numpy((prepared.golds[batch] != NONE).any(1)).to(device, torch.float32)


def fit(
    model: nn.Module,
    steps: Sequence[Ints],
    loss: Callable[[Ints], Tensor],
    schedule: Schedule,
    settings: Settings,
    label: str,
) -> None:
    """Train a model, one step for each batch of examples."""
    learned = [weights for weights in model.parameters() if weights.requires_grad]
    on_gpu = learned[0].device.type == "cuda"
    optimizer = torch.optim.AdamW(learned, lr=schedule.rate, weight_decay=settings.weight_decay, fused=on_gpu)
    rates = torch.optim.lr_scheduler.LambdaLR(optimizer, rise_and_fall(len(steps), schedule.warm_up))
    shown, started, total = max(1, len(steps) // _SHOWN), time.monotonic(), torch.zeros((), device=learned[0].device)
    model.train()
    for step, batch in enumerate(steps, 1):
        now = loss(batch)
        now.backward()
        torch.nn.utils.clip_grad_norm_(learned, settings.clip)
        optimizer.step()
        optimizer.zero_grad()
        rates.step()
        total += now.detach()
        if step % shown == 0:
            seconds = time.monotonic() - started
            print(
                f"  {label}: step {step} of {len(steps)}, loss {total.item() / shown:.3f}, {seconds:.0f} s", flush=True
            )
            total.zero_()
    model.eval()


def rise_and_fall(steps: int, warm_up: float) -> Callable[[int], float]:
    """The part of the highest rate at each step."""
    rising = max(1, round(warm_up * steps))
    return lambda step: (step + 1) / rising if step < rising else max(0.0, (steps - step) / max(1, steps - rising))
