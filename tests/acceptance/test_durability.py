"""What was acknowledged stays: under several processes, under kill -9, and when a worker dies over its work."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg

PATIENCE = 120.0

WRITER = """
import asyncio, sys, time
from recollect import Recollect

async def main(url, data_dir, name, seconds):
    async with Recollect.open(database_url=url, data_dir=data_dir, embedder="fake", worker=True) as rc:
        me = rc.scope(user_id="alice")
        chat = await me.conversation("chat-1")
        end, n = time.monotonic() + float(seconds), 0
        while time.monotonic() < end:
            message = await chat.add("user", f"{name} says {n} about tea.")
            print("message", message.id, message.turn, flush=True)
            memory = await me.add(f"{name} knows fact {n} about rivers.")
            print("statement", memory.id, flush=True)
            if n % 5 == 0:
                await me.update(memory.id, importance=0.9)
                print("change", memory.id, flush=True)
            n += 1

asyncio.run(main(*sys.argv[1:]))
"""

# A worker that never ends its job: it takes it, says so, and sleeps.
STUCK = """
import asyncio, sys
from recollect import Recollect
from recollect.flows import index_turns

async def never(parts, space, rows):
    print("took", space, flush=True)
    await asyncio.sleep(1000)

async def main(url, data_dir):
    index_turns._ready = never
    async with Recollect.open(database_url=url, data_dir=data_dir, embedder="fake", worker=True, heartbeat_timeout=2):
        await asyncio.sleep(1000)

asyncio.run(main(*sys.argv[1:]))
"""


def start(program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True)


def acknowledged(output: str) -> dict[str, list[list[str]]]:
    """The lines that a writer finished, by what they tell of."""
    found: dict[str, list[list[str]]] = {"message": [], "statement": [], "change": []}
    for line in output.splitlines(keepends=True):
        if line.endswith("\n"):
            what, *rest = line.split()
            found[what].append(rest)
    return found


def rows_of(url: str, query: str) -> list[Any]:
    with psycopg.connect(url, options="-c search_path=recollect,public") as owner:
        return owner.execute(query).fetchall()


async def output_of(process: subprocess.Popen[str]) -> str:
    return (await asyncio.to_thread(process.communicate, timeout=PATIENCE))[0]


async def test_two_processes_lose_nothing(rc, tmp_path: Path):
    writers = [start(WRITER, rc.database_url, str(tmp_path), name, "8") for name in ("Ada", "Bob")]
    told = [acknowledged(await output_of(writer)) for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0]
    messages = [line for each in told for line in each["message"]]
    statements = [line for each in told for line in each["statement"]]
    changes = [line for each in told for line in each["change"]]
    assert all(each["statement"] for each in told)
    log = rows_of(rc.database_url, "select id::text, turn::text from message order by message.turn")
    assert [int(turn) for _, turn in log] == list(range(1, len(messages) + 1))
    assert set(log) == {(id, turn) for id, turn in messages}
    kept = rows_of(rc.database_url, "select id::text from memory where kind = 'statement'")
    assert {id for (id,) in kept} == {id for [id] in statements}
    [[revision]] = rows_of(rc.database_url, "select revision from space")
    assert revision == len(statements) + len(changes)
    drained = await rc.drain()
    assert drained.failed == 0
    assert rows_of(rc.database_url, "select count(*) from memory where kind = 'turn'") == [(len(messages),)]


async def test_a_killed_writer_loses_nothing_that_it_was_told_of(rc, tmp_path: Path):
    writer = start(WRITER, rc.database_url, str(tmp_path), "Ada", "1000")
    assert writer.stdout is not None
    lines = [await asyncio.to_thread(writer.stdout.readline) for _ in range(60)]
    os.kill(writer.pid, signal.SIGKILL)
    rest = await output_of(writer)
    told = acknowledged("".join(lines) + rest)
    assert len(told["message"]) >= 20
    log = rows_of(rc.database_url, "select id::text, turn::text from message order by message.turn")
    assert {(id, turn) for id, turn in told["message"]} <= set(log)
    assert [int(turn) for _, turn in log] == list(range(1, len(log) + 1))
    assert len(log) <= len(told["message"]) + 1
    kept = {id for (id,) in rows_of(rc.database_url, "select id::text from memory where kind = 'statement'")}
    assert {id for [id] in told["statement"]} <= kept
    [[revision]] = rows_of(rc.database_url, "select revision from space")
    written = len(told["statement"]) + len(told["change"])
    assert written <= revision <= written + 1
    chat = await rc.scope(user_id="alice").conversation("chat-1")
    assert (await chat.add("user", "Still here.")).turn == len(log) + 1


async def test_the_space_of_a_killed_worker_goes_on(rc, open_recollect, tmp_path: Path):
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    message = await chat.add("user", "I adopted a ferret.")
    stuck = start(STUCK, rc.database_url, str(tmp_path))
    assert stuck.stdout is not None
    assert (await asyncio.to_thread(stuck.stdout.readline)).split() == ["took", "user:alice"]
    os.kill(stuck.pid, signal.SIGKILL)
    await output_of(stuck)
    other = await open_recollect(worker=True, heartbeat_timeout=2)
    hits = []
    async with asyncio.timeout(PATIENCE):
        while not hits:
            await asyncio.sleep(0.1)
            hits = await other.scope(user_id="alice").search("ferret")
    assert hits[0].memory.id == message.id
