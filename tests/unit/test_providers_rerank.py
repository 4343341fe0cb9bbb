"""The choice of a reranker, and the local one where its weights are installed."""

from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from recollect.core.errors import InvalidInput
from recollect.core.settings import load_settings
from recollect.providers.rerank import local as local_module
from recollect.providers.rerank import make_reranker
from recollect.providers.rerank.http import HttpReranker
from recollect.providers.rerank.local import LocalReranker

SOURCE = Path(__file__).parents[2] / "packages/recollect-rerank-v1/src/recollect_rerank_v1/__init__.py"


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch) -> LocalReranker:
    """The reranker with the weights of this repository, installed or not."""
    monkeypatch.setattr(local_module, "find_spec", lambda name: ModuleSpec(name, None, origin=str(SOURCE)))
    made = make_reranker(load_settings(reranker="recollect-rerank-v1"))
    assert isinstance(made, LocalReranker)
    return made


async def test_the_answer_scores_best(local: LocalReranker) -> None:
    await local.ready()
    texts = ["Ben: The disk was full.", "Anna: I moved to Lisbon in March. < Ben: Any news?", "Anna: Hi!"]
    scores = await local.score("Where does Anna live?", texts)
    assert max(scores) == scores[1]
    assert scores == [(await local.score("Where does Anna live?", [text]))[0] for text in texts]


async def test_strange_pairs_have_scores(local: LocalReranker) -> None:
    assert await local.score("q", []) == []
    found = await local.score("why " * 5_000, ["", "a" * 1_000_000, "a\ud800b", "\x00", "😀", "word " * 10_000])
    assert all(abs(score) < 1_000 for score in found)


def test_missing_weights_name_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_module, "find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match="pip install recollect-rerank-v1"):
        make_reranker(load_settings(reranker="recollect-rerank-v1"))


def test_settings_choose_the_reranker() -> None:
    assert make_reranker(load_settings()) is None
    made = make_reranker(load_settings(reranker="http", reranker_url="http://localhost/rerank"))
    assert isinstance(made, HttpReranker)
    assert made.name == "http"


def test_wrong_settings_are_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="none, recollect-rerank-v1"):
        make_reranker(load_settings(reranker="best"))
    with pytest.raises(InvalidInput) as caught:
        make_reranker(load_settings(reranker="http"))
    assert caught.value.field == "reranker_url"
