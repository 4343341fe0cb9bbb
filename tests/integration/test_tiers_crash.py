"""A migration and a promotion that fail, or are killed, at any statement: all of it is there, or nothing."""

import asyncio
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from test_migration_flow import noted

_SIZES = {"chunk_single": 60, "chunk_size": 64, "chunk_overlap": 4}


def told(*changed):
    """A text of four chunks; parts that are named say something more."""
    parts = []
    for part, name in enumerate(("Redis", "Kafka", "Docker", "Nginx")):
        said = f"The {name} cluster of rack {part} keeps a backup. Rack {part} is run by Maria. It runs {name} now."
        parts.append(f"## Rack {part}\n\n{said}" + (f" Rack {part} was painted green." if part in changed else ""))
    return "\n\n".join(parts)


BEFORE = told()
AFTER = told(1, 3)
CONTRARY = told().replace("Rack 2 is run by Maria.", "Rack 2 is not run by Maria.")


class Crash(Exception):
    """The statement that was to fail."""


class Failing:
    """Lets the `at`-th statement of the process fail; a pool that makes a connection meanwhile is left alone."""

    def __init__(self, patch, at):
        self.count, execute = 0, psycopg.AsyncConnection.execute

        async def watched(connection, query, *given, **options):
            if not asyncio.current_task().get_name().startswith("pool-"):
                self.count += 1
                if self.count == at:
                    raise Crash
            return await execute(connection, query, *given, **options)

        patch.setattr(psycopg.AsyncConnection, "execute", watched)


def snapshot(url):
    """Every row of every table, but for what calls of models cost: a try that failed cost something, too."""
    with psycopg.connect(url, options="-c search_path=recollect,public") as owner:
        found = owner.execute("select tablename from pg_tables where schemaname = 'recollect'").fetchall()
        tables = [name for (name,) in found if not name.startswith("spend")]
        return {name: sorted(map(str, owner.execute(f'select t::text from "{name}" t').fetchall())) for name in tables}


async def prepared(rc, work):
    """Sections that wait to be migrated, one new and one to merge; for a promotion, migrated and promoted before; for a
    decision, in contradiction to what is known."""
    me = rc.scope(user_id="alice", agent_id="coder")
    active, [landed] = await noted(me, BEFORE)
    if work in ("promote", "delete"):
        await me.promote(landed.source_id)
    await me.update_section(active.id, "notes", AFTER if work in ("migrate", "promote") else CONTRARY)
    if work != "migrate":
        await me.migrate()
    await rc.drain()
    return me, active, landed.source_id


async def do(me, work, source):
    if work == "delete":
        return await me.delete(source)
    if work == "resolve":
        return [await me.resolve(review.id, "merged", text=told(0, 1, 2, 3)) for review in await me.reviews()]
    return await (me.migrate() if work == "migrate" else me.promote(source))


async def fail_each(rc, me, work, source, monkeypatch):
    """Do a piece of work with its first statement failing, then its second, until it comes through: which was that?"""
    before = snapshot(rc.database_url)
    for at in range(1, 1_000):
        with monkeypatch.context() as patch:
            failing = Failing(patch, at)
            with suppress(Crash):
                await do(me, work, source)
        if snapshot(rc.database_url) != before:
            break
        assert failing.count == at
    return at, failing.count


@pytest.mark.parametrize("work", ["resolve", "delete"])
@pytest.mark.once
async def test_every_statement_of_a_decision_and_of_a_deletion_may_fail(open_recollect, clock, monkeypatch, work):
    rc = await open_recollect(**_SIZES)
    me, _, source = await prepared(rc, work)
    assert len(await me.reviews()) == 1
    clock.forward(hours=1)
    at, _ = await fail_each(rc, me, work, source, monkeypatch)
    assert at > 10
    short = [chunk.content for chunk in await me.get_all(kinds=["chunk"], tier="short")]
    if work == "resolve":
        assert await me.reviews() == []
        assert sum("painted green" in chunk for chunk in short) == 4
    else:
        # The other source speaks for what it did not contradict.
        assert len(short) == 3
        assert sorted(version.content for version in await me.get_all(kinds=["chunk"], tier="long")) == sorted(short)


@pytest.mark.parametrize("work", ["migrate", "promote"])
async def test_every_statement_may_fail(open_recollect, clock, monkeypatch, work):
    rc = await open_recollect(**_SIZES)
    me, active, source = await prepared(rc, work)
    assert len(await me.get_all(kinds=["chunk"], tier="short")) >= 3
    clock.forward(hours=1)
    at, count = await fail_each(rc, me, work, source, monkeypatch)
    assert at > 25
    assert count <= at  # it was the last one, or came after the commit
    await check_done(me, active, source, work)
    await do(me, work, source)
    await check_done(me, active, source, work)


async def check_done(me, active, source, work):
    """All of it, once."""
    assert (await me.get_active(active.id)).sections["notes"].update_count == 0
    contents = [each.content for each in await me.get_all(kinds=["source"])]
    assert contents == [BEFORE, AFTER]
    short = [chunk.content for chunk in await me.get_all(kinds=["chunk"], tier="short")]
    assert sum("painted green" in chunk for chunk in short) == 2
    if work == "promote":
        valid = [version.content for version in await me.get_all(kinds=["chunk"], tier="long")]
        assert sorted(valid) == sorted(short)
        ended = [version for version in await me.chunk_history(source) if version.valid_until is not None]
        assert len(ended) == 2


_KILLER = """
import asyncio, json, os, signal, sys
from datetime import UTC, datetime
import psycopg
from recollect import Recollect

url, folder, work, source, sizes = sys.argv[1:6]
at = int(sys.argv[6])
count = 0
armed = False
execute = psycopg.AsyncConnection.execute

async def watched(connection, query, *given, **options):
    global count
    if armed:
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)
    return await execute(connection, query, *given, **options)

psycopg.AsyncConnection.execute = watched

async def main():
    global armed
    clock = lambda: datetime(2026, 3, 18, 10, 30, tzinfo=UTC)
    async with Recollect.open(database_url=url, data_dir=folder, embedder="fake", worker=False, understand=False,
                              clock=clock, **json.loads(sizes)) as rc:
        me = rc.scope(user_id="alice", agent_id="coder")
        armed = True
        await (me.migrate() if work == "migrate" else me.promote(source))
        armed = False

def child():
    asyncio.run(main())
    print(json.dumps({"done": count}), flush=True)
    os._exit(0)

while True:
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        child()
    _, status = os.waitpid(pid, 0)
    if not os.WIFSIGNALED(status):
        sys.exit(os.waitstatus_to_exitcode(status))
    print(json.dumps({"killed": at}), flush=True)
    if sys.stdin.readline() != "on\\n":
        sys.exit(1)
    at += int(sys.argv[7])
"""


def settled(url):
    """Wait until the server has noticed that a client is gone."""
    with psycopg.connect(url, autocommit=True) as owner:
        while owner.execute(
            "select count(*) from pg_stat_activity where datname = current_database()"
            " and not pid = pg_backend_pid() and xact_start is not null and backend_type = 'client backend'"
        ).fetchone() != (0,):
            owner.execute("select pg_sleep(0.01)")


@pytest.mark.local
@pytest.mark.parametrize("work", ["migrate", "promote"])
async def test_the_process_may_be_killed_at_every_statement(open_recollect, clock, tmp_path: Path, work):
    rc = await open_recollect(**_SIZES)
    me, active, source = await prepared(rc, work)
    clock.forward(hours=1)
    before, killed = snapshot(rc.database_url), 0
    given = [rc.database_url, str(tmp_path), work, str(source), json.dumps(_SIZES), "1", "1"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    with subprocess.Popen(  # noqa: ASYNC220 - nothing else runs in this loop
        [sys.executable, "-c", _KILLER, *given],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        assert process.stdin
        assert process.stdout
        for line in process.stdout:
            settled(rc.database_url)
            if snapshot(rc.database_url) != before:
                break
            assert "killed" in json.loads(line)
            killed += 1
            process.stdin.write("on\n")
            process.stdin.flush()
    assert killed > 25
    await check_done(me, active, source, work)
