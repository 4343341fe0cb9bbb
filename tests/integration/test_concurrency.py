"""Many writers and readers of one space at once: nothing lost, nothing counted twice, no error."""

import asyncio

import psycopg
import pytest

from recollect.core.errors import Unavailable
from recollect.db.database import Deadlock, again_after_deadlock
from recollect.records import store


def one(rc, query):
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        return owner.execute(query).fetchone()


async def test_writers_and_searchers_of_one_space(open_recollect):
    rc = await open_recollect(worker=True, exact_limit=60)
    me = rc.scope(user_id="alice")
    stop = asyncio.Event()
    found = 0

    async def chatter(writer):
        chat = await me.conversation(f"chat-{writer % 2}")
        for n in range(20):
            await chat.add("user", f"Message {n} of writer{writer} about tea.")

    async def knower(writer):
        for n in range(10):
            memory = await me.add(f"Fact {n} of knower{writer} about rivers.")
            if n % 3 == 0:
                await me.update(memory.id, importance=0.9, if_version=1)
            if n % 5 == 0:
                await me.delete(memory.id)

    async def searcher(number):
        nonlocal found
        while not stop.is_set():
            found += len(await me.search(f"tea rivers {number}", limit=5))

    searching = [asyncio.create_task(searcher(n)) for n in range(4)]
    await asyncio.gather(*(chatter(n) for n in range(4)), *(knower(n) for n in range(4)))
    stop.set()
    await asyncio.gather(*searching)
    drained = await rc.drain()
    assert (drained.failed, drained.deferred) == (0, 0)
    assert found > 0
    # 10 additions, 4 changes and 2 deletions of each knower.
    assert one(rc, "select revision from space") == (4 * (10 + 4 + 2),)
    assert one(rc, "select count(*) from memory where kind = 'turn'") == (80,)
    assert one(rc, "select count(*), max(turn), min(turn) from message") == (80, 40, 1)
    assert one(rc, "select count(*) from conversation where indexed_turn < last_turn") == (0,)
    assert one(rc, "select count(*) from entry where visible and not kind = 'episode'") == (80 + 4 * 8,)


async def test_the_same_added_at_once_is_one_memory(rc):
    me, other = rc.scope(user_id="alice"), rc.scope(user_id="bob")
    texts = [f"The ferry number {number} is blue." for number in range(100)]
    for _ in range(2):
        one, *others = await asyncio.gather(*(me.add("The ferry leaves at nine.") for _ in range(8)))
        assert {each.id for each in others} == {one.id}
    many = [me.add_many([{"content": text} for text in order]) for order in (texts, texts[::-1], texts)]
    await asyncio.gather(*many, other.add("The ferry leaves at nine."))
    assert one_of(rc, "alice") == (101,)
    assert one_of(rc, "bob") == (1,)


def one_of(rc, user):
    return one(rc, f"select count(*) from memory where space_id = 'user:{user}'")


async def test_large_spaces_get_their_indexes_at_the_same_time(open_recollect):
    rc = await open_recollect(exact_limit=20, worker_concurrency=4, link_neighbours=0)
    for n in range(4):
        await rc.scope(user_id=f"user-{n}").add_many([{"content": f"Fact {m} of {n}."} for m in range(30)])
    drained = await rc.drain()
    assert (drained.failed, drained.deferred) == (0, 0)
    assert one(rc, "select count(*) from space_statistics where vector_index is not null") == (4,)
    assert one(rc, "select count(*) from pg_index where not indisvalid") == (0,)


async def test_recalls_of_the_same_memories_do_not_deadlock(rc):
    me = rc.scope(user_id="alice")
    await me.add_many([{"content": f"Tea number {n}."} for n in range(10)])
    for _ in range(5):
        await asyncio.gather(*(me.search(f"tea {n}") for n in range(8)), rc.recalls.flush(), rc.recalls.flush())
    await rc.drain()
    assert {memory.access_count for memory in await me.get_all()} == {40}


async def test_who_deletes_holds_a_memory_before_its_state(open_recollect):
    """As whoever changes it does: otherwise each would wait for the other."""
    rc = await open_recollect()
    me = rc.scope(user_id="alice")
    memory = await me.add("Tea is a drink.")
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        held = {"space": memory.space, "id": memory.id}
        owner.execute("select from memory where space_id = %(space)s and id = %(id)s for update", held)
        deleting = asyncio.create_task(me.delete(memory.id))
        await asyncio.sleep(0.5)
        assert not deleting.done()
        owner.execute(
            "select from memory_use where space_id = %(space)s and memory_id = %(id)s for update nowait", held
        )
    assert (await deleting).state == "soft_deleted"


async def test_what_a_deadlock_took_back_is_done_again():
    tried = []

    @again_after_deadlock
    async def work(times):
        tried.append(times)
        if len(tried) <= times:
            raise Deadlock("PostgreSQL", "deadlock")
        return "done"

    assert await work(2) == "done"
    assert len(tried) == 3
    tried.clear()
    with pytest.raises(Unavailable):
        await work(9)
    assert len(tried) == 3


async def test_a_deadlock_says_that_nothing_was_written(open_recollect):
    rc = await open_recollect()
    me = rc.scope(user_id="alice")
    one, two = [(await me.add(text)).id for text in ("Tea is a drink.", "Rome is a city.")]
    both = asyncio.Barrier(2)

    async def hold(first, second):
        async with rc.parts.database.transaction(me.scope.space) as connection:
            await store.lock(connection, me.scope.space, [first])
            await both.wait()
            await store.lock(connection, me.scope.space, [second])

    results = await asyncio.gather(hold(one, two), hold(two, one), return_exceptions=True)
    [error] = [result for result in results if result is not None]
    assert isinstance(error, Deadlock)
    assert "nothing was written" in str(error)
