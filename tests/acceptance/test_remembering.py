"""Conversations that remember, as a user meets them: the documents' own examples, the real embedder, no model."""

import asyncio
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from recollect.core.errors import Unavailable
from recollect.core.terms import terms
from recollect.providers.embedding.fake import FakeEmbedder

DATA = Path(__file__).parents[1] / "data" / "understanding"
LOCAL = {"embedder": "recollect-recall-v2", "understand": True}


class Failing(FakeEmbedder):
    """An embedder that can be switched off."""

    down = False

    async def embed(self, texts, *, purpose):
        if self.down:
            raise Unavailable("embedder", "is away")
        return await super().embed(texts, purpose=purpose)


def messages_of(name):
    lines = (DATA / name).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def expected_of(name):
    return json.loads((DATA / name).read_text("utf-8"))


def plain(value):
    return re.sub(r"\b(?:a|an|the)\b|[^\w ]", " ", str(value).casefold()).split()


def fits(wanted, value):
    """Whether a value is one of those that are wanted, or holds all of the words."""
    if isinstance(wanted, str):
        return set(terms(wanted)) <= set(terms(value))
    return any(plain(accepted) == plain(value) for accepted in wanted)


def says(label, statement):
    """Whether a statement is of the type that is expected, and holds the words."""
    dates = [word for word in label["must"] if re.fullmatch(r"\d{4}(-\d\d){0,2}", word)]
    words = [word for word in label["must"] if word not in dates]
    said = set(terms(statement.content))
    return (
        statement.type == label["type"]
        and all(date in statement.content for date in dates)
        and set(terms(" ".join(words))) <= said
        and (not label.get("about") or label["about"].split()[0].casefold() in statement.content.casefold())
    )


FIFTEEN = [
    ("identity", "name", {"Alex"}),
    ("identity", "job", {"software developer", "developer"}),
    ("identity", "city", {"Porto"}),
    ("identity", "employer", {"Tidewater Analytics"}),
    ("identity", "pronouns", {"they/them"}),
    ("identity", "timezone", {"Europe/Lisbon"}),
    ("preference", "language", {"Python"}),
    ("preference", "coding_style", "functional type hints"),
    ("preference", "editor", {"Zed"}),
    ("preference", "operating_system", {"Fedora", "Fedora Linux"}),
    ("preference", "units", {"metric", "metric units"}),
    ("constraint", "diet", {"pescatarian"}),
    ("constraint", "allergy", {"peanuts"}),
    ("constraint", "availability", "Thursday afternoon"),
    ("instruction", "reply_length", "short"),
]
"""What the talk of a hundred turns leaves: type, key, and the value, or the words that a longer value holds."""
CORRECTED = [("preference", "editor", {"VS Code"}), ("constraint", "diet", {"vegetarian"})]


async def add_all(chat, messages):
    await chat.add_many(
        [
            {"role": m["role"], "content": m["content"], "name": m.get("name"), "at": datetime.fromisoformat(m["at"])}
            for m in messages
        ]
    )


@pytest.fixture
def clock(clock):
    """Later than all that the talks tell."""
    clock.now = datetime(2026, 6, 1, 9, tzinfo=UTC)
    return clock


async def test_a_hundred_turns_leave_fifteen_facts(open_recollect):
    """Document B's example: 15 keyed facts, two corrected on the way, one contradicted by somebody else in vain."""
    rc = await open_recollect(**LOCAL)
    me = rc.scope(user_id="u-100")
    chat = await me.conversation("hundred")
    await add_all(chat, messages_of("hundred_turns.jsonl"))
    assert (await rc.drain(timeout=None)).failed == 0
    facts = await me.profile()
    assert [(fact.type, fact.key) for fact in sorted(facts, key=lambda fact: (fact.type, fact.key))] == sorted(
        (type, key) for type, key, _ in FIFTEEN
    )
    found = {(fact.type, fact.key): fact.value for fact in facts}
    for type, key, value in FIFTEEN:
        assert fits(value, found[type, key]), (type, key, found[type, key])

    for type, key, value in CORRECTED:
        ended = await me.get_all(kinds=["profile"], types=[type], include=["expired"])
        values = [memory.data["value"] for memory in ended if memory.valid_until and memory.data["key"] == key]
        assert any(fits(value, old) for old in values), (key, values)
    [claim] = [
        each["content"] for each in messages_of("hundred_turns.jsonl") if "Alex lives in Berlin" in each["content"]
    ]
    assert "real name is Sascha" in claim, "Ben says of Alex what is not so, and nobody believes it"

    chunks = await me.get_all(kinds=["episode"], types=["chunk"])
    assert [(m.data["first_turn"], m.data["last_turn"]) for m in chunks] == [(n, n + 9) for n in range(1, 81, 10)]
    ctx = await chat.context("What's my name?", tokens=4_000)
    assert "- name: Alex" in ctx.text
    assert ctx.tokens <= 4_000
    episodes = await me.search("What did we discuss about vector databases?", kinds=["episode"], types=["chunk"])
    assert episodes[0].memory.data["first_turn"] == 1


@pytest.mark.parametrize("tokens", [64, 4_000])
async def test_the_name_is_answered_by_sql_alone(open_recollect, tokens):
    """Stage one asks no vector: an embedder that fails takes neither the profile nor the context away."""
    embedder = Failing()
    rc = await open_recollect(understand=True, embedder=embedder)
    me = rc.scope(user_id="alex")
    chat = await me.conversation("one")
    await chat.add("user", "My name is Alex.")
    await rc.drain()
    embedder.down = True
    [fact] = await me.profile()
    assert (fact.type, fact.key, fact.value, fact.confidence) == ("identity", "name", "Alex", 1.0)
    ctx = await chat.context("What's my name?", tokens=tokens)
    assert "- name: Alex" in ctx.text
    assert any("embedder" in warning for warning in ctx.warnings)
    assert ctx.recall_advised


async def test_a_project_decides_for_postgresql(open_recollect):
    """Document E's usage example, in our names."""
    rc = await open_recollect(**LOCAL)
    project = rc.scope(user_id="ada", project_id="my-project")
    chat = await project.conversation("planning")
    await chat.add("user", "What database should we use?")
    await chat.add("assistant", "I recommend PostgreSQL for this use case.")
    await chat.add("user", "We decided to use PostgreSQL.")
    await rc.drain()
    ctx = await chat.context("What was our database decision?", tokens=128_000)
    assert 0 < ctx.tokens <= 128_000
    assert "We decided to use PostgreSQL." in ctx.text
    [decision] = await project.get_all(kinds=["statement"], types=["decision"])
    assert "PostgreSQL" in decision.content
    hits = await project.search("PostgreSQL database")
    assert decision.id in [memory.id for hit in hits for memory in (hit.memory, *hit.also)]
    arc = await chat.narrative_arc()
    assert [moment.memory.type for moment in (*arc.beginning, *arc.middle, *arc.end)] == ["decision"]
    await chat.end(outcome="Database selection complete")
    assert [each.outcome for each in await project.conversations(status="ended")] == ["Database selection complete"]
    later = await project.conversation("later")
    recalled = await later.context("What was our database decision?")
    assert "PostgreSQL" in recalled.text
    assert recalled.hits


async def test_the_delta_header_tells_what_changed(open_recollect):
    """Document D §1: at most three bullets, first in what is new, and the revision rises once a transaction."""
    rc = await open_recollect(**LOCAL)
    me = rc.scope(user_id="ana", agent_id="supervisor")
    chat = await me.conversation("thread-1")
    await chat.add("user", "Call me Ana, please.")
    await rc.drain()
    goal = await me.add("Ship v1 by October.", type="goal")
    ctx = await chat.context("What is new?", tokens=2_000)
    volatile = ctx.text[ctx.stable_prefix :].lstrip().splitlines()
    assert volatile[0].startswith("Memory updates since rev 0:")
    assert volatile[1].startswith("- +created: [profile] ")
    assert "Ana" in volatile[1]
    assert volatile[2] == "- +created: [goals] Ship v1 by October. (imp=4)"
    await ctx.ack()
    await me.update(goal.id, content="Ship v1 by September.")
    await me.delete((await me.add("Ana owns a kite.")).id)
    text = (await chat.context("And now?", tokens=2_000)).text
    assert "Memory updates since rev 2:\n- ↑updated: [goals] Ship v1 by September. (imp=4)" in text
    assert "kite" not in text


class TestTheSameTalkAgain:
    """Added twice, or by eight writers at once, a talk leaves what it leaves once."""

    async def check(self, rc, copies):
        me = rc.scope(user_id="priya")
        expected = expected_of("two_hundred_turns_expected.json")
        found = [(fact.type, fact.key, item) for fact in await me.profile() for item in fact.items]
        keys = [(fact.type, fact.key) for fact in await me.profile()]
        assert len(keys) == len(set(keys))
        for label in expected["profile"]:
            match = [v for t, k, v in found if t == label["type"] and (k == label["key"] or not label["key"])]
            wanted = " ".join(label["must"]) if "must" in label else label["value"]
            assert any(fits(wanted, value) for value in match), (label, match)
        statements = (await me.get_all(limit=500, kinds=["statement"])).memories
        told = [label for label in expected["statements"] if any(says(label, each) for each in statements)]
        assert len(told) + len(expected["profile"]) >= 40
        for label in expected["ended"]:
            held = [each.content for each in statements] + [value for _, _, value in found]
            assert not any(set(terms(" ".join(label["must"]))) <= set(terms(text)) for text in held), label
        with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
            assert owner.execute("select count(*) from message").fetchone() == (200 * copies,)
        return sorted(found), sorted(each.content for each in statements)

    async def test_added_twice(self, open_recollect):
        rc = await open_recollect(**LOCAL)
        me = rc.scope(user_id="priya")
        messages = messages_of("two_hundred_turns.jsonl")
        await add_all(await me.conversation("first"), messages)
        await rc.drain(timeout=None)
        once = await self.check(rc, 1)
        await add_all(await me.conversation("second"), messages)
        await rc.drain(timeout=None)
        assert await self.check(rc, 2) == once

    async def test_added_by_eight_writers_at_once(self, open_recollect):
        rc = await open_recollect(**LOCAL, worker=True)
        messages = messages_of("two_hundred_turns.jsonl")

        async def write(number):
            chat = await rc.scope(user_id="priya").conversation(f"copy-{number}")
            for start in range(0, len(messages), 10):
                await add_all(chat, messages[start : start + 10])

        await asyncio.gather(*(write(number) for number in range(8)))
        await rc.drain(timeout=None)
        many = await self.check(rc, 8)
        alone = rc.scope(user_id="priya-alone")
        await add_all(await alone.conversation("only"), messages)
        await rc.drain(timeout=None)
        facts = sorted((fact.type, fact.key, item) for fact in await alone.profile() for item in fact.items)
        statements = sorted(each.content for each in await alone.get_all(limit=500, kinds=["statement"]))
        assert many == (facts, statements)


@pytest.mark.once
async def test_the_prefix_stays_from_call_to_call(open_recollect, clock):
    """Facts change and headers appear; the stable part only grows, but for the turns at which the window moves."""
    rc = await open_recollect(**LOCAL)
    me = rc.scope(user_id="alex")
    await me.set_profile("identity", "name", "Alex")
    chat = await me.conversation("long")
    messages = messages_of("hundred_turns.jsonl")
    before, moves = None, 0
    for place in range(20):
        for message in messages[2 * place : 2 * place + 2]:
            await chat.add(message["role"], message["content"], at=clock.now)
            clock.forward(minutes=1)
        await rc.drain()
        if place % 3 == 0:
            await me.set_profile("identity", "city", f"City {place}")
        ctx = await chat.context(messages[2 * place]["content"], system="You are helpful.", tokens=16_000)
        if before is not None and not ctx.text.startswith(before.text[: before.stable_prefix]):
            moves += 1
        before = ctx
        clock.forward(minutes=1)
    assert moves == 2  # forty messages, a window of twenty that moves by ten


@pytest.mark.once
async def test_a_thousand_turns_stay_within_bounds(open_recollect):
    rc = await open_recollect(understand=True)
    me = rc.scope(user_id="alex")
    chat = await me.conversation("long")
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for first in range(0, 1_000, 200):
        await chat.add_many(
            [
                {
                    "role": "user" if n % 2 == 0 else "assistant",
                    "content": f"Part {n} of the plan is about the {['roof', 'cellar', 'garden', 'porch'][n % 4]}.",
                    "at": start + timedelta(minutes=n),
                }
                for n in range(first, first + 200)
            ]
        )
        await rc.drain(timeout=None)
    chunks = await me.get_all(limit=200, kinds=["episode"], types=["chunk"])
    assert len(chunks) == 50
    assert chunks.memories[0].data["first_turn"] == 1
    for tokens in (1_000, 4_000, 128_000):
        ctx = await chat.context("What about the cellar?", tokens=tokens)
        assert ctx.tokens <= tokens
        assert "Part 999 of the plan" in ctx.text
    assert len(await chat.messages(limit=1_000)) == 1_000
