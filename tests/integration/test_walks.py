"""Traversals and paths against a plain breadth-first search; what fades, ends or is secret is not walked."""

import random
from collections import deque
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from graphs import DAY, Arrow, Node, write
from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.graph import walking

SPACE = "user:alice"
TYPES = ("knows", "uses", "mentions")


def draw(rng: random.Random) -> tuple[list[Node], list[Arrow]]:
    """A small graph with a little of everything that walks leave out."""
    nodes = [
        Node(
            f"n{number}",
            state=rng.choice(["active"] * 12 + ["candidate", "core", "archived", "soft_deleted"]),
            sensitivity=rng.choice(["normal"] * 9 + ["high"]),
            salience=rng.random(),
            ended=rng.random() < 0.05,
        )
        for number in range(rng.randint(2, 30))
    ]
    arrows = {}
    for _ in range(rng.randint(0, 3 * len(nodes))):
        start, end, type = rng.choice(nodes), rng.choice(nodes), rng.choice(TYPES)
        state = rng.choice(["active"] * 6 + ["candidate", "archived", "soft_deleted"])
        arrow = Arrow(start, end, type, rng.random(), state, rng.random() < 0.15, rng.choice([3 * DAY, 10 * DAY]))
        arrows[start.id, end.id, type] = arrow
    return nodes, list(arrows.values())


def walkable(asked: dict[str, Any]) -> tuple[Callable[[Node], bool], Callable[[Arrow], bool]]:
    """What may be walked, told anew in plain Python."""
    include, types, back = asked.get("include", ()), asked.get("types"), asked.get("back")
    gone = {"soft_deleted"} if "archived" in include else {"soft_deleted", "archived"}

    def holds(ended: bool, began: timedelta | None) -> bool:
        if back is None:
            return not ended or "expired" in include
        return (began is None or began >= back) and not (ended and back <= DAY)

    def node(n: Node) -> bool:
        return n.state not in gone and (n.sensitivity != "high" or asked.get("high", False)) and holds(n.ended, None)

    def arrow(a: Arrow) -> bool:
        wanted = a.type != "mentions" if types is None else a.type in types
        return wanted and a.state not in gone and holds(a.ended, a.began)

    return node, arrow


def distances(start: Node, nodes: list[Node], arrows: list[Arrow], asked: dict[str, Any], ends: list[Node]) -> Any:
    """Breadth first; the ends were named and count whatever their state."""
    may_be, may_go = walkable(asked)
    named = {end.id for end in ends}
    away = {start.id: 0}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for arrow in arrows:
            if not may_go(arrow) or here.id not in (arrow.start.id, arrow.end.id):
                continue
            there = arrow.end if arrow.start.id == here.id else arrow.start
            if there.id not in away and (there.id in named or may_be(there)):
                away[there.id] = away[here.id] + 1
                waiting.append(there)
    return away


VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {},
    {"types": ["knows"]},
    {"types": ["mentions", "uses"]},
    {"include": ["archived"]},
    {"include": ["expired"]},
    {"include": ["archived", "expired"]},
    {"back": 5 * DAY},
    {"high": True},
)


@pytest.mark.once
async def test_walks_find_what_a_plain_search_finds(rc, clock, monkeypatch):
    monkeypatch.setattr(rc.recalls, "note_walk", lambda *_: None)  # what was archived must not come back meanwhile
    rng = random.Random(7)
    graphs = [draw(rng) for _ in range(200)]
    write(rc, SPACE, [n for nodes, _ in graphs for n in nodes], [a for _, arrows in graphs for a in arrows], clock.now)
    scopes = {high: rc.scope(user_id="alice", sensitivity="high" if high else "normal") for high in (False, True)}
    lengths = set()
    for nodes, arrows in graphs:
        asked = dict(rng.choice(VARIANTS))
        me = scopes[asked.get("high", False)]
        given = {name: asked[name] for name in ("types", "include") if name in asked}
        given |= {"valid_at": clock.now - asked["back"]} if "back" in asked else {}
        open_nodes = [n for n in nodes if n.state != "soft_deleted" and (n.sensitivity != "high" or asked.get("high"))]
        if len(open_nodes) < 2:
            continue
        a, b = rng.sample(open_nodes, 2)
        route = await me.path(a.id, b.id, **given)
        expected = distances(a, nodes, arrows, asked, [a, b]).get(b.id)
        assert (None if route is None else len(route)) == (expected if expected is not None and expected <= 6 else None)
        lengths.add(expected)
        if route is not None:
            check_route(route, a, b, arrows, asked)
        depth = rng.randint(1, 4)
        await check_traversal(me, a, depth, nodes, arrows, asked, given)
    assert {None, 1, 2, 3, 4} <= lengths


def check_route(route: Any, a: Node, b: Node, arrows: list[Arrow], asked: dict[str, Any]) -> None:
    """Nodes and relations take turns, and each relation is one that may be walked."""
    may_go = walkable(asked)[1]
    known = {arrow.id: arrow for arrow in arrows if may_go(arrow)}
    assert [route.nodes[0].id, route.nodes[-1].id] == [a.id, b.id]
    for place, edge in enumerate(route.relations):
        ends = {route.nodes[place].id, route.nodes[place + 1].id}
        assert {edge.from_id, edge.to_id} == ends
        assert (known[edge.id].start.id, known[edge.id].end.id) == (edge.from_id, edge.to_id)


async def check_traversal(
    me: Any, start: Node, depth: int, nodes: list[Node], arrows: list[Arrow], asked: Any, given: Any
) -> None:
    may_go = walkable(asked)[1]
    found = await me.traverse(start.id, depth, **given)
    away = distances(start, nodes, arrows, asked, [start])
    expected = {id: distance for id, distance in away.items() if 0 < distance <= depth}
    assert {node.memory.id: node.distance for node in found.nodes} == expected
    among = {arrow.id for arrow in arrows if may_go(arrow) and {arrow.start.id, arrow.end.id} <= {start.id, *expected}}
    assert {edge.id for edge in found.relations} == among
    ranks = [(node.distance, -node.score, str(node.memory.id)) for node in found.nodes]
    assert ranks == sorted(ranks)
    assert not found.truncated


async def test_what_is_cut_is_the_weakest_and_is_told(rc, clock):
    hub, far = Node("Hub"), Node("Far")
    around = [Node(f"leaf {n}", salience=0.2 + 0.6 * (n % 7) / 7) for n in range(300)]
    arrows = [Arrow(hub, leaf, strength=0.1 + 0.9 * n / 300) for n, leaf in enumerate(around)]
    write(rc, SPACE, [hub, far, *around], [*arrows, Arrow(around[0], far)], clock.now)
    me = rc.scope(user_id="alice")
    whole = await me.traverse(hub.id, 1, limit=300)
    assert (len(whole.nodes), whole.truncated, whole.not_shown, whole.not_followed) == (300, False, 0, 0)
    some = await me.traverse(hub.id, 1, limit=40)
    assert [n.memory.id for n in some.nodes] == [n.memory.id for n in whole.nodes[:40]]
    assert (some.truncated, some.not_shown, some.not_followed) == (True, 260, 0)
    few = await me.traverse(hub.id, 2, limit=5)  # reads the 50 strongest relations
    strongest = {arrow.end.id for arrow in arrows[-50:]}
    assert [n.memory.id for n in few.nodes] == [n.memory.id for n in whole.nodes if n.memory.id in strongest][:5]
    assert (few.not_shown, few.not_followed, few.looked) == (45, 250, 1)
    assert few.cut == (
        "45 more nodes were met; 250 weaker relations were not followed; nothing farther than 1 was looked at"
    )
    assert few.compact().splitlines()[-1] == f"… {few.cut}"


async def test_how_walks_read(rc, clock):
    sarah, acme, pay = Node("Sarah Chen", "person"), Node("Acme Corp"), Node("Payments", "concept")
    arrows = [Arrow(sarah, acme, "works_at", 0.8), Arrow(pay, acme, "part_of", 0.6)]
    write(rc, SPACE, [sarah, acme, pay], arrows, clock.now)
    me = rc.scope(user_id="alice")
    route = await me.path(sarah.id, pay.id)
    assert route is not None
    assert route.compact() == "Sarah Chen -works_at-> Acme Corp <-part_of- Payments"
    assert str(route) == "Sarah Chen -works_at-> Acme Corp (0.8)\nPayments -part_of-> Acme Corp (0.6)"
    found = await me.traverse(sarah.id)
    assert found.compact() == "Sarah Chen -works_at-> Acme Corp (0.8)\nPayments -part_of-> Acme Corp (0.6)"
    assert str(found).splitlines()[:3] == [
        "Sarah Chen (person)",
        "1 away: Acme Corp (entity)",
        "2 away: Payments (concept)",
    ]
    alone = await me.path(pay.id, pay.id)
    assert alone is not None
    assert (len(alone), alone.compact(), bool(alone)) == (0, "Payments", True)
    await rc.recalls.flush()
    assert (await me.get_all(kinds=["person"])).memories[0].access_count == 2
    assert _uses(rc, [arrow.id for arrow in arrows]) == [2, 2]


def _uses(rc: Any, ids: list[Any]) -> list[int]:
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        rows = owner.execute(
            "select access_count from memory_use where space_id = %s and memory_id = any (%s)", (SPACE, ids)
        )
        return [row[0] for row in rows.fetchall()]


async def test_a_relation_known_from_sensitive_texts_alone_is_secret(rc, clock):
    a, b, c = Node("a"), Node("b"), Node("c")
    secret, told = Arrow(a, b), Arrow(b, c)
    write(rc, SPACE, [a, b, c], [secret, told], clock.now)
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        owner.execute(
            """update relation set data = '{"sensitivity": "high"}' where space_id = %s and id = %s""",
            (SPACE, secret.id),
        )
    plain, trusted = rc.scope(user_id="alice"), rc.scope(user_id="alice", sensitivity="high")
    assert await plain.path(a.id, c.id) is None
    assert [n.memory.title for n in (await plain.traverse(b.id)).nodes] == ["c"]
    assert len(await trusted.path(a.id, c.id)) == 2
    assert {n.memory.title for n in (await trusted.traverse(b.id)).nodes} == {"a", "c"}


async def test_other_spaces_are_never_walked(rc, clock):
    mine, theirs = Node("mine"), Node("theirs")
    write(rc, SPACE, [mine], [], clock.now)
    write(rc, "user:bob", [theirs], [], clock.now)
    # A relation that names a node of another space, as no writer would leave it.
    write(rc, SPACE, [], [Arrow(mine, theirs)], clock.now)
    me = rc.scope(user_id="alice")
    assert (await me.traverse(mine.id)).nodes == ()
    with pytest.raises(NotFound):
        await me.path(mine.id, theirs.id)
    with pytest.raises(NotFound):
        await me.traverse(theirs.id)
    both = rc.scope(user_id="alice", project_id="tea")
    ours = Node("ours")
    write(rc, "project:tea", [ours], [], clock.now)
    assert await both.path(mine.id, ours.id) is None


async def test_what_cannot_be_asked(rc, clock):
    node, gone = Node("n"), Node("gone", state="soft_deleted")
    write(rc, SPACE, [node, gone], [], clock.now)
    me = rc.scope(user_id="alice")
    for given, field in (
        ({"depth": 0}, "depth"),
        ({"depth": 5}, "depth"),
        ({"limit": 0}, "limit"),
        ({"types": "knows"}, "types"),
        ({"include": ["deleted"]}, "include"),
        ({"valid_at": "soon"}, "valid_at"),
        ({"node_id": "n"}, "node_id"),
    ):
        with pytest.raises(InvalidInput) as error:
            await me.traverse(**({"node_id": node.id} | given))
        assert error.value.field == field
    with pytest.raises(InvalidInput):
        await me.path(node.id, node.id, most=0)
    for id in (uuid4(), gone.id):
        with pytest.raises(NotFound):
            await me.traverse(id)
    assert (await me.traverse(node.id)).compact() == "n: no relations"


async def test_a_search_that_goes_too_far_gives_up_and_says_so(rc, clock, monkeypatch):
    monkeypatch.setattr(walking, "_NODES_VISITED", 20)
    ends = [Node("a"), Node("b")]
    leaves = [[Node(f"{end.name}{n}") for n in range(30)] for end in ends]
    arrows = [Arrow(end, leaf) for end, some in zip(ends, leaves, strict=True) for leaf in some]
    write(rc, SPACE, [*ends, *leaves[0], *leaves[1]], arrows, clock.now)
    with pytest.raises(RecollectError, match="no path among the first 20 nodes"):
        await rc.scope(user_id="alice").path(ends[0].id, ends[1].id)
