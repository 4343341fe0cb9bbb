"""Search: two round trips. The first brings candidates of every readable space, the second the memories of the hits."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import perf_counter
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from recollect.core.settings import Settings
from recollect.core.terms import term_ids, terms
from recollect.db.compose import SQL, Composed, Literal
from recollect.db.database import Batch, Database
from recollect.db.sql import load
from recollect.providers.calibration import Calibration
from recollect.providers.embedding.base import Embedder
from recollect.providers.rerank.base import Reranker
from recollect.records.filters import Filters, allowed_sensitivities, conditions
from recollect.records.kinds import KINDS
from recollect.records.lifecycle import Rules
from recollect.records.model import Memory
from recollect.records.store import memory_of
from recollect.retrieval.blend import blend, pair_text
from recollect.retrieval.fusion import Candidate, Scored, fuse
from recollect.retrieval.request import Request
from recollect.retrieval.statistics import Known, SpaceStatistics, statistics_of
from recollect.retrieval.surroundings import Question, prepare
from recollect.retrieval.temporal import Interval, named_time

QUERIES = load("recollect.retrieval")

_CONTEXT_SHARE = 0.3  # of the question's own weight, for words that only set the scene
_SPARE = 10  # hits fetched beyond the limit: folding and relations may reorder or merge some


@dataclass(frozen=True, slots=True)
class Relation:
    """A tie between two memories."""

    id: UUID
    from_id: UUID
    to_id: UUID
    type: str
    description: str | None
    strength: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found. The parts of `why` add up to `score`."""

    memory: Memory
    score: float
    why: dict[str, float]
    similarity: float
    evidence: float
    relations: tuple[Relation, ...] = ()
    entities: tuple[Memory, ...] = ()
    also: tuple[Memory, ...] = ()


@dataclass(slots=True)
class Timing:
    """Where the time of a search went, in seconds."""

    embedding: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in the form that the statements need."""

    question: Question
    vector: NDArray[np.float32]
    interval: Interval | None
    words: tuple[str, ...]
    scene: tuple[str, ...] = ()

    def terms(self, space: str) -> dict[str, Any]:
        """The question's terms in a space, and what each counts: the scene's words less than the question's own."""
        own, scene = term_ids(space, self.words), term_ids(space, self.scene)
        return {"terms": [*own, *scene], "boosts": [1.0] * len(own) + [_CONTEXT_SHARE] * len(scene)}


@dataclass(frozen=True, slots=True)
class Searcher:
    """All that a search needs, wired once."""

    database: Database
    embedder: Embedder
    calibration: Calibration
    reranker: Reranker | None
    settings: Settings
    rules: Rules
    known: Known = field(default_factory=Known)

    async def search(self, request: Request, timing: Timing | None = None) -> list[Hit]:
        """The best memories for a question, each with the reasons for its score."""
        timing = timing or Timing()
        began = perf_counter()
        statistics = await self._statistics(request.spaces)
        asked = await self._ask(request, statistics, timing)
        candidates = await self._candidates(request, asked, statistics)
        ranked = self._rank(request, asked, candidates)
        hits = await self._hits(request, asked, ranked)
        timing.total = perf_counter() - began
        return hits

    async def _statistics(self, spaces: Sequence[str]) -> dict[str, SpaceStatistics]:
        """What is known of the spaces; those never seen are asked about first."""
        unknown = [space for space in spaces if self.known.get(space) is None]
        if unknown:
            batch = Batch(*spaces)
            for space in unknown:
                batch.add(_for(space, "statistics"), terms=[])
            for space, rows in zip(unknown, await self.database.send(batch), strict=True):
                self.known.put(space, statistics_of(rows))
        return {space: self.known.get(space) or SpaceStatistics() for space in spaces}

    def zone(self, space: str) -> str:
        """The time zone of a space, as far as it is known by now."""
        statistics = self.known.get(space)
        return (statistics and statistics.timezone) or self.settings.timezone

    async def _ask(self, request: Request, statistics: dict[str, SpaceStatistics], timing: Timing) -> Asked:
        """Take the names out, embed, and read the time that the question names."""
        speakers = {name for known in statistics.values() for name in known.speakers}
        question = prepare(request.question, speakers)
        began = perf_counter()
        texts = [question.for_embedding] + ([request.context] if request.context else [])
        vectors = await self.embedder.embed(texts, purpose="query")
        timing.embedding = perf_counter() - began
        vector = vectors[0] if len(vectors) == 1 else vectors[0] + _CONTEXT_SHARE * vectors[1]
        words = tuple(dict.fromkeys(terms(request.question)))
        scene = tuple(dict.fromkeys(terms(request.context))) if request.context else ()
        return Asked(
            question,
            vector,
            named_time(request.question, request.now, self.zone(request.spaces[0])),
            words,
            tuple(word for word in scene if word not in words),
        )

    async def _candidates(
        self, request: Request, asked: Asked, statistics: dict[str, SpaceStatistics]
    ) -> list[tuple[Candidate, float]]:
        """Candidates of all spaces in one round trip, each with the question's whole weight in its space."""
        indexed = {space: await self._uses_index(request, space, statistics[space]) for space in request.spaces}
        batch = Batch(*request.spaces)
        places: list[tuple[str, int, list[int]]] = []
        for space in request.spaces:
            told = batch.add(_for(space, "statistics"), terms=asked.terms(space)["terms"])
            channels = self._by_index if indexed[space] else self._by_reading
            places.append((space, told, channels(batch, space, request, asked)))
        results = await self.database.send(batch)
        found: list[tuple[Candidate, float]] = []
        for space, told, channels_at in places:
            fresh = statistics_of(results[told])
            self.known.put(space, fresh)
            rows = [row for place in channels_at for row in results[place]]
            found += [(_candidate(space, row, asked.interval), fresh.question_weight) for row in rows]
        return found

    async def _uses_index(self, request: Request, space: str, statistics: SpaceStatistics) -> bool:
        """A large space is searched by its indexes, unless a filter leaves so little that reading it all is exact."""
        if statistics.vector_index is None or statistics.entries_of(request.filters.kinds) <= self.settings.exact_limit:
            return False
        if request.filters.only_kinds:
            return True
        if request.filters.as_known_at is not None:
            return False
        batch = Batch(*request.spaces)
        most = self.settings.filter_limit
        batch.add(_for(space, "count_matches", conditions=conditions(request.filters, request.now, "r")), most=most)
        [[row]] = await self.database.send(batch)
        return bool(row.matches >= most)

    def _by_reading(self, batch: Batch, space: str, request: Request, asked: Asked) -> list[int]:
        source, holding = _what_to_read(request.filters, request.now)
        statement = _for(space, "exact", source=source, conditions=holding)
        values = asked.terms(space) | {"query": HalfVector(asked.vector), "most": self._most(request)}
        return [batch.add(statement, **values)]

    def _by_index(self, batch: Batch, space: str, request: Request, asked: Asked) -> list[int]:
        # A filter that the index does not know is applied when the hits are read: more candidates, then.
        most = self._most(request) * (1 if request.filters.only_kinds else 5)
        batch.add(SQL("set local hnsw.ef_search = {}").format(Literal(min(1000, max(self.settings.hnsw_ef, most)))))
        holding = _index_conditions(request.filters, request.now)
        nearest = _for(space, "nearest", conditions=holding, dimensions=Literal(self.embedder.dimensions))
        values = asked.terms(space) | {"query": HalfVector(asked.vector), "most": most}
        places = [batch.add(nearest, **values)]
        if values["terms"]:
            places.append(
                batch.add(
                    _for(space, "wordiest"),
                    **values,
                    kinds=None if request.filters.kinds is None else list(request.filters.kinds),
                    sensitivity=allowed_sensitivities(request.filters.sensitivity),
                    now=request.now,
                    most_rows=self.settings.lexical_rows,
                )
            )
        return places

    def _most(self, request: Request) -> int:
        """How many candidates a channel hands on: enough that fusion can choose, even for a long list of hits."""
        return max(self.settings.candidates, 2 * request.limit)

    def _rank(self, request: Request, asked: Asked, found: list[tuple[Candidate, float]]) -> list[tuple[Scored, float]]:
        """One order, and for each hit the evidence that it has to do with the question at all."""
        weight_of = {candidate.space: weight for candidate, weight in found}
        scored = fuse(
            asked.question,
            [candidate for candidate, _ in found],
            request.weights,
            request.now,
            self.rules.half_life_days,
            floor=self.calibration.floor,
        )
        with_evidence = [(hit, self._evidence(hit.candidate, weight_of[hit.candidate.space])) for hit in scored]
        if request.threshold is None:
            return with_evidence
        return [(hit, evidence) for hit, evidence in with_evidence if evidence >= request.threshold]

    def _evidence(self, candidate: Candidate, question_weight: float) -> float:
        """Calibrated similarity, or the share of the question's weight that the entry's own words carry."""
        words = min(1.0, candidate.lexical / question_weight) if question_weight > 0 else 0.0
        return max(self.calibration.calibrated(candidate.similarity), words)

    async def _hits(self, request: Request, asked: Asked, ranked: list[tuple[Scored, float]]) -> list[Hit]:
        wanted = max(request.limit, self.settings.rerank_top if self.reranker else 0)
        # A filter that the candidates did not pass yet may take some: read more of them.
        spread = 3 if request.filters.only_kinds else 10
        shortlist = ranked[: wanted * spread // 2 + _SPARE]
        memories, relations, before = await self._read(request, [hit for hit, _ in shortlist])
        evidence = {(hit.candidate.space, hit.candidate.memory_id): value for hit, value in shortlist}
        kept = [hit for hit, _ in shortlist if _key(hit) in memories]
        kept = _lifted(kept, _parts(kept, memories, relations, request))
        kept = await self._reranked(asked.question.text, kept, memories, before)
        hits = [_hit(hit, memories[_key(hit)], evidence[_key(hit)], relations) for hit in kept]
        return (_folded(hits) if request.folds else hits)[: request.limit]

    async def _read(
        self, request: Request, hits: Sequence[Scored]
    ) -> tuple[dict[tuple[str, UUID], Memory], list[Relation], dict[UUID, tuple[str | None, str]]]:
        """The second round trip: memories, the ties among them, and what a reranker reads beside them."""
        if not hits:
            return {}, [], {}
        batch = Batch(*request.spaces)
        places = []
        for space in dict.fromkeys(hit.candidate.space for hit in hits):
            of_space = [hit.candidate for hit in hits if hit.candidate.space == space]
            places.append(self._read_space(batch, space, request, of_space))
        results = await self.database.send(batch)
        memories: dict[tuple[str, UUID], Memory] = {}
        relations: list[Relation] = []
        before: dict[UUID, tuple[str | None, str]] = {}
        for found, tied, said, versions in places:
            known = {row.memory_id: row for row in results[versions]} if versions is not None else {}
            for row in results[found]:
                memory = memory_of(row, request.now, self.rules)
                memories[memory.space, memory.id] = _as_known(memory, known.get(memory.id))
            relations += [Relation(*row) for row in results[tied]] if tied is not None else []
            before |= {row.id: (row.name, row.body) for row in results[said]} if said is not None else {}
        return memories, relations, before

    def _read_space(
        self, batch: Batch, space: str, request: Request, candidates: Sequence[Candidate]
    ) -> tuple[int, int | None, int | None, int | None]:
        ids = [candidate.memory_id for candidate in candidates]
        holding = conditions(request.filters, request.now, "r")
        found = batch.add(_for(space, "hydrate", conditions=holding), ids=ids)
        tied = said = versions = None
        linked = [candidate.memory_id for candidate in candidates if KINDS[candidate.kind].linked]
        if len(linked) > 1:
            tied = batch.add(_for(space, "relations_among"), ids=linked, now=request.now)
        if self.reranker:
            said = batch.add(_for(space, "said_before"), ids=ids[: self.settings.rerank_top])
        if request.filters.as_known_at:
            versions = batch.add(_for(space, "versions_known"), ids=ids, at=request.filters.as_known_at)
        return found, tied, said, versions

    async def _reranked(
        self,
        question: str,
        hits: list[Scored],
        memories: dict[tuple[str, UUID], Memory],
        before: dict[UUID, tuple[str | None, str]],
    ) -> list[Scored]:
        if self.reranker is None or not hits:
            return hits
        first = [memories[_key(hit)] for hit in hits[: self.settings.rerank_top]]
        texts = [pair_text(memory.content, memory.provenance.speaker, before.get(memory.id)) for memory in first]
        scores = await self.reranker.score(question, texts)
        return blend(hits, scores, self.settings.weight_rerank)


def _for(space: str, name: str, **parts: Composed | Literal | SQL) -> Composed:
    """A statement for one space: written in as a literal, since only then a partial index serves it."""
    return SQL(QUERIES[name]).format(space=Literal(space), **parts)


def _what_to_read(filters: Filters, now: datetime) -> tuple[SQL, Composed]:
    """The entries alone where they can tell, else together with their memories."""
    if filters.only_kinds:
        return SQL("entry e"), _index_conditions(filters, now)
    memory = SQL("entry e join remembered r on r.space_id = e.space_id and r.id = e.memory_id")
    return memory, SQL("{} and {}").format(_version_conditions(filters), conditions(filters, now, "r"))


def _index_conditions(filters: Filters, now: datetime) -> Composed:
    holding = SQL("e.visible and (e.valid_until is null or e.valid_until > {}) and e.sensitivity = any ({})").format(
        now, allowed_sensitivities(filters.sensitivity)
    )
    if filters.kinds is None:
        return holding
    return SQL("{} and e.kind = any ({}::text[])").format(holding, list(filters.kinds))


def _version_conditions(filters: Filters) -> Composed:
    """The entries of the present version, or of the one that was known at the moment asked for."""
    if filters.as_known_at is None:
        return SQL("e.version = r.version").format()
    return SQL(
        "(e.version = r.version and r.recorded_at <= {0} or exists ("
        "select from memory_version v where v.space_id = e.space_id and v.memory_id = e.memory_id"
        " and v.version = e.version and v.recorded_from <= {0} and v.recorded_until > {0}))"
    ).format(filters.as_known_at)


def _candidate(space: str, row: Any, interval: Interval | None) -> Candidate:
    return Candidate(
        row.memory_id,
        space,
        row.kind,
        row.similarity,
        row.lexical,
        row.happened_at,
        None if row.part_of is None else str(row.part_of),
        row.speaker,
        row.role,
        row.importance,
        0,
        interval is not None and interval.holds(row.happened_at),
    )


def _key(hit: Scored) -> tuple[str, UUID]:
    return hit.candidate.space, hit.candidate.memory_id


def _parts(
    hits: Sequence[Scored], memories: dict[tuple[str, UUID], Memory], relations: Sequence[Relation], request: Request
) -> list[dict[str, float]]:
    """What a hit gains by what is known only now: its strongest tie to another hit, and how often it was recalled."""
    strongest: dict[UUID, float] = {}
    for relation in relations:
        for end in (relation.from_id, relation.to_id):
            strongest[end] = max(strongest.get(end, 0.0), relation.strength)
    return [
        {
            "relation": request.relation_weight * strongest.get(hit.candidate.memory_id, 0.0),
            "access": request.weights.access * min(0.1 * memories[_key(hit)].access_count, 0.5),
        }
        for hit in hits
    ]


def _lifted(hits: Sequence[Scored], parts: Sequence[dict[str, float]]) -> list[Scored]:
    lifted = [
        replace(hit, score=hit.score + sum(part.values()), why=hit.why | part)
        for hit, part in zip(hits, parts, strict=True)
    ]
    return sorted(lifted, key=lambda hit: (-hit.score, hit.candidate.memory_id))


def _as_known(memory: Memory, version: Any | None) -> Memory:
    if version is None:
        return memory
    return replace(
        memory,
        content=version.content,
        title=version.title,
        summary=version.summary,
        version=version.version,
        valid_from=version.valid_from,
        valid_until=version.valid_until,
    )


def _hit(scored: Scored, memory: Memory, evidence: float, relations: Sequence[Relation]) -> Hit:
    own = tuple(relation for relation in relations if memory.id in (relation.from_id, relation.to_id))
    return Hit(memory, scored.score, scored.why, scored.candidate.similarity, evidence, own)


def _folded(hits: Sequence[Hit]) -> list[Hit]:
    """Hits that come of one message as one: the best of them, with the others in `also`."""
    folded: dict[tuple[str, UUID], Hit] = {}
    for hit in hits:
        key = (hit.memory.space, hit.memory.provenance.message_id or hit.memory.id)
        first = folded.get(key)
        folded[key] = hit if first is None else replace(first, also=(*first.also, hit.memory))
    return list(folded.values())
