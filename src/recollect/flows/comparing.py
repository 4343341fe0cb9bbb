"""A section against what is known: each piece of it is new, goes into a chunk, or has to be decided by somebody.

Nearness alone decides nothing: entities have to agree, and no sentence may contradict another.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from recollect.active.model import ReviewedChunk, ReviewedPiece
from recollect.core.errors import RecollectError
from recollect.db.database import Connection
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.graph import store as graph
from recollect.graph.extract import FUNCTIONAL, extract
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


@dataclass(slots=True)
class Plan:
    """What becomes of a section; `seen` are the chunks that it was compared with, as they were."""

    decisions: list[Decision]
    seen: frozenset[tuple[UUID, int]]
    texts: dict[UUID, str] = field(default_factory=dict)
    """New texts of chunks that take something in."""
    passages: dict[UUID, tuple[Passage, ...]] = field(default_factory=dict)
    extracted: dict[UUID, Extracted] = field(default_factory=dict)


def sizes(parts: Parts) -> Sizes:
    """How long chunks are."""
    return Sizes(parts.settings.chunk_single, parts.settings.chunk_size, parts.settings.chunk_overlap)


def readable(text: str) -> str:
    """A text without what was recalled into it, its secrets masked: the raw one stays in its source."""
    return mask(unfenced(text))


async def read(parts: Parts, space: str, text: str) -> list[ReadPiece]:
    """Cut a text, and make its pieces comparable."""
    cut = await asyncio.to_thread(lambda: chunking.pieces(readable(text), parts.counter, sizes(parts)))
    found = await asyncio.to_thread(lambda: [extract(piece.text) for piece in cut])
    passages = await passages_of(parts, space, [plain(piece.text) for piece in cut])
    return [ReadPiece(*each) for each in zip(cut, passages, found, strict=True)]


async def near(
    parts: Parts, connection: Connection, space: str, agent: str | None, pieces: Sequence[ReadPiece]
) -> list[Memory]:
    """The agent's short-term chunks that lie near some piece."""
    vectors = [passage.embedding for read in pieces for passage in read.passages]
    least = parts.calibration.raw(parts.settings.migrate_similarity) - _ROUNDING
    ids = await sources.near_chunks(
        connection, space, agent, vectors, parts.clock(), least=least - _slack(pieces), most=_NEAREST
    )
    rows = await records.get(connection, space, ids) if ids else []
    return [records.memory_of(row, parts.clock(), parts.rules) for row in rows]


def _slack(pieces: Sequence[ReadPiece]) -> float:
    """Of a long piece one passage may lie farther away than the whole."""
    return 0.1 if any(len(read.passages) > 1 for read in pieces) else 0.0


def seen(chunks: Sequence[Memory]) -> frozenset[tuple[UUID, int]]:
    """Chunks as they were: whoever changes one later makes a plan stale."""
    return frozenset((chunk.id, chunk.version) for chunk in chunks)


async def plan(parts: Parts, space: str, agent: str | None, pieces: Sequence[ReadPiece]) -> Plan:
    """Compare every piece with what is near, decide, and make the merged texts ready."""
    async with parts.database.transaction(space) as connection:
        chunks = await near(parts, connection, space, agent, pieces)
        ids = [chunk.id for chunk in chunks]
        vectors = await sources.vectors_of(connection, space, ids) if ids else {}
        names = await graph.names_in(connection, space, ids) if ids else {}
        ties = await graph.ties_in(connection, space, ids) if ids else {}
    made = Plan([], seen(chunks))
    for read_piece in pieces:
        own = [passage.embedding for passage in read_piece.passages]
        known = [
            (chunk, parts.calibration.calibrated(sources.likeness(own, vectors.get(chunk.id, [])))) for chunk in chunks
        ]
        close = [each for each in known if each[1] >= parts.settings.migrate_similarity]
        candidates = await asyncio.to_thread(_candidates, read_piece, close, made.texts, names, ties)
        made.decisions.append(await _decided(parts, read_piece, candidates, made))
    await _make_ready(parts, space, made)
    return made


def _candidates(
    read: ReadPiece,
    close: Sequence[tuple[Memory, float]],
    texts: dict[UUID, str],
    names: dict[UUID, frozenset[str]],
    ties: dict[UUID, frozenset[tuple[str, str, str]]],
) -> tuple[Candidate, ...]:
    """The chunks that are near enough, nearest first, each compared."""
    nearest = sorted(close, key=lambda each: (-each[1], each[0].id))
    return tuple(
        _candidate(read, chunk, similarity, texts, names[chunk.id], ties[chunk.id]) for chunk, similarity in nearest
    )


def _candidate(
    read: ReadPiece,
    chunk: Memory,
    similarity: float,
    texts: dict[UUID, str],
    names: frozenset[str],
    ties: frozenset[tuple[str, str, str]],
) -> Candidate:
    text = texts.get(chunk.id, chunk.content)
    return Candidate(
        chunk,
        similarity,
        overlap(read.extracted.names, names),
        overlap(read.extracted.ties, ties),
        _clash(text, read, ties),
    )


def _clash(text: str, read: ReadPiece, ties: frozenset[tuple[str, str, str]]) -> str | None:
    found = merging.contradictions(text, read.piece.text)
    if found:
        first = found[0]
        return f"{first.reason}: “{first.older}” / “{first.newer}”"
    said = {(subject, type): thing for subject, type, thing in read.extracted.ties if type in FUNCTIONAL}
    for subject, type, thing in sorted(ties):
        if (other := said.get((subject, type), thing)) != thing and (subject, type, thing) not in read.extracted.ties:
            return f"{subject} {type} {thing} / {other}"
    return None


async def _decided(parts: Parts, read: ReadPiece, candidates: tuple[Candidate, ...], made: Plan) -> Decision:
    if not candidates:
        return Decision(read, "new", "nothing like it was known")
    for one in candidates:
        if made.texts.get(one.memory.id, one.memory.content) == read.piece.text:
            return Decision(read, "unchanged", "the same text", candidates, one.memory)
    if clashing := [one for one in candidates if one.clash]:
        return Decision(read, "review", f"conflict: {clashing[0].clash}", candidates)
    fitting = [one for one in candidates if one.names >= parts.settings.migrate_overlap]
    if not fitting:
        share = max(one.names for one in candidates)
        return Decision(read, "review", f"doubt: alike, but only {share:.0%} of the entities agree", candidates)
    return await _merged(parts, read, candidates, fitting[0].memory, made)


async def _merged(
    parts: Parts, read: ReadPiece, candidates: tuple[Candidate, ...], into: Memory, made: Plan
) -> Decision:
    before = made.texts.get(into.id, into.content)
    text = await _one_text(parts, before, read.piece.text)
    if text == before:
        return Decision(read, "unchanged", "says nothing new", candidates, into)
    if into.by_hand or into.pinned:
        return Decision(read, "review", "doubt: a person wrote or pinned what is known", candidates)
    if parts.counter.count(text) > _LONGEST_MERGED * parts.settings.chunk_size:
        return Decision(read, "new", "what is known would become too long", candidates)
    made.texts[into.id] = text
    return Decision(read, "merged", "the same, and more of it", candidates, into)


async def _one_text(parts: Parts, older: str, newer: str) -> str:
    """Two texts as one: by a model, or all sentences of both."""
    if parts.model is not None and parts.model.name("consolidate") is not None:
        try:
            if (text := await merging.merged_by_model(parts.model, older, newer)) is not None:
                return text
        except RecollectError:
            pass  # merged by rules
    return await asyncio.to_thread(merging.union, older, newer)


async def _make_ready(parts: Parts, space: str, made: Plan) -> None:
    """Vectors and names of the merged texts, before any transaction begins."""
    ids = list(made.texts)
    texts = [made.texts[id] for id in ids]
    if not ids:
        return
    made.passages = dict(zip(ids, await passages_of(parts, space, [plain(text) for text in texts]), strict=True))
    made.extracted = dict(zip(ids, await asyncio.to_thread(lambda: list(map(extract, texts))), strict=True))
