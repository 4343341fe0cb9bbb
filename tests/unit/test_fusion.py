"""The order of hits, its explanation, and reranking."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.retrieval.blend import blend, pair_text
from recollect.retrieval.fusion import Candidate, Scored, Weights, fuse
from recollect.retrieval.surroundings import Question, prepare

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ASKED = Question("tea?", "tea?")


def candidate(number: int, similarity: float = 0.0, lexical: float = 0.0, **given: object) -> Candidate:
    plain = Candidate(str(UUID(int=number)), "user:a", "turn", similarity, lexical, None, None, None, None, 0.5)
    return plain._replace(**given)  # type: ignore[arg-type]


def fused(candidates: Sequence[Candidate], question: Question = ASKED, **weights: float) -> list[Scored]:
    return fuse(question, candidates, Weights(**weights), NOW, 30.0).hits


def order(hits: Sequence[Scored]) -> list[int]:
    return [UUID(hit.candidate.memory_id).int for hit in hits]


scores = st.one_of(st.floats(-1, 1), st.just(math.nan))
candidates = st.builds(
    candidate,
    st.integers(1, 12),
    scores,
    st.one_of(st.floats(0, 50), st.just(math.nan)),
    space=st.sampled_from(["user:a", "team:b"]),
    at=st.none() | st.floats(0, 4e9),
    thread=st.sampled_from([None, "t1", "t2"]),
    speaker=st.sampled_from([None, "Ann", "Bo"]),
    role=st.sampled_from([None, "user", "assistant"]),
    importance=st.floats(0, 1),
)


@given(st.lists(candidates, max_size=30), st.sampled_from(["Where is Ann?", "What did I say?", "tea"]))
def test_any_candidates_give_a_sound_order(found: list[Candidate], question: str) -> None:
    hits = fuse(prepare(question, ["Ann", "Bo"]), found, Weights(), NOW, 30.0, within=(1e9, 2e9)).hits
    assert all(math.isfinite(hit.score) for hit in hits)
    assert all(hit.score == pytest.approx(sum(hit.why.values())) for hit in hits)
    keys = [(hit.candidate.space, hit.candidate.memory_id) for hit in hits]
    assert len(set(keys)) == len(keys)
    assert set(keys) == {(each.space, each.memory_id) for each in found}
    ranks = [(-hit.score, hit.candidate.memory_id) for hit in hits]
    assert ranks == sorted(ranks)


@given(st.permutations([candidate(n, n % 4 / 4, n % 3, thread=f"t{n % 2}") for n in range(1, 9)]))
def test_the_order_of_the_candidates_does_not_matter(found: list[Candidate]) -> None:
    assert order(fused(found)) == order(fused(sorted(found, key=lambda each: each.memory_id)))


def test_nothing_found() -> None:
    assert fused([]) == []


def test_one_hit_has_the_full_weight_of_each_channel() -> None:
    [hit] = fused([candidate(1, 0.4, 3.0)])
    assert hit.why["semantic"] == pytest.approx(Weights().semantic)
    assert hit.why["keyword"] == pytest.approx(Weights().keyword)


def test_equal_hits_are_ordered_by_id() -> None:
    assert order(fused([candidate(n, 0.5, 2.0) for n in (3, 1, 2)])) == [1, 2, 3]


def test_without_a_lexical_match_similarity_decides() -> None:
    assert order(fused([candidate(1, 0.2), candidate(2, 0.6), candidate(3, 0.4)])) == [2, 3, 1]


def test_without_a_vector_keywords_decide() -> None:
    hits = fused([candidate(1, math.nan, 1.0), candidate(2, math.nan, 3.0)])
    assert order(hits) == [2, 1]
    assert hits[0].why["semantic"] == 0.0


def test_similarities_at_the_floor_are_not_blown_up() -> None:
    hits = fuse(ASKED, [candidate(1, 0.301), candidate(2, 0.1)], Weights(), NOW, 30.0, floor=0.3).hits
    assert [hit.why["semantic"] for hit in hits] == pytest.approx([1.2 * 0.001 / 0.05, 0.0])


def test_the_best_passage_stands_for_its_memory() -> None:
    hits = fused([candidate(1, 0.1), candidate(1, 0.8), candidate(1, 0.3), candidate(2, 0.5)])
    assert order(hits) == [1, 2]
    assert hits[0].candidate.similarity == 0.8


def test_the_speaker_whom_the_question_names_comes_first() -> None:
    found = [candidate(1, 0.5, speaker="Bo"), candidate(2, 0.45, speaker="Ann")]
    assert order(fused(found)) == [1, 2]
    assert order(fused(found, prepare("What did Ann drink?", ["Ann", "Bo"]))) == [2, 1]


def test_a_question_about_oneself_prefers_what_the_user_said() -> None:
    found = [candidate(1, 0.5, role="assistant"), candidate(2, 0.45, role="user")]
    assert order(fused(found, prepare("What did I drink?", []))) == [2, 1]
    assert order(fused(found, prepare("What did you recommend to me?", []))) == [1, 2]


def test_a_thread_with_several_good_hits_lifts_them() -> None:
    alone = candidate(1, 0.5, thread="alone")
    together = [candidate(n, 0.48, thread="together") for n in (2, 3, 4)]
    assert order(fused([alone, *together]))[-1] == 1
    assert order(fused([alone, *together], thread=0.0))[0] == 1


def test_threads_of_two_spaces_do_not_add_up() -> None:
    one, other = (candidate(n, 0.5, thread="chat", space=f"user:{n}") for n in (1, 2))
    assert [hit.why["thread"] for hit in fused([one, other])] == pytest.approx([0.3 * 1.2 / 3] * 2)


def test_what_was_said_in_no_thread_gets_no_thread_part() -> None:
    assert {hit.why["thread"] for hit in fused([candidate(1, 0.5), candidate(2, 0.5)])} == {0.0}


def test_recency_halves_with_the_half_life() -> None:
    ages = [
        candidate(n, 0.5, at=(NOW - timedelta(days=days)).timestamp())
        for n, days in ((1, -5), (2, 0), (3, 30), (4, 60))
    ]
    parts = [hit.why["recency"] for hit in fused(ages, recency=1.0)]
    assert parts == pytest.approx([1.0, 1.0, 0.5, 0.25])


def test_time_and_importance_add_their_part() -> None:
    found = candidate(1, at=NOW.timestamp(), importance=0.8)
    day = (NOW.timestamp(), NOW.timestamp() + 86_400)
    [hit] = fuse(ASKED, [found], Weights(time=0.5, importance=0.1), NOW, 30.0, within=day).hits
    assert hit.why["time"] == 0.5
    assert hit.why["importance"] == pytest.approx(0.08)
    [before] = fuse(ASKED, [found._replace(at=day[0] - 1)], Weights(), NOW, 30.0, within=day).hits
    assert before.why["time"] == 0.0


def test_only_the_wanted_hits_come_back() -> None:
    found = [candidate(n, n / 10) for n in range(1, 6)]
    assert fuse(ASKED, found, Weights(), NOW, 30.0, most=2).hits == fuse(ASKED, found, Weights(), NOW, 30.0).hits[:2]


def test_the_reranker_reorders_what_it_read_and_explains_itself() -> None:
    hits = fused([candidate(n, 0.5 - n / 100) for n in (1, 2, 3, 4)])
    blended = blend(hits, [0.0, 2.0, 9.0])
    assert order(blended) == [3, 2, 1, 4]
    assert all(hit.score == pytest.approx(sum(hit.why.values())) for hit in blended)
    assert blended[0].why["rerank"] == pytest.approx(0.0, abs=1e-3)
    assert [hit.score for hit in blended] == sorted((hit.score for hit in blended), reverse=True)


@given(st.lists(st.floats(-1e6, 1e6), max_size=6))
def test_no_reranker_score_breaks_the_blend(raw: list[float]) -> None:
    hits = fused([candidate(n, 0.5) for n in range(1, 5)])
    blended = blend(hits, raw)
    assert sorted(order(blended)) == [1, 2, 3, 4]
    assert all(math.isfinite(hit.score) for hit in blended)


def test_without_reranker_scores_nothing_changes() -> None:
    hits = fused([candidate(n, 0.5) for n in (1, 2)])
    assert blend(hits, []) == hits


def test_what_the_reranker_reads() -> None:
    assert pair_text("In Lisbon!", "Ann O'Neil", ("Bo Stone", "Where?")) == "Ann: In Lisbon! < Bo: Where?"
    assert pair_text("In Lisbon!", None, None) == "In Lisbon!"
    assert pair_text("In Lisbon!", None, (None, "x" * 300)) == "In Lisbon! < " + "x" * 200
    assert pair_text("In Lisbon!", " ", ("Bo", "")) == "In Lisbon!"
