"""`recollect mcp`: the Model Context Protocol on stdin and stdout, and how to tell an assistant of it."""

import asyncio
import logging
import os
import shutil
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli.command import Call, command, when_alone
from recollect.cli.lines import typed_lines
from recollect.core.errors import Unavailable

if TYPE_CHECKING:
    from recollect.mcp.setup import Lines
    from recollect.memory import ScopedMemory

app = typer.Typer(name="mcp", help="Give an assistant a memory, by the Model Context Protocol.")


class Client(StrEnum):
    """Assistants whose settings are known."""

    CLAUDE = "claude"
    CURSOR = "cursor"
    VSCODE = "vscode"
    ALL = "all"


@when_alone(app, without=("json",))
async def mcp(call: Call) -> None:
    """Speak the Model Context Protocol on stdin and stdout; an assistant starts this. See `recollect mcp setup`."""
    build, serve = _protocol()
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    with _only_the_protocol_on_stdout() as write:
        async with call.memory(worker=True) as opened:
            memory = call.scope(opened)

            async def whose(_: Any) -> "ScopedMemory":
                return memory

            with _unless_gone():
                async with aclosing(_lines_until_told_to_stop()) as lines:
                    await serve(build(whose), lines, write)


def _protocol() -> tuple[Callable[..., Any], Callable[..., Any]]:
    try:
        from recollect.mcp.server import build
        from recollect.mcp.stdio import serve
    except ModuleNotFoundError as error:
        raise Unavailable("mcp", "it needs another package: pip install 'recollect[mcp]'") from error
    return build, serve


@contextmanager
def _only_the_protocol_on_stdout() -> Iterator[Callable[[str], None]]:
    """What writes to stdout meanwhile, here or in a child, writes to stderr; the protocol alone has the real one."""
    sys.stdout.flush()
    real = os.dup(1)
    os.dup2(2, 1)
    try:
        yield partial(_write, real)
    finally:
        os.dup2(real, 1)
        os.close(real)


def _write(file: int, text: str) -> None:
    left = text.encode()
    while left:
        left = left[os.write(file, left) :]


@contextmanager
def _unless_gone() -> Iterator[None]:
    """An assistant that has gone needs no answer."""
    try:
        yield
    except* BrokenPipeError:
        pass


async def _lines_until_told_to_stop() -> AsyncGenerator[str, None]:
    """Lines of stdin, until it ends or SIGTERM or Ctrl-C comes."""
    stop = asyncio.Event()
    with suppress(NotImplementedError, RuntimeError, ValueError):  # not in the main thread, or not on this system
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    stopped = asyncio.ensure_future(stop.wait())
    async with aclosing(typed_lines(lambda: None)) as lines:
        while True:
            following = asyncio.ensure_future(anext(lines, None))
            try:
                await asyncio.wait([following, stopped], return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not following.done():
                    following.cancel()
                    await asyncio.wait([following])
            line = None if following.cancelled() else following.result()
            if line is None:
                stopped.cancel()
                return
            if line.strip():
                yield line


@command(app, "setup")
async def setup(
    call: Call,
    client: Annotated[Client, typer.Argument(help="Whose settings.")] = Client.ALL,
) -> None:
    """Print the lines to paste into an assistant's settings, with the options given here."""
    from recollect.mcp.setup import CLIENTS, lines_for

    executable, arguments = _executable(), ["mcp", *_options(call)]
    wanted = list(CLIENTS) if client is Client.ALL else [client.value]
    found = [lines for name in wanted for lines in lines_for(name, executable, arguments)]
    call.out.answer(found, lambda: _shown(found))
    if set_here := sorted(name for name in os.environ if name.startswith("RECOLLECT_") and name != "RECOLLECT_USER"):
        call.out.remark(f"An assistant does not see what is set in this shell: {', '.join(set_here)}.")


def _executable() -> str:
    """The absolute path of this program: an assistant has another PATH."""
    beside = Path(sys.executable).with_name("recollect")
    started = Path(sys.argv[0])
    if started.name == "recollect" and started.is_file():
        return str(started.absolute())
    return str(beside if beside.is_file() else shutil.which("recollect") or beside)


def _options(call: Call) -> Iterator[str]:
    """What was said here of whose memory it is and where, to be said again."""
    for name in ("user", "project", "agent", "thread", "run"):
        if (value := getattr(call, name)) is not None:
            yield from (f"--{name}", value)
    for team in call.team or ():
        yield from ("--team", team)
    if call.sensitivity != "normal":
        yield from ("--sensitivity", call.sensitivity)
    if call.data_dir is not None:
        yield from ("--data-dir", str(call.data_dir.absolute()))
    if call.database_url is not None:
        yield from ("--database-url", call.database_url)


def _shown(found: "list[Lines]") -> Iterator[str]:
    for lines in found:
        yield f"{lines.title}, {lines.where}:"
        yield lines.text
        yield ""
