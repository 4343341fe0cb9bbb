"""Connections: a pool of the application role for everything, a small one of the owner for administration.

A transaction names the one space that it writes and the others that it may read, and where its reader does not see
every category those that it sees; row-level security holds it to them. What needs no answer in between goes out as a
`Batch`: one message to the server, one transaction, one round trip, and no prepared statement, so that it passes a
transaction-mode pooler too.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import wraps
from typing import Any, LiteralString, ParamSpec, TypeVar

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg.errors import DeadlockDetected, LockNotAvailable, UniqueViolation
from psycopg.pq import TransactionStatus
from psycopg.rows import namedtuple_row
from psycopg.types.json import set_json_loads
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from recollect.core.errors import Unavailable
from recollect.db import sight
from recollect.db.batch import Batch
from recollect.db.pipeline import run_pipelined, run_together
from recollect.db.prepared import Late, Prepared, on_time
from recollect.db.sharing import GivesWay, Sharing
from recollect.db.touched import Touched, gathering, touch

Connection = psycopg.AsyncConnection[Any]
Rows = list[Any]
Given = ParamSpec("Given")
Made = TypeVar("Made")

__all__ = [
    "Batch",
    "Connection",
    "Database",
    "Deadlock",
    "Late",
    "Rows",
    "Touched",
    "UniqueViolation",
    "again_after_deadlock",
    "array_literal",
    "number_array",
    "touch",
    "turn_to",
]
_MORE_TRIES = 2
_OPEN = (TransactionStatus.INERROR, TransactionStatus.INTRANS)

SCHEMA = "recollect"
QUEUE_SCHEMA = "recollect_queue"
# Tables that belong to no space; every other one has space_id and a policy.
COMMON_TABLES = frozenset({"api_key", "installation", "migration"})
SEARCH_PATH = f"{SCHEMA}, {QUEUE_SCHEMA}, public"


class Deadlock(GivesWay):
    """Two transactions waited for each other, and PostgreSQL chose this one to give way: nothing of it was written."""


def again_after_deadlock(
    work: Callable[Given, Coroutine[Any, Any, Made]],
) -> Callable[Given, Coroutine[Any, Any, Made]]:
    """Do work over, a few times, that a deadlock took back; for what writes in one transaction, its last."""

    @wraps(work)
    async def persistent(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        for _ in range(_MORE_TRIES):
            try:
                return await work(*args, **kwargs)
            except Deadlock:
                continue
        return await work(*args, **kwargs)

    return persistent


class Database:
    """The two pools of one process, and the transactions on them."""

    def __init__(
        self,
        owner_url: str,
        app_url: str,
        *,
        pool_size: int,
        prepared: bool,
        statement_timeout: float = 0,
        spread: bool = False,
    ) -> None:
        self.owner_url = owner_url
        self.app_url = app_url
        self.spread = spread
        """Whether the tables of spaces lie on a cluster."""
        self.follow: Callable[[Touched], Sequence[Batch]] | None = None
        """What a transaction sends along with its commit, given which nodes and relations it touched."""
        self._timeout = statement_timeout
        self._prepare_threshold = 5 if prepared else None
        self._prepared = Prepared(prepared)
        self._app = self._pool(app_url, pool_size, self._configure)
        self._owner = self._pool(owner_url, 2, _configure)
        self._sharing = Sharing(self)

    def _pool(
        self, url: str, size: int, configure: Callable[[Connection], Awaitable[None]]
    ) -> AsyncConnectionPool[Connection]:
        settings = {"autocommit": True, "row_factory": namedtuple_row, "prepare_threshold": self._prepare_threshold}
        return AsyncConnectionPool(
            url, min_size=0, max_size=size, open=False, timeout=30, kwargs=settings, configure=configure
        )

    async def _configure(self, connection: Connection) -> None:
        await _configure(connection)
        if self._timeout:
            await connection.execute(f"set statement_timeout = {int(self._timeout * 1000)}")

    async def open(self) -> None:
        """Make the pools ready; connections are made when they are first needed."""
        await self._app.open()
        await self._owner.open()

    async def close(self) -> None:
        """Close every connection."""
        await self._sharing.close()
        await self._app.close()
        await self._owner.close()

    async def send(self, batch: Batch) -> list[Rows]:
        """Run a batch as one transaction of the application role; the rows of each statement, in order.

        One that was parted is two transactions at the same time, each with a view of its own.
        """
        if (parts := batch.parts) is None:
            return await self._send(batch)
        one, other = await asyncio.gather(*map(self._send, parts))
        return one + other

    async def _send(self, batch: Batch) -> list[Rows]:
        named = {} if batch.names_space else _named(batch.spaces)
        named |= {name: str(value) for name, value in batch.settings.items()}
        async with self.application() as connection:
            if batch.often and not self.spread:
                return await self._prepared.run(connection, named, batch.statements, batch.meanwhile)
            settings, statements = _set_local(named), _written(connection, batch)
            if not self.spread:
                # Statements of one message are one transaction: what fails takes all of them back.
                rows = await run_together(connection, [*settings, *statements], batch.meanwhile)
                return rows[len(settings) :]
            rows = await run_pipelined(connection, ["begin", *settings, *statements, "commit"], batch.meanwhile)
            return rows[1 + len(settings) : -1]

    async def send_with_others(self, batch: Batch, holds: str) -> list[Rows]:
        """The same, in one transaction with batches of the same space that come meanwhile.

        `holds` names the row that it locks first: batches of one row are run in the order in which they came. For small
        batches, whose statements lock no other row that is locked by somebody for long.
        """
        return await self._sharing.send(batch, holds)

    async def ask(self, space: str, statement: LiteralString, /, **values: Any) -> Rows:
        """Run one statement as a transaction of the application role, its values apart from its text; its rows."""
        batch = Batch(space, often=True)
        batch.add(statement, **values)
        return (await self.send(batch))[0]

    async def call(self, space: str, statement: LiteralString, /, **values: Any) -> Rows:
        """The same of a statement that calls a function which names its space itself: nothing has to be sent before it.

        On a cluster it is named beforehand all the same: what a function sets stays on the node that runs it.
        """
        batch = Batch(space, often=True)
        batch.names_space = not self.spread
        batch.add(statement, **values)
        return (await self.send(batch))[0]

    @asynccontextmanager
    async def transaction(self, space: str, *others: str) -> AsyncIterator[Connection]:
        """A transaction of the application role that writes `space` and may read `others` too."""
        async with self.application() as connection:
            await self._run(connection, ["begin", *_naming([space, *others])])
            with gathering(connection) as touched:
                yield connection
            await self.commit(connection, self.follow(touched) if touched.ids and self.follow is not None else ())

    async def commit(self, connection: Connection, last: Sequence[Batch]) -> None:
        """Commit, after the last statements, which need no answer: all of it in one round trip."""
        statements = [each for batch in last for each in (*_naming(batch.spaces), *_written(connection, batch))]
        await self._run(connection, [*statements, "commit"])

    async def _run(self, connection: Connection, statements: Sequence[str]) -> None:
        await (run_pipelined if self.spread else run_together)(connection, statements)

    def application(self) -> AbstractAsyncContextManager[Connection]:
        """A connection of the application role in no space: it sees the queue, and nothing of a space."""
        return _Borrowed(self._app)

    @asynccontextmanager
    async def apart(self) -> AsyncIterator[Connection]:
        """A connection of the application role outside the pool, closed at the end: for listening."""
        try:
            async with await psycopg.AsyncConnection.connect(self.app_url, autocommit=True) as connection:
                await self._configure(connection)
                yield connection
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise Unavailable("PostgreSQL", _first_line(error)) from error

    def owner(self) -> AbstractAsyncContextManager[Connection]:
        """A connection of the owner: migrations, indexes, the directory of spaces."""
        return _Borrowed(self._owner)


async def _configure(connection: Connection) -> None:
    await connection.execute(f"set search_path = {SEARCH_PATH}")
    await register_vector_async(connection)
    set_json_loads(_json, connection)


async def turn_to(connection: Connection, space: str, *others: str) -> None:
    """Let the transaction write `space` from now on: each statement addresses one, a transaction may visit several."""
    for setting in _naming([space, *others]):
        await connection.execute(setting.encode())


class _Borrowed:
    """A connection of a pool, for as long as somebody works with it.

    Not the pool's own `connection()`, which asks the driver to commit: here nothing is open that was not begun by hand.
    """

    __slots__ = ("_connection", "_pool")

    def __init__(self, pool: AsyncConnectionPool[Connection]) -> None:
        self._pool = pool

    async def __aenter__(self) -> Connection:
        try:
            self._connection = await self._pool.getconn()
        except (PoolTimeout, psycopg.Error) as error:
            raise _told(error, self._pool) from error
        return self._connection

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            # A batch that failed or was cancelled half-way leaves its transaction open.
            if self._connection.pgconn.transaction_status in _OPEN:
                with suppress(psycopg.Error):  # then the pool lets go of the connection
                    await self._connection.rollback()
        finally:
            await self._pool.putconn(self._connection)
        if isinstance(error, psycopg.Error) and (told := _told(error, self._pool)) is not error:
            raise told from error


def _told(error: Exception, pool: AsyncConnectionPool[Connection]) -> Exception:
    """What a caller can do something about, in our words; anything else as it is."""
    match error:
        case PoolTimeout():
            return Unavailable("PostgreSQL", f"no connection within {pool.timeout:g} s")
        case DeadlockDetected():
            return Deadlock("PostgreSQL", "others changed the same at the same time; nothing was written: try again")
        case LockNotAvailable():
            return GivesWay("PostgreSQL", "others hold what is to be changed; nothing was written: try again")
        case psycopg.OperationalError() | psycopg.InterfaceError():
            return Unavailable("PostgreSQL", _first_line(error))
        case psycopg.InternalError() if (reason := _of_cluster(error)) is not None:
            return Unavailable("PostgreSQL", reason)
    return error


def _of_cluster(error: psycopg.InternalError) -> str | None:
    """What a coordinator says of its nodes when they are gone, or to somebody who does not know of them yet."""
    text = _first_line(error)
    if "from a query on a shard" in text:
        return "the database was spread over a cluster meanwhile: open it again"
    return text if "connection" in text else None


def _json(data: bytes | str) -> Any:
    """Most objects that are kept beside a memory are empty: no need to parse them."""
    return {} if data in (b"{}", "{}") else json.loads(data)


def _written(connection: Connection, batch: Batch) -> list[str]:
    """The statements of a batch with their values in them."""
    cursor = psycopg.AsyncClientCursor(connection)
    return [cursor.mogrify(text, on_time(values)) for text, values in batch.statements]


def _naming(spaces: Sequence[str]) -> list[str]:
    """The statements that hold a transaction to its spaces."""
    return _set_local(_named(spaces))


def _named(spaces: Sequence[str]) -> dict[str, str]:
    """What a transaction is held to; of categories nothing is said where all are seen."""
    named = {"recollect.spaces": array_literal(spaces)}
    return named if (seen := sight.seen()) is None else named | {"recollect.categories": array_literal(seen)}


def _set_local(settings: Mapping[str, str]) -> list[str]:
    """Settings of a transaction, each as a literal, not by set_config: only that reaches the workers of a cluster."""
    return [f"set local {name} = {_literal(value)}" for name, value in settings.items()]


def _literal(text: str) -> str:
    quoted = text.replace("'", "''")
    return f"'{quoted}'"


def number_array(values: Iterable[float]) -> str:
    """An array literal of numbers."""
    return "{" + ",".join(map(str, values)) + "}"


def array_literal(values: Iterable[str]) -> str:
    """An array literal of PostgreSQL."""
    plain = list(values)
    if not plain:
        return "{}"
    if "\\" in (joined := "".join(plain)) or '"' in joined:  # of ids and kinds none has
        plain = [value.replace("\\", "\\\\").replace('"', '\\"') for value in plain]
    return '{"' + '","'.join(plain) + '"}'


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0] or type(error).__name__
