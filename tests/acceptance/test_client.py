"""The client: the library's words, said to a server."""

import asyncio
import inspect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect import client, memory
from recollect.core.errors import InvalidInput, NotAllowed, NotFound, RecollectError, Unavailable
from recollect.core.scope import Scope
from recollect.retrieval.search import Timing
from recollect.wire.verbs import VERBS
from serving import served

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
async def remote(rc: Any) -> AsyncIterator[client.Recollect]:
    async with served(rc) as url, client.Recollect.connect(url) as opened:
        yield opened


async def test_one_line_is_all_that_changes(rc, remote) -> None:
    async def use(me: Any) -> list[str]:
        await me.add("Alice prefers tea.", type="preference")
        return [hit.memory.content for hit in await me.search("tea", limit=3)]

    assert await use(rc.scope(user_id="alice")) == await use(remote.scope(user_id="bob")) == ["Alice prefers tea."]


async def test_a_conversation(rc, remote) -> None:
    me = remote.scope(user_id="alice", agent_id="planner")
    chat = await me.conversation("a/b ../c?d#e", title="Talk")
    assert chat.conversation.title == "Talk"
    message = await chat.add("user", "My name is Alice.", at=datetime(2026, 3, 1, tzinfo=UTC))
    await rc.drain()
    context = await chat.context("What is my name?", tokens=2000, after=message.watermark)
    assert "My name is Alice." in context.text
    assert context.to_openai()[-1]["role"] == "user"
    await context.ack()
    await chat.end("done")
    assert (chat.conversation.status, chat.conversation.outcome) == ("ended", "done")
    assert [each.thread_id for each in await me.conversations()] == ["a/b ../c?d#e"]


@pytest.mark.parametrize("thread", ["..", ".", "add", "x/add", "%2F", "日本", "a b"])
async def test_a_thread_may_be_called_anything(remote, thread: str) -> None:
    chat = await remote.scope(user_id="alice").conversation(thread)
    await chat.add("user", "hi")
    assert [message.turn for message in await chat.messages()] == [1]
    assert chat.conversation.thread_id == thread


async def test_a_shared_conversation_is_not_ones_own(remote) -> None:
    me = remote.scope(user_id="alice", project_id="boat")
    ours, mine = await me.conversation("t", shared=True), await me.conversation("t")
    await ours.add("user", "ours")
    assert [len(await chat.messages()) for chat in (ours, mine)] == [1, 0]


async def test_a_temporary_one_that_has_ended_is_not_begun_again(remote) -> None:
    chat = await remote.scope(user_id="alice").conversation("secret", remember=False)
    await chat.add("user", "hi")
    await chat.end()
    with pytest.raises(NotFound):
        await chat.add("user", "and this?")


async def test_changes_as_they_come(remote) -> None:
    me = remote.scope(user_id="alice")
    added = await me.add("Alice prefers tea.")
    changes = me.watch(after=0)
    change = await anext(changes)
    assert isinstance(change, memory.Change)
    assert change.memory_id == added.id
    await changes.aclose()


async def test_an_export_moves(remote) -> None:
    await remote.scope(user_id="alice").add("Alice prefers tea.")
    lines = [line async for line in remote.scope(user_id="alice").export()]
    done = await remote.scope(user_id="bob").import_lines(lines)
    assert done.rows > 0
    assert [each.content for each in await remote.scope(user_id="bob").get_all()] == ["Alice prefers tea."]


@pytest.mark.parametrize("plain", [True, False])
async def test_a_line_of_an_export_ends_where_the_library_ends_it(rc, remote, plain: bool) -> None:
    """Some take a line separator within a text, as others write it, for the end of a line."""
    text = "Tea\u2028or\x85coffee\u2029or\x0bmilk."
    await remote.scope(user_id="alice").add(text, metadata={"kept\u2028as": text})
    here = [line async for line in rc.scope(user_id="alice").export(plain=plain)]
    there = [line async for line in remote.scope(user_id="alice").export(plain=plain)]
    assert len(there) == len(here)
    await remote.scope(user_id="bob").import_lines(there)
    assert [each.content for each in await remote.scope(user_id="bob").get_all()] == [text]


async def test_an_error_names_what_it_is_about(remote) -> None:
    me = remote.scope(user_id="alice")
    with pytest.raises(InvalidInput) as wrong:
        await me.search("tea", limit=0)
    assert (wrong.value.field, wrong.value.problem) == ("limit", "must be from 1 to 1000, not 0")
    with pytest.raises(NotAllowed) as outside:
        await me.ingest("A text.", team_id="others")
    assert outside.value.what == "team others"


async def test_what_is_no_json_is_refused_by_name(remote) -> None:
    me = remote.scope(user_id="alice")
    for value in (object(), float("nan"), b"bytes"):
        with pytest.raises(InvalidInput) as wrong:
            await me.add("tea", metadata={"x": value})
        assert wrong.value.field == "metadata"
    with pytest.raises(RecollectError):
        await me.add("\ud800")


async def test_what_stays_within_a_process_is_refused(remote) -> None:
    me = remote.scope(user_id="alice")
    with pytest.raises(InvalidInput, match="within a process"):
        await me.search("tea", timing=Timing())
    with pytest.raises(InvalidInput, match="within a process"):
        await remote.run_job("decay", progress=print)
    assert await me.search("tea", timing=None) == []


async def test_a_call_that_python_refuses_is_refused_alike(rc, remote) -> None:
    for me in (rc.scope(user_id="alice"), remote.scope(user_id="alice")):
        with pytest.raises(TypeError):
            await me.get()
        with pytest.raises(TypeError):
            await me.profile("x")


class TestKeys:
    async def test_a_key_says_whose_memory_it_is(self, rc) -> None:
        made = await rc.make_key("laptop", user_id="alice", team_ids=["crew"], sensitivity="high")
        async with served(rc) as url, client.Recollect.open(url=url, key=made.secret) as remote:
            me = remote.scope()
            assert me.scope == Scope("alice", team_ids=("crew",), sensitivity="high")
            await me.add("Alice prefers tea.")
            assert len(await remote.scope(agent_id="planner", thread_id="t").get_all()) == 1
            with pytest.raises(NotAllowed):
                await remote.scope(user_id="bob").get_all()
            with pytest.raises(NotAllowed):
                await remote.keys()

    async def test_one_that_opens_nothing(self, rc) -> None:
        made = await rc.make_key("laptop", user_id="alice")
        async with served(rc) as url:
            for secret in (None, "nonsense", made.secret[:-1]):
                with pytest.raises(NotAllowed):
                    await client.Recollect.connect(url, key=secret)

    async def test_an_admin_makes_others(self, rc) -> None:
        root = await rc.make_key("root", admin=True)
        async with served(rc) as url, client.Recollect.connect(url, key=root.secret) as remote:
            made = await remote.make_key("laptop", user_id="alice")
            async with client.Recollect.connect(url, key=made.secret) as other:
                await other.scope().add("Alice prefers tea.")
            await remote.revoke_key(made.key.id)
            assert [key.revoked_at is None for key in await remote.keys()] == [True, False]


async def test_without_a_server() -> None:
    with pytest.raises(Unavailable) as away:
        await client.Recollect.connect(NOWHERE)
    assert away.value.part == "server"
    with pytest.raises(RecollectError):
        client.Recollect.connect(NOWHERE).scope(user_id="alice")


@pytest.mark.parametrize("url", ["nonsense", "ftp://127.0.0.1", "http://[::1", "http://127.0.0.1:99999", ""])
async def test_a_url_of_no_server(url: str) -> None:
    with pytest.raises(InvalidInput) as wrong:
        await client.Recollect.connect(url)
    assert wrong.value.field == "url"


@pytest.mark.parametrize("key", ["clé", "rcl_a\nb", "", 7])
async def test_a_key_that_cannot_be_sent(key: Any) -> None:
    with pytest.raises(InvalidInput) as wrong:
        client.Recollect.connect(NOWHERE, key=key)
    assert wrong.value.field == "key"


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), "long", True])
async def test_a_time_that_is_none(timeout: Any) -> None:
    with pytest.raises(InvalidInput) as wrong:
        client.Recollect.connect(NOWHERE, timeout=timeout)
    assert wrong.value.field == "timeout"


@asynccontextmanager
async def stranger(answer: bytes) -> AsyncIterator[str]:
    """Something that listens and is no server of ours; without an answer it says nothing."""

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        if answer:
            writer.close()

    async with await asyncio.start_server(meet, "127.0.0.1", 0) as listening:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize("kind", ["text/html", "application/json", "application/problem+json"])
@pytest.mark.parametrize("status", ["200 OK", "502 Bad Gateway"])
@pytest.mark.parametrize("body", ["hello", "[]", "{}"])
async def test_a_server_that_is_something_else(kind: str, status: str, body: str) -> None:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    async with stranger((head + body).encode()) as url:
        with pytest.raises(Unavailable) as away:
            await client.Recollect.connect(url)
    assert away.value.part == "server"


async def test_a_server_that_does_not_answer_in_time() -> None:
    async with stranger(b"") as url:
        with pytest.raises(Unavailable, match=r"0\.05 s"):
            await client.Recollect.connect(url, timeout=0.05)


async def test_awaited_and_closed_by_hand(rc) -> None:
    async with served(rc) as url:
        remote = await client.Recollect.connect(f"{url}/v1/")  # the address of REST does as well
        await remote.scope(user_id="alice").add("Alice prefers tea.")
        me = remote.scope(user_id="alice")
        await remote.close()
        for use in (lambda: remote.scope(user_id="alice"), remote.jobs, lambda: me.search("tea")):
            with pytest.raises(RecollectError, match="not open"):
                await use()


async def test_nothing_is_asked_before_it_is_open(rc) -> None:
    async with served(rc) as url:
        with pytest.raises(RecollectError, match="not open"):
            await client.Recollect.connect(url).jobs()


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.id)
def test_every_verb_has_the_librarys_signature(verb: Any) -> None:
    faces = {"recollect": client.Recollect, "memory": client.ScopedMemory, "chat": client.Chat}
    method = getattr(faces[verb.owner], verb.name)
    assert inspect.signature(method) == inspect.signature(verb.function)
    assert method.__doc__ == verb.function.__doc__
