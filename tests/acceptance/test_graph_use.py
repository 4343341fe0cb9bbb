"""The graph as a user sees it, through the public verbs alone: what notes of an agent name, by hand, and overnight."""

import pytest

from recollect import NotFound
from recollect.sync import Recollect as BlockingRecollect

TEXT = """\
Maria Lopez works at Globex. Maria Lopez reports to Henry Ford. The billing service uses PostgreSQL.
Maria Lopez leads the billing service."""


async def noted(me, text, title="Work"):
    task = await me.create_active(title, sections={"notes": ""})
    await me.update_section(task.id, "notes", text)
    await me.end_active(task.id)


@pytest.fixture
async def me(rc):
    me = rc.scope(user_id="alice", agent_id="coder")
    await noted(me, TEXT)
    return me


async def test_from_notes_to_descriptions(rc, me, clock):
    [maria] = await me.nodes("person", name="Maria")
    assert (maria.name, maria.sources, maria.description) == ("Maria Lopez", 1, None)
    assert {"works_at", "reports_to"} <= {tie.type for tie in await me.relations(maria.id)}
    assert all(hit.memory.id != maria.id for hit in await me.search("Maria Lopez"))
    await rc.run_job("descriptions")
    described = (await me.get(maria.id)).content
    assert described.startswith("Maria Lopez ")
    assert "works at Globex" in described
    assert len(described) <= 280
    assert maria.id in [hit.memory.id for hit in await me.search("Where does Maria Lopez work?")]
    await me.add_note(maria.id, "Is on parental leave until June.", lifetime="week")
    await rc.run_job("descriptions")
    assert "parental leave" in (await me.get(maria.id)).content
    clock.forward(days=8)
    assert await me.notes(maria.id) == []
    assert (await rc.run_job("note_cleanup"))["removed"] == 1


async def test_relations_and_merges_by_hand(rc, me):
    [maria], [henry] = await me.nodes(name="Maria"), await me.nodes(None, name="Henry")
    tie = await me.relate(maria.id, henry.id, "mentored_by", description="Henry Ford taught Maria Lopez accounting.")
    assert tie in await me.relations(henry.id)
    await noted(
        rc.scope(user_id="alice", agent_id="writer"),
        "On the shipping forecast, Mary Lopez works with Walter Jones.",
        title="More",
    )
    [other] = await me.nodes(name="Mary")
    merged = await me.merge(maria.id, other.id)
    [one] = await me.nodes(name="Mary")
    assert (one.id, one.sources, one.aliases) == (maria.id, 2, ("Mary Lopez",))
    assert {"Globex", "Walter Jones"} <= {tie.to_name for tie in await me.relations(one.id)}
    await me.unmerge(merged.id)
    assert [node.id for node in await me.nodes(name="Mary")] == [other.id]
    assert "Walter Jones" not in {tie.to_name for tie in await me.relations(maria.id)}
    assert "Walter Jones" in {tie.to_name for tie in await me.relations(other.id)}


async def test_another_user_sees_nothing(rc, me):
    [maria] = await me.nodes(name="Maria")
    stranger = rc.scope(user_id="mallory")
    assert await stranger.nodes(None) == []
    assert await stranger.merges(None) == []
    for call in (stranger.relations(maria.id), stranger.notes(maria.id), stranger.relate(maria.id, maria.id, "x")):
        with pytest.raises(NotFound):
            await call


def test_without_await(database_url, tmp_path):
    given = {"database_url": database_url, "data_dir": tmp_path, "embedder": "fake", "worker": False}
    with BlockingRecollect.open(**given) as rc:
        me = rc.scope(user_id="alice")
        me.set_profile("identity", "name", "Alice")
        [owner] = me.nodes()
        assert (owner.name, owner.is_owner) == ("Alice", True)
        note = me.add_note(owner.id, "Likes tea.")
        assert [each.id for each in me.notes(owner.id)] == [note.id]
