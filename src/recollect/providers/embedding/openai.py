"""Any endpoint that speaks OpenAI's `/embeddings`."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, ValidationError

from recollect.core.errors import Unavailable
from recollect.core.settings import Settings
from recollect.core.tokens import estimate
from recollect.providers import metering, text
from recollect.providers.embedding.base import Purpose, Vectors
from recollect.providers.http import Endpoint

DEFAULT_URL = "https://api.openai.com/v1"
BATCH = 64
AT_A_TIME = 4
PASSAGE = 400
OVERLAP = 60
BLANK = "."


class _Row(BaseModel):
    index: Annotated[int, Field(ge=0)]
    embedding: list[float]


class _Usage(BaseModel):
    prompt_tokens: Annotated[int, Field(ge=0)] = 0


class _Answer(BaseModel):
    data: list[_Row]
    usage: _Usage | None = None


class OpenAIEmbedder:
    """Embeds at an endpoint, in batches. Its dimensions are asked for where none are given."""

    def __init__(
        self,
        model: str,
        *,
        url: str = DEFAULT_URL,
        key: str | None = None,
        dimensions: int | None = None,
        timeout: float = 30.0,
        backoff: float = 0.25,
    ) -> None:
        self.name = f"openai:{model}"
        self._model, self._dimensions = model, dimensions
        self._endpoint = Endpoint("embedder", f"{url.rstrip('/')}/embeddings", key, timeout, backoff)
        self._places = asyncio.Semaphore(AT_A_TIME)

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        key = settings.embedder_key
        return cls(
            settings.embedder.partition(":")[2],
            url=settings.embedder_url or DEFAULT_URL,
            key=key.get_secret_value() if key else None,
            dimensions=settings.embedder_dimensions,
            timeout=settings.embedding_timeout,
        )

    @property
    def dimensions(self) -> int:
        if self._dimensions is None:
            raise Unavailable("embedder", "its dimensions are not known before it is ready")
        return self._dimensions

    async def ready(self) -> None:
        if self._dimensions is None:
            self._dimensions = (await self._ask(["dimensions"])).shape[1]

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        await self.ready()
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        rows = await asyncio.gather(*(self._ask(batch) for batch in batches))
        return np.concatenate([np.empty((0, self.dimensions), np.float32), *rows])

    def passages(self, content: str) -> list[str]:
        if len(content) <= PASSAGE:
            return [content]
        return text.split(content, text.rough_offsets, PASSAGE, OVERLAP)

    async def close(self) -> None:
        await self._endpoint.close()

    async def _ask(self, texts: Sequence[str]) -> Vectors:
        given = [text.encodable(item) if item.strip() else BLANK for item in texts]
        try:
            async with self._places:
                asked = {"model": self._model, "input": given, "encoding_format": "float"}
                answer = self._checked(await self._endpoint.post(asked))
        except BaseException:
            metering.tell(_estimated(given), failed=True)
            raise
        metering.tell(answer.usage.prompt_tokens if answer.usage else _estimated(given))
        return self._vectors(answer, len(given))

    def _checked(self, answer: object) -> _Answer:
        try:
            return _Answer.model_validate(answer)
        except ValidationError as error:
            raise self._endpoint.unavailable("answered in another form than OpenAI's") from error

    def _vectors(self, answer: _Answer, count: int) -> Vectors:
        rows = sorted(answer.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(count)):
            raise self._endpoint.unavailable(f"answered {len(rows)} vectors for {count} texts")
        wanted = self._dimensions or len(rows[0].embedding)
        if any(len(row.embedding) != wanted for row in rows):
            raise self._endpoint.unavailable(f"answered vectors of other than {wanted} dimensions")
        return self._unit(np.asarray([row.embedding for row in rows], np.float64))

    def _unit(self, vectors: NDArray[np.float64]) -> Vectors:
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and (lengths > 0).all()):
            raise self._endpoint.unavailable("answered vectors that have no direction")
        unit: Vectors = (vectors / lengths).astype(np.float32)
        return unit


def _estimated(texts: Sequence[str]) -> int:
    """About what an endpoint charges that does not say."""
    return sum(map(estimate, texts))
