"""The schema's steps: in order, applied once whoever comes first, and equal to `schema.sql`."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from recollect.core.errors import ModelMismatch, RecollectError
from recollect.db import migrate

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import generate

_PROCESSES = 10


@pytest.fixture
def empty_url(server_url: str) -> Iterator[str]:
    """The owner's URL of a database with nothing in it."""
    name = f"empty_{time.monotonic_ns()}"
    with psycopg.connect(server_url, autocommit=True) as owner:
        owner.execute(f"create database {name}")
    yield make_conninfo(server_url, dbname=name)
    with psycopg.connect(server_url, autocommit=True) as owner:
        owner.execute(f"drop database {name} with (force)")


def upgrade(url: str) -> list[str]:
    """Apply what is missing; the names."""

    async def run() -> list[str]:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
            return [step.name for step in await migrate.upgrade(owner, migrate.app_url_for(url), create_role=True)]

    return asyncio.run(run())


def fetch(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as owner:
        return owner.execute(statement).fetchall()


@pytest.mark.embedded  # another version dumps in other words
def test_the_schema_file_equals_the_migrations(database_url: str) -> None:
    assert generate.SCHEMA_FILE.read_text("utf-8") == generate.schema(database_url), "run ./dev generate"


def test_steps_are_numbered_without_gaps() -> None:
    assert [step.number for step in migrate.migrations()] == list(range(1, len(migrate.migrations()) + 1))


@pytest.mark.embedded
def test_one_step_at_a_time_leads_to_the_same(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a database does that was made by the oldest version and saw every one since."""
    steps = migrate.migrations()
    for count in range(1, len(steps) + 1):
        monkeypatch.setattr(migrate, "migrations", lambda count=count: steps[:count])
        assert upgrade(empty_url) == [steps[count - 1].name]
    assert generate.SCHEMA_FILE.read_text("utf-8") == generate.schema(empty_url)


def test_a_second_time_applies_nothing(empty_url: str) -> None:
    assert upgrade(empty_url) == [step.name for step in migrate.migrations()]
    assert upgrade(empty_url) == []


def test_a_step_that_fails_leaves_nothing_behind(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = migrate.migrations()
    broken = migrate.Migration(len(steps) + 1, "broken", "create table half (n integer); select 1 / 0;")
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "migrations", lambda: [*steps, broken])
        with pytest.raises(psycopg.errors.DivisionByZero):
            upgrade(empty_url)
    assert fetch(empty_url, "select to_regclass('recollect.half')") == [(None,)]
    assert fetch(empty_url, "select max(number) from recollect.migration") == [(len(steps),)]
    upgrade(empty_url)


def test_a_newer_schema_is_refused(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("insert into recollect.migration (number, name) values (9999, 'from_the_future')")
    with pytest.raises(RecollectError, match="newer"):
        upgrade(database_url)


async def test_another_embedder_is_refused(database_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as owner:
        await migrate.record_embedder(owner, "one", 384)
        await migrate.record_embedder(owner, "one", 384)
        with pytest.raises(ModelMismatch, match="reembed"):
            await migrate.record_embedder(owner, "another", 384)
        with pytest.raises(ModelMismatch):
            await migrate.record_embedder(owner, "one", 768)


_SAVED = """
insert into recollect.checkpoint (space_id, owner, thread_id, kind, namespace, id, type, body, saved_by, saved_at)
select space, space, 't', kind, '', lpad(n::text, 18, '0'), 'json', convert_to(kind || n, 'UTF8'), 'planner', now()
from unnest('{user:alice,user:bob}'::text[]) as space, unnest('{state,graph}'::text[]) as kind,
    generate_series(1, 12) as n
"""
_KEPT = {
    "checkpoint_state": "select space_id, owner, thread_id, version, convert_from(body, 'UTF8'), saved_by",
    "checkpoint": "select space_id, owner, thread_id, id::bigint, convert_from(body, 'UTF8'), saved_by",
}


@pytest.mark.local
def test_states_move_to_a_table_of_their_own(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = migrate.migrations()
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "migrations", lambda: steps[:20])
        upgrade(empty_url)
    with psycopg.connect(empty_url) as owner:
        owner.execute(_SAVED)
    upgrade(empty_url)
    for kind, (table, select) in zip(("state", "graph"), _KEPT.items(), strict=True):
        found = fetch(empty_url, f"{select} from recollect.{table} order by 1, 4")
        numbered = [(space, number) for space in ("user:alice", "user:bob") for number in range(1, 13)]
        assert found == [(space, space, "t", n, f"{kind}{n}", "planner") for space, n in numbered]


_OPEN = """
import asyncio, sys, time
from recollect.core.settings import load_settings
from recollect.db.bootstrap import open_database

async def main():
    opened = await open_database(load_settings(database_url=sys.argv[1]))
    async with opened.database.transaction("user:alice") as connection:
        cursor = await connection.execute("select count(*) from memory")
        assert (await cursor.fetchone())[0] == 0
    await opened.close()

print("ready", flush=True)
sys.stdin.readline()
asyncio.run(main())
"""


def test_many_processes_open_a_fresh_database_at_once(empty_url: str) -> None:
    command = [sys.executable, "-c", _OPEN, empty_url]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    processes = [subprocess.Popen(command, text=True, **pipes) for _ in range(_PROCESSES)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    ends = [process.communicate("go\n", timeout=120) for process in processes]
    problems = [error for process, (_, error) in zip(processes, ends, strict=True) if process.returncode]
    assert problems == []
    applied = fetch(empty_url, "select number, name from recollect.migration order by number")
    assert applied == [(step.number, step.name) for step in migrate.migrations()]
