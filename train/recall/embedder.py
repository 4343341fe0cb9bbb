"""Training an embedder: a question shall lie next to the turn that answers it, and away from all others at hand."""

import random
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, kl_div, log_softmax, pad, softmax

from train.recall.fit import batches, drawn, fit, labelled
from train.recall.mine import Negatives
from train.recall.network import Embedder, State
from train.recall.prepared import Ints, Prepared
from train.recall.reranker import Opinion
from train.recall.settings import Schedule, Settings
from train.recall.tables import Table, embedded

_IMPOSSIBLE = -1e4


@dataclass(frozen=True, slots=True)
class Lesson:
    """What an embedder learns from."""

    prepared: Prepared
    table: Table
    base: Tensor
    """The base model's vectors of all rows."""
    negatives: Negatives
    examples: Ints
    opinion: Opinion | None = None
    """What a reranker makes of the same turns, if the embedder learns from it too."""


def train(start: State, lesson: Lesson, schedule: Schedule, seed: int, settings: Settings, label: str) -> Embedder:
    """An embedder that has learned a lesson."""
    torch.manual_seed(seed)
    dice = random.Random(seed)
    model = Embedder(settings.layers, settings.dropout)
    model.b.load_state_dict(dict(start))
    model.to(lesson.base.device)
    families = torch.from_numpy(lesson.prepared.families).to(lesson.base.device)

    def loss(batch: Ints) -> Tensor:
        turns = drawn(lesson.prepared, lesson.negatives, batch, schedule, dice)
        questions = _questions(lesson.prepared, batch, settings.with_names, dice)
        # Answers first, then all wrong turns of the first question, of the second …
        texts = [*turns[:, 0], *turns[:, 1:].ravel()]
        rows = np.array([*questions, *texts])
        vectors = embedded(model, lesson.table, rows)
        asked, said = vectors[: len(batch)], vectors[len(batch) :]
        scores = asked @ said.T / settings.temperature
        same = _may_answer(lesson, batch, families, settings.alike)
        masked = _no_negatives(same, np.array(texts), schedule.negatives)
        theirs = None
        if lesson.opinion is not None:
            theirs = lesson.opinion.of(batch, turns).to(scores.device)
            # What the teacher likes better than the answer is no wrong turn.
            masked.scatter_(1, _own_places(scores, schedule.negatives), pad(theirs[:, 1:] > theirs[:, :1], (1, 0)))
        right = torch.arange(len(batch), device=scores.device)
        of_each = cross_entropy(scores.masked_fill(masked, _IMPOSSIBLE), right, reduction="none")
        found = (of_each * labelled(lesson.prepared, batch, scores.device)).mean()
        if theirs is not None:
            own = scores.gather(1, _own_places(scores, schedule.negatives))
            taught = kl_div(log_softmax(own, 1), softmax(theirs / settings.softness, 1), reduction="batchmean")
            found = (1 - settings.taught) * found + settings.taught * taught
        moved = 1 - (vectors * lesson.base[torch.from_numpy(rows).to(vectors.device)]).sum(1)
        return found + settings.faithful * moved.mean()

    fit(model, batches(lesson.prepared, lesson.examples, schedule, dice), loss, schedule, settings, label)
    return model


def _questions(prepared: Prepared, batch: Ints, with_names: float, dice: random.Random) -> list[int]:
    return [
        int(prepared.asked[example] if dice.random() < with_names else prepared.bare[example])
        for example in batch.tolist()
    ]


def _may_answer(lesson: Lesson, batch: Ints, families: Tensor, alike: float) -> Tensor:
    """Which other questions of a batch are so like a question that their turns may answer it."""
    places = torch.from_numpy(batch).to(families.device)
    asked = lesson.base[torch.from_numpy(lesson.prepared.bare[batch]).to(families.device)]
    family = families[places]
    same = (asked @ asked.T > alike) | ((family[:, None] == family[None]) & (family >= 0)[:, None])
    return same.fill_diagonal_(False)


def _no_negatives(same: Tensor, texts: Ints, negatives: int) -> Tensor:
    """Which texts of a batch are no negatives of which question: those of questions alike, and the answer itself."""
    count, turns = len(same), torch.from_numpy(texts).to(same.device)
    masked = torch.cat([same, same.repeat_interleave(negatives, 1)], 1)
    copies = turns[None] == turns[:count, None]
    return masked | copies.fill_diagonal_(False)


def _own_places(scores: Tensor, negatives: int) -> Tensor:
    """Where each question has its own answer and its own wrong turns."""
    count = len(scores)
    places = torch.arange(count, device=scores.device)[:, None]
    wrong = count + places * negatives + torch.arange(negatives, device=scores.device)
    return torch.cat([places, wrong], 1)
