"""Filling spaces through the ordinary write path: messages in threads, then the background work that indexes them."""

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from rich.progress import Progress

from recollect.bench.place import settle
from recollect.bench.texts import Corpus, mixed
from recollect.bench.vectors import StoredVectors
from recollect.memory import Recollect, ScopedMemory
from recollect.providers.embedding.base import Vectors

_THREAD = 50
_CHUNK = 10_000
_EMBEDDED_AT_ONCE = 512
# Fixed, so that recency and named times do the same in every run.
_FIRST_DAY = datetime(2025, 1, 1, 8, tzinfo=UTC)
_BETWEEN = timedelta(minutes=5)


async def embed_ahead(vectors: StoredVectors, texts: Sequence[str], bar: Progress) -> Vectors:
    """The vectors of texts, embedded now as far as they are not on disk, with a bar to look at."""
    task = bar.add_task("embedding", total=len(texts))
    for start in range(0, len(texts), _EMBEDDED_AT_ONCE):
        some = texts[start : start + _EMBEDDED_AT_ONCE]
        await vectors.embed(some, purpose="document")
        bar.advance(task, len(some))
    bar.remove_task(task)
    return await vectors.embed(texts, purpose="document")


async def fill(
    rc: Recollect, scope: ScopedMemory, vectors: StoredVectors, corpus: Corpus, size: int, bar: Progress
) -> None:
    """Bring a new space to a size: real texts as far as they go, then mixtures of them."""
    real = corpus.texts[:size]
    known = await embed_ahead(vectors, real, bar)
    task = bar.add_task(f"memories of {scope.scope.space}", total=size)
    for start in range(0, size, _CHUNK):
        count = min(_CHUNK, size - start)
        own = list(real[start : start + count])
        more, directions = mixed(real, known, start + len(own), count - len(own))
        rows = [*known[start : start + len(own)], *directions]
        with vectors.told([*own, *more], rows):
            await write(scope, [*own, *more], start)
            await settle(rc)
        bar.advance(task, count)
    bar.remove_task(task)


async def write(scope: ScopedMemory, texts: Sequence[str], first: int = 0) -> None:
    """Add messages, in threads of a fixed length whose roles take turns."""
    for start in range(0, len(texts), _THREAD):
        chat = await scope.conversation(f"thread-{first + start}")
        await chat.add_many(list(messages(texts[start : start + _THREAD], first + start)))


def messages(texts: Sequence[str], first: int = 0) -> Iterator[dict[str, Any]]:
    """Messages a few minutes apart."""
    for number, text in enumerate(texts, start=first):
        role = "assistant" if number % 2 else "user"
        yield {"role": role, "content": text, "at": _FIRST_DAY + number * _BETWEEN}


async def fill_neighbours(
    rc: Recollect, scopes: Sequence[ScopedMemory], corpus: Corpus, each: int, bar: Progress, at_once: int = 4
) -> None:
    """Small spaces of the same vocabulary: each a stretch of the texts, overlapping with others where they run out."""
    task = bar.add_task("neighbours", total=len(scopes))
    gate = asyncio.Semaphore(at_once)

    async def one(number: int, scope: ScopedMemory) -> None:
        async with gate:
            start = number * each % max(1, len(corpus.texts) - each)
            await write(scope, corpus.texts[start : start + each])

    for start in range(0, len(scopes), 50):
        some = scopes[start : start + 50]
        await asyncio.gather(*(one(start + place, scope) for place, scope in enumerate(some)))
        await settle(rc)
        bar.advance(task, len(some))
    bar.remove_task(task)


async def tidy(rc: Recollect) -> None:
    """What autovacuum does within a minute of a load, done before anything is measured."""
    async with rc.parts.database.owner() as owner:
        await owner.execute("vacuum (analyze)")
