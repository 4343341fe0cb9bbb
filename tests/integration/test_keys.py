"""API keys: made once, kept as a hash, rotated, revoked, and counted."""

import hashlib
from uuid import uuid4

import psycopg
import pytest

from recollect.core.errors import Conflict, InvalidInput, NotAllowed, NotFound
from recollect.core.keys import Key, prefix_of
from recollect.core.scope import Scope
from recollect.db import migrate
from recollect.governance import admission


def stored(rc) -> list[tuple[object, ...]]:
    with psycopg.connect(rc.database_url) as owner:
        return owner.execute("select * from recollect.api_key").fetchall()


async def test_a_key_opens_for_its_scope(rc, clock) -> None:
    made = await rc.make_key("laptop", user_id="alice", agent_id="planner", team_ids=["crew"], sensitivity="high")
    assert await rc.admission.check(made.secret) == made.key
    assert made.key.scope == Scope("alice", None, "planner", None, None, ("crew",), "high")
    assert (made.key.created_at, made.key.uses, made.key.revoked_at) == (clock(), 0, None)


async def test_an_admins_key_need_not_name_anybody(rc) -> None:
    made = await rc.make_key("root", admin=True)
    assert made.key.admin
    assert made.key.scope is None


async def test_the_secret_is_nowhere(rc) -> None:
    made = await rc.make_key("laptop", user_id="alice")
    shown = repr(stored(rc)) + repr(await rc.keys()) + repr(made)
    assert made.secret not in shown
    assert made.secret.removeprefix(made.key.prefix) not in shown
    [row] = stored(rc)
    assert hashlib.sha256(made.secret.encode()).digest() in row


async def test_the_application_role_sees_no_key(rc) -> None:
    await rc.make_key("laptop", user_id="alice")
    with psycopg.connect(migrate.app_url_for(rc.database_url)) as app:
        app.execute("set local recollect.spaces = '{user:alice}'")
        assert app.execute("select count(*) from recollect.api_key").fetchone() == (0,)


@pytest.mark.parametrize("changed", [lambda s: s + "x", lambda s: s[:-1], lambda s: prefix_of(s) + "_", str.upper])
async def test_another_secret_opens_nothing(rc, changed) -> None:
    made = await rc.make_key("laptop", user_id="alice")
    with pytest.raises(NotAllowed):
        await rc.admission.check(changed(made.secret))


@pytest.mark.parametrize(
    "nonsense", ["", "_", "__", "rcl__x", "rcl_x_", "rcl_\x00_x", "rcl_0123456789_\x00", "\ud800", "Bearer", "rcl_a_b"]
)
async def test_nonsense_opens_nothing(rc, nonsense: str) -> None:
    await rc.make_key("laptop", user_id="alice")
    with pytest.raises(NotAllowed):
        await rc.admission.check(nonsense)


async def test_a_rotated_key_has_another_secret_and_stays_the_same_key(rc) -> None:
    made = await rc.make_key("laptop", user_id="alice")
    await rc.admission.check(made.secret)
    again = await rc.rotate_key(made.key.id)
    assert again.key.id == made.key.id
    assert (await rc.admission.check(again.secret)).id == made.key.id
    with pytest.raises(NotAllowed):
        await rc.admission.check(made.secret)


async def test_a_revoked_key_opens_nothing_at_once(rc, clock) -> None:
    made = await rc.make_key("laptop", user_id="alice")
    await rc.admission.check(made.secret)
    revoked = await rc.revoke_key(str(made.key.id))
    assert revoked.revoked_at == clock()
    with pytest.raises(NotAllowed, match="revoked"):
        await rc.admission.check(made.secret)
    clock.forward(days=1)
    assert (await rc.revoke_key(made.key.id)).revoked_at == revoked.revoked_at
    with pytest.raises(Conflict):
        await rc.rotate_key(made.key.id)


async def test_what_another_process_revokes_is_seen_when_the_memory_of_it_is_over(
    open_recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = await open_recollect(), await open_recollect()
    made = await here.make_key("laptop", user_id="alice")
    await here.admission.check(made.secret)
    await there.revoke_key(made.key.id)
    monkeypatch.setattr(admission, "_REMEMBERED", -1.0)
    with pytest.raises(NotAllowed, match="revoked"):
        await here.admission.check(made.secret)


async def test_uses_are_counted(open_recollect, clock) -> None:
    rc = await open_recollect()
    made = await rc.make_key("laptop", user_id="alice")
    for _ in range(3):
        clock.forward(minutes=1)
        rc.admission.count(await rc.admission.check(made.secret))
    [key] = await rc.keys()
    assert (key.uses, key.last_used_at) == (3, clock())


async def test_the_first_key_closes_the_door_for_good(rc) -> None:
    assert await rc.admission.open_to_all()
    made = await rc.make_key("laptop", user_id="alice")
    assert not await rc.admission.open_to_all()
    await rc.revoke_key(made.key.id)
    assert not await rc.admission.open_to_all()


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "user_id"),
        ({"user_id": ""}, "user_id"),
        ({"user_id": "a\x00b"}, "user_id"),
        ({"user_id": "alice", "sensitivity": "secret"}, "sensitivity"),
        ({"user_id": "alice", "team_ids": "crew"}, "team_ids"),
        ({"user_id": "alice", "admin": 1}, "admin"),
        ({"user_id": "alice", "name": " "}, "name"),
    ],
)
async def test_a_bad_key_is_refused_by_name(rc, given, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await rc.make_key(**({"name": "laptop"} | given))
    assert refused.value.field == field
    assert stored(rc) == []


async def test_a_key_that_is_not_there(rc) -> None:
    for verb in (rc.rotate_key, rc.revoke_key):
        with pytest.raises(NotFound):
            await verb(uuid4())
        with pytest.raises(InvalidInput):
            await verb("laptop")


async def test_keys_are_listed_in_order(rc, clock) -> None:
    names = ["first", "second", "third"]
    for name in names:
        await rc.make_key(name, user_id="alice")
        clock.forward(seconds=1)
    keys = await rc.keys()
    assert [key.name for key in keys] == names
    assert all(isinstance(key, Key) for key in keys)
