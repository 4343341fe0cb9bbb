"""`recollect-rerank-v2`: our own cross-encoder, whose weights are part of the package. Made by `train/recall/`."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from recollect.core.settings import Settings
from recollect.providers import onnx
from recollect.providers.calibration import RELEVANT
from recollect.providers.lanes import Lanes

NAME = "recollect-rerank-v2"
MODEL = Path(__file__).parents[2] / "data" / NAME / "model.onnx"

WINDOW = 72
"""Tokens of a question and a turn together, as in training; more would cost more than they bring."""
_QUESTION = WINDOW // 2
_EVEN = math.log(RELEVANT / (1 - RELEVANT))
"""A score is a log-odds: at 0 a text answers as likely as not, which is what the common scale calls relevant."""


class _Engine:
    """The model of this process and the threads that it runs on."""

    def __init__(self, threads: int) -> None:
        self._model = onnx.Model(MODEL, shares_words=True)
        self.lanes = Lanes(NAME, self._score, onnx.thread_count(threads))

    def _score(self, pair: tuple[list[int], str]) -> float:
        question, text = pair
        first = [onnx.START, *question, onnx.END]
        second = [*onnx.tokens(text)[: WINDOW - len(first) - 1], onnx.END]
        ids = first + second
        types = [0] * len(first) + [1] * len(second)
        return float(self._model.run(ids, [1] * len(ids), types)[0])


class LocalReranker:
    """Scores on this machine. All instances of a process share one model; the first decides its threads."""

    name = NAME

    def __init__(self, threads: int = 0) -> None:
        self._engine = onnx.shared(NAME, lambda: _Engine(threads))

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(settings.embedding_threads)

    async def ready(self) -> None:
        await self.score("", [""])

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        asked = onnx.tokens(question)[: _QUESTION - 2]
        return await self._engine.lanes.run([(asked, text) for text in texts], urgent=True)

    def evidence(self, score: float) -> float:
        return 1 / (1 + math.exp(-(score + _EVEN)))

    async def close(self) -> None:
        """The model stays loaded for the other instances of the process."""
