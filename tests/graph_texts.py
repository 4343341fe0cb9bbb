"""Sources, and what they say for the graph, as ingestion writes them; for the tests of the graph."""

from contextlib import contextmanager

import psycopg

from recollect.core.ids import new_id
from recollect.flows.graphing import graph_desk, prepare
from recollect.flows.remember import keep
from recollect.graph import service as graph
from recollect.graph.model import Entity, Extracted, Link, Remark
from recollect.records.model import Actor, NewMemory

WRITER = Actor("recollect", by_hand=False)


def source(now, *, sensitivity="normal", title="Notes"):
    """A source as phase 1 leaves it."""
    return NewMemory(
        id=new_id(),
        kind="source",
        type="text-note",
        category="knowledge",
        title=title,
        content=title,
        tier="short",
        importance=0.5,
        confidence=1.0,
        happened_at=now,
        sensitivity=sensitivity,
    )


def person(name, *aliases, confidence=0.8):
    return Entity("person", "", name, confidence, aliases=aliases)


def thing(name, type="name", *aliases):
    return Entity("entity", type, name, 0.8, aliases=aliases)


def concept(name):
    return Entity("concept", "", name, 0.8)


def said(*entities, links=(), remarks=()):
    return Extracted(
        tuple(entities),
        tuple(Link(a.key, type, b.key, description=text) for a, type, b, text in links),
        tuple(Remark(who.key, text, *life) for who, text, *life in remarks),
    )


async def absorb(rc, space, *texts, sensitivity="normal", at=None, prepared=True):
    """Write a source for each text, and what it says, in one transaction; the sources and the nodes."""
    parts = rc.parts
    now = parts.clock()
    sources = [source(at or now, sensitivity=sensitivity) for _ in texts]
    ready = await prepare(parts, space, texts) if prepared else None
    async with parts.database.transaction(space) as connection:
        await keep(parts, connection, space, sources, WRITER)
        desk = graph_desk(parts, connection, space, now, None, ready)
        nodes = await graph.absorb(desk, [(each.id, text) for each, text in zip(sources, texts, strict=True)])
    return [each.id for each in sources], nodes


@contextmanager
def owner(rc):
    with psycopg.connect(rc.database_url, autocommit=True, options="-c search_path=recollect,public") as connection:
        yield connection


def rows(rc, text, *values):
    with owner(rc) as connection:
        return connection.execute(text, values or None).fetchall()


async def node(me, name, kind=None):
    """The node that is called so."""
    return next(each for each in await me.nodes(kind, name=name) if each.name == name)
