"""What document D promises of how memories end, what is told of them, and states: its sections 7, 8 and 15."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from conftest import MovedClock, Opener
from recollect import NotFound, Recollect
from recollect.adapters.langgraph import RecollectSaver
from recollect.memory import ScopedMemory
from seeding import Garden
from stopping_graph import LONG, config, counting

BOAT = "The old rowing boat lies upside down behind the shed."


async def learned(rc: Recollect, text: str = BOAT, **given: Any) -> UUID:
    """Something that nobody wrote by hand, of little importance."""
    return await Garden(rc, "user:ana").memory("statement", text, type="fact", **({"importance": 0.2} | given))


class Test7TtlAndSoftDelete:
    """No soft-deleted items in context; purge job removes post `purge_at`."""

    async def test_after_60_days_what_is_light_and_not_pinned_is_soft_deleted_for_30(
        self, rc: Recollect, clock: MovedClock
    ) -> None:
        light = await learned(rc)
        weighty = await learned(rc, "The new rowing boat is in the harbour.", importance=0.4)
        pinned = await learned(rc, "The spare oars of the rowing boat are blue.", use={"pinned": True})
        clock.forward(days=59, hours=23)
        assert (await rc.run_job("forgetting")).get("soft_deleted", 0) == 0
        clock.forward(hours=1)
        assert (await rc.run_job("forgetting"))["soft_deleted"] == 1
        me = rc.scope(user_id="ana")
        gone = await me.get(light)
        assert (gone.state, gone.purge_at) == ("soft_deleted", clock.now + timedelta(days=30))
        assert {(await me.get(id)).state for id in (weighty, pinned)} == {"candidate"}

    async def test_nothing_soft_deleted_is_in_a_context_or_any_other_answer(
        self, rc: Recollect, clock: MovedClock
    ) -> None:
        me = rc.scope(user_id="ana", agent_id="supervisor")
        forgotten, deleted = await learned(rc), (await me.add("The rowing boat was built by Ana's uncle.")).id
        chat = await me.conversation("thread-1")
        question = "What is known of the old rowing boat?"
        assert await self._told(me, question) == {forgotten, deleted}
        await (await chat.context(question)).ack()  # the reader knows of both
        clock.forward(days=61)
        await rc.run_job("forgetting")
        await me.delete(deleted)
        context = await chat.context(question)
        assert context.hits == ()
        body, header = _parted(context.text)
        assert "rowing" not in body.replace(question, "")
        assert header.count("soft_deleted: ") + header.count("−deleted: ") == 2  # the transition is told, once
        await context.ack()
        assert "rowing" not in (await chat.context(question)).text.replace(question, "")
        assert await self._told(me, question) == set()
        await me.restore(forgotten)
        assert BOAT in (await chat.context(question)).text
        assert await self._told(me, question) == {forgotten}

    @staticmethod
    async def _told(me: ScopedMemory, question: str) -> set[UUID]:
        """What searches, queries and lists answer; they all say the same."""
        found = {hit.memory.id for hit in await me.search(question)}
        assert {bullet.id for bullet in await me.query(question, top_k=10)} == found
        assert {hit.memory.id for hits in await me.search_many([{"query": question}]) for hit in hits} == found
        assert {memory.id for memory in await me.get_all(include=["archived", "expired"])} == found
        return found

    async def test_purge_removes_it_after_purge_at_and_not_before(self, rc: Recollect, clock: MovedClock) -> None:
        me = rc.scope(user_id="ana")
        id = (await me.add(BOAT)).id
        await me.delete(id)
        clock.forward(days=30, seconds=-1)
        assert (await rc.run_job("purge")).get("purged", 0) == 0
        assert (await me.get(id)).state == "soft_deleted"
        clock.forward(seconds=1)
        assert (await rc.run_job("purge"))["purged"] == 1
        with pytest.raises(NotFound):
            await me.get(id)
        with pytest.raises(NotFound):
            await me.restore(id)
        assert BOAT not in "".join([line async for line in me.export()])


def _parted(text: str) -> tuple[str, str]:
    """A context without its delta header, and that."""
    before, mark, rest = text.partition("Memory updates since rev ")
    header, _, after = rest.partition("\n\n")
    return before + after, mark + header


class Test8AuditHistoryLog:
    """Events recorded for all write operations; exportable per user."""

    async def test_every_event_of_the_document_is_recorded(self, open_recollect: Opener, clock: MovedClock) -> None:
        """ADD, UPDATE, DELETE, MERGE, LINK, TTL, RESTORE; that every verb leaves a line: test_every_write."""
        rc = await open_recollect(embedder="recollect-recall-v2")
        me = rc.scope(user_id="ana")
        tea = await me.add("Ana prefers tea to coffee.", type="preference")
        again = await me.add("Ana prefers tea over coffee.", type="preference")  # a neighbour: LINK
        await rc.run_job("daily_consolidation")  # MERGE
        boat = await me.add(BOAT, ttl_policy="ephemeral")
        await me.update(boat.id, content="The old boat is painted green.")
        await me.delete(boat.id)
        await me.restore(boat.id)
        clock.forward(days=90)
        await rc.run_job("decay")  # TTL
        told = [(line.event, line.actor) for line in await me.history(boat.id)]
        assert told == [("ADD", "ana"), ("UPDATE", "ana"), ("DELETE", "ana"), ("RESTORE", "ana"), ("TTL", "recollect")]
        events = {line.event for each in (tea, again) for line in await me.history(each.id)}
        assert events == {"ADD", "LINK", "MERGE"}
        times = [line.at for line in await me.history(boat.id)]
        assert times == sorted(times)

    async def test_the_history_is_exported_with_its_user_and_no_other(
        self, rc: Recollect, open_recollect: Opener
    ) -> None:
        ana, bea = rc.scope(user_id="ana"), rc.scope(user_id="bea")
        mine, theirs = (await ana.add(BOAT)).id, (await bea.add("Bea owns a kite.")).id
        await ana.update(mine, content="The old rowing boat is sold.")
        await bea.delete(theirs)
        lines = [line async for line in ana.export()]
        history = [line for line in map(json.loads, lines) if line.get("table") == "history"]
        assert [(line["row"]["memory_id"], line["row"]["event"]) for line in history] == [
            (str(mine), "ADD"),
            (str(mine), "UPDATE"),
        ]
        assert str(theirs) not in "".join(lines)


STATE = {
    "graph": {"node": "plan", "step": 4},
    "memory_context": ["Ana prefers tea to coffee."],
    "conversation": [{"role": "user", "content": "Où est le thé ?"}],
    "agents": {"planner": {"open": ["tasks"]}, "executor": None},
}


class Test15SupervisorCheckpointer:
    """Checkpoints persist across service restarts; no data loss during migration; times: `recollect bench`."""

    async def test_a_state_persists_across_a_restart(self, open_recollect: Opener) -> None:
        first = await open_recollect()
        await first.scope(user_id="ana", thread_id="thread-1").save_checkpoint(STATE)
        await first.close()
        second = await open_recollect()
        assert await second.scope(user_id="ana", thread_id="thread-1").load_checkpoint() == STATE
        assert await second.scope(user_id="ana", thread_id="thread-2").load_checkpoint() is None

    async def test_a_graph_goes_on_where_it_stood(self, open_recollect: Opener) -> None:
        first = await open_recollect()
        saver = RecollectSaver(first.scope(user_id="ana"))
        await counting(saver).ainvoke({"messages": ["begin"], "count": 0}, config())
        await first.close()
        saver = RecollectSaver((await open_recollect()).scope(user_id="ana"))
        done = await counting(saver).ainvoke(Command(resume="yes"), config())
        assert done == {"messages": ["begin", f"first {LONG}", "second: yes"], "count": 2}

    async def test_nothing_is_lost_on_the_way_from_a_checkpointer_in_memory(self, rc: Recollect) -> None:
        """All threads of it with all their versions and open writes; a graph that waited there goes on here."""
        old = InMemorySaver()
        for thread in ("t", "other"):
            await counting(old).ainvoke({"messages": [thread], "count": 0}, config(thread))
        done = await counting(old).ainvoke(Command(resume="yes"), config("other"))
        new = RecollectSaver(rc.scope(user_id="ana"))
        for kept in reversed([each async for each in old.alist(None)]):
            await _carry(new, kept)
        for thread in ("t", "other"):
            before = [each async for each in old.alist(config(thread))]
            after = [each async for each in new.alist(config(thread))]
            assert len(after) == len(before) >= 3
            for one, other in zip(before, after, strict=True):
                assert _told(one) == _told(other)
        assert (await counting(new).aget_state(config("other"))).values == done
        assert (await counting(new).aget_state(config("t"))).next == ("second",)
        finished = await counting(new).ainvoke(Command(resume="yes"), config("t"))
        assert finished == {"messages": ["t", f"first {LONG}", "second: yes"], "count": 2}


async def _carry(saver: RecollectSaver, kept: Any) -> None:
    """One version with its open writes, as a script that moves house would."""
    place = kept.parent_config or {"configurable": {**kept.config["configurable"], "checkpoint_id": None}}
    written = await saver.aput(place, kept.checkpoint, kept.metadata, kept.checkpoint["channel_versions"])
    by_task: dict[str, list[tuple[str, Any]]] = {}
    for task, channel, value in kept.pending_writes or ():
        by_task.setdefault(task, []).append((channel, value))
    for task, writes in by_task.items():
        await saver.aput_writes(written, writes, task)


def _told(kept: Any) -> Any:
    writes = sorted(map(repr, kept.pending_writes or ()))
    return kept.checkpoint, kept.metadata, kept.config["configurable"]["checkpoint_id"], writes
