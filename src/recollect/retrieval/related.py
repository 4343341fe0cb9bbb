"""What hits are tied to: a memory that the question does not name, but that belongs to what it found."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from recollect.db.compose import SQL
from recollect.db.database import Batch, array_literal
from recollect.records.filters import conditions
from recollect.records.kinds import KINDS
from recollect.records.model import Memory
from recollect.records.store import memory_of
from recollect.retrieval.request import Request
from recollect.retrieval.search import QUERIES, Hit, Searcher

_TYPES = ("related_to", "depends_on", "part_of")


@dataclass(frozen=True, slots=True)
class Related:
    """A memory, the hit that leads to it, and how strongly."""

    memory: Memory
    via: UUID
    strength: float


async def related(
    searcher: Searcher, request: Request, hits: Sequence[Hit], most: int, known: Iterable[UUID] = ()
) -> list[Related]:
    """The memories most strongly tied to hits, as far as the request's filters let them pass.

    Neither another hit nor one of those that are `known`; nothing is asked where no hit is of a kind that has ties.
    """
    linked = [hit.memory for hit in hits if KINDS[hit.memory.kind].linked]
    if not linked or most <= 0:
        return []
    told = {memory.id for hit in hits for memory in (hit.memory, *hit.also)} | set(known)
    statement = SQL(QUERIES["related"]).format(conditions=conditions(request.filters, request.now, "r"))
    batch = Batch(*request.spaces)
    for space in dict.fromkeys(memory.space for memory in linked):
        batch.add(
            statement,
            space=space,
            ids=array_literal(str(memory.id) for memory in linked if memory.space == space),
            known=array_literal(map(str, told)),
            types=array_literal(_TYPES),
            now=request.now,
            most=2 * most,  # two hits may be tied to the same
        )
    rows = [row for rows in await searcher.database.send(batch) for row in rows]
    best: dict[UUID, Related] = {}
    for row in sorted(rows, key=lambda row: (-row.strength, str(row.id))):
        best.setdefault(row.id, Related(memory_of(row, request.now, searcher.rules), row.via, row.strength))
    return list(best.values())[:most]
