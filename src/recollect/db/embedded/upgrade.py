"""Carry a data directory to the major version of the installed programs, by dump and restore.

The old directory is only read. Killed at any moment, the upgrade goes on from its last whole step when
it is run again; a dump that the old data have outgrown since is made anew.
"""

import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.rows import TupleRow

from recollect.core.errors import Conflict
from recollect.db.embedded import binaries, cluster, locks, users
from recollect.db.embedded.cluster import OWNER, Cluster
from recollect.db.embedded.place import (
    Place,
    make_private,
    password_of,
    prepare_place,
    remove_tree,
    sync_folder,
    write_private,
)
from recollect.db.embedded.problems import translated, unavailable
from recollect.db.embedded.server import PATIENCE, at_work, existing, require_posix
from recollect.db.embedded.switch import Plan, finish_switch, read_plan, switch, write_plan

Report = Callable[[str], None]

_TABLES = """
SELECT n.nspname, c.relname
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
ORDER BY 1, 2
"""

_DATABASES = "SELECT datname FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY datname"


@dataclass(frozen=True)
class Upgraded:
    """What an upgrade did, and where the old things lie. They are not removed: that is the user's to do."""

    old_major: int
    new_major: int
    rows: int
    kept_data: Path
    kept_dump: Path


def upgrade_major(data_dir: Path, *, report: Report | None = None) -> Upgraded | None:
    """Upgrade the data directory if it needs it; `report` hears of each step. Nothing to do: None."""
    require_posix()
    tell = report or _quietly
    with translated(data_dir):
        place = prepare_place(data_dir)
        with locks.exclusively(place.lock, PATIENCE):
            if plan := finish_switch(place):
                return _outcome(place, plan)
            old = existing(place)
            if old is None or old.major == binaries.newest():
                return None
            _check(old)
            return _outcome(place, _upgrade(old, tell))


def _quietly(_: str) -> None:
    """Nobody listens."""


def _outcome(place: Place, plan: Plan) -> Upgraded:
    rows = sum(sum(tables.values()) for tables in plan.rows.values())
    return Upgraded(plan.old, plan.new, rows, plan.kept_data(place), plan.kept_dump(place))


def _check(old: Cluster) -> None:
    """Whether an upgrade is possible, before anything is touched."""
    if old.major > binaries.newest():
        raise unavailable(
            f"{old.data} was made by PostgreSQL {old.major}, newer than the {binaries.newest()} that is "
            "installed; install the newer Recollect again"
        )
    if old.major not in binaries.installed():
        raise unavailable(
            f"the programs of PostgreSQL {old.major} are not installed, and only they can read {old.data}. "
            "Dump it with the Recollect that made it (`recollect export`), or with the pg_dumpall of another "
            f"PostgreSQL {old.major}; move the folder away, and import or restore into a new data directory"
        )
    if living := users.living(old.place):
        pids = ", ".join(map(str, living))
        raise Conflict(f"the embedded PostgreSQL is used by process {pids}; end it first")


def _upgrade(old: Cluster, tell: Report) -> Plan:
    place = old.place
    if left := at_work(place):
        cluster.stop(left)
    plan = _usable_plan(old)
    if plan is None:
        plan = _dump(old, tell)
    if not plan.restored:
        plan = _restore(place, plan, tell)
    tell("Putting the new data directory in place")
    return switch(place, plan)


def _usable_plan(old: Cluster) -> Plan | None:
    """What an earlier attempt reached, if the old data are still those that it dumped."""
    plan = read_plan(old.place)
    fits = plan and plan.new == binaries.newest() and plan.checkpoint == _checkpoint(old)
    return plan if fits else None


def _checkpoint(old: Cluster) -> str:
    """Where the data ended when the server was last stopped."""
    said = binaries.run(old.major, "pg_controldata", ["-D", old.data], old.place.account, old.place.home)
    match = re.search(r"^Latest checkpoint location:\s+(\S+)", said, re.MULTILINE)
    if match is None:
        raise unavailable(f"pg_controldata does not say where {old.data} ends")
    return match[1]


@contextmanager
def _served(target: Cluster) -> Iterator[Path]:
    """Run the directory's server for a while; nobody else is told of it. Its socket's folder."""
    folder = cluster.launch(target, time.monotonic() + PATIENCE)
    try:
        yield folder
    finally:
        cluster.stop(target)


# Dumping


def _dump(old: Cluster, tell: Report) -> Plan:
    place = old.place
    remove_tree(place.upgrade)
    _require_room(old)
    make_private(place.upgrade, place.account)
    folder = place.upgrade / "dump"
    make_private(folder, place.account)
    rows: dict[str, dict[str, int]] = {}
    with _served(old) as socket:
        tell(f"Dumping the roles of PostgreSQL {old.major}")
        _dump_roles(place, socket, folder)
        for number, name in enumerate(_databases(place, socket)):
            tell(f"Dumping the database {name}")
            rows[name] = _count(place, socket, name)
            file = folder / _file(number, name)
            _client(place, "pg_dump", ["--format=custom", f"--file={file}", "-d", _target(socket, name)])
    sync_folder(folder)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    plan = Plan(old.major, binaries.newest(), stamp, _checkpoint(old), rows)
    write_plan(place, plan)
    return plan


def _require_room(old: Cluster) -> None:
    """The dump and the new directory together are about as large as the old one, often larger."""
    size = sum(path.lstat().st_size for path in old.data.rglob("*"))
    free = shutil.disk_usage(old.place.home).free
    if free < size:
        megabyte = 1024 * 1024
        raise unavailable(
            f"an upgrade needs about {size * 3 // 2 // megabyte} MB free at {old.place.home}, and there are "
            f"{free // megabyte} MB"
        )


def _dump_roles(place: Place, socket: Path, folder: Path) -> None:
    """Roles with their passwords and settings, less the one that every new directory has."""
    arguments = ["--roles-only", "-h", str(socket), "-p", "5432", "-U", OWNER]
    lines = _client(place, "pg_dumpall", arguments).splitlines(keepends=True)
    text = "".join(line for line in lines if line.strip() != f"CREATE ROLE {OWNER};")
    write_private(folder / "roles.sql", text, place.account)


def _file(number: int, database: str) -> str:
    """Numbered, because what is left of two names may be the same."""
    return f"{number}-{re.sub(r'[^A-Za-z0-9_-]', '_', database)[:100]}.dump"


# Restoring


def _restore(place: Place, plan: Plan, tell: Report) -> Plan:
    new = Cluster(place, place.upgrade / "new", plan.new)
    remove_tree(new.data)
    tell(f"Creating a data directory of PostgreSQL {plan.new}")
    cluster.create(new)
    with _served(new) as socket:
        first = _target(socket, "postgres")
        roles = str(place.upgrade / "dump" / "roles.sql")
        _client(place, "psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", first, "-f", roles])
        for number, name in enumerate(plan.rows):
            tell(f"Restoring the database {name}")
            _restore_database(place, socket, number, name)
        _client(place, "vacuumdb", ["--all", "--analyze-only", "--quiet", f"--maintenance-db={first}"])
        tell("Comparing the rows of every table")
        _compare(plan.rows, {name: _count(place, socket, name) for name in _databases(place, socket)})
    plan = replace(plan, restored=True)
    write_plan(place, plan)
    return plan


def _restore_database(place: Place, socket: Path, number: int, name: str) -> None:
    """With --create it comes back with its own settings, rights and locale; `postgres` is there already."""
    create = [] if name == "postgres" else ["--create"]
    arguments = ["--exit-on-error", "--jobs=2", *create, f"--dbname={_target(socket, 'postgres')}"]
    _client(place, "pg_restore", [*arguments, str(place.upgrade / "dump" / _file(number, name))])


def _compare(before: dict[str, dict[str, int]], after: dict[str, dict[str, int]]) -> None:
    """Refuse the new directory unless every table has the rows that it had."""
    wrong = [
        f"{name}.{table}: {tables.get(table)} instead of {rows.get(table)} rows"
        for name in before.keys() | after.keys()
        for rows, tables in [(before.get(name, {}), after.get(name, {}))]
        for table in rows.keys() | tables.keys()
        if rows.get(table) != tables.get(table)
    ]
    if wrong:
        few = "; ".join(sorted(wrong)[:5])
        raise unavailable(f"the restored data differ, so the old ones stay in use: {few}")


# Asking either server


def _databases(place: Place, socket: Path) -> list[str]:
    with closing(cluster.connect(place, socket)) as connection:
        return [name for (name,) in connection.execute(_DATABASES)]


def _count(place: Place, socket: Path, database: str) -> dict[str, int]:
    """Rows by table, of everything that is not PostgreSQL's own."""
    with closing(cluster.connect(place, socket, database)) as connection:
        tables = connection.execute(_TABLES).fetchall()
        return {f"{schema}.{name}": _rows(connection, schema, name) for schema, name in tables}


def _rows(connection: psycopg.Connection[TupleRow], schema: str, table: str) -> int:
    query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, table))
    found = connection.execute(query).fetchone()
    return int(found[0]) if found else 0


def _client(place: Place, program: str, arguments: list[str]) -> str:
    """Run a client program of the newest version; it speaks to older servers too."""
    password = password_of(place, OWNER)
    return binaries.run(binaries.newest(), program, arguments, place.account, place.home, password=password)


def _target(socket: Path, database: str) -> str:
    return make_conninfo(host=str(socket), port=5432, user=OWNER, dbname=database)
