"""One name for the part, and foreign errors translated where they enter."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.core.errors import Unavailable

PART = "embedded PostgreSQL"

_PLAIN = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EACCES: "permission denied",
    errno.EPERM: "not permitted",
    errno.EROFS: "the file system is read-only",
    errno.ENOTDIR: "it is not a folder",
    errno.EEXIST: "something else is in its place",
    errno.ENAMETOOLONG: "the name is too long",
}


def unavailable(problem: str) -> Unavailable:
    """The error for everything that stops the embedded server from serving."""
    return Unavailable(PART, problem)


@contextmanager
def translated(data_dir: Path) -> Iterator[None]:
    """Turn an error of the file system into one that says what is wrong with which path."""
    try:
        yield
    except OSError as error:
        reason = _PLAIN.get(error.errno or 0, error.strerror or str(error))
        raise unavailable(f"cannot use {error.filename or data_dir}: {reason}") from error
