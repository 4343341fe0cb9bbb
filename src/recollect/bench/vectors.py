"""Vectors of texts on disk, so that loading the same texts again costs no embedding."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.providers.embedding.base import Embedder, Purpose, Vectors

_KEY_BYTES = 16
_AT_ONCE = 512


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()


class VectorFile:
    """One record for each text, a key and a row, in a file that only grows. Several processes may append at a time."""

    def __init__(self, folder: Path, model: str, dimensions: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / (re.sub(r"[^\w.-]+", "-", model) + ".vectors")
        self._path.touch()
        self._record = np.dtype([("key", f"V{_KEY_BYTES}"), ("row", np.float32, (dimensions,))])
        self._places = self._read()

    def _read(self) -> dict[bytes, int]:
        if rest := self._path.stat().st_size % self._record.itemsize:
            with self._path.open("r+b") as file:  # a record that was cut off by an interruption
                file.truncate(self._path.stat().st_size - rest)
        return (
            {bytes(key): place for place, key in enumerate(self._stored()["key"])} if self._path.stat().st_size else {}
        )

    def _stored(self) -> NDArray[Any]:
        return np.memmap(self._path, self._record, "r")

    def has(self, text: str) -> bool:
        """Whether the text's vector is there."""
        return _key(text) in self._places

    def rows(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts that are there."""
        if not texts:
            return np.empty((0, self._record["row"].shape[0]), np.float32)
        return np.array(self._stored()["row"][[self._places[_key(text)] for text in texts]])

    def append(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors, in one write: their place in the file is known only afterwards."""
        records = np.empty(len(texts), self._record)
        keys = [_key(text) for text in texts]
        records["key"] = np.frombuffer(b"".join(keys), f"V{_KEY_BYTES}")
        records["row"] = vectors
        with self._path.open("ab", buffering=0) as file:
            file.write(records.tobytes())
            first = file.tell() // self._record.itemsize - len(texts)
        self._places |= {key: first + place for place, key in enumerate(keys)}


class StoredVectors:
    """An embedder that remembers its documents: on disk with a folder, and those it was told of in memory.

    Documents are embedded anew while `keeping` is off, questions always, but inside `questions_known`, where each is
    embedded once. `seconds` adds up the time that callers waited for vectors.
    """

    def __init__(self, embedder: Embedder, folder: Path | None = None) -> None:
        self._embedder, self._folder = embedder, folder
        self._file: VectorFile | None = None
        self._told: dict[bytes, Vectors] = {}
        self._questions: dict[tuple[str, ...], Vectors] | None = None
        self.seconds = 0.0
        self.keeping = True

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
                return await self._query(texts)
            return await self._documents(texts)
        finally:
            self.seconds += perf_counter() - began

    async def _query(self, texts: Sequence[str]) -> Vectors:
        known = self._questions
        if known is None:
            return await self._embedder.embed(texts, purpose="query")
        if tuple(texts) not in known:
            known[tuple(texts)] = await self._embedder.embed(texts, purpose="query")
        return known[tuple(texts)]

    @contextmanager
    def questions_known(self) -> Iterator[None]:
        """Embed a question once, and know its vector from then on."""
        self._questions = {}
        try:
            yield
        finally:
            self._questions = None

    async def _documents(self, texts: Sequence[str]) -> Vectors:
        told = {text: self._told[key] for text in texts if (key := _key(text)) in self._told}
        others = [text for text in dict.fromkeys(texts) if text not in told]
        found = told | dict(zip(others, await self._others(others), strict=True))
        return np.stack([found[text] for text in texts])

    async def _others(self, texts: Sequence[str]) -> Vectors:
        if self._file is None or not self.keeping:
            return await self._embedder.embed(texts, purpose="document")
        missing = [text for text in texts if not self._file.has(text)]
        for start in range(0, len(missing), _AT_ONCE):
            some = missing[start : start + _AT_ONCE]
            fresh = await self._embedder.embed(some, purpose="document")
            # Another task may have embedded some of them in the meantime; a second row of a text does no harm.
            self._file.append(some, fresh)
        return self._file.rows(texts)

    @contextmanager
    def told(self, texts: Sequence[str], vectors: Iterable[Vectors]) -> Iterator[None]:
        """Know these vectors for a while, without keeping them."""
        self._told |= zip(map(_key, texts), vectors, strict=True)
        try:
            yield
        finally:
            for text in texts:
                self._told.pop(_key(text), None)

    def knows(self, text: str) -> bool:
        """Whether the vector of this document is at hand."""
        return _key(text) in self._told or (self._file is not None and self._file.has(text))

    def passages(self, text: str) -> list[str]:
        return self._embedder.passages(text)

    async def close(self) -> None:
        await self._embedder.close()
