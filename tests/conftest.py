"""One real PostgreSQL for a test process, which `--server` chooses; a fresh database for each test."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import servers
from bolt import wipe
from commands import answer, run
from recollect import Recollect
from recollect.db import migrate
from recollect.db.database import Database
from recollect.graph.projection import server as neo4j_servers

__all__ = ["answer", "run"]

# How long an example takes says something of the machine alone.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--server",
        choices=servers.KINDS,
        default="embedded",
        help="the PostgreSQL to test on: the embedded one, a plain one of the oldest version, or a Citus cluster",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kind = config.getoption("--server")
    for item in items:
        if kind != "embedded" and item.get_closest_marker("embedded"):
            item.add_marker(pytest.mark.skip(reason="about the embedded server"))
        if kind == "citus" and item.get_closest_marker("once"):
            item.add_marker(pytest.mark.skip(reason="the same on every server"))
        if kind == "citus" and item.get_closest_marker("local"):
            item.add_marker(pytest.mark.skip(reason="about a database on one server"))
        if kind != "citus" and item.get_closest_marker("citus"):
            item.add_marker(pytest.mark.skip(reason="needs --server citus"))


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> Iterator[servers.Server]:
    """The PostgreSQL of this test process."""
    with servers.started(request.config.getoption("--server")) as started:
        yield started


@pytest.fixture(scope="session")
def server_url(server: servers.Server) -> str:
    """The owner's URL of the server."""
    return server.url


@pytest.fixture
def database_url(server: servers.Server) -> Iterator[str]:
    """The owner's URL of a database in which nothing is yet."""
    with server.fresh_database() as url:
        yield url


@pytest.fixture
async def database(server: servers.Server, database_url: str) -> AsyncIterator[Database]:
    """A fresh database, open as both roles."""
    app_url = migrate.app_url_for(database_url)
    opened = Database(database_url, app_url, pool_size=10, prepared=True, spread=isinstance(server, servers.Spread))
    await opened.open()
    yield opened
    await opened.close()


Opener = Callable[..., Awaitable[Recollect]]


@pytest.fixture
async def open_recollect(database_url: str, tmp_path: Path, clock: MovedClock) -> AsyncIterator[Opener]:
    """Open Recollect on the test's database, as often as wanted; with the fake embedder, and learning nothing from
    what is said, unless told otherwise."""
    async with AsyncExitStack() as stack:

        async def open(**settings: Any) -> Recollect:
            given = {
                "database_url": database_url,
                "data_dir": tmp_path,
                "clock": clock,
                "worker": False,
                "embedder": "fake",
                "understand": False,
            }
            return await stack.enter_async_context(Recollect.open(**(given | settings)))

        yield open


@pytest.fixture
async def rc(open_recollect: Opener) -> Recollect:
    """An open Recollect: fake embedder, moved clock, no worker (call `drain`), nothing learned from what is said."""
    return await open_recollect()


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[neo4j_servers.DevServer]:
    """A real Neo4j, for as long as this test process needs it; skipped without Java or Maven, but not in CI."""
    try:
        started = neo4j_servers.start(tmp_path_factory.mktemp("neo4j"), brief=True)
    except neo4j_servers.CannotRun as error:
        if os.environ.get("CI"):
            pytest.fail(str(error), pytrace=False)
        pytest.skip(str(error))
    yield started
    started.stop()


@pytest.fixture
def neo4j(neo4j_server: neo4j_servers.DevServer) -> dict[str, Any]:
    """The settings of a Neo4j in which nothing is."""
    wipe(neo4j_server)
    return dict(neo4j_server.settings)


@pytest.fixture
async def mind(open_recollect: Opener) -> Recollect:
    """The same, but it learns from what is said."""
    return await open_recollect(understand=True)
