"""Work that lets those go first who wait for an answer: on the event loop by resting, on threads by their priority."""

import asyncio
import math
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

_RECENTLY = 0.02
"""Seconds after a call began or ended for which callers count as being served: the next one is under way."""
_SHARE = 4
"""So many times as long as it worked, background work rests while they are."""
_LONGEST_REST = 0.2
_LOWEST = 19


class _Callers:
    """When somebody in this process last asked for something, or was answered."""

    served_at = -math.inf

    @contextmanager
    def being_served(self) -> Iterator[None]:
        """While a verb is at work for somebody who waits for it."""
        self.served_at = perf_counter()
        try:
            yield
        finally:
            self.served_at = perf_counter()

    def are_served(self) -> bool:
        """Whether somebody is, or was a moment ago."""
        return perf_counter() - self.served_at <= _RECENTLY


callers = _Callers()


async def let_others_go_first(worked: float) -> bool:
    """After a piece of work of so many seconds: give the loop away, and rest where somebody is being served.

    Whether nobody is. How long the loop was away tells nothing of that: other background work takes it, too.
    """
    await asyncio.sleep(0)
    if not callers.are_served():
        return True
    rest = min(_LONGEST_REST, _SHARE * worked)
    naps = math.ceil(rest / _RECENTLY)
    for _ in range(naps):
        if not callers.are_served():
            break
        await asyncio.sleep(rest / naps)
    return False


def step_back(by: int) -> None:
    """Let this thread have less of the processors than others, by so many steps as `nice` counts them.

    Not for a thread that runs much Python: while it waits for a processor it keeps the interpreter from all others.
    Only Linux tells the threads of a process apart.
    """
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, min(_LOWEST, os.getpriority(os.PRIO_PROCESS, thread) + by))
