"""Nobody reaches another's memories through the public object."""

from uuid import uuid4

import pytest

from recollect.core.errors import Conflict, NotFound


async def test_another_users_memory_is_not_there(rc):
    alice, mallory = rc.scope(user_id="alice"), rc.scope(user_id="mallory", project_id="apollo", team_ids=["red"])
    secret = await alice.add("The code is quuxberry.")
    for call in (
        mallory.get(secret.id),
        mallory.update(secret.id, content="Mine."),
        mallory.delete(secret.id),
        mallory.restore(secret.id),
        mallory.history(secret.id),
    ):
        with pytest.raises(NotFound):
            await call
    assert await mallory.search("quuxberry") == []
    assert len(await mallory.get_all()) == 0
    assert await mallory.delete_all() == 0
    assert (await alice.get(secret.id)).content == "The code is quuxberry."
    assert [entry.event for entry in await alice.history(secret.id)] == ["ADD"]


async def test_names_that_look_alike_are_different_spaces(rc):
    await rc.scope(user_id="alice").add("The code is quuxberry.")
    others = (
        {"project_id": "alice"},
        {"agent_id": "alice"},
        {"user_id": "Alice"},
        {"user_id": "alice "},
        {"user_id": "user:alice"},
        {"user_id": 'x","user:alice'},
        {"user_id": "x", "team_ids": ["alice"]},
        {"user_id": "x", "team_ids": ["x}", "user:alice"]},
    )
    for given in others:
        assert await rc.scope(**given).search("quuxberry") == [], given


async def test_the_same_id_in_two_spaces_is_two_memories(rc):
    alice, bob, id = rc.scope(user_id="alice"), rc.scope(user_id="bob"), uuid4()
    await alice.add("Alice prefers tea.", id=id)
    await bob.add("Bob prefers coffee.", id=id)
    await alice.delete(id)
    assert (await bob.get(id)).content == "Bob prefers coffee."
    assert [hit.memory.content for hit in await bob.search("coffee")] == ["Bob prefers coffee."]


async def test_messages_stay_with_their_owner(rc):
    alice, mallory = rc.scope(user_id="alice"), rc.scope(user_id="mallory")
    chat = await alice.conversation("chat-1")
    message = await chat.add("user", "The code is quuxberry.")
    same_name = await mallory.conversation("chat-1")
    assert await same_name.messages() == []
    await rc.drain()
    assert await mallory.search("quuxberry") == []
    other = await same_name.add("user", "Hello.", id=message.id)
    assert (other.turn, other.content) == (1, "Hello.")
    with pytest.raises(NotFound, match="watermark"):
        await mallory.search("quuxberry", after=message.watermark)


async def test_a_scope_reads_its_own_spaces_and_no_more(rc):
    alice = rc.scope(user_id="alice", project_id="apollo", team_ids=["red"])
    assert alice.scope.readable == ("project:apollo", "user:alice", "team:red")
    mine = await rc.scope(user_id="alice").add("Mine is tea.")
    ours = await alice.add("Ours is tea.")
    bob = rc.scope(user_id="bob", project_id="apollo")
    assert {hit.memory.id for hit in await alice.search("tea")} == {mine.id, ours.id}
    assert {hit.memory.id for hit in await bob.search("tea")} == {ours.id}
    assert (await bob.update(ours.id, content="Ours is coffee.")).version == 2
    with pytest.raises(NotFound):
        await bob.update(mine.id, content="Yours.")


async def test_sensitive_memories_need_a_scope_opened_for_them(rc):
    me, cleared = rc.scope(user_id="alice"), rc.scope(user_id="alice", sensitivity="high")
    secret = await me.add("Alice takes quuxberry pills.")
    await me.add("Alice takes a daily walk.")
    await cleared.update(secret.id, sensitivity="high")
    assert [hit.memory.content for hit in await me.search("Alice takes")] == ["Alice takes a daily walk."]
    assert len(await cleared.search("Alice takes")) == 2
    assert len(await me.get_all()) == 1
    assert len(await cleared.get_all()) == 2
    for call in (me.get(secret.id), me.history(secret.id), me.delete(secret.id), me.update(secret.id, pinned=True)):
        with pytest.raises(NotFound):
            await call
    assert await me.delete_all() == 1
    assert (await cleared.get(secret.id)).state in ("candidate", "active")
    assert await rc.scope(user_id="alice", sensitivity="low").search("quuxberry", threshold=0.9) == []


async def test_the_application_role_sees_nothing_without_a_space(rc):
    await rc.scope(user_id="alice").add("The code is quuxberry.")
    database = rc.parts.database
    async with database.application() as connection:
        cursor = await connection.execute("select count(*) as rows from memory")
        assert (await cursor.fetchone()).rows == 0
    async with database.transaction("user:bob") as connection:
        for table in ("memory", "memory_use", "entry", "history", "change_log", "space"):
            cursor = await connection.execute(f"select count(*) as rows from {table}")
            assert (await cursor.fetchone()).rows == 0, table
    async with database.transaction("user:bob", "user:alice") as connection:
        cursor = await connection.execute("update memory set content = 'x'")
        assert cursor.rowcount == 0


async def test_an_ended_thread_of_one_owner_is_open_for_another(rc):
    alice, bob = (rc.scope(user_id=name, project_id="apollo") for name in ("alice", "bob"))
    chat = await alice.conversation("plan")
    await chat.end()
    with pytest.raises(Conflict):
        await chat.add("user", "More.")
    assert (await (await bob.conversation("plan")).add("user", "Hello.")).turn == 1
