"""Forgetting knows every table, and every column that can hold what people say: also those that do not exist yet."""

from typing import Any

import catalogue
import psycopg
import pytest

from recollect.flows.scrub import OWN_WAY, REWRITTEN, WORDLESS

_COLUMNS = """
select column_name from information_schema.columns
where table_schema = 'recollect' and table_name = %s and data_type in ('text', 'jsonb', 'json', 'ARRAY', 'bytea')
"""
# Keys that callers choose, words of a fixed choice, and who did something: nothing that somebody said.
_NO_WORDS = {
    "conversation": {"space_id", "owner", "thread_id", "status"},
    "reader": {"space_id", "owner", "agent", "sight"},
    "active": {"space_id", "agent", "status"},
    "section": {"space_id", "name"},
    "section_text": {"space_id", "name", "actor"},
    "review": {"space_id", "section", "agent", "status", "resolved_by"},
    "relation": {"space_id", "type", "author"},
    "history": {"space_id", "event", "actor", "agent_id"},
    "event": {"space_id", "node", "op", "status", "category"},
    "node_merge": {"space_id", "status", "decided_by"},
    "space": {"space_id", "timezone"},
    "space_statistics": {"space_id", "kinds", "vector_index"},
}


@pytest.fixture
def owner(database_url: str) -> Any:
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


def test_forgetting_knows_every_table(owner: Any) -> None:
    assert set(catalogue.space_tables(owner)) == set(REWRITTEN) | OWN_WAY | WORDLESS


def test_every_column_with_words_is_rewritten(owner: Any) -> None:
    for table, (_, columns) in REWRITTEN.items():
        there = {name for (name,) in owner.execute(_COLUMNS, [table]).fetchall()}
        assert there == {column.name for column in columns} | _NO_WORDS[table], table
