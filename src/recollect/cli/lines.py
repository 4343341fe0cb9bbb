"""Lines of standard input as they come, while everything else in the event loop goes on."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from typing import TextIO

from recollect.cli.output import stdin

_CHUNK = 65_536


async def typed_lines(ask: Callable[[], None]) -> AsyncGenerator[str, None]:
    """Every line of standard input, until it ends; `ask` is called before each.

    Ctrl-C has to end a program that waits here, so no thread may hang in a read: the loop says when there is
    something to read. What it cannot watch, a plain file or a test's text, is there at once.
    """
    source = stdin()
    number = _watchable(source)
    ask()
    if number is None:
        for line in source:
            yield line.rstrip("\r\n")
            ask()
        return
    rest = b""
    while chunk := await _next_chunk(number):
        *whole, rest = (rest + chunk).split(b"\n")
        for each in whole:
            yield _text(each)
            ask()
    if rest:
        yield _text(rest)


def _watchable(source: TextIO) -> int | None:
    """The file's number, if the loop can say when there is something to read."""
    loop = asyncio.get_running_loop()
    try:
        number = source.fileno()
        loop.add_reader(number, lambda: None)
    except (NotImplementedError, OSError, ValueError):
        return None
    loop.remove_reader(number)
    return number


async def _next_chunk(number: int) -> bytes:
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(number, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(number)
    return os.read(number, _CHUNK)


def _text(line: bytes) -> str:
    """Bytes that are no UTF-8 become lone surrogates, which every field refuses by name."""
    return line.rstrip(b"\r").decode("utf-8", "surrogateescape")
