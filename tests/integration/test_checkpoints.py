"""States of threads: saved whole, in versions, read back as they were, each owner's apart."""

import asyncio
import json
import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from conftest import MovedClock, Opener
from recollect import Conflict, InvalidInput, NotFound, Recollect
from recollect.checkpoints import store
from recollect.memory import ScopedMemory

STATE = {
    "step": 3,
    "plan": ["call", "write"],
    "notes": {"café": "ü\u0000\n", "π": 3.5, "none": None, "big": 2**80, "null": "null"},
}


class Mood(Enum):
    CALM = "calm"


def of(rc: Recollect, thread: str | None = "t", user: str = "alice", **more: Any) -> ScopedMemory:
    return rc.scope(user_id=user, thread_id=thread, **more)


async def test_a_state_comes_back_as_it_was(rc: Recollect, clock: MovedClock) -> None:
    me = of(rc, agent_id="planner")
    assert await me.load_checkpoint() is None
    saved = await me.save_checkpoint(STATE)
    assert (saved.thread_id, saved.version, saved.saved_by, saved.saved_at) == ("t", 1, "planner", clock())
    assert await me.load_checkpoint() == STATE
    found = await me.checkpoint()
    assert found is not None
    assert (found.version, found.state, found.saved_by, found.saved_at) == (1, STATE, "planner", clock())


@pytest.mark.parametrize(
    "state", ["text", 5, 0.5, True, [], {}, [1, [2, [None]]], {"": {"\u0000": "\u0000"}}, "\U0001f600" * 5_000, 10**40]
)
async def test_any_json_is_a_state(rc: Recollect, state: Any) -> None:
    me = of(rc)
    await me.save_checkpoint(state)
    back = await me.load_checkpoint()
    assert back == state
    assert type(back) is type(state)


async def test_what_json_says_in_other_words(rc: Recollect) -> None:
    """As everywhere in Python: a tuple is a list, and a number as a key is text."""
    me = of(rc)
    await me.save_checkpoint({"pair": (1, 2), 7: "seven"})
    assert await me.load_checkpoint() == {"pair": [1, 2], "7": "seven"}


async def test_a_state_that_is_looked_at_twice_is_saved_once(rc: Recollect) -> None:
    """It is checked while the server works on it: what the first try wrote is taken back, on the same connection."""

    async def connection() -> int:
        async with rc.parts.database.application() as application:
            [row] = await (await application.execute("select pg_backend_pid() as id")).fetchall()
            return int(row.id)

    me = of(rc)
    before = await connection()
    versions = [(await me.save_checkpoint(state)).version for state in ([1], [(1, None)], {7: ()}, [3])]
    with pytest.raises(InvalidInput, match="no JSON"):
        await me.save_checkpoint([{1, 2}])
    assert versions == [1, 2, 3, 4]
    assert [saved.bytes for saved in await me.checkpoints()] == [3, 9, 11, 3]
    assert await me.load_checkpoint() == [3]
    assert await connection() == before


_DYING = """
import asyncio, os, sys
from recollect import Recollect
from recollect.checkpoints import service

async def main():
    async with Recollect.open(database_url=sys.argv[1], data_dir=sys.argv[2], embedder="fake", worker=False) as rc:
        me = rc.scope(user_id="alice", thread_id="t")
        await me.save_checkpoint("before")
        service._is_plain = lambda _: os._exit(9)
        await me.save_checkpoint("x" * 100_000)

asyncio.run(main())
"""


async def test_a_process_that_dies_before_a_state_is_checked_saves_nothing(
    open_recollect: Opener, database_url: str, tmp_path: Path
) -> None:
    """The server has the whole statement by then, and was not told to commit."""
    command = [sys.executable, "-c", _DYING, database_url, str(tmp_path)]
    ended = await asyncio.to_thread(subprocess.run, command, capture_output=True, check=False, timeout=120)
    assert ended.returncode == 9, ended
    me = of(await open_recollect())
    assert await me.load_checkpoint() == "before"
    assert (await me.save_checkpoint("after")).version == 2


async def test_a_thread_whose_states_need_a_closer_look_gets_it_at_once(
    rc: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is taken back leaves dead rows behind: once, not at every save."""
    sent, save = list[str](), store.save_state

    async def counted(database: Any, scope: Any, thread: str, *rest: Any) -> int | None:
        sent.append(thread)
        return await save(database, scope, thread, *rest)

    monkeypatch.setattr(store, "save_state", counted)
    for number in range(3):
        await of(rc, "odd").save_checkpoint((number, None))
        await of(rc, "plain").save_checkpoint([number])
    assert sent == ["odd", "odd", "plain", *("odd", "plain") * 2]
    assert await of(rc, "odd").load_checkpoint() == [2, None]


@pytest.mark.parametrize("state", [{1: "a", "1": "b"}, {"in": [{True: 1, "true": 2}]}])
async def test_keys_that_would_become_one_are_refused(rc: Recollect, state: dict[Any, Any]) -> None:
    me = rc.scope(user_id="alice", thread_id="t")
    with pytest.raises(InvalidInput, match=r"state: has two keys that are both '(1|true)' in JSON"):
        await me.save_checkpoint(state)
    assert await me.load_checkpoint() is None


async def test_a_deeply_nested_state(rc: Recollect) -> None:
    me = of(rc)
    state: Any = "end"
    for _ in range(400):
        state = [state]
    await me.save_checkpoint(state)
    assert await me.load_checkpoint() == state


@pytest.mark.parametrize(
    ("state", "problem"),
    [
        (None, "nothing"),
        ({"at": datetime(2026, 1, 1, tzinfo=UTC)}, "no JSON"),
        ({"set": {1}}, "no JSON"),
        ({"bytes": b"x"}, "no JSON"),
        ([float("nan")], "no JSON"),
        ([float("inf")], "no JSON"),
        ((None, float("nan")), "no JSON"),
        ({"id": UUID(int=1)}, "no JSON"),
        ([Mood.CALM], "no JSON"),
        ([Decimal("1.5")], "no JSON"),
        (["\ud800"], "surrogate"),
        ({(1, 2): "key"}, "no JSON"),
    ],
)
async def test_what_would_not_come_back_is_refused(rc: Recollect, state: Any, problem: str) -> None:
    me = of(rc)
    await me.save_checkpoint("before")
    with pytest.raises(InvalidInput, match=problem) as raised:
        await me.save_checkpoint(state)
    assert raised.value.field == "state"
    assert await me.load_checkpoint() == "before"


async def test_a_state_that_is_too_large(open_recollect: Opener) -> None:
    rc = await open_recollect(checkpoint_bytes=1_000)
    me = of(rc)
    await me.save_checkpoint("x" * 998)
    with pytest.raises(InvalidInput, match=r"1,001 bytes; the limit is 1,000"):
        await me.save_checkpoint("x" * 999)
    with pytest.raises(InvalidInput, match="limit"):
        await me.save_checkpoint(("é" * 500, 1))
    assert len(await me.checkpoints()) == 1


async def test_without_a_thread_there_is_no_checkpoint(rc: Recollect) -> None:
    me = of(rc, thread=None)
    for call in (me.save_checkpoint({}), me.load_checkpoint(), me.checkpoints(), me.delete_checkpoints()):
        with pytest.raises(InvalidInput, match="thread"):
            await call


async def test_versions_are_kept_and_found(rc: Recollect, clock: MovedClock) -> None:
    me = of(rc)
    for number in range(1, 6):
        clock.forward(minutes=1)
        assert (await me.save_checkpoint({"number": number})).version == number
    assert [saved.version for saved in await me.checkpoints()] == [5, 4, 3, 2, 1]
    assert [saved.version for saved in await me.checkpoints(limit=2, before=4)] == [3, 2]
    assert (await me.checkpoints(limit=1))[0].bytes == len('{"number":5}')
    assert await me.load_checkpoint(2) == {"number": 2}
    with pytest.raises(NotFound, match="9"):
        await me.load_checkpoint(9)
    for wrong in (0, -1, "1", True, 10**18):
        with pytest.raises(InvalidInput, match="version"):
            await me.load_checkpoint(wrong)  # type: ignore[arg-type]


async def test_a_version_guards_against_lost_updates(rc: Recollect) -> None:
    me = of(rc)
    await me.save_checkpoint("first", if_version=0)
    await me.save_checkpoint("second", if_version=1)
    for stale in (0, 1, 3):
        with pytest.raises(Conflict, match="if_version"):
            await me.save_checkpoint("late", if_version=stale)
    assert (await me.checkpoint()).version == 2  # type: ignore[union-attr]
    with pytest.raises(InvalidInput, match="if_version"):
        await me.save_checkpoint("x", if_version=-1)


async def test_many_save_at_once(open_recollect: Opener) -> None:
    """Each save is a version, none is lost, and of those that expect the same only one wins."""
    first, second = await open_recollect(), await open_recollect()
    saves = [of(rc).save_checkpoint({"number": number}) for number in range(20) for rc in (first, second)]
    versions = [saved.version for saved in await asyncio.gather(*saves)]
    assert sorted(versions) == list(range(1, 41))
    guarded = [of(first if number % 2 else second).save_checkpoint(number, if_version=40) for number in range(10)]
    ends = await asyncio.gather(*guarded, return_exceptions=True)
    assert sorted(type(end).__name__ for end in ends) == ["Conflict"] * 9 + ["SavedCheckpoint"]


async def test_old_versions_go_after_a_while(open_recollect: Opener) -> None:
    rc = await open_recollect(checkpoint_versions=10)
    me = of(rc)
    for number in range(1, 131):
        await me.save_checkpoint(number)
        kept = await me.checkpoints()
        assert min(number, 10) <= len(kept) <= 10 + 64
    assert [saved.version for saved in await me.checkpoints(limit=10)] == list(range(130, 120, -1))
    assert await me.load_checkpoint() == 130


async def test_threads_and_owners_are_apart(rc: Recollect) -> None:
    await of(rc).save_checkpoint("alice")
    await of(rc, user="bob").save_checkpoint("bob")
    await of(rc, "other").save_checkpoint("other")
    await rc.scope(user_id="alice", project_id="x", thread_id="t").save_checkpoint("alice in x")
    await rc.scope(user_id="bob", project_id="x", thread_id="t").save_checkpoint("bob in x")
    await rc.scope(agent_id="alice", thread_id="t").save_checkpoint("the agent alice")
    assert await of(rc).load_checkpoint() == "alice"
    assert await of(rc, agent_id="whoever").load_checkpoint() == "alice"
    assert await rc.scope(user_id="alice", project_id="x", thread_id="t").load_checkpoint() == "alice in x"
    assert await of(rc, user="carol").load_checkpoint() is None
    assert await of(rc).delete_checkpoints() == 1
    assert await of(rc).load_checkpoint() is None
    assert await of(rc, user="bob").load_checkpoint() == "bob"
    assert await of(rc, "other").load_checkpoint() == "other"
    assert (await of(rc).save_checkpoint("anew")).version == 1


async def test_a_state_survives_a_restart(open_recollect: Opener) -> None:
    await of(await open_recollect()).save_checkpoint(STATE)
    assert await of(await open_recollect()).load_checkpoint() == STATE


async def test_without_prepared_statements(open_recollect: Opener) -> None:
    """As behind a pooler that gives each transaction another connection."""
    me = of(await open_recollect(prepared_statements=False))
    await me.save_checkpoint(STATE, if_version=0)
    assert await me.load_checkpoint() == STATE


async def test_the_space_that_a_save_names_is_named_no_longer(rc: Recollect) -> None:
    """Whatever comes next on the connection sees nothing until it names a space itself."""
    await of(rc).save_checkpoint(STATE)
    async with rc.parts.database.application() as connection:
        cursor = await connection.execute("select count(*) as seen from checkpoint_state")
        assert await cursor.fetchone() == (0,)
        await of(rc, user="bob").save_checkpoint(STATE)
    assert [len(await of(rc, user=user).checkpoints()) for user in ("alice", "bob")] == [1, 1]


async def test_prepared_statements_that_the_server_forgot(rc: Recollect) -> None:
    me = of(rc)
    await me.save_checkpoint(1)
    async with rc.parts.database.application() as connection:
        await connection.execute("deallocate all")
    await me.save_checkpoint(2)
    assert await me.load_checkpoint() == 2


async def test_a_call_that_is_cut_off_leaves_a_working_pool(rc: Recollect) -> None:
    me = of(rc)
    large = {"text": "x" * 5_000_000}
    for pause in (0, 0.001, 0.005):
        saving = asyncio.create_task(me.save_checkpoint(large))
        await asyncio.sleep(pause)
        saving.cancel()
        await asyncio.gather(saving, return_exceptions=True)
    await me.save_checkpoint("after")
    assert await me.load_checkpoint() == "after"


async def test_the_database_keeps_a_state_as_readable_json(rc: Recollect) -> None:
    """So that what has to be forgotten can be found in it."""
    await of(rc).save_checkpoint(STATE)
    async with rc.parts.database.owner() as owner:
        cursor = await owner.execute("select convert_from(body, 'UTF8') from recollect.checkpoint_state")
        [(text,)] = await cursor.fetchall()
    assert json.loads(text) == STATE
    assert "café" in text


async def test_a_large_state_is_waited_for_with_one_look_at_the_socket(
    rc: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    me = of(rc)
    await me.save_checkpoint({"log": "a" * 3_000_000})
    loop, watched = asyncio.get_running_loop(), list[int]()
    watch = loop.add_reader

    def counted(socket: int, *rest: Any) -> None:
        watched.append(socket)
        watch(socket, *rest)

    monkeypatch.setattr(loop, "add_reader", counted)
    assert len((await me.load_checkpoint())["log"]) == 3_000_000
    assert len(watched) == 1
