"""Files that are there whole or not at all, for their owner's eyes."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from recollect.core.errors import Conflict, InvalidInput

if sys.platform != "win32":
    import fcntl


@contextmanager
def written(path: Path, field: str) -> Iterator[TextIO]:
    """Text for a file that replaces what is there only when it is whole; a device or a pipe is written as it comes.

    It is gathered in a file beside it, always the same: what a killed process left there the next one takes over.
    """
    target = path.resolve()
    if target.is_dir():
        raise InvalidInput(field, f"{path} is a folder")
    if target.exists() and not target.is_file():
        with _opened(path, field, target, os.O_WRONLY) as file:
            yield file
        return
    part = target.with_name(f".{target.name}.part")
    with _opened(path, field, part, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW) as file:
        if not _ours(file, part):
            raise Conflict(f"{path} is being written by somebody else")
        try:
            file.truncate()
            yield file
            file.flush()
            os.fsync(file.fileno())
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def _opened(path: Path, field: str, file: Path, flags: int) -> TextIO:
    try:
        return os.fdopen(os.open(file, flags | os.O_CLOEXEC, 0o600), "w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise InvalidInput(field, f"{path} cannot be written: {error.strerror}") from error


def _ours(file: TextIO, part: Path) -> bool:
    """Whether nobody else writes the file, nor has just finished it: the kernel drops the lock of who dies."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(file.fileno()), part.stat())
    except (BlockingIOError, FileNotFoundError):
        return False
