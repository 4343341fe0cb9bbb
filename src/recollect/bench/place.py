"""Where a benchmark runs: a server of its own that vanishes with it, or the one that is named."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from recollect.core.errors import InvalidInput, RecollectError
from recollect.core.settings import load_settings
from recollect.db import embedded
from recollect.memory import Recollect
from recollect.providers.rerank import SHIPPED

_PAUSE = 0.5


@dataclass(frozen=True, slots=True)
class Place:
    """A database to measure in. Names are new in each run, so that a named database may be used again."""

    database_url: str
    folder: Path
    run: str

    def open(self, **settings: Any) -> Recollect:
        """Recollect on this database; other settings come from where they always come from."""
        return Recollect.open(database_url=self.database_url, data_dir=self.folder, **settings)

    def name(self, what: str) -> str:
        """The name of a user, team or project of this run."""
        return f"bench-{self.run}-{what}"


@asynccontextmanager
async def place(database_url: str | None) -> AsyncIterator[Place]:
    """The database that is named, else an embedded one in a temporary folder.

    The address in the environment or the configuration file is not used: a benchmark must not fill a memory that
    somebody lives with.
    """
    run = uuid4().hex[:8]
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as name:
        folder = Path(name)
        if database_url is not None:
            yield Place(database_url, folder, run)
            return
        if load_settings(database_url="unused").app_url is not None:
            raise InvalidInput("app_url", "is set and names another server: unset it, or give --database-url")
        server = await asyncio.to_thread(embedded.start, folder)
        try:
            yield Place(server.owner_url, folder, run)
        finally:
            await asyncio.to_thread(server.release)


def reranking(best: int) -> dict[str, Any]:
    """Settings that have so many of the best hits of each search reranked; 0: none."""
    return {"reranker": SHIPPED, "rerank_top": best} if best else {}


async def settle(rc: Recollect) -> None:
    """Have all background work done, that included which failed at first: figures of half a space mean nothing."""
    while True:
        drained = await rc.drain(timeout=None)
        if drained.failed:
            raise RecollectError(f"{drained.failed} jobs failed: the figures would not be of the whole data")
        if not drained.deferred:
            return
        await asyncio.sleep(_PAUSE)
