"""The lifecycle in SQL: the same numbers as the pure functions, and jobs that take exactly what they should."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.core.ids import new_id
from recollect.db.sql import load
from recollect.records import lifecycle
from recollect.records.lifecycle import Rules, Use

LIFECYCLE = load("recollect.records", "lifecycle.sql")
START = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)
SPACE = "user:alice"
DAY = timedelta(days=1)
TICK = timedelta(microseconds=1)


def owner(url: str) -> psycopg.Connection[Any]:
    return psycopg.connect(url, autocommit=True, options="-c search_path=recollect,public")


# The same numbers


moments = st.integers(-(10**8), 10**9).map(
    lambda seconds: START + timedelta(seconds=seconds, microseconds=seconds % 999)
)
uses = st.builds(
    Use,
    state=st.sampled_from(["candidate", "active", "core", "archived"]),
    salience=st.floats(0, 1),
    salience_at=moments,
    confidence=st.floats(0, 1),
    ttl_policy=st.sampled_from(["decay", "ephemeral", "keep_forever"]),
    access_count=st.integers(0, 30),
    recall_frequency=st.integers(0, 30),
    last_recall_interval=st.floats(0, 400),
    decay_gradient=st.floats(0.5, 3),
    last_accessed_at=st.none() | moments,
)
rule_sets = st.builds(
    Rules,
    salience_recall=st.floats(0, 0.5),
    decay_rate=st.floats(0, 0.5).map(lambda rate: round(rate, 9)),  # below that PostgreSQL would underflow
    confident=st.floats(0, 1),
    active_accesses=st.integers(1, 3),
    core_accesses=st.integers(1, 20),
)


def store_use(connection: Any, use: Use) -> UUID:
    id = uuid4()
    connection.execute(
        "insert into memory_use (space_id, memory_id, kind, state, salience, salience_at, access_count,"
        " recall_frequency, last_recall_interval, decay_gradient, last_accessed_at, importance, confidence, ttl_policy,"
        " stored_at) values (%s, %s, 'statement', %s, %s, %s, %s, %s, %s, %s, %s, 0.5, %s, %s, %s)",
        (
            SPACE,
            id,
            use.state,
            use.salience,
            use.salience_at,
            use.access_count,
            use.recall_frequency,
            use.last_recall_interval,
            use.decay_gradient,
            use.last_accessed_at,
            use.confidence,
            use.ttl_policy,
            START,
        ),
    )
    return id


def same(first: float, second: float) -> bool:
    return first == pytest.approx(second, abs=1e-9)


def check_use(connection: Any, use: Use, rules: Rules, moves: Sequence[tuple[timedelta, int]]) -> None:
    id = store_use(connection, use)
    now = START
    for move, times in moves:
        now += move
        salience = connection.execute(
            "select salience_at(%s, salience, salience_at, state, ttl_policy, confidence, recall_frequency,"
            " decay_gradient, %s, %s) from memory_use where memory_id = %s",
            (now, rules.decay_rate, rules.confident, id),
        ).fetchone()[0]
        assert same(salience, lifecycle.salience(use, now, rules))
        connection.execute(
            LIFECYCLE["recall"],
            {
                "space": SPACE,
                "ids": [id],
                "times": [times],
                "now": now,
                "rate": rules.decay_rate,
                "confident": rules.confident,
                "gain": rules.salience_recall,
                "active_accesses": rules.active_accesses,
                "core_accesses": rules.core_accesses,
            },
        )
        for _ in range(times):
            use = lifecycle.recalled(use, now, rules)
        row = connection.execute(
            "select state, salience, salience_at, access_count, recall_frequency, last_recall_interval,"
            " decay_gradient, last_accessed_at from memory_use where memory_id = %s",
            (id,),
        ).fetchone()
        assert row[0] == use.state
        assert same(row[1], use.salience)
        assert (row[2], row[7]) == (use.salience_at, use.last_accessed_at)
        assert (row[3], row[4]) == (use.access_count, use.recall_frequency)
        assert same(row[5], use.last_recall_interval)
        assert same(row[6], use.decay_gradient)


def test_sql_and_python_give_the_same_numbers(database_url):
    days = st.floats(-30, 400).map(lambda days: timedelta(days=days))
    clock_moves = st.lists(st.tuples(days, st.integers(1, 12)), min_size=1, max_size=6)
    with owner(database_url) as connection:

        @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
        @given(uses, rule_sets, clock_moves)
        def compare(use: Use, rules: Rules, moves: list[tuple[timedelta, int]]) -> None:
            check_use(connection, use, rules, moves)

        compare()


def test_half_life_relevance_is_the_same_in_sql(database_url):
    with owner(database_url) as connection:
        for days, accesses in [(0, 0), (1, 3), (30, 0), (30, 4), (31.5, 9), (400, 1)]:
            found = connection.execute(
                "select least(1, power(0.5, greatest(0, %s::double precision) / 30) + least(0.1 * %s, 0.5))",
                (days, accesses),
            ).fetchone()[0]
            assert same(float(found), lifecycle.relevance(days, accesses, 30.0))


# Jobs


async def test_messages_that_no_job_knows_of_are_caught_up_with(rc):
    me = rc.scope(user_id="alice")
    await (await me.conversation("talk")).add("user", "I like quuxberries.")
    async with rc.parts.database.application() as connection:
        await connection.execute("delete from procrastinate_jobs")
    await rc.drain()
    assert await me.search("quuxberries") == []
    assert (await rc.run_job("catch_up"))["spaces"] == 1
    await rc.drain()
    assert len(await me.search("quuxberries")) == 1
    assert (await rc.run_job("catch_up"))["spaces"] == 0


async def stored(rc, content="Something.", **use: Any) -> UUID:
    """A memory as extraction would leave it: not by hand, with whatever use is asked for."""
    kind, type = use.pop("kind", "statement"), use.pop("type", None)
    added = await rc.scope(user_id="alice").add(f"{content} {new_id().hex}")
    with owner(rc.database_url) as connection:
        connection.execute(
            "update memory set kind = %s, type = coalesce(%s, type) where id = %s", (kind, type, added.id)
        )
        connection.execute("update entry set kind = %s where memory_id = %s", (kind, added.id))
        values = {"by_hand": False, "kind": kind} | use
        columns = ", ".join(f"{name} = %({name})s" for name in values)
        connection.execute(f"update memory_use set {columns} where memory_id = %(id)s", values | {"id": added.id})
    return added.id


async def states(rc, ids: dict[str, UUID]) -> dict[str, str]:
    with owner(rc.database_url) as connection:
        rows = connection.execute("select memory_id, state from memory_use").fetchall()
    found = dict(rows)
    return {name: found.get(id, "gone") for name, id in ids.items()}


def visible(rc, id: UUID) -> bool:
    with owner(rc.database_url) as connection:
        return connection.execute("select bool_or(visible) from entry where memory_id = %s", (id,)).fetchone()[0]


async def test_decay_archives_what_has_faded_and_nothing_else(rc, clock):
    # An active insight, never recalled, loses 2 % a day: from 0.5 it falls under 0.01 after 195.6 days.
    faded, not_yet = clock.now - 196 * DAY, clock.now - 195 * DAY
    insight = {"kind": "insight", "state": "active"}
    ids = {
        "over": await stored(rc, salience_at=faded, **insight),
        "under": await stored(rc, salience_at=not_yet, **insight),
        "core": await stored(rc, kind="person", state="core", salience_at=faded),
        "pinned": await stored(rc, salience_at=faded, pinned=True, **insight),
        "kept": await stored(rc, salience_at=faded, ttl_policy="keep_forever", **insight),
        "confident candidate": await stored(rc, kind="insight", salience_at=faded, confidence=0.8),
        "doubtful candidate": await stored(rc, kind="insight", salience_at=not_yet, confidence=0.79),
        "recalled": await stored(rc, salience_at=faded, recall_frequency=1, **insight),
        "statement": await stored(rc, state="active", salience_at=faded - 900 * DAY),
        "turn": await stored(rc, kind="turn", state="active", salience_at=faded - 900 * DAY),
        "profile": await stored(rc, kind="profile", state="active", salience_at=faded - 900 * DAY),
        "deleted": await stored(rc, kind="insight", state="soft_deleted", salience_at=faded),
    }
    before = await states(rc, ids)
    assert (await rc.run_job("decay"))["archived"] == 3
    after = await states(rc, ids)
    assert {name for name in ids if before[name] != after[name]} == {"over", "core", "doubtful candidate"}
    assert {after[name] for name in ("over", "core", "doubtful candidate")} == {"archived"}
    assert not visible(rc, ids["over"])
    assert visible(rc, ids["under"])
    assert (await rc.run_job("decay")).get("archived", 0) == 0
    history = await rc.scope(user_id="alice").history(ids["over"])
    assert [(entry.event, entry.reason) for entry in history][-1] == ("TTL", "decay")


async def test_a_run_of_decay_changes_no_salience(rc, clock):
    """Half as sure, it loses 4 % a day: from 0.5 it falls under 0.01 within 98 days."""
    await rc.scope(user_id="alice").add("Calm under pressure.", kind="insight", confidence=0.5)
    me = rc.scope(user_id="alice")
    for days, state in ((97, "candidate"), (1, "archived"), (30, "archived")):
        clock.forward(days=days)
        [before] = await me.get_all(include=["archived"])
        for _ in range(2):
            await rc.run_job("decay")
        [after] = await me.get_all(include=["archived"])
        assert after.state == state
        assert after.salience == pytest.approx(before.salience, abs=1e-12)


async def test_short_lived_memories_end_on_time(rc, clock):
    now = clock.now
    ids = {
        "semantic over": await stored(rc, ttl_policy="ephemeral", stored_at=now - 90 * DAY),
        "semantic under": await stored(rc, ttl_policy="ephemeral", stored_at=now - 90 * DAY + TICK),
        "episodic over": await stored(rc, kind="episode", ttl_policy="ephemeral", stored_at=now - 30 * DAY),
        "episodic under": await stored(rc, kind="episode", ttl_policy="ephemeral", stored_at=now - 30 * DAY + TICK),
        "by hand": await stored(rc, ttl_policy="ephemeral", stored_at=now - 90 * DAY, by_hand=True),
        "pinned": await stored(rc, ttl_policy="ephemeral", stored_at=now - 90 * DAY, pinned=True),
    }
    assert (await rc.run_job("decay"))["archived"] == 3
    after = await states(rc, ids)
    assert {name for name, state in after.items() if state == "archived"} == {
        "semantic over",
        "episodic over",
        "by hand",
    }
    [*_, last] = await rc.scope(user_id="alice").history(ids["semantic over"])
    assert (last.event, last.reason) == ("TTL", "time to live")


async def test_relations_fade_like_memories(rc, clock):
    me = rc.scope(user_id="alice")
    await me.add("Alice prefers green tea in the morning.")
    await me.add("Alice prefers green tea in the evening.")
    with owner(rc.database_url) as connection:
        connection.execute(
            "update memory_use set state = 'active', salience_at = %s where kind = 'relation'", (clock.now - 196 * DAY,)
        )
    assert (await rc.run_job("decay"))["archived"] == 1


async def test_consolidation_archives_old_things_of_little_weight(rc, clock):
    now = clock.now
    milestone = {"kind": "episode", "type": "breakthrough"}
    # After 30 days relevance is 0.5: with importance 0.6 the product is 0.3, which is not below it.
    ids = {
        "over": await stored(rc, stored_at=now - 30 * DAY, importance=0.59, **milestone),
        "at the edge": await stored(rc, stored_at=now - 30 * DAY, importance=0.6, **milestone),
        "too young": await stored(rc, stored_at=now - 30 * DAY + TICK, importance=0.1, **milestone),
        "used": await stored(rc, stored_at=now - 30 * DAY, importance=0.59, access_count=1, **milestone),
        "a summary": await stored(rc, kind="episode", stored_at=now - 300 * DAY, importance=0.1),
        "pending": await stored(rc, pending=True, stored_at=now - 40 * DAY, importance=0.4),
        "a statement": await stored(rc, stored_at=now - 300 * DAY, importance=0.1),
        "pinned": await stored(rc, stored_at=now - 300 * DAY, importance=0.1, pinned=True, **milestone),
        "by hand": await stored(rc, stored_at=now - 300 * DAY, importance=0.1, by_hand=True, **milestone),
        "kept": await stored(rc, stored_at=now - 300 * DAY, importance=0.1, ttl_policy="keep_forever", **milestone),
    }
    with owner(rc.database_url) as connection:
        connection.execute("update memory set type = null where id = %s", (ids["a summary"],))
    assert (await rc.run_job("consolidation"))["archived"] == 2
    after = await states(rc, ids)
    assert {name for name, state in after.items() if state == "archived"} == {"over", "pending"}
    assert (await rc.run_job("consolidation")).get("archived", 0) == 0
    [memory] = [m for m in await rc.scope(user_id="alice").get_all(include=["archived"]) if m.id == ids["over"]]
    assert memory.valid_until is None


async def test_a_setting_widens_consolidation_to_every_statement(open_recollect, clock):
    rc = await open_recollect(consolidation_all=True)
    ids = {
        "a statement": await stored(rc, stored_at=clock.now - 300 * DAY, importance=0.1),
        "by hand": await stored(rc, stored_at=clock.now - 300 * DAY, importance=0.1, by_hand=True),
    }
    await rc.run_job("consolidation")
    assert await states(rc, ids) == {"a statement": "archived", "by hand": "candidate"}


async def test_forgetting_takes_what_nobody_asked_for(rc, clock):
    now, old = clock.now, clock.now - 60 * DAY
    ids = {
        "over": await stored(rc, importance=0.39, stored_at=old),
        "important": await stored(rc, importance=0.4, stored_at=old),
        "too young": await stored(rc, importance=0.1, stored_at=old + TICK),
        "asked for": await stored(rc, importance=0.1, stored_at=old, last_accessed_at=old + TICK),
        "asked for long ago": await stored(rc, importance=0.1, stored_at=old - DAY, last_accessed_at=old),
        "pinned": await stored(rc, importance=0.1, stored_at=old, pinned=True),
        "by hand": await stored(rc, importance=0.1, stored_at=old, by_hand=True),
        "kept": await stored(rc, importance=0.1, stored_at=old, ttl_policy="keep_forever"),
        "archived": await stored(rc, importance=0.1, stored_at=old, state="archived"),
    }
    for kind in ("turn", "source", "chunk", "profile", "person", "concept", "entity"):
        ids[kind] = await stored(rc, kind=kind, importance=0.1, stored_at=old)
    me = rc.scope(user_id="alice")
    assert (await rc.run_job("forgetting"))["soft_deleted"] == 3
    after = await states(rc, ids)
    assert {name for name, state in after.items() if state == "soft_deleted"} == {
        "over",
        "asked for long ago",
        "archived",
    }
    memory = await me.get(ids["over"])
    assert memory.purge_at == now + 30 * DAY
    [*_, last] = await me.history(ids["over"])
    assert (last.event, last.actor, last.reason) == ("DELETE", "recollect", "forgetting")
    assert (await rc.run_job("forgetting")).get("soft_deleted", 0) == 0
    with owner(rc.database_url) as connection:
        events = connection.execute("select event from change_log where memory_id = %s order by 1", (ids["over"],))
        assert events.fetchall() == [("created",), ("soft_deleted",)]
    # What a person brings back is not taken again.
    assert (await me.restore(ids["over"])).state == "candidate"
    assert (await me.restore(ids["archived"])).state == "archived"
    assert (await rc.run_job("forgetting")).get("soft_deleted", 0) == 0


async def test_purge_takes_what_is_past_its_date(rc, clock):
    me = rc.scope(user_id="alice")
    first, second, third = await me.add_many([{"content": f"Number {n}."} for n in range(3)])
    await me.delete(first.id)
    await me.delete(third.id)
    clock.forward(seconds=1)
    await me.delete(second.id)
    await me.restore(third.id)
    clock.forward(days=30, seconds=-1)
    assert (await rc.run_job("purge"))["purged"] == 1
    ids = {"first": first.id, "second": second.id, "third": third.id}
    assert await states(rc, ids) == {"first": "gone", "second": "soft_deleted", "third": "candidate"}
    assert (await rc.run_job("purge")).get("purged", 0) == 0
    clock.forward(seconds=1)
    assert (await rc.run_job("purge"))["purged"] == 1


async def test_notes_change_log_and_events_end_on_time(rc, clock):
    me = rc.scope(user_id="alice")
    added = await me.add("Something.")
    note = (
        "insert into note (space_id, id, target_id, content, expires_at, created_at) values (%s, %s, %s, 'x', %s, %s)"
    )
    with owner(rc.database_url) as connection:
        for expires in (clock.now, clock.now + TICK, None):
            connection.execute(note, (SPACE, uuid4(), added.id, expires, clock.now))
    assert (await rc.run_job("note_cleanup"))["removed"] == 1
    clock.forward(days=30)
    assert (await rc.run_job("retention")).get("removed", 0) == 0
    clock.forward(seconds=1)
    assert (await rc.run_job("retention"))["removed"] == 1  # the event of the writing
    clock.forward(days=60)
    assert (await rc.run_job("retention"))["removed"] == 1  # its line in the change log
    assert (await rc.run_job("retention")).get("removed", 0) == 0
    assert [line.event for line in await me.history(added.id)] == ["ADD", "TTL"]


async def test_a_job_visits_only_spaces_with_something_due(rc, clock):
    for user in ("bob", "carol"):
        await rc.scope(user_id=user).add("Something.")
    await stored(rc, importance=0.1, stored_at=clock.now - 61 * DAY)
    seen = []
    counts = await rc.run_job("forgetting", progress=lambda done, total: seen.append((done, total)))
    assert (counts["seen"], counts["failed"], seen) == (1, 0, [(1, 1)])


async def test_archiving_takes_no_rank_from_what_stays(rc, clock):
    """A space whose archived rows went out of sight still answers, and statistics follow."""
    await asyncio.gather(
        *(stored(rc, f"Tea {n}.", kind="insight", state="active", salience_at=clock.now - 400 * DAY) for n in range(3))
    )
    kept = await rc.scope(user_id="alice").add("Tea with lemon.")
    await rc.run_job("decay")
    await rc.drain()
    assert [hit.memory.id for hit in await rc.scope(user_id="alice").search("tea")] == [kept.id]
    with owner(rc.database_url) as connection:
        assert connection.execute("select entries, kinds from space_statistics").fetchone() == (1, {"statement": 1})
