"""Past one machine: the tables of spaces spread over a Citus cluster, every space whole on one node.

`distribute` carries a database there, step by step; each step looks whether it is done, so that a run that was
interrupted goes on when it is started again. Meanwhile nobody can open the database: half of it would be elsewhere.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import namedtuple_row

from recollect.core.errors import Conflict, InvalidInput, NotFound, RecollectError
from recollect.db.database import COMMON_TABLES, SCHEMA, Connection
from recollect.db.sql import load

QUERIES = load("recollect.db", "cluster.sql")

DEFAULT_SHARDS = 32
_POLL = 0.5

Progress = Callable[[int, int], None]
Mode = Literal["auto", "force_logical", "block_writes"]
"""How shards are carried: with "block_writes" writers of the shard wait, else they go on."""
MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True, slots=True)
class Node:
    """A server of the cluster."""

    host: str
    port: int
    coordinator: bool
    active: bool
    shards: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """How the spaces are spread."""

    shards: int
    nodes: list[Node]


@dataclass(frozen=True, slots=True)
class Distributed:
    """What a run of `distribute` did."""

    tables: list[str]
    """Tables that were local before."""
    shards: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a space lies."""

    shard: int
    host: str
    port: int
    alone: bool


async def distribute(
    owner: Connection, app_url: str, *, shards: int = DEFAULT_SHARDS, progress: Progress | None = None
) -> Distributed:
    """Spread the tables of spaces over the cluster; a table that is spread already stays as it is."""
    await _require_citus(owner)
    role = str(conninfo_to_dict(app_url).get("user", ""))
    waiting = [row for row in await _rows(owner, "tables", common=sorted(COMMON_TABLES)) if not row.distributed]
    await _let_settings_travel(owner, role)
    if waiting:
        await _require_quiet(owner, role)
        await _spread(owner, [(row.name, row.rows) for row in waiting], shards, progress or _unseen)
    await _settle(owner, role)
    return Distributed([row.name for row in waiting], await _shards(owner))


async def _spread(owner: Connection, tables: list[tuple[str, int]], shards: int, progress: Progress) -> None:
    await _run(owner, "begin")
    await _drop_vector_indexes(owner)
    await _run(owner, "drop_foreign_key")
    total, done = sum(rows for _, rows in tables), 0
    progress(0, total)
    for name, rows in tables:
        qualified = f"{SCHEMA}.{name}"
        if name == "space":
            await _run(owner, "first_table", name=qualified, shards=shards)
        else:
            await _run(owner, "table", name=qualified)
        done += rows
        progress(done, total)


async def _settle(owner: Connection, role: str) -> None:
    """What has to be so once all tables are spread; every part of it may be done again."""
    [key] = await _rows(owner, "has_foreign_key")
    if not key.there:
        await _run(owner, "restore_foreign_key")
    await _spread_rest(owner)
    for table in await _rows(owner, "tables", common=sorted(COMMON_TABLES)):
        qualified = f"{SCHEMA}.{table.name}"
        [local] = await _rows(owner, "local_rows", name=qualified)
        if local.left_behind:
            await _run(owner, "clear_local", name=qualified)
    for view in await _rows(owner, "views"):
        await owner.execute(
            sql.SQL("grant select on {} to {}").format(sql.Identifier(SCHEMA, view.name), sql.Identifier(role))
        )
    await _run(owner, "finish")


async def distribute_new(owner: Connection) -> None:
    """After a schema upgrade of a distributed database: spread what the upgrade brought."""
    if not await is_distributed(owner):
        return
    for table in await _rows(owner, "tables", common=sorted(COMMON_TABLES)):
        if not table.distributed:
            await _run(owner, "table", name=f"{SCHEMA}.{table.name}")
    await _spread_rest(owner)


async def _spread_rest(owner: Connection) -> None:
    """What belongs to no space: small common tables, and functions."""
    for name in sorted(COMMON_TABLES):
        await _run(owner, "common_table", name=f"{SCHEMA}.{name}")
    for function in await _rows(owner, "functions"):
        if not function.distributed:
            await _run(owner, "beside_space" if function.of_space else "everywhere", signature=function.signature)
        if function.planned:
            # A plan that is made before the space is known could go to no shard.
            await owner.execute(f"alter function {function.signature} set plan_cache_mode = force_custom_plan".encode())


async def is_distributed(owner: Connection) -> bool:
    """Whether the tables of spaces are spread over a cluster."""
    [extension] = await _rows(owner, "extension")
    if not extension.installed:
        return False
    [row] = await _rows(owner, "is_distributed")
    return bool(row.distributed)


async def status(owner: Connection) -> ClusterStatus | None:
    """How the spaces are spread; None for a local database."""
    if not await is_distributed(owner):
        return None
    return ClusterStatus(await _shards(owner), [Node(*row) for row in await _rows(owner, "nodes")])


async def move(owner: Connection, space: str, to: str | None = None, *, mode: Mode = "block_writes") -> Place:
    """Give a space a shard of its own, and carry that to the node `to` (`host:port`) if one is named."""
    await _require_distributed(owner)
    target = None if to is None else await _node(owner, to)
    if not await _rows(owner, "space", space=space):
        raise NotFound(f"there is no space {space}")
    place = await _place(owner, space)
    if not place.alone:
        await _run(owner, "isolate", space=space, mode=mode)
        place = await _place(owner, space)
    if target is None or (target.host, target.port) == (place.host, place.port):
        return place
    await _run(
        owner,
        "move",
        shard=place.shard,
        from_host=place.host,
        from_port=place.port,
        to_host=target.host,
        to_port=target.port,
        mode=mode,
    )
    return await _place(owner, space)


async def rebalance(owner: Connection, *, mode: Mode = "block_writes", progress: Progress | None = None) -> int:
    """Even out the load over the nodes, and wait for it; how many groups of shards moved."""
    await _require_distributed(owner)
    [started] = await _rows(owner, "rebalance", mode=mode)
    if started.job is None:
        return 0
    while True:
        [state] = await _rows(owner, "rebalancing", job=started.job)
        (progress or _unseen)(state.finished, state.total)
        if state.state == "finished":
            return int(state.total)
        if state.state in ("failed", "cancelled"):
            raise RecollectError(f"rebalancing {state.state}: {state.error or 'see citus_rebalance_status()'}")
        await asyncio.sleep(_POLL)


Checksums = dict[str, dict[str, tuple[int, int]]]
"""For every table of spaces, how many rows each space has, and a sum over hashes of all that they hold."""


async def checksums(owner: Connection) -> Checksums:
    """What there is, to be compared before and after it is carried elsewhere."""
    found: Checksums = {}
    for table in await _rows(owner, "columns", common=sorted(COMMON_TABLES)):
        # Which vector index a space has is told anew where it comes to lie. Nothing is not the same as empty.
        held = sql.SQL(", ").join(
            sql.SQL("coalesce({}::text, '∅')").format(sql.Identifier(name))
            for name in table.columns
            if name != "vector_index"
        )
        statement = sql.SQL(
            "select space_id, count(*), sum(hashtextextended(concat_ws('|', {}), 0)) from {} group by space_id"
        ).format(held, sql.Identifier(SCHEMA, table.name))
        cursor = await owner.execute(statement)
        found[table.name] = {space: (count, int(total)) for space, count, total in await cursor.fetchall()}
    return found


async def local_bytes(owner: Connection) -> int:
    """What the coordinator itself still keeps of the tables of spaces."""
    [row] = await _rows(owner, "local_bytes")
    return int(row.bytes)


async def _require_citus(owner: Connection) -> None:
    [found] = await _rows(owner, "extension")
    if not found.installed and not found.possible:
        raise RecollectError(
            "this server has no Citus: install it, and load it with shared_preload_libraries = 'citus'"
        )
    if not found.installed:
        try:
            await owner.execute("create extension citus")
        except psycopg.errors.InsufficientPrivilege as error:
            raise RecollectError(
                "the owner may not create the extension: have a superuser run `create extension citus`"
            ) from error


async def _require_quiet(owner: Connection, role: str) -> None:
    [row] = await _rows(owner, "other_sessions", role=role)
    if row.others:
        raise Conflict(f"other connections are open to this database ({row.others}): stop servers and workers first")


async def _require_distributed(owner: Connection) -> None:
    if not await is_distributed(owner):
        raise RecollectError("this database is on one server: run `recollect db distribute` first")


async def _drop_vector_indexes(owner: Connection) -> None:
    """Filled row by row on the way they would take hours; afterwards they are built at once."""
    for row in await _rows(owner, "vector_indexes"):
        await owner.execute(sql.SQL("drop index if exists {}").format(sql.Identifier(SCHEMA, row.vector_index)))
    await _run(owner, "forget_vector_indexes")


async def _let_settings_travel(owner: Connection, role: str) -> None:
    """Which spaces a transaction may see is a setting of it: it has to reach the nodes."""
    [here] = await _rows(owner, "here")
    for name in {role, here.owner}:
        if await _rows(owner, "lets_settings_travel", role=name):
            continue
        statement = sql.SQL("alter role {} in database {} set citus.propagate_set_commands = 'local'").format(
            sql.Identifier(name), sql.Identifier(here.database)
        )
        try:
            await owner.execute(statement)
        except psycopg.errors.InsufficientPrivilege as error:
            raise RecollectError(
                f"the owner may not change the role {name}: have a superuser run `{statement.as_string(owner)}`"
            ) from error


async def _node(owner: Connection, name: str) -> Node:
    nodes = [Node(*row) for row in await _rows(owner, "nodes") if not row.coordinator]
    for node in nodes:
        if f"{node.host}:{node.port}" == name:
            return node
    known = ", ".join(f"{node.host}:{node.port}" for node in nodes)
    raise InvalidInput("to", f"is no node of this cluster; there are {known}")


async def _place(owner: Connection, space: str) -> Place:
    [row] = await _rows(owner, "place", space=space)
    return Place(*row)


async def _shards(owner: Connection) -> int:
    [row] = await _rows(owner, "shards")
    return int(row.shards)


async def _rows(owner: Connection, statement: str, /, **values: Any) -> list[Any]:
    async with owner.cursor(row_factory=namedtuple_row) as cursor:
        await cursor.execute(QUERIES[statement], values)
        return await cursor.fetchall()


async def _run(owner: Connection, statement: str, /, **values: Any) -> None:
    try:
        await owner.execute(QUERIES[statement], values)
    except (psycopg.InternalError, psycopg.NotSupportedError, psycopg.ProgrammingError) as error:
        hint = f" ({error.diag.message_hint})" if error.diag.message_hint else ""
        raise RecollectError(f"{error.diag.message_primary or error}{hint}") from error


def _unseen(done: int, total: int) -> None:
    """Nobody looks."""
