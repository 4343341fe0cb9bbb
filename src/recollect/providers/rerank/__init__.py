"""Rerankers: one file per implementation, made by `make_reranker`."""

from recollect.core.settings import Settings
from recollect.providers import registry
from recollect.providers.embedding import SHIPPED as SHIPPED_EMBEDDER
from recollect.providers.rerank.base import Reranker

__all__ = ["RERANKERS", "SHIPPED", "Reranker", "context_reranker", "make_reranker"]

SHIPPED = "recollect-rerank-v2"
_LOCAL = "recollect.providers.rerank.local:LocalReranker.from_settings"
RERANKERS = {
    "none": "recollect.providers.rerank:no_reranker",
    SHIPPED: _LOCAL,
    "recollect-rerank-v1": _LOCAL,  # the name of its predecessor, which settings out there still say
    "http": "recollect.providers.rerank.http:HttpReranker.from_settings",
}


def make_reranker(settings: Settings) -> Reranker | None:
    """The reranker of searches that the settings name; None where they name none."""
    return _made("reranker", settings.reranker, settings)


def context_reranker(settings: Settings, embedder: str, of_search: Reranker | None) -> Reranker | None:
    """The reranker of contexts: that of searches, else ours where it was seen to help, beside our own embedder."""
    if settings.context_reranker != "auto":
        return _made("context_reranker", settings.context_reranker, settings)
    if of_search is not None or embedder != SHIPPED_EMBEDDER:
        return of_search
    return _made("context_reranker", SHIPPED, settings)


def _made(setting: str, name: str, settings: Settings) -> Reranker | None:
    reranker: Reranker | None = registry.find(setting, name, RERANKERS)(settings)
    return reranker


def no_reranker(_settings: Settings) -> None:
    """The default: hits stay in the order of the search."""
