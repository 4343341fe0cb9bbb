"""Forgetting in what programs saved for themselves: states of threads, checkpoints of graphs, replays.

A state is JSON, and loses the passages that carry it. What LangGraph's graphs saved cannot be rewritten from outside:
a thread in which some of it carries it loses all of its graphs' checkpoints. A replay quotes what was learned, and can
be made again.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.understanding import carrying, packed
from recollect.understanding.carrying import Finder

QUERIES = load("recollect.flows", "scrub_states.sql")

Thread = tuple[str, str]
"""Owner and thread id."""


@dataclass(slots=True)
class States:
    """The saved states of one space, in one transaction."""

    connection: Connection
    space: str
    finder: Finder
    count: Callable[[str, int], None]
    """Is told how many of what went."""
    threads: set[Thread] = field(default_factory=set)
    """Those that go whole."""

    async def note(self, conversations: Iterable[UUID]) -> None:
        """Before conversations go: their threads go with them."""
        rows = await self._rows("threads", ids=sorted(conversations))
        self.threads = {(row.owner, row.thread_id) for row in rows}

    async def scrub(self) -> None:
        """All of it."""
        for thread in sorted(self.threads):
            await self._drop_graphs(thread)
            await self._drop("drop_states", thread)
        await self._states()
        await self._graphs()
        await self._replays()

    async def _states(self) -> None:
        for row in await self._rows("states"):
            state = json.loads(bytes(row.body))
            left = carrying.without_in(state, self.finder)
            if left == state:
                continue
            body = json.dumps(left, ensure_ascii=False, separators=(",", ":")).encode()
            await self._do("reword_state", owner=row.owner, thread=row.thread_id, version=row.version, body=body)
            self.count("rewritten_checkpoint", 1)

    async def _graphs(self) -> None:
        found: set[Thread] = set()
        for row in await self._rows("checkpoints"):
            if self._has(row.body) or carrying.without_in(row.metadata, self.finder) != row.metadata:
                found.add((row.owner, row.thread_id))
        for name in ("values", "writes"):
            found |= {(row.owner, row.thread_id) for row in await self._rows(name) if self._has(row.body)}
        for thread in sorted(found):
            await self._drop_graphs(thread)

    def _has(self, body: bytes) -> bool:
        """Whether bytes hold it: in texts that were packed, or anywhere, what is no text being taken for a stop."""
        raw = bytes(body)
        written = "".join(sign if sign.isprintable() else "\n" for sign in raw.decode("utf-8", "replace"))
        return carrying.has(written, self.finder) or carrying.has("\n".join(packed.texts(raw)), self.finder)

    async def _drop_graphs(self, thread: Thread) -> None:
        for name in ("drop_writes", "drop_values"):
            await self._do(name, owner=thread[0], thread=thread[1])
        await self._drop("drop_checkpoints", thread)

    async def _drop(self, name: str, thread: Thread) -> None:
        self.count("checkpoint", await self._do(name, owner=thread[0], thread=thread[1]))

    async def _replays(self) -> None:
        rows = await self._rows("readings")
        ids = sorted({row.replay_id for row in rows if carrying.has(_unescaped(row.text), self.finder)})
        if ids:
            self.count("replay", await self._do("drop_replays", ids=ids))

    async def _rows(self, name: str, **values: Any) -> list[Any]:
        cursor = await self.connection.execute(QUERIES[name], {"space": self.space, **values})
        return await cursor.fetchall()

    async def _do(self, name: str, **values: Any) -> int:
        cursor = await self.connection.execute(QUERIES[name], {"space": self.space, **values})
        return int(cursor.rowcount)


def _unescaped(text: str) -> str:
    """JSON as text, with its line breaks as such."""
    return text.replace("\\n", "\n").replace('\\"', '"')
