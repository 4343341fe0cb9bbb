"""Join, leave, inspect and stop the embedded server of a data directory."""

import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import psycopg

from recollect.core.errors import Conflict, RecollectError
from recollect.db.embedded import binaries, cluster, locks, users
from recollect.db.embedded.cluster import DATABASE, OWNER, Cluster
from recollect.db.embedded.place import Place, find_place, password_of, prepare_place
from recollect.db.embedded.problems import translated, unavailable
from recollect.db.embedded.switch import finish_switch

# Crash recovery reads at most a few gigabytes of log; a machine that needs longer than this is in trouble.
PATIENCE = 600.0
_EXIT_PATIENCE = 20.0


@dataclass(frozen=True)
class ServerStatus:
    """What is known of the server of a data directory."""

    state: Literal["absent", "stopped", "running", "busy"]
    folder: Path
    major: int | None  # version of the data, not of the programs
    newest_major: int
    pid: int | None
    users: tuple[int, ...]  # process ids

    @property
    def needs_upgrade(self) -> bool:
        return self.major is not None and self.major != self.newest_major


@dataclass
class EmbeddedServer:
    """A use of the server by this process. Release it when done; the last one to leave stops the server."""

    place: Place
    socket_folder: Path
    _released: bool = field(default=False, repr=False)

    @property
    def owner_url(self) -> str:
        """URL of the owner, who is the server's superuser: pgvector can be installed by no one else."""
        return self.url(OWNER)

    def url(self, role: str, database: str = DATABASE) -> str:
        """URL of a role, with the password that `password` returns."""
        return cluster.url(self.socket_folder, role, self.password(role), database)

    def password(self, role: str) -> str:
        """The role's password, made up and kept in the private file when first asked for.

        Setting it on the role is the caller's business.
        """
        with translated(self.place.home), locks.exclusively(self.place.lock, PATIENCE):
            return password_of(self.place, role)

    def release(self) -> None:
        """Leave. Calling it twice does no harm."""
        if self._released:
            return
        self._released = True
        if not self.place.home.exists():  # removed; the server notices that too, and ends by itself
            users.leave(self.place)
            return
        with translated(self.place.home), locks.exclusively(self.place.lock, PATIENCE):
            if users.leave(self.place):
                _stop_if_unused(self.place)


def start(data_dir: Path, *, patience: float = PATIENCE) -> EmbeddedServer:
    """Join the server of `data_dir`, creating and starting it if need be. Blocks; call it in a thread.

    Threads and processes may do so at the same moment. `patience` is how many seconds crash recovery, or
    another process at work on the server, may take.
    """
    require_posix()
    deadline = time.monotonic() + patience
    with translated(data_dir):
        place = prepare_place(data_dir)
        with locks.exclusively(place.lock, patience):
            users.prune(place)
            users.join(place)
            try:
                folder = _ensure_running(place, deadline)
                _ensure_database(place, folder)
            except BaseException:
                # A server that still recovers is left to it, so that the next attempt finds it further on.
                users.leave(place)
                raise
        users.at_exit(_leave_all)
        return EmbeddedServer(place, folder)


def stop(data_dir: Path, *, force: bool = False) -> bool:
    """Stop the server, whoever started it; false if none ran. Live users are disconnected only by force."""
    require_posix()
    with translated(data_dir):
        place = find_place(data_dir)
        return place.home.is_dir() and _stop(place, force)


def _stop(place: Place, force: bool) -> bool:
    with locks.exclusively(place.lock, PATIENCE):
        target = at_work(place)
        if target is None:
            return False
        if (living := users.living(place)) and not force:
            pids = ", ".join(map(str, living))
            raise Conflict(f"the embedded PostgreSQL is used by process {pids}; end it first, or use force")
        cluster.stop(target)
        return True


def status(data_dir: Path) -> ServerStatus:
    """What there is, without changing it."""
    require_posix()
    with translated(data_dir):
        place = find_place(data_dir)
        target = existing(place)
        if target is None:
            return ServerStatus("absent", place.home, None, binaries.newest(), None, ())
        seen = cluster.read_postmaster(target.data)
        state = _state(target, seen)
        pid = seen.pid if seen and state == "running" else None
        living = tuple(users.living(place))
        return ServerStatus(state, place.home, target.major, binaries.newest(), pid, living)


def existing(place: Place) -> Cluster | None:
    """The data directory that is there, of whatever version."""
    major = cluster.major_of(place.data)
    return None if major is None else Cluster(place, place.data, major)


def at_work(place: Place) -> Cluster | None:
    """The data directory whose server runs: the usual one, or the new one of an upgrade that was killed."""
    unfinished = place.upgrade / "new"
    major = cluster.major_of(unfinished)
    target = existing(place)
    if major is not None and cluster.has_processes(unfinished):
        target = Cluster(place, unfinished, major)
    return target if target and cluster.alive(target) else None


def _state(target: Cluster, seen: cluster.Postmaster | None) -> Literal["stopped", "running", "busy"]:
    if not cluster.alive(target):
        return "stopped"
    return "running" if seen and seen.status == "ready" else "busy"


def _ensure_running(place: Place, deadline: float) -> Path:
    """The socket's folder of a server that answers, started if need be."""
    finish_switch(place)
    target = existing(place) or Cluster(place, place.data, binaries.newest())
    if target.major != binaries.newest():
        raise unavailable(
            f"{place.data} was made by PostgreSQL {target.major}, and this version of Recollect brings "
            f"PostgreSQL {binaries.newest()}; run `recollect db upgrade`"
        )
    if not place.data.exists():
        cluster.create(target)
    if not cluster.secured(target):
        _end_unsecured(target)
    return cluster.attach(target, deadline) or cluster.launch(target, deadline)


def _ensure_database(place: Place, socket_folder: Path) -> None:
    try:
        cluster.ensure_database(place, socket_folder)
    except psycopg.Error as error:
        if users.living(place) == [os.getpid()]:
            cluster.stop(Cluster(place, place.data, binaries.newest()))
        raise unavailable(f"could not create the database: {error}") from error


def _end_unsecured(target: Cluster) -> None:
    """Stop a server whose password we lost; setting another needs it down. Not under the feet of others."""
    others = set(users.living(target.place)) - {os.getpid()}
    if cluster.alive(target) and others:
        raise unavailable(f"{target.place.passwords} is gone while processes {others} use it; end them first")
    cluster.stop(target)


def _stop_if_unused(place: Place) -> None:
    users.prune(place)
    target = existing(place)
    if target is not None and not users.living(place):
        cluster.stop(target)


def _leave_all() -> None:
    """At the end of the process: leave every server that it still uses."""
    for home in users.joined():
        place = find_place(home.parent)
        # Whoever keeps the lock for longer uses the server, and our own mark goes with our process.
        with suppress(OSError, RecollectError), locks.exclusively(place.lock, _EXIT_PATIENCE):
            users.leave_altogether(place)
            _stop_if_unused(place)


def require_posix() -> None:
    """Windows has no such sockets and locks."""
    if sys.platform == "win32":
        raise unavailable("not supported on Windows; set RECOLLECT_DATABASE_URL, or use WSL")
