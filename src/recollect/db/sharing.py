"""Batches of one space that come at the same moment share a transaction: one round trip and one fsync for all of them.

Whoever comes while no batch is under way goes at once, alone. Those that come meanwhile wait for its end, and then go
together. Each caller gets the rows of its own statements, after the commit; what only one of them is to blame for, such
as an id that is there already, is only that one's error.
"""

import asyncio
from collections import deque
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from recollect.core.errors import RecollectError, Unavailable
from recollect.db import sight
from recollect.db.batch import Batch

Rows = list[Any]
_Key: TypeAlias = tuple[tuple[str, ...], sight.Categories]

MOST = 64
"""Batches in one transaction."""
_CLOSING = 5.0
LOCK_TIMEOUT = 50
"""Milliseconds for which all wait where one of them waits for a row; that one then goes on waiting alone."""


class _Sender(Protocol):
    async def send(self, batch: Batch) -> list[Rows]: ...


class GivesWay(Unavailable):
    """Nothing was written, and it was another transaction that stood in the way: the same may be sent again."""


class _Forsaken(Exception):
    """Nobody waits for these rows any more."""


@dataclass(eq=False, slots=True)
class _Waiting:
    batch: Batch
    holds: str
    rows: asyncio.Future[list[Rows]]

    def answer(self, rows: list[Rows]) -> None:
        if not self.rows.done():
            self.rows.set_result(rows)

    def fail(self, error: BaseException) -> None:
        if not self.rows.done():
            self.rows.set_exception(error)


@dataclass(eq=False, slots=True)
class _Line:
    """Those who wait to write into a space."""

    waiting: deque[_Waiting] = field(default_factory=deque)
    apart: dict[str, deque[_Waiting]] = field(default_factory=dict)
    """Rows that somebody writes, or waits for, without the others, and who comes after them."""
    is_served: bool = False

    def next(self) -> list[_Waiting]:
        """Those who go next, in the order of the rows that they hold: no two transactions wait for each other."""
        group = [self.waiting.popleft() for _ in range(min(MOST, len(self.waiting)))]
        return sorted((each for each in group if not each.rows.done()), key=lambda each: each.holds)


class Sharing:
    """Brings together what several callers of a process send to one space."""

    def __init__(self, database: _Sender) -> None:
        self._database = database
        self._lines: dict[_Key, _Line] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def send(self, batch: Batch, holds: str) -> list[Rows]:
        """Send a batch, with others if there are any; `holds` names the row that it is the first to lock."""
        key = tuple(batch.spaces), sight.seen()
        line = self._lines.setdefault(key, _Line())
        if not line.is_served:
            line.is_served = True
            self._begin(self._serve(key, line))
        mine = _Waiting(batch, holds, asyncio.get_running_loop().create_future())
        line.waiting.append(mine)
        try:
            return await mine.rows
        except asyncio.CancelledError:
            with suppress(ValueError):  # it is under way
                line.waiting.remove(mine)
            raise

    async def close(self) -> None:
        """Let what is under way come to its end; what takes long is stopped."""
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=_CLOSING)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, key: _Key, line: _Line) -> None:
        """Send group after group, until nobody waits."""
        try:
            while line.waiting:
                await self._send_group(key, line, line.next())
                # Those who were just answered may have more to say: it goes with what the others wait to say.
                await asyncio.sleep(0)
        finally:
            line.is_served = False
            _cancel(line.waiting)
            self._leave(key, line)

    def _leave(self, key: _Key, line: _Line) -> None:
        """Forget a line that nobody stands in."""
        if not line.is_served and not line.apart:
            del self._lines[key]

    async def _send_group(self, key: _Key, line: _Line, group: Sequence[_Waiting]) -> None:
        self._go_apart(key, line, [each for each in group if each.holds in line.apart])
        together = [each for each in group if each.holds not in line.apart]
        if not together:
            return
        try:
            rows = await self._sent(_joined([each.batch for each in together]), together)
        except _Forsaken:
            return
        except asyncio.CancelledError:
            _cancel(together)
            raise
        except Exception as error:
            if _is_of_one(error, together):
                self._go_apart(key, line, together)
                return
            for each in together:
                each.fail(error)
        else:
            for each, own in zip(together, _parted([each.batch for each in together], rows), strict=True):
                each.answer(own)

    def _go_apart(self, key: _Key, line: _Line, group: Sequence[_Waiting]) -> None:
        """Each in a transaction of its own, those of one row in their order; those of other rows do not wait for it."""
        for each in group:
            if each.holds in line.apart:
                line.apart[each.holds].append(each)
            else:
                line.apart[each.holds] = deque([each])
                self._begin(self._serve_row(key, line, each.holds))

    async def _serve_row(self, key: _Key, line: _Line, holds: str) -> None:
        waiting = line.apart[holds]
        try:
            while waiting:
                await self._send_alone(waiting.popleft())
        finally:
            del line.apart[holds]
            _cancel(waiting)
            self._leave(key, line)

    async def _send_alone(self, waiting: _Waiting) -> None:
        if waiting.rows.done():
            return
        try:
            waiting.answer(await self._sent(waiting.batch, [waiting]))
        except _Forsaken:
            return
        except asyncio.CancelledError:
            _cancel([waiting])
            raise
        except Exception as error:
            waiting.fail(error)

    async def _sent(self, batch: Batch, group: Sequence[_Waiting]) -> list[Rows]:
        """The rows of a batch; it is taken back where all who wait for it have gone."""
        sending = asyncio.ensure_future(self._database.send(batch))

        def look(_: asyncio.Future[list[Rows]]) -> None:
            if all(each.rows.cancelled() for each in group):
                sending.cancel()

        for each in group:
            each.rows.add_done_callback(look)
        try:
            return await sending
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise _Forsaken from None


def _cancel(waiting: Iterable[_Waiting]) -> None:
    for each in waiting:
        each.rows.cancel()


def _is_of_one(error: Exception, group: Sequence[_Waiting]) -> bool:
    """Whether one batch may be to blame, and each has to be tried alone; not where the database is out of reach."""
    if isinstance(error, GivesWay):
        return True
    return len(group) > 1 and not isinstance(error, RecollectError)


def _joined(batches: Sequence[Batch]) -> Batch:
    joined = Batch(*batches[0].spaces)
    joined.settings["lock_timeout"] = LOCK_TIMEOUT
    for batch in batches:
        joined.take(batch)
    return joined


def _parted(batches: Sequence[Batch], rows: list[Rows]) -> list[list[Rows]]:
    """The rows of each batch's own statements; those of what comes last are nobody's."""
    parted, start = [], 0
    for batch in batches:
        parted.append(rows[start : start + batch.length])
        start += batch.length
    return parted
