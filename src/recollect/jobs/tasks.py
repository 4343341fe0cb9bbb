"""End asyncio tasks for certain."""

import asyncio
import time
from collections.abc import Iterable
from typing import Any


async def cancel(tasks: Iterable[asyncio.Task[Any]], *, repeat: float = 0.05, limit: float = 60.0) -> None:
    """Cancel tasks until they have ended, or for `limit` seconds.

    Once is not enough: before Python 3.12 `asyncio.wait_for`, which psycopg uses, may lose a cancellation
    that comes as its time ends.
    """
    deadline = time.monotonic() + limit
    pending = {task for task in tasks if not task.done()}
    while pending and time.monotonic() < deadline:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=repeat)
