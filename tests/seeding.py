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

    async def memory(self, kind: str, text: str, **given: Any) -> UUID:
        """A memory that nobody wrote by hand; `use` is how it stands."""
        [id] = await self.memories(kind, [text], **given)
        return id

    async def memories(
        self,
        kind: str,
        texts: Sequence[str],
        *,
        use: dict[str, Any] | None = None,
        own: Sequence[dict[str, Any]] = (),
        **fields: Any,
    ) -> list[UUID]:
        """Memories that all stand in one way, written together; `own` is what each has for itself."""
        defaults = KINDS[kind]
        given: dict[str, Any] = {
            "kind": kind,
            "type": None,
            "category": defaults.category,
            "tier": defaults.tier,
            "importance": defaults.importance,
            "confidence": defaults.confidence,
            "happened_at": self.parts.clock(),
        } | fields
        passages = await passages_of(self.parts, self.space, [plain(text) for text in texts])
        planted = [
            NewMemory(**(given | {"id": new_id(), "content": text, "passages": found} | each))
            for text, found, each in zip(texts, passages, own or [{}] * len(texts), strict=True)
        ]
        async with self.parts.database.transaction(self.space) as connection:
            await keep(self.parts, connection, self.space, planted, _JOB)
        ids = [memory.id for memory in planted]
        self.stand(ids, **(use or {}))
        return ids

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
        [id] = await self.nodes([name], kind, state, **use)
        return id

    async def nodes(self, names: Sequence[str], kind: str = "person", state: str = "active", **use: Any) -> list[UUID]:
        """Some that sources name."""
        seen = self.parts.clock().isoformat()
        own = [
            {
                "title": name,
                "data": {"canonical": canonical(name), "aliases": [], "first_seen": seen, "last_seen": seen},
            }
            for name in names
        ]
        ids = await self.memories(kind, names, own=own, use={"state": state} | use)
        self.execute(
            "insert into node_name (space_id, kind, type, name, node_id)"
            " select %(space)s, %(kind)s, '', name, id from unnest(%(names)s::text[], %(ids)s::uuid[]) as n (name, id)",
            kind=kind,
            names=[canonical(name) for name in names],
            ids=ids,
        )
        return ids

    async def source(
        self, summary: str, at: datetime, nodes: Sequence[UUID] = (), use: dict[str, Any] | None = None, **fields: Any
    ) -> UUID:
        """A document that was read, with what it mentions; the counters of those follow."""
        [id] = await self.sources([(summary, at, nodes)], use, **fields)
        return id

    async def sources(
        self,
        told: Sequence[tuple[str, datetime, Sequence[UUID]]],
        use: dict[str, Any] | None = None,
        **fields: Any,
    ) -> list[UUID]:
        """Documents: of each a summary, its moment, and what it mentions."""
        texts = [f"{summary} And more of it." for summary, _, _ in told]
        own = [{"happened_at": at, "summary": summary} for summary, at, _ in told]
        given: dict[str, Any] = {"type": "text-note", "data": {"status": "extracted"}}
        ids = await self.memories("source", texts, own=own, use=use, **(given | fields))
        self.execute(
            "insert into source (space_id, id, source_type, raw, status, received_at)"
            " select %(space)s, id, 'text-note', raw, 'extracted', %(now)s"
            " from unnest(%(ids)s::uuid[], %(texts)s::text[]) as s (id, raw)",
            ids=ids,
            texts=texts,
            now=self.parts.clock(),
        )
        await self._mention([(id, node) for id, (_, _, nodes) in zip(ids, told, strict=True) for node in nodes])
        return ids

    async def chunk(self, source: UUID, text: str, order: int = 0, sources: Sequence[UUID] = ()) -> UUID:
        """A passage of a document."""
        data = {"order": order, "sources": [str(id) for id in (source, *sources)]}
        return await self.memory("chunk", text, type="text-note", data=data, provenance=Provenance(source_id=source))

    async def storyline(self, node: UUID, sources: Sequence[UUID], at: datetime, **use: Any) -> UUID:
        """A story about a node that ended at a moment."""
        [id] = await self.storylines([node], sources, at, **use)
        return id

    async def storylines(self, nodes: Sequence[UUID], sources: Sequence[UUID], at: datetime, **use: Any) -> list[UUID]:
        """A story about each of some nodes, of the same sources."""
        since = (at - timedelta(days=5)).isoformat()
        data = {"source_count": len(sources), "first_source_at": since, "last_source_at": at.isoformat()}
        texts = [f"It went on and on {at}."] * len(nodes)
        ids = await self.memories("storyline", texts, data=data, happened_at=at, use=use)
        await self.ties([(id, [node], "about") for id, node in zip(ids, nodes, strict=True)])
        await self.ties([(id, sources, "includes") for id in ids])
        return ids

    async def macro(self, node: UUID, storylines: Sequence[UUID], **use: Any) -> UUID:
        """The theme behind the storylines of a node."""
        [id] = await self.macros([(node, storylines)], **use)
        return id

    async def macros(self, grouped: Sequence[tuple[UUID, Sequence[UUID]]], **use: Any) -> list[UUID]:
        """The themes behind the storylines of some nodes."""
        own = [{"data": {"storyline_count": len(storylines), "source_count": 1}} for _, storylines in grouped]
        ids = await self.memories("macro", [f"It was always about {node}." for node, _ in grouped], own=own, use=use)
        await self.ties([(id, [node], "rooted_in") for id, (node, _) in zip(ids, grouped, strict=True)])
        await self.ties([(id, storylines, "groups") for id, (_, storylines) in zip(ids, grouped, strict=True)])
        return ids

    async def tie(self, from_id: UUID, to_ids: Sequence[UUID], type: str) -> None:
        """Tie a memory to others."""
        await self.ties([(from_id, to_ids, type)])

    async def ties(self, tied: Sequence[tuple[UUID, Sequence[UUID], str]]) -> None:
        """Tie memories, each to others, in some way."""
        now = self.parts.clock()
        async with self.parts.database.transaction(self.space) as connection:
            for from_id, to_ids, type in tied:
                await store.relate(connection, self.space, from_id, to_ids, type, now, 0.5)

    async def behind(self, ids: Sequence[UUID], kind: str) -> None:
        """Texts are behind what came."""
        async with self.parts.database.transaction(self.space) as connection:
            await dirty.mark(connection, self.space, dict.fromkeys(ids, kind), self.parts.clock())

    async def mention(self, source: UUID, nodes: Sequence[UUID]) -> None:
        """A source mentions nodes."""
        await self._mention([(source, node) for node in nodes])

    async def _mention(self, pairs: Sequence[tuple[UUID, UUID]]) -> None:
        if not pairs:
            return
        now = self.parts.clock()
        async with self.parts.database.transaction(self.space) as connection:
            await relations.mention(connection, self.space, [(*pair, 0.9) for pair in pairs], now, 0.5)
        self.count(sorted({node for _, node in pairs}))

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
