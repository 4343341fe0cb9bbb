"""Deciding what could not be merged: a person or an agent says which side holds.

Every change of a chunk keeps the text before as a former version, and what gives way ends rather than goes: history
tells what was decided, and an update takes it back.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from recollect.active import store as actives
from recollect.active.model import RESOLUTIONS, REVIEW_STATUSES, Review, Waiting
from recollect.core import check
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import barring, comparing, statistics
from recollect.flows.comparing import ReadPiece
from recollect.flows.graphing import graph_desk
from recollect.flows.migrate import change_text, chunk_of
from recollect.flows.parts import Parts
from recollect.flows.remember import keep
from recollect.flows.revise import actor_of
from recollect.graph import service as graph
from recollect.records import service, store
from recollect.records.changes import Changes
from recollect.records.kinds import KINDS
from recollect.records.model import Actor, Memory
from recollect.sources import store as sources
from recollect.sources.model import Piece
from recollect.understanding import merging

Kept = dict[tuple[UUID, int], tuple[ReadPiece, ReadPiece | None]]
"""By chunk and place of a piece: the chunk's text with the piece, and without what the piece contradicts."""


async def reviews(parts: Parts, scope: Scope, status: str | None) -> list[Review]:
    """What waits to be decided, or was: of the scope's agent, or of all in its space."""
    wanted = None if status is None else check.choice("status", status, REVIEW_STATUSES)
    async with parts.database.transaction(scope.space) as connection:
        return await actives.reviews(connection, scope.space, wanted, scope.agent_id)


@again_after_deadlock
async def resolve(parts: Parts, scope: Scope, id: UUID, resolution: object, text: object) -> Review:
    """Decide a review: texts are embedded first, then everything is written in one transaction."""
    decision = check.choice("resolution", resolution, RESOLUTIONS)
    merged = _merged_text(parts, decision, text)
    space = scope.space
    async with parts.database.transaction(space) as connection:
        review = await actives.get_review(connection, space, id)
    scope.refuse_blind()
    if review is None or not scope.sees(KINDS["chunk"].category):
        raise NotFound(f"there is no review {id}")
    pieces = await _pieces(parts, space, review, merged)
    kept = await _kept(parts, space, review) if decision == "keep_new" else {}
    # Neither a person nor an agent writes what is decided: further notes are merged with it as with any other.
    actor = replace(actor_of(scope, f"review: {decision}"), by_hand=False)
    async with parts.database.transaction(space) as connection:
        await actives.hold_agent(connection, space, review.agent_id or "")
        deciding = _Deciding(parts, connection, space, await _held(connection, space, review), pieces, kept, actor)
        await deciding.refuse_deleted()
        known = await deciding.known()
        current = await deciding.refreshed(known)
        if current:
            await deciding.decide(decision, known)
            by = scope.user_id or scope.agent_id or space
            review = await actives.resolve(connection, space, id, decision, by, deciding.now)
            await statistics.refresh_when_due(connection, space)
    if not current:
        raise Conflict(f"what is known has changed since review {id} was asked for: look at it again")
    return review


def _merged_text(parts: Parts, decision: str, text: object) -> str | None:
    if decision == "merged":
        return check.text("text", text, most_bytes=parts.settings.message_bytes)
    if text is not None:
        raise InvalidInput("text", f"goes with `merged` only, not with {decision}")
    return None


async def _pieces(parts: Parts, space: str, review: Review, merged: str | None) -> list[ReadPiece]:
    """What the section's pieces say, or the text that says both, cut as any other."""
    if merged is None:
        return await comparing.read_pieces(parts, space, [Piece(piece.order, piece.text) for piece in review.pieces])
    if not (pieces := await comparing.read(parts, space, merged)):
        raise InvalidInput("text", "says nothing of its own")
    return pieces


async def _kept(parts: Parts, space: str, review: Review) -> Kept:
    """What a chunk says when a piece takes its place, and when it only gives way to one: all that is not contested."""
    texts: dict[tuple[UUID, int], tuple[str, str]] = {}
    for piece in review.pieces:
        for chunk in piece.chunks:
            new, rest = await asyncio.to_thread(_both, chunk.content, piece.text)
            texts[chunk.id, piece.order] = new, rest
    told = list(dict.fromkeys(text for pair in texts.values() for text in pair if text))
    read = await comparing.read_pieces(parts, space, [Piece(0, text) for text in told])
    by_text = dict(zip(told, read, strict=True))
    return {which: (by_text[new], by_text.get(rest)) for which, (new, rest) in texts.items()}


def _both(older: str, newer: str) -> tuple[str, str]:
    return merging.replaced(older, newer), merging.given_way(older, newer) or ""


async def _held(connection: Connection, space: str, review: Review) -> Review:
    """The review, held, provided that it waits for a decision and is as it was read."""
    held = await actives.get_review(connection, space, review.id, hold=True)
    if held is None or held.status != "open":
        raise Conflict(f"review {review.id} is {held.status if held else 'gone'} already")
    if held.updated_at != review.updated_at or held.pieces != review.pieces:
        raise Conflict(f"review {review.id} has changed: look at it again")
    return held


@dataclass(slots=True)
class _Deciding:
    """One decision's transaction."""

    parts: Parts
    connection: Connection
    space: str
    review: Review
    texts: list[ReadPiece]
    kept: Kept
    actor: Actor

    @property
    def now(self) -> datetime:
        """The moment of the decision."""
        return self.parts.clock()

    async def refuse_deleted(self) -> None:
        """What somebody deleted does not come back by a decision."""
        rows = await store.get(self.connection, self.space, [self.review.source_id])
        if not rows or rows[0].state == "soft_deleted":
            raise Conflict(f"source {self.review.source_id} of the review is deleted: restore it first")

    async def known(self) -> dict[UUID, Memory]:
        """The chunks of the other side that still hold, held."""
        ids = sorted({chunk.id for chunk in self.review.chunks})
        await store.lock(self.connection, self.space, ids)
        rows = {row.id: row for row in await store.get(self.connection, self.space, ids)}
        order = [chunk.id for chunk in self.review.chunks if chunk.id in rows]
        found = [store.memory_of(rows[id], self.now, self.parts.rules) for id in order]
        return {memory.id: memory for memory in found if memory.state != "soft_deleted" and memory.valid_until is None}

    async def refreshed(self, known: dict[UUID, Memory]) -> bool:
        """Whether the review shows what is known as it is; where it does not, it does from now on."""
        if all(known[chunk.id].content == chunk.content for chunk in self.review.chunks if chunk.id in known):
            return True
        pieces = [
            replace(
                piece,
                chunks=tuple(
                    replace(chunk, content=known[chunk.id].content) for chunk in piece.chunks if chunk.id in known
                ),
            )
            for piece in self.review.pieces
        ]
        await actives.refresh_review(self.connection, self.space, self.review.id, pieces, self.now)
        return False

    async def decide(self, decision: str, known: dict[UUID, Memory]) -> None:
        """Do what was decided."""
        if decision == "keep_old" and not all(piece.chunk_ids & known.keys() for piece in self.review.pieces):
            raise Conflict("what was known is gone: nothing would be left to keep; restore it, or decide otherwise")
        await service.wake(self.connection, self.space, sorted(known), self.now, self.actor)
        match decision:
            case "keep_old":
                told = [(memory.id, memory.version) for memory in known.values()]
                await store.tell(self.connection, self.space, self.now, "UPDATE", told, self.actor)
            case "keep_new":
                for piece, read in zip(self.review.pieces, self.texts, strict=True):
                    chunks = [known.pop(chunk.id) for chunk in piece.chunks if chunk.id in known]
                    await self._take_place(piece.order, read, chunks)
            case "keep_both":
                await self._add(self.texts, beside=True)
            case "merged":
                await self._replace(list(known.values()), self.texts)

    async def _take_place(self, order: int, read: ReadPiece, chunks: list[Memory]) -> None:
        """The nearest chunk says the new text from now on; of it and the others, what nobody contests stays."""
        if not chunks:
            await self._add([read])
        for place, chunk in enumerate(chunks):
            new, rest = self.kept[chunk.id, order]
            if place == 0:
                await self._change(chunk, new)
            elif rest is None:
                await self._end(chunk)
            else:
                await self._change(chunk, rest)

    async def _replace(self, chunks: list[Memory], reads: list[ReadPiece]) -> None:
        """The nearest chunks take the new texts; the others end, and texts that are left are chunks of their own."""
        for chunk, read in zip(chunks, reads, strict=False):
            await self._change(chunk, read)
        for chunk in chunks[len(reads) :]:
            await self._end(chunk)
        await self._add(reads[len(chunks) :])

    async def _change(self, chunk: Memory, read: ReadPiece) -> None:
        listed = list(dict.fromkeys([*chunk.data.get("sources", []), str(self.review.source_id)]))
        data = chunk.data | {"sources": listed}
        await change_text(self.connection, chunk, read.piece.text, read.passages, self.now, self.actor, data)
        await service.release(self.connection, self.space, [chunk.id])
        await graph.reread(self._desk(), chunk.id, read.extracted)

    async def _end(self, chunk: Memory) -> None:
        """It holds no more at once, also where the clock went back since it began."""
        span = {"valid_from": min(self.now, chunk.valid_from or self.now), "valid_until": self.now}
        await service.change(
            self.connection,
            chunk,
            Changes(span),
            None,
            self.now,
            self.actor,
            await store.mean_length(self.connection, self.space),
            event=None,
        )

    async def _add(self, reads: Sequence[ReadPiece], *, beside: bool = False) -> None:
        """Chunks of the section's own source."""
        if not reads:
            return
        section = await self._section()
        placed = await self._placed(reads)
        chunks = [chunk_of(section, self.review.source_id, read, self.now) for read in placed]
        await keep(self.parts, self.connection, self.space, chunks, self.actor)
        bars = await barring.bars_of(self.parts, self.connection, self.space)
        found = [(chunk.id, barring.unbarred(bars, each.extracted)) for chunk, each in zip(chunks, reads, strict=True)]
        await graph.absorb(self._desk(), found, beside=beside)

    async def _placed(self, reads: Sequence[ReadPiece]) -> list[ReadPiece]:
        """The pieces at their places in the section's source; behind all others, where one has a chunk already."""
        taken = await sources.places(self.connection, self.space, self.review.source_id)
        placed = []
        for read in reads:
            order = read.piece.order
            if order in taken:
                order = 1 + max(taken)
            taken.add(order)
            placed.append(replace(read, piece=Piece(order, read.piece.text)))
        return placed

    async def _section(self) -> Waiting:
        review = self.review
        active = await actives.get(self.connection, self.space, review.active_id)
        title = active.title if active else review.section
        section = active.sections.get(review.section) if active else None
        shown = section.title if section else review.section
        return Waiting(review.active_id, review.agent_id or "", title, review.section, shown, review.content, 0, 0)

    def _desk(self) -> graph.Desk:
        return graph_desk(self.parts, self.connection, self.space, self.now, self.review.agent_id)
