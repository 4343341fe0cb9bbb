"""States that a program saves under its thread, to go on from there: whole, in order, each a version of its own."""

import json
import marshal
import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic_core import from_json

from recollect.checkpoints import store
from recollect.checkpoints.model import Checkpoint, SavedCheckpoint
from recollect.core import check
from recollect.core.clock import Clock
from recollect.core.errors import Conflict, InvalidInput, NotAllowed, NotFound
from recollect.core.scope import Scope
from recollect.core.settings import Settings
from recollect.db.database import Database, Late

_MOST_VERSIONS = 10**18 - 1
_REMEMBERED = 1_000
_NULL = re.compile(b"null")
"""Looked for in half the time that `in` takes: meanwhile the server waits where it has no processor of its own."""


class OddThreads:
    """Threads with a state that is not JSON through and through, as one with numbers for keys: the next is alike."""

    def __init__(self) -> None:
        self._names: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, thread: str) -> bool:
        return thread in self._names

    def add(self, thread: str) -> None:
        """Remember a thread, in the place of the oldest where there are many."""
        self._names[thread] = None
        if len(self._names) > _REMEMBERED:
            self._names.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Shelf:
    """What the verbs work with: the checkpoints of one scope."""

    database: Database
    settings: Settings
    clock: Clock
    scope: Scope
    odd: OddThreads
    """Of anybody: whose state is looked at before it is sent."""

    @property
    def thread(self) -> str:
        """The scope's thread, which every state belongs to."""
        if self.scope.thread_id is None:
            raise InvalidInput("thread_id", "a checkpoint belongs to a thread: name it in the scope")
        return self.scope.thread_id


async def refuse_foreign(database: Database, scope: Scope, threads: Sequence[str]) -> None:
    """An agent that sees some categories alone goes on from states that it saved itself: others hold anything."""
    if scope.categories is None:
        return
    scope.refuse_blind()
    if others := await store.saved_by_others(database, scope, threads):
        raise NotAllowed(f"checkpoints of thread {others[0]}", f"they are not those of agent {scope.agent_id} alone")


async def _mine(shelf: Shelf) -> str:
    """The scope's thread, provided that its states are the agent's own."""
    await refuse_foreign(shelf.database, shelf.scope, [shelf.thread])
    return shelf.thread


async def save(shelf: Shelf, state: Any, if_version: int | None) -> SavedCheckpoint:
    """Save a state as the next version; with `if_version`, only if that one is the latest (0: none is)."""
    thread = await _mine(shelf)
    expected = None if if_version is None else _version("if_version", if_version, least=0)
    now, most, keep = shelf.clock(), shelf.settings.checkpoint_bytes, shelf.settings.checkpoint_versions
    encoded: _Encoded | bytes = encode(state, most) if thread in shelf.odd else _Encoded(state, most)
    try:
        version = await store.save_state(shelf.database, shelf.scope, thread, encoded, expected, keep, now)
    except _NotQuite:
        shelf.odd.add(thread)
        encoded = encode(state, most)
        version = await store.save_state(shelf.database, shelf.scope, thread, encoded, expected, keep, now)
    if version is None:
        raise Conflict(f"if_version: {if_version} is not the latest checkpoint of thread {thread!r}")
    return SavedCheckpoint(thread, version, len(encoded), shelf.scope.agent_id, now)


async def get(shelf: Shelf, version: int | None) -> Checkpoint | None:
    """The latest version, or None where there is none; a version that is asked for by its number has to be there."""
    thread = await _mine(shelf)
    wanted = None if version is None else _version("version", version)
    row = await store.state(shelf.database, shelf.scope, thread, wanted)
    if row is None:
        if version is not None:
            raise NotFound(f"there is no checkpoint {version} of thread {thread!r}")
        return None
    return Checkpoint(thread, row.version, decode(row.body), row.saved_by, row.saved_at)


async def listed(shelf: Shelf, limit: int, before: int | None) -> list[SavedCheckpoint]:
    """The versions that are kept, the newest first."""
    most = check.count("limit", limit)
    first = _MOST_VERSIONS if before is None else _version("before", before)
    thread = await _mine(shelf)
    rows = await store.states(shelf.database, shelf.scope, thread, first, most)
    return [SavedCheckpoint(thread, row.version, row.bytes, row.saved_by, row.saved_at) for row in rows]


async def delete(shelf: Shelf) -> int:
    """Remove every checkpoint of the thread, those of graphs too; how many there were."""
    threads = [await _mine(shelf)]
    return await store.delete_threads(shelf.database, shelf.scope, threads, shelf.clock(), states=True)


def _version(field: str, value: int, least: int = 1) -> int:
    return check.count(field, value, least=least, most=_MOST_VERSIONS)


def encode(state: Any, most_bytes: int) -> bytes:
    """A state as JSON, which has to say all of it: what would come back as something else is refused."""
    encoded = _Encoded(state, most_bytes)
    try:
        body = encoded.made()
        encoded.check()
    except _NotQuite:
        body = _within(_carefully(state), most_bytes)
    return body


class _NotQuite(Exception):
    """The quick way does not say all of a state: it has to be looked at more closely."""


class _Encoded(Late):
    """A state the quick way, which is right for what is JSON through and through."""

    def __init__(self, state: Any, most_bytes: int) -> None:
        if state is None:
            raise InvalidInput("state", "is nothing: a state is JSON")
        self._state, self._most_bytes = state, most_bytes
        self._body = b""

    def __len__(self) -> int:
        return len(self._body)

    def made(self) -> bytes:
        try:
            encoded = orjson.dumps(self._state)
        except orjson.JSONEncodeError:
            raise _NotQuite from None
        self._body = _within(encoded, self._most_bytes)
        return self._body

    def check(self) -> None:
        # orjson writes plain values as they are, but for a number that is none: that one becomes null.
        if _is_plain(self._state) and not _NULL.search(self._body):
            return
        if orjson.loads(self._body) != self._state:
            raise _NotQuite


def _is_plain(state: Any) -> bool:
    """Whether a state is made of Python's own plain types alone: marshal takes no other, and is quicker than reading
    JSON back."""
    try:
        marshal.dumps(state)
    except ValueError:
        return False
    return True


def _within(encoded: bytes, most_bytes: int) -> bytes:
    if len(encoded) > most_bytes:
        raise InvalidInput("state", f"has {len(encoded):,} bytes; the limit is {most_bytes:,}")
    return encoded


def _carefully(state: Any) -> bytes:
    """As Python's own JSON: a tuple is a list there, a number as a key becomes text, and errors say what is wrong."""
    try:
        text = json.dumps(state, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput("state", f"is no JSON: {error}") from None
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        raise InvalidInput("state", "holds a lone surrogate, which is no Unicode text") from None
    json.loads(encoded, object_pairs_hook=_each_once)
    return encoded


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, none of whose keys stands in it twice: of 1 and "1" one would be lost, as both are "1" there."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key in found if sum(key == other for other, _ in pairs) > 1)
        raise InvalidInput("state", f"has two keys that are both {twice!r} in JSON")
    return found


def decode(body: bytes) -> Any:
    """A state as it was saved, numbers beyond 64 bits too, which orjson would round."""
    try:
        return from_json(body)
    except ValueError:  # nested more deeply than the quick reader goes
        return json.loads(body)
