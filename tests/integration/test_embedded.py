"""The embedded server as its users meet it: real processes, real signals."""

import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest

from recollect.core.errors import Conflict, Unavailable
from recollect.db import embedded
from recollect.db.embedded import binaries, cluster
from recollect.db.embedded import place as places

pytestmark = pytest.mark.embedded

OPEN = "import sys, pathlib; from recollect.db import embedded;"
OPEN += "s = embedded.start(pathlib.Path(sys.argv[1])); "
TELL = "print(embedded.status(pathlib.Path(sys.argv[1])).pid, flush=True);"
WAIT = "sys.stdin.read()"


@contextmanager
def another_process(data_dir: Path, code: str = OPEN + TELL + WAIT) -> Iterator["subprocess.Popen[str]"]:
    """A process of its own; its input closes, and so it ends, when the block does."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(data_dir)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.communicate()


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def ask(url: str, query: LiteralString, *values: object) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(query, values).fetchone()
    assert row is not None
    return row[0]


def do(url: str, statements: LiteralString) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(statements)


def with_password(url: str, old: str, new: str) -> str:
    return url.replace(f":{old}@", f":{new}@")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory made under a careless umask. Every test leaves it whole, so that one is enough."""
    data_dir = tmp_path_factory.mktemp("made") / "store"
    before = os.umask(0)
    try:
        server = embedded.start(data_dir)
    finally:
        os.umask(before)
    do(server.owner_url, "CREATE TABLE kept (id int); INSERT INTO kept VALUES (7)")
    server.release()
    return data_dir


@pytest.fixture
def data_dir(made: Path) -> Iterator[Path]:
    """The data directory with its server stopped, before and, whatever happened, after."""
    yield made
    embedded.stop(made, force=True)


@pytest.fixture
def server(data_dir: Path) -> Iterator[embedded.EmbeddedServer]:
    opened = embedded.start(data_dir)
    yield opened
    opened.release()


@pytest.fixture(scope="module")
def far(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy whose path is too long, and too odd, for a socket."""
    parent = tmp_path_factory.mktemp("far") / "sp ace, 'quote\" $HOME ümläut"
    parent.mkdir()
    copy = parent / ("long" * 40)
    subprocess.run(["cp", "-a", made, copy], check=True)
    return copy


# Private


def test_everything_is_private_whatever_the_umask(server: embedded.EmbeddedServer) -> None:
    home = server.place.home
    assert stat.S_IMODE(home.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE(server.place.passwords.stat().st_mode) == 0o600
    inside = [path for path in home.rglob("*") if not path.is_socket()]
    assert [path for path in inside if path.lstat().st_mode & 0o077] == []


def test_only_the_password_lets_in(server: embedded.EmbeddedServer) -> None:
    assert ask(server.owner_url, "SELECT current_user") == "postgres"
    right = server.password("postgres")
    for wrong in ("", "postgres", right[:-1]):
        with pytest.raises(psycopg.OperationalError, match=r"password"):
            psycopg.connect(with_password(server.owner_url, right, wrong))


def test_no_network_and_the_settings_of_the_machine(server: embedded.EmbeddedServer) -> None:
    def setting(name: str) -> object:
        return ask(server.owner_url, "SELECT current_setting(%s)", name)

    assert setting("listen_addresses") == ""
    assert (setting("jit"), setting("fsync"), setting("synchronous_commit")) == ("off", "on", "on")
    assert setting("max_connections") == "100"
    assert setting("server_encoding") == "UTF8"
    assert ask(server.owner_url, "SELECT datlocprovider::text || datcollate FROM pg_database LIMIT 1") == "bC"


def test_a_role_gets_a_password_that_stays(server: embedded.EmbeddedServer) -> None:
    password = server.password("someone")
    assert password == server.password("someone")
    assert password != server.password("postgres")
    assert f"someone:{password}@" in server.url("someone")


def test_errors_are_not_written_to_the_log(server: embedded.EmbeddedServer) -> None:
    with pytest.raises(psycopg.Error):
        ask(server.owner_url, "SELECT 'a very private thing'::uuid")
    assert "private thing" not in server.place.log.read_text()


# Shared


def test_threads_and_processes_share_one_server(data_dir: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        servers = list(pool.map(embedded.start, [data_dir] * 4))
    pid = embedded.status(data_dir).pid
    with another_process(data_dir) as other:
        assert said(other) == str(pid)
        for one in servers:
            one.release()
            one.release()
        assert embedded.status(data_dir).users == (other.pid,)
        with pytest.raises(Conflict, match=str(other.pid)):
            embedded.stop(data_dir)
        assert embedded.status(data_dir).pid == pid
    assert embedded.status(data_dir).state == "stopped"


def test_eight_processes_start_a_new_one_at_once(tmp_path: Path) -> None:
    with ExitStack() as stack:
        processes = [stack.enter_context(another_process(tmp_path / "new")) for _ in range(8)]
        assert len({said(process) for process in processes}) == 1
        assert len(embedded.status(tmp_path / "new").users) == 8
    assert [process.returncode for process in processes] == [0] * 8
    assert embedded.status(tmp_path / "new").state == "stopped"


def test_a_killed_user_does_not_keep_the_server(data_dir: Path) -> None:
    with another_process(data_dir) as other:
        pid = said(other)
        other.kill()
    assert str(embedded.status(data_dir).pid) == pid
    server = embedded.start(data_dir)
    assert str(embedded.status(data_dir).pid) == pid
    assert embedded.status(data_dir).users == (os.getpid(),)
    server.release()
    assert embedded.status(data_dir).state == "stopped"
    assert list(server.place.users.iterdir()) == []


def test_stop_works_when_its_starter_is_gone(data_dir: Path) -> None:
    with another_process(data_dir) as other:
        said(other)
        other.kill()
    assert embedded.stop(data_dir) is True
    assert embedded.stop(data_dir) is False


def test_stop_by_force_and_come_back(data_dir: Path) -> None:
    server = embedded.start(data_dir)
    with psycopg.connect(server.owner_url):
        assert embedded.stop(data_dir, force=True) is True
    again = embedded.start(data_dir)
    assert again.owner_url == server.owner_url
    assert ask(server.owner_url, "SELECT id FROM kept") == 7
    again.release()
    server.release()


def test_a_fork_is_no_user(data_dir: Path) -> None:
    code = OPEN + (
        "import os; child = os.fork();\n"
        "if child == 0: s.release(); os.read(0, 1); os._exit(0)\n"
        "print(embedded.status(s.place.home.parent).users == (os.getpid(),), flush=True)\n"
        "s.release(); print(embedded.status(s.place.home.parent).state, flush=True)\n"
        "sys.stdin.read(); os.waitpid(child, 0)"
    )
    with another_process(data_dir, code) as other:
        assert said(other) == "True"
        assert said(other) == "stopped"


# Crashes


def test_committed_rows_survive_the_death_of_the_server(data_dir: Path) -> None:
    server = embedded.start(data_dir)
    do(server.owner_url, "INSERT INTO kept SELECT generate_series(1, 1000)")
    with psycopg.connect(server.owner_url):  # its process outlives the first one for a moment
        os.kill(embedded.status(data_dir).pid or 0, signal.SIGKILL)
        again = embedded.start(data_dir)
    assert ask(again.owner_url, "SELECT count(*) FROM kept") == 1001
    do(again.owner_url, "DELETE FROM kept WHERE id <> 7 OR ctid > '(0,1)'")
    again.release()
    server.release()
    assert embedded.status(data_dir).state == "stopped"


def test_a_pid_file_that_names_another_program(data_dir: Path) -> None:
    owner = (data_dir / "postgres").stat()
    as_owner = {"user": owner.st_uid, "group": owner.st_gid} if os.geteuid() == 0 else {}
    sleeper = subprocess.Popen(["sleep", "600"], **as_owner)  # type: ignore[call-overload]
    try:
        lines = [str(sleeper.pid), str(data_dir), "1", "5432", str(data_dir / "postgres"), "", "1 2", "ready"]
        (data_dir / "postgres" / "data" / "postmaster.pid").write_text("\n".join(lines) + "\n")
        assert embedded.status(data_dir).state == "stopped"
        server = embedded.start(data_dir)
        assert ask(server.owner_url, "SELECT id FROM kept") == 7
        server.release()
        assert sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()


def test_a_server_that_cannot_start_says_why(data_dir: Path) -> None:
    settings = data_dir / "postgres" / "data" / "postgresql.auto.conf"
    settings.write_text("shared_preload_libraries = 'no_such_library'\n")
    with pytest.raises(Unavailable, match="no_such_library"):
        embedded.start(data_dir)
    assert embedded.status(data_dir).users == ()
    settings.write_text("")
    embedded.start(data_dir).release()


def test_a_start_waits_for_one_that_is_under_way(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in crash recovery: the file says `starting` for as long as it takes."""
    first = embedded.start(data_dir)
    really, recovered = cluster.read_postmaster, threading.Event()

    def recovering(data: Path) -> cluster.Postmaster | None:
        seen = really(data)
        return replace(seen, status="starting") if seen and not recovered.is_set() else seen

    monkeypatch.setattr(cluster, "read_postmaster", recovering)
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(embedded.start, data_dir)
        with pytest.raises(TimeoutError):
            second.result(0.3)
        recovered.set()
        second.result().release()
    first.release()


def test_patience_has_an_end(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = embedded.start(data_dir)
    monkeypatch.setattr(cluster, "read_postmaster", lambda _: None)
    with pytest.raises(Unavailable, match="gave up waiting"):
        embedded.start(data_dir, patience=0.2)
    monkeypatch.undo()
    first.release()


# Passwords made and lost


def test_a_directory_that_trusted_everyone_is_converted(tmp_path: Path) -> None:
    place = places.prepare_place(tmp_path)
    binaries.make_executable(binaries.newest(), place.account)
    arguments = ["-D", str(place.data), "-U", "postgres", "--auth=trust", "--no-sync"]
    binaries.run(binaries.newest(), "initdb", arguments, place.account, place.home)
    assert "trust" in (place.data / "pg_hba.conf").read_text()
    server = embedded.start(tmp_path)
    assert "trust" not in (place.data / "pg_hba.conf").read_text()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(with_password(server.owner_url, server.password("postgres"), "guess"))
    assert ask(server.owner_url, "SELECT 1") == 1
    server.release()


def test_a_lost_password_file_is_replaced(data_dir: Path) -> None:
    server = embedded.start(data_dir)
    before = server.password("postgres")
    server.place.passwords.unlink()
    again = embedded.start(data_dir)  # nobody else uses it, so it is stopped and given a new password
    assert again.password("postgres") != before
    assert ask(again.owner_url, "SELECT id FROM kept") == 7
    again.release()
    server.release()


# Paths


def test_long_and_odd_paths(far: Path) -> None:
    server = embedded.start(far)
    assert len(os.fsencode(server.socket_folder)) < 90
    assert stat.S_IMODE(server.socket_folder.stat().st_mode) == 0o700
    assert ask(server.owner_url, "SELECT id FROM kept") == 7
    server.release()
    assert not server.socket_folder.exists()


def test_a_stranger_cannot_offer_us_a_socket_folder(far: Path, tmp_path: Path) -> None:
    expected = embedded.start(far)
    expected.release()
    expected.socket_folder.symlink_to(tmp_path)
    try:
        server = embedded.start(far)
        assert server.socket_folder != expected.socket_folder
        assert ask(server.owner_url, "SELECT id FROM kept") == 7
        server.release()
        assert list(tmp_path.iterdir()) == []
    finally:
        expected.socket_folder.unlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes to another account")
def test_root_lets_one_account_pass_and_no_other(data_dir: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    moved = data_dir.rename(closed / "store")
    try:
        # As in a container made anew, where the number of the server's account names nobody.
        subprocess.run(["chown", "-R", "54321:54321", moved / "postgres"], check=True)
        server = embedded.start(moved)
        assert ask(server.owner_url, "SELECT id FROM kept") == 7
        assert server.place.data.stat().st_uid not in (0, 54321)
        assert closed.stat().st_mode & 0o007 == 0
        server.release()
    finally:
        moved.rename(data_dir)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes an account")
def test_eight_processes_make_one_account() -> None:
    name = f"recollect-{os.getpid()}"
    asking = (
        "import sys; from recollect.db.embedded import account as a; "
        "a.DEDICATED = sys.argv[1]; input(); print(a._dedicated())"
    )
    command = [sys.executable, "-c", asking, name]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    try:
        with ThreadPoolExecutor(len(processes)) as pool:
            answers = set(pool.map(lambda process: process.communicate("\n")[0], processes))
    finally:
        subprocess.run(["userdel", name], check=False)
    assert len(answers) == 1
    assert "Account(uid=" in answers.pop()


def test_a_removed_folder_is_left_in_peace(tmp_path: Path, data_dir: Path) -> None:
    server = embedded.start(data_dir)
    embedded.stop(data_dir, force=True)
    moved = data_dir.rename(tmp_path / "elsewhere")
    server.release()
    moved.rename(data_dir)


def test_nothing_is_made_by_asking(tmp_path: Path) -> None:
    assert embedded.status(tmp_path / "none").state == "absent"
    assert embedded.stop(tmp_path / "none") is False
    assert not (tmp_path / "none").exists()


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match="file"):
        embedded.start(tmp_path / "file")


def test_another_major_version_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "postgres" / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("12\n")
    with pytest.raises(Unavailable, match=r"PostgreSQL 12.*recollect db upgrade"):
        embedded.start(tmp_path)
    assert embedded.status(tmp_path).needs_upgrade
    with pytest.raises(Unavailable, match="programs of PostgreSQL 12 are not installed"):
        embedded.upgrade_major(tmp_path)
    (data / "PG_VERSION").write_text("99\n")
    with pytest.raises(Unavailable, match="newer"):
        embedded.upgrade_major(tmp_path)
