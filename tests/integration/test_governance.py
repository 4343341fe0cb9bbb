"""Categories, allowlists and sensitivity as a reader meets them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.core.errors import InvalidInput, NotAllowed, NotFound

RULES = """
categories:
  system: [{name: profile, context: all}, {name: event, rag_length: 30}, {name: activity, rag_length: 1}]
  custom: [{name: tasks}, {name: house_rules, context: all}]
allowlists:
  planner: [goals, tasks]
  supervisor: [goals, tasks, knowledge, profile, activity, relationships, event, preferences, house_rules]
  mute: []
"""


@pytest.fixture
async def ruled(open_recollect: Any) -> Recollect:
    return await open_recollect(categories=RULES)


async def fill(rc: Recollect) -> dict[str, Any]:
    me = rc.scope(user_id="alice")
    return {
        "goal": await me.add("Alice wants to ship the boat by September.", type="goal"),
        "task": await me.add("Paint the boat blue.", category="tasks"),
        "fact": await me.add("The boat was built in 1962."),
        "taste": await me.add("Alice likes boats of wood.", type="preference"),
    }


async def test_an_agent_finds_only_what_its_allowlist_has(ruled: Recollect) -> None:
    added = await fill(ruled)
    planner = ruled.scope(user_id="alice", agent_id="planner")
    found = {hit.memory.id for hit in await planner.search("boat", limit=20)}
    assert found == {added["goal"].id, added["task"].id}
    assert {memory.id for memory in await planner.get_all()} == found
    assert (await planner.get(added["task"].id)).content == "Paint the boat blue."
    with pytest.raises(NotFound):
        await planner.get(added["fact"].id)
    everything = {hit.memory.id for hit in await ruled.scope(user_id="alice").search("boat", limit=20)}
    assert everything == {memory.id for memory in added.values()}


async def test_a_category_outside_is_refused_by_its_name(ruled: Recollect) -> None:
    planner = ruled.scope(user_id="alice", agent_id="planner")
    with pytest.raises(NotAllowed, match="category knowledge: it is not on the allowlist of agent planner") as error:
        await planner.search("boat", categories=["tasks", "knowledge"])
    assert error.value.what == "category knowledge"
    with pytest.raises(NotAllowed, match="category knowledge"):
        await planner.get_all(categories=["knowledge"])
    assert await planner.search("boat", categories=["tasks"]) == []


@pytest.mark.parametrize("agent", ["stranger", "mute"])
async def test_an_agent_on_no_list_gets_an_error_that_says_so(ruled: Recollect, agent: str) -> None:
    added = await fill(ruled)
    nobody = ruled.scope(user_id="alice", agent_id=agent)
    for asked in (
        nobody.search("boat"),
        nobody.get(added["task"].id),
        nobody.profile(),
        nobody.delete(added["task"].id),
    ):
        with pytest.raises(NotAllowed, match=f"agent {agent}: it is on no allowlist"):
            await asked
    chat = await nobody.conversation("talk")
    await chat.add("user", "I may speak, though.")
    with pytest.raises(NotAllowed, match="on no allowlist"):
        await chat.context("boat")


async def test_without_allowlists_every_agent_sees_everything(rc: Recollect) -> None:
    added = await fill(rc)
    found = await rc.scope(user_id="alice", agent_id="anybody").search("boat", limit=20)
    assert {hit.memory.id for hit in found} == {memory.id for memory in added.values()}


async def test_what_is_not_seen_cannot_be_changed_either(ruled: Recollect) -> None:
    added = await fill(ruled)
    planner = ruled.scope(user_id="alice", agent_id="planner")
    for work in (
        planner.update(added["fact"].id, content="x"),
        planner.delete(added["fact"].id),
        planner.add_note(added["fact"].id, "x"),
        planner.relate(added["task"].id, added["fact"].id, "needs"),
        planner.history(added["fact"].id),
    ):
        with pytest.raises(NotFound):
            await work
    assert await planner.delete_all() == 2
    assert len(list(await ruled.scope(user_id="alice").get_all())) == 2


async def test_the_window_of_the_own_thread_is_seen_and_no_other(ruled: Recollect) -> None:
    other = await ruled.scope(user_id="alice").conversation("elsewhere")
    await other.add("user", "The surprise party is on Friday.")
    planner = ruled.scope(user_id="alice", agent_id="planner", thread_id="plans")
    chat = await planner.conversation()
    await chat.add("user", "Let us plan the boat.")
    context = await chat.context("What do we plan?")
    assert "Let us plan the boat." in context.text
    assert [message.content for message in await chat.messages()] == ["Let us plan the boat."]
    assert [talk.thread_id for talk in await planner.conversations()] == ["plans"]
    with pytest.raises(NotAllowed, match="thread elsewhere"):
        await planner.conversation("elsewhere")
    await ruled.drain()
    assert await planner.search("party") == []
    supervisor = ruled.scope(user_id="alice", agent_id="supervisor")
    assert "party" in (await supervisor.search("party"))[0].memory.content


async def test_a_context_shows_no_more_of_a_category_than_its_length_and_all_of_one_that_is_whole(
    ruled: Recollect,
) -> None:
    me = ruled.scope(user_id="alice")
    old = await me.conversation("old")
    for number in range(4):
        await old.add("user", f"The anchor weighs {number} tons.")
    await ruled.drain()
    await me.add("Nobody smokes on board.", category="house_rules")
    await me.set_profile("preference", "tea", "green")
    chat = await me.conversation("new")
    context = await chat.context("What does the anchor weigh?")
    assert context.text.count("The anchor weighs") == 1
    assert "Nobody smokes on board." in context.text
    assert len(await me.search("anchor", limit=10, kinds=["turn"])) == 4


async def test_a_profile_that_was_shown_is_not_shown_to_an_agent_that_lost_the_right(
    open_recollect: Any, tmp_path: Path
) -> None:
    file = tmp_path / "categories.yaml"
    file.write_text("allowlists: {helper: [profile, goals]}\n")
    rc = await open_recollect(categories=file)
    me = rc.scope(user_id="alice", agent_id="helper", thread_id="t")
    await me.set_profile("identity", "name", "Alice Liddell")
    chat = await me.conversation()
    assert "Alice Liddell" in (await chat.context("Who am I?")).text
    file.write_text("allowlists: {helper: [goals]}\n")
    assert "Liddell" not in (await chat.context("Who am I?")).text
    assert await me.profile() == []


async def test_a_bad_file_is_an_error_at_open_and_an_event_later(open_recollect: Any, tmp_path: Path) -> None:
    file = tmp_path / "categories.yaml"
    file.write_text("allowlists: {planner: 1}\n")
    with pytest.raises(InvalidInput, match=r"categories: line 1: allowlists\.planner must be a list"):
        await open_recollect(categories=file)
    file.write_text("allowlists: {planner: [goals]}\n")
    rc = await open_recollect(categories=str(file))
    file.write_text("allowlists: {planner: }\n")
    planner = rc.scope(user_id="alice", agent_id="planner")
    assert await planner.search("anything") == []
    await rc.recalls.flush()
    async with rc.parts.database.transaction("user:alice") as connection:
        cursor = await connection.execute("select detail from event where op = 'categories' and status = 'error'")
        rows = await cursor.fetchall()
    assert len(rows) == 1
    assert "line 1" in rows[0].detail["problem"]


async def test_recalls_of_others_are_counted_by_whoever_writes_them(ruled: Recollect) -> None:
    """The writer is begun by one reader and writes for all of them."""
    added = await fill(ruled)
    planner, me = ruled.scope(user_id="alice", agent_id="planner"), ruled.scope(user_id="alice")
    await asyncio.gather(planner.search("boat"), me.get(added["fact"].id))
    await ruled.recalls.flush()
    assert (await me.get(added["fact"].id)).access_count == 1


async def test_a_watcher_is_told_of_nothing_that_it_does_not_see(ruled: Recollect) -> None:
    added = await fill(ruled)
    planner = ruled.scope(user_id="alice", agent_id="planner")
    changes = planner.watch(after=0)
    assert [(await anext(changes)).memory_id for _ in range(2)] == [added["goal"].id, added["task"].id]
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(changes), 0.5)
