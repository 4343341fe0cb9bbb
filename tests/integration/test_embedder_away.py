"""While the embedder is away: contexts are made without it, and what needs no vector is learned all the same."""

import psycopg
import pytest

from recollect.core.errors import Unavailable
from recollect.flows.index_turns import index_turns
from recollect.flows.understand import understand
from recollect.providers.embedding.fake import FakeEmbedder


class Failing(FakeEmbedder):
    """An embedder that can be switched off."""

    problem = None

    async def embed(self, texts, *, purpose):
        if self.problem is not None:
            raise self.problem()
        return await super().embed(texts, purpose=purpose)


def away():
    return Unavailable("embedder", "http://localhost:9 cannot be reached")


def broken():
    return RuntimeError("no memory left")


@pytest.fixture
def embedder():
    return Failing()


@pytest.fixture
async def rc(open_recollect, embedder):
    return await open_recollect(understand=True, embedder=embedder)


def entries_of(rc, id):
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        return owner.execute("select count(*) from entry where memory_id = %s", [id]).fetchone()[0]


@pytest.mark.parametrize("problem", [away, broken])
async def test_a_context_is_made_of_all_that_needs_no_vector(rc, embedder, problem):
    me = rc.scope(user_id="alex")
    await me.set_profile("identity", "name", "Alex")
    await me.add("The kayak is stored in the boathouse at Lake Orta.")
    chat = await me.conversation("one")
    await me.add("The invoices are paid on Fridays.")
    await chat.add("user", "Good morning to you.")
    await rc.drain()
    embedder.problem = problem
    ctx = await chat.context("Where is the kayak stored?")
    assert "- name: Alex" in ctx.text
    assert "Good morning to you." in ctx.text
    assert "Memory updates since rev" in ctx.text
    assert "The kayak is stored in the boathouse at Lake Orta." in ctx.text.partition("# Relevant Memories")[2]
    assert "invoices" not in ctx.text.partition("# Relevant Memories")[2]
    assert any(warning.startswith("recalled by words alone: embedder: ") for warning in ctx.warnings)
    assert ctx.recall_advised
    with pytest.raises(type(problem())):
        await me.search("Where is the kayak stored?")


async def test_a_large_space_is_searched_by_its_words(open_recollect, embedder):
    rc = await open_recollect(embedder=embedder, exact_limit=20)
    me = rc.scope(user_id="alex")
    await me.add_many([{"content": f"Parcel {n} lies in hall {n * 7}."} for n in range(60)])
    await me.add("The kayak is stored in the boathouse.")
    await rc.drain()
    assert (await rc.parts.searcher._statistics(["user:alex"]))["user:alex"].vector_index
    embedder.problem = away
    ctx = await (await me.conversation("one")).context("Where is the kayak?")
    assert [hit.memory.content for hit in ctx.hits] == ["The kayak is stored in the boathouse."]


async def test_a_reranker_that_fails_leaves_the_order_as_it_was(rc):
    class Broken:
        async def score(self, question, texts):
            raise Unavailable("reranker", "is away")

        async def close(self):
            """Nothing to let go of."""

    object.__setattr__(rc.parts.searcher, "context_reranker", Broken())
    me = rc.scope(user_id="alex")
    await me.add("The kayak is stored in the boathouse.")
    ctx = await (await me.conversation("one")).context("Where is the kayak stored?")
    assert "boathouse" in ctx.text
    assert "recalled without reranking: reranker: is away" in ctx.warnings


class TestLearning:
    """Profile facts need no vector."""

    async def test_a_fact_is_learned_while_the_embedder_is_away(self, rc, embedder):
        me = rc.scope(user_id="alex")
        chat = await me.conversation("one")
        embedder.problem = away
        await chat.add("user", "I live in Rome.")
        await rc.drain(timeout=None)  # what is tried again later is not waited for
        assert [(fact.key, fact.value) for fact in await me.profile()] == [("city", "Rome")]
        assert "- city: Rome" in (await chat.context("Where do I live?")).text

    async def test_it_is_found_once_the_embedder_is_back(self, rc, embedder):
        me = rc.scope(user_id="alex")
        chat = await me.conversation("one")
        embedder.problem = away
        await chat.add("user", "I live in Rome.")
        await chat.add("user", "Sorry, I moved: I live in Milan now. We decided to use Redis for caching.")
        await rc.drain(timeout=None)  # what is tried again later is not waited for
        [fact] = await me.profile()
        assert (fact.value, entries_of(rc, fact.memory_ids[0])) == ("Milan", 0)
        embedder.problem = None
        await index_turns(rc.parts, "user:alex")
        await understand(rc.parts, "user:alex")
        [same] = await me.profile()
        assert same.memory_ids == fact.memory_ids
        values = await me.get_all(kinds=["profile"], include=["expired"])
        assert sorted(memory.data["value"] for memory in values) == ["Milan", "Rome"]
        assert all(entries_of(rc, memory.id) == 1 for memory in values)
        assert not any("unindexed" in memory.data for memory in values)
        assert [hit.memory.data["value"] for hit in await me.search("Milan", kinds=["profile"])] == ["Milan"]
        assert "Redis" in (await me.get_all(kinds=["statement"])).memories[0].content

    async def test_trying_again_writes_nothing_twice(self, rc, embedder):
        me = rc.scope(user_id="alex")
        chat = await me.conversation("one")
        embedder.problem = away
        await chat.add("user", "I live in Rome.")
        for _ in range(3):
            with pytest.raises(Unavailable):
                await understand(rc.parts, "user:alex")
        [fact] = await me.profile()
        assert [entry.event for entry in await me.history(fact.memory_ids[0])] == ["ADD"]
        with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
            assert owner.execute("select count(*) from consent").fetchone() == (0,)
