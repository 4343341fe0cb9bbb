"""How heavy Recollect is: its command line, its first answer, its memory, and its place on the disk."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import cache_from_source
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from packaging.requirements import Requirement
from rich.console import Console

from recollect.bench import texts
from recollect.bench.load import write
from recollect.bench.place import settle
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit
from recollect.core.errors import RecollectError
from recollect.memory import Recollect

_RUNS = 5
_MEMORIES = 1_000
_MB = 1e6

# A process that opens a data directory, searches, and says how long that took since it was started.
_FIRST_SEARCH = """
import asyncio, json, sys, time, psutil
from recollect import Recollect

async def main():
    async with Recollect.open(data_dir=sys.argv[1], database_url=None) as rc:
        hits = await rc.scope(user_id="footprint").search("When was the garden painted?")
        me = psutil.Process()
        print(json.dumps({
            "seconds": time.time() - me.create_time(), "resident": me.memory_info().rss, "hits": len(hits)}))

asyncio.run(main())
"""


async def run(console: Console) -> Report:
    """Measure all four."""
    with progress(console) as bar:
        task = bar.add_task("footprint", total=4)
        help_seconds = [_help() for _ in range(_RUNS)]
        bar.advance(task)
        with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
            await _prepare(folder)
            bar.advance(task)
            firsts = [await asyncio.to_thread(_first_search, folder) for _ in range(_RUNS)]
        bar.advance(task)
        sizes = installed()
        bar.advance(task)
    return _report(help_seconds, firsts, sizes)


def _environment() -> dict[str, str]:
    """Without settings of this machine's user: they may name another server."""
    return {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}


def _help() -> float:
    """Seconds of `recollect --help`."""
    script = Path(sys.executable).with_name("recollect")
    began = perf_counter()
    done = subprocess.run([str(script), "--help"], capture_output=True, check=False, env=_environment())  # noqa: S603
    if done.returncode != 0:
        raise RecollectError(f"recollect --help failed: {done.stderr.decode(errors='replace')[-300:]}")
    return perf_counter() - began


async def _prepare(folder: str) -> None:
    """A data directory with some memories in it, closed again."""
    corpus = texts.generated(_MEMORIES, 1)
    async with Recollect.open(data_dir=folder) as rc:
        await write(rc.scope(user_id="footprint"), corpus.texts)
        await settle(rc)


def _first_search(folder: str) -> dict[str, Any]:
    command = [sys.executable, "-c", _FIRST_SEARCH, folder]
    done = subprocess.run(command, capture_output=True, check=False, env=_environment())  # noqa: S603
    if done.returncode != 0:
        raise RecollectError(f"the first search failed: {done.stderr.decode(errors='replace')[-500:]}")
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def installed() -> dict[str, int]:
    """Bytes of Recollect and everything that a plain install brings, bytecode included."""
    return {name: _bytes(found) for name, found in sorted(_closure("recollect").items())}


def _closure(name: str) -> dict[str, Distribution]:
    """A distribution and those that it requires, extras as far as the requirements name them."""
    found: dict[str, Distribution] = {}
    waiting = [(name, frozenset[str]())]
    seen = set()
    while waiting:
        wanted, extras = waiting.pop()
        key = wanted.lower().replace("_", "-").replace(".", "-")
        if (key, extras) in seen:
            continue
        seen.add((key, extras))
        try:
            found[key] = distribution(wanted)
        except PackageNotFoundError:
            continue
        waiting += _required(found[key], extras)
    return found


def _required(found: Distribution, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for line in found.requires or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement.name, frozenset(requirement.extras)


def _bytes(found: Distribution) -> int:
    """Its files as installed; of an editable install, the package's folder, since that is what a wheel would hold."""
    paths = {Path(str(found.locate_file(file))) for file in found.files or ()}
    if found.metadata["Name"] == "recollect":
        paths |= {path for path in Path(__file__).parents[1].rglob("*") if "__pycache__" not in path.parts}
    paths |= {Path(cache_from_source(str(path))) for path in paths if path.suffix == ".py"}
    return sum(path.stat().st_size for path in paths if path.is_file())


def _report(help_seconds: list[float], firsts: list[dict[str, Any]], sizes: dict[str, int]) -> Report:
    resident = max(first["resident"] for first in firsts) / _MB
    limits = [
        Limit("recollect --help", median(help_seconds), 0.4, unit="s"),
        Limit("open a data directory and search", median(first["seconds"] for first in firsts), 3.0, unit="s"),
        Limit("resident with the embedder", resident, 250, unit="MB"),
        Limit("plain install", sum(sizes.values()) / _MB, 350, unit="MB"),
    ]
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:8]
    grid = Grid(
        "Largest parts of a plain install", ["distribution", "MB"], [[name, size / _MB] for name, size in largest]
    )
    values = {
        "help_seconds": help_seconds,
        "first_search": firsts,
        "resident_mb": resident,
        "install_bytes": sizes,
    }
    return Report("footprint", values, [grid], limits)
