"""Schema upgrades: plain numbered SQL, applied by the owner, once, whoever comes first.

Ten processes may start at once: an advisory lock lets one apply what is missing while the others wait.
"""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import blake2b
from hmac import digest
from importlib.resources import files
from typing import Any

from procrastinate.schema import SchemaManager
from psycopg import ProgrammingError, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.json import Jsonb

from recollect.core.errors import InvalidInput, ModelMismatch, RecollectError
from recollect.db import cluster
from recollect.db.database import COMMON_TABLES, QUEUE_SCHEMA, SCHEMA, SEARCH_PATH, Connection

_LOCK = int.from_bytes(blake2b(b"recollect migrations", digest_size=8).digest(), "big", signed=True)
_NAME = re.compile(r"^(\d{4})_(\w+)\.sql$")
_STATEMENT = re.compile(r"(?:--[^\n]*|'[^']*'|(\$\w*\$).*?\1|[^;])+", re.DOTALL)
"""Up to a semicolon that is in no comment, text or body."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step of the schema."""

    number: int
    name: str
    statements: str

    def apart(self) -> list[str]:
        """Its statements one by one: of a message with several, a cluster hands all of them to its nodes."""
        found = (match[0].strip() for match in _STATEMENT.finditer(self.statements))
        return [statement for statement in found if statement]


def migrations() -> list[Migration]:
    """All steps that this version of Recollect knows, in order."""
    folder = files("recollect.db").joinpath("migrations")
    found = [(_NAME.match(file.name), file) for file in folder.iterdir()]
    steps = [Migration(int(m[1]), m[2], f.read_text(encoding="utf-8")) for m, f in found if m]
    return sorted(steps, key=lambda step: step.number)


def app_url_for(owner_url: str) -> str:
    """The application role's URL: its name and password follow from the owner's.

    So every process that knows the owner's URL knows the other one, and nothing has to be stored. Without a
    password to derive from, the result would be guessable: then the caller must name the role.
    """
    try:
        owner = conninfo_to_dict(owner_url)
    except ProgrammingError as error:
        raise InvalidInput("database_url", "is no URL of a PostgreSQL server") from error
    if not owner.get("password"):
        raise InvalidInput(
            "app_url", "the owner's URL has no password to derive one from: name the application role's URL"
        )
    secret = digest(str(owner["password"]).encode(), b"recollect application role", "sha256").hex()
    return make_conninfo(owner_url, user=f"{owner.get('user', 'postgres')}_app", password=secret)


async def upgrade(owner: Connection, app_url: str, *, create_role: bool) -> list[Migration]:
    """Bring the schema, the queue and the application role up to date; what was applied."""
    if await _is_current(owner):
        return []
    async with _alone(owner):
        applied = await _apply_missing(owner)
        await cluster.distribute_new(owner)
        await _install_queue(owner)
        await admit_application(owner, app_url, create_role=create_role)
        await _finish(owner)
        return applied


async def applied_number(owner: Connection) -> int:
    """The number of the newest step in this database; 0 for an empty one."""
    cursor = await owner.execute("select to_regclass(%s)", [f"{SCHEMA}.migration"])
    if (row := await cursor.fetchone()) is None or row[0] is None:
        return 0
    cursor = await owner.execute(f"select coalesce(max(number), 0) from {SCHEMA}.migration")
    row = await cursor.fetchone()
    return int(row[0]) if row else 0


async def _is_current(owner: Connection) -> bool:
    number, newest = await applied_number(owner), migrations()[-1].number
    if number > newest:
        raise RecollectError(
            f"the database has schema {number}, newer than this Recollect knows ({newest}): upgrade Recollect"
        )
    return number == newest and await _finished_number(owner) == newest


async def _finished_number(owner: Connection) -> int:
    """Up to which step schema, queue and rights are all in place: whoever sees it need not wait for anybody."""
    cursor = await owner.execute(f"select value from {SCHEMA}.installation where name = 'schema'")
    row = await cursor.fetchone()
    return int(row[0]) if row else 0


async def _finish(owner: Connection) -> None:
    await owner.execute(
        f"insert into {SCHEMA}.installation (name, value) values ('schema', %s)"
        " on conflict (name) do update set value = excluded.value",
        [Jsonb(migrations()[-1].number)],
    )


async def _apply_missing(owner: Connection) -> list[Migration]:
    await owner.execute(f"create schema if not exists {SCHEMA}")
    await owner.execute(f"set search_path = {SCHEMA}, public, pg_temp")
    await owner.execute(
        "create table if not exists migration ("
        " number integer primary key, name text not null, applied_at timestamptz not null default now())"
    )
    number = await applied_number(owner)
    missing = [step for step in migrations() if step.number > number]
    for step in missing:
        async with owner.transaction():
            await owner.execute(_IN_TURN)
            for statement in step.apart():
                await owner.execute(statement.encode())
            await owner.execute("insert into migration (number, name) values (%s, %s)", [step.number, step.name])
    await owner.execute(f"set search_path = {SEARCH_PATH}")
    return missing


async def _install_queue(owner: Connection) -> None:
    cursor = await owner.execute("select to_regclass(%s)", [f"{QUEUE_SCHEMA}.procrastinate_jobs"])
    if (row := await cursor.fetchone()) and row[0] is not None:
        return
    async with owner.transaction():
        await owner.execute(_ONLY_HERE)
        await owner.execute(f"create schema if not exists {QUEUE_SCHEMA}")
        await owner.execute(f"set local search_path = {QUEUE_SCHEMA}, public")
        await owner.execute(SchemaManager.get_schema().encode())
        await owner.execute(files("recollect.queue").joinpath("schema.sql").read_text(encoding="utf-8").encode())


async def admit_application(owner: Connection, app_url: str, *, create_role: bool) -> None:
    """Create the application role where that is ours to do, and give it what it needs and nothing more."""
    given: dict[str, Any] = conninfo_to_dict(app_url)
    name = str(given.get("user", ""))
    if create_role:
        await _create_role(owner, name, str(given["password"]))
    role = sql.Identifier(name)
    await _grant(owner, SCHEMA, role)
    async with owner.transaction():
        await owner.execute(_ONLY_HERE)
        await _grant(owner, QUEUE_SCHEMA, role)
    cursor = await owner.execute("select tablename from pg_tables where schemaname = %s", [SCHEMA])
    for (table,) in await cursor.fetchall():
        if table in COMMON_TABLES:
            await owner.execute(
                sql.SQL("revoke insert, update, delete on {} from {}").format(sql.Identifier(SCHEMA, table), role)
            )


async def admit_again(owner: Connection, app_url: str) -> None:
    """The same for a role that is there already, in turn with others: rights that many grant at once get in the way."""
    async with _alone(owner):
        await admit_application(owner, app_url, create_role=True)


async def _grant(owner: Connection, schema: str, role: sql.Identifier) -> None:
    for statement in _GRANTS:
        await owner.execute(sql.SQL(statement).format(schema=sql.Identifier(schema), role=role))


_GRANTS = (
    "grant usage on schema {schema} to {role}",
    "grant select, insert, update, delete on all tables in schema {schema} to {role}",
    "grant usage on all sequences in schema {schema} to {role}",
    "grant execute on all functions in schema {schema} to {role}",
)
# On a cluster the queue stays on the coordinator, and nothing of it is made on other nodes; elsewhere it says nothing.
_ONLY_HERE = "set local citus.enable_ddl_propagation = off"
# There, what changes rows and tables in one transaction does so shard after shard.
_IN_TURN = "set local citus.multi_shard_modify_mode = 'sequential'"


async def _create_role(owner: Connection, name: str, password: str) -> None:
    role = sql.Identifier(name)
    cursor = await owner.execute("select 1 from pg_roles where rolname = %s", [name])
    verb = "alter" if await cursor.fetchone() else "create"
    await owner.execute(
        sql.SQL("{} role {} login nosuperuser nobypassrls password {}").format(
            sql.SQL(verb), role, sql.Literal(password)
        )
    )
    cursor = await owner.execute("select current_database()")
    database = await cursor.fetchone()
    assert database is not None
    # Set for the role, not only for the session: behind a transaction-mode pooler sessions do not last.
    await owner.execute(
        sql.SQL("alter role {} in database {} set search_path = {}").format(
            role, sql.Identifier(database[0]), sql.SQL(SEARCH_PATH)
        )
    )


_UNFINISHED = {
    "reembedding": (ModelMismatch, "re-embedding unfinished: run `recollect db reembed` again"),
    "distributing": (RecollectError, "distributing unfinished: run `recollect db distribute` again"),
}


async def record_embedder(owner: Connection, name: str, dimensions: int) -> None:
    """Note the embedding model of a new database; refuse to open one that was filled by another."""
    cursor = await owner.execute(f"select name from {SCHEMA}.installation where name = any (%s)", [list(_UNFINISHED)])
    if (row := await cursor.fetchone()) is not None:
        kind, what = _UNFINISHED[row[0]]
        raise kind(what)
    wanted = {"name": name, "dimensions": dimensions}
    known = await _embedder(owner)
    if known is None:
        # One at a time: on a cluster this table is on every node, where many writers at once would block each other.
        async with _alone(owner):
            await owner.execute(
                f"insert into {SCHEMA}.installation (name, value) values ('embedder', %s) on conflict do nothing",
                [Jsonb(wanted)],
            )
        known = await _embedder(owner)
    if known != wanted:
        assert known is not None
        raise ModelMismatch(
            f"the database was filled with {known['name']} ({known['dimensions']} dimensions), "
            f"not {name} ({dimensions}): run `recollect db reembed`"
        )


async def _embedder(owner: Connection) -> dict[str, Any] | None:
    cursor = await owner.execute(f"select value from {SCHEMA}.installation where name = 'embedder'")
    row = await cursor.fetchone()
    return row[0] if row else None


@asynccontextmanager
async def _alone(owner: Connection) -> AsyncIterator[None]:
    """One process of all at a time."""
    await owner.execute("select pg_advisory_lock(%s)", [_LOCK])
    try:
        yield
    finally:
        await owner.execute("select pg_advisory_unlock(%s)", [_LOCK])
