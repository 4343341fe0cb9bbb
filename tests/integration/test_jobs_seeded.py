"""Every nightly job on a seeded database: it changes what is due and nothing else, and it may be run twice, or killed
at any statement and run again, with the same rows in the end."""

import json
import logging
import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from test_tiers_crash import settled

from recollect import Recollect
from recollect.flows import fade
from same_rows import Tables, canonical, changed, ids_in, snapshot, strays
from seeded_jobs import SEEDERS, Reasons, Seeded
from seeding import Garden, owner

SPACES = ("user:alice", "user:bob")
# Of section 11 of the specification; theory of mind, which needs a model, comes below.
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
    "daily_consolidation",
    "forgetting",
    "purge",
    "consent_expiry",
)
_log = logging.getLogger(__name__)
_LEAST = 20
"""Rows that are due for each reason, and that are spared for each."""
_KILLS = 3
_SEED = os.environ.get("KILL_SEED") or str(random.SystemRandom().randrange(1_000_000))
"""Says where jobs are killed: elsewhere in each run, unless the environment names the seed that a failure showed."""

_CHILD = """
import asyncio, json, os, signal, sys
from datetime import datetime
import psycopg
from recollect import Recollect

folder, job, now, answer = sys.argv[1:5]
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

def answered(messages, info):
    from pydantic_ai.messages import ModelResponse, TextPart
    return ModelResponse(parts=[TextPart(answer)])

async def run(url, kill_at):
    global at
    clock = lambda: datetime.fromisoformat(now)
    model = None
    if answer:
        from pydantic_ai.models.function import FunctionModel
        model = FunctionModel(answered, model_name="scripted")
    async with Recollect.open(database_url=url, data_dir=folder, embedder="fake", worker=False, understand=False,
                              heartbeat_timeout=0.1, clock=clock, model=model) as rc:
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
    """Another process that runs a job, and is killed at a statement. `answer` is what its model says, if it has one."""

    def __init__(self, folder: Path, job: str, now: str, answer: str = "") -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CHILD, str(folder), job, now, answer],
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


@pytest.fixture
def checked(server, database_url, clock, tmp_path):
    """Runs a job once, and hands the rows before and after it to be looked at; then twice, and killed at some points
    and once more: the rows have to be the same. `answer` is what a model says, for a job that needs one."""

    def check(job: str, look: Callable[[Tables, Tables, dict], None], answer: str = "") -> None:
        before = snapshot(database_url)
        with ExitStack() as stack:
            child = Child(tmp_path, job, clock.now.isoformat(), answer)
            stack.callback(child.close)
            once = stack.enter_context(server.copy_of(database_url))
            ran = child.run(once)
            after = snapshot(once)
            look(before, after, ran["counts"])

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

    return check


@pytest.mark.local
@pytest.mark.parametrize("job", sorted(JOBS))
async def test_a_job_changes_what_is_due_once_whatever_happens(job, open_recollect, checked):
    found = await seeded(open_recollect, job)
    assert [reason for given in (found.due, found.spared) for reason, ids in given.items() if len(ids) < _LEAST] == []
    due, spared = ids_of(found.due), ids_of(found.spared)

    def look(before: Tables, after: Tables, counts: dict) -> None:
        assert due - ids_in(changed(before, after)) == set()
        assert strays(before, after, due | {str(id) for id in found.along}, spared) == []
        assert (counts["spaces"], counts["failed"]) == (len(SPACES), 0)

    checked(job, look)


@pytest.mark.local
async def test_insights_are_made_where_they_are_due_once_whatever_happens(open_recollect, checked, clock):
    """Due is whoever said something since the last reading, if that was a day ago or more."""
    rc = await open_recollect()
    day = timedelta(days=1)
    due = [
        *await _talks(rc, "new"),
        *await _talks(rc, "back", read=clock.now - day),
    ]
    await _talks(rc, "late", read=clock.now - day + timedelta(microseconds=1))
    await _talks(rc, "quiet", read=clock.now - 2 * day, said=clock.now - 2 * day)
    await _talks(rc, "brief", remember=False)
    await _talks(rc, "project", project=True)
    await rc.drain()
    await rc.close()

    def look(before: Tables, after: Tables, counts: dict) -> None:
        rows = [row for name, rows in changed(before, after).items() if name in _TOLD_BY_INSIGHTS for row in rows]
        assert {row.partition(",")[0].strip('("') for row in rows} == set(due)
        assert (counts["spaces"], counts["insights"], counts["failed"]) == (len(due), len(due), 0)

    said = [{"summary": "Alice trusts those who admit mistakes.", "tags": ["trust"]}]
    checked("theory_of_mind", look, json.dumps({"insights": said}))


_TOLD_BY_INSIGHTS = ("memory", "memory_use", "entry", "history", "change_log", "upkeep", "space")


async def _talks(
    rc: Recollect,
    word: str,
    *,
    read: datetime | None = None,
    said: datetime | None = None,
    project: bool = False,
    **more,
) -> list[str]:
    """Users who have said something, and whose talk was read at a moment; their spaces."""
    spaces = []
    for number in range(_LEAST):
        name = f"{word}-{number}"
        me = rc.scope(user_id=name, project_id=name if project else None)
        chat = await me.conversation("chat", **more)
        await chat.add("user", f"{name} likes it when mistakes are admitted.")
        spaces.append(me.scope.space)
    with owner(rc.database_url) as connection:
        if said is not None:
            connection.execute("update conversation set updated_at = %s where space_id = any (%s)", [said, spaces])
        if read is not None:
            connection.execute(
                "insert into upkeep (space_id, insights_at) select unnest(%s::text[]), %s", [spaces, read]
            )
    return spaces
