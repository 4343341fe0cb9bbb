"""Forgetting in what programs saved for themselves: states of threads, checkpoints of graphs, replays."""

import psycopg
from langgraph.checkpoint.base import empty_checkpoint

from recollect.adapters.langgraph import RecollectSaver


def rows(rc, query):
    with psycopg.connect(rc.database_url, autocommit=True, options="-c search_path=recollect,public") as owner:
        return owner.execute(query).fetchall()


async def test_a_state_loses_the_sentences_that_carry_somebody(mind):
    me = mind.scope(user_id="alice", thread_id="desk")
    await me.ingest("Zelda Quist works at Doppler Group. The bridge is closed.")
    await mind.drain()
    await me.save_checkpoint(
        {"notes": ["Ask zelda quist. Buy bread."], "step": 3, "plan": {"who": "Zelda Quist's aunt"}}
    )
    await me.save_checkpoint({"notes": ["Buy bread."], "step": 4})
    receipt = await me.forget(person="Zelda Quist")
    assert receipt.counts["rewritten_checkpoint"] == 1
    first = await me.load_checkpoint(1)
    assert first["step"] == 3
    assert "elda" not in str(first)
    assert await me.load_checkpoint() == {"notes": ["Buy bread."], "step": 4}


async def test_a_thread_takes_its_states_with_it(mind):
    me = mind.scope(user_id="alice", thread_id="desk")
    other = mind.scope(user_id="alice", thread_id="other")
    for each in (me, other):
        await (await each.conversation()).add("user", "Hello there.")
        await each.save_checkpoint({"step": 1})
    await me.forget(thread="desk")
    assert await me.load_checkpoint() is None
    assert await other.load_checkpoint() == {"step": 1}


async def test_a_graph_whose_checkpoint_carries_somebody_loses_its_checkpoints(mind):
    me = mind.scope(user_id="alice")
    await me.ingest("Zelda Quist works at Doppler Group.")
    await mind.drain()
    saver = RecollectSaver(me)
    for thread, text in (("one", "I met Zelda Quist."), ("two", "I met nobody.")):
        config = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
        checkpoint = empty_checkpoint() | {"channel_values": {"said": text}, "channel_versions": {"said": "1"}}
        await saver.aput(config, checkpoint, {"source": "input", "step": 0}, {"said": "1"})
    await me.forget(person="Zelda Quist")
    assert await saver.aget_tuple({"configurable": {"thread_id": "one"}}) is None
    assert await saver.aget_tuple({"configurable": {"thread_id": "two"}}) is not None
    assert rows(mind, "select count(*) from checkpoint_value where thread_id = 'one'") == [(0,)]


async def test_a_name_behind_a_length_that_looks_like_a_letter_is_found(mind):
    """Packed, a text of 65 bytes that begins with "Zelda" reads "AZelda"."""
    me = mind.scope(user_id="alice")
    saver = RecollectSaver(me)
    lengths = (29, 57, 65, 90, 122, 150, 0x141, 0x4141)
    for length in lengths:
        for name in ("Zelda", "Grizelda"):
            text = f"{name} called about the flat. ".ljust(length, ".")
            config = {"configurable": {"thread_id": f"{name} {length}", "checkpoint_ns": ""}}
            checkpoint = empty_checkpoint() | {"channel_values": {"said": [text]}, "channel_versions": {"said": "1"}}
            await saver.aput(config, checkpoint, {"source": "input", "step": 0}, {"said": "1"})
    await me.forget(person="Zelda Quist")
    left = {thread for (thread,) in rows(mind, "select distinct thread_id from checkpoint")}
    assert left == {f"Grizelda {length}" for length in lengths}


async def test_a_replay_that_quotes_somebody_goes(mind):
    me = mind.scope(user_id="alice")
    chat = await me.conversation("chat")
    said = await chat.add("user", "We decided to hire Zelda Quist for billing.")
    await mind.drain()
    ids = [(await me.replay()).id for _ in range(2)]
    with psycopg.connect(mind.database_url, autocommit=True, options="-c search_path=recollect,public") as owner:
        owner.execute(
            "insert into replay_reading (space_id, replay_id, message_id, fell_back, found, read_at)"
            " values ('user:alice', %s, %s, false, %s, now()) on conflict (space_id, replay_id, message_id)"
            " do update set found = excluded.found",
            [ids[0], said.id, '{"statements": [{"content": "The team hired Zelda Quist."}]}'],
        )
    await me.forget(person="Zelda Quist")
    assert rows(mind, "select count(*) from replay_reading where found::text like '%Zelda%'") == [(0,)]
    assert (ids[0],) not in rows(mind, "select id from replay")
