"""`recollect watch`: the changes of a space as they come."""

import asyncio
import signal
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Annotated, cast

import typer

from recollect.cli.command import Call, command

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from recollect.memory import Change, ScopedMemory

app = typer.Typer()


@command(app, "watch", without=("thread",))
async def watch(
    call: Call,
    after: Annotated[int | None, typer.Option(help="Those after this revision; if not given, from now on.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", help="End after so many.", min=1)] = None,
) -> None:
    """Print each change of the space's memories as it comes, a line each, until Ctrl-C."""
    stop = asyncio.Event()
    with suppress(NotImplementedError, RuntimeError, ValueError):  # not in the main thread, or not on this system
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with call.scoped() as memory:
        telling = asyncio.create_task(_tell(call, memory, after, limit))
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait([telling, stopped], return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        telling.cancel()
        with suppress(asyncio.CancelledError):
            await telling


@command(app, "revision", without=("thread",))
async def revision(call: Call) -> None:
    """How many changes the space has seen: `watch --after` goes on from there."""
    async with call.scoped() as memory:
        count = await memory.revision()
    call.out.answer(count, lambda: [str(count)])


async def _tell(call: Call, memory: "ScopedMemory", after: int | None, limit: int | None) -> None:
    changes = cast("AsyncGenerator[Change, None]", memory.watch(after))
    count = 0
    async with aclosing(changes):
        async for change in changes:
            if call.json:
                call.out.line(change)
            else:
                call.out.console.print(_line(change), soft_wrap=True)
            count += 1
            if count == limit:
                return


def _line(change: "Change") -> str:
    from recollect.cli.show import when

    place = f"  {change.thread_id}" if change.thread_id else ""
    return f"{change.revision}  {when(change.at)}  {change.event:<12}  {change.kind}  {change.memory_id}{place}"
