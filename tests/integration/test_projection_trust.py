"""What Neo4j holds is not taken for ours because it answers: it may have been emptied, come back from a backup, or be
written from another database."""

import asyncio
import signal
import sys
from contextlib import contextmanager
from dataclasses import replace
from uuid import uuid4

import psycopg
import pytest

from bolt import ask, wipe
from graphs import Arrow, Node, write
from recollect.core.errors import InvalidInput, NotFound, RecollectError, Unavailable
from recollect.flows import projecting, verifying
from recollect.graph.projection import content, schema
from recollect.graph.projection.driver import Neo4j, Refused
from recollect.graph.projection.reading import Neo4jGraph
from recollect.graph.projection.server import start
from recollect.graph.projection.writing import Writer
from recollect.records.outbox import Turn

pytestmark = [pytest.mark.local, pytest.mark.xdist_group("neo4j")]

SPACE = "user:alice"


@contextmanager
def hanging(server):
    """A Neo4j that takes connections and says nothing."""
    server.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.process.send_signal(signal.SIGCONT)


def counted(server):
    [row] = ask(server, "MATCH (n:Memory) RETURN count(n) AS nodes")
    return row["nodes"]


def stored(rc, statement, *values):
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public", autocommit=True) as owner:
        cursor = owner.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
async def pair(open_recollect, neo4j, clock):
    """An open Recollect, and two nodes with a relation that Neo4j has."""
    rc = await open_recollect(**neo4j)
    nodes = [Node("a"), Node("b")]
    write(rc, SPACE, nodes, [Arrow(*nodes)], clock.now)
    await rc.rebuild_graph()
    return rc, nodes


# Forgetting -----------------------------------------------------------------------------------------------


async def test_everything_is_forgotten_there_too(pair, neo4j_server):
    rc, _ = pair
    me = rc.scope(user_id="alice")
    receipt = await me.forget(everything=True)
    assert receipt.check.pending == ()
    assert receipt.check.ok
    assert counted(neo4j_server) == 0
    assert ask(neo4j_server, "MATCH ()-[r]->() RETURN r") == []
    assert (await rc.verify_graph()).equal
    assert (await me.forget(everything=True)).check.ok


async def test_a_receipt_says_what_neo4j_was_not_told(pair, neo4j_server, open_recollect, neo4j):
    _, nodes = pair
    rc = await open_recollect(**neo4j, neo4j_timeout=0.2)
    me = rc.scope(user_id="alice")
    with hanging(neo4j_server):
        [pending] = (await me.forget(nodes[0].id)).check.pending
        assert pending.space == SPACE
        assert nodes[0].id in pending.ids
        receipt = await me.forget(everything=True)
        assert [(each.space, each.ids) for each in receipt.check.pending] == [(SPACE, ())]
        assert not receipt.check.ok
        assert receipt.check.left == 0
    assert counted(neo4j_server) == 2
    await rc.drain()
    assert counted(neo4j_server) == 0
    assert (await rc.verify_graph()).equal


async def test_whoever_knows_no_neo4j_leaves_it_to_who_does(pair, neo4j_server, open_recollect):
    rc, _ = pair
    without = await open_recollect()
    receipt = await without.scope(user_id="alice").forget(everything=True)
    assert [each.space for each in receipt.check.pending] == [SPACE]
    await rc.run_job("projection")
    await rc.drain()
    assert counted(neo4j_server) == 0


# Another Neo4j than it was --------------------------------------------------------------------------------


async def test_a_neo4j_that_was_emptied_is_not_believed(pair, neo4j_server):
    rc, nodes = pair
    me = rc.scope(user_id="alice")
    wipe(neo4j_server)
    assert len((await me.traverse(nodes[0].id)).nodes) == 1
    [stand] = (await rc.graph_status()).spaces
    assert (stand.astray, stand.level) == (True, False)
    await rc.run_job("projection")  # nothing changed, and yet
    await rc.drain()
    assert counted(neo4j_server) == 2
    assert (await rc.graph_status()).level
    wipe(neo4j_server)
    await me.relate(nodes[1].id, nodes[0].id, "likes")
    await rc.drain()
    assert counted(neo4j_server) == 2
    assert (await rc.verify_graph()).equal


async def test_a_neo4j_from_a_backup_is_not_believed(pair, neo4j_server):
    rc, nodes = pair
    me = rc.scope(user_id="alice")
    [before] = ask(neo4j_server, "MATCH (p:Projection) RETURN properties(p) AS held")
    await me.relate(nodes[1].id, nodes[0].id, "likes")
    await rc.drain()
    ask(neo4j_server, "MATCH ()-[r {type: 'likes'}]->() DELETE r")
    ask(neo4j_server, "MATCH (p:Projection) SET p = $held", held=before["held"])
    assert len((await me.traverse(nodes[0].id)).relations) == 2
    assert (await rc.graph_status()).spaces[0].astray
    await me.relate(nodes[0].id, nodes[1].id, "sees")
    await rc.drain()
    assert (await rc.graph_status()).level
    assert (await rc.verify_graph()).equal
    assert ask(neo4j_server, "MATCH ()-[r]->() RETURN count(r) AS relations") == [{"relations": 3}]


async def test_a_copy_whose_ground_is_taken_away_is_not_whole(pair, neo4j_server, monkeypatch):
    rc, _ = pair
    copy_relations = projecting.Writer.copy_relations

    async def emptied(writer, relations):
        wipe(neo4j_server)
        await copy_relations(writer, relations)

    with monkeypatch.context() as patch:
        patch.setattr(projecting.Writer, "copy_relations", emptied)
        with pytest.raises(RecollectError, match="taken away"):
            await rc.rebuild_graph()
    assert not (await rc.graph_status()).level
    await projecting.project(rc.parts, SPACE)
    assert (await rc.verify_graph()).equal


async def test_a_relation_in_the_place_of_another_that_was_copied_before(pair, neo4j, neo4j_server):
    """As if one had been made in the place of the other while the copy went from page to page."""
    rc, _ = pair
    async with rc.parts.database.transaction(SPACE) as connection:
        nodes = await content.nodes_after(connection, SPACE, None, 10)
        [tie] = await content.relations_after(connection, SPACE, None, 10)
    wipe(neo4j_server)
    writer, other = Writer(rc.parts.neo4j, SPACE, Turn(100, True, uuid4(), uuid4())), str(uuid4())
    await writer.begin_copy()
    await writer.copy_nodes(nodes)
    await writer.copy_relations([tie])
    await writer.copy_relations([replace(tie, id=other, properties=tie.properties | {"id": other})])
    await writer.end_copy()
    assert ask(neo4j_server, "MATCH ()-[r:RELATES_TO]->() RETURN r.id AS id") == [{"id": other}]


async def test_changes_projectors_and_rebuilds_at_once(pair, open_recollect, neo4j, clock, monkeypatch):
    """Two processes carry over what changes, in small bites, while a third makes all of it anew, again and again."""
    rc, nodes = pair
    other = await open_recollect(**neo4j)
    more = [Node(f"n{number}") for number in range(12)]
    write(rc, SPACE, more, [Arrow(nodes[0], node) for node in more], clock.now)
    monkeypatch.setattr(projecting, "_BATCH", 3)
    monkeypatch.setattr(projecting, "_PAGE", 4)
    me, done = rc.scope(user_id="alice"), asyncio.Event()

    async def change():
        for number, node in enumerate(more):
            tie = await me.relate(nodes[1].id, node.id, "knows")
            await me.update_relation(tie.id, description=f"told {number}")
            if number % 4 == 1:
                merge = await me.merge(more[number - 1].id, node.id)
                await me.unmerge(merge.id)
            if number % 4 == 3:
                await me.forget(node.id)
        done.set()

    async def until_done(work):
        while not done.is_set():
            try:
                await work()
            except Unavailable as error:
                if "taken away" not in str(error):  # by a rebuild; that they got in each other's way is not told
                    raise

    await asyncio.gather(
        change(),
        until_done(lambda: projecting.project(rc.parts, SPACE)),
        until_done(lambda: projecting.project(other.parts, SPACE)),
        until_done(other.rebuild_graph),
    )
    await projecting.project(rc.parts, SPACE)
    found = await rc.verify_graph()
    assert (found.differences, found.waiting) == ([], 0)
    assert (await rc.graph_status()).level


async def test_a_row_that_neo4j_refuses_is_told_and_carried_over_once_it_may_be(pair, neo4j_server):
    rc, nodes = pair
    me = rc.scope(user_id="alice")
    ask(neo4j_server, "CREATE CONSTRAINT of_somebody FOR (n:Entity) REQUIRE n.name IS UNIQUE")
    try:
        await me.update(nodes[1].id, title="a")
        await rc.drain()
        [stand] = (await rc.graph_status()).spaces
        assert stand.waiting == 1
        assert "ConstraintValidationFailed" in (stand.failed or "")
        assert len((await me.traverse(nodes[0].id)).nodes) == 1
    finally:
        ask(neo4j_server, "DROP CONSTRAINT of_somebody")
    await rc.run_job("projection")
    await projecting.project(rc.parts, SPACE)
    [stand] = (await rc.graph_status()).spaces
    assert (stand.waiting, stand.failed) == (0, None)
    assert (await rc.verify_graph()).equal


async def test_two_databases_do_not_mix_their_graphs(pair, neo4j_server, open_recollect, neo4j, server, clock):
    rc, nodes = pair
    with server.fresh_database() as url:
        other = await open_recollect(**neo4j, database_url=url)
        theirs = [Node("x"), Node("y")]
        write(other, SPACE, theirs, [], clock.now)
        for type in ("knows", "likes"):
            await other.scope(user_id="alice").relate(theirs[0].id, theirs[1].id, type)
            await other.drain()
        [stand] = (await other.graph_status()).spaces
        assert (stand.state, stand.level) == ("refused", False)
        assert "another database" in (stand.failed or "")
        assert (await rc.verify_graph()).equal
        assert len((await other.scope(user_id="alice").traverse(theirs[0].id)).relations) == 2
        await other.run_job("projection")
        await other.drain()
        assert (await rc.verify_graph()).equal
        # Somebody says that it is meant: now it is the first that may not.
        await other.rebuild_graph([SPACE])
        assert (await other.verify_graph()).equal
        await rc.scope(user_id="alice").relate(nodes[1].id, nodes[0].id, "likes")
        assert len((await rc.scope(user_id="alice").traverse(nodes[0].id)).relations) == 2
        await rc.drain()
        [stand] = (await rc.graph_status()).spaces
        assert stand.state == "refused"
        assert (await other.verify_graph()).equal
        await other.close()


async def test_a_copy_of_the_database_is_told_from_it(pair, neo4j_server, clock):
    """Both are as far, to the number; what the other one wrote is not ours."""
    rc, nodes = pair
    me = rc.scope(user_id="alice")
    ask(neo4j_server, "MATCH (p:Projection) SET p.carried = 'that of the other', p.turn = p.turn + 1")
    assert len((await me.traverse(nodes[0].id)).nodes) == 1
    await me.relate(nodes[1].id, nodes[0].id, "likes")
    await rc.drain()
    assert (await rc.verify_graph()).equal


# Rows that Neo4j cannot take as they are --------------------------------------------------------------------


async def test_a_very_long_name_stops_nothing(open_recollect, neo4j, neo4j_server, clock):
    rc = await open_recollect(**neo4j)
    long = "".join(f"{number:x}é" for number in range(2_500))
    nodes = [Node(long, kind) for kind in ("person", "concept", "entity")] + [Node("b")]
    write(rc, SPACE, nodes, [Arrow(nodes[0], nodes[3], "y" * 9_000)], clock.now)
    stored(rc, "update memory set data = jsonb_build_object('canonical', title), type = title where kind = 'person'")
    await rc.rebuild_graph()
    await rc.scope(user_id="alice").relate(nodes[0].id, nodes[3].id, "knows")
    await rc.drain()
    found = await rc.verify_graph()
    assert (found.equal, found.nodes, found.relations) == (True, 4, 2)
    [row] = ask(neo4j_server, "MATCH (n:Concept) RETURN n.name AS name")
    assert row["name"].endswith("…")
    assert long.startswith(row["name"][:-1])


async def test_very_long_texts_are_cut_before_they_are_read(open_recollect, neo4j, neo4j_server, clock, monkeypatch):
    """A page of five thousand nodes, each with as much text as a memory may have, would fit into no memory."""
    rc = await open_recollect(**neo4j)
    told = "".join(f"{number:x}é" for number in range(100_000))
    nodes = [Node("a", content=told), Node("b", content=told[:10_000]), Node("c"), Node("d" * 9_000, "source")]
    write(rc, SPACE, nodes, [Arrow(nodes[0], nodes[1])], clock.now)
    stored(rc, "update memory set summary = content where kind = 'source'")
    stored(
        rc,
        "update memory set data = jsonb_build_object('aliases', array_fill(left(content, 3000), array[30]))"
        " where title = 'a'",
    )
    node_of, read = content.node_of, []
    monkeypatch.setattr(content, "node_of", lambda space, row: read.append(len(row.description)) or node_of(space, row))
    await rc.rebuild_graph()
    await rc.scope(user_id="alice").update(nodes[2].id, content=told)
    await rc.drain()
    assert (await rc.verify_graph()).equal
    assert max(read) == 10_001
    found = {
        row["name"]: row
        for row in ask(neo4j_server, "MATCH (n:Entity) RETURN n.name AS name, n.description AS said, n.aliases AS also")
    }
    assert found["a"]["said"] == found["c"]["said"] == told[:9_999] + "…"
    assert found["b"]["said"] == told[:10_000]
    assert len(found["a"]["also"]) == 20
    assert all(1_990 < len(also.encode()) <= 2_000 for also in found["a"]["also"])


ODD = (
    '{"first_seen": "yesterday", "last_seen": "0001-01-01T00:00:00+05:00"}',
    '{"first_seen": "2024-05-01", "last_seen": 7}',
    '{"aliases": ["x", 7, null, {"y": true}]}',
    '{"aliases": {"x": 1}}',
    '{"aliases": "one"}',
    '{"aliases": []}',
)


async def test_an_odd_row_stops_nothing(open_recollect, neo4j, neo4j_server, clock):
    rc = await open_recollect(**neo4j)
    nodes = [Node(f"n{number}") for number in range(len(ODD))]
    write(rc, SPACE, nodes, [], clock.now)
    for node, data in zip(nodes, ODD, strict=True):
        stored(rc, "update memory set data = %s where id = %s", data, node.id)
    await rc.rebuild_graph()
    assert (await rc.verify_graph()).equal
    assert counted(neo4j_server) == len(ODD)
    [row] = ask(neo4j_server, "MATCH (n {name: 'n2'}) RETURN n.aliases AS aliases")
    assert row["aliases"] == ["x", "7", "null", '{"y": true}']
    [row] = ask(neo4j_server, "MATCH (n {name: 'n1'}) RETURN toString(n.first_seen) AS seen")
    assert row["seen"] == "2024-05-01T00:00:00Z"


# What is said of it ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["http://localhost:7474", "localhost:7687", "bolt://", "bolt://x:y", "bolt://x:99999"])
async def test_a_url_that_is_none_is_named(open_recollect, url):
    with pytest.raises(InvalidInput, match="neo4j_url"):
        await open_recollect(neo4j_url=url)


async def test_a_url_with_a_password_does_not_repeat_it(open_recollect):
    with pytest.raises(InvalidInput, match="neo4j_password") as caught:
        await open_recollect(neo4j_url="bolt://neo4j:geheim@localhost")
    assert "geheim" not in str(caught.value)


async def test_reads_fall_back_whatever_neo4j_says(pair, open_recollect, neo4j, neo4j_server, monkeypatch, caplog):
    _, nodes = pair
    wrong = await open_recollect(**neo4j | {"neo4j_password": "wrong"})
    assert len((await wrong.scope(user_id="alice").traverse(nodes[0].id)).nodes) == 1
    assert "the user or the password is wrong" in caplog.text
    assert "neo4j_password" in ((await wrong.graph_status()).problem or "")
    listening = await asyncio.start_server(lambda _, writer: writer.write(b"HTTP/1.1 400 Bad\r\n\r\n"), "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    for settings in ({"neo4j_url": f"bolt://127.0.0.1:{port}"}, {"neo4j_database": "nowhere"}):
        odd = await open_recollect(**neo4j | settings)
        assert len((await odd.scope(user_id="alice").traverse(nodes[0].id)).nodes) == 1
        assert (await odd.graph_status()).problem
    listening.close()
    changed = await open_recollect(**neo4j)

    async def refused(*_, **__):
        return await changed.parts.neo4j.read("RETURN no such thing")

    with pytest.raises(Refused, match="SyntaxError"):
        await refused()
    monkeypatch.setattr(Neo4jGraph, "_read", refused)
    assert len((await changed.scope(user_id="alice").traverse(nodes[0].id)).nodes) == 1
    assert changed.parts.neo4j.rests


async def test_without_the_driver_everything_else_works(open_recollect, clock, monkeypatch):
    for module in [name for name in sys.modules if name.partition(".")[0] == "neo4j"]:
        monkeypatch.setitem(sys.modules, module, None)
    rc = await open_recollect(neo4j_url="bolt://127.0.0.1:7687")
    nodes = [Node("a"), Node("b")]
    write(rc, SPACE, nodes, [], clock.now)
    me = rc.scope(user_id="alice")
    await me.relate(nodes[0].id, nodes[1].id, "knows")
    assert len((await me.traverse(nodes[0].id)).nodes) == 1
    assert (await rc.drain()).failed == 0
    status = await rc.graph_status()
    for told in (status.problem, status.spaces[0].failed):
        assert told == "Neo4j: its driver is not installed: pip install 'recollect[neo4j]'"
    stored(rc, "update projection set state = 'following', copy_id = gen_random_uuid(), carried_id = gen_random_uuid()")
    assert len((await me.traverse(nodes[0].id)).nodes) == 1
    with pytest.raises(Unavailable, match="pip install"):
        await rc.verify_graph()
    with pytest.raises(Unavailable, match="pip install"):
        start(rc.settings.data_dir / "neo4j")


async def test_lag_is_told_while_a_space_waits_to_be_copied(pair, neo4j_server):
    rc, _ = pair
    assert (await rc.graph_status()).lag == 0
    stored(rc, "update projection set state = 'copying', behind_since = now() - interval '1 hour'")
    status = await rc.graph_status()
    assert (status.lag > 3_599, status.level) == (True, False)


async def test_two_processes_make_the_schema_at_once(pair, neo4j_server):
    rc, _ = pair
    for _ in range(3):
        for rule in schema.RULES:
            ask(neo4j_server, f"DROP {'CONSTRAINT' if rule.unique else 'INDEX'} {rule.name}")
        several = [Neo4j(rc.settings) for _ in range(4)]
        await asyncio.gather(*(schema.ensure(each) for each in several))
        for each in several:
            await each.close()
        assert await schema.lacking(rc.parts.neo4j) == {}


# What a comparison finds ------------------------------------------------------------------------------------

PLANTED = {
    "true for a number": ("MATCH (n:Memory {name: 'a'}) SET n.confidence = true", "different"),
    "a whole number": ("MATCH ()-[r:RELATES_TO]->() SET r.strength = 1", "different"),
    "nanoseconds": (
        "MATCH (n:Memory {name: 'a'}) SET n.first_seen = n.first_seen + duration({nanoseconds: 7})",
        "different",
    ),
    "another zone": (
        "MATCH (n:Memory {name: 'a'})"
        " SET n.first_seen = datetime({datetime: n.first_seen, timezone: 'Europe/Lisbon'}) + duration({hours: 0})",
        "different",
    ),
    "a label too many": ("MATCH (n:Memory {name: 'a'}) SET n:Strange", "different"),
    "a relation of no space": (
        "MATCH (a:Memory {name: 'a'}), (b:Memory {name: 'b'}) CREATE (a)-[:RELATES_TO {space: 'user:ghost',"
        " id: '00000000-0000-7000-8000-000000000003', from_entity_id: 'x', to_entity_id: 'y', type: 't'}]->(b)",
        "extra",
    ),
    "a number as an id": ("CREATE (:Memory {space: 'user:alice', id: 7})", "foreign"),
    "a number as a space": ("CREATE (:Memory {space: 7, id: '00000000-0000-7000-8000-000000000004'})", "foreign"),
    "an index in the place of a constraint": (
        "DROP CONSTRAINT relation_id; CREATE INDEX relation_id FOR ()-[r:RELATES_TO]-() ON (r.space, r.id)",
        "different",
    ),
}


async def test_a_comparison_misses_nothing(pair, neo4j_server):
    rc, _ = pair
    stored(rc, "update relation set strength = 1")
    stored(rc, "update memory_use set confidence = 1")
    stored(rc, 'update memory set data = \'{"first_seen": "2024-07-01T00:00:00+00:00"}\'')
    await rc.rebuild_graph()
    for what, (statements, kind) in PLANTED.items():
        for statement in statements.split("; "):
            ask(neo4j_server, statement)
        found = await rc.verify_graph()
        assert [difference.what for difference in found.differences] == [kind], what
        ask(neo4j_server, "MATCH (n) WHERE n.id = 7 OR n.space = 7 DELETE n")
        rc.parts.neo4j._is_ready = False  # so that the constraint comes back
        await rc.rebuild_graph()
        assert (await rc.verify_graph()).equal, what


async def test_progress_is_told_of_all_spaces_together(pair, clock, monkeypatch):
    rc, _ = pair
    more = [Node(f"n{number}") for number in range(7)]
    write(rc, "user:bob", more, [Arrow(more[0], node) for node in more[1:]], clock.now)
    monkeypatch.setattr(projecting, "_PAGE", 4)
    monkeypatch.setattr(verifying, "_PAGE", 4)
    for work in (rc.rebuild_graph, rc.verify_graph):
        told = []
        await work(None, lambda *each, told=told: told.append(each))
        assert told == [(2, 16), (3, 16), (7, 16), (10, 16), (14, 16), (16, 16), (16, 16)], work


async def test_what_is_not_named_is_counted(pair, neo4j_server):
    rc, _ = pair
    ask(neo4j_server, "UNWIND range(1, 1203) AS number CREATE (:Guest)")
    found = await rc.verify_graph()
    assert (len(found.differences), found.unnamed) == (1_000, 203)
    with pytest.raises(NotFound, match="user:nobody"):
        await rc.verify_graph(["user:nobody"])
