"""All that a database holds, as the owner sees it, in plain text: bytes and JSON escapes decoded."""

import json
import subprocess
from typing import Any

import psycopg
from psycopg import sql

from recollect.db.embedded import binaries

_TABLES = """
    select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname in ('recollect', 'recollect_queue') order by 1, 2
"""


def dumped(url: str) -> dict[str, list[str]]:
    """Every row of every table, by table."""
    found: dict[str, list[str]] = {}
    with psycopg.connect(url) as owner:
        for schema, name in owner.execute(_TABLES).fetchall():
            rows = owner.execute(sql.SQL("select * from {}").format(sql.Identifier(schema, name))).fetchall()
            found[f"{schema}.{name}"] = [" | ".join(_plain(value) for value in row) for row in rows]
    return found


def _plain(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return bytes(value).decode(errors="ignore")
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def carrying(url: str, *words: str) -> list[str]:
    """Rows that hold one of some words, whatever the case."""
    return [
        f"{table}: {row[:400]}"
        for table, rows in dumped(url).items()
        for row in rows
        if any(word.casefold() in row.casefold() for word in words)
    ]


def pg_dumped(url: str) -> str:
    """What `pg_dump` writes, bytea and JSON escapes decoded."""
    program = str(binaries.installed()[binaries.newest()] / "pg_dump")
    text = subprocess.run([program, "--inserts", url], capture_output=True, text=True, check=True).stdout
    return text.encode().decode("unicode_escape", errors="ignore") + text
