"""An owner who is no superuser: what a managed PostgreSQL gives."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from recollect import Recollect
from recollect.core.errors import RecollectError
from recollect.db import cluster, migrate

_numbers = itertools.count()


@pytest.fixture
def plain_owner_url(server_url: str) -> Iterator[str]:
    """A database whose owner may create roles and nothing more; the extension was made by a superuser."""
    name, password = f"plain_{next(_numbers)}", "secret"
    with psycopg.connect(server_url, autocommit=True) as superuser:
        superuser.execute(f"create role {name} login createrole password '{password}'")
        superuser.execute(f"create database {name} owner {name}")
    with psycopg.connect(make_conninfo(server_url, dbname=name), autocommit=True) as superuser:
        superuser.execute("create extension vector schema public")
    yield make_conninfo(server_url, dbname=name, user=name, password=password)
    with psycopg.connect(server_url, autocommit=True) as superuser:
        superuser.execute(f"drop database {name} with (force)")
        superuser.execute(f"drop role if exists {name}_app")
        superuser.execute(f"drop role {name}")


@pytest.mark.local
async def test_an_owner_without_superuser_rights_suffices(plain_owner_url: str, tmp_path: Path) -> None:
    async with Recollect.open(database_url=plain_owner_url, data_dir=tmp_path, embedder="fake", worker=False) as rc:
        me = rc.scope(user_id="alice")
        await me.add("Alice likes tea.")
        await (await me.conversation("talk")).add("user", "I like cake.")
        await rc.drain()
        assert len(await me.search("tea")) >= 1
        assert (await rc.run_job("decay"))["failed"] == 0


@pytest.mark.local
async def test_such_an_owner_is_told_what_is_missing_for_a_cluster(plain_owner_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(plain_owner_url, autocommit=True) as owner:
        await migrate.upgrade(owner, migrate.app_url_for(plain_owner_url), create_role=True)
        with pytest.raises(RecollectError, match="no Citus"):
            await cluster.distribute(owner, migrate.app_url_for(plain_owner_url))
