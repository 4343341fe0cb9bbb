"""The memory doctor: each kind of trouble is planted, and found; a healthy memory has none."""

import psycopg
import pytest

from recollect.understanding.fence import fenced
from seeding import Garden


@pytest.fixture
async def local(open_recollect):
    return await open_recollect(embedder="recollect-recall-v2")


def execute(rc, query, *values):
    with psycopg.connect(rc.database_url, autocommit=True, options="-c search_path=recollect,public") as owner:
        owner.execute(query, values)


async def found(me):
    audit = await me.audit()
    return {check.name: check for check in audit.checks}


async def test_a_healthy_memory_is_clean(local):
    me = local.scope(user_id="alice")
    await me.add("Alice likes tea.", type="preference")
    await me.add("Alice has two sons.")
    audit = await me.audit()
    assert audit.clean
    assert [check.name for check in audit.checks] == [
        "duplicates", "contradictions", "stale", "orphans", "secrets", "recall loops", "format", "spend",
    ]  # fmt: skip


async def test_what_is_said_twice_and_what_contradicts(local):
    me = local.scope(user_id="alice")
    same = [
        (await me.add(text, type="preference")).id
        for text in ("Alice prefers tea to coffee.", "Alice prefers tea over coffee.")
    ]
    against = [(await me.add(text)).id for text in ("Alice is allergic to nuts.", "Alice is not allergic to nuts.")]
    checks = await found(me)
    assert [set(case.ids) for case in checks["duplicates"].cases] == [set(same)]
    assert [set(case.ids) for case in checks["contradictions"].cases] == [set(against)]
    await local.run_job("daily_consolidation")
    assert (await found(me))["duplicates"].level == "ok"


async def test_what_is_stale(rc, clock):
    garden = Garden(rc)
    me = rc.scope(user_id="alice")
    node = await garden.node("Sarah Chen")
    await garden.behind([node], "person")
    pending = await garden.memory("statement", "Alice may move.", type="fact", pending=True)
    clock.forward(days=29)
    assert {id for case in (await found(me))["stale"].cases for id in case.ids} == {node}
    clock.forward(days=2)
    assert {id for case in (await found(me))["stale"].cases for id in case.ids} == {node, pending}


async def test_what_nothing_speaks_for(mind):
    me = mind.scope(user_id="alice")
    chat = await me.conversation("chat-1")
    said = await chat.add("user", "We decided to use PostgreSQL for billing.")
    await mind.drain()
    assert (await found(me))["orphans"].level == "ok"
    execute(mind, "update message set retracted_at = now() where id = %s", said.id)
    cases = (await found(me))["orphans"].cases
    assert "PostgreSQL" in cases[0].text


async def test_secrets_and_loops_are_found_and_not_told(rc):
    garden = Garden(rc)
    secret = await garden.memory("statement", "The key is sk-abcdefghijklmnop1234567890ABCDEF.", type="fact")
    loop = await garden.memory("statement", fenced("Alice likes tea."), type="fact")
    checks = await found(rc.scope(user_id="alice"))
    assert (checks["secrets"].level, checks["secrets"].cases[0].ids) == ("fail", (secret,))
    assert "sk-abcdef" not in checks["secrets"].cases[0].text
    assert (checks["recall loops"].level, checks["recall loops"].cases[0].ids) == ("fail", (loop,))


async def test_how_many_drafts_keep_to_the_rules(rc):
    me = rc.scope(user_id="alice")
    await me.add("Alice likes tea.")
    detail = '{"written": 20, "rejected": {"pronoun": 2}}'
    execute(
        rc,
        "insert into event (space_id, id, at, node, op, status, detail)"
        " values ('user:alice', gen_random_uuid(), %s, 'worker', 'extract', 'ok', %s)",
        rc.parts.clock(),
        detail,
    )
    check = (await found(me))["format"]
    assert (check.level, check.found, check.finding) == ("warn", 2, "90% of 20 drafts kept to the writing rules")


async def test_a_space_sees_its_own_troubles_alone(rc):
    await Garden(rc).memory("statement", "The key is sk-abcdefghijklmnop1234567890ABCDEF.", type="fact")
    assert (await rc.scope(user_id="bob").audit()).clean


def test_at_the_terminal(run, answer):
    run("add", "Alice likes tea.")
    assert "duplicates" in run("audit").stdout
    run("add", "The key is sk-abcdefghijklmnop1234567890ABCDEF.")
    shown = run("audit", ok=1).stdout
    assert "fail secrets" in shown
    assert "recollect forget" in shown
    assert [check["level"] for check in answer("audit", ok=1)["checks"]].count("fail") == 1
