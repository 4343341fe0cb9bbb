"""Recall bookkeeping: off the answer path, counted once for each answer, never lost in an orderly shutdown."""

import asyncio
import logging
from datetime import timedelta

import pytest

from recollect.core.errors import Unavailable
from recollect.flows import recall as recalling
from recollect.records import lifecycle
from recollect.records.lifecycle import Rules, Use


async def test_use_makes_a_memory_active_and_then_core(rc, clock):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice prefers tea.")
    states = []
    for _ in range(10):
        await me.search("tea")
        await rc.recalls.flush()
        [memory] = await me.get_all()
        states.append((memory.access_count, memory.state))
    assert states == [(n, "active") for n in range(1, 10)] + [(10, "core")]
    assert (memory.recall_frequency, memory.last_accessed_at) == (10, clock.now)
    assert memory.salience == pytest.approx(min(1, added.salience + 10 * 0.05))


async def test_recalls_of_one_moment_all_count(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice prefers tea.")
    await asyncio.gather(*(me.search("tea") for _ in range(4)))
    await me.get(added.id)
    await rc.drain()
    [memory] = await me.get_all()
    assert memory.access_count == 5


async def test_listing_and_changing_are_no_recall(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice prefers tea.")
    await me.get_all()
    await me.history(added.id)
    await me.update(added.id, content="Alice prefers coffee.")
    await rc.drain()
    [memory] = await me.get_all()
    assert (memory.access_count, memory.state) == (0, "candidate")


async def test_spacing_steepens_or_flattens_the_decay(rc, clock):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice prefers tea.")
    expected = Use("candidate", 0.5, clock.now, 1.0)
    gradients = []
    for days in (0, 1, 3, 1, 1, 10):
        clock.forward(days=days)
        await me.get(added.id)
        await rc.recalls.flush()
        expected = lifecycle.recalled(expected, clock.now, Rules())
        [memory] = await me.get_all()
        gradients.append(round(memory.decay_gradient, 6))
        assert memory.salience == pytest.approx(expected.salience, abs=1e-9)
        assert memory.last_recall_interval == pytest.approx(days, abs=1e-9)
    assert gradients == [1.0, 1.1, 1.2, 1.15, 1.15, 1.25]


async def test_what_was_archived_comes_back_when_it_is_recalled(rc, clock):
    me = rc.scope(user_id="alice")
    added = await me.add("Buy a kumquat.", ttl_policy="ephemeral")
    clock.forward(days=91)
    assert (await rc.run_job("decay"))["archived"] == 1
    assert await me.search("kumquat") == []
    [hit] = await me.search("kumquat", include=["archived"])
    assert hit.memory.state == "archived"
    await rc.drain()
    [hit] = await me.search("kumquat")
    assert (hit.memory.id, hit.memory.state) == (added.id, "active")


async def test_a_deleted_memory_is_not_revived_by_looking_at_it(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice prefers tea.")
    await me.delete(added.id)
    await me.get(added.id)
    await rc.drain()
    memory = await me.get(added.id)
    assert (memory.state, memory.access_count) == ("soft_deleted", 0)


async def test_recalls_are_written_when_recollect_is_closed(rc, open_recollect):
    me = rc.scope(user_id="alice")
    await me.add("Alice prefers tea.")
    await me.search("tea")
    await rc.close()
    [memory] = await (await open_recollect()).scope(user_id="alice").get_all()
    assert memory.access_count == 1


async def test_recalls_are_written_by_themselves(rc):
    me = rc.scope(user_id="alice")
    await me.add("Alice prefers tea.")
    await me.search("tea")
    for _ in range(200):
        [memory] = await me.get_all()
        if memory.access_count:
            break
        await asyncio.sleep(0.05)
    assert memory.access_count == 1


async def test_a_recall_that_cannot_be_written_waits_and_the_answer_does_not(rc, monkeypatch, caplog):
    me = rc.scope(user_id="alice")
    await me.add("Alice prefers tea.")
    working = recalling.recall

    async def down(*_):
        raise Unavailable("PostgreSQL", "away")

    monkeypatch.setattr(recalling, "recall", down)
    with caplog.at_level(logging.WARNING):
        assert len(await me.search("tea")) == 1
        await rc.recalls.flush()
    assert "could not be counted" in caplog.text
    monkeypatch.setattr(recalling, "recall", working)
    await me.search("tea")
    await rc.drain()
    [memory] = await me.get_all()
    assert memory.access_count == 2


async def test_recalls_of_several_spaces_are_counted_in_each(rc):
    await rc.scope(user_id="alice").add("Alice prefers tea.")
    both = rc.scope(user_id="alice", project_id="apollo")
    await both.add("The project drinks tea.")
    assert len(await both.search("tea")) == 2
    await rc.drain()
    assert [memory.access_count for memory in await both.get_all()] == [1, 1]


async def test_searches_are_counted_as_events(rc):
    me = rc.scope(user_id="alice")
    await me.add("Alice prefers tea.")
    await me.search("tea")
    await me.search("tea", kinds=["procedure"])
    await rc.drain()
    async with rc.parts.database.transaction("user:alice") as connection:
        cursor = await connection.execute("select status, detail from event where op = 'search' order by id")
        assert [tuple(row) for row in await cursor.fetchall()] == [("ok", {"hits": 1}), ("empty", {"hits": 0})]


async def test_salience_falls_with_time_when_it_is_read(rc, clock):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice prefers tea.", confidence=0.5)
    clock.forward(days=10)
    [memory] = await me.get_all()
    expected = lifecycle.salience(Use("candidate", 0.5, added.created_at, 0.5), clock.now, Rules())
    assert memory.salience == pytest.approx(expected, abs=1e-9)
    assert memory.salience < added.salience
    clock.now = added.created_at - timedelta(days=5)
    [memory] = await me.get_all()
    assert memory.salience == added.salience
