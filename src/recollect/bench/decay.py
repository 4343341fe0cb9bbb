"""The nightly decay run over many memories, one in a hundred of which has faded below the threshold."""

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from time import perf_counter
from typing import Any
from uuid import UUID

from rich.console import Console
from rich.progress import Progress

from recollect.bench.load import tidy
from recollect.bench.place import place
from recollect.bench.report import Report, progress
from recollect.bench.scoring import Limit
from recollect.db.sql import load
from recollect.memory import Recollect
from recollect.records.lifecycle import salience

QUERIES = load("recollect.bench", "decay.sql")

SECONDS = 60.0
_CHUNK = 50_000
_SAMPLE = 1_000
_SEED = 17


async def run(
    console: Console,
    *,
    memories: int = 1_000_000,
    spaces: int = 1_000,
    database_url: str | None = None,
    embedder: str | None = None,
) -> Report:
    """Fill, fade, and compare what is stored with the pure function."""
    now = datetime.now(UTC)
    async with (
        place(database_url) as where,
        where.open(embedder=embedder, worker=False, clock=lambda: now) as rc,
    ):
        name = f"user:{where.name('decay')}"
        with progress(console) as bar:
            await _fill(rc, name, memories, spaces, now, bar)
            await tidy(rc)
            before = await _differences(rc, name, memories, now)
            seconds, counts = await _decay(rc, bar)
            after = await _differences(rc, name, memories, now)
        [archived] = await _rows(rc, "archived", space=name)
    expected = sum((number // spaces) % 100 == 0 for number in range(memories))
    values = {
        "memories": memories,
        "spaces": spaces,
        "seconds": seconds,
        "counts": dict(counts),
        "expected": expected,
        "archived": archived.archived,
        "archived_but_visible": archived.visible,
        "salience_difference": {"before": before, "after": after},
    }
    limits = [
        Limit(f"decay of {memories:,} memories", seconds, SECONDS, unit="s"),
        Limit("memories archived in error, or not", abs(archived.archived - expected) + archived.visible, 0),
        Limit("largest difference from the pure function", max(before, after), 1e-9),
    ]
    return Report("decay", values, [], limits, [f"{archived.archived:,} memories in {spaces:,} spaces were archived."])


async def _fill(rc: Recollect, space: str, memories: int, spaces: int, now: datetime, bar: Progress) -> None:
    """As the owner and in SQL: through the front door this would be a benchmark of the embedder."""
    task = bar.add_task("memories", total=memories)
    width = rc.parts.embedder.dimensions
    vector = str([round(random.Random(_SEED).gauss(0, 1), 3) for _ in range(width)])
    await _rows(rc, "spaces", space=space, spaces=spaces, now=now)
    for first in range(0, memories, _CHUNK):
        last = min(first + _CHUNK, memories) - 1
        values = {"space": space, "spaces": spaces, "now": now, "first": first, "last": last}
        await _rows(rc, "memories", **values)
        await _rows(rc, "uses", **values)
        await _rows(rc, "entries", **values, vector=vector)
        bar.advance(task, last - first + 1)
    bar.remove_task(task)


async def _decay(rc: Recollect, bar: Progress) -> tuple[float, Mapping[str, int]]:
    task = bar.add_task("decay, spaces")
    began = perf_counter()
    counts = await rc.run_job("decay", lambda done, total: bar.update(task, completed=done, total=total))
    return perf_counter() - began, counts


async def _differences(rc: Recollect, space: str, memories: int, now: datetime) -> float:
    """The largest difference between the pure function and what the database, or a reader, gets for a memory."""
    numbers = random.Random(_SEED).sample(range(1, memories), min(_SAMPLE, memories - 1))
    rules = rc.parts.rules
    rows = await _rows(
        rc,
        "sample",
        space=space,
        at=now,
        ids=[UUID(int=n) for n in numbers],
        rate=rules.decay_rate,
        confident=rules.confident,
    )
    largest = 0.0
    for row in rows:
        left = salience(row, now, rules)
        largest = max(
            largest, abs(left - row.salience_in_sql), abs(left - await _read(rc, row.space_id, row.memory_id))
        )
    return largest


async def _read(rc: Recollect, space: str, id: UUID) -> float:
    """The salience that a reader gets. From a page, since `get` counts as a recall and would change it."""
    reader = rc.scope(user_id=space.removeprefix("user:"))
    page = await reader.get_all(limit=1, after=UUID(int=id.int - 1), include=["archived"])
    [memory] = page
    assert memory.id == id
    return memory.salience


async def _rows(rc: Recollect, name: str, **values: Any) -> Sequence[Any]:
    async with rc.parts.database.owner() as owner:
        cursor = await owner.execute(QUERIES[name], values)
        return await cursor.fetchall() if cursor.description else []
