"""One PostgreSQL data directory with the programs that fit it: create, start, wait, stop.

Every function here expects the place to be locked by the caller.
"""

import os
import secrets
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

import psutil
import psycopg
from psycopg import sql
from psycopg.rows import TupleRow

from recollect.db.embedded import binaries, config, locks
from recollect.db.embedded.place import (
    Place,
    adopt,
    choose_socket_folder,
    drop_socket_folder,
    password_of,
    remove_tree,
    sync_folder,
    write_private,
)
from recollect.db.embedded.problems import unavailable

OWNER = "postgres"
DATABASE = "recollect"

_POLL = 0.02
_ORPHAN_GRACE = 5.0
_STOP_GRACE = 60.0
_LOG_LIMIT = 10 * 1024 * 1024


@dataclass(frozen=True)
class Cluster:
    """A data directory of one major version."""

    place: Place
    data: Path
    major: int


@dataclass(frozen=True)
class Postmaster:
    """What postmaster.pid says of the server that wrote it."""

    pid: int
    socket_folder: Path
    status: str


def major_of(data: Path) -> int | None:
    """The major version that made a data directory; nothing where there is none."""
    try:
        return int((data / "PG_VERSION").read_text(encoding="ascii").strip())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise unavailable(f"{data / 'PG_VERSION'} is damaged") from error


def read_postmaster(data: Path) -> Postmaster | None:
    """The running server's file; nothing while there is none or it is not yet whole."""
    try:
        lines = (data / "postmaster.pid").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        return Postmaster(int(lines[0]), Path(lines[4]), lines[7].strip())
    except (FileNotFoundError, IndexError, ValueError):
        return None


def url(socket_folder: Path, role: str, password: str, database: str = DATABASE) -> str:
    """A URL for the role over the socket. The port is named, or PGPORT of the environment would count."""
    user, password = quote(role, safe=""), quote(password, safe="")
    where = urlencode({"host": str(socket_folder), "port": "5432"})
    return f"postgresql://{user}:{password}@/{quote(database, safe='')}?{where}"


# Creating


def create(cluster: Cluster) -> None:
    """Make a new data directory beside its final name, so that a crash leaves none that is half made."""
    place = cluster.place
    _remove_unfinished(cluster.data)
    # A name of its own: the initdb of a caller that was killed may still be at work.
    token = secrets.token_hex(4)
    unfinished = cluster.data.with_name(f"{cluster.data.name}.unfinished-{token}")
    binaries.make_executable(cluster.major, place.account)
    secret = cluster.data.with_name(f"{cluster.data.name}.secret-{token}")
    write_private(secret, password_of(place, OWNER) + "\n", place.account)
    try:
        arguments: list[str | Path] = [
            "-D", unfinished, "-U", OWNER, f"--pwfile={secret}", "--auth=scram-sha-256", "--encoding=UTF8",
            *_locale(cluster.major), "--data-checksums", "--no-instructions",
        ]  # fmt: skip
        binaries.run(cluster.major, "initdb", arguments, place.account, place.home)
    finally:
        secret.unlink(missing_ok=True)
    write_private(unfinished / "pg_hba.conf", config.HBA, place.account)
    unfinished.rename(cluster.data)
    sync_folder(cluster.data.parent)


def _remove_unfinished(data: Path) -> None:
    for path in data.parent.glob(f"{data.name}.unfinished-*"):
        remove_tree(path)
    for path in data.parent.glob(f"{data.name}.secret-*"):
        path.unlink(missing_ok=True)


def _locale(major: int) -> list[str]:
    """The same order and case rules on every machine, whatever locales it has."""
    if major >= 17:
        return ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    return ["--locale-provider=libc", "--locale=C"]


def secured(cluster: Cluster) -> bool:
    """Whether the directory asks for the password that we know."""
    hba = cluster.data / "pg_hba.conf"
    return cluster.place.passwords.exists() and hba.exists() and hba.read_text(encoding="utf-8") == config.HBA


def _secure(cluster: Cluster, lock: int) -> None:
    """Set the owner's password in a directory that trusted everyone, or whose password was lost.

    Done without a server that others could reach; the file that ends trust is written last, so that a
    crash before it only means that this is done again.
    """
    place = cluster.place
    password = password_of(place, OWNER)
    binaries.make_executable(cluster.major, place.account)
    write_private(place.config, config.render(config.machine_settings(), place.home), place.account)
    arguments: list[str | Path] = ["--single", *_directory(cluster), "-c", "exit_on_error=on", "postgres"]
    binaries.run(
        cluster.major, "postgres", arguments, place.account, place.home, keep_open=[lock],
        stdin=f"ALTER ROLE {OWNER} WITH SUPERUSER LOGIN PASSWORD '{password}'\n",
    )  # fmt: skip
    write_private(cluster.data / "pg_hba.conf", config.HBA, place.account)


def _directory(cluster: Cluster) -> list[str | Path]:
    """Where postgres finds its data and our settings; the file of settings in the data is not read."""
    return ["-D", cluster.data, "-c", f"config_file={cluster.place.config}"]


# Starting


def alive(cluster: Cluster) -> bool:
    """Whether any process of our server lives: each holds the lock that the first one was started with."""
    return locks.is_locked(cluster.place.running)


def launch(cluster: Cluster, deadline: float) -> Path:
    """Start the server and wait until it answers; crash recovery may take its time. Its socket's folder."""
    place = cluster.place
    lock = _clear_the_way(cluster)
    try:
        binaries.make_executable(cluster.major, place.account)
        cluster.data.chmod(0o700)
        if not secured(cluster):
            _secure(cluster, lock)
        folder = choose_socket_folder(place)
        write_private(place.config, config.render(config.machine_settings(), folder), place.account)
        position = _open_log(place)
        server = _spawn(cluster, lock)
    finally:
        locks.let_go(lock)  # the server has its own copy now
    return _await_launched(cluster, deadline, server.pid, position)


def _spawn(cluster: Cluster, lock: int) -> "subprocess.Popen[bytes]":
    """postgres itself instead of pg_ctl, which puts paths into a shell command without quoting them."""
    place = cluster.place
    command = [binaries.installed()[cluster.major] / "postgres", *_directory(cluster)]
    with place.log.open("ab") as log:
        server: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 - the wheel's program
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=place.home, umask=0o077,
            env=binaries.environment(), start_new_session=True, pass_fds=[lock],
            **binaries.identity(place.account),
        )  # fmt: skip
    # Reaped as soon as it ends, or a dead server would look like a process that lives.
    threading.Thread(target=server.wait, name="recollect-postgres", daemon=True).start()
    return server


def _await_launched(cluster: Cluster, deadline: float, pid: int, position: int) -> Path:
    """Wait until the server that we started lets us in, for as long as one of its processes lives."""
    problem = "it is still starting"
    while time.monotonic() < deadline:
        seen = read_postmaster(cluster.data)
        if seen and seen.pid == pid and seen.status == "ready":
            refusal = _knock(cluster.place, seen.socket_folder)
            if refusal is None:
                return seen.socket_folder
            problem = refusal
        if not alive(cluster):
            raise unavailable(f"the server ended while starting; {_log_tail(cluster.place, position)}")
        time.sleep(_POLL)
    raise unavailable(f"gave up waiting for the server ({problem}); {_log_tail(cluster.place, position)}")


def attach(cluster: Cluster, deadline: float) -> Path | None:
    """The socket's folder of a server that runs already, once it is ready; nothing if there is none."""
    while alive(cluster):
        seen = read_postmaster(cluster.data)
        if seen and seen.status == "ready":
            refusal = _knock(cluster.place, seen.socket_folder)
            if refusal is None:
                return seen.socket_folder
            if "refused" in refusal and seen.pid not in _server_processes(cluster.data):
                return None  # killed; what is left of it is dealt with at the launch
        if time.monotonic() >= deadline:
            raise unavailable(f"gave up waiting for the server that runs in {cluster.data}")
        time.sleep(_POLL)
    return None


def _knock(place: Place, socket_folder: Path) -> str | None:
    """Connect, and be content with that. What the server is busy with, if it may soon be done."""
    try:
        connect(place, socket_folder).close()
    except psycopg.OperationalError as error:
        return _worth_waiting(place, error)
    return None


def connect(place: Place, socket_folder: Path, database: str = "postgres") -> psycopg.Connection[TupleRow]:
    """A connection of the owner, each statement a transaction of its own."""
    address = url(socket_folder, OWNER, password_of(place, OWNER), database)
    return psycopg.connect(address, autocommit=True, connect_timeout=10)


def _worth_waiting(place: Place, error: psycopg.OperationalError) -> str:
    words = str(error)
    if "password authentication failed" in words:
        advice = f"the server refuses the password in {place.passwords}; remove that file to set a new one"
        raise unavailable(advice) from error
    if "No space left on device" in words:
        raise unavailable("the disk is full") from error
    return words


def ensure_database(place: Place, socket_folder: Path) -> None:
    """See to it that our database is there."""
    with connect(place, socket_folder) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
        if found is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))


def _clear_the_way(cluster: Cluster) -> int:
    """The lock that says that no process of an earlier server lives, with what such a one left removed."""
    _end_foreign_server(cluster)
    lock = locks.acquire(cluster.place.running, _ORPHAN_GRACE)
    if lock is None:
        _end_orphans(cluster)
        lock = locks.acquire(cluster.place.running, _STOP_GRACE)
    if lock is None:
        left = _server_processes(cluster.data)
        raise unavailable(f"processes of an earlier server still use {cluster.data}: {left}")
    cluster.place.account.own(cluster.place.running)
    # Names a dead server. PostgreSQL would refuse to start if the number now belongs to another program.
    (cluster.data / "postmaster.pid").unlink(missing_ok=True)
    adopt(cluster.data, cluster.place.account)
    return lock


def _end_foreign_server(cluster: Cluster) -> None:
    """Stop a server that was started by other means in this directory: it does not hold our lock."""
    if alive(cluster) or not _server_processes(cluster.data):
        return
    if seen := read_postmaster(cluster.data):
        _signal(seen.pid, signal.SIGINT)
    if not _wait_for_end(cluster, _STOP_GRACE):
        raise unavailable(f"other server processes use {cluster.data}: {_server_processes(cluster.data)}")


def _wait_for_end(cluster: Cluster, patience: float) -> bool:
    deadline = time.monotonic() + patience
    while alive(cluster) or _server_processes(cluster.data):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL)
    return True


def _end_orphans(cluster: Cluster) -> None:
    """End what is left of a server whose first process was killed; the next start recovers."""
    for pid in _server_processes(cluster.data):
        _signal(pid, signal.SIGQUIT)


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def has_processes(data: Path) -> bool:
    """Whether a server is at work in the directory, ours or not."""
    return bool(_server_processes(data))


def _server_processes(data: Path) -> list[int]:
    """Processes of PostgreSQL at work in this directory: a server's working directory is its data."""
    found: list[int] = []
    folder = os.path.realpath(data)
    for process in psutil.process_iter(["pid", "name", "cwd", "status"]):
        info = process.info
        here = info["cwd"] == folder and str(info["name"]).startswith("postgres")
        if here and info["status"] != psutil.STATUS_ZOMBIE:
            found.append(int(info["pid"]))
    return found


# Stopping


def stop(cluster: Cluster) -> None:
    """Stop the server in an orderly way, and at once if that takes too long."""
    seen = read_postmaster(cluster.data)
    for number in (signal.SIGINT, signal.SIGQUIT):
        if alive(cluster):
            _end(cluster, seen, number)
            _await_silence(cluster)
    if alive(cluster):
        raise unavailable("the server does not stop")
    if seen:
        drop_socket_folder(cluster.place, seen.socket_folder)


def _end(cluster: Cluster, seen: Postmaster | None, number: int) -> None:
    """Signal the first process, checked to be what the file says; after its death, the orphans."""
    processes = _server_processes(cluster.data)
    if not processes and alive(cluster):
        raise unavailable(f"the server of {cluster.data} runs out of our sight, perhaps in another container")
    for pid in [seen.pid] if seen and seen.pid in processes else processes:
        _signal(pid, number)


def _await_silence(cluster: Cluster) -> None:
    deadline = time.monotonic() + _STOP_GRACE
    while alive(cluster) and time.monotonic() < deadline:
        time.sleep(_POLL)


# The log


def _open_log(place: Place) -> int:
    """Where this start's messages begin. An overlong log is put aside, and the one before it removed."""
    if place.log.exists() and place.log.stat().st_size > _LOG_LIMIT:
        place.log.replace(place.log.with_name("server.log.1"))
    descriptor = os.open(place.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    os.close(descriptor)
    place.account.own(place.log)
    return place.log.stat().st_size


def _log_tail(place: Place, position: int) -> str:
    try:
        with place.log.open("rb") as log:
            log.seek(position)
            return f"its log says:\n{binaries.last_lines(log.read().decode('utf-8', 'replace'))}"
    except OSError:
        return "there is no log"
