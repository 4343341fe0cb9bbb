"""Every statement that goes to a cluster, explained once: how many shards it touches.

A statement of which one part has to be run before the other touches all of them: what the first part finds goes to
every node, also to one that is down.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from recollect.db import migrate
from recollect.db.database import Batch, Database, turn_to
from recollect.db.prepared import on_time
from recollect.db.sql import load

_TESTS = Path(__file__).parent
_ON_ROWS = re.compile(r"(select|with|insert|update|delete)\b", re.IGNORECASE)


def _key(text: str) -> str:
    return " ".join(text.split())


def _over_all_spaces() -> tuple[str, ...]:
    """How statements begin that may leave their shard.

    The owner looks over all spaces, and each shard answers; an upgrade carries what all of them have; the end of a
    re-embedding is on every node; and two statements of the nightly sweeps hand the ids of what they archive to their
    own parts.
    """
    doctor, sweeps = load("recollect.flows", "doctor.sql"), load("recollect.records", "lifecycle.sql")
    reembed = load("recollect.flows", "reembed.sql")
    carry, outbox = load("recollect.flows", "carry.sql"), load("recollect.records", "outbox.sql")
    directory = load("recollect.flows", "directory.sql")
    allowed = [*doctor.statements.values(), reembed["spaces"], reembed["finish"], carry["spaces"], directory["spaces"]]
    nightly = [load("recollect.flows", "daily.sql"), load("recollect.flows", "insights.sql")]
    for found in (sweeps, outbox, *nightly, load("recollect.hierarchy"), load("recollect.sources", "fading.sql")):
        allowed += [text for name, text in found.statements.items() if name.startswith("spaces_")]
    allowed += [sweeps["decay"], sweeps["consolidate"], outbox["stands"]]
    allowed += ["select space_id, count(*), sum(hashtextextended("]  # checksums of all spaces
    upgrades = [statement for step in migrate.migrations() for statement in step.apart()]
    allowed += [statement for statement in upgrades if _ON_ROWS.match(statement)]
    return tuple(_key(re.split(r"[{%]", text)[0]) for text in allowed)


class StatementLog:
    """How many tasks each statement had, and parts that are run apart, by its text without values."""

    def __init__(self) -> None:
        self.tasks: dict[str, int] = {}

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Look at each statement of this process when it is first sent."""
        log, send, execute = self, Database.send, psycopg.AsyncConnection.execute
        commit = Database.commit

        async def watched_send(database: Database, batch: Batch) -> Any:
            for statement, values in batch.statements:
                if not isinstance(statement, str) or _key(statement) not in log.tasks:
                    async with database.transaction(*batch.spaces) as connection:
                        await log.look(connection, statement, on_time(values))
            return await send(database, batch)

        async def watched_commit(database: Database, connection: Any, last: Sequence[Batch]) -> None:
            for batch in last:
                await turn_to(connection, *batch.spaces)
                for statement, values in batch.statements:
                    await log.look(connection, statement, values)
            await commit(database, connection, last)

        async def watched_execute(connection: Any, query: Any, params: Any = None, **options: Any) -> Any:
            if _TESTS not in Path(sys._getframe(1).f_code.co_filename).parents:
                await log.look(connection, query, params)
            return await execute(connection, query, params, **options)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Database, "send", watched_send)
            patch.setattr(Database, "commit", watched_commit)
            patch.setattr(psycopg.AsyncConnection, "execute", watched_execute)
            yield

    async def look(self, connection: Any, query: Any, params: Any) -> None:
        """Explain a statement that was not seen before; what is no statement on rows has no plan."""
        text = query.as_string(connection) if isinstance(query, sql.Composable) else query
        text = text.decode() if isinstance(text, bytes) else text
        key = _key(text)
        if key in self.tasks or not _ON_ROWS.match(key):
            return
        self.tasks[key] = 0
        whole = psycopg.AsyncClientCursor(connection).mogrify(query, params)
        cursor = connection.cursor(row_factory=psycopg.rows.tuple_row)
        await cursor.execute(f"explain (costs off) {whole}".encode())
        plan = [line for (line,) in await cursor.fetchall()]
        counts = [int(found) for line in plan for found in re.findall(r"Task Count: (\d+)", line)]
        in_parts = sum("Distributed Subplan" in line for line in plan)
        self.tasks[key] = max(counts, default=0) + in_parts

    def strays(self) -> list[str]:
        """Statements that left their shard, but for those that may."""
        allowed = _over_all_spaces()
        return [text for text, tasks in self.tasks.items() if tasks > 1 and not text.startswith(allowed)]
