"""What a command says: an answer on stdout, as JSON or for people, and everything else on stderr."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from enum import Enum
from functools import cached_property
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO
from uuid import UUID

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

Advance = Callable[[int, int], None]


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, UUID | Path):
        return str(value)
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, date) else value


# Escape sequences in somebody's text would move the cursor, rename the window, or hide what follows.
_SIGNS = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"}
_SIGNS |= {0x7F: "␡"} | dict.fromkeys(range(0x80, 0xA0), "\N{REPLACEMENT CHARACTER}")


def visible(text: str) -> str:
    """A text for a terminal: control characters are shown as signs, and do nothing."""
    return text.replace("\r\n", "\n").translate(_SIGNS)


def stdin() -> TextIO:
    """Standard input; bytes that are no UTF-8 become lone surrogates, which every field refuses by name."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    return sys.stdin


@dataclass(frozen=True)
class Output:
    """Where answers and remarks go."""

    as_json: bool

    @cached_property
    def console(self) -> "Console":
        """For answers. Colours only on a terminal."""
        return _console(stderr=False)

    @cached_property
    def remarks(self) -> "Console":
        """For what is not part of the answer."""
        return _console(stderr=True)

    def answer(self, value: Any, shown: Callable[[], "Iterable[RenderableType]"]) -> None:
        """The answer of a command: one JSON document, or what `shown` makes of it."""
        if self.as_json:
            self.line(value, indent=2)
            return
        for part in shown():
            self.console.print(part, soft_wrap=isinstance(part, str))

    def line(self, value: Any, indent: int | None = None) -> None:
        """One JSON document."""
        sys.stdout.write(json.dumps(plain(value), ensure_ascii=False, indent=indent) + "\n")
        sys.stdout.flush()

    def remark(self, text: str) -> None:
        """A line for whoever watches."""
        self.remarks.print(text, soft_wrap=True)

    @contextmanager
    def progress(self, label: str) -> Iterator[Advance]:
        """A bar on a terminal, nothing elsewhere; call what it yields with how much is done, of how much."""
        if not self.remarks.is_terminal:
            yield lambda done, total: None
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=self.remarks, transient=True) as bar:
            task = bar.add_task(label, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    @contextmanager
    def waiting(self, label: str) -> Iterator[None]:
        """A sign of life while something takes its time; only on a terminal."""
        if not self.remarks.is_terminal:
            yield
            return
        with self.remarks.status(label):
            yield


def _console(*, stderr: bool) -> "Console":
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

    class Quiet(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

        def render(self, renderable: "RenderableType", options: ConsoleOptions | None = None) -> Iterator[Segment]:
            """Everything that is printed passes here; only what Rich itself controls the terminal with stays."""
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else visible(text), style, control)

    return Quiet(stderr=stderr, highlight=False, emoji=False, markup=False)
