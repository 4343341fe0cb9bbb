"""`recollect-recall-v2`: our own embedder, whose weights are part of the package."""

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np

from recollect.core.settings import Settings
from recollect.providers import onnx, text
from recollect.providers.embedding.base import Purpose, Vectors
from recollect.providers.lanes import Lanes

NAME = "recollect-recall-v2"
DIMENSIONS = 384
MODEL = Path(__file__).parents[2] / "data" / NAME / "model.onnx"

WINDOW = 256
CONTENT = WINDOW - 2
PASSAGE = 220
OVERLAP = 40


class _Engine:
    """The model of this process and the threads that it runs on."""

    def __init__(self, threads: int) -> None:
        self._model = onnx.Model(MODEL, shares_words=True)
        count = onnx.thread_count(threads)
        # Whoever names a number wants no more of the processors than that.
        self.lanes = Lanes(NAME, self._embed, count, spare=0 if threads else count)

    def _embed(self, content: str) -> Vectors:
        ids = [onnx.START, *onnx.tokens(content)[:CONTENT], onnx.END]
        return self._model.run(ids, [1] * len(ids))


class LocalEmbedder:
    """Embeds on this machine. All instances of a process share one model; the first decides its threads."""

    name = NAME
    dimensions = DIMENSIONS

    def __init__(self, threads: int = 0) -> None:
        self._engine = onnx.shared(NAME, lambda: _Engine(threads))

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(settings.embedding_threads)

    async def ready(self) -> None:
        await self.embed([""], purpose="query")

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        rows = await self._engine.lanes.run(texts, urgent=purpose == "query")
        return np.concatenate([np.empty((0, DIMENSIONS), np.float32), *rows])

    def passages(self, content: str) -> list[str]:
        return [content] if _fits(content) else text.split(content, onnx.offsets, PASSAGE, OVERLAP)

    async def close(self) -> None:
        """The model stays loaded for the other instances of the process."""


def _fits(content: str) -> bool:
    """Whether the window holds the text; a token has at least one character, so it does a short one."""
    if len(content) <= CONTENT:
        return True
    return len(content) <= onnx.CHARACTERS and onnx.count(content) <= CONTENT
