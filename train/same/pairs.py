"""The labelled groups, and the pairs that they give.

A group is a statement, others that say the same, and near misses that do not, each with what makes it another one. All
that say the same are paired with each other and with all near misses, in either order; near misses of one group are
not paired among themselves, since nobody said whether they agree.
"""

import json
import lzma
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

from recollect.providers import onnx

PACK = Path(__file__).parent / "groups.jsonl.xz"
LONGEST = 64
"""Tokens of a statement: a memory has at most 280 characters."""


@dataclass(frozen=True, slots=True)
class Group:
    """Statements that say the same, and near misses."""

    same: tuple[str, ...]
    different: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """Two statements as the model reads them, and whether they say the same."""

    ids: tuple[int, ...]
    same: bool


def read(path: Path = PACK) -> list[Group]:
    """All groups of a pack, or of a plain file."""
    stored = path.read_bytes()
    text = (lzma.decompress(stored) if path.suffix == ".xz" else stored).decode()
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [Group((row["s"], *row["same"]), tuple(text for _, text in row["different"])) for row in rows]


def examples(groups: Sequence[Group], strangers: int, seed: int = 0) -> list[Example]:
    """Every pair of the groups, and some with a statement of another group."""
    dice = random.Random(seed)
    found = []
    for group in groups:
        pairs = [*_pairs(group), *((dice.choice(group.same), _stranger(groups, group, dice)) for _ in range(strangers))]
        found += [Example(joined(one, other), {one, other} <= set(group.same)) for one, other in pairs]
    return found


def _pairs(group: Group) -> Iterator[tuple[str, str]]:
    yield from permutations(group.same, 2)
    for one in group.same:
        for other in group.different:
            yield one, other
            yield other, one


def _stranger(groups: Sequence[Group], group: Group, dice: random.Random) -> str:
    while (other := dice.choice(groups)) is group:
        pass
    return dice.choice(other.same)


def joined(one: str, other: str) -> tuple[int, ...]:
    """Two statements as one row of tokens."""
    return (onnx.START, *onnx.tokens(one)[:LONGEST], onnx.END, *onnx.tokens(other)[:LONGEST], onnx.END)
