"""One suite for whoever answers walks: PostgreSQL and Neo4j, over random graphs, give the same answers, the right ones.

Nodes and relations are compared as sets and in order: traversals by distance, score and id, paths by the rule that
picks one of several, matches by the sum of strengths and ids. So each answer has to be equal as it stands; and what was
found is compared with a plain walk over the rows, so that both cannot be wrong in the same way.
"""

import random
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import psycopg
import pytest

from graphs import DAY, Arrow, Node, write
from plain import Plain, plain
from recollect.flows.parts import Parts
from recollect.graph.matching import Hop, Pattern, Place
from recollect.graph.model import Ways
from recollect.graph.projection.reading import Neo4jGraph
from recollect.graph.reading import GraphReader
from recollect.graph.walking import PostgresGraph
from recollect.records import store

pytestmark = [
    pytest.mark.xdist_group("neo4j"),
    pytest.mark.local,  # where the rows lie changes nothing for it, and it takes minutes
]

SPACES = ("user:ann", "user:bob", "team:tea")
KINDS = ("person", "concept", "entity", "source", "statement", "storyline", "macro")
TYPES = ("knows", "uses", "works_at", "leads", "mentions", "about")
BEGAN = (3 * DAY, 6 * DAY, 10 * DAY)
GRAPHS = 200


@dataclass
class Graph:
    """A graph of one space, apart from the others there."""

    space: str
    nodes: list[Node]
    arrows: list[Arrow]
    crowded: bool
    """Whether the first node has more relations than a step of a traversal reads."""


def draw(rng: random.Random, number: int) -> Graph:
    """A graph with a little of everything: parallel relations, versions of one, ended, archived, deleted, secret."""
    nodes = [
        Node(
            f"node {n}",  # the same names everywhere
            rng.choice(KINDS),
            rng.choice(["active"] * 12 + ["candidate", "core", "archived", "archived", "soft_deleted"]),
            rng.choice(["normal"] * 8 + ["high", "low"]),
            rng.random(),
            rng.random() < 0.08,
            rng.choice([*[None] * 9, *BEGAN]),
        )
        for n in range(rng.randint(2, 20))
    ]
    arrows: dict[tuple[Any, ...], Arrow] = {}
    crowded = number % 7 == 0
    for _ in range(150 if crowded else rng.randint(0, 6 * len(nodes))):
        start, end, type = rng.choice(nodes), rng.choice(nodes), rng.choice(TYPES)
        if crowded and rng.random() < 0.8:
            start, end = rng.choice([(nodes[0], end), (start, nodes[0])])
        began = rng.choice(BEGAN)
        state = rng.choice(["active"] * 8 + ["candidate", "archived", "soft_deleted"])
        # Strengths that often are the same, so that ids decide.
        arrow = Arrow(start, end, type, rng.choice([0.25, 0.5, rng.random()]), state, rng.random() < 0.2, began)
        once = (start.id, end.id, type) if type == "mentions" else (start.id, end.id, type, began)
        arrows[once] = arrow
    return Graph(SPACES[number % len(SPACES)], nodes, list(arrows.values()), crowded)


def make_secret(rc: Any, graphs: list[Graph], rng: random.Random) -> None:
    """Some relations were found in sensitive texts alone."""
    ids = [arrow.id for graph in graphs for arrow in graph.arrows if rng.random() < 0.1]
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        for space in SPACES:
            owner.execute(
                """update relation set data = '{"sensitivity": "high"}' where space_id = %s and id = any (%s)""",
                (space, ids),
            )


@pytest.fixture
async def rc(open_recollect, neo4j):
    return await open_recollect(**neo4j, neo4j_timeout=60)  # what is compared is what is said, not how soon


@pytest.fixture
def graphs(rc, clock):
    rng = random.Random(9)
    drawn = [draw(rng, number) for number in range(GRAPHS)]
    for space in SPACES:
        mine = [graph for graph in drawn if graph.space == space]
        write(rc, space, [n for g in mine for n in g.nodes], [a for g in mine for a in g.arrows], clock.now)
    make_secret(rc, drawn, rng)
    return drawn


def readers(parts: Parts) -> dict[str, GraphReader]:
    """Whoever has to pass."""
    postgres = PostgresGraph(parts.database, parts.rules)
    return {"postgres": postgres, "neo4j": Neo4jGraph(parts.database, parts.rules, parts.neo4j)}


def draw_ways(rng: random.Random, now: Any) -> Ways:
    return Ways(
        now,
        rng.choice([None, None, ("knows",), ("mentions", "uses"), ("about", "knows", "works_at")]),
        frozenset(word for word in ("archived", "expired") if rng.random() < 0.3),
        # At some of these moments something begins or ends.
        rng.choice([*[None] * 6, now - 6 * DAY, now - 5 * DAY, now - 3 * DAY, now - 1 * DAY]),
        rng.choice(["normal", "normal", "high", "low"]),
    )


SHAPES: tuple[tuple[tuple[str | None, ...], tuple[bool, ...]], ...] = (
    ((None, None), (False,)),
    (("person", None), (True,)),
    ((None, None, None), (False, True)),
    ((None, "entity", None), (True, False)),
    ((None, None, None, None), (False, False, True)),
    ((None, None, None, None, None), (False, True, False, True)),
)
"""Kinds, and which relations lead back. Neo4j plans each shape once, which takes longer than to run it."""


def draw_pattern(rng: random.Random, nodes: list[Node]) -> Pattern:
    """One of the shapes, with any types, and names at one place or two."""
    kinds, back = rng.choice(SHAPES)
    named: dict[int, tuple[Any, ...]] = {0: tuple(node.id for node in nodes)}
    if rng.random() < 0.4:
        named[len(back)] = (rng.choice(nodes).id, rng.choice(nodes).id)
    hops = tuple(Hop(rng.choice([None, None, None, *TYPES]), way) for way in back)
    return Pattern(tuple(Place(kind, named.get(place)) for place, kind in enumerate(kinds)), hops)


async def memory(parts: Parts, space: str, node: Node) -> Any:
    async with parts.database.transaction(space) as connection:
        [row] = await store.get(connection, space, [node.id])
    return store.memory_of(row, parts.clock(), parts.rules)


@dataclass
class Asked:
    """Questions about one graph."""

    space: str
    start: Any
    end: Any
    ways: Ways
    other_ways: Ways
    depth: int
    limit: int
    most: int
    pattern: Pattern
    ids: list[Any]

    async def of(self, reader: GraphReader) -> list[Any]:
        """What a reader says to them."""
        return [
            await reader.traverse(self.start, self.ways, self.depth, self.limit),
            await reader.path(self.start, self.end, self.other_ways, self.most),
            await reader.match(self.space, self.pattern, self.other_ways, self.limit),
            await reader.neighbours(self.space, self.ids, self.ways, 3),
        ]

    def check(self, found: list[Any], lying: Plain) -> None:
        """Whether that is what lies there."""
        lying.check_traversal(found[0], self.ways, self.depth, self.limit)
        lying.check_path(found[1], (self.start.id, self.end.id), self.other_ways, self.most)
        lying.check_matches(found[2], self.pattern, self.other_ways, self.limit)


async def ask(parts: Parts, graph: Graph, rng: random.Random) -> Asked:
    """Something to ask about a graph."""
    now = parts.clock()
    ways, other_ways = draw_ways(rng, now), replace(draw_ways(rng, now), types=None)
    a, b = graph.nodes[0] if graph.crowded else rng.choice(graph.nodes), rng.choice(graph.nodes)
    start, end = await memory(parts, graph.space, a), await memory(parts, graph.space, b)
    depth, most = rng.randint(1, 3), rng.randint(1, 5)
    limit = 2 if graph.crowded else rng.choice([2, 5, 50])  # the fewer are wanted, the fewer relations are read
    ids = [node.id for node in graph.nodes[:8]]
    pattern = draw_pattern(rng, graph.nodes)
    return Asked(graph.space, start, end, ways, other_ways, depth, limit, most, pattern, ids)


def counted(graphs: list[Graph]) -> dict[str, int]:
    """How many graphs hold each of what makes them hard."""
    held = Counter[str]()
    for graph in graphs:
        pairs = Counter((arrow.start.id, arrow.end.id) for arrow in graph.arrows)
        versions = Counter((arrow.start.id, arrow.end.id, arrow.type) for arrow in graph.arrows)
        states = {each.state for each in (*graph.nodes, *graph.arrows)}
        held["parallel"] += max(pairs.values(), default=0) > max(versions.values(), default=0)
        held["versions"] += max(versions.values(), default=0) > 1
        held["ended relation"] += any(arrow.ended for arrow in graph.arrows)
        held["ended node"] += any(node.ended for node in graph.nodes)
        held["secret"] += any(node.sensitivity == "high" for node in graph.nodes)
        held["loop"] += any(start == end for start, end in pairs)
        for state in ("archived", "soft_deleted", "candidate", "core"):
            held[state] += state in states
    return held


async def merge_some(rc: Any, graphs: list[Graph]) -> None:
    """Nodes that were made one, and some of them parted again; it follows by way of the outbox."""
    me = rc.scope(user_id="ann")
    done = 0
    for graph in graphs:
        free = [n for n in graph.nodes if n.kind == "entity" and n.state == "active" and n.sensitivity == "normal"]
        if graph.space == "user:ann" and len(free) > 1 and done < 12:
            merge = await me.merge(free[0].id, free[1].id)
            done += 1
            if done % 2:
                await me.unmerge(merge.id)
    assert done == 12
    assert (await rc.drain()).failed == 0


async def test_both_give_the_same_answers(rc, graphs):
    counts = await rc.rebuild_graph()
    assert counts["spaces"] == len(SPACES)
    assert min(counted(graphs).values()) >= 20, counted(graphs)
    await merge_some(rc, graphs)
    lying = {space: plain(rc, space) for space in SPACES}
    rng, seen = random.Random(19), Counter[str]()
    for graph in graphs:
        asked = await ask(rc.parts, graph, rng)
        found = {name: await asked.of(reader) for name, reader in readers(rc.parts).items()}
        assert found["neo4j"] == found["postgres"]
        asked.check(found["neo4j"], lying[graph.space])
        traversal, path, matches, near = found["neo4j"]
        seen["nodes"] += len(traversal.nodes)
        seen["cut"] += traversal.truncated
        seen["crowded"] += traversal.not_followed > 0
        seen["paths"] += path is not None and len(path) > 1
        seen["matches"] += len(matches)
        seen["neighbours"] += sum(map(len, near.values()))
    assert len(seen) == 6
    assert min(seen.values()) >= 10, seen
    assert (await rc.verify_graph()).differences == []
