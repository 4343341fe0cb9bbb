"""Which node a name is: by canonical name, alias, first name and type; counters, recalls, notes; never two for one."""

import asyncio
from datetime import timedelta

import pytest
from test_tiers_queries import Counting

from graph_texts import absorb, concept, person, rows, said, thing
from recollect.flows.graphing import graph_desk
from recollect.graph import service as graph

SPACE = "user:alice"


@pytest.fixture
def me(rc):
    return rc.scope(user_id="alice")


async def names(me, kind="person"):
    return sorted(node.name for node in await me.nodes(kind))


class TestPeople:
    async def test_a_full_name_is_one_node_whatever_its_case_and_title(self, rc, me):
        for name in ("Sarah Chen", "sarah chen", "Dr. Sarah Chen"):
            await absorb(rc, SPACE, said(person(name)))
        [node] = await me.nodes()
        assert (node.name, node.sources, node.state) == ("Sarah Chen", 3, "active")

    async def test_a_first_name_is_the_one_person_who_has_it(self, rc, me):
        _, nodes = await absorb(rc, SPACE, said(person("Sarah Chen")))
        _, again = await absorb(rc, SPACE, said(person("Sarah")), said(person("Ms Chen")))
        assert set(again.values()) == set(nodes.values())
        [node] = await me.nodes()
        assert set(node.aliases) == {"Sarah", "Ms Chen"}
        assert [each.id for each in await me.nodes(name="Ms Ch")] == [node.id]

    async def test_a_first_name_that_two_people_have_is_a_node_of_its_own(self, rc, me):
        await absorb(rc, SPACE, said(person("Sarah Chen"), person("Sarah Miller")))
        await absorb(rc, SPACE, said(person("Sarah")))
        assert await names(me) == ["Sarah", "Sarah Chen", "Sarah Miller"]

    async def test_an_alias_of_one_text_does_not_make_a_first_name_anybodys_own(self, rc, me):
        await absorb(rc, SPACE, said(person("Sarah Chen", "Sarah")))
        await absorb(rc, SPACE, said(person("Sarah Miller", "Sarah")))
        await absorb(rc, SPACE, said(person("Sarah")))
        assert await names(me) == ["Sarah", "Sarah Chen", "Sarah Miller"]

    async def test_a_first_name_in_the_same_batch_as_the_full_one(self, rc, me):
        await absorb(rc, SPACE, said(person("Sarah")), said(person("Sarah Chen")))
        assert await names(me) == ["Sarah Chen"]

    async def test_a_new_name_is_known_by_another_one_that_the_text_uses(self, rc, me):
        await absorb(rc, SPACE, said(person("Sarah Chen")))
        await absorb(rc, SPACE, said(person("Sarah Chen-Miller", "Sarah Chen")))
        await absorb(rc, SPACE, said(person("Sarah Chen-Miller")))
        [node] = await me.nodes()
        assert (node.name, node.aliases, node.sources) == ("Sarah Chen", ("Sarah Chen-Miller",), 3)

    async def test_a_name_that_another_node_has_is_not_stolen_but_doubted(self, rc, me):
        _, first = await absorb(rc, SPACE, said(person("Sarah")))
        await absorb(rc, SPACE, said(person("Sarah Chen", "Sarah")))
        assert await names(me) == ["Sarah", "Sarah Chen"]
        [proposal] = await me.merges()
        assert (proposal.kept_name, proposal.gone_name, proposal.similarity) == ("Sarah Chen", "Sarah", None)
        _, nodes = await absorb(rc, SPACE, said(person("Sarah")))
        assert list(nodes.values()) == list(first.values())

    async def test_a_nickname_is_lasting_unless_somebody_is_called_so(self, rc, me):
        await absorb(rc, SPACE, said(person("Robert Miller", "Bob")))
        await absorb(rc, SPACE, said(person("Bob")))
        assert await names(me) == ["Robert Miller"]
        await absorb(rc, SPACE, said(person("Robert King", "Rob")), said(person("Rob Stone")))
        assert await names(me) == ["Rob Stone", "Robert King", "Robert Miller"]
        await absorb(rc, SPACE, said(person("Rob")))
        assert "Rob" not in await names(me)

    async def test_a_deleted_node_is_not_made_again(self, rc, me):
        _, nodes = await absorb(rc, SPACE, said(person("Sarah Chen")))
        [id] = nodes.values()
        await me.delete(id)
        await absorb(rc, SPACE, said(person("Sarah Chen")))
        assert await me.nodes() == []
        assert (await me.get(id)).state == "soft_deleted"


class TestThings:
    async def test_a_bare_name_becomes_what_it_is_found_to_be(self, rc, me):
        _, first = await absorb(rc, SPACE, said(thing("Acme")))
        _, second = await absorb(rc, SPACE, said(thing("Acme", "organisation")))
        assert list(first.values()) == list(second.values())
        [node] = await me.nodes("entity")
        assert (node.type, node.sources) == ("organisation", 2)
        _, third = await absorb(rc, SPACE, said(thing("Acme")))
        assert list(third.values()) == list(first.values())

    async def test_a_bare_name_becomes_a_person_in_the_search_index_too(self, rc, me):
        _, first = await absorb(rc, SPACE, said(thing("Maria")))
        _, second = await absorb(rc, SPACE, said(person("Maria")))
        assert list(first.values()) == list(second.values())
        assert await names(me) == ["Maria"]
        assert await me.nodes("entity") == []
        assert [hit.memory.title for hit in await me.search("Maria", kinds=["person"])] == ["Maria"]

    async def test_two_types_are_two_nodes_and_then_a_bare_name_is_a_third(self, rc, me):
        await absorb(rc, SPACE, said(thing("Mercury", "planet")), said(thing("Mercury", "product")))
        await absorb(rc, SPACE, said(thing("Mercury")))
        assert sorted(node.type for node in await me.nodes("entity")) == ["name", "planet", "product"]

    async def test_both_in_one_text(self, rc, me):
        await absorb(
            rc, SPACE, said(thing("Acme"), thing("Acme", "organisation"), thing("Kafka", "technology"), thing("Kafka"))
        )
        assert sorted((node.name, node.type) for node in await me.nodes("entity")) == [
            ("Acme", "organisation"),
            ("Kafka", "technology"),
        ]

    async def test_an_alias_of_a_thing(self, rc, me):
        await absorb(rc, SPACE, said(thing("IBM", "organisation")))
        await absorb(rc, SPACE, said(thing("International Business Machines", "organisation", "IBM")))
        await absorb(rc, SPACE, said(thing("international business machines", "organisation")))
        [node] = await me.nodes("entity")
        assert (node.name, node.sources) == ("IBM", 3)
        [hit, *_] = await me.search("International Business Machines", kinds=["entity"])
        assert hit.memory.id == node.id

    async def test_a_concept_is_no_entity(self, rc, me):
        await absorb(rc, SPACE, said(concept("billing"), thing("Billing", "product")))
        assert len(await me.nodes(None)) == 2


class TestCounters:
    async def test_sources_days_and_dates_are_the_sources_own(self, rc, me, clock):
        begin = clock.now - timedelta(days=10)
        for hours in (0, 1, 30, 60):
            await absorb(rc, SPACE, said(person("Sarah Chen")), at=begin + timedelta(hours=hours))
        [node] = await me.nodes()
        assert (node.sources, node.days) == (4, 3)
        assert (node.first_mentioned_at, node.last_mentioned_at) == (begin, begin + timedelta(hours=60))

    async def test_days_are_those_of_the_space(self, rc, me, clock):
        await me.set_profile("identity", "timezone", "Pacific/Auckland")
        for hours in (1, 5):  # 10:30 and 14:30 UTC: on both sides of midnight in Auckland
            await absorb(rc, SPACE, said(person("Sarah Chen")), at=clock.now + timedelta(hours=hours))
        assert (await me.nodes(name="Sarah"))[0].days == 2

    async def test_each_meeting_is_one_recall_as_any_other(self, rc, me, clock):
        for _ in range(11):
            await absorb(rc, SPACE, said(person("Sarah Chen")))
            clock.forward(days=2)
        [[state, access, recalls, interval]] = rows(
            rc,
            "select state, access_count, recall_frequency, last_recall_interval from memory_use"
            " where space_id = 'user:alice' and kind = 'person'",
        )
        assert (state, access, recalls, interval) == ("core", 10, 10, 2.0)

    async def test_a_batch_counts_as_one_after_the_other(self, rc, me):
        await absorb(rc, SPACE, *[said(person("Sarah Chen"))] * 3, said(person("Bob Miller")))
        [bob, sarah] = sorted(await me.nodes(), key=lambda node: node.name)
        assert (sarah.access_count, sarah.state, sarah.sources) == (2, "active", 3)
        assert (bob.access_count, bob.state) == (0, "candidate")

    async def test_the_same_again_changes_nothing(self, rc, me):
        text = said(person("Sarah Chen"), remarks=[(person("Sarah Chen"), "Sarah Chen leads billing.")])
        [id], _ = await absorb(rc, SPACE, text)
        async with rc.parts.database.transaction(SPACE) as connection:
            await graph.absorb(graph_desk(rc.parts, connection, SPACE, rc.parts.clock(), None), [(id, text)])
        [node] = await me.nodes()
        assert (node.sources, node.access_count, node.notes) == (1, 0, 1)

    async def test_a_deleted_source_counts_no_more_until_it_is_back(self, rc, me):
        [first], _ = await absorb(rc, SPACE, said(person("Sarah Chen")))
        await absorb(rc, SPACE, said(person("Sarah Chen")))
        await me.delete(first)
        assert (await me.nodes())[0].sources == 1
        await me.restore(first)
        assert (await me.nodes())[0].sources == 2


class TestNotes:
    async def test_remarks_are_noted_once_with_their_source(self, rc, me):
        sarah = person("Sarah Chen")
        text = said(sarah, remarks=[(sarah, "Sarah Chen leads billing.", "year")])
        [source], nodes = await absorb(rc, SPACE, text)
        await absorb(rc, SPACE, text)
        [note] = await me.notes(nodes[sarah.key])
        assert (note.content, note.lifetime, note.added_by, note.source_id) == (
            "Sarah Chen leads billing.",
            "year",
            "recollect",
            source,
        )
        assert note.expires_at == rc.parts.clock() + timedelta(days=365)

    async def test_what_a_sensitive_source_says_is_for_those_who_may(self, rc, me):
        sarah, acme = person("Sarah Chen"), thing("Acme", "organisation")
        link = [(sarah, "works_at", acme, "Sarah Chen secretly works at Acme.")]
        remark = [(sarah, "Sarah Chen is ill.", "forever")]
        _, nodes = await absorb(rc, SPACE, said(sarah, acme, links=link, remarks=remark), sensitivity="high")
        trusted = rc.scope(user_id="alice", sensitivity="high")
        assert await me.nodes(None) == []
        assert len(await trusted.nodes(None)) == 2
        await rc.run_job("descriptions")
        assert "ill" in (await trusted.get(nodes[sarah.key])).content
        await absorb(rc, SPACE, said(sarah, acme))
        [node] = await me.nodes()
        assert node.description is None
        assert await me.notes(node.id) == []
        assert await me.relations(node.id) == []
        await rc.run_job("descriptions")
        assert "ill" not in (await me.get(node.id)).content
        assert all("ill" not in (line.content or "") for line in await me.history(node.id))
        assert [note.content for note in await trusted.notes(node.id)] == ["Sarah Chen is ill."]


class TestOneNodeForAName:
    async def test_eight_writers_at_once(self, open_recollect):
        rcs = [await open_recollect(pool_size=4) for _ in range(2)]
        await absorb(rcs[0], SPACE, said(person("Ann Lee")))
        people = [person(name) for name in ("Ann Lee", "Bob Ray", "Cem Oz", "Dana Fox")]
        things = [thing("Acme", type) for type in ("name", "organisation")]

        async def write(number):
            rc = rcs[number % 2]
            for turn in range(5):
                some = [*people[(number + turn) % 4 :], things[(number + turn) % 2]]
                await absorb(rc, SPACE, said(*some), said(person("Ann"), concept("billing")))

        await asyncio.gather(*(write(number) for number in range(8)))
        nodes = "and m.space_id = 'user:alice' and m.kind in ('person', 'concept', 'entity')"
        found = rows(rcs[0], f"select m.kind, m.type, m.data->>'canonical' from memory m where true {nodes}")
        assert len(found) == len(set(found)) == 6
        named = rows(rcs[0], "select node_id from node_name where space_id = 'user:alice'")
        assert len(set(named)) == 6

        def counted(counter, table, node):
            joined = f"from {table} c join memory m on m.space_id = c.space_id and m.id = c.{node}"
            return dict(
                rows(rcs[0], f"select m.title, {counter} {joined} where c.space_id = 'user:alice' {nodes} group by 1")
            )

        sources = counted("max(c.sources)", "mentioned", "node_id")
        assert sources["billing"] == sources["Acme"] == 40
        assert sources == counted("count(*)", "relation", "to_id")
        assert sources == counted("max(c.access_count) + 1", "memory_use", "memory_id")


async def test_statements_do_not_grow_with_the_batch(rc, monkeypatch):
    async def counted(texts):
        with monkeypatch.context() as patch:
            counting = Counting(patch)
            await absorb(rc, SPACE, *texts)
        return counting.statements

    def batch(size, first):
        return [
            said(
                person(f"Ann Number{first + n}", f"A. Number{first + n}"),
                thing("Acme", "organisation"),
                links=[
                    (person(f"Ann Number{first + n}"), "works_at", thing("Acme", "organisation"), "She works there.")
                ],
                remarks=[(person(f"Ann Number{first + n}"), f"Ann Number{first + n} likes {n}.")],
            )
            for n in range(size)
        ]

    # Each twice: a pool that makes another connection meanwhile sends statements of its own.
    few = min([await counted(batch(2, first)) for first in (0, 10)])
    many = min([await counted(batch(100, first)) for first in (100, 300)])
    assert many <= few + 2
    assert many < 50
