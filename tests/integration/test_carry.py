"""Whole exports and backups: the same bytes again, nothing lost, nothing that was forgotten since."""

import json

import pytest
from langgraph.checkpoint.base import empty_checkpoint

import dumps
import servers
from recollect import Recollect
from recollect.adapters.langgraph import RecollectSaver, RecollectStore
from recollect.core.errors import Conflict, InvalidInput
from recollect.flows.carry import tables_of
from stopping_graph import config


async def lines_of(me, **given):
    return [line async for line in me.export(**given)]


@pytest.fixture
async def elsewhere(server: servers.Server, tmp_path, clock):
    """Another database, with a data directory of its own, in which nothing is yet."""
    with server.fresh_database() as url:
        async with Recollect.open(
            database_url=url,
            data_dir=tmp_path / "elsewhere",
            clock=clock,
            worker=False,
            embedder="fake",
            understand=True,
        ) as opened:
            yield opened


async def rich(rc, clock):
    """A space with a bit of everything."""
    me = rc.scope(user_id="alice", agent_id="planner")
    chat = await me.conversation("chat", title="A talk")
    for number in range(25):
        await chat.add("user", f"My name is Alice. I live in Porto, house {number}. I like oolong tea.")
    await chat.add("assistant", [{"type": "text", "text": "é \u2028"}, {"type": "x", "n": 1.50, "big": 10**30}])
    await chat.retract(3, replace="I moved to Braga.")
    await (await chat.context("Where do I live?")).ack()
    await chat.end("done")
    for number in range(6):
        await me.ingest(f"Zelda Quist has step {number}. Rupert Vane knows Zelda Quist. The bridge {number} is closed.")
        await me.ingest(f"Ada Stern painted boat {number}.")
        await rc.drain()
        clock.forward(days=1)
    await rc.run_job("storyline_promotion")
    await rc.run_job("descriptions")
    memory = await me.add("Alice owns a boat.", tags=["x"], metadata={"k": [1, None, "ü"]}, pinned=True)
    clock.forward(days=1)
    await me.update(memory.id, content="Alice owns two boats.")
    gone = await me.add("Deleted.")
    await me.delete(gone.id)
    await me.set_profile("identity", "name", "Alice")
    active = await me.create_active("Trip", sections={"plan": "Pack tents."})
    await me.update_section(active.id, "plan", "Bring tents. The ferry leaves at nine.")
    await me.migrate()
    [rupert] = await me.nodes(name="Rupert Vane")
    await me.add_note(rupert.id, "Rupert dislikes rain.", "forever")
    await me.guide(instructions="Look for boats.")
    await me.search("boats")
    await programs(me)
    await rc.scope(user_id="alice", thread_id="run").save_checkpoint({"step": 1, "said": "é \u2028"})
    [ada] = await me.nodes(name="Ada Stern")
    await me.merge(rupert.id, ada.id)
    await me.forget(person="Otto Kaputt")
    await rc.drain()
    return me


async def programs(me):
    """What programs keep for themselves: checkpoints of a graph with large values and open writes, items."""
    await RecollectStore(me).aput(("tents", "sizes"), "ü.1", {"n": [1.50, None, "é \u2028"]})
    await me.add("1. Fold the tent.\n2. Pack it.", kind="procedure")
    await me.add("Alice trusts maps.", kind="insight")
    saver, versions = RecollectSaver(me), {"notes": "1"}
    begun = empty_checkpoint() | {"channel_values": {"notes": ["x" * 5_000]}, "channel_versions": versions}
    at = await saver.aput(config(), begun, {"source": "input", "step": 0}, versions)
    await saver.aput_writes(at, [("notes", b"\x00\xff"), ("who", "Tom")], "task")


@pytest.mark.local  # a cluster has one database for all
async def test_an_export_into_an_empty_database_gives_the_same_export(mind, elsewhere, clock):
    me = await rich(mind, clock)
    first = await lines_of(me)
    there = elsewhere.scope(user_id="alice", agent_id="planner")
    done = await there.import_lines(first)
    assert done.rows > 100
    assert done.present == 0
    assert done.checkpoints >= 2
    assert done.tombstones == 1
    assert await lines_of(there) == first
    tables = {json.loads(line).get("table") for line in first}
    async with mind.parts.database.transaction("user:alice") as connection:
        every = {table.name for table in await tables_of(connection)}
    assert every - tables <= {"consent", "dirty", "pair_check", "reread", "review", "upkeep"}
    kinds = {line["row"]["kind"] for line in map(json.loads, first) if line.get("table") == "memory"}
    assert kinds >= {"turn", "source", "chunk", "profile", "statement", "episode", "insight", "procedure", "item"}
    # It is alive: found, barred, and the same after work and another import.
    await elsewhere.drain()
    [hit] = await there.search("two boats", limit=1)
    assert hit.memory.content == "Alice owns two boats."
    with pytest.raises(Conflict, match="tombstone"):
        await there.add("Call Otto Kaputt.")
    again = await there.import_lines(first)
    assert again.rows == 0
    assert [m.content for m in await (await there.conversation("chat")).messages(limit=50)] == [
        m.content for m in await (await me.conversation("chat")).messages(limit=50)
    ]


async def test_an_export_is_the_same_after_the_jobs_that_an_import_asks_for(mind, elsewhere, clock):
    me, there = (rc.scope(user_id="alice") for rc in (mind, elsewhere))
    await me.add("Alice owns a boat.")
    await mind.drain()
    first = await lines_of(me)
    clock.forward(hours=1)
    await there.import_lines(first)
    await elsewhere.drain()
    assert await lines_of(there) == first
    former = [line.replace('"speakers":', '"taken_at":null,"speakers":') for line in first]
    assert former != first
    await elsewhere.scope(user_id="bob").import_lines(former)  # as exports were written once


@pytest.mark.local
async def test_states_are_taken_as_exports_once_had_them(mind, elsewhere):
    """Among the checkpoints of graphs, which had a kind as well, their version a text."""
    me, there = (rc.scope(user_id="alice", agent_id="planner", thread_id="run") for rc in (mind, elsewhere))
    for number in range(12):
        await me.save_checkpoint({"step": number, "said": "é \u2028"})
    await programs(me)
    first = await lines_of(me)
    done = await there.import_lines([_as_once(line) for line in first])
    assert (done.checkpoints, done.present) == (12 + 4, 0)
    assert await lines_of(there) == first
    assert (await there.import_lines([_as_once(line) for line in first])).rows == 0


def _as_once(text):
    line = json.loads(text)
    row = line.get("row", {})
    if line.get("table") == "checkpoint":
        return json.dumps({**line, "row": {**row, "kind": "graph"}})
    if line.get("table") != "checkpoint_state":
        return text
    former = {"kind": "state", "namespace": "", "id": f"{row.pop('version'):018}", "parent_id": None, "type": "json"}
    bare = {"metadata": {}, "run_id": None, "channels": [], "versions": []}
    return json.dumps({**line, "table": "checkpoint", "row": row | former | bare})


async def test_an_export_becomes_somebody_elses_space(mind, clock):
    me = await rich(mind, clock)
    other = mind.scope(user_id="bob", agent_id="planner")
    await other.import_lines(await lines_of(me))
    await mind.drain()
    assert [c.thread_id for c in await other.conversations()] == ["chat"]
    [hit] = await other.search("two boats", limit=1, kinds=["statement"])
    assert hit.memory.content == "Alice owns two boats."
    assert len(await lines_of(other)) > 100


async def test_what_is_sensitive_is_exported_for_who_may_see_it(mind):
    me = mind.scope(user_id="alice")
    await me.ingest("Zelda Quist has a secret ailment.", sensitivity="high")
    await me.ingest("The bridge is closed.")
    await mind.drain()
    assert not any("ailment" in line for line in await lines_of(me))
    assert any("ailment" in line for line in await lines_of(mind.scope(user_id="alice", sensitivity="high")))


async def test_bad_lines_write_nothing(mind, clock):
    me = mind.scope(user_id="alice")
    await me.add("One.")
    lines = await lines_of(me)
    other = mind.scope(user_id="bob")
    for wrong in ("{", "[]", '{"record": "row", "table": "poem", "row": {}}', '{"record": "key", "key": "1"}'):
        with pytest.raises(InvalidInput):
            await other.import_lines([*lines[:-1], wrong, lines[-1]])
    bad = '{"record": "row", "table": "memory", "row": {"colour": 1}}'
    with pytest.raises(InvalidInput, match="colour"):
        await other.import_lines([*lines[:-1], bad, lines[-1]])
    assert not await other.get_all()


async def test_a_thread_of_another_conversation_is_refused(mind):
    me, other = mind.scope(user_id="alice"), mind.scope(user_id="bob")
    for scope in (me, other):
        await (await scope.conversation("chat")).add("user", "Hello.")
    with pytest.raises(Conflict, match="chat"):
        await other.import_lines(await lines_of(me))


@pytest.mark.once
async def test_an_old_export_does_not_bring_back_what_was_forgotten(mind, clock):
    me = await rich(mind, clock)
    chat = await me.conversation("other")
    await chat.add("user", "Zelda Quist is my aunt. I like plums.")
    await mind.drain()
    old = await lines_of(me)
    clock.forward(days=1)
    await me.forget(person="Zelda Quist")
    await me.forget(message=("chat", 5))
    [boats] = [m for m in await me.get_all(kinds=["statement"]) if "two boats" in m.content]
    await me.forget(boats.id)
    await mind.drain()
    kept = dumps.carrying(mind.database_url, "zelda", "quist", "house 4.", "two boats", "a boat")
    assert kept == []
    done = await me.import_lines(old)
    await mind.drain()
    assert done.forgotten > 0
    left = dumps.carrying(mind.database_url, "zelda", "quist", "house 4.", "two boats", "a boat")
    assert left == [], "\n".join(left)
    assert (await me.search("The bridge 3 is closed.", limit=1))[0].memory.content.endswith("The bridge 3 is closed.")


async def test_an_old_export_brings_no_vectors_of_what_a_memory_said_before(mind):
    """A memory that is there stays as it is, and so do its passages and former versions."""
    me = mind.scope(user_id="alice")
    rest = " ".join(f"The meter of house {number} shows {number * 7} today." for number in range(60))
    about = " ".join(f"Zelda Quist painted {number} pelicans with walnut ink." for number in range(60))
    memory = await me.add(f"{rest} {about}", kind="episode")
    lines = [line async for line in me.export()]
    await me.forget(person="Zelda Quist")
    before = dumps.dumped(mind.database_url)["recollect.entry"]
    imported = await me.import_lines(lines)
    await mind.drain()
    assert imported.rows == 0
    assert dumps.dumped(mind.database_url)["recollect.entry"] == before
    assert (await me.get(memory.id)).content == rest


async def test_everything_stays_forgotten_but_what_came_later(mind, clock):
    me = mind.scope(user_id="alice")
    await me.add("Alice owned a zebra.")
    await (await me.conversation("a")).add("user", "I had a zebra.")
    await mind.drain()
    old = await lines_of(me)
    clock.forward(days=1)
    await me.forget(everything=True)
    clock.forward(days=1)
    await me.add("Alice keeps bees.")
    await mind.drain()
    new = await lines_of(me)
    for lines in (old, new):
        await me.import_lines(lines)
        await mind.drain()
    assert dumps.carrying(mind.database_url, "zebra") == []
    assert [m.content for m in await me.get_all(kinds=["statement"])] == ["Alice keeps bees."]


@pytest.mark.local
async def test_a_backup_is_restored_and_forgets_again(mind, elsewhere, clock, tmp_path):
    me = await rich(mind, clock)
    bob = mind.scope(user_id="bob")
    await bob.add("Bob likes rain.")
    file = tmp_path / "all.jsonl"
    done = await mind.backup(file)
    assert done.spaces == 2
    assert file.stat().st_mode & 0o777 == 0o600
    first = await lines_of(me)
    restored = await elsewhere.restore(file)
    assert (restored.spaces, restored.present, restored.forgotten) == (2, 0, 0)
    assert await lines_of(elsewhere.scope(user_id="alice", agent_id="planner")) == first
    assert [m.content for m in await elsewhere.scope(user_id="bob").get_all()] == ["Bob likes rain."]
    # Forgotten since: a restore of the old backup does not bring it back.
    clock.forward(days=1)
    await me.forget(person="Zelda Quist")
    await mind.drain()
    again = await mind.restore(file)
    await mind.drain()
    assert again.forgotten > 0
    assert dumps.carrying(mind.database_url, "zelda", "quist") == []


@pytest.mark.local
async def test_a_backup_that_was_cut_off_or_changed_is_refused(mind, elsewhere, tmp_path):
    await mind.scope(user_id="alice").add("Alice keeps bees.")
    file = tmp_path / "all.jsonl"
    await mind.backup(file)
    whole = file.read_text()
    for wrong in (
        "",
        "{}\n",
        whole[: len(whole) // 2],
        whole.rsplit("\n", 2)[0] + "\n",
        whole.replace("bees", "wasps"),
        whole.replace('"version": 1', '"version": 9', 1),
    ):
        file.write_text(wrong)
        with pytest.raises(InvalidInput, match="file"):
            await elsewhere.restore(file)
    with pytest.raises(InvalidInput, match="file"):
        await elsewhere.restore(tmp_path / "nowhere")
    assert not await elsewhere.scope(user_id="alice").get_all()
