"""The window of a conversation, its chunks and milestones, messages taken back, and contexts made of all that."""

import re
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from recollect.core.errors import Conflict, InvalidInput, NotFound

MONDAY = datetime(2026, 3, 9, 10, tzinfo=UTC)


async def talk(rc, turns, *, first=1, user="alice", thread="chat-1", agent=None):
    """A talk of so many turns about different things, in order."""
    chat = await rc.scope(user_id=user, agent_id=agent).conversation(thread)
    things = ["kettle", "violin", "garden", "tractor", "lantern", "pillow", "compass"]
    messages = [
        {
            "role": "user" if turn % 2 else "assistant",
            "content": f"Turn {turn}: the {things[turn % 7]} needs attention, number {turn * 17}.",
            "at": MONDAY + timedelta(minutes=turn),
        }
        for turn in range(first, first + turns)
    ]
    await chat.add_many(messages)
    await rc.drain()
    return chat


def rows(rc, query):
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        return owner.execute(query).fetchall()


async def chunks_of(rc, user="alice"):
    episodes = await rc.scope(user_id=user).get_all(limit=500, kinds=["episode"], types=["chunk"])
    return [(m.data["first_turn"], m.data["last_turn"]) for m in episodes]


async def chunk_texts(rc, user):
    episodes = await rc.scope(user_id=user).get_all(limit=500, kinds=["episode"], types=["chunk"])
    return [(m.title, m.content, m.tags) for m in episodes]


class TestChunks:
    async def test_up_to_twenty_messages_stay_as_they_are(self, mind):
        chat = await talk(mind, 20)
        assert await chunks_of(mind) == []
        assert "Turn 1:" in (await chat.context("What now?")).text

    async def test_past_twenty_the_oldest_ten_become_a_chunk(self, mind):
        chat = await talk(mind, 21)
        [chunk] = await mind.scope(user_id="alice").get_all(kinds=["episode"])
        assert (chunk.type, chunk.data["first_turn"], chunk.data["last_turn"]) == ("chunk", 1, 10)
        assert chunk.content
        assert chunk.data["topics"]
        assert chunk.data["tokens"] > 0
        text = (await chat.context("What now?")).text
        assert "turns 1-10:" in text
        assert "Turn 11:" in text
        assert len(await chat.messages(limit=100)) == 21

    async def test_chunks_raise_no_revision(self, rc):
        await talk(rc, 45)
        assert rows(rc, "select revision from space") == [(0,)]
        assert await chunks_of(rc) == [(1, 10), (11, 20), (21, 30)]

    async def test_a_late_worker_makes_no_turn_vanish(self, mind):
        chat = await mind.scope(user_id="alice").conversation("chat-1")
        await chat.add_many([{"role": "user", "content": f"Message {n}."} for n in range(1, 46)])
        text = (await chat.context("What now?")).text
        assert all(f"Message {n}." in text for n in range(1, 46))

    async def test_a_very_late_worker_makes_no_turn_vanish(self, mind):
        chat = await mind.scope(user_id="alice").conversation("chat-1")
        await chat.add_many([{"role": "user", "content": f"Message {n}."} for n in range(1, 1_001)])
        await chat.retract(700)
        await chat.retract(100, replace="Another 100.")
        ctx = await chat.context("What now?", tokens=128_000)
        shown = [message["content"] for message in ctx.to_openai()[:-1]]
        told = {n: f"Message {n}." for n in range(1, 1_001)} | {100: "Another 100."}
        assert shown == [text for n, text in told.items() if n != 700]
        assert ctx.warnings == ()
        small = await chat.context("What now?", tokens=4_000)
        missing = 999 - len(small.to_openai()[:-1])
        assert f"messages: {missing} of 999 recent messages did not fit" in small.warnings
        assert "Message 1000." in small.text

    async def test_messages_that_the_budget_cannot_hold_are_not_even_read(self, mind):
        chat = await mind.scope(user_id="alice").conversation("chat-1")
        text = "The kettle needs attention. " * 200
        await chat.add_many([{"role": "user", "content": f"{n}: {text}"} for n in range(1, 901)])
        ctx = await chat.context("What now?", tokens=4_000)
        assert any(re.match(r"messages: \d+ of 900 recent messages did not fit", each) for each in ctx.warnings)
        assert "900: The kettle" in ctx.text

    async def test_a_message_that_did_not_fit_can_be_recalled(self, mind):
        chat = await mind.scope(user_id="alice").conversation("chat-1")
        await chat.add("user", "The spare key hangs behind the barometer.")
        await chat.add_many([{"role": "user", "content": f"{n}: " + "The garden wall. " * 40} for n in range(2, 16)])
        await mind.drain()
        all_of_it = await chat.context("Where does the spare key hang?", tokens=32_000)
        assert all_of_it.text.count("behind the barometer") == 1
        small = await chat.context("Where does the spare key hang?", tokens=2_000)
        assert "behind the barometer" not in small.text.partition("# Relevant Memories")[0]
        assert "behind the barometer" in small.text

    async def test_a_long_talk_keeps_a_bounded_window_and_few_chunks(self, open_recollect):
        rc = await open_recollect(chunks_most=5)
        chat = await talk(rc, 200)
        await talk(rc, 200, first=201)
        found = await chunks_of(rc)
        assert len(found) == 5
        assert found[0][0] == 1
        assert [first for first, _ in found[1:]] == [last + 1 for _, last in found[:-1]]
        ctx = await chat.context("What about the violin?", tokens=4_000)
        assert ctx.tokens <= 4_000
        assert rows(rc, "select last_turn - compressed_turn <= 20 from conversation") == [(True,)]
        assert len(await chat.messages(limit=1000)) == 400
        merged = await rc.scope(user_id="alice").get_all(kinds=["episode"], types=["chunk"])
        first = next(m for m in merged if m.data["first_turn"] == 1)
        assert first.content.startswith("Earlier: ")
        assert first.content.count("Earlier: ") == 1

    async def test_a_long_talk_that_comes_at_once_has_the_chunks_of_one_that_grew(self, open_recollect):
        rc = await open_recollect(chunks_most=3)
        for first in range(1, 101, 10):
            await talk(rc, 10, first=first, user="bob")
        await talk(rc, 100, user="alice")
        told = {user: await chunk_texts(rc, user) for user in ("alice", "bob")}
        assert [title for title, _, _ in told["alice"]] == ["turns 1-60", "turns 61-70", "turns 71-80"]
        assert [title for title, _, _ in told["bob"]] == [title for title, _, _ in told["alice"]]
        assert told["alice"][1:] == told["bob"][1:]
        written = "select space_id, count(*) from memory where kind = 'episode' group by 1 order by 1"
        assert rows(rc, written) == [("user:alice", 3), ("user:bob", 8)]

    async def test_what_folds_at_once_is_told_from_all_of_its_messages(self, open_recollect):
        rc = await open_recollect(chunks_most=2)
        me = rc.scope(user_id="alice")
        decided = {5: "a slate roof", 150: "a copper gutter", 340: "an oak staircase"}
        said = [f"We decided to use {decided[n]} for the house." if n in decided else "Fine." for n in range(1, 400)]
        await (await me.conversation("chat-1")).add_many([{"role": "user", "content": text} for text in said])
        await rc.drain()
        (title, text, topics), *_ = await chunk_texts(rc, "alice")
        assert title == "turns 1-370"
        assert [thing for thing in decided.values() if thing in text] == list(decided.values())
        assert {"slate roof", "copper gutter", "oak staircase"} <= set(topics)

    async def test_of_a_stretch_without_words_a_fold_says_so(self, open_recollect):
        rc = await open_recollect(chunks_most=2)
        chat = await rc.scope(user_id="alice").conversation("chat-1")
        await chat.add_many([{"role": "user", "content": "…"} for _ in range(80)])
        await rc.drain()
        assert [title for title, _, _ in await chunk_texts(rc, "alice")] == ["turns 1-50", "turns 51-60"]

    async def test_a_temporary_talk_leaves_nothing(self, mind):
        me = mind.scope(user_id="alice")
        chat = await me.conversation("tmp", remember=False)
        await chat.add("user", "My name is Alice and I love hiking.")
        await mind.drain()
        assert "I love hiking" in (await chat.context("Who am I?")).text
        assert await me.profile() == []
        assert list(await me.get_all()) == []
        await chat.end()
        assert rows(mind, "select count(*) from message") == [(0,)]


class TestMilestones:
    async def test_an_arc_of_what_happened(self, mind):
        chat = await mind.scope(user_id="alice").conversation("chat-1")
        said = [
            "What database should we use?",
            "We decided to use PostgreSQL because the team knows it well.",
            "Let me set it up.",
            "The login page is broken: every request fails with a timeout.",
            "I am looking at the logs.",
            "I fixed the login timeout by raising the pool size.",
        ]
        for text in said:
            await chat.add("user", text, name="Alice")
        await mind.drain()
        arc = await chat.narrative_arc()
        told = [*arc.beginning, *arc.middle, *arc.end]
        assert "decision" in [episode.memory.type for episode in told]
        assert all(0 <= episode.significance <= 1 for episode in told)
        decision = next(episode for episode in told if episode.memory.type == "decision")
        assert "PostgreSQL" in decision.memory.title + decision.memory.content
        assert decision.memory.data["messages"]
        assert all(moment.significance >= 0.7 for moment in arc.key_moments)

    async def test_of_too_many_the_least_are_archived(self, open_recollect):
        rc = await open_recollect(understand=True, milestones_most=2)
        chat = await rc.scope(user_id="alice").conversation("chat-1")
        for thing in ("PostgreSQL", "Kubernetes", "Terraform", "Grafana"):
            await chat.add("user", f"We decided to use {thing} because the team knows it.")
            await chat.add("assistant", "All right.")
            await chat.add("user", "Let us go on with something else then.")
            await rc.drain()
        kept = await rc.scope(user_id="alice").get_all(kinds=["episode"])
        assert len(kept) <= 2


class TestRetract:
    async def test_what_came_only_of_a_message_is_withdrawn(self, mind):
        me = mind.scope(user_id="alice")
        chat = await me.conversation("chat-1")
        await chat.add("user", "I live in Porto.", at=MONDAY)
        wrong = await chat.add("user", "I live in Lisbon. I love hiking.", at=MONDAY + timedelta(hours=1))
        await mind.drain()
        assert [fact.value for fact in await me.profile()] == ["Lisbon"]
        assert await chat.retract(wrong.turn) is None
        await mind.drain()
        assert [fact.value for fact in await me.profile()] == ["Porto"]
        assert list(await me.get_all(kinds=["statement"])) == []
        assert [message.retracted for message in await chat.messages()] == [False, True]
        await (await chat.context("Where do I live?")).ack()
        assert "Lisbon" not in (await chat.context("Where do I live?")).text
        assert await me.search("Lisbon", kinds=["turn"], threshold=0.6) == []

    async def test_what_others_said_too_stays(self, mind):
        me = mind.scope(user_id="alice")
        chat = await me.conversation("chat-1")
        await chat.add("user", "I love hiking.", at=MONDAY)
        again = await chat.add("user", "As I said, I love hiking.", at=MONDAY + timedelta(hours=1))
        await mind.drain()
        await chat.retract(again.turn)
        assert len(await me.get_all(kinds=["statement"])) == 1

    async def test_a_replacement_is_read_in_the_place_of_the_old(self, mind):
        me = mind.scope(user_id="alice")
        chat = await me.conversation("chat-1")
        await chat.add("user", "I live in Porto.")
        await chat.add("assistant", "Noted.")
        new = await chat.retract(1, replace="I live in Lisbon.")
        await mind.drain()
        assert (new.turn, new.in_place_of, new.role) == (3, 1, "user")
        text = (await chat.context("Where do I live?")).text
        assert text.index("I live in Lisbon.") < text.index("Noted.")
        assert "I live in Porto." not in text
        assert [fact.value for fact in await me.profile()] == ["Lisbon"]

    async def test_a_chunk_that_told_of_it_is_told_anew(self, mind):
        chat = await mind.scope(user_id="alice").conversation("chat-1")
        await chat.add("user", "The zeppelin of the museum is purple.")
        await chat.add_many([{"role": "user", "content": f"Thing number {n} is ready."} for n in range(24)])
        await mind.drain()
        me = mind.scope(user_id="alice")
        [before] = await me.get_all(kinds=["episode"], types=["chunk"])
        assert "zeppelin" in before.content
        await chat.retract(1)
        await mind.drain()
        [after] = await me.get_all(kinds=["episode"], types=["chunk"])
        assert "zeppelin" not in after.content
        assert "dirty" not in after.data

    async def test_bad_turns_are_refused(self, mind):
        chat = await mind.scope(user_id="alice").conversation("chat-1")
        await chat.add("user", "Hello.")
        with pytest.raises(NotFound, match="no turn 7"):
            await chat.retract(7)
        with pytest.raises(InvalidInput, match="turn"):
            await chat.retract(0)
        with pytest.raises(InvalidInput, match="replace"):
            await chat.retract(1, replace="")
        await chat.retract(1)
        with pytest.raises(Conflict, match="already"):
            await chat.retract(1)


class TestContext:
    async def test_the_profile_comes_first_and_the_question_last(self, mind):
        me = mind.scope(user_id="alice")
        await me.set_profile("identity", "name", "Alice")
        chat = await talk(mind, 3)
        ctx = await chat.context("What is my name?", system="You are kind.", tokens=4_000)
        places = [ctx.text.index(part) for part in ("You are kind.", "- name: Alice", "Turn 1:", "What is my name?")]
        assert places == sorted(places)
        assert ctx.tokens <= 4_000
        assert 0 < ctx.stable_prefix < ctx.text.index("What is my name?")
        assert ctx.to_openai()[-1]["role"] == "user"
        assert "What is my name?" in str(ctx.to_openai()[-1]["content"])
        assert set(ctx.to_anthropic()) >= {"system", "messages"}

    async def test_the_name_needs_no_vectors(self, mind):
        """The profile is read by SQL alone: an embedder that knows nothing changes nothing."""
        await mind.scope(user_id="alice").set_profile("identity", "name", "Alice")
        chat = await mind.scope(user_id="alice").conversation("new")
        ctx = await chat.context("What's my name?")
        assert "- name: Alice" in ctx.text
        assert ctx.hits == ()

    async def test_nothing_of_the_window_is_recalled_again(self, mind):
        chat = await talk(mind, 40)
        ctx = await chat.context("What about the violin?", tokens=8_000)
        shown = [hit.memory.provenance.turn for hit in ctx.hits if hit.memory.kind == "turn"]
        assert all(turn <= 20 for turn in shown)
        assert ctx.text.count("Turn 36:") == 1

    async def test_where_nothing_fits_nothing_is_recalled_and_that_is_said(self, mind):
        chat = await mind.scope(user_id="alice").conversation("empty")
        ctx = await chat.context("How does a diesel engine work?")
        assert ctx.recall_advised
        assert ctx.hits == ()

    async def test_recalled_memories_count_as_recalled(self, mind):
        me = mind.scope(user_id="alice")
        added = await me.add("Alice keeps bees on the roof of the library.")
        chat = await me.conversation("chat-1")
        ctx = await chat.context("Where are the bees on the roof?")
        assert [hit.memory.id for hit in ctx.hits] == [added.id]
        await mind.drain()
        assert rows(mind, f"select access_count from memory_use where memory_id = '{added.id}'") == [(1,)]

    async def test_the_header_tells_changes_until_they_are_read(self, mind):
        me = mind.scope(user_id="alice", agent_id="planner")
        chat = await me.conversation("chat-1")
        await chat.add("user", "Hello.")
        assert "Memory updates" not in (await chat.context("Hello?")).text
        await me.add("Ship v1 by September.", type="goal")
        first = await chat.context("And now?")
        assert "Memory updates since rev 0:\n- +created: [goals] Ship v1 by September. (imp=4)" in first.text
        assert (await chat.context("And now?")).text == first.text
        await first.ack()
        assert "Memory updates" not in (await chat.context("And now?")).text
        await me.add("Alice prefers tea.", type="preference")
        assert "Memory updates since rev 1:" in (await chat.context("And?")).text
        await chat.add("assistant", "Fine.")
        assert "Memory updates" not in (await chat.context("And?")).text

    async def test_each_reader_has_a_cursor(self, mind):
        one = mind.scope(user_id="alice", agent_id="planner")
        two = mind.scope(user_id="alice", agent_id="writer")
        chat = await one.conversation("chat-1")
        other = await two.conversation("chat-1")
        await one.add("Ship v1 by September.", type="goal")
        await (await chat.context("And now?")).ack()
        assert "Memory updates" not in (await chat.context("And now?")).text
        assert "Memory updates" in (await other.context("And now?")).text

    async def test_at_most_three_bullets(self, mind):
        me = mind.scope(user_id="alice")
        chat = await me.conversation("chat-1")
        for number in range(9):
            await me.add(f"The number {number} is in use.", importance=number / 10)
        text = (await chat.context("And now?")).text
        bullets = [line for line in text.splitlines() if line.startswith("- +created")]
        assert len(bullets) == 3
        assert "number 8" in bullets[-1]

    async def test_a_changed_fact_is_said_after_the_header_until_the_window_moves(self, mind):
        me = mind.scope(user_id="alice")
        await me.set_profile("identity", "city", "Porto")
        chat = await talk(mind, 5)
        before = await chat.context("Where am I?")
        await me.set_profile("identity", "city", "Lisbon")
        after = await chat.context("Where am I?")
        assert after.text[: before.stable_prefix] == before.text[: before.stable_prefix]
        assert "- city: Porto" in after.text[: after.stable_prefix]
        assert "city: Lisbon" in after.text[after.stable_prefix :]
        await talk(mind, 20, first=6)
        moved = await chat.context("Where am I?")
        assert "- city: Lisbon" in moved.text[: moved.stable_prefix]
        assert "Porto" not in moved.text

    async def test_reading_what_was_just_written(self, open_recollect):
        rc = await open_recollect(understand=True, worker=True)
        me = rc.scope(user_id="alice")
        chat = await me.conversation("chat-1")
        said = await chat.add("user", "I live in Lisbon.")
        ctx = await chat.context("Where do I live?", after=said.watermark, wait="understood")
        assert ctx.warnings == ()
        assert "city: Lisbon" in ctx.text

    @pytest.mark.parametrize(
        ("field", "given"),
        [
            ("question", {"question": ""}),
            ("question", {"question": 3}),
            ("tokens", {"question": "Hm?", "tokens": 3}),
            ("tokens", {"question": "Hm?", "tokens": "many"}),
            ("extra", {"question": "Hm?", "extra": "text"}),
            ("extra[0]", {"question": "Hm?", "extra": [3]}),
            ("wait", {"question": "Hm?", "wait": "done"}),
            ("after", {"question": "Hm?", "after": "yesterday"}),
            ("system", {"question": "Hm?", "system": "a\0b"}),
        ],
    )
    async def test_bad_input_is_refused_by_name(self, mind, field, given):
        chat = await mind.scope(user_id="alice").conversation("chat-1")
        with pytest.raises(InvalidInput) as refused:
            await chat.context(given.pop("question"), **given)
        assert refused.value.field == field

    async def test_one_users_context_holds_nothing_of_anothers(self, mind):
        await mind.scope(user_id="bob").set_profile("identity", "name", "Bob")
        await mind.scope(user_id="bob").add("Bob keeps bees on the roof.")
        chat = await mind.scope(user_id="alice").conversation("chat-1")
        assert "Bob" not in (await chat.context("Who keeps bees on the roof?")).text


async def test_openais_tool_calls_come_and_go_without_loss(rc):
    chat = await rc.scope(user_id="alice").conversation("chat-1")
    call = {"id": "c1", "type": "function", "function": {"name": "price", "arguments": '{"of": "kumquats"}'}}
    await chat.add_many(
        [
            {"role": "user", "content": "What do kumquats cost?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "3.50"},
        ]
    )
    sent = (await chat.context("And now?")).to_openai()
    assert [message["tool_calls"] for message in sent if message.get("tool_calls")] == [[call]]
    assert [(m["tool_call_id"], m["content"]) for m in sent if m["role"] == "tool"] == [("c1", "3.50")]


class TestWhoSpeaks:
    """In a shared talk of several people the window says who said what; alone, it reads as ever."""

    async def test_a_shared_talk_names_its_speakers(self, mind):
        alice = mind.scope(user_id="alice", project_id="attic")
        bob = mind.scope(user_id="bob", project_id="attic")
        await alice.set_profile("identity", "name", "Alice Smith")
        chat = await alice.conversation("plan", shared=True)
        await chat.add("user", "I paint the door.")
        await chat.add("assistant", "Very well.")
        here = await bob.conversation("plan", shared=True)
        await here.add("user", "I mend the roof.")
        await here.add("user", "And I bring tea.", name="Carla")
        ctx = await chat.context("Who does what?")
        window = ctx.text.partition("# Recent Conversation")[2]
        assert "user (Alice Smith): I paint the door.\nassistant: Very well.\nuser (bob): I mend the roof.\n" in window
        assert "user (Carla): And I bring tea." in window
        assert "user (Alice Smith): Who does what?" in window
        said = ctx.to_openai()
        assert [(each.get("name"), each["content"]) for each in said if each["role"] == "user"][:3] == [
            (None, "Alice Smith: I paint the door."),
            ("bob", "I mend the roof."),
            ("Carla", "And I bring tea."),
        ]
        assert "Alice Smith: Who does what?" in said[-1]["content"]
        assert {"type": "text", "text": "bob: I mend the roof."} in ctx.to_anthropic()["messages"][2]["content"]
        assert "user (alice): I paint the door." in (await here.context("And me?")).text

    async def test_a_talk_of_one_reads_as_ever(self, mind):
        for scope, shared in [({"user_id": "alice"}, False), ({"user_id": "alice", "project_id": "attic"}, True)]:
            me = mind.scope(**scope)
            chat = await me.conversation("plan", shared=shared)
            await chat.add("user", "I paint the door.")
            ctx = await chat.context("Who does what?")
            assert "user: I paint the door." in ctx.text
            assert "user: Who does what?" in ctx.text
            assert {"role": "user", "content": "I paint the door."} in ctx.to_openai()

    async def test_the_same_question_of_somebody_else_stays(self, mind):
        alice, bob = (mind.scope(user_id=name, project_id="attic") for name in ("alice", "bob"))
        await (await bob.conversation("plan", shared=True)).add("user", "What now?")
        ctx = await (await alice.conversation("plan", shared=True)).context("What now?")
        assert "user (bob): What now?" in ctx.text
        assert "user (alice): What now?" in ctx.text
