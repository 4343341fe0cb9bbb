"""Forgetting while others write: what they write either goes too, or is refused."""

import asyncio

import pytest

import dumps
from recollect.core.errors import Conflict
from recollect.flows import barring

LOCKS = """
select exists (select from pg_locks join pg_database d on d.oid = database
                where not granted and d.datname = current_database()) as waiting
"""


@pytest.mark.parametrize("kind", ["statement", "profile", "note"])
async def test_what_is_being_written_during_a_forgetting_goes_too(mind, monkeypatch, kind):
    me = mind.scope(user_id="alice")
    boss = await me.add("Zed Quarkson is the boss.")
    chair = await me.add("The chair is red.")
    write = {
        "statement": lambda: me.add("Zed Quarkson owns a boat."),
        "profile": lambda: me.set_profile("identity", "boat", "one of Zed Quarkson"),
        "note": lambda: me.add_note(chair.id, "Zed Quarkson sat on it."),
    }[kind]
    asked, refuse = asyncio.Event(), barring.refuse_all

    async def refused_slowly(parts, connection, *given):
        """Nothing is barred yet; what is written now is committed only when the forgetting has begun."""
        await refuse(parts, connection, *given)
        asked.set()
        for _ in range(300):
            if await waiting_for_a_lock(connection):
                break
            await asyncio.sleep(0.01)

    monkeypatch.setattr(barring, "refuse_all", refused_slowly)
    writing = asyncio.create_task(write())
    await asked.wait()
    monkeypatch.setattr(barring, "refuse_all", refuse)
    receipt = await me.forget(person="Zed Quarkson")
    await writing
    assert receipt.check.ok
    assert boss.id in receipt.removed
    assert not dumps.carrying(mind.database_url, "quarkson")
    with pytest.raises(Conflict):
        await write()


async def waiting_for_a_lock(connection):
    cursor = await connection.execute(LOCKS)
    return (await cursor.fetchone()).waiting
