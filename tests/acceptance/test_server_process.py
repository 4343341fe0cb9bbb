"""`recollect serve` as a process: it starts, and when it is told to stop it loses nothing that it acknowledged."""

import asyncio
import signal
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest

from commands import Run
from recollect import Recollect, client
from recollect.core.errors import Unavailable
from serving import process

WRITERS = 8
BEFORE = 60
"""Messages that are acknowledged before the signal."""


async def write_on(chat: client.Chat, number: int, acknowledged: list[str], enough: asyncio.Event) -> None:
    """Say one thing after the other until the server does not answer any more."""
    for turn in range(10_000):
        said = f"Writer {number} says {turn}."
        try:
            await chat.add("user", said)
        except Unavailable:
            return
        acknowledged.append(said)
        if len(acknowledged) >= BEFORE:
            enough.set()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
async def test_a_signal_under_load_loses_nothing_acknowledged(database_url: str, tmp_path: Path, how: int) -> None:
    acknowledged, enough = list[str](), asyncio.Event()
    with process(database_url, tmp_path) as (running, url):
        async with client.Recollect.connect(url) as rc:
            me = rc.scope(user_id="alice")
            chats = [await me.conversation(f"thread {number}") for number in range(WRITERS)]
            memories = asyncio.create_task(add_on(me, acknowledged))
            writing = [write_on(chat, number, acknowledged, enough) for number, chat in enumerate(chats)]
            crowd = asyncio.gather(memories, *writing)
            await enough.wait()
            running.send_signal(how)
            await crowd
        assert await asyncio.to_thread(running.wait) == 0
    async with Recollect.open(database_url, tmp_path, embedder="fake", worker=False) as rc:
        me = rc.scope(user_id="alice")
        kept = {memory.content for memory in await me.get_all(limit=10_000, kinds=["statement"])}
        for number in range(WRITERS):
            messages = await (await me.conversation(f"thread {number}")).messages(limit=10_000)
            kept |= {str(message.content) for message in messages}
    assert len(acknowledged) >= BEFORE
    assert set(acknowledged) - kept == set()


async def add_on(me: client.ScopedMemory, acknowledged: list[str]) -> None:
    for turn in range(10_000):
        try:
            added = await me.add(f"Boat number {turn} is of wood and has {turn} sails.")
        except Unavailable:
            return
        acknowledged.append(added.content)


def test_beyond_this_machine_it_does_not_start_without_a_key(run: Run) -> None:
    refused = run("serve", "--host", "0.0.0.0", "--port", "0", ok=7)
    assert "recollect keys make" in refused.stderr


def test_keys_at_the_terminal(run: Run, answer: Any) -> None:
    made = answer("keys", "make", "laptop", "--user", "alice", "--team", "crew")
    assert made["secret"].startswith(made["key"]["prefix"])
    assert (made["key"]["user_id"], made["key"]["team_ids"]) == ("alice", ["crew"])
    again = answer("keys", "rotate", made["key"]["id"])
    assert again["secret"] != made["secret"]
    shown = run("keys", "list").stdout
    assert "laptop" in shown
    assert "user alice, team crew" in shown
    assert made["secret"] not in shown
    assert answer("keys", "revoke", made["key"]["id"])["revoked_at"] is not None
    assert [key["revoked_at"] is None for key in answer("keys", "list")] == [False]
    assert "there is no key" in run("keys", "revoke", "0198a3c2-5d7e-7c3a-9b1f-2f6f0c1d4e5a", ok=3).stderr
    assert answer("keys", "make", "root", "--admin")["key"]["user_id"] is None
    assert answer("keys", "make", "mine")["key"]["user_id"] == "me"
    for whose in ("user", "project", "agent"):
        assert f"--{whose}: " in run("keys", "make", "nobody", f"--{whose}", "", ok=2).stderr
    assert "nobody" not in run("keys", "list").stdout


def test_a_made_key_opens(database_url: str, tmp_path: Path, answer: Any) -> None:
    secret = answer("keys", "make", "laptop", "--user", "alice")["secret"]
    with process(database_url, tmp_path) as (_, url):
        assert httpx.post(f"{url}/v1/get_all", json={}).status_code == 401
        allowed = {"Authorization": f"Bearer {secret}"}
        assert httpx.post(f"{url}/v1/get_all", json={}, headers=allowed).status_code == 200


def test_an_address_that_cannot_be_had_is_said_before_anything_is_started(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port} is taken" in run("serve", "--port", str(port), ok=4).stderr
    assert "--host: cannot listen on 192.0.2.1" in run("serve", "--host", "192.0.2.1", ok=2).stderr
