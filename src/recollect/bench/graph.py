"""Walks in a power-law graph: neighbours of hubs, shortest paths, and pairs between which there is none."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress

from recollect.bench.load import tidy
from recollect.bench.place import place
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit, percentile
from recollect.db.sql import load
from recollect.memory import Recollect, ScopedMemory

QUERIES = load("recollect.bench", "graph.sql")

HUBS = 10
_HUB_SHARE = 0.0135  # of all ends of relations: 10,000 of 500,000, those drawn twice not counted
_EXPONENT = 0.7
_ISLAND_SHARE = 0.01  # of the nodes: a graph of its own, which no relation leads to
_AWAY = 0.05  # of the relations have ended, and as many are archived
_ARCHIVED = 0.01  # of the nodes
_TYPES = ("works_with", "uses", "part_of", "depends_on", "located_in")
_CHUNK = 50_000
_LONGEST = 6
_SEED = 17

Numbers = NDArray[np.int64]


@dataclass(slots=True)
class _Timed:
    """Walks of one sort."""

    seconds: list[float] = field(default_factory=list)
    cuts: int = 0

    def note(self, seconds: float, *, cut: bool = False) -> None:
        self.seconds.append(seconds)
        self.cuts += cut

    @property
    def p50(self) -> float:
        return 1000 * percentile(self.seconds, 0.5)

    @property
    def p95(self) -> float:
        return 1000 * percentile(self.seconds, 0.95)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A graph drawn at random. The first nodes are the hubs, the last ones an island."""

    nodes: int
    island: int
    """The first node of the island."""
    pairs: Numbers
    """From and to of each relation."""
    ended: NDArray[np.bool_]
    archived: NDArray[np.bool_]
    archived_nodes: Numbers

    @property
    def held(self) -> Numbers:
        """The relations that can be walked."""
        kept = ~(self.ended | self.archived) & ~np.isin(self.pairs, self.archived_nodes).any(axis=1)
        held: Numbers = self.pairs[kept]
        return held


def draw(nodes: int, relations: int, seed: int = _SEED) -> Drawn:
    """A few hubs with a hundredth of all ends each, the other nodes by a power law, and an island beside them."""
    random = np.random.default_rng(seed)
    island = nodes - max(2, int(nodes * _ISLAND_SHARE))
    weights = np.arange(1, island + 1, dtype=np.float64) ** -_EXPONENT
    weights[:HUBS] = 0.0
    weights *= (1 - HUBS * _HUB_SHARE) / weights.sum()
    weights[:HUBS] = _HUB_SHARE
    on_island = int(relations * _ISLAND_SHARE)
    mainland = _distinct(lambda n: random.choice(island, (n, 2), p=weights), relations - on_island)
    beside = _distinct(lambda n: random.integers(island, nodes, (n, 2)), on_island)
    pairs = np.concatenate([mainland, beside])
    fate = random.random(len(pairs))
    archived = random.choice(np.arange(HUBS, nodes), int(nodes * _ARCHIVED), replace=False)
    return Drawn(nodes, island, pairs, fate < _AWAY, fate > 1 - _AWAY, archived)


def _distinct(drawn: Callable[[int], Numbers], count: int) -> Numbers:
    """So many pairs of different nodes, none twice."""
    pairs = np.empty((0, 2), np.int64)
    while len(pairs) < count:
        more = drawn(count)
        pairs = np.unique(np.concatenate([pairs, more[more[:, 0] != more[:, 1]]]), axis=0)
    chosen: Numbers = np.random.default_rng(_SEED).permutation(pairs)[:count]
    return chosen


async def fill(rc: Recollect, space: str, graph: Drawn, bar: Progress) -> None:
    """As the owner and in SQL: through the front door this would be a benchmark of extraction."""
    now = datetime.now(UTC)
    task = bar.add_task("nodes and relations", total=graph.nodes + len(graph.pairs))
    await _write(rc, "space", space=space, now=now)
    for first in range(0, graph.nodes, _CHUNK):
        last = min(first + _CHUNK, graph.nodes) - 1
        values = {"space": space, "now": now, "first": first, "last": last}
        await _write(rc, "nodes", **values)
        await _write(rc, "node_uses", **values, archived=graph.archived_nodes.tolist())
        bar.advance(task, last - first + 1)
    for first in range(0, len(graph.pairs), _CHUNK):
        await _write_relations(rc, space, graph, first, now)
        bar.advance(task, min(_CHUNK, len(graph.pairs) - first))
    bar.remove_task(task)


async def _write_relations(rc: Recollect, space: str, graph: Drawn, first: int, now: datetime) -> None:
    some = slice(first, first + _CHUNK)
    numbers = np.arange(first, first + len(graph.pairs[some])) + graph.nodes
    of_chunk: dict[str, Any] = {"space": space, "now": now, "numbers": numbers.tolist()}
    await _write(
        rc,
        "relations",
        **of_chunk,
        subjects=graph.pairs[some, 0].tolist(),
        objects=graph.pairs[some, 1].tolist(),
        types=[_TYPES[number % len(_TYPES)] for number in numbers.tolist()],
        strengths=(0.2 + 0.8 * (numbers * 7919 % 1000) / 1000).tolist(),
        ended=graph.ended[some].tolist(),
    )
    await _write(rc, "relation_uses", **of_chunk, archived=graph.archived[some].tolist())


async def _write(rc: Recollect, name: str, **values: Any) -> None:
    async with rc.parts.database.owner() as owner:
        await owner.execute(QUERIES[name], values)


async def run(
    console: Console,
    *,
    nodes: int = 100_000,
    relations: int = 500_000,
    walks: int = 100,
    database_url: str | None = None,
    embedder: str | None = None,
) -> Report:
    """Draw a graph, walk in it, and compare every length with a plain breadth-first search."""
    graph = draw(nodes, relations)
    async with place(database_url) as where, where.open(embedder=embedder, worker=False) as rc:
        me = rc.scope(user_id=where.name("graph"))
        with progress(console) as bar:
            await fill(rc, me.scope.space, graph, bar)
            await tidy(rc)
            around = await _traversals(me, graph, walks, bar)
            between, wrong = await _paths(me, graph, walks, bar)
    return _report(graph, around, between, wrong)


async def _traversals(me: ScopedMemory, graph: Drawn, walks: int, bar: Progress) -> dict[str, _Timed]:
    """Depths 1 to 3 around hubs and around any nodes, one after the other."""
    random = np.random.default_rng(_SEED)
    starts = {"hubs": np.arange(HUBS).repeat(max(1, walks // HUBS)), "any node": random.choice(_walkable(graph), walks)}
    task = bar.add_task("traversals", total=3 * sum(map(len, starts.values())))
    found: dict[str, _Timed] = {}
    for depth in (1, 2, 3):
        for name, chosen in starts.items():
            timed = found[f"traverse, depth {depth}, {name}"] = _Timed()
            for number in chosen.tolist():
                began = perf_counter()
                seen = await me.traverse(_id(number), depth)
                timed.note(perf_counter() - began, cut=seen.truncated)
                bar.advance(task)
    return found


async def _paths(me: ScopedMemory, graph: Drawn, walks: int, bar: Progress) -> tuple[dict[str, _Timed], int]:
    """Paths of every length, and none; with how many had another length than they should."""
    pairs = _pairs(graph, walks)
    task = bar.add_task("paths", total=len(pairs))
    found: dict[str, _Timed] = {}
    wrong = 0
    for start, end, distance in sorted(pairs, key=lambda pair: pair[2] or _LONGEST + 1):
        began = perf_counter()
        route = await me.path(_id(start), _id(end), most=_LONGEST)
        seconds = perf_counter() - began
        found.setdefault("path, none" if distance is None else f"path, distance {distance}", _Timed()).note(seconds)
        wrong += (None if route is None else len(route)) != distance
        bar.advance(task)
    return found, wrong


def _pairs(graph: Drawn, walks: int) -> list[tuple[int, int, int | None]]:
    """Pairs of each distance, hubs among their ends, and pairs that no way joins."""
    random = np.random.default_rng(_SEED)
    starts = [*range(3), *random.choice(_walkable(graph), 17).tolist()]
    pairs: list[tuple[int, int, int | None]] = []
    for start in starts:
        away = distances(graph, start)
        for distance in range(1, _LONGEST + 1):
            there = np.flatnonzero(away == distance)
            some = random.choice(there, min(len(there), max(1, walks // len(starts))), replace=False)
            pairs += [(start, int(end), distance) for end in some]
        nowhere = np.flatnonzero((away < 0) & ~np.isin(np.arange(graph.nodes), graph.archived_nodes))
        pairs += [(start, int(end), None) for end in random.choice(nowhere, max(1, walks // len(starts)))]
    return pairs


def distances(graph: Drawn, start: int) -> Numbers:
    """How far every node is from one, level by level over all relations; -1: no way leads there."""
    away = np.full(graph.nodes, -1, np.int64)
    away[start] = 0
    for distance in range(1, graph.nodes):
        near = away[graph.held] == distance - 1
        met = np.concatenate([graph.held[near[:, 0], 1], graph.held[near[:, 1], 0]])
        fresh = np.unique(met[away[met] < 0])
        if not len(fresh):
            break
        away[fresh] = distance
    return away


def _walkable(graph: Drawn) -> Numbers:
    """Nodes that a relation leads to."""
    nodes: Numbers = np.unique(graph.held)
    return nodes


def _id(number: int) -> UUID:
    return UUID(int=number)


def _report(graph: Drawn, around: dict[str, _Timed], between: dict[str, _Timed], wrong: int) -> Report:
    timed = around | between
    rows = [[name, len(t.seconds), t.p50, t.p95, f"{t.cuts}" if name in around else ""] for name, t in timed.items()]
    title = f"{graph.nodes:,} nodes, {len(graph.pairs):,} relations, hubs of {_largest(graph):,} (ms)"
    limits = [Limit(f"{name}, p95", t.p95, 50, unit="ms") for name, t in around.items() if "depth 2" in name]
    limits += [
        Limit(f"{name}, p95", t.p95, 200, unit="ms")
        for name, t in between.items()
        if name in {f"path, distance {distance}" for distance in range(1, 5)}
    ]
    limits.append(Limit("paths of another length than they should have", wrong, 0))
    values = {name: {"walks": len(t.seconds), "p50": t.p50, "p95": t.p95, "cut": t.cuts} for name, t in timed.items()}
    grid = Grid(title, ["walk", "walks", "p50", "p95", "cut"], rows)
    sizes = {"nodes": graph.nodes, "relations": len(graph.pairs), "largest": _largest(graph)}
    return Report("graph", sizes | {"walks": values}, [grid], limits)


def _largest(graph: Drawn) -> int:
    return int(np.bincount(graph.pairs.ravel()).max())
