"""The owner's node follows the profile; descriptions follow the notes; nodes that may be one are proposed."""

import asyncio
from datetime import timedelta

import psycopg
import pytest
from test_tiers_crash import Crash, Failing, snapshot

from graph_texts import absorb, concept, node, person, rows, said, thing
from recollect import Conflict
from recollect.core.errors import Unavailable
from recollect.flows import descriptions, reembed
from recollect.providers.language.fake import FakeLanguageModel

SPACE = "user:alice"
SARAH, BOB, ACME = person("Sarah Chen"), person("Bob Miller"), thing("Acme Corp", "organisation")


@pytest.fixture
def me(rc):
    return rc.scope(user_id="alice")


class TestOwner:
    async def test_it_follows_the_name_that_is_set(self, rc, me):
        await me.set_profile("identity", "name", "Alice")
        [owner] = await me.nodes()
        assert (owner.name, owner.is_owner, owner.confidence, owner.state, owner.ttl_policy, owner.salience) == (
            "Alice", True, 1.0, "core", "keep_forever", 1.0,
        )  # fmt: skip
        await me.set_profile("identity", "full_name", "Alice Smith")
        [renamed] = await me.nodes()
        assert (renamed.id, renamed.name, renamed.aliases, renamed.state) == (
            owner.id,
            "Alice Smith",
            ("Alice",),
            "core",
        )
        _, nodes = await absorb(rc, SPACE, said(person("Alice")), said(person("Alice Smith")))
        assert set(nodes.values()) == {owner.id}
        await rc.drain()
        assert len(await me.nodes()) == 1

    async def test_it_follows_what_the_owner_says_and_no_third_person(self, mind):
        me = mind.scope(user_id="alice", thread_id="t")
        chat = await me.conversation()
        await chat.add("user", "My name is Alice.")
        await mind.drain()
        [owner] = await me.nodes()
        assert (owner.name, owner.is_owner) == ("Alice", True)
        await chat.add("user", "Her name is Beatrice. My boss is called Carla Jones.")
        await chat.add("assistant", "Your name is Zed.")
        await mind.drain()
        assert (await me.get(owner.id)).title == "Alice"
        await chat.add("user", "Actually, my name is Alicia.")
        await mind.drain()
        now = await me.get(owner.id)
        assert (now.title, now.data["aliases"]) == ("Alicia", ["Alice"])

    async def test_it_follows_when_the_name_is_edited_or_taken_back(self, mind):
        me = mind.scope(user_id="alice", thread_id="t")
        chat = await me.conversation()
        await chat.add("user", "My name is Alice.")
        await mind.drain()
        await me.set_profile("identity", "full_name", "Alice Smith")
        assert [each.name for each in await me.nodes()] == ["Alice Smith"]
        [fact] = [fact for fact in await me.profile() if fact.key == "full_name"]
        await me.update(fact.memory_ids[0], content="Alice Jones")
        await mind.drain()
        assert [each.name for each in await me.nodes()] == ["Alice Jones"]
        await me.delete(fact.memory_ids[0])
        await mind.drain()
        assert [each.name for each in await me.nodes()] == ["Alice"]
        await me.restore(fact.memory_ids[0])
        await mind.drain()
        [owner] = await me.nodes()
        assert (owner.name, set(owner.aliases)) == ("Alice Jones", {"Alice", "Alice Smith"})

    async def test_a_person_of_that_name_becomes_the_owners_and_can_be_parted(self, rc, me):
        alice = person("Alice Smith")
        remark = [(alice, "Alice Smith likes tea.", "forever")]
        _, nodes = await absorb(
            rc, SPACE, said(alice, BOB, links=[(alice, "works_with", BOB, "Pair.")], remarks=remark)
        )
        await me.set_profile("identity", "full_name", "Alice Smith")
        [owner] = await me.nodes(name="Alice")
        assert (owner.is_owner, owner.notes, owner.sources) == (True, 1, 1)
        assert [tie.type for tie in await me.relations(owner.id)] == ["works_with"]
        [merge] = await me.merges("merged")
        assert (merge.kept_id, merge.gone_id, merge.decided_by) == (owner.id, nodes[alice.key], "recollect")
        await me.unmerge(merge.id)
        both = await me.nodes(name="Alice Smith")
        assert {each.id for each in both} == {owner.id, nodes[alice.key]}
        assert len({each.data["canonical"] for each in both}) == 2
        assert [note.content for note in await me.notes(nodes[alice.key])] == ["Alice Smith likes tea."]
        await me.set_profile("identity", "full_name", "Alice Smith")
        await rc.drain()
        assert await me.merges("merged") == []  # it was parted, and stays so
        _, again = await absorb(rc, SPACE, said(alice))
        assert list(again.values()) == [owner.id]

    async def test_the_owner_is_always_kept(self, rc, me):
        await me.set_profile("identity", "name", "Alice")
        await absorb(rc, SPACE, said(BOB))
        owner, bob = await node(me, "Alice"), await node(me, "Bob Miller")
        merge = await me.merge(bob.id, owner.id)
        assert (merge.kept_id, merge.gone_id) == (owner.id, bob.id)

    async def test_many_at_once_make_one(self, rc, me):
        await absorb(rc, SPACE, said(person("Alice")))
        await asyncio.gather(
            *(me.set_profile("identity", "name", "Alice") for _ in range(4)),
            *(absorb(rc, SPACE, said(person("Alice"))) for _ in range(4)),
        )
        await rc.drain()
        [owner] = await me.nodes()
        assert (owner.is_owner, owner.sources) == (True, 5)

    async def test_every_statement_may_fail(self, rc, me, monkeypatch):
        await absorb(rc, SPACE, said(person("Alice Smith")))
        for at in range(1, 300):
            with monkeypatch.context() as patch:
                failing = Failing(patch, at)
                try:
                    await me.set_profile("identity", "full_name", "Alice Smith")
                except Crash:
                    continue
            if failing.count < at:
                break
        assert at > 40
        await rc.drain()
        [owner] = await me.nodes()
        assert (owner.is_owner, owner.sources) == (True, 1)

    async def test_killed_between_the_two_transactions_the_job_is_there(self, rc, me, monkeypatch):
        async def killed(*_):
            raise Crash

        with monkeypatch.context() as patch:
            patch.setattr("recollect.flows.owning.follow", killed)
            with pytest.raises(Crash):
                await me.set_profile("identity", "name", "Alice")
        assert await me.nodes() == []
        await rc.drain()
        assert [each.name for each in await me.nodes()] == ["Alice"]


class TestDescriptions:
    async def test_by_rules_from_relations_and_notes(self, rc, me):
        billing = concept("billing migration")
        links = [(SARAH, "works_at", ACME, "Works."), (SARAH, "leads", billing, "Leads.")]
        await absorb(rc, SPACE, said(SARAH, ACME, billing, links=links))
        counts = await rc.run_job("descriptions")
        assert (counts["seen"], counts["failed"]) == (3, 0)
        sarah = await node(me, "Sarah Chen")
        assert sarah.description in (
            "Sarah Chen works at Acme Corp and leads billing migration.",
            "Sarah Chen leads billing migration and works at Acme Corp.",
        )
        assert (await node(me, "Acme Corp")).description == "Acme Corp employs Sarah Chen."
        assert not sarah.by_hand
        await me.add_note(sarah.id, "She is allergic to nuts.", lifetime="forever")
        await rc.run_job("descriptions")
        assert (await me.get(sarah.id)).content.endswith("Sarah Chen is allergic to nuts.")
        [hit] = await me.search("Who is allergic to nuts?", limit=1)
        assert hit.memory.id == sarah.id

    async def test_run_twice_is_run_once(self, rc, me, clock):
        await absorb(
            rc, SPACE, said(SARAH, ACME, links=[(SARAH, "works_at", ACME, "W.")], remarks=[(SARAH, "Likes tea.")])
        )
        await rc.run_job("descriptions")
        before = snapshot(rc.database_url)
        clock.forward(days=1)
        assert (await rc.run_job("descriptions"))["spaces"] == 0
        assert snapshot(rc.database_url) == before

    async def test_what_did_not_change_is_not_embedded_again(self, rc, me):
        await absorb(rc, SPACE, said(SARAH, remarks=[(SARAH, "Sarah Chen leads billing.")]))
        await rc.run_job("descriptions")
        sarah = await node(me, "Sarah Chen")
        note = await me.add_note(sarah.id, "call me back")  # says nothing that could be told
        embedded = rc.parts.embedder.texts
        await rc.run_job("descriptions")
        await me.remove_note(note.id)
        await rc.run_job("descriptions")
        assert rc.parts.embedder.texts == embedded
        assert (await me.get(sarah.id)).version == sarah.version

    async def test_a_note_that_comes_meanwhile_stays_marked(self, rc, me, monkeypatch):
        await absorb(rc, SPACE, said(SARAH, remarks=[(SARAH, "Sarah Chen leads billing.")]))
        sarah = await node(me, "Sarah Chen")
        embed = descriptions._embed

        async def noting(*given):
            await me.add_note(sarah.id, "Sarah Chen moved to Rome.", lifetime="forever")
            await embed(*given)

        with monkeypatch.context() as patch:
            patch.setattr(descriptions, "_embed", noting)
            await rc.run_job("descriptions")
        assert "Rome" not in (await me.get(sarah.id)).content
        await rc.run_job("descriptions")
        assert "Rome" in (await me.get(sarah.id)).content

    async def test_a_change_by_hand_meanwhile_wins(self, rc, me, monkeypatch):
        await absorb(rc, SPACE, said(SARAH, remarks=[(SARAH, "Sarah Chen leads billing.")]))
        sarah = await node(me, "Sarah Chen")
        embed = descriptions._embed

        async def editing(*given):
            await me.update(sarah.id, content="Sarah, my sister.")
            await embed(*given)

        with monkeypatch.context() as patch:
            patch.setattr(descriptions, "_embed", editing)
            await rc.run_job("descriptions")
        await rc.run_job("descriptions")
        await me.add_note(sarah.id, "Sarah Chen moved to Rome.", lifetime="forever")
        await rc.run_job("descriptions")
        assert (await me.get(sarah.id)).content == "Sarah, my sister."
        assert rows(rc, "select 1 from dirty where space_id = 'user:alice'") == []

    async def test_relations_are_described_and_found_by_what_is_noted(self, rc, me):
        await absorb(
            rc, SPACE, said(SARAH, BOB, links=[(SARAH, "works_with", BOB, "Sarah Chen pairs with Bob Miller.")])
        )
        await rc.run_job("descriptions")
        sarah = await node(me, "Sarah Chen")
        [tie] = await me.relations(sarah.id)
        vector = "select text_hash from relation_entry where space_id = 'user:alice'"
        before = rows(rc, vector)
        await me.add_note(tie.id, "Sarah Chen and Bob Miller quarrelled over the budget.")
        await rc.run_job("descriptions")
        [tie] = await me.relations(sarah.id)
        assert "quarrelled" in tie.description
        assert rows(rc, vector) != before
        by_hand = await me.update_relation(tie.id, description="Old friends.")
        await me.add_note(by_hand.id, "Sarah Chen and Bob Miller made up.")
        await rc.run_job("descriptions")
        assert (await me.relations(sarah.id))[0].description == "Old friends."

    async def test_the_last_asked_for_come_first_and_there_is_a_cap(self, open_recollect, clock):
        rc = await open_recollect(descriptions_most=2)
        me = rc.scope(user_id="alice")
        people = [person(f"Ann Lee{n}") for n in range(4)]
        await absorb(rc, SPACE, said(*people, remarks=[(each, f"{each.name} likes tea.") for each in people]))
        clock.forward(hours=1)
        wanted = [each.id for each in await me.nodes()][-2:]
        await rc.recalls.flush()
        with psycopg.connect(rc.database_url, autocommit=True) as owner:
            owner.execute("update recollect.memory_use set last_accessed_at = null where space_id = 'user:alice'")
        for id in wanted:
            await me.get(id)
        await rc.recalls.flush()
        assert (await rc.run_job("descriptions"))["changed"] == 2
        assert {each.id for each in await me.nodes() if each.description} == set(wanted)
        assert (await rc.run_job("descriptions"))["changed"] == 2

    @pytest.mark.once
    async def test_every_statement_may_fail_and_nothing_is_lost(self, rc, me, monkeypatch):
        async def strict(parts, space, marked, counts):
            counts.update(await descriptions._describe(parts, space, marked))

        links = [(SARAH, "works_at", ACME, "Works.")]
        await absorb(rc, SPACE, said(SARAH, ACME, links=links, remarks=[(SARAH, "She likes tea.")]), prepared=False)
        before = snapshot(rc.database_url)
        now = rc.parts.clock()
        for at in range(1, 300):
            with monkeypatch.context() as patch:
                failing = Failing(patch, at)
                patch.setattr(descriptions, "_batch", strict)
                try:
                    await descriptions.sweep(rc.parts, SPACE, now)
                except Crash:
                    assert snapshot(rc.database_url) == before
                    continue
            break
        assert at > 20
        assert failing.count < at
        assert "likes tea" in (await node(me, "Sarah Chen")).content

    async def test_one_that_fails_does_not_stop_the_others(self, rc, me, monkeypatch):
        people = [person(f"Ann Lee{n}") for n in range(3)]
        await absorb(rc, SPACE, said(*people, remarks=[(each, f"{each.name} likes tea.") for each in people]))
        by_rules = descriptions.describing.by_rules

        def poisoned(subject):
            if subject.name == "Ann Lee1":
                raise ValueError
            return by_rules(subject)

        with monkeypatch.context() as patch:
            patch.setattr(descriptions.describing, "by_rules", poisoned)
            counts = await rc.run_job("descriptions")
        assert (counts["changed"], counts["failed"]) == (2, 1)
        assert (await rc.run_job("descriptions"))["changed"] == 1


class TestWithAModel:
    async def opened(self, open_recollect, answers):
        rc = await open_recollect()
        model = FakeLanguageModel(answers)
        object.__setattr__(rc.parts, "model", model)
        return rc, model

    async def test_it_is_asked_with_the_notes_and_the_cheap_one_for_few(self, open_recollect, clock):
        rc, model = await self.opened(open_recollect, lambda _: {"description": "Sarah Chen leads billing at Acme."})
        me = rc.scope(user_id="alice")
        await absorb(rc, SPACE, said(SARAH, remarks=[(SARAH, "Leads billing.")]))
        await rc.run_job("descriptions")
        sarah = await node(me, "Sarah Chen")
        assert sarah.description == "Sarah Chen leads billing at Acme."
        clock.forward(hours=1)
        for text in ("Likes tea.", "Moved to Rome.", "key sk-proj-abcdefghijklmnopqrstuvwx0123456789"):
            await me.add_note(sarah.id, text)
        clock.forward(hours=1)
        await me.add_note(sarah.id, "Has a dog.")
        await rc.run_job("descriptions")
        first, second = model.questions
        assert (first.task, second.task) == ("consolidate_cheap", "consolidate")
        assert "Sarah Chen leads billing at Acme." in second.prompt
        assert second.prompt.index("Likes tea.") < second.prompt.index("Has a dog.")
        assert "sk-proj" not in second.prompt

    async def test_rules_stand_in_and_it_is_asked_again(self, open_recollect):
        answers = iter([Unavailable("model", "down"), {"description": "Sarah Chen leads billing in Rome."}])
        rc, _ = await self.opened(open_recollect, lambda _: next(answers))
        me = rc.scope(user_id="alice")
        await absorb(rc, SPACE, said(SARAH, remarks=[(SARAH, "Leads billing.")]))
        await rc.run_job("descriptions")
        sarah = await node(me, "Sarah Chen")
        assert (sarah.description, sarah.data["by_rules"]) == ("Sarah Chen leads billing.", True)
        await rc.run_job("descriptions")
        sarah = await node(me, "Sarah Chen")
        assert sarah.description == "Sarah Chen leads billing in Rome."
        assert "by_rules" not in sarah.data
        assert (await rc.run_job("descriptions"))["spaces"] == 0

    async def test_an_answer_that_breaks_the_rules_is_not_taken(self, open_recollect):
        rc, _ = await self.opened(open_recollect, lambda _: {"description": "I think you know her?"})
        me = rc.scope(user_id="alice")
        await absorb(rc, SPACE, said(SARAH, remarks=[(SARAH, "Leads billing.")]))
        await rc.run_job("descriptions")
        assert (await node(me, "Sarah Chen")).description == "Sarah Chen leads billing."


class TestProposals:
    @pytest.fixture
    async def real(self, open_recollect):
        return await open_recollect(embedder="recollect-recall-v2")

    async def test_what_may_be_one_is_proposed_once(self, real):
        me = real.scope(user_id="alice")
        names = ("Acme Corp", "Acme Corporation", "Apollo 1", "Apollo 2", "Globex")
        await absorb(real, SPACE, said(*(thing(name, "organisation") for name in names), concept("Acme Corp")))
        counts = await real.run_job("descriptions")
        assert counts["proposed"] == 1
        [proposal] = await me.merges()
        assert {proposal.kept_name, proposal.gone_name} == {"Acme Corp", "Acme Corporation"}
        assert proposal.similarity >= 0.9
        refused = await me.resolve_merge(proposal.id, accept=False)
        assert (refused.status, refused.decided_by) == ("refused", "alice")
        for name in names:
            await me.add_note((await node(me, name, "entity")).id, "Something new.")
        assert (await real.run_job("descriptions"))["proposed"] == 0
        assert await me.merges() == []
        with pytest.raises(Conflict):
            await me.resolve_merge(proposal.id, accept=True)

    async def test_accepted_it_is_a_merge(self, real):
        me = real.scope(user_id="alice")
        one, other = thing("Acme Corp", "organisation"), thing("Acme Corporation")
        await absorb(real, SPACE, said(other))
        await absorb(real, SPACE, said(one), said(one))
        await real.run_job("descriptions")
        [proposal] = await me.merges()
        merged = await me.resolve_merge(proposal.id, accept=True)
        assert (merged.status, merged.kept_name) == ("merged", "Acme Corp")
        assert await me.merges() == []
        await me.unmerge(merged.id)
        await me.add_note((await node(me, "Acme Corp", "entity")).id, "Something new.")
        await real.run_job("descriptions")
        assert await me.merges() == []


async def test_another_model_reembeds_nodes_and_relations(rc, me):
    await absorb(rc, SPACE, said(person("Sarah Chen", "Ms Chen"), BOB, links=[(SARAH, "works_with", BOB, "Pair.")]))
    await rc.run_job("descriptions")
    index = (
        "select memory_id, version, kind, visible, text_hash, terms::text from entry"
        " where space_id = 'user:alice' and kind = 'person' order by 1, 2"
    )
    vectors = "select relation_id, text_hash, embedding::text from relation_entry where space_id = 'user:alice'"
    before = rows(rc, index), rows(rc, vectors)
    await reembed.reembed(rc.parts, force=True)
    assert (rows(rc, index), rows(rc, vectors)) == before
    assert len(before[0]) > 2
    assert len(before[1]) == 1


@pytest.mark.once
async def test_absorbing_may_fail_at_every_statement(rc, me, monkeypatch, clock):
    sara = person("Sara Chen", "Sarah Chen")
    await absorb(rc, SPACE, said(SARAH, thing("Acme Corp"), remarks=[(SARAH, "Sarah Chen leads billing.")]))
    clock.forward(days=1)
    text = said(
        sara,
        ACME,
        BOB,
        links=[(sara, "works_at", ACME, "W."), (BOB, "works_with", sara, "P.")],
        remarks=[(sara, "She sings.")],
    )
    before = snapshot(rc.database_url)
    for at in range(1, 300):
        with monkeypatch.context() as patch:
            failing = Failing(patch, at)
            try:
                await absorb(rc, SPACE, text)
            except Crash:
                assert snapshot(rc.database_url) == before
                continue
        break
    assert at > 25
    assert failing.count < at
    assert sorted(each.name for each in await me.nodes()) == ["Bob Miller", "Sarah Chen"]
    sarah = await node(me, "Sarah Chen")
    assert (sarah.sources, sarah.days, sarah.notes, sarah.aliases) == (2, 2, 2, ("Sara Chen",))
    assert sarah.last_mentioned_at - sarah.first_mentioned_at == timedelta(days=1)
