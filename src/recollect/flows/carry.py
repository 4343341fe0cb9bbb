"""A whole space as lines of JSON, and back: every row of every table, vectors and tombstones included.

The same rows give the same bytes: an export into an empty database and an export of that are alike. Rows that are
there already stay as they are, so that an import can be run again. What the database knows to be forgotten is taken
out again before the import is over, in the same transaction. The last line says how many came before it, so that a file
that was cut off is refused.
"""

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.conversation.service import COMPRESS_TASK
from recollect.core.errors import Conflict, InvalidInput
from recollect.core.keyring import Key, Keyring
from recollect.core.scope import Scope
from recollect.db.compose import SQL, Identifier
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.flows import forget, reindexing, statistics, unlearn
from recollect.flows.parts import Parts
from recollect.flows.scrub import Reach, Scrub
from recollect.queue import enqueue_on
from recollect.records import tombstones
from recollect.records.model import Actor
from recollect.records.tombstones import Bars
from recollect.sources.model import INGEST_TASK

QUERIES = load("recollect.flows", "carry.sql")

VERSION = 2
CLOSED = {"ends": True}
"""What the head of an export says: the last line has to be there."""
END = "end"

STONES = ("tombstone", "tombstone_mark")
_BARRED = ("space", *STONES)
_NAMED = ("conversation", "message", "memory", "relation", "note", "consent", "active", "review", "source")
_FIRST = (*_BARRED, *_NAMED)
"""Tables that come first: what is barred, and what others refer to."""
_LEFT_OUT = {("space_statistics", "vector_index"), ("space_statistics", "taken_at")}
"""Columns that say something of one database alone: an index there, and when its jobs last counted."""
_FORMER = {("checkpoint", "kind")}
"""Columns that exports had once."""
_STAYING = frozenset({"outbox", "projection", "spend", "spend_stop", "replay", "replay_reading", "replay_change"})
"""Tables of one database alone: what Neo4j has of it, what its models cost, and what was read again there."""
_OF_MODEL = frozenset({"entry", "relation_entry", "term_statistics", "space_statistics"})
"""Tables that are made anew where the model or the space is another one."""
_NAMING = ("id", "memory_id", "node_id", "target_id", "relation_id", "from_id", "to_id", "kept_id", "gone_id")
"""Columns that name a memory or a relation."""
_SHOWING = {"note": (*_NAMING, "source_id")}
"""Tables whose rows say something of more than they name by those: a note tells of the source that it came from."""
_PARTS = {"entry": ("memory", "memory_id"), "memory_version": ("memory", "memory_id")}
_PARTS |= {"relation_entry": ("relation", "relation_id")}
"""Tables whose rows are parts of a row of another one: where that stays as it is, so do its parts."""
_BELONGING = (*_NAMING, "conversation_id", "active_id")
_CHECKPOINTS = ("checkpoint", "checkpoint_state", "checkpoint_value", "checkpoint_write")
_WHEN = ("recorded_at", "received_at", "stored_at", "created_at", "at", "since", "proposed_at")
_PAGE = 200
_WRITER = Actor("recollect", reason="forgotten before", by_hand=False)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of spaces: its columns with their types, and those that its rows are in the order of."""

    name: str
    columns: dict[str, str]
    key: tuple[str, ...]


async def tables_of(connection: Connection) -> list[Table]:
    """Every table of spaces, in the order in which they are carried."""
    cursor = await connection.execute(QUERIES["columns"])
    found: dict[str, dict[str, Any]] = {}
    for row in await cursor.fetchall():
        if row.table not in _STAYING and (row.table, row.name) not in _LEFT_OUT:
            found.setdefault(row.table, {})[row.name] = row
    return [_table(name, found[name]) for name in sorted(found, key=_place)]


def _place(name: str) -> tuple[int, str]:
    return (_FIRST.index(name) if name in _FIRST else len(_FIRST), name)


def _table(name: str, rows: Mapping[str, Any]) -> Table:
    columns = {each: row.type for each, row in rows.items() if each != "space_id"}
    key = sorted((row for row in rows.values() if row.place >= 0), key=lambda row: row.place)
    return Table(name, columns, tuple(row.name for row in key if row.name != "space_id"))


# Out -------------------------------------------------------------------------------------------------------


async def export(parts: Parts, scope: Scope) -> AsyncIterator[str]:
    """All of the scope's own space, line by line, as it stood at one moment."""
    scope.refuse_narrowed("a whole export")
    space = scope.space
    async with parts.database.transaction(space) as connection:
        await at_one_moment(connection)
        cursor = await connection.execute(QUERIES["embedder"])
        model = await cursor.fetchone()
        head = {"record": "export", "version": VERSION, "space": space, "embedder": model.value if model else None}
        yield _line(head | CLOSED)
        count = 1
        async for line in lines_of(connection, space, parts.keyring, open_only=scope.sensitivity != "high"):
            yield line
            count += 1
        yield _line(end_of(count))


def end_of(lines: int) -> dict[str, Any]:
    """The last line of an export, after so many."""
    return {"record": END, "lines": lines}


async def stones(parts: Parts, space: str) -> list[dict[str, Any]]:
    """The tombstones of a space, with their keys and marks, as lines."""
    async with parts.database.transaction(space) as connection:
        await connection.execute("set local timezone = 'UTC'")
        lines = [_key_line(key) for key in await tombstones.keys(connection, space, parts.keyring)]
        for table in await tables_of(connection):
            if table.name in STONES:
                texts = [text async for text in _rows(connection, space, table)]
                lines += [{"record": table.name, "row": json.loads(text)} for text in texts]
    return lines


async def at_one_moment(connection: Connection) -> None:
    """Let a transaction see what there is now, whatever comes meanwhile; moments are written in one way everywhere."""
    await connection.execute("set transaction isolation level repeatable read")
    await connection.execute("set local timezone = 'UTC'")


async def lines_of(
    connection: Connection, space: str, keyring: Keyring, *, open_only: bool = False
) -> AsyncIterator[str]:
    """The keys of a space's tombstones, then all of its rows."""
    for key in await tombstones.keys(connection, space, keyring):
        yield _line(_key_line(key))
    hidden: set[str] = set()
    if open_only:
        cursor = await connection.execute(QUERIES["hidden"], {"space": space})
        hidden = {str(row.id) for row in await cursor.fetchall()}
    for table in await tables_of(connection):
        async for text in _rows(connection, space, table):
            if not hidden or hidden.isdisjoint(_named(json.loads(text), _SHOWING.get(table.name, _NAMING))):
                yield f'{{"record": "row", "table": "{table.name}", "row": {text}}}'


def _key_line(key: Key) -> dict[str, Any]:
    return {"record": "key", "key": key.secret.hex()}


async def _rows(connection: Connection, space: str, table: Table) -> AsyncIterator[str]:
    """The rows of a table as JSON, in the order of their keys; JSON that was stored stays to the letter."""
    chosen = SQL(", ").join(map(Identifier, table.columns))
    order = SQL(", ").join(
        SQL('{} collate "C"' if table.columns[name] == "text" else "{}").format(Identifier(name))
        for name in table.key or tuple(table.columns)[:1]
    )
    statement = SQL(
        "select row_to_json(r)::text as text from (select {} from {} where space_id = {} order by {}) as r"
    ).format(chosen, Identifier(table.name), space, order)
    async with connection.cursor(name=f"carry_{table.name}") as cursor:
        cursor.itersize = _PAGE
        await cursor.execute(statement, {})
        async for row in cursor:
            yield row.text.replace("\n", " ")


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _named(row: Mapping[str, Any], columns: Sequence[str] = _NAMING) -> set[str]:
    return {str(row[name]) for name in columns if row.get(name) is not None}


# In --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Carried:
    """What an import has done."""

    lines: int = 0
    rows: int = 0
    """Rows that were written."""
    present: int = 0
    """Rows that were there before."""
    forgotten: int = 0
    """Rows that were left out, or rewritten, because something was forgotten since."""
    messages: int = 0
    memories: int = 0
    checkpoints: int = 0
    tombstones: int = 0
    skipped: int = 0


@dataclass(slots=True)
class Space:
    """One space that is carried in: whose it was, and what its vectors are of."""

    name: str
    embedder: Any


def head_of(text: str) -> dict[str, Any] | None:
    """The head of a whole export; None where the line is something else."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    whole = isinstance(value, dict) and value.get("record") == "export" and value.get("version") == VERSION
    return value if whole else None


def closing(lines: Iterable[str], head: Mapping[str, Any]) -> Iterator[str]:
    """The lines after a head up to the last one; what does not end as the head promises is refused."""
    count, ended = 1, False
    for text in lines:
        if ended and text.strip():
            raise InvalidInput(f"line {count + 2}, record", "comes after the end of the export")
        ended = ended or _is_end(text, count)
        if not ended:
            count += bool(text.strip())
            yield text
    if head.get("ends") and not ended:
        raise InvalidInput("lines", f"the export is cut off after {count}: its last line is missing")


def _is_end(text: str, count: int) -> bool:
    if not text.startswith(f'{{"record": "{END}"'):
        return False
    try:
        told = json.loads(text).get("lines")
    except ValueError:
        raise InvalidInput("lines", f"the export is cut off after {count}") from None
    if told != count:
        raise InvalidInput("lines", f"the export has {count} lines, and had {told}: some are missing or too many")
    return True


async def take(parts: Parts, space: str, owner: str, head: Mapping[str, Any], lines: Iterable[str]) -> Carried:
    """Write an export into a space: all of it, or nothing."""
    done = Carried(lines=1)
    former = Space(_text(head, "space"), head.get("embedder"))
    async with parts.database.transaction(space) as connection:
        await connection.execute("set local timezone = 'UTC'")
        work = _Taking(parts, connection, space, owner, former, done)
        await work.run(closing(lines, head))
        await _enqueue(connection, space)
    if work.anew:
        await _index(parts, space)
    parts.searcher.known.forget(space)
    return done


def _text(values: Mapping[str, Any], name: str) -> str:
    if not isinstance(values.get(name), str):
        raise InvalidInput(name, "must be a text")
    return str(values[name])


async def _enqueue(connection: Connection, space: str) -> None:
    for task in sorted((COMPRESS_TASK, INGEST_TASK, statistics.TASK, unlearn.TASK, forget.TASK)):
        await enqueue_on(connection, task, space)


async def _index(parts: Parts, space: str) -> None:
    """Make all of a space searchable: its rows came without entries of their own."""
    async with parts.database.transaction(space) as connection:
        cursor = await connection.execute(QUERIES["memories"], {"space": space})
        ids = [row.id for row in await cursor.fetchall()]
    await reindexing.reindex(parts, space, ids)


@dataclass(frozen=True, slots=True)
class Row:
    """A row that is to be written, read and as it stands."""

    table: str
    values: dict[str, Any]
    text: str


@dataclass(slots=True)
class _Taking:
    """The transaction of one space."""

    parts: Parts
    connection: Connection
    space: str
    owner: str
    former: Space
    done: Carried
    anew: bool = False
    """Whether what is searched has to be made anew, of another model or for another space."""
    _tables: dict[str, Table] = field(default_factory=dict)
    _gone_before: datetime | None = None
    _gone: set[str] = field(default_factory=set)
    _there: dict[str, set[str]] = field(default_factory=lambda: {"memory": set(), "relation": set()})
    """Memories and relations that stay as they are."""

    async def run(self, lines: Iterable[str]) -> None:
        """All rows, then what was forgotten since is taken out of them."""
        self._tables = {table.name: table for table in await tables_of(self.connection)}
        embedder = {"name": self.parts.embedder.name, "dimensions": self.parts.embedder.dimensions}
        self.anew = self.former.name != self.space or (self.former.embedder not in (None, embedder))
        buried = await tombstones.listed(self.connection, self.space)
        known = {stone.id for stone in buried}
        self._gone_before = max((stone.at for stone in buried if stone.form == "everything"), default=None)
        threads, before = await self._threads(), await self._counts()
        for table, rows in self._grouped(lines):
            if table == "conversation":
                self._check_threads(rows, threads)
            await self._write(self._tables[table], rows)
        added = {table: count - before[table] for table, count in (await self._counts()).items()}
        self.done.rows = sum(added.values())
        self.done.messages, self.done.memories = added["message"], added["memory"]
        self.done.checkpoints, self.done.tombstones = sum(map(added.__getitem__, _CHECKPOINTS)), added["tombstone"]
        self.done.present -= self.done.rows
        if known:
            await self._forget_again()

    def _grouped(self, lines: Iterable[str]) -> Iterator[tuple[str, list[Row]]]:
        """Rows of one table after the other, some at a time."""
        name, rows = "", list[Row]()
        for text in lines:
            self.done.lines += 1
            if not text.strip():
                continue
            line = self._checked(text)
            if line is None:
                continue
            if rows and (line.table != name or len(rows) >= _PAGE):
                yield name, rows
                rows = []
            name = line.table
            rows.append(line)
        if rows:
            yield name, rows

    def _checked(self, text: str) -> Row | None:
        """A row that is to be written; keys are kept, and what is made anew is left out."""
        number = self.done.lines
        try:
            line = json.loads(text)
        except ValueError as error:
            raise InvalidInput(f"line {number}, JSON", f"cannot be read: {error}") from None
        if not isinstance(line, dict):
            raise InvalidInput(f"line {number}, JSON", "must be an object")
        if line.get("record") == "key":
            self.parts.keyring.adopt(str(line.get("key")))
            return None
        table, row = line.get("table"), line.get("row")
        if line.get("record") != "row" or table not in self._tables or not isinstance(row, dict):
            raise InvalidInput(f"line {number}, record", "must be a key, or a row of a table that this Recollect knows")
        if (table, row.get("kind")) == ("checkpoint", "state"):
            table, row = "checkpoint_state", _state_of(row)
            text = json.dumps({"row": row}, ensure_ascii=False)
        passed = _LEFT_OUT | _FORMER
        unknown = {name for name in row if name not in self._tables[table].columns and (table, name) not in passed}
        if unknown:
            raise InvalidInput(f"line {number}, {min(unknown)}", f"is no column of {table}")
        if self.anew and table in _OF_MODEL:
            return None
        if self._is_gone(table, row):
            self.done.forgotten += 1
            return None
        return self._mine(table, row, text)

    def _is_gone(self, table: str, row: Mapping[str, Any]) -> bool:
        """Whether a row is of before the moment at which everything was forgotten."""
        if self._gone_before is None or table in _BARRED:
            return False
        moments = [row[name] for name in _WHEN if row.get(name)]
        old = bool(moments) and datetime.fromisoformat(moments[0]) <= self._gone_before
        if old and "id" in row:
            self._gone.add(str(row["id"]))
        return old or table in _OF_MODEL - {"entry"} or not self._gone.isdisjoint(_named(row, _BELONGING))

    def _mine(self, table: str, row: dict[str, Any], text: str) -> Row:
        """A row as the space's own: conversations of who it was belong to who it is now. All else stays to the letter:
        what a message holds is JSON that nobody has read."""
        if row.get("owner") and self.former.name != self.space:
            row = row | {"owner": self.owner}
            return Row(table, row, json.dumps(row, ensure_ascii=False))
        return Row(table, row, _value_at(text, text.index('"row":') + len('"row":')))

    async def _threads(self) -> dict[tuple[str, str], str]:
        cursor = await self.connection.execute(QUERIES["threads"], {"space": self.space})
        return {(row.owner, row.thread_id): str(row.id) for row in await cursor.fetchall()}

    def _check_threads(self, rows: Sequence[Row], threads: Mapping[tuple[str, str], str]) -> None:
        for row in (each.values for each in rows):
            if threads.get((row["owner"], row["thread_id"]), row["id"]) != row["id"]:
                raise Conflict(f"thread {row['thread_id']!r} is another conversation here: import into an empty space")

    async def _write(self, table: Table, rows: Sequence[Row]) -> None:
        if table.name in self._there:
            self._there[table.name] |= await self._present(table, rows)
        of, column = _PARTS.get(table.name, ("", ""))
        new = [row.text for row in rows if not of or row.values.get(column) not in self._there[of]]
        if new:
            await _insert(self.connection, self.space, table, new)
        self.done.present += len(rows)

    async def _present(self, table: Table, rows: Sequence[Row]) -> set[str]:
        """Which of some rows are there, by their ids."""
        ids = [id for row in rows if (id := row.values.get("id")) is not None]
        statement = SQL("select id from {} where space_id = {} and id = any ({}::uuid[])").format(
            Identifier(table.name), self.space, ids
        )
        cursor = await self.connection.execute(statement, {})
        return {str(row.id) for row in await cursor.fetchall()}

    async def _counts(self) -> dict[str, int]:
        """How many rows each table has; what an insert says of it on a cluster counts what was refused, too."""
        counts = {}
        for table in self._tables:
            statement = SQL("select count(*) as rows from {} where space_id = {}").format(Identifier(table), self.space)
            cursor = await self.connection.execute(statement, {})
            row = await cursor.fetchone()
            counts[table] = int(row.rows) if row else 0
        return counts

    async def _forget_again(self) -> None:
        """What the database knows to be forgotten, and the rows have brought back."""
        bars = await tombstones.bars(self.connection, [self.space], self.parts.keyring)
        went = await forget_barred(self.parts, self.connection, self.space, bars)
        self.done.forgotten += went


def _state_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """A state as it is kept now: exports had it among the checkpoints of graphs once, its version a text."""
    kept = {name: row.get(name) for name in ("owner", "thread_id", "body", "saved_by", "saved_at")}
    return kept | {"version": row.get("id")}


async def _insert(connection: Connection, space: str, table: Table, rows: Sequence[str]) -> None:
    """Rows as JSON; those that are there stay."""
    names = SQL(", ").join(map(Identifier, table.columns))
    typed = SQL(", ").join(SQL("{} " + type).format(Identifier(name)) for name, type in table.columns.items())
    values = "[" + ", ".join(rows) + "]"
    statement = SQL(
        "insert into {} (space_id, {}) select {}, {} from json_to_recordset({}::json) as r ({}) on conflict do nothing"
    ).format(Identifier(table.name), names, space, names, values, typed)
    await connection.execute(statement, {})


async def bring_stones(parts: Parts, space: str, rows: Sequence[tuple[str, Mapping[str, Any]]]) -> int:
    """Put up tombstones that a plain export brought, in one transaction; how many were not there."""
    async with parts.database.transaction(space) as connection:
        known = len(await tombstones.listed(connection, space))
        for table in await tables_of(connection):
            texts = [json.dumps(row, ensure_ascii=False) for name, row in rows if name == table.name]
            if texts and table.name in STONES:
                await _insert(connection, space, table, texts)
        return len(await tombstones.listed(connection, space)) - known


async def everything_went_after(parts: Parts, space: str, moment: datetime) -> bool:
    """Whether all of a space was forgotten at a moment or later."""
    async with parts.database.transaction(space) as connection:
        buried = await tombstones.listed(connection, space)
    return any(stone.form == "everything" and stone.at >= moment for stone in buried)


async def forget_again(parts: Parts, space: str) -> int:
    """Take out of a space what its tombstones bar and an import has brought back; how much."""
    async with parts.database.transaction(space) as connection:
        bars = await tombstones.bars(connection, [space], parts.keyring)
        went = await forget_barred(parts, connection, space, bars)
        if went:
            await _enqueue(connection, space)
    if went:
        parts.searcher.known.forget(space)
    return went


async def forget_barred(parts: Parts, connection: Connection, space: str, bars: Bars) -> int:
    """Take out of a space what its tombstones bar: derived texts of any time, raw ones of before."""
    if not bars:
        return 0
    reach = Reach(finder=bars.finder(), raw=bars.raw_finder)
    cursor = await connection.execute(QUERIES["rows_of_all"], {"space": space})
    of = {"memory": reach.memories, "message": reach.messages, "conversation": reach.conversations}
    of |= {"relation": reach.relations, "note": reach.notes}
    for row in await cursor.fetchall():
        if bars.has_row(row.id):
            of[row.of].add(row.id)
    went = await Scrub(parts, connection, space, reach, _WRITER).run()
    if went.again:
        id = (await tombstones.listed(connection, space))[-1].id
        await tombstones.wait(connection, space, id, went.waiting())
    return len(went.removed) + len(went.rewritten) + len(went.messages)


def _value_at(text: str, place: int) -> str:
    """The JSON value that begins at a place of a text, after blanks."""
    start = place + len(text[place:]) - len(text[place:].lstrip())
    _, end = json.JSONDecoder().raw_decode(text, start)
    return text[start:end]
