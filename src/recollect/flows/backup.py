"""All spaces in one file, with the keys of what was forgotten, and back.

The last line holds the number of lines and a checksum of all before it: a file that was cut off or changed is refused
before anything of it is written. Restoring adds what is missing; what is there stays, and what was forgotten since the
backup stays forgotten.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TextIO

from recollect.core.errors import InvalidInput
from recollect.core.files import written
from recollect.db import migrate
from recollect.flows import carry
from recollect.flows.carry import QUERIES
from recollect.flows.parts import Parts

VERSION = 1
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds."""

    file: str
    spaces: int
    lines: int
    checksum: str


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did."""

    file: str
    spaces: int
    rows: int
    """Rows that were written."""
    present: int
    """Rows that were there already."""
    forgotten: int
    """Rows that were left out or rewritten: they were forgotten since."""
    checksum: str


class _Sum:
    """Lines as they go by, counted and summed up."""

    def __init__(self) -> None:
        self.lines = 0
        self.hash = sha256()

    def add(self, line: str) -> None:
        self.lines += 1
        self.hash.update(line.encode(errors="surrogatepass"))


async def backup(parts: Parts, path: Path, progress: Progress | None = None) -> Backup:
    """Write all spaces, as they stand at one moment, into a file that only its owner may read."""
    with written(path, "file") as file:
        return await _write(parts, path, file, progress or _unseen)


def _unseen(done: int, total: int) -> None:
    """Nobody looks."""


async def _write(parts: Parts, path: Path, file: TextIO, progress: Progress) -> Backup:
    total = _Sum()

    def put(line: str) -> None:
        total.add(line + "\n")
        file.write(line + "\n")

    async with parts.database.owner() as owner, owner.transaction():
        await carry.at_one_moment(owner)
        cursor = await owner.execute(QUERIES["embedder"])
        model = await cursor.fetchone()
        embedder = model.value if model else None
        cursor = await owner.execute(QUERIES["spaces"])
        spaces = [row.space_id for row in await cursor.fetchall()]
        schema = migrate.migrations()[-1].number
        put(json.dumps({"record": "backup", "version": VERSION, "schema": schema, "spaces": len(spaces)}))
        for number, space in enumerate(spaces, start=1):
            head = {"record": "export", "version": carry.VERSION, "space": space, "embedder": embedder}
            put(json.dumps(head, ensure_ascii=False))
            async for line in carry.lines_of(owner, space, parts.keyring):
                put(line)
            progress(number, len(spaces))
    checksum = total.hash.hexdigest()
    file.write(json.dumps({"record": "end", "lines": total.lines, "checksum": checksum}) + "\n")
    return Backup(str(path), len(spaces), total.lines, checksum)


async def restore(parts: Parts, path: Path, progress: Progress | None = None) -> Restored:
    """Bring back what a backup holds and the database does not, space by space, each whole."""
    checked = verify(path)
    rows = present = forgotten = done = 0
    with _opened(path) as file:
        lines = _Sections(file)
        next(lines)
        while (head := lines.head()) is not None:
            space = str(head["space"])
            taken = await carry.take(parts, space, space, head, lines)
            rows, present, forgotten = rows + taken.rows, present + taken.present, forgotten + taken.forgotten
            done += 1
            if progress is not None:
                progress(done, checked.spaces)
    return Restored(str(path), done, rows, present, forgotten, checked.checksum)


class _Sections(Iterator[str]):
    """The lines of a backup, space by space: iterating ends before the next head."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._next: str | None = file.readline()

    def __next__(self) -> str:
        if self._next is None or not self._next or self._next.startswith(('{"record": "export"', '{"record": "end"')):
            raise StopIteration
        line, self._next = self._next, self._file.readline()
        return line

    def head(self) -> dict[str, Any] | None:
        """The head of the next space; None at the end."""
        found = carry.head_of(self._next or "")
        if found is not None:
            self._next = self._file.readline()
        return found


def verify(path: Path) -> Backup:
    """Read a backup through: that it is whole, unchanged, and of a version that can be read."""
    total, last, spaces = _Sum(), "", 0
    head: dict[str, Any] | None = None
    with _opened(path) as file:
        for line in file:
            if last:
                total.add(last)
            if head is None:
                head = _object(line)
            spaces += line.startswith('{"record": "export"')
            last = line
    end = _object(last)
    if head is None or head.get("record") != "backup":
        raise InvalidInput("file", f"{path} is no backup of Recollect")
    if head.get("version") != VERSION or not head.get("schema", 0) <= migrate.migrations()[-1].number:
        raise InvalidInput("file", f"{path} was written by a newer Recollect")
    if end.get("record") != "end" or end.get("lines") != total.lines:
        raise InvalidInput("file", f"{path} is not whole: it was cut off")
    if end.get("checksum") != total.hash.hexdigest() or spaces != head.get("spaces"):
        raise InvalidInput("file", f"{path} was changed: its checksum does not fit")
    return Backup(str(path), spaces, total.lines, str(end["checksum"]))


def _opened(path: Path) -> TextIO:
    try:
        return path.open(encoding="utf-8", errors="surrogateescape", newline="\n")
    except OSError as error:
        raise InvalidInput("file", f"{path} cannot be read: {error.strerror}") from error


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
