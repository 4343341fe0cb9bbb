"""Checkpoints as lines of JSON, out of one database and into another: the same rows, and the same lines again."""

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.checkpoints import service, store
from recollect.checkpoints.service import Shelf
from recollect.core import check
from recollect.core.errors import InvalidInput

RECORDS = ("checkpoint", "checkpoint_value", "checkpoint_write")

_PAGE = 50
_NAME_BYTES = 10_000
_DIGITS = 18
_KINDS = ("state", "graph")


@dataclass(frozen=True, slots=True)
class CheckpointLine:
    """A line that was checked: which statement takes it, with which values."""

    number: int
    statement: str
    values: Mapping[str, Any]


# Out


async def lines(shelf: Shelf) -> AsyncIterator[dict[str, Any]]:
    """Every checkpoint of the scope's owner, each after the values that it needs; of an agent that sees some categories
    alone, those of its own threads."""
    narrowed = shelf.scope.categories is not None
    others = set(await store.saved_by_others(shelf.database, shelf.scope, None)) if narrowed else set()
    for carry, first, key, line in _TABLES:
        after = first
        while rows := await store.carried(shelf.database, shelf.scope, carry, after, _PAGE):
            for row in rows:
                if row.thread_id not in others:
                    yield line(row)
            after = key(rows[-1])


def _value_line(row: Any) -> dict[str, Any]:
    place = {"record": "checkpoint_value", "thread": row.thread_id, "namespace": row.namespace}
    return place | {"channel": row.channel, "version": row.version, "type": row.type, "body": _base64(row.body)}


def _write_line(row: Any) -> dict[str, Any]:
    place = {"record": "checkpoint_write", "thread": row.thread_id, "namespace": row.namespace}
    told = {"checkpoint": row.checkpoint_id, "task": row.task_id, "place": row.place, "path": row.task_path}
    return place | told | {"channel": row.channel, "type": row.type, "body": _base64(row.body)}


def _checkpoint_line(row: Any) -> dict[str, Any]:
    return (
        {"record": "checkpoint", "kind": "graph", "thread": row.thread_id, "id": row.id}
        | {"namespace": row.namespace, "parent": row.parent_id, "type": row.type, "body": _base64(row.body)}
        | {"metadata": row.metadata, "run": row.run_id}
        | {"versions": dict(zip(row.channels, row.versions, strict=True))}
        | _saved(row)
    )


def _state_line(row: Any) -> dict[str, Any]:
    line = {"record": "checkpoint", "kind": "state", "thread": row.thread_id, "id": str(row.version)}
    return line | {"state": service.decode(row.body)} | _saved(row)


def _saved(row: Any) -> dict[str, Any]:
    return {"saved_by": row.saved_by, "saved_at": row.saved_at.isoformat()}


def _base64(body: bytes) -> str:
    return b64encode(body).decode()


_TABLES: tuple[tuple[str, dict[str, Any], Callable[[Any], dict[str, Any]], Callable[[Any], dict[str, Any]]], ...] = (
    (
        "carry_values",
        {"thread": "", "namespace": "", "channel": "", "version": ""},
        lambda row: {
            "thread": row.thread_id,
            "namespace": row.namespace,
            "channel": row.channel,
            "version": row.version,
        },
        _value_line,
    ),
    (
        "carry_writes",
        {"thread": "", "namespace": "", "checkpoint": "", "task": "", "place": 0},
        lambda row: {
            "thread": row.thread_id,
            "namespace": row.namespace,
            "checkpoint": row.checkpoint_id,
            "task": row.task_id,
            "place": row.place,
        },
        _write_line,
    ),
    (
        "carry_checkpoints",
        {"thread": "", "namespace": "", "id": ""},
        lambda row: {"thread": row.thread_id, "namespace": row.namespace, "id": row.id},
        _checkpoint_line,
    ),
    (
        "carry_states",
        {"thread": "", "version": 0},
        lambda row: {"thread": row.thread_id, "version": row.version},
        _state_line,
    ),
)


# In


def line(shelf: Shelf, number: int, record: str, given: Mapping[str, Any]) -> CheckpointLine:
    """Check a line before anything is written."""
    most = shelf.settings.checkpoint_bytes
    thread = {"thread": check.identifier("thread", given.get("thread"))}
    if record == "checkpoint":
        saved = thread | _saved_then(shelf, given)
        if check.choice("kind", given.get("kind"), _KINDS) == "state":
            return CheckpointLine(number, "bring_state", saved | _state(given, most))
        return CheckpointLine(number, "bring_checkpoint", saved | _graph(given, most))
    named = thread | _text(given, "namespace", empty=True) | _text(given, "channel") | _packed(given, most)
    if record == "checkpoint_value":
        return CheckpointLine(number, "bring_value", named | _text(given, "version"))
    place = check.count("place", given.get("place"), least=-100, most=10**9)
    told = _text(given, "checkpoint") | _text(given, "task") | _text(given, "path", empty=True)
    return CheckpointLine(number, "bring_write", named | told | {"place": place})


def _saved_then(shelf: Shelf, given: Mapping[str, Any]) -> dict[str, Any]:
    by = given.get("saved_by")
    return {
        "saved_by": None if by is None else check.identifier("saved_by", by),
        "saved_at": check.optional_moment("saved_at", given.get("saved_at")) or shelf.clock(),
    }


def _state(given: Mapping[str, Any], most: int) -> dict[str, Any]:
    version = str(given.get("id"))
    if not (version.isascii() and version.isdecimal() and len(version) <= _DIGITS and int(version)):
        raise InvalidInput("id", "must be a version: a number from 1 on")
    return {"version": int(version), "body": service.encode(given.get("state"), most)}


def _graph(given: Mapping[str, Any], most: int) -> dict[str, Any]:
    versions = check.mapping("versions", given.get("versions"), most_bytes=most)
    told = {
        "parent": check.optional_text("parent", given.get("parent")),
        "metadata": check.mapping("metadata", given.get("metadata"), most_bytes=most),
        "run": check.optional_text("run", given.get("run")),
        "versions": {channel: check.text("versions", v, most_bytes=_NAME_BYTES) for channel, v in versions.items()},
    }
    return told | _text(given, "namespace", empty=True) | _text(given, "id") | _packed(given, most)


def _text(given: Mapping[str, Any], field: str, *, empty: bool = False) -> dict[str, str]:
    return {field: check.text(field, given.get(field), most_bytes=_NAME_BYTES, empty=empty)}


def _packed(given: Mapping[str, Any], most: int) -> dict[str, Any]:
    try:
        body = b64decode(check.text("body", given.get("body"), most_bytes=2 * most, empty=True), validate=True)
    except (NotBase64, ValueError) as error:
        raise InvalidInput("body", "must be base64") from error
    if len(body) > most:
        raise InvalidInput("body", f"has {len(body):,} bytes; the limit is {most:,}")
    return {**_text(given, "type"), "body": body}


async def bring(shelf: Shelf, brought: Sequence[CheckpointLine]) -> int:
    """Write lines in one transaction; how many were not there before."""
    taken = [(each.statement, each.values) for each in brought]
    return await store.bring(shelf.database, shelf.scope, taken, shelf.clock()) if taken else 0
