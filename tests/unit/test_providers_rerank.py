"""The choice of a reranker, and the local one."""

import pytest

from recollect.core.errors import InvalidInput
from recollect.core.settings import load_settings
from recollect.providers.calibration import RELEVANT
from recollect.providers.rerank import context_reranker, make_reranker
from recollect.providers.rerank.http import HttpReranker
from recollect.providers.rerank.local import LocalReranker


@pytest.fixture
def local() -> LocalReranker:
    made = make_reranker(load_settings(reranker="recollect-rerank-v2"))
    assert isinstance(made, LocalReranker)
    return made


async def test_the_answer_scores_best(local: LocalReranker) -> None:
    await local.ready()
    texts = ["Ben: The disk was full.", "Anna: I moved to Lisbon in March. < Ben: Any news?", "Anna: Hi!"]
    scores = await local.score("Where does Anna live?", texts)
    assert max(scores) == scores[1]
    assert scores == [(await local.score("Where does Anna live?", [text]))[0] for text in texts]


async def test_a_score_alone_tells_an_answer_from_what_is_none(local: LocalReranker) -> None:
    answer, other = await local.score("Where does Anna live?", ["Anna: I moved to Lisbon in March.", "Ben: Disk full."])
    assert local.evidence(answer) > RELEVANT > local.evidence(other)
    assert local.evidence(0.0) == pytest.approx(RELEVANT)


async def test_strange_pairs_have_scores(local: LocalReranker) -> None:
    assert await local.score("q", []) == []
    found = await local.score("why " * 5_000, ["", "a" * 1_000_000, "a\ud800b", "\x00", "😀", "word " * 10_000])
    assert all(abs(score) < 100 and 0 <= local.evidence(score) <= 1 for score in found)


def test_settings_choose_the_reranker() -> None:
    assert make_reranker(load_settings()) is None
    assert isinstance(make_reranker(load_settings(reranker="recollect-rerank-v1")), LocalReranker)
    made = make_reranker(load_settings(reranker="http", reranker_url="http://localhost/rerank"))
    assert isinstance(made, HttpReranker)
    assert made.name == "http"
    assert made.evidence(3.0) is None


def test_a_context_is_reranked_where_that_was_seen_to_help(local: LocalReranker) -> None:
    beside_ours = context_reranker(load_settings(), "recollect-recall-v2", None)
    assert isinstance(beside_ours, LocalReranker)
    assert context_reranker(load_settings(), "text-embedding-3-small", None) is None
    assert context_reranker(load_settings(), "text-embedding-3-small", local) is local
    assert context_reranker(load_settings(context_reranker="none"), "recollect-recall-v2", local) is None


def test_wrong_settings_are_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="none, recollect-rerank-v1, recollect-rerank-v2"):
        make_reranker(load_settings(reranker="best"))
    with pytest.raises(InvalidInput) as caught:
        context_reranker(load_settings(context_reranker="best"), "fake", None)
    assert caught.value.field == "context_reranker"
    with pytest.raises(InvalidInput) as caught:
        make_reranker(load_settings(reranker="http"))
    assert caught.value.field == "reranker_url"
