"""Many changes of a graph, of every sort, and a projector in a process of its own that can be killed."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
from typing import Any, LiteralString
from uuid import UUID

import psycopg

from recollect.core.errors import RecollectError
from recollect.graph import service as graph
from recollect.graph.model import Entity, Extracted, Link
from recollect.memory import Recollect
from recollect.records.model import Provenance

SPACE = "user:alice"
_ROUNDS, _ENTITIES, _LINKS = 4, 100, 150
_TYPES = ("works_at", "knows", "uses", "part_of", "leads")
_KINDS = (("person", ""), ("concept", ""), ("entity", "product"))


class Changes:
    """A seeded stream of changes: inserts, updates, merges, deletes, restores and forgets."""

    def __init__(self, rc: Recollect, clock: Any, seed: int) -> None:
        self.rc, self.clock, self.rng = rc, clock, random.Random(seed)
        self.me = rc.scope(user_id="alice")
        self.nodes: list[UUID] = []
        self.before: set[UUID] = set()
        self._learned = 0

    async def begin(self) -> None:
        """Something to search for, and a graph of which most is changed, merged, deleted and forgotten later."""
        await self.me.add("The orchid by the window is Maria's.")
        for _ in range(_ROUNDS):
            await self._learn()
        self.before = self._ids("select id from memory where space_id = %s")
        self.before |= self._ids("select id from relation where space_id = %s")

    async def make(self, at_least: int) -> None:
        """Change things until so many changes wait."""
        while self._waiting() < at_least:
            await self._learn()
            self.clock.forward(hours=6)
            for change in (self._relate, self._update, self._delete, self._merge, self._forget) * 2:
                await change()

    def mixture(self) -> dict[str, int]:
        """Of what waits: how much is new, and how much of what was there before has changed, or is gone."""
        waits = self._ids("select target_id from outbox where space_id = %s")
        there = self._ids("select memory_id from memory_use where space_id = %s")
        known = waits & self.before
        return {"new": len(waits - self.before), "changed": len(known & there), "gone": len(known - there)}

    async def walk(self) -> Any:
        """Answers that do not depend on who gives them; without counting them as recalls."""
        walks = [await self._around(id) for id in self.nodes[:5]]
        return [(found and [(n.memory.id, n.distance) for n in found.nodes]) for found in walks]

    async def _around(self, id: UUID) -> Any:
        noted, self.rc.recalls.note_walk = self.rc.recalls.note_walk, lambda *_: None
        try:
            return await self.me.traverse(id, 2, limit=20)
        except Exception:  # forgotten or deleted: the same for whoever answers
            return None
        finally:
            self.rc.recalls.note_walk = noted

    def _waiting(self) -> int:
        return len(self._ids("select id from outbox where space_id = %s"))

    def _ids(self, statement: LiteralString) -> set[UUID]:
        with psycopg.connect(self.rc.database_url, options="-c search_path=recollect,public") as owner:
            return {id for (id,) in owner.execute(statement, [SPACE])}

    async def _learn(self) -> None:
        """What a text names: new nodes and known ones, mentions and relations, in one transaction."""
        rng, number = self.rng, self._learned
        self._learned += 1
        names = [f"Name {rng.randint(0, number * 40 + 100)}" for _ in range(_ENTITIES)]
        entities = {e.key: e for e in (Entity(*_KINDS[len(n) % 3], n, rng.random()) for n in names)}
        keys = list(entities)
        links = [
            Link(rng.choice(keys), rng.choice(_TYPES), rng.choice(keys), rng.random(), rng.random(), rng.random() < 0.1)
            for _ in range(_LINKS)
        ]
        said = await self.me.add(f"Note {number} of what was said.")  # without names: some are forgotten, and barred
        async with self.rc.parts.database.transaction(SPACE) as connection:
            desk = graph.Desk(connection, SPACE, self.clock(), 0.5, Provenance())
            found = await graph.absorb(desk, [(said.id, Extracted(tuple(entities.values()), tuple(links)))])
        self.nodes = sorted({*self.nodes, *found.values()})

    async def _relate(self) -> None:
        await self._try(self.me.relate(*self.rng.sample(self.nodes, 2), self.rng.choice(_TYPES), description="by hand"))

    async def _update(self) -> None:
        id = self.rng.choice(self.nodes)
        await self._try(self.me.update(id, content=f"Told anew {self.rng.random():.6f}", importance=self.rng.random()))

    async def _delete(self) -> None:
        id = self.rng.choice(self.nodes)
        await self._try(self.me.delete(id))
        if self.rng.random() < 0.5:
            await self._try(self.me.restore(id))

    async def _merge(self) -> None:
        merge = await self._try(self.me.merge(*self.rng.sample(self.nodes, 2)))
        if merge is not None and self.rng.random() < 0.5:
            await self._try(self.me.unmerge(merge.id))

    async def _forget(self) -> None:
        """A node goes for good, and with it what else carries its name."""
        receipt = await self._try(self.me.forget(self.rng.choice(self.nodes)))
        if receipt is not None:
            self.nodes = [id for id in self.nodes if id not in receipt.removed]

    async def _try(self, change: Any) -> Any:
        """What somebody deleted or merged before cannot be changed; that is no matter here."""
        try:
            return await change
        except RecollectError:
            return None


_CHILD = """
import asyncio, json, os, sys
from recollect import Recollect
from recollect.flows import projecting

settings, space = json.loads(sys.argv[1]), sys.argv[2]

async def work():
    async with Recollect.open(worker=False, **settings) as rc:
        await projecting.project(rc.parts, space)

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        asyncio.run(work())
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("ended", flush=True)
"""


class Killed:
    """A process that forks projectors, each of which is killed."""

    def __init__(self, settings: Any) -> None:
        given = {
            "database_url": settings.database_url.get_secret_value(),
            "data_dir": str(settings.data_dir),
            "embedder": "fake",
            "understand": False,
            "neo4j_url": settings.neo4j_url,
            "neo4j_password": settings.neo4j_password.get_secret_value(),
        }
        command = [sys.executable, "-c", _CHILD, json.dumps(given), SPACE]
        self._parent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def start(self) -> int:
        """Have one begin; its process id."""
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write("go\n")
        self._parent.stdin.flush()
        return int(self._parent.stdout.readline())

    def kill(self, pid: int) -> None:
        """End it at once, whatever it does."""
        os.kill(pid, signal.SIGKILL)
        assert self._parent.stdout is not None
        assert self._parent.stdout.readline().strip() == "ended"

    def close(self) -> None:
        """No more of them."""
        assert self._parent.stdin is not None
        self._parent.stdin.close()
        self._parent.wait(20)


async def projecting_until_killed(rc: Recollect, killed: Killed, space: str, batch: int, delay: float) -> None:
    """A projector that is killed soon after it began its first, second, … batch: somewhere in it."""
    before = _turn(rc, space)
    pid = await asyncio.to_thread(killed.start)
    for _ in range(3_000):
        if _turn(rc, space) >= before + batch:
            break
        await asyncio.sleep(0.02)
    await asyncio.sleep(delay)
    await asyncio.to_thread(killed.kill, pid)


def _turn(rc: Recollect, space: str) -> int:
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        [(turn,)] = owner.execute("select turn from projection where space_id = %s", [space]).fetchall()
    return int(turn)
