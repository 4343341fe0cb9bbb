"""What PostgreSQL's catalogue says of our tables, and rows that fit any of them."""

import re
from dataclasses import dataclass
from typing import Any

from psycopg import Connection, sql

_TABLES = """
select relname from pg_class
where relnamespace = 'recollect'::regnamespace and relkind in ('r', 'p') order by relname
"""
_COLUMNS = """
select a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated <> '' as generated
from pg_attribute a
where a.attrelid = ('recollect.' || quote_ident(%s))::regclass and a.attnum > 0 and not a.attisdropped
order by a.attnum
"""
_CHECKS = """
select pg_get_constraintdef(oid) from pg_constraint
where conrelid = ('recollect.' || quote_ident(%s))::regclass and contype = 'c'
"""
_ID = "00000000-0000-7000-8000-000000000001"
_VALUES = {
    "text": "x",
    "text[]": "{}",
    "integer": "1",
    "integer[]": "{1}",
    "bigint": "1",
    "double precision": "0.5",
    "boolean": "true",
    "uuid": _ID,
    "uuid[]": "{}",
    "json": "{}",
    "jsonb": "{}",
    "smallint": "1",
    "real": "0.5",
    "numeric": "1",
    "interval": "1 day",
    "vector": "[1,0]",
    "bytea": "\\x00",
    "date": "2026-03-18",
    "timestamp with time zone": "2026-03-18T09:30:00Z",
    "halfvec": "[1,0]",
    "sparsevec": "{1:1}/1000000000",
}


@dataclass(frozen=True)
class Row:
    """Values for the columns of a table that have no value of their own."""

    table: str
    values: dict[str, str]

    def insert(self, more: str = "") -> sql.Composed:
        """The statement that writes it."""
        columns = sql.SQL(", ").join(map(sql.Identifier, self.values))
        values = sql.SQL(", ").join(map(sql.Literal, self.values.values()))
        return sql.SQL("insert into {} ({}) values ({})" + more).format(sql.Identifier(self.table), columns, values)


def tables(connection: Connection[Any]) -> list[str]:
    """Every table of the schema."""
    return [name for (name,) in connection.execute(_TABLES)]


def space_tables(connection: Connection[Any]) -> list[str]:
    """Those that have a space."""
    return [table for table in tables(connection) if "space_id" in _columns(connection, table)]


def _columns(connection: Connection[Any], table: str) -> dict[str, tuple[str, bool, bool]]:
    return {name: (kind, needed, made) for name, kind, needed, made in connection.execute(_COLUMNS, [table])}


def row(connection: Connection[Any], table: str, space: str) -> Row:
    """A row that the table takes: by the types of its columns, and by what its checks allow."""
    allowed = _allowed(connection, table)
    values = {
        name: allowed.get(name, _VALUES[kind])
        for name, (kind, needed, made) in _columns(connection, table).items()
        if needed and not made
    }
    return Row(table, values | {"space_id": space})


def _allowed(connection: Connection[Any], table: str) -> dict[str, str]:
    """The first word of each list that a check names."""
    checks = [text for (text,) in connection.execute(_CHECKS, [table])]
    found = (re.search(r"\(\(?(\w+) = ANY \(ARRAY\['([^']+)'", text) for text in checks)
    return {match[1]: match[2] for match in found if match}
