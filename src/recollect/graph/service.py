"""The verbs of the graph: what texts name becomes nodes, mentions, relations and notes, in the caller's transaction."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.core.errors import Conflict, InvalidInput
from recollect.core.terms import term_counts
from recollect.db.database import Connection
from recollect.graph import dirty, merges, store
from recollect.graph.extract import FUNCTIONAL
from recollect.graph.model import Entity, Extracted, Link, Prepared, canonical, node_words
from recollect.graph.names import MOST_ALIASES
from recollect.graph.resolving import Resolved, resolve
from recollect.graph.store import Key
from recollect.records import notes, relations
from recollect.records import store as records
from recollect.records.kinds import KINDS
from recollect.records.lifecycle import Rules
from recollect.records.model import Actor, Memory, NewMemory, Passage, Provenance
from recollect.records.notes import NewNote
from recollect.records.relations import Observed

_WRITER = Actor("recollect", reason="named in a source", by_hand=False)
_NOTING = Actor("recollect", reason="noted from a source", by_hand=False)
_SECRECY = ("low", "normal", "high")


@dataclass(frozen=True, slots=True)
class Desk:
    """What every write of the graph needs."""

    connection: Connection
    space: str
    now: datetime
    salience: float
    provenance: Provenance
    """Of new nodes."""
    rules: Rules = field(default_factory=Rules)
    zone: str = "UTC"
    """Of the days of a space that names no time zone."""
    prepared: Prepared = field(default_factory=Prepared)
    """Vectors of what may be new; what has none here is not in the search index until the next night."""


async def absorb(desk: Desk, found: Sequence[tuple[UUID, Extracted]], *, beside: bool = False) -> dict[Key, UUID]:
    """What memories were found to say: nodes for the names, mentions, relations and notes; the nodes.

    `beside`: it was decided that they hold together with what they contradict, and no relation ends for them.

    The space's row is held first: who waits for a name that another transaction gives holds nothing that one needs.
    """
    await records.raise_revision(desk.connection, desk.space, desk.now, knowledge=False, changes=0)
    work = _Absorbing(desk, found, await store.origins(desk.connection, desk.space, (id for id, _ in found)))
    return await work.absorb(beside=beside)


def _united(entities: Iterable[Entity]) -> dict[Key, Entity]:
    """What several texts name, each once: with all of its names, and as sure as the surest says."""
    found: dict[Key, Entity] = {}
    for entity in entities:
        known = found.get(entity.key, entity)
        names = dict.fromkeys([*known.aliases, entity.name, *entity.aliases])
        aliases = tuple(name for name in names if name != known.name)
        sure = max(known.confidence, entity.confidence)
        found[entity.key] = replace(known, confidence=sure, aliases=aliases, denied=known.denied and entity.denied)
    return found


@dataclass(slots=True)
class _Absorbing:
    """What one transaction takes in."""

    desk: Desk
    found: Sequence[tuple[UUID, Extracted]]
    origins: Mapping[UUID, Any]
    resolved: Resolved = field(default_factory=Resolved)
    entities: dict[Key, Entity] = field(default_factory=dict)
    marked: dict[UUID, str] = field(default_factory=dict)
    """Nodes that have to be described anew, and what they are."""
    keys: dict[UUID, list[Key]] = field(default_factory=dict)
    """The names under which each node was found."""
    naming: dict[UUID, set[UUID]] = field(default_factory=dict)
    """The memories that name each node."""

    async def absorb(self, *, beside: bool) -> dict[Key, UUID]:
        desk = self.desk
        self.entities = _united(entity for _, extracted in self.found for entity in extracted.entities)
        self.resolved = await resolve(desk.connection, desk.space, self.entities)
        for key, node in self.resolved.nodes.items():
            self.keys.setdefault(node, []).append(key)
        for memory, extracted in self.found:
            for entity in extracted.entities:
                self.naming.setdefault(self.resolved.nodes[entity.key], set()).add(memory)
        await self._create()
        mentioned = await self._mention()
        await self._refine()
        await self._follow(mentioned)
        await self._relate(beside=beside)
        await self._note()
        await dirty.mark(desk.connection, desk.space, self.marked, desk.now)
        pairs = sorted(self.resolved.doubtful)
        await merges.propose(desk.connection, desk.space, [(a, b, None) for a, b in pairs], desk.now)
        return self.resolved.nodes

    # Nodes

    async def _create(self) -> None:
        desk = self.desk
        memories = [self._node(id, entity) for id, entity in self.resolved.fresh.items()]
        if memories:
            mean = await records.mean_length(desk.connection, desk.space)
            await records.remember(
                desk.connection, desk.space, memories, desk.now, _WRITER, salience=desk.salience, mean_length=mean
            )
        self.marked |= {memory.id: memory.kind for memory in memories}

    def _node(self, id: UUID, entity: Entity) -> NewMemory:
        kind = KINDS[entity.kind]
        aliases = self._aliases(id, entity.name, ())
        seen = self._seen(id)
        return NewMemory(
            id=id,
            kind=entity.kind,
            type=entity.type or None if entity.kind == "entity" else None,
            category=kind.category,
            title=entity.name,
            content=entity.name,
            tier=kind.tier,
            importance=kind.importance,
            confidence=entity.confidence,
            happened_at=self.desk.now,
            sensitivity=self._secrecy(id),
            data={"canonical": canonical(entity.name), "aliases": aliases, "first_seen": seen[0], "last_seen": seen[1]},
            provenance=self.desk.provenance,
            passages=self._passages(id, entity, aliases),
        )

    def _passages(self, id: UUID, entity: Entity, aliases: Sequence[str]) -> tuple[Passage, ...]:
        """Search entries of a new node: found by all of its names."""
        names = self.desk.prepared.names
        ready = next((names[key] for key in self.keys[id] if key in names), ())
        counts = term_counts(self.desk.space, node_words(entity.name, entity.name, aliases))
        return tuple(replace(passage, counts=counts, length=sum(counts.values())) for passage in ready[:1])

    def _secrecy(self, node: UUID) -> str:
        """As sensitive as the least sensitive memory that names it."""
        told = [self.origins[id].sensitivity for id in self.naming[node] if id in self.origins]
        return min(told, key=_SECRECY.index, default="normal")

    def _seen(self, node: UUID) -> tuple[str, str]:
        """When it was named first and last, by the sources' own dates; now, where no source names it."""
        rows = [self.origins[id] for id in self.naming[node] if id in self.origins]
        moments = [row.happened_at for row in rows if row.kind == "source"] or [self.desk.now]
        return min(moments).isoformat(), max(moments).isoformat()

    def _aliases(self, node: UUID, title: str, known: Sequence[str]) -> list[str]:
        """Every other name of a node, as it is written, each once."""
        names = [*known]
        for key in self.keys[node]:
            names += [self.entities[key].name, *self.entities[key].aliases]
        found = {canonical(name): name for name in reversed(names) if canonical(name)}
        found.pop(canonical(title), None)
        return list(reversed(found.values()))[:MOST_ALIASES]

    # Mentions

    async def _mention(self) -> list[tuple[UUID, UUID]]:
        """Which memories name which nodes; the pairs that are new."""
        nodes = self.resolved.nodes
        sure = {(memory, nodes[e.key]): e.confidence for memory, extracted in self.found for e in extracted.entities}
        pairs = [(memory, node, confidence) for (memory, node), confidence in sorted(sure.items())]
        desk = self.desk
        return await relations.mention(desk.connection, desk.space, pairs, desk.now, desk.salience)

    async def _refine(self) -> None:
        kinds = {
            node: (kind, type or None, KINDS[kind].category) for node, (kind, type) in self.resolved.refined.items()
        }
        await records.refine(self.desk.connection, self.desk.space, kinds, self.desk.now, _WRITER)
        self.marked |= {node: kind for node, (kind, _, _) in kinds.items()}

    async def _follow(self, mentioned: Sequence[tuple[UUID, UUID]]) -> None:
        """Counters, recalls, and what known nodes are called."""
        desk = self.desk
        by_sources = [node for memory, node in mentioned if self._is_source(memory)]
        await store.recount(desk.connection, desk.space, by_sources, desk.zone)
        times = Counter(by_sources)
        times.subtract(set(times) & set(self.resolved.fresh))  # the first time is no recall
        await records.recall(
            desk.connection, desk.space, {n: t for n, t in times.items() if t > 0}, desk.now, desk.rules
        )
        known = sorted(set(self.resolved.nodes.values()) - set(self.resolved.fresh))
        if known:
            await self._call(known)

    def _is_source(self, memory: UUID) -> bool:
        row = self.origins.get(memory)
        return row is not None and row.kind == "source"

    async def _call(self, known: Sequence[UUID]) -> None:
        """Known nodes get the names that are new for them, and when they were seen last."""
        desk = self.desk
        await records.lock(desk.connection, desk.space, known)
        data: dict[UUID, dict[str, Any]] = {}
        words: dict[UUID, dict[int, int]] = {}
        opened: list[UUID] = []
        for row in await records.get(desk.connection, desk.space, known):
            aliases = self._aliases(row.id, row.title, row.data.get("aliases", []))
            first, last = self._seen(row.id)
            after = row.data | {"aliases": aliases}
            after["first_seen"] = min(first, row.data.get("first_seen", first))
            after["last_seen"] = max(last, row.data.get("last_seen", last))
            if after != row.data:
                data[row.id] = after
            if aliases != row.data.get("aliases", []):
                words[row.id] = term_counts(desk.space, node_words(row.title, row.content, aliases))
            if not row.by_hand and _SECRECY.index(self._secrecy(row.id)) < _SECRECY.index(row.sensitivity):
                opened.append(row.id)
        await records.set_data(desk.connection, desk.space, data)
        if words:
            await records.reword(
                desk.connection, desk.space, words, await records.mean_length(desk.connection, desk.space)
            )
        await self._open(opened)

    async def _open(self, ids: Sequence[UUID]) -> None:
        """What was known in confidence alone is named openly: the name is no secret any more, what else was said is."""
        if ids:
            levels = {id: self._secrecy(id) for id in ids}
            await records.disclose(self.desk.connection, self.desk.space, levels, self.desk.now, _WRITER)
            self.marked |= await store.kinds_of(self.desk.connection, self.desk.space, ids)

    # Relations

    async def _relate(self, *, beside: bool) -> None:
        desk, nodes = self.desk, self.resolved.nodes
        told = [
            (memory, link)
            for memory, extracted in self.found
            for link in extracted.links
            if link.subject in nodes and link.object in nodes and not (beside and link.denied)
        ]
        links: dict[relations.Key, tuple[Link, bool]] = {}
        for memory, link in told:
            key = _key(link, nodes)
            if key[0] != key[1]:
                open_before = key in links and not links[key][1]
                links[key] = (link, not open_before and self._is_secret(memory))
        seen = [_observed(link, nodes, secret, beside=beside) for link, secret in links.values()]
        written = await relations.observe(desk.connection, desk.space, seen, desk.now, desk.salience)
        witnesses = {
            (memory, written.held[key])
            for memory, link in told
            if (key := _key(link, nodes)) in written.held and not link.denied
        }
        await relations.witness(desk.connection, desk.space, sorted(witnesses), desk.now)
        ready = {written.held[key]: link for key, (link, _) in links.items() if written.held.get(key) in written.begun}
        await self._keep_ties(ready)
        self.marked |= await store.kinds_of(desk.connection, desk.space, written.sources) if written.sources else {}

    def _is_secret(self, memory: UUID) -> bool:
        row = self.origins.get(memory)
        return row is not None and row.sensitivity == "high"

    async def _keep_ties(self, begun: Mapping[UUID, Link]) -> None:
        """Vectors of new relations; those that were not made ready are made by night."""
        ties = self.desk.prepared.ties
        ready = {id: ties[tie_key(link)] for id, link in begun.items() if tie_key(link) in ties}
        await store.put_entries(self.desk.connection, self.desk.space, ready)
        self.marked |= {id: "relation" for id in begun if id not in ready}

    # Notes

    async def _note(self) -> None:
        desk, nodes = self.desk, self.resolved.nodes
        drafts = [
            NewNote(nodes[remark.about], remark.text, remark.lifetime, "recollect", memory)
            for memory, extracted in self.found
            for remark in extracted.remarks
            if remark.about in nodes and remark.text.strip()
        ]
        written = await notes.add_unsaid(desk.connection, desk.space, drafts, desk.now)
        if written:
            targets = list(dict.fromkeys(note.target_id for note in written))
            detail = {"fields": ["notes"]}
            lines: list[tuple[UUID, int | None]] = [(id, None) for id in targets]
            await records.tell(desk.connection, desk.space, desk.now, "UPDATE", lines, _NOTING, detail)
            self.marked |= await store.kinds_of(desk.connection, desk.space, targets)


def tie_key(link: Link) -> tuple[Key, str, Key]:
    """What tells a relation of a text from the others."""
    return link.subject, link.type, link.object


def _key(link: Link, nodes: Mapping[Key, UUID]) -> relations.Key:
    return nodes[link.subject], nodes[link.object], link.type


def _observed(link: Link, nodes: Mapping[Key, UUID], secret: bool, *, beside: bool) -> Observed:
    return Observed(
        nodes[link.subject],
        nodes[link.object],
        link.type,
        link.confidence,
        link.strength,
        link.description,
        link.denied,
        link.type in FUNCTIONAL and not beside,
        sensitive=secret,
    )


async def reread(desk: Desk, memory: UUID, extracted: Extracted) -> None:
    """A memory's text was changed by hand: what it mentions follows."""
    await relations.forget_evidence(desk.connection, desk.space, memory)
    nodes = await absorb(desk, [(memory, extracted)])
    gone = await relations.forget_mentions(desk.connection, desk.space, memory, list(nodes.values()))
    await store.recount(desk.connection, desk.space, gone, desk.zone)


async def recount_mentioned_by(connection: Connection, space: str, sources: Sequence[UUID], zone: str) -> None:
    """Sources went or came back: the counters of what they mention follow."""
    if sources:
        await store.recount(connection, space, await store.mentioned_by(connection, space, sources), zone)


async def mark(
    connection: Connection, space: str, targets: Iterable[UUID], now: datetime, *, anew: bool = False
) -> None:
    """What was noted on targets changed: those whose text follows their notes are described again by night. `anew`:
    something was taken back, and they may say nothing of it any more."""
    await dirty.mark(connection, space, await store.kinds_of(connection, space, targets), now, anew=anew)


async def rename(connection: Connection, node: Memory, after: Mapping[str, Any]) -> None:
    """A person gave a node another name or type: it is known by that too; Conflict where another node has it."""
    title, type = after["title"] or node.title or node.content, after["type"] or ""
    if (title, type) == (node.title, node.type or ""):
        return
    key = (node.kind, type if node.kind == "entity" else "", canonical(title))
    if not key[2]:
        raise InvalidInput("title", "needs letters or digits")
    held = (await store.named(connection, node.space, [key[2]])).get(key, node.id)
    if held != node.id:
        raise Conflict(f"{title}: node {held} has that name; merge the two")
    await store.claim(connection, node.space, {key: node.id})
    former = [] if node.title is None or canonical(node.title) == key[2] else [node.title]
    aliases = list(dict.fromkeys([*node.data.get("aliases", []), *former]))
    await records.set_data(connection, node.space, {node.id: node.data | {"canonical": key[2], "aliases": aliases}})
