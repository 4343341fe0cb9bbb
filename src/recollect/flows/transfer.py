"""Carrying a space in and out as plain JSON lines; whole, with all that was derived, in `carry.py`.

A plain export has a line for each conversation, message, document, memory and profile fact that was added by hand, for
each item and each checkpoint; what is derived from them comes back by itself. An import takes that, and lines such as
`{"thread", "role", "content", "name"?, "at"?, "metadata"?, "id"?}` is a message, `{"content", "kind"?, …}` without a
role a memory.

Importing the same lines again adds nothing: a line without an id gets one that follows from what it says and
from how many lines before it said the same. So an import that was killed is resumed by running it again.

What an export says gives way to what is there: a line that would bring back what was forgotten, or put another value in
the place of one that a person set, is left out and told. A line that cannot be read ends the import, unless somebody
listens; an export that was cut off is refused before anything of it is written.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from hashlib import blake2b
from itertools import chain, islice
from tempfile import SpooledTemporaryFile
from typing import Any
from uuid import UUID, uuid5

from recollect.checkpoints import carrying
from recollect.checkpoints.carrying import CheckpointLine
from recollect.checkpoints.service import Shelf
from recollect.conversation import service as conversations
from recollect.conversation.model import STATUSES, Conversation, Message, NewMessage
from recollect.core import check
from recollect.core.errors import Conflict, InvalidInput
from recollect.core.ids import dated
from recollect.core.scope import Scope
from recollect.db import sight
from recollect.db.database import Batch, Connection
from recollect.db.sql import load
from recollect.flows import carry, ingest, items, profiling, remember, retract
from recollect.flows.parts import Parts
from recollect.profile import store as profiles
from recollect.records import filters as filtering
from recollect.records import store
from recollect.records.items import Put
from recollect.records.kinds import ADDABLE
from recollect.records.model import Memory
from recollect.sources import store as sources
from recollect.understanding import profile_keys

QUERIES = load("recollect.flows", "transfer.sql")

VERSION = 1

_WINDOW = 500  # lines that are checked before the first of them is written
_PAGE = 500
_TOLD = 100
_SPOOLED = 16_000_000  # bytes of an export that are held in memory until its end has been seen
_NAMESPACE = UUID("5b1f6c1e-7a55-5d0f-9d2c-3f3a1f0a9d11")
_FIRST = UUID(int=0)

_MEMORY_FIELDS = (
    "kind",
    "type",
    "category",
    "tags",
    "title",
    "content",
    "importance",
    "confidence",
    "pinned",
    "ttl_policy",
    "sensitivity",
    "metadata",
    "valid_from",
    "valid_until",
    "happened_at",
)


_DOCUMENT_FIELDS = ("source_type", "title", "participants", "context_type", "sensitivity", "ttl_policy", "metadata")
_DOCUMENTS = 20


# Out


async def export(parts: Parts, scope: Scope) -> AsyncIterator[dict[str, Any]]:
    """Everything of the scope's own space that was said or added by hand and it may see, a page at a time."""
    count = 0
    async for line in _lines(parts, scope):
        yield line
        count += 1
    yield carry.end_of(count)


async def _lines(parts: Parts, scope: Scope) -> AsyncIterator[dict[str, Any]]:
    scope.refuse_blind()
    head = {"record": "export", "version": VERSION, "space": scope.space, "exported_at": parts.clock().isoformat()}
    yield head | carry.CLOSED
    if scope.categories is None:
        for stone in await carry.stones(parts, scope.space):
            yield stone
    async for conversation in _conversations(parts, scope):
        yield _conversation_line(conversation)
        ids: dict[int, UUID] = {}
        async for message in _messages(parts, scope, conversation):
            ids[message.turn] = message.id
            yield _message_line(conversation, message, ids)
    async for memory in _memories(parts, scope):
        yield _memory_line(memory)
    async for document in _documents(parts, scope):
        yield _document_line(document)
    if scope.space == scope.own_space:
        async for fact in _facts(parts, scope):
            yield fact
    async for line in items.lines(parts, scope):
        yield line
    async for line in carrying.lines(_shelf(parts, scope)):
        yield line


def _shelf(parts: Parts, scope: Scope) -> Shelf:
    return Shelf(parts.database, parts.settings, parts.clock, scope, parts.odd_threads)


@asynccontextmanager
async def _seen(parts: Parts, scope: Scope) -> AsyncIterator[Connection]:
    """A transaction that sees what the scope may see."""
    with sight.narrowed_to(scope.categories):
        async with parts.database.transaction(scope.space) as connection:
            yield connection


async def _conversations(parts: Parts, scope: Scope) -> AsyncIterator[Conversation]:
    after: UUID | None = None
    while found := await conversations.conversations(parts.database, scope, None, _PAGE, after):
        for conversation in found:
            yield conversation
        after = found[-1].id


async def _messages(parts: Parts, scope: Scope, conversation: Conversation) -> AsyncIterator[Message]:
    first = 1
    while found := await conversations.messages(parts.database, scope, conversation, first, _PAGE):
        for message in found:
            yield message
        first = found[-1].turn + 1


async def _memories(parts: Parts, scope: Scope) -> AsyncIterator[Memory]:
    given = {"kinds": sorted(ADDABLE), "include": ["archived", "expired"]}
    filters = filtering.parse(given, zone="UTC", scope=scope)
    after = _FIRST
    while True:
        async with _seen(parts, scope) as connection:
            rows = await store.page(connection, scope.space, filters, parts.clock(), after, _PAGE)
        if not rows:
            return
        for row in rows:
            if row.by_hand:
                yield store.memory_of(row, parts.clock(), parts.rules)
        after = rows[-1].id


async def _documents(parts: Parts, scope: Scope) -> AsyncIterator[Any]:
    """A few at a time: they may be long."""
    seen, after = filtering.allowed_sensitivities(scope.sensitivity), _FIRST
    while True:
        async with _seen(parts, scope) as connection:
            rows = await sources.documents(connection, scope.space, seen, after, _DOCUMENTS)
        if not rows:
            return
        for row in rows:
            yield row
        after = rows[-1].id


async def _facts(parts: Parts, scope: Scope) -> AsyncIterator[dict[str, Any]]:
    """What a person said holds; what was learned from messages is learned from them again."""
    async with _seen(parts, scope) as connection:
        rows = await profiles.active_rows(connection, scope.space, parts.clock(), scope.sensitivity)
    for row in rows:
        if row.by_hand:
            fact = {"type": row.type, "key": row.data["key"], "value": row.data["value"], "confidence": row.confidence}
            yield {"record": "profile", **fact}


def _conversation_line(conversation: Conversation) -> dict[str, Any]:
    return {
        "record": "conversation",
        "thread": conversation.thread_id,
        "title": conversation.title,
        "status": conversation.status,
        "outcome": conversation.outcome,
        "remember": conversation.remember,
        "shared": conversation.shared,
    }


def _message_line(conversation: Conversation, message: Message, ids: dict[int, UUID]) -> dict[str, Any]:
    marks: dict[str, Any] = {"retracted": True} if message.retracted else {}
    if message.in_place_of in ids:
        marks["in_place_of"] = str(ids[message.in_place_of])
    return marks | {
        "record": "message",
        "thread": conversation.thread_id,
        "shared": conversation.shared,
        "id": str(message.id),
        "role": message.role,
        "name": message.name,
        "at": message.at.isoformat(),
        "content": message.content,
        "metadata": message.metadata,
    }


def _memory_line(memory: Memory) -> dict[str, Any]:
    values = {name: getattr(memory, name) for name in _MEMORY_FIELDS}
    moments = ("valid_from", "valid_until", "happened_at")
    values |= {name: values[name] and values[name].isoformat() for name in moments}
    line = {"record": "memory", "id": str(memory.id), "thread": memory.provenance.thread_id, **values}
    return line | {"tags": list(memory.tags)}


def _document_line(row: Any) -> dict[str, Any]:
    moments = {name: (at := getattr(row, name)) and at.isoformat() for name in ("started_at", "ended_at")}
    values = {name: getattr(row, name) for name in _DOCUMENT_FIELDS}
    return {"record": "source", "id": str(row.id), "raw": row.raw, **values, **moments}


# In


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was not taken, and why."""

    number: int
    problem: str


@dataclass(slots=True)
class Imported:
    """What an import has done so far."""

    lines: int = 0
    messages: int = 0
    """Messages that were added."""
    memories: int = 0
    """Memories, documents and profile facts that were added."""
    checkpoints: int = 0
    """Checkpoints that were added: states, and what belongs to a graph's."""
    tombstones: int = 0
    """Tombstones that were put up."""
    present: int = 0
    """What was there already, and stays as it is: lines, of a whole export rows."""
    skipped: int = 0
    """Lines that were left out; `problems` says why."""
    problems: list[BadLine] = field(default_factory=list)
    """The first hundred of them."""
    rows: int = 0
    """Of a whole export: rows that were added, of every table."""
    forgotten: int = 0
    """What was left out or rewritten, because it was forgotten since."""


@dataclass(frozen=True, slots=True)
class _MessageLine:
    number: int
    thread: str
    shared: bool
    message: NewMessage
    retracted: bool = False
    in_place_of: UUID | None = None


@dataclass(frozen=True, slots=True)
class _MemoryLine:
    number: int
    thread: str | None
    space: str
    given: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _ConversationLine:
    number: int
    thread: str
    shared: bool
    title: str | None
    remember: bool
    status: str
    outcome: str | None


@dataclass(frozen=True, slots=True)
class _FactLine:
    number: int
    type: str
    key: str
    value: str
    confidence: float


@dataclass(frozen=True, slots=True)
class _SourceLine:
    number: int
    id: UUID
    raw: str
    given: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _StoneLine:
    number: int
    table: str
    row: dict[str, Any]


_Line = _MessageLine | _MemoryLine | _ConversationLine | _FactLine | _SourceLine | _StoneLine | Put | CheckpointLine


@dataclass(slots=True)
class Import:
    """One import. `told` hears of each line that is left out. Lines that cannot be read are left out where it does, and
    end the import where nobody listens; those that what is there speaks against are left out in any case."""

    parts: Parts
    scope: Scope
    told: Callable[[BadLine], None] | None = None
    done: Imported = field(default_factory=Imported)
    _chats: dict[tuple[str, bool], Conversation] = field(default_factory=dict)
    _ended: list[_ConversationLine] = field(default_factory=list)
    _seen: dict[bytes, int] = field(default_factory=dict)

    async def run(self, lines: Iterable[str]) -> AsyncIterator[Imported]:
        """Take the lines, a few hundred at a time; what is yielded is durable."""
        self.scope.refuse_narrowed("import_lines")
        lines = iter(lines)
        first = next(lines, None)
        if first is not None and (head := carry.head_of(first)) is not None:
            whole = await carry.take(self.parts, self.scope.space, self.scope.owner, head, lines)
            self.done.lines, self.done.present = whole.lines, whole.present
            self.done.messages, self.done.memories = whole.messages, whole.memories
            self.done.checkpoints, self.done.tombstones = whole.checkpoints, whole.tombstones
            self.done.rows, self.done.forgotten = whole.rows, whole.forgotten
            yield self.done
            return
        head = _head(first)
        with _complete(lines, head) as rest:
            if await self._was_forgotten(head):
                self.done.forgotten = self.done.lines = 1 + sum(1 for _ in rest)
                yield self.done
                return
            async for done in self._take(rest if first is None else chain([first], rest)):
                yield done

    async def _was_forgotten(self, head: Mapping[str, Any]) -> bool:
        """Whether everything was forgotten after an export was written."""
        written = check.optional_moment("exported_at", head.get("exported_at"))
        return written is not None and await carry.everything_went_after(self.parts, self.scope.space, written)

    async def _take(self, lines: Iterable[str]) -> AsyncIterator[Imported]:
        numbered = enumerate(lines, start=1)
        while window := list(islice(numbered, _WINDOW)):
            taken = [line for line in self._checked(window) if line is not None]
            await self._write_stones([line for line in taken if isinstance(line, _StoneLine)])
            await self._write_conversations([line for line in taken if isinstance(line, _ConversationLine)])
            await self._write_messages([line for line in taken if isinstance(line, _MessageLine)])
            await self._write_memories([line for line in taken if isinstance(line, _MemoryLine)])
            await self._write_facts([line for line in taken if isinstance(line, _FactLine)])
            await self._write_sources([line for line in taken if isinstance(line, _SourceLine)])
            await self._write_items([line for line in taken if isinstance(line, Put)])
            await self._write_checkpoints([line for line in taken if isinstance(line, CheckpointLine)])
            self.done.lines += len(window)
            yield self.done
        await self._close_conversations()
        self.done.forgotten += await carry.forget_again(self.parts, self.scope.space)

    # Checking

    def _checked(self, window: Sequence[tuple[int, str]]) -> Iterator[_Line | None]:
        for number, text in window:
            try:
                yield self._line(number, text) if text.strip() else None
            except InvalidInput as error:
                self._refuse(number, str(error), error)

    def _refuse(self, number: int, problem: str, error: InvalidInput | Conflict) -> None:
        if self.told is None and isinstance(error, InvalidInput):
            raise InvalidInput(f"line {number}, {error.field}", error.problem) from error
        bad = BadLine(number, problem)
        self.done.skipped += 1
        if len(self.done.problems) < _TOLD:
            self.done.problems.append(bad)
        if self.told is not None:
            self.told(bad)

    def _line(self, number: int, text: str) -> _Line | None:
        values = _object(text)
        record = values.pop("record", None) or ("message" if "role" in values else "memory")
        if record in carrying.RECORDS:
            return carrying.line(_shelf(self.parts, self.scope), number, record, values)
        if record == items.RECORD:
            return items.line(self.parts, values)
        return self._own_line(number, record, values)

    def _own_line(self, number: int, record: object, values: dict[str, Any]) -> _Line | None:
        if record == "export":
            _check_version(values.get("version"))
        if record in ("export", carry.END):
            return None
        readers: dict[object, Callable[[int, dict[str, Any]], _Line | None]] = {
            "conversation": self._conversation,
            "message": self._message,
            "memory": self._memory,
            "profile": self._fact,
            "source": self._source,
            "key": self._key,
            "tombstone": partial(_stone, "tombstone"),
            "tombstone_mark": partial(_stone, "tombstone_mark"),
        }
        if record not in readers:
            known = (*readers, items.RECORD, *carrying.RECORDS)
            raise InvalidInput("record", f"must be one of {', '.join(map(str, known))}, not {record!r}")
        return readers[record](number, values)

    def _key(self, number: int, values: dict[str, Any]) -> None:
        self.parts.keyring.adopt(str(values.get("key")))

    def _source(self, number: int, values: dict[str, Any]) -> _SourceLine:
        unknown = set(values) - {"id", "raw", "started_at", "ended_at", *_DOCUMENT_FIELDS}
        if unknown:
            raise InvalidInput(min(unknown), "is not part of a source")
        given = {name: value for name, value in values.items() if name != "raw" and value is not None}
        memory, source = ingest.new_source(self.parts, self.scope, values.get("raw"), given)
        id = source.id if "id" in given else self._id(values, source.started_at)
        return _SourceLine(number, id, memory.content, given | {"id": id})

    def _fact(self, number: int, values: dict[str, Any]) -> _FactLine:
        confidence = values.get("confidence", 1.0)
        fact = profiling.checked_fact(values.get("type"), values.get("key"), values.get("value"), confidence)
        return _FactLine(number, fact.type, fact.key, fact.value, fact.confidence)

    def _conversation(self, number: int, values: dict[str, Any]) -> _ConversationLine:
        return _ConversationLine(
            number,
            check.identifier("thread", values.get("thread")),
            check.flag("shared", values.get("shared", False)),
            check.optional_text("title", values.get("title")),
            check.flag("remember", values.get("remember", True)),
            check.choice("status", values.get("status", "active"), STATUSES),
            check.optional_text("outcome", values.get("outcome")),
        )

    def _message(self, number: int, values: dict[str, Any]) -> _MessageLine:
        thread = values.pop("thread", None) or self.scope.thread_id
        if thread is None:
            raise InvalidInput("thread", "is missing; name one in the line, or for all lines with --thread")
        check.identifier("thread", thread)
        shared = check.flag("shared", values.pop("shared", False))
        retracted = check.flag("retracted", values.pop("retracted", False))
        in_place_of = check.optional_uuid("in_place_of", values.pop("in_place_of", None))
        most = self.parts.settings.message_bytes
        message = conversations.new_message(values, self.parts.clock(), most)
        if not message.given_id:
            id = self._id(values | {"thread": thread}, values.get("at") and message.at)
            message = replace(message, id=id, given_id=True)
        return _MessageLine(number, thread, shared, message, retracted, in_place_of)

    def _memory(self, number: int, values: dict[str, Any]) -> _MemoryLine:
        thread = values.pop("thread", None) or self.scope.thread_id
        if thread is not None:
            check.identifier("thread", thread)
        memory = remember.new_memory(self.parts, self.scope, values, self.parts.clock())
        at = memory.happened_at if values.get("happened_at") or values.get("valid_from") else None
        given = values if values.get("id") else values | {"id": self._id(values, at)}
        return _MemoryLine(number, thread, remember.space_of(self.scope, memory.kind), given)

    def _id(self, values: dict[str, Any], at: datetime | None) -> UUID:
        """The same for the same line of the same file, wherever the file lies; another one if it comes twice."""
        text = json.dumps(values, sort_keys=True, ensure_ascii=False)
        key = blake2b(text.encode(), digest_size=16).digest()
        self._seen[key] = number = self._seen.get(key, 0) + 1
        id = uuid5(_NAMESPACE, f"{self.scope.space}\n{number}\n{text}")
        return id if at is None else dated(id, at)

    # Writing

    async def _write_conversations(self, lines: Sequence[_ConversationLine]) -> None:
        for line in lines:
            await self._chat(line.thread, line.shared, line.title, line.remember)
            if line.status != "active":
                self._ended.append(line)

    async def _chat(self, thread: str, shared: bool, title: str | None = None, remember: bool = True) -> Conversation:
        found = self._chats.get((thread, shared))
        if found is None:
            now = self.parts.clock()
            found = self._chats[thread, shared] = await conversations.begin(
                self.parts.database, self.scope, thread, now, title=title, remember=remember, shared=shared
            )
        return found

    async def _write_messages(self, lines: Sequence[_MessageLine]) -> None:
        present = await self._present("messages_present", self.scope.space, [line.message.id for line in lines])
        by_chat: dict[tuple[str, bool], list[_MessageLine]] = {}
        for line in lines:
            by_chat.setdefault((line.thread, line.shared), []).append(line)
        for (thread, shared), group in by_chat.items():
            chat = await self._chat(thread, shared)
            await self._write_chat(chat, [line for line in group if not self._is_there(line, chat, present)])

    def _is_there(self, line: _MessageLine, chat: Conversation, present: dict[UUID, Any]) -> bool:
        found = present.get(line.message.id)
        if found is None:
            return False
        self.done.present += 1
        if found.conversation_id != chat.id:
            self.done.present -= 1
            error = Conflict("id: belongs to a message of another conversation")
            self._refuse(line.number, str(error), error)
        return True

    async def _write_chat(self, chat: Conversation, lines: Sequence[_MessageLine]) -> None:
        """All at once; where another import of the same lines came in between, one by one."""
        try:
            self.done.messages += await self._append(chat, _once(lines))
            self.done.present += len(lines) - len(_once(lines))
        except Conflict:
            for line in lines:
                try:
                    self.done.messages += await self._append(chat, [line])
                except Conflict as error:
                    self._refuse(line.number, str(error), error)

    async def _append(self, chat: Conversation, lines: Sequence[_MessageLine]) -> int:
        messages = [line.message for line in lines]
        written = await conversations.append(self.parts.database, self.scope, chat, messages, self.parts.clock())
        turns = {message.id: message.turn for message in written}
        for line in lines:
            turn = turns[line.message.id]
            if line.in_place_of is not None:
                await retract.put_in_place(self.parts, chat, turn, line.in_place_of)
            if line.retracted:
                await retract.retract(self.parts, self.scope, chat, turn, None)
        return len(written)

    async def _write_stones(self, lines: Sequence[_StoneLine]) -> None:
        if lines:
            stones = sum(line.table == "tombstone" for line in lines)
            fresh = await carry.bring_stones(self.parts, self.scope.space, [(line.table, line.row) for line in lines])
            self.done.tombstones += fresh
            self.done.present += stones - fresh

    async def _write_facts(self, lines: Sequence[_FactLine]) -> None:
        if not lines:
            return
        space = self.scope.own_space
        async with self.parts.database.transaction(space) as connection:
            values = await profiles.rows_of_all(connection, space)
        for line in lines:
            held = [row for row in values if (row.type, row.data["key"]) == (line.type, line.key)]
            if any(profiles.held_of(row).active and row.data["value"] == line.value for row in held):
                self.done.present += 1
            elif (problem := _settled(line, held)) is not None:
                self._refuse(line.number, problem, Conflict(problem))
            else:
                await self._set(line)

    async def _set(self, line: _FactLine) -> None:
        try:
            await profiling.set_profile(self.parts, self.scope, line.type, line.key, line.value, line.confidence)
            self.done.memories += 1
        except Conflict as error:
            self._refuse(line.number, str(error), error)

    async def _write_memories(self, lines: Sequence[_MemoryLine]) -> None:
        groups: dict[tuple[str, str | None], list[_MemoryLine]] = {}
        for line in lines:
            groups.setdefault((line.space, line.thread), []).append(line)
        for (space, thread), group in groups.items():
            ids = [check.uuid("id", line.given["id"]) for line in group]
            present = await self._present("memories_present", space, ids)
            fresh = [line for line, id in zip(group, ids, strict=True) if not self._is_known(line, present.get(id))]
            await self._add(replace(self.scope, thread_id=thread), fresh)

    def _is_known(self, line: _MemoryLine, found: Any | None) -> bool:
        if found is None or found.kind != (line.given.get("kind") or "statement"):
            return False
        self.done.present += 1
        return True

    async def _add(self, scope: Scope, lines: Sequence[_MemoryLine]) -> None:
        if not lines:
            return
        try:
            await remember.add_many(self.parts, scope, [line.given for line in lines])
            self.done.memories += len(lines)
        except Conflict:
            for line in lines:
                try:
                    await remember.add(self.parts, scope, line.given)
                    self.done.memories += 1
                except Conflict as error:
                    self._refuse(line.number, str(error), error)

    async def _write_sources(self, lines: Sequence[_SourceLine]) -> None:
        present = await self._present("memories_present", self.scope.space, [line.id for line in lines])
        for line in lines:
            if line.id in present and present[line.id].kind == "source":
                self.done.present += 1
                continue
            try:
                await ingest.ingest(self.parts, self.scope, line.raw, line.given)
                self.done.memories += 1
            except Conflict as error:
                self._refuse(line.number, str(error), error)

    async def _write_items(self, lines: Sequence[Put]) -> None:
        fresh = await items.bring(self.parts, self.scope, lines)
        self.done.memories += fresh
        self.done.present += len(lines) - fresh

    async def _write_checkpoints(self, lines: Sequence[CheckpointLine]) -> None:
        fresh = await carrying.bring(_shelf(self.parts, self.scope), lines)
        self.done.checkpoints += fresh
        self.done.present += len(lines) - fresh

    async def _present(self, query: str, space: str, ids: Sequence[UUID]) -> dict[UUID, Any]:
        if not ids:
            return {}
        batch = Batch(space)
        batch.add(QUERIES[query], space=space, ids=list(ids))
        [rows] = await self.parts.database.send(batch)
        return {row.id: row for row in rows}

    async def _close_conversations(self) -> None:
        """At the very end: a conversation that has ended takes no more messages."""
        for line in self._ended:
            chat = await self._chat(line.thread, line.shared)
            if chat.status != line.status:
                await conversations.set_status(self.parts.database, chat, line.status, self.parts.clock(), line.outcome)


def _stone(table: str, number: int, values: dict[str, Any]) -> _StoneLine:
    return _StoneLine(number, table, check.mapping("row", values.get("row"), most_bytes=1_000_000))


def _settled(line: _FactLine, held: Sequence[Any]) -> str | None:
    """Why a person has settled it that a value does not hold; None where none has."""
    by_hand = [row for row in held if row.by_hand]
    if any(row.state == "soft_deleted" and row.data["value"] == line.value for row in by_hand):
        return f"{line.key}: a person deleted this value"
    others = [row for row in by_hand if profiles.held_of(row).active]
    if others and not profile_keys.holds_many(line.key):
        return f"{line.key}: a person set another value"
    return None


def _head(first: str | None) -> dict[str, Any]:
    """The head of a plain export; nothing where lines begin without one."""
    try:
        value = json.loads(first or "")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) and value.get("record") == "export" else {}


@contextmanager
def _complete(lines: Iterable[str], head: Mapping[str, Any]) -> Iterator[Iterable[str]]:
    """The lines after a head; where it says that the export has an end, only once that has been seen."""
    if not head.get("ends"):
        yield lines
        return
    with SpooledTemporaryFile(_SPOOLED, "w+", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for line in carry.closing(lines, head):
            file.write(line if line.endswith("\n") else line + "\n")
        file.seek(0)
        yield file


def _once(lines: Sequence[_MessageLine]) -> list[_MessageLine]:
    """The lines without those that give an id again."""
    return list({line.message.id: line for line in reversed(lines)}.values())[::-1]


def _object(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("JSON", f"cannot be read: {error}") from None
    if not isinstance(values, dict):
        raise InvalidInput("JSON", "must be an object")
    return values


def _check_version(version: object) -> None:
    if version != VERSION:
        raise InvalidInput("version", f"this Recollect reads exports of version {VERSION}, not {version!r}")
