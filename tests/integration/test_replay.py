"""Upgrade by replay: a model is configured later, reads the raw log again, and what would change is decided."""

import asyncio
import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from openai_endpoint import listening, said
from recollect import Conflict, InvalidInput, NotFound, Unavailable
from recollect.core.keyring import Keyring
from rereading import BETTER, CHOSE, DECIDED, FERRY, MONDAY, NORA, SAID, Scripted, answer_to, learned


async def talk(rc, *texts, user="alice", thread="chat-1", start=MONDAY):
    chat = await rc.scope(user_id=user).conversation(thread)
    for place, text in enumerate(texts or SAID):
        await chat.add("user", text, at=start + timedelta(hours=place))
    await rc.drain()
    return chat


def rows(rc, query):
    path = "-c search_path=recollect,recollect_queue,public"
    with psycopg.connect(rc.database_url, autocommit=True, options=path) as owner:
        cursor = owner.execute(query)
        return cursor.fetchall() if cursor.description else []


def diff(replay):
    return {(change.op, change.kind, change.before, change.after) for change in replay.changes}


def the(replay, **given):
    [found] = [c for c in replay.changes if all(getattr(c, name) == value for name, value in given.items())]
    return found


async def known(me):
    return {memory.content for memory in await me.get_all(kinds=["statement"])}


async def profile(me):
    return {fact.key: fact.value for fact in await me.profile()}


@pytest.fixture
async def upgraded(open_recollect):
    """What rules learned of the talk, and a Recollect with a model on the same database."""
    rc = await open_recollect(understand=True)
    await talk(rc)
    script = Scripted(BETTER)
    later = await open_recollect(understand=True, model=script.model)
    return later, later.scope(user_id="alice"), script


DIFF = {
    ("changed", "statement", DECIDED, CHOSE),
    ("retired", "statement", NORA, None),
    ("added", "statement", None, FERRY),
    ("retired", "profile", "Acme", None),
    ("added", "profile", None, "Acme"),
}


async def test_a_model_configured_later_shows_what_would_change_and_changes_nothing(upgraded):
    rc, me, script = upgraded
    before = await known(me), await profile(me), rows(rc, "select max(revision) from space")
    watched = []
    replay = await me.replay(progress=lambda done, total: watched.append((done, total)))
    assert diff(replay) == DIFF
    assert replay.counts == {"added": 2, "changed": 1, "retired": 2}
    assert (replay.status, replay.extractor, replay.read, replay.messages, replay.fell_back) == (
        "ready",
        "scripted",
        5,
        5,
        0,
    )
    assert watched == [(done, 5) for done in range(6)]
    assert script.asked == 5
    ferry = the(replay, after=FERRY)
    assert [(each.thread_id, each.turn) for each in ferry.messages] == [("chat-1", 3)]
    assert (ferry.reason, ferry.status, ferry.key, ferry.type) == (
        "read again, a message says so",
        "open",
        None,
        "fact",
    )
    assert (await known(me), await profile(me), rows(rc, "select max(revision) from space")) == before
    assert await me.replays() == [replay] == [await me.get_replay(replay.id)]


async def test_accepted_whole_it_holds_and_a_second_replay_finds_nothing(upgraded):
    rc, me, script = upgraded
    [decided] = [each for each in await me.get_all(kinds=["statement"]) if each.content == DECIDED]
    replay = await me.replay()
    done = await me.accept_replay(replay.id)
    assert done.status == "accepted"
    assert {change.status for change in done.changes} == {"accepted"}
    assert await known(me) == {CHOSE, FERRY}
    assert await profile(me) == {"name": "Alice", "city": "Porto", "job": "Acme"}
    [hit, *_] = await me.search("How does Alice get to work by ferry?", kinds=["statement"])
    assert hit.memory.content == FERRY
    assert hit.memory.provenance.turn == 3
    assert not hit.memory.by_hand
    now = await me.get(decided.id)
    assert (now.content, now.version, now.by_hand) == (CHOSE, decided.version + 1, False)
    assert rows(rc, "select count(*) from replay_reading") == [(0,)]
    again = await me.replay()
    assert (again.changes, again.status) == ((), "accepted")
    assert script.asked == 10


async def test_history_revision_and_change_log_name_the_replay(upgraded):
    rc, me, _ = upgraded
    replay = await me.replay()
    [(revision,)] = rows(rc, "select revision from space")
    done = await me.accept_replay(replay.id)
    for change in done.changes:
        history = await me.history(change.memory_id)
        assert any(f"replay {replay.id}" in (entry.reason or "") for entry in history), change
    told = rows(rc, f"select memory_id, event from change_log where revision > {revision}")
    assert {id for id, _ in told} == {change.memory_id for change in done.changes}
    gone = the(done, before=NORA)
    assert (gone.memory_id, "deleted") in told
    assert rows(rc, "select revision from space") > [(revision,)]
    # What was retired can be brought back, and then a person stands for it.
    await me.restore(gone.memory_id)
    assert NORA in await known(me)
    assert (await me.replay()).changes == ()


async def test_a_part_is_accepted_and_the_rest_waits_or_is_let_go(upgraded):
    _, me, script = upgraded
    replay = await me.replay()
    ferry, nora = the(replay, after=FERRY), the(replay, before=NORA)
    done = await me.accept_replay(replay.id, [ferry.id])
    assert done.status == "ready"
    assert [change.id for change in done.changes if change.status == "accepted"] == [ferry.id]
    assert await known(me) == {DECIDED, NORA, FERRY}
    assert await profile(me) == {"name": "Alice", "city": "Porto", "employer": "Acme"}
    assert [(c.id, c.status) for c in (await me.accept_replay(replay.id, [ferry.id])).changes] == [
        (c.id, c.status) for c in done.changes
    ]
    # Read again, it is the same replay without what was taken, and the model is not asked twice.
    asked = script.asked
    again = await me.replay()
    assert again.id == replay.id
    assert script.asked == asked
    assert {c.id for c in again.changes if c.status == "open"} == {c.id for c in replay.changes} - {ferry.id}
    over = await me.discard_replay(replay.id)
    assert over.status == "discarded"
    assert [change.id for change in over.changes] == [ferry.id]
    assert nora.before in await known(me)
    with pytest.raises(Conflict, match="discarded"):
        await me.accept_replay(replay.id)
    assert (await me.discard_replay(replay.id)).status == "discarded"


async def test_what_a_person_did_stays_done(upgraded):
    _, me, script = upgraded
    by_content = {each.content: each for each in await me.get_all(kinds=["statement"])}
    await me.update(by_content[DECIDED].id, importance=0.9)
    await me.update(by_content[NORA].id, pinned=True)
    await me.set_profile("identity", "employer", "Acme")
    ferry = await me.add(FERRY)
    await me.delete(ferry.id)
    city = next(fact for fact in await me.profile() if fact.key == "city")
    await me.delete(city.memory_ids[0])
    script.answers = BETTER | {"Acme": learned(facts=[("identity", "employer", "Bolt Labs", "I work at Acme")])}
    replay = await me.replay()
    assert replay.changes == ()
    assert await known(me) == {DECIDED, NORA}
    assert await profile(me) == {"name": "Alice", "employer": "Acme"}


async def test_what_a_person_does_after_the_plan_overtakes_it(upgraded):
    _, me, _ = upgraded
    replay = await me.replay()
    await me.update(the(replay, before=DECIDED).memory_id, content="The team decided on PostgreSQL 17.")
    await me.update(the(replay, before=NORA).memory_id, pinned=True)
    await me.set_profile("identity", "employer", "Acme Corporation")
    chat = await me.conversation("chat-1")
    await chat.retract(3)
    ferry = await me.add(FERRY)
    await me.delete(ferry.id)
    done = await me.accept_replay(replay.id)
    assert {(c.kind, c.before): c.status for c in done.changes} == {
        ("statement", DECIDED): "skipped",
        ("statement", NORA): "skipped",
        ("profile", "Acme"): "skipped",
        ("statement", None): "skipped",
        ("profile", None): "accepted",
    }
    assert "message" in the(done, after=FERRY).outcome
    assert "changed" in the(done, before=DECIDED).outcome
    assert await known(me) == {"The team decided on PostgreSQL 17.", NORA}
    assert (await profile(me))["employer"] == "Acme Corporation"


async def test_what_others_said_of_it_since_keeps_it(upgraded):
    rc, me, _ = upgraded
    replay = await me.replay(since=MONDAY + timedelta(hours=3))
    assert diff(replay) == {change for change in DIFF if FERRY not in change and DECIDED not in change}
    assert replay.messages == 2
    with_other = await rc.scope(user_id="alice").conversation("chat-2")
    await with_other.add("user", "I work at Acme.", at=MONDAY + timedelta(days=1))
    rows(rc, "update procrastinate_jobs set scheduled_at = now()")
    # The model of this fixture reads it as an occupation; a rule of old would have confirmed the employer.
    await rc.drain()
    done = await me.accept_replay(replay.id)
    assert the(done, kind="profile", op="added").status == "skipped"
    assert the(done, before=NORA).status == "accepted"


async def test_a_reading_that_needs_consent_becomes_a_proposal(open_recollect):
    rc = await open_recollect()
    await talk(
        rc, "The 28 tram of Lisbon is full again.", "A pastel in Lisbon, please.", "A formal letter, if it please."
    )
    guess = learned(facts=[("identity", "city", "Lisbon", "")])
    manner = learned(facts=[("preference", "tone", "formal", "")])
    for each in (guess, manner):
        each["facts"][0]["first_person"] = False
    later = await open_recollect(model=Scripted({"tram": guess, "pastel": guess, "letter": manner}).model)
    me = later.scope(user_id="alice")
    replay = await me.replay()
    assert diff(replay) == {("added", "proposal", None, "Lisbon"), ("added", "proposal", None, "formal")}
    assert [said.turn for said in the(replay, key="city").messages] == [1, 2]
    await me.accept_replay(replay.id)
    assert await me.profile() == []
    city, tone = await me.consents()
    assert [(each.key, each.value, each.signals) for each in (city, tone)] == [
        ("city", "Lisbon", 2),
        ("tone", "formal", 1),
    ]
    assert (await me.replay()).changes == ()
    # What was decided is decided, whatever is read again.
    await me.decide(city.id, accept=False)
    await me.decide(tone.id, accept=True)
    assert (await me.replay()).changes == ()
    assert await profile(me) == {"tone": "formal"}


async def test_an_unsure_reading_is_pending_and_a_sure_one_ends_the_waiting(open_recollect):
    unsure = learned(statements=[("fact", "Alice sings in a choir.", "I sing in the choir")])
    unsure["statements"][0]["confidence"] = 0.5
    sure = learned(statements=[("fact", "Alice sings in a choir.", "I sing in the choir")])
    first = Scripted({"choir": unsure, "Nora": {"facts": [], "statements": []}})
    rc = await open_recollect(understand=True, model=first.model)
    me = rc.scope(user_id="alice")
    await talk(rc, "I sing in the choir, sort of.", "Nora has a cello.")
    [waiting] = await me.pending()
    second = Scripted({"choir": sure, "cello": learned(statements=[("fact", "Nora has a cello.", "Nora has a cello")])})
    second.answers["cello"]["statements"][0]["confidence"] = 0.5
    later = await open_recollect(understand=True, model=second.model)
    me = later.scope(user_id="alice")
    replay = await me.replay()
    assert the(replay, op="changed").reason == "read again, it is sure"
    await me.accept_replay(replay.id)
    assert [each.content for each in await me.pending()] == ["Nora has a cello."]
    assert [each.id for each in await me.get_all(kinds=["statement"])] == [waiting.id]
    assert (await me.replay()).changes == ()


async def test_what_contradicts_ends_and_read_twice_stays_ended(open_recollect):
    rc = await open_recollect()
    chat = await talk(rc, "I like oysters.", "I do not like oysters.")
    script = Scripted(
        {
            "not like": learned(statements=[("preference", "Alice does not like oysters.", "I do not like oysters")]),
            "oysters": learned(statements=[("preference", "Alice likes oysters.", "I like oysters")]),
        }
    )
    later = await open_recollect(model=script.model)
    me = later.scope(user_id="alice")
    replay = await me.replay()
    assert replay.counts == {"added": 2, "changed": 0, "retired": 0}
    done = await me.accept_replay(replay.id)
    first, second = [await me.get(change.memory_id) for change in done.changes]
    assert (first.valid_until, second.valid_until) == (second.happened_at, None)
    assert (await me.replay()).changes == ()
    # Read otherwise, the second says nothing: what it had ended holds again.
    script.answers = {"I like": script.answers["oysters"]}
    again = await me.replay()
    assert diff(again) == {("retired", "statement", "Alice does not like oysters.", None)}
    await me.accept_replay(again.id)
    assert (await me.get(first.id)).valid_until is None
    assert len(await chat.messages()) == 2


async def test_long_messages_keep_their_daily_allowance(open_recollect, clock):
    rc = await open_recollect()
    filler = " Then we talked about the weather, which was fine, and about nothing else at all." * 6
    await talk(rc, "I take the ferry to work." + filler, "My office has a garden." + filler)
    script = Scripted(
        {
            "ferry": learned(statements=[("fact", FERRY, "I take the ferry to work")]),
            "garden": learned(statements=[("fact", "Alice's office has a garden.", "My office has a garden")]),
        }
    )
    later = await open_recollect(model=script.model, long_turn_daily=1)
    me = later.scope(user_id="alice")
    replay = await me.replay()
    assert replay.counts["added"] == 2
    done = await me.accept_replay(replay.id)
    assert done.status == "ready"
    assert sorted((c.status, c.outcome is not None) for c in done.changes) == [("accepted", False), ("open", True)]
    assert "allowance" in next(c.outcome for c in done.changes if c.outcome)
    clock.forward(days=1)
    assert (await me.accept_replay(replay.id)).status == "accepted"
    assert len(await known(me)) == 2


async def test_a_message_without_a_usable_answer_keeps_what_is_known_and_is_said(upgraded):
    _, me, script = upgraded
    script.garbage = "Nora"
    replay = await me.replay()
    assert diff(replay) == {change for change in DIFF if NORA not in change}
    assert (replay.fell_back, replay.read, replay.status) == (1, 5, "ready")
    # Asked once more it is asked about that message alone.
    script.garbage, script.asked = "", 0
    again = await me.replay()
    assert (again.id, again.fell_back, script.asked) == (replay.id, 0, 1)
    assert diff(again) == DIFF


async def test_a_model_out_of_reach_ends_the_run_and_the_next_goes_on(upgraded):
    _, me, script = upgraded
    script.down = True
    with pytest.raises(Unavailable, match=r"scripted failed \(ConnectionError\); 0 of 5 messages are read"):
        await me.replay()
    [waits] = await me.replays()
    assert (waits.status, waits.read, waits.messages) == ("reading", 0, 5)
    with pytest.raises(Conflict, match="not read everything"):
        await me.accept_replay(waits.id)
    script.down = False
    replay = await me.replay()
    assert (replay.id, diff(replay)) == (waits.id, DIFF)


async def test_by_rules_alone_nothing_would_change(mind):
    await talk(mind)
    replay = await mind.scope(user_id="alice").replay()
    assert (replay.extractor, replay.changes, replay.read) == ("rules", (), 5)


async def test_two_users_have_nothing_to_do_with_each_other(open_recollect):
    rc = await open_recollect(understand=True)
    await talk(rc)
    await talk(rc, user="bob", thread="chat-1")
    later = await open_recollect(understand=True, model=Scripted(BETTER).model)
    alice, bob = later.scope(user_id="alice"), later.scope(user_id="bob")
    before = await known(bob), await profile(bob)
    replay = await alice.replay()
    assert await bob.replays() == []
    for refused in (bob.get_replay, bob.accept_replay, bob.discard_replay):
        with pytest.raises(NotFound):
            await refused(replay.id)
    await alice.accept_replay(replay.id)
    assert (await known(bob), await profile(bob)) == before
    assert len((await bob.replay()).changes) == len(replay.changes)


async def test_in_a_project_facts_stay_the_users_and_statements_the_projects(open_recollect):
    rc = await open_recollect(understand=True)
    mine = rc.scope(user_id="alice", project_id="billing")
    chat = await mine.conversation("chat-1", shared=True)
    for place, text in enumerate(SAID):
        await chat.add("user", text, at=MONDAY + timedelta(hours=place))
    other = await rc.scope(user_id="bob", project_id="billing").conversation("chat-1", shared=True)
    await other.add("user", "I work at Initech.", at=MONDAY + timedelta(days=1))
    await rc.drain()
    later = await open_recollect(understand=True, model=Scripted(BETTER).model)
    mine, bobs = later.scope(user_id="alice", project_id="billing"), later.scope(user_id="bob", project_id="billing")
    replay = await mine.replay(thread="chat-1")
    assert replay.messages == 6
    assert ("retired", "profile", "Initech", None) not in diff(replay)
    assert await bobs.replays() == []
    done = await mine.accept_replay(replay.id)
    assert {change.status for change in done.changes} == {"accepted"}
    assert rows(later, "select distinct space_id from replay") == [("user:alice",)]
    assert rows(later, "select distinct space_id from memory where content = 'Alice takes the ferry to work.'") == [
        ("project:billing",)
    ]
    assert (await profile(bobs)) == {"employer": "Initech"}
    assert (await profile(mine))["job"] == "Acme"
    assert (await mine.replay(thread="chat-1")).changes == ()


async def test_bad_input_is_named_and_writes_nothing(upgraded):
    rc, me, _ = upgraded
    with pytest.raises(NotFound, match="nowhere"):
        await me.replay(thread="nowhere")
    with pytest.raises(InvalidInput, match="thread"):
        await me.replay(thread="")
    with pytest.raises(InvalidInput, match="since"):
        await me.replay(since="the day before")
    assert rows(rc, "select count(*) from replay") == [(0,)]
    replay = await me.replay()
    for changes in ("all", [], [7], ["0000000000"]):
        with pytest.raises(InvalidInput, match="changes"):
            await me.accept_replay(replay.id, changes)
    with pytest.raises(InvalidInput, match="replay_id"):
        await me.accept_replay("seven")
    with pytest.raises(InvalidInput, match="limit"):
        await me.replays(limit=0)
    with pytest.raises(NotFound):
        await me.get_replay("01a1e396-915d-7000-99cf-01177f5047e6")
    assert {change.status for change in (await me.get_replay(replay.id)).changes} == {"open"}


async def test_old_replays_go_with_the_texts_that_they_quote(upgraded, clock):
    rc, me, _ = upgraded
    replay = await me.replay()
    await me.accept_replay(replay.id)
    clock.forward(days=rc.settings.purge_days - 1)
    await rc.run_job("retention")
    assert len(await me.replays()) == 1
    clock.forward(days=2)
    await rc.run_job("retention")
    assert await me.replays() == []
    assert rows(rc, "select count(*) from replay_change") == [(0,)]


async def test_two_accept_at_once_and_each_change_is_written_once(upgraded):
    rc, me, _ = upgraded
    replay = await me.replay()
    await asyncio.gather(*(me.accept_replay(replay.id) for _ in range(3)))
    assert (await me.get_replay(replay.id)).status == "accepted"
    assert await known(me) == {CHOSE, FERRY}
    assert rows(rc, f"select count(*) from memory where content = '{FERRY}'") == [(1,)]


_RUN = """
import asyncio, os
from recollect import Recollect

async def main():
    async with Recollect.open(
        os.environ["OF"], data_dir=os.environ["IN"], embedder="fake", understand=True, worker=False,
        model="openai:tiny", model_url=os.environ["AT"], model_repairs=0,
    ) as rc:
        await rc.scope(user_id="alice").replay(progress=lambda done, total: print(done, total, flush=True))

asyncio.run(main())
"""


async def test_killed_in_the_middle_it_goes_on_through_a_real_endpoint(open_recollect, tmp_path: Path):
    rc = await open_recollect(understand=True)
    await talk(rc)
    async with listening() as endpoint:

        def answer(asked):
            slow = "Nora" in asked.text and not endpoint.forgiving
            return said(answer_to(asked.text, BETTER), delay=60 if slow else 0)

        endpoint.forgiving, endpoint.answer = False, answer
        environment = os.environ | {"OF": rc.database_url, "IN": str(tmp_path), "AT": endpoint.url}
        killed = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _RUN, env=environment, stdout=subprocess.PIPE
        )
        assert killed.stdout is not None
        while not (await asyncio.wait_for(killed.stdout.readline(), 60)).startswith(b"3 5"):
            pass
        killed.send_signal(signal.SIGKILL)
        await killed.wait()
        assert rows(rc, "select status from replay") == [("reading",)]
        assert rows(rc, "select count(*) from replay_reading") == [(3,)]

        endpoint.forgiving = True
        asked = len(endpoint.asked)
        later = await open_recollect(understand=True, model="openai:tiny", model_url=endpoint.url, model_repairs=0)
        me = later.scope(user_id="alice")
        replay = await me.replay()
        assert len(endpoint.asked) - asked == 2
        assert diff(replay) == DIFF
        assert rows(rc, "select count(*) from replay") == [(1,)]
        done = await me.accept_replay(replay.id)
        assert {change.status for change in done.changes} == {"accepted"}
        assert (await me.replay()).changes == ()


async def test_reading_is_paid_by_the_space_and_rests_at_its_cap(open_recollect, clock):
    rc = await open_recollect(understand=True)
    await talk(rc)
    script = Scripted(BETTER)
    later = await open_recollect(understand=True, model=script.model, spend_tokens=200)
    me = later.scope(user_id="alice")
    rested = await me.replay()
    assert 0 < script.asked < 5
    assert (rested.status, rested.read, rested.fell_back, rested.changes) == ("reading", script.asked, 0, ())
    spent = await me.spend()
    assert spent.stopped
    assert rested.resumes_at == spent.resumes_at
    [asked] = [each for each in spent.today.asked if each.model == "scripted"]
    assert asked.usage.calls == script.asked
    assert (await later.scope(user_id="bob").spend()).today.asked == ()
    assert [each.resumes_at for each in await me.replays()] == [spent.resumes_at]
    with pytest.raises(Conflict, match="has not read everything"):
        await me.accept_replay(rested.id)
    # Asked again on the same day it still rests, and asks nothing; day by day it comes to its end.
    before = script.asked
    assert (await me.replay()).resumes_at == spent.resumes_at
    assert script.asked == before
    for _ in range(5):
        clock.now += timedelta(days=1)
        gone_on = await me.replay()
    assert gone_on.id == rested.id
    assert (gone_on.status, gone_on.resumes_at, script.asked) == ("ready", None, 5)
    assert diff(gone_on) == DIFF


FAR = "Alice keeps bees on the roof."
"""An edit that has nothing in common with what the message says."""


async def statement(me, content):
    [found] = [each for each in await me.get_all(kinds=["statement"]) if each.content == content]
    return found


async def pending_too(me):
    return sorted(each.content for each in [*await me.get_all(kinds=["statement"]), *await me.pending()])


@pytest.mark.parametrize("told", [CHOSE, DECIDED], ids=["told otherwise", "told as before"])
async def test_an_edit_stays_and_its_former_words_do_not_come_back_beside_it(upgraded, told):
    _, me, script = upgraded
    edited = await statement(me, DECIDED)
    await me.update(edited.id, content="Alice cycles along the river.")
    await me.update(edited.id, content=FAR)
    script.answers = {"PostgreSQL": learned(statements=[("decision", told, "We decided to use PostgreSQL")])}
    replay = await me.replay()
    assert not [each for each in replay.changes if told in (each.before, each.after)]
    await me.accept_replay(replay.id)
    assert FAR in await known(me)
    assert not {DECIDED, CHOSE} & set(await pending_too(me))
    assert (await me.get(edited.id)).content == FAR


@pytest.mark.parametrize("verdict", ["wrong", "useful"])
async def test_a_verdict_stays_given(upgraded, verdict):
    _, me, script = upgraded
    judged = await statement(me, NORA)
    for _ in range(2):
        after = await me.feedback(judged.id, verdict)
    script.answers = {"Nora": learned(statements=[("constraint", NORA, "allergic to peanuts")])}
    replay = await me.replay()
    await me.accept_replay(replay.id)
    now = await me.get(judged.id)
    assert (now.content, now.confidence, now.pending) == (NORA, after.confidence, after.pending)
    assert (await pending_too(me)).count(NORA) == 1
    script.answers = {}
    replay = await me.replay()
    assert NORA not in [each.before for each in replay.changes]


async def test_a_verdict_on_a_value_of_the_profile_stays_given(upgraded):
    _, me, script = upgraded
    [city] = [fact for fact in await me.profile() if fact.key == "city"]
    judged = await me.feedback(city.memory_ids[0], "wrong")
    script.answers = {"Porto": learned(facts=[("identity", "city", "Porto", "I live in Porto")])}
    replay = await me.replay()
    assert "city" not in [each.key for each in replay.changes]
    await me.accept_replay(replay.id)
    assert (await me.get(city.memory_ids[0])).confidence == judged.confidence == 0.5


async def test_what_was_deleted_stays_away_also_in_the_words_that_it_had_before(upgraded):
    _, me, script = upgraded
    gone = await statement(me, DECIDED)
    await me.update(gone.id, content=FAR)
    await me.delete(gone.id)
    script.answers = BETTER
    replay = await me.replay()
    await me.accept_replay(replay.id)
    assert not {DECIDED, CHOSE, FAR} & set(await pending_too(me))


async def test_what_was_deleted_stays_away_after_its_purge(upgraded, clock):
    """By rules in the words that it had, and by the model in other words; what else was said is proposed as ever."""
    rc, me, _ = upgraded
    [decided] = [memory for memory in await me.get_all(kinds=["statement"]) if memory.content == DECIDED]
    await me.delete(decided.id)
    clock.forward(days=31)
    assert (await rc.run_job("purge"))["purged"] == 1
    assert rows(rc, f"select count(*) from memory where id = '{decided.id}'") == [(0,)]
    assert diff(await me.replay()) == {change for change in DIFF if change[2] != DECIDED}
    [stone] = await me.tombstones()
    assert (stone.form, stone.counts, stone.marks >= 2) == ("deleted", {"statement": 1}, True)
    assert not any(word in str(stone) for word in ("billing", "decided"))


async def test_what_was_deleted_and_purged_is_not_learned_again_until_a_person_says_it(mind, clock):
    me = mind.scope(user_id="alice")
    await talk(mind, "We decided to use PostgreSQL for the billing service.", "I live in Porto.")
    told = [*await me.get_all(kinds=["statement", "profile"])]
    assert {memory.kind for memory in told} == {"statement", "profile"}
    for memory in told:
        await me.delete(memory.id)
    clock.forward(days=31)
    await mind.run_job("purge")
    assert (await me.replay()).changes == ()
    later = clock.now
    await talk(
        mind, "We decided to use PostgreSQL for the billing service.", "I live in Porto. I work at Acme.", start=later
    )
    assert await known(me) == set()
    assert set(await profile(me)) == {"employer"}
    [statement] = [memory for memory in told if memory.kind == "statement"]
    await me.add(statement.content)  # no lift is needed: it was deleted, not forgotten
    await me.set_profile("identity", "city", "Porto")
    await talk(mind, "We decided to use PostgreSQL for the billing service.", start=later + timedelta(days=1))
    assert await known(me) == {statement.content}
    assert (await profile(me))["city"] == "Porto"


async def test_without_the_key_of_what_was_deleted_everything_goes_on(mind, open_recollect, clock, tmp_path):
    """Processes on several hosts need a key in common to forget; for a purge they need none."""
    me = mind.scope(user_id="alice")
    await talk(mind, "We decided to use PostgreSQL for the billing service.")
    [statement] = await me.get_all(kinds=["statement"])
    await me.delete(statement.id)
    clock.forward(days=31)
    await mind.run_job("purge")
    there = await open_recollect(understand=True, data_dir=tmp_path / "elsewhere")
    await talk(there, "We decided to use PostgreSQL for the billing service.", "I live in Porto.", start=clock.now)
    assert await known(there.scope(user_id="alice")) == {statement.content}
    assert await profile(there.scope(user_id="alice")) == {"city": "Porto"}
    assert [line async for line in there.scope(user_id="alice").export()]


async def test_where_no_key_can_be_kept_a_purge_still_purges(mind, clock, monkeypatch):
    me = mind.scope(user_id="alice")
    await me.delete((await me.add("Alice owns a boat.")).id)
    clock.forward(days=31)

    def refused(_):
        raise PermissionError("read-only")

    monkeypatch.setattr(Keyring, "current", refused)
    assert (await mind.run_job("purge"))["purged"] == 1
    assert await me.tombstones() == []


async def test_what_faded_may_be_learned_again(mind, clock):
    me = mind.scope(user_id="alice")
    await talk(mind, "We decided to use PostgreSQL for the billing service.")
    [statement] = await known(me)
    rows(mind, "update memory_use set state = 'soft_deleted', purge_at = now() - interval '1 day'")
    rows(mind, "update memory_use set state = 'active', purge_at = null where kind = 'turn'")
    clock.forward(days=400)
    await mind.run_job("purge")
    assert await known(me) == set()
    assert {change[3] for change in diff(await me.replay())} == {statement}
    assert await me.tombstones() == []


async def test_what_was_promoted_by_hand_or_restored_stays(upgraded):
    _, me, script = upgraded
    nora, decided = await statement(me, NORA), await statement(me, DECIDED)
    await me.feedback(nora.id, "wrong")
    await me.promote(nora.id)
    await me.delete(decided.id)
    await me.restore(decided.id)
    script.answers = {}
    await me.accept_replay((await me.replay()).id)
    assert {NORA, DECIDED} <= await known(me)


@pytest.mark.parametrize("accept", [True, False])
async def test_a_proposal_that_was_decided_stays_decided(open_recollect, accept):
    rc = await open_recollect()
    await talk(rc, "The 28 tram of Lisbon is full again.", "A pastel in Lisbon, please.")
    guess = learned(facts=[("identity", "city", "Lisbon", "")])
    guess["facts"][0]["first_person"] = False
    later = await open_recollect(model=Scripted({"tram": guess, "pastel": guess}).model)
    me = later.scope(user_id="alice")
    await me.accept_replay((await me.replay()).id)
    [asked] = await me.consents()
    await me.decide(asked.id, accept=accept)
    replay = await me.replay()
    assert replay.changes == ()
    assert await me.consents() == []
    assert await profile(me) == ({"city": "Lisbon"} if accept else {})


async def test_what_was_set_by_hand_stays_whatever_the_talk_says(upgraded):
    _, me, script = upgraded
    await me.set_profile("identity", "city", "Braga")
    script.answers = {"Porto": learned(facts=[("identity", "city", "Coimbra", "I live in Porto")])}
    await me.accept_replay((await me.replay()).id)
    assert (await profile(me))["city"] == "Braga"


async def test_reviews_and_merges_that_were_decided_stay_decided(upgraded):
    rc, me, _ = upgraded
    await me.ingest("Zelda Quist works at Doppler Group. Rupert Vane works at Orbital Labs.")
    await rc.drain()
    people = [(await me.nodes(name=name))[0].id for name in ("Zelda Quist", "Rupert Vane")]
    united = await me.merge(*people)
    await me.unmerge(united.id)
    agent = rc.scope(user_id="alice", agent_id="planner")
    work = await agent.create_active("Trip", sections={"plan": "Pack."})
    for text in ("Maria brings the tents.", "Maria does not bring the tents."):
        await agent.update_section(work.id, "plan", text)
        await agent.migrate()
    [open_one, *_] = await agent.reviews()
    resolved = await agent.resolve(open_one.id, "keep_old")
    await me.accept_replay((await me.replay()).id)
    await rc.drain()
    assert [each.status for each in await me.merges(None)] == ["undone"]
    assert {node.id for name in ("Zelda Quist", "Rupert Vane") for node in await me.nodes(name=name)} == set(people)
    assert [each.status for each in await agent.reviews(None)] == [resolved.status]


async def test_a_message_that_is_given_to_the_model_late_brings_no_former_words_back(open_recollect):
    script = Scripted(BETTER)
    script.garbage = "PostgreSQL"
    rc = await open_recollect(understand=True, model=script.model)
    me = rc.scope(user_id="alice")
    await talk(rc, SAID[0], SAID[1])
    [found] = await me.get_all(kinds=["statement"])
    await me.update(found.id, content=FAR)
    script.garbage = ""
    rows(rc, "update procrastinate_jobs set scheduled_at = now() where task_name = 'reread'")
    await rc.drain()
    assert rows(rc, "select tries from reread") == []
    assert await pending_too(me) == [FAR]


async def test_a_verdict_on_what_is_as_sure_as_can_be_is_in_history(upgraded):
    _, me, _ = upgraded
    sure = await me.add("Alice owns a boat.", confidence=1.0, importance=1.0)
    await me.feedback(sure.id, "useful")
    assert (await me.history(sure.id))[-1].reason == "feedback: useful"
