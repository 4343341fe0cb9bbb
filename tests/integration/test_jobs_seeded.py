"""Every nightly job on a seeded database: it changes what is due and nothing else, and it may be run twice, or killed
at any statement and run again, with the same rows in the end."""

import json
import logging
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from test_tiers_crash import settled

from recollect.flows import fade
from same_rows import canonical, changed, ids_in, snapshot, strays
from seeded_jobs import SEEDERS, Reasons, Seeded
from seeding import Garden

SPACES = ("user:alice", "user:bob")
# Of section 11 of the specification; what a model or a day's work is needed for has tests of its own.
JOBS = (
    "migration",
    "promotion",
    "retention",
    "decay",
    "note_cleanup",
    "descriptions",
    "storyline_promotion",
    "storyline_refresh",
    "macro_promotion",
    "macro_refresh",
    "source_consolidation",
    "consolidation",
    "forgetting",
    "purge",
    "consent_expiry",
)
_log = logging.getLogger(__name__)
_LEAST = 20
"""Rows that are due for each reason, and that are spared for each."""
_KILLS = 5
_SEED = os.environ.get("KILL_SEED") or str(random.SystemRandom().randrange(1_000_000))
"""Says where jobs are killed: elsewhere in each run, unless the environment names the seed that a failure showed."""

_CHILD = """
import asyncio, json, os, signal, sys
from datetime import datetime
import psycopg
from recollect import Recollect

folder, job, now = sys.argv[1:4]
count, at = 0, None
execute = psycopg.AsyncConnection.execute

async def watched(connection, query, *given, **options):
    global count
    if at is not None and asyncio.current_task().get_name() != "recollect heartbeat":
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)
    return await execute(connection, query, *given, **options)

psycopg.AsyncConnection.execute = watched

async def run(url, kill_at):
    global at
    clock = lambda: datetime.fromisoformat(now)
    async with Recollect.open(database_url=url, data_dir=folder, embedder="fake", worker=False, understand=False,
                              heartbeat_timeout=0.1, clock=clock) as rc:
        at = kill_at
        counts = await rc.run_job(job)
        at = None
        print(json.dumps({"statements": count, "counts": dict(counts)}), flush=True)

for line in sys.stdin:
    url, kill_at = json.loads(line)
    pid = os.fork()
    if pid == 0:
        asyncio.run(run(url, kill_at))
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    print(json.dumps({"killed": os.WIFSIGNALED(status), "code": status}), flush=True)
"""


class Child:
    """Another process that runs a job, and is killed at a statement."""

    def __init__(self, folder: Path, job: str, now: str) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CHILD, str(folder), job, now],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def run(self, url: str) -> dict:
        """To the end; how many statements it took, and what the job counted."""
        told = self._ask(url, 0)
        assert not self._heard()["code"]
        return told

    def kill(self, url: str, at: int) -> bool:
        """Killed before its `at`-th statement; whether it was. How often it looks for jobs is chance: a run may be done
        some statements earlier than another."""
        told = self._ask(url, at)
        if "killed" not in told:
            told = self._heard()
            assert not told["code"]
        settled(url)
        return told["killed"]

    def _ask(self, url: str, at: int) -> dict:
        assert self._process.stdin
        self._process.stdin.write(json.dumps([url, at]) + "\n")
        self._process.stdin.flush()
        return self._heard()

    def _heard(self) -> dict:
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def test_every_job_has_a_seeder():
    assert set(JOBS) == set(SEEDERS) <= set(fade.SWEEPS)


async def seeded(open_recollect, job: str) -> Seeded:
    """Seed both spaces, and let nobody be connected."""
    rc = await open_recollect()
    one, other = [await SEEDERS[job](Garden(rc, space)) for space in SPACES]
    await rc.close()
    return one + other


def ids_of(reasons: Reasons) -> set[str]:
    return {str(id) for ids in reasons.values() for id in ids}


def points(job: str, statements: int) -> Sequence[int]:
    """Where to kill: somewhere in each part of the run."""
    chosen = random.Random(f"{_SEED} {job}")
    parts = min(_KILLS, statements)
    return [chosen.randint(statements * n // parts + 1, statements * (n + 1) // parts) for n in range(parts)]


@pytest.mark.local
@pytest.mark.parametrize("job", sorted(JOBS))
async def test_a_job_changes_what_is_due_once_whatever_happens(
    job, open_recollect, server, database_url, clock, tmp_path
):
    found = await seeded(open_recollect, job)
    assert [reason for given in (found.due, found.spared) for reason, ids in given.items() if len(ids) < _LEAST] == []
    due, spared = ids_of(found.due), ids_of(found.spared)
    before = snapshot(database_url)
    with ExitStack() as stack:
        child = Child(tmp_path, job, clock.now.isoformat())
        stack.callback(child.close)
        once = stack.enter_context(server.copy_of(database_url))
        ran = child.run(once)
        after = snapshot(once)
        assert due - ids_in(changed(before, after)) == set()
        assert strays(before, after, due | {str(id) for id in found.along}, spared) == []
        assert (ran["counts"]["spaces"], ran["counts"]["failed"]) == (2, 0)

        child.run(once)
        assert changed(after, snapshot(once)) == {name: [] for name in after}

        kills = 0
        for at in points(job, ran["statements"]):
            _log.warning("killed before statement %s of %s: KILL_SEED=%s", at, ran["statements"], _SEED)
            with server.copy_of(database_url) as killed:
                kills += child.kill(killed, at)
                child.run(killed)
                assert canonical(snapshot(killed), ids_in(before)) == canonical(after, ids_in(before))
        assert kills >= min(_KILLS, ran["statements"]) - 1
