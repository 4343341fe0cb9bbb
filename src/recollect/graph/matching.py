"""Patterns in the graph: a chain of nodes and relations, given as data, made into a statement of SQL or of Cypher.

What a caller says only ever becomes a value of the statement. Its text is put together from pieces of ours: how many
steps there are and which way each goes.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, LiteralString
from uuid import UUID

from recollect.core.errors import RecollectError
from recollect.db.database import array_literal
from recollect.records.kinds import KINDS

MOST_STEPS = 4
LONGEST = 10.0
"""Seconds that a pattern may take."""


class TooMany(RecollectError):
    """More lies as the pattern says than can be looked through."""

    def __init__(self) -> None:
        super().__init__(
            f"too much lies as the pattern says to rank it within {LONGEST:g} s: name a node, a kind, or a type more"
        )


@dataclass(frozen=True, slots=True)
class Place:
    """A node of a pattern."""

    kind: str | None = None
    """None: any."""
    ids: tuple[UUID, ...] | None = None
    """Which nodes it may be; None: any."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A relation of a pattern."""

    type: str | None = None
    """None: any that says something of nodes."""
    back: bool = False
    """Whether it leads from the later node to the earlier one."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Nodes in a row, and what lies between each and the next. No node comes twice in what is found."""

    places: tuple[Place, ...]
    hops: tuple[Hop, ...]

    @property
    def impossible(self) -> bool:
        """Whether some place has no node that it could be."""
        return any(place.ids == () for place in self.places)


# SQL ------------------------------------------------------------------------------------------------------


def as_sql(pattern: Pattern, parts: Mapping[str, LiteralString]) -> tuple[LiteralString, dict[str, Any]]:
    """The statement and its values. `parts` are the conditions that walks share: `held` for relations, `seen` for
    nodes.

    It starts where the fewest nodes are and goes on by key, in that order whatever the planner thinks of the tables.
    """
    held, seen = _filled(parts, "held"), _filled(parts, "seen")
    count, first = len(pattern.places), _anchor(pattern)
    onward = [_step(pattern, n, n + 1, held, seen) for n in range(first, count - 1)]
    backward = [_step(pattern, n, n - 1, held, seen) for n in range(first, 0, -1)]
    columns = ", ".join(_turns("n{0}.id as n{0}", "r{0}.id as r{0}", count))
    weight = " + ".join(f"r{number}.strength" for number in range(count - 1))
    order = ", ".join([f"n{n}.id" for n in range(count)] + [f"r{n}.id" for n in range(count - 1)])
    apart = " and ".join(f"not n{a}.id = n{b}.id" for a, b in combinations(range(count), 2))
    statement = (
        f"select {columns} from ({_nodes(pattern, first, seen)} offset 0) n{first} {' '.join([*onward, *backward])}"
        f" where {apart} order by {weight} desc, {order} limit %(limit)s"
    )
    return statement, _sql_values(pattern)


def _anchor(pattern: Pattern) -> int:
    """The place with the fewest nodes, as far as one can tell."""

    def breadth(number: int) -> tuple[float, bool]:
        place = pattern.places[number]
        return (float("inf") if place.ids is None else len(place.ids), place.kind is None)

    return min(range(len(pattern.places)), key=breadth)


def _turns(node: str, relation: str, count: int) -> list[str]:
    """Something of each node and each relation, by turns."""
    return [text.format(n) for n in range(count) for text in (node, relation)][:-1]


def _filled(parts: Mapping[str, LiteralString], name: str) -> str:
    text = parts[name]
    while found := re.search(r"\{(\w+)\}", text):
        text = text.replace(found[0], parts[found[1]])
    return text


def _step(pattern: Pattern, here: int, there: int, held: str, seen: str) -> str:
    """From a place that was reached to the next one: by its relations, to their other ends."""
    number = min(here, there)
    outward = pattern.hops[number].back == (there < here)
    mine, other = ("from_id", "to_id") if outward else ("to_id", "from_id")
    relation = (
        f"select r.id, r.strength, r.{other} as other from relation r"
        f" where r.space_id = %(space)s and r.{mine} = n{here}.id and {held.replace('%(types)s', f'%(types{number})s')}"
    )
    node = f"{_nodes(pattern, there, seen)} and e.id = r{number}.other"
    return f"cross join lateral ({relation} offset 0) r{number} cross join lateral ({node} offset 0) n{there}"


def _nodes(pattern: Pattern, number: int, seen: str) -> str:
    """The nodes that a place may be."""
    place = pattern.places[number]
    conditions = ["e.space_id = %(space)s", seen.replace("e.other", "e.id")]
    if place.kind is not None:
        conditions.append(f"e.kind = %(kind{number})s")
    if place.ids is not None:
        conditions.append(f"e.id = any (%(ids{number})s::uuid[])")
    return f"select e.id from memory e where {' and '.join(conditions)}"


def _sql_values(pattern: Pattern) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for number, place in enumerate(pattern.places):
        values[f"kind{number}"] = place.kind
        values[f"ids{number}"] = None if place.ids is None else array_literal(map(str, place.ids))
    for number, hop in enumerate(pattern.hops):
        values[f"types{number}"] = None if hop.type is None else array_literal([hop.type])
    return values


# Cypher ---------------------------------------------------------------------------------------------------


def as_cypher(pattern: Pattern, held: LiteralString, seen: LiteralString) -> tuple[LiteralString, dict[str, Any]]:
    """The statement and its values. `held` is the condition on a relation `r` of `$types`, or of `$every` one, `seen`
    that on a node `n`."""
    count = len(pattern.places)
    chain = "(n0:Memory)" + "".join(_arrow(number, hop) for number, hop in enumerate(pattern.hops))
    conditions = [_cypher_placed(number, place, seen) for number, place in enumerate(pattern.places)]
    conditions += [
        re.sub(r"\$(types|every)\b", rf"$\g<1>{n}", re.sub(r"\br\.", f"r{n}.", held)) + f" AND r{n}.space = $space"
        for n in range(count - 1)
    ]
    conditions += [f"n{a} <> n{b}" for a, b in combinations(range(count), 2)]
    columns = ", ".join(_turns("n{0}.id AS n{0}", "r{0}.id AS r{0}", count))
    weight = " + ".join(f"r{number}.strength" for number in range(count - 1))
    order = ", ".join([f"n{n}" for n in range(count)] + [f"r{n}" for n in range(count - 1)])
    statement = (
        f"MATCH {chain} WHERE {' AND '.join(conditions)}"
        f" WITH {columns}, {weight} AS weight ORDER BY weight DESC, {order} LIMIT $limit"
        f" RETURN [{', '.join(_turns('n{0}', 'r{0}', count))}] AS ids"
    )
    return statement, _cypher_values(pattern)


def _arrow(number: int, hop: Hop) -> str:
    relation, node = f"[r{number}:RELATES_TO]", f"(n{number + 1}:Memory)"
    return f"<-{relation}-{node}" if hop.back else f"-{relation}->{node}"


def _cypher_placed(number: int, place: Place, seen: str) -> str:
    conditions = [f"n{number}.space = $space", re.sub(r"\bn\.", f"n{number}.", seen)]
    if place.kind is not None:
        assert place.kind in KINDS
        conditions.append(f"n{number}:{place.kind.capitalize()}")
    if place.ids is not None:
        conditions.append(f"n{number}.id IN $ids{number}")
    return " AND ".join(conditions)


def _cypher_values(pattern: Pattern) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for number, place in enumerate(pattern.places):
        if place.ids is not None:
            values[f"ids{number}"] = [str(id) for id in place.ids]
    for number, hop in enumerate(pattern.hops):
        values[f"every{number}"] = hop.type is None
        values[f"types{number}"] = few(() if hop.type is None else (hop.type,))
    return values


def few(values: Iterable[str]) -> list[str]:
    """A short list for a statement of Neo4j, which makes another plan for lists of none, of one, and of up to ten.

    What is added is no id, no type and no state.
    """
    return [*values, "", ""]


def chain(edges: Sequence[tuple[str | None, Hop, str | None]]) -> Pattern:
    """Edges that follow each other, as a pattern without names."""
    kinds = [edges[0][0], *(end for _, _, end in edges)]
    return Pattern(tuple(Place(kind) for kind in kinds), tuple(hop for _, hop, _ in edges))
