"""Talks become sources: when they end or rest, a day at a time, once, and without what was taken back."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from test_ingest import names

from recollect.flows import ingesting, process, source_texts, talks

SPACE = "user:alice"


@pytest.fixture
def me(mind):
    return mind.scope(user_id="alice")


async def say(chat, *texts, name=None, at=None, step=1):
    for place, text in enumerate(texts):
        await chat.add("user", text, name=name, at=at and at + timedelta(minutes=step * place))


async def rest(rc, clock, **amount):
    """Time passes, and the sweep comes by."""
    clock.forward(**(amount or {"minutes": 31}))
    counts = await rc.run_job("conversation_sources")
    await rc.drain()
    return counts


async def test_a_talk_that_ends_becomes_a_source(mind, me, clock):
    chat = await me.conversation("chat", title="Staff")
    began = clock()
    await say(chat, "Sarah Chen works at Acme Robotics.", "Tom Ford works with Sarah Chen.", name="Ann Lee", at=began)
    await chat.add("assistant", "Thank you, Ann. Tom Ford it is.")
    await chat.add("system", "Zara Quill works at Nowhere Labs.")
    await mind.drain()
    assert await me.sources() == []
    await chat.end()
    drained = await mind.drain()
    assert (drained.failed, drained.deferred) == (0, 0)
    [source] = await me.sources()
    assert (source.status, source.source_type) == ("extracted", "conversation")
    assert (source.first_turn, source.last_turn, source.conversation_id) == (1, 4, chat.conversation.id)
    assert (source.started_at, source.ended_at) == (began, began + timedelta(minutes=1))
    assert source.participants == ("Ann Lee",)
    memory = await me.get(source.id)
    assert memory.title == "Staff, 2026-03-18"
    assert memory.content == memory.summary
    assert "Sarah" in memory.content
    assert memory.provenance.thread_id == "chat"
    assert list(await me.get_all(kinds=["chunk"])) == []
    assert {"Sarah Chen", "Tom Ford", "Ann Lee"} <= set(await names(me))
    assert "Zara Quill" not in await names(me)
    async with mind.parts.database.transaction(SPACE) as connection:
        cursor = await connection.execute("select raw from source where space_id = 'user:alice'")
        assert [row.raw for row in await cursor.fetchall()] == [None]


async def test_a_talk_that_rests_becomes_a_source_and_goes_on(mind, me, clock):
    chat = await me.conversation("chat")
    await say(chat, "Sarah Chen works at Acme.")
    assert (await rest(mind, clock, minutes=29))["changed"] == 0
    assert await me.sources() == []
    assert (await rest(mind, clock, minutes=1))["changed"] == 1
    assert (await rest(mind, clock))["spaces"] == 0
    await say(chat, "Tom Ford works at Bolt.")
    await rest(mind, clock)
    await say(chat, "Ann Lee works at Core.")
    await chat.end()
    await mind.drain()
    assert [(source.first_turn, source.last_turn) for source in await me.sources()] == [(1, 1), (2, 2), (3, 3)]
    await chat.resume()
    await say(chat, "Zara Quill works at Nowhere.")
    await chat.end()
    await mind.drain()
    assert (await me.sources())[-1].first_turn == 4
    assert {"Sarah Chen", "Tom Ford", "Ann Lee", "Zara Quill"} <= set(await names(me))


async def test_how_long_a_talk_rests_is_a_setting(open_recollect, clock):
    rc = await open_recollect(understand=True, idle_minutes=5)
    me = rc.scope(user_id="alice")
    await say(await me.conversation("chat"), "Sarah Chen works at Acme.")
    await rest(rc, clock, minutes=5)
    assert len(await me.sources()) == 1


async def test_a_source_has_the_turns_of_one_day(mind, me, clock):
    await me.set_profile("identity", "timezone", "America/New_York")
    chat = await me.conversation("chat")
    # 23:30, 00:30 and 01:30 in New York: two days there, one in UTC.
    for place, text in enumerate(("Tom Ford came.", "Tom Ford slept.", "Tom Ford left for Acme Robotics.")):
        await chat.add("user", text, at=datetime(2026, 3, 2, 4, 30, tzinfo=UTC) + timedelta(hours=place))
    await chat.add("user", "Later Tom Ford works at Acme.", at=datetime(2026, 3, 9, 12, tzinfo=UTC))
    await chat.end()
    await mind.drain()
    found = await me.sources()
    assert [(source.first_turn, source.last_turn) for source in found] == [(1, 1), (2, 3), (4, 4)]
    assert [(await me.get(source.id)).title for source in found] == [
        "chat, 2026-03-01",
        "chat, 2026-03-02",
        "chat, 2026-03-09",
    ]


async def test_two_hundred_turns_over_ten_days_give_people(mind, me, clock):
    chat = await me.conversation("daily")
    for day in range(10):
        for n in range(10):
            await chat.add("user", f"On day {day} Sarah Chen met Tom Ford about topic {n}.", name="Ann Lee")
            await chat.add("assistant", f"Noted: topic {n} with Sarah Chen.")
        clock.forward(minutes=31)
        await mind.run_job("conversation_sources")
        clock.forward(hours=23, minutes=29)
    await mind.drain()
    found = await me.sources(limit=1000)
    assert [source.status for source in found] == ["extracted"] * 10
    assert {"Sarah Chen", "Tom Ford", "Ann Lee"} <= set(await names(me)) | set(await names(me, "entity"))
    async with mind.parts.database.transaction(SPACE) as connection:
        cursor = await connection.execute(
            "select c.sources, c.days from mentioned c join memory m on m.space_id = 'user:alice' and m.id = c.node_id"
            " where c.space_id = 'user:alice' and m.title = 'Ann Lee' and m.kind = 'person'"
        )
        row = await cursor.fetchone()
    assert (row.sources, row.days) == (10, 10)


async def test_a_temporary_talk_leaves_nothing(mind, me, clock):
    chat = await me.conversation("quiet", remember=False)
    await say(chat, "Sarah Chen works at Acme.")
    await rest(mind, clock)
    await chat.end()
    await mind.drain()
    assert await me.sources() == []
    assert list(await me.get_all()) == []


async def test_nothing_is_learned_where_nothing_shall_be(rc, clock):
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat")
    await say(chat, "Sarah Chen works at Acme.")
    await chat.end()
    await rc.drain()
    await rest(rc, clock)
    assert await me.sources() == []


async def test_what_was_taken_back_before_is_left_out(mind, me, clock):
    chat = await me.conversation("chat")
    await say(chat, "Sarah Chen works at Acme.", "Zara Quill works at Nowhere Labs.")
    await chat.retract(2)
    await chat.end()
    await mind.drain()
    assert "Sarah Chen" in await names(me)
    assert "Zara Quill" not in await names(me)
    [source] = await me.sources()
    assert "Zara" not in (await me.get(source.id)).content


async def test_a_talk_of_which_all_was_taken_back_is_no_source(mind, me):
    chat = await me.conversation("chat")
    await say(chat, "Zara Quill works at Nowhere Labs.")
    await chat.retract(1)
    await chat.end()
    await mind.drain()
    assert await me.sources() == []


async def test_what_is_taken_back_afterwards_is_withdrawn(mind, me, clock):
    chat = await me.conversation("chat")
    await say(chat, "Sarah Chen works at Acme.", "Zara Quill works at Nowhere Labs. Sarah Chen reports to Zara Quill.")
    await chat.end()
    await mind.drain()
    before = {node.title: node.id for node in await me.get_all(kinds=["person"])}
    assert "Zara Quill" in before
    await chat.resume()
    await chat.retract(2, replace="Vic Moor works at Somewhere Labs.")
    await mind.drain()
    [source] = await me.sources()
    assert source.status == "extracted"
    assert "Zara" not in (await me.get(source.id)).content
    assert await names(me) == ["Sarah Chen"]
    assert {node.title: node.id for node in await me.get_all(kinds=["person"])}["Sarah Chen"] == before["Sarah Chen"]
    assert "Nowhere Labs" not in await names(me, "entity")
    async with mind.parts.database.transaction(SPACE) as connection:
        cursor = await connection.execute("select type from relation where space_id = 'user:alice'")
        assert "reports_to" not in {row.type for row in await cursor.fetchall()}
    await chat.end()
    await mind.drain()
    assert [(each.first_turn, each.last_turn) for each in await me.sources()] == [(1, 2), (3, 3)]
    assert await names(me) == ["Sarah Chen", "Vic Moor"]


async def test_a_message_that_is_taken_back_while_its_talk_is_read(mind, me, monkeypatch):
    """Between the look at the turns and the writing of what they said."""
    chat = await me.conversation("chat")
    await say(chat, "Sarah Chen works at Acme.", "Zara Quill works at Nowhere Labs.")
    await chat.end()
    await talks.source_talks(mind.parts, SPACE)
    whole, taken = source_texts.summarised, []

    async def slow(parts, lines):
        if not taken:
            taken.append(await chat.retract(2))
        return await whole(parts, lines)

    monkeypatch.setattr(source_texts, "summarised", slow)
    [source] = await me.sources()
    assert await process.process(mind.parts, SPACE, [source.id]) == 0
    await ingesting.ingest(mind.parts, SPACE)
    assert "Zara" not in (await me.get(source.id)).content
    assert await names(me) == ["Sarah Chen"]


async def test_once_however_many_look_at_the_same_time(open_recollect, clock):
    one, other = await open_recollect(understand=True), await open_recollect(understand=True)
    me = one.scope(user_id="alice")
    for thread in range(5):
        chat = await me.conversation(f"chat-{thread}")
        await say(chat, *(f"Person{n} Smith works at Acme." for n in range(4)))
        await chat.end()
    await asyncio.gather(*(talks.source_talks(rc.parts, SPACE) for rc in (one, other, one, other)))
    assert len(await me.sources()) == 5
    assert (await talks.source_talks(one.parts, SPACE))["changed"] == 0


async def test_somebody_who_goes_on_while_it_is_looked_at_is_not_cut_off(mind, me, clock):
    chat = await me.conversation("chat")
    await say(chat, "Sarah Chen works at Acme.")
    clock.forward(minutes=31)
    stale = clock()
    await say(chat, "Tom Ford works at Bolt.")
    assert (await talks.sweep(mind.parts, SPACE, stale))["changed"] == 0


async def test_a_talk_of_a_project_feeds_the_projects_graph(mind, clock):
    me = mind.scope(user_id="alice", project_id="apollo")
    chat = await me.conversation("chat", shared=True)
    await say(chat, "Sarah Chen works at Acme.", name="Bob Ray")
    await chat.end()
    await mind.drain()
    [source] = await me.sources()
    assert source.space == "project:apollo"
    assert {"Sarah Chen", "Bob Ray"} <= set(await names(me))
    assert await names(mind.scope(user_id="alice")) == []


async def test_the_summary_of_a_talk_is_not_told_in_that_talk(mind, me):
    chat = await me.conversation("chat")
    await say(chat, "Sarah Chen works at Acme Robotics.")
    await chat.end()
    await mind.drain()
    await chat.resume()
    ctx = await chat.context("Where does Sarah Chen work?", tokens=2000)
    assert [hit for hit in ctx.hits if hit.memory.kind == "source"] == []
