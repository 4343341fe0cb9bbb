"""Search: two round trips. The first brings candidates of every readable space, the second the memories of the hits."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from time import perf_counter
from typing import Any, Self
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from recollect.core.settings import Settings
from recollect.core.temporal import Interval, named_time
from recollect.core.terms import term_ids, terms
from recollect.db.compose import SQL, Composed
from recollect.db.database import Batch, Database, array_literal, number_array
from recollect.db.sql import load
from recollect.governance.spend import Governor
from recollect.graph.names import NODE_KINDS
from recollect.providers.calibration import Calibration
from recollect.providers.embedding.base import Embedder
from recollect.providers.rerank.base import Reranker
from recollect.records import bm25
from recollect.records.filters import Filters, allowed_sensitivities, conditions
from recollect.records.kinds import KINDS
from recollect.records.lifecycle import Rules
from recollect.records.model import Memory
from recollect.records.relations import STRUCTURAL
from recollect.records.store import QUERIES as RECORDS
from recollect.records.store import VectorLiteral, as_known, memory_of, vector_literal
from recollect.retrieval.blend import blend, pair_text
from recollect.retrieval.connected import HOP, Connected, Connections, names_in, ties
from recollect.retrieval.fusion import Candidate, Fused, Scored, Within, fuse, order
from recollect.retrieval.request import Request
from recollect.retrieval.statistics import Known, SpaceStatistics, statistics_of
from recollect.retrieval.surroundings import Question, prepare

QUERIES = load("recollect.retrieval")

Memories = dict[tuple[str, str], Memory]
_STRUCTURAL = array_literal(sorted(STRUCTURAL))
_ANY_KIND = array_literal(KINDS)
_WITH_GRAPH = ("chunk", "source")
"""Kinds whose hits carry what was found in them."""


# The question as a part of other statements; doubled braces are for those that are put together with filters.
_FILTERED = QUERIES["filtered"].replace("{question}", QUERIES["question"])
_PLAIN_QUESTION = QUERIES["question"].replace("{{", "{").replace("}}", "}")
_CONNECTED = QUERIES["connected"].replace("{near_nodes}", QUERIES["near_nodes"])
_CONNECTED_CANDIDATES = (
    QUERIES["connected_candidates"]
    .replace("{near_nodes}", QUERIES["near_nodes"])
    .replace("{question}", _PLAIN_QUESTION)
)
_NEAREST = QUERIES["nearest"].replace("{question}", QUERIES["question"])

_CONTEXT_SHARE = 0.3  # of the question's own weight, for words that only set the scene
_MOST_TERMS = 1_000  # of a question; the rest of a very long one adds nothing but work
_SHARE_SCORED = 0.04  # of a large space's entries, by their words
_BREADTHS = (1, 20, 1_000)  # how many times the usual number of candidates is asked for, if hits are too few


@dataclass(frozen=True, slots=True)
class Relation:
    """A tie between two memories."""

    id: UUID
    from_id: UUID
    to_id: UUID
    type: str
    description: str | None
    strength: float
    from_name: str | None = None
    to_name: str | None = None


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


@dataclass(frozen=True)
class Asked:
    """A question in the form that the statements need."""

    question: Question
    vector: VectorLiteral
    now: datetime | None
    """When it is asked, for times that it names ("last week"); None where they are not to count."""
    zone: str
    words: tuple[str, ...]
    scene: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """What might be the name of a node; nothing, where the graph counts for nothing."""
    by_words: bool = False
    """Whether there is no vector: the embedder is away."""

    @cached_property
    def within(self) -> Within | None:
        """The time that it names, as fusion compares it. No statement needs it: it is read while they are answered."""
        interval = self.now and named_time(self.question.text, self.now, self.zone)
        return _stretch(interval) if interval else None

    def read_time(self) -> None:
        """Have `within` ready."""
        _ = self.within

    def terms(self, space: str) -> dict[str, Any]:
        """The question's terms in a space, and what each counts: the scene's words less than the question's own."""
        ids = term_ids(space, (*self.words, *self.scene))
        boosts = [1.0] * len(self.words) + [_CONTEXT_SHARE] * len(self.scene)
        # As literals of arrays: on the hot path the driver would look at every element.
        return {"terms": number_array(ids), "boosts": number_array(boosts)}


@dataclass(slots=True)
class Surroundings:
    """What is read beside the memories of hits."""

    ties: dict[UUID, list[Relation]] = field(default_factory=dict)
    """Relations among them, by either end."""
    before: dict[UUID, tuple[str | None, str]] = field(default_factory=dict)
    """What was said before each: its speaker and words."""
    entities: dict[UUID, list[Memory]] = field(default_factory=dict)
    """Nodes that were found in each."""
    inside: dict[UUID, list[Relation]] = field(default_factory=dict)
    """Relations that were found in each."""

    def relations_of(self, memory: Memory) -> tuple[Relation, ...]:
        """Ties to other hits, and the relations that were found in it."""
        if not self.ties and not self.inside:
            return ()
        return (*self.ties.get(memory.id, ()), *self.inside.get(memory.id, ()))

    def entities_of(self, memory: Memory) -> tuple[Memory, ...]:
        """Nodes that were found in it."""
        return tuple(self.entities.get(memory.id, ())) if self.entities else ()


@dataclass(slots=True)
class Found:
    """Candidates of all spaces, and what the question's terms weigh in each."""

    candidates: list[Candidate]
    weights: dict[str, float]
    cut: bool
    """Whether there may be more of them."""
    connected: dict[str, Connected] = field(default_factory=dict)
    """What the question's names are connected with in each space."""


@dataclass(frozen=True, slots=True)
class Searcher:
    """All that a search needs, wired once."""

    database: Database
    embedder: Embedder
    calibration: Calibration
    reranker: Reranker | None
    settings: Settings
    rules: Rules
    governor: Governor
    context_reranker: Reranker | None = None
    abstains: bool = False
    """Whether a search with a threshold finds nothing where its reranker sees no answer among the best."""
    known: Known = field(default_factory=Known)

    def plain(self) -> Self:
        """The same without a reranker."""
        return replace(self, reranker=None)

    def for_context(self) -> Self:
        """The same for what a context recalls."""
        return replace(self, reranker=self.context_reranker)

    def answering(self) -> Self:
        """The same for a question that may have no answer; others also want what has to do with it."""
        return replace(self, abstains=True)

    async def ask(self, request: Request, timing: Timing) -> Asked:
        """A question made ready, for several searches that differ in their filters alone."""
        return await self._ask(request, await self._statistics(request.spaces), timing)

    async def ask_by_words(self, request: Request) -> Asked:
        """The same for the words alone, while the embedder is away: the vector is none, and nothing is near to it."""
        statistics = await self._statistics(request.spaces)
        return self._asked(request, statistics, self._question(request, statistics), None)

    async def search(self, request: Request, timing: Timing | None = None, asked: Asked | None = None) -> list[Hit]:
        """The best memories for a question, each with the reasons for its score."""
        timing = timing or Timing()
        began = perf_counter()
        statistics = await self._statistics(request.spaces)
        asked = asked or await self._ask(request, statistics, timing)
        hits: list[Hit] = []
        for breadth in _BREADTHS:
            found = await self._candidates(request, asked, statistics, breadth)
            answering = await self._hits(request, asked, found)
            if answering is None:
                break
            hits = answering
            if len(hits) >= request.limit or not self._may_miss_some(request, found):
                break
        timing.total = perf_counter() - began
        return hits

    def _may_miss_some(self, request: Request, found: Found) -> bool:
        """Whether a list of hits that is not full could be fuller, had more candidates been asked for.

        Rare: the passages of one long memory filled a channel, or a filter let little of the nearest pass. Where
        the threshold barred the weakest candidates, it would bar those that follow them too.
        """
        return found.cut and (request.threshold is None or not self._barred(request.threshold, found))

    def _decided(self, request: Request) -> float | None:
        """The threshold, where the reranker has a say in what reaches it: its scores have to mean something alone."""
        if self.reranker is None or not self.abstains or self.reranker.evidence(0.0) is None:
            return None
        return request.threshold

    def _barred(self, threshold: float, found: Found) -> bool:
        return not all(self._is_evident(c, found.weights[c.space], threshold) for c in found.candidates)

    async def _statistics(self, spaces: Sequence[str]) -> dict[str, SpaceStatistics]:
        """What is known of the spaces; those never seen are asked about first."""
        unknown = [space for space in spaces if self.known.get(space) is None]
        if unknown:
            batch = Batch(*spaces)
            for space in unknown:
                batch.add(QUERIES["statistics"], space=space)
            for space, rows in zip(unknown, await self.database.send(batch), strict=True):
                self.known.put(space, statistics_of(rows))
        return {space: self.known.get(space) or SpaceStatistics() for space in spaces}

    async def zone(self, spaces: Sequence[str]) -> str:
        """The time zone of a scope: that of the space it writes, the first one."""
        return self._zone(await self._statistics(spaces), spaces[0])

    def _zone(self, statistics: dict[str, SpaceStatistics], space: str) -> str:
        return statistics[space].timezone or self.settings.timezone

    async def _ask(self, request: Request, statistics: dict[str, SpaceStatistics], timing: Timing) -> Asked:
        """Take the names out, embed, and read the time that the question names."""
        question = self._question(request, statistics)
        began = perf_counter()
        texts = [question.for_embedding] + ([request.context] if request.context else [])
        vectors = await self.governor.embed(self.embedder, request.spaces[0], texts, purpose="query")
        timing.embedding = perf_counter() - began
        vector = vectors[0] if len(vectors) == 1 else vectors[0] + _CONTEXT_SHARE * vectors[1]
        return self._asked(request, statistics, question, vector)

    def _question(self, request: Request, statistics: dict[str, SpaceStatistics]) -> Question:
        return prepare(request.question, {name for known in statistics.values() for name in known.speakers})

    def _asked(
        self,
        request: Request,
        statistics: dict[str, SpaceStatistics],
        question: Question,
        vector: NDArray[np.float32] | None,
    ) -> Asked:
        words = tuple(dict.fromkeys(terms(request.question)))[:_MOST_TERMS]
        scene = tuple(dict.fromkeys(terms(request.context)))[:_MOST_TERMS] if request.context else ()
        return Asked(
            question,
            vector_literal(np.zeros(self.embedder.dimensions, np.float32) if vector is None else vector),
            request.now,
            self._zone(statistics, request.spaces[0]),
            words,
            tuple(word for word in scene if word not in words),
            names_in(request.question) if request.weights.graph else (),
            by_words=vector is None,
        )

    async def _candidates(
        self, request: Request, asked: Asked, statistics: dict[str, SpaceStatistics], breadth: int
    ) -> Found:
        """Candidates of all spaces in one round trip, and what the question weighs in each of them.

        The space that is written and the others are asked at the same time. Past the usual breadth every space is read
        whole: only that is sure to find what there is.
        """
        indexed = {
            space: breadth == 1 and await self._uses_index(request, space, statistics[space])
            for space in request.spaces
        }
        batch = Batch(*request.spaces)
        places: list[tuple[str, int | None, list[int]]] = []
        graphs: dict[str, int] = {}
        for number, space in enumerate(request.spaces):
            if number == 1:
                batch.part()
            told = batch.add(QUERIES["statistics"], space=space) if self.known.is_stale(space) else None
            channels = self._by_index if indexed[space] else self._by_reading
            values = self._values(space, request, asked, breadth)
            at = channels(batch, request, asked, values)
            if asked.names and statistics[space].entries_of(NODE_KINDS) and request.filters.as_known_at is None:
                graphs[space] = self._by_graph(batch, asked, values)
                at.append(graphs[space] + 1)
            places.append((space, told, at))
        batch.meanwhile = asked.read_time
        batch.often = not graphs
        results = await self.database.send(batch)
        found = Found([], {}, any(indexed.values()))
        for space, told, channels_at in places:
            if told is not None:
                self.known.put(space, statistics_of(results[told]))
            rows: list[Candidate] = [row for place in channels_at for row in results[place]]
            found.candidates += rows
            found.weights[space] = (rows[0].weight or 0.0) if rows else 0.0
            found.cut = found.cut or len(rows) >= self._most(request, breadth)
        found.connected = {space: Connected.of(results[place]) for space, place in graphs.items()}
        return found

    async def _uses_index(self, request: Request, space: str, statistics: SpaceStatistics) -> bool:
        """A large space is searched by its indexes, unless a filter leaves so little that reading it all is exact."""
        few = statistics.entries_of(request.filters.kinds) <= self.settings.exact_limit
        if statistics.vector_index is None or few or request.filters.as_known_at is not None:
            return False
        if request.filters.only_kinds:
            return True
        batch = Batch(*request.spaces)
        most = self.settings.filter_limit
        statement = SQL(QUERIES["count_matches"]).format(conditions=conditions(request.filters, request.now, "r"))
        batch.add(statement, space=space, most=most)
        [[row]] = await self.database.send(batch)
        return bool(row.matches >= most)

    def _by_reading(self, batch: Batch, request: Request, _: Asked, values: dict[str, Any]) -> list[int]:
        if request.filters.only_kinds:
            return [batch.add(QUERIES["exact"], **values | self._read_whole(request, values))]
        # The entries cannot tell: read them together with their memories.
        holding = SQL("{} and {}").format(
            _version_conditions(request.filters), conditions(request.filters, request.now, "r")
        )
        statement = SQL(_FILTERED).format(conditions=holding)
        return [batch.add(statement, **values)]

    def _read_whole(self, request: Request, values: dict[str, Any]) -> dict[str, Any]:
        """What reading a space whole takes beside the rest.

        What is best by both channels together is what fusion will put first. A threshold looks at each channel for
        itself, and so needs the best of each.
        """
        each = 0 if request.threshold is None else values["most"]
        return {"kinds": values["kinds"] or _ANY_KIND, "each": each, "most": 3 * values["most"] // 2}

    def _by_index(self, batch: Batch, request: Request, asked: Asked, values: dict[str, Any]) -> list[int]:
        if not request.filters.only_kinds:
            # What the index does not know is looked at when the hits are read: more candidates, then.
            values["most"] *= 5
        wanted = max(self.settings.hnsw_ef, values["most"], batch.settings.get("hnsw.ef_search", 0))
        batch.settings["hnsw.ef_search"] = min(1000, wanted)
        # Among many spaces the planner takes this one for small, and would rather read and sort it than ask its index.
        batch.settings["enable_sort"] = 0
        nearest = SQL(_NEAREST).format(space=values["space"], dimensions=self.embedder.dimensions)
        places = [] if asked.by_words else [batch.add(nearest, **values)]
        if asked.words or asked.scene:
            places.append(batch.add(QUERIES["wordiest"], **values))
        return places

    def _by_graph(self, batch: Batch, asked: Asked, values: dict[str, Any]) -> int:
        """What the names of the question are connected with, and right after it the best of that as candidates."""
        given = values | {"names": array_literal(asked.names), "hop": HOP, "structural": _STRUCTURAL}
        place = batch.add(_CONNECTED, **given)
        batch.add(_CONNECTED_CANDIDATES, **given)
        return place

    def _most(self, request: Request, breadth: int) -> int:
        """How many candidates of a channel: enough that fusion can choose, even for a long list of hits."""
        return max(self.settings.candidates, 2 * request.limit) * breadth

    def _most_rows(self, space: str) -> int:
        """How many rows of a large space are scored by their words: the larger, the more share its rarest words."""
        entries, most = (self.known.get(space) or SpaceStatistics()).entries, self.settings.lexical_rows
        return min(most, max(most // 2, int(_SHARE_SCORED * entries)))

    def _values(self, space: str, request: Request, asked: Asked, breadth: int) -> dict[str, Any]:
        """What the statements of both ways are given."""
        return asked.terms(space) | {
            "space": space,
            "entries": (self.known.get(space) or SpaceStatistics()).entries,
            "query": asked.vector.numbers,
            "length": asked.vector.length,
            "now": request.now,
            "kinds": None if request.filters.kinds is None else array_literal(request.filters.kinds),
            "sensitivity": array_literal(allowed_sensitivities(request.filters.sensitivity)),
            "categories": None if request.filters.allowed is None else array_literal(request.filters.allowed),
            "most": self._most(request, breadth),
            "most_rows": self._most_rows(space),
            "semantic": request.weights.semantic,
            "keyword": request.weights.keyword,
        }

    def _rank(self, request: Request, asked: Asked, found: Found, most: int | None) -> Fused:
        """One order, as far as it is wanted; with a threshold, of those alone that have to do with the question.

        Where a reranker decides too, it also reads the best of the others, as far as it has room for them.
        """
        candidates, decided = found.candidates, self._decided(request)
        if request.threshold is not None and decided is None:
            candidates = [c for c in candidates if self._is_evident(c, found.weights[c.space], request.threshold)]
        fused = fuse(
            asked.question,
            candidates,
            request.weights,
            request.now,
            self.rules.half_life_days,
            floor=max(0.0, self.calibration.floor),
            within=asked.within,
            ties=ties(found.connected, candidates) if found.connected else {},
            most=most if decided is None else None,
        )
        if decided is None:
            return fused
        return fused.rather(
            lambda c: self._is_evident(c, found.weights[c.space], decided), self.settings.rerank_top, most
        )

    def _shortlist(self, request: Request) -> int:
        """How many hits are read: folding and relations reorder them, and a filter may take some away."""
        wanted = max(request.limit, self.settings.rerank_top if self.reranker else 0)
        if request.filters.only_kinds:
            return wanted + (wanted // 3 if request.folds else 0)
        return wanted * 5

    def _evidence(self, candidate: Candidate, question_weight: float) -> float:
        """Calibrated similarity, or the share of the question's weight that the entry's own words carry."""
        return max(self.calibration.calibrated(candidate.similarity), self._words(candidate, question_weight))

    def _is_evident(self, candidate: Candidate, question_weight: float, threshold: float) -> bool:
        """Whether the evidence reaches a threshold."""
        similar = self.calibration.calibrated(candidate.similarity) >= threshold
        return similar or self._words(candidate, question_weight) >= threshold

    def _words(self, candidate: Candidate, question_weight: float) -> float:
        """As if each word that they share occurred once: a long text is no weaker evidence than a short one."""
        if question_weight <= 0:
            return 0.0
        known = self.known.get(candidate.space) or SpaceStatistics()
        once = bm25.once(candidate.length, known.weighted_length)
        return min(1.0, candidate.lexical / (question_weight * once))

    async def _hits(self, request: Request, asked: Asked, found: Found) -> list[Hit] | None:
        """The hits of the shortlist; of all that were found, where folding or a filter leaves too few of it.

        None, where the best of them do not answer: looking further down would not help.
        """
        hits: list[Hit] | None = None
        for most in (self._shortlist(request), None):
            ranked = self._rank(request, asked, found, most)
            answering = await self._read_hits(request, asked, ranked, found)
            if answering is None:
                break
            hits = answering[: request.limit]
            if len(hits) >= request.limit or most is None or len(ranked.candidates) < most:
                break
        return hits

    async def _read_hits(self, request: Request, asked: Asked, ranked: Fused, found: Found) -> list[Hit] | None:
        memories, beside = await self._read(request, ranked)
        kept = [
            hit
            for hit in ranked.hits
            if (memory := memories.get(_key(hit))) is not None and not (request.folds and memory.is_bare)
        ]
        kept = _named(kept, memories, found.connected, request.weights.graph)
        kept = _lifted(kept, memories, beside.ties, request)
        judged = await self._judged(asked.question.text, kept, memories, beside.before)
        evidence = {_key(hit): self._evidence(hit.candidate, found.weights[hit.candidate.space]) for hit in kept}
        decided = self._decided(request)
        if decided is not None:
            answers = self._answers(judged, evidence)
            if max(answers.values(), default=0.0) < decided:
                return None
            evidence |= {key: max(evidence[key], answer) for key, answer in answers.items()}
        kept = blend(kept, judged, self.settings.weight_rerank)
        if decided is not None:
            kept = [hit for hit in kept if evidence[_key(hit)] >= decided]
        hits = [self._hit(hit, memories[_key(hit)], beside, evidence[_key(hit)]) for hit in kept]
        return _folded(hits) if request.folds else hits

    def _answers(
        self, judged: Sequence[float], evidence: Mapping[tuple[str, str], float]
    ) -> dict[tuple[str, str], float]:
        """How sure it is that each of the hits that were read answers: what retrieval and what the reranker says count
        alike, since each is wrong about other things."""
        told = [self.reranker.evidence(score) if self.reranker else None for score in judged]
        read = zip(evidence.items(), told, strict=False)
        return {key: (own + theirs) / 2 for (key, own), theirs in read if theirs is not None}

    def _hit(self, hit: Scored, memory: Memory, beside: Surroundings, evidence: float) -> Hit:
        return Hit(
            memory,
            hit.score,
            hit.why,
            hit.candidate.similarity,
            evidence,
            beside.relations_of(memory),
            beside.entities_of(memory),
        )

    async def _read(self, request: Request, ranked: Fused) -> tuple[Memories, Surroundings]:
        """The second round trip: memories, the ties among them, what was found in them, and what a reranker reads."""
        if not (candidates := ranked.candidates):
            return {}, Surroundings()
        batch = Batch(*request.spaces, often=True)
        batch.meanwhile = ranked.explain
        places = []
        for space in dict.fromkeys(candidate.space for candidate in candidates):
            of_space = [candidate for candidate in candidates if candidate.space == space]
            places.append(self._read_space(batch, space, request, of_space))
        results = await self.database.send(batch)
        memories: Memories = {}
        beside = Surroundings()
        for found, tied, said, versions, graph in places:
            known = {row.memory_id: row for row in results[versions]} if versions is not None else {}
            for row in results[found]:
                memory = memory_of(row, request.now, self.rules)
                memories[memory.space, str(memory.id)] = as_known(memory, known.get(memory.id))
            for relation in (Relation(*row) for row in results[tied]) if tied is not None else ():
                for end in dict.fromkeys((relation.from_id, relation.to_id)):
                    beside.ties.setdefault(end, []).append(relation)
            beside.before |= {row.id: (row.name, row.body) for row in results[said]} if said is not None else {}
            for row in results[graph] if graph is not None else ():
                beside.entities.setdefault(row.found_in, []).append(memory_of(row, request.now, self.rules))
            for row in results[graph + 1] if graph is not None else ():
                beside.inside.setdefault(row.found_in, []).append(Relation(*row[1:]))
        return memories, beside

    def _read_space(
        self, batch: Batch, space: str, request: Request, candidates: Sequence[Candidate]
    ) -> tuple[int, int | None, int | None, int | None, int | None]:
        ids = [candidate.memory_id for candidate in candidates]
        found = self._read_memories(batch, space, request, ids)
        tied = said = versions = graph = None
        linked = [candidate.memory_id for candidate in candidates if KINDS[candidate.kind].linked]
        if len(linked) > 1:
            tied = batch.add(
                QUERIES["relations_among"], space=space, ids=linked, now=request.now, structural=_STRUCTURAL
            )
        if self.reranker:
            said = batch.add(QUERIES["said_before"], space=space, ids=ids[: self.settings.rerank_top])
        if request.filters.as_known_at:
            versions = batch.add(RECORDS["versions_known"], space=space, ids=ids, at=request.filters.as_known_at)
        if inside := [candidate.memory_id for candidate in candidates if candidate.kind in _WITH_GRAPH]:
            of = {"space": space, "ids": inside}
            sensitivity = allowed_sensitivities(request.filters.sensitivity)
            of["sensitivity"] = sensitivity
            graph = batch.add(QUERIES["entities_in"], **of)
            batch.add(QUERIES["relations_in"], **of, at=request.filters.valid_at or request.now)
        return found, tied, said, versions, graph

    def _read_memories(self, batch: Batch, space: str, request: Request, ids: Sequence[str]) -> int:
        wanted = {"space": space, "ids": array_literal(ids)}
        if request.filters.only_kinds:
            sensitivity = array_literal(allowed_sensitivities(request.filters.sensitivity))
            return batch.add(QUERIES["hydrate"], now=request.now, sensitivity=sensitivity, **wanted)
        holding = conditions(request.filters, request.now, "r")
        return batch.add(SQL(QUERIES["hydrate_filtered"]).format(conditions=holding), **wanted)

    async def _judged(
        self,
        question: str,
        hits: Sequence[Scored],
        memories: Memories,
        before: dict[UUID, tuple[str | None, str]],
    ) -> list[float]:
        """The reranker's scores of the best hits."""
        if self.reranker is None or not hits:
            return []
        first = [memories[_key(hit)] for hit in hits[: self.settings.rerank_top]]
        texts = [pair_text(memory.gist, memory.provenance.speaker, before.get(memory.id)) for memory in first]
        return await self.reranker.score(question, texts)


def _version_conditions(filters: Filters) -> Composed:
    """The entries of the present version, or of the one that was known at the moment asked for."""
    if filters.as_known_at is None:
        return SQL("e.version = r.version").format()
    return SQL(
        "(e.version = r.version and r.recorded_at <= {0} or exists ("
        "select from memory_version v where v.space_id = %(space)s and v.memory_id = e.memory_id"
        " and v.version = e.version and v.recorded_from <= {0} and v.recorded_until > {0}))"
    ).format(filters.as_known_at)


def _key(hit: Scored) -> tuple[str, str]:
    return hit.candidate.space, hit.candidate.memory_id


def _stretch(interval: Interval) -> Within:
    """An interval in seconds; an open side reaches for ever."""
    since = interval.since.timestamp() if interval.since else -math.inf
    return since, interval.until.timestamp() if interval.until else math.inf


def _named(hits: Sequence[Scored], memories: Memories, connections: Connections, weight: float) -> list[Scored]:
    """What is known only now: whether a text itself holds one of the names that the question leads to."""
    if not any(connections.values()):
        return list(hits)
    named = []
    for hit in hits:
        connected = connections.get(hit.candidate.space)
        part = weight * connected.tie_of(memories[_key(hit)].content) if connected else 0.0
        more = max(0.0, part - hit.why["graph"])
        named.append(replace(hit, score=hit.score + more, why=hit.why | {"graph": hit.why["graph"] + more}))
    return sorted(named, key=order)


def _lifted(
    hits: Sequence[Scored], memories: Memories, ties: Mapping[UUID, Sequence[Relation]], request: Request
) -> list[Scored]:
    """What is known only now: the strongest tie to another hit, and how often a memory was recalled."""
    strongest = {str(end): max(relation.strength for relation in tied) for end, tied in ties.items()}
    if not strongest and not request.weights.access:
        return list(hits)
    lifted = []
    for hit in hits:
        tie = request.relation_weight * strongest.get(hit.candidate.memory_id, 0.0)
        access = request.weights.access * min(0.1 * memories[_key(hit)].access_count, 0.5)
        why = hit.why | {"relation": tie, "access": access}
        lifted.append(replace(hit, score=hit.score + tie + access, why=why))
    return sorted(lifted, key=order)


def origin(memory: Memory) -> str:
    """What hits are folded by: the message that they come of, or the chunk that they are a version of."""
    return str(memory.provenance.message_id or (memory.kind == "chunk" and memory.data.get("chunk")) or memory.id)


def _folded(hits: Sequence[Hit]) -> list[Hit]:
    """Hits that come of one message or chunk as one: the best of them, with the others in `also`."""
    folded: dict[tuple[str, str], Hit] = {}
    for hit in hits:
        key = (hit.memory.space, origin(hit.memory))
        first = folded.get(key)
        folded[key] = hit if first is None else replace(first, also=(*first.also, hit.memory))
    return list(folded.values())
