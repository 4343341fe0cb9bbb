"""Runs from talks to files: the lists that a teacher scores, and the models of each seed, in a process of its own."""

import multiprocessing
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from train.recall import lists, score, talks, teacher
from train.recall.base import Base
from train.recall.make import Kitchen
from train.recall.prepared import Prepared, prepare
from train.recall.score import Conversations
from train.recall.settings import Settings

HERE = Path(__file__).parent
LIFE = HERE / "life.jsonl.xz"
"""Talks of our own, written for this."""
_TEACHER_SEED = 0


@dataclass(frozen=True, slots=True)
class Order:
    """What every run makes."""

    models: tuple[str, ...]
    out: Path
    """The folder that each run has one of its own in."""
    base: Base
    lists: Path
    """What `teach` wrote."""
    locomo: Path | None = None
    """What embedders are scored on at the end."""


def read_talks(dialogues: Path) -> list[talks.Talk]:
    """The talks of the file, and those of our own."""
    return [*talks.read(dialogues), *talks.read(LIFE)]


def teach(gguf: Path | None, base: Base, read: Sequence[talks.Talk], settings: Settings, out: Path) -> None:
    """Have a teacher score the lists of all questions, and keep them; without a file a reranker is the teacher."""
    prepared = _prepared(read, base, settings)
    kitchen = Kitchen(_TEACHER_SEED, prepared, base, settings, _device(settings))
    lists.write(kitchen.taught(teacher.File(gguf) if gguf else None), prepared, out)


def make_all(seeds: Sequence[int], order: Order, read: Sequence[talks.Talk], settings: Settings) -> None:
    """Make the models of all seeds."""
    prepared = _prepared(read, order.base, settings)
    if len(seeds) == 1:
        make_one(seeds[0], order, prepared, settings)
        return
    spawning = multiprocessing.get_context("spawn")
    processes = [spawning.Process(target=make_one, args=(seed, order, prepared, settings)) for seed in seeds]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise SystemExit("not every run came to its end")


def make_one(seed: int, order: Order, prepared: Prepared, settings: Settings) -> None:
    """One seed from start to end; each model is written as soon as it is made."""
    device = _device(settings)
    conversations = None
    if order.locomo:
        conversations = Conversations(score.locomo(order.locomo), order.base.tokenizer(), device)
    kitchen = Kitchen(seed, prepared, order.base, settings, device)
    scored = lists.read(order.lists, prepared)
    for model in order.models:
        kitchen.write(model, scored, order.out / str(seed), conversations)


def _device(settings: Settings) -> torch.device:
    torch.set_num_threads(settings.threads or torch.get_num_threads())
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _prepared(read: Sequence[talks.Talk], base: Base, settings: Settings) -> Prepared:
    began = time.monotonic()
    found = prepare(read, base.tokenizer(), settings)
    print(f"{len(found.asked)} questions, {time.monotonic() - began:.0f} s", flush=True)
    return found
