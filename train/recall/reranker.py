"""Training a reranker: of a list of turns, the one that answers the question shall score highest.

The teacher learns from the labels; the one that ships learns the same lists, and more from the scores that the teacher
gives them than from the labels: these know one answer, the teacher has an opinion on every turn of a list.

A list teaches an order, whatever the scores in it. So that a score alone also says whether a turn answers, and a
search may come back empty, the one that ships learns what the teacher makes of each turn for itself as well.
"""

import random
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits as judged
from torch.nn.functional import cross_entropy, kl_div, log_softmax, softmax

from train.recall.fit import batches, drawn, fit, labelled
from train.recall.mine import Negatives
from train.recall.network import Reranker
from train.recall.prepared import NONE, Ints, Prepared
from train.recall.settings import Schedule, Settings
from train.recall.tables import Pairs


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a reranker makes of the answers and the wrong turns of all examples."""

    texts: Ints
    scores: NDArray[np.float32]

    def of(self, batch: Ints, turns: Ints) -> Tensor:
        """The scores of turns, each of which is an answer or a wrong turn of its example."""
        places = (self.texts[batch][:, None] == turns[:, :, None]).argmax(2)
        return torch.from_numpy(np.take_along_axis(self.scores[batch], places, 1))


def opinion(model: Reranker, pairs: Pairs, prepared: Prepared, negatives: Negatives, examples: Ints) -> Opinion:
    """The scores of a reranker on everything that others will learn from."""
    texts = np.concatenate([prepared.golds, negatives.table], 1)
    scored = np.zeros(texts.shape, bool)
    scored[examples] = texts[examples] != NONE
    scores = np.zeros(texts.shape, np.float32)
    asked = np.broadcast_to(prepared.asked[:, None], texts.shape)
    scores[scored] = pairs.all_scores(model, asked[scored], texts[scored]).cpu().numpy()
    return Opinion(texts, scores)


def train(
    model: Reranker,
    pairs: Pairs,
    prepared: Prepared,
    negatives: Negatives,
    examples: Ints,
    schedule: Schedule,
    seed: int,
    settings: Settings,
    label: str,
    taught: Opinion | None = None,
) -> None:
    """Train a reranker on lists of one answer and wrong turns; with an opinion, to think alike."""
    dice = random.Random(seed)

    def loss(batch: Ints) -> Tensor:
        turns = drawn(prepared, negatives, batch, schedule, dice)
        as_is = np.array([dice.random() < settings.asked_as_is for _ in batch])
        questions = np.where(as_is, prepared.asked[batch], prepared.bare[batch])
        alone = dice.random() >= settings.with_previous
        scores = pairs.scores(model, np.repeat(questions, turns.shape[1]), turns.ravel(), alone).view(turns.shape)
        right = torch.zeros_like(scores)
        right[:, 0] = 1.0
        found = (cross_entropy(scores, right, reduction="none") * labelled(prepared, batch, scores.device)).mean()
        if taught is None:
            return found
        theirs = taught.of(batch, turns).to(scores.device)
        soft = softmax(theirs / settings.softness, 1)
        alike = kl_div(log_softmax(scores / settings.softness, 1), soft, reduction="batchmean")
        order = (1 - settings.reranker_taught) * found + settings.reranker_taught * settings.softness**2 * alike
        return order + settings.absolute * judged(scores, theirs.sigmoid())

    fit(model, batches(prepared, examples, schedule, dice), loss, schedule, settings, label)
