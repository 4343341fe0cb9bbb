"""What there is in numbers, what can be restored, and how work stands: what a person looks at first."""

from datetime import UTC, datetime, timedelta

import pytest

from recollect.core.errors import InvalidInput, NotFound
from seeding import owner


async def test_memories_are_counted_by_kind_and_state(rc, clock) -> None:
    me = rc.scope(user_id="alice")
    for text in ("Alice owns a boat.", "Alice keeps bees.", "Alice sings."):
        await me.add(text)
    gone = await me.add("Alice owns a car.")
    await me.delete(gone.id)
    await rc.scope(user_id="bob").add("Bob owns a boat.")
    seen = await me.overview(days=7)
    assert seen.counts == {"statement": {"candidate": 3, "soft_deleted": 1}}
    assert seen.standing == 3
    assert len(seen.growth) == 7
    assert seen.growth[-1].day == clock.now.date()
    assert [day.total for day in seen.growth] == [0] * 6 + [4]


async def test_what_was_imported_is_from_the_day_on_which_it_was_said(rc, clock) -> None:
    me = rc.scope(user_id="alice")
    await (await me.conversation("one")).add("user", "Hello.", at=clock.now - timedelta(days=2))
    await me.add("Alice sails tomorrow.", happened_at=clock.now + timedelta(days=1))
    await rc.drain()
    assert [day.kinds for day in (await me.overview(days=4)).growth] == [{}, {"turn": 1}, {}, {"statement": 1}]


async def test_a_node_is_from_the_day_on_which_it_was_first_spoken_of(rc, clock) -> None:
    me = rc.scope(user_id="alice")
    await me.ingest("Bob Miller met Carol Weber in Porto.", started_at=clock.now - timedelta(days=2))
    await rc.drain()
    assert [set(day.kinds) & {"person"} for day in (await me.overview(days=4)).growth] == [
        set(),
        {"person"},
        set(),
        set(),
    ]


async def test_what_is_sensitive_is_counted_for_those_who_may_see_it(rc) -> None:
    me, open_one = rc.scope(user_id="alice"), rc.scope(user_id="alice", sensitivity="high")
    secret = await me.ingest("Alice is ill.", sensitivity="high")
    assert (await me.overview()).counts == {}
    assert (await open_one.overview()).counts == {"source": {"candidate": 1}}
    await open_one.delete(secret.id)
    assert len(await me.deleted()) == 0
    assert [memory.id for memory in await open_one.deleted()] == [secret.id]


async def test_days_are_those_of_the_space(rc, clock) -> None:
    me = rc.scope(user_id="alice")
    await me.set_profile("identity", "timezone", "Asia/Tokyo")
    clock.now = datetime(2026, 3, 18, 20, 0, tzinfo=UTC)
    await me.add("Alice owns a boat.")
    assert await me.timezone() == "Asia/Tokyo"
    seen = await me.overview(days=3)
    assert (str(seen.growth[-1].day), seen.growth[-1].kinds) == ("2026-03-19", {"statement": 1})


async def test_talk_is_counted(rc) -> None:
    me = rc.scope(user_id="alice")
    chat = await me.conversation("one")
    await chat.add("user", "Hello.")
    await chat.add("assistant", "Hello.")
    seen = await me.overview()
    assert (seen.conversations, seen.messages) == (1, 2)


async def test_deleted_memories_come_in_pages(rc) -> None:
    me = rc.scope(user_id="alice")
    ids = [(await me.delete((await me.add(text)).id)).id for text in ("One boat.", "Two bees.", "Three songs.")]
    first = await me.deleted(limit=2)
    rest = await me.deleted(limit=2, after=first.next)
    assert [memory.id for memory in (*first, *rest)] == ids[::-1]
    assert rest.next is None


async def test_the_newest_can_come_first(rc) -> None:
    me = rc.scope(user_id="alice")
    ids = [(await me.add(text)).id for text in ("One boat.", "Two bees.", "Three songs.")]
    first = await me.get_all(limit=2, newest_first=True)
    rest = await me.get_all(limit=2, newest_first=True, after=first.next)
    assert [memory.id for memory in (*first, *rest)] == ids[::-1]


async def test_memories_are_filtered_by_state(rc) -> None:
    me = rc.scope(user_id="alice")
    kept, faded = await me.add("Alice owns a boat."), await me.add("Alice keeps bees.")
    with owner(rc.database_url) as connection:
        connection.execute("update memory_use set state = 'archived' where memory_id = %s", [faded.id])
    assert [memory.id for memory in await me.get_all(states=["archived"])] == [faded.id]
    assert [memory.id for memory in await me.get_all(states=["candidate"])] == [kept.id]
    with pytest.raises(InvalidInput, match="states"):
        await me.get_all(states=["soft_deleted"])


async def test_a_conversation_is_found_and_never_begun(rc) -> None:
    me = rc.scope(user_id="alice")
    chat = await me.conversation("one", title="First")
    assert (await me.find_conversation(chat.conversation.id)).conversation.title == "First"
    with pytest.raises(NotFound):
        await rc.scope(user_id="bob").find_conversation(chat.conversation.id)
    with pytest.raises(NotFound):
        await rc.scope(user_id="alice", project_id="atlas").find_conversation(chat.conversation.id)


async def test_spaces_are_listed(rc) -> None:
    await rc.scope(user_id="alice").add("Alice owns a boat.")
    await rc.scope(project_id="atlas").add("Atlas ships in May.")
    assert [space.space for space in await rc.spaces()] == ["project:atlas", "user:alice"]


async def test_work_is_seen_where_it_belongs(rc) -> None:
    alice, bob = rc.scope(user_id="alice"), rc.scope(user_id="bob")
    await (await alice.conversation("one")).add("user", "Hello.")
    assert {job.space for job in (await rc.jobs()).queue} == {"user:alice"}
    assert (await alice.work()).queue == (await rc.jobs()).queue
    seen = await bob.work()
    assert seen.queue == ()
    assert "decay" in {each.job for each in seen.schedule}
    with pytest.raises(NotFound):
        await rc.retry_job(1)
