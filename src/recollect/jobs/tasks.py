"""End asyncio tasks for certain."""

import asyncio
import time
from collections.abc import Iterable
from typing import Any

# Before Python 3.12 `wait_for` may lose a cancellation that comes as its time ends: it is repeated after this.
_REPEAT = 2.0


async def cancel(tasks: Iterable[asyncio.Task[Any]], limit: float | None = None) -> None:
    """Cancel tasks until they have ended, or for `limit` seconds."""
    deadline = None if limit is None else time.monotonic() + limit
    pending = {task for task in tasks if not task.done()}
    while pending and (deadline is None or time.monotonic() < deadline):
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=_REPEAT)
