"""The order of things: from prepared talks to lists that a teacher has scored, and from these to the models that ship.

An embedder is the mean of three: the first learns from the labels, the second also from the teacher, and the third
likewise, with sets weighed differently.
"""

import time
from functools import cached_property
from pathlib import Path

import numpy as np
import torch

from train.recall import embedder, reranker, score, teacher
from train.recall.base import Base
from train.recall.embedder import Lesson
from train.recall.export import export
from train.recall.fit import usable
from train.recall.lists import Lists
from train.recall.mine import Negatives, mined, mixed
from train.recall.network import Embedder, Reranker, average, fewer_layers
from train.recall.prepared import Ints, Prepared
from train.recall.reranker import Opinion
from train.recall.score import Conversations
from train.recall.settings import Schedule, Settings
from train.recall.tables import Pairs, Table, all_embedded
from train.recall.talks import held_out

MODELS = ("embedder", "reranker")
"""What can be made."""


class Kitchen:
    """Everything that one run makes, each when it is first asked for."""

    def __init__(self, seed: int, prepared: Prepared, base: Base, settings: Settings, device: torch.device) -> None:
        self.seed, self.prepared, self.settings, self.device = seed, prepared, settings, device
        self._words = base.words
        weights = {name: torch.from_numpy(values) for name, values in base.weights().items()}
        self._start = fewer_layers(weights, range(settings.layers))
        self._table = Table(prepared.rows, device)
        self._apart = held_out(prepared.talk_sets, settings)
        self._started = time.monotonic()

    def say(self, what: str) -> None:
        """Print what has been done, with the time it took since the start."""
        print(f"[{self.seed}, {time.monotonic() - self._started:.0f} s] {what}", flush=True)

    # Lists ---------------------------------------------------------------------------------------

    def taught(self, file: teacher.File | None) -> Lists:
        """What the base and a first embedder take for answers, scored by a teacher; without one, by a reranker."""
        first = self._embedder(Lesson(*self._lesson, self._base_negatives, self._examples), self.settings.first, 0)
        negatives = mixed(self._base_negatives, mined(self.prepared, self._vectors(first), self.settings))
        pairs: Pairs | teacher.Lessons
        model: Reranker | teacher.Teacher
        if file is None:
            pairs, model = self._pairs, self._fresh_reranker()
        else:
            pairs = teacher.Lessons(self.prepared, file.tokenizer(), self.settings.teacher_window, self.device)
            model = file.model(self.settings.teacher_layers, self.device)
            self.say("the language model is there")
        self._train_on(pairs, model.to(self.device), negatives, self.settings.teacher, "teacher", None)
        self.say(f"teacher first by {score.of_reranker(model, pairs, self.prepared, self._unseen)}")
        found = reranker.opinion(model, pairs, self.prepared, negatives, self._examples)
        self.say("the teacher's opinion is known")
        return Lists(negatives, found)

    # Models --------------------------------------------------------------------------------------

    def write(self, model: str, lists: Lists, folder: Path, conversations: Conversations | None) -> None:
        """Make a model, write it, and say how good it is on talks that were kept apart."""
        self._lists = lists
        made: Embedder | Reranker = getattr(self, model)
        export(made, self.settings.layers, self._words, folder / f"{model}.onnx")
        if isinstance(made, Embedder):
            self.say(f"embedder first by {score.of_embedder(made, self._table, self.prepared, self._unseen)}")
            if conversations:
                self.say(f"embedder, recall@5 / 10 / 20 on LoCoMo: {conversations.recall(made)}")
        else:
            self.say(f"reranker first by {score.of_reranker(made, self._pairs, self.prepared, self._unseen)}")

    @cached_property
    def embedder(self) -> Embedder:
        """The mean of three runs."""
        labels = Lesson(*self._lesson, self._lists.negatives, self._examples)
        both = Lesson(*self._lesson, self._lists.negatives, self._examples, self._lists.opinion)
        runs = ((labels, self.settings.first), (both, self.settings.second), (both, self.settings.third))
        states = [self._embedder(lesson, schedule, run).state_dict() for run, (lesson, schedule) in enumerate(runs, 1)]
        mean = Embedder(self.settings.layers)
        mean.load_state_dict(average(states))
        return mean.to(self.device).eval()

    @cached_property
    def reranker(self) -> Reranker:
        """What learns from the teacher to score a turn as it does."""
        made = self._fresh_reranker()
        self._train_on(
            self._pairs, made, self._lists.negatives, self.settings.reranker, "reranker", self._lists.opinion
        )
        return made

    # What they are made with ---------------------------------------------------------------------

    def _embedder(self, lesson: Lesson, schedule: Schedule, run: int) -> Embedder:
        label = f"[{self.seed}] embedder {run}"
        return embedder.train(self._start, lesson, schedule, self._seed_of(run), self.settings, label)

    def _fresh_reranker(self) -> Reranker:
        torch.manual_seed(self._seed_of(4))
        made = Reranker(self.settings.layers, self.settings.dropout)
        made.b.load_state_dict(self._start)
        return made.to(self.device)

    def _train_on(
        self,
        pairs: "Pairs | teacher.Lessons",
        model: "Reranker | teacher.Teacher",
        negatives: Negatives,
        schedule: Schedule,
        name: str,
        taught: Opinion | None,
    ) -> None:
        label, seed = f"[{self.seed}] {name}", self._seed_of(4)
        examples = self._examples
        reranker.train(model, pairs, self.prepared, negatives, examples, schedule, seed, self.settings, label, taught)

    @cached_property
    def _lesson(self) -> tuple[Prepared, Table, torch.Tensor]:
        base = Embedder(self.settings.layers)
        base.b.load_state_dict(self._start)
        return self.prepared, self._table, self._vectors(base.to(self.device))

    def _vectors(self, model: Embedder) -> torch.Tensor:
        return all_embedded(model, self._table, np.arange(len(self.prepared.rows.lengths)))

    @cached_property
    def _base_negatives(self) -> Negatives:
        found = mined(self.prepared, self._lesson[2], self.settings)
        self.say(f"negatives for {len(found.counts)} questions, {found.counts.mean():.1f} each")
        return found

    @cached_property
    def _examples(self) -> Ints:
        return usable(self.prepared, self._base_negatives, self._apart)

    @cached_property
    def _unseen(self) -> Ints:
        return np.flatnonzero(np.isin(self.prepared.talks, list(self._apart)))

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs(self.prepared, self.settings.window, self.device)

    def _seed_of(self, run: int) -> int:
        """Seeds of the runs of one seed and of the next have nothing in common."""
        return 100 * self.seed + run
