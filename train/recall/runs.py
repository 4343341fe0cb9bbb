"""Several runs at the same time, each in a process of its own: one alone leaves a GPU idle half of the time."""

import multiprocessing
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from train.recall import score
from train.recall.base import Base
from train.recall.make import Kitchen
from train.recall.prepared import Prepared, prepare
from train.recall.score import Conversations
from train.recall.settings import Settings
from train.recall.talks import Talk


@dataclass(frozen=True, slots=True)
class Order:
    """What every run makes."""

    models: tuple[str, ...]
    out: Path
    """The folder that each run has one of its own in."""
    base: Base
    locomo: Path | None = None
    """What embedders are scored on at the end."""


def make_all(runs: Sequence[str], order: Order, read: Sequence[Talk], settings: Settings) -> None:
    """Make the models of all runs. A run is a seed, and how its sets differ from the settings': `1+friendsqa-own`."""
    if len(runs) == 1:
        ((run, prepared, its_settings),) = _prepared(runs, order, read, settings)
        make_one(run, order, prepared, its_settings)
        return
    spawning = multiprocessing.get_context("spawn")
    processes = []
    for run, prepared, its_settings in _prepared(runs, order, read, settings):
        processes.append(spawning.Process(target=make_one, args=(run, order, prepared, its_settings)))
        processes[-1].start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise SystemExit("not every run came to its end")


def make_one(run: str, order: Order, prepared: Prepared, settings: Settings) -> None:
    """One seed from start to end; each model is written as soon as it is made."""
    torch.set_num_threads(settings.threads or torch.get_num_threads())
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    conversations = None
    if order.locomo:
        conversations = Conversations(score.locomo(order.locomo), order.base.tokenizer(), device)
    kitchen = Kitchen(run, prepared, order.base, settings, device)
    for model in order.models:
        kitchen.write(model, order.out / run, conversations)


def settings_of(run: str, settings: Settings) -> Settings:
    """Settings with the sets of a run."""
    taken, left = set(re.findall(r"\+(\w+)", run)), set(re.findall(r"-(\w+)", run))
    return replace(settings, left_out=(settings.left_out - taken) | left)


def _prepared(
    runs: Sequence[str], order: Order, read: Sequence[Talk], settings: Settings
) -> Iterator[tuple[str, Prepared, Settings]]:
    """What each run is made from; runs on the same sets share it."""
    made: dict[frozenset[str], Prepared] = {}
    for run in runs:
        its_settings = settings_of(run, settings)
        left_out, began = its_settings.left_out, time.monotonic()
        if left_out not in made:
            made[left_out] = prepare(read, order.base.tokenizer(), its_settings)
            seconds = time.monotonic() - began
            print(f"{len(made[left_out].asked)} questions without {sorted(left_out)}, {seconds:.0f} s", flush=True)
        yield run, made[left_out], its_settings
