"""What lies below the tools: stdin, stdout and signals; sessions, hosts and keys."""

import json
import os
import shlex
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import Result

from assistants import PROGRAM, Http, Stdio, call
from recollect import Recollect

VERSION = "2025-06-18"
HELLO = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def request(id: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def tool(id: int, name: str, **given: Any) -> dict[str, Any]:
    return request(id, "tools/call", name=name, arguments=given)


BEGIN = (request(1, "initialize", **HELLO), {"jsonrpc": "2.0", "method": "notifications/initialized"})


def lines(*messages: dict[str, Any]) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


# Standard input and output


@pytest.fixture
def start(rc: Recollect, database_url: str, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start `recollect mcp` on the test's database."""
    started: list[subprocess.Popen[str]] = []

    def begin(*options: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*PROGRAM, "mcp", *options],
            env=os.environ | Stdio(database_url, tmp_path).environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()


Start = Callable[..., "subprocess.Popen[str]"]


async def test_all_that_was_asked_before_the_end_is_answered_and_stdout_has_nothing_else(
    start: Start, rc: Recollect
) -> None:
    process = start("--user", "alice")
    wishes = [tool(number, "remember", content=f"Wish number {number} is a kite.") for number in range(10, 30)]
    written = lines(*BEGIN) + "this is no message\n\n" + lines(*wishes) + '{"jsonrpc": "2.0"}\n'
    told, remarks = process.communicate(written)
    assert process.returncode == 0, remarks
    answers = [json.loads(line) for line in told.splitlines()]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    assert sorted(answer["id"] for answer in answers if answer["id"] is not None) == [1, *range(10, 30)]
    assert [answer["error"]["code"] for answer in answers if answer["id"] is None] == [-32700, -32700]
    assert len(await rc.scope(user_id="alice").get_all()) == 20


async def test_sigterm_ends_it_in_order_and_nothing_that_was_answered_is_lost(start: Start, rc: Recollect) -> None:
    process = start("--user", "alice", "--thread", "harbour")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(lines(*BEGIN, tool(2, "remember", messages=[{"role": "user", "content": "The tide is low."}])))
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(2)]
    assert {answer["id"] for answer in answers} == {1, 2}
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 0
    assert process.stdout.read() == ""
    chat = await rc.scope(user_id="alice").conversation("harbour")
    assert [message.content for message in await chat.messages()] == ["The tide is low."]


async def test_an_assistant_that_has_gone_is_no_error(start: Start) -> None:
    process = start("--user", "alice")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(lines(*BEGIN))
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1
    process.stdout.close()
    process.stdin.write(lines(tool(2, "remember", content="x" * 900_000)))
    process.stdin.close()
    assert process.wait() == 0
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()


def test_a_scope_that_cannot_be_is_refused_before_the_protocol_begins(start: Start) -> None:
    process = start("--user", "alice", "--sensitivity", "utmost")
    told, remarks = process.communicate("")
    assert (process.returncode, told) == (2, "")
    assert "sensitivity" in remarks


Run = Callable[..., Result]


def test_setup_prints_lines_that_can_be_pasted(run: Run, answer: Callable[..., Any], tmp_path: Path) -> None:
    given = ("--user", "Ana Lua", "--agent", "cook", "--team", "kitchen", "--data-dir", "here")
    expected = ["mcp", *given[:-1], str(tmp_path / "here")]
    found = {each["title"]: each["text"] for each in answer("mcp", "setup", *given)}
    assert list(found) == ["Claude Code", "Claude Desktop", "Cursor", "VS Code"]
    words = shlex.split(found["Claude Code"])
    assert words[:7] == ["claude", "mcp", "add", "--scope", "user", "recollect", "--"]
    assert Path(words[7]).is_absolute()
    assert words[8:] == expected
    for title, key in (("Claude Desktop", "mcpServers"), ("Cursor", "mcpServers"), ("VS Code", "servers")):
        server = json.loads(found[title])[key]["recollect"]
        assert Path(server["command"]).is_absolute()
        assert server["args"] == expected
    shown = run("mcp", "setup", "cursor").stdout
    assert json.loads(shown[shown.index("{") :]) == json.loads(answer("mcp", "setup", "cursor")[0]["text"])
    assert "Claude" not in shown
    assert "Invalid value" in run("mcp", "setup", "emacs", ok=2).stderr


# HTTP


@pytest.fixture
async def serving(rc: Recollect) -> AsyncIterator[Http]:
    async with Http(rc).serving() as face:
        yield face


class Wire:
    """The protocol by hand, as one user."""

    def __init__(self, url: str, key: str | None, **headers: str) -> None:
        given = {"Accept": "application/json, text/event-stream", **headers}
        self.headers = given if key is None else given | {"Authorization": f"Bearer {key}"}
        self.url = url

    async def post(self, message: dict[str, Any], **headers: str) -> httpx.Response:
        async with httpx.AsyncClient(timeout=60) as client:
            return await client.post(self.url, json=message, headers=self.headers | headers)

    async def session(self) -> dict[str, str]:
        """Open a session; the headers that name it."""
        opened = await self.post(BEGIN[0])
        assert opened.status_code == 200
        named = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "Mcp-Protocol-Version": VERSION}
        assert (await self.post(BEGIN[1], **named)).status_code == 202
        return named


async def test_a_session_belongs_to_who_opened_it(serving: Http) -> None:
    alice, bob = Wire(serving.url, "key-alice"), Wire(serving.url, "key-bob")
    session = await alice.session()
    ask = request(5, "tools/list")
    assert (await alice.post(ask, **session)).status_code == 200
    assert (await bob.post(ask, **session)).status_code == 404
    assert (await Wire(serving.url, None).post(ask, **session)).status_code == 401
    wider = Wire(serving.url, "key-alice", **{"X-Recollect-Sensitivity": "high"})
    assert (await wider.post(ask, **session)).status_code == 404
    async with httpx.AsyncClient() as client:
        ended = await client.delete(serving.url, headers=bob.headers | session)
        assert ended.status_code == 404
        assert (await alice.post(ask, **session)).status_code == 200
        assert (await client.delete(serving.url, headers=alice.headers | session)).status_code == 200
    assert (await alice.post(ask, **session)).status_code == 404


async def test_without_a_key_there_is_nothing(serving: Http) -> None:
    for wire in (Wire(serving.url, None), Wire(serving.url, "nonsense")):
        refused = await wire.post(BEGIN[0])
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert refused.json()["error"]["data"]["error"] == "NotAllowed"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example:80"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
    ],
)
async def test_no_web_page_reaches_it_by_a_name_of_its_own(serving: Http, headers: dict[str, str], status: int) -> None:
    assert (await Wire(serving.url, "key-alice").post(BEGIN[0], **headers)).status_code == status


async def test_a_body_without_bounds_is_refused(serving: Http, rc: Recollect) -> None:
    wire = Wire(serving.url, "key-alice")
    session = await wire.session()
    most = 6 * rc.settings.message_bytes + 64 * 1024
    assert (await wire.post(tool(7, "remember", content="x" * most), **session)).status_code == 413
    assert (await wire.post(tool(8, "remember", content="ok"), **session)).status_code == 200


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_both_eras_of_the_protocol(serving: Http, mode: str) -> None:
    async with serving.connect("alice", mode=mode) as client:
        kept = await call(client, "remember", content="Alice rows at dawn.")
        found = await call(client, "recall", query="rows")
        assert [hit["id"] for hit in found["hits"]] == [kept["memory"]["id"]]
