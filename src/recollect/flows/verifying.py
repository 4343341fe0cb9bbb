"""Comparing Neo4j with PostgreSQL, space by space, and naming every difference.

Both sides are read page by page in the order of their ids. What differs is looked at once more at the end: a change
that waits to be carried over, or was carried over meanwhile, is no difference.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from recollect.db.database import Connection
from recollect.flows import projecting
from recollect.flows.parts import Parts
from recollect.graph.projection import content, looking, schema
from recollect.graph.projection.content import NodeContent, RelationContent
from recollect.graph.projection.driver import Neo4j
from recollect.graph.projection.looking import LyingRelation
from recollect.records import outbox

What = Literal["missing", "extra", "different", "foreign"]
Lying = NodeContent | RelationContent
Found = Mapping[str, Lying]
Ours = Callable[[Connection, str, str | None, int], Awaitable[Sequence[Lying]]]
Theirs = Callable[[Neo4j, str, str | None, int], Awaitable[Sequence[Lying]]]

_PAGE = 5_000
_FOREIGN = 1_000


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that Neo4j has otherwise than PostgreSQL."""

    space: str | None
    target: str
    """`node`, `relation`, `space`, `schema`, or `graph` for what belongs to none."""
    id: str
    what: What
    """`missing` and `extra` are said of Neo4j."""
    fields: tuple[str, ...] = ()
    """What is different: properties, `labels`, or the ends of a relation."""

    def __str__(self) -> str:
        where = f" in {self.space}" if self.space else ""
        fields = f" ({', '.join(self.fields)})" if self.fields else ""
        return f"{self.target} {self.id}{where}: {self.what}{fields}"


@dataclass(slots=True)
class Verified:
    """What a comparison found."""

    spaces: int = 0
    nodes: int = 0
    """That PostgreSQL has."""
    relations: int = 0
    waiting: int = 0
    """Changes that were not carried over yet; they count as no difference."""
    differences: list[Difference] = field(default_factory=list)
    unnamed: int = 0
    """Nodes and relations that belong to no space, beside those that are named among the differences."""

    @property
    def equal(self) -> bool:
        """Whether both sides hold the same, but for what waits."""
        return not self.differences


async def verify(
    parts: Parts, spaces: Sequence[str] | None = None, progress: projecting.Progress | None = None
) -> Verified:
    """Compare all spaces, or some."""
    neo4j = projecting.required(parts)
    found, known = Verified(), await projecting.all_spaces(parts)
    asked = projecting.chosen(spaces, known)
    async with projecting.reporting(parts, asked, progress):
        for space in asked:
            await _Comparing(parts, neo4j, space, found).compare()
    if spaces is None:
        await _compare_rest(neo4j, known, found)
    return found


async def _compare_rest(neo4j: Neo4j, known: Sequence[str], found: Verified) -> None:
    """What belongs to no space of ours, and constraints and indexes."""
    strange = await looking.spaces(neo4j) - set(known)
    found.differences += [Difference(space, "space", space, "extra") for space in sorted(strange)]
    foreign, found.unnamed = await looking.foreign(neo4j, _FOREIGN)
    found.differences += [Difference(None, "graph", told, "foreign") for told in foreign]
    lacking = await schema.lacking(neo4j)
    found.differences += [Difference(None, "schema", name, what) for name, what in sorted(lacking.items())]


@dataclass(frozen=True, slots=True)
class _Comparing:
    """The comparison of one space."""

    parts: Parts
    neo4j: Neo4j
    space: str
    found: Verified

    async def compare(self) -> None:
        """Compare all of it."""
        self.found.spaces += 1
        nodes, counted = await self._doubtful(content.nodes_after, looking.nodes_after)
        self.found.nodes += counted
        ties, counted = await self._doubtful(content.relations_after, looking.relations_after)
        self.found.relations += counted
        for some in _chunks(sorted(nodes | ties)):
            await self._settle(some)
        async with self.parts.database.transaction(self.space) as connection:
            stand = await outbox.stand(connection, self.space)
        self.found.waiting += 0 if stand is None else stand.waiting

    async def _doubtful(self, ours: Ours, theirs: Theirs) -> tuple[set[str], int]:
        """Ids that are not the same on both sides, and how many there are on ours."""
        doubtful: set[str] = set()
        counted, after = 0, None
        while True:
            async with self.parts.database.transaction(self.space) as connection:
                mine = await ours(connection, self.space, after, _PAGE)
            other = await theirs(self.neo4j, self.space, after, _PAGE)
            ends = [page[-1].id for page in (mine, other) if len(page) == _PAGE]
            upto = min(ends) if ends else None
            here, there = _upto(mine, upto), _upto(other, upto)
            doubtful |= {id for id in here.keys() | there.keys() if differing(here.get(id), there.get(id))}
            counted += len(here)
            projecting.tell(len(here))
            if upto is None:
                return doubtful, counted
            after = upto

    async def _settle(self, ids: Sequence[str]) -> None:
        """Look once more at what was different."""
        asked = [UUID(id) for id in ids]
        nodes = {node.id: node for node in await looking.nodes(self.neo4j, self.space, ids)}
        ties = {tie.id: tie for tie in await looking.relations(self.neo4j, self.space, ids)}
        async with self.parts.database.transaction(self.space) as connection:
            known = await content.read(connection, self.space, asked)
            late = {str(id) for id in await outbox.waits(connection, self.space, asked)}
        for target, here, there in (("node", known.nodes, nodes), ("relation", known.relations, ties)):
            self._tell(target, {each.id: each for each in here if each.id in set(ids)}, there, late)

    def _tell(self, target: str, here: Found, there: Found, late: set[str]) -> None:
        for id in sorted((here.keys() | there.keys()) - late):
            if fields := differing(here.get(id), there.get(id)):
                what: What = "missing" if id not in there else "extra" if id not in here else "different"
                told = fields if what == "different" else ()
                self.found.differences.append(Difference(self.space, target, id, what, told))


def differing(here: Lying | None, there: Lying | None) -> tuple[str, ...]:
    """What is not the same of a node or relation; where one side lacks it, all of it."""
    if here is None or there is None:
        return ("all",)
    names = here.properties.keys() | there.properties.keys()
    fields = [name for name in sorted(names) if not _same(here.properties.get(name), there.properties.get(name))]
    if isinstance(here, NodeContent) and isinstance(there, NodeContent) and here.labels != there.labels:
        fields.append("labels")
    if isinstance(there, LyingRelation) and isinstance(here, RelationContent):
        space = here.properties["space"]
        fields += ["start"] if (there.from_space, there.from_id) != (space, here.from_id) else []
        fields += ["end"] if (there.to_space, there.to_id) != (space, here.to_id) else []
    return tuple(fields)


def _same(here: object, there: object) -> bool:
    """Whether a property is the same, of the same type too: Python takes true for 1.0."""
    if type(here) is not type(there):
        return False
    if isinstance(here, list) and isinstance(there, list):
        return len(here) == len(there) and all(map(_same, here, there))
    if isinstance(here, datetime) and isinstance(there, datetime):
        return here == there and here.utcoffset() == there.utcoffset()
    return here == there or (here != here and there != there)  # a number that is none is itself  # noqa: PLR0124


def _upto(page: Sequence[Lying], last: str | None) -> dict[str, Lying]:
    return {each.id: each for each in page if last is None or each.id <= last}


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _PAGE):
        yield ids[start : start + _PAGE]
