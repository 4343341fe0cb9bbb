"""Read your writes: a search after a watermark waits for it, and never for a worker that is not there."""

import asyncio
from time import monotonic
from uuid import uuid4

import pytest

from recollect.core.errors import InvalidInput, NotFound
from recollect.flows import waiting


async def test_a_search_after_a_watermark_finds_the_message(open_recollect):
    rc = await open_recollect(worker=True)
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    for n in range(5):
        message = await chat.add("user", f"I saw a ferret number{n}.")
        hits = await me.search(f"ferret number{n}", after=message.watermark)
        assert hits[0].memory.id == message.id


async def test_nothing_waits_where_no_worker_lives(rc, monkeypatch):
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    message = await chat.add("user", "I saw a ferret.")
    looks = []
    searchable = waiting._is_reached

    async def counting(*args):
        looks.append(1)
        return await searchable(*args)

    monkeypatch.setattr(waiting, "_is_reached", counting)
    assert await me.search("ferret", after=message.watermark) == []
    assert len(looks) == 1
    await rc.drain()
    assert len(await me.search("ferret", after=message.watermark)) == 1


async def test_the_wait_has_an_end(open_recollect, monkeypatch):
    rc = await open_recollect(worker=True)
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    monkeypatch.setattr(waiting, "MOST_SECONDS", 0.3)

    async def never(*_):
        return False

    monkeypatch.setattr(waiting, "_is_reached", never)
    message = await chat.add("user", "I saw a ferret.")
    began = monotonic()
    await asyncio.wait_for(me.search("ferret", after=message.watermark), 30)
    assert monotonic() - began >= 0.3


async def test_the_mark_of_a_temporary_conversation_waits_for_nothing(open_recollect):
    rc = await open_recollect(worker=True)
    me = rc.scope(user_id="alice")
    chat = await me.conversation("secret", remember=False)
    message = await chat.add("user", "I saw a ferret.")
    assert await me.search("ferret", after=message.watermark) == []


async def test_marks_of_strangers_and_nonsense_are_refused(rc):
    me = rc.scope(user_id="alice")
    with pytest.raises(NotFound):
        await me.search("ferret", after=f"1.{uuid4()}.user:bob")
    for mark in ("", "nonsense", f"x.{uuid4()}.user:alice", "1.2.user:alice", 5):
        with pytest.raises(InvalidInput) as caught:
            await me.search("ferret", after=mark)
        assert caught.value.field == "after"


async def test_a_mark_of_each_message_is_good_for_all_before_it(open_recollect):
    rc = await open_recollect(worker=True)
    me = rc.scope(user_id="alice", project_id="apollo")
    chat = await me.conversation("chat-1")
    messages = await chat.add_many([{"role": "user", "content": f"Ferret word{n}."} for n in range(300)])
    hits = await me.search("word7", after=messages[-1].watermark, wait="understood")
    assert hits[0].memory.content == "Ferret word7."
