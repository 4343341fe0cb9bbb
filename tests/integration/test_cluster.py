"""A real Citus cluster: carrying a database there, growing, and losing a node."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.rows import namedtuple_row

from recollect import Recollect
from recollect.core.errors import Conflict, InvalidInput, NotFound, RecollectError, Unavailable
from recollect.db import cluster, migrate
from recollect.flows import distribute as flow
from servers import Plain, Server, Spread, upgrade

_names = itertools.count()


@pytest.fixture
def local_url(server: Server) -> Iterator[str]:
    """A database of the cluster that is not distributed yet."""
    assert isinstance(server, Spread)
    name = f"local_{next(_names)}"
    yield server.cluster.make_database(name)
    for one in server.cluster.servers:
        with psycopg.connect(one.url, autocommit=True) as owner:
            owner.execute(f"drop database {name} with (force)")


@asynccontextmanager
async def opened(url: str, folder: Path, **settings: Any) -> AsyncIterator[Recollect]:
    given = {"embedder": "fake", "worker": False, "exact_limit": 60} | settings
    async with Recollect.open(database_url=url, data_dir=folder, **given) as rc:
        yield rc


async def fill(rc: Recollect, users: int = 12) -> None:
    """Small spaces, and one large enough for an index of its own."""
    for number in range(users):
        me = rc.scope(user_id=f"u{number}")
        count = 90 if number == 0 else 5
        await me.add_many([{"content": f"Note {n} of u{number} about tea and trains."} for n in range(count)])
        chat = await me.conversation("talk")
        await chat.add("user", f"I am u{number}, and I like tea.", name=f"U{number}")
    await rc.drain()


async def checksums(url: str) -> cluster.Checksums:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
        return await cluster.checksums(owner)


async def local_bytes(url: str) -> int:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
        return await cluster.local_bytes(owner)


async def answers(rc: Recollect, users: int = 12) -> list[list[Any]]:
    found = []
    for number in range(users):
        for question in ("tea", "trains", "note 3", f"Who is u{number}?"):
            hits = await rc.scope(user_id=f"u{number}").search(question, limit=20)
            found.append([hit.memory.id for hit in hits])
    return found


@pytest.mark.citus
async def test_distributing_keeps_every_row_and_every_answer(local_url, tmp_path):
    async with opened(local_url, tmp_path) as rc:
        await fill(rc)
        before, said = await checksums(local_url), await answers(rc)
        await rc.recalls.flush()
        await rc.parts.governor.flush()
        before = await checksums(local_url)
    seen: list[tuple[int, int]] = []
    async with opened(local_url, tmp_path) as rc:
        done = await flow.distribute(rc.parts, shards=8, progress=lambda *step: seen.append(step))
        assert await flow.index_large_spaces(rc.parts) == ["user:u0"]
    assert (done.shards, len(done.tables)) == (8, len(before))
    assert seen[0][0] == 0
    assert seen[-1][0] == seen[-1][1]
    after = await checksums(local_url)
    for table in ("space", "space_statistics", "term_statistics"):  # taken anew with the index
        assert after[table].pop("user:u0")
        assert before[table].pop("user:u0")
    assert after == before
    assert await local_bytes(local_url) == 0
    async with opened(local_url, tmp_path) as rc:
        assert await answers(rc) == said
        again = await flow.distribute(rc.parts, shards=8)
        assert again.tables == []
        async with rc.parts.database.owner() as owner:
            status = await cluster.status(owner)
        assert status is not None
        assert (status.shards, len(status.nodes)) == (8, 3)
        await rc.scope(user_id="u1").add("Still writable.")


@pytest.mark.citus
async def test_cut_off_it_goes_on_and_nobody_opens_it_meanwhile(local_url, tmp_path, monkeypatch):
    async with opened(local_url, tmp_path) as rc:
        await fill(rc, 3)
    before = await checksums(local_url)
    run = cluster._run

    async def cut_off(owner: Any, statement: str, /, **values: Any) -> None:
        if values.get("name") == "recollect.memory":
            raise ConnectionError
        await run(owner, statement, **values)

    async with opened(local_url, tmp_path) as rc:
        with monkeypatch.context() as patch:
            patch.setattr(cluster, "_run", cut_off)
            with pytest.raises(ConnectionError):
                await flow.distribute(rc.parts, shards=4)
        with pytest.raises(RecollectError, match="distributing unfinished"):
            async with opened(local_url, tmp_path):
                pass
        done = await flow.distribute(rc.parts, shards=4)
    assert "memory" in done.tables
    assert "conversation" not in done.tables
    after = await checksums(local_url)
    assert after["memory"] == before["memory"]
    assert after["message"] == before["message"]
    assert await local_bytes(local_url) == 0
    with psycopg.connect(local_url) as owner, pytest.raises(psycopg.errors.ForeignKeyViolation):
        owner.execute("update recollect.message set conversation_id = id where space_id = 'user:u1'")


@pytest.mark.citus
async def test_others_must_be_gone(local_url, tmp_path):
    async with opened(local_url, tmp_path) as rc, opened(local_url, tmp_path) as other:
        await other.scope(user_id="u").add("Busy.")
        with pytest.raises(Conflict, match="other connections"):
            await flow.distribute(rc.parts)


async def test_without_citus_it_says_so(server, database_url):
    if not isinstance(server, Plain):
        pytest.skip("about a server without Citus")
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as owner:
        with pytest.raises(RecollectError, match="no Citus"):
            await cluster.distribute(owner, migrate.app_url_for(database_url))
        with pytest.raises(RecollectError, match="db distribute"):
            await cluster.move(owner, "user:alice")
        with pytest.raises(RecollectError, match="db distribute"):
            await cluster.rebalance(owner)
        assert await cluster.status(owner) is None


@pytest.mark.citus
async def test_a_newer_schema_is_spread_too(server, local_url, tmp_path):
    await upgrade(local_url, shards=4)
    async with await psycopg.AsyncConnection.connect(local_url, autocommit=True) as owner:
        await owner.execute(
            'create table recollect.novelty (space_id text collate "C", id uuid, primary key (space_id, id))'
        )
        await cluster.distribute_new(owner)
        cursor = await owner.execute(
            "select count(*) from citus_tables where table_name = 'recollect.novelty'::regclass"
        )
        assert await cursor.fetchone() == (1,)


_SAVED = """
insert into recollect.checkpoint (space_id, owner, thread_id, kind, namespace, id, type, body, saved_by, saved_at)
values (%s, %s, 't', %s, '', lpad(%s, 18, '0'), 'json', convert_to(%s, 'UTF8'), 'planner', now())
"""


@pytest.mark.citus
async def test_states_move_to_a_table_of_their_own_where_they_lie(local_url, tmp_path, monkeypatch):
    steps = migrate.migrations()
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "migrations", lambda: steps[:13])
        await upgrade(local_url, shards=4)
    users = [f"u{number}" for number in range(8)]
    with psycopg.connect(local_url) as owner:
        for user, kind, number in itertools.product(users, ("state", "graph"), range(1, 13)):
            owner.execute(_SAVED, [f"user:{user}", f"user:{user}", kind, str(number), f'"{kind} {number} of {user}"'])
    async with opened(local_url, tmp_path) as rc:
        for user in users:
            me = rc.scope(user_id=user, thread_id="t")
            assert [saved.version for saved in await me.checkpoints()] == list(range(12, 0, -1))
            assert await me.load_checkpoint() == f"state 12 of {user}"
            assert (await me.save_checkpoint("next")).version == 13
            assert await me.delete_checkpoints() == 13 + 12
    assert await local_bytes(local_url) == 0


@pytest.mark.citus
async def test_a_space_gets_a_shard_of_its_own_and_moves(local_url, tmp_path):
    await upgrade(local_url, shards=2)
    async with opened(local_url, tmp_path) as rc:
        await fill(rc, 4)
        before, said = await checksums(local_url), await answers(rc, 4)
        async with rc.parts.database.owner() as owner:
            place = await cluster.move(owner, "user:u0")
            assert place.alone
            status = await cluster.status(owner)
            assert status is not None
            workers = [f"{node.host}:{node.port}" for node in status.nodes if not node.coordinator]
            [target] = [name for name in workers if name != f"{place.host}:{place.port}"]
            moved = await cluster.move(owner, "user:u0", target)
            assert f"{moved.host}:{moved.port}" == target
            with pytest.raises(NotFound):
                await cluster.move(owner, "user:nobody")
            with pytest.raises(InvalidInput, match="to: is no node"):
                await cluster.move(owner, "user:u0", "elsewhere:1")
        assert (await checksums(local_url))["memory"] == before["memory"]
        assert await answers(rc, 4) == said
        await rc.scope(user_id="u0").add("Written after the move.")


@pytest.mark.citus
async def test_rebalancing_spreads_the_shards(server, local_url, tmp_path):
    await upgrade(local_url, shards=4)
    async with opened(local_url, tmp_path) as rc:
        await fill(rc, 4)
        before = await checksums(local_url)
        async with rc.parts.database.owner() as owner:
            status = await cluster.status(owner)
            assert status is not None
            first, _ = [node for node in status.nodes if not node.coordinator]
            for user in ("user:u0", "user:u1", "user:u2", "user:u3"):
                await cluster.move(owner, user, f"{first.host}:{first.port}", mode="block_writes")
            seen: list[tuple[int, int]] = []
            moved = await cluster.rebalance(owner, mode="block_writes", progress=lambda *step: seen.append(step))
            assert moved > 0
            assert seen[-1] == (moved, moved)
            assert await cluster.rebalance(owner, mode="block_writes") == 0
        assert (await checksums(local_url))["memory"] == before["memory"]


@pytest.mark.citus
async def test_on_a_node_itself_nothing_of_another_space_is_seen(server, database_url, rc):
    await rc.scope(user_id="alice").add("Alice likes tea.")
    shards = 0
    for node in server.cluster.workers:
        name = psycopg.conninfo.conninfo_to_dict(database_url)["dbname"]
        with psycopg.connect(make_conninfo(node.url, dbname=name), autocommit=True) as owner:
            owner.execute("set citus.override_table_visibility = off")
            tables = owner.execute(
                "select oid::regclass::text from pg_class where relkind = 'r' and relname ~ '^memory_[0-9]+$'"
                " and relnamespace = 'recollect'::regnamespace"
            ).fetchall()
        app = migrate.app_url_for(make_conninfo(node.url, dbname=name))
        with psycopg.connect(app, autocommit=True) as role:
            role.execute("set citus.override_table_visibility = off")
            for (table,) in tables:
                shards += 1
                assert role.execute(f"select count(*) from {table}").fetchone() == (0,)
                assert role.execute(f"delete from {table}").rowcount == 0
            assert role.execute("select count(*) from recollect.memory").fetchone() == (0,)
    assert shards == 4


@pytest.mark.citus
async def test_a_node_that_dies_takes_down_its_own_spaces_only(server, database_url, open_recollect):
    rc = await open_recollect(worker=True, clock=None)
    users = [f"u{number}" for number in range(16)]
    for user in users:
        chat = await rc.scope(user_id=user).conversation("talk")
        await chat.add("user", f"First of {user}.")
    await rc.drain()
    where = await _nodes_of(database_url, users)
    victim = server.cluster.workers[0]
    lost = [user for user in users if where[user] == victim.port]
    kept = [user for user in users if where[user] != victim.port]
    assert lost
    assert kept
    victim.kill()
    try:
        for user in kept:
            me = rc.scope(user_id=user)
            await (await me.conversation("talk")).add("user", f"Second of {user}.")
            await (await me.conversation("another", title="New")).add("user", "Elsewhere.")
            added = await me.add(f"{user} likes tea.")
            await me.add_many([{"content": f"{user} likes cake."}, {"content": f"{user} likes green tea."}])
            await me.update(added.id, content=f"{user} likes coffee.")
            await me.delete(added.id)
            await me.restore(added.id)
            assert await me.search("tea")
            await _until_found(rc, user, f"Second of {user}.")
        await rc.recalls.flush()
        for user in lost:
            with pytest.raises(Unavailable, match=rf"PostgreSQL.*{victim.port}"):
                await (await rc.scope(user_id=user).conversation("talk")).add("user", "Refused.")
    finally:
        victim.start()
    for user in lost:
        chat = await _patiently(lambda user=user: rc.scope(user_id=user).conversation("talk"))
        await _patiently(lambda chat=chat, user=user: chat.add("user", f"Second of {user}."))
    for user in users:
        chat = await rc.scope(user_id=user).conversation("talk")
        assert [message.content for message in await chat.messages()] == [f"First of {user}.", f"Second of {user}."]
    for user in users:
        await _until_found(rc, user, f"Second of {user}.")


async def _nodes_of(url: str, users: list[str]) -> dict[str, int]:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True, row_factory=namedtuple_row) as owner:
        return {user: (await cluster._place(owner, f"user:{user}")).port for user in users}


async def _patiently(call: Callable[[], Any], tries: int = 100) -> Any:
    for _ in range(tries):
        try:
            return await call()
        except Unavailable:
            await asyncio.sleep(0.2)
    return await call()


async def _until_found(rc: Recollect, user: str, text: str, tries: int = 300) -> None:
    for _ in range(tries):
        hits = await rc.scope(user_id=user).search(text)
        if any(hit.memory.content == text for hit in hits):
            return
        await asyncio.sleep(0.2)
    pytest.fail(f"{text} was never found")
