"""Row-level security, for every table there is: a statement without WHERE cannot leave its space."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import catalogue
import psycopg
import pytest
from psycopg import Connection, sql
from psycopg.errors import FeatureNotSupported, InsufficientPrivilege

from recollect.db import migrate

MINE, THEIRS = "user:mine", "user:theirs"


class Spaces:
    """A database with one row of each space in every table."""

    def __init__(self, owner: Connection[Any], app: Connection[Any]) -> None:
        self.owner, self.app = owner, app
        self.tables = catalogue.space_tables(owner)
        # References are not followed: every row stands for itself.
        owner.execute("set session_replication_role = replica")
        for table in self.tables:
            for space in (MINE, THEIRS):
                owner.execute(catalogue.row(owner, table, space).insert())

    @contextmanager
    def acting(self, *spaces: str) -> Iterator[Connection[Any]]:
        """A transaction of the application role that is undone."""
        with self.app.transaction(force_rollback=True):
            if spaces:
                named = "{" + ",".join(f'"{space}"' for space in spaces) + "}"
                self.app.execute(sql.SQL("set local recollect.spaces = {}").format(sql.Literal(named)))
            yield self.app

    def seen(self, table: str, *spaces: str) -> set[str]:
        """The spaces of all rows that `select *` returns."""
        with self.acting(*spaces) as app:
            cursor = app.execute(sql.SQL("select * from {}").format(sql.Identifier(table)))
            assert cursor.description is not None
            place = [column.name for column in cursor.description].index("space_id")
            return {found[place] for found in cursor.fetchall()}

    def touched(self, statement: str, table: str, *spaces: str) -> int:
        """How many rows a statement changed."""
        with self.acting(*spaces) as app:
            return app.execute(sql.SQL(statement).format(sql.Identifier(table))).rowcount

    def refused(self, statement: sql.Composed, *spaces: str) -> bool:
        """Whether a statement is refused for want of rights."""
        try:
            with self.acting(*spaces) as app:
                app.execute(statement)
        except (InsufficientPrivilege, FeatureNotSupported):  # a cluster moves no row between spaces at all
            return True
        return False


@pytest.fixture
def spaces(database_url: str) -> Iterator[Spaces]:
    app_url = migrate.app_url_for(database_url)
    with psycopg.connect(database_url, autocommit=True) as owner, psycopg.connect(app_url, autocommit=True) as app:
        for connection in (owner, app):
            connection.execute("set search_path = recollect, public")
        yield Spaces(owner, app)


def wrong(spaces: Spaces, holds: Callable[[str], bool]) -> list[str]:
    """The tables for which a rule does not hold."""
    assert len(spaces.tables) >= 14
    return [table for table in spaces.tables if not holds(table)]


def test_without_a_space_nothing_is_seen(spaces: Spaces) -> None:
    assert wrong(spaces, lambda table: spaces.seen(table) == set()) == []


def test_a_bare_select_sees_its_own_space_only(spaces: Spaces) -> None:
    assert wrong(spaces, lambda table: spaces.seen(table, MINE) == {MINE}) == []


def test_a_space_that_may_be_read_is_seen(spaces: Spaces) -> None:
    assert wrong(spaces, lambda table: spaces.seen(table, MINE, THEIRS) == {MINE, THEIRS}) == []


def test_the_setting_does_not_outlive_its_transaction(spaces: Spaces) -> None:
    with spaces.acting(MINE):
        pass
    assert wrong(spaces, lambda table: spaces.seen(table) == set()) == []


@pytest.mark.parametrize("named", [(), (MINE,), (MINE, THEIRS)], ids=["no space", "own", "own and readable"])
def test_writing_into_another_space_is_refused(spaces: Spaces, named: tuple[str, ...]) -> None:
    def holds(table: str) -> bool:
        row = catalogue.row(spaces.owner, table, "user:third" if not named else THEIRS)
        return spaces.refused(row.insert(), *named)

    assert wrong(spaces, holds) == []


def test_writing_over_a_row_of_another_space_is_refused(spaces: Spaces) -> None:
    def holds(table: str) -> bool:
        row = catalogue.row(spaces.owner, table, THEIRS)
        return spaces.refused(row.insert(" on conflict do nothing"), MINE)

    assert wrong(spaces, holds) == []


@pytest.mark.parametrize("named", [(MINE,), (MINE, THEIRS)], ids=["own", "own and readable"])
@pytest.mark.parametrize("statement", ["delete from {}", "update {} set space_id = space_id"], ids=["delete", "update"])
def test_a_bare_change_touches_its_own_space_only(spaces: Spaces, statement: str, named: tuple[str, ...]) -> None:
    assert wrong(spaces, lambda table: spaces.touched(statement, table, *named) == 1) == []


@pytest.mark.parametrize("statement", ["delete from {}", "update {} set space_id = space_id"], ids=["delete", "update"])
def test_without_a_space_nothing_is_changed(spaces: Spaces, statement: str) -> None:
    assert wrong(spaces, lambda table: spaces.touched(statement, table) == 0) == []


def test_a_row_cannot_be_moved_into_another_space(spaces: Spaces) -> None:
    def holds(table: str) -> bool:
        move = sql.SQL("update {} set space_id = 'user:third'").format(sql.Identifier(table))
        return spaces.refused(move, MINE, "user:third")

    assert wrong(spaces, holds) == []


def test_a_row_can_be_written_into_its_own_space(spaces: Spaces) -> None:
    """The refusals above are not for want of any right at all. (References are the owner's to leave unchecked.)"""

    def holds(table: str) -> bool:
        row = catalogue.row(spaces.owner, table, "user:third")
        try:
            with spaces.acting("user:third") as app:
                return app.execute(row.insert()).rowcount == 1
        except psycopg.errors.ForeignKeyViolation:
            return True

    assert wrong(spaces, holds) == []


def test_the_function_with_the_owners_rights_asks_too(spaces: Spaces) -> None:
    ask = sql.SQL(
        "select memory_id from lexical_candidates("
        "{}, '{{1}}', '{{1}}', '[1,0]', 1, null, '{{normal,x}}', now(), 1000, 10)"
    )
    with spaces.acting(MINE) as app:
        assert app.execute(ask.format(sql.Literal(THEIRS))).fetchall() == []
        assert len(app.execute(ask.format(sql.Literal(MINE))).fetchall()) == 1
    with spaces.acting() as app:
        assert app.execute(ask.format(sql.Literal(MINE))).fetchall() == []
