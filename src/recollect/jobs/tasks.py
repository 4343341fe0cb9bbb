"""End asyncio tasks for certain."""

import asyncio
import time
from collections.abc import Iterable
from typing import Any


async def cancel(tasks: Iterable[asyncio.Task[Any]], *, repeat: float = 2.0, limit: float = 60.0) -> None:
    """Cancel tasks until they have ended, or for `limit` seconds.

    Once is not enough: before Python 3.12 `asyncio.wait_for`, which psycopg uses, may lose a cancellation
    that comes as its time ends. Nor may the next come soon: psycopg first ends the statement at the server, and where
    that is cut off it says so on stderr.
    """
    deadline = time.monotonic() + limit
    pending = {task for task in tasks if not task.done()}
    while pending and time.monotonic() < deadline:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=repeat)
