"""A deterministic embedder for tests: texts that share words are similar."""

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Self

import numpy as np

from recollect.core.settings import Settings
from recollect.providers import text
from recollect.providers.embedding.base import Purpose, Vectors

DIMENSIONS = 64
PASSAGE = 220
OVERLAP = 40

_WORD = re.compile(r"\w+")


class FakeEmbedder:
    """Adds up a direction for each word; long words weigh more. `calls` and `texts` count what was asked."""

    name = "fake"

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        self.dimensions = dimensions
        self.calls = 0
        self.texts = 0

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(settings.embedder_dimensions or DIMENSIONS)

    async def ready(self) -> None:
        """Nothing to load."""

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        self.calls += 1
        self.texts += len(texts)
        rows = [self._vector(item) for item in texts]
        return np.asarray(rows, np.float32).reshape(len(rows), self.dimensions)

    def passages(self, content: str) -> list[str]:
        if len(content) <= PASSAGE:
            return [content]
        return text.split(content, text.rough_offsets, PASSAGE, OVERLAP)

    async def close(self) -> None:
        """Nothing to let go of."""

    def _vector(self, content: str) -> Vectors:
        words = _WORD.findall(content.lower()) or [content]
        total = np.sum([min(len(word), 6) * _direction(word, self.dimensions) for word in words], axis=0)
        length = np.linalg.norm(total)
        return (total / length).astype(np.float32) if length else _direction("", self.dimensions)


@lru_cache(20_000)
def _direction(word: str, dimensions: int) -> Vectors:
    seed = int.from_bytes(blake2b(text.encodable(word).encode(), digest_size=8).digest(), "big")
    direction = np.random.default_rng(seed).standard_normal(dimensions)
    return (direction / np.linalg.norm(direction)).astype(np.float32)
