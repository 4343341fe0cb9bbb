"""`query`, the one tool of agents: bullets and whole memories, budgets, filters, procedures, events."""

from datetime import timedelta
from typing import Any

import pytest

from recollect import Recollect
from recollect.context.bullets import Whole
from recollect.core.errors import InvalidInput, NotAllowed

RULES = "allowlists: {planner: [tasks, goals, procedural], stylist: [tone]}"


@pytest.fixture
async def ruled(open_recollect: Any) -> Recollect:
    return await open_recollect(categories=RULES)


async def test_bullets_have_the_form_of_document_d(rc: Recollect) -> None:
    me = rc.scope(user_id="alice")
    added = await me.add("Deploy the site\non Friday.", category="tasks")
    [bullet] = await me.query(agent="planner", query="deployment of the site", categories=["tasks"], filters={})
    assert (bullet.id, bullet.category, bullet.text) == (added.id, "tasks", "[tasks] Deploy the site on Friday.")
    assert dict(bullet) == {"id": added.id, "category": "tasks", "text": bullet.text, "related": ()}


async def test_full_gives_all_that_is_known(rc: Recollect) -> None:
    me = rc.scope(user_id="alice")
    added = await me.add("Deploy the site on Friday.", importance=0.7, metadata={"ticket": 4}, type="goal")
    [told] = await me.query("deploy", return_="full")
    assert isinstance(told, Whole)
    assert (told.text, told.metadata, told.importance, told.kind) == (added.content, {"ticket": 4}, 4, "statement")
    assert told.memory is not None
    assert told["score"] == told.score > 0


async def test_an_agent_is_held_to_its_allowlist_whoever_asks_for_it(ruled: Recollect) -> None:
    me = ruled.scope(user_id="alice")
    await me.add("Deploy the site on Friday.", category="tasks")
    await me.add("The site has a blue tone.", category="tone")
    assert [b.category for b in await me.query("site", agent="planner")] == ["tasks"]
    assert {b.category for b in await me.query("site")} == {"tasks", "tone"}
    with pytest.raises(NotAllowed, match="category tone"):
        await me.query("site", agent="planner", categories=["tone"])
    with pytest.raises(NotAllowed, match="category tone"):
        await me.query("site", agent="planner", categories=["tasks"], filters={"category": "tone"})
    with pytest.raises(NotAllowed, match="agent stranger: it is on no allowlist"):
        await me.query("site", agent="stranger")
    bound = ruled.scope(user_id="alice", agent_id="stylist")
    assert [b.category for b in await bound.query("site", agent="stylist")] == ["tone"]
    with pytest.raises(NotAllowed, match="agent planner: the scope is bound to agent stylist"):
        await bound.query("site", agent="planner")


async def test_procedures_come_only_when_they_are_asked_for(ruled: Recollect) -> None:
    me = ruled.scope(user_id="alice")
    await me.add("1. Stop the site. 2. Deploy the site.", kind="procedure")
    await me.add("Deploy the site on Friday.", category="tasks")
    assert [b.category for b in await me.query("deploy the site", agent="planner")] == ["tasks"]
    assert [b.category for b in await me.query("deploy", agent="planner", categories=["procedural"])] == ["procedural"]
    both = await me.query("deploy", categories=["procedural", "tasks"])
    assert {b.category for b in both} == {"procedural", "tasks"}
    chat = await me.conversation("t")
    assert "Stop the site" not in (await chat.context("How do I deploy the site?")).text


@pytest.mark.parametrize("form", ["bullets", "full"])
async def test_the_budget_is_kept(rc: Recollect, form: Any) -> None:
    me = rc.scope(user_id="alice")
    for number in range(12):
        await me.add(f"The anchor number {number} " + "lies in the deep blue harbour " * (number % 4 * 5 + 1))
    count = rc.parts.counter.count
    sizes = []
    for budget in (1, 10, 40, 100, 300, 2_000):
        told = await me.query("anchor", top_k=10, return_=form, budget_tokens=budget)
        texts = [text for each in told for text in (each.text, *(tied.text for tied in each.related))]
        assert count("\n".join(texts)) <= budget or not texts
        sizes.append(len(told))
    assert sizes == sorted(sizes)
    assert sizes[-1] == 10
    assert sizes[2] >= 1


async def test_what_does_not_fit_is_left_out_and_said_so(rc: Recollect) -> None:
    me = rc.scope(user_id="alice")
    await me.add("The anchor lies in the deep blue harbour, beside the old lighthouse and its keeper's boat.")
    none = await me.query("anchor", budget_tokens=5)
    assert list(none) == []
    assert "1 of 1 memories were left out" in none.warnings[0]
    [cut] = await me.query("anchor", budget_tokens=20)
    assert cut.text.startswith("[knowledge] The anchor lies")
    whole = await me.query("anchor")
    assert (len(whole), whole.warnings) == (1, ())


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"agent_id": "writer"}, {"agent"}),
        ({"run_id": "r1"}, {"run"}),
        ({"actor_id": "bob"}, {"bob"}),
        ({"user_id": "bob"}, {"bob"}),
        ({"role": "assistant"}, {"turn"}),
        ({"category": "tasks"}, {"task"}),
        ({"category": ["tasks"]}, {"task"}),
        ({"pinned": True}, {"pinned"}),
        ({"importance_min": 5}, {"weighty"}),
        ({"importance_max": 1}, {"light"}),
        ({"importance_min": 4, "importance_max": 4}, {"four"}),
        ({"updated_after": "2026-04-01"}, {"late"}),
        ({"updated_before": "2026-03-01"}, {"early"}),
        ({"updated_after": "2026-04-01", "updated_before": None, "role": None}, {"late"}),
    ],
)
async def test_every_filter(rc: Recollect, clock: Any, filters: dict[str, Any], expected: set[str]) -> None:
    team = rc.scope(user_id="alice", project_id="boat")
    clock.forward(days=-30)
    await team.add("anchor early")
    clock.forward(days=30)
    await rc.scope(user_id="alice", project_id="boat", agent_id="writer").add("anchor agent")
    await rc.scope(user_id="alice", project_id="boat", run_id="r1").add("anchor run")
    await rc.scope(user_id="bob", project_id="boat").add("anchor bob")
    await team.add("anchor task", category="tasks")
    await team.add("anchor pinned", pinned=True)
    await team.add("anchor weighty", importance=0.9)
    await team.add("anchor four", importance=0.8)
    await team.add("anchor light", importance=0.2)
    await (await team.conversation("t")).add("assistant", "anchor turn")
    await rc.drain()
    clock.forward(days=30)
    await team.add("anchor late")
    told = await team.query("anchor", filters=filters, top_k=50)
    assert {bullet.text.split()[-1] for bullet in told} == expected


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"filters": {"colour": "red"}}, "filters.colour"),
        ({"filters": {"importance_min": 6}}, "filters.importance_min"),
        ({"filters": {"importance_max": 0.5}}, "filters.importance_max"),
        ({"filters": {"pinned": "yes"}}, "filters.pinned"),
        ({"filters": {"role": ""}}, "filters.role"),
        ({"filters": {"updated_after": "soon"}}, "updated_after"),
        ({"filters": ["pinned"]}, "filters"),
        ({"categories": "tasks"}, "categories"),
        ({"top_k": 0}, "top_k"),
        ({"return_": "json"}, "return_"),
        ({"budget_tokens": 0}, "budget_tokens"),
        ({"threshold": 2}, "threshold"),
        ({"agent": ""}, "agent"),
        ({"query": ""}, "query"),
    ],
)
async def test_bad_input_is_named(rc: Recollect, given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as error:
        await rc.scope(user_id="alice").query(**{"query": "anchor", **given})
    assert error.value.field == field


async def test_a_threshold_drops_what_has_little_to_do_with_it(rc: Recollect) -> None:
    me = rc.scope(user_id="alice")
    await me.add("The anchor lies in the harbour.")
    await me.add("Bread needs salt.")
    told = await me.query("Where does the anchor lie?", threshold=0.65)
    assert [bullet.text for bullet in told] == ["[knowledge] The anchor lies in the harbour."]


async def test_what_a_hit_is_tied_to_is_told_with_it(rc: Recollect) -> None:
    me = rc.scope(user_id="alice")
    anchor = await me.add("The anchor lies in the harbour.")
    other = await me.add("Paint dries slowly in winter.")
    third = await me.add("Green lamps stand left.")
    await me.relate(anchor.id, other.id, "depends_on", strength=0.9)
    await me.relate(third.id, anchor.id, "part_of", strength=0.5)
    [bullet] = await me.query("anchor", top_k=1)
    assert [tied.id for tied in bullet.related] == [other.id, third.id]
    chat = await me.conversation("t")
    context = await chat.context("Where does the anchor lie?")
    assert "Paint dries slowly in winter." in context.text
    await me.delete(other.id)
    [bullet] = await me.query("anchor", top_k=1)
    assert [tied.id for tied in bullet.related] == [third.id]
    assert (await me.query("anchor", top_k=1, budget_tokens=16))[0].related == ()


async def test_what_is_tied_is_as_hidden_as_anything_else(ruled: Recollect) -> None:
    me = ruled.scope(user_id="alice")
    task = await me.add("Deploy the site on Friday.", category="tasks")
    tone = await me.add("Voices are warm and low.", category="tone")
    secret = await me.add("The key lies under the mat.", category="tasks")
    for other in (tone, secret):
        await me.relate(task.id, other.id, "part_of", strength=0.9)
    await me.update(secret.id, sensitivity="high")
    [bullet] = await me.query("deploy the site", agent="planner", top_k=1)
    assert bullet.related == ()
    [bullet] = await me.query("deploy the site", top_k=1)
    assert [tied.id for tied in bullet.related] == [tone.id]
    [bullet] = await ruled.scope(user_id="alice", sensitivity="high").query("deploy the site", top_k=1)
    assert {tied.id for tied in bullet.related} == {tone.id, secret.id}


async def test_a_query_is_an_event_and_a_recall(rc: Recollect, clock: Any) -> None:
    me = rc.scope(user_id="alice")
    added = await me.add("Deploy the site on Friday.")
    await me.query("deploy")
    clock.now += timedelta(seconds=1)
    await rc.recalls.flush()
    async with rc.parts.database.transaction("user:alice") as connection:
        cursor = await connection.execute("select node, status, detail from event where op = 'query'")
        [event] = await cursor.fetchall()
    assert (event.node, event.status, event.detail) == ("hotpath", "ok", {"hits": 1})
    assert (await me.get(added.id)).access_count == 1
