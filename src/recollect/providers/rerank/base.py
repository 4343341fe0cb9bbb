"""The seam to rerankers: a question and texts in, one score for each text out."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """What every reranker looks like to the rest of Recollect."""

    @property
    def name(self) -> str:
        """The model's name."""

    async def ready(self) -> None:
        """Load the model, if there is one to load."""

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question, on the model's own scale; higher is better."""

    def evidence(self, score: float) -> float | None:
        """How sure it is that a text of this score answers, on the common scale; None: scores tell an order alone."""

    async def close(self) -> None:
        """Let go of connections; the reranker is not used afterwards."""
