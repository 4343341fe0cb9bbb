"""Neo4j, reached through its driver: connections, transactions, and its errors as ours."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Any, Literal, LiteralString, Protocol, TypeVar

from recollect.core.errors import RecollectError, Unavailable
from recollect.core.settings import Settings

NAME = "Neo4j"
_CONNECT = 2.0
"""Seconds for a new connection of the projector."""
_GRACE = 0.25
"""Seconds after the end of its time in which Neo4j may still say that a statement took too long."""
_WRITE = 300.0
"""Seconds that one transaction of the projector may take."""
_REST = 30.0
"""Seconds for which reads leave a Neo4j alone that did not answer."""

_TRIES = 8
"""Of something that others get in the way of."""

Rows = list[dict[str, Any]]
Answer = TypeVar("Answer")

# Its notices about labels and properties that no node has yet are no news to anybody.
logging.getLogger("neo4j").setLevel(logging.CRITICAL)


class Run(Protocol):
    """Runs a statement in a transaction."""

    async def __call__(self, statement: LiteralString, **values: Any) -> Rows:
        """Its rows."""
        ...


class TookTooLong(RecollectError):
    """A statement ran past its time, and was given up; Neo4j itself is well."""


class Refused(RecollectError):
    """Neo4j took a statement for wrong, or cannot do what it says. Its own words may hold those of a memory, and are
    left out."""

    def __init__(self, code: str) -> None:
        super().__init__(f"{NAME} refused a statement: {code}")
        self.code = code


class Raced(Unavailable):
    """Somebody else did something at that moment that did not go together with it; it may go well now."""


class Neo4j:
    """One Neo4j database, used by one process. Connections are made when they are first needed."""

    def __init__(self, settings: Settings) -> None:
        if settings.neo4j_url is None:
            raise Unavailable(NAME, "it is not configured: set neo4j_url")
        self._settings = settings
        self._driver: Any = None
        self._rests_until = 0.0
        self._is_ready = False

    @property
    def rests(self) -> bool:
        """Whether it did not answer a moment ago, so that reads had better not ask."""
        return time.monotonic() < self._rests_until

    def rest(self) -> None:
        """It did not answer: leave it alone for a while."""
        self._rests_until = time.monotonic() + _REST

    async def close(self) -> None:
        """Let go of the connections."""
        driver, self._driver = self._driver, None
        if driver is not None:
            await driver.close()

    async def ready(self, prepare: Callable[["Neo4j"], Awaitable[None]]) -> None:
        """Have constraints and indexes made before the first write of this process."""
        if not self._is_ready:
            await prepare(self)
            self._is_ready = True

    async def read(self, statement: LiteralString, **values: Any) -> Rows:
        """The rows of a statement that writes nothing."""
        limit = self._settings.neo4j_timeout
        async with self._transaction("READ", limit, limit + _GRACE) as transaction:
            return await _rows(transaction, statement, values)

    async def stream(self, statement: LiteralString, **values: Any) -> Rows:
        """The same for statements that may take long: pages of a comparison."""
        async with self._transaction("READ", _WRITE, _WRITE + _CONNECT) as transaction:
            return await _rows(transaction, statement, values)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator["Run"]:
        """A transaction: what is given runs a statement in it, and all of it holds, or nothing."""
        async with self._transaction("WRITE", _WRITE, _WRITE + _CONNECT) as transaction:

            async def run(statement: LiteralString, **values: Any) -> Rows:
                return await _rows(transaction, statement, values)

            yield run

    @asynccontextmanager
    async def _transaction(
        self, access: Literal["READ", "WRITE"], timeout: float, patience: float
    ) -> AsyncIterator[Any]:
        try:
            # Its own limit ends a statement that goes on; ours ends the wait for a Neo4j that hangs.
            async with (
                asyncio.timeout(patience),
                self._connected().session(
                    database=self._settings.neo4j_database, default_access_mode=access
                ) as session,
                await session.begin_transaction(timeout=timeout) as transaction,
            ):
                yield transaction
                await transaction.commit()
        except RecollectError:
            raise
        except TimeoutError as error:
            raise Unavailable(NAME, f"no answer within {patience:g} s") from error
        except Exception as error:
            raise _translated(error) from error

    def _connected(self) -> Any:
        if self._driver is None:
            self._driver = _connect(self._settings)
        return self._driver


async def patiently(work: Callable[[], Awaitable[Answer]]) -> Answer:
    """Do something again that somebody else got in the way of; it is to be as good as not done then."""
    for number in range(1, _TRIES):
        try:
            return await work()
        except Raced:
            await asyncio.sleep(0.1 * number)
    return await work()


def require_driver() -> None:
    """The driver is installed, or what to do about it."""
    if find_spec("neo4j") is None:
        raise Unavailable(NAME, "its driver is not installed: pip install 'recollect[neo4j]'")


def _connect(settings: Settings) -> Any:
    require_driver()
    from neo4j import AsyncGraphDatabase, NotificationMinimumSeverity
    from neo4j.exceptions import ConfigurationError

    password = settings.neo4j_password
    try:
        return AsyncGraphDatabase.driver(
            str(settings.neo4j_url),
            auth=None if password is None else (settings.neo4j_user, password.get_secret_value()),
            connection_timeout=_CONNECT,
            connection_acquisition_timeout=2 * _CONNECT,
            max_transaction_retry_time=0,
            notifications_min_severity=NotificationMinimumSeverity.OFF,
            user_agent="recollect",
        )
    except (ConfigurationError, ValueError) as error:
        raise Unavailable(NAME, f"the driver does not take neo4j_url: {_first_line(error)}") from error


async def _rows(transaction: Any, statement: LiteralString, values: Mapping[str, Any]) -> Rows:
    result = await transaction.run(statement, dict(values))
    return [record.data() async for record in result]


_RACES = ("Neo.TransientError.", "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists")
_WHY = {
    "Neo.ClientError.Security.Unauthorized": "the user or the password is wrong: set neo4j_user and neo4j_password",
    "Neo.ClientError.Security.AuthenticationRateLimit": "there were too many wrong passwords; try again later",
    "Neo.ClientError.Security.CredentialsExpired": "the password has to be changed there before it is used",
    "Neo.ClientError.Security.Forbidden": "the user may not do what is needed there",
    "Neo.ClientError.Database.DatabaseNotFound": "there is no such database: set neo4j_database",
}


def _translated(error: Exception) -> Exception:
    """What the driver raises, as one of ours; a bug of ours stays what it is."""
    from neo4j.exceptions import ClientError, Neo4jError

    code = str(getattr(error, "code", None) or "")
    if "TransactionTimedOut" in code:
        return TookTooLong(f"{NAME}: it took too long")
    if code.startswith(_RACES):
        return Raced(NAME, code)
    if isinstance(error, ClientError) and code not in _WHY and not code.startswith("Neo.ClientError.Security."):
        return Refused(code)
    if isinstance(error, Neo4jError):
        return Unavailable(NAME, _WHY.get(code, code))
    # The driver has errors that are no part of its own tree, for whoever answers there and is no Neo4j.
    if isinstance(error, OSError) or type(error).__module__.partition(".")[0] == "neo4j":
        return Unavailable(NAME, _first_line(error))
    return error


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0][:200] or type(error).__name__
