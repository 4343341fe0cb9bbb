"""Who uses the server: one locked file for each process, so that the dead do not count."""

import atexit
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from recollect.db.embedded.locks import is_locked, keep, let_go, open_lock, try_lock
from recollect.db.embedded.place import Place


class _Membership:
    """This process's file for one server, and how many times it was asked for."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.descriptor = descriptor
        self.count = 1


_guard = threading.Lock()
_memberships: dict[Path, _Membership] = {}


def _forget_in_child() -> None:
    """A fork is no user until it opens the server itself. Its copies of the locks are closed elsewhere."""
    global _guard  # noqa: PLW0603 - another thread of the parent may have held it at the fork
    _guard = threading.Lock()
    _memberships.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)


def join(place: Place) -> None:
    """Count this process as a user. Call it with the place locked."""
    with _guard:
        if membership := _memberships.get(place.home):
            membership.count += 1
            return
        path = place.users / f"{os.getpid()}-{os.urandom(4).hex()}"
        descriptor = open_lock(path)
        place.account.own(path)
        try_lock(descriptor)  # nobody else knows the name
        keep(descriptor)
        _memberships[place.home] = _Membership(path, descriptor)


def leave(place: Place) -> bool:
    """Take one use back; true when this process has none left. Call it with the place locked."""
    with _guard:
        membership = _memberships.get(place.home)
        if membership is None:
            return False
        membership.count -= 1
        if membership.count:
            return False
        del _memberships[place.home]
        membership.path.unlink(missing_ok=True)
        let_go(membership.descriptor)
        return True


def leave_altogether(place: Place) -> None:
    """Take every use of this process back, at its end."""
    with _guard:
        if membership := _memberships.get(place.home):
            membership.count = 1
    leave(place)


def joined() -> list[Path]:
    """Homes of the servers that this process uses."""
    with _guard:
        return list(_memberships)


def living(place: Place) -> list[int]:
    """Process ids of the users that are alive, ours included."""
    if not place.users.is_dir():
        return []
    return sorted(_pid(path) for path in place.users.iterdir() if is_locked(path))


def prune(place: Place) -> None:
    """Remove the files of dead users. Call it with the place locked."""
    for path in place.users.iterdir():
        if not is_locked(path):
            with suppress(FileNotFoundError):
                path.unlink()


def at_exit(action: Callable[[], None]) -> None:
    """Run `action` once when the process ends, however often it is registered."""
    atexit.unregister(action)
    atexit.register(action)


def _pid(path: Path) -> int:
    return int(path.name.partition("-")[0])
