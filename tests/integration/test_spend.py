"""The spend governor: every call counted, caps held, rules in the model's place, and the model back the next day."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from typing import Any

import pytest
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage

from conftest import MovedClock, Opener
from openai_endpoint import Reply, Server, failed, listening, said
from recollect import InvalidInput, Recollect
from recollect.governance.spend import CapReached, Day, Usage, paid_by
from recollect.understanding.prompts import ExtractedFacts

NOTHING = {"facts": [], "statements": []}
PRICES = {"scripted": (1_000.0, 2_000.0)}
"""A dollar for a thousand tokens of a question."""


class Scripted:
    """A model that finds the ferry, takes 100 tokens in and 10 out, and fails where it is told to."""

    def __init__(self) -> None:
        self.asked = 0
        self.down = False
        self.seconds = 0.0

    async def __call__(self, messages: Any, info: Any) -> ModelResponse:
        self.asked += 1
        await asyncio.sleep(self.seconds)
        if self.down:
            raise ConnectionError("nobody there")
        prompt = "".join(str(part.content) for message in messages for part in message.parts)
        found: Any = NOTHING
        if "ferry" in prompt:
            statement = {"type": "fact", "content": "The user takes the ferry to work.", "confidence": 0.9}
            found = {"facts": [], "statements": [statement | {"quote": "I take the ferry to work"}]}
        usage = RequestUsage(input_tokens=100, output_tokens=10)
        return ModelResponse(parts=[TextPart(json.dumps(found))], usage=usage)

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self, model_name="scripted")


async def say(rc: Recollect, *texts: str, user: str = "alice") -> None:
    chat = await rc.scope(user_id=user).conversation("t")
    for text in texts:
        await chat.add("user", text)
    await rc.drain()


async def today(rc: Recollect, user: str = "alice") -> Day:
    return (await rc.scope(user_id=user).spend()).today


def of(day: Day, model: str) -> Usage:
    return sum((asked.usage for asked in day.asked if asked.model == model), Usage())


async def events(rc: Recollect, user: str = "alice") -> list[Any]:
    async with rc.parts.database.transaction(f"user:{user}") as connection:
        cursor = await connection.execute("select status, detail from event where op = 'spend'")
        return await cursor.fetchall()


async def test_without_a_model_the_local_embedder_is_counted_and_costs_nothing(rc: Recollect) -> None:
    me = rc.scope(user_id="alice")
    await me.add("Alice takes the ferry.")
    await me.search("ferry")
    found = await me.spend()
    assert (found.stopped, found.cap_tokens, found.cap_money, found.resumes_at) == (False, None, None, None)
    [asked] = found.today.asked
    assert (asked.model, asked.task) == ("fake", "embed")
    assert asked.usage == Usage(calls=2)
    assert (await today(rc, "bob")).asked == ()


async def test_every_question_is_counted_by_task_with_its_price(open_recollect: Opener, clock: MovedClock) -> None:
    script = Scripted()
    rc = await open_recollect(understand=True, model=script.model, prices=PRICES)
    await say(rc, "I take the ferry to work, you know.", "It rains a lot here in autumn.")
    day = await today(rc)
    assert day.day == clock().date()
    usage = of(day, "scripted")
    assert usage.calls == script.asked >= 2
    assert (usage.input_tokens, usage.output_tokens) == (100 * script.asked, 10 * script.asked)
    assert usage.money == pytest.approx(script.asked * (0.1 + 0.02))
    assert (usage.failures, usage.unpriced) == (0, 0)
    assert {asked.task for asked in day.asked if asked.model == "scripted"} >= {"extract"}


async def test_failures_are_counted_too(open_recollect: Opener) -> None:
    script = Scripted()
    script.down = True
    rc = await open_recollect(understand=True, model=script.model)
    await say(rc, "I take the ferry to work.")
    usage = of(await today(rc), "scripted")
    assert usage.calls == usage.failures == script.asked == 1
    assert usage.unpriced == 1


async def test_over_the_cap_rules_go_on_and_the_model_is_back_the_next_day(
    open_recollect: Opener, clock: MovedClock
) -> None:
    script = Scripted()
    rc = await open_recollect(understand=True, model=script.model, prices=PRICES, spend_money=0.1)
    me = rc.scope(user_id="alice")
    await say(rc, "It rains a lot here in autumn.")
    asked = script.asked
    assert asked >= 1
    await say(rc, "My name is Alice. I take the ferry to work.", "I live in Porto.")
    assert script.asked == asked
    assert {fact.key: fact.value for fact in await me.profile()}["name"] == "Alice"
    found = await me.spend()
    assert found.stopped
    assert found.today.reason == "the day's 0.1 dollars are used up"
    assert found.today.stopped_at == clock()
    assert found.resumes_at == datetime(2026, 3, 19, tzinfo=UTC)
    [(status, detail)] = await events(rc)
    assert (status, detail["day"]) == ("skipped", "2026-03-18")
    # Other spaces have their own account.
    await say(rc, "Clouds come and go.", user="bob")
    assert script.asked == asked + 1

    clock.forward(days=1)
    found = await me.spend(days=2)
    assert (found.stopped, found.today.asked) == (False, ())
    assert found.days[1].stopped_at is not None
    await say(rc, "Tides are high today, it seems.")
    assert script.asked > asked + 1


async def test_what_rules_read_meanwhile_is_given_to_the_model_the_next_day(
    open_recollect: Opener, clock: MovedClock
) -> None:
    script = Scripted()
    rc = await open_recollect(understand=True, model=script.model, spend_tokens=100)
    me = rc.scope(user_id="alice")
    await say(rc, "It rains a lot here in autumn.", "I take the ferry to work.")
    asked = script.asked
    assert "The user takes the ferry to work." not in [memory.content for memory in await me.get_all()]
    await rc.worker.run_now("reread", "user:alice")
    assert script.asked == asked
    clock.forward(days=1)
    await rc.worker.run_now("reread", "user:alice")
    assert script.asked > asked
    contents = [memory.content for memory in await me.get_all(kinds=["statement"])]
    assert "The user takes the ferry to work." in contents


async def test_a_cap_does_not_make_the_model_rest_for_others(open_recollect: Opener, clock: MovedClock) -> None:
    """The breaker is for models that do not answer."""
    rc = await open_recollect(understand=True, model=Scripted().model, spend_tokens=100)
    await say(rc, "It rains a lot.", "It snows a lot.")
    assert (await rc.scope(user_id="alice").spend()).stopped
    assert not rc.parts.breaker.is_open(clock())


async def test_days_are_those_of_the_space(open_recollect: Opener, clock: MovedClock) -> None:
    script = Scripted()
    rc = await open_recollect(understand=True, model=script.model, spend_tokens=100, timezone="Pacific/Auckland")
    await say(rc, "It rains a lot.", "It snows a lot.")
    found = await rc.scope(user_id="alice").spend()
    assert (found.timezone, found.today.day, found.stopped) == ("Pacific/Auckland", date(2026, 3, 18), True)
    assert found.resumes_at == datetime(2026, 3, 18, 11, tzinfo=UTC)
    clock.now = datetime(2026, 3, 18, 11, 1, tzinfo=UTC)
    found = await rc.scope(user_id="alice").spend()
    assert (found.today.day, found.stopped) == (date(2026, 3, 19), False)


async def test_the_profiles_time_zone_counts(open_recollect: Opener, clock: MovedClock) -> None:
    rc = await open_recollect()
    me = rc.scope(user_id="alice")
    await me.set_profile("identity", "timezone", "Asia/Tokyo")
    clock.now = datetime(2026, 3, 18, 16, tzinfo=UTC)
    found = await me.spend()
    assert (found.timezone, found.today.day) == ("Asia/Tokyo", date(2026, 3, 19))


async def test_two_workers_share_one_account(open_recollect: Opener) -> None:
    """Nothing that is counted at once is lost, and the cap is passed by no more than what was under way."""
    scripts = [Scripted(), Scripted()]
    for script in scripts:
        script.seconds = 0.01
    opened = [await open_recollect(model=script.model, prices=PRICES, spend_tokens=2_000) for script in scripts]

    async def ask(rc: Recollect) -> bool:
        model = rc.parts.model
        assert model is not None
        with paid_by("user:alice"):
            try:
                await model.ask("extract", "What does it say?", "Nothing.", ExtractedFacts)
            except CapReached:
                return False
        return True

    async def worker(rc: Recollect) -> int:
        return sum([await ask(rc) for _ in range(30)])

    answered = sum(await asyncio.gather(*(worker(rc) for rc in opened for _ in range(2))))
    await opened[0].parts.governor.flush()
    usage = of(await today(opened[1]), "scripted")
    assert answered == sum(script.asked for script in scripts)
    assert (usage.calls, usage.tokens) == (answered, 110 * answered)
    assert usage.money == pytest.approx(0.12 * answered)
    assert 2_000 / 110 <= answered <= 2_000 / 110 + 4
    assert len(await events(opened[0])) == 1


async def test_counts_are_written_soon_and_at_the_end(open_recollect: Opener) -> None:
    first = await open_recollect()
    await first.scope(user_id="alice").add("One.")
    await first.close()
    second = await open_recollect()
    assert of(await today(second), "fake").calls == 1
    await second.scope(user_id="alice").add("Two.")
    third = await open_recollect()
    for _ in range(50):
        if of(await today(third), "fake").calls == 2:
            return
        await asyncio.sleep(0.1)
    raise AssertionError("not written by itself")


@pytest.fixture
async def endpoint() -> AsyncIterator[Server]:
    async with listening() as server:
        yield server


def answering(server: Server, **more: Any) -> None:
    def answer(asked: Any) -> Reply:
        if asked.path.endswith("/embeddings"):
            vectors = [{"index": n, "embedding": [1.0, float(len(text))]} for n, text in enumerate(asked.body["input"])]
            return Reply({"data": vectors, "usage": {"prompt_tokens": 5 * len(vectors)}})
        return said(NOTHING, **more)

    server.answer = answer


async def test_a_real_endpoint(open_recollect: Opener, endpoint: Server) -> None:
    answering(endpoint)
    given = {"model": "openai:tiny", "model_url": endpoint.url, "prices": {"tiny": (1.0, 1.0), "openai:vec": (2.0, 0)}}
    embedding = {"embedder": "openai:vec", "embedder_url": endpoint.url}
    rc = await open_recollect(understand=True, **given, **embedding)
    await say(rc, "It rains a lot here in autumn.")
    day = await today(rc)
    spoken, embedded = of(day, "tiny"), of(day, "openai:vec")
    chats = [asked for asked in endpoint.asked if asked.path.endswith("/chat/completions")]
    assert (spoken.calls, spoken.input_tokens, spoken.output_tokens) == (len(chats), 11 * len(chats), 7 * len(chats))
    assert spoken.money == pytest.approx(18 * len(chats) / 1e6)
    assert embedded.calls >= 1
    assert embedded.input_tokens % 5 == 0
    assert embedded.money == pytest.approx(2 * embedded.input_tokens / 1e6)


@pytest.mark.parametrize("how", ["fails", "slow", "malformed"])
async def test_an_endpoint_that_does_not_answer_well(open_recollect: Opener, endpoint: Server, how: str) -> None:
    replies = {"fails": failed(500), "slow": said(NOTHING, delay=5), "malformed": said("no JSON at all")}
    endpoint.replies = [replies[how]]
    given: dict[str, Any] = {"model": "openai:tiny", "model_url": endpoint.url, "model_repairs": 1}
    given["model_timeout"] = 0.3 if how == "slow" else 60.0
    rc = await open_recollect(understand=True, **given)
    await say(rc, "My name is Alice.")
    usage = of(await today(rc), "tiny")
    assert usage.failures >= 1
    assert usage.calls >= usage.failures
    if how == "malformed":
        assert usage.calls == len(endpoint.asked)
        assert usage.input_tokens == 11 * len(endpoint.asked)
    assert {fact.key for fact in await rc.scope(user_id="alice").profile()} == {"name"}


async def test_a_paid_embedder_goes_on_unless_it_is_to_stop(open_recollect: Opener, endpoint: Server) -> None:
    answering(endpoint)
    embedding = {"embedder": "openai:vec", "embedder_url": endpoint.url, "spend_tokens": 5}
    rc = await open_recollect(**embedding)
    me = rc.scope(user_id="alice")
    await me.add("One.")
    assert (await me.spend()).stopped
    await me.add("Two.")
    strict = await open_recollect(**embedding, spend_stops_embedder=True)
    chat = await strict.scope(user_id="alice").conversation("t")
    await chat.add("user", "Three.")
    asked = len(endpoint.asked)
    built = await chat.context("Three?", tokens=2_000)
    assert "Three." in built.text
    assert built.warnings
    assert len(endpoint.asked) == asked


async def test_bad_settings_and_bad_input(open_recollect: Opener, rc: Recollect) -> None:
    for wrong in ({"spend_tokens": 0}, {"spend_money": -1}, {"prices": {"x": (-1, 0)}}, {"prices": {"x": 1}}):
        with pytest.raises(InvalidInput):
            await open_recollect(**wrong)
    for days in (0, 367, "x"):
        with pytest.raises(InvalidInput, match="days"):
            await rc.scope(user_id="alice").spend(days)  # type: ignore[arg-type]


async def test_a_cap_in_dollars_that_cannot_hold_is_said(
    open_recollect: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    rc = await open_recollect(understand=True, model=Scripted().model, spend_money=0.1)
    me = rc.scope(user_id="alice")
    assert (await me.spend()).warnings == ()
    for text in ("It rains a lot here in autumn.", "I take the ferry to work, you know."):
        await say(rc, text)
    [warning] = (await me.spend()).warnings
    assert "0.1 dollars a day does not hold for scripted" in warning
    assert [row.detail["model"] for row in await events(rc) if row.status == "warning"] == ["scripted"]
    assert caplog.text.count("does not hold for scripted") == 1
    [check] = [check for check in (await me.audit()).checks if check.name == "spend"]
    assert (check.level, check.found) == ("warn", 1)
    priced = await open_recollect(understand=True, model=Scripted().model, spend_money=0.1, prices=PRICES)
    bob = priced.scope(user_id="bob")
    await say(priced, "It rains a lot here in autumn.", user="bob")
    assert (await bob.spend()).warnings == ()
    assert [check.level for check in (await bob.audit()).checks if check.name == "spend"] == ["ok"]
