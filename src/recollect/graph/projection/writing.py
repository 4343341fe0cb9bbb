"""Writing to Neo4j: what changed, in one transaction a batch; running one twice changes nothing."""

from collections.abc import Sequence
from typing import Any

from recollect.core.errors import RecollectError
from recollect.db.sql import load
from recollect.graph.projection.content import Content, NodeContent, RelationContent
from recollect.graph.projection.driver import Neo4j, Run
from recollect.graph.projection.schema import LABELS
from recollect.records.kinds import GRAPH_KINDS

STATEMENTS = load("recollect.graph.projection", "writing.cypher")

_KINDS = list(GRAPH_KINDS)
_STRAYS = 10_000
_EVER = 2**62
"""A turn that comes after all others."""
_UNLABEL = STATEMENTS["unlabel"].replace("{labels}", ":".join(sorted(LABELS)))


class Overtaken(RecollectError):
    """Somebody else writes the space to Neo4j by now."""


class Writer:
    """Writes one space, as long as nobody takes a later turn."""

    def __init__(self, neo4j: Neo4j, space: str, turn: int) -> None:
        self._neo4j = neo4j
        self._space = space
        self._turn = turn

    async def write(self, content: Content) -> None:
        """Bring nodes and relations to what they are in PostgreSQL: what is gone there goes."""
        async with self._neo4j.writing() as run:
            await self._fence(run)
            hanging = await self._hanging(run, content)
            await self._run(run, "drop_relations", ids=list(content.targets))
            await self._put_nodes(run, content.nodes)
            await self._put_relations(run, content.relations)
            await self._run(run, "drop_nodes", ids=list(content.gone))
            await self._run(run, "drop_orphans", ids=hanging, kinds=_KINDS)

    async def _hanging(self, run: Run, content: Content) -> list[str]:
        found = await self._run(run, "ends_of", ids=list(content.targets), kinds=_KINDS)
        return [row["id"] for row in found]

    async def copy_nodes(self, nodes: Sequence[NodeContent]) -> None:
        """A page of the space's nodes."""
        async with self._neo4j.writing() as run:
            await self._fence(run)
            await self._put_nodes(run, nodes)

    async def copy_relations(self, relations: Sequence[RelationContent]) -> None:
        """A page of the space's relations."""
        async with self._neo4j.writing() as run:
            await self._fence(run)
            await self._run(run, "drop_relations", ids=[relation.id for relation in relations])
            await self._put_relations(run, relations)

    async def drop_strays(self) -> int:
        """Take away what no page of this turn brought; how much it was."""
        return await self._drop_all("stray_relations") + await self._drop_all("stray_nodes")

    async def _drop_all(self, name: str) -> int:
        dropped = 0
        while True:
            async with self._neo4j.writing() as run:
                await self._fence(run)
                [row] = await self._run(run, name, turn=self._turn, limit=_STRAYS)
            dropped += int(row["gone"])
            if row["gone"] < _STRAYS:
                return dropped

    async def _fence(self, run: Run) -> None:
        [row] = await self._run(run, "fence", turn=self._turn)
        if not row["ours"]:
            raise Overtaken(f"another one writes {self._space} to Neo4j")

    async def _put_nodes(self, run: Run, nodes: Sequence[NodeContent]) -> None:
        rows = [{"id": n.id, "labels": sorted(n.labels), "properties": n.properties} for n in nodes]
        await self._run(run, "unlabel", nodes=[{"id": row["id"], "labels": row["labels"]} for row in rows])
        await self._run(run, "put_nodes", nodes=rows, turn=self._turn)

    async def _put_relations(self, run: Run, relations: Sequence[RelationContent]) -> None:
        rows = [{"id": r.id, "from_id": r.from_id, "to_id": r.to_id, "properties": r.properties} for r in relations]
        await self._run(run, "clear_keys", relations=rows)
        await self._run(run, "put_relations", relations=rows, turn=self._turn)

    async def _run(self, run: Run, name: str, **values: Any) -> list[dict[str, Any]]:
        """A statement over a list, unless the list is empty."""
        if any(isinstance(value, list) and not value for value in values.values()):
            return []
        statement = _UNLABEL if name == "unlabel" else STATEMENTS[name]
        return await run(statement, space=self._space, **values)


async def unfence(neo4j: Neo4j, space: str) -> None:
    """Let a copy begin whoever wrote the space before: PostgreSQL may have come back from a backup."""
    async with neo4j.writing() as run:
        await run(STATEMENTS["unfence"], space=space)


async def drop_space(neo4j: Neo4j, space: str) -> None:
    """Take a space away that is none of this database's."""
    await unfence(neo4j, space)
    await Writer(neo4j, space, _EVER).drop_strays()
    await unfence(neo4j, space)
