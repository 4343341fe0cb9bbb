"""Writing to Neo4j: what changed, in one transaction a batch; running one twice changes nothing.

A node for each space says who wrote it (`origin`, `turn`), which copy it is, and what it was given last. Every
transaction looks at it first: so nothing is added to a copy of another database, nor to one that is not there any more.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from recollect.core.errors import RecollectError
from recollect.db.sql import load
from recollect.graph.projection.content import Content, NodeContent, RelationContent
from recollect.graph.projection.driver import Neo4j, Refused, Run, patiently
from recollect.records.kinds import GRAPH_KINDS
from recollect.records.outbox import Turn

STATEMENTS = load("recollect.graph.projection", "writing.cypher")

_KINDS = list(GRAPH_KINDS)
_STRAYS = 10_000
_NO_COPY = "none"
_KEY = ("id", "from_entity_id", "to_entity_id", "type", "start_date")
"""What tells a relation from all others: to send all of it takes as long as to write it."""


class Overtaken(RecollectError):
    """Somebody with a later turn writes the space to Neo4j by now."""


class Foreign(RecollectError):
    """The space in Neo4j is that of another database."""


class Lost(RecollectError):
    """Neo4j does not hold the copy that was made: it was emptied, or brought back from a backup."""


class Writer:
    """Writes one space, as long as nobody takes a later turn."""

    def __init__(self, neo4j: Neo4j, space: str, turn: Turn) -> None:
        self._neo4j = neo4j
        self._space = space
        self._turn = turn
        self._copy = str(turn.copy)
        self._anew = False
        """Whether nothing was there when the copy began, so that nothing need be taken away for it."""

    async def check(self) -> None:
        """Whether the copy is there, and ours to follow."""
        async with self._neo4j.writing() as run:
            await self._require_copy(run, known=True)

    async def write(self, content: Content) -> None:
        """Bring nodes and relations to what they are in PostgreSQL: what is gone there goes."""
        async with self._neo4j.writing() as run:
            await self._require_copy(run, known=True)
            kept = await self._update_relations(run, content.relations)
            moved = [id for id in content.others if id not in kept]
            hanging = await self._hanging(run, moved, content.gone)
            await self._run(run, "drop_relations", ids=moved)
            await self._put_nodes(run, content.nodes)
            await self._put_ends(run, content.ends)
            await self._put_relations(run, [relation for relation in content.relations if relation.id not in kept])
            await self._run(run, "drop_nodes", ids=list(content.gone))
            await self._run(run, "drop_orphans", ids=hanging, kinds=_KINDS)
            await self._mark(run, str(self._turn.batch))

    async def _update_relations(self, run: Run, relations: Sequence[RelationContent]) -> set[str]:
        """Those that lie where they lay, which are most; the others are taken away and made anew."""
        found = await self._run(run, "update_relations", relations=_relation_rows(relations), copy=self._copy)
        return {row["id"] for row in found}

    async def _hanging(self, run: Run, moved: Sequence[str], gone: Sequence[str]) -> list[str]:
        ties = await self._run(run, "hanging_on_relations", ids=list(moved), kinds=_KINDS)
        nodes = await self._run(run, "hanging_on_nodes", ids=list(gone), kinds=_KINDS)
        return sorted({row["id"] for row in (*ties, *nodes)})

    async def begin_copy(self) -> None:
        """From here on the space is this copy, which is not whole yet."""
        async with self._neo4j.writing() as run:
            await self._run(run, "admit")
            await self._require_own(run)
            await self._mark(run, None)
            [row] = await self._run(run, "has_any")
            self._anew = not row["any"]

    async def copy_nodes(self, nodes: Sequence[NodeContent]) -> None:
        """A page of the space's nodes."""
        async with self._neo4j.writing() as run:
            await self._require_copy(run)
            await self._put_nodes(run, nodes)

    async def copy_relations(self, relations: Sequence[RelationContent]) -> None:
        """A page of the space's relations."""
        try:
            await self._copy_relations(relations)
        except Refused as error:
            if not self._anew or "Schema.ConstraintValidationFailed" not in error.code:
                raise
            # One was made in the place of another since the page with that one was read.
            self._anew = False
            await self._copy_relations(relations)

    async def _copy_relations(self, relations: Sequence[RelationContent]) -> None:
        async with self._neo4j.writing() as run:
            await self._require_copy(run)
            if not self._anew:
                await self._run(run, "drop_relations", ids=[relation.id for relation in relations])
            await self._put_relations(run, relations)

    async def end_copy(self) -> None:
        """Take away what no page brought; then the copy is whole."""
        await _drop_strays(self._neo4j, self._space, self._copy, self._require_copy)
        async with self._neo4j.writing() as run:
            await self._require_copy(run)
            await self._mark(run, self._copy)

    async def _require_copy(self, run: Run, *, known: bool = False) -> None:
        """The copy is there; `known`: and was given what PostgreSQL knows of, or what was cut off."""
        held = await self._require_own(run)
        given = {str(self._turn.carried), str(self._turn.batch)}
        if held is None or held["copy"] != self._copy or (known and held["carried"] not in given):
            raise Lost(f"Neo4j does not hold the copy of {self._space} that was made")

    async def _require_own(self, run: Run) -> dict[str, Any] | None:
        """What stands in the space's own node, which nobody else can change until the transaction ends."""
        await self._run(run, "lock")
        for held in await self._run(run, "held"):
            if held["origin"] not in (None, str(self._turn.origin)):
                raise Foreign(f"another database writes {self._space} to Neo4j")
            if held["turn"] is not None and held["turn"] > self._turn.number:
                raise Overtaken(f"another one writes {self._space} to Neo4j")
            return held
        return None

    async def _mark(self, run: Run, carried: str | None) -> None:
        turn = self._turn
        await self._run(run, "mark", origin=str(turn.origin), turn=turn.number, copy=self._copy, carried=carried)

    async def _put_nodes(self, run: Run, nodes: Sequence[NodeContent]) -> None:
        rows = [{"id": n.id, "labels": sorted(n.labels), "properties": n.properties} for n in nodes]
        await self._run(run, "put_nodes", nodes=rows, copy=self._copy)

    async def _put_ends(self, run: Run, ends: Sequence[NodeContent]) -> None:
        """Those that are not there: what changes of the others is noted by itself."""
        absent = {row["id"] for row in await self._run(run, "absent", ids=[end.id for end in ends])}
        await self._put_nodes(run, [end for end in ends if end.id in absent])

    async def _put_relations(self, run: Run, relations: Sequence[RelationContent]) -> None:
        rows = _relation_rows(relations)
        if not self._anew:
            keys = [{name: r.properties[name] for name in _KEY} for r in relations]
            await self._run(run, "clear_keys", relations=keys)
        await self._run(run, "put_relations", relations=rows, copy=self._copy)

    async def _run(self, run: Run, name: str, **values: Any) -> list[dict[str, Any]]:
        """A statement over a list, unless the list is empty."""
        if any(isinstance(value, list) and not value for value in values.values()):
            return []
        return await run(STATEMENTS[name], space=self._space, **values)


def _relation_rows(relations: Sequence[RelationContent]) -> list[dict[str, Any]]:
    return [{"id": r.id, "from_id": r.from_id, "to_id": r.to_id, "properties": r.properties} for r in relations]


async def _drop_strays(neo4j: Neo4j, space: str, copy: str, require: Callable[[Run], Awaitable[None]]) -> None:
    """Take away what is no part of a copy, as long as what is required holds."""
    for name in ("stray_relations", "stray_nodes"):
        gone = _STRAYS
        while gone == _STRAYS:
            async with neo4j.writing() as run:
                await require(run)
                [row] = await run(STATEMENTS[name], space=space, copy=copy, limit=_STRAYS)
            gone = int(row["gone"])


async def unfence(neo4j: Neo4j, space: str) -> None:
    """Let a copy begin whoever wrote the space before: PostgreSQL may have come back from a backup."""

    async def once() -> None:
        async with neo4j.writing() as run:
            await run(STATEMENTS["unfence"], space=space)

    await patiently(once)


async def drop_space(neo4j: Neo4j, space: str) -> None:
    """Take a space away that is none of this database's."""

    async def nothing(_: Run) -> None:
        pass

    await unfence(neo4j, space)
    await patiently(lambda: _drop_strays(neo4j, space, _NO_COPY, nothing))
