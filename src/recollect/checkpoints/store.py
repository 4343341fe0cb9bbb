"""Reading and writing checkpoints: the database in, values out. What is asked often takes one round trip."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Any
from uuid import UUID, uuid5

from recollect.checkpoints.model import GraphCheckpoint, Packed, Place, Wanted, Write
from recollect.core.ids import new_id
from recollect.core.scope import Scope
from recollect.db.compose import Jsonb
from recollect.db.database import Batch, Database, Late, UniqueViolation, array_literal, number_array
from recollect.db.sql import load

QUERIES = load("recollect.checkpoints")

_LINES = UUID("3c9a6f58-51c5-5b7e-9a2e-6f1d0c8e4b27")
_PAGE = 50
# Parts of a checkpoint that is read whole.
_HEAD, _VALUE, _WRITE = 0, 1, 2

Found = tuple[GraphCheckpoint, list[Write]]


def _at(scope: Scope) -> dict[str, str]:
    return {"space": scope.space, "owner": scope.owner}


# States


async def save_state(
    database: Database, scope: Scope, thread: str, state: bytes | Late, expected: int | None, keep: int, now: datetime
) -> int | None:
    """The version that a state was saved as; None where another one than the expected is the latest."""
    given = {"thread": thread, "state": state, "expected": expected, "keep": keep, "agent": scope.agent_id, "now": now}
    while True:
        try:
            [row] = await database.call(scope.space, QUERIES["save_state"], **_at(scope), **given)
        except UniqueViolation:  # somebody saved this very version meanwhile: the next one may be free
            continue
        return None if row.version is None else int(row.version)


async def state(database: Database, scope: Scope, thread: str, version: int | None) -> Any | None:
    """One version of a state, or the latest."""
    asked = {**_at(scope), "thread": thread}
    if version is None:
        rows = await database.ask(scope.space, QUERIES["latest_state"], **asked)
    else:
        rows = await database.ask(scope.space, QUERIES["state"], **asked, version=version)
    return rows[0] if rows else None


async def states(database: Database, scope: Scope, thread: str, before: int, limit: int) -> list[Any]:
    """Versions without their bodies, the newest first."""
    asked = {**_at(scope), "thread": thread, "before": before, "limit": limit}
    return await database.ask(scope.space, QUERIES["states"], **asked)


async def saved_by_others(database: Database, scope: Scope, threads: Sequence[str] | None) -> list[str]:
    """Threads, of some or of all, in which somebody else than the scope's agent saved something."""
    wanted = None if threads is None else list(threads)
    rows = await database.ask(
        scope.space, QUERIES["saved_by_others"], **_at(scope), agent=scope.agent_id, threads=wanted
    )
    return [row.thread_id for row in rows]


# Graphs


async def put(database: Database, scope: Scope, checkpoint: GraphCheckpoint, now: datetime) -> set[str]:
    """Write a checkpoint; values that are there already stay as they are. Channels whose value is neither given nor
    there."""
    batch = Batch(scope.space, often=True)
    at = {**_at(scope), **_within(checkpoint.place)}
    if checkpoint.parent_id is None:
        batch.add(QUERIES["bring_space"], space=scope.space, now=now)
    if checkpoint.values:
        batch.add(QUERIES["put_values"], **at, **_listed(checkpoint))
    batch.add(
        QUERIES["put_checkpoint"],
        **at,
        id=checkpoint.id,
        parent=checkpoint.parent_id,
        type=checkpoint.content.type,
        body=checkpoint.content.body,
        metadata=_dumps(checkpoint.metadata),
        run=checkpoint.run_id,
        channels=array_literal(checkpoint.versions),
        versions=array_literal(checkpoint.versions.values()),
        agent=scope.agent_id,
        now=now,
    )
    apart = {name: version for name, version in checkpoint.versions.items() if name not in checkpoint.values}
    if apart:
        listed = {"channels": array_literal(apart), "versions": array_literal(apart.values())}
        batch.add(QUERIES["hold_values"], **at, **listed)
    rows = await database.send(batch)
    return set(apart) - {row.channel for row in rows[-1]}


def _listed(checkpoint: GraphCheckpoint) -> dict[str, Any]:
    values = checkpoint.values.values()
    lengths = [len(value.body) for value in values]
    return {
        "channels": array_literal(checkpoint.values),
        "versions": array_literal(checkpoint.versions[channel] for channel in checkpoint.values),
        "types": array_literal(value.type for value in values),
        "starts": number_array(accumulate(lengths[:-1], initial=1)),
        "lengths": number_array(lengths),
        "bodies": b"".join(value.body for value in values),
    }


def _within(place: Place) -> dict[str, str]:
    return {"thread": place.thread_id, "namespace": place.namespace}


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


async def get(database: Database, scope: Scope, place: Place, id: str | None) -> Found | None:
    """A checkpoint, the latest where no id is given, and what was written after it."""
    asked = {**_at(scope), **_within(place)}
    if id is None:
        rows = await database.ask(scope.space, QUERIES["latest_checkpoint"], **asked)
    else:
        rows = await database.ask(scope.space, QUERIES["checkpoint"], **asked, id=id)
    head = next((row for row in rows if row.part == _HEAD), None)
    if head is None:
        return None
    values = {row.channel: Packed(row.type, row.body) for row in rows if row.part == _VALUE}
    writes = [_write(row) for row in rows if row.part == _WRITE]
    writes.sort(key=lambda write: (write.task_path, write.task_id, write.place))
    content = Packed(head.type, head.body)
    return GraphCheckpoint(place, head.id, head.parent_id, content, head.metadata, values=values), writes


def _write(row: Any) -> Write:
    return Write(row.task_id, row.task_path, row.place, row.channel, Packed(row.type, row.body))


async def put_writes(database: Database, scope: Scope, place: Place, id: str, writes: Sequence[Write]) -> None:
    """Write what a task wrote after a checkpoint."""
    batch = Batch(scope.space, often=True)
    for write in writes:
        batch.add(
            QUERIES["put_write" if write.place >= 0 else "replace_write"],
            **_at(scope),
            **_within(place),
            id=id,
            task=write.task_id,
            place=write.place,
            path=write.task_path,
            channel=write.channel,
            type=write.content.type,
            body=write.content.body,
        )
    await database.send(batch)


async def listed(database: Database, scope: Scope, wanted: Wanted, limit: int | None) -> AsyncIterator[Found]:
    """Checkpoints of graphs, the newest first, a page at a time."""
    last: Any = None
    left = limit
    while left is None or left > 0:
        size = _PAGE if left is None else min(left, _PAGE)
        rows = await _page(database, scope, wanted, last, size)
        for found in await _whole(database, scope, rows):
            yield found
        if len(rows) < size:
            return
        last, left = rows[-1], None if left is None else left - len(rows)


async def _page(database: Database, scope: Scope, wanted: Wanted, last: Any, size: int) -> list[Any]:
    batch = Batch(scope.space)
    batch.add(
        QUERIES["list"],
        **_at(scope),
        thread=wanted.thread_id,
        namespace=wanted.namespace,
        id=wanted.id,
        before=wanted.before,
        metadata=Jsonb(wanted.metadata, dumps=_dumps),
        after=last and last.id,
        after_thread=last and last.thread_id,
        after_namespace=last and last.namespace,
        limit=size,
    )
    return (await database.send(batch))[0]


async def _whole(database: Database, scope: Scope, rows: Sequence[Any]) -> list[Found]:
    """Checkpoints with the values of their channels, and with what was written after them."""
    if not rows:
        return []
    among = {"threads": _each(rows, "thread_id"), "namespaces": _each(rows, "namespace")}
    channels = list({channel for row in rows for channel in row.channels})
    versions = list({version for row in rows for version in row.versions})
    batch = Batch(scope.space)
    batch.add(QUERIES["values"], **_at(scope), **among, channels=channels, versions=versions)
    batch.add(QUERIES["writes"], **_at(scope), **among, ids=[row.id for row in rows])
    values, writes = await database.send(batch)
    known = {(row.thread_id, row.namespace, row.channel, row.version): Packed(row.type, row.body) for row in values}
    after: dict[tuple[str, str, str], list[Write]] = {}
    for row in writes:
        after.setdefault((row.thread_id, row.namespace, row.checkpoint_id), []).append(_write(row))
    return [(_checkpoint(row, known), after.get((row.thread_id, row.namespace, row.id), [])) for row in rows]


def _each(rows: Sequence[Any], column: str) -> list[str]:
    return list({getattr(row, column) for row in rows})


def _checkpoint(row: Any, known: Mapping[tuple[str, str, str, str], Packed]) -> GraphCheckpoint:
    versions = dict(zip(row.channels, row.versions, strict=True))
    keys = {channel: (row.thread_id, row.namespace, channel, version) for channel, version in versions.items()}
    return GraphCheckpoint(
        place=Place(row.thread_id, row.namespace),
        id=row.id,
        parent_id=row.parent_id,
        content=Packed(row.type, row.body),
        metadata=row.metadata,
        run_id=row.run_id,
        versions=versions,
        values={channel: known[key] for channel, key in keys.items() if key in known},
    )


# What goes, and what is copied


async def delete_threads(
    database: Database, scope: Scope, threads: Sequence[str], now: datetime, *, states: bool
) -> int:
    """Remove the checkpoints of threads' graphs, and with `states` their states too, and tell it in history and
    events; how many."""
    batch = Batch(scope.space)
    asked = {**_at(scope), "threads": list(threads)}
    for thread in threads:
        told = {"id": _line_of(scope, thread), "line": new_id(), "actor": scope.user_id, "agent": scope.agent_id}
        for name in ("tell_deleted", "event_deleted"):
            batch.add(QUERIES[name], **_at(scope), **told, thread=thread, states=states, now=now)
    batch.add(QUERIES["delete_writes"], **asked)
    batch.add(QUERIES["delete_values"], **asked)
    deleting = [batch.add(QUERIES["delete_checkpoints"], **asked)]
    if states:
        deleting.append(batch.add(QUERIES["delete_states"], **asked))
    rows = await database.send(batch)
    return sum(len(rows[place]) for place in deleting)


def _line_of(scope: Scope, thread: str) -> UUID:
    """Under which id history tells of a thread's checkpoints: it says nothing of what the thread is called."""
    return uuid5(_LINES, f"{scope.space}\n{scope.owner}\n{thread}")


async def delete_runs(database: Database, scope: Scope, runs: Sequence[str]) -> None:
    """Remove the checkpoints of runs, and the values that only they had."""
    batch = Batch(scope.space)
    batch.add(QUERIES["delete_writes_of_runs"], **_at(scope), runs=list(runs))
    batch.add(QUERIES["delete_runs"], **_at(scope), runs=list(runs))
    deleted = (await database.send(batch))[-1]
    if threads := _each(deleted, "thread_id"):
        batch = Batch(scope.space)
        batch.add(QUERIES["prune_values"], **_at(scope), threads=threads)
        await database.send(batch)


async def keeping_changes(database: Database, scope: Scope, threads: Sequence[str]) -> list[str]:
    """Threads of which a checkpoint says nothing without those before it."""
    batch = Batch(scope.space)
    batch.add(QUERIES["uses_deltas"], **_at(scope), threads=list(threads))
    return [row.thread_id for row in (await database.send(batch))[0]]


async def keep_latest(database: Database, scope: Scope, threads: Sequence[str]) -> None:
    """Remove all but the latest checkpoint of each graph and subgraph of threads."""
    batch = Batch(scope.space)
    asked = {**_at(scope), "threads": list(threads)}
    for name in ("prune_writes", "prune_checkpoints", "prune_parents", "prune_values"):
        batch.add(QUERIES[name], **asked)
    await database.send(batch)


async def copy_thread(database: Database, scope: Scope, source: str, target: str) -> None:
    """Copy a graph's checkpoints to another thread; what is there already stays."""
    batch = Batch(scope.space)
    for name in ("copy_checkpoints", "copy_values", "copy_writes"):
        batch.add(QUERIES[name], **_at(scope), source=source, target=target)
    await database.send(batch)


# Out of one database and into another


async def carried(database: Database, scope: Scope, statement: str, after: Mapping[str, Any], limit: int) -> list[Any]:
    """Rows of one table in the order of their keys."""
    batch = Batch(scope.space)
    batch.add(QUERIES[statement], **_at(scope), **after, limit=limit)
    return (await database.send(batch))[0]


async def bring(
    database: Database, scope: Scope, brought: Sequence[tuple[str, Mapping[str, Any]]], now: datetime
) -> int:
    """Write rows that are not there yet; how many."""
    batch = Batch(scope.space)
    batch.add(QUERIES["bring_space"], space=scope.space, now=now)
    for statement, values in brought:
        given = dict(values)
        if statement == "bring_checkpoint":
            versions = given.pop("versions")
            given |= {"channels": list(versions), "versions": list(versions.values())}
            given["metadata"] = Jsonb(given["metadata"], dumps=_dumps)
        batch.add(QUERIES[statement], **_at(scope), **given)
    return sum(map(len, await database.send(batch)))
