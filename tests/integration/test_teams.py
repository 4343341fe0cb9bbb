"""Sources of a team: stored once, learned from by each member at first use, gone when the member or the source goes."""

import asyncio

import pytest
from test_ingest import NOTE, names

from recollect.core.errors import InvalidInput, NotFound
from recollect.flows import teams


def member(rc, user, *more, **options):
    return rc.scope(user_id=user, team_ids=["blue", *more], **options)


@pytest.fixture
async def meeting(rc):
    source = await member(rc, "alice").ingest(NOTE, "meeting", title="Staff meeting", team_id="blue")
    await rc.drain()
    return source


async def own(rc, user, kind="person"):
    """What a user's own graph has."""
    return await names(rc.scope(user_id=user), kind)


async def test_a_team_source_is_stored_once_and_learned_from_by_nobody_yet(rc, meeting):
    assert meeting.space == "team:blue"
    for user in ("alice", "bob", "charlie"):
        me = member(rc, user)
        [source] = await me.sources()
        assert (source.id, source.status) == (meeting.id, "processed")
        assert await names(me) == []
    await rc.drain()
    assert await own(rc, "alice") == []
    assert await rc.scope(user_id="bob").sources() == []
    with pytest.raises(NotFound):
        await rc.scope(user_id="bob").get(meeting.id)
    hits = await member(rc, "alice").search("nothing", after=meeting.watermark, wait="understood")
    assert hits.warnings == ()


async def test_the_example_of_three_people(rc, meeting):
    """Alice opens it, Bob asks about it, Charlie never does."""
    assert (await member(rc, "alice").get(meeting.id)).title == "Staff meeting"
    assert await member(rc, "bob").search("Where does Sarah Chen work?", kinds=["chunk"])
    await rc.drain()
    assert "Sarah Chen" in await own(rc, "alice")
    assert "Sarah Chen" in await own(rc, "bob")
    assert await own(rc, "charlie") == []
    for user in ("alice", "bob"):
        [reference] = await rc.scope(user_id=user).sources()
        assert (reference.origin_space, reference.origin_id) == ("team:blue", meeting.id)
        assert (reference.status, reference.source_type) == ("extracted", "meeting")
        memory = await rc.scope(user_id=user).get(reference.id)
        assert (memory.content, memory.title) == ("", None)
    alice = {node.id for node in await rc.scope(user_id="alice").get_all(kinds=["person"])}
    bob = {node.id for node in await rc.scope(user_id="bob").get_all(kinds=["person"])}
    assert alice.isdisjoint(bob)
    assert list(await rc.scope(user_id="alice").get_all(kinds=["chunk"])) == []


async def test_a_context_is_a_use_and_a_second_use_is_none(rc, meeting):
    me = member(rc, "alice")
    chat = await me.conversation("chat")
    ctx = await chat.context("Where does Sarah Chen work? Acme Robotics?", tokens=2000)
    assert ctx.hits
    await rc.drain()
    await me.get(meeting.id)
    await me.search("Sarah Chen")
    await rc.drain()
    assert len(await rc.scope(user_id="alice").sources()) == 1
    assert "Sarah Chen" in await own(rc, "alice")


async def test_a_list_is_no_use_and_an_agent_alone_has_no_graph_of_a_user(rc, meeting):
    me = member(rc, "alice")
    await me.sources()
    await me.get_all()
    agent = rc.scope(agent_id="planner", team_ids=["blue"])
    await agent.get(meeting.id)
    await rc.drain()
    assert await rc.scope(user_id="alice").sources() == []
    assert await rc.scope(agent_id="planner").sources() == []


async def test_what_is_used_in_a_project_goes_into_the_users_own_graph(rc, meeting):
    me = member(rc, "alice", project_id="apollo")
    await me.get(meeting.id)
    await rc.drain()
    assert "Sarah Chen" in await own(rc, "alice")
    assert await names(rc.scope(project_id="apollo")) == []


async def test_one_reference_however_many_uses_at_once(open_recollect):
    one, other = await open_recollect(), await open_recollect()
    source = await member(one, "alice").ingest(NOTE, team_id="blue")
    await one.drain()
    used = [("team:blue", source.id)]
    made = await asyncio.gather(*(teams.refer(rc.parts, "user:bob", used) for rc in (one, other, one, other)))
    assert sum(made) == 1
    await one.drain()
    assert len(await one.scope(user_id="bob").sources()) == 1


async def test_one_that_is_opened_before_it_is_processed(rc):
    me = member(rc, "alice")
    source = await me.ingest(NOTE, team_id="blue", participants=["Ann Lee"])
    await me.get(source.id)
    await rc.recalls.flush()
    await rc.worker.run_now("ingest", "user:alice")
    assert {"Sarah Chen", "Ann Lee"} <= set(await own(rc, "alice"))


async def test_who_leaves_a_team_lets_go_of_what_came_only_of_it(rc, meeting):
    me = member(rc, "alice", "red")
    await me.ingest("Tom Ford works at Acme Robotics.")
    other = await me.ingest("Zara Quill works at Nowhere Labs.", team_id="red")
    await rc.drain()
    await me.get(meeting.id)
    await me.get(other.id)
    await rc.drain()
    assert {"Sarah Chen", "Tom Ford", "Zara Quill"} <= set(await own(rc, "alice"))
    me2 = rc.scope(user_id="alice", team_ids=["red"])
    assert await me2.leave_team("blue") == 1
    await rc.drain()
    assert await own(rc, "alice") == ["Tom Ford", "Zara Quill"]
    assert [(source.origin_space, source.status) for source in await rc.scope(user_id="alice").sources()] == [
        (None, "extracted"),
        ("team:red", "extracted"),
    ]
    assert "Redis" not in await own(rc, "alice", "entity")
    assert await me2.leave_team("blue") == 0
    # The team has it still, and whoever comes back learns it anew.
    await me.get(meeting.id)
    await rc.drain()
    assert "Sarah Chen" in await own(rc, "alice")


async def test_what_a_person_did_stays(rc, meeting):
    me = member(rc, "alice")
    await me.get(meeting.id)
    await rc.drain()
    mine = rc.scope(user_id="alice")
    [sarah] = [node for node in await mine.get_all(kinds=["person"]) if node.title == "Sarah Chen"]
    await mine.update(sarah.id, content="Sarah Chen is my cousin.")
    await me.leave_team("blue")
    await rc.drain()
    assert await own(rc, "alice") == ["Sarah Chen"]


async def test_only_a_user_can_leave(rc):
    with pytest.raises(InvalidInput) as caught:
        await rc.scope(agent_id="planner").leave_team("blue")
    assert caught.value.field == "user_id"


@pytest.mark.parametrize("way", ["delete", "purge"])
async def test_a_team_source_that_goes_takes_its_references_along(rc, meeting, clock, way):
    for user in ("alice", "bob"):
        await member(rc, user).get(meeting.id)
    await rc.drain()
    if way == "purge":
        async with rc.parts.database.transaction("team:blue") as connection:
            await connection.execute(
                "update memory_use set state = 'soft_deleted', deleted_at = %(now)s, purge_at = %(now)s"
                " where space_id = 'team:blue'",
                {"now": clock()},
            )
        await rc.run_job("purge")
    else:
        await member(rc, "charlie").delete(meeting.id)
    await rc.drain()
    for user in ("alice", "bob"):
        assert await rc.scope(user_id=user).sources() == []
        assert await own(rc, user) == []
    if way == "delete":
        await member(rc, "charlie").restore(meeting.id)
        await member(rc, "alice").search("Sarah Chen")
        await rc.drain()
        assert "Sarah Chen" in await own(rc, "alice")
        assert await own(rc, "bob") == []


async def test_a_reference_to_what_went_before_it_was_read_goes(rc, meeting):
    await member(rc, "alice").get(meeting.id)
    await rc.recalls.flush()
    await member(rc, "bob").delete(meeting.id)
    await rc.worker.run_now("ingest", "user:alice")
    assert await rc.scope(user_id="alice").sources() == []
    assert await own(rc, "alice") == []


async def test_a_sensitive_team_source_gives_sensitive_nodes(rc):
    opened = member(rc, "alice", sensitivity="high")
    source = await opened.ingest(NOTE, team_id="blue", sensitivity="high")
    await rc.drain()
    with pytest.raises(NotFound):
        await member(rc, "alice").get(source.id)
    await opened.get(source.id)
    await rc.drain()
    assert await own(rc, "alice") == []
    assert "Sarah Chen" in await names(rc.scope(user_id="alice", sensitivity="high"))
