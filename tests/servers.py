"""The servers that tests run on, each with a way to a database in which nothing is yet."""

import asyncio
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

import cluster
from recollect.db import cluster as distributing
from recollect.db import embedded, migrate
from recollect.db.database import COMMON_TABLES
from statements import StatementLog

KINDS = ("embedded", "external", "citus")

_TEMPLATE = "recollect_template"
_SHARDS = 4  # enough that two spaces mostly lie apart, few enough to empty quickly
_MANY = 1_000
_numbers = itertools.count()


class Server(Protocol):
    """A PostgreSQL that tests may use."""

    url: str

    def fresh_database(self) -> AbstractContextManager[str]:
        """The owner's URL of an empty database with the newest schema."""


class Plain:
    """One server: databases are cloned from a template."""

    def __init__(self, url: str) -> None:
        self.url = url
        with psycopg.connect(url, autocommit=True) as owner:
            owner.execute(f"create database {_TEMPLATE}")
        asyncio.run(upgrade(make_conninfo(url, dbname=_TEMPLATE)))

    @contextmanager
    def fresh_database(self) -> Iterator[str]:
        name = f"test_{next(_numbers)}"
        with psycopg.connect(self.url, autocommit=True) as owner:
            owner.execute(f"create database {name} template {_TEMPLATE} strategy file_copy")
        yield make_conninfo(self.url, dbname=name)
        with psycopg.connect(self.url, autocommit=True) as owner:
            owner.execute(f"drop database {name} with (force)")

    @contextmanager
    def copy_of(self, url: str) -> Iterator[str]:
        """The owner's URL of a database like another one, which nobody is connected to."""
        name, copied = f"copy_{next(_numbers)}", conninfo_to_dict(url)["dbname"]
        with psycopg.connect(self.url, autocommit=True) as owner:
            owner.execute(f"create database {name} template {copied} strategy file_copy")
        yield make_conninfo(self.url, dbname=name)
        with psycopg.connect(self.url, autocommit=True) as owner:
            owner.execute(f"drop database {name} with (force)")


class Spread:
    """A cluster: a distributed database cannot be cloned, so that there is one, emptied after each test."""

    def __init__(self, running: cluster.Cluster) -> None:
        self.cluster = running
        self.statements = StatementLog()
        self.url = running.make_database("recollect_tests")
        asyncio.run(upgrade(self.url, shards=_SHARDS))

    @contextmanager
    def fresh_database(self) -> Iterator[str]:
        yield self.url
        with psycopg.connect(self.url, autocommit=True) as owner:
            _end_others(owner)
            _drop_vector_indexes(owner)
            _empty(owner)
            owner.execute("delete from recollect.installation where name <> 'schema'")
            owner.execute("delete from recollect.api_key")


def _end_others(owner: psycopg.Connection) -> None:
    owner.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()"
        " and pid <> pg_backend_pid() and backend_type = 'client backend' and application_name not like 'citus%'"
    )


def _drop_vector_indexes(owner: psycopg.Connection) -> None:
    found = owner.execute(
        "select indexname from pg_indexes where schemaname = 'recollect' and indexname like 'entry\\_vectors\\_%'"
    ).fetchall()
    for (name,) in found:
        owner.execute(f"drop index if exists recollect.{name}")


def _empty(owner: psycopg.Connection) -> None:
    """Delete all rows of spaces, in one message: most tables have few or none, and truncating all of them takes ten
    times as long. Where there were many, what deleting leaves behind is cleared as well."""
    tables, many = _tables(owner, "recollect"), _tables(owner, "recollect_queue")
    emptied = owner.execute("; ".join(f"delete from {name}" for name in tables))
    for name in tables:
        if emptied.rowcount > _MANY:
            many.append(name)
        emptied.nextset()
    owner.execute(f"truncate {', '.join(many)} cascade")


def _tables(owner: psycopg.Connection, schema: str) -> list[str]:
    """The newest first: what refers to another table is younger than it."""
    rows = owner.execute(
        "select oid::regclass::text from pg_class where relkind = 'r' and relname <> all (%s)"
        " and relnamespace = %s::regnamespace order by oid desc",
        [sorted(COMMON_TABLES), schema],
    ).fetchall()
    return [name for (name,) in rows]


async def upgrade(url: str, *, shards: int = 0) -> None:
    """Bring a database to the newest schema, and spread it if `shards` says over how many."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
        await migrate.upgrade(owner, migrate.app_url_for(url), create_role=True)
        if shards:
            await distributing.distribute(owner, migrate.app_url_for(url), shards=shards)


@contextmanager
def started(kind: str) -> Iterator[Server]:
    """A server of a kind, for as long as it is needed."""
    if kind == "embedded":
        # Not under pytest's own folder: another session of the same user would close it to the server's account.
        folder = tempfile.mkdtemp(prefix="recollect-tests-", dir=cluster.in_memory())
        running = embedded.start(Path(folder))
        yield Plain(running.owner_url)
        running.release()
        shutil.rmtree(folder, ignore_errors=True)
        return
    _require_build()
    with cluster.running(workers=2 if kind == "citus" else 0) as found:
        if kind == "external":
            yield Plain(found.coordinator.url)
            return
        spread = Spread(found)
        with spread.statements.listening():
            yield spread
        if strays := spread.statements.strays():
            pytest.fail("these statements left their shard:\n" + "\n".join(strays), pytrace=False)


def _require_build() -> None:
    """Without a compiler or the sources these tests are skipped, but not where everything has to be tested."""
    try:
        cluster.build()
    except cluster.CannotBuild as error:
        if os.environ.get("CI"):
            pytest.fail(str(error), pytrace=False)
        pytest.skip(str(error))
