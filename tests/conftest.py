"""One real PostgreSQL for a test process; a fresh database for each test, cloned from a template."""

import asyncio
import itertools
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from recollect import Recollect
from recollect.db import embedded, migrate
from recollect.db.database import Database

_TEMPLATE = "recollect_template"
_numbers = itertools.count()


class MovedClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime | None = None) -> None:
        self.now = now or datetime(2026, 3, 18, 9, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **amount: float) -> None:
        self.now += timedelta(**amount)


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """The owner's URL of a server whose template database has the newest schema."""
    # Not under pytest's own folder: another session of the same user would close it to the server's account.
    folder = tempfile.mkdtemp(prefix="recollect-tests-")
    server = embedded.start(Path(folder))
    with psycopg.connect(server.owner_url, autocommit=True) as owner:
        owner.execute(f"create database {_TEMPLATE}")
    asyncio.run(_upgrade(make_conninfo(server.owner_url, dbname=_TEMPLATE)))
    yield server.owner_url
    server.release()
    shutil.rmtree(folder, ignore_errors=True)


async def _upgrade(url: str) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
        await migrate.upgrade(owner, migrate.app_url_for(url), create_role=True)


@pytest.fixture
def database_url(server_url: str) -> Iterator[str]:
    """The owner's URL of a fresh database."""
    name = f"test_{next(_numbers)}"
    with psycopg.connect(server_url, autocommit=True) as owner:
        owner.execute(f"create database {name} template {_TEMPLATE}")
    yield make_conninfo(server_url, dbname=name)
    with psycopg.connect(server_url, autocommit=True) as owner:
        owner.execute(f"drop database {name} with (force)")


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """A fresh database, open as both roles."""
    opened = Database(database_url, migrate.app_url_for(database_url), pool_size=10, prepared=True)
    await opened.open()
    yield opened
    await opened.close()


Opener = Callable[..., Awaitable[Recollect]]


@pytest.fixture
async def open_recollect(database_url: str, tmp_path: Path, clock: MovedClock) -> AsyncIterator[Opener]:
    """Open Recollect on the test's database, as often as wanted; with the fake embedder unless told otherwise."""
    async with AsyncExitStack() as stack:

        async def open(**settings: Any) -> Recollect:
            given = {
                "database_url": database_url,
                "data_dir": tmp_path,
                "clock": clock,
                "worker": False,
                "embedder": "fake",
            }
            return await stack.enter_async_context(Recollect.open(**(given | settings)))

        yield open


@pytest.fixture
async def rc(open_recollect: Opener) -> Recollect:
    """An open Recollect: fake embedder, moved clock, no worker (call `drain`)."""
    return await open_recollect()
