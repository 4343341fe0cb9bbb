"""From short-term to long-term memory: versions in time, nodes and relations, what is kept and for how long."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest
from test_migration_flow import APART, JWT, MORE, OTHER, chunks, long_text, noted

from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.db.database import Database
from recollect.flows import doctor, reembed
from recollect.flows import promote as promotion
from recollect.records import relations
from recollect.records.relations import Observed


@pytest.fixture
def me(rc):
    return rc.scope(user_id="alice", agent_id="coder")


def owner(rc):
    return psycopg.connect(rc.database_url, autocommit=True, options="-c search_path=recollect,public")


async def versions(me, source):
    """(order, text, from, until), oldest first."""
    found = await me.chunk_history(source)
    return [(v.data["order"], v.content, v.valid_from, v.valid_until) for v in reversed(found)]


class TestVersions:
    async def test_promoting_begins_a_version_of_every_chunk_at_once(self, me, clock):
        _, [landed] = await noted(me, long_text())
        promoted = await me.promote(landed.source_id)
        assert promoted.id == landed.source_id
        told = await me.chunk_history(landed.source_id)
        short = await chunks(me, tier="short")
        assert len(told) >= 3
        assert {version.content for version in told} == {chunk.content for chunk in short}
        assert {(version.valid_from, version.valid_until, version.tier) for version in told} == {
            (clock.now, None, "long")
        }

    async def test_a_chunk_that_comes_back_begins_where_it_ended_though_the_clock_went_back(self, me, clock):
        _, [landed] = await noted(me, JWT)
        [chunk] = await chunks(me, tier="short")
        await me.promote(landed.source_id)
        start = clock.now
        clock.forward(hours=10)
        ended = clock.now
        await me.update(chunk.id, valid_until=clock.now)
        with suppress(Conflict):
            await me.promote(landed.source_id)
        clock.forward(hours=-5)
        await me.update(chunk.id, valid_until=None)
        await me.promote(landed.source_id)
        spans = [(since, until) for _, _, since, until in await versions(me, landed.source_id)]
        assert spans == [(start, ended), (ended, None)]

    @pytest.mark.parametrize("field", ["content", "valid_from", "valid_until"])
    async def test_versions_are_written_by_promotion_alone(self, me, clock, field):
        _, [landed] = await noted(me, JWT)
        await me.promote(landed.source_id)
        before = await versions(me, landed.source_id)
        [version] = await me.chunk_history(landed.source_id)
        with pytest.raises(InvalidInput, match="promotion alone"):
            await me.update(version.id, **{field: "xx yy" if field == "content" else clock.now + timedelta(hours=1)})
        assert await versions(me, landed.source_id) == before
        assert (await me.update(version.id, importance=0.9)).importance == 0.9

    async def test_a_deleted_version_that_was_promoted_anew_comes_back_as_a_former_one(self, me, clock):
        _, [landed] = await noted(me, JWT)
        await me.promote(landed.source_id)
        start = clock.now
        [version] = await me.chunk_history(landed.source_id)
        await me.delete(version.id)
        clock.forward(hours=1)
        await me.promote(landed.source_id)
        assert [v.valid_from for v in await me.chunk_history(landed.source_id)] == [clock.now]
        assert len(list(await me.get_all(kinds=["chunk"], tier="long"))) == 1
        await me.restore(version.id)
        spans = [(since, until) for _, _, since, until in await versions(me, landed.source_id)]
        assert spans == [(start, clock.now), (clock.now, None)]

    async def test_a_changed_chunk_begins_another_and_the_others_keep_theirs(self, me, clock):
        active, [landed] = await noted(me, long_text())
        start = clock.now
        await me.promote(landed.source_id)
        first = {version.data["chunk"]: version for version in await me.chunk_history(landed.source_id)}
        clock.forward(days=1)
        await me.update_section(active.id, "notes", long_text(1))
        [merged] = await me.migrate()
        await me.promote(merged.source_id)  # it went into chunks of the first source
        told = await me.chunk_history(landed.source_id)
        assert len(told) == len(first) + 1
        assert told == await me.chunk_history(merged.source_id)
        [new] = [version for version in told if version.valid_from == clock.now]
        old = next(version for version in told if version.id == first[new.data["chunk"]].id)
        assert (old.valid_from, old.valid_until, new.valid_until) == (start, clock.now, None)
        assert "painted green" in new.content
        assert "painted green" not in old.content

    async def test_a_second_time_changes_nothing(self, me, clock):
        _, [landed] = await noted(me, JWT)
        await me.promote(landed.source_id)
        before = await me.chunk_history(landed.source_id)
        clock.forward(hours=1)
        await me.promote(landed.source_id)
        assert await me.chunk_history(landed.source_id) == before

    @pytest.mark.parametrize("move", [0, -3])
    async def test_a_clock_that_stands_still_or_goes_back_leaves_no_gap(self, me, clock, move):
        active, [landed] = await noted(me, JWT)
        start = clock.now
        await me.promote(landed.source_id)
        clock.forward(hours=move)
        await me.update_section(active.id, "notes", MORE)
        await me.migrate()
        await me.promote(landed.source_id)
        assert await versions(me, landed.source_id) == [(0, JWT, start, start), (0, MORE, start, None)]

    async def test_many_promotions_at_once_make_one_version(self, me):
        _, [landed] = await noted(me, long_text())
        await asyncio.gather(*(me.promote(landed.source_id) for _ in range(4)))
        told = await me.chunk_history(landed.source_id)
        assert len({version.data["chunk"] for version in told}) == len(told)

    async def test_a_chunk_that_is_deleted_takes_its_version_along(self, rc, me):
        _, [landed] = await noted(me, JWT)
        await me.promote(landed.source_id)
        await me.delete(landed.chunk_ids[0])
        assert await me.chunk_history(landed.source_id) == []
        assert await me.search("JWT access tokens", include=["archived", "expired"]) == []
        await me.update(landed.source_id, importance=0.9)
        assert (await rc.run_job("promotion"))["changed"] == 0
        await me.restore(landed.chunk_ids[0])
        assert [version.content for version in await me.chunk_history(landed.source_id)] == [JWT]
        assert (await rc.run_job("promotion"))["changed"] == 0

    async def test_a_version_that_somebody_deleted_is_not_promoted_again_by_the_job(self, rc, me):
        _, [landed] = await noted(me, JWT)
        await me.promote(landed.source_id)
        [version] = await me.chunk_history(landed.source_id)
        await me.delete(version.id)
        await me.update(landed.source_id, importance=0.9)
        await rc.run_job("promotion")
        assert await me.chunk_history(landed.source_id) == []
        await me.promote(landed.source_id)
        assert len(await me.chunk_history(landed.source_id)) == 1

    async def test_a_chunk_that_ended_ends_its_version_by_the_job(self, rc, me, clock):
        text = "The auth service of team {} uses JWT access tokens. Access tokens expire after {} minutes."
        _, [one] = await noted(me, text.format("red", 15))
        start = clock.now
        await me.promote(one.source_id)
        clock.forward(days=1)
        await me.update(one.chunk_ids[0], valid_until=clock.now)
        assert (await rc.run_job("promotion"))["changed"] == 1
        [(_, _, since, until)] = await versions(me, one.source_id)
        assert (since, until) == (start, clock.now)
        assert (await rc.run_job("promotion"))["changed"] == 0

    async def test_what_was_put_away_keeps_its_version_and_is_promoted_by_hand_alone(self, rc, me, clock):
        _, [landed] = await noted(me, long_text())
        await me.promote(landed.source_id)
        told = await me.chunk_history(landed.source_id)
        with owner(rc) as connection:
            connection.execute("update memory_use set state = 'archived' where kind = 'chunk'")
            connection.execute(
                "update memory_use set state = 'active' where memory_id = %s", [UUID(told[0].data["chunk"])]
            )
        await me.update(UUID(told[0].data["chunk"]), content="Something else is known of the racks by now.")
        await me.update(landed.source_id, importance=0.9)
        assert (await rc.run_job("promotion"))["changed"] == 1
        after = await me.chunk_history(landed.source_id)
        assert sum(version.valid_until is None for version in after) == len(told)

    async def test_a_source_under_review_is_refused(self, me):
        _, [_, second] = await noted(me, JWT, OTHER)
        with pytest.raises(Conflict, match=str(second.review_id)):
            await me.promote(second.source_id)
        await me.resolve(second.review_id, "keep_old")
        with pytest.raises(Conflict, match="no chunk holds"):
            await me.promote(second.source_id)

    async def test_only_a_source_has_a_history_of_chunks(self, rc, me):
        _, [landed] = await noted(me, JWT)
        with pytest.raises(InvalidInput, match="source_id"):
            await me.chunk_history(landed.chunk_ids[0])
        with pytest.raises(NotFound):
            await rc.scope(user_id="mallory").chunk_history(landed.source_id)
        with pytest.raises(NotFound):
            await rc.scope(user_id="mallory").promote(landed.source_id)
        with pytest.raises(InvalidInput, match="only a pending statement or a source"):
            await me.promote(landed.chunk_ids[0])


class TestSearch:
    async def test_by_tier_and_time(self, me, clock):
        active, [landed] = await noted(me, JWT)
        await me.promote(landed.source_id)
        first = clock.now
        clock.forward(days=1)
        await me.update_section(active.id, "notes", MORE)
        await me.migrate()
        await me.promote(landed.source_id)

        async def found(**filters):
            hits = await me.search("JWT access tokens", **filters)
            return [(hit.memory.tier, hit.memory.content) for hit in hits if hit.memory.kind == "chunk"]

        assert await found(tier="short") == [("short", MORE)]
        assert await found(tier="long") == [("long", MORE)]
        assert await found(tier="long", valid_at=first) == [("long", JWT)]
        assert await found(tier="long", valid_at=clock.now) == [("long", MORE)]
        assert await found(tier="long", valid_at=first - timedelta(seconds=1)) == []

    async def test_a_short_term_chunk_says_what_it_says_since_its_text_changed(self, me, clock):
        before = clock.now - timedelta(seconds=1)
        active, [landed] = await noted(me, JWT)
        await me.promote(landed.source_id)
        first = clock.now
        for days, text in ((1, MORE), (1, None)):
            clock.forward(days=days)
            if text is None:
                await me.update(landed.chunk_ids[0], content=MORE + " (checked)")
            else:
                await me.update_section(active.id, "notes", text)
                await me.migrate()
                second = clock.now
        await me.promote(landed.source_id)

        async def found(moment, **filters):
            return [hit.memory.content for hit in await me.search("JWT access tokens", valid_at=moment, **filters)]

        assert await found(before) == []
        assert await found(first) == [JWT]
        assert await found(second) == [JWT]  # what was promoted and held then
        assert await found(clock.now) == [MORE + " (checked)"]
        assert await found(first, tier="short") == []
        assert await found(clock.now, tier="short") == [MORE + " (checked)"]

    async def test_sources_are_found_by_their_chunks(self, rc, me):
        _, [first, second] = await noted(me, JWT, MORE)
        _, [other] = await noted(me, APART, title="Money")
        hits = await me.search("JWT access tokens", kinds=["source"], threshold=0.5)
        assert [hit.memory.id for hit in hits] == [second.source_id, first.source_id]
        assert [also.content for also in hits[0].also] == [MORE]
        assert {entity.title for entity in hits[0].entities} >= {"auth service", "JWT"}
        assert [hit.memory.id for hit in await me.search("marketing of Lisbon", kinds=["source"], limit=1)] == [
            other.source_id
        ]
        both = await me.search("marketing of Lisbon", kinds=["chunk", "source"], limit=2)
        assert [hit.memory.kind for hit in both] == ["chunk", "source"]
        assert await me.search("JWT access tokens", kinds=["source"], tier="long") == []
        assert await rc.scope(user_id="mallory").search("JWT access tokens", kinds=["source"]) == []
        await me.delete(second.source_id)
        assert second.source_id not in {hit.memory.id for hit in await me.search("JWT", kinds=["source"])}

    async def test_a_chunk_and_its_version_are_one_hit(self, me):
        _, [landed] = await noted(me, JWT)
        await me.promote(landed.source_id)
        [hit] = [hit for hit in await me.search("JWT access tokens") if hit.memory.kind == "chunk"]
        assert [other.kind for other in hit.also] == ["chunk"]
        assert {hit.memory.tier, hit.also[0].tier} == {"short", "long"}

    async def test_hits_carry_entities_and_relations_by_statements_for_all_of_them(self, rc, me, monkeypatch):
        names = {"mailer": "Redis", "indexer": "Kafka", "importer": "Docker"}
        for place, (service, name) in enumerate(names.items()):
            agent = rc.scope(user_id="alice", agent_id=service)  # to another one it would look like a contradiction
            await noted(agent, f"The {service} service uses {name}. It has {place} tests.", title=name)
        sent, send = [], Database.send

        async def counted(database, batch):
            sent.append(len(batch.statements))
            return await send(database, batch)

        monkeypatch.setattr(Database, "send", counted)
        hits = await me.search("service uses", tier="short")
        assert len(hits) == 3
        for hit in hits:
            [relation] = hit.relations
            assert f"The {relation.from_name} uses {relation.to_name}." in hit.memory.content
            assert {relation.from_name, relation.to_name} <= {entity.title for entity in hit.entities}
        for_three = sent[-1]
        assert len(await me.search("service uses", tier="short", limit=1)) == 1
        assert sent[-1] == for_three


class TestJob:
    async def test_only_what_matters_is_promoted(self, rc, me):
        _, [dull] = await noted(me, JWT)
        _, [marked] = await noted(me, APART, title="Money")
        await me.update(marked.source_id, importance=0.8)
        assert (await rc.run_job("promotion"))["changed"] == 1
        assert await me.chunk_history(dull.source_id) == []
        assert len(await me.chunk_history(marked.source_id)) == 1
        assert (await rc.run_job("promotion"))["changed"] == 0

    async def test_what_does_not_matter_enough_is_not_read_one_by_one(self, rc, me, monkeypatch):
        looked = []
        really = promotion._promote_source

        async def looking(parts, space, id, *rest, **more):
            looked.append(id)
            return await really(parts, space, id, *rest, **more)

        monkeypatch.setattr(promotion, "_promote_source", looking)
        _, [dull] = await noted(me, JWT)
        _, [marked] = await noted(me, APART, title="Money")
        await me.update(marked.source_id, importance=0.8)
        assert (await rc.run_job("promotion"))["seen"] == 2
        assert looked == [marked.source_id]
        # Now a version of it is held, which may have to end: it is looked at, whatever it is worth.
        await me.update(marked.source_id, importance=0.1)
        await me.update(marked.chunk_ids[0], content="The red cash box moved to the attic, behind the old chimney.")
        await rc.run_job("promotion")
        assert looked == [marked.source_id, marked.source_id]
        assert dull.source_id not in looked

    async def test_what_is_asked_for_often_is_promoted(self, rc, me):
        _, [landed] = await noted(me, JWT)
        for _ in range(20):
            await me.search("JWT", tier="short")
        await rc.drain()
        assert (await rc.run_job("promotion"))["changed"] == 1
        assert len(await me.chunk_history(landed.source_id)) == 1


class TestGraph:
    async def test_confidence_is_moved_by_new_mentions_and_lowered_by_a_denial(self, me, clock):
        _active, [landed] = await noted(me, "The auth service uses Redis.")

        async def redis():
            [node] = [node for node in await me.get_all(kinds=["entity"]) if node.title == "Redis"]
            return node

        found = (await redis()).confidence
        await me.promote(landed.source_id)
        assert (await redis()).confidence == found
        clock.forward(days=1)
        await me.update(landed.chunk_ids[0], content="The auth service uses Redis and Kafka.")
        await me.promote(landed.source_id)
        assert (await redis()).confidence == pytest.approx(0.7 * found + 0.3 * 0.9)
        assert (await redis()).data["last_seen"] == clock.now.isoformat()
        before = (await redis()).confidence
        await me.update(landed.chunk_ids[0], content="The auth service no longer uses Redis.")
        await me.promote(landed.source_id)
        assert (await redis()).confidence == pytest.approx(0.7 * before)

    async def test_relations_are_versions_in_time(self, rc, me, clock):
        def told():
            rows = owner(rc).execute(
                "select t.title, r.starts_on, r.valid_until is null, r.updated_at, r.strength from relation r"
                " join memory t on t.space_id = r.space_id and t.id = r.to_id"
                " where r.type = 'works_at' order by r.valid_from, t.title"
            )
            return rows.fetchall()

        _, [landed] = await noted(me, "Maria works at Acme Corp.")
        first = clock.now
        await me.promote(landed.source_id)
        assert told() == [("Acme Corp", first.date(), True, first, 0.5)]
        clock.forward(days=2)
        await me.update(landed.chunk_ids[0], content="Maria works at Acme Corp. She likes it.")
        assert told() == [("Acme Corp", first.date(), True, clock.now, 0.5)]  # nothing changed but when it was seen
        clock.forward(days=1)
        await me.update(landed.chunk_ids[0], content="Maria works at Borealis Ltd.")
        moved = clock.now
        assert [row[:3] for row in told()] == [
            ("Acme Corp", first.date(), False),
            ("Borealis Ltd", moved.date(), True),
        ]
        await me.update(landed.chunk_ids[0], content="Maria no longer works at Borealis Ltd.")
        assert [row[2] for row in told()] == [False, False]
        await me.update(landed.chunk_ids[0], content="Maria works at Borealis Ltd again.")
        assert [row[:3] for row in told()] == [
            ("Acme Corp", first.date(), False),
            ("Borealis Ltd", moved.date(), True),
        ]

    async def test_a_stronger_relation_on_another_day_is_another_version(self, rc, me, clock):
        _, [_landed] = await noted(me, "Maria works at Acme Corp.")
        with owner(rc) as connection:
            rows = connection.execute("select from_id, to_id from relation where type = 'works_at'").fetchall()
        [(maria, acme)] = rows
        space = "user:alice"

        async def see(confidence, strength):
            link = Observed(maria, acme, "works_at", confidence, strength)
            async with rc.parts.database.transaction(space) as connection:
                await relations.observe(connection, space, [link], clock.now, 0.5)

        def told():
            with owner(rc) as connection:
                return connection.execute(
                    "select r.strength, u.confidence, r.valid_until is null from relation r"
                    " join memory_use u on u.space_id = r.space_id and u.memory_id = r.id"
                    " where r.type = 'works_at' order by r.valid_from"
                ).fetchall()

        [(_strength, sure, _)] = told()
        await see(0.1, 0.9)  # the same day: the maximum of each
        assert told() == [(0.9, sure, True)]
        clock.forward(days=1)
        await see(0.1, 0.2)  # it changes nothing
        assert told() == [(0.9, sure, True)]
        await see(0.95, 0.9)
        assert told() == [(0.9, sure, False), (0.9, 0.95, True)]
        clock.forward(days=-5)
        await see(1.0, 1.0)  # before it began: no version begins before the one that it follows
        assert told() == [(0.9, sure, False), (1.0, 1.0, True)]


class TestRetention:
    async def test_idle_chunks_are_archived_unless_promoted_and_raw_text_stays(self, rc, me, clock):
        _, [idle] = await noted(me, JWT)
        _, [kept] = await noted(me, APART, title="Money")
        await me.promote(kept.source_id)
        clock.forward(days=29)
        assert (await rc.run_job("retention"))["archived"] == 0
        clock.forward(days=2)
        assert (await rc.run_job("retention"))["archived"] == 1
        assert [chunk.content for chunk in await chunks(me, tier="short")] == [APART]
        assert (await me.get(idle.source_id)).content == JWT
        assert await me.search("JWT", tier="short", threshold=0.6) == []
        assert [hit.memory.content for hit in await me.search("JWT", tier="short", include=["archived"], limit=1)] == [
            JWT
        ]
        assert (await rc.run_job("retention"))["archived"] == 0

    async def test_access_puts_it_off(self, rc, me, clock):
        await noted(me, JWT)
        clock.forward(days=20)
        await me.search("JWT", tier="short")
        await rc.drain()
        clock.forward(days=20)
        assert (await rc.run_job("retention"))["archived"] == 0

    async def test_versions_that_ended_ten_years_ago_are_removed(self, rc, me, clock):
        active, [landed] = await noted(me, JWT)
        await me.promote(landed.source_id)
        clock.forward(days=1)
        await me.update_section(active.id, "notes", MORE)
        await me.migrate()
        await me.promote(landed.source_id)
        clock.forward(days=365 * 9)
        await rc.run_job("retention")
        assert len(await me.chunk_history(landed.source_id)) == 2
        clock.forward(days=365 * 2)
        await rc.run_job("retention")
        assert [version.content for version in await me.chunk_history(landed.source_id)] == [MORE]
        assert (await me.get(landed.source_id)).content == JWT

    async def test_an_archived_chunk_is_not_compared_with(self, rc, me, clock):
        active, _ = await noted(me, JWT)
        clock.forward(days=31)
        await rc.run_job("retention")
        await me.update_section(active.id, "notes", OTHER)
        [landed] = await me.migrate()
        assert landed.outcome == "new"


class TestDeletingSources:
    async def test_its_chunks_and_their_versions_go_and_come_back_with_it(self, me):
        _, [landed] = await noted(me, long_text())
        await me.promote(landed.source_id)
        before = [chunk.content for chunk in await chunks(me)]
        await me.delete(landed.source_id)
        assert await chunks(me, include=["archived", "expired"]) == []
        assert await me.search("backup of rack", include=["archived", "expired"]) == []
        await me.restore(landed.source_id)
        assert [chunk.content for chunk in await chunks(me)] == before
        assert all("deleted_with" not in chunk.data for chunk in await chunks(me))

    async def test_what_another_source_says_too_stays_until_that_is_deleted(self, me):
        _, [first, second] = await noted(me, JWT, MORE)
        await me.delete(first.source_id)
        assert [chunk.content for chunk in await chunks(me)] == [MORE]
        await me.delete(second.source_id)
        assert await chunks(me) == []
        await me.restore(second.source_id)
        assert [chunk.content for chunk in await chunks(me)] == [MORE]

    async def test_a_chunk_that_was_deleted_before_stays_deleted(self, me):
        _, [landed] = await noted(me, long_text())
        gone, *others = await chunks(me)
        await me.delete(gone.id)
        await me.delete(landed.source_id)
        await me.restore(landed.source_id)
        assert [chunk.id for chunk in await chunks(me)] == [chunk.id for chunk in others]

    async def test_many_at_once(self, me):
        await noted(me, JWT)
        await noted(me, APART, title="Money")
        assert await me.delete_all(kinds=["source"]) == 2
        assert await chunks(me) == []

    async def test_the_same_text_afterwards_is_not_created_again_and_another_is(self, me):
        active, [landed] = await noted(me, JWT)
        await me.delete(landed.source_id)
        await me.update_section(active.id, "notes", JWT)
        [again] = await me.migrate()
        assert (again.outcome, again.source_id) == ("unchanged", landed.source_id)
        assert await chunks(me) == []
        await me.update_section(active.id, "notes", f"{JWT} {APART}")
        [more] = await me.migrate()
        assert (await me.get(more.source_id)).state != "soft_deleted"
        assert [chunk.content for chunk in await chunks(me)] == [APART]


async def test_raw_sections_are_in_no_search_index_and_the_doctor_knows(rc, me):
    secret = f"{JWT} The token is sk-proj-abcdefghijklmnopqrstuvwx0123456789."
    await noted(me, secret)
    await rc.drain()

    def indexed():
        with owner(rc) as connection:
            return {kind for (kind,) in connection.execute("select distinct kind from entry").fetchall()}

    assert indexed() == {"chunk", "concept", "entity"}
    found = {check.name: check.level for check in await doctor.examine(rc.parts.database, rc.settings, "fake")}
    assert found["search index"] == "ok"
    assert found["orphans"] == "ok"
    await reembed.reembed(rc.parts, force=True)
    assert indexed() == {"chunk", "concept", "entity"}
