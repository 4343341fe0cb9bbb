"""From sections to short-term memory: what starts it, where each piece lands, and what somebody has to decide."""

import asyncio
from dataclasses import replace

import psycopg
import pytest

from recollect.active import service as working
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.flows import comparing, migrate
from recollect.providers.language.fake import FakeLanguageModel
from recollect.understanding import merging

JWT = "The auth service uses JWT access tokens. Access tokens expire after 15 minutes."
MORE = "The auth service uses JWT access tokens. Access tokens expire after 15 minutes. Logout revokes access tokens."
OTHER = "The auth service uses JWT access tokens. Access tokens expire after 60 minutes."
APART = "The marketing budget of Lisbon was cut in spring, said Maria."


@pytest.fixture
def me(rc):
    return rc.scope(user_id="alice", agent_id="coder")


async def noted(me, *texts, section="notes", title="Auth"):
    """An active memory whose section got these texts, one migration after the other."""
    active = await me.create_active(title, sections={section: ""})
    landed = []
    for text in texts:
        await me.update_section(active.id, section, text)
        landed += await me.migrate()
    return active, landed


async def chunks(me, **filters):
    return list(await me.get_all(kinds=["chunk"], **filters))


async def raw(me):
    return [source.content for source in await me.get_all(kinds=["source"], include=["archived"])]


def long_text(*changed):
    """A text of several chunks; parts that are named say something else at their end."""
    parts = []
    for part in range(5):
        told = " ".join(
            f"Server {part}{place} of rack {part} keeps backup number {place * 7 + part}." for place in range(18)
        )
        parts.append(f"## Rack {part}\n\n{told}" + (f" Rack {part} was painted green." if part in changed else ""))
    return "\n\n".join(parts)


class TestTriggers:
    async def test_the_fifth_update_of_an_agent_starts_it(self, rc, me):
        one = await me.create_active("One", sections={"a": ""})
        two = await me.create_active("Two", sections={"b": ""})
        for place in range(4):
            await me.update_section((one, two)[place % 2].id, "ab"[place % 2], f"{JWT} Step {place}.")
        await rc.drain()
        assert await chunks(me) == []
        await me.update_section(one.id, "a", APART)
        await rc.drain()
        assert len(await chunks(me)) == 2

    async def test_other_agents_do_not_count(self, rc, me):
        other = rc.scope(user_id="alice", agent_id="tester")
        mine = await me.create_active("A", sections={"a": ""})
        theirs = await other.create_active("A", sections={"a": ""})
        for _ in range(4):
            await me.update_section(mine.id, "a", JWT)
        await other.update_section(theirs.id, "a", APART)
        await rc.drain()
        assert await chunks(me) == []
        await me.update_section(mine.id, "a", MORE)
        await rc.drain()
        assert [chunk.content for chunk in await chunks(me)] == [MORE]
        assert (await other.get_active(theirs.id)).sections["a"].update_count == 1

    async def test_the_periodic_job_takes_one_update_too(self, rc, me):
        active = await me.create_active("A", sections={"a": ""})
        await me.update_section(active.id, "a", JWT)
        counts = await rc.run_job("migration")
        assert (counts["spaces"], counts["seen"], counts["changed"]) == (1, 1, 1)
        assert (await rc.run_job("migration"))["spaces"] == 0

    async def test_five_updates_at_once_start_it_though_none_sees_the_others(self, rc, me, monkeypatch):
        begun = [await me.create_active(f"Task {n}", sections={"a": ""}) for n in range(5)]
        together, found = asyncio.Barrier(5), working._found

        async def written_by_all(*given):
            answer = await found(*given)
            await together.wait()
            return answer

        with monkeypatch.context() as patch:
            patch.setattr(working, "_found", written_by_all)
            await asyncio.gather(*(me.update_section(each.id, "a", f"{JWT} Step {each.id}.") for each in begun))
        await rc.drain()
        assert [active.sections["a"].update_count for active in await me.actives()] == [0] * 5

    async def test_initial_content_is_migrated_at_the_end_of_the_task(self, me):
        active = await me.create_active("A", sections={"a": JWT, "b": "", "c": " "})
        assert await me.migrate() == []
        await me.end_active(active.id)
        assert [chunk.content for chunk in await chunks(me)] == [JWT]
        assert await raw(me) == [JWT]
        ended = await me.end_active(active.id)
        assert {section.update_count for section in ended.sections.values()} == {0}
        assert await raw(me) == [JWT]

    async def test_initial_content_that_an_ending_could_not_migrate_a_job_does(self, rc, me, monkeypatch):
        active = await me.create_active("A", sections={"a": JWT})

        async def down(*_, **__):
            raise RuntimeError("embedder down")

        with monkeypatch.context() as patch:
            patch.setattr(rc.parts.embedder, "embed", down)
            with pytest.raises(RuntimeError):
                await me.end_active(active.id)
        assert (await rc.run_job("migration"))["changed"] == 1
        assert [chunk.content for chunk in await chunks(me)] == [JWT]

    async def test_on_demand_only_the_scopes_agent(self, rc, me):
        other = rc.scope(user_id="alice", agent_id="tester")
        theirs = await other.create_active("A", sections={"a": ""})
        await other.update_section(theirs.id, "a", JWT)
        assert await me.migrate() == []
        [landed] = await rc.scope(user_id="alice").migrate()
        assert landed.active_id == theirs.id
        [chunk] = await chunks(me)
        assert chunk.provenance.agent_id == "tester"


class TestLanding:
    async def test_something_new_becomes_a_source_with_a_chunk_and_its_graph(self, me):
        active, [landed] = await noted(me, JWT)
        assert (landed.outcome, landed.section, landed.active_id) == ("new", "notes", active.id)
        source = await me.get(landed.source_id)
        assert (source.kind, source.type, source.tier, source.content) == ("source", "section", "short", JWT)
        [chunk] = await chunks(me, tier="short")
        assert (chunk.content, chunk.provenance.source_id, chunk.provenance.agent_id) == (JWT, source.id, "coder")
        assert landed.chunk_ids == (chunk.id,)
        [hit] = await me.search("JWT access tokens", tier="short")
        assert {entity.title for entity in hit.entities} >= {"auth service", "JWT"}
        [relation] = hit.relations
        assert (relation.from_name, relation.type, relation.to_name) == ("auth service", "uses", "JWT")
        assert (await me.get_active(active.id)).sections["notes"].update_count == 0

    async def test_what_says_more_goes_into_the_chunk_which_lists_its_sources(self, me):
        _, [first, second] = await noted(me, JWT, MORE)
        assert (second.outcome, second.chunk_ids) == ("merged", first.chunk_ids)
        [chunk] = await chunks(me)
        assert chunk.content == MORE
        assert chunk.data["sources"] == [str(first.source_id), str(second.source_id)]
        assert await raw(me) == [JWT, MORE]
        events = [entry.event for entry in await me.history(chunk.id)]
        assert "MERGE" in events
        assert next(entry.content for entry in await me.history(chunk.id)) == JWT

    async def test_an_agent_sees_its_own_reviews_and_a_person_all(self, rc, me):
        await noted(me, JWT, OTHER)
        assert await rc.scope(user_id="alice", agent_id="writer").reviews() == []
        assert [review.agent_id for review in await rc.scope(user_id="alice").reviews()] == ["coder"]

    async def test_a_contradiction_waits_for_a_decision_and_changes_nothing(self, me):
        active, [first, second] = await noted(me, JWT, OTHER)
        assert second.outcome == "review"
        [review] = await me.reviews()
        assert (review.id, review.section, review.content) == (second.review_id, "notes", OTHER)
        assert review.agent_id == "coder"
        assert review.reason.startswith("conflict: other number")
        [against] = review.chunks
        assert (against.id, against.content) == (first.chunk_ids[0], JWT)
        assert [chunk.content for chunk in await chunks(me)] == [JWT]
        assert await raw(me) == [JWT, OTHER]
        assert (await me.get_active(active.id)).sections["notes"].update_count == 0

    @pytest.mark.parametrize(
        ("older", "newer"),
        [
            ("We run PostgreSQL 14 in production.", "We run PostgreSQL 16 in production."),
            ("The backup of the orders database runs daily.", "The backup of the orders database runs weekly."),
            ("The budget request of the team was approved.", "The budget request of the team was rejected."),
            ("The login page of the web shop is blocked.", "The login page of the web shop is done."),
        ],
    )
    async def test_another_version_number_state_or_frequency_is_a_contradiction(self, me, older, newer):
        kept = "The team of the web shop meets on Mondays."
        _, [_, second] = await noted(me, f"{older} {kept}", f"{newer} {kept}")
        assert second.outcome == "review"
        assert (await me.reviews())[0].reason.startswith("conflict: ")
        assert [chunk.content for chunk in await chunks(me)] == [f"{older} {kept}"]

    @pytest.mark.parametrize(
        ("older", "newer"),
        [
            (
                "# Progress\n\n## Todo\n\n- Write the API docs for the gateway\n- Load test the gateway\n\n"
                "## Done\n\n- Set up the gateway database",
                "# Progress\n\n## Todo\n\n- Load test the gateway\n\n"
                "## Done\n\n- Set up the gateway database\n- Write the API docs for the gateway",
            ),
            (
                "# Services\n\n## Alpha gateway\n\n- Health check passes\n- Runs Debian",
                "# Services\n\n## Alpha gateway\n\n- Health check passes\n- Runs Debian\n\n"
                "## Beta gateway\n\n- Health check passes\n- Runs Debian",
            ),
            (
                "1. Stop the mailer\n2. Copy the data\n3. Start the mailer",
                "1. Copy the data\n2. Stop the mailer\n3. Start the mailer",
            ),
            ("The team uses Redis.\n\n# Decisions", "The team uses Redis.\n\n# Decisions\n\n# Redis is dropped"),
        ],
    )
    async def test_headings_places_and_the_order_of_steps_are_taken_in(self, me, older, newer):
        _, [_, landed] = await noted(me, older, newer)
        assert landed.outcome == "merged"
        [chunk] = await chunks(me)
        assert [line for line in chunk.content.splitlines() if line] == [line for line in newer.splitlines() if line]

    async def test_another_state_in_a_heading_is_a_contradiction(self, me):
        told = "# Status: {}\n\nThe importer reads the CSV files of Acme."
        _, [_, landed] = await noted(me, told.format("done"), told.format("blocked"))
        assert landed.outcome == "review"

    async def test_what_is_alike_but_names_other_things_is_in_doubt(self, me):
        first = "Set up the nightly backup of the database for Atlas."
        second = "Set up the nightly backup of the database for Borealis."
        third = "Set up the nightly backup for Zephyr and Notus and Eurus."
        _, landed = await noted(me, first, second, third)
        assert landed[1].outcome in ("review", "merged")
        doubtful = [each for each in landed if each.review_id]
        assert doubtful
        assert any(review.reason.startswith("doubt: ") for review in await me.reviews())

    async def test_something_else_is_new(self, me):
        _, [_, second] = await noted(me, JWT, APART)
        assert second.outcome == "new"
        assert len(await chunks(me)) == 2

    async def test_another_agents_chunks_are_not_touched(self, rc, me):
        other = rc.scope(user_id="alice", agent_id="tester")
        await noted(me, JWT)
        _, [theirs] = await noted(other, OTHER)
        assert theirs.outcome == "new"
        assert await me.reviews() == []

    async def test_the_same_text_again_adds_neither_source_nor_chunk(self, me):
        _, [first, second] = await noted(me, JWT, JWT)
        assert (second.outcome, second.source_id) == ("unchanged", first.source_id)
        assert await raw(me) == [JWT]
        assert [chunk.version for chunk in await chunks(me)] == [1]

    async def test_an_emptied_section_lands_as_nothing(self, me):
        active, [_, second] = await noted(me, JWT, "  ")
        assert (second.outcome, second.source_id) == ("unchanged", None)
        assert (await me.get_active(active.id)).sections["notes"].update_count == 0
        assert await raw(me) == [JWT]

    async def test_an_update_during_its_migration_keeps_its_text_and_count(self, rc, me, monkeypatch):
        active = await me.create_active("A", sections={"a": ""})
        await me.update_section(active.id, "a", JWT)
        plan = comparing.plan

        async def slow(*given):
            made = await plan(*given)
            await me.update_section(active.id, "a", MORE)
            await me.update_section(active.id, "a", APART)
            return made

        with monkeypatch.context() as patch:
            patch.setattr(comparing, "plan", slow)
            [landed] = await me.migrate()
        assert (await me.get(landed.source_id)).content == JWT
        section = (await me.get_active(active.id)).sections["a"]
        assert (section.content, section.update_count) == (APART, 2)
        [landed] = await me.migrate()
        assert (await me.get(landed.source_id)).content == APART

    async def test_two_migrations_at_once_land_it_once(self, rc, me):
        active = await me.create_active("A", sections={"a": "", "b": ""})
        await me.update_section(active.id, "a", JWT)
        await me.update_section(active.id, "b", MORE)
        landed = await asyncio.gather(*(me.migrate() for _ in range(4)))
        assert sorted(each.section for group in landed for each in group) == ["a", "b"]
        assert [chunk.content for chunk in await chunks(me)] == [MORE]
        assert sorted(await raw(me)) == sorted([JWT, MORE])

    async def test_an_edit_meanwhile_is_not_overwritten(self, me, monkeypatch):
        active, [first] = await noted(me, JWT)
        await me.update_section(active.id, "notes", MORE)
        plan, edited = comparing.plan, []

        async def edited_meanwhile(*given):
            made = await plan(*given)
            if not edited:
                edited.append(await me.update(first.chunk_ids[0], content=JWT + " Refresh tokens are stored in Redis."))
            return made

        with monkeypatch.context() as patch:
            patch.setattr(comparing, "plan", edited_meanwhile)
            [landed] = await me.migrate()
        assert landed.outcome == "review"  # a person wrote it: somebody has to decide
        assert [chunk.content for chunk in await chunks(me)] == [JWT + " Refresh tokens are stored in Redis."]

    async def test_secrets_and_recalled_text_stay_in_the_raw_text(self, me):
        chat = await me.conversation("c")
        await me.add("Alice prefers green tea.")
        recalled = (await chat.context("green tea")).text
        text = f"The token is sk-proj-abcdefghijklmnopqrstuvwx0123456789.\n\n{recalled}"
        await noted(me, text)
        [chunk] = await chunks(me)
        assert "sk-proj" not in chunk.content
        assert "green tea." not in chunk.content
        assert await raw(me) == [text]

    async def test_a_section_that_fails_does_not_stop_the_others(self, rc, me, monkeypatch):
        active = await me.create_active("A", sections={"a": "", "b": ""})
        await me.update_section(active.id, "a", JWT)
        await me.update_section(active.id, "b", APART)
        whole = migrate.migrate_section

        async def failing(parts, space, section):
            if section.name == "a":
                raise RuntimeError("broken")
            return await whole(parts, space, section)

        monkeypatch.setattr(migrate, "migrate_section", failing)
        assert (await rc.run_job("migration"))["failed"] == 1
        counts = {name: section.update_count for name, section in (await me.get_active(active.id)).sections.items()}
        assert counts == {"a": 1, "b": 0}


class TestLongSections:
    async def test_a_change_in_one_part_changes_one_chunk(self, me):
        active, [_first] = await noted(me, long_text())
        before = await chunks(me)
        assert len(before) >= 3
        assert [chunk.data["order"] for chunk in before] == list(range(len(before)))
        await me.update_section(active.id, "notes", long_text(1))
        [second] = await me.migrate()
        assert second.outcome == "merged"
        after = {chunk.id: chunk for chunk in await chunks(me)}
        assert set(after) == {chunk.id for chunk in before}
        changed = [chunk.id for chunk in before if after[chunk.id].content != chunk.content]
        assert len(changed) == 1
        assert "painted green" in after[changed[0]].content
        assert all(str(second.source_id) in chunk.data["sources"] for chunk in after.values())
        assert await raw(me) == [long_text(), long_text(1)]

    async def test_each_piece_of_a_huge_section_is_compared_with_a_few_chunks(self, open_recollect, monkeypatch):
        rc = await open_recollect(chunk_single=30, chunk_size=32, chunk_overlap=2)
        me = rc.scope(user_id="alice", agent_id="coder")

        def text(said):
            return "\n\n".join(
                f"## Part {n}\n\nThe clerk of part {n} {said} the letters of the town." for n in range(60)
            )

        active, [first] = await noted(me, text("reads"))
        compared, contradictions = [], merging.contradictions

        def counted(*given, **how):
            compared.append(given)
            return contradictions(*given, **how)

        monkeypatch.setattr(merging, "contradictions", counted)
        await me.update_section(active.id, "notes", text("reads and files"))
        await me.migrate()
        pieces = len(first.chunk_ids)
        assert pieces > 20
        assert 0 < len(compared) <= 5 * pieces

    async def test_a_chunk_that_would_become_too_long_is_left_alone(self, open_recollect):
        rc = await open_recollect(chunk_single=30, chunk_size=32, chunk_overlap=4)
        me = rc.scope(user_id="alice", agent_id="coder")
        active = await me.create_active("A", sections={"a": ""})
        told = [f"Atlas backup number {n} of the database is done" for n in range(12)]
        for text in told:
            await me.update_section(active.id, "a", text)
            await me.migrate()
        found = await chunks(me)
        assert all(rc.parts.counter.count(chunk.content) <= 64 for chunk in found)


class TestReviews:
    async def test_there_is_one_open_review_a_section_brought_up_to_date(self, me):
        active, [_, second] = await noted(me, JWT, OTHER)
        await me.update_section(active.id, "notes", OTHER.replace("60", "90"))
        [third] = await me.migrate()
        assert third.review_id == second.review_id
        [review] = await me.reviews()
        assert "90 minutes" in review.content
        assert len(await raw(me)) == 3

    async def test_keep_old(self, me):
        active, [_first, second] = await noted(me, JWT, OTHER)
        resolved = await me.resolve(second.review_id, "keep_old")
        assert (resolved.status, resolved.resolved_by) == ("keep_old", "alice")
        [chunk] = await chunks(me)
        assert chunk.content == JWT
        assert (await me.history(chunk.id))[-1].reason == "review: keep_old"
        await me.update_section(active.id, "notes", OTHER)
        [again] = await me.migrate()
        assert again.review_id is None  # this very text was decided on
        assert await me.reviews() == []

    async def test_keep_new_and_back_again_by_history(self, me):
        _, [_first, second] = await noted(me, JWT, OTHER)
        await me.resolve(second.review_id, "keep_new")
        [chunk] = await chunks(me)
        assert chunk.content == OTHER
        assert str(second.source_id) in chunk.data["sources"]
        told = await me.history(chunk.id)
        assert any(entry.reason == "review: keep_new" and entry.actor == "alice" for entry in told)
        await me.update(chunk.id, content=told[0].content)
        assert [chunk.content for chunk in await chunks(me)] == [JWT]

    async def test_keep_both(self, me):
        _, [_first, second] = await noted(me, JWT, OTHER)
        await me.resolve(second.review_id, "keep_both")
        found = {chunk.content: chunk for chunk in await chunks(me)}
        assert set(found) == {JWT, OTHER}
        assert found[OTHER].provenance.source_id == second.source_id

    async def test_merged_needs_the_text(self, me):
        _, [_first, second] = await noted(me, JWT, OTHER)
        for text in (None, "", "a\0b", "x" * 5_000_000):
            with pytest.raises(InvalidInput, match="text"):
                await me.resolve(second.review_id, "merged", text)
        both = "The auth service uses JWT. Access tokens expire after 60 minutes, since March; after 15 before."
        await me.resolve(second.review_id, "merged", text=both)
        assert [chunk.content for chunk in await chunks(me)] == [both]
        assert [hit.memory.content for hit in await me.search("since March", tier="short")] == [both]

    async def test_a_review_is_decided_once(self, me):
        _, [_, second] = await noted(me, JWT, OTHER)
        ends = await asyncio.gather(
            *(me.resolve(second.review_id, "keep_both") for _ in range(3)), return_exceptions=True
        )
        assert sorted(type(end).__name__ for end in ends) == ["Conflict", "Conflict", "Review"]
        assert len(await chunks(me)) == 2
        with pytest.raises(Conflict, match="keep_both already"):
            await me.resolve(second.review_id, "keep_new")

    async def test_bad_decisions_are_refused(self, rc, me):
        _, [_, second] = await noted(me, JWT, OTHER)
        with pytest.raises(InvalidInput, match="resolution"):
            await me.resolve(second.review_id, "both")
        with pytest.raises(InvalidInput, match="text"):
            await me.resolve(second.review_id, "keep_new", text="x")
        with pytest.raises(InvalidInput, match="review_id"):
            await me.resolve("x", "keep_new")
        with pytest.raises(NotFound):
            await rc.scope(user_id="mallory").resolve(second.review_id, "keep_new")
        assert await rc.scope(user_id="mallory").reviews(None) == []
        assert len(await me.reviews()) == 1

    async def test_a_chunk_that_is_gone_by_then_is_written_anew(self, me):
        _, [first, second] = await noted(me, JWT, OTHER)
        await me.delete(first.chunk_ids[0])
        await me.resolve(second.review_id, "keep_new")
        assert [chunk.content for chunk in await chunks(me)] == [OTHER]

    async def test_a_section_that_agrees_again_leaves_nothing_to_decide(self, me):
        active, [_, _second] = await noted(me, JWT, OTHER)
        await me.update_section(active.id, "notes", MORE)
        [third] = await me.migrate()
        assert third.outcome == "merged"
        assert await me.reviews() == []
        assert [review.status for review in await me.reviews(None)] == ["outdated"]

    async def test_a_section_that_moved_on_leaves_nothing_to_decide_and_its_text_in_the_raw_log(self, me):
        active, [_, second] = await noted(me, JWT, OTHER)
        await me.update_section(active.id, "notes", APART)
        await me.migrate()
        assert await me.reviews() == []
        [review] = await me.reviews("outdated")
        assert (review.id, review.content) == (second.review_id, OTHER)
        assert await raw(me) == [JWT, OTHER, APART]
        await me.update_section(active.id, "notes", OTHER)
        [again] = await me.migrate()
        assert again.outcome == "review"

    async def test_an_emptied_section_takes_nothing_back(self, me):
        active, [_, second] = await noted(me, JWT, OTHER)
        await me.update_section(active.id, "notes", "")
        await me.migrate()
        assert [review.id for review in await me.reviews()] == [second.review_id]

    @pytest.mark.parametrize("move", [1, -3])
    async def test_the_last_decision_counts_not_any_earlier_one(self, me, clock, move):
        active, [_, second] = await noted(me, JWT, OTHER)
        await me.resolve(second.review_id, "keep_new")
        for text in (JWT, OTHER, JWT):
            clock.forward(hours=move)
            await me.update_section(active.id, "notes", text)
            [landed] = await me.migrate()
            assert landed.outcome == "review"
            await me.resolve(landed.review_id, "keep_new")
            assert [chunk.content for chunk in await chunks(me)] == [text]

    async def test_a_decision_on_one_piece_is_not_asked_for_again_when_another_changes(self, open_recollect):
        rc = await open_recollect(chunk_single=40, chunk_size=44, chunk_overlap=2)
        me = rc.scope(user_id="alice", agent_id="coder")

        def text(minutes, extra=""):
            return (
                "## Tokens\n\nThe auth service uses JWT access tokens."
                f" Access tokens expire after {minutes} minutes.\n\n"
                "## Team\n\nMaria of Lisbon leads the marketing, and Tom of Porto writes the letters to customers."
                f"{extra}"
            )

        active, [_, second] = await noted(me, text(15), text(60))
        assert second.outcome == "review"
        await me.resolve(second.review_id, "keep_old")
        await me.update_section(active.id, "notes", text(60, " Their office was painted green."))
        [third] = await me.migrate()
        assert (third.outcome, third.review_id) == ("merged", None)
        assert "it was decided on" in [detail["reason"] for detail in third.details]

    async def test_what_was_edited_meanwhile_is_not_overwritten(self, me):
        _, [first, second] = await noted(me, JWT, OTHER)
        edited = JWT + " Refresh tokens are stored in Redis."
        await me.update(first.chunk_ids[0], content=edited)
        with pytest.raises(Conflict, match="look at it again"):
            await me.resolve(second.review_id, "keep_new")
        assert [chunk.content for chunk in await chunks(me)] == [edited]
        [review] = await me.reviews()
        assert [chunk.content for chunk in review.chunks] == [edited]
        await me.resolve(review.id, "keep_new")
        [chunk] = await chunks(me)
        assert all(said in chunk.content for said in ("60 minutes", "stored in Redis"))  # what nobody contests stays
        assert "15 minutes" not in chunk.content

    async def test_keep_new_keeps_what_nobody_contests(self, me):
        told = "The API gateway of Acme limits clients to {} requests. The API gateway of Acme logs to Kafka."
        active = await me.create_active("Gate", sections=dict.fromkeys("xyz", ""))
        more = "The API gateway of Acme logs to Kafka. The API gateway of Acme needs a certificate from Verisign."
        for section, text in (("x", told.format(100)), ("y", more), ("z", told.format(700))):
            await me.update_section(active.id, section, text)
            [landed] = await me.migrate()
        assert landed.outcome == "review"
        await me.resolve(landed.review_id, "keep_new")
        [chunk] = await chunks(me)
        assert all(said in chunk.content for said in ("700", "Kafka", "Verisign"))
        assert "100" not in chunk.content

    @pytest.mark.parametrize("resolution", ["keep_old", "keep_new"])
    async def test_a_decision_counts_while_both_sides_are_what_was_decided_on(self, me, resolution):
        active, [first, second] = await noted(me, JWT, OTHER)
        await me.resolve(second.review_id, resolution)
        await me.update_section(active.id, "notes", OTHER)
        assert [landed.outcome for landed in await me.migrate()] == ["unchanged"]
        edited = JWT if resolution == "keep_new" else JWT.replace("15", "90")
        await me.update(first.chunk_ids[0], content=edited)
        await me.update_section(active.id, "notes", OTHER)
        assert [landed.outcome for landed in await me.migrate()] == ["review"]

    @pytest.mark.parametrize("resolution", ["keep_both", "keep_new", "keep_old"])
    async def test_a_deleted_source_does_not_come_back_by_its_review(self, rc, me, resolution):
        _, [_, second] = await noted(me, JWT, OTHER)
        await me.delete(second.source_id)
        assert await me.reviews() == []
        [review] = await me.reviews(status=None)
        assert review.status == "outdated"
        with psycopg.connect(rc.database_url, autocommit=True, options="-c search_path=recollect,public") as owner:
            owner.execute("update review set status = 'open', resolved_at = null")  # as those of before are
        with pytest.raises(Conflict, match="is deleted"):
            await me.resolve(second.review_id, resolution)
        assert [chunk.content for chunk in await chunks(me)] == [JWT]

    async def test_an_old_side_that_is_gone_cannot_be_kept(self, me):
        _, [first, second] = await noted(me, JWT, OTHER)
        await me.delete(first.chunk_ids[0])
        with pytest.raises(Conflict, match="is gone"):
            await me.resolve(second.review_id, "keep_old")
        await me.restore(first.chunk_ids[0])
        await me.resolve(second.review_id, "keep_old")
        assert [chunk.content for chunk in await chunks(me)] == [JWT]

    async def test_an_old_side_that_was_put_away_comes_back_with_the_decision(self, rc, me, clock):
        _, [_, second] = await noted(me, JWT, OTHER)
        clock.forward(days=31)
        await rc.run_job("retention")
        assert await chunks(me) == []
        await me.resolve(second.review_id, "keep_old")
        assert [chunk.content for chunk in await chunks(me)] == [JWT]

    @pytest.mark.parametrize("resolution", ["keep_old", "keep_new", "merged"])
    async def test_merging_goes_on_after_a_decision(self, me, resolution):
        active, [_, second] = await noted(me, JWT, OTHER)
        await me.resolve(second.review_id, resolution, text=OTHER if resolution == "merged" else None)
        more = (JWT if resolution == "keep_old" else OTHER) + " Logout revokes access tokens."
        await me.update_section(active.id, "notes", more)
        [landed] = await me.migrate()
        assert landed.outcome == "merged"
        assert [chunk.content for chunk in await chunks(me)] == [more]

    async def test_merging_goes_on_where_what_a_person_wrote_gave_way(self, me):
        active, [first] = await noted(me, JWT)
        await me.update(first.chunk_ids[0], content=JWT + " (checked)")
        await me.update_section(active.id, "notes", OTHER)
        [second] = await me.migrate()
        await me.resolve(second.review_id, "keep_new")
        await me.update_section(active.id, "notes", OTHER + " Logout revokes access tokens.")
        [third] = await me.migrate()
        assert third.outcome == "merged"

    async def test_a_merged_text_is_cut_as_any_other(self, rc, me):
        _, [first, second] = await noted(me, JWT, OTHER)
        await me.resolve(second.review_id, "merged", text=long_text())
        found = await chunks(me)
        assert len(found) >= 3
        assert all(rc.parts.counter.count(chunk.content) <= rc.settings.chunk_size for chunk in found)
        assert first.chunk_ids[0] in {chunk.id for chunk in found}
        orders = [chunk.data["order"] for chunk in found if chunk.provenance.source_id == second.source_id]
        assert len(orders) == len(set(orders)) == len(found) - 1
        with pytest.raises(Conflict):
            await me.resolve(second.review_id, "merged", text=JWT)

    async def test_keep_both_keeps_both_relations(self, me):
        acme, borealis = "Maria of the sales team works at Acme.", "Maria of the sales team works at Borealis."
        active, [_, second] = await noted(me, acme, borealis)
        assert second.outcome == "review"
        await me.resolve(second.review_id, "keep_both")

        async def places():
            hits = await me.search("Maria works at", tier="short")
            return sorted(relation.to_name for hit in hits for relation in hit.relations)

        assert await places() == ["Acme", "Borealis"]
        await me.update_section(active.id, "notes", borealis + " She likes the canteen.")
        await me.migrate()
        assert await places() == ["Acme", "Borealis"]

    async def test_a_source_that_was_decided_for_leads_to_its_chunk(self, me):
        _, [_, second] = await noted(me, JWT, OTHER)
        await me.resolve(second.review_id, "keep_new")
        await me.promote(second.source_id)
        assert [version.content for version in await me.chunk_history(second.source_id)] == [OTHER]


class TestDeleted:
    async def test_what_a_person_deleted_is_not_created_again(self, me):
        active, [first] = await noted(me, JWT)
        await me.delete(first.chunk_ids[0])
        await me.update_section(active.id, "notes", JWT)
        [again] = await me.migrate()
        assert (again.outcome, again.chunk_ids) == ("unchanged", ())
        assert await chunks(me) == []
        assert await raw(me) == [JWT]

    async def test_of_a_section_that_goes_on_only_the_rest_comes_in(self, me):
        active, [first] = await noted(me, JWT)
        await me.delete(first.chunk_ids[0])
        await me.update_section(active.id, "notes", f"{JWT} {APART}")
        [again] = await me.migrate()
        assert again.outcome == "new"
        assert [chunk.content for chunk in await chunks(me)] == [APART]
        assert await raw(me) == [JWT, f"{JWT} {APART}"]

    async def test_another_section_does_not_bring_it_back_either(self, me):
        _, [first] = await noted(me, JWT)
        await me.delete(first.chunk_ids[0])
        _, [other] = await noted(me, JWT, title="Other")
        assert other.outcome == "unchanged"
        assert await chunks(me) == []

    async def test_another_agent_may_say_it(self, rc, me):
        _, [first] = await noted(me, JWT)
        await me.delete(first.chunk_ids[0])
        await noted(rc.scope(user_id="alice", agent_id="tester"), JWT)
        assert [chunk.content for chunk in await chunks(me)] == [JWT]

    async def test_a_deletion_meanwhile_counts(self, me, monkeypatch):
        active, [first] = await noted(me, JWT)
        await me.update_section(active.id, "notes", MORE)
        plan, deleted = comparing.plan, []

        async def deleted_meanwhile(*given):
            made = await plan(*given)
            if not deleted:
                deleted.append(await me.delete(first.chunk_ids[0]))
            return made

        with monkeypatch.context() as patch:
            patch.setattr(comparing, "plan", deleted_meanwhile)
            await me.migrate()
        assert [chunk.content for chunk in await chunks(me)] == ["Logout revokes access tokens."]


class TestPutAway:
    async def test_the_same_text_again_brings_its_chunk_back(self, rc, me, clock):
        active, [first] = await noted(me, JWT)
        clock.forward(days=31)
        await rc.run_job("retention")
        assert await chunks(me) == []
        await me.update_section(active.id, "notes", JWT)
        [again] = await me.migrate()
        assert (again.outcome, again.chunk_ids, again.source_id) == ("unchanged", first.chunk_ids, first.source_id)
        assert [chunk.id for chunk in await chunks(me)] == list(first.chunk_ids)
        assert [hit.memory.content for hit in await me.search("JWT", tier="short")] == [JWT]
        assert (await rc.run_job("retention"))["archived"] == 0
        await me.promote(first.source_id)
        assert len(await me.chunk_history(first.source_id)) == 1

    async def test_it_does_not_come_back_past_what_contradicts_it(self, rc, me, clock):
        await noted(me, JWT)
        clock.forward(days=31)
        await rc.run_job("retention")
        await noted(me, OTHER, title="Other")
        _, [again] = await noted(me, JWT, title="Third")
        assert again.outcome == "review"
        assert [chunk.content for chunk in await chunks(me)] == [OTHER]

    async def test_one_that_took_something_in_lately_is_not_put_away(self, rc, me, clock):
        active, _ = await noted(me, JWT)
        clock.forward(days=29)
        await me.update_section(active.id, "notes", MORE)
        await me.migrate()
        clock.forward(days=2)
        assert (await rc.run_job("retention"))["archived"] == 0

    async def test_every_place_of_a_source_has_one_chunk(self, rc, me, clock):
        active, [first] = await noted(me, long_text())
        kept = (await chunks(me))[0]
        clock.forward(days=31)
        await me.search(kept.content, tier="short", limit=1)
        await rc.drain()
        await rc.run_job("retention")
        for chunk in await chunks(me, include=["archived"]):
            if chunk.id != kept.id:
                await me.update(chunk.id, content=f"{chunk.content} Somebody added this.")
        await me.update_section(active.id, "notes", long_text())
        await me.migrate()
        for review in await me.reviews():
            await me.resolve(review.id, "keep_both")
        found = await chunks(me, include=["archived"])
        places = [(chunk.provenance.source_id, chunk.data["order"]) for chunk in found]
        assert len(places) == len(set(places))
        await me.promote(first.source_id)
        orders = [version.data["order"] for version in await me.chunk_history(first.source_id)]
        assert len(orders) == len(set(orders))


class TestModel:
    async def test_a_model_merges_and_what_it_loses_rules_keep(self, open_recollect):
        told = {"text": MORE.replace("Logout revokes", "A logout also revokes")}
        rc = await open_recollect()
        rc.parts = replace(rc.parts, model=FakeLanguageModel(lambda question: told))
        me = rc.scope(user_id="alice", agent_id="coder")
        active, _ = await noted(me, JWT, MORE)
        assert [chunk.content for chunk in await chunks(me)] == [told["text"]]
        told["text"] = "Tokens."
        await me.update_section(active.id, "notes", MORE + " Maria checked it.")
        await me.migrate()
        [chunk] = await chunks(me)
        assert "Maria checked it." in chunk.content
        assert "15 minutes" in chunk.content


async def test_what_the_raw_log_holds_cannot_be_rewritten(me):
    _, [landed] = await noted(me, JWT)
    with pytest.raises(InvalidInput, match="raw text"):
        await me.update(landed.source_id, content="Something else.")
    assert (await me.update(landed.source_id, importance=0.9)).importance == 0.9
    assert await raw(me) == [JWT]


async def test_an_edited_chunk_names_what_it_says_now(me):
    _, [landed] = await noted(me, JWT)
    await me.update(landed.chunk_ids[0], content="The auth service uses PostgreSQL.")
    [hit] = await me.search("auth service", tier="short")
    assert {entity.title for entity in hit.entities} == {"auth service", "PostgreSQL"}
    assert [(relation.type, relation.to_name) for relation in hit.relations] == [("uses", "PostgreSQL")]


async def test_a_name_is_one_node_whoever_writes_it(rc):
    scopes = [rc.scope(user_id="alice", agent_id=f"agent-{n}") for n in range(6)]
    actives = [await each.create_active("A", sections={"a": ""}) for each in scopes]
    for each, active in zip(scopes, actives, strict=True):
        await each.update_section(active.id, "a", "The auth service uses Redis. Maria works at Acme Corp.")
    await asyncio.gather(*(each.migrate() for each in scopes))
    nodes = list(await scopes[0].get_all(kinds=["person", "entity", "concept"]))
    assert sorted(node.title for node in nodes) == ["Acme Corp", "Maria", "Redis", "auth service"]
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        rows = owner.execute("select type, count(*) from relation where not type = 'mentions' group by 1 order by 1")
        assert rows.fetchall() == [("uses", 1), ("works_at", 1)]


async def test_a_purged_node_leaves_its_name(me, rc, clock):
    _, [_landed] = await noted(me, JWT)
    [node] = [node for node in await me.get_all(kinds=["entity"]) if node.title == "JWT"]
    await me.delete(node.id)
    clock.forward(days=31)
    await rc.run_job("purge")
    await noted(me, "Refresh tokens use JWT too, as Maria works at Acme Corp.", title="Again")
    assert "JWT" in {node.title for node in await me.get_all(kinds=["entity"])}
