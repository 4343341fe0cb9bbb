"""LangGraph's checkpointer: its own conformance suite, real graphs, and what only Recollect promises."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from conftest import Opener
from recollect import InvalidInput, NotAllowed, Recollect, RecollectError
from recollect import sync as blocking
from recollect.adapters.langgraph import RecollectSaver
from stopping_graph import LONG, State, config, counting


def saver_of(rc: Recollect, user: str = "alice", **more: Any) -> RecollectSaver:
    return RecollectSaver(rc.scope(user_id=user), **more)


@pytest.mark.parametrize("capability", [capability.value for capability in Capability])
async def test_the_conformance_suite(rc: Recollect, capability: str) -> None:
    """Of langgraph-checkpoint-conformance; each capability is there, and each of its tests passes."""

    @checkpointer_test(name="RecollectSaver")
    async def made() -> AsyncIterator[RecollectSaver]:
        yield saver_of(rc, uuid4().hex)

    report = await validate(made, capabilities={capability})
    result = report.results[capability]
    assert result.failures == []
    assert result.passed is True
    assert result.tests_passed >= 5


async def test_a_graph_goes_on_after_a_restart(open_recollect: Opener) -> None:
    """Everything is opened anew: Recollect, the saver, the graph."""
    opened = await open_recollect()
    paused = await counting(saver_of(opened)).ainvoke({"messages": ["begin"], "count": 0}, config())
    assert [asked.value for asked in paused["__interrupt__"]] == ["go on?"]
    await opened.close()
    graph = counting(saver_of(await open_recollect()))
    assert (await graph.aget_state(config())).next == ("second",)
    done = await graph.ainvoke(Command(resume="yes"), config())
    assert done == {"messages": ["begin", f"first {LONG}", "second: yes"], "count": 2}


_PROCESS = """
import asyncio, sys
sys.path[:0] = sys.argv[3:]
from langgraph.types import Command
from recollect import Recollect
from recollect.adapters.langgraph import RecollectSaver
from stopping_graph import config, counting

async def main():
    async with Recollect.open(database_url=sys.argv[1], data_dir=sys.argv[2], embedder="fake", worker=False) as rc:
        graph = counting(RecollectSaver(rc.scope(user_id="alice")))
        begun = (await graph.aget_state(config())).next
        given = Command(resume="yes") if begun else {"messages": ["begin"], "count": 0}
        print((await graph.ainvoke(given, config()))["count"])

asyncio.run(main())
"""


def test_a_graph_goes_on_in_another_process(database_url: str, tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", _PROCESS, database_url, str(tmp_path), tests]
    ends = [subprocess.run(command, capture_output=True, text=True, check=False, timeout=120) for _ in range(2)]
    assert [(end.stdout, end.returncode) for end in ends] == [("1\n", 0), ("2\n", 0)], ends


async def test_time_travel_and_forks(rc: Recollect) -> None:
    graph = counting(saver_of(rc))
    await graph.ainvoke({"messages": ["begin"], "count": 0}, config())
    history = [state async for state in graph.aget_state_history(config())]
    assert [state.metadata["step"] for state in history] == [1, 0, -1]
    forked = await graph.aupdate_state(history[1].config, {"count": 40}, as_node="first")
    done = await graph.ainvoke(None, forked)
    assert done["count"] == 40
    state = await graph.aget_state(history[0].config)
    assert state.values["count"] == 1
    assert state.values["messages"] == ["begin", f"first {LONG}"]


async def test_subgraphs_have_namespaces(rc: Recollect) -> None:
    inner = StateGraph(State)
    inner.add_node("work", lambda state: {"messages": ["inner"], "count": interrupt("inner?")})
    inner.add_edge(START, "work")
    outer = StateGraph(State)
    outer.add_node("inner", inner.compile())
    outer.add_edge(START, "inner")
    saver = saver_of(rc)
    graph = outer.compile(checkpointer=saver)
    await graph.ainvoke({"messages": [LONG], "count": 0}, config())
    namespaces = {found.config["configurable"]["checkpoint_ns"] async for found in saver.alist(config())}
    assert len(namespaces) == 2
    done = await graph.ainvoke(Command(resume=7), config())
    assert done["count"] == 7


async def test_a_large_value_is_written_once(rc: Recollect) -> None:
    """Whatever the number of checkpoints that have it; also for a saver that did not write it."""
    saver = saver_of(rc)
    parent = config(checkpoint_ns="")
    for step in range(5):
        if step == 3:
            saver = saver_of(rc)
        checkpoint = empty_checkpoint()
        checkpoint["channel_values"] = {"same": [LONG], "other": [LONG, step], "small": [step], "plain": "x"}
        checkpoint["channel_versions"] = {"same": "1", "other": f"{step}", "small": f"{step}", "plain": "1"}
        new = {"other": f"{step}", "small": f"{step}"} | ({"same": "1", "plain": "1"} if step == 0 else {})
        parent = await saver.aput(parent, checkpoint, {"step": step}, new)  # type: ignore[typeddict-item]
    async with rc.parts.database.owner() as owner:
        cursor = await owner.execute("select channel, count(*) from recollect.checkpoint_value group by channel")
        assert dict(await cursor.fetchall()) == {"same": 1, "other": 5}
    found = [each.checkpoint["channel_values"] async for each in saver.alist(config())]
    assert [values["other"][1] for values in found] == [4, 3, 2, 1, 0]
    assert all(values["same"] == [LONG] and values["plain"] == "x" for values in found)
    await saver.aprune(["t"])
    async with rc.parts.database.owner() as owner:
        cursor = await owner.execute("select channel, version from recollect.checkpoint_value order by channel")
        assert await cursor.fetchall() == [("other", "4"), ("same", "1")]
    latest = await saver.aget_tuple(config())
    assert latest is not None
    assert latest.checkpoint["channel_values"] == {"same": [LONG], "other": [LONG, 4], "small": [4], "plain": "x"}
    assert latest.parent_config is None


async def test_a_thread_that_is_taken_away_while_a_graph_runs_loses_nothing_later(rc: Recollect) -> None:
    """What the graph goes on with is written again, also what did not change."""
    saver, other, place = saver_of(rc), saver_of(rc), config("one")
    notes, versions = ["I met nobody. " * 200], {"notes": "1", "who": "1"}
    begun = empty_checkpoint() | {"channel_values": {"notes": notes, "who": "Tom"}, "channel_versions": versions}
    at = await saver.aput(place, begun, {"source": "input", "step": 0}, versions)
    await other.adelete_thread("one")
    later = empty_checkpoint() | {
        "channel_values": {"notes": notes, "who": "Ann"},
        "channel_versions": versions | {"who": "2"},
    }
    await saver.aput(at, later, {"source": "loop", "step": 1}, {"who": "2"})
    found = await other.aget_tuple(place)
    assert found is not None
    assert found.checkpoint["channel_values"] == {"notes": notes, "who": "Ann"}


async def test_other_users_do_not_see_it(rc: Recollect) -> None:
    mine, theirs = saver_of(rc), saver_of(rc, "bob")
    await counting(mine).ainvoke({"messages": ["mine"], "count": 0}, config())
    assert await theirs.aget_tuple(config()) is None
    assert [found async for found in theirs.alist(None)] == []
    await theirs.adelete_thread("t")
    await theirs.aprune(["t"], strategy="delete")
    await theirs.acopy_thread("t", "stolen")
    assert [found async for found in theirs.alist(None)] == []
    assert len([found async for found in mine.alist(None)]) == 3


async def test_an_agent_that_sees_some_categories_has_its_own_threads(open_recollect: Opener) -> None:
    rc = await open_recollect(categories="allowlists:\n  planner: [goals]\n")
    await counting(saver_of(rc)).ainvoke({"messages": ["begin"], "count": 0}, config())
    mine = RecollectSaver(rc.scope(user_id="alice", agent_id="planner"))
    theirs, own = config(), {"configurable": {"thread_id": "own"}}
    thread = theirs["configurable"]["thread_id"]
    for asked in (
        mine.aget_tuple(theirs),
        anext(mine.alist(theirs)),
        anext(mine.alist(None)),
        mine.adelete_thread(thread),
        mine.adelete_for_runs(["any"]),
        mine.acopy_thread(thread, "own"),
        mine.aprune([thread], strategy="delete"),
        counting(mine).ainvoke({"messages": ["begin"], "count": 0}, theirs),
    ):
        with pytest.raises(NotAllowed):
            await asked
    await counting(mine).ainvoke({"messages": ["begin"], "count": 0}, own)
    assert (await mine.aget_tuple(own)) is not None
    assert [found async for found in mine.alist(own)]
    assert (await saver_of(rc).aget_tuple(theirs)) is not None
    await mine.adelete_thread("own")


async def test_a_thread_leaves_with_all_that_it_has(rc: Recollect) -> None:
    me = rc.scope(user_id="alice", thread_id="t")
    saver = RecollectSaver(me)
    await me.save_checkpoint({"state": LONG})
    await counting(saver).ainvoke({"messages": ["begin"], "count": 0}, config())
    await counting(saver).ainvoke({"messages": ["begin"], "count": 0}, config("kept"))
    await saver.adelete_thread("t")
    assert await me.load_checkpoint() is None
    async with rc.parts.database.owner() as owner:
        for table in ("checkpoint", "checkpoint_value", "checkpoint_write"):
            cursor = await owner.execute(f"select distinct thread_id from recollect.{table}")
            assert await cursor.fetchall() == [("kept",)], table
    graph = counting(saver)
    await graph.ainvoke({"messages": ["anew"], "count": 0}, config())
    assert (await graph.aget_state(config())).values["messages"] == ["anew", f"first {LONG}"]


async def test_a_saver_of_the_asynchronous_face_serves_threads(rc: Recollect) -> None:
    graph = counting(saver_of(rc))
    given = {"messages": ["begin"], "count": 0}
    paused = await asyncio.to_thread(graph.invoke, given, config())
    assert "__interrupt__" in paused
    history = await asyncio.to_thread(lambda: list(graph.get_state_history(config())))
    assert len(history) == 3
    with pytest.raises(RecollectError, match="ainvoke"):
        graph.invoke(given, config())


async def test_a_saver_of_the_blocking_face_serves_both(database_url: str, tmp_path: Path) -> None:
    def opened() -> blocking.Recollect:
        return blocking.Recollect.open(database_url=database_url, data_dir=tmp_path, embedder="fake", worker=False)

    rc = await asyncio.to_thread(opened)
    try:
        saver = RecollectSaver(rc.scope(user_id="alice"))
        graph = counting(saver)
        await asyncio.to_thread(graph.invoke, {"messages": ["begin"], "count": 0}, config())
        done = await graph.ainvoke(Command(resume="yes"), config())
        assert done["count"] == 2
        assert len([found async for found in saver.alist(config(), limit=2)]) == 2
        await asyncio.to_thread(saver.copy_thread, "t", "copy")
        await asyncio.to_thread(saver.prune, ["copy"])
        assert len(await asyncio.to_thread(lambda: list(saver.list(config("copy"))))) == 1
        await asyncio.to_thread(saver.delete_for_runs, ["nobody's"])
        await asyncio.to_thread(saver.delete_thread, "t")
        assert await asyncio.to_thread(saver.get_tuple, config()) is None
    finally:
        await asyncio.to_thread(rc.close)


def test_a_saver_needs_the_loop_of_its_memory(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="scope"):
        RecollectSaver("alice")  # type: ignore[arg-type]


async def test_values_are_encrypted_by_an_encrypting_serializer(rc: Recollect) -> None:
    class Reversing:
        """No cipher, but one that can be told from plain text."""

        def encrypt(self, plain: bytes) -> tuple[str, bytes]:
            return "reversed", plain[::-1]

        def decrypt(self, name: str, text: bytes) -> bytes:
            return text[::-1]

    saver = saver_of(rc, serde=EncryptedSerializer(Reversing()))
    await counting(saver).ainvoke({"messages": ["secret word"], "count": 0}, config())
    latest = await saver.aget_tuple(config())
    assert latest is not None
    assert latest.checkpoint["channel_values"]["messages"][0] == "secret word"
    async with rc.parts.database.owner() as owner:
        for table in ("checkpoint", "checkpoint_value", "checkpoint_write"):
            cursor = await owner.execute(
                f"select count(*) from recollect.{table} where position('secret word'::bytea in body) > 0"
            )
            assert await cursor.fetchall() == [(0,)], table


async def test_bad_input_is_refused(open_recollect: Opener) -> None:
    saver = saver_of(await open_recollect(checkpoint_bytes=10_000))
    checkpoint = empty_checkpoint()
    with pytest.raises(InvalidInput, match="thread_id"):
        await saver.aget_tuple({"configurable": {}})
    with pytest.raises(InvalidInput, match="thread_id"):
        await saver.aput(config("two\nlines"), checkpoint, {}, {})
    with pytest.raises(InvalidInput, match="metadata"):
        await saver.aput(config(), checkpoint, {"parents": {"": "\u0000"}}, {})
    with pytest.raises(InvalidInput, match="checkpoint_id"):
        await saver.aput_writes(config(), [("a", 1)], "task")
    with pytest.raises(InvalidInput, match="thread_ids"):
        await saver.aprune("t")
    with pytest.raises(InvalidInput, match="strategy"):
        await saver.aprune(["t"], strategy="whatever")
    with pytest.raises(InvalidInput, match="run_ids"):
        await saver.adelete_for_runs("run")
    checkpoint["channel_values"], checkpoint["channel_versions"] = {"big": ["x" * 20_000]}, {"big": "1"}
    with pytest.raises(InvalidInput, match="big"):
        await saver.aput(config(), checkpoint, {}, {"big": "1"})
    assert [found async for found in saver.alist(None)] == []


async def test_threads_that_keep_changes_are_not_pruned(rc: Recollect) -> None:
    saver = saver_of(rc)
    metadata: Any = {"counters_since_delta_snapshot": {"messages": [1, 1]}}
    await saver.aput(config(), empty_checkpoint(), metadata, {})
    with pytest.raises(NotImplementedError, match="t"):
        await saver.aprune(["t"])
    assert len([found async for found in saver.alist(config())]) == 1


async def test_a_long_history_is_listed_in_pages(rc: Recollect) -> None:
    saver = saver_of(rc)
    parent = config(checkpoint_ns="")
    for step in range(120):
        parent = await saver.aput(parent, empty_checkpoint(), {"step": step, "odd": bool(step % 2)}, {})  # type: ignore[typeddict-unknown-key]
    steps = [found.metadata["step"] async for found in saver.alist(None)]
    assert steps == list(range(119, -1, -1))
    odd = [found.metadata["step"] async for found in saver.alist(config(), filter={"odd": True}, limit=55)]
    assert odd == list(range(119, 9, -2))
