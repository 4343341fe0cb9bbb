"""Carrying a graph to Neo4j: how fast all of it is copied, how fast changes follow, how much memory that takes, and how
quickly either side answers afterwards."""

import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any
from uuid import UUID

import psutil
from rich.console import Console

from recollect.bench.graph import HUBS, QUERIES, draw, fill
from recollect.bench.load import tidy
from recollect.bench.place import place
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit, percentile
from recollect.flows import projecting
from recollect.graph.model import Ways
from recollect.graph.projection import server
from recollect.graph.projection.reading import Neo4jGraph
from recollect.graph.walking import PostgresGraph
from recollect.memory import Recollect

_MIB = 2**20
_WALKS = 100
_PATIENCE = 60.0
"""Seconds for a step of a walk: here it is measured, not given up."""


@dataclass(slots=True)
class _Memory:
    """What our own process and Neo4j's hold, looked at whenever a page is done."""

    neo4j: int
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)

    def look(self, *_: int) -> None:
        self.ours.append(psutil.Process().memory_info().rss / _MIB)
        self.theirs.append(psutil.Process(self.neo4j).memory_info().rss / _MIB)

    @property
    def growth(self) -> float:
        """From the middle of the run to its end, in our own process."""
        return self.ours[-1] - self.ours[len(self.ours) // 2]


async def run(
    console: Console, *, nodes: int = 100_000, relations: int = 300_000, database_url: str | None = None
) -> Report:
    """Draw a graph, copy it, have all of it follow as if it had changed, compare, and walk in it on both sides."""
    graph = draw(nodes, relations)
    with tempfile.TemporaryDirectory(prefix="recollect-neo4j-") as home, server.running(Path(home)) as neo4j:
        async with (
            place(database_url) as where,
            where.open(worker=False, neo4j_timeout=_PATIENCE, **neo4j.settings) as rc,
        ):
            space = rc.scope(user_id=where.name("projection")).scope.space
            with progress(console) as bar:
                await fill(rc, space, graph, bar)
            await tidy(rc)
            console.print("copying …")
            memory = _Memory(neo4j.process.pid)
            copied = await _timed(rc.rebuild_graph([space], memory.look))
            console.print(f"copied in {copied:.0f} s, following …")
            async with rc.parts.database.owner() as owner:
                await owner.execute(QUERIES["touch_nodes"], {"space": space})
            followed = await _timed(projecting.project(rc.parts, space))
            memory.look()
            console.print(f"followed in {followed:.0f} s, comparing …")
            verified = await rc.verify_graph([space])
            console.print(f"{len(verified.differences)} differences, walking …")
            walks = await _walks(rc, space)
    total = nodes + relations
    return _report(total, copied, followed, memory, walks, len(verified.differences))


async def _timed(work: Awaitable[Any]) -> float:
    began = perf_counter()
    await work
    return perf_counter() - began


async def _walks(rc: Recollect, space: str) -> dict[str, list[float]]:
    """The same walks on both sides, by turns."""
    assert rc.parts.neo4j is not None
    postgres = PostgresGraph(rc.parts.database, rc.parts.rules)
    projected = Neo4jGraph(rc.parts.database, rc.parts.rules, rc.parts.neo4j)
    ways, me = Ways(rc.parts.clock()), rc.scope(user_id=space.partition(":")[2])
    found: dict[str, list[float]] = {}
    for number in range(_WALKS):
        hub, other = await me.get(UUID(int=number % HUBS)), await me.get(UUID(int=HUBS + 97 * number))
        for name, reader in (("PostgreSQL", postgres), ("Neo4j", projected)):
            asked: dict[str, Callable[[], Awaitable[Any]]] = {
                "traverse, depth 2, hub": lambda reader=reader, hub=hub: reader.traverse(hub, ways, 2, 50),  # type: ignore[misc]
                "traverse, depth 2, any node": lambda reader=reader, other=other: reader.traverse(other, ways, 2, 50),  # type: ignore[misc]
                "path": lambda reader=reader, hub=hub, other=other: reader.path(hub, other, ways, 6),  # type: ignore[misc]
            }
            for what, ask in asked.items():
                found.setdefault(f"{what}: {name}", []).append(1000 * await _timed(ask()))
    return found


def _report(
    total: int, copied: float, followed: float, memory: _Memory, walks: dict[str, list[float]], differences: int
) -> Report:
    rates = {"copied": total / copied, "followed": total / followed}
    rows = [
        ["copy of the whole space", f"{copied:.1f}", f"{rates['copied']:,.0f}"],
        ["changes by way of the outbox", f"{followed:.1f}", f"{rates['followed']:,.0f}"],
    ]
    grids = [
        Grid(f"{total:,} nodes and relations", ["", "seconds", "per second"], rows),
        Grid(
            "memory (MiB)",
            ["", "middle", "end", "most"],
            [
                [name, f"{held[len(held) // 2]:.0f}", f"{held[-1]:.0f}", f"{max(held):.0f}"]
                for name, held in (("Recollect", memory.ours), ("Neo4j", memory.theirs))
            ],
        ),
        Grid(
            "walks (ms)",
            ["", "p50", "p95"],
            [[name, f"{percentile(ms, 0.5):.1f}", f"{percentile(ms, 0.95):.1f}"] for name, ms in walks.items()],
        ),
    ]
    limits = [
        Limit("differences", differences, 0),
        Limit("growth of Recollect's memory", memory.growth, 100, unit="MiB"),
    ]
    return Report("projection", {"total": total, "rates": rates, "walks": walks}, grids, limits)
