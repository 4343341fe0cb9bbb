"""The order of things: from prepared talks to an embedder, a reranker and a small reranker, of one seed.

An embedder is the mean of three: the first and the second learn from the labels, with sets weighed differently; the
third also from a reranker, which in turn learns from what the first takes for answers.
"""

import re
import time
from functools import cached_property
from pathlib import Path

import numpy as np
import torch

from train.recall import embedder, reranker, score
from train.recall.base import Base
from train.recall.embedder import Lesson
from train.recall.export import export
from train.recall.fit import usable
from train.recall.mine import Negatives, mined, mixed
from train.recall.network import Embedder, Reranker, average, fewer_layers
from train.recall.prepared import Ints, Prepared
from train.recall.reranker import Opinion
from train.recall.score import Conversations
from train.recall.settings import Settings
from train.recall.tables import Pairs, Table, all_embedded
from train.recall.talks import held_out

MODELS = ("reranker", "embedder", "small")
"""What can be made; in this order, because each needs the one before."""


class Kitchen:
    """Everything that one run makes, each when it is first asked for. A run begins with its seed: `1+friendsqa`."""

    def __init__(self, run: str, prepared: Prepared, base: Base, settings: Settings, device: torch.device) -> None:
        self.run, self.prepared, self.settings, self.device = run, prepared, settings, device
        self.seed = int(re.split(r"[+-]", run)[0])
        self._words = base.words
        weights = {name: torch.from_numpy(values) for name, values in base.weights().items()}
        self._start = fewer_layers(weights, range(settings.layers))
        self._table = Table(prepared.rows, device)
        self._apart = held_out(prepared.talk_sets, settings.held_out, self.seed)
        self._started = time.monotonic()

    def write(self, model: str, folder: Path, conversations: Conversations | None) -> None:
        """Make a model, write it, and say how good it is on talks that were kept apart."""
        made: Embedder | Reranker = getattr(self, model)
        layers = len(self.settings.small_layers) if model == "small" else self.settings.layers
        export(made, layers, self._words, folder / f"{model}.onnx")
        if isinstance(made, Embedder):
            self.say(f"embedder first by {score.of_embedder(made, self._table, self.prepared, self._unseen)}")
            if conversations:
                self.say(f"embedder, recall@5 / 10 / 20 on LoCoMo: {conversations.recall(made)}")
        else:
            pairs = self._small_pairs if model == "small" else self._pairs
            self.say(f"{model} first by {score.of_reranker(made, pairs, self.prepared, self._unseen)}")

    def say(self, what: str) -> None:
        """Print what has been done, with the time it took since the start."""
        print(f"[{self.run}, {time.monotonic() - self._started:.0f} s] {what}", flush=True)

    @cached_property
    def embedder(self) -> Embedder:
        """The mean of three runs."""
        lesson = Lesson(self.prepared, self._table, self._base_vectors, self._negatives, self._examples, self._opinion)
        third = embedder.train(
            self._start, lesson, self.settings.third, self._seed_of(2), self.settings, f"[{self.run}] third embedder"
        )
        mean = Embedder(self.settings.layers)
        mean.load_state_dict(average([self._first.state_dict(), self._second.state_dict(), third.state_dict()]))
        return mean.to(self.device).eval()

    @cached_property
    def reranker(self) -> Reranker:
        """The large reranker."""
        made = self._fresh_reranker(self.settings.layers)
        made.b.load_state_dict(self._start)
        return self._trained(made, self._pairs, "reranker")

    @cached_property
    def small(self) -> Reranker:
        """The small reranker, which starts from some layers of the large one and learns to think as that does."""
        made = self._fresh_reranker(len(self.settings.small_layers))
        made.load_state_dict(fewer_layers(self.reranker.state_dict(), self.settings.small_layers))
        return self._trained(made, self._small_pairs, "small")

    def _fresh_reranker(self, layers: int) -> Reranker:
        torch.manual_seed(self._seed_of(3))
        return Reranker(layers, self.settings.dropout)

    def _trained(self, model: Reranker, pairs: Pairs, name: str) -> Reranker:
        reranker.train(
            model.to(self.device),
            pairs,
            self.prepared,
            self._negatives,
            self._examples,
            getattr(self.settings, name),
            self._seed_of(3),
            self.settings,
            f"[{self.run}] {name}",
            self._opinion if name == "small" else None,
        )
        return model

    @cached_property
    def _first(self) -> Embedder:
        return embedder.train(
            self._start,
            self._labels,
            self.settings.first,
            self._seed_of(0),
            self.settings,
            f"[{self.run}] first embedder",
        )

    @cached_property
    def _second(self) -> Embedder:
        return embedder.train(
            self._start,
            self._labels,
            self.settings.second,
            self._seed_of(1),
            self.settings,
            f"[{self.run}] second embedder",
        )

    @cached_property
    def _labels(self) -> Lesson:
        return Lesson(self.prepared, self._table, self._base_vectors, self._base_negatives, self._examples)

    @cached_property
    def _base_vectors(self) -> torch.Tensor:
        base = Embedder(self.settings.layers)
        base.b.load_state_dict(self._start)
        return self._vectors(base.to(self.device))

    def _vectors(self, model: Embedder) -> torch.Tensor:
        return all_embedded(model, self._table, np.arange(len(self.prepared.rows.lengths)))

    @cached_property
    def _base_negatives(self) -> Negatives:
        found = mined(self.prepared, self._base_vectors, self.settings)
        self.say(f"negatives for {len(found.counts)} questions, {found.counts.mean():.1f} each")
        return found

    @cached_property
    def _negatives(self) -> Negatives:
        """What the base or the first embedder takes for an answer."""
        return mixed(self._base_negatives, mined(self.prepared, self._vectors(self._first), self.settings))

    @cached_property
    def _examples(self) -> Ints:
        return usable(self.prepared, self._base_negatives, self._apart)

    @cached_property
    def _unseen(self) -> Ints:
        return np.flatnonzero(np.isin(self.prepared.talks, list(self._apart)))

    @cached_property
    def _opinion(self) -> Opinion:
        found = reranker.opinion(self.reranker, self._pairs, self.prepared, self._negatives, self._examples)
        self.say("the reranker's opinion is known")
        return found

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs(self.prepared, self.settings.window, self.device)

    @cached_property
    def _small_pairs(self) -> Pairs:
        return Pairs(self.prepared, self.settings.small_window, self.device)

    def _seed_of(self, run: int) -> int:
        """Seeds of the runs of one seed and of the next have nothing in common."""
        return 100 * self.seed + run
