"""Any endpoint that speaks the `/rerank` of Cohere and Jina."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Self

from pydantic import BaseModel, ValidationError

from recollect.core.errors import InvalidInput
from recollect.core.settings import Settings
from recollect.providers.http import Endpoint
from recollect.providers.text import encodable


class _Result(BaseModel):
    index: int
    relevance_score: float


class _Answer(BaseModel):
    results: list[_Result]


class HttpReranker:
    """Scores at an endpoint, all texts of a question in one request."""

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        key: str | None = None,
        timeout: float = 10.0,
        backoff: float = 0.25,
    ) -> None:
        self.name = model or "http"
        self._model = model
        self._endpoint = Endpoint("reranker", url, key, timeout, backoff)

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        if settings.reranker_url is None:
            raise InvalidInput("reranker_url", "is needed for the reranker 'http'")
        key = settings.reranker_key
        return cls(
            settings.reranker_url,
            model=settings.reranker_model,
            key=key.get_secret_value() if key else None,
            timeout=settings.reranker_timeout,
        )

    async def ready(self) -> None:
        """The endpoint is asked when there is a question."""

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        return self._scores(await self._endpoint.post(self._payload(question, texts)), len(texts))

    def evidence(self, score: float) -> None:
        """What a score of an endpoint means, only its maker knows."""

    async def close(self) -> None:
        await self._endpoint.close()

    def _payload(self, question: str, texts: Sequence[str]) -> dict[str, Any]:
        documents = [encodable(text) for text in texts]
        payload = {"query": encodable(question), "documents": documents, "top_n": len(documents)}
        return payload if self._model is None else {"model": self._model, **payload}

    def _scores(self, answer: object, count: int) -> list[float]:
        try:
            results = sorted(_Answer.model_validate(answer).results, key=lambda result: result.index)
        except ValidationError as error:
            raise self._endpoint.unavailable("answered in another form than a reranker's") from error
        if [result.index for result in results] != list(range(count)):
            raise self._endpoint.unavailable(f"answered {len(results)} scores for {count} texts")
        if not all(isfinite(result.relevance_score) for result in results):
            raise self._endpoint.unavailable("answered scores that are no numbers")
        return [result.relevance_score for result in results]
