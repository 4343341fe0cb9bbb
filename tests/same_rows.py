"""Whether two databases hold the same, row by row, whatever ids were made on the way there."""

import re
from collections import defaultdict
from hashlib import blake2b
from typing import NamedTuple

import psycopg

Tables = dict[str, list[str]]

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_ROUNDS = 5
_OF_SPACES = ("space", "upkeep")
"""What is counted or noted of a space as a whole."""


def snapshot(url: str) -> Tables:
    """Every row of every table of the schema, as text; what was spent depends on how often things were tried."""
    with psycopg.connect(url, options="-c search_path=recollect,public -c timezone=UTC") as owner:
        found = owner.execute("select tablename from pg_tables where schemaname = 'recollect'")
        tables = [name for (name,) in found if not name.startswith("spend")]
        return {name: sorted(row for (row,) in owner.execute(f'select t::text from "{name}" t')) for name in tables}


def ids_in(tables: Tables) -> set[str]:
    """Every id that the rows name."""
    return {id for rows in tables.values() for row in rows for id in _ID.findall(row)}


def changed(before: Tables, after: Tables) -> Tables:
    """Rows that came, went, or are not what they were."""
    return {name: sorted(set(before[name]) ^ set(after[name])) for name in before}


def strays(before: Tables, after: Tables, due: set[str], spared: set[str]) -> list[str]:
    """Rows that came, went or changed and have nothing to do with what was due.

    The first id in a row says whose it is. Rows of what is due may change as they like. What is new hangs on what is
    due, if only through something else that is new, and on nothing that was to be spared. A space counts what happens
    in it, and its log of events has lines that name nothing.
    """
    known = ids_in(before)
    found = [(name, row) for name, rows in changed(before, after).items() if name not in _OF_SPACES for row in rows]
    of_others = [(name, row, ids) for name, row in found if not due & set((ids := _ID.findall(row))[:1])]
    fresh = [ids for _, row in found if (ids := _ID.findall(row)) and ids[0] not in known]
    reached = set(due)
    while more := {id for ids in fresh if reached & set(ids) for id in ids if id not in known} - reached:
        reached |= more

    def hangs_on_due(name: str, ids: list[str]) -> bool:
        names_nothing = name == "event" and len(ids) == 1
        return ids in fresh and (names_nothing or bool(reached & set(ids))) and not spared & set(ids)

    return [row for name, row, ids in of_others if not hangs_on_due(name, ids)]


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
