"""The last questions' vectors, kept in memory around any embedder."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from recollect.providers.embedding.base import Embedder, Purpose, Vectors

SIZE = 2_048


class CachedEmbedder:
    """Asks the embedder it wraps only for questions that it has not seen lately; documents pass through."""

    def __init__(self, embedder: Embedder, size: int = SIZE) -> None:
        self._embedder, self._size = embedder, size
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    async def ready(self) -> None:
        await self._embedder.ready()

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        if purpose != "query" or not texts:
            return await self._embedder.embed(texts, purpose=purpose)
        found = {text: self._known[text] for text in texts if text in self._known}
        if missing := [text for text in dict.fromkeys(texts) if text not in found]:
            found |= zip(missing, await self._embedder.embed(missing, purpose=purpose), strict=True)
        self._remember(found)
        return np.stack([found[text] for text in texts])

    def passages(self, text: str) -> list[str]:
        return self._embedder.passages(text)

    async def close(self) -> None:
        await self._embedder.close()

    def _remember(self, vectors: dict[str, Vectors]) -> None:
        for text, vector in vectors.items():
            self._known[text] = vector
            self._known.move_to_end(text)
        while len(self._known) > self._size:
            self._known.popitem(last=False)
