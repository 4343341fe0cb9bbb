"""What a reranker's word does to a search, and to a context."""

import pytest

KAYAK = "The kayak is stored in the boathouse."
SHED = "The kayak paddle is stored in the shed."


class Scripted:
    """Scores texts by the words that they hold."""

    name = "scripted"

    def __init__(self, known: bool = True, **scores: float) -> None:
        self.known = known
        self.scores = scores

    async def score(self, question, texts):
        return [max((value for word, value in self.scores.items() if word in text), default=-5.0) for text in texts]

    def evidence(self, score):
        return (0.9 if score > 0 else 0.1) if self.known else None

    async def close(self):
        """Nothing to let go of."""


def use(rc, **rerankers):
    for name, reranker in rerankers.items():
        object.__setattr__(rc.parts.searcher, name, reranker)


@pytest.fixture
async def me(rc):
    me = rc.scope(user_id="alex")
    await me.add(KAYAK)
    await me.add(SHED)
    return me


async def contents(me, **given):
    return [hit.memory.content for hit in await me.search("Where is the kayak stored?", **given)]


async def test_what_it_finds_likelier_comes_first(rc, me):
    use(rc, reranker=Scripted(shed=9.0, boathouse=1.0))
    assert await contents(me) == [SHED, KAYAK]
    use(rc, reranker=Scripted(shed=1.0, boathouse=9.0))
    assert await contents(me) == [KAYAK, SHED]


async def test_where_nothing_answers_a_search_with_a_threshold_finds_nothing(rc, me):
    use(rc, reranker=Scripted(shed=-1.0, boathouse=-2.0))
    assert await contents(me, threshold=0.6) == []
    assert sorted(await contents(me)) == sorted([KAYAK, SHED])


async def test_one_answer_is_enough_to_be_shown_what_is_beside_it(rc, me):
    use(rc, reranker=Scripted(boathouse=2.0))
    assert await contents(me, threshold=0.6) == [KAYAK, SHED]


async def test_what_the_reranker_takes_for_an_answer_needs_less_evidence_of_its_own(rc, me):
    question = "Which boat lies under the roof by the water?"
    [near, *_] = await me.search(question)
    threshold = near.evidence + 0.05
    assert await me.search(question, threshold=threshold) == []
    use(rc, reranker=Scripted(boathouse=2.0))
    [hit] = await me.search(question, threshold=threshold)
    assert hit.memory.content == KAYAK
    assert hit.evidence >= threshold


async def test_what_reaches_the_threshold_is_found_though_much_else_is_read_first(rc, me):
    scope = rc.scope(user_id="clara")
    told = [{"content": f"Clara moved to Lisbon in May, part {number}."} for number in range(4)]
    await scope.add_many(told + [{"content": f"Tom bought box {number}.", "importance": 1.0} for number in range(40)])
    given = {"threshold": 0.6, "weights": {"importance": 5.0}, "limit": 5}
    plain = await scope.search("Where did Clara move?", **given)
    use(rc, reranker=Scripted(Clara=2.0))
    found = await scope.search("Where did Clara move?", **given)
    assert {hit.memory.id for hit in plain} <= {hit.memory.id for hit in found}
    assert len([hit for hit in found if "Clara" in hit.memory.content]) == 4


async def test_a_message_that_answers_is_found_though_what_it_taught_does_not(rc):
    scope = rc.scope(user_id="dora")
    chat = await scope.conversation("one")
    await chat.add("user", "I prefer green tea in the morning, and the kayak is stored in the boathouse.")
    await rc.drain()
    use(rc, reranker=Scripted(boathouse=2.0))
    hits = await scope.search("Where is the kayak stored?", threshold=0.6)
    assert all(hit.evidence >= 0.6 for hit in hits)
    assert any("boathouse" in hit.memory.content for hit in hits)


async def test_scores_that_tell_an_order_alone_bar_nothing(rc, me):
    use(rc, reranker=Scripted(known=False, shed=-1.0, boathouse=-2.0))
    assert await contents(me, threshold=0.6) == [SHED, KAYAK]


async def test_a_context_takes_the_order_and_leaves_nothing_out(rc, me):
    use(rc, context_reranker=Scripted(shed=-1.0, boathouse=-4.0))
    chat = await me.conversation("one")
    ctx = await chat.context("Where is the kayak stored?")
    assert [hit.memory.content for hit in ctx.hits] == [SHED, KAYAK]
    use(rc, context_reranker=Scripted(shed=-4.0, boathouse=-1.0))
    ctx = await chat.context("Where is the kayak stored?")
    assert [hit.memory.content for hit in ctx.hits] == [KAYAK, SHED]
    assert await contents(me) == await contents(me, threshold=0.3)  # searches have a reranker of their own: none here


async def test_what_is_to_be_forgotten_need_not_answer_anything(rc, me):
    use(rc, reranker=Scripted(shed=-1.0, boathouse=-2.0))
    plan = await me.forget(query="Where is the kayak stored?", dry_run=True)
    assert len(plan.removed) == 2
