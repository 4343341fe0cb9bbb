"""What was taken back is told nowhere: descriptions and stories follow purged sources, retracted messages, notes that a
person removed, and teams that were left."""

import pytest

TOLD = "Zelda Quist told us about step {0} of the merger. Zelda Quist has ailment Number{0}."


@pytest.fixture
def me(rc):
    return rc.scope(user_id="alice")


async def said(me, *kinds):
    """All that is said of nodes, or in stories, as one text."""
    return " ".join(memory.content for memory in await me.get_all(kinds=list(kinds) or ["person", "entity", "concept"]))


async def former(me, clock, word):
    """Where a word stands in what was known or said before."""
    found = [memory for hit in await me.search(word, as_known_at=clock.now, limit=50) for memory in [hit.memory]]
    texts = [memory.content for memory in found]
    for memory in await me.get_all(kinds=["person", "entity", "concept", "storyline"]):
        texts += [line.content or "" for line in await me.history(memory.id)]
    return [text for text in texts if word in text]


async def night(rc, clock, *jobs, days=1):
    clock.forward(days=days)
    for job in jobs:
        await rc.run_job(job)
    await rc.drain()


async def six_days(rc, me, clock):
    """A source a day about one person, and her story."""
    ids = []
    for number in range(6):
        ids.append((await me.ingest(TOLD.format(number))).id)
        await rc.drain()
        clock.forward(days=1)
    await rc.run_job("storyline_promotion")
    await rc.run_job("descriptions")
    return ids


async def deleted_for_good(rc, me, clock, ids):
    for id in ids:
        await me.delete(id)
    await night(rc, clock, "purge", days=31)


async def test_a_story_is_told_without_what_was_purged(rc, me, clock):
    ids = await six_days(rc, me, clock)
    assert "step 5" in await said(me, "storyline")
    await deleted_for_good(rc, me, clock, ids[4:])
    stories = await me.get_all(kinds=["storyline"])
    assert {story.data["source_count"] for story in stories} == {4}
    assert "step 5" not in await said(me, "storyline")
    assert "step 5" not in await said(me)
    assert await former(me, clock, "step 5") == []


async def test_a_story_goes_with_its_last_source(rc, me, clock):
    ids = await six_days(rc, me, clock)
    await deleted_for_good(rc, me, clock, ids)
    assert not list(await me.get_all(kinds=["storyline", "person"]))
    assert (await me.explore(["Zelda Quist ailment"], granularity=2)).hits == ()


async def test_what_is_only_deleted_may_come_back(rc, me, clock):
    ids = await six_days(rc, me, clock)
    for id in ids:
        await me.delete(id)
    await night(rc, clock, "storyline_refresh")
    assert await me.get_all(kinds=["storyline"])
    await me.restore(ids[0])
    await night(rc, clock, "storyline_refresh", "purge", days=31)
    assert "step 5" not in await said(me, "storyline")


async def test_a_description_forgets_a_purged_source(rc, me, clock):
    await me.ingest("Otto Kaputt lives in Vienna.")
    secret = await me.ingest("Otto Kaputt works at Doppler Group.")
    await rc.drain()
    await rc.run_job("descriptions")
    assert "Doppler Group" in await said(me)
    await deleted_for_good(rc, me, clock, [secret.id])
    assert "Doppler Group" not in await said(me)
    assert await former(me, clock, "Doppler Group") == []
    assert "Vienna" in await said(me, "person")


async def test_a_description_forgets_a_retracted_message(mind, clock):
    me = mind.scope(user_id="alice")
    chat = await me.conversation("chat")
    for text in ("I met Otto Kaputt in Vienna.", "Otto Kaputt works at Doppler Group."):
        await chat.add("user", text)
    await chat.end()
    await mind.drain()
    await mind.run_job("descriptions")
    assert "Doppler Group" in await said(me)
    await chat.retract(2)
    await mind.drain()
    assert "Doppler Group" not in await said(me)


async def test_a_description_forgets_a_note_that_was_removed_or_changed(rc, me, clock):
    await me.ingest("Ann Lee works at Acme Robotics.")
    await rc.drain()
    [ann] = await me.nodes(name="Ann Lee")
    debt = await me.add_note(ann.id, "Ann Lee owes Tom 20 euros.", "forever")
    tea = await me.add_note(ann.id, "Ann Lee drinks green tea.", "year")
    await night(rc, clock, "descriptions")
    assert "20 euros" in (await me.get(ann.id)).content
    await me.remove_note(debt.id)
    await rc.drain()
    assert "20 euros" not in (await me.get(ann.id)).content
    assert "green tea" in (await me.get(ann.id)).content
    await me.update_note(tea.id, "Ann Lee drinks black coffee.")
    await rc.drain()
    assert "green tea" not in (await me.get(ann.id)).content


async def test_a_note_that_ends_by_itself_has_left_its_gist(rc, me, clock):
    await me.ingest("Ann Lee works at Acme Robotics.")
    await rc.drain()
    [ann] = await me.nodes(name="Ann Lee")
    await me.add_note(ann.id, "Ann Lee drinks green tea.", "week")
    await night(rc, clock, "descriptions")
    await night(rc, clock, "note_cleanup", "descriptions", days=8)
    assert "green tea" in (await me.get(ann.id)).content


async def test_a_description_that_a_person_wrote_stays(rc, me, clock):
    await me.ingest("Otto Kaputt lives in Vienna.")
    secret = await me.ingest("Otto Kaputt works at Doppler Group.")
    await rc.drain()
    [otto] = await me.nodes(name="Otto")
    await me.update(otto.id, content="Otto once worked at Doppler Group.")
    await deleted_for_good(rc, me, clock, [secret.id])
    assert (await me.get(otto.id)).content == "Otto once worked at Doppler Group."


async def test_who_leaves_a_team_takes_none_of_it_along(rc, clock):
    ann, bob = (rc.scope(user_id=user, team_ids=["crew"]) for user in ("ann", "bob"))
    await ann.ingest("Zelda Quist works at Orbital Labs. Rupert Vane reports to Zelda Quist.", team_id="crew")
    await bob.ingest("Zelda Quist lives in Rome.")
    await rc.drain()
    assert await bob.search("Where does Zelda Quist work?", kinds=["chunk"])
    await rc.drain()
    await night(rc, clock, "descriptions")
    assert "Orbital Labs" in await said(bob)
    await bob.leave_team("crew")
    await rc.drain()
    assert "Orbital Labs" not in await said(rc.scope(user_id="bob"))


async def test_a_node_that_becomes_open_keeps_nothing_of_what_was_closed(rc, clock):
    closed = rc.scope(user_id="alice", sensitivity="high")
    await closed.ingest("Carla Voss works at Nuke Agency. Carla Voss lives in Minsk.", sensitivity="high")
    await rc.drain()
    await night(rc, clock, "descriptions")
    assert "Minsk" in (await closed.nodes(name="Carla"))[0].data["lead"]
    me = rc.scope(user_id="alice")
    await me.ingest("Carla Voss plays chess with Dan Roth.")
    await rc.drain()
    [carla] = await me.nodes(name="Carla")
    assert "Minsk" not in f"{carla.content} {carla.data}"
