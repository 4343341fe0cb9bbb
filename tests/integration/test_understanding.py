"""What is learned from messages: the profile, statements, and how new words stand to what is known."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from recollect.core.errors import Conflict, InvalidInput, NotFound

MONDAY = datetime(2026, 3, 9, 10, tzinfo=UTC)


async def say(rc, *texts, user="alice", thread="chat-1", start=MONDAY, **more):
    """A user's words, an hour apart, each followed by what it taught."""
    chat = await rc.scope(user_id=user).conversation(thread)
    for place, text in enumerate(texts):
        await chat.add("user", text, at=start + timedelta(hours=place), **more)
    await rc.drain()
    return chat


async def profile_of(rc, user="alice"):
    return {(fact.type, fact.key): fact.value for fact in await rc.scope(user_id=user).profile()}


async def statements_of(me, **filters):
    return [memory.content for memory in await me.get_all(kinds=["statement"], **filters)]


class TestProfile:
    async def test_facts_said_in_the_first_person_become_the_profile(self, mind):
        await say(mind, "My name is Alice.", "I live in Lisbon.", "I'm allergic to peanuts.")
        assert await profile_of(mind) == {
            ("identity", "name"): "Alice",
            ("identity", "city"): "Lisbon",
            ("constraint", "allergy"): "peanuts",
        }

    async def test_a_newer_value_replaces_the_older_which_stays_as_history(self, mind):
        await say(mind, "I live in Porto.", "I moved, I live in Lisbon now.")
        me = mind.scope(user_id="alice")
        assert (await profile_of(mind))["identity", "city"] == "Lisbon"
        then = await me.get_all(kinds=["profile"], valid_at=MONDAY + timedelta(minutes=30))
        assert [memory.data["value"] for memory in then] == ["Porto"]
        [now] = await me.get_all(kinds=["profile"])
        assert now.data["value"] == "Lisbon"

    @pytest.mark.parametrize(
        ("talk", "key", "value"),
        [
            (["My name is Alex.", "Actually, it's Alexa."], "name", "Alexa"),
            (["I live in Lisbon.", "Actually, it's Porto."], "city", "Porto"),
            (["I live in Lisbon.", ("assistant", "So you live in Lisbon?"), "Actually, it's Porto."], "city", "Porto"),
            (
                ["I live in Lisbon.", "Actually, I live in Porto.", "Sorry, I meant Braga.", "No, it's Faro."],
                "city",
                "Faro",
            ),
            (["My birthday is May 5.", "Oops, my birthday is actually May 6."], "birthday", "May 6"),
            (["My birthday is May 5.", "Oops, it's May 6."], "birthday", "May 6"),
            ([("assistant", "Your name is Alex, right?"), "No, it's Alexa."], "name", "Alexa"),
            (["I live in Lisbon.", "Actually, it's May 6."], "city", "Lisbon"),
            (["I live in Lisbon.", "Actually, it's fine."], "city", "Lisbon"),
            (["I live in Lisbon.", "What is the weather like?", "Actually, it's Porto."], "city", "Lisbon"),
            (
                ["I live in Lisbon.", ("assistant", "Nice! What's your dog called?"), "Actually, it's Faro."],
                "city",
                "Lisbon",
            ),
        ],
    )
    @pytest.mark.parametrize("at_once", [True, False])
    async def test_a_bare_correction_is_of_what_was_just_spoken_of(self, mind, talk, key, value, at_once):
        chat = await mind.scope(user_id="alice").conversation("chat-1")
        for place, said in enumerate(talk):
            role, text = said if isinstance(said, tuple) else ("user", said)
            await chat.add(role, text, at=MONDAY + timedelta(minutes=place))
            if not at_once:
                await mind.drain()
        await mind.drain()
        assert await profile_of(mind) == {("identity", key): value}

    async def test_another_speakers_correction_is_not_the_owners(self, mind):
        chat = await mind.scope(user_id="alice").conversation("chat-1")
        await chat.add("user", "I live in Lisbon.", at=MONDAY)
        await chat.add("user", "Actually, it's Porto.", name="Bob", at=MONDAY + timedelta(minutes=1))
        await mind.drain()
        assert await profile_of(mind) == {("identity", "city"): "Lisbon"}

    async def test_a_key_with_many_items_reads_as_one_value(self, mind):
        await say(mind, "I'm allergic to peanuts.", "I'm also allergic to shellfish.")
        [fact] = await mind.scope(user_id="alice").profile()
        assert (fact.key, fact.items, len(fact.memory_ids)) == ("allergy", ("peanuts", "shellfish"), 2)
        await say(mind, "I'm no longer allergic to peanuts.", start=MONDAY + timedelta(days=1))
        assert (await profile_of(mind))["constraint", "allergy"] == "shellfish"

    async def test_another_speaker_leaves_the_profile_alone_and_is_told_of(self, mind):
        await say(mind, "My name is Alice.", "I live in Lisbon.")
        await say(mind, "I live in Berlin.", name="Ben", start=MONDAY + timedelta(days=1))
        assert (await profile_of(mind))["identity", "city"] == "Lisbon"
        [told] = await statements_of(mind.scope(user_id="alice"))
        assert "Ben" in told
        assert "Berlin" in told

    async def test_the_owner_may_speak_under_the_own_name(self, mind):
        await say(mind, "I live in Lisbon.", name="Alice")
        assert (await profile_of(mind))["identity", "city"] == "Lisbon"

    async def test_in_a_project_the_profile_goes_to_the_user(self, mind):
        chat = await mind.scope(user_id="alice", project_id="apollo").conversation("chat-1")
        await chat.add("user", "I'm diabetic. We decided to use PostgreSQL.", at=MONDAY)
        await mind.drain()
        assert ("constraint", "condition") in await profile_of(mind)
        with psycopg.connect(mind.database_url, options="-c search_path=recollect,public") as owner:
            rows = owner.execute("select space_id, kind from memory where kind in ('profile', 'statement') order by 1")
            assert rows.fetchall() == [("project:apollo", "statement"), ("user:alice", "profile")]

    async def test_assistants_and_tools_teach_nothing(self, mind):
        chat = await mind.scope(user_id="alice").conversation("chat-1")
        for role in ("assistant", "system", "tool"):
            await chat.add(role, "My name is Eve and I live in Rome. We decided to use MySQL.")
        await mind.drain()
        assert await profile_of(mind) == {}
        assert await statements_of(mind.scope(user_id="alice")) == []

    async def test_a_value_set_by_hand_is_not_overwritten_but_proposed_against(self, mind):
        me = mind.scope(user_id="alice")
        fact = await me.set_profile("identity", "city", "Porto")
        assert (fact.value, fact.confidence) == ("Porto", 1.0)
        await say(mind, "I live in Lisbon now.", start=datetime(2026, 3, 20, tzinfo=UTC))
        assert (await profile_of(mind))["identity", "city"] == "Porto"
        [proposal] = await me.consents()
        assert (proposal.key, proposal.value, proposal.status) == ("city", "Lisbon", "open")
        await me.decide(proposal.id, accept=True)
        assert (await profile_of(mind))["identity", "city"] == "Lisbon"
        assert [each.status for each in await me.consents(status=None)] == ["accepted"]
        with pytest.raises(Conflict, match="accepted already"):
            await me.decide(proposal.id, accept=False)

    async def test_what_a_person_deleted_is_not_learned_again(self, mind):
        await say(mind, "I live in Lisbon.")
        me = mind.scope(user_id="alice")
        [fact] = await me.profile()
        await me.delete(fact.memory_ids[0])
        await say(mind, "I live in Lisbon.", start=MONDAY + timedelta(days=1))
        assert await me.profile() == []
        assert [each.reason for each in await me.consents(status="ignored")] == ["a person deleted it"]
        await me.restore(fact.memory_ids[0])
        assert (await profile_of(mind))["identity", "city"] == "Lisbon"

    async def test_a_deleted_value_does_not_come_back_beside_another(self, mind):
        await say(mind, "I live in Porto.")
        me = mind.scope(user_id="alice")
        [fact] = await me.profile()
        await me.delete(fact.memory_ids[0])
        await say(mind, "I live in Lisbon.", start=MONDAY + timedelta(days=1))
        with pytest.raises(Conflict, match="another value"):
            await me.restore(fact.memory_ids[0])

    async def test_editing_a_fact_changes_its_value(self, mind):
        await say(mind, "I live in Lisbon.")
        me = mind.scope(user_id="alice")
        [fact] = await me.profile()
        edited = await me.update(fact.memory_ids[0], content="Setúbal")
        assert "Setúbal" in edited.content
        assert (await profile_of(mind))["identity", "city"] == "Setúbal"

    async def test_the_profiles_time_zone_is_the_spaces(self, mind):
        await mind.scope(user_id="alice").set_profile("identity", "timezone", "Asia/Tokyo")
        await say(mind, "I ran a marathon yesterday.", start=datetime(2026, 3, 9, 16, tzinfo=UTC))
        [told] = await statements_of(mind.scope(user_id="alice"))
        assert "2026-03-09" in told  # in Tokyo it is the tenth already

    @pytest.mark.parametrize(
        ("field", "given"),
        [
            ("type", ("hobby", "city", "Rome")),
            ("key", ("identity", "", "Rome")),
            ("key", ("identity", "¡!", "Rome")),
            ("value", ("identity", "city", "")),
            ("value", ("identity", "city", "a\0b")),
            ("confidence", ("identity", "city", "Rome", 1.5)),
        ],
    )
    async def test_bad_values_are_refused_by_name(self, mind, field, given):
        with pytest.raises(InvalidInput) as refused:
            await mind.scope(user_id="alice").set_profile(*given)
        assert refused.value.field == field
        assert await profile_of(mind) == {}

    async def test_every_decision_is_in_history(self, mind):
        await say(mind, "I live in Porto.", "Actually, I live in Lisbon.")
        me = mind.scope(user_id="alice")
        [fact] = await me.profile()
        [added, *_] = await me.history(fact.memory_ids[0])
        assert (added.event, added.reason) == ("ADD", "corrected")


class TestConsent:
    async def test_a_proposal_lapses_after_a_week(self, mind, clock):
        me = mind.scope(user_id="alice")
        await me.set_profile("identity", "city", "Porto")
        await say(mind, "I live in Lisbon now.", start=datetime(2026, 3, 20, tzinfo=UTC))
        assert (await mind.run_job("consent_expiry"))["changed"] == 0
        clock.forward(days=7.1)
        assert (await mind.run_job("consent_expiry"))["changed"] == 1
        assert await me.consents() == []
        assert [each.status for each in await me.consents(status="lapsed")] == ["lapsed"]

    @pytest.mark.parametrize(("answer", "city"), [("Yes, please do.", "Lisbon"), ("No, don't.", "Porto")])
    async def test_a_proposal_can_be_decided_in_chat(self, mind, answer, city):
        me = mind.scope(user_id="alice")
        await me.set_profile("identity", "city", "Porto")
        chat = await say(mind, "I live in Lisbon now.", start=datetime(2026, 3, 20, tzinfo=UTC))
        await chat.add("assistant", "Shall I note that your city is Lisbon?")
        await chat.add("user", answer)
        await mind.drain()
        assert (await profile_of(mind))["identity", "city"] == city
        assert await me.consents() == []

    @pytest.mark.parametrize(("accept", "status"), [(True, "accepted"), (False, "declined")])
    async def test_a_decision_is_in_history(self, mind, accept, status):
        me = mind.scope(user_id="alice")
        await me.set_profile("identity", "city", "Porto")
        await say(mind, "I live in Lisbon now.", start=datetime(2026, 3, 20, tzinfo=UTC))
        [proposal] = await me.consents()
        await me.decide(proposal.id, accept=accept)
        [fact] = await me.profile()
        last = (await me.history(fact.memory_ids[0]))[-1]
        assert (last.event, last.actor, last.detail["status"]) == ("UPDATE", "alice", status)
        assert last.reason.startswith(f"proposal {status}: ")
        assert [(each.actor, each.detail["status"]) for each in await me.history(proposal.id)] == [("alice", status)]
        with pytest.raises(NotFound):
            await mind.scope(user_id="mallory").history(proposal.id)

    async def test_a_proposal_for_a_key_without_a_value_has_a_history_of_its_own(self, open_recollect, clock):
        rc = await open_recollect(understand=True)
        me = rc.scope(user_id="alice")
        fact = await me.set_profile("identity", "city", "Porto")
        await say(rc, "I live in Lisbon now.", start=datetime(2026, 3, 20, tzinfo=UTC))
        [proposal] = await me.consents()
        await me.delete(fact.memory_ids[0])
        clock.forward(days=7.1)
        await rc.run_job("consent_expiry")
        [told] = await me.history(proposal.id)
        assert (told.event, told.actor, told.content) == ("UPDATE", "recollect", None)
        assert told.reason.startswith("proposal lapsed: ")
        assert "Lisbon" not in str(told)

    async def test_what_lapses_is_told_of_the_value_that_stays(self, mind, clock):
        me = mind.scope(user_id="alice")
        fact = await me.set_profile("identity", "city", "Porto")
        await say(mind, "I live in Lisbon now.", start=datetime(2026, 3, 20, tzinfo=UTC))
        clock.forward(days=7.1)
        await mind.run_job("consent_expiry")
        assert (await me.history(fact.memory_ids[0]))[-1].detail["status"] == "lapsed"

    @pytest.mark.parametrize(("answer", "status"), [("Yes, please do.", "accepted"), ("No, don't.", "declined")])
    async def test_a_decision_in_chat_is_in_history(self, mind, answer, status):
        me = mind.scope(user_id="alice")
        await me.set_profile("identity", "city", "Porto")
        chat = await say(mind, "I live in Lisbon now.", start=datetime(2026, 3, 20, tzinfo=UTC))
        [proposal] = await me.consents()
        await chat.add("assistant", "Shall I note that your city is Lisbon?")
        await chat.add("user", answer)
        await mind.drain()
        [fact] = await me.profile()
        for id in (proposal.id, fact.memory_ids[0]):
            last = (await me.history(id))[-1]
            assert (last.actor, last.detail["status"]) == ("alice", status)

    async def test_a_proposal_of_another_user_cannot_be_decided(self, mind):
        me = mind.scope(user_id="alice")
        await me.set_profile("identity", "city", "Porto")
        await say(mind, "I live in Lisbon now.", start=datetime(2026, 3, 20, tzinfo=UTC))
        [proposal] = await me.consents()
        with pytest.raises(NotFound):
            await mind.scope(user_id="mallory").decide(proposal.id, accept=True)


class TestStatements:
    async def test_a_decision_is_told_in_the_third_person_and_points_back(self, mind):
        chat = await say(mind, "My name is Alice.", "We decided to use PostgreSQL for the billing service.")
        me = mind.scope(user_id="alice")
        [found] = await me.get_all(kinds=["statement"])
        assert (found.type, found.category) == ("decision", "knowledge")
        assert "PostgreSQL" in found.content
        assert " we " not in f" {found.content.lower()} "
        assert (found.provenance.thread_id, found.provenance.turn) == ("chat-1", 2)
        assert found.provenance.message_id == (await chat.messages(first=2))[0].id

    async def test_the_same_said_twice_is_one_statement_with_two_witnesses(self, mind):
        await say(mind, "My name is Alice.", "I love hiking.", "As I said, I love hiking.")
        [found] = await mind.scope(user_id="alice").get_all(kinds=["statement"])
        assert len(found.data["messages"]) == 2
        events = [entry.event for entry in await mind.scope(user_id="alice").history(found.id)]
        assert events == ["ADD", "MERGE"]

    async def test_a_contradiction_ends_the_older_statement(self, mind):
        await say(mind, "My name is Alice.", "I like coffee.", "I don't like coffee any more.")
        me = mind.scope(user_id="alice")
        held = await statements_of(me)
        assert len(held) == 1
        assert "not" in held[0] or "no longer" in held[0]
        ended = [m for m in await me.get_all(kinds=["statement"], include=["expired"]) if m.valid_until]
        assert [memory.valid_until for memory in ended] == [MONDAY + timedelta(hours=2)]
        with psycopg.connect(mind.database_url, options="-c search_path=recollect,public") as owner:
            types = owner.execute("select distinct type from relation order by 1").fetchall()
        assert ("contradicts",) in types
        assert ("supersedes",) in types

    async def test_what_was_said_earlier_and_comes_later_has_ended_already(self, mind):
        await say(mind, "I don't like coffee any more.", start=MONDAY + timedelta(days=2))
        await say(mind, "I like coffee.", thread="older")
        me = mind.scope(user_id="alice")
        [held] = await statements_of(me)
        assert "not" in held or "no longer" in held
        all_of_them = await me.get_all(kinds=["statement"], include=["expired"])
        assert sorted(memory.valid_until is None for memory in all_of_them) == [False, True]

    async def test_what_a_person_added_is_not_overwritten(self, mind):
        me = mind.scope(user_id="alice")
        by_hand = await me.add("Alice likes coffee.", type="preference")
        await me.set_profile("identity", "name", "Alice")
        await say(mind, "I don't like coffee any more.", start=datetime(2026, 3, 20, tzinfo=UTC))
        assert (await me.get(by_hand.id)).valid_until is None
        [waiting] = await me.pending()
        assert "coffee" in waiting.content

    async def test_what_a_person_deleted_is_not_said_again(self, mind):
        await say(mind, "I love hiking.")
        me = mind.scope(user_id="alice")
        [found] = await me.get_all(kinds=["statement"])
        await me.delete(found.id)
        await say(mind, "I love hiking.", start=MONDAY + timedelta(days=1))
        assert await statements_of(me) == []

    async def test_a_hedged_statement_waits_until_it_is_promoted(self, mind):
        await say(mind, "I might move to Berlin next year.")
        me = mind.scope(user_id="alice")
        [waiting] = await me.pending()
        assert waiting.pending
        assert await statements_of(me) == []
        assert await me.search("move to Berlin", kinds=["statement"]) == []
        known = await me.promote(waiting.id)
        assert not known.pending
        assert await me.pending() == []
        assert [hit.memory.id for hit in await me.search("move to Berlin", kinds=["statement"])] == [waiting.id]

    async def test_a_copy_of_a_message_does_not_corroborate_it(self, mind):
        for thread in ("one", "two"):
            await say(mind, "I might move to Berlin next year.", thread=thread)
        assert len(await mind.scope(user_id="alice").pending()) == 1

    async def test_the_same_doubt_again_does_not_corroborate_it(self, mind):
        await say(mind, "I might move to Berlin next year.", "I might move to Berlin next year, as I said.")
        me = mind.scope(user_id="alice")
        [waiting] = await me.pending()
        assert (waiting.confidence, len(waiting.data["messages"])) == (0.5, 2)
        assert await statements_of(me) == []

    async def test_what_is_said_for_sure_takes_the_place_of_a_doubt(self, mind):
        await say(mind, "I might move to Madrid.", "I'm moving to Madrid.")
        me = mind.scope(user_id="alice")
        assert await me.pending() == []
        assert await statements_of(me) == ["The user is moving to Madrid."]

    @pytest.mark.parametrize(
        ("older", "newer", "holds"),
        [
            ("I'd rather have tea than coffee.", "I prefer coffee over tea.", "The user prefers coffee over tea."),
            ("The deadline is May 5.", "The deadline moved to June 1.", "The deadline moved to 2026-06-01."),
            ("I plan to buy a house.", "I'm not going to buy a house after all.", "not going to buy a house"),
            ("I want to run a marathon in 2027.", "I don't want to run a marathon anymore.", "does not want to run"),
            ("I want to run a marathon.", "I gave up on running a marathon.", "gave up on running"),
            ("We decided to use MySQL.", "We switched from MySQL to PostgreSQL after the outage.", "to PostgreSQL"),
        ],
    )
    async def test_of_two_that_cannot_both_hold_the_newer_does(self, mind, older, newer, holds):
        await say(mind, older, newer)
        [found] = await statements_of(mind.scope(user_id="alice"))
        assert holds in found

    async def test_only_a_statement_can_be_promoted(self, mind):
        await say(mind, "I live in Lisbon.")
        me = mind.scope(user_id="alice")
        [turn] = await me.get_all(kinds=["turn"])
        with pytest.raises(InvalidInput, match="pending statement"):
            await me.promote(turn.id)

    async def test_a_secret_is_in_the_log_and_nowhere_else(self, mind):
        chat = await say(mind, "My API key is sk-proj-abcdefghijklmnopqrstuvwx0123456789.", "What a day.")
        assert "sk-proj" in (await chat.messages())[0].content
        me = mind.scope(user_id="alice")
        assert await statements_of(me) == []
        assert await me.search("abcdefghijklmnopqrstuvwx0123456789", threshold=0.6) == []

    async def test_recalled_text_is_not_learned_again(self, mind):
        await say(mind, "My name is Alice.", "I live in Lisbon.")
        me = mind.scope(user_id="alice")
        chat = await me.conversation("chat-2")
        ctx = await chat.context("Where do I live?", tokens=2_000)
        assert "Lisbon" in ctx.text
        before = await me.get_all(kinds=["statement", "profile"])
        await mind.scope(user_id="bob").conversation("b")
        other = await mind.scope(user_id="bob").conversation("b")
        await other.add("user", ctx.text)
        await mind.drain()
        assert await profile_of(mind, "bob") == {}
        assert await statements_of(mind.scope(user_id="bob")) == []
        assert len(await me.get_all(kinds=["statement", "profile"])) == len(before)

    async def test_a_context_that_comes_back_breeds_nothing(self, mind):
        chat = await say(mind, "We decided to use Redis for caching.", "I finished the report.")
        me = mind.scope(user_id="alice")
        before = [(m.kind, m.content) for m in await me.get_all(kinds=["episode", "statement", "profile"])]
        assert [kind for kind, _ in before].count("episode") == 2
        ctx = await chat.context("What did we decide?")
        await (await me.conversation("another")).add("user", ctx.text)
        await mind.drain()
        assert [(m.kind, m.content) for m in await me.get_all(kinds=["episode", "statement", "profile"])] == before

    async def test_learning_twice_changes_nothing(self, mind):
        await say(mind, "My name is Alice.", "I love hiking.", "We decided to use PostgreSQL.")
        me = mind.scope(user_id="alice")
        before = await me.get_all(kinds=["statement", "profile"])
        with psycopg.connect(mind.database_url, autocommit=True, options="-c search_path=recollect,public") as owner:
            owner.execute("update conversation set understood_turn = 0")
        await say(mind, "Hm.", start=MONDAY + timedelta(days=1))
        after = await me.get_all(kinds=["statement", "profile"])
        assert [memory.content for memory in after] == [memory.content for memory in before]


async def test_waiting_for_what_was_understood(open_recollect):
    rc = await open_recollect(understand=True, worker=True)
    me = rc.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    said = await chat.add("user", "I love hiking in the Alps.")
    hits = await me.search("hiking", kinds=["statement"], after=said.watermark, wait="understood")
    assert [hit.memory.kind for hit in hits] == ["statement"]


async def test_with_understanding_off_nothing_is_learned_and_nothing_waits(rc):
    await say(rc, "My name is Alice.", "We decided to use PostgreSQL.")
    assert await profile_of(rc) == {}
    assert await statements_of(rc.scope(user_id="alice")) == []
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        assert owner.execute("select understood_turn = last_turn from conversation").fetchone() == (True,)


async def test_a_space_guides_extraction(mind):
    me = mind.scope(user_id="alice")
    assert await me.guide() == {}
    told = await me.guide(instructions="Remember every boat.", profile_keys=["Boat name"])
    assert told == {"instructions": "Remember every boat.", "profile_keys": ["boat_name"]}
    assert await me.guide(entity_types=["vessel"]) == told | {"entity_types": ["vessel"]}
    with pytest.raises(InvalidInput, match="profile_keys"):
        await me.guide(profile_keys="boat")


async def test_guidance_can_be_taken_back(mind):
    me = mind.scope(user_id="alice")
    await me.guide(instructions="Remember every boat.", profile_keys=["boat"])
    assert await me.guide(instructions="") == {"profile_keys": ["boat"]}
    assert await me.guide(profile_keys=[]) == {}
