"""Other memories, with the same texts, questions and embedder, on the same server. What is not installed is skipped."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from rich.progress import Progress

from recollect.bench.load import embed_ahead
from recollect.bench.place import settle
from recollect.bench.report import Grid
from recollect.bench.scoring import percentile
from recollect.bench.texts import Corpus
from recollect.bench.vectors import StoredVectors
from recollect.memory import Recollect, ScopedMemory

_HITS = 20
_USER = "peer"
_AT_ONCE = 8


@dataclass(slots=True)
class Compared:
    """What each of them managed."""

    figures: dict[str, dict[str, float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def grids(self) -> list[Grid]:
        """One table, if there is anything in it."""
        columns = ["", "added a second", "search p50, with embedding", "p95"]
        rows = [[name, *found.values()] for name, found in self.figures.items()]
        return [Grid("Side by side, texts added one by one by 8 callers", columns, rows)] if rows else []


@dataclass(frozen=True, slots=True)
class Peer:
    """A memory, reduced to the things that all of them do."""

    add: Callable[[str], Awaitable[object]]
    search: Callable[[str], Awaitable[object]]
    finish: Callable[[], Awaitable[object]] | None = None
    """What makes the added searchable, where that comes later; it counts as adding."""


Opener = Callable[[str, StoredVectors], AbstractAsyncContextManager[Peer]]


async def compare(rc: Recollect, vectors: StoredVectors, corpus: Corpus, size: int, bar: Progress) -> Compared:
    """Add texts and ask questions. All know the vectors of texts beforehand: embedders are not compared."""
    compared = Compared()
    sample = corpus.texts[:size]
    await embed_ahead(vectors, sample, bar)
    for name, peer in (await _recollect(rc)).items():
        compared.figures[name] = await _measure(name, peer, sample, corpus.questions, bar)
    for name, (package, opener) in _PEERS.items():
        if not _installed(package):
            compared.notes.append(f"{name} is not installed: skipped.")
            continue
        try:
            async with opener(rc.database_url, vectors) as peer:
                compared.figures[name] = await _measure(name, peer, sample, corpus.questions, bar)
        except Exception as error:  # whatever a foreign package raises must not cost the figures of the others
            compared.notes.append(f"{name} failed: {type(error).__name__}: {str(error)[:200]}")
    return compared


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


async def _measure(
    name: str, peer: Peer, sample: Sequence[str], questions: Sequence[str], bar: Progress
) -> dict[str, float]:
    task = bar.add_task(name, total=len(sample) + len(questions))
    waiting = iter(sample)

    async def caller() -> None:
        for text in waiting:
            await peer.add(text)
            bar.advance(task)

    began = perf_counter()
    await asyncio.gather(*(caller() for _ in range(_AT_ONCE)))
    if peer.finish is not None:
        await peer.finish()
    rate = len(sample) / (perf_counter() - began)
    milliseconds = []
    for question in questions:
        began = perf_counter()
        await peer.search(question)
        milliseconds.append(1_000 * (perf_counter() - began))
        bar.advance(task)
    bar.remove_task(task)
    return {"per_second": rate, "p50": percentile(milliseconds, 0.5), "p95": percentile(milliseconds, 0.95)}


async def _recollect(rc: Recollect) -> dict[str, Peer]:
    """Messages, and statements: those are linked to their like and have a history when the call returns."""
    messages, statements = rc.scope(user_id=f"{_USER}-messages"), rc.scope(user_id=f"{_USER}-statements")
    chat = await messages.conversation("peer")

    def finder(scope: ScopedMemory) -> Callable[[str], Awaitable[object]]:
        return partial(scope.search, limit=_HITS)

    return {
        "Recollect, messages": Peer(partial(chat.add, "user"), finder(messages), partial(settle, rc)),
        "Recollect, statements": Peer(statements.add, finder(statements)),
    }


@asynccontextmanager
async def _langgraph(url: str, vectors: StoredVectors) -> AsyncIterator[Peer]:
    store_class = import_module("langgraph.store.postgres.aio").AsyncPostgresStore

    async def embed(texts: Sequence[str]) -> list[list[float]]:
        return await _embed(vectors, texts)

    index = {"dims": vectors.dimensions, "embed": embed, "fields": ["text"]}
    async with store_class.from_conn_string(url, index=index, pool_config={"min_size": 1, "max_size": 8}) as store:
        await store.setup()

        async def add(text: str) -> object:
            return await store.aput((_USER,), str(hash(text)), {"text": text})

        async def search(question: str) -> object:
            return await store.asearch((_USER,), query=question, limit=_HITS)

        yield Peer(add, search)


@asynccontextmanager
async def _mem0(url: str, vectors: StoredVectors) -> AsyncIterator[Peer]:
    """In its raw mode: what is added is kept as it is, and no language model is asked."""
    os.environ.setdefault("MEM0_TELEMETRY", "False")
    loop = asyncio.get_running_loop()
    memory = import_module("mem0").Memory.from_config(
        {
            "vector_store": {"provider": "pgvector", "config": _mem0_store(url, vectors.dimensions)},
            "embedder": {"provider": "langchain", "config": {"model": _as_langchain(vectors, loop)}},
            # A model has to be named, and is never called.
            "llm": {"provider": "openai", "config": {"api_key": "unused"}},
        }
    )

    async def add(text: str) -> object:
        return await asyncio.to_thread(memory.add, text, user_id=_USER, infer=False)

    async def search(question: str) -> object:
        return await asyncio.to_thread(memory.search, question, filters={"user_id": _USER}, top_k=_HITS)

    # It makes its table with the first memory; eight callers at once would race for that.
    await add("first")
    try:
        yield Peer(add, search)
    finally:
        memory.vector_store.connection_pool.close()


def _mem0_store(url: str, dimensions: int) -> dict[str, Any]:
    return {
        "connection_string": url,
        "dbname": urlsplit(url).path.lstrip("/"),
        "collection_name": "bench_peer",
        "embedding_model_dims": dimensions,
        "hnsw": True,
        "diskann": False,
    }


def _as_langchain(vectors: StoredVectors, loop: asyncio.AbstractEventLoop) -> Any:
    """Our embedder as LangChain's, called from mem0's threads; its base class exists only where that is installed."""

    def rows(texts: Sequence[str]) -> list[list[float]]:
        return asyncio.run_coroutine_threadsafe(_embed(vectors, texts), loop).result()

    methods = {
        "embed_documents": lambda _, texts: rows(texts),
        "embed_query": lambda _, text: rows([text])[0],
    }
    return type("Ours", (import_module("langchain_core.embeddings").Embeddings,), methods)()


async def _embed(vectors: StoredVectors, texts: Sequence[str]) -> list[list[float]]:
    """Vectors as lists. What was not embedded beforehand is a question."""
    known = all(map(vectors.knows, texts))
    found = await vectors.embed(list(texts), purpose="document" if known else "query")
    return [row.tolist() for row in found]


_PEERS: dict[str, tuple[str, Opener]] = {
    "LangGraph PostgresStore": ("langgraph.store.postgres", _langgraph),
    "mem0, raw mode": ("mem0", _mem0),
}
