"""Import and export."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from recollect.cli.command import Call, command
from recollect.cli.output import Output, stdin
from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.core.files import written

if TYPE_CHECKING:
    from recollect.flows.transfer import Import, Imported
    from recollect.memory import Recollect
    from recollect.sources.foreign import Foreign

app = typer.Typer()

_STDIN = "-"


@command(app, "import")
async def import_(
    call: Call,
    file: Annotated[Path, typer.Argument(help="JSON lines, `-` reads stdin; or another system's export.")],
    origin: Annotated[
        str | None,
        typer.Option("--from", help="Whose export it is: mem0, chatgpt, claude, or auto to find out.", metavar="WHOSE"),
    ] = None,
    skip_errors: Annotated[bool, typer.Option("--skip-errors", help="Leave bad lines out, and count them.")] = False,
    wait: Annotated[bool, typer.Option(help="Wait until all of it can be found.")] = True,
) -> None:
    """Import messages and memories. Run it again after a crash: it goes on, and adds nothing twice."""
    _readable(file)
    from recollect.flows.transfer import BadLine, Import

    foreign = None if origin is None else _foreign(file, origin)

    def told(bad: BadLine) -> None:
        call.out.remark(f"line {bad.number}: {bad.problem}")

    async with call.memory(worker=True) as opened:
        work = Import(opened.parts, call.scope(opened).scope, told if skip_errors or foreign else None)
        if foreign is None:
            await take(call.out, work, file)
        else:
            await _take_foreign(call.out, work, foreign)
        for bad in () if skip_errors or foreign else work.done.problems:
            told(bad)
        if wait:
            await searchable(call.out, opened)
    left_out = {} if foreign is None else dict((+foreign.left_out).most_common())
    answer = work.done if foreign is None else {**asdict(work.done), "left_out": left_out}
    call.out.answer(answer, lambda: [_summary(work.done), *_left_out(left_out)])


def _foreign(file: Path, origin: str) -> "Foreign":
    """An export of another system, looked into before a server is started for it."""
    from recollect.sources.foreign import KINDS, Foreign

    check.choice("origin", origin, KINDS)
    if str(file) == _STDIN:
        raise InvalidInput("file", "must be a file: an export of another system cannot be read from stdin")
    next(Foreign(file, origin).lines(), None)
    return Foreign(file, origin)


async def _take_foreign(out: Output, work: "Import", foreign: "Foreign") -> None:
    with out.progress("Importing") as advance:
        try:
            async for _ in work.run(foreign.lines()):
                advance(min(foreign.read, foreign.total), foreign.total)
        except BaseException as error:
            again = "with a file that is whole, run" if isinstance(error, InvalidInput) else "run"
            out.remark(f"{work.done.lines} messages and memories were read; {again} the same command again to go on.")
            raise


def _left_out(counts: Mapping[str, int]) -> list[str]:
    if not counts:
        return []
    return ["Left out: " + ", ".join(_several(count, why) for why, count in counts.items()) + "."]


def _several(count: int, what: str) -> str:
    """So many of something: "2 messages of another branch"."""
    head, of, rest = what.partition(" of ")
    many = f"{head[:-1]}ies" if head.endswith("y") else f"{head}s"
    return f"{count} {head if count == 1 else many}{of}{rest}"


def _readable(file: Path) -> None:
    """Before a server is started for it."""
    if str(file) != _STDIN and (not file.exists() or file.is_dir()):
        raise InvalidInput("file", f"there is no file {file}")


async def take(out: Output, work: "Import", file: Path) -> None:
    """Import a file, with a bar."""
    total = _count(file)
    with _lines(file) as lines, out.progress("Importing") as advance:
        try:
            async for done in work.run(lines):
                advance(done.lines, max(total, done.lines))
        except BaseException:
            out.remark(f"{work.done.lines} lines were taken; run the same command again to go on.")
            raise


async def searchable(out: Output, opened: "Recollect", label: str = "Making it searchable") -> None:
    """Have everything indexed."""
    with out.waiting(label):
        done = await opened.drain(None)
    if done.failed:
        out.remark(f"{done.failed} jobs failed; see `recollect jobs failed`.")


def _summary(done: "Imported") -> str:
    parts = [f"{done.messages} messages and {done.memories} memories added"]
    if done.rows:
        parts = [f"{done.rows} rows added, {done.messages} messages and {done.memories} memories among them"]
    if done.forgotten:
        parts.append(f"{done.forgotten} left out or rewritten, as they were forgotten since")
    if done.checkpoints:
        parts.append(f"{done.checkpoints} lines of checkpoints added")
    if done.present:
        parts.append(f"{done.present} were there already")
    if done.tombstones:
        parts.append(f"{done.tombstones} tombstones put up")
    if done.skipped:
        parts.append(f"{done.skipped} lines left out")
    return "; ".join(parts) + "."


def _count(file: Path) -> int:
    """Lines, for the bar; a pipe can be read only once."""
    if str(file) == _STDIN or not file.is_file():
        return 0
    with file.open("rb") as opened:
        return sum(1 for _ in opened)


@contextmanager
def _lines(file: Path) -> Iterator[Iterable[str]]:
    if str(file) == _STDIN:
        yield stdin()
        return
    # Bytes that are no UTF-8 become lone surrogates, which are refused with their line's number. Only "\n" ends
    # a line: others may stand inside a JSON text.
    with file.open(encoding="utf-8", errors="surrogateescape", newline="\n") as opened:
        yield opened


@command(app, "export", without=("thread",))
async def export(
    call: Call,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file; stdout if not given.")] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Only what was said, ingested or added by hand, for people to read.")
    ] = False,
) -> None:
    """Export all of a space as JSON lines for `recollect import`, vectors and tombstones included."""
    count = 0
    async with call.memory() as opened:
        with _to_stdout() if output is None else written(output, "output") as file:
            async for line in call.scope(opened).export(plain=plain):
                file.write(line + "\n")
                count += 1
    if output is not None:
        call.out.answer({"file": str(output), "lines": count}, lambda: [f"{count} lines written to {output}."])


@contextmanager
def _to_stdout() -> Iterator[TextIO]:
    yield sys.stdout
    sys.stdout.flush()
