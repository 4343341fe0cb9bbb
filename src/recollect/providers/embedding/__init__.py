"""Embedding models: one file per implementation, made by `make_embedder`."""

from recollect.core.settings import Settings
from recollect.providers import registry
from recollect.providers.embedding.base import Embedder, Purpose

__all__ = ["EMBEDDERS", "SHIPPED", "Embedder", "Purpose", "make_embedder"]

SHIPPED = "recollect-recall-v2"
EMBEDDERS = {
    SHIPPED: "recollect.providers.embedding.local:LocalEmbedder.from_settings",
    "openai:…": "recollect.providers.embedding.openai:OpenAIEmbedder.from_settings",
    "fake": "recollect.providers.embedding.fake:FakeEmbedder.from_settings",
}


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name; nothing is loaded or asked yet."""
    factory = registry.find("embedder", settings.embedder, EMBEDDERS)
    embedder: Embedder = factory(settings)
    return embedder
