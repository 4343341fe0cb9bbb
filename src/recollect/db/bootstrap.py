"""From settings to an open database: the embedded server or the one that is named, at the newest schema."""

import asyncio
from dataclasses import dataclass

import psycopg

from recollect.core.errors import Unavailable
from recollect.core.settings import Settings
from recollect.db import cluster, embedded, migrate
from recollect.db.database import Database


@dataclass(frozen=True, slots=True)
class Opened:
    """An open database, and the embedded server that it runs on, if it does."""

    database: Database
    server: embedded.EmbeddedServer | None
    applied: tuple[migrate.Migration, ...] = ()
    """The steps of the schema that opening it has brought."""

    async def close(self) -> None:
        """Close the pools, and let go of the server: the last one to leave stops it."""
        await self.database.close()
        if self.server is not None:
            await asyncio.to_thread(self.server.release)


async def open_database(settings: Settings) -> Opened:
    """Start or reach the server, bring the schema up to date, and open the pools."""
    server = None
    if settings.database_url is None:
        server = await asyncio.to_thread(embedded.start, settings.data_dir)
    owner_url = server.owner_url if server else _plain(settings)
    try:
        app_url = settings.app_url.get_secret_value() if settings.app_url else migrate.app_url_for(owner_url)
        applied, spread = await _upgrade(owner_url, app_url, create_role=settings.app_url is None)
        database = Database(
            owner_url,
            app_url,
            pool_size=settings.pool_size,
            prepared=settings.prepared_statements,
            statement_timeout=settings.statement_timeout,
            spread=spread,
        )
        await database.open()
    except BaseException:
        if server is not None:
            await asyncio.to_thread(server.release)
        raise
    return Opened(database, server, tuple(applied))


def _plain(settings: Settings) -> str:
    assert settings.database_url is not None
    return settings.database_url.get_secret_value()


async def _upgrade(owner_url: str, app_url: str, *, create_role: bool) -> tuple[list[migrate.Migration], bool]:
    """What was applied, and whether the database is spread over a cluster."""
    try:
        async with await psycopg.AsyncConnection.connect(owner_url, autocommit=True) as owner:
            applied = await migrate.upgrade(owner, app_url, create_role=create_role)
            if create_role and await _is_refused(app_url):
                await migrate.admit_again(owner, app_url)
            return applied, await cluster.is_distributed(owner)
    except psycopg.OperationalError as error:
        raise Unavailable("PostgreSQL", str(error).strip().split("\n", 1)[0]) from error


async def _is_refused(app_url: str) -> bool:
    """Whether the role is missing, or its password follows from an owner's password that has changed."""
    try:
        async with await psycopg.AsyncConnection.connect(app_url):
            return False
    except psycopg.OperationalError as error:
        if "authentication failed" in str(error) or "does not exist" in str(error):
            return True
        raise
