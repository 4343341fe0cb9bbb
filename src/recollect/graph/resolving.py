"""Which node a name is: one that is known by it, or a new one. Never two nodes for one canonical name.

- A name that is known, of that kind and type, is that node.
- An entity of which only the name was known becomes what it is found to be; a bare name is the one thing or person
  that is known by it, if there is one.
- A person's first name alone, or surname after a title, is the one person in the space who has it, if there is one.
- A new name is a known node if the text also calls it by a name of that node; not by a mere first name.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from uuid import UUID

from recollect.core.ids import new_id
from recollect.db.database import Connection
from recollect.graph import names as naming
from recollect.graph import store
from recollect.graph.model import Entity, canonical, keys_of
from recollect.graph.names import UNTYPED
from recollect.graph.store import Key

_BARE = ("entity", UNTYPED)


@dataclass(slots=True)
class Resolved:
    """The node of each name."""

    nodes: dict[Key, UUID] = field(default_factory=dict)
    fresh: dict[UUID, Entity] = field(default_factory=dict)
    """New nodes, with the entity that they were first seen as."""
    refined: dict[UUID, tuple[str, str]] = field(default_factory=dict)
    """Nodes of which more is known than before: kind and type."""
    claimed: dict[Key, UUID] = field(default_factory=dict)
    """Names that nobody had."""
    doubtful: set[tuple[UUID, UUID]] = field(default_factory=set)
    """Nodes that a text calls by the name of another one: they may be one."""


def name_key(entity: Entity) -> Key:
    """By what a node is known: of a person, without a title where more than one word is left."""
    kind, type, name = entity.key
    if kind == "person" and not naming.is_short(name):
        name = naming.untitled(name)[0]
    return kind, type if kind == "entity" else "", name


def _alias_keys(entity: Entity) -> list[Key]:
    keys = (name_key(Entity(entity.kind, entity.type, alias)) for alias in entity.aliases if canonical(alias))
    return [key for key in dict.fromkeys(keys) if key != name_key(entity)]


def _lasting(entity: Entity) -> list[Key]:
    """Other names by which the node can be known for good: not a first name, which others may have too."""
    name = name_key(entity)[2]
    return [key for key in _alias_keys(entity) if not _is_passing(key, name)]


def _is_passing(key: Key, name: str) -> bool:
    """Whether a person's name is short for the full one, or needs a title to be one."""
    return _is_short(key) and (naming.untitled(key[2])[1] or naming.short_of(key[2], name))


def _is_short(key: Key) -> bool:
    return key[0] == "person" and naming.is_short(key[2])


async def resolve(connection: Connection, space: str, entities: Mapping[Key, Entity]) -> Resolved:
    """The nodes of what texts name; names of new ones are claimed here. The caller holds the space."""
    names = {key[2] for entity in entities.values() for key in [name_key(entity), *_alias_keys(entity)]}
    former = _former(entities.values())
    known = await store.named(connection, space, names | former.keys())
    also = {(kind, type, former[name]): node for (kind, type, name), node in known.items() if name in former}
    known = also | known
    work = _Resolving(connection, space, entities, _Held(known))
    await work.run()
    return work.found


def _former(entities: Iterable[Entity]) -> dict[str, str]:
    """What nodes of these names may have been known by before, with what they are known by now."""
    found: dict[str, str] = {}
    for name in {name for entity in entities for name in (entity.name, *entity.aliases)}:
        now, *before = keys_of(name)
        for key in before:
            found |= {key: now, naming.untitled(key)[0]: naming.untitled(now)[0]}
    return found


class _Held:
    """Which node has which name, looked up by either: a batch may hold thousands."""

    def __init__(self, known: Mapping[Key, UUID]) -> None:
        self.known: dict[Key, UUID] = {}
        self._keys: dict[UUID, set[Key]] = {}
        self._by_name: dict[str, set[Key]] = {}
        for key, node in known.items():
            self.put(key, node)

    def put(self, key: Key, node: UUID) -> None:
        """A name becomes a node's."""
        if key in self.known:
            self.drop(key)
        self.known[key] = node
        self._keys.setdefault(node, set()).add(key)
        self._by_name.setdefault(key[2], set()).add(key)

    def drop(self, key: Key) -> None:
        """A name is nobody's."""
        node = self.known.pop(key)
        self._keys[node].discard(key)
        self._by_name[key[2]].discard(key)

    def keys_of(self, node: UUID) -> list[Key]:
        """All names of a node, always in the same order."""
        return sorted(self._keys.get(node, ()))

    def called(self, name: str) -> set[UUID]:
        """The people and things that go by a name."""
        return {self.known[key] for key in self._by_name.get(name, ()) if key[0] != "concept"}


@dataclass(slots=True)
class _Resolving:
    """One batch of names."""

    connection: Connection
    space: str
    entities: Mapping[Key, Entity]
    held: _Held
    found: Resolved = field(default_factory=Resolved)

    @property
    def known(self) -> dict[Key, UUID]:
        """The node of each name that somebody or something has."""
        return self.held.known

    async def run(self) -> None:
        """Full names first, so that short ones can be theirs."""
        for key, entity in self.entities.items():
            if not _is_short(name_key(entity)):
                self._take(key, entity, self._node_of(entity))
        await self._short_names()
        await self._claim()
        self._doubt()

    def _take(self, key: Key, entity: Entity, node: UUID | None) -> None:
        """The node of a name, a new one if there is none."""
        if node is None:
            node = new_id()
            self.found.fresh[node] = entity
            self.held.put(name_key(entity), node)
        self.found.nodes[key] = node

    def _node_of(self, entity: Entity) -> UUID | None:
        asked = name_key(entity)
        return self.known.get(asked) or self._only(asked) or self._refined(asked) or self._by_alias(entity)

    def _only(self, asked: Key) -> UUID | None:
        """A bare name is the one thing or person that is known by it."""
        if asked[:2] != _BARE:
            return None
        nodes = self.held.called(asked[2])
        return next(iter(nodes)) if len(nodes) == 1 else None

    def _refined(self, asked: Key) -> UUID | None:
        """What was known by its name alone is found to be a person, or a thing of a type."""
        node = self.known.get((*_BARE, asked[2]))
        if asked[0] == "concept" or asked[:2] == _BARE or node is None or self._has_type(node):
            return None
        if node in self.found.fresh:
            first = self.found.fresh[node]
            self.found.fresh[node] = replace(first, kind=asked[0], type=asked[1])
        else:
            self.found.refined[node] = asked[:2]
        for key in [key for key in self.held.keys_of(node) if key[:2] == _BARE]:
            self.held.drop(key)
            if (asked[0], asked[1], key[2]) not in self.known:
                self.held.put((asked[0], asked[1], key[2]), node)
        return node

    def _has_type(self, node: UUID) -> bool:
        return any(key[:2] != _BARE for key in self.held.keys_of(node))

    def _by_alias(self, entity: Entity) -> UUID | None:
        """The one node that goes by another name of the entity; one word says too little of a person."""
        nodes = {self.known[key] for key in _lasting(entity) if key in self.known and not _is_short(key)}
        return next(iter(nodes)) if len(nodes) == 1 else None

    async def _short_names(self) -> None:
        """First names, and surnames after a title: the one person who has it, known before or in these texts."""
        missing: dict[Key, Entity] = {}
        for key, entity in self.entities.items():
            if key in self.found.nodes:
                continue
            asked = name_key(entity)
            node = self.known.get(asked) or self._refined(asked)
            if node is None:
                missing[key] = entity
            else:
                self.found.nodes[key] = node
        people = await self._people(name_key(entity)[2] for entity in missing.values())
        for key, entity in missing.items():
            having = people[name_key(entity)[2]]
            self._take(key, entity, next(iter(having)) if len(having) == 1 else self.known.get(name_key(entity)))

    async def _people(self, shorts: Iterable[str]) -> dict[str, set[UUID]]:
        """Who has a first name or, after a title, a surname."""
        bare = {short: naming.untitled(short) for short in shorts}
        first = await store.by_first_name(self.connection, self.space, (n for n, titled in bare.values() if not titled))
        last = await store.by_last_name(self.connection, self.space, (n for n, titled in bare.values() if titled))
        fresh_first, fresh_last = self._fresh_people()
        return {
            short: (last if titled else first).get(name, set())
            | (fresh_last if titled else fresh_first).get(name, set())
            for short, (name, titled) in bare.items()
        }

    def _fresh_people(self) -> tuple[dict[str, set[UUID]], dict[str, set[UUID]]]:
        """The new people with a full name, by its first and by its last word."""
        first: dict[str, set[UUID]] = {}
        last: dict[str, set[UUID]] = {}
        for node, entity in self.found.fresh.items():
            words = naming.untitled(name_key(entity)[2])[0].split("-") if entity.kind == "person" else []
            if len(words) > 1:
                first.setdefault(words[0], set()).add(node)
                last.setdefault(words[-1], set()).add(node)
        return first, last

    async def _claim(self) -> None:
        """Put new names down. The space is held: nobody else gives any meanwhile."""
        await store.refine_names(self.connection, self.space, self.found.refined)
        claims = {key: node for key, node in self.known.items() if node in self.found.fresh}
        kinds = {node: key[:2] for key, node in sorted(self.known.items(), key=lambda held: held[0][:2] != _BARE)}
        for key, entity in self.entities.items():
            node = self.found.nodes[key]
            also = [name_key(entity), *_lasting(entity)] if not _is_short(name_key(entity)) else []
            for kind, type, name in also:
                held = (*kinds.get(node, (kind, type)), name)
                if held not in self.known:
                    claims.setdefault(held, node)
        nicknames = {name: node for (kind, type, name), node in claims.items() if _is_short((kind, type, name))}
        own = {name for (_, _, name), node in self.known.items() if node in self.found.fresh}
        others = await self._people(name for name in nicknames if name not in own)
        for name, people in others.items():
            if people - {nicknames[name]}:
                del claims["person", "", name]
        self.found.claimed = await store.claim(self.connection, self.space, claims)

    def _doubt(self) -> None:
        """Where a text calls a node by what another one is called, the two may be one."""
        known = self.known | self.found.claimed
        for key, entity in self.entities.items():
            node = self.found.nodes[key]
            others = {known[alias] for alias in _alias_keys(entity) if alias in known} - {node}
            self.found.doubtful |= {(node, other) for other in others}
