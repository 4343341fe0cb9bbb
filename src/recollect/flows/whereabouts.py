"""Where texts still lie, as the owner of the database sees it: every table of a scope's spaces, the queue, what
other members learned of the teams' sources, and Neo4j; bytes and escapes decoded. For tests of what was forgotten."""

import json
import unicodedata
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

from recollect.core.scope import Scope, is_team
from recollect.db.compose import SQL, Identifier
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.flows import teams
from recollect.flows.parts import Parts
from recollect.graph.projection import looking
from recollect.understanding.plain import plain

QUERIES = load("recollect.flows", "whereabouts.sql")

Found = tuple[str, str, str]
"""Where, which text, and what holds it."""
_PAGE = 1_000


async def holding(parts: Parts, scope: Scope, texts: Sequence[str]) -> list[Found]:
    """The first places of each text; none, where nothing is left of it."""
    wanted = {text: even(text) for text in texts}
    found: dict[tuple[str, str], Found] = {}
    async for place, held in _everything(parts, scope):
        said = even(held)
        for text, each in wanted.items():
            if each in said:
                found.setdefault((place, text), (place, text, held))
    return list(found.values())


def even(text: str) -> str:
    """A text as it is compared: decoded, composed, in one case, its white space even."""
    return " ".join(unicodedata.normalize("NFKC", plain(text).text).casefold().split())


async def is_empty(parts: Parts, scope: Scope) -> bool:
    """Whether a scope's spaces hold nothing at all, and nothing was ever forgotten there."""
    async with parts.database.owner() as owner:
        for table in ("memory", "message", "source", "tombstone", "checkpoint", "checkpoint_state", "active"):
            statement = SQL("select 1 from {} where space_id = any ({}::text[]) limit 1")
            cursor = await owner.execute(statement.format(Identifier("recollect", table), list(scope.readable)), {})
            if await cursor.fetchone():
                return False
    return True


async def _everything(parts: Parts, scope: Scope) -> AsyncIterator[tuple[str, str]]:
    async with parts.database.owner() as owner:
        cursor = await owner.execute(QUERIES["tables"], {})
        for table in await cursor.fetchall():
            rest = SQL(" where space_id = any ({}::text[])").format(list(scope.readable)) if table.spaced else SQL("")
            statement = SQL("select * from {}{}").format(Identifier(table.schema, table.name), rest)
            async for row in _rows(owner, statement):
                yield f"the table {table.schema}.{table.name}", row
        for team in filter(is_team, scope.readable):
            async for member, row in _of_members(owner, team, scope.readable):
                yield f"what {member} learned of {team}", row
    if parts.neo4j is not None:
        for space in scope.readable:
            async for row in _in_neo4j(parts.neo4j, space):
                yield "Neo4j", row


async def _rows(connection: Connection, statement: Any, values: dict[str, Any] | None = None) -> AsyncIterator[str]:
    cursor = await connection.execute(statement, values or {})
    while rows := await cursor.fetchmany(_PAGE):
        for row in rows:
            yield _written(row)


async def _of_members(owner: Connection, team: str, own: Sequence[str]) -> AsyncIterator[tuple[str, str]]:
    cursor = await owner.execute(teams.LIFECYCLE["spaces_referring"], {"team": team})
    members = [row.space_id for row in await cursor.fetchall() if row.space_id not in own]
    for member in members:
        for name in ("memories_of_references", "notes_of_references"):
            async for row in _rows(owner, QUERIES[name], {"space": member, "team": team}):
                yield member, row


async def _in_neo4j(neo4j: Any, space: str) -> AsyncIterator[str]:
    for page in (looking.nodes_after, looking.relations_after):
        after: str | None = None
        while held := await page(neo4j, space, after, _PAGE):
            for each in held:
                yield str(each)
            after = str(held[-1].id)


def _written(row: Iterable[Any]) -> str:
    return " | ".join(_value(value) for value in row if value is not None)


def _value(value: Any) -> str:
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).decode(errors="replace")
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
