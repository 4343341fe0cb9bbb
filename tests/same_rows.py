"""Whether two databases hold the same, row by row, whatever ids were made on the way there."""

import re
from collections import defaultdict
from hashlib import blake2b
from typing import NamedTuple

import psycopg

Tables = dict[str, list[str]]

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_ROUNDS = 5


def snapshot(url: str) -> Tables:
    """Every row of every table of the schema, as text."""
    with psycopg.connect(url, options="-c search_path=recollect,public -c timezone=UTC") as owner:
        tables = [name for (name,) in owner.execute("select tablename from pg_tables where schemaname = 'recollect'")]
        return {name: sorted(row for (row,) in owner.execute(f'select t::text from "{name}" t')) for name in tables}


def ids_in(tables: Tables) -> set[str]:
    """Every id that the rows name."""
    return {id for rows in tables.values() for row in rows for id in _ID.findall(row)}


def changed(before: Tables, after: Tables) -> Tables:
    """Rows that came, went, or are not what they were."""
    return {name: sorted(set(before[name]) ^ set(after[name])) for name in before}


class _Row(NamedTuple):
    table: str
    text: str
    ids: tuple[str, ...]


def canonical(tables: Tables, known: set[str]) -> list[str]:
    """All rows, with numbers in the place of ids that are not among the known ones.

    An id is told from others by the rows that name it, by the ids beside it in those, and so on: what stands at the
    same place in two databases gets the same number in both.
    """
    rows = [_row(name, row, known) for name, found in tables.items() for row in found]
    numbers: dict[str, str] = {}
    for _ in range(_ROUNDS):
        places: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            told = _told(row, numbers)
            for place, id in enumerate(row.ids):
                places[id].append(f"{place}:{told}")
        numbers = {id: _digest(*sorted(seen)) for id, seen in places.items()}
    return sorted(_told(row, numbers, readable=True) for row in rows)


def _row(table: str, text: str, known: set[str]) -> _Row:
    fresh = [id for id in _ID.findall(text) if id not in known]
    return _Row(table, _ID.sub(lambda match: match[0] if match[0] in known else "#", text), tuple(fresh))


def _told(row: _Row, numbers: dict[str, str], *, readable: bool = False) -> str:
    beside = " ".join(numbers.get(id, "") for id in row.ids)
    return f"{row.table} {row.text} {beside}" if readable else _digest(row.table, row.text, beside)


def _digest(*parts: str) -> str:
    return blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()
