"""A last lesson for a trained model: messages joined to longer ones, and those of the set's own writers more often.

In a long message a tagger overlooks what it sees in a short one, because few labelled messages are long. Two or three
of them make one. A few epochs at a low rate are enough, and a CPU.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from train.notice import losses
from train.notice.align import Place, Span, spans
from train.notice.batch import batch
from train.notice.encode import Example, encode
from train.notice.messages import Message
from train.notice.model import Tagger
from train.notice.settings import Settings

_NOT_JOINED = frozenset('"“”`:*<>{}')
"""What opens something that would reach into the message that follows: a quote, a list, code."""
_LONGEST_JOINED = 400
_STOPS = (".", "!", "?")
_BUCKET = 20
"""Batches that are sorted by length together, so that little is filled up."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A message with its spans."""

    message: Message
    spans: tuple[Span, ...]

    @property
    def joins(self) -> bool:
        """Whether another message may stand beside it."""
        text = self.message.content
        return len(text) < _LONGEST_JOINED and not _NOT_JOINED.intersection(text)


def polish(model: Tagger, messages: Sequence[Message], settings: Settings, device: torch.device) -> Tagger:
    """Train a model on, with messages joined anew in each epoch."""
    dice = random.Random(settings.polish_seed)
    torch.manual_seed(settings.polish_seed)
    marked = [Marked(each, tuple(spans(each))) for each in messages if each.role == "user"]
    weights = [each for each in model.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=settings.polish.rate, weight_decay=settings.weight_decay)
    model.train()
    for epoch in range(settings.polish.epochs):
        examples = [_example(group, dice) for group in _groups(_weighted(marked, settings, dice), dice)]
        batches = _batches(examples, settings.polish.batch, dice)
        total = 0.0
        for number, places in enumerate(batches):
            done = (epoch + number / len(batches)) / settings.polish.epochs
            for group in optimizer.param_groups:
                group["lr"] = settings.polish.rate * min(1.0, done / settings.polish.warm_up + 0.02) * (1 - done)
            total += _step(model, [examples[place] for place in places], weights, optimizer, settings, device)
        print(f"  epoch {epoch + 1} of {settings.polish.epochs}: loss {total / len(batches):.4f}", flush=True)
    return model.eval()


def _weighted(marked: Sequence[Marked], settings: Settings, dice: random.Random) -> list[Marked]:
    """The messages of some sets, each as often as it counts, and a share of the others."""
    weights = settings.polish_weights
    often = [each for each in marked for _ in range(weights.get(each.message.set, 0))]
    others = [each for each in marked if each.message.set not in weights]
    return [*often, *dice.sample(others, round(len(others) * settings.polish_rest))]


def _groups(pool: Sequence[Marked], dice: random.Random) -> list[list[Marked]]:
    """All messages in another order, most of them alone, others two or three together."""
    waiting = dice.sample(pool, len(pool))
    groups: list[list[Marked]] = []
    while waiting:
        group = [waiting.pop()]
        wanted = dice.choices((1, 2, 3), (6, 2, 1))[0]
        while len(group) < wanted and waiting and _fit(group, waiting[-1]):
            group.append(waiting.pop())
        groups.append(group)
    return groups


def _fit(group: Sequence[Marked], more: Marked) -> bool:
    return group[-1].joins and more.joins and group[0].message.own == more.message.own


def _example(group: Sequence[Marked], dice: random.Random) -> Example:
    """Messages one after the other, as one."""
    text, found = "", list[Span]()
    for each in group:
        if text:
            text += ("" if text.rstrip().endswith(_STOPS) else ".") + dice.choice((" ", " ", " ", "\n"))
        found += [_moved(span, len(text)) for span in each.spans]
        text += each.message.content
    return encode(text, found, own=group[0].message.own)


def _moved(span: Span, by: int) -> Span:
    return Span(Place(span.place.start + by, span.place.end + by), span.label, span.counts)


def _batches(examples: Sequence[Example], size: int, dice: random.Random) -> list[list[int]]:
    order = dice.sample(range(len(examples)), len(examples))
    batches = []
    for start in range(0, len(order), size * _BUCKET):
        bucket = sorted(order[start : start + size * _BUCKET], key=lambda place: len(examples[place].ids))
        batches += [bucket[at : at + size] for at in range(0, len(bucket), size)]
    return dice.sample(batches, len(batches))


def _step(
    model: Tagger,
    examples: Sequence[Example],
    weights: Sequence[torch.nn.Parameter],
    optimizer: torch.optim.Optimizer,
    settings: Settings,
    device: torch.device,
) -> float:
    these = batch(examples, device)
    loss = losses.from_labels(*model(these.ids, these.mask), these, settings.key_weight)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(weights, settings.clip)
    optimizer.step()
    return float(loss.item())
