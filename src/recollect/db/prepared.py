"""Statements with their values apart from their text, in one round trip.

What is written into a statement as text costs twice its size and has to be read sign by sign: too much for a body of
many kilobytes. Here values travel in binary, and the server parses a statement once for a connection.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg import sql
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import FeatureNotSupported, InvalidSqlStatementName
from psycopg.pq import Format
from psycopg.pq.abc import PGconn

from recollect.db.pipeline import Meanwhile, run_commands

_PLACE = re.compile(r"%%|%\((\w+)\)s")
"""A percent sign, which is written twice, or the place of a value."""
_TEXT = 25

Connection = psycopg.AsyncConnection[Any]
Step = tuple[sql.Composed | str, Mapping[str, Any]]
Key = tuple[str, tuple[int, ...] | None]
"""A statement and the types of its values: a small number is sent in fewer bytes than a large one."""
Given = tuple[Sequence[Any], tuple[int, ...] | None, Sequence[Format] | None]
"""Values as they are sent, their types and their formats."""


class Late:
    """A value that takes a while to check: the server works on it meanwhile."""

    def made(self) -> Any:
        """The value; asked for again where a statement has to be sent again."""
        raise NotImplementedError

    def check(self) -> None:
        """Asked while the server works on what was made, before it may commit: an error takes all of it back."""
        raise NotImplementedError


def on_time(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Values of which none is late any more, all of them checked."""
    if not (late := _late(values)):
        return values
    made = {name: value.made() for name, value in late.items()}
    for value in late.values():
        value.check()
    return {**values, **made}


def _late(values: Mapping[str, Any]) -> dict[str, Late]:
    return {name: value for name, value in values.items() if isinstance(value, Late)}


class Prepared:
    """Which statements each connection has prepared; with `named` off none are, for a transaction-mode pooler."""

    def __init__(self, named: bool) -> None:
        self._named = named
        self._names: WeakKeyDictionary[Connection, dict[Key, bytes]] = WeakKeyDictionary()
        self._numbers = count()

    async def run(
        self, connection: Connection, settings: Mapping[str, str], statements: Sequence[Step], meanwhile: Meanwhile
    ) -> list[list[Any]]:
        """Run statements as one transaction with settings of its own; the rows of each."""
        try:
            return await self._send(connection, settings, statements, meanwhile)
        except (FeatureNotSupported, InvalidSqlStatementName):
            # The driver lets go of everything prepared after some errors, and an upgrade may change what a statement
            # gives back; nothing of this was kept.
            self._names.pop(connection, None)
            return await self._send(connection, settings, statements, meanwhile)

    async def _send(
        self, connection: Connection, settings: Mapping[str, str], statements: Sequence[Step], meanwhile: Meanwhile
    ) -> list[list[Any]]:
        known = self._names.setdefault(connection, {})
        fresh: dict[Key, bytes] = {}

        def queue(pgconn: PGconn) -> list[int]:
            """The places of the statements' answers: preparing one is answered too, and so are the settings."""
            if settings:
                given = [value.encode() for value in settings.values()], (_TEXT,) * len(settings), None
                self._queue(pgconn, _setting(tuple(settings)), given, known, fresh)
            late = [value for _, values in statements for value in _late(values).values()]
            answers: list[int] = []
            for statement, values in statements:
                if isinstance(statement, str):
                    places = _numbered(statement)[1]
                    self._queue(pgconn, statement, _given(connection, places, values), known, fresh)
                else:  # put together for this once
                    command, places = _number(statement.as_string(connection))
                    pgconn.send_query_params(command, *_given(connection, places, values), Format.BINARY)
                answers.append(bool(settings) + len(answers) + len(fresh))
            if late:
                pgconn.flush()
                for value in late:
                    value.check()
            return answers

        rows = await run_commands(connection, queue, meanwhile)
        known |= fresh
        return rows

    def _queue(
        self, pgconn: PGconn, text: str, values: Given, known: Mapping[Key, bytes], fresh: dict[Key, bytes]
    ) -> None:
        command, _ = _numbered(text)
        given, types, formats = values
        if not self._named:
            pgconn.send_query_params(command, given, types, formats, Format.BINARY)
            return
        key = (text, types)
        name = known.get(key) or fresh.get(key)
        if name is None:
            # Another name for each try: whether one that failed left its own behind is not known.
            fresh[key] = name = f"recollect_{next(self._numbers)}".encode()
            pgconn.send_prepare(name, command, types)
        pgconn.send_query_prepared(name, given, formats, Format.BINARY)


def _given(connection: Connection, places: Sequence[str], values: Mapping[str, Any]) -> Given:
    transformer = Transformer(connection)
    made = [value.made() if isinstance(value := values[name], Late) else value for name in places]
    given = transformer.dump_sequence(made, [PyFormat.AUTO] * len(places))
    return given, transformer.types, transformer.formats


@lru_cache(100)
def _setting(names: tuple[str, ...]) -> str:
    """The statement that gives settings their values for a transaction."""
    return "select " + ", ".join(f"set_config('{name}', %(value{n})s, true)" for n, name in enumerate(names))


def _number(text: str) -> tuple[bytes, tuple[str, ...]]:
    """A statement with numbered places, and the names of its values in that order."""
    names = tuple(dict.fromkeys(filter(None, _PLACE.findall(text))))
    numbered = _PLACE.sub(lambda found: f"${names.index(found[1]) + 1}" if found[1] else "%", text)
    return numbered.encode(), names


_numbered = lru_cache(1_000)(_number)
