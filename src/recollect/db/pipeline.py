"""Several commands in one go, each a message of its own.

The simple protocol, which sends several statements as one message, does not do on a cluster: Citus carries a
`set local` to its nodes together with the whole message that it came in. libpq's pipeline keeps the commands
apart and still costs one round trip; the driver's own pipeline would take several turns of the event loop for each.
"""

import asyncio
from collections import namedtuple
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import psycopg
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn, PGresult

_FAILED = (ExecStatus.FATAL_ERROR, ExecStatus.PIPELINE_ABORTED)


async def run_pipelined(connection: psycopg.AsyncConnection[Any], commands: Sequence[str]) -> list[list[Any]]:
    """Run commands one after the other; the rows of each. What follows a command that failed is not run."""
    pgconn = connection.pgconn
    try:
        pgconn.enter_pipeline_mode()
        for command in commands:
            pgconn.send_query_params(command.encode(), None)
        pgconn.pipeline_sync()
        await _flush(pgconn)
        results = await _results(pgconn)
        pgconn.exit_pipeline_mode()
    except BaseException:
        # Cut off in the middle: nobody could tell later whose answers come.
        await connection.close()
        raise
    for result in results:
        if result.status in _FAILED:
            raise error_from_result(result, encoding="utf-8")
    return [_rows(connection, result) for result in results]


async def _flush(pgconn: PGconn) -> None:
    loop = asyncio.get_running_loop()
    while pgconn.flush():
        await _ready(loop.add_writer, loop.remove_writer, pgconn.socket)
        # The server may wait for us to read before it reads on.
        pgconn.consume_input()


async def _results(pgconn: PGconn) -> list[PGresult]:
    """The result of each command, up to the sync that ends them."""
    loop = asyncio.get_running_loop()
    results: list[PGresult] = []
    while True:
        while pgconn.is_busy():
            await _ready(loop.add_reader, loop.remove_reader, pgconn.socket)
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is None:
            continue  # between two commands
        if result.status == ExecStatus.PIPELINE_SYNC:
            return results
        results.append(result)


async def _ready(watch: Callable[..., None], ignore: Callable[[int], Any], socket: int) -> None:
    future = asyncio.get_running_loop().create_future()
    watch(socket, _wake, future)
    try:
        await future
    finally:
        ignore(socket)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _rows(connection: psycopg.AsyncConnection[Any], result: PGresult) -> list[Any]:
    if result.status != ExecStatus.TUPLES_OK:
        return []
    transformer = Transformer(connection)
    transformer.set_pgresult(result)
    names = tuple((result.fname(place) or b"").decode() for place in range(result.nfields))
    return transformer.load_rows(0, result.ntuples, _row_class(names)._make)


@lru_cache(1_000)
def _row_class(names: tuple[str, ...]) -> Any:
    return namedtuple("Row", names, rename=True)
