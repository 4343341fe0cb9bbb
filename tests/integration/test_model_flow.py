"""Learning with a language model: what it says is held to the message, and what it cannot say the rules do."""

import json
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

import openai_endpoint
from recollect.db.database import Database

MONDAY = datetime(2026, 3, 9, 10, tzinfo=UTC)


class Scripted:
    """A model whose answers are looked up by a word of the message; anything else gets an empty answer."""

    def __init__(self, **answers):
        self.answers = answers
        self.asked = 0
        self.down = False

    def __call__(self, messages, info):
        self.asked += 1
        if self.down:
            raise ConnectionError("nobody there")
        prompt = "".join(str(part.content) for message in messages for part in message.parts)
        found = [answer for word, answer in self.answers.items() if word in prompt]
        return ModelResponse(parts=[TextPart(json.dumps(found[0] if found else {"facts": [], "statements": []}))])

    @property
    def model(self):
        return FunctionModel(self, model_name="scripted")


def fact(key, value, quote, **more):
    given = {"type": "preference", "key": key, "value": value, "confidence": 0.8, "importance": 0.7, "quote": quote}
    return {"facts": [given | more], "statements": []}


def statement(content, quote, type="fact"):
    return {"facts": [], "statements": [{"type": type, "content": content, "confidence": 0.9, "quote": quote}]}


async def say(rc, *texts, start=MONDAY):
    chat = await rc.scope(user_id="alice").conversation("chat-1")
    for place, text in enumerate(texts):
        await chat.add("user", text, at=start + timedelta(hours=place))
    await rc.drain()
    return chat


def rows(rc, query):
    path = "-c search_path=recollect,recollect_queue,public"
    with psycopg.connect(rc.database_url, autocommit=True, options=path) as owner:
        cursor = owner.execute(query)
        return cursor.fetchall() if cursor.description else []


async def test_what_the_model_finds_is_learned(open_recollect):
    script = Scripted(ferry=statement("The user takes the ferry to work.", "I take the ferry to work"))
    rc = await open_recollect(understand=True, model=script.model)
    await say(rc, "I take the ferry to work, you know.")
    [found] = await rc.scope(user_id="alice").get_all(kinds=["statement"])
    assert found.content == "The user takes the ferry to work."
    assert found.confidence == 0.9


async def test_two_messages_are_witnesses_enough_for_what_one_left_open(open_recollect):
    unsure = statement("The user sings in a choir.", "choir")
    unsure["statements"][0]["confidence"] = 0.6
    rc = await open_recollect(understand=True, model=Scripted(choir=unsure).model)
    me = rc.scope(user_id="alice")
    await say(rc, "I sing in the choir, sort of.")
    assert len(await me.pending()) == 1
    await say(rc, "The choir where I sing has a concert.", start=MONDAY + timedelta(days=1))
    assert await me.pending() == []
    assert [each.content for each in await me.get_all(kinds=["statement"])] == ["The user sings in a choir."]


async def test_while_the_model_is_down_rules_read_and_it_gets_the_message_later(open_recollect):
    script = Scripted(PostgreSQL=statement("The team picked PostgreSQL.", "We decided to use PostgreSQL", "decision"))
    script.down = True
    rc = await open_recollect(understand=True, model=script.model)
    await say(rc, "My name is Alice. We decided to use PostgreSQL.")
    me = rc.scope(user_id="alice")
    [by_rules] = await me.get_all(kinds=["statement"])
    assert "PostgreSQL" in by_rules.content
    assert [item.value for item in await me.profile()] == ["Alice"]
    assert rows(rc, "select status from event where op = 'extract'") == [("fallback",)]
    assert rows(rc, "select tries from reread") == [(0,)]

    rows(rc, "update procrastinate_jobs set scheduled_at = now() where task_name = 'reread'")
    await rc.drain()
    assert rows(rc, "select tries from reread") == [(1,)]

    script.down = False
    rows(rc, "update procrastinate_jobs set scheduled_at = now() where task_name = 'reread'")
    await rc.drain()
    assert rows(rc, "select tries from reread") == []
    assert [item.value for item in await me.profile()] == ["Alice"]


async def test_a_model_that_does_not_answer_is_not_waited_for_message_by_message(open_recollect):
    script = Scripted()
    script.down = True
    rc = await open_recollect(understand=True, model=script.model)
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    for place in range(5):
        await chat.add("user", f"My sister lives in Berlin, house {place}. I live in Porto.")
    await rc.drain()
    asked = script.asked
    assert rows(rc, "select count(*), max(tries) from reread") == [(5, 0)]
    assert [item.value for item in await me.profile()] == ["Porto"]

    await chat.add("user", "I work at IBM.")
    await rc.drain()
    assert script.asked == asked

    rows(rc, "update procrastinate_jobs set scheduled_at = now() where task_name = 'reread'")
    await rc.drain()
    assert script.asked == 2 * asked
    assert rows(rc, "select tries from reread order by tries") == [(0,)] * 5 + [(1,)]

    script.down = False
    rows(rc, "update procrastinate_jobs set scheduled_at = now() where task_name = 'reread'")
    await rc.drain()
    assert rows(rc, "select count(*) from reread") == [(0,)]


async def test_after_some_tries_what_the_rules_found_stays(open_recollect):
    script = Scripted()
    script.down = True
    rc = await open_recollect(understand=True, model=script.model, job_attempts=2)
    await say(rc, "We decided to use PostgreSQL.")
    for _ in range(3):
        rows(rc, "update procrastinate_jobs set scheduled_at = now() where task_name = 'reread'")
        await rc.drain()
    assert rows(rc, "select count(*) from reread") == [(0,)]
    assert rows(rc, "select status from event where op = 'reread'") == [("failed",)]
    assert len(await rc.scope(user_id="alice").get_all(kinds=["statement"])) == 1


async def test_an_inferred_value_needs_two_signals(open_recollect):
    first = fact("tone", "formal", "", first_person=False)
    script = Scripted(Esteemed=first, cordially=first)
    rc = await open_recollect(understand=True, model=script.model)
    me = rc.scope(user_id="alice")
    await say(rc, "Esteemed helper, a formal letter for the mayor, if it please.")
    [proposal] = await me.consents()
    assert (proposal.key, proposal.value, proposal.signals) == ("tone", "formal", 1)
    assert await me.profile() == []
    await say(rc, "I remain cordially yours, in formal style.", start=MONDAY + timedelta(days=1))
    assert [(item.key, item.value) for item in await me.profile()] == [("tone", "formal")]
    assert await me.consents() == []


async def test_an_inferred_value_of_a_sensitive_key_waits_for_consent(open_recollect):
    guess = fact("city", "Lisbon", "", type="identity", first_person=False)
    rc = await open_recollect(understand=True, model=Scripted(tram=guess, pastel=guess, Tejo=guess).model)
    me = rc.scope(user_id="alice")
    await say(rc, "The 28 tram of Lisbon is full again.", "A pastel in Lisbon, please.", "The Tejo at Lisbon is calm.")
    assert await me.profile() == []
    [proposal] = await me.consents()
    assert proposal.signals == 3
    await me.decide(proposal.id, accept=True)
    assert [(item.key, item.value) for item in await me.profile()] == [("city", "Lisbon")]


async def test_the_model_is_told_what_the_space_asks_for(open_recollect):
    async with openai_endpoint.listening() as endpoint:
        endpoint.replies = [openai_endpoint.said('{"facts": [], "statements": []}')]
        rc = await open_recollect(
            understand=True, model="openai:scripted", model_url=endpoint.url, model_repairs=0, model_timeout=5
        )
        await rc.scope(user_id="alice").guide(instructions="Remember every boat.", profile_keys=["boat_name"])
        await say(rc, "My boat is called Aurora. The password is hunter2secret!")
        sent = "".join(asked.text for asked in endpoint.asked)
    assert "Remember every boat." in sent
    assert "boat_name" in sent
    assert "hunter2secret" not in sent


async def test_a_model_that_summarises_writes_the_chunks(open_recollect):
    told = {"summary": "The user counted sheep.", "topics": ["sheep"]}
    script = Scripted(sheep=told)
    rc = await open_recollect(understand=False, model_summarise=None, model=script.model)
    chat = await rc.scope(user_id="alice").conversation("chat-1")
    await chat.add_many([{"role": "user", "content": f"Another sheep, that is {n}."} for n in range(21)])
    await rc.drain()
    [chunk] = await rc.scope(user_id="alice").get_all(kinds=["episode"], types=["chunk"])
    assert (chunk.content, chunk.data["topics"]) == ("The user counted sheep.", ["sheep"])


async def test_a_chunk_told_by_rules_is_given_to_the_model_later(open_recollect):
    script = Scripted(sheep={"summary": "The user counted sheep.", "topics": ["sheep"]})
    script.down = True
    rc = await open_recollect(understand=False, model=script.model)
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    await chat.add_many([{"role": "user", "content": f"Another sheep, that is {n}."} for n in range(21)])
    await rc.drain()
    [chunk] = await me.get_all(kinds=["episode"], types=["chunk"])
    assert "sheep" in chunk.content
    assert "dirty" in chunk.data
    script.down = False
    rows(rc, "update procrastinate_jobs set scheduled_at = now() where task_name = 'compress'")
    await rc.drain()
    [chunk] = await me.get_all(kinds=["episode"], types=["chunk"])
    assert chunk.content == "The user counted sheep."
    assert "dirty" not in chunk.data


@pytest.mark.parametrize("with_model", [False, True])
async def test_adding_a_message_is_one_pipeline_and_no_model_call(open_recollect, monkeypatch, with_model):
    script = Scripted()
    rc = await open_recollect(understand=True, **({"model": script.model} if with_model else {}))
    chat = await rc.scope(user_id="alice", agent_id="planner").conversation("chat-1")
    await chat.context("Hello?")
    sent = []
    send, application = Database.send, Database.application

    async def counted(self, batch):
        sent.append(batch)
        return await send(self, batch)

    def opened(self):
        sent.append("connection")
        return application(self)

    monkeypatch.setattr(Database, "send", counted)
    monkeypatch.setattr(Database, "application", opened)
    await chat.add("user", "My name is Alice.")
    assert len([each for each in sent if each != "connection"]) == 1
    assert sent.count("connection") == 1
    assert script.asked == 0
