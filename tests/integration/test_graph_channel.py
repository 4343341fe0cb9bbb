"""The graph channel of search: names in a question lead to nodes, and these to what mentions them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from graphs import Arrow, Node, write
from recollect.db.database import Batch, Database
from recollect.flows import statistics
from recollect.retrieval.connected import names_in

SPACE = "user:alice"


def execute(rc: Any, query: str, *values: Any) -> None:
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        owner.execute(query, values or None)


@contextmanager
def sent() -> Iterator[list[Batch]]:
    """The messages to the server, meanwhile."""
    batches: list[Batch] = []
    send = Database.send

    async def keeping(self: Database, batch: Batch) -> Any:
        batches.append(batch)
        return await send(self, batch)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "send", keeping)
        yield batches


@pytest.fixture
async def world(rc: Any, clock: Any) -> Any:
    """Statements that speak of Sarah under one name, and nodes that know her by two."""
    me = rc.scope(user_id="alice")
    texts = ["Sarah wants a larger budget.", "Bob wants a larger budget.", "The budget of Acme is small.", "It rains."]
    added = await me.add_many([{"content": text} for text in texts])
    sarah, acme = Node("Sarah Chen", "person"), Node("Acme")
    write(rc, SPACE, [sarah, acme], [Arrow(sarah, acme, "works_at", 0.8)], clock.now)
    for node, names in ((sarah, ("sarah-chen", "ms-chen", "sarah")), (acme, ("acme",))):
        for name in names:
            execute(
                rc,
                "insert into node_name (space_id, kind, type, name, node_id) values (%s, %s, '', %s, %s)",
                *(SPACE, node.kind, name, node.id),
            )
    execute(rc, "update space_statistics set kinds = kinds || '{\"person\": 1}' where space_id = %s", SPACE)
    await statistics.refresh(rc.parts, SPACE)
    execute(rc, "update space_statistics set kinds = kinds || '{\"person\": 1}' where space_id = %s", SPACE)
    rc.parts.searcher.known.forget(SPACE)
    return me, added, sarah, acme


def scores(hits: Any) -> dict[str, dict[str, float]]:
    return {hit.memory.content: hit.why for hit in hits}


async def test_another_name_and_a_neighbour_are_reached(world):
    me, *_ = world
    found = scores(await me.search("What does Ms Chen want?", weights={"graph": 0.5}))
    assert found["Sarah wants a larger budget."]["graph"] == pytest.approx(0.5)
    assert 0 < found["The budget of Acme is small."]["graph"] < 0.5
    assert found["Bob wants a larger budget."]["graph"] == 0
    best = (await me.search("What does Ms Chen want?", weights={"graph": 0.5}))[0]
    assert best.memory.content == "Sarah wants a larger budget."
    assert sum(best.why.values()) == pytest.approx(best.score)


async def test_what_mentions_a_node_is_a_candidate(rc, world, clock):
    me, added, sarah, _ = world
    rain = next(memory for memory in added if memory.content == "It rains.")
    arrow = Arrow(Node("rain", id=rain.id), sarah, "mentions", 0.9)
    write(rc, SPACE, [], [arrow], clock.now)
    found = scores(await me.search("What does Ms Chen want?", weights={"graph": 0.5}))
    assert found["It rains."]["graph"] == pytest.approx(0.5)


async def test_a_talk_that_mentions_a_node_lifts_its_turns(rc, world, clock):
    me, _, sarah, _ = world
    chat = await me.conversation("chat-1")
    await chat.add("user", "She would like more money.")
    other = await me.conversation("chat-2")
    await other.add("user", "He would like more money.")
    await rc.drain()
    execute(rc, "update space_statistics set kinds = kinds || '{\"person\": 1}' where space_id = %s", SPACE)
    rc.parts.searcher.known.forget(SPACE)
    talk = Node("talk", "source")
    write(rc, SPACE, [talk], [Arrow(talk, sarah, "mentions", 0.9)], clock.now)
    execute(
        rc,
        "insert into source (space_id, id, source_type, conversation_id, first_turn, last_turn, received_at)"
        " values (%s, %s, 'conversation', %s, 1, 1, %s)",
        *(SPACE, talk.id, chat.conversation.id, clock.now),
    )
    found = scores(await me.search("more money for Ms Chen", kinds=["turn"], weights={"graph": 0.4}))
    assert found["She would like more money."]["graph"] == pytest.approx(0.2)
    assert found["He would like more money."]["graph"] == 0


async def test_it_is_asked_in_the_same_message_and_not_at_all_without_weight_or_nodes(rc, world):
    me, *_ = world
    bob = rc.scope(user_id="bob")
    await bob.add("Ms Chen has no node here.")
    for asker, weights, asked in ((me, {"graph": 0.5}, 2), (me, {"graph": 0}, 0), (bob, {"graph": 0.5}, 0)):
        await asker.search("Ms Chen", weights=weights)
        await rc.drain()  # what that search writes afterwards is no message of the next
        with sent() as batches:
            await asker.search("Ms Chen", weights=weights)
        assert len(batches) == 2
        texts = [str(text) for batch in batches for text, _ in batch.statements]
        assert sum("node_name" in text for text in texts) == asked


async def test_sensitive_nodes_lend_no_weight(rc, world):
    me, _, _, acme = world
    execute(rc, "update memory set sensitivity = 'high' where space_id = %s and id = %s", SPACE, acme.id)
    found = scores(await me.search("What does Ms Chen want?", weights={"graph": 0.5}))
    assert found["The budget of Acme is small."]["graph"] == 0
    trusted = rc.scope(user_id="alice", sensitivity="high")
    found = scores(await trusted.search("What does Ms Chen want?", weights={"graph": 0.5}))
    assert found["The budget of Acme is small."]["graph"] > 0


def test_what_might_be_a_name():
    assert names_in("Who is Ms. Chen's boss?")[-5:] == ("who", "is", "ms", "chen", "boss")
    assert {"ms-chen", "is-ms-chen-boss", "ms-chen-boss"} <= set(names_in("Who is Ms. Chen's boss?"))
    assert names_in("?!") == ()
    assert len(names_in("word " * 10_000)) < 300
