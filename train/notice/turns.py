"""Turns of other talks, without labels: the student learns what its teachers make of them."""

import json
import lzma
import random
from collections import defaultdict
from pathlib import Path

from train.notice.settings import Settings


def draw(dialogues: Path, settings: Settings) -> list[str]:
    """The turns that the settings ask for; the same ones each time."""
    pools = _pools(dialogues, settings)
    dice = random.Random(settings.turns_seed)
    drawn = [turn for name, count in settings.turns.items() for turn in dice.sample(sorted(pools[name]), count)]
    dice.shuffle(drawn)
    return drawn


def _pools(dialogues: Path, settings: Settings) -> dict[str, set[str]]:
    """The different turns of each set that are long enough to say something, and no speeches."""
    pools: dict[str, set[str]] = defaultdict(set)
    with lzma.open(dialogues, "rt", encoding="utf-8") as lines:
        for dialogue in map(json.loads, lines):
            if dialogue["set"] in settings.turns:
                pools[dialogue["set"]].update(
                    turn["text"]
                    for turn in dialogue["turns"]
                    if settings.shortest_turn <= len(turn["text"]) <= settings.longest_turn
                )
    return pools
