"""Deciding what could not be merged: a person or an agent says which side holds.

Every change of a chunk keeps the text before as a former version, and what gives way ends rather than goes: history
tells what was decided, and an update takes it back.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recollect.active import store as actives
from recollect.active.model import RESOLUTIONS, REVIEW_STATUSES, Review, ReviewedPiece, Waiting
from recollect.core import check
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.db.database import Connection
from recollect.flows import comparing, statistics
from recollect.flows.comparing import ReadPiece
from recollect.flows.indexing import passages_of, plain
from recollect.flows.migrate import change_text, chunk_of, graph_desk
from recollect.flows.parts import Parts
from recollect.flows.revise import actor_of
from recollect.graph import service as graph
from recollect.graph.extract import extract
from recollect.records import service, store
from recollect.records.changes import Changes
from recollect.records.model import Actor, Memory
from recollect.sources.model import Piece


async def reviews(parts: Parts, scope: Scope, status: str | None) -> list[Review]:
    """What waits to be decided in the scope's space, or was."""
    wanted = None if status is None else check.choice("status", status, REVIEW_STATUSES)
    async with parts.database.transaction(scope.space) as connection:
        return await actives.reviews(connection, scope.space, wanted)


async def resolve(parts: Parts, scope: Scope, id: UUID, resolution: object, text: object) -> Review:
    """Decide a review: texts are embedded first, then everything is written in one transaction."""
    decision = check.choice("resolution", resolution, RESOLUTIONS)
    merged = _merged_text(parts, decision, text)
    space = scope.space
    async with parts.database.transaction(space) as connection:
        review = await actives.get_review(connection, space, id)
    if review is None:
        raise NotFound(f"there is no review {id}")
    texts = [piece.text for piece in review.pieces] if merged is None else [comparing.readable(merged)]
    passages = await passages_of(parts, space, [plain(piece) for piece in texts])
    pieces = [
        ReadPiece(Piece(place, piece), found, extract(piece))
        for place, (piece, found) in enumerate(zip(texts, passages, strict=True))
    ]
    async with parts.database.transaction(space) as connection:
        await actives.hold_agent(connection, space, review.agent_id or "")
        held = await actives.get_review(connection, space, id, hold=True)
        if held is None or held.status != "open":
            raise Conflict(f"review {id} is {held.status if held else 'gone'} already")
        if held.updated_at != review.updated_at or held.pieces != review.pieces:
            raise Conflict(f"review {id} has changed: look at it again")
        actor = actor_of(scope, f"review: {decision}")
        await _Deciding(parts, connection, space, held, pieces, actor, parts.clock()).decide(decision)
        by = scope.user_id or scope.agent_id or space
        resolved = await actives.resolve(connection, space, id, decision, by, parts.clock())
        await statistics.refresh_when_due(connection, space)
    return resolved


def _merged_text(parts: Parts, decision: str, text: object) -> str | None:
    if decision == "merged":
        return check.text("text", text, most_bytes=parts.settings.message_bytes)
    if text is not None:
        raise InvalidInput("text", f"goes with `merged` only, not with {decision}")
    return None


@dataclass(slots=True)
class _Deciding:
    """One decision's transaction."""

    parts: Parts
    connection: Connection
    space: str
    review: Review
    texts: list[ReadPiece]
    """What the sections' pieces say, or the text that says both."""
    actor: Actor
    now: datetime

    async def decide(self, decision: str) -> None:
        """Do what was decided."""
        known = await self._known()
        match decision:
            case "keep_old":
                for memory in known.values():
                    await service.mark_by_hand(self.connection, memory, self.now, self.actor)
            case "keep_new":
                for piece, read in zip(self.review.pieces, self.texts, strict=True):
                    await self._replace(self._of(piece, known), read)
            case "keep_both":
                for read in self._numbered():
                    await self._add(read)
            case "merged":
                await self._replace(list(known.values()), self.texts[0])

    async def _known(self) -> dict[UUID, Memory]:
        """The chunks of the other side that are still there, held."""
        ids = sorted({chunk.id for chunk in self.review.chunks})
        await store.lock(self.connection, self.space, ids)
        rows = {row.id: row for row in await store.get(self.connection, self.space, ids)}
        order = [chunk.id for chunk in self.review.chunks if chunk.id in rows]
        found = [store.memory_of(rows[id], self.now, self.parts.rules) for id in order]
        return {memory.id: memory for memory in found if memory.state != "soft_deleted" and memory.valid_until is None}

    def _of(self, piece: ReviewedPiece, known: dict[UUID, Memory]) -> list[Memory]:
        return [known.pop(chunk.id) for chunk in piece.chunks if chunk.id in known]

    def _numbered(self) -> list[ReadPiece]:
        """The pieces with their places in the section."""
        orders = [piece.order for piece in self.review.pieces]
        return [
            ReadPiece(Piece(order, read.piece.text), read.passages, read.extracted)
            for order, read in zip(orders, self.texts, strict=True)
        ]

    async def _replace(self, chunks: list[Memory], read: ReadPiece) -> None:
        """The nearest chunk takes the new text, the others end; where none is left, it is a chunk of its own."""
        if not chunks:
            await self._add(read)
            return
        first, *others = chunks
        listed = list(dict.fromkeys([*first.data.get("sources", []), str(self.review.source_id)]))
        data = first.data | {"sources": listed}
        await change_text(
            self.parts, self.connection, first, read.piece.text, read.passages, self.now, self.actor, data
        )
        await graph.reread(self._desk(), first.id, read.extracted)
        for other in others:
            await self._end(other)

    async def _end(self, chunk: Memory) -> None:
        moment = max(self.now, chunk.valid_from or self.now)
        await service.change(
            self.connection,
            chunk,
            Changes({"valid_until": moment}),
            None,
            self.now,
            self.actor,
            await store.mean_length(self.connection, self.space),
            event=None,
        )

    async def _add(self, read: ReadPiece) -> None:
        """A chunk of the section's own source."""
        chunk = chunk_of(await self._section(), self.review.source_id, read, self.now)
        await store.remember(
            self.connection,
            self.space,
            [chunk],
            self.now,
            self.actor,
            salience=self.parts.settings.salience_initial,
            mean_length=await store.mean_length(self.connection, self.space),
        )
        await graph.absorb(self._desk(), [(chunk.id, read.extracted)])

    async def _section(self) -> Waiting:
        review = self.review
        active = await actives.get(self.connection, self.space, review.active_id)
        title = active.title if active else review.section
        section = active.sections.get(review.section) if active else None
        shown = section.title if section else review.section
        return Waiting(review.active_id, review.agent_id or "", title, review.section, shown, review.content, 0, 0)

    def _desk(self) -> graph.Desk:
        return graph_desk(self.parts, self.connection, self.space, self.now, self.review.agent_id)
