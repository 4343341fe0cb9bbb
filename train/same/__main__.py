"""Make `recollect-same-v1`, or see what it learns: `python -m train.same --help`, at the root of the repository."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from train.notice.model import embedder_weights
from train.same import pairs, train
from train.same.export import export
from train.same.model import Comparer
from train.same.pairs import Example, Group
from train.same.settings import SHIPPED, SMOKE, Settings

_PARTS = 5


def main() -> None:
    """The command line."""
    asked = _arguments()
    settings = SMOKE if asked.smoke else SHIPPED
    device = torch.device("cuda" if torch.cuda.is_available() and not asked.smoke else "cpu")
    started = time.monotonic()
    groups = pairs.read()[: settings.groups]
    if asked.command == "make":
        export(make(groups, settings, device), asked.out)
    else:
        try_out(groups, settings, device)
    print(f"{time.monotonic() - started:.0f} s on {device}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m train.same", description="Make the model that compares statements."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make", help="make the model")
    maker.add_argument("--out", type=Path, required=True, help="the file to write, such as model.onnx")
    trier = commands.add_parser("try", help="train without a fifth of the groups, and score on those")
    for command in (maker, trier):
        command.add_argument("--smoke", action="store_true", help="a quick try on a CPU, to see that all of it works")
    return parser.parse_args()


def make(groups: Sequence[Group], settings: Settings, device: torch.device) -> Comparer:
    """Teachers, then a student that thinks as they do on average."""
    examples = pairs.examples(groups, settings.strangers)
    print(f"{len(groups)} groups, {len(examples)} pairs", flush=True)
    weights = embedder_weights()
    opinions = []
    for seed in range(settings.teachers):
        print(f"teacher {seed}", flush=True)
        opinions.append(train.likely(train.teacher(examples, weights, seed, settings, device), examples, device))
    print("student", flush=True)
    return train.student(examples, np.mean(opinions, 0).tolist(), weights, settings, device)


def try_out(groups: Sequence[Group], settings: Settings, device: torch.device) -> None:
    """How well a model does on groups that it never saw."""
    kept = [group for place, group in enumerate(groups) if place % _PARTS]
    seen = make(kept, settings, device)
    unseen = [group for place, group in enumerate(groups) if place % _PARTS == 0]
    report(seen, pairs.examples(unseen, settings.strangers), device)


def report(model: Comparer, examples: Sequence[Example], device: torch.device) -> None:
    """What is found, and what is wrong, at several thresholds."""
    found = train.likely(model, examples, device)
    same = np.array([example.same for example in examples])
    print("likely  of the same  of the others")
    for least in (0.5, 0.7, 0.8, 0.9, 0.95, 0.98):
        print(f"{least:6.2f}  {(found[same] >= least).mean():11.3f}  {(found[~same] >= least).mean():13.4f}")


if __name__ == "__main__":
    main()
