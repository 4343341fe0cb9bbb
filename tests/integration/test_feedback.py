"""Feedback moves rank and confidence, is in history, and is no edit."""

import pytest

from recollect.core.errors import Conflict, InvalidInput, NotFound


async def test_useful_raises_rank_and_confidence(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice likes tea.", confidence=0.5)
    [before] = await me.search("Alice likes")
    judged = await me.feedback(added.id, "useful")
    assert (judged.confidence, round(judged.importance, 2), judged.pending) == (0.6, 0.55, False)
    [after] = await me.search("Alice likes")
    assert after.score > before.score
    line = (await me.history(added.id))[-1]
    assert (line.event, line.reason, line.actor) == ("UPDATE", "feedback: useful", "alice")


async def test_wrong_puts_a_statement_in_doubt_until_it_is_promoted(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice likes tea.")
    judged = await me.feedback(added.id, "wrong")
    assert (judged.confidence, judged.pending, judged.importance) == (0.5, True, 0.4)
    assert await me.search("tea") == []
    assert [memory.id for memory in await me.pending()] == [added.id]
    again = await me.feedback(added.id, "wrong")
    assert again.confidence == 0.25
    await me.promote(added.id)
    assert [hit.memory.id for hit in await me.search("tea")] == [added.id]


async def test_what_is_no_statement_only_loses_weight(rc):
    me = rc.scope(user_id="alice")
    fact = await me.set_profile("identity", "city", "Porto")
    judged = await me.feedback(fact.memory_ids[0], "wrong")
    assert (judged.confidence, judged.pending) == (0.5, False)
    await me.set_profile("identity", "city", "Lisbon", confidence=0.6)
    assert [each.value for each in await me.profile()] == ["Lisbon"]


async def test_a_verdict_is_no_edit(rc, clock):
    """What nobody edited may still be forgotten."""
    me = rc.scope(user_id="alice")
    added = await me.add("Alice trusts slowly.", kind="insight")
    with_hand = (await me.get(added.id)).by_hand
    await me.feedback(added.id, "useful")
    assert (await me.get(added.id)).by_hand == with_hand


async def test_what_is_refused(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice likes tea.")
    with pytest.raises(InvalidInput) as refused:
        await me.feedback(added.id, "meh")
    assert refused.value.field == "verdict"
    with pytest.raises(NotFound):
        await rc.scope(user_id="bob").feedback(added.id, "useful")
    await me.delete(added.id)
    with pytest.raises(Conflict):
        await me.feedback(added.id, "useful")


def test_at_the_terminal(run, answer):
    added = answer("add", "Alice likes tea.", "--confidence", "0.8")
    assert answer("feedback", added["id"], "useful")["confidence"] == pytest.approx(0.84)
    assert "verdict" in run("feedback", added["id"], "meh", ok=2).output
