"""`recollect-notice-v1`: marks in a message what is worth remembering. Its weights are part of the package.

For each token it gives how likely the token belongs to each kind of memory (several may hold), and which key of a
profile it is a value of. How it was made: `train/notice/`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.providers import onnx

NAME = "recollect-notice-v1"
MODEL = Path(__file__).parents[1] / "data" / NAME / "model.onnx"

KINDS = (
    "fact", "decision", "preference", "constraint", "goal", "instruction", "ended", "reply_language", "reply_length",
    "reply_format",
)  # fmt: skip
"""Types of statements, a standing order, a value given up, and what a standing order is about."""
NO_KEY = "O"
KEYS = (
    NO_KEY,
    *(
        f"identity.{key}"
        for key in (
            "name", "full_name", "preferred_name", "pronouns", "age", "birthday", "city", "hometown", "nationality",
            "language", "timezone", "job", "employer", "school", "partner", "children", "pets", "email",
        )
    ),
    *(
        f"preference.{key}"
        for key in (
            "language", "editor", "operating_system", "framework", "database", "coding_style", "units", "theme", "tone",
            "favorite", "thing",
        )
    ),
    *(
        f"constraint.{key}"
        for key in ("diet", "allergy", "intolerance", "condition", "medication", "availability", "budget")
    ),
)  # fmt: skip
"""Types and keys of the profile; "thing" is what a favorite is the favorite of."""

_CONTENT = 254
_MOST_WINDOWS = 8


@dataclass(frozen=True, slots=True)
class Tags:
    """Where the tokens of a text stand, and what the tagger makes of each."""

    spans: tuple[tuple[int, int], ...]
    kinds: NDArray[np.float32]
    keys: NDArray[np.float32]


def tag(text: str) -> Tags:
    """The tags of a text, or of the beginning of a very long one. Takes milliseconds: not for an event loop."""
    windows = list(_windows(text))
    if not windows:
        return Tags((), np.empty((0, len(KINDS)), np.float32), np.empty((0, len(KEYS)), np.float32))
    model = onnx.shared(NAME, lambda: onnx.Model(MODEL, shares_words=True))
    found = [_run(model, ids) for _, ids in windows]
    return Tags(
        tuple(span for spans, _ in windows for span in spans),
        np.concatenate([kinds for kinds, _ in found]),
        np.concatenate([keys for _, keys in found]),
    )


def _windows(text: str) -> Iterator[tuple[Sequence[tuple[int, int]], Sequence[int]]]:
    """Stretches of a text that the model takes at once: where their tokens stand, and their numbers."""
    spans, ids = onnx.spanned(text)
    for start in range(0, min(len(ids), _CONTENT * _MOST_WINDOWS), _CONTENT):
        yield spans[start : start + _CONTENT], ids[start : start + _CONTENT]


def _run(model: onnx.Model, ids: Sequence[int]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    whole = [onnx.START, *ids, onnx.END]
    kinds, keys = model.outputs(whole, [1] * len(whole))
    return kinds[0, 1:-1], keys[0, 1:-1]
