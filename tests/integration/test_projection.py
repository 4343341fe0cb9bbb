"""The graph carried to a real Neo4j: what changes follows, whatever stops it; where there is none, nothing gathers."""

import asyncio
import signal
import time
from functools import partial
from uuid import uuid4

import psycopg
import pytest

from bolt import ask
from faces import at_terminal, of_http, of_library
from graphs import Arrow, Node, write
from hostile import TEXTS, UNTEXTS
from projected import Changes, Killed, projecting_until_killed
from recollect.core.errors import InvalidInput, NotFound, RecollectError, Unavailable
from recollect.db import database
from recollect.flows import projecting
from recollect.flows.parts import Parts
from recollect.graph.projection.reading import Neo4jGraph
from recollect.graph.projection.writing import Writer
from recollect.records import outbox
from recollect.wire.verbs import VERBS
from serving import caller, served

pytestmark = pytest.mark.xdist_group("neo4j")

SPACE = "user:alice"


def rows(rc, statement, *values):
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public", autocommit=True) as owner:
        cursor = owner.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


async def test_what_is_written_stands_in_neo4j(open_recollect, neo4j, neo4j_server, clock):
    rc = await open_recollect(**neo4j)
    me = rc.scope(user_id="alice")
    ann, acme = Node("Ann", "person"), Node("Acme")
    write(rc, SPACE, [ann, acme], [], clock.now)
    tie = await me.relate(ann.id, acme.id, "works_at", description="since spring")
    assert (await rc.drain()).failed == 0
    found = await rc.verify_graph()
    assert found.differences == []
    assert (found.spaces, found.nodes, found.relations, found.waiting) == (1, 2, 1, 0)
    [row] = ask(
        neo4j_server,
        "MATCH (a:Person:LongtermEntity {name: 'Ann'})-[r:RELATES_TO {type: 'works_at'}]->(b:Entity)"
        " RETURN a.space AS space, r.id AS id, r.description AS said, b.name AS name",
    )
    assert row == {"space": SPACE, "id": str(tie.id), "said": "since spring", "name": "Acme"}
    await me.delete(ann.id)
    await rc.drain()
    [gone] = ask(neo4j_server, "MATCH (n:Person) RETURN n.state AS state, n.name AS name, n.description AS said")
    assert gone == {"state": "soft_deleted", "name": None, "said": None}
    await me.restore(ann.id)
    await rc.drain()
    assert ask(neo4j_server, "MATCH (n:Person) RETURN n.name AS name") == [{"name": "Ann"}]
    assert (await rc.verify_graph()).equal
    names = {row["name"] for row in ask(neo4j_server, "SHOW CONSTRAINTS YIELD name")}
    assert {"memory_id", "relationship_temporal_unique"} <= names


async def test_without_neo4j_nothing_gathers_and_later_all_of_it_is_there(open_recollect, neo4j, clock):
    rc = await open_recollect()
    me = rc.scope(user_id="alice")
    a, b = Node("a"), Node("b")
    write(rc, SPACE, [a, b], [], clock.now)
    await me.relate(a.id, b.id, "knows")
    await rc.drain()
    assert rows(rc, "select count(*) from outbox") == [(0,)]
    assert rows(rc, "select count(*) from projection") == [(0,)]
    status = await rc.graph_status()
    assert (status.url, status.spaces, status.level) == (None, (), True)
    with pytest.raises(Unavailable, match="Neo4j: it is not configured"):
        await rc.verify_graph()
    later = await open_recollect(**neo4j)
    await later.run_job("projection")  # as the worker does when it starts, and every ten minutes
    await later.drain()
    assert (await later.verify_graph()).equal
    # Somebody without Neo4j changes a space that is projected: it is noted, and carried over by those who have it.
    await me.relate(b.id, a.id, "likes")
    assert rows(rc, "select count(*) from outbox") == [(1,)]
    assert (await later.verify_graph()).waiting == 1
    await later.run_job("projection")
    await later.drain()
    found = await later.verify_graph()
    assert (found.equal, found.waiting, found.relations) == (True, 0, 2)


async def messages_of(rc, write, monkeypatch):
    """How often something was sent to the server and its answer awaited."""
    sent = []
    execute, together = psycopg.AsyncConnection.execute, database.run_together

    async def executed(connection, *given, **options):
        sent.append(given[0])
        return await execute(connection, *given, **options)

    async def run(connection, statements, *meanwhile):
        sent.append(statements)
        return await together(connection, statements, *meanwhile)

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.AsyncConnection, "execute", executed)
        patch.setattr(database, "run_together", run)
        await write()
    return len(sent)


@pytest.mark.local
async def test_what_changes_is_noted_without_a_message_of_its_own(open_recollect, neo4j, clock, monkeypatch):
    nodes = [Node(f"n{number}") for number in range(9)]
    without, counts = await open_recollect(), []
    write(without, SPACE, nodes, [], clock.now)
    for rc, follows in ((without, False), (without, True), (await open_recollect(**neo4j), True)):
        me = rc.scope(user_id="alice")
        await me.relate(nodes[0].id, nodes[1].id, f"knows {len(counts)}")  # connections are made
        if not follows:
            rc.parts.database.follow, kept = None, rc.parts.database.follow
        relating = partial(me.relate, nodes[0].id, nodes[2].id, f"knows {len(counts)}")
        counts.append(await messages_of(rc, relating, monkeypatch))
        if not follows:
            rc.parts.database.follow = kept
    assert len(set(counts)) == 1, counts


async def test_what_nobody_carries_over_does_not_grow_without_end(open_recollect, neo4j, clock, monkeypatch):
    rc = await open_recollect(**neo4j)
    nodes = [Node(f"n{number}") for number in range(6)]
    write(rc, SPACE, nodes, [], clock.now)
    me = rc.scope(user_id="alice")
    await me.relate(nodes[0].id, nodes[1].id, "knows")
    await rc.drain()
    monkeypatch.setattr(outbox, "MOST_WAITING", 3)
    for node in nodes[2:]:
        await me.relate(nodes[0].id, node.id, "knows")
    assert rows(rc, "select count(*) from outbox") == [(4,)]
    await rc.run_job("projection")
    assert rows(rc, "select count(*) from outbox") == [(0,)]
    await me.relate(nodes[1].id, nodes[2].id, "knows")
    assert rows(rc, "select count(*) from outbox") == [(0,)]  # the copy will have it
    await rc.drain()
    found = await rc.verify_graph()
    assert (found.equal, found.relations) == (True, 6)


@pytest.mark.local  # where the rows lie changes nothing for it, and it takes minutes
async def test_ten_thousand_changes_while_neo4j_is_away(open_recollect, neo4j, neo4j_server, clock):
    rc = await open_recollect(**neo4j)
    changes = Changes(rc, clock, seed=10)
    await changes.begin()
    await rc.drain()
    neo4j_server.stop()
    try:
        await changes.make(at_least=10_000)
        mixture = changes.mixture()
        assert mixture["new"] >= 5_000, mixture
        assert min(mixture["changed"], mixture["gone"]) >= 50, mixture
        hits = await asyncio.wait_for(rc.scope(user_id="alice").search("orchid", kinds=["statement"]), 10)
        assert [hit.memory.content for hit in hits][:1] == ["The orchid by the window is Maria's."]
        walked = await asyncio.wait_for(changes.walk(), 20)
        drained = await asyncio.wait_for(rc.drain(), 60)
        assert drained.failed == 0
        status = await rc.graph_status()
        assert status.waiting >= 10_000
        assert status.problem is not None
        assert "Neo4j" in (status.spaces[0].failed or "")
    finally:
        neo4j_server.start_again()
    assert await changes.walk() == walked
    killed = Killed(rc.settings)
    for batch, delay in ((1, 0.0), (1, 0.1), (2, 0.05), (2, 0.3), (3, 0.15)):
        await projecting_until_killed(rc, killed, SPACE, batch, delay)
    killed.close()
    left = (await rc.graph_status()).waiting
    assert 0 < left < status.waiting
    assert (await projecting.project(rc.parts, SPACE))["seen"] == left
    found = await rc.verify_graph()
    assert found.differences == []
    assert found.waiting == 0
    assert found.relations > 2_000
    assert await changes.walk() == walked


async def test_a_batch_that_is_cut_off_anywhere_is_carried_over_again(open_recollect, neo4j, clock, monkeypatch):
    rc = await open_recollect(**neo4j)
    nodes = [Node(f"n{number}") for number in range(30)]
    write(rc, SPACE, nodes, [], clock.now)
    me = rc.scope(user_id="alice")
    ties = [await me.relate(nodes[n].id, nodes[n + 1].id, "knows") for n in range(20)]
    await rc.drain()
    await me.merge(nodes[0].id, nodes[5].id)
    await me.update_relation(ties[9].id, description="again")
    await me.delete(nodes[12].id)
    steps = ("update_relations", "drop_relations", "put_nodes", "put_relations", "drop_orphans")
    run = Writer._run
    for step in steps:

        async def broken(self, transaction, name, _step=step, **values):
            found = await run(self, transaction, name, **values)
            if name == _step:
                raise Unavailable("Neo4j", "gone")
            return found

        monkeypatch.setattr(Writer, "_run", broken)
        with pytest.raises(Unavailable):
            await projecting.project(rc.parts, SPACE)
    monkeypatch.setattr(Writer, "_run", run)
    with monkeypatch.context() as patch:  # Neo4j has it, and PostgreSQL does not know
        patch.setattr(outbox, "carried", None)
        with pytest.raises(TypeError):
            await projecting.project(rc.parts, SPACE)
    [stand] = (await rc.graph_status()).spaces
    assert stand.waiting > 0
    assert stand.failed is not None
    await projecting.project(rc.parts, SPACE)
    assert (await rc.verify_graph()).equal
    [stand] = (await rc.graph_status()).spaces
    assert (stand.waiting, stand.failed) == (0, None)


PLANTED = {
    "a node is gone": ("MATCH (n:Memory {name: 'n1'}) DETACH DELETE n", "missing"),
    "a node too many": (
        "CREATE (:Memory:Person:LongtermEntity {space: 'user:alice', id: '00000000-0000-7000-8000-000000000001'})",
        "extra",
    ),
    "another name": ("MATCH (n:Memory {name: 'n2'}) SET n.name = 'N2'", "different"),
    "a property less": ("MATCH (n:Memory {name: 'n3'}) REMOVE n.state", "different"),
    "a property more": ("MATCH (n:Memory {name: 'n4'}) SET n.secret = 'x'", "different"),
    "another label": ("MATCH (n:Memory {name: 'n5'}) REMOVE n:Entity SET n:Person", "different"),
    "a relation is gone": ("MATCH ()-[r:RELATES_TO {type: 'a'}]->() DELETE r", "missing"),
    "another strength": ("MATCH ()-[r:RELATES_TO {type: 'b'}]->() SET r.strength = 0.123", "different"),
    "another end": (
        "MATCH (a)-[r:RELATES_TO {type: 'c'}]->(), (b:Memory {name: 'n7'})"
        " CREATE (a)-[s:RELATES_TO]->(b) WITH r, s, properties(r) AS p DELETE r SET s = p",
        "different",
    ),
    "a stranger": ("CREATE (:Guest {name: 'who'})", "foreign"),
    "another space": (
        "CREATE (:Memory {space: 'user:mallory', id: '00000000-0000-7000-8000-000000000002'})",
        "extra",
    ),
    "no constraint": ("DROP CONSTRAINT relationship_temporal_unique", "missing"),
}


async def test_every_difference_is_named(open_recollect, neo4j, neo4j_server, clock):
    rc = await open_recollect(**neo4j)
    nodes = [Node(f"n{number}") for number in range(9)]
    arrows = [Arrow(nodes[0], nodes[8], type) for type in "abc"]
    write(rc, SPACE, nodes, arrows, clock.now)
    await rc.rebuild_graph()
    assert (await rc.verify_graph()).equal
    for what, (statement, kind) in PLANTED.items():
        ask(neo4j_server, statement)
        found = await rc.verify_graph()
        assert [difference.what for difference in found.differences] == [kind], what
        assert str(found.differences[0])
        ask(neo4j_server, "MATCH (n:Guest) DELETE n")
        rc.parts.neo4j._is_ready = False  # so that the constraint comes back
        await rc.rebuild_graph()
        assert (await rc.verify_graph()).equal, what


async def test_a_graph_of_another_database_is_not_overwritten_unasked(open_recollect, neo4j, neo4j_server, clock):
    rc = await open_recollect(**neo4j)
    write(rc, SPACE, [Node("a")], [], clock.now)
    await rc.rebuild_graph()
    ask(neo4j_server, "MATCH (p:Projection) SET p.turn = 1000")  # a later life of the same space
    await rc.scope(user_id="alice").relate(*(await _two(rc, clock)), "knows")
    with pytest.raises(RecollectError, match="graph rebuild"):
        await projecting.project(rc.parts, SPACE)
    assert "another database" in ((await rc.graph_status()).spaces[0].failed or "")
    await rc.rebuild_graph()
    assert (await rc.verify_graph()).equal


async def _two(rc, clock):
    nodes = [Node("x"), Node("y")]
    write(rc, SPACE, nodes, [], clock.now)
    return [node.id for node in nodes]


async def test_what_is_forgotten_is_gone_there_too(open_recollect, neo4j, neo4j_server, clock):
    rc = await open_recollect(**neo4j)
    a, b, said = Node("a"), Node("b"), Node("said", "statement")
    tie, mention = Arrow(a, b), Arrow(said, a, "mentions")
    write(rc, SPACE, [a, b, said], [tie, mention], clock.now)
    await rc.rebuild_graph()
    for ids in ([a.id], [tie.id]):
        async with rc.parts.database.transaction(SPACE) as connection:
            await connection.execute(
                "delete from relation where space_id = %s and %s in (from_id, to_id, id)", (SPACE, ids[0])
            )
            await connection.execute("delete from memory where space_id = %s and id = %s", (SPACE, ids[0]))
            await outbox.forget(connection, SPACE, ids)
        assert await projecting.forgotten(rc.parts, SPACE, ids) is None
    # What hung on it alone is no node of the graph.
    assert ask(neo4j_server, "MATCH (n:Memory) RETURN n.name AS name") == [{"name": "b"}]
    assert (await rc.verify_graph()).equal


async def test_nobody_waits_for_a_neo4j_that_hangs(open_recollect, neo4j, neo4j_server, clock):
    rc = await open_recollect(**neo4j, neo4j_timeout=0.5)
    nodes = [Node("a"), Node("b")]
    write(rc, SPACE, nodes, [Arrow(*nodes)], clock.now)
    await rc.rebuild_graph()
    me = rc.scope(user_id="alice")
    neo4j_server.process.send_signal(signal.SIGSTOP)
    try:
        begun = time.monotonic()
        for _ in range(20):
            assert len((await me.traverse(nodes[0].id)).nodes) == 1
        await me.relate(nodes[1].id, nodes[0].id, "knows")
        assert len((await me.traverse(nodes[0].id)).relations) == 2
        status = await rc.graph_status()
        assert (status.waiting > 0, status.problem) == (True, "Neo4j: no answer within 0.75 s")
        async with rc.parts.database.transaction(SPACE) as connection:
            await outbox.forget(connection, SPACE, [uuid4()])
        assert time.monotonic() - begun < 15
    finally:
        neo4j_server.process.send_signal(signal.SIGCONT)
    await projecting.project(rc.parts, SPACE)
    assert (await rc.verify_graph()).equal


async def test_hostile_values_get_nothing(open_recollect, neo4j, neo4j_server, clock):
    rc = await open_recollect(**neo4j, neo4j_timeout=60)
    mine, theirs = [Node("a"), Node("b")], [Node("a"), Node("b"), Node("secret of bob")]
    write(rc, SPACE, mine, [Arrow(*mine)], clock.now)
    write(rc, "user:bob", theirs, [Arrow(theirs[0], theirs[1]), Arrow(theirs[1], theirs[2])], clock.now)
    await rc.rebuild_graph()
    me, bobs = rc.scope(user_id="alice"), {str(node.id) for node in theirs}
    before = ask(neo4j_server, _ALL), rows(rc, "select count(*), max(updated_at) from memory")
    async with served(rc) as url, caller(url, (await rc.make_key("mine", user_id="alice")).secret) as http:
        with at_terminal(rc) as terminal:
            faces = {"library": of_library(rc), "http": of_http(http), "terminal": terminal.play}
            for number, text in enumerate((*TEXTS, *UNTEXTS)):
                # What comes over HTTP or is typed goes through the same verbs: there a few of them will do.
                few = [name for name, each in (("http", 3), ("terminal", 7)) if text in TEXTS and number % each == 0]
                for name in ("library", *few):
                    for verb, given in questions(text, *mine):
                        told = await answer(faces[name], verb, given)
                        assert told in ([], None, "invalid", "not found"), (name, verb, text[:80])
    for other in bobs:
        with pytest.raises(NotFound):
            await me.traverse(other)
    assert not rc.parts.neo4j.rests
    assert (ask(neo4j_server, _ALL), rows(rc, "select count(*), max(updated_at) from memory")) == before


_ALL = "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN count(n) AS nodes, sum(size(keys(n))) AS keys, count(r) AS ties"


def questions(text, one, other):
    """A text in every place where a graph verb takes one."""
    yield "traverse", {"node_id": one.id, "types": [text]}
    yield "traverse", {"node_id": text}
    yield "traverse", {"node_id": one.id, "include": [text]}
    yield "traverse", {"node_id": one.id, "valid_at": text}
    yield "path", {"a_id": one.id, "b_id": other.id, "types": [text]}
    yield "path", {"a_id": one.id, "b_id": text}
    yield "match", {"pattern": [("entity", text, "entity")]}
    yield "match", {"pattern": [("entity", "knows", "entity")], "names": {0: text}}
    yield "match", {"pattern": [(text, "knows", "entity")]}


async def answer(play, verb, given):
    """The nodes that a verb found, or why it refused."""
    try:
        found = await play(next(each for each in VERBS if each.id == verb), {"user_id": "alice"}, given)
    except InvalidInput:
        return "invalid"
    except NotFound:
        return "not found"
    if verb == "traverse":
        return list(found["nodes"] if isinstance(found, dict) else found.nodes)
    return found


async def test_hostile_texts_are_stored_and_found_as_texts(open_recollect, neo4j, clock, monkeypatch):
    """As names and as types, on both sides; each finds itself, and nothing else."""
    rc = await open_recollect(**neo4j, neo4j_timeout=60)
    hub, nodes = Node("hub", "person"), [Node(text) for text in TEXTS]
    arrows = [Arrow(hub, node, node.name) for node in nodes]
    write(rc, SPACE, [hub, *nodes], arrows, clock.now)
    write(rc, "user:bob", [Node(text) for text in TEXTS], [], clock.now)
    await rc.rebuild_graph()
    assert (await rc.verify_graph()).equal
    me, either = rc.scope(user_id="alice"), rc.parts.graph
    for reader in (either.projected, either.postgres):
        monkeypatch.setattr(Parts, "graph", reader)
        for node, arrow in zip(nodes, arrows, strict=True):
            assert [edge.id for edge in (await me.traverse(hub.id, 2, [node.name])).relations] == [arrow.id]
            assert len(await me.path(node.id, hub.id, [node.name])) == 1
            [match] = await me.match([("person", node.name, "entity")], names={1: node.name})
            assert match.ids == (hub.id, node.id, arrow.id)


async def test_no_verb_reads_another_space(open_recollect, neo4j, clock):
    rc = await open_recollect(**neo4j)
    mine, theirs = [Node("a"), Node("b")], [Node("a"), Node("b")]
    write(rc, SPACE, mine, [Arrow(*mine)], clock.now)
    write(rc, "user:bob", theirs, [Arrow(*theirs)], clock.now)
    write(rc, SPACE, [], [Arrow(mine[0], theirs[1])], clock.now)  # as no writer would leave it
    await rc.rebuild_graph()
    me = rc.scope(user_id="alice")
    readers = {type(rc.parts.graph.projected), type(rc.parts.graph.postgres)}
    assert Neo4jGraph in readers
    for other in theirs:
        with pytest.raises(NotFound):
            await me.traverse(other.id)
        with pytest.raises(NotFound):
            await me.path(mine[0].id, other.id)
        assert await me.match([(None, None, None)], names=[other.id]) == []
    assert {node.memory.id for node in (await me.traverse(mine[0].id)).nodes} == {mine[1].id}
    [found] = await me.match([("entity", "knows", "entity")])
    assert {node.id for node in found.nodes} == {node.id for node in mine}
    # Planted by whoever can write to Neo4j: a relation into the other space is not walked, and named by `verify`.
    async with rc.parts.neo4j.writing() as run:
        await run(
            "MATCH (a:Memory {space: $mine, id: $a}), (b:Memory {space: $theirs, id: $b})"
            " CREATE (a)-[r:RELATES_TO {space: $mine, id: $id, type: 'knows', strength: 1.0, state: 'active',"
            " sensitivity: 'normal', from_entity_id: $a, to_entity_id: $b}]->(b)",
            mine=SPACE, theirs="user:bob", a=str(mine[0].id), b=str(theirs[0].id), id=str(uuid4()),
        )  # fmt: skip
    assert {node.memory.id for node in (await me.traverse(mine[0].id)).nodes} == {mine[1].id}
    assert len(await me.match([(None, None, None)])) == 1
    assert [difference.what for difference in (await rc.verify_graph()).differences] == ["extra"]


async def test_patterns(rc, clock):
    ann, bob, acme, tea = Node("Ann", "person"), Node("Bob", "person"), Node("Acme"), Node("Tea", "concept")
    arrows = [
        Arrow(ann, acme, "works_at", 0.9),
        Arrow(bob, acme, "works_at", 0.4),
        Arrow(bob, tea, "likes", 0.7),
        Arrow(ann, bob, "mentions", 1.0),
    ]
    write(rc, SPACE, [ann, bob, acme, tea], arrows, clock.now)
    me = rc.scope(user_id="alice")
    colleagues = [("person", "works_at", "entity"), ("entity", "works_at", "person", "back")]
    assert [match.compact() for match in await me.match([("person", "works_at", "entity")])] == [
        "Ann -works_at-> Acme",
        "Bob -works_at-> Acme",
    ]
    found = await me.match(colleagues, names={0: "Ann"})
    assert [match.compact() for match in found] == ["Ann -works_at-> Acme <-works_at- Bob"]
    assert len(await me.match([*colleagues, ("person", None, None)])) == 1
    assert len(await me.match([("person", None, None)])) == 3  # what holds memory together has to be named
    assert len(await me.match([("person", "mentions", "person")], names=[None, bob.id])) == 1
    assert len(await me.match([(None, None, None)], limit=2)) == 2
    assert await me.match([("person", None, None)], names=["Nobody"]) == []
    for wrong in (
        [],
        [("person", "knows")],
        "person",
        [("person", "knows", "thing")],
        [("person", "a", "entity"), ("person", "b", "entity")],
        [("person", "a", "person")] * 5,
        [("person", "knows", "person", "forth")],
    ):
        with pytest.raises(InvalidInput, match="pattern"):
            await me.match(wrong)
    for names in ({5: "Ann"}, "Ann", {0: ""}, [None, None, "x"]):
        with pytest.raises(InvalidInput, match="names"):
            await me.match([("person", "works_at", "entity")], names=names)
    await rc.recalls.flush()
    assert rows(rc, "select state from memory_use where memory_id = %s", ann.id) == [("active",)]
