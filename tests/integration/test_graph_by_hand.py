"""Notes, relations and merges by hand: who wrote what, versions, what is undone, what is refused."""

import asyncio
from datetime import timedelta

import pytest
from test_tiers_crash import Crash, Failing, snapshot

from graph_texts import absorb, concept, node, person, rows, said, thing
from recollect import Conflict, InvalidInput, NotFound

SPACE = "user:alice"
SARAH, BOB, ACME = person("Sarah Chen"), person("Bob Miller"), thing("Acme", "organisation")


@pytest.fixture
def me(rc):
    return rc.scope(user_id="alice")


class TestNotes:
    async def test_add_list_change_remove(self, rc, me, clock):
        _, nodes = await absorb(rc, SPACE, said(SARAH))
        id = nodes[SARAH.key]
        agent = rc.scope(user_id="alice", agent_id="planner")
        first = await me.add_note(id, "  Likes tea. ")
        second = await agent.add_note(id, "Leads billing.", lifetime="forever")
        assert [(note.content, note.added_by, note.lifetime) for note in await me.notes(id)] == [
            ("Likes tea.", "alice", "month"),
            ("Leads billing.", "planner", "forever"),
        ]
        assert first.expires_at == clock.now + timedelta(days=30)
        assert second.expires_at is None
        clock.forward(days=10)
        changed = await me.update_note(first.id, "Likes green tea.")
        assert (changed.content, changed.expires_at, changed.added_by) == (
            "Likes green tea.",
            first.expires_at,
            "alice",
        )
        changed = await me.update_note(first.id, lifetime="week")
        assert changed.expires_at == clock.now + timedelta(days=7)
        assert (await me.remove_note(second.id)).id == second.id
        assert [note.id for note in await me.notes(id)] == [first.id]
        told = [(line.event, line.actor, line.agent_id, line.detail.get("change")) for line in await me.history(id)]
        assert told == [
            ("ADD", "recollect", None, None),
            ("UPDATE", "alice", None, "added"),
            ("UPDATE", "alice", "planner", "added"),
            ("UPDATE", "alice", None, "changed"),
            ("UPDATE", "alice", None, "changed"),
            ("UPDATE", "alice", None, "removed"),
        ]

    async def test_a_note_that_has_ended_is_not_shown_and_then_removed(self, rc, me, clock):
        _, nodes = await absorb(rc, SPACE, said(SARAH))
        id = nodes[SARAH.key]
        await me.add_note(id, "In Rome this week.", lifetime="week")
        await me.add_note(id, "Leads billing.", lifetime="year")
        await rc.run_job("descriptions")
        clock.forward(days=7)
        assert [note.content for note in await me.notes(id)] == ["Leads billing."]
        counts = await rc.run_job("note_cleanup")
        assert (counts["spaces"], counts["changed"]) == (1, 1)
        assert rows(rc, "select kind from dirty where space_id = 'user:alice'") == [("person",)]
        assert (await me.history(id))[-1].event == "TTL"
        assert (await rc.run_job("note_cleanup"))["spaces"] == 0

    async def test_on_any_memory_and_on_a_relation(self, rc, me):
        memory = await me.add("Alice prefers tea.")
        await me.add_note(memory.id, "Green tea above all.")
        assert [note.content for note in await me.notes(memory.id)] == ["Green tea above all."]
        assert (await me.history(memory.id))[-1].detail["change"] == "added"
        await absorb(rc, SPACE, said(SARAH, BOB))
        tie = await me.relate((await node(me, "Sarah Chen")).id, (await node(me, "Bob Miller")).id, "works_with")
        note = await me.add_note(tie.id, "They share a desk.")
        assert [each.id for each in await me.notes(tie.id)] == [note.id]
        assert (await me.history(tie.id))[-1].detail["note"] == str(note.id)
        assert rows(rc, "select kind from dirty where space_id = 'user:alice' and target_id = %s", tie.id) == [
            ("relation",)
        ]

    async def test_what_is_refused(self, rc, me):
        _, nodes = await absorb(rc, SPACE, said(SARAH))
        id = nodes[SARAH.key]
        for field, call in {
            "text": me.add_note(id, "  "),
            "lifetime": me.add_note(id, "x", lifetime="day"),
            "id": me.add_note("nonsense", "x"),
        }.items():
            with pytest.raises(InvalidInput) as refused:
                await call
            assert refused.value.field == field
        note = await me.add_note(id, "Likes tea.")
        with pytest.raises(InvalidInput):
            await me.update_note(note.id)
        stranger = rc.scope(user_id="mallory")
        for call in (
            stranger.add_note(id, "x"),
            stranger.notes(id),
            stranger.update_note(note.id, "x"),
            stranger.remove_note(note.id),
        ):
            with pytest.raises(NotFound):
                await call
        await me.delete(id)
        with pytest.raises(Conflict):
            await me.add_note(id, "x")
        assert len(await me.notes(id)) == 1


class TestRelations:
    @pytest.fixture
    async def ends(self, rc, me):
        await absorb(rc, SPACE, said(SARAH, BOB, ACME))
        return (await node(me, "Sarah Chen")).id, (await node(me, "Bob Miller")).id

    async def test_a_relation_with_all_that_can_be_said_of_it(self, rc, me, ends):
        agent = rc.scope(user_id="alice", agent_id="planner")
        tie = await agent.relate(
            *ends,
            "Works with",
            description="They pair on billing.",
            attitude="warm",
            proximity="close",
            confidence=0.9,
            strength=0.8,
        )
        assert (tie.type, tie.attitude, tie.proximity, tie.confidence, tie.strength, tie.author, tie.by_hand) == (
            "works_with", "warm", "close", 0.9, 0.8, "planner", True,
        )  # fmt: skip
        [seen] = await me.relations(ends[1])
        assert (seen.id, seen.from_name, seen.to_name) == (tie.id, "Sarah Chen", "Bob Miller")
        assert rows(rc, "select count(*) from relation_entry where space_id = 'user:alice'") == [(1,)]
        assert "UPDATE" in [line.event for line in await me.history(ends[0])]

    async def test_a_change_on_the_same_day_is_the_same_version_and_later_another_one(self, rc, me, ends, clock):
        first = await me.relate(*ends, "works_with", strength=0.4)
        same = await me.update_relation(first.id, strength=0.3, description="Sometimes.")
        assert (same.id, same.strength, same.description) == (first.id, 0.3, "Sometimes.")
        note = await me.add_note(first.id, "Since the merger.")
        clock.forward(days=3)
        again = await me.relate(*ends, "works_with")
        assert again.id == first.id  # nothing changed
        later = await me.update_relation(first.id, attitude="cold")
        assert later.id != first.id
        assert (later.strength, later.description, later.attitude) == (0.3, "Sometimes.", "cold")
        assert [each.id for each in await me.relations(ends[0])] == [later.id]
        assert [each.id for each in await me.notes(later.id)] == [note.id]
        with pytest.raises(Conflict):
            await me.update_relation(first.id, attitude="warm")
        [[ended]] = rows(rc, "select valid_until from relation where space_id = 'user:alice' and id = %s", first.id)
        assert ended == clock.now

    async def test_texts_do_not_change_what_a_person_said(self, rc, me, ends, clock):
        acme = (await node(me, "Acme", "entity")).id
        tie = await me.relate(ends[0], acme, "works_at", description="Since 2019.", confidence=0.6, strength=0.2)
        clock.forward(days=2)
        globex = thing("Globex", "organisation")
        await absorb(
            rc,
            SPACE,
            said(
                SARAH, ACME, globex, links=[(SARAH, "works_at", ACME, "Text."), (SARAH, "works_at", globex, "Other.")]
            ),
        )
        held = {each.to_name: each for each in await me.relations(ends[0])}
        assert (held["Acme"].id, held["Acme"].description, held["Acme"].confidence) == (tie.id, "Since 2019.", 0.6)
        assert held["Globex"].author == "recollect"

    async def test_what_a_person_ended_no_text_begins_again_but_a_person_does(self, rc, me, ends, clock):
        text = said(SARAH, BOB, links=[(SARAH, "works_with", BOB, "They pair.")])
        await absorb(rc, SPACE, text)
        [tie] = await me.relations(ends[0])
        ended = await me.end_relation(tie.id)
        assert (ended.id, ended.valid_until, ended.by_hand) == (tie.id, clock.now, True)
        assert "relation ended" in [line.reason for line in await me.history(tie.id)]
        for days in (0, 1):
            clock.forward(days=days)
            await absorb(rc, SPACE, text)
            assert await me.relations(ends[0]) == []
        with pytest.raises(Conflict):
            await me.end_relation(tie.id)
        with pytest.raises(Conflict):
            await me.update_relation(tie.id, strength=0.5)
        again = await me.relate(*ends, "works_with")
        clock.forward(days=1)
        await absorb(rc, SPACE, text)
        assert [each.id for each in await me.relations(ends[0])] == [again.id]

    async def test_what_a_person_ended_and_began_on_one_day_holds(self, rc, me, ends, clock):
        tie = await me.relate(*ends, "works_with")
        await me.end_relation(tie.id)
        again = await me.relate(*ends, "works_with")
        assert (again.id, again.valid_until) == (tie.id, None)
        await absorb(rc, SPACE, said(SARAH, BOB, links=[(SARAH, "works_with", BOB, "They pair.")]))
        assert [each.id for each in await me.relations(ends[0])] == [tie.id]

    async def test_what_a_text_adds_keeps_what_was_known_of_it(self, rc, me, ends, clock):
        await absorb(rc, SPACE, said(SARAH, BOB, links=[(SARAH, "works_with", BOB, "They pair.")]))
        [tie] = await me.relations(ends[0])
        assert (tie.description, tie.by_hand) == ("They pair.", False)
        note = await me.add_note(tie.id, "Daily.")
        clock.forward(days=1)
        text = said(SARAH, BOB, links=[(SARAH, "works_with", BOB, None)])
        [link] = text.links
        stronger = type(text)(text.entities, (type(link)(link.subject, link.type, link.object, 0.95, 0.9),))
        await absorb(rc, SPACE, stronger)
        [new] = await me.relations(ends[0])
        assert new.id != tie.id
        assert (new.description, new.confidence, new.notes) == ("They pair.", 0.95, 1)
        assert [each.id for each in await me.notes(new.id)] == [note.id]

    async def test_what_is_refused(self, rc, me, ends):
        elsewhere = await rc.scope(user_id="bob").add("Something.")
        for error, field, call in [
            (InvalidInput, "b_id", me.relate(ends[0], ends[0], "works_with")),
            (InvalidInput, "type", me.relate(*ends, " ")),
            (InvalidInput, "type", me.relate(*ends, "mentions")),
            (InvalidInput, "confidence", me.relate(*ends, "works_with", confidence=2)),
            (InvalidInput, "description", me.relate(*ends, "works_with", description="")),
            (NotFound, None, me.relate(ends[0], elsewhere.id, "works_with")),
            (NotFound, None, me.update_relation(ends[0], strength=0.5)),
            (NotFound, None, me.end_relation(ends[0])),
            (NotFound, None, me.relations(elsewhere.id)),
        ]:
            with pytest.raises(error) as refused:
                await call
            if field:
                assert refused.value.field == field
        assert await me.relations(ends[0]) == []


class TestMerges:
    @pytest.fixture
    async def two(self, rc, me):
        sara = person("Sara Chen", "S. Chen")
        await absorb(
            rc, SPACE,
            said(SARAH, ACME, BOB, links=[(SARAH, "works_at", ACME, "One."), (SARAH, "works_with", BOB, "Pair.")],
                 remarks=[(SARAH, "Sarah Chen leads billing.")]),
            said(sara, ACME, BOB, links=[(sara, "works_at", ACME, "Two."), (BOB, "reports_to", sara, "Boss.")],
                 remarks=[(sara, "Sara Chen plays chess.", "year")]),
            said(SARAH, sara),
        )  # fmt: skip
        await rc.run_job("descriptions")
        ids = (await node(me, "Sarah Chen")).id, (await node(me, "Sara Chen")).id
        await rc.recalls.flush()
        return ids

    async def test_everything_goes_over(self, rc, me, two):
        kept, gone = two
        merged = await me.merge(kept, gone)
        assert (merged.status, merged.kept_id, merged.gone_id, merged.decided_by) == ("merged", kept, gone, "alice")
        sarah = await node(me, "Sarah Chen")
        assert set(sarah.aliases) == {"Sara Chen", "S. Chen"}
        assert (sarah.sources, sarah.notes) == (3, 2)
        held = sorted((tie.from_name, tie.type, tie.to_name) for tie in await me.relations(kept))
        assert held == [
            ("Bob Miller", "reports_to", "Sarah Chen"),
            ("Sarah Chen", "works_at", "Acme"),
            ("Sarah Chen", "works_with", "Bob Miller"),
        ]
        works_at = next(tie for tie in await me.relations(kept) if tie.type == "works_at")
        witnesses = rows(
            rc, "select count(*) from evidence where space_id = 'user:alice' and relation_id = %s", works_at.id
        )
        assert witnesses == [(2,)]
        other = await me.get(gone)
        assert (other.state, other.data["merged_into"]) == ("archived", str(kept))
        await rc.drain()
        assert (await me.get(gone)).state == "archived"  # who looks at it does not bring it back
        assert [each.name for each in await me.nodes(name="Sara")] == ["Sarah Chen"]
        _, nodes = await absorb(rc, SPACE, said(person("S. Chen")), said(person("Sara Chen")))
        assert set(nodes.values()) == {kept}
        await rc.run_job("descriptions")
        found = [hit.memory.id for hit in await me.search("Sara", kinds=["person"])]
        assert kept in found
        assert gone not in found
        assert "Sara Chen" not in (await node(me, "Bob Miller")).content
        assert "MERGE" in [line.event for line in await me.history(kept)]
        assert "MERGE" in [line.event for line in await me.history(gone)]

    async def test_undone_all_is_as_it_was(self, rc, me, two):
        before = snapshot(rc.database_url)
        merged = await me.merge(*two)
        undone = await me.unmerge(merged.id)
        assert undone.status == "undone"
        after = snapshot(rc.database_url)
        same = [
            "node_name",
            "relation",
            "note",
            "evidence",
            "mentioned",
            "memory",
            "memory_version",
            "entry",
            "relation_entry",
        ]
        assert {name: after[name] for name in same} == {name: before[name] for name in same}
        assert [line.event for line in await me.history(two[1])][-2:] == ["MERGE", "RESTORE"]

    async def test_undone_after_later_writes(self, rc, me, two, clock):
        kept, gone = two
        before = {id: await self._state(me, id) for id in two}
        merged = await me.merge(*two)
        await rc.run_job("descriptions")
        assert "chess" in (await me.get(kept)).content
        clock.forward(days=1)
        late = await me.add_note(kept, "Sarah Chen moved to Rome.", lifetime="forever")
        dana = person("Dana Fox")
        await absorb(
            rc, SPACE, said(person("Sara Chen"), dana, links=[(person("Sara Chen"), "works_with", dana, "New.")])
        )
        await rc.run_job("descriptions")
        await me.unmerge(merged.id)
        await rc.run_job("descriptions")
        notes, ties, sources, aliases = await self._state(me, kept)
        assert notes == before[kept][0] | {late.content}
        assert ties == before[kept][1] | {("Sarah Chen", "works_with", "Dana Fox")}
        assert (sources, aliases) == (before[kept][2] + 1, before[kept][3])
        assert await self._state(me, gone) == before[gone]
        assert "chess" not in (await me.get(kept)).content
        _, nodes = await absorb(rc, SPACE, said(person("Sara Chen")))
        assert list(nodes.values()) == [gone]

    async def _state(self, me, id):
        seen = await me.get(id)
        [counted] = [each for each in await me.nodes(name=seen.title) if each.id == id]
        ties = {(tie.from_name, tie.type, tie.to_name) for tie in await me.relations(id)}
        return {note.content for note in await me.notes(id)}, ties, counted.sources, set(counted.aliases)

    async def test_one_in_another_in_a_third(self, rc, me, two):
        await absorb(rc, SPACE, said(person("Sally Chen")))
        third = (await node(me, "Sally Chen")).id
        first = await me.merge(*two)
        second = await me.merge(third, two[0])
        with pytest.raises(Conflict, match=str(second.id)):
            await me.unmerge(first.id)
        with pytest.raises(Conflict, match="merged into"):
            await me.merge(third, two[0])
        with pytest.raises(Conflict, match="merged into"):
            await me.add_note(two[0], "x")
        with pytest.raises(Conflict, match="merged into"):
            await me.relate(third, two[1], "works_with")
        assert [each.name for each in await me.nodes(name="Sara Chen")] == ["Sally Chen"]
        await me.unmerge(second.id)
        await me.unmerge(first.id)
        with pytest.raises(Conflict):
            await me.unmerge(first.id)
        assert sorted(each.name for each in await me.nodes(name="Sa")) == ["Sally Chen", "Sara Chen", "Sarah Chen"]

    async def test_a_recall_that_comes_late_does_not_bring_the_other_one_back(self, rc, me, two):
        await me.get(two[1])
        await me.merge(*two)
        await rc.recalls.flush()
        assert (await me.get(two[1])).state == "archived"
        assert two[1] not in [hit.memory.id for hit in await me.search("Sara Chen", kinds=["person"])]

    async def test_merged_undone_and_merged_again(self, rc, me, two):
        first = await me.merge(*two)
        await me.unmerge(first.id)
        second = await me.merge(two[1], two[0])
        assert (second.id != first.id, second.kept_id) == (True, two[1])
        assert [merge.status for merge in await me.merges(None)] == ["undone", "merged"]

    async def test_what_is_refused(self, rc, me, two):
        memory = await me.add("Something.")
        acme = await node(me, "Acme", "entity")
        for field, call in [
            ("b_id", me.merge(two[0], two[0])),
            ("b_id", me.merge(two[0], acme.id)),
            ("a_id", me.merge(memory.id, two[0])),
        ]:
            with pytest.raises(InvalidInput) as refused:
                await call
            assert refused.value.field == field
        for call in (
            me.unmerge(memory.id),
            me.resolve_merge(memory.id, accept=True),
            rc.scope(user_id="bob").merge(*two),
        ):
            with pytest.raises(NotFound):
                await call

    @pytest.mark.parametrize("work", ["merge", "unmerge"])
    async def test_every_statement_may_fail(self, rc, me, two, monkeypatch, work):
        merged = await me.merge(*two) if work == "unmerge" else None
        before = snapshot(rc.database_url)
        for at in range(1, 200):
            with monkeypatch.context() as patch:
                failing = Failing(patch, at)
                try:
                    await (me.unmerge(merged.id) if merged else me.merge(*two))
                except Crash:
                    assert snapshot(rc.database_url) == before
                    continue
            break
        assert at > 20
        assert failing.count < at
        assert [each.status for each in await me.merges(None)] == ["merged" if work == "merge" else "undone"]

    async def test_four_at_once_merge_once(self, rc, me, two):
        done = await asyncio.gather(*(me.merge(*two) for _ in range(4)), return_exceptions=True)
        assert sum(not isinstance(each, Exception) for each in done) == 1
        assert all(isinstance(each, Conflict) for each in done if isinstance(each, Exception))
        assert len(await me.merges("merged")) == 1


async def test_a_node_by_another_name(rc, me):
    await absorb(rc, SPACE, said(SARAH, BOB))
    sarah = await node(me, "Sarah Chen")
    with pytest.raises(Conflict, match="merge the two"):
        await me.update(sarah.id, title="Bob Miller")
    await me.update(sarah.id, title="Sarah Miller", content="Sarah Miller leads billing.")
    renamed = await node(me, "Sarah Miller")
    assert (renamed.id, renamed.aliases) == (sarah.id, ("Sarah Chen",))
    _, nodes = await absorb(rc, SPACE, said(person("Sarah Chen")), said(person("Sarah Miller")))
    assert set(nodes.values()) == {sarah.id}
    [hit, *_] = await me.search("Sarah Miller", kinds=["person"])
    assert hit.memory.id == sarah.id


async def test_nodes_are_paged_and_their_reading_counts(rc, me):
    await absorb(rc, SPACE, said(*(person(f"Ann Lee{n}") for n in range(5)), concept("billing")))
    first = await me.nodes(limit=3)
    rest = await me.nodes(limit=3, after=first[-1].id)
    assert len({each.id for each in first + rest}) == 5
    assert len(await me.nodes(None)) == 6
    await rc.drain()
    again = await me.nodes()
    assert {each.state for each in again} == {"active"}
    for field, call in [("kind", me.nodes("statement")), ("name", me.nodes(name="-")), ("limit", me.nodes(limit=0))]:
        with pytest.raises(InvalidInput) as refused:
            await call
        assert refused.value.field == field
