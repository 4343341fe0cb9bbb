"""The server beside the library: requests a second and milliseconds of search and add, with 1, 8 and 64 callers.

Both work on the same space in the same run, in turns, so that whatever else the machine does strikes both. The server
is `recollect serve` in a process of its own; whoever calls it writes requests to a socket by hand, so that no HTTP
library is measured along with it.
"""

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from rich.console import Console
from rich.progress import Progress

from recollect.bench import texts
from recollect.bench.place import Place, place, settle
from recollect.bench.report import Grid, Report, progress
from recollect.bench.scoring import Limit, percentile
from recollect.core.errors import RecollectError
from recollect.memory import ScopedMemory

CALLERS = (1, 8, 64)
_BATCH = 200
_TURNS = 6
_EACH = 4
"""Requests of a caller in a stretch, at least."""
_FEW = 20
_COMMAND = "from recollect.cli import main; main()"
_LISTENS = re.compile(r"listens on (http://\S+)")
_MORE_MILLISECONDS = 5.0

Call = Callable[[int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Figures:
    """What callers saw."""

    per_second: float
    p50: float
    p95: float


async def run(
    console: Console,
    *,
    memories: int = 2_000,
    requests: int = 600,
    callers: Sequence[int] = CALLERS,
    database_url: str | None = None,
    embedder: str | None = None,
) -> Report:
    """Fill a space, then measure both."""
    corpus = texts.generated(memories + _FEW, 200)
    found: dict[tuple[str, int, str], Figures] = {}
    async with place(database_url) as where, where.open(embedder=embedder, worker=False) as rc:
        me = rc.scope(user_id=where.name("caller"))
        with progress(console) as bar:
            await _fill(me, corpus.texts, bar)
            await settle(rc)
            async with _served(where, embedder or rc.settings.embedder) as url:
                for op in ("search", "add"):
                    for number in callers:
                        library = [_of_library(op, me, corpus.questions)] * number
                        async with _of_server(op, url, me, corpus.questions, number) as server:
                            sides = {"library": library, "server": server}
                            measured = await _in_turns(bar, sides, requests, op)
                        found |= {(op, number, who): figures for who, figures in measured.items()}
    return _report(found, memories, requests)


async def _fill(me: ScopedMemory, corpus: Sequence[str], bar: Progress) -> None:
    task = bar.add_task("memories", total=len(corpus))
    for start in range(0, len(corpus), _BATCH):
        batch = corpus[start : start + _BATCH]
        await me.add_many([{"content": text} for text in batch])
        bar.advance(task, len(batch))


async def _in_turns(bar: Progress, sides: Mapping[str, Sequence[Call]], requests: int, op: str) -> dict[str, Figures]:
    """A stretch of one, a stretch of the other, until each has answered so many requests."""
    callers = len(next(iter(sides.values())))
    stretch = max(requests // _TURNS, _EACH * callers)
    task = bar.add_task(f"{op}, {callers} at once", total=requests * len(sides))
    found = {who: _Stretches() for who in sides}
    while any(len(each.taken) < requests for each in found.values()):
        for who, calls in sides.items():
            await found[who].add(calls, stretch)
            bar.advance(task, stretch)
    bar.remove_task(task)
    return {who: each.figures() for who, each in found.items()}


class _Stretches:
    """What the callers of one side saw so far."""

    def __init__(self) -> None:
        self.taken: list[float] = []
        self._answered, self._seconds = 0, 0.0
        self._numbers = count()

    async def add(self, calls: Sequence[Call], requests: int) -> None:
        """All callers at once, until so many more are answered; the first of each is not counted."""
        enough = len(self.taken) + requests

        async def caller(call: Call) -> None:
            await call(next(self._numbers))
            while len(self.taken) < enough:
                began = perf_counter()
                await call(next(self._numbers))
                self.taken.append((perf_counter() - began) * 1000)

        before, began = len(self.taken), perf_counter()
        await asyncio.gather(*(caller(call) for call in calls))
        self._seconds += perf_counter() - began
        self._answered += len(self.taken) - before + len(calls)

    def figures(self) -> Figures:
        """All of it."""
        return Figures(self._answered / self._seconds, percentile(self.taken, 0.5), percentile(self.taken, 0.95))


_added = count()


def _sentence() -> str:
    """Another one each time, so that nothing is found to be known."""
    number = next(_added)
    return f"Crate {number} went to harbour {number * 7919 % 10_007} on a Tuesday."


def _of_library(op: str, me: ScopedMemory, questions: Sequence[str]) -> Call:
    async def search(number: int) -> None:
        await me.search(questions[number % len(questions)])

    async def add(number: int) -> None:
        await me.add(_sentence())

    return search if op == "search" else add


@asynccontextmanager
async def _of_server(
    op: str, url: str, me: ScopedMemory, questions: Sequence[str], number: int
) -> AsyncIterator[list[Call]]:
    lines = [await _Line.open(url, me.scope.user_id or "") for _ in range(number)]

    def caller(line: "_Line") -> Call:
        async def search(number: int) -> None:
            await line.post("/v1/search", {"query": questions[number % len(questions)]})

        async def add(number: int) -> None:
            await line.post("/v1/add", {"content": _sentence()})

        return search if op == "search" else add

    yield [caller(line) for line in lines]
    for line in lines:
        line.close()


class _Line:
    """One connection to the server, which stays open."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, user: str) -> None:
        self._reader, self._writer = reader, writer
        self._head = f"Host: {host}\r\nX-Recollect-User: {user}\r\nContent-Type: application/json\r\n"

    @classmethod
    async def open(cls, url: str, user: str) -> "_Line":
        """Call the server."""
        address = urlsplit(url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port, limit=2**24)
        return cls(reader, writer, address.netloc, user)

    async def post(self, path: str, arguments: dict[str, Any]) -> Any:
        """Ask, and read the whole answer."""
        body = json.dumps(arguments).encode()
        head = f"POST {path} HTTP/1.1\r\n{self._head}Content-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode() + body)
        answered = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = re.search(r"content-length: (\d+)", answered)
        answer = json.loads(await self._reader.readexactly(int(length[1]) if length else 0))
        if " 200 " not in answered.split("\r\n", 1)[0]:
            raise RecollectError(f"the server refused {path}: {answer}")
        return answer

    def close(self) -> None:
        """Hang up."""
        self._writer.close()


@asynccontextmanager
async def _served(where: Place, embedder: str) -> AsyncIterator[str]:
    """`recollect serve` on the same database; its URL."""
    given = {"DATABASE_URL": where.database_url, "DATA_DIR": str(where.folder), "EMBEDDER": embedder}
    environment = os.environ | {f"RECOLLECT_{name}": value for name, value in given.items()}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _COMMAND, "serve", "--port", "0", "--no-worker"),
        env=environment,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield await _address(process)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    said = b""
    while line := await process.stderr.readline():
        said += line
        if found := _LISTENS.search(line.decode()):
            return found[1]
    raise RecollectError(f"the server did not start: {said.decode()[-500:]}")


def _report(found: dict[tuple[str, int, str], Figures], memories: int, requests: int) -> Report:
    rows = [
        (op, callers, who, f"{each.per_second:,.0f}", f"{each.p50:.1f}", f"{each.p95:.1f}")
        for (op, callers, who), each in found.items()
    ]
    title = f"{memories:,} memories, {requests:,} requests of each sort"
    grid = Grid(title, ("verb", "callers", "through", "a second", "p50 ms", "p95 ms"), rows)
    values = {
        f"{op}_{callers}_{who}": {"per_second": each.per_second, "p50": each.p50, "p95": each.p95}
        for (op, callers, who), each in found.items()
    }
    return Report("server", {"memories": memories, "requests": requests, **values}, [grid], _limits(found))


def _limits(found: dict[tuple[str, int, str], Figures]) -> list[Limit]:
    if ("search", 8, "server") not in found:
        return []
    library, server = found["search", 8, "library"].p95, found["search", 8, "server"].p95
    name = "search over HTTP, 8 callers: p95 beyond the library's"
    return [Limit(name, server - library, _MORE_MILLISECONDS, unit="ms")]
