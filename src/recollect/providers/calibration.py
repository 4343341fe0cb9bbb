"""Similarities that mean the same for every embedder.

Each embedder has its own idea of how near is near. A calibration maps its cosines to a common scale on which the
thresholds below hold. It comes from labelled pairs of texts (`calibration_pairs.jsonl`): `calibrate` measures an
embedder with them, `thresholds.toml` beside this file holds the results for ours, and a file of the same name in
the data directory those for others. An embedder with neither gets its cosines as they are, with a warning.

No embedder here tells opposites or other numbers apart (the pairs "changed" score like paraphrases): on no
threshold alone may two statements be taken for the same.
"""

import json
import logging
import math
import tomllib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

from recollect.core.errors import InvalidInput
from recollect.providers.embedding.base import Embedder, Purpose, Vectors

FILE = "thresholds.toml"
FOLDER = Path(__file__).parent
PAIRS = FOLDER / "calibration_pairs.jsonl"

RELEVANT = 0.60
"""From here on a text may answer a question, and an episode is worth recalling."""
RELATED = 0.75
"""From here on two texts are about the same thing."""
LIKELY_SAME = 0.85
"""From here on two texts may say the same."""
NODE_MERGE = 0.90
"""From here on two nodes are proposed for merging."""
SAME = 0.92
"""From here on two texts say the same, if they do not differ in a number, a name or a negation."""

_STEP = 1e-4
_FIRST = itemgetter(0)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The cosines of one embedder at which the common scale has its marks."""

    model: str
    floor: float
    """What texts that have nothing to do with each other hardly fall below: 0 on the common scale."""
    relevant: float
    related: float
    likely_same: float
    same: float
    _marks: tuple[tuple[float, float], ...] = field(init=False, repr=False, compare=False)
    """Cosines and what they are on the common scale; asked for each candidate of a search, hence made once."""

    def __post_init__(self) -> None:
        levels = (0.0, RELEVANT, RELATED, LIKELY_SAME, SAME, 1.0)
        raws = (self.floor, self.relevant, self.related, self.likely_same, self.same, 1.0)
        object.__setattr__(self, "_marks", tuple(zip(raws, levels, strict=True)))

    def calibrated(self, raw: float) -> float:
        """A cosine on the common scale, from 0 to 1."""
        return 0.0 if math.isnan(raw) else _interpolated(raw, self._marks)

    def raw(self, calibrated: float) -> float:
        """The cosine that stands for a value on the common scale."""
        return _interpolated(calibrated, [(level, raw) for raw, level in self._marks])


def _interpolated(value: float, marks: Sequence[tuple[float, float]]) -> float:
    """Straight lines between the marks, which rise; the first and the last hold beyond."""
    place = bisect_right(marks, value, key=_FIRST)
    if place in (0, len(marks)):
        return marks[min(place, len(marks) - 1)][1]
    (x0, y0), (x1, y1) = marks[place - 1], marks[place]
    return y0 + (value - x0) / (x1 - x0) * (y1 - y0)


def calibration_for(model: str, data_dir: Path | None = None) -> Calibration:
    """The calibration of an embedder: from the data directory, else ours, else its cosines as they are."""
    for folder in (data_dir, FOLDER):
        if folder is not None and (entry := _read(folder / FILE).get(model)) is not None:
            return _checked(model, entry)
    log.warning("embedder %s is not calibrated: run `recollect calibrate` to make thresholds mean something", model)
    return Calibration(model, 0.0, RELEVANT, RELATED, LIKELY_SAME, SAME)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InvalidInput(FILE, f"{path} cannot be read: {error}") from error


def _checked(model: str, entry: Any) -> Calibration:
    try:
        found = Calibration(model, **{name: float(value) for name, value in entry.items()})
    except (TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(FILE, f"the entry of {model} is not a calibration: {error}") from error
    if any(not low < high for (low, _), (high, _) in pairwise(found._marks)):
        raise InvalidInput(FILE, f"the values of {model} must rise, and stay under 1")
    return found


async def calibrate(embedder: Embedder) -> Calibration:
    """Measure an embedder with our labelled pairs."""
    cosines = await _measured(embedder)
    marks = [
        _quantile(cosines["unrelated"], 0.05),
        _quantile(cosines["unrelated"], 0.98),
        _quantile(cosines["related"], 0.75),
        _boundary(cosines["related"], cosines["paraphrase"]),
        _quantile(cosines["paraphrase"], 0.5),
    ]
    return Calibration(embedder.name, *_rising(marks))


async def _measured(embedder: Embedder) -> dict[str, list[float]]:
    """The cosines of the pairs of each kind; a question and the answer to another one are unrelated, too."""
    pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for line in PAIRS.read_text("utf-8").splitlines():
        pair = json.loads(line)
        pairs[pair["kind"]].append((pair["first"], pair["second"]))
    tables = {kind: await _table(embedder, kind, found) for kind, found in pairs.items()}
    cosines = {kind: [float(table[i, i]) for i in range(len(table))] for kind, table in tables.items()}
    crossed = tables["question"]
    cosines["unrelated"] += [float(crossed[i, j]) for i in range(len(crossed)) for j in range(len(crossed)) if i != j]
    return cosines


async def _table(embedder: Embedder, kind: str, pairs: Sequence[tuple[str, str]]) -> Vectors:
    """Cosines of all first texts with all second ones."""
    purpose: Purpose = "query" if kind == "question" else "document"
    first = await embedder.embed([first for first, _ in pairs], purpose=purpose)
    second = await embedder.embed([second for _, second in pairs], purpose="document")
    table: Vectors = first @ second.T
    return table


def _quantile(values: Iterable[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def _boundary(below: Sequence[float], above: Sequence[float]) -> float:
    """The value that best parts two samples, as a share of each; amid all that do it equally well."""
    values = sorted({*below, *above})
    edges = [(low + high) / 2 for low, high in pairwise(values)] or values
    scores = [_share_below(below, edge) - _share_below(above, edge) for edge in edges]
    best = [edge for edge, score in zip(edges, scores, strict=True) if score == max(scores)]
    return best[len(best) // 2]


def _share_below(values: Sequence[float], edge: float) -> float:
    return sum(value < edge for value in values) / len(values)


def _rising(marks: Iterable[float]) -> list[float]:
    """The marks, each above the one before and under 1, also for an embedder that muddles them."""
    raised: list[float] = []
    for mark in marks:
        raised.append(round(max(mark, *(low + _STEP for low in raised[-1:]), -1.0), 4))
    return [min(mark, 1.0 - _STEP * (len(raised) - place)) for place, mark in enumerate(raised)]


def to_toml(calibration: Calibration) -> str:
    """The calibration as a table of a `thresholds.toml`."""
    values = ("floor", "relevant", "related", "likely_same", "same")
    lines = [f"{name} = {getattr(calibration, name):.4f}" for name in values]
    return "\n".join([f"[{json.dumps(calibration.model)}]", *lines, ""])


def save(calibration: Calibration, data_dir: Path) -> Path:
    """Keep a calibration in the data directory, where `calibration_for` finds it."""
    path = data_dir / FILE
    kept = {name: _checked(name, entry) for name, entry in _read(path).items()}
    kept[calibration.model] = calibration
    data_dir.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(to_toml(entry) for entry in kept.values()), "utf-8")
    return path
