"""A search, where sources are wanted too: they are found by their summaries, and by the chunks that hold what they
say. Those of sections have no summary."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from recollect.db.compose import SQL
from recollect.db.database import Batch
from recollect.flows.parts import Parts
from recollect.records.filters import Filters, conditions
from recollect.records.model import Memory
from recollect.records.store import memory_of
from recollect.retrieval.request import Request
from recollect.retrieval.search import QUERIES, Hit, Timing

_SOURCE, _CHUNK = "source", "chunk"
_MOST = 1_000


async def search(parts: Parts, request: Request, timing: Timing) -> list[Hit]:
    """The best memories for a question; a source ranks as its summary or the best of its chunks, which is in `also`."""
    kinds = request.filters.kinds
    if kinds is None or _SOURCE not in kinds:
        return await parts.searcher.search(request, timing)
    with_chunks = tuple(dict.fromkeys((*kinds, _CHUNK)))
    asked = replace(request, filters=replace(request.filters, kinds=with_chunks), limit=_enough(request, kinds))
    hits = await parts.searcher.search(asked, timing)
    sources = await _sources(parts, request, hits)
    found: dict[tuple[str, UUID], Hit] = {}
    for hit in hits:
        of_hit = [sources[key] for key in _named(hit.memory) if key in sources]
        given = [replace(hit, memory=source, also=(hit.memory,)) for source in of_hit]
        for each in [*([hit] if hit.memory.kind in kinds else []), *given]:
            found.setdefault((each.memory.space, each.memory.id), each)
    return list(found.values())[: request.limit]


def _enough(request: Request, kinds: Sequence[str]) -> int:
    """A source may be found by its summary and by its chunks: then it fills several places of the list."""
    return request.limit if _CHUNK in kinds else min(3 * request.limit, _MOST)


def _named(memory: Memory) -> list[tuple[str, UUID]]:
    """The sources that a chunk holds, the newest first."""
    if memory.kind != _CHUNK:
        return []
    listed = memory.data.get("sources") or [memory.provenance.source_id]
    return [(memory.space, UUID(str(id))) for id in reversed(listed) if id is not None]


async def _sources(parts: Parts, request: Request, hits: Sequence[Hit]) -> dict[tuple[str, UUID], Memory]:
    """The sources of hits, where the filters let them pass."""
    wanted: dict[str, list[UUID]] = {}
    for hit in hits:
        for space, id in _named(hit.memory):
            wanted.setdefault(space, []).append(id)
    if not wanted:
        return {}
    filters: Filters = replace(request.filters, kinds=(_SOURCE,))
    statement = SQL(QUERIES["hydrate_filtered"]).format(conditions=conditions(filters, request.now, "r"))
    batch = Batch(*request.spaces)
    for space, ids in wanted.items():
        batch.add(statement, space=space, ids=ids)
    rows = [row for result in await parts.database.send(batch) for row in result]
    return {(row.space_id, row.id): memory_of(row, request.now, parts.rules) for row in rows}
