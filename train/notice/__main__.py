"""Make `recollect-notice-v1`, or see what it learns: `python -m train.notice --help`, at the root of the repository."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from train.notice import messages, train, turns
from train.notice.batch import Likely
from train.notice.encode import Example, labelled, unlabelled
from train.notice.export import export
from train.notice.messages import Message
from train.notice.model import Tagger, embedder_weights, trained
from train.notice.polish import polish
from train.notice.score import scores
from train.notice.settings import FURTHER, SHIPPED, SMOKE, Settings


def main() -> None:
    """The command line."""
    asked = _arguments()
    smoke = getattr(asked, "smoke", False)
    settings = SMOKE if smoke else SHIPPED
    device = torch.device("cuda" if torch.cuda.is_available() and not smoke else "cpu")
    started = time.monotonic()
    if asked.command == "make":
        make(settings, asked.turns, asked.out, device)
    elif asked.command == "further":
        further(FURTHER, asked.start, asked.out, device)
    else:
        try_out(settings, asked.leave_out, asked.teachers, device)
    print(f"{time.monotonic() - started:.0f} s on {device}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m train.notice", description="Make the tagger of messages.")
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make", help="make the model")
    maker.add_argument("--turns", type=Path, help="dialogues.jsonl.xz, which the unlabelled turns are drawn from")
    maker.add_argument("--out", type=Path, required=True, help="the file to write, such as model.onnx")
    trier = commands.add_parser("try", help="train teachers without some sets, and score them on those")
    trier.add_argument(
        "--leave-out", nargs="+", default=["h+k", "v+w"], metavar="SETS", help="such as h+k v+w: first h and k, then …"
    )
    trier.add_argument("--teachers", type=int, default=1, help="how many are trained; their mean is scored")
    teacher = commands.add_parser("further", help="teach a model that is there already what newer messages say")
    teacher.add_argument("--start", type=Path, required=True, help="the file of that model")
    teacher.add_argument("--out", type=Path, required=True, help="the file to write")
    for command in (maker, trier):
        command.add_argument("--smoke", action="store_true", help="a quick try on a CPU, to see that all of it works")
    asked = parser.parse_args()
    if asked.command == "make" and asked.turns is None and not asked.smoke:
        maker.error("--turns is needed, except with --smoke")
    return asked


def make(settings: Settings, dialogues: Path | None, out: Path, device: torch.device) -> None:
    """Train teachers, then a student, polish it, and write it."""
    known = messages.read()
    examples = labelled(known[: settings.messages])
    extra = unlabelled(turns.draw(dialogues, settings) if dialogues else _stand_ins(known, settings))
    print(f"{len(examples)} labelled messages, {len(extra)} unlabelled turns", flush=True)
    weights = embedder_weights()
    teachers = _teachers(examples, weights, settings.teachers, settings, device)
    opinion = train.opinion(teachers, [*examples, *extra], device)
    print("student", flush=True)
    model = train.student(examples, extra, opinion, weights, settings, device)
    print("polish", flush=True)
    model = polish(model, known[: settings.messages], settings, device)
    print("the student on what it was trained on, to see that it learned at all:")
    _print_scores(examples, train.predicted(model, examples, device))
    export(model, out)


def further(settings: Settings, start: Path, out: Path, device: torch.device) -> None:
    """Polish an exported model, and write it anew."""
    export(polish(trained(start, settings.dropout).to(device), messages.read(), settings, device), out)


def _stand_ins(known: Sequence[Message], settings: Settings) -> list[str]:
    """For a quick try without dialogues: the texts of labelled messages that the try does not use as such."""
    return [message.content for message in known[settings.messages :][: sum(settings.turns.values())]]


def try_out(settings: Settings, groups: Sequence[str], teachers: int, device: torch.device) -> None:
    """For each group of sets, train teachers on all other sets, and score them on that group."""
    known = messages.read()
    weights = embedder_weights()
    for group in groups:
        left_out = set(group.split("+"))
        rest = labelled([message for message in known if message.set not in left_out][: settings.messages])
        unseen = labelled([message for message in known if message.set in left_out][: settings.messages])
        print(f"without {group}: trained on {len(rest)} messages, tried on {len(unseen)}", flush=True)
        models = _teachers(rest, weights, teachers, settings, device)
        _print_scores(unseen, train.opinion(models, unseen, device))


def _teachers(
    examples: Sequence[Example], weights: train.Weights, count: int, settings: Settings, device: torch.device
) -> list[Tagger]:
    found = []
    for seed in range(count):
        print(f"teacher {seed + 1} of {count}", flush=True)
        found.append(train.teacher(examples, weights, seed, settings, device))
    return found


def _print_scores(examples: Sequence[Example], likely: Sequence[Likely]) -> None:
    for score in scores(examples, likely):
        print(score, flush=True)


if __name__ == "__main__":
    main()
