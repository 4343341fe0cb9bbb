"""A real Citus cluster on this machine, for tests and benchmarks: build it once, start it, stop it.

    python scripts/cluster.py packages     install what the build needs (Debian, as root)
    python scripts/cluster.py build        build Citus and pgvector into the cache, if they are not there
    python scripts/cluster.py run          start a coordinator and two workers, print the owner's URL, wait for Ctrl-C

The sources are expected in `../shared/citus` beside the project; RECOLLECT_CITUS_SOURCES names another folder,
RECOLLECT_CACHE another cache. Debian's PostgreSQL is copied into the cache, where the extensions join it: the
system's own folders stay as they are. Servers listen on loopback alone and ask for passwords, each other too.
"""

import contextlib
import fcntl
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from recollect.db.migrate import app_url_for

MAJOR = 15
PACKAGES = (
    f"postgresql-{MAJOR} postgresql-server-dev-{MAJOR} build-essential flex libssl-dev libkrb5-dev"
    " liblz4-dev libzstd-dev libxslt1-dev libpam0g-dev libreadline-dev libselinux1-dev zlib1g-dev pgbouncer"
).split()
_PG = Path(f"usr/lib/postgresql/{MAJOR}")
_SHARE = Path(f"usr/share/postgresql/{MAJOR}")
_ROOT = Path("/")
_HEADERS = Path(f"/usr/include/postgresql/{MAJOR}/server")
_OWNER = "postgres"
_ROOM = 8 * 2**30
"""Bytes that have to be free in memory for servers to be kept there."""
_SETTINGS = {
    "listen_addresses": "'127.0.0.1'",
    "unix_socket_directories": "''",
    "max_connections": "300",
    "max_prepared_transactions": "300",
    "max_wal_senders": "50",
    "max_replication_slots": "50",
    "max_worker_processes": "60",  # Citus keeps one for each database, and needs some for each shard that moves
    "max_logical_replication_workers": "30",
    "wal_level": "logical",
    "shared_buffers": "'256MB'",
    "jit": "off",
    "log_min_messages": "warning",
}
_CITUS_SETTINGS = {
    "shared_preload_libraries": "'citus'",
    "citus.node_conninfo": "'sslmode=disable'",
    "citus.max_client_connections": "-1",
    "citus.enable_statistics_collection": "off",
}


class CannotBuild(Exception):
    """What this machine lacks, in one sentence."""


def install_packages() -> None:
    """What the build needs, from Debian."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise CannotBuild("installing packages needs root on a Debian system")
    wanted = [name for name in PACKAGES if not _is_installed(name)]
    if not wanted:
        return
    # A cluster of its own is not wanted: ours are made where they are needed.
    Path("/etc/postgresql-common/createcluster.d").mkdir(parents=True, exist_ok=True)
    Path("/etc/postgresql-common/createcluster.d/recollect.conf").write_text("create_main_cluster = false\n")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", *wanted]):
        subprocess.run(["apt-get", "-qq", *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)


def _is_installed(package: str) -> bool:
    asked = subprocess.run(["dpkg-query", "-W", "-f=${Status}", package], capture_output=True, text=True, check=False)
    return asked.stdout.endswith("ok installed")


# Building ----------------------------------------------------------------------------------------


def build() -> Path:
    """The folder of a PostgreSQL that has Citus and pgvector, built if it is not there yet."""
    citus, vector = _source("citus"), _source("pgvector")
    prefix = _cache() / f"pg{MAJOR}-{_name(citus)}-{_name(vector)}"
    prefix.parent.mkdir(parents=True, exist_ok=True)
    with (prefix.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two test runs at once: one builds, the other waits
        if not (prefix / "finished").exists():
            _require_tools()
            shutil.rmtree(prefix, ignore_errors=True)
            _copy_server(prefix)
            _make(citus, prefix, configure=("--without-libcurl",), make=("extension",), install="install-extension")
            _make(vector, prefix, configure=None, make=("OPTFLAGS=",), install="install")
            (prefix / "finished").touch()
    return prefix


def _source(name: str) -> Path:
    folder = Path(os.environ.get("RECOLLECT_CITUS_SOURCES") or Path(__file__).parents[2] / "shared" / "citus")
    found = sorted(folder.glob(f"{name}-*.tar.*"))
    if not found:
        raise CannotBuild(f"no sources of {name} in {folder}")
    return found[-1]


def _name(archive: Path) -> str:
    return archive.name.split(".tar.")[0]


def _cache() -> Path:
    """Root's home is closed to the account that runs the servers."""
    home = Path("/var/cache") if os.geteuid() == 0 else Path.home() / ".cache"
    return Path(os.environ.get("RECOLLECT_CACHE") or home / "recollect")


def _require_tools() -> None:
    for what, there in {
        "a C compiler": shutil.which("cc"),
        "make": shutil.which("make"),
        "flex": shutil.which("flex"),
        f"PostgreSQL {MAJOR}": (_ROOT / _PG / "bin" / "initdb").exists(),
        f"the headers of PostgreSQL {MAJOR}": (_ROOT / _PG / "bin" / "pg_config").exists()
        and (_HEADERS / "postgres.h").exists(),
    }.items():
        if not there:
            raise CannotBuild(f"{what} is missing (Debian: apt-get install {' '.join(PACKAGES)})")


def _copy_server(prefix: Path) -> None:
    """PostgreSQL finds its own files relative to where it lies: a copy of both folders is a server of its own."""
    for folder in (_PG, _SHARE):
        shutil.copytree(_ROOT / folder, prefix / folder, symlinks=False)


def _make(archive: Path, prefix: Path, *, configure: Sequence[str] | None, make: Sequence[str], install: str) -> None:
    settings = f"PG_CONFIG={_ROOT / _PG / 'bin' / 'pg_config'}"
    with tempfile.TemporaryDirectory(prefix="recollect-build-") as folder:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        [source] = Path(folder).iterdir()
        _yield_to_server(source)
        if configure is not None:
            _run(["./configure", settings, *configure], source)
        _run(["make", f"-j{os.cpu_count() or 1}", settings, *make], source)
        _run(["make", settings, f"DESTDIR={prefix}", install], source)


def _yield_to_server(source: Path) -> None:
    """Citus brings a function for PostgreSQL 15 that later 15.x declare themselves: there ours gets another name."""
    compat, theirs = source / "src/include/pg_version_compat.h", _HEADERS / "commands/dbcommands.h"
    name = "have_createdb_privilege"
    if compat.exists() and name in theirs.read_text():
        compat.write_text(
            compat.read_text().replace(f"static inline bool\n{name}(", f"static inline bool\nold_{name}(")
        )


def _run(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBuild(f"{' '.join(command[:2])} failed: {(done.stderr or done.stdout)[-2000:]}")


# Running -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class Server:
    """One PostgreSQL server on a loopback port."""

    prefix: Path
    folder: Path
    port: int
    password: str
    citus: bool
    durable: bool

    @property
    def url(self) -> str:
        """The owner's URL of the maintenance database."""
        return make_conninfo(
            host="127.0.0.1", port=self.port, user=_OWNER, password=self.password, dbname="postgres", sslmode="disable"
        )

    def create(self) -> None:
        """Make the data directory."""
        self.folder.mkdir(mode=0o700)
        give_to_server(self.folder)
        secret = self.folder.parent / f"password-{self.port}"
        secret.write_text(self.password)
        give_to_server(secret)
        self._call(
            "initdb", "-U", _OWNER, "--auth=scram-sha-256", f"--pwfile={secret}", "-E", "UTF8", "--locale=C.UTF-8"
        )
        secret.unlink()
        settings = _SETTINGS | (_CITUS_SETTINGS if self.citus else {})
        if not self.durable:
            settings |= {"fsync": "off", "synchronous_commit": "off"}
        lines = "".join(f"{name} = {value}\n" for name, value in settings.items())
        with (self.folder / "postgresql.conf").open("a") as file:
            file.write(f"{lines}port = {self.port}\n")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._call("pg_ctl", "start", "-w", "-t", "120", "-l", str(self.folder / "log"))

    def let_shards_move(self) -> None:
        """Later versions of PostgreSQL name the libraries that may decode changes: Citus moves shards with its own."""
        with psycopg.connect(self.url, autocommit=True) as owner:
            if owner.execute("select 1 from pg_settings where name = 'output_plugin_libraries'").fetchone():
                owner.execute("alter system set output_plugin_libraries = pgoutput, citus")
                owner.execute("select pg_reload_conf()")

    def stop(self) -> None:
        """Stop it in order; connections are ended."""
        self._call("pg_ctl", "stop", "-w", "-m", "fast")

    def kill(self) -> None:
        """End it as a power cut would: every process of it, at once."""
        main = int((self.folder / "postmaster.pid").read_text().split("\n", 1)[0])
        os.kill(main, signal.SIGSTOP)  # so that it starts no more of them
        children = map(int, Path(f"/proc/{main}/task/{main}/children").read_text().split())
        processes = [*children, main]
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        while any(_lives(process) for process in processes):
            time.sleep(0.02)
        # Where nobody buries the dead its number is taken, and it would be thought alive.
        (self.folder / "postmaster.pid").unlink()

    def _call(self, program: str, *arguments: str) -> None:
        environment = {
            "PGPASSFILE": str(self.folder.parent / "passwords"),
            "LC_ALL": "C.UTF-8",
            "PATH": os.environ["PATH"],
        }
        command = [str(self.prefix / _PG / "bin" / program), "-D", str(self.folder), *arguments]
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            user=account(),
            cwd=self.folder.parent,
            extra_groups=[] if account() else None,
        )
        if done.returncode:
            log = self.folder / "log"
            raise RuntimeError(f"{program}: {done.stderr}{log.read_text()[-2000:] if log.exists() else ''}")


def _lives(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def account() -> str | None:
    """PostgreSQL refuses to run as root: there Debian's own account runs it."""
    return _OWNER if os.geteuid() == 0 else None


def give_to_server(path: Path) -> None:
    """Let the account that runs the servers own a file."""
    if (name := account()) is not None:
        found = pwd.getpwnam(name)
        os.chown(path, found.pw_uid, found.pw_gid)


@dataclass(slots=True)
class Cluster:
    """A coordinator and its workers; without workers, one plain server with pgvector."""

    folder: Path
    coordinator: Server
    workers: list[Server] = field(default_factory=list)

    @property
    def servers(self) -> list[Server]:
        """All of them, the coordinator first."""
        return [self.coordinator, *self.workers]

    def make_database(self, name: str) -> str:
        """A new database on every server, with the extensions, known to the coordinator; the owner's URL of it."""
        for server in self.servers:
            with psycopg.connect(server.url, autocommit=True) as owner:
                owner.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
            with psycopg.connect(make_conninfo(server.url, dbname=name), autocommit=True) as owner:
                if server.citus:
                    owner.execute("create extension citus")
                owner.execute("create extension vector schema public")
        url = make_conninfo(self.coordinator.url, dbname=name)
        if self.workers:
            with psycopg.connect(url, autocommit=True) as owner:
                owner.execute("select citus_set_coordinator_host('127.0.0.1', %s)", [self.coordinator.port])
                for worker in self.workers:
                    owner.execute("select citus_add_node('127.0.0.1', %s)", [worker.port])
        return url

    def stop(self) -> None:
        """Stop all servers and remove their folders."""
        for server in self.servers:
            with contextlib.suppress(RuntimeError):
                server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def start(*, workers: int = 2, durable: bool = False) -> Cluster:
    """A new cluster in a temporary folder; with `durable` it syncs to disk as a real one does."""
    prefix = build()
    folder = Path(tempfile.mkdtemp(prefix="recollect-cluster-", dir=None if durable else in_memory()))
    folder.chmod(0o755)
    password = secrets.token_hex(16)
    servers = [
        Server(prefix, folder / f"node{number}", port, password, citus=workers > 0, durable=durable)
        for number, port in enumerate(free_ports(1 + workers))
    ]
    cluster = Cluster(folder, servers[0], servers[1:])
    try:
        _write_passwords(folder / "passwords", servers[0].url)
        for server in servers:
            server.create()
            server.start()
            if server.citus:
                server.let_shards_move()
    except BaseException:
        cluster.stop()
        raise
    return cluster


def in_memory() -> str | None:
    """Where files are kept in memory, if there is room: each test's database has hundreds, and a disk is slow to
    make and remove them."""
    place = Path("/dev/shm")
    if place.is_dir() and os.access(place, os.W_OK) and shutil.disk_usage(place).free > _ROOM:
        return str(place)
    return None


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in sockets]


def _write_passwords(path: Path, url: str) -> None:
    """What the servers need to log in at each other, as the owner and as the application role."""
    path.touch(mode=0o600)
    for given in (conninfo_to_dict(url), conninfo_to_dict(app_url_for(url))):
        with path.open("a") as file:
            file.write(f"*:*:*:{given['user']}:{given['password']}\n")
    give_to_server(path)


@contextlib.contextmanager
def running(*, workers: int = 2, durable: bool = False) -> Iterator[Cluster]:
    """A cluster that stops at the end."""
    cluster = start(workers=workers, durable=durable)
    try:
        yield cluster
    finally:
        cluster.stop()


def main(command: str) -> None:
    """What the command line names."""
    if command == "packages":
        install_packages()
    elif command == "build":
        print(build())
    elif command == "run":
        with running(durable=True) as cluster:
            print(cluster.make_database("recollect"), flush=True)
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            with contextlib.suppress(KeyboardInterrupt):
                signal.pause()
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else "")
    except CannotBuild as error:
        raise SystemExit(f"cluster: {error}") from None
