"""Every name that somebody or something goes by, so that all of it can be forgotten, and nobody else."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from recollect.core.errors import Conflict
from recollect.db.database import Connection
from recollect.db.sql import load
from recollect.graph import store as graph
from recollect.graph.model import canonical
from recollect.graph.names import untitled
from recollect.understanding.carrying import Names, Words, words_of

QUERIES = load("recollect.flows", "naming.sql")


@dataclass(slots=True)
class Called:
    """Who is meant, in several spaces: the nodes of each, and all names."""

    person: bool = True
    names: set[str] = field(default_factory=set)
    nodes: dict[str, set[UUID]] = field(default_factory=dict)
    others: set[Words] = field(default_factory=set)
    people: set[Words] = field(default_factory=set)
    """Those of the others who are people with several names."""

    def finder(self) -> Names:
        """What finds them by every name: in full, in reverse, and short where nobody else is meant."""
        named = {words for name in self.names if (words := words_of(untitled(canonical(name))[0]))}
        full = {words for words in named if len(words) > 1 or not self.person}
        full |= {(*words[-1:], *words[:-1]) for words in full if self.person and len(words) > 1}
        full |= {(words[0], words[-1]) for words in named if self.person and len(words) > 2}
        first = {words[0] for words in named} if self.person else set()
        last = {words[-1] for words in named if len(words) > 1} if self.person else set()
        mine = first | last
        alone = {words[0] for words in named if len(words) == 1}  # who is called nothing else is meant by it
        shared = mine & {word for words in self.people for word in words} - alone
        others = {words for words in self.others if mine.intersection(words) and words not in full}
        return Names(frozenset(full), frozenset(first), frozenset(last), frozenset(shared), frozenset(others))


async def by_name(connection: Connection, space: str, name: str, called: Called) -> None:
    """The person of a name in a space, with all other names; nobody where none is known."""
    short = canonical(name)
    wanted = {short, untitled(short)[0]}
    rows = await _rows(connection, "named", space, names=sorted(wanted))
    found = {row.node_id for row in rows if row.kind == "person"}
    if not found and "-" not in short:
        found = (await graph.by_first_name(connection, space, [short])).get(short, set())
    if len(found) > 1:
        raise Conflict(f"person: {len(found)} people go by that name: give the full name, or the id of one")
    called.names.add(name)
    await by_node(connection, space, found, called)


async def by_node(connection: Connection, space: str, ids: Iterable[UUID], called: Called) -> None:
    """Nodes by id, with those that were merged into them and all of their names."""
    known = set(ids)
    if known:
        known |= {row.id for row in await _rows(connection, "merged_into", space, ids=sorted(map(str, known)))}
    rows = await _rows(connection, "nodes", space, ids=sorted(known))
    called.nodes.setdefault(space, set()).update(row.id for row in rows)
    called.names |= {name for row in rows for name in _names(row)}
    called.names |= {
        row.name.replace("-", " ") for row in await _rows(connection, "names_of", space, ids=sorted(known))
    }


async def others_of(connection: Connection, space: str, called: Called) -> None:
    """Names of others in a space that share a word with these; who goes by one of these very names is no other."""
    named = {words_of(untitled(canonical(name))[0]) for name in called.names}
    words = {word for name in named for word in name}
    rows = [(row.kind, words_of(untitled(row.name)[0]), row.node_id) for row in await _rows(connection, "names", space)]
    mine = called.nodes.setdefault(space, set())
    mine |= {node for kind, found, node in rows if found in named and (kind == "person" or not called.person)}
    rest = [(kind, found) for kind, found, node in rows if node not in mine and words.intersection(found)]
    called.others |= {found for _, found in rest if len(found) > 1}
    called.people |= {found for kind, found in rest if len(found) > 1 and kind == "person"}


def _names(row: Any) -> list[str]:
    aliases: Sequence[str] = row.data.get("aliases", [])
    return [name for name in (row.title, *aliases) if name]


async def _rows(connection: Connection, name: str, space: str, **values: Any) -> list[Any]:
    cursor = await connection.execute(QUERIES[name], {"space": space, **values})
    return await cursor.fetchall()
