"""From one major version to the next, with every kind of interruption on the way."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from recollect.core.errors import Unavailable
from recollect.db import embedded
from recollect.db.embedded import binaries, cluster, upgrade
from recollect.db.embedded import place as places
from recollect.db.embedded.switch import Plan, read_plan

pytestmark = pytest.mark.embedded

KILLED_WHILE_RESTORING = """
import os, pathlib, signal, sys
from recollect.db import embedded

def report(step):
    if step == "Restoring the database recollect":
        os.kill(os.getpid(), signal.SIGKILL)

embedded.upgrade_major(pathlib.Path(sys.argv[1]), report=report)
"""

SCHEMA = """
CREATE EXTENSION vector;
CREATE TABLE memory (space int, id int, embedding halfvec(3), PRIMARY KEY (space, id));
INSERT INTO memory SELECT i % 3, i, array[i, 1, 2]::real[]::halfvec(3) FROM generate_series(1, 3000) AS i;
CREATE INDEX ON memory USING hnsw (embedding halfvec_l2_ops);
ALTER TABLE memory ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON memory TO app USING (space = 1);
GRANT SELECT ON memory TO app;
ALTER DATABASE recollect SET work_mem = '7MB'
"""


def older() -> int:
    found = [major for major in binaries.installed() if major < binaries.newest()]
    if not found:
        pytest.skip("the wheel carries one major version only")
    return max(found)


def make_old(data_dir: Path) -> cluster.Cluster:
    place = places.prepare_place(data_dir)
    old = cluster.Cluster(place, place.data, older())
    cluster.create(old)
    socket = cluster.launch(old, time.monotonic() + 60)
    cluster.ensure_database(place, socket)
    with cluster.connect(place, socket, "recollect") as connection:
        connection.execute(f"CREATE ROLE app LOGIN PASSWORD '{places.password_of(place, 'app')}'")  # type: ignore[arg-type]
        connection.execute(SCHEMA)
    cluster.stop(old)
    return old


def test_upgrade_survives_being_killed_at_every_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = make_old(tmp_path)
    with pytest.raises(Unavailable, match="recollect db upgrade"):
        embedded.start(tmp_path)

    # Killed while the new server runs: the dump is whole, and is not made again.
    killed = subprocess.run([sys.executable, "-c", KILLED_WHILE_RESTORING, str(tmp_path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    with pytest.raises(Unavailable, match="recollect db upgrade"):
        embedded.start(tmp_path)

    # Killed between the two renames of the switch.
    def half_a_switch(place: places.Place, plan: Plan) -> Plan:
        place.data.rename(plan.kept_data(place))
        raise KeyboardInterrupt

    steps: list[str] = []
    monkeypatch.setattr(upgrade, "switch", half_a_switch)
    with pytest.raises(KeyboardInterrupt):
        embedded.upgrade_major(tmp_path, report=steps.append)
    assert not [step for step in steps if step.startswith("Dumping")]
    plan = read_plan(old.place)
    assert plan is not None
    assert plan.rows["recollect"] == {"public.memory": 3000}

    # Whoever opens it next finishes what was begun.
    server = embedded.start(tmp_path)
    with psycopg.connect(server.url("app")) as connection:
        found = connection.execute("SELECT count(*), current_setting('work_mem') FROM memory").fetchone()
        assert found == (1000, "7MB")
        assert connection.info.server_version // 10_000 == binaries.newest()
    server.release()
    assert cluster.major_of(plan.kept_data(old.place)) == older()
    assert sorted(path.name for path in plan.kept_dump(old.place).iterdir()) == [
        "0-postgres.dump", "1-recollect.dump", "roles.sql",
    ]  # fmt: skip
    assert not old.place.upgrade.exists()
    assert embedded.upgrade_major(tmp_path) is None


def test_a_difference_keeps_the_old_data() -> None:
    before = {"recollect": {"public.memory": 3, "public.note": 1}}
    upgrade._compare(before, {"recollect": {"public.note": 1, "public.memory": 3}})
    for tables in ({}, {"public.memory": 3}, {"public.memory": 2, "public.note": 1}):
        with pytest.raises(Unavailable, match="the old ones stay in use"):
            upgrade._compare(before, {"recollect": tables})


def test_a_dump_that_the_data_outgrew_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = places.Place(tmp_path, places.find_place(tmp_path).account)
    old = cluster.Cluster(place, place.data, 16)
    place.upgrade.mkdir()
    upgrade.write_plan(place, Plan(16, binaries.newest(), "now", "0/1000", {}))
    monkeypatch.setattr(upgrade, "_checkpoint", lambda _: "0/1000")
    assert upgrade._usable_plan(old) is not None
    monkeypatch.setattr(upgrade, "_checkpoint", lambda _: "0/2000")
    assert upgrade._usable_plan(old) is None
