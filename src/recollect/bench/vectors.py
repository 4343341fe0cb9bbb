"""Vectors of texts on disk, so that loading the same texts again costs no embedding."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from time import perf_counter

import numpy as np

from recollect.providers.embedding.base import Embedder, Purpose, Vectors

_KEY_BYTES = 16
_AT_ONCE = 512


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()


class VectorFile:
    """Keys and rows in two files that only grow; rows beyond the shorter of them were cut off by an interruption."""

    def __init__(self, folder: Path, model: str, dimensions: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"[^\w.-]+", "-", model)
        self._keys, self._rows = folder / f"{stem}.keys", folder / f"{stem}.f32"
        self._dimensions = dimensions
        self._places: dict[bytes, int] = {}
        self._read()

    def _read(self) -> None:
        for path in (self._keys, self._rows):
            path.touch()
        count = min(self._keys.stat().st_size // _KEY_BYTES, self._rows.stat().st_size // (4 * self._dimensions))
        for path, width in ((self._keys, _KEY_BYTES), (self._rows, 4 * self._dimensions)):
            with path.open("r+b") as file:
                file.truncate(count * width)
        keys = self._keys.read_bytes()
        self._places = {keys[place * _KEY_BYTES : (place + 1) * _KEY_BYTES]: place for place in range(count)}

    def has(self, text: str) -> bool:
        """Whether the text's vector is there."""
        return _key(text) in self._places

    def rows(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts that are there."""
        if not texts:
            return np.empty((0, self._dimensions), np.float32)
        stored = np.memmap(self._rows, np.float32, "r").reshape(-1, self._dimensions)
        return np.asarray(stored[[self._places[_key(text)] for text in texts]], np.float32)

    def append(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors: the rows first, since a key promises its row."""
        with self._rows.open("ab") as file:
            file.write(np.ascontiguousarray(vectors, np.float32).tobytes())
        with self._keys.open("ab") as file:
            file.write(b"".join(map(_key, texts)))
        for text in texts:
            self._places[_key(text)] = len(self._places)


class StoredVectors:
    """An embedder that remembers its documents: on disk with a folder, and those it was told of in memory.

    Questions are always embedded anew. `seconds` adds up the time that callers waited for vectors.
    """

    def __init__(self, embedder: Embedder, folder: Path | None = None) -> None:
        self._embedder, self._folder = embedder, folder
        self._file: VectorFile | None = None
        self._told: dict[bytes, Vectors] = {}
        self.seconds = 0.0

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    async def ready(self) -> None:
        await self._embedder.ready()
        if self._folder is not None and self._file is None:
            self._file = VectorFile(self._folder, self.name, self.dimensions)

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        began = perf_counter()
        try:
            if purpose == "query" or not texts:
                return await self._embedder.embed(texts, purpose=purpose)
            return await self._documents(texts)
        finally:
            self.seconds += perf_counter() - began

    async def _documents(self, texts: Sequence[str]) -> Vectors:
        if all(_key(text) in self._told for text in texts):
            return np.stack([self._told[_key(text)] for text in texts])
        if self._file is None:
            return await self._embedder.embed(texts, purpose="document")
        missing = [text for text in dict.fromkeys(texts) if not self._file.has(text)]
        for start in range(0, len(missing), _AT_ONCE):
            some = missing[start : start + _AT_ONCE]
            fresh = await self._embedder.embed(some, purpose="document")
            # Another task may have embedded some of them in the meantime; a second row of a text does no harm.
            self._file.append(some, fresh)
        return self._file.rows(texts)

    @contextmanager
    def told(self, texts: Sequence[str], vectors: Vectors) -> Iterator[None]:
        """Know these vectors for a while, without keeping them."""
        self._told |= zip(map(_key, texts), vectors, strict=True)
        try:
            yield
        finally:
            for text in texts:
                self._told.pop(_key(text), None)

    def passages(self, text: str) -> list[str]:
        return self._embedder.passages(text)

    async def close(self) -> None:
        await self._embedder.close()
