"""The fake, the cache of questions, and the choice of an embedder."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.errors import InvalidInput
from recollect.core.settings import load_settings
from recollect.providers.embedding import make_embedder
from recollect.providers.embedding.cached import CachedEmbedder
from recollect.providers.embedding.fake import FakeEmbedder
from recollect.providers.embedding.openai import OpenAIEmbedder


async def test_the_fake_is_deterministic_and_knows_likeness() -> None:
    first, second = FakeEmbedder(), FakeEmbedder()
    texts = ["Alice prefers green tea", "Alice prefers black tea", "the deployment failed today"]
    found = await first.embed(texts, purpose="document")
    assert np.array_equal(found, await second.embed(texts, purpose="query"))
    assert found[0] @ found[1] > 0.5 > found[0] @ found[2]


@given(st.text(st.characters(codec=None), max_size=50), st.integers(1, 40))
async def test_the_fake_takes_any_text_and_any_dimensions(text: str, dimensions: int) -> None:
    found = await FakeEmbedder(dimensions).embed([text], purpose="document")
    assert found.shape == (1, dimensions)
    assert np.isclose(np.linalg.norm(found), 1)


async def test_the_fake_counts_what_it_was_asked() -> None:
    fake = FakeEmbedder()
    assert (await fake.embed([], purpose="query")).shape == (0, 64)
    await fake.embed(["a", "b"], purpose="document")
    assert (fake.calls, fake.texts) == (2, 2)


async def test_a_question_is_embedded_once() -> None:
    fake = FakeEmbedder()
    cached = CachedEmbedder(fake)
    first = await cached.embed(["a", "b", "a"], purpose="query")
    again = await cached.embed(["b", "c", "a"], purpose="query")
    assert (fake.calls, fake.texts) == (2, 3)
    assert np.array_equal(first[[1, 0]], again[[0, 2]])
    assert np.array_equal(first, await fake.embed(["a", "b", "a"], purpose="query"))


async def test_documents_pass_the_cache() -> None:
    fake = FakeEmbedder()
    cached = CachedEmbedder(fake)
    for _ in range(2):
        await cached.embed(["a"], purpose="document")
    assert fake.texts == 2
    assert (await cached.embed([], purpose="query")).shape == (0, 64)


async def test_the_cache_forgets_the_oldest_question() -> None:
    fake = FakeEmbedder()
    cached = CachedEmbedder(fake, size=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        await cached.embed([text], purpose="query")
    assert fake.texts == 4


async def test_the_cache_is_an_embedder() -> None:
    cached = CachedEmbedder(FakeEmbedder(8))
    await cached.ready()
    assert (cached.name, cached.dimensions, cached.passages("tea")) == ("fake", 8, ["tea"])
    await cached.close()


def test_settings_choose_the_embedder() -> None:
    fake = make_embedder(load_settings(embedder="fake", embedder_dimensions=12))
    assert isinstance(fake, FakeEmbedder)
    assert fake.dimensions == 12
    endpoint = make_embedder(load_settings(embedder="openai:nomic:latest", embedder_dimensions=768))
    assert isinstance(endpoint, OpenAIEmbedder)
    assert (endpoint.name, endpoint.dimensions) == ("openai:nomic:latest", 768)


@pytest.mark.parametrize("name", ["", "ada", "fake:3", "openai", "recollect-recall-v1"])
def test_an_unknown_embedder_names_the_choices(name: str) -> None:
    with pytest.raises(InvalidInput, match="recollect-recall-v2") as caught:
        make_embedder(load_settings(embedder=name))
    assert caught.value.field == "embedder"
