"""A Neo4j of one's own, for trying things out and for tests: fetched by Maven, started on loopback, stopped again.

It needs Java (17 or newer) and Maven. The jars are kept in a cache folder (`RECOLLECT_CACHE`, else
`~/.cache/recollect`), and what is stored lies in a folder of the caller's.
"""

import fcntl
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from recollect.core.errors import RecollectError
from recollect.graph.projection.driver import NAME, require_driver

VERSION = "5.26.30"
USER = "neo4j"

_ENTRY = "org.neo4j.server.CommunityEntryPoint"
_PORT = 7687
_HEAP = "1g"
_PAGES = "256m"
_START = 300.0
"""Seconds until it answers, as long as its process lives: on a busy machine Java takes minutes to begin."""
_STOP = 60.0
_POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>recollect</groupId><artifactId>neo4j-server</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{version}</version></dependency>
  </dependencies>
</project>
"""
_CONFIG = """\
server.default_listen_address=127.0.0.1
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
dbms.usage_report.enabled=false
server.memory.pagecache.size={pages}
"""


class CannotRun(RecollectError):
    """What this machine lacks, in one sentence."""


class Stopped(RecollectError):
    """Somebody wanted it to end before it had begun."""

    def __init__(self) -> None:
        super().__init__(f"stopped before {NAME} had started")


@dataclass(slots=True)
class DevServer:
    """A Neo4j that runs."""

    port: int
    password: str
    process: "subprocess.Popen[bytes]"
    home: Path
    brief: bool = False

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"bolt://127.0.0.1:{self.port}"

    @property
    def settings(self) -> dict[str, str]:
        """What Recollect has to be told to use it."""
        return {"neo4j_url": self.url, "neo4j_user": USER, "neo4j_password": self.password}

    def stop(self) -> None:
        """Have it end in order; kill it where it does not."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(_STOP)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def start_again(self) -> None:
        """Start it where it was, after it was stopped."""
        self.process = start(self.home, port=self.port, brief=self.brief).process


def cache_folder() -> Path:
    """Where what was fetched is kept."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(os.environ.get("RECOLLECT_CACHE") or Path(base) / "recollect") / "neo4j"


def is_fetched() -> bool:
    """Whether Neo4j is in the cache."""
    return (cache_folder() / VERSION).exists()


def fetch(stop: Event | None = None) -> Path:
    """The folder with Neo4j's jars, fetched if they are not there yet; that takes a minute or two, once. Whoever sets
    `stop` has it given up."""
    java, folder = _tool("java"), cache_folder()
    _require_java(java)
    jars = folder / VERSION
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two who want it one fetches, the other waits
        if not jars.exists():
            _fetch_into(folder, jars, stop)
    return jars


def _fetch_into(folder: Path, jars: Path, stop: Event | None) -> None:
    maven, unfinished = _tool("mvn"), folder / f"{VERSION}.unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    (unfinished / "pom.xml").write_text(_POM.format(version=VERSION))
    command = [maven, "--quiet", "--batch-mode", "dependency:copy-dependencies", "-DoutputDirectory=lib"]
    with (
        (unfinished / "output.log").open("w+") as log,
        subprocess.Popen(command, cwd=unfinished, stdout=log, stderr=log) as maven_runs,  # noqa: S603 - our own words
    ):
        _wait(maven_runs, stop)
        log.seek(0)
        told = log.read()
    if maven_runs.returncode:
        said = next((line for line in told.splitlines() if "ERROR" in line), "no reason given")
        raise CannotRun(f"Maven cannot fetch Neo4j: {said[:300]}")
    (unfinished / "lib").rename(jars)
    shutil.rmtree(unfinished)


def _wait(process: "subprocess.Popen[bytes]", stop: Event | None) -> None:
    """Until a process ends, or is to."""
    while process.poll() is None and not (stop is not None and stop.is_set()):
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.2)
    if stop is not None and stop.is_set():
        process.kill()
        raise Stopped


def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise CannotRun(f"Neo4j needs Java 17 and Maven, and there is no `{name}` here")
    return found


def _require_java(java: str) -> None:
    asked = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603 - found above
    said = asked.stderr
    number = "".join(char for char in said.partition('version "')[2].partition(".")[0] if char.isdigit())
    if not number or int(number) < 17:
        raise CannotRun(f"Neo4j needs Java 17 or newer, not {said.splitlines()[0] if said else 'this one'}")


def start(home: Path, *, port: int | None = None, brief: bool = False, stop: Event | None = None) -> DevServer:
    """Start Neo4j on loopback with what `home` holds; a new home gets a password of its own.

    `brief`: it is not to run for long, and had better not spend its time on making itself fast. Whoever sets `stop` has
    it given up.
    """
    require_driver()
    jars = fetch(stop)
    chosen = port or _free_port()
    (home / "conf").mkdir(parents=True, exist_ok=True)
    (home / "conf" / "neo4j.conf").write_text(_CONFIG.format(port=chosen, pages=_PAGES))
    options = [f"-Xmx{_HEAP}", "-XX:+UseSerialGC", *(["-XX:TieredStopAtLevel=1"] if brief else [])]
    command = [_tool("java"), *options, "-cp", f"{jars}/*", _ENTRY]
    with (home / "output.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - our own words
            [*command, f"--home-dir={home}", f"--config-dir={home}/conf"],
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for us: we stop it in order
        )
    try:
        password = _admit(_Waiting(process, chosen, home, stop or Event()))
    except BaseException:
        process.kill()
        process.wait()
        raise
    return DevServer(chosen, password, process, home, brief)


@contextmanager
def running(home: Path, *, port: int | None = None, brief: bool = False) -> Iterator[DevServer]:
    """The same, for as long as it is needed."""
    server = start(home, port=port, brief=brief)
    try:
        yield server
    finally:
        server.stop()


def usual_port() -> int | None:
    """The port where one expects Neo4j; None if somebody has it."""
    return _PORT if _bound(_PORT) else None


def _free_port() -> int:
    """Any that nobody has, and that no two who ask at once are likely to be given."""
    port = _bound(0)
    if port is None:
        raise CannotRun("no port is free on loopback")
    return port


def _bound(port: int) -> int | None:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return None
        return int(probe.getsockname()[1])


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A Neo4j that does not answer yet."""

    process: "subprocess.Popen[bytes]"
    port: int
    home: Path
    stopped: Event

    def ask(self, password: str, statement: str, database: str = "neo4j", **values: Any) -> None:
        """Run a statement as soon as Neo4j takes it."""
        from neo4j import GraphDatabase
        from neo4j.exceptions import AuthError, DriverError, Neo4jError

        deadline = time.monotonic() + _START
        while True:
            self._require_life()
            try:
                with GraphDatabase.driver(f"bolt://127.0.0.1:{self.port}", auth=(USER, password)) as driver:
                    driver.execute_query(statement, values, database_=database)
                self._require_life()  # else somebody else answered there
                return
            except AuthError:
                raise
            except (DriverError, Neo4jError, OSError) as error:
                if time.monotonic() > deadline:
                    raise CannotRun(f"Neo4j does not answer after {_START:g} s") from error
                self.stopped.wait(0.2)

    def _require_life(self) -> None:
        if self.stopped.is_set():
            raise Stopped
        if self.process.poll() is not None:
            raise CannotRun(f"Neo4j ended at once: see {self.home / 'output.log'}")


def _admit(server: _Waiting) -> str:
    """Wait until it answers; the password, which is made now where there was none."""
    kept = server.home / "password"
    if kept.exists():
        password = kept.read_text().strip()
        server.ask(password, "RETURN 1")
        return password
    password = secrets.token_urlsafe(24)
    server.ask(USER, "ALTER CURRENT USER SET PASSWORD FROM $old TO $new", "system", old=USER, new=password)
    with os.fdopen(os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(password)
    return password
