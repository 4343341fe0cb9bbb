"""A look at a database from outside: what is in it, whether it is whole, and how to mend what is not."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from recollect.core.settings import Settings
from recollect.db import cluster, migrate
from recollect.db.database import COMMON_TABLES, Connection, Database
from recollect.db.sql import load
from recollect.flows.statistics import STALE_SHARE
from recollect.queue import LiveWorker, failed_jobs, live_workers

QUERIES = load("recollect.flows", "doctor.sql")

OLDEST_SERVER = 15
OLDEST_PGVECTOR = (0, 7)

_STALE_LEAST = 100  # changes that a small space may gather before anybody minds
_NAMED = 5

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Overview:
    """What a database holds."""

    server_version: str
    pgvector_version: str | None
    database: str
    schema: int
    newest_schema: int
    embedder: dict[str, Any] | None
    reembedding: dict[str, Any] | None
    bytes: int
    spaces: int
    conversations: int
    messages: int
    memories: int
    entries: int
    waiting_turns: int
    largest_spaces: dict[str, int]
    spent_today: dict[str, float]
    """By all spaces together: calls, failures, tokens, money."""
    over_their_cap: list[str]
    """Spaces in which rules do the work of models until their day is over; twenty at most."""
    queue: dict[str, int]
    workers: list[LiveWorker]
    cluster: cluster.ClusterStatus | None


async def overview(database: Database, settings: Settings) -> Overview:
    """Count everything."""
    async with database.owner() as owner:
        [server] = await _rows(owner, "server")
        [counts] = await _rows(owner, "counts")
        [queue] = await _rows(owner, "queue")
        largest = await _rows(owner, "largest")
        day = {"now": datetime.now(UTC), "zone": settings.timezone}
        [spent] = await _rows(owner, "spent", **day)
        stopped = await _rows(owner, "stopped", **day)
        spread = await cluster.status(owner)
    return Overview(
        server.version,
        server.pgvector,
        server.database,
        server.schema,
        migrate.migrations()[-1].number,
        server.embedder,
        server.reembedding,
        server.bytes,
        **counts._asdict(),
        largest_spaces={row.space_id: row.memories for row in largest},
        spent_today=spent._asdict(),
        over_their_cap=[row.space_id for row in stopped],
        queue=queue._asdict(),
        workers=await live_workers(database, settings.heartbeat_timeout),
        cluster=spread,
    )


async def _rows(connection: Connection, name: str, **values: Any) -> list[Any]:
    cursor = await connection.execute(QUERIES[name], values or None)
    return await cursor.fetchall()


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    level: Level
    finding: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Patient:
    """What the checks look at."""

    database: Database
    settings: Settings
    owner: Connection
    role: str
    model: str
    """The embedding model that the settings name."""

    async def rows(self, name: str, **values: Any) -> list[Any]:
        """What the owner sees."""
        return await _rows(self.owner, name, **values)


async def examine(database: Database, settings: Settings, model: str) -> list[Check]:
    """Every check, in order."""
    async with database.application() as connection:
        cursor = await connection.execute("select current_user as role")
        [row] = await cursor.fetchall()
    async with database.owner() as owner:
        patient = Patient(database, settings, owner, row.role, model)
        return [await check(patient) for check in CHECKS]


def _list(rows: Sequence[Any]) -> str:
    names = [row.name if len(row) == 1 else f"{row.name} ({row.count})" for row in rows[:_NAMED]]
    more = f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else ""
    return ", ".join(names) + more


def _judged(name: str, bad: Sequence[Any], good: str, worse: Level, finding: str, hint: str) -> Check:
    """All is well, or these are not."""
    if not bad:
        return Check(name, "ok", good)
    return Check(name, worse, f"{finding}: {_list(bad)}", hint)


async def _server(patient: Patient) -> Check:
    [row] = await patient.rows("server")
    major = row.number // 10_000
    found = f"PostgreSQL {row.version}, pgvector {row.pgvector}, schema {row.schema}"
    if row.distributing:
        return Check("server", "fail", f"{found}, half of it distributed", "run `recollect db distribute` again")
    if major < OLDEST_SERVER:
        return Check("server", "fail", found, f"PostgreSQL {OLDEST_SERVER} or newer is needed")
    if row.pgvector is None or _version(row.pgvector) < OLDEST_PGVECTOR:
        return Check("server", "fail", found, "pgvector 0.7 or newer is needed")
    if row.pgvector_available and _version(row.pgvector_available) > _version(row.pgvector):
        return Check(
            "server", "warn", found, f"pgvector {row.pgvector_available} is installed: alter extension vector update"
        )
    return Check("server", "ok", found)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:3] if part.isdigit())


async def _role(patient: Patient) -> Check:
    [row] = await patient.rows("role", role=patient.role)
    faults = {
        "is a superuser": row.rolsuper,
        "passes over row-level security": row.rolbypassrls,
        "is a member of the owner": row.is_owner,
        f"owns {row.owns} objects": row.owns,
        "may create roles": row.rolcreaterole,
        "may create databases": row.rolcreatedb,
    }
    found = [fault for fault, present in faults.items() if present]
    if not found:
        return Check("application role", "ok", f"{patient.role} owns nothing and has no right beyond its work")
    hint = f"alter role {patient.role} nosuperuser nobypassrls nocreaterole nocreatedb; reassign what it owns"
    return Check("application role", "fail", f"{patient.role} {', '.join(found)}", hint)


async def _rights(patient: Patient) -> Check:
    bad = await patient.rows("missing_rights", role=patient.role, common=sorted(COMMON_TABLES))
    good = "the application role can do its work, and no more"
    hint = "run `recollect db upgrade`, which grants them anew"
    return _judged("rights", bad, good, "fail", "the application role's rights are wrong on", hint)


async def _isolation(patient: Patient) -> Check:
    bad = await patient.rows("open_tables", common=sorted(COMMON_TABLES))
    hint = "alter table … enable row level security, and restore its policies from db/schema.sql"
    return _judged("isolation", bad, "every table of a space has its policies", "fail", "not kept apart", hint)


async def _indexes(patient: Patient) -> Check:
    bad = await patient.rows("invalid_indexes")
    hint = "reindex index concurrently …, or drop it: a vector index is built again by itself"
    return _judged("indexes", bad, "all are valid", "fail", "invalid", hint)


async def _vector_indexes(patient: Patient) -> Check:
    bad = await patient.rows("spaces_without_index", limit=patient.settings.exact_limit)
    good = "every large space has one"
    return _judged("vector indexes", bad, good, "warn", "missing for large spaces", _WORKER_HINT)


async def _statistics(patient: Patient) -> Check:
    bad = await patient.rows("stale_spaces", share=2 * STALE_SHARE, least=_STALE_LEAST)
    return _judged("statistics", bad, "up to date", "warn", "behind in", _WORKER_HINT)


_WORKER_HINT = "run `recollect worker` until it is idle"


async def _jobs(patient: Patient) -> Check:
    failed = await failed_jobs(patient.database)
    if not failed:
        return Check("jobs", "ok", "none has failed")
    tasks = ", ".join(sorted({job.task for job in failed}))
    return Check("jobs", "warn", f"{len(failed)} failed: {tasks}", "see `recollect jobs failed`, then `jobs retry ID`")


async def _waiting(patient: Patient) -> Check:
    [counts] = await patient.rows("counts")
    workers = await live_workers(patient.database, patient.settings.heartbeat_timeout)
    found = f"{counts.waiting_turns} messages wait to be indexed, {len(workers)} workers are alive"
    if counts.waiting_turns and not workers:
        return Check("worker", "warn", found, "run `recollect worker`, or open Recollect with its worker")
    return Check("worker", "ok", found)


async def _completeness(patient: Patient) -> Check:
    """A forgetting and an ingestion leave the index to a job: until that is done nothing is broken."""
    bad = await patient.rows("unindexed")
    awaited = {row.name for row in await patient.rows("awaited")}
    broken = [row for row in bad if row.name not in awaited]
    if bad and not broken:
        return Check("search index", "warn", f"memories that a job has yet to index in: {_list(bad)}", _WORKER_HINT)
    good = "every memory can be found"
    return _judged("search index", broken, good, "fail", "memories without entries in", _REBUILD_HINT)


async def _orphans(patient: Patient) -> Check:
    bad = await patient.rows("orphans")
    return _judged("orphans", bad, "none", "fail", "rows without their other half", "restore a backup, or report this")


_REBUILD_HINT = "run `recollect db reembed --force`, which builds the search index anew"


async def _embedder(patient: Patient) -> Check:
    [row] = await patient.rows("server")
    if row.reembedding is not None:
        found = f"re-embedding to {row.reembedding['name']} is unfinished"
        return Check("embedder", "fail", found, "run `recollect db reembed` again")
    if row.embedder is None:
        return Check("embedder", "ok", "nothing was embedded yet")
    if row.embedder["name"] != patient.model:
        found = f"filled with {row.embedder['name']}, configured is {patient.model}"
        return Check("embedder", "fail", found, "run `recollect db reembed`, or set the embedder back")
    [other] = await patient.rows("other_vectors", dimensions=row.embedder["dimensions"])
    if other.count:
        return Check("embedder", "fail", f"{other.count} vectors have other dimensions", _REBUILD_HINT)
    return Check("embedder", "ok", f"{row.embedder['name']}, {row.embedder['dimensions']} dimensions")


CHECKS: tuple[Callable[[Patient], Awaitable[Check]], ...] = (
    _server,
    _role,
    _rights,
    _isolation,
    _indexes,
    _vector_indexes,
    _statistics,
    _jobs,
    _waiting,
    _completeness,
    _orphans,
    _embedder,
)
