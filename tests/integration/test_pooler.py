"""Behind PgBouncer in transaction mode: no session lasts, nothing is prepared, nobody listens."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

import cluster
from recollect.db import migrate
from recollect.db.database import SEARCH_PATH

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


@pytest.fixture
def pooled_url(database_url: str) -> Iterator[str]:
    """The application role's URL through a pooler with two connections to the server."""
    app = conninfo_to_dict(migrate.app_url_for(database_url))
    if str(app.get("host", "")).startswith("/"):
        pytest.skip("the embedded server's socket is private to it")
    if PROGRAM is None:
        if os.environ.get("CI"):
            pytest.fail("PgBouncer is missing", pytrace=False)
        pytest.skip("PgBouncer is missing")
    with psycopg.connect(database_url, autocommit=True) as owner:
        # A database that was cloned from a template has not the settings of the role in the template.
        owner.execute(f"alter role {app['user']} in database {app['dbname']} set search_path = {SEARCH_PATH}")
    # Not under pytest's own folder, which is closed to the account that runs the pooler.
    folder = Path(tempfile.mkdtemp(prefix="recollect-pooler-"))
    [port] = cluster.free_ports(1)
    (folder / "users.txt").write_text(f'"{app["user"]}" "{app["password"]}"\n')
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n{app['dbname']} = host={app['host']} port={app['port']}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\npool_mode = transaction\n"
        f"auth_type = scram-sha-256\nauth_file = {folder}/users.txt\ndefault_pool_size = 2\nmax_client_conn = 100\n"
        f"logfile = {folder}/log\npidfile = {folder}/pid\nignore_startup_parameters = extra_float_digits\n"
    )
    for path in (folder, *folder.iterdir()):
        cluster.give_to_server(path)
    process = subprocess.Popen(
        [PROGRAM, str(folder / "pgbouncer.ini")],
        user=cluster.account(),
        extra_groups=[] if cluster.account() else None,
        stderr=subprocess.DEVNULL,
    )
    url = make_conninfo(migrate.app_url_for(database_url), port=port)
    try:
        _wait(url)
        yield url
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _wait(url: str) -> None:
    for _ in range(100):
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            time.sleep(0.1)
        else:
            return
    psycopg.connect(url).close()


async def test_everything_works_through_a_pooler(pooled_url, open_recollect):
    rc = await open_recollect(app_url=pooled_url, prepared_statements=False, listen=False, worker=True, clock=None)
    for round in range(12):  # past the number of runs after which the driver would prepare
        for user in ("alice", "bob", "carol"):
            me = rc.scope(user_id=user)
            await me.add(f"{user} likes tea number {round}.")
            await (await me.conversation("talk")).add("user", f"I am {user}, for the {round}th time.")
    await rc.drain()
    for user in ("alice", "bob", "carol"):
        hits = await rc.scope(user_id=user).search("tea", limit=100, kinds=["statement"])
        assert {hit.memory.content.split()[0] for hit in hits} == {user}
        assert len(hits) == 12
        assert len(await rc.scope(user_id=user).search("time", limit=100, kinds=["turn"])) == 12


async def test_no_setting_is_left_for_the_next_one(pooled_url, open_recollect):
    rc = await open_recollect(app_url=pooled_url, prepared_statements=False, listen=False)
    await rc.scope(user_id="alice").add("Alice likes tea.")
    with psycopg.connect(pooled_url, autocommit=True, prepare_threshold=None) as other:
        for _ in range(10):
            assert other.execute("select count(*) from recollect.memory").fetchone() == (0,)
