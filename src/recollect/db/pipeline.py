"""Several commands in one round trip: as one message, or each as a message of its own.

One message, in the simple protocol, is the quickest. It does not do on a cluster: Citus carries a `set local` to its
nodes together with the whole message that it came in. libpq's pipeline keeps the commands apart and still costs one
round trip. The driver's own ways take several turns of the event loop for each command, and as long as a search does.
"""

import asyncio
from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

import psycopg
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn, PGresult

_CANCEL_TIMEOUT = 5.0
_FAILED = (ExecStatus.FATAL_ERROR, ExecStatus.PIPELINE_ABORTED)

Meanwhile = Callable[[], object]
"""What the sender has to do anyway, done while the server works."""


def nothing() -> None:
    """Wait, and do nothing else."""


async def run_together(
    connection: psycopg.AsyncConnection[Any], statements: Sequence[str], meanwhile: Meanwhile = nothing
) -> list[list[Any]]:
    """Run statements as one message and hence one transaction; the rows of each."""
    pgconn = connection.pgconn
    try:
        pgconn.send_query(";\n".join(statements).encode())
        await _flush(pgconn)
        meanwhile()
        results = await _until(pgconn, _is_end_of_message)
    except BaseException:
        await _leave(connection)
        raise
    return _rows_of(connection, results, range(len(results)))


async def run_pipelined(
    connection: psycopg.AsyncConnection[Any], commands: Sequence[str], meanwhile: Meanwhile = nothing
) -> list[list[Any]]:
    """Run commands one after the other; the rows of each. What follows a command that failed is not run."""

    def queue(pgconn: PGconn) -> Iterable[int]:
        for command in commands:
            pgconn.send_query_params(command.encode(), None)
        return range(len(commands))

    return await run_commands(connection, queue, meanwhile)


async def run_commands(
    connection: psycopg.AsyncConnection[Any],
    queue: Callable[[PGconn], Iterable[int]],
    meanwhile: Meanwhile = nothing,
) -> list[list[Any]]:
    """Run what `queue` hands to a pipeline, and wait once; the rows of those commands whose places it gives back.

    What `queue` raises takes back what it handed over before.
    """
    pgconn = connection.pgconn
    wanted: Iterable[int] = ()
    refused: Exception | None = None
    try:
        pgconn.enter_pipeline_mode()
        try:
            wanted = queue(pgconn)
        except Exception as error:
            refused = error
            pgconn.send_query_params(b"rollback", None)
        pgconn.pipeline_sync()
        await _flush(pgconn)
        meanwhile()
        results = await _until(pgconn, _is_sync)
        pgconn.exit_pipeline_mode()
    except BaseException:
        await _leave(connection)
        raise
    if refused is not None:
        raise refused
    return _rows_of(connection, results, wanted)


async def _leave(connection: psycopg.AsyncConnection[Any]) -> None:
    """Cut off in the middle, nobody could tell later whose answers come: the server is told to stop, and left."""
    with suppress(psycopg.Error):
        await connection.cancel_safe(timeout=_CANCEL_TIMEOUT)
    await connection.close()


async def _flush(pgconn: PGconn) -> None:
    if not pgconn.flush():
        return
    loop = asyncio.get_running_loop()
    sent: asyncio.Future[None] = loop.create_future()

    def write() -> bool:
        # The server may wait for us to read before it reads on.
        pgconn.consume_input()
        return not pgconn.flush()

    loop.add_writer(pgconn.socket, _once, sent, write)
    try:
        await sent
    finally:
        loop.remove_writer(pgconn.socket)


async def _until(pgconn: PGconn, ends: Callable[[PGresult | None], bool]) -> list[PGresult]:
    """The result of each command, up to what ends them."""
    results: list[PGresult] = []

    def gather() -> bool:
        while not pgconn.is_busy():
            result = pgconn.get_result()
            if ends(result):
                return True
            if result is not None:  # nothing comes between two commands of a pipeline
                results.append(result)
        return False

    def read() -> bool:
        pgconn.consume_input()
        return gather()

    if gather():
        return results
    loop = asyncio.get_running_loop()
    whole: asyncio.Future[None] = loop.create_future()
    # The server sends 8 KB at a time: pieces are taken as they come, and who waits is woken by the last one alone.
    loop.add_reader(pgconn.socket, _once, whole, read)
    try:
        await whole
    finally:
        loop.remove_reader(pgconn.socket)
    return results


def _once(done: asyncio.Future[None], step: Callable[[], bool]) -> None:
    """Take a step when the socket is ready, and tell who waits when it was the last one."""
    if done.done():
        return
    try:
        if step():
            done.set_result(None)
    except Exception as error:
        done.set_exception(error)


def _is_end_of_message(result: PGresult | None) -> bool:
    return result is None


def _is_sync(result: PGresult | None) -> bool:
    return result is not None and result.status == ExecStatus.PIPELINE_SYNC


def _rows_of(
    connection: psycopg.AsyncConnection[Any], results: Sequence[PGresult], wanted: Iterable[int]
) -> list[list[Any]]:
    for result in results:
        if result.status in _FAILED:
            raise error_from_result(result, encoding="utf-8")
    transformer: Any = Transformer(connection)
    return [_rows(transformer, result) for result in map(results.__getitem__, wanted)]


def _rows(transformer: Any, result: PGresult) -> list[Any]:
    if result.status != ExecStatus.TUPLES_OK:
        return []
    transformer.set_pgresult(result)
    names = tuple([result.fname(place) for place in range(result.nfields)])
    rows: list[Any] = transformer.load_rows(0, result.ntuples, _row_of(names))
    return rows


@lru_cache(1_000)
def _row_of(names: tuple[bytes | None, ...]) -> Any:
    """What makes a named row of a tuple; without a turn through Python for each, as the class's `_make` takes."""
    return partial(tuple.__new__, namedtuple("Row", [(name or b"").decode() for name in names], rename=True))
