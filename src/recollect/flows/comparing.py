"""A section against what is known: each piece of it is new, goes into a chunk, or has to be decided by somebody.

Nearness alone decides nothing: entities have to agree, and no sentence may contradict another.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.active.model import Review, ReviewedChunk, ReviewedPiece, Waiting
from recollect.core.errors import RecollectError
from recollect.db.database import Connection
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.graph import store as graph
from recollect.graph.extract import FUNCTIONAL, extract_section
from recollect.graph.model import Extracted, overlap
from recollect.records import store as records
from recollect.records.model import Memory, Passage
from recollect.sources import chunking
from recollect.sources import store as sources
from recollect.sources.chunking import Sizes
from recollect.sources.model import Piece
from recollect.understanding import merging
from recollect.understanding.fence import unfenced
from recollect.understanding.secrets import mask

Seen = tuple[UUID, int, str]
"""A chunk with its version, and whether it was seen, put away or deleted."""

_HIDDEN = ("archived", "soft_deleted")
_NEAREST = 5
_ROUNDING = 0.01
"""Stored vectors are rounded to halves: what is nearly near is looked at again."""
_LONGEST_MERGED = 2
"""Chunks' lengths that a merged one may have; what would be longer begins another."""


@dataclass(frozen=True, slots=True)
class ReadPiece:
    """A piece of a section with its vectors, and what it names."""

    piece: Piece
    passages: tuple[Passage, ...]
    extracted: Extracted


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk near a piece, and how the two compare."""

    memory: Memory
    similarity: float
    names: float
    """Share of entities that they have in common."""
    ties: float
    """The same of relations."""
    clash: str | None
    """Why they cannot both hold."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a piece."""

    read: ReadPiece
    outcome: Literal["new", "merged", "unchanged", "review"]
    reason: str
    candidates: tuple[Candidate, ...] = ()
    into: Memory | None = None

    @property
    def best(self) -> Candidate | None:
        """The nearest chunk."""
        return self.candidates[0] if self.candidates else None

    @property
    def nearness(self) -> float | None:
        """How near that one is."""
        return None if self.best is None else self.best.similarity

    def reviewed(self) -> ReviewedPiece:
        """Both sides, for whoever has to decide."""
        against = [one for one in self.candidates if one.clash] or list(self.candidates)
        chunks = tuple(
            ReviewedChunk(one.memory.id, one.memory.content, round(one.similarity, 4), one.clash or self.reason)
            for one in against
        )
        return ReviewedPiece(self.read.piece.order, self.read.piece.text, chunks)

    def is_settled(self, decided: Sequence[Review]) -> bool:
        """Whether the last that was decided about these chunks was about this very text, and still holds."""
        asked = self.reviewed()
        for review in decided:
            if about := [piece for piece in review.pieces if piece.chunk_ids & asked.chunk_ids]:
                return any(
                    piece.text == asked.text and piece.chunk_ids >= asked.chunk_ids and self._still(review, piece)
                    for piece in about
                )
        return False

    def _still(self, review: Review, piece: ReviewedPiece) -> bool:
        """Whether each chunk is what was decided on: the side that was kept, or what the decision made of it."""
        before = {chunk.id: chunk for chunk in piece.chunks}
        for chunk in self.reviewed().chunks:
            was = before[chunk.id]
            if review.status in ("keep_old", "keep_both"):
                still = chunk.content == was.content or chunk.why == was.why
            else:
                still = chunk.content != was.content and not self._is_by_hand(chunk.id)
            if not still:
                return False
        return True

    def _is_by_hand(self, id: UUID) -> bool:
        return any(one.memory.by_hand for one in self.candidates if one.memory.id == id)


@dataclass(slots=True)
class Plan:
    """What becomes of a section."""

    decisions: list[Decision]
    asked: Sequence[ReadPiece]
    """Its pieces, without what somebody deleted."""
    seen: frozenset[Seen]
    """The chunks that it was compared with, as they were."""
    section: Waiting
    told: str
    """All that the section says, as its pieces do."""
    texts: dict[UUID, str] = field(default_factory=dict)
    """New texts of chunks that take something in."""
    passages: dict[UUID, tuple[Passage, ...]] = field(default_factory=dict)
    extracted: dict[UUID, Extracted] = field(default_factory=dict)

    def whole(self, chunk: Memory) -> str | None:
        """All that the section says, where a chunk came of an earlier state of it: then its places count."""
        return self.told if _is_own(chunk, self.section) else None


def _is_own(chunk: Memory, section: Waiting) -> bool:
    return section.marks.items() <= chunk.metadata.items()


def sizes(parts: Parts) -> Sizes:
    """How long chunks are."""
    return Sizes(parts.settings.chunk_single, parts.settings.chunk_size, parts.settings.chunk_overlap)


def readable(text: str) -> str:
    """A text without what was recalled into it, its secrets masked: the raw one stays in its source."""
    return mask(unfenced(text))


async def read(parts: Parts, space: str, text: str) -> list[ReadPiece]:
    """Cut a text, and make its pieces comparable."""
    cut = await asyncio.to_thread(lambda: chunking.pieces(readable(text), parts.counter, sizes(parts)))
    return await read_pieces(parts, space, cut)


async def read_pieces(parts: Parts, space: str, cut: Sequence[Piece]) -> list[ReadPiece]:
    """Make pieces comparable: their vectors, and what they name."""
    found = await asyncio.to_thread(lambda: [extract_section(piece.text) for piece in cut])
    passages = await passages_of(parts, space, [plain(piece.text) for piece in cut])
    return [ReadPiece(*each) for each in zip(cut, passages, found, strict=True)]


async def _near(
    parts: Parts, connection: Connection, space: str, agent: str | None, pieces: Sequence[ReadPiece]
) -> list[UUID]:
    """The agent's short-term chunks that lie near some piece."""
    return await sources.near_chunks(
        connection, space, agent, _vectors(pieces), least=_least(parts, pieces), most=_NEAREST
    )


async def _hidden(
    parts: Parts, connection: Connection, space: str, section: Waiting, pieces: Sequence[ReadPiece]
) -> list[UUID]:
    """What was put away with the text of some piece, or deleted, and has to do with the section."""
    texts = [read.piece.text for read in pieces]
    least = _least(parts, pieces)
    return await sources.hidden_chunks(
        connection, space, section.agent_id, section.marks, texts, _vectors(pieces), least=least
    )


def _vectors(pieces: Sequence[ReadPiece]) -> list[NDArray[np.float32]]:
    return [passage.embedding for read in pieces for passage in read.passages]


def _least(parts: Parts, pieces: Sequence[ReadPiece]) -> float:
    """From where on chunks are looked at; of a long piece one passage may lie farther away than the whole."""
    slack = 0.1 if any(len(read.passages) > 1 for read in pieces) else 0.0
    return parts.calibration.raw(parts.settings.migrate_similarity) - _ROUNDING - slack


@dataclass(frozen=True, slots=True)
class Known:
    """What a section is compared with."""

    chunks: tuple[Memory, ...]
    """Near some piece of it, or put away with its very text."""
    deleted: tuple[Memory, ...]
    """What somebody deleted: migration does not bring it back."""

    @property
    def seen(self) -> frozenset[Seen]:
        """All of it as it was: whoever changes, deletes or restores one later makes a plan stale."""
        return frozenset((chunk.id, chunk.version, _standing(chunk)) for chunk in (*self.chunks, *self.deleted))


def _standing(chunk: Memory) -> str:
    return chunk.state if chunk.state in _HIDDEN else "seen"


async def known(
    parts: Parts, connection: Connection, space: str, section: Waiting, pieces: Sequence[ReadPiece]
) -> Known:
    """The chunks that have to do with the pieces of a section."""
    ids = [
        *await _near(parts, connection, space, section.agent_id, pieces),
        *await _hidden(parts, connection, space, section, pieces),
    ]
    rows = await records.get(connection, space, ids) if ids else []
    found = [records.memory_of(row, parts.clock(), parts.rules) for row in rows]
    deleted = tuple(chunk for chunk in found if chunk.state == "soft_deleted")
    return Known(tuple(chunk for chunk in found if chunk.state != "soft_deleted"), deleted)


async def seen(
    parts: Parts, connection: Connection, space: str, section: Waiting, pieces: Sequence[ReadPiece], made: Plan
) -> frozenset[Seen]:
    """What the plan of a section was made with, as it is now."""
    found = (await known(parts, connection, space, section, pieces)).seen
    if made.asked is pieces:
        return found
    return found | (await known(parts, connection, space, section, made.asked)).seen


@dataclass(frozen=True, slots=True)
class _Sight:
    """What is known, with all that it is compared by."""

    known: Known
    vectors: dict[UUID, list[NDArray[np.float32]]]
    names: dict[UUID, frozenset[str]]
    ties: dict[UUID, frozenset[tuple[str, str, str]]]


async def _look(parts: Parts, space: str, section: Waiting, pieces: Sequence[ReadPiece]) -> _Sight:
    async with parts.database.transaction(space) as connection:
        found = await known(parts, connection, space, section, pieces)
        ids = [chunk.id for chunk in found.chunks]
        if not ids:
            return _Sight(found, {}, {}, {})
        return _Sight(
            found,
            await sources.vectors_of(connection, space, ids),
            await graph.names_in(connection, space, ids),
            await graph.ties_in(connection, space, ids),
        )


async def plan(parts: Parts, space: str, section: Waiting, pieces: Sequence[ReadPiece]) -> Plan:
    """Compare every piece with what is known, decide, and make the merged texts ready."""
    first = sight = await _look(parts, space, section, pieces)
    asked = await _spared(parts, space, pieces, first.known.deleted)
    if asked is not pieces:
        sight = await _look(parts, space, section, asked)
    made = Plan([], asked, first.known.seen | sight.known.seen, section, readable(section.content))
    left = {read.piece.order for read in asked}
    gone = [read for read in pieces if read.piece.order not in left]
    made.decisions += [Decision(read, "unchanged", "somebody deleted it") for read in gone]
    awake = {chunk.content: chunk for chunk in sight.known.chunks if chunk.state != "archived"}
    for read_piece in asked:
        same = awake.get(read_piece.piece.text)
        if same is not None and same.id not in made.texts:
            twin = Candidate(same, 1.0, 1.0, 1.0, None)
            made.decisions.append(Decision(read_piece, "unchanged", "the same text", (twin,), same))
            continue
        candidates = await asyncio.to_thread(_candidates, parts, read_piece, sight, made)
        made.decisions.append(await _decided(parts, read_piece, candidates, made))
    await _make_ready(parts, space, made)
    return made


async def _spared(
    parts: Parts, space: str, pieces: Sequence[ReadPiece], deleted: Sequence[Memory]
) -> Sequence[ReadPiece]:
    """The pieces without the sentences that somebody deleted; those that are left as they were are not read again."""
    texts = [merging.without(read.piece.text, [chunk.content for chunk in deleted]) for read in pieces]
    if all(text == read.piece.text for text, read in zip(texts, pieces, strict=True)):
        return pieces
    left = [Piece(read.piece.order, text) for text, read in zip(texts, pieces, strict=True) if text]
    return await read_pieces(parts, space, left)


def _candidates(parts: Parts, read: ReadPiece, sight: _Sight, made: Plan) -> tuple[Candidate, ...]:
    """The nearest chunks that are near enough, nearest first, each compared."""
    own = [passage.embedding for passage in read.passages]
    close = []
    for chunk in sight.known.chunks:
        similarity = parts.calibration.calibrated(sources.likeness(own, sight.vectors.get(chunk.id, [])))
        if similarity >= parts.settings.migrate_similarity:
            close.append((chunk, similarity))
    close.sort(key=lambda each: (-each[1], each[0].id))
    return tuple(_candidate(read, chunk, similarity, sight, made) for chunk, similarity in close[:_NEAREST])


def _candidate(read: ReadPiece, chunk: Memory, similarity: float, sight: _Sight, made: Plan) -> Candidate:
    text, ties = made.texts.get(chunk.id, chunk.content), sight.ties[chunk.id]
    return Candidate(
        chunk,
        similarity,
        overlap(read.extracted.names, sight.names[chunk.id]),
        overlap(read.extracted.ties, ties),
        _clash(text, read, ties, own=_is_own(chunk, made.section)),
    )


def _clash(text: str, read: ReadPiece, ties: frozenset[tuple[str, str, str]], *, own: bool) -> str | None:
    found = merging.contradictions(text, read.piece.text, moved=not own)
    if found:
        first = found[0]
        return f"{first.reason}: “{first.older}” / “{first.newer}”"
    said = {(subject, type): thing for subject, type, thing in read.extracted.ties if type in FUNCTIONAL}
    for subject, type, thing in sorted(ties):
        if (other := said.get((subject, type), thing)) != thing and (subject, type, thing) not in read.extracted.ties:
            return f"{subject} {type} {thing} / {other}"
    return None


async def _decided(parts: Parts, read: ReadPiece, candidates: tuple[Candidate, ...], made: Plan) -> Decision:
    """What was put away comes back for its very text alone, and only where nothing that is known contradicts it."""
    awake = tuple(one for one in candidates if one.memory.state != "archived")
    if same := _saying(read, awake, made):
        return Decision(read, "unchanged", "the same text", candidates, same)
    if clashing := [one for one in awake if one.clash]:
        return Decision(read, "review", f"conflict: {clashing[0].clash}", awake)
    if same := _saying(read, candidates, made):
        return Decision(read, "unchanged", "the same text, put away until now", candidates, same)
    if not awake:
        return Decision(read, "new", "nothing like it was known")
    fitting = [one for one in awake if one.names >= parts.settings.migrate_overlap]
    if not fitting:
        share = max(one.names for one in awake)
        return Decision(read, "review", f"doubt: alike, but only {share:.0%} of the entities agree", awake)
    return await _merged(parts, read, awake, fitting[0].memory, made)


def _saying(read: ReadPiece, candidates: Sequence[Candidate], made: Plan) -> Memory | None:
    """The chunk that says the same to the letter."""
    for one in candidates:
        if made.texts.get(one.memory.id, one.memory.content) == read.piece.text:
            return one.memory
    return None


async def _merged(
    parts: Parts, read: ReadPiece, candidates: tuple[Candidate, ...], into: Memory, made: Plan
) -> Decision:
    before = made.texts.get(into.id, into.content)
    text = await _one_text(parts, before, read.piece.text, made.whole(into))
    if text == before:
        return Decision(read, "unchanged", "says nothing new", candidates, into)
    if into.by_hand or into.pinned:
        return Decision(read, "review", "doubt: a person wrote or pinned what is known", candidates)
    if parts.counter.count(text) > _LONGEST_MERGED * parts.settings.chunk_size:
        return Decision(read, "new", "what is known would become too long", candidates)
    made.texts[into.id] = text
    return Decision(read, "merged", "the same, and more of it", candidates, into)


async def _one_text(parts: Parts, older: str, newer: str, whole: str | None) -> str:
    """Two texts as one: all sentences of both, or what a model makes of it where that loses and adds nothing."""
    united = await asyncio.to_thread(merging.union, older, newer, whole)
    if united != older and parts.model is not None and parts.model.name("consolidate") is not None:
        try:
            text = await merging.merged_by_model(parts.model, older, newer, united)
        except RecollectError:
            return united
        return united if text is None or text == older else text
    return united


async def _make_ready(parts: Parts, space: str, made: Plan) -> None:
    """Vectors and names of the merged texts, before any transaction begins."""
    ids = list(made.texts)
    texts = [made.texts[id] for id in ids]
    if not ids:
        return
    made.passages = dict(zip(ids, await passages_of(parts, space, [plain(text) for text in texts]), strict=True))
    made.extracted = dict(zip(ids, await asyncio.to_thread(lambda: list(map(extract_section, texts))), strict=True))
