"""The graph of a space walked in the plainest way, over rows held in memory: what every reader has to find.

It shares nothing with the readers but the questions: neither their statements nor the steps that make their walks.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import namedtuple_row

from recollect.graph.matching import Pattern
from recollect.graph.model import Match, Route, Traversal, Ways
from recollect.memory import Recollect
from recollect.records.relations import STRUCTURAL

Ranked = tuple[float, tuple[str, ...], tuple[str, ...]]
"""What lies as a pattern says: less its strength, its nodes, its relations."""

_NODES = (
    "select m.id, m.kind, m.sensitivity, m.valid_from, m.valid_until, u.state"
    " from memory m join memory_use u on u.space_id = m.space_id and u.memory_id = m.id where m.space_id = %s"
)
_TIES = (
    "select r.id, r.from_id, r.to_id, r.type, r.strength, r.valid_from, r.valid_until, u.state,"
    " r.data->>'sensitivity' as sensitivity"
    " from relation r join memory_use u on u.space_id = r.space_id and u.memory_id = r.id where r.space_id = %s"
)


def plain(rc: Recollect, space: str) -> "Plain":
    """All that lies in a space."""
    options = "-c search_path=recollect,public"
    with psycopg.connect(rc.database_url, options=options, row_factory=namedtuple_row) as owner:
        nodes = {row.id: row for row in owner.execute(_NODES, [space])}
        ties = defaultdict(list)
        for row in owner.execute(_TIES, [space]):
            ties[row.from_id].append(row)
            if row.to_id != row.from_id:
                ties[row.to_id].append(row)
    return Plain(nodes, ties)


@dataclass
class Plain:
    """Nodes by their ids, and the relations at either end."""

    nodes: dict[UUID, Any]
    ties: dict[UUID, list[Any]]

    def check_traversal(self, found: Traversal, ways: Ways, depth: int, limit: int) -> None:
        """The nodes are those that lie so far away; where it was cut, some of them. The relations lie between them."""
        distances = self._distances(found.start.id, ways, depth)
        reached = {node.memory.id: node.distance for node in found.nodes}
        if found.truncated:
            assert reached.keys() <= distances.keys()
            assert found.not_followed or reached.items() <= distances.items()
        else:
            assert reached == distances
        known, shown = {found.start.id, *reached}, {edge.id for edge in found.relations}
        lying = {tie.id for id in known for tie, other in self._around(id, ways) if other in known}
        # No more are read, and those that are archived are told apart only then.
        read = {tie.id for id in known for tie, other in self._around(id, ways, ()) if other in known}
        assert shown == lying if len(read) <= 10 * limit else shown <= lying
        assert len(shown) == len(found.relations)
        order = [(node.distance, -node.score, str(node.memory.id)) for node in found.nodes]
        assert order == sorted(order)

    def check_path(self, found: Route | None, ends: tuple[UUID, UUID], ways: Ways, most: int) -> None:
        """It is as short as any, and holds at each step."""
        distances = {ends[0]: 0} | self._distances(ends[0], ways, most, ends)
        assert (None if found is None else len(found)) == distances.get(ends[1])
        if found is not None:
            nodes = [node.id for node in found.nodes]
            assert (nodes[0], nodes[-1]) == ends
            for here, there, edge in zip(nodes, nodes[1:], found.relations, strict=False):
                assert (edge.id, there) in {(tie.id, other) for tie, other in self._around(here, ways)}
                assert self._seen(there, ways, ends)

    def check_matches(self, found: Sequence[Match], pattern: Pattern, ways: Ways, limit: int) -> None:
        """They are the strongest of all that lie so, in order."""
        ranked = sorted(self._lying(pattern, ways))[:limit]
        assert [(_ids(match.nodes), _ids(match.relations)) for match in found] == [each[1:] for each in ranked]

    def _distances(self, start: UUID, ways: Ways, depth: int, ends: tuple[UUID, ...] = ()) -> dict[UUID, int]:
        known, frontier = {start: 0}, [start]
        for distance in range(1, depth + 1):
            met = {other for id in frontier for _, other in self._around(id, ways)}
            frontier = [id for id in met - known.keys() if self._seen(id, ways, (start, *ends))]
            known |= dict.fromkeys(frontier, distance)
        return {id: distance for id, distance in known.items() if distance}

    def _lying(self, pattern: Pattern, ways: Ways) -> Iterator[Ranked]:
        for id in self.nodes:
            yield from self._go_on(pattern, ways, [id], [])

    def _go_on(self, pattern: Pattern, ways: Ways, nodes: list[UUID], ties: list[Any]) -> Iterator[Ranked]:
        here, place = self.nodes[nodes[-1]], pattern.places[len(ties)]
        fits = place.kind in (None, here.kind) and (place.ids is None or here.id in place.ids)
        if not fits or here.id in nodes[:-1] or not self._seen(here.id, ways):
            return
        if len(ties) == len(pattern.hops):
            weight = 0.0
            for tie in ties:
                weight += tie.strength  # in this order, as readers do: sums of floats depend on it
            yield -weight, tuple(map(str, nodes)), _ids(ties)
            return
        hop = pattern.hops[len(ties)]
        for tie, other in self._around(here.id, replace(ways, types=None if hop.type is None else (hop.type,))):
            if here.id == (tie.to_id if hop.back else tie.from_id):
                yield from self._go_on(pattern, ways, [*nodes, other], [*ties, tie])

    def _around(self, id: UUID, ways: Ways, hidden: tuple[str, ...] | None = None) -> Iterator[tuple[Any, UUID]]:
        """Relations that may be walked, with their other ends."""
        unseen = ways.hidden if hidden is None else hidden
        for tie in self.ties.get(id, ()):
            if (
                (tie.type not in STRUCTURAL if ways.types is None else tie.type in ways.types)
                and _holds(tie, ways)
                and tie.state not in unseen
                and (tie.sensitivity != "high" or ways.sensitivity == "high")
            ):
                yield tie, tie.from_id if tie.to_id == id else tie.to_id

    def _seen(self, id: UUID, ways: Ways, ends: tuple[UUID, ...] = ()) -> bool:
        node = self.nodes[id]
        return id in ends or (
            node.state not in ways.hidden
            and _holds(node, ways)
            and (node.sensitivity != "high" or ways.sensitivity == "high")
        )


def _holds(row: Any, ways: Ways) -> bool:
    """Whether it began by the moment asked for, and had not ended."""
    if ways.valid_at is not None and row.valid_from is not None and row.valid_from > ways.valid_at:
        return False
    return ways.until is None or row.valid_until is None or row.valid_until > ways.until


def _ids(found: Sequence[Any]) -> tuple[str, ...]:
    return tuple(str(each.id) for each in found)
