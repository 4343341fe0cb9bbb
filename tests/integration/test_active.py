"""Active memory: templates, sections and their counts, whose they are, and how they reach a context."""

import asyncio
import re

import psycopg
import pytest

from recollect.core.errors import Conflict, InvalidInput, NotAllowed, NotFound

TEMPLATE = """
template: {id: t, name: T}
sections:
  - {id: current_task, name: Current Task, required: true}
  - {id: progress, name: Progress}
"""


@pytest.fixture
def me(rc):
    return rc.scope(user_id="alice", agent_id="coder")


def counts(active):
    return {name: section.update_count for name, section in active.sections.items()}


async def begun(me, **given):
    return await me.create_active("Auth", template=TEMPLATE, **given)


class TestSections:
    async def test_they_come_from_the_template_empty(self, me):
        active = await begun(me, description="JWT", metadata={"task": 123})
        assert {name: section.content for name, section in active.sections.items()} == {
            "current_task": "",
            "progress": "",
        }
        assert counts(active) == {"current_task": 0, "progress": 0}
        assert active.sections["progress"]["title"] == "Progress"
        assert (active.title, active.description, active.metadata) == ("Auth", "JWT", {"task": 123})
        assert (active.agent_id, active.status, active.template) == ("coder", "open", TEMPLATE)
        assert await me.get_active(active.id) == active

    async def test_an_update_adds_one_to_the_count(self, me, clock):
        active = await begun(me, sections={"current_task": "Auth."})
        clock.forward(minutes=5)
        after = await me.update_section(active.id, "progress", "Half way.")
        assert counts(after) == {"current_task": 0, "progress": 1}
        assert (after.sections["progress"].content, after.sections["current_task"].content) == ("Half way.", "Auth.")
        assert after.updated_at == clock.now

    async def test_updates_of_many_writers_all_count(self, me):
        active = await begun(me)
        texts = [f"Step {place}." for place in range(20)]
        await asyncio.gather(*(me.update_section(active.id, "progress", text) for text in texts))
        section = (await me.get_active(active.id)).sections["progress"]
        assert section.update_count == 20
        assert section.content in texts
        logged = await me.section_history(active.id)
        assert {text.content for text in logged} == set(texts)
        assert [text.number for text in logged] == list(range(1, 21))

    async def test_a_section_that_the_template_does_not_name_is_refused(self, me):
        active = await begun(me)
        with pytest.raises(InvalidInput, match="section: 'blockers' is not in the template"):
            await me.update_section(active.id, "blockers", "x")
        assert await me.get_active(active.id) == active

    async def test_without_a_template_an_update_makes_the_section(self, me):
        active = await me.create_active("Free", sections={"a": "one"})
        await asyncio.gather(*(me.update_section(active.id, "b", f"text {place}") for place in range(5)))
        after = await me.get_active(active.id)
        assert counts(after) == {"a": 0, "b": 5}
        assert len(await me.section_history(active.id)) == 6

    async def test_required_sections_are_enforced(self, me):
        with pytest.raises(InvalidInput, match=r"sections\.current_task: is required"):
            await begun(me, sections={"progress": "x"})
        with pytest.raises(InvalidInput, match=r"sections\.current_task: is required"):
            await begun(me, sections={"current_task": "  "})
        active = await begun(me)
        with pytest.raises(InvalidInput, match="text: is empty"):
            await me.update_section(active.id, "current_task", " ")
        assert counts(await me.update_section(active.id, "progress", "")) == {"current_task": 0, "progress": 1}

    @pytest.mark.parametrize(
        ("field", "given"),
        [
            ("title", {"title": ""}),
            ("title", {"title": "a\0b"}),
            ("title", {"title": "x" * 3_000}),
            ("sections", {"sections": ["a"]}),
            ("sections", {"sections": {"": "x"}}),
            ("sections.other", {"template": TEMPLATE, "sections": {"other": "x"}}),
            ("sections.a", {"sections": {"a": "\0"}}),
            ("sections.a", {"sections": {"a": 5}}),
            ("sections.a", {"sections": {"a": "x" * 5_000_000}}),
            ("sections", {"sections": {f"s{n}": "" for n in range(201)}}),
            ("template", {"template": "template: 1"}),
            ("metadata", {"metadata": {"a": "\0"}}),
            ("description", {"description": ""}),
        ],
    )
    async def test_bad_input_is_refused_by_name_and_nothing_is_written(self, me, field, given):
        with pytest.raises(InvalidInput) as refused:
            await me.create_active(**({"title": "t"} | given))
        assert refused.value.field == field
        assert await me.actives() == []

    @pytest.mark.parametrize(
        ("field", "section", "text"),
        [
            ("section", "", "x"),
            ("section", "a\0", "x"),
            ("section", 3, "x"),
            ("text", "progress", "a\0b"),
            ("text", "progress", None),
            ("text", "progress", "\ud800"),
            ("text", "progress", "x" * 5_000_000),
        ],
    )
    async def test_a_bad_update_is_refused_by_name(self, me, field, section, text):
        active = await begun(me)
        with pytest.raises(InvalidInput) as refused:
            await me.update_section(active.id, section, text)
        assert refused.value.field == field
        assert await me.get_active(active.id) == active
        assert await me.section_history(active.id) == []

    async def test_a_free_one_takes_no_more_than_its_sections(self, me):
        active = await me.create_active("Free", sections={f"s{n}": "" for n in range(200)})
        with pytest.raises(InvalidInput, match="section"):
            await me.update_section(active.id, "one more", "x")
        assert len((await me.get_active(active.id)).sections) == 200


class TestWhose:
    async def test_they_are_listed_by_agent(self, rc, me):
        other = rc.scope(user_id="alice", agent_id="tester")
        mine, theirs = await begun(me), await begun(other)
        assert [active.id for active in await me.actives()] == [mine.id]
        assert [active.id for active in await me.actives(agent="tester")] == [theirs.id]
        everybody = rc.scope(user_id="alice")
        assert [active.id for active in await everybody.actives()] == [mine.id, theirs.id]

    async def test_another_agent_may_look_but_not_write(self, rc, me):
        active = await begun(me)
        other = rc.scope(user_id="alice", agent_id="tester")
        assert (await other.get_active(active.id)).title == "Auth"
        for write in (other.update_section(active.id, "progress", "x"), other.end_active(active.id)):
            with pytest.raises(NotAllowed, match="coder"):
                await write
        assert counts(await rc.scope(user_id="alice").update_section(active.id, "progress", "x"))["progress"] == 1

    async def test_another_tenant_sees_and_touches_nothing(self, rc, me):
        active = await begun(me, sections={"current_task": "Secret work."})
        mallory = rc.scope(user_id="mallory", agent_id="coder")
        assert await mallory.actives() == []
        for attempt in (
            mallory.get_active(active.id),
            mallory.update_section(active.id, "progress", "x"),
            mallory.end_active(active.id),
            mallory.section_history(active.id),
        ):
            with pytest.raises(NotFound):
                await attempt
        assert await mallory.migrate() == []
        assert await me.get_active(active.id) == active

    async def test_in_a_project_they_belong_to_the_project(self, rc):
        me = rc.scope(user_id="alice", project_id="apollo", agent_id="coder")
        active = await begun(me)
        assert active.space == "project:apollo"
        bob = rc.scope(user_id="bob", project_id="apollo", agent_id="coder")
        assert [found.id for found in await bob.actives()] == [active.id]


class TestEnd:
    async def test_a_task_that_is_over_is_migrated_and_takes_no_more(self, rc, me):
        active = await begun(me, sections={"current_task": "Auth."})
        await me.update_section(active.id, "progress", "The login page is finished.")
        ended = await me.end_active(active.id)
        assert (ended.status, counts(ended)) == ("ended", {"current_task": 0, "progress": 0})
        chunks = await me.get_all(kinds=["chunk"])
        assert [chunk.content for chunk in chunks] == ["Auth.", "The login page is finished."]
        assert await me.actives() == []
        assert [found.id for found in await me.actives(ended=True)] == [active.id]
        with pytest.raises(Conflict, match="has ended"):
            await me.update_section(active.id, "progress", "x")
        assert (await me.end_active(active.id)).ended_at == ended.ended_at
        assert (await rc.drain()).failed == 0
        assert len(await me.get_all(kinds=["chunk"])) == 2

    async def test_an_update_and_an_ending_at_once_lose_nothing(self, rc, me):
        for place in range(6):
            active = await begun(me)
            done = await asyncio.gather(
                me.update_section(active.id, "progress", f"Page {place} is finished."),
                me.end_active(active.id),
                return_exceptions=True,
            )
            await rc.drain()
            after = await me.get_active(active.id)
            if isinstance(done[0], Conflict):
                assert (after.sections["progress"].content, len(await me.section_history(active.id))) == ("", 0)
            assert (after.status, counts(after)) == ("ended", {"current_task": 0, "progress": 0})

    async def test_what_an_ending_could_not_migrate_a_job_does(self, rc, me, monkeypatch):
        active = await begun(me)
        await me.update_section(active.id, "progress", "The login page is finished.")

        async def down(*_, **__):
            raise RuntimeError("embedder down")

        with monkeypatch.context() as patch:
            patch.setattr(rc.parts.embedder, "embed", down)
            with pytest.raises(RuntimeError):
                await me.end_active(active.id)
        assert (await me.get_active(active.id)).sections["progress"].update_count == 1
        await rc.drain()
        assert (await me.get_active(active.id)).sections["progress"].update_count == 0
        assert len(await me.get_all(kinds=["chunk"])) == 1


class TestContext:
    async def test_sections_reach_the_agents_context_and_no_other(self, rc, me):
        active = await begun(me, sections={"current_task": "Implementing authentication.", "progress": ""})
        await me.update_section(active.id, "progress", "The password is: hunter2hunter2")
        chat = await me.conversation("chat-1")
        text = (await chat.context("What am I doing?")).text
        assert "Auth · Current Task\nImplementing authentication." in text
        assert "Auth · Progress" in text
        assert "hunter2" not in text
        other = await rc.scope(user_id="alice", agent_id="tester").conversation("chat-1")
        assert "authentication" not in (await other.context("What am I doing?")).text
        await me.end_active(active.id)
        assert "Working Memory" not in (await chat.context("What am I doing?")).text

    async def test_they_stay_within_the_budget(self, me):
        await begun(me, sections={"current_task": "word " * 20_000})
        chat = await me.conversation("chat-1")
        ctx = await chat.context("What am I doing?", tokens=2_000)
        assert ctx.tokens <= 2_000


async def test_nothing_of_it_is_embedded(rc, me):
    active = await begun(me, sections={"current_task": "Auth."})
    await me.update_section(active.id, "progress", "x")
    assert rc.parts.embedder.texts == 0
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        assert owner.execute("select count(*) from memory").fetchone() == (0,)


async def test_built_in_templates_are_listed(me):
    found = await me.templates()
    assert set(found) == {"coding_agent", "planning", "research", "support"}
    active = await me.create_active("Plan", template="planning")
    assert list(active.sections) == re.findall(r'- id: "(\w+)"', found["planning"])


async def test_many_at_once_may_begin_a_section(rc):
    me = rc.scope(user_id="alice", agent_id="coder")
    active = await me.create_active("Notes")
    await asyncio.gather(*(me.update_section(active.id, "ideas", f"Idea {n}.") for n in range(12)))
    assert (await me.get_active(active.id)).sections["ideas"].update_count == 12
