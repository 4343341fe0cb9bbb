"""An OpenAI client that remembers, against a real endpoint over HTTP."""

import asyncio
import json
import threading
import warnings
from collections.abc import AsyncIterator
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

from conftest import Opener
from openai_endpoint import Reply, Server, failed, listening, said
from recollect import InvalidInput, Recollect
from recollect import sync as blocking
from recollect.adapters.openai import MemoryWarning, remembering
from recollect.understanding.fence import is_recalled

pytestmark = pytest.mark.once


@pytest.fixture
async def endpoint() -> AsyncIterator[Server]:
    async with listening() as server:
        server.replies = [said("You drink tea.")]
        yield server


def client_of(endpoint: Server, **more: Any) -> AsyncOpenAI:
    return endpoint.closing(AsyncOpenAI(api_key="k", base_url=endpoint.url, **more))


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


async def log_of(rc: Recollect, thread: str = "t") -> list[tuple[str, Any]]:
    chat = await rc.scope(user_id="alice").conversation(thread)
    return [(message.role, message.content) for message in await chat.messages()]


@pytest.fixture
async def known(rc: Recollect) -> Recollect:
    await rc.scope(user_id="alice").add("Alice drinks rooibos tea before bed.")
    return rc


def me(rc: Recollect, thread: str = "t") -> Any:
    return rc.scope(user_id="alice", thread_id=thread)


ASK = "What do I drink before bed?"
SSE = {"Content-Type": "text/event-stream"}


def streamed(*events: dict[str, Any]) -> Reply:
    lines = [f"event: {each.get('type')}\n" * ("type" in each) + f"data: {json.dumps(each)}\n\n" for each in events]
    return Reply("".join([*lines, "data: [DONE]\n\n"]).encode(), headers=SSE)


def chunk(text: str | None, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text, **delta}, "finish_reason": finish}
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "tiny", "choices": [choice]}


def response(text: str, **more: Any) -> dict[str, Any]:
    message = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }
    head = {"id": "r1", "object": "response", "created_at": 1, "model": "tiny", "status": "completed"}
    rest = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return {**head, **rest, "output": [message], **more}


class TestChatCompletions:
    async def test_what_is_known_goes_along_and_what_is_said_stays(self, known: Recollect, endpoint: Server) -> None:
        client = remembering(client_of(endpoint), me(known))
        messages = [{"role": "system", "content": "Be brief."}, user(ASK)]
        before = json.dumps(messages)
        answer = await client.chat.completions.create(model="tiny", messages=messages, temperature=0)
        assert answer.choices[0].message.content == "You drink tea."
        sent = endpoint.asked[0].body["messages"]
        assert [message["role"] for message in sent] == ["system", "system", "user"]
        assert "rooibos" in sent[1]["content"]
        assert is_recalled(sent[1]["content"])
        assert (sent[0], sent[2]) == (messages[0], messages[1])
        assert endpoint.asked[0].body["temperature"] == 0
        assert json.dumps(messages) == before
        assert await log_of(known) == [("user", ASK), ("assistant", "You drink tea.")]

    async def test_the_talk_goes_along_unless_the_caller_sends_it(self, rc: Recollect, endpoint: Server) -> None:
        client = remembering(client_of(endpoint), me(rc))
        await client.chat.completions.create(model="tiny", messages=[user("My cat is called Olive.")])
        await client.chat.completions.create(model="tiny", messages=[user("And my dog?")])
        assert "My cat is called Olive." in endpoint.asked[1].text
        history = [user("My cat is called Olive."), {"role": "assistant", "content": "You drink tea."}, user("Well?")]
        await client.chat.completions.create(model="tiny", messages=history)
        assert endpoint.asked[2].text.count("My cat is called Olive.") == 1
        assert [role for role, _ in await log_of(rc)] == ["user", "assistant"] * 3

    async def test_nothing_known_adds_nothing(self, rc: Recollect, endpoint: Server) -> None:
        client = remembering(client_of(endpoint), me(rc))
        await client.chat.completions.create(model="tiny", messages=[user(ASK)])
        assert endpoint.asked[0].body["messages"] == [user(ASK)]

    async def test_a_stream(self, known: Recollect, endpoint: Server) -> None:
        endpoint.replies = [streamed(chunk("You "), chunk("drink "), chunk("rooibos."), chunk(None, "stop"))]
        client = remembering(client_of(endpoint), me(known))
        stream = await client.chat.completions.create(model="tiny", messages=[user(ASK)], stream=True)
        async with stream as events:
            parts = [event.choices[0].delta.content or "" async for event in events]
        assert "".join(parts) == "You drink rooibos."
        assert "rooibos" in endpoint.asked[0].text
        assert await log_of(known) == [("user", ASK), ("assistant", "You drink rooibos.")]

    async def test_a_stream_that_is_left_says_nothing(self, rc: Recollect, endpoint: Server) -> None:
        endpoint.replies = [streamed(chunk("You "), chunk("drink."), chunk(None, "stop")), said("Tea.")]
        client = remembering(client_of(endpoint), me(rc))
        stream = await client.chat.completions.create(model="tiny", messages=[user(ASK)], stream=True)
        assert (await anext(stream)).choices[0].delta.content == "You "
        await stream.close()
        await client.chat.completions.create(model="tiny", messages=[user(ASK)])
        assert await log_of(rc) == [("user", ASK), ("assistant", "Tea.")]

    async def test_a_stream_is_read_no_further_than_its_end(self, rc: Recollect, endpoint: Server) -> None:
        usage = chunk(None) | {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
        endpoint.replies = [streamed(chunk("Tea."), chunk(None, "stop"), usage)]
        client = remembering(client_of(endpoint), me(rc))
        async for event in await client.chat.completions.create(model="tiny", messages=[user(ASK)], stream=True):
            if event.choices[0].finish_reason:
                break
        assert await log_of(rc) == [("user", ASK), ("assistant", "Tea.")]

    async def test_a_stream_that_calls_tools_and_says_stop(self, rc: Recollect, endpoint: Server) -> None:
        """As some local servers do."""
        call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        calling = streamed(chunk("Let me look."), chunk(None, tool_calls=[call]), chunk(None, "stop"))
        endpoint.replies = [calling, streamed(chunk("Tea."), chunk(None, "stop"))]
        client = remembering(client_of(endpoint), me(rc))
        called = {"role": "assistant", "content": "Let me look.", "tool_calls": [call]}
        messages: list[Any] = [user(ASK), called, {"role": "tool", "tool_call_id": "c1", "content": "tea"}]
        for sent in (messages[:1], messages):
            async for _ in await client.chat.completions.create(model="tiny", messages=sent, stream=True):
                pass
        assert await log_of(rc) == [("user", ASK), ("assistant", "Tea.")]

    async def test_a_stream_by_its_manager(self, known: Recollect, endpoint: Server) -> None:
        endpoint.replies = [streamed(chunk("You "), chunk("drink it."), chunk(None, "stop"))]
        client = remembering(client_of(endpoint), me(known))
        async with client.chat.completions.stream(model="tiny", messages=[user(ASK)]) as stream:
            assert (await stream.get_final_completion()).choices[0].message.content == "You drink it."
        assert "rooibos" in endpoint.asked[0].text
        assert await log_of(known) == [("user", ASK), ("assistant", "You drink it.")]

    async def test_an_answer_in_a_shape(self, known: Recollect, endpoint: Server) -> None:
        class Drink(BaseModel):
            name: str

        endpoint.replies = [said('{"name": "tea"}')]
        client = remembering(client_of(endpoint), me(known)).with_options(timeout=30)
        asked: Any = (message for message in [user(ASK)])
        answer = await client.chat.completions.parse(model="tiny", messages=asked, response_format=Drink)
        assert answer.choices[0].message.parsed == Drink(name="tea")
        assert "rooibos" in endpoint.asked[0].text
        assert await log_of(known) == [("user", ASK), ("assistant", '{"name": "tea"}')]

    async def test_tools(self, known: Recollect, endpoint: Server) -> None:
        call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        endpoint.replies = [said(None, tool_calls=[call]), said("Rooibos, it says.")]
        client = remembering(client_of(endpoint), me(known))
        tools: Any = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
        messages: list[Any] = [user(ASK)]
        first = await client.chat.completions.create(model="tiny", messages=messages, tools=tools)
        messages += [first.choices[0].message, {"role": "tool", "tool_call_id": "c1", "content": "rooibos"}]
        await client.chat.completions.create(model="tiny", messages=messages, tools=tools)
        assert [message["role"] for message in endpoint.asked[1].body["messages"]] == [
            "system", "user", "assistant", "tool",
        ]  # fmt: skip
        assert endpoint.asked[1].body["tools"] == tools
        assert await log_of(known) == [("user", ASK), ("assistant", "Rooibos, it says.")]

    async def test_parts_of_a_message(self, known: Recollect, endpoint: Server) -> None:
        picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        parts = [{"type": "text", "text": ASK}, picture]
        client = remembering(client_of(endpoint), me(known))
        await client.chat.completions.create(model="tiny", messages=[user(parts)])
        assert endpoint.asked[0].body["messages"][-1]["content"] == parts
        assert (await log_of(known))[0] == ("user", ASK)
        await client.chat.completions.create(model="tiny", messages=[user([picture])])
        assert len(await log_of(known)) == 2


class TestOnce:
    async def test_the_clients_own_retries(self, rc: Recollect, endpoint: Server) -> None:
        endpoint.replies = [failed(500), failed(500), said("Tea.")]
        client = remembering(client_of(endpoint, max_retries=3), me(rc))
        await client.chat.completions.create(model="tiny", messages=[user(ASK)])
        assert await log_of(rc) == [("user", ASK), ("assistant", "Tea.")]

    async def test_a_request_that_failed_is_made_again(self, rc: Recollect, endpoint: Server) -> None:
        endpoint.replies = [failed(400), said("Tea."), said("Tea again.")]
        client = remembering(client_of(endpoint), me(rc))
        with pytest.raises(openai.BadRequestError):
            await client.chat.completions.create(model="tiny", messages=[user(ASK)])
        for _ in range(2):
            await client.chat.completions.create(model="tiny", messages=[user(ASK)])
        assert await log_of(rc) == [("user", ASK), ("assistant", "Tea."), ("user", ASK), ("assistant", "Tea again.")]

    @pytest.mark.parametrize("header", ["Idempotency-Key", "idempotency-key"])
    async def test_the_same_key_twice(self, rc: Recollect, endpoint: Server, header: str) -> None:
        client = remembering(client_of(endpoint), me(rc))
        for key in ("one", "one", "two"):
            given: Any = {"model": "tiny", "messages": [user(ASK)], "extra_headers": {header: key}}
            await client.chat.completions.create(**given)
        assert len(await log_of(rc)) == 4

    async def test_the_same_talk_twice(self, rc: Recollect, endpoint: Server) -> None:
        client = remembering(client_of(endpoint), me(rc))
        talk = [user("Hello."), {"role": "assistant", "content": "Hello!"}, user(ASK)]
        for _ in range(2):
            await client.chat.completions.create(model="tiny", messages=talk)
        longer = [*talk, {"role": "assistant", "content": "You drink tea."}, user(ASK)]
        await client.chat.completions.create(model="tiny", messages=longer)
        assert await log_of(rc) == [("user", ASK), ("assistant", "You drink tea.")] * 2


class TestResponses:
    async def test_a_text(self, known: Recollect, endpoint: Server) -> None:
        endpoint.replies = [Reply(response("Rooibos."))]
        client = remembering(client_of(endpoint), me(known))
        answer = await client.responses.create(model="tiny", input=ASK, instructions="Be brief.")
        assert answer.output_text == "Rooibos."
        body = endpoint.asked[0].body
        assert [message["role"] for message in body["input"]] == ["system", "user"]
        assert "rooibos" in body["input"][0]["content"]
        assert (body["input"][1], body["instructions"]) == (user(ASK), "Be brief.")
        assert await log_of(known) == [("user", ASK), ("assistant", "Rooibos.")]

    async def test_a_list_and_a_call(self, known: Recollect, endpoint: Server) -> None:
        call = {"type": "function_call", "id": "f", "call_id": "c", "name": "look", "arguments": "{}"}
        endpoint.replies = [Reply(response("", output=[call])), Reply(response("Rooibos."))]
        client = remembering(client_of(endpoint), me(known))
        asked: list[Any] = [user([{"type": "input_text", "text": ASK}])]
        first = await client.responses.create(model="tiny", input=asked)
        asked += [*first.output, {"type": "function_call_output", "call_id": "c", "output": "rooibos"}]
        await client.responses.create(model="tiny", input=asked)
        assert len(asked) == 3
        assert await log_of(known) == [("user", ASK), ("assistant", "Rooibos.")]

    async def test_a_stream(self, known: Recollect, endpoint: Server) -> None:
        done = {"type": "response.completed", "sequence_number": 2, "response": response("Rooibos.")}
        part = {"type": "response.output_text.delta", "sequence_number": 1, "delta": "Rooibos.", "item_id": "m"}
        endpoint.replies = [streamed(part | {"output_index": 0, "content_index": 0, "logprobs": []}, done)]
        client = remembering(client_of(endpoint), me(known))
        stream = await client.responses.create(model="tiny", input=ASK, stream=True)
        assert [event.type async for event in stream] == ["response.output_text.delta", "response.completed"]
        assert await log_of(known) == [("user", ASK), ("assistant", "Rooibos.")]

    async def test_an_answer_that_was_cut_and_one_by_the_manager(self, rc: Recollect, endpoint: Server) -> None:
        cut = response("Rooi", status="incomplete", incomplete_details={"reason": "max_output_tokens"})
        begun = {"type": "response.created", "sequence_number": 0, "response": response("", output=[])}
        done = {"type": "response.completed", "sequence_number": 1, "response": response("Tea.")}
        endpoint.replies = [Reply(cut), streamed(begun, done)]
        client = remembering(client_of(endpoint), me(rc))
        await client.responses.create(model="tiny", input=ASK)
        async with client.responses.stream(model="tiny", input="Well?") as stream:
            assert (await stream.get_final_response()).output_text == "Tea."
        assert await log_of(rc) == [("user", ASK), ("assistant", "Rooi"), ("user", "Well?"), ("assistant", "Tea.")]

    async def test_an_answer_to_an_answer(self, rc: Recollect, endpoint: Server) -> None:
        endpoint.replies = [Reply(response("Yes."))]
        client = remembering(client_of(endpoint), me(rc))
        for before in ("r1", "r1", "r2"):
            await client.responses.create(model="tiny", input="And now?", previous_response_id=before)
        assert await log_of(rc) == [("user", "And now?"), ("assistant", "Yes.")] * 2


class TestMemoryIsDown:
    async def test_the_reply_comes_all_the_same(self, open_recollect: Opener, endpoint: Server) -> None:
        opened = await open_recollect()
        client = remembering(client_of(endpoint), me(opened))
        await opened.close()
        with pytest.warns(MemoryWarning, match="could not be"):
            answer = await client.chat.completions.create(model="tiny", messages=[user(ASK)])
        assert answer.choices[0].message.content == "You drink tea."
        assert endpoint.asked[0].body["messages"] == [user(ASK)]

    async def test_what_was_asked_is_written_with_the_answer(
        self, rc: Recollect, endpoint: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The memory comes back while the model thinks."""
        chat = await rc.scope(user_id="alice").conversation("t")
        client, send = remembering(client_of(endpoint), chat), rc.parts.database.send

        async def hang(batch: Any) -> Any:
            await asyncio.sleep(60)

        monkeypatch.setattr(rc.parts.database, "send", hang)
        endpoint.answer = lambda _: (monkeypatch.setattr(rc.parts.database, "send", send), said("Tea."))[1]
        impatient = remembering(client_of(endpoint), chat, patience=0.2)
        with pytest.warns(MemoryWarning, match="be read"):
            await impatient.chat.completions.create(model="tiny", messages=[user(ASK)])
        assert await log_of(rc) == [("user", ASK), ("assistant", "Tea.")]
        assert client is not impatient

    async def test_a_message_that_cannot_be_kept(self, rc: Recollect, endpoint: Server) -> None:
        client = remembering(client_of(endpoint), me(rc))
        with pytest.warns(MemoryWarning, match="NUL"):
            await client.chat.completions.create(model="tiny", messages=[user("a\x00b")])
        assert await log_of(rc) == []

    async def test_an_error_of_the_endpoint_is_the_callers(self, rc: Recollect, endpoint: Server) -> None:
        endpoint.replies = [failed(400)]
        client = remembering(client_of(endpoint), me(rc))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(openai.BadRequestError):
                await client.chat.completions.create(model="tiny", messages=[user(ASK)])


async def test_what_is_wrapped_is_left_alone_otherwise(known: Recollect, endpoint: Server) -> None:
    client = client_of(endpoint)
    wrapped = remembering(client, me(known))
    assert isinstance(wrapped, AsyncOpenAI)
    await client.chat.completions.create(model="tiny", messages=[user(ASK)])
    for raw in (wrapped.chat.completions.with_raw_response, wrapped.with_raw_response.chat.completions):
        answer = await raw.create(model="tiny", messages=[user(ASK)])
        assert answer.parse().choices[0].message.content == "You drink tea."
    assert [asked.body["messages"] for asked in endpoint.asked] == [[user(ASK)]] * 3
    assert await log_of(known) == []


async def test_what_was_injected_is_not_learned(open_recollect: Opener, endpoint: Server) -> None:
    """A caller that keeps what was sent, and sends it again as its own."""
    mind = await open_recollect(understand=True)
    scope = mind.scope(user_id="alice", thread_id="t")
    await scope.set_profile("identity", "name", "Alice")
    client = remembering(client_of(endpoint), scope)
    await client.chat.completions.create(model="tiny", messages=[user("I live in Porto.")])
    told = endpoint.asked[0].body["messages"][0]["content"]
    assert "Alice" in told
    await client.chat.completions.create(model="tiny", messages=[user(f"{told}\n\nI work as a baker.")])
    await mind.drain()
    learned = {(fact.key, fact.value) for fact in await scope.profile()}
    assert ("city", "Porto") in learned
    page = await scope.get_all(kinds=["statement"])
    assert not [memory.content for memory in page if "Alice" in memory.content and "name" in memory.content]


def test_without_await(database_url: str, tmp_path: Any) -> None:
    """The blocking client and the blocking memory; the endpoint has a thread of its own."""
    begun, over, servers = threading.Event(), threading.Event(), []

    async def serve() -> None:
        async with listening() as server:
            server.replies = [
                said("You drink tea."),
                streamed(chunk("Tea "), chunk("it is."), chunk(None, "stop")),
            ]
            servers.append(server)
            begun.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        begun.wait()
        with (
            blocking.Recollect.open(database_url=database_url, data_dir=tmp_path, embedder="fake", worker=False) as rc,
            OpenAI(api_key="k", base_url=servers[0].url) as plain,
        ):
            scope = rc.scope(user_id="alice", thread_id="t")
            scope.add("Alice drinks rooibos tea before bed.")
            client = remembering(plain, scope)
            answer = client.chat.completions.create(model="tiny", messages=[user(ASK)])
            assert answer.choices[0].message.content == "You drink tea."
            assert "rooibos" in servers[0].asked[0].text
            with client.chat.completions.create(model="tiny", messages=[user("Sure?")], stream=True) as stream:
                assert "".join(event.choices[0].delta.content or "" for event in stream) == "Tea it is."
            log = [message.content for message in scope.conversation("t").messages()]
            assert log == [ASK, "You drink tea.", "Sure?", "Tea it is."]
            chat = remembering(plain, scope.conversation("other"))
            assert isinstance(chat, OpenAI)
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize(
    ("given", "field"),
    [({"tokens": 3}, "tokens"), ({"patience": 0}, "patience"), ({"patience": "long"}, "patience")],
)
async def test_bad_options(rc: Recollect, endpoint: Server, given: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        remembering(client_of(endpoint), me(rc), **given)
    assert refused.value.field == field


async def test_bad_memories_and_clients(rc: Recollect, endpoint: Server) -> None:
    client = client_of(endpoint)
    for memory in (rc, "alice", rc.scope(user_id="alice")):
        with pytest.raises(InvalidInput, match="memory"):
            remembering(client, memory)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="client"):
        remembering("client", me(rc))  # type: ignore[type-var]
