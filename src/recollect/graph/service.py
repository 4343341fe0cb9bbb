"""The verbs of the graph: what texts name becomes nodes, mentions and relations, in the caller's transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from recollect.db.database import Connection
from recollect.graph import store
from recollect.graph.extract import FUNCTIONAL
from recollect.graph.model import Entity, Extracted, Link
from recollect.records import relations
from recollect.records import store as records
from recollect.records.kinds import KINDS
from recollect.records.model import Actor, NewMemory, Provenance
from recollect.records.relations import Observed

_WRITER = Actor("recollect", reason="named in a source", by_hand=False)


@dataclass(frozen=True, slots=True)
class Desk:
    """What every write of the graph needs."""

    connection: Connection
    space: str
    now: datetime
    salience: float
    provenance: Provenance
    """Of new nodes."""


async def absorb(desk: Desk, found: Sequence[tuple[UUID, Extracted]], *, beside: bool = False) -> dict[store.Key, UUID]:
    """What memories were found to say: nodes for the names, mentions, and relations; the nodes.

    `beside`: it was decided that they hold together with what they contradict, and no relation ends for them.

    The space's row is held first: who waits for a name that another transaction gives holds nothing that one needs.
    """
    await records.raise_revision(desk.connection, desk.space, desk.now, knowledge=False, changes=0)
    entities = {entity.key: entity for _, extracted in found for entity in extracted.entities}
    nodes = await _resolve(desk, entities)
    mentions = {
        (memory, nodes[entity.key]): entity.confidence for memory, extracted in found for entity in extracted.entities
    }
    pairs = [(memory, node, sure) for (memory, node), sure in sorted(mentions.items())]
    await relations.mention(desk.connection, desk.space, pairs, desk.now, desk.salience)
    await _relate(desk, found, nodes, beside=beside)
    return nodes


async def _resolve(desk: Desk, entities: dict[store.Key, Entity]) -> dict[store.Key, UUID]:
    """The node of each name: one that is known, or a new one."""
    nodes = await store.named(desk.connection, desk.space, entities)
    fresh = await store.claim(desk.connection, desk.space, entities.keys() - nodes.keys())
    if fresh:
        memories = [_node(entities[key], id, desk) for key, id in fresh.items()]
        await records.remember(
            desk.connection, desk.space, memories, desk.now, _WRITER, salience=desk.salience, mean_length=1.0
        )
    nodes |= fresh
    # Named by somebody else between the look and the claim.
    nodes |= await store.named(desk.connection, desk.space, entities.keys() - nodes.keys())
    return nodes


def _node(entity: Entity, id: UUID, desk: Desk) -> NewMemory:
    kind = KINDS[entity.kind]
    seen = desk.now.isoformat()
    return NewMemory(
        id=id,
        kind=entity.kind,
        type=entity.type or None,
        category=kind.category,
        title=entity.name,
        content=entity.name,
        tier=kind.tier,
        importance=kind.importance,
        confidence=entity.confidence,
        happened_at=desk.now,
        data={"canonical": entity.key[2], "first_seen": seen, "last_seen": seen},
        provenance=desk.provenance,
    )


async def _relate(
    desk: Desk, found: Sequence[tuple[UUID, Extracted]], nodes: dict[store.Key, UUID], *, beside: bool
) -> None:
    told = [link for _, extracted in found for link in extracted.links if not (beside and link.denied)]
    links = {_key(link, nodes): _observed(link, nodes, beside=beside) for link in told}
    held = await relations.observe(desk.connection, desk.space, list(links.values()), desk.now, desk.salience)
    seen = {
        (memory, held[key])
        for memory, extracted in found
        for link in extracted.links
        if (key := _key(link, nodes)) in held and not link.denied
    }
    await relations.witness(desk.connection, desk.space, sorted(seen), desk.now)


def _key(link: Link, nodes: dict[store.Key, UUID]) -> relations.Key:
    return nodes[link.subject], nodes[link.object], link.type


def _observed(link: Link, nodes: dict[store.Key, UUID], *, beside: bool) -> Observed:
    return Observed(
        nodes[link.subject],
        nodes[link.object],
        link.type,
        link.confidence,
        link.strength,
        link.description,
        link.denied,
        link.type in FUNCTIONAL and not beside,
    )


async def reread(desk: Desk, memory: UUID, extracted: Extracted) -> None:
    """A memory's text was changed by hand: what it mentions follows."""
    await relations.forget_evidence(desk.connection, desk.space, memory)
    nodes = await absorb(desk, [(memory, extracted)])
    await relations.forget_mentions(desk.connection, desk.space, memory, list(nodes.values()))
