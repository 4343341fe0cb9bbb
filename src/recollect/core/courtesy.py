"""Background work on the event loop that lets those go first who wait for an answer."""

import asyncio
from time import perf_counter

_BUSY = 0.0005
"""Seconds that others took of the loop, from which on they count as being served."""
_SHARE = 4
"""So many times as long as it worked, background work rests while they are."""
_LONGEST_REST = 0.05


async def let_others_go_first(worked: float) -> None:
    """After a piece of work of so many seconds: give the loop away, and rest where somebody had waited for it."""
    began = perf_counter()
    await asyncio.sleep(0)
    if perf_counter() - began > _BUSY:
        await asyncio.sleep(min(_LONGEST_REST, _SHARE * worked))
