"""Rules that every table keeps, read from PostgreSQL's catalogue: also those that do not exist yet."""

from collections.abc import Iterator
from typing import Any

import catalogue
import psycopg
import pytest
from psycopg import Connection

from recollect.db import migrate
from recollect.db.database import COMMON_TABLES

_KEYS = """
select c.conrelid::regclass::text, c.conname, c.contype, c.conkey, c.confkey,
       (select attnum from pg_attribute where attrelid = c.conrelid and attname = 'space_id') as space,
       (select attnum from pg_attribute where attrelid = c.confrelid and attname = 'space_id') as other_space
from pg_constraint c
where c.connamespace = 'recollect'::regnamespace and c.contype in ('p', 'u', 'f')
"""
_UNIQUE_INDEXES = """
select i.indrelid::regclass::text, i.indexrelid::regclass::text, i.indkey::int2[],
       (select attnum from pg_attribute where attrelid = i.indrelid and attname = 'space_id') as space
from pg_index i join pg_class c on c.oid = i.indrelid
where c.relnamespace = 'recollect'::regnamespace and i.indisunique
"""
_OWNED = """
select 'relation', relname::text from pg_class where relowner = %(role)s::regrole
union all select 'function', proname::text from pg_proc where proowner = %(role)s::regrole
union all select 'schema', nspname::text from pg_namespace where nspowner = %(role)s::regrole
union all select 'type', typname::text from pg_type where typowner = %(role)s::regrole
union all select 'database', datname::text from pg_database where datdba = %(role)s::regrole
"""
_COMMANDS = ("SELECT", "INSERT", "UPDATE", "DELETE")
_POLICIES = """
select cmd, coalesce(qual, '') || coalesce(with_check, '') from pg_policies
where schemaname = 'recollect' and tablename = %s
"""
_POWERS = """
select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication from pg_roles where rolname = %s
"""


@pytest.fixture
def owner(database_url: str) -> Iterator[Connection[Any]]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def role(database_url: str) -> str:
    """The name of the application role."""
    return str(psycopg.conninfo.conninfo_to_dict(migrate.app_url_for(database_url))["user"])


def common(table: str) -> bool:
    return table in COMMON_TABLES


def test_every_table_has_a_space_or_is_known_to_be_common(owner: Connection[Any]) -> None:
    strangers = set(catalogue.tables(owner)) - set(catalogue.space_tables(owner))
    assert strangers == COMMON_TABLES


def test_every_key_includes_the_space(owner: Connection[Any]) -> None:
    owner.execute("set search_path = recollect")
    keys = [key for key in owner.execute(_KEYS).fetchall() if not common(key[0])]
    assert keys
    wrong = [name for _, name, kind, columns, *_, space, _ in keys if space not in columns]
    assert wrong == []


def test_a_primary_key_leads_with_the_space(owner: Connection[Any]) -> None:
    owner.execute("set search_path = recollect")
    leading = {
        table: columns[0] == space for table, _, kind, columns, _, space, _ in owner.execute(_KEYS) if kind == "p"
    }
    assert {table for table in catalogue.space_tables(owner) if not leading.get(table)} == set()


def test_a_reference_stays_within_its_space(owner: Connection[Any]) -> None:
    """The space is not only part of the key: it is the same on both sides."""
    for _, name, kind, columns, referenced, space, other in owner.execute(_KEYS):
        if kind == "f":
            assert (space, other) in set(zip(columns, referenced, strict=True)), name


def test_every_unique_index_includes_the_space(owner: Connection[Any]) -> None:
    owner.execute("set search_path = recollect")
    indexes = [index for index in owner.execute(_UNIQUE_INDEXES).fetchall() if not common(index[0])]
    assert [name for _, name, columns, space in indexes if space not in columns] == []


def test_there_is_no_trigger(owner: Connection[Any]) -> None:
    found = owner.execute(
        "select t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid"
        " where c.relnamespace = 'recollect'::regnamespace and not t.tgisinternal"
    ).fetchall()
    assert found == []


def test_policies_hold_every_table_of_a_space(owner: Connection[Any]) -> None:
    guarded = owner.execute(
        "select relname from pg_class where relnamespace = 'recollect'::regnamespace and relrowsecurity"
    ).fetchall()
    assert {name for (name,) in guarded} >= set(catalogue.space_tables(owner))
    for table in catalogue.space_tables(owner):
        policies = owner.execute(_POLICIES, [table]).fetchall()
        commands = {each for command, _ in policies for each in ([command] if command != "ALL" else _COMMANDS)}
        assert commands == set(_COMMANDS), table
        assert all("recollect.spaces" in rule or "_space" in rule for _, rule in policies), table


def test_no_policy_is_a_restrictive_one(owner: Connection[Any]) -> None:
    """A cluster makes them permissive ones on its nodes, where they would let everything pass."""
    found = owner.execute("select policyname, permissive from pg_policies where schemaname = 'recollect'").fetchall()
    assert [name for name, permissive in found if permissive != "PERMISSIVE"] == []


def test_views_run_with_the_rights_of_the_caller(owner: Connection[Any]) -> None:
    views = owner.execute(
        "select relname, coalesce(reloptions::text, '') from pg_class"
        " where relnamespace = 'recollect'::regnamespace and relkind in ('v', 'm')"
    ).fetchall()
    assert [name for name, options in views if "security_invoker=true" not in options] == []


def test_functions_with_the_owners_rights_are_known(owner: Connection[Any]) -> None:
    """Each has to ask by itself whether the space may be read; this list is where to say that one was looked at."""
    found = owner.execute(
        "select proname from pg_proc where pronamespace = 'recollect'::regnamespace and prosecdef"
    ).fetchall()
    assert {name for (name,) in found} == {"lexical_candidates"}


def test_the_application_role_has_no_powers(owner: Connection[Any], role: str) -> None:
    flags = owner.execute(_POWERS, [role]).fetchone()
    assert flags == (False,) * 5
    assert owner.execute("select 1 from pg_auth_members where member = %s::regrole", [role]).fetchall() == []
    assert owner.execute(_OWNED, {"role": role}).fetchall() == []


def test_the_application_role_has_no_rights_that_policies_do_not_hold(owner: Connection[Any], role: str) -> None:
    """TRUNCATE asks no policy, and a reference or a trigger tells of rows that may not be seen."""
    for table in catalogue.tables(owner):
        for right in ("truncate", "references", "trigger"):
            asked = owner.execute("select has_table_privilege(%s, %s, %s)", [role, f"recollect.{table}", right])
            assert asked.fetchone() == (False,), (table, right)
    for table in COMMON_TABLES:
        for right in ("insert", "update", "delete"):
            asked = owner.execute("select has_table_privilege(%s, %s, %s)", [role, f"recollect.{table}", right])
            assert asked.fetchone() == (False,), (table, right)
    for schema in ("recollect", "recollect_queue", "public"):
        asked = owner.execute("select has_schema_privilege(%s, %s, 'create')", [role, schema])
        assert asked.fetchone() == (False,), schema
