"""The daily consolidation: what says the same becomes one, once, and what does not stays two."""

import json
from datetime import timedelta

import psycopg
import pytest
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

from recollect.core.errors import Conflict

JOB = "daily_consolidation"
TEA = "Alice prefers tea to coffee."
AGAIN = "Alice prefers tea to coffee in the morning."


@pytest.fixture
async def local(open_recollect):
    """With the real embedder: nearness is what it is for users."""
    return await open_recollect(embedder="recollect-recall-v2")


def rows(rc, query, *values):
    with psycopg.connect(rc.database_url, autocommit=True, options="-c search_path=recollect,public") as owner:
        return owner.execute(query, values).fetchall()


async def contents(me):
    return sorted(memory.content for memory in await me.get_all(kinds=["statement"]))


async def test_the_same_said_twice_becomes_one_and_can_be_had_back(local):
    me = local.scope(user_id="alice")
    first = await me.add(TEA, type="preference")
    second = await me.add("Alice prefers tea over coffee.", type="preference")
    other = await me.add("Alice plays the cello.", type="fact")
    counts = await local.run_job(JOB)
    assert (counts["seen"], counts["merged"]) == (1, 1)
    left = {memory.id for memory in await me.get_all(kinds=["statement"])}
    assert other.id in left
    assert len(left & {first.id, second.id}) == 1
    [kept], [gone] = left & {first.id, second.id}, {first.id, second.id} - left
    [line] = [line for line in await me.history(kept) if line.event == "MERGE"]
    assert line.detail == {"merged": str(gone)}
    assert "similarity" in line.reason
    assert [line.event for line in await me.history(gone)] == ["ADD", "MERGE"]
    assert (await me.get(gone)).state == "soft_deleted"
    await me.restore(gone)
    assert await local.run_job(JOB) | {"merged": 0} == await local.run_job(JOB)
    assert {memory.id for memory in await me.get_all(kinds=["statement"])} == {first.id, second.id, other.id}


async def test_the_change_log_tells_of_what_was_kept(local):
    me = local.scope(user_id="alice")
    await me.add(TEA, type="preference")
    await me.add("Alice prefers tea over coffee.", type="preference")
    await local.run_job(JOB)
    [[event, state]] = rows(
        local,
        "select c.event, u.state from change_log c"
        " join memory_use u on u.space_id = c.space_id and u.memory_id = c.memory_id"
        " order by c.revision desc limit 1",
    )
    assert (event, state) == ("merged", "candidate")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice takes 5 mg of Ramipril a day.", "Alice takes 10 mg of Ramipril a day."),
        ("Alice is allergic to nuts.", "Alice is not allergic to nuts."),
        ("The review is on 2026-03-09.", "The review is on 2026-03-16."),
        ("Alice works at Acme.", "Alice used to work at Acme."),
        ("Alice's sister lives in Porto.", "Alice's brother lives in Porto."),
    ],
)
async def test_what_differs_stays_two(local, one, other):
    me = local.scope(user_id="alice")
    await me.add(one)
    await me.add(other)
    assert (await local.run_job(JOB))["merged"] == 0
    assert await contents(me) == sorted([one, other])


async def test_what_is_pinned_is_kept_and_of_two_pinned_ones_both(local):
    me = local.scope(user_id="alice")
    await me.add(TEA, type="preference")
    pinned = await me.add("Alice prefers tea over coffee.", type="preference", pinned=True)
    assert (await local.run_job(JOB))["merged"] == 1
    assert [memory.id for memory in await me.get_all(kinds=["statement"])] == [pinned.id]
    await me.add("Alice prefers tea rather than coffee.", type="preference", pinned=True)
    assert (await local.run_job(JOB))["merged"] == 0


async def test_what_a_caller_put_on_a_memory_is_not_lost(local):
    me = local.scope(user_id="alice")
    await me.add(TEA, type="preference", metadata={"from": "a"})
    await me.add("Alice prefers tea over coffee.", type="preference", metadata={"from": "b"})
    assert (await local.run_job(JOB))["merged"] == 0


async def test_sensitivity_and_space_part_what_says_the_same(local):
    me, bob = local.scope(user_id="alice"), local.scope(user_id="bob")
    await me.add(TEA, type="preference")
    await bob.add(TEA, type="preference")
    second = await me.add("Alice prefers tea over coffee.", type="preference")
    rows(local, "update memory set sensitivity = 'high' where id = %s returning id", second.id)
    assert (await local.run_job(JOB))["merged"] == 0


async def test_a_day_has_its_cap_and_the_next_day_goes_on(open_recollect, clock):
    rc = await open_recollect(embedder="recollect-recall-v2", daily_pairs=1)
    me = rc.scope(user_id="alice")
    for thing in ("tea", "rice", "swimming"):
        await me.add(f"Alice really likes {thing}.", type="preference")
        await me.add(f"Alice likes {thing} a lot.", type="preference")
    assert (await rc.run_job(JOB))["seen"] == 1
    assert (await rc.run_job(JOB))["seen"] == 0
    clock.forward(days=5)  # nothing changed of late, but pairs are left
    assert (await rc.run_job(JOB))["seen"] == 1


async def test_a_pair_is_not_compared_again_for_a_fortnight(local, clock):
    me = local.scope(user_id="alice")
    await me.add("Alice is allergic to nuts.")
    await me.add("Alice is not allergic to nuts.")
    assert (await local.run_job(JOB))["seen"] == 1
    clock.forward(days=1)
    assert (await local.run_job(JOB))["seen"] == 0
    clock.forward(days=14)
    await me.add("Alice plays the cello.")
    assert (await local.run_job(JOB))["seen"] == 1


async def test_what_is_old_or_nobody_would_miss_is_left_alone(local, clock):
    me = local.scope(user_id="alice")
    await me.add(TEA, type="preference")
    await me.add("Alice prefers tea over coffee.", type="preference")
    clock.forward(days=91)
    await me.add("Alice prefers tea, not coffee.", type="preference")
    assert (await local.run_job(JOB))["seen"] == 0


async def test_what_is_in_project_talk_stays_there_when_its_message_is_taken_back(open_recollect, clock):
    """The witnesses of both stand for what is kept: it goes when all of them are taken back, and not before."""
    rc = await open_recollect(embedder="recollect-recall-v2", understand=True)
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    await chat.add("user", "We decided to use PostgreSQL for billing.")
    await rc.drain()
    clock.forward(days=1)
    [said] = await me.get_all(kinds=["statement"])
    copied = await me.add(said.content, type=said.type, tags=["billing"])  # which says more: another memory
    assert (await rc.run_job(JOB))["merged"] == 1
    [kept] = await me.get_all(kinds=["statement"])
    assert kept.id == copied.id
    assert kept.data["messages"] == said.data["messages"]


class Judge:
    """A model that takes all pairs for the same, and counts how often it is asked."""

    def __init__(self, answer=None):
        self.prompts = []
        self.answer = answer

    def __call__(self, messages, info):
        prompt = "".join(str(part.content) for message in messages for part in message.parts)
        self.prompts.append(prompt)
        pairs = [{"pair": number, "verdict": "same"} for number in range(1, prompt.count("<older>") + 1)]
        return ModelResponse(parts=[TextPart(self.answer or json.dumps({"pairs": pairs}))])

    @property
    def model(self):
        return FunctionModel(self, model_name="judge")


async def test_a_model_is_asked_of_several_pairs_at_once(open_recollect, monkeypatch):
    monkeypatch.setattr("recollect.providers.comparing.same", lambda one, other: 0.0)
    judge = Judge()
    rc = await open_recollect(embedder="recollect-recall-v2", model=judge.model)
    me = rc.scope(user_id="alice")
    await me.add("Maeve is widowed.")
    await me.add("Maeve's husband has died.")
    await me.add("Magnus is afraid of flying.")
    await me.add("Getting on a plane terrifies Magnus.")
    counts = await rc.run_job(JOB)
    assert (counts["merged"], len(judge.prompts)) == (2, 1)
    assert judge.prompts[0].count("<older>") == 2


@pytest.mark.parametrize("answer", ["I would rather not.", '{"pairs": [{"pair": 9, "verdict": "same"}]}'])
async def test_where_a_model_answers_garbage_the_test_decides(open_recollect, answer):
    judge = Judge(answer)
    rc = await open_recollect(embedder="recollect-recall-v2", model=judge.model)
    me = rc.scope(user_id="alice")
    await me.add(TEA, type="preference")
    await me.add("Alice prefers tea over coffee.", type="preference")
    await me.add("Alice has two sons.")
    await me.add("Alice has two daughters.")
    assert (await rc.run_job(JOB))["merged"] == 1
    assert len(await contents(me)) == 3


async def test_a_model_cannot_make_one_of_what_contradicts(open_recollect):
    rc = await open_recollect(embedder="recollect-recall-v2", model=Judge().model)
    me = rc.scope(user_id="alice")
    await me.add("Alice is allergic to nuts.")
    await me.add("Alice is not allergic to nuts.")
    assert (await rc.run_job(JOB))["merged"] == 0


async def test_somebody_who_changes_one_of_a_pair_meanwhile_is_heard(local, monkeypatch):
    from recollect.flows import daily

    me = local.scope(user_id="alice")
    first = await me.add(TEA, type="preference")
    await me.add("Alice prefers tea over coffee.", type="preference")
    judged = daily._judged

    async def changed(parts, pairs):
        await me.update(first.id, content="Alice prefers coffee to tea.")
        return await judged(parts, pairs)

    monkeypatch.setattr(daily, "_judged", changed)
    assert (await local.run_job(JOB))["merged"] == 0
    assert len(await contents(me)) == 2


async def test_what_was_merged_says_so_to_who_would_change_it(local):
    me = local.scope(user_id="alice")
    ids = [(await me.add(text, type="preference")).id for text in (TEA, "Alice prefers tea over coffee.")]
    await local.run_job(JOB)
    [gone] = [id for id in ids if (await me.get(id)).state == "soft_deleted"]
    with pytest.raises(Conflict):
        await me.update(gone, content="Alice prefers water.")
    assert (await me.get(gone)).purge_at == local.parts.clock() + timedelta(days=30)
