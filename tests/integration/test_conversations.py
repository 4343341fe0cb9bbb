"""Conversations: durable and ordered under concurrent writers, and what of them can be searched."""

import asyncio
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import psycopg
import pytest

from recollect.conversation.store import QUERIES
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.db.database import Database

MEGABYTE = 1_000_000


def count(rc, query):
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        return owner.execute(query).fetchone()[0]


async def test_messages_come_back_as_they_were_added(rc, clock):
    chat = await rc.scope(user_id="alice").conversation("chat-1", title="Tea")
    at = datetime(2025, 5, 8, 13, 56, tzinfo=UTC)
    first = await chat.add("user", "My name is Alice.", name="Alice", at=at, metadata={"dia_id": "D1:3"})
    second = await chat.add("assistant", "Hello, Alice!")
    assert await chat.messages() == [first, second]
    assert (first.turn, first.role, first.name, first.content) == (1, "user", "Alice", "My name is Alice.")
    assert (first.at, first.metadata, second.at) == (at, {"dia_id": "D1:3"}, clock.now)
    assert [message.turn for message in await chat.messages(first=2)] == [2]
    assert [message.turn for message in await chat.messages(limit=1)] == [1]


async def test_parts_and_tool_calls_come_back_verbatim(rc):
    chat = await rc.scope(user_id="alice").conversation("chat-1")
    parts = [
        {"type": "text", "text": "Let me look up the kumquat price."},
        {"type": "tool_use", "id": "t1", "name": "price", "input": {"zeta": 1.0, "alpha": [1, None, "é"], "big": 1e23}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    result = [{"type": "tool_result", "tool_use_id": "t1", "content": "3.50 €"}]
    await chat.add("assistant", parts)
    await chat.add("tool", result)
    read = [message.content for message in await chat.messages()]
    assert json.dumps(read) == json.dumps([parts, result])
    await rc.drain()
    [hit] = await rc.scope(user_id="alice").search("kumquat price")
    assert hit.memory.content == "Let me look up the kumquat price."


async def test_a_message_of_only_tool_calls_makes_no_turn(rc):
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    await chat.add("assistant", [{"type": "tool_use", "id": "t1", "name": "price", "input": {}}])
    last = await chat.add("user", "Thanks for the price.")
    assert (await rc.drain()).failed == 0
    assert [memory.provenance.turn for memory in await me.get_all()] == [2]
    assert await me.search("price", after=last.watermark)
    assert len(await chat.messages()) == 2


async def test_where_a_turn_came_from_reaches_the_hit(rc):
    me = rc.scope(user_id="alice", agent_id="planner", run_id="run-1")
    chat = await me.conversation("chat-1")
    at = datetime(2025, 5, 8, 13, 56, tzinfo=UTC)
    message = await chat.add("user", "I adopted a ferret.", name="Caroline", at=at, metadata={"dia_id": "D1:3"})
    await rc.drain()
    [hit] = await me.search("ferret", kinds=["turn"])
    memory, where = hit.memory, hit.memory.provenance
    assert (memory.id, memory.kind, memory.content) == (message.id, "turn", "I adopted a ferret.")
    assert (memory.metadata, memory.happened_at) == ({"dia_id": "D1:3"}, at)
    assert (memory.tier, memory.category, memory.importance, memory.confidence) == ("short", "activity", 0.5, 1.0)
    assert (where.thread_id, where.turn, where.role, where.speaker) == ("chat-1", 1, "user", "Caroline")
    assert (where.message_id, where.agent_id, where.run_id, where.actor_id) == (message.id, "planner", "run-1", "alice")
    assert where.conversation_id == chat.conversation.id


async def test_a_turn_is_found_by_its_date_its_speaker_and_what_came_before(rc):
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    await chat.add("assistant", "Where did you buy the accordion?")
    at = datetime(2025, 5, 8, tzinfo=UTC)
    reply = await chat.add("user", "In Lisbon!", name="Caroline", at=at)
    await chat.add("user", "Something else entirely.")
    await rc.drain()
    for question in ("accordion lisbon", "caroline", "8 May 2025"):
        hits = await me.search(question, weights={"semantic": 0, "recency": 0})
        assert hits[0].memory.id == reply.id, question


async def test_turns_have_no_gap_and_no_duplicate_under_concurrent_writers(rc):
    me = rc.scope(user_id="alice")
    chats = [await me.conversation("chat-1") for _ in range(8)]

    async def write(chat, writer):
        for n in range(12):
            await chat.add("user", f"{writer}-{n}")
        return await chat.add_many([{"role": "user", "content": f"{writer}-batch-{n}"} for n in range(3)])

    batches = await asyncio.gather(*(write(chat, writer) for writer, chat in enumerate(chats)))
    log = await chats[0].messages(limit=1_000)
    assert [message.turn for message in log] == list(range(1, 8 * 15 + 1))
    assert len({message.content for message in log}) == 8 * 15
    for batch in batches:
        assert [m.turn for m in batch] == list(range(batch[0].turn, batch[0].turn + 3))
    for writer in range(8):
        own = [message.content for message in log if message.content.startswith(f"{writer}-")]
        assert own == [f"{writer}-{n}" for n in range(12)] + [f"{writer}-batch-{n}" for n in range(3)]
    await rc.drain()
    assert count(rc, "select count(*) from memory where kind = 'turn'") == 8 * 15


async def test_messages_that_come_at_once_share_a_transaction(rc, monkeypatch):
    me = rc.scope(user_id="alice")
    chats = [await me.conversation(f"chat-{n}") for n in range(8)]
    sent, send = [], Database.send

    async def counted(self, batch):
        sent.append(batch)
        return await send(self, batch)

    monkeypatch.setattr(Database, "send", counted)
    written = await asyncio.gather(*(chat.add("user", f"Message {n}.") for n, chat in enumerate(chats)))
    assert len(sent) == 1
    assert [(message.turn, message.content) for message in written] == [(1, f"Message {n}.") for n in range(8)]
    twice = await asyncio.gather(*(chats[0].add("user", text) for text in ("One.", "Two.")))
    assert [(message.turn, message.content) for message in twice] == [(2, "One."), (3, "Two.")]
    await rc.drain()
    assert count(rc, "select count(*) from memory where kind = 'turn'") == 10


async def test_a_message_that_cannot_be_written_fails_its_own_caller_alone(rc):
    me = rc.scope(user_id="alice")
    chats = [await me.conversation(f"chat-{n}") for n in range(4)]
    known = await chats[0].add("user", "Known.")
    await chats[1].end()
    done = await asyncio.gather(
        chats[0].add("user", "Known.", id=known.id),
        chats[1].add("user", "Too late."),
        chats[2].add("user", "Elsewhere.", id=known.id),
        *(chats[3].add("user", f"Message {n}.", id=id) for n, id in enumerate([uuid4()] * 2)),
        chats[3].add("user", "And one more."),
        return_exceptions=True,
    )
    assert done[0] == known
    assert isinstance(done[1], Conflict)
    assert isinstance(done[2], Conflict)
    assert done[3].id == done[4].id
    assert [message.content for message in await chats[3].messages()] == ["Message 0.", "And one more."]
    assert not await chats[2].messages()


async def test_a_conversation_that_is_held_holds_up_no_other(rc):
    me = rc.scope(user_id="alice")
    one, two = [await me.conversation(f"chat-{n}") for n in range(2)]
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        held = {"space": one.conversation.space, "id": one.conversation.id}
        owner.execute("select from conversation where space_id = %(space)s and id = %(id)s for update", held)
        waiting = asyncio.create_task(one.add("user", "Later."))
        written = await asyncio.gather(*(two.add("user", f"Message {n}.") for n in range(3)))
        assert [message.turn for message in written] == [1, 2, 3]
        assert (await two.add("user", "Message 3.")).turn == 4
        assert not waiting.done()
    assert (await waiting).turn == 1


async def test_while_turns_are_written_messages_are_added_and_none_is_retracted(rc):
    chat = await rc.scope(user_id="alice").conversation("chat-1")
    await chat.add("user", "Hello.")
    held = {"space": chat.conversation.space, "ids": [chat.conversation.id]}
    async with rc.parts.database.transaction(chat.conversation.space) as connection:
        await connection.execute(QUERIES["share_conversations"], held)
        assert (await chat.add("user", "And good morning.")).turn == 2
        retracting = asyncio.create_task(chat.retract(1))
        await asyncio.sleep(0.3)
        assert not retracting.done()
    await retracting
    assert [message.retracted for message in await chat.messages()] == [True, False]


WRITER = """
import asyncio, sys
from recollect import Recollect

async def main(url, data_dir, writer):
    async with Recollect.open(database_url=url, data_dir=data_dir, embedder="fake", worker=False) as rc:
        chat = await rc.scope(user_id="alice").conversation("chat-1")
        for n in range(40):
            await chat.add("user", f"{writer}-{n}")

asyncio.run(main(*sys.argv[1:]))
"""


def start(*arguments):
    return subprocess.Popen([sys.executable, "-c", WRITER, *arguments])


async def test_turns_have_no_gap_and_no_duplicate_under_processes(rc, tmp_path):
    writers = [start(rc.database_url, str(tmp_path), str(n)) for n in range(2)]
    assert [await asyncio.to_thread(writer.wait, 120) for writer in writers] == [0, 0]
    chat = await rc.scope(user_id="alice").conversation("chat-1")
    log = await chat.messages(limit=1_000)
    assert [message.turn for message in log] == list(range(1, 81))
    assert len({message.content for message in log}) == 80


async def test_messages_are_there_after_reopening(rc, open_recollect):
    chat = await rc.scope(user_id="alice").conversation("chat-1")
    await chat.add("user", "Remember me.")
    await rc.close()
    again = await open_recollect()
    me = again.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    assert [message.content for message in await chat.messages()] == ["Remember me."]
    await again.drain()
    assert len(await me.search("remember")) == 1


async def test_the_same_id_is_written_once(rc):
    chat, id = await rc.scope(user_id="alice").conversation("chat-1"), uuid4()
    first = await chat.add("user", "Once.", id=id)
    assert await chat.add("user", "Twice.", id=str(id)) == first
    results = await asyncio.gather(*(chat.add("user", f"By {n}.", id=(new := uuid4())) for n in range(3)))
    assert [message.turn for message in results] != [1, 1, 1]
    new = uuid4()
    results = await asyncio.gather(*(chat.add("user", f"By {n}.", id=new) for n in range(8)))
    assert len({(message.turn, message.content) for message in results}) == 1
    assert [message.turn for message in await chat.messages()] == [1, 2, 3, 4, 5]


async def test_a_batch_that_was_partly_written_before_is_completed(rc):
    chat, ids = await rc.scope(user_id="alice").conversation("chat-1"), [uuid4() for _ in range(4)]
    messages = [{"role": "user", "content": f"Number {n}.", "id": id} for n, id in enumerate(ids)]
    await chat.add_many(messages[:2])
    again = await chat.add_many([messages[3], messages[1], messages[0], messages[2]])
    assert [message.id for message in again] == [ids[3], ids[1], ids[0], ids[2]]
    assert sorted(message.turn for message in again) == [1, 2, 3, 4]
    assert len(await chat.messages()) == 4
    twice = {"role": "user", "content": "Same.", "id": uuid4()}
    one, two = await chat.add_many([twice, twice])
    assert one == two
    assert len(await chat.messages()) == 5


async def test_an_id_of_another_conversation_is_a_conflict(rc):
    me, id = rc.scope(user_id="alice"), uuid4()
    first, second = await me.conversation("chat-1"), await me.conversation("chat-2")
    await first.add("user", "Here.", id=id)
    with pytest.raises(Conflict, match="id"):
        await second.add("user", "There.", id=id)
    assert await second.messages() == []


async def test_conversations_are_listed_paused_resumed_and_ended(rc, clock):
    me = rc.scope(user_id="alice")
    one, two = await me.conversation("one", title="First"), await me.conversation("two")
    await one.pause()
    assert [c.thread_id for c in await me.conversations(status="paused")] == ["one"]
    await one.add("user", "Still here.")
    await one.resume()
    clock.forward(hours=1)
    await two.end(outcome="Settled.")
    listed = await me.conversations()
    assert [(c.thread_id, c.title, c.status, c.outcome) for c in listed] == [
        ("one", "First", "active", None),
        ("two", None, "ended", "Settled."),
    ]
    assert listed[1].ended_at == clock.now
    with pytest.raises(Conflict, match="ended"):
        await two.add("user", "One more thing.")
    await two.resume()
    assert (await two.add("user", "One more thing.")).turn == 1
    assert [c.ended_at for c in await me.conversations()] == [None, None]
    assert [c.thread_id for c in await me.conversations(limit=1)] == ["one"]
    assert [c.thread_id for c in await me.conversations(after=listed[0].id)] == ["two"]
    assert await rc.scope(user_id="bob").conversations() == []


async def test_a_thread_that_is_opened_again_keeps_its_place_and_title(rc):
    me = rc.scope(user_id="alice", thread_id="chat-1")
    first = await me.conversation(title="Tea")
    await first.add("user", "Hello.")
    again = await me.conversation()
    assert (again.conversation.id, again.conversation.title) == (first.conversation.id, "Tea")
    assert (await again.add("user", "Back again.")).turn == 2


async def test_a_temporary_conversation_leaves_nothing(rc):
    me = rc.scope(user_id="alice")
    chat = await me.conversation("secret", remember=False)
    message = await chat.add("user", "The code is quuxberry.")
    assert await me.search("quuxberry", after=message.watermark) == []
    assert (await rc.drain()).failed == 0
    assert await me.search("quuxberry") == []
    assert len(await chat.messages()) == 1
    await chat.end()
    assert await me.conversations() == []
    for table in ("conversation", "message", "memory", "entry"):
        assert count(rc, f"select count(*) from {table}") == 0, table
    with pytest.raises(NotFound):
        await chat.add("user", "Still there?")


async def test_a_thread_belongs_to_its_owner_unless_it_is_shared(rc):
    alice = rc.scope(user_id="alice", project_id="apollo")
    bob = rc.scope(user_id="bob", project_id="apollo")
    await (await alice.conversation("plan")).add("user", "Mine.")
    assert await (await bob.conversation("plan")).messages() == []
    await (await alice.conversation("wall", shared=True)).add("user", "For all.")
    wall = await bob.conversation("wall", shared=True)
    assert (await wall.add("user", "Seen.")).turn == 2
    assert [message.content for message in await wall.messages()] == ["For all.", "Seen."]
    assert [(c.thread_id, c.shared) for c in await bob.conversations()] == [("plan", False), ("wall", True)]
    assert [c.thread_id for c in await rc.scope(user_id="alice").conversations()] == []


async def test_a_message_of_a_megabyte_is_found_by_a_word_at_its_end(rc):
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    text = ("The quick brown fox jumps over the lazy dog again. " * 20_000)[: MEGABYTE - 11] + " quuxberry."
    await chat.add("user", text)
    await chat.add("user", "A fox came by.")
    assert (await rc.drain()).failed == 0
    hit, *_ = await me.search("quuxberry", threshold=0.9)  # the next turn holds the word too, as what was said before
    assert hit.memory.content == text
    # Its many passages do not crowd out what else there is.
    assert {hit.memory.provenance.turn for hit in await me.search("quick brown fox")} == {1, 2}


async def test_five_megabytes_are_refused(rc):
    chat = await rc.scope(user_id="alice").conversation("chat-1")
    for content in ("x" * 5 * MEGABYTE, [{"type": "text", "text": "x" * 5 * MEGABYTE}]):
        with pytest.raises(InvalidInput, match="limit") as caught:
            await chat.add("user", content)
        assert caught.value.field == "content"
    assert await chat.messages() == []


async def test_a_missing_thread_is_named(rc):
    with pytest.raises(InvalidInput) as caught:
        await rc.scope(user_id="alice").conversation()
    assert caught.value.field == "thread_id"


async def test_many_messages_cost_a_handful_of_jobs(rc):
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for first in range(0, 700, 100):
        await chat.add_many(
            [
                {"role": "user", "content": f"Word{n}.", "at": start + timedelta(minutes=n)}
                for n in range(first, first + 100)
            ]
        )
    done = await rc.drain()
    assert (done.failed, done.deferred) == (0, 0)
    assert done.done <= 15
    assert count(rc, "select indexed_turn from conversation") == 700
    assert count(rc, "select count(*) from memory where kind = 'turn'") == 700
