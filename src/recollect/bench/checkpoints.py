"""Saving and loading the state of a thread, beside LangGraph's own saver for PostgreSQL on the same server.

The state is what document D's supervisor keeps: the graph's state, what it remembers, the conversation, its agents; a
channel each, 20 KB together, all of them changed in every version. Both write durably (synchronous_commit is on) and
read the latest of all versions; Recollect as its application role, under row-level security.
"""

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from typing import Any

from pydantic_core import to_json
from rich.console import Console
from rich.progress import Progress

from recollect.bench.load import tidy
from recollect.bench.place import place
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit, percentile
from recollect.core.errors import RecollectError
from recollect.memory import Recollect

_SHARES = {"messages": 0.6, "memory_context": 0.25, "agents": 0.1, "graph": 0.05}
_WORDS = ("plan", "tea", "train", "before", "agent", "memory", "asks", "table", "window", "Lisbon", "draft", "step")
_BLOCK = 50
MOST_MILLISECONDS = 100.0
"""Document D, section 15."""
_PEER = "LangGraph AsyncPostgresSaver"
_OURS = "Recollect, save_checkpoint and load_checkpoint"
_SAVER = "Recollect, RecollectSaver"


@dataclass(slots=True)
class Measured:
    """Seconds of one side."""

    saves: list[float] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """Milliseconds."""
        shares = (("p50", 0.5), ("p95", 0.95))
        kinds = (("save", self.saves), ("load", self.loads))
        return {f"{kind}_{name}": 1000 * percentile(of, share) for kind, of in kinds for name, share in shares}


@dataclass(frozen=True, slots=True)
class Side:
    """One way of keeping checkpoints."""

    save: Callable[[dict[str, Any]], Awaitable[object]]
    load: Callable[[], Awaitable[dict[str, Any]]]


async def run(console: Console, *, versions: int, loads: int, size: int, database_url: str | None = None) -> Report:
    """Save so many versions, then load the latest; the sides take turns, a block of calls each."""
    report = Report("checkpoints", {"versions": versions, "bytes": size})
    chance = random.Random(7)
    states = [_state(chance, size) for _ in range(_BLOCK)]
    async with place(database_url) as where, where.open(worker=False, embedder="fake") as rc:
        await _require_durable(rc)
        async with _sides(rc, where.name("checkpoints")) as sides:
            found = {name: Measured() for name in sides}
            with progress(console) as bar:
                await _save(sides, found, states, versions, bar)
                await tidy(rc)
                await _load(sides, found, states[(versions - 1) % _BLOCK], loads, bar)
    if _PEER not in found:
        report.notes.append(f"{_PEER} is not installed: nothing to compare with.")
    _tell(report, {name: measured.figures() for name, measured in found.items()}, versions)
    return report


def _state(chance: random.Random, size: int) -> dict[str, Any]:
    return {channel: _messages(chance, int(share * size)) for channel, share in _SHARES.items()}


def _messages(chance: random.Random, size: int) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    while len(to_json(made)) < size:
        text = " ".join(chance.choices(_WORDS, k=30))
        made.append({"role": chance.choice(("user", "assistant")), "content": text, "id": chance.randrange(10**9)})
    return made


async def _require_durable(rc: Recollect) -> None:
    async with rc.parts.database.application() as connection:
        cursor = await connection.execute(
            "select current_setting('synchronous_commit') as commit, current_setting('fsync') as fsync"
        )
        row = await cursor.fetchone()
    if row is None or (row.commit, row.fsync) != ("on", "on"):
        raise RecollectError(f"this server does not write durably: {row}")


@asynccontextmanager
async def _sides(rc: Recollect, user: str) -> AsyncIterator[dict[str, Side]]:
    me = rc.scope(user_id=user, thread_id="state")
    sides = {_OURS: Side(me.save_checkpoint, me.load_checkpoint)}
    if find_spec("langgraph") is None or find_spec("langgraph.checkpoint.postgres") is None:
        yield sides
        return
    saver = import_module("recollect.adapters.langgraph").RecollectSaver(me)
    peer_class = import_module("langgraph.checkpoint.postgres.aio").AsyncPostgresSaver
    async with peer_class.from_conn_string(rc.database_url) as peer:
        await peer.setup()
        yield {_PEER: _graph(peer, user), **sides, _SAVER: _graph(saver, user)}


def _graph(saver: Any, thread: str) -> Side:
    """A saver in the hands of a graph: each checkpoint follows the one before it."""
    empty: Any = import_module("langgraph.checkpoint.base").empty_checkpoint
    config: dict[str, Any] = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    latest: dict[str, Any] = {"config": config, "step": 0, "version": None}

    async def save(state: dict[str, Any]) -> None:
        latest["version"] = version = saver.get_next_version(latest["version"], None)
        versions = dict.fromkeys(state, version)
        seen = {f"node-{node}": {f"branch:to:node-{node}": version} for node in range(5)}
        checkpoint = {**empty(), "v": 4, "channel_values": state, "channel_versions": versions, "versions_seen": seen}
        metadata = {"source": "loop", "step": latest["step"], "parents": {}}
        latest["config"] = await saver.aput(latest["config"], checkpoint, metadata, versions)
        latest["step"] += 1

    async def load() -> dict[str, Any]:
        found = await saver.aget_tuple(config)
        values: dict[str, Any] = found.checkpoint["channel_values"]
        return values

    return Side(save, load)


async def _save(
    sides: dict[str, Side], found: dict[str, Measured], states: list[dict[str, Any]], versions: int, bar: Progress
) -> None:
    task = bar.add_task("Saving", total=versions)
    for start in range(0, versions, _BLOCK):
        block = range(start, min(start + _BLOCK, versions))
        for name, side in sides.items():
            for number in block:
                began = perf_counter()
                await side.save(states[number % _BLOCK])
                found[name].saves.append(perf_counter() - began)
        bar.advance(task, len(block))


async def _load(
    sides: dict[str, Side], found: dict[str, Measured], expected: dict[str, Any], loads: int, bar: Progress
) -> None:
    task = bar.add_task("Loading", total=loads)
    for start in range(0, loads, _BLOCK):
        block = range(start, min(start + _BLOCK, loads))
        for name, side in sides.items():
            for _ in block:
                began = perf_counter()
                state = await side.load()
                found[name].loads.append(perf_counter() - began)
                if state != expected:
                    raise RecollectError(f"{name} loaded another state than the last one saved")
        bar.advance(task, len(block))


def _tell(report: Report, figures: dict[str, dict[str, float]], versions: int) -> None:
    report.values["milliseconds"] = figures
    columns = ["", "save p50", "p95", "load p50", "p95"]
    rows = [[name, *found.values()] for name, found in figures.items()]
    report.grids.append(Grid(f"Milliseconds, the latest of {versions:,} versions", columns, rows))
    for name in (name for name in (_OURS, _SAVER) if name in figures):
        report.limits += [
            Limit(f"{name}: {what.replace('_', ' ')}, document D's", figures[name][what], MOST_MILLISECONDS, unit="ms")
            for what in ("save_p95", "load_p95")
        ]
    if _PEER not in figures:
        return
    for name in (_OURS, _SAVER):
        for what, value in figures[name].items():
            share = value / figures[_PEER][what]
            report.limits.append(Limit(f"{name}: {what.replace('_', ' ')} of {_PEER}'s", share, 0.5))
