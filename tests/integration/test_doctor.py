"""The doctor finds what is broken, and calls nothing broken that is not."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from psycopg import sql

from recollect import Recollect
from recollect.db.database import Database
from recollect.flows import unlearn
from recollect.flows.doctor import Check, examine, overview
from recollect.flows.statistics import index_name
from recollect.queue import enqueue_on


async def fill(rc: Recollect) -> None:
    me = rc.scope(user_id="ines")
    chat = await me.conversation("t")
    await chat.add("user", "The bell is in the cellar.")
    await me.add_many([{"content": f"fact number {n}"} for n in range(5)])
    await rc.drain()


async def findings(rc: Recollect, model: str = "fake", **settings: Any) -> dict[str, Check]:
    given = rc.settings.model_copy(update=settings)
    return {check.name: check for check in await examine(rc.parts.database, given, model)}


async def levels(rc: Recollect, **more: Any) -> dict[str, str]:
    return {name: check.level for name, check in (await findings(rc, **more)).items() if check.level != "ok"}


async def execute(database: Database, statement: str, **names: str) -> None:
    async with database.owner() as owner:
        given = {name: sql.Identifier(value) for name, value in names.items()}
        await owner.execute(sql.SQL(statement).format(**given))


async def test_a_healthy_database_is_healthy(rc: Recollect) -> None:
    assert await levels(rc) == {}
    await fill(rc)
    assert await levels(rc) == {}


async def _role(rc: Recollect) -> str:
    async with rc.parts.database.application() as connection:
        cursor = await connection.execute("select current_user as role")
        [row] = await cursor.fetchall()
    return str(row.role)


async def test_an_application_role_with_too_many_rights(rc: Recollect) -> None:
    role = await _role(rc)
    try:
        await execute(rc.parts.database, "alter role {role} bypassrls", role=role)
        found = (await findings(rc))["application role"]
        assert found.level == "fail"
        assert "passes over row-level security" in found.finding
    finally:
        await execute(rc.parts.database, "alter role {role} nobypassrls", role=role)


@pytest.mark.local
async def test_rights_that_are_missing_or_too_many(rc: Recollect) -> None:
    role, database = await _role(rc), rc.parts.database
    await execute(database, "revoke delete on recollect.note from {role}", role=role)
    await execute(database, "grant update on recollect.installation to {role}", role=role)
    assert "installation, note" in (await findings(rc))["rights"].finding


Breakage = Callable[[Recollect], Awaitable[None]]


def sql_breakage(statement: str) -> Breakage:
    async def damage(rc: Recollect) -> None:
        await execute(rc.parts.database, statement)

    return damage


async def _lose_index(rc: Recollect) -> None:
    name = index_name("user:ines")
    await execute(rc.parts.database, f"update recollect.space_statistics set vector_index = '{name}'")


BROKEN: dict[str, tuple[Breakage, str, str]] = {
    "isolation": (sql_breakage("alter table recollect.entry disable row level security"), "fail", "entry"),
    "a policy": (sql_breakage("drop policy changing on recollect.note"), "fail", "note"),
    "one policy more": (sql_breakage("create policy everything on recollect.note using (true)"), "fail", "note"),
    "indexes": (
        sql_breakage("update pg_index set indisvalid = false where indexrelid = 'recollect.entry_text'::regclass"),
        "fail",
        "entry_text",
    ),
    "vector indexes": (_lose_index, "warn", "user:ines"),
    "statistics": (sql_breakage("update recollect.space set changes = 5000"), "warn", "user:ines"),
    "worker": (sql_breakage("update recollect.conversation set indexed_turn = 0"), "warn", "1 messages wait"),
    "search index": (
        sql_breakage("delete from recollect.entry where kind = 'statement'"),
        "fail",
        "user:ines (5)",
    ),
    "orphans": (
        sql_breakage("delete from recollect.memory where kind = 'turn'"),
        "fail",
        "entry (1), memory_use (1)",
    ),
    "jobs": (
        sql_breakage(
            "insert into recollect_queue.procrastinate_jobs (queue_name, task_name, args, status)"
            " values ('recollect', 'index_turns', '{{\"space\": \"user:ines\"}}', 'failed')"
        ),
        "warn",
        "1 failed: index_turns",
    ),
}


@pytest.mark.local
@pytest.mark.parametrize("name", BROKEN)
async def test_what_is_broken_is_found(rc: Recollect, name: str) -> None:
    await fill(rc)
    damage, level, finding = BROKEN[name]
    await damage(rc)
    check = (await findings(rc))["isolation" if "policy" in name else name]
    assert (check.level, check.hint is not None) == (level, True)
    assert finding in check.finding


async def test_what_a_job_has_yet_to_index_is_not_broken(rc: Recollect) -> None:
    """As a process that is killed in a forgetting leaves it: entries are gone, and a job is to make them anew."""
    await fill(rc)
    await execute(rc.parts.database, "delete from recollect.entry where kind = 'statement'")
    async with rc.parts.database.transaction("user:ines") as connection:
        await enqueue_on(connection, unlearn.TASK, "user:ines")
    found = (await findings(rc))["search index"]
    assert (found.level, found.hint) == ("warn", "run `recollect worker` until it is idle")
    await rc.drain()
    assert (await findings(rc))["search index"].level == "fail"  # nobody is going to


async def test_large_spaces_need_an_index(rc: Recollect) -> None:
    await fill(rc)
    await rc.worker.run_now("statistics", "user:ines")
    assert (await findings(rc, exact_limit=3))["vector indexes"].level == "warn"


async def test_another_model_and_an_unfinished_re_embedding(rc: Recollect) -> None:
    await fill(rc)
    assert (await findings(rc, model="other"))["embedder"].level == "fail"
    insert = 'insert into recollect.installation values (\'reembedding\', \'{{"name": "other", "dimensions": 3}}\')'
    await execute(rc.parts.database, insert)
    assert "unfinished" in (await findings(rc))["embedder"].finding


async def test_an_overview_counts(rc: Recollect) -> None:
    await fill(rc)
    found = await overview(rc.parts.database, rc.settings)
    assert (found.spaces, found.conversations, found.messages, found.memories, found.entries) == (1, 1, 1, 6, 6)
    assert (found.largest_spaces, found.waiting_turns, found.workers) == ({"user:ines": 6}, 0, [])
    assert found.embedder == {"name": "fake", "dimensions": 64}
    assert found.schema == found.newest_schema
