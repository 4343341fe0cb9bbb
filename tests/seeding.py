"""Sources, nodes and what connects them, written as ingestion leaves them, for tests of what becomes of them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg

from recollect import Recollect
from recollect.core.ids import new_id
from recollect.flows.indexing import passages_of, plain
from recollect.flows.remember import keep
from recollect.graph import dirty
from recollect.graph.model import canonical
from recollect.records import relations, store
from recollect.records.kinds import KINDS
from recollect.records.model import Actor, NewMemory, Provenance

SPACE = "user:alice"
_JOB = Actor("recollect", reason="seeded", by_hand=False)


def owner(url: str) -> psycopg.Connection[Any]:
    """A connection that sees every row."""
    return psycopg.connect(url, autocommit=True, options="-c search_path=recollect,public")


class Garden:
    """A space of an open Recollect in which things are planted as jobs find them."""

    def __init__(self, rc: Recollect, space: str = SPACE) -> None:
        self.rc, self.space = rc, space
        self.parts = rc.parts

    async def memory(self, kind: str, text: str, *, use: dict[str, Any] | None = None, **fields: Any) -> UUID:
        """A memory that nobody wrote by hand; `use` is how it stands."""
        defaults = KINDS[kind]
        given: dict[str, Any] = {
            "id": new_id(),
            "kind": kind,
            "type": None,
            "category": defaults.category,
            "content": text,
            "tier": defaults.tier,
            "importance": defaults.importance,
            "confidence": defaults.confidence,
            "happened_at": self.parts.clock(),
        } | fields
        [passages] = await passages_of(self.parts, self.space, [plain(text)])
        memory = NewMemory(**given, passages=passages)
        async with self.parts.database.transaction(self.space) as connection:
            await keep(self.parts, connection, self.space, [memory], _JOB)
        self.stand([memory.id], **(use or {}))
        return memory.id

    def stand(self, ids: Sequence[UUID], **use: Any) -> None:
        """Let memories, or relations, stand in another way than new ones do."""
        if use and ids:
            columns = ", ".join(f"{name} = %({name})s" for name in use)
            with owner(self.rc.database_url) as connection:
                connection.execute(
                    f"update memory_use set {columns} where space_id = %(space)s and memory_id = any (%(ids)s)",
                    use | {"space": self.space, "ids": list(ids)},
                )

    async def node(self, name: str, kind: str = "person", state: str = "active", **use: Any) -> UUID:
        """Somebody or something that sources name."""
        seen = self.parts.clock().isoformat()
        data = {"canonical": canonical(name), "aliases": [], "first_seen": seen, "last_seen": seen}
        id = await self.memory(kind, name, title=name, data=data, use={"state": state} | use)
        with owner(self.rc.database_url) as connection:
            connection.execute(
                "insert into node_name (space_id, kind, type, name, node_id) values (%s, %s, '', %s, %s)",
                (self.space, kind, canonical(name), id),
            )
        return id

    async def source(
        self, summary: str, at: datetime, nodes: Sequence[UUID] = (), use: dict[str, Any] | None = None, **fields: Any
    ) -> UUID:
        """A document that was read, with what it mentions; the counters of those follow."""
        given: dict[str, Any] = {
            "type": "text-note",
            "happened_at": at,
            "summary": summary,
            "data": {"status": "extracted"},
        }
        id = await self.memory("source", f"{summary} And more of it.", use=use, **(given | fields))
        with owner(self.rc.database_url) as connection:
            connection.execute(
                "insert into source (space_id, id, source_type, raw, status, received_at)"
                " values (%s, %s, %s, %s, %s, %s)",
                (self.space, id, "text-note", f"{summary} And more of it.", "extracted", self.parts.clock()),
            )
        await self.mention(id, nodes)
        return id

    async def chunk(self, source: UUID, text: str, order: int = 0, sources: Sequence[UUID] = ()) -> UUID:
        """A passage of a document."""
        data = {"order": order, "sources": [str(id) for id in (source, *sources)]}
        return await self.memory("chunk", text, type="text-note", data=data, provenance=Provenance(source_id=source))

    async def storyline(self, node: UUID, sources: Sequence[UUID], at: datetime, **use: Any) -> UUID:
        """A story about a node that ended at a moment."""
        since = (at - timedelta(days=5)).isoformat()
        data = {"source_count": len(sources), "first_source_at": since, "last_source_at": at.isoformat()}
        id = await self.memory("storyline", f"It went on and on {at}.", data=data, happened_at=at, use=use)
        await self.tie(id, [node], "about")
        await self.tie(id, sources, "includes")
        return id

    async def macro(self, node: UUID, storylines: Sequence[UUID], **use: Any) -> UUID:
        """The theme behind the storylines of a node."""
        data = {"storyline_count": len(storylines), "source_count": 1}
        id = await self.memory("macro", f"It was always about {node}.", data=data, use=use)
        await self.tie(id, [node], "rooted_in")
        await self.tie(id, storylines, "groups")
        return id

    async def tie(self, from_id: UUID, to_ids: Sequence[UUID], type: str) -> None:
        """Tie a memory to others."""
        async with self.parts.database.transaction(self.space) as connection:
            await store.relate(connection, self.space, from_id, to_ids, type, self.parts.clock(), 0.5)

    async def behind(self, ids: Sequence[UUID], kind: str) -> None:
        """Texts are behind what came."""
        async with self.parts.database.transaction(self.space) as connection:
            await dirty.mark(connection, self.space, dict.fromkeys(ids, kind), self.parts.clock())

    async def mention(self, source: UUID, nodes: Sequence[UUID]) -> None:
        """A source mentions nodes."""
        if not nodes:
            return
        now = self.parts.clock()
        async with self.parts.database.transaction(self.space) as connection:
            await relations.mention(connection, self.space, [(source, node, 0.9) for node in nodes], now, 0.5)
        self.count(nodes)

    def count(self, nodes: Sequence[UUID]) -> None:
        """Reckon the counters of nodes anew."""
        with owner(self.rc.database_url) as connection:
            connection.execute(
                "insert into mentioned (space_id, node_id, sources, days, first_at, last_at)"
                " select %(space)s, r.to_id, count(*), count(distinct (s.happened_at at time zone 'UTC')::date),"
                " min(s.happened_at), max(s.happened_at) from relation r"
                " join memory s on s.space_id = %(space)s and s.id = r.from_id and s.kind = 'source'"
                " join memory_use u on u.space_id = %(space)s and u.memory_id = s.id and not u.state = 'soft_deleted'"
                " where r.space_id = %(space)s and r.type = 'mentions' and r.to_id = any (%(nodes)s) group by r.to_id"
                " on conflict (space_id, node_id) do update set sources = excluded.sources, days = excluded.days,"
                " first_at = excluded.first_at, last_at = excluded.last_at",
                {"space": self.space, "nodes": list(nodes)},
            )

    def execute(self, statement: str, **values: Any) -> None:
        """Let the owner write; `%(space)s` is the space."""
        with owner(self.rc.database_url) as connection:
            connection.execute(statement, values | {"space": self.space})

    def rows(self, statement: str, **values: Any) -> list[Any]:
        """What the owner sees; `%(space)s` is the space."""
        with owner(self.rc.database_url) as connection:
            return connection.execute(statement, values | {"space": self.space}).fetchall()

    def linked(self, from_id: UUID, type: str) -> set[UUID]:
        """What a memory is tied to."""
        found = self.rows(
            "select to_id from relation where space_id = %(space)s and from_id = %(id)s and type = %(type)s",
            id=from_id,
            type=type,
        )
        return {id for (id,) in found}
