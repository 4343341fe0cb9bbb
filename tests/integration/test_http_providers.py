"""The seams against a real HTTP server that says what it is told to, right or wrong."""

import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel, Field

from openai_endpoint import Asked, Reply, Server, gone, listening, refused, said
from recollect.core.errors import RecollectError, Unavailable
from recollect.core.settings import Settings, load_settings
from recollect.providers import http
from recollect.providers.embedding import make_embedder
from recollect.providers.embedding.openai import BATCH, OpenAIEmbedder
from recollect.providers.language import BadAnswer, CallRecord, LanguageModel, OnCall, Refused, make_language_model
from recollect.providers.rerank import make_reranker
from recollect.providers.rerank.http import HttpReranker

pytestmark = pytest.mark.once

SECRET = "sk-very-secret"
PRIVATE = "my private diary"


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with listening() as told:
        yield told


# Embeddings


def vectors(asked: Asked) -> Reply:
    """Vectors that tell their text by its length, in reverse order."""
    rows = [{"index": i, "embedding": [len(text), 1.0, 0.0]} for i, text in enumerate(asked.body["input"])]
    return Reply({"data": rows[::-1]})


def embedder(server: Server, **given: Any) -> OpenAIEmbedder:
    given = {"url": server.url, "key": SECRET, "backoff": 0.001, **given}
    return server.closing(OpenAIEmbedder("small", **given))


async def test_embeddings_come_in_order_and_of_unit_length(server: Server) -> None:
    server.answer = vectors
    made = embedder(server)
    found = await made.embed(["a", "bb", "ccc"], purpose="document")
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    assert np.allclose(found[:, 0] / found[:, 1], [1, 2, 3])
    assert (made.name, made.dimensions) == ("openai:small", 3)
    assert server.asked[-1].path == "/v1/embeddings"
    assert server.asked[-1].headers["authorization"] == f"Bearer {SECRET}"


async def test_many_texts_go_in_batches(server: Server) -> None:
    server.answer = vectors
    made = embedder(server, dimensions=3)
    found = await made.embed(["x" * (i % 50) for i in range(3 * BATCH + 1)], purpose="document")
    assert found.shape == (3 * BATCH + 1, 3)
    assert sorted(len(asked.body["input"]) for asked in server.asked) == [1, BATCH, BATCH, BATCH]


async def test_no_text_asks_nothing_when_the_dimensions_are_known(server: Server) -> None:
    assert (await embedder(server, dimensions=3).embed([], purpose="query")).shape == (0, 3)
    assert server.asked == []


async def test_dimensions_are_asked_for_once(server: Server) -> None:
    server.answer = vectors
    made = embedder(server)
    with pytest.raises(Unavailable):
        _ = made.dimensions
    await made.ready()
    await made.ready()
    assert (made.dimensions, len(server.asked)) == (3, 1)


async def test_strange_texts_are_sent_in_a_form_that_endpoints_take(server: Server) -> None:
    server.answer = vectors
    await embedder(server, dimensions=3).embed(["", " \n", "a\ud800b"], purpose="document")
    assert all(text.strip() for text in server.asked[0].body["input"])


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_what_passes_is_tried_again(server: Server, status: int) -> None:
    server.replies = [Reply({}, status, headers={"Retry-After": "0"}), Reply(None), Reply({"data": [_row(0)]})]
    assert (await embedder(server, dimensions=3).embed(["a"], purpose="query")).shape == (1, 3)
    assert len(server.asked) == 3


async def test_trying_again_has_an_end(server: Server) -> None:
    server.replies = [Reply({"error": PRIVATE}, 500)]
    with pytest.raises(Unavailable, match="answered 500") as caught:
        await embedder(server, dimensions=3).embed([PRIVATE], purpose="query")
    assert len(server.asked) == http.ATTEMPTS
    assert caught.value.part == "embedder"
    assert PRIVATE not in str(caught.value)


async def test_a_wrong_key_is_not_tried_again(server: Server) -> None:
    server.replies = [Reply({"error": "no"}, 401)]
    with pytest.raises(Unavailable, match="401"):
        await embedder(server, dimensions=3).embed(["a"], purpose="query")
    assert len(server.asked) == 1


def _row(index: int, values: Any = (1.0, 0.0, 0.0)) -> dict[str, Any]:
    return {"index": index, "embedding": values}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<html>busy</html>", id="no JSON"),
        pytest.param(b'{"data": [', id="half of a JSON"),
        pytest.param([], id="a list"),
        pytest.param({"vectors": []}, id="another form"),
        pytest.param({"data": []}, id="too few"),
        pytest.param({"data": [_row(0), _row(1)]}, id="too many"),
        pytest.param({"data": [_row(7)]}, id="another index"),
        pytest.param({"data": [_row(0, [1.0, 0.0])]}, id="another dimension"),
        pytest.param(b'{"data": [{"index": 0, "embedding": [NaN, 0.0, 1.0]}]}', id="NaN"),
        pytest.param(b'{"data": [{"index": 0, "embedding": [1e999, 0.0, 1.0]}]}', id="infinite"),
        pytest.param({"data": [_row(0, [0.0, 0.0, 0.0])]}, id="zeros"),
        pytest.param({"data": [_row(0, "AAAA")]}, id="text"),
    ],
)
async def test_malformed_embeddings_are_refused(server: Server, body: Any) -> None:
    server.replies = [Reply(body)]
    with pytest.raises(Unavailable):
        await embedder(server, dimensions=3).embed(["a"], purpose="query")


async def test_slow_and_absent_endpoints_are_unavailable(server: Server) -> None:
    server.replies = [Reply({"data": [_row(0)]}, delay=30)]
    with pytest.raises(Unavailable, match="did not answer within"):
        await embedder(server, dimensions=3, timeout=0.05).embed(["a"], purpose="query")
    with pytest.raises(Unavailable, match="cannot be reached"):
        await embedder(server, dimensions=3, url=await gone()).embed(["a"], purpose="query")


async def test_neither_key_nor_text_is_logged(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.answer = vectors
    await embedder(server).embed([PRIVATE], purpose="document")
    server.answer = lambda asked: Reply({}, 400)
    with pytest.raises(Unavailable) as caught:
        await embedder(server, dimensions=3).embed([PRIVATE], purpose="document")
    ours = [record for record in caplog.records if record.name.startswith(("recollect", "httpx"))]
    told = "\n".join([record.getMessage() for record in ours] + [str(caught.value)])
    assert SECRET not in told
    assert PRIVATE not in told


async def test_settings_make_an_embedder_of_an_endpoint(server: Server) -> None:
    server.answer = vectors
    settings = load_settings(embedder="openai:nomic", embedder_url=server.url + "/", embedder_key=SECRET)
    made = server.closing(make_embedder(settings))
    await made.ready()
    assert (made.name, made.dimensions) == ("openai:nomic", 3)
    assert server.asked[0].body["model"] == "nomic"
    assert [len(made.passages(text)) for text in ("", "short", "word " * 2_000)] == [1, 1, 6]


# Rerankers


def reranker(server: Server, **given: Any) -> HttpReranker:
    given = {"model": "m", "key": SECRET, "backoff": 0.001, **given}
    return server.closing(HttpReranker(server.url + "/rerank", **given))


async def test_scores_come_in_the_order_of_the_texts(server: Server) -> None:
    results = [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]
    server.replies = [Reply({"results": results})]
    made = reranker(server)
    assert await made.score("q", ["a", "b"]) == [0.1, 0.9]
    assert await made.score("q", []) == []
    assert server.asked[0].body == {"model": "m", "query": "q", "documents": ["a", "b"], "top_n": 2}


@pytest.mark.parametrize(
    "body",
    [
        b"no",
        {"results": [{"index": 0, "relevance_score": 0.1}]},
        {"results": [{"index": 0, "relevance_score": 0.1}, {"index": 0, "relevance_score": 0.2}]},
        {"results": "none"},
        b'{"results": [{"index": 0, "relevance_score": NaN}, {"index": 1, "relevance_score": 1}]}',
    ],
)
async def test_malformed_scores_are_refused(server: Server, body: Any) -> None:
    server.replies = [Reply(body)]
    with pytest.raises(Unavailable) as caught:
        await reranker(server).score("q", ["a", "b"])
    assert caught.value.part == "reranker"


async def test_settings_make_a_reranker_of_an_endpoint(server: Server) -> None:
    server.replies = [Reply({"results": [{"index": 0, "relevance_score": 1}]})]
    made = make_reranker(load_settings(reranker="http", reranker_url=server.url, reranker_model="jina"))
    assert made is not None
    assert (made.name, await server.closing(made).score("q", ["a"])) == ("jina", [1.0])


# Language models


class City(BaseModel):
    name: str
    people: int = Field(ge=0)


GOOD = said('{"name": "Oslo", "people": 700000}')


def local_settings(url: str, **given: Any) -> Settings:
    return load_settings(**{"model": "openai:tiny", "model_url": url, "model_repairs": 2, "model_timeout": 20, **given})


def language_model(server: Server, on_call: OnCall | None = None, **given: Any) -> LanguageModel:
    made = make_language_model(local_settings(**{"url": server.url, **given}), on_call=on_call)
    assert made is not None
    return server.closing(made)


@pytest.fixture
def calls() -> list[CallRecord]:
    return []


@pytest.fixture
def model(server: Server, calls: list[CallRecord]) -> LanguageModel:
    return language_model(server, calls.append, model_key=SECRET)


async def ask(model: LanguageModel) -> City:
    return (await model.ask("extract", "Name the city.", "It is Oslo.", City)).value


async def test_an_answer_is_checked_and_counted(server: Server, model: LanguageModel, calls: list[CallRecord]) -> None:
    server.replies = [GOOD]
    answer = await model.ask("extract", "Name the city.", "It is Oslo.", City)
    assert answer.value == City(name="Oslo", people=700_000)
    record = calls[0]
    assert (record.model, record.task, record.outcome) == ("tiny", "extract", "ok")
    assert (record.input_tokens, record.output_tokens, record.repairs, record.cost) == (11, 7, 0, None)
    asked = server.asked[0]
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {SECRET}"
    assert asked.body["response_format"]["type"] == "json_schema"
    assert "tools" not in asked.body


async def test_a_server_in_the_place_of_openai_is_asked_for_chat_completions(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    server.replies = [GOOD]
    made = make_language_model(load_settings(model="openai:tiny"))
    assert made is not None
    assert (await ask(server.closing(made))).name == "Oslo"
    assert [asked.path for asked in server.asked] == ["/v1/chat/completions"]
    named = make_language_model(load_settings(model="openai-responses:tiny", model_repairs=0))
    assert named is not None
    with pytest.raises((BadAnswer, Unavailable)):
        await ask(server.closing(named))
    assert server.asked[-1].path == "/v1/responses"


async def test_an_answer_against_the_schema_is_repaired(
    server: Server, model: LanguageModel, calls: list[CallRecord]
) -> None:
    server.replies = [said("Oslo, I think"), said('{"name": "Oslo", "people": -1}'), GOOD]
    assert (await ask(model)).people == 700_000
    assert (calls[0].repairs, calls[0].outcome, calls[0].input_tokens) == (2, "ok", 33)


async def test_repairs_have_an_end(server: Server, model: LanguageModel, calls: list[CallRecord]) -> None:
    server.replies = [said('{"name": "Oslo"}')]
    with pytest.raises(BadAnswer) as caught:
        await ask(model)
    assert len(server.asked) == 3
    assert (calls[0].outcome, calls[0].input_tokens, calls[0].repairs) == ("failed", 33, 2)
    assert "Oslo" not in str(caught.value)


async def test_an_endpoint_without_schemas_gets_them_in_the_prompt(
    server: Server, model: LanguageModel, calls: list[CallRecord]
) -> None:
    fenced = said('```json\n{"name": "Oslo", "people": 5}\n```')

    def answer(asked: Asked) -> Reply:
        schema = asked.body.get("response_format", {}).get("type") == "json_schema"
        return Reply({"error": {"message": "response_format"}}, 400) if schema else fenced

    server.answer = answer
    assert [(await ask(model)).people for _ in range(2)] == [5, 5]
    assert len(server.asked) == 3
    assert "people" in json.dumps(server.asked[-1].body["messages"])
    assert [record.outcome for record in calls] == ["ok", "ok"]


async def test_a_refusal_is_told_from_a_bad_answer(
    server: Server, model: LanguageModel, calls: list[CallRecord]
) -> None:
    server.replies = [refused()]
    with pytest.raises(Refused):
        await ask(model)
    assert (len(server.asked), calls[0].outcome) == (1, "refused")


@pytest.mark.parametrize("reply", [Reply({"error": PRIVATE}, 500), Reply({}, 429), Reply({}, 401), Reply(None)])
async def test_an_endpoint_that_fails_is_unavailable(
    server: Server, model: LanguageModel, calls: list[CallRecord], reply: Reply
) -> None:
    reply.headers["Retry-After"] = "0"
    server.replies = [reply]
    with pytest.raises(Unavailable) as caught:
        await ask(model)
    assert caught.value.part == "language model"
    assert PRIVATE not in str(caught.value)
    assert [record.outcome for record in calls] == ["failed"]


async def test_an_endpoint_that_recovers_is_asked_again(
    server: Server, model: LanguageModel, calls: list[CallRecord]
) -> None:
    server.replies = [Reply({}, 503, headers={"Retry-After": "0"}), GOOD]
    assert (await ask(model)).name == "Oslo"
    assert [record.outcome for record in calls] == ["ok"]


@pytest.mark.parametrize("body", [b"<html>busy</html>", b'{"choices": [', {"choices": []}, {"weather": "fine"}])
async def test_what_is_no_completion_is_an_error_of_ours(
    server: Server, model: LanguageModel, calls: list[CallRecord], body: Any
) -> None:
    server.replies = [Reply(body)]
    with pytest.raises(RecollectError):
        await ask(model)
    assert [record.outcome for record in calls] == ["failed"]


async def test_a_slow_answer_is_given_up(server: Server, calls: list[CallRecord]) -> None:
    server.replies = [Reply(GOOD.body, delay=30)]
    with pytest.raises(Unavailable, match="in time"):
        await ask(language_model(server, calls.append, model_timeout=0.2))
    assert [record.outcome for record in calls] == ["timeout"]


async def test_an_absent_endpoint_is_unavailable(server: Server, calls: list[CallRecord]) -> None:
    with pytest.raises(Unavailable, match="cannot be reached"):
        await ask(language_model(server, calls.append, url=await gone()))
    assert [record.outcome for record in calls] == ["failed"]


async def test_a_key_of_the_environment_never_goes_to_our_endpoint(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    server.replies = [GOOD]
    await ask(language_model(server, model="qwen2.5:7b"))
    assert SECRET not in json.dumps(server.asked[0].headers)
    assert server.asked[0].body["model"] == "qwen2.5:7b"


async def test_each_task_may_have_its_own_model(server: Server) -> None:
    server.replies = [GOOD]
    made = language_model(server, model_judge="openai:wise")
    assert [made.name(task) for task in ("extract", "judge")] == ["tiny", "wise"]
    await made.ask("judge", "Judge.", "Oslo?", City)
    assert server.asked[0].body["model"] == "wise"
