"""Advisory file locks. The kernel drops them when the holder dies, however it dies."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.db.embedded.problems import unavailable

if sys.platform != "win32":
    import fcntl

_POLL = 0.02

# A child made by fork would share our locks and keep them after us, so it closes its copies at once.
# Closing a copy does not release the lock: the parent's descriptor still holds it.
_held: set[int] = set()


def _forget_in_child() -> None:
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_forget_in_child)


def open_lock(path: Path) -> int:
    """A descriptor of its own for the lock file, not inherited by programs that we start."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    return os.open(path, flags, 0o600)


def try_lock(descriptor: int, *, shared: bool = False) -> bool:
    """Take the lock if it is free."""
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def keep(descriptor: int) -> None:
    """Hold the lock in this process only, not in its forks."""
    _held.add(descriptor)


def let_go(descriptor: int) -> None:
    """Close the descriptor; the lock goes with the last copy of it."""
    _held.discard(descriptor)
    os.close(descriptor)


def acquire(path: Path, patience: float) -> int | None:
    """The locked descriptor, or nothing when somebody else kept the lock for `patience` seconds."""
    deadline = time.monotonic() + patience
    descriptor = open_lock(path)
    while not try_lock(descriptor):
        if time.monotonic() >= deadline:
            os.close(descriptor)
            return None
        # Polling, because a blocked flock cannot be interrupted or limited in a thread.
        time.sleep(_POLL)
    keep(descriptor)
    return descriptor


def is_locked(path: Path) -> bool:
    """Whether a live process holds the lock."""
    if not path.exists():
        return False
    descriptor = open_lock(path)
    try:
        return not try_lock(descriptor, shared=True)  # shared, so that two who ask do not see each other
    finally:
        os.close(descriptor)


@contextmanager
def exclusively(path: Path, patience: float) -> Iterator[None]:
    """Run with the lock held; threads of one process exclude each other too."""
    descriptor = acquire(path, patience)
    if descriptor is None:
        raise unavailable(f"another process is starting, stopping or upgrading it ({path} stayed locked)")
    try:
        yield
    finally:
        let_go(descriptor)
