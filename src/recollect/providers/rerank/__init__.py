"""Rerankers: one file per implementation, made by `make_reranker`."""

from recollect.core.settings import Settings
from recollect.providers import registry
from recollect.providers.rerank.base import Reranker

__all__ = ["RERANKERS", "Reranker", "make_reranker"]

RERANKERS = {
    "none": "recollect.providers.rerank:no_reranker",
    "recollect-rerank-v1": "recollect.providers.rerank.local:LocalReranker.from_settings",
    "http": "recollect.providers.rerank.http:HttpReranker.from_settings",
}


def make_reranker(settings: Settings) -> Reranker | None:
    """The reranker that the settings name; None where they name none."""
    factory = registry.find("reranker", settings.reranker, RERANKERS)
    reranker: Reranker | None = factory(settings)
    return reranker


def no_reranker(_settings: Settings) -> None:
    """The default: hits stay in the order of the search."""
