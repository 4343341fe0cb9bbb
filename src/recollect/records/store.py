"""Reading and writing memories: a connection in, values out. The rules are in `service.py`."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector, SparseVector

from recollect.core.ids import new_id, new_ids
from recollect.db.compose import SQL, Composed, Jsonb, Literal
from recollect.db.database import Batch, Connection, array_literal, number_array, touch
from recollect.db.sql import load
from recollect.records import bm25, lifecycle
from recollect.records.filters import Filters, conditions
from recollect.records.kinds import GRAPH_KINDS, LINKED_KINDS, is_knowledge
from recollect.records.lifecycle import Rules
from recollect.records.model import Actor, Event, Form, HistoryEntry, Memory, NewMemory, Passage, Provenance

QUERIES = load("recollect.records")
LIFECYCLE = load("recollect.records", "lifecycle.sql")

_TEXT_LOCKS = 32
_PROVENANCE = tuple(Provenance.__slots__)
_provenance = attrgetter(*_PROVENANCE)
_PLAIN = (
    "id",
    "kind",
    "type",
    "category",
    "title",
    "summary",
    "content",
    "data",
    "metadata",
    "tier",
    "sensitivity",
    "happened_at",
    "valid_from",
    "valid_until",
    "importance",
    "confidence",
    "pinned",
    "ttl_policy",
    "by_hand",
    "pending",
)


async def remember(
    connection: Connection,
    space: str,
    memories: Sequence[NewMemory],
    now: datetime,
    actor: Actor,
    *,
    salience: float,
    mean_length: float,
    event: str | None = "created",
) -> set[UUID]:
    """Write new memories whole: text, use, search entries, history, and, where they are knowledge, one rise of the
    space's revision with a line of the change log each; the ids that were not there before.

    `event` is what the change log calls it: to a reader a new value for an old one is an update; None, where there
    is nothing to tell.
    """
    rows = {memory.id: _as_row(memory, salience) for memory in memories}
    written = {"space": space, "now": now, "memories": _as_json(rows.values())}
    cursor = await connection.execute(QUERIES["remember"], written)
    fresh = {row.id for row in await cursor.fetchall()}
    if not fresh:
        return fresh
    if len(fresh) < len(rows):
        written["memories"] = _as_json(row for id, row in rows.items() if id in fresh)
    created = [memory for memory in memories if memory.id in fresh]
    passages = [(memory.id, passage) for memory in created for passage in memory.passages]
    await connection.execute(QUERIES["begin_use"], written)
    if passages:  # raw sources and nodes are found by what belongs to them
        await connection.execute(QUERIES["index_new"], written | entry_arrays(passages, mean_length))
    if nodes := [memory.id for memory in created if memory.kind in GRAPH_KINDS]:
        touch(connection, space, nodes)
    await tell(connection, space, now, "ADD", [(memory.id, 1) for memory in created], actor)
    knowledge = [memory for memory in created if event and _is_knowledge(memory)]
    revision = await raise_revision(connection, space, now, knowledge=bool(knowledge), changes=len(passages))
    if event and knowledge:
        await log_changes(connection, space, now, revision, knowledge, event, None)
    return fresh


def _is_knowledge(memory: NewMemory) -> bool:
    return is_knowledge(memory.kind, memory.type) and not memory.pending


def _as_row(memory: NewMemory, salience: float) -> dict[str, Any]:
    row = {name: getattr(memory, name) for name in _PLAIN}
    row |= {name: getattr(memory.provenance, name) for name in _PROVENANCE}
    return row | {
        "tags": list(memory.tags),
        "salience": 1.0 if memory.ttl_policy == "keep_forever" else salience,
    }


def _as_json(rows: Iterable[dict[str, Any]]) -> Jsonb:
    """Rows for several statements: written as JSON once."""
    return Jsonb(_dumps(list(rows)), dumps=str)


def _dumps(value: Any) -> str:
    return json.dumps(value, default=_plain, ensure_ascii=False)


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def entry_arrays(passages: Sequence[tuple[UUID, Passage]], mean_length: float) -> dict[str, Any]:
    """The columns of search entries, an array each; written here where the driver would look at every item twice."""
    return {
        "entry_ids": array_literal(str(id) for id, _ in passages),
        "passages": number_array(passage.number for _, passage in passages),
        "hashes": array_literal(f"\\x{passage.text_hash.hex()}" for _, passage in passages),
        "lengths": number_array(passage.length for _, passage in passages),
        "terms": array_literal(number_array(passage.counts) for _, passage in passages),
        "weights": [term_vector(bm25.weights(p.counts, p.length, mean_length)) for _, p in passages],
        "embeddings": [HalfVector(passage.embedding) for _, passage in passages],
    }


def term_vector(weights: dict[int, float]) -> SparseVector:
    """Weights by term as PostgreSQL keeps them; terms count from 1, the vector's indices from 0."""
    return SparseVector({term - 1: weight for term, weight in weights.items()}, bm25.DIMENSIONS)


async def reform(
    connection: Connection, space: str, forms: Sequence[Form], now: datetime, *, mean_length: float
) -> list[tuple[UUID, int]]:
    """Bring memories into another form, with search entries to match; their ids and versions."""
    names = ("id", "content", "title", "summary", "data", "happened_at")
    rows = [{name: getattr(form, name) for name in names} | {"tags": list(form.tags)} for form in forms]
    asked = {"space": space, "now": now, "forms": Jsonb(rows, dumps=_dumps)}
    cursor = await connection.execute(QUERIES["reform"], asked)
    written = [(row.id, row.version) for row in await cursor.fetchall()]
    touch(connection, space, (id for id, _ in written))
    await connection.execute(QUERIES["drop_entries"], {"space": space, "ids": [form.id for form in forms]})
    passages = [(form.id, passage) for form in forms for passage in form.passages]
    if passages:
        await connection.execute(QUERIES["index"], {"space": space, **entry_arrays(passages, mean_length)}, binary=True)
    return written


async def merge_data(connection: Connection, space: str, data: dict[UUID, dict[str, Any]]) -> None:
    """Add to what only their kind has of memories, where no reader and no history has to know."""
    told = [json.dumps(each, ensure_ascii=False) for each in data.values()]
    await connection.execute(QUERIES["merge_data"], {"space": space, "ids": list(data), "data": told})


async def classify(connection: Connection, space: str, nodes: Sequence[UUID], *, closed: bool) -> None:
    """Nodes are as sensitive as the least sensitive memory that mentions them.

    `closed`: not everybody may see all of what mentions them now, or mentioned them before.
    """
    cursor = await connection.execute(QUERIES["classify"], {"space": space, "ids": list(nodes), "closed": closed})
    if changed := [row.id for row in await cursor.fetchall()]:
        touch(connection, space, changed)
        await connection.execute(QUERIES["classify_entries"], {"space": space, "ids": changed})


async def classify_parts(connection: Connection, space: str, source: UUID) -> list[UUID]:
    """The chunks of a source are as sensitive as it is; those that were not."""
    cursor = await connection.execute(QUERIES["classify_parts"], {"space": space, "id": source})
    changed = [row.id for row in await cursor.fetchall()]
    if changed:
        touch(connection, space, changed)
        await connection.execute(QUERIES["classify_entries"], {"space": space, "ids": changed})
    return changed


async def reword(connection: Connection, space: str, words: Mapping[UUID, dict[int, int]], mean_length: float) -> None:
    """Memories are found by other words from now on; what they are about, as a vector, stays."""
    if not words:
        return
    rows = []
    for id, counts in words.items():
        length = sum(counts.values())
        weights = term_vector(bm25.weights(counts, length, mean_length)).to_text()
        rows.append({"id": str(id), "length": length, "terms": list(counts), "weights": weights})
    await connection.execute(QUERIES["reword"], {"space": space, "words": Jsonb(rows)})


async def set_data(connection: Connection, space: str, data: Mapping[UUID, dict[str, Any]]) -> None:
    """What only their kind has, for many memories."""
    if data:
        values = {"ids": list(data), "data": [json.dumps(each, ensure_ascii=False) for each in data.values()]}
        await connection.execute(QUERIES["set_data"], {"space": space} | values)
        touch(connection, space, data)


async def refine(
    connection: Connection, space: str, kinds: Mapping[UUID, tuple[str, str | None, str]], now: datetime, actor: Actor
) -> None:
    """More is known of what memories are: their kind, type and category; the text stays."""
    if not kinds:
        return
    ids = sorted(kinds)
    values = {"space": space, "now": now, "ids": ids} | {
        name: [kinds[id][place] for id in ids] for place, name in enumerate(("kinds", "types", "categories"))
    }
    for name in ("refine", "refine_use", "refine_entries"):
        await connection.execute(QUERIES[name], values)
    touch(connection, space, ids)
    await tell(connection, space, now, "UPDATE", [(id, None) for id in ids], actor, {"fields": ["type"]})


async def forget_versions(connection: Connection, space: str, ids: Sequence[UUID]) -> None:
    """What memories said before they said what they say now, for good: something in it was taken back."""
    for name in ("drop_versions", "drop_former_entries"):
        await connection.execute(QUERIES[name], {"space": space, "ids": list(ids)})


async def disclose(connection: Connection, space: str, levels: Mapping[UUID, str], now: datetime, actor: Actor) -> None:
    """Memories are less sensitive than they were, by their names alone: whatever else they said goes for good."""
    values = {"space": space, "now": now, "ids": list(levels), "levels": list(levels.values())}
    for name in ("drop_versions", "drop_all_entries", "disclose"):
        await connection.execute(QUERIES[name], values)
    touch(connection, space, levels)
    detail = {"fields": ["content", "sensitivity"]}
    await tell(connection, space, now, "UPDATE", [(id, None) for id in levels], actor, detail)


async def keep_core(connection: Connection, space: str, id: UUID, now: datetime) -> None:
    """A memory is certain, at the core, and never fades."""
    await connection.execute(QUERIES["keep_core"], {"space": space, "id": id, "now": now})
    touch(connection, space, [id])


async def put_away(connection: Connection, space: str, id: UUID, state: str) -> str | None:
    """Give a memory another state, in the search index too; the one that it had."""
    rows = await get(connection, space, [id])
    await connection.execute(QUERIES["put_away"], {"space": space, "id": id, "state": state})
    touch(connection, space, [id])
    await connection.execute(QUERIES["show_entries"], {"space": space, "ids": [id]})
    return rows[0].state if rows else None


class WholeNumbers(HalfVector):
    """A vector of whole numbers that a half holds exactly: as text it is short, and quick to read for the server."""

    def to_text(self) -> str:
        """Without a point in any number."""
        return str(self.to_numpy().astype(np.int32).tolist())


class VectorLiteral(NamedTuple):
    """A question's vector, and its length; the driver sends it as halves, or as text where values stand in a text."""

    numbers: WholeNumbers
    length: float


def vector_literal(vector: NDArray[np.float32]) -> VectorLiteral:
    """A vector in whole numbers, so that text and halves say the same."""
    scaled = np.rint(vector * (_LARGEST_EXACT / max(float(np.abs(vector).max()), 1e-9))).astype(np.float64)
    return VectorLiteral(WholeNumbers(scaled), math.sqrt(np.dot(scaled, scaled)) or 1.0)


_LARGEST_EXACT = 2047


async def nearest(
    connection: Connection,
    space: str,
    ids: Sequence[UUID],
    kinds: Sequence[str],
    *,
    dimensions: int,
    least: float,
    most: int,
) -> list[Any]:
    """Rows of pairs: memories, and those of some kinds that lie near them, with the cosine; of two given, one pair."""
    # Past the first few hundred rows of a vector index a filter may leave nothing: let the scan go on.
    await connection.execute("set local hnsw.iterative_scan = relaxed_order")
    statement = SQL(QUERIES["near"]).format(space=Literal(space), dimensions=Literal(dimensions))
    cursor = await connection.execute(statement, {"ids": list(ids), "kinds": list(kinds), "most": most, "least": least})
    return await cursor.fetchall()


async def link(
    connection: Connection,
    space: str,
    ids: Sequence[UUID],
    now: datetime,
    *,
    dimensions: int,
    least: float,
    most: int,
    salience: float,
) -> int:
    """Tie new memories to their nearest neighbours; how many edges were made."""
    near = await nearest(connection, space, ids, LINKED_KINDS, dimensions=dimensions, least=least, most=most)
    if not near:
        return 0
    at = {"space": space, "now": now}
    cursor = await connection.execute(
        QUERIES["tie"],
        at
        | {
            "ids": new_ids(len(near)),
            "from_ids": [row.from_id for row in near],
            "to_ids": [row.to_id for row in near],
            "strengths": [row.similarity for row in near],
        },
    )
    if tied := await cursor.fetchall():
        of_ties = {name: [getattr(row, name[:-1]) for row in tied] for name in ("ids", "from_ids", "to_ids")}
        await connection.execute(QUERIES["begin_use_of_ties"], at | {"ids": of_ties["ids"], "salience": salience})
        touch(connection, space, of_ties["ids"])
        await connection.execute(QUERIES["tell_ties"], at | of_ties)
    return len(tied)


async def relate(
    connection: Connection, space: str, from_id: UUID, to_ids: Sequence[UUID], type: str, now: datetime, salience: float
) -> None:
    """Tie a memory to others by a type of their own, such as `supersedes`."""
    at = {"space": space, "now": now, "type": type}
    ids = new_ids(len(to_ids))
    cursor = await connection.execute(
        QUERIES["relate"], at | {"ids": ids, "from_ids": [from_id] * len(ids), "to_ids": list(to_ids)}
    )
    if tied := await cursor.fetchall():
        of_ties = {name: [getattr(row, name[:-1]) for row in tied] for name in ("ids", "from_ids", "to_ids")}
        await connection.execute(QUERIES["begin_use_of_ties"], at | {"ids": of_ties["ids"], "salience": salience})
        touch(connection, space, of_ties["ids"])
        await connection.execute(QUERIES["tell_relations"], at | of_ties)


async def indexed(connection: Connection, space: str, ids: Sequence[UUID]) -> dict[UUID, int]:
    """The newest version of memories that the search index has."""
    cursor = await connection.execute(QUERIES["indexed"], {"space": space, "ids": list(ids)})
    return {row.memory_id: row.version for row in await cursor.fetchall()}


async def recall(connection: Connection, space: str, times: Mapping[UUID, int], now: datetime, rules: Rules) -> None:
    """Count recalls of memories, each as often as `times` says, in the caller's transaction."""
    if times:
        # As literals of arrays: a burst has many, and the driver would look at every element while searches wait.
        ids, counts = array_literal(map(str, times)), number_array(times.values())
        asked = {"space": space, "now": now, "ids": ids, "times": counts}
        cursor = await connection.execute(LIFECYCLE["recall"], asked | recall_numbers(rules))
        moved = [row.memory_id for row in await cursor.fetchall() if row.state != row.state_before]
        touch(connection, space, moved)


def recall_numbers(rules: Rules) -> dict[str, float]:
    """What the statement that counts recalls is given."""
    return {
        "rate": rules.decay_rate,
        "confident": rules.confident,
        "gain": rules.salience_recall,
        "active_accesses": rules.active_accesses,
        "core_accesses": rules.core_accesses,
    }


async def episodes(connection: Connection, space: str, conversation_id: UUID, *, chunks: bool) -> list[Any]:
    """Rows of a conversation's chunks, or of its milestones, in the order of their turns."""
    asked = {"space": space, "conversation_id": conversation_id, "chunks": chunks}
    cursor = await connection.execute(QUERIES["episodes"], asked)
    return await cursor.fetchall()


async def learned_since(connection: Connection, space: str, since: datetime) -> int:
    """How many statements came of long messages since a moment."""
    cursor = await connection.execute(QUERIES["count_since"], {"space": space, "kind": "statement", "since": since})
    row = await cursor.fetchone()
    return int(row.found) if row else 0


async def nearest_of_kind(
    connection: Connection,
    space: str,
    kind: str,
    asked: Sequence[tuple[str, NDArray[np.float32]]],
    *,
    least: float,
    most: int,
) -> list[Any]:
    """For each category and vector the rows of the nearest memories of a kind, with their cosines, in whatever state
    they are; `place` counts the questions from 1."""
    values = {"space": space, "kind": kind, "least": least, "most": most}
    values |= {
        "categories": [category for category, _ in asked],
        "queries": [HalfVector(vector) for _, vector in asked],
    }
    cursor = await connection.execute(QUERIES["nearest_of_kind"], values)
    return await cursor.fetchall()


async def get(connection: Connection, space: str, ids: Iterable[UUID]) -> list[Any]:
    """Rows of memories by id."""
    cursor = await connection.execute(QUERIES["get"], {"space": space, "ids": list(ids)})
    return await cursor.fetchall()


async def lock(connection: Connection, space: str, ids: Iterable[UUID]) -> None:
    """Hold memories for a change; whoever else wants to change them waits."""
    await connection.execute(QUERIES["lock"], {"space": space, "ids": list(ids)})


async def mark_along(connection: Connection, space: str, roots: dict[UUID, list[UUID]]) -> None:
    """Keep because of which others memories are deleted, so that they can come back with them."""
    if roots:
        told = [json.dumps([str(id) for id in because]) for because in roots.values()]
        await connection.execute(QUERIES["mark_along"], {"space": space, "ids": list(roots), "roots": told})


async def gone_along(connection: Connection, space: str, id: UUID) -> list[UUID]:
    """What was deleted because of a memory."""
    cursor = await connection.execute(QUERIES["gone_along"], {"space": space, "id": str(id)})
    return [row.id for row in await cursor.fetchall()]


async def unmark_along(connection: Connection, space: str, ids: Sequence[UUID]) -> None:
    """They are back, and stand for themselves again."""
    if ids:
        await connection.execute(QUERIES["unmark_along"], {"space": space, "ids": list(ids)})


async def mark_consolidated(connection: Connection, space: str, marks: dict[UUID, dict[str, Any]]) -> None:
    """Keep what of sources was noted on the nodes that they mention."""
    if marks:
        told = [json.dumps(mark) for mark in marks.values()]
        await connection.execute(QUERIES["mark_consolidated"], {"space": space, "ids": list(marks), "marks": told})


async def page(
    connection: Connection, space: str, filters: Filters, now: datetime, after: UUID, limit: int, *, back: bool = False
) -> list[Any]:
    """Rows of one page, in the order of their ids; `back`: the newest first."""
    statement = SQL(QUERIES["page_back" if back else "page"]).format(conditions=conditions(filters, now))
    cursor = await connection.execute(statement, {"space": space, "after": after, "limit": limit})
    return await cursor.fetchall()


async def deleted(
    connection: Connection, space: str, sensitivity: Sequence[str], before: UUID, limit: int
) -> list[Any]:
    """Rows of memories that were deleted and not purged yet, the newest first."""
    asked = {"space": space, "sensitivity": list(sensitivity), "before": before, "limit": limit}
    cursor = await connection.execute(QUERIES["deleted"], asked)
    return await cursor.fetchall()


async def versions_known(connection: Connection, space: str, ids: Sequence[UUID], at: datetime) -> dict[UUID, Any]:
    """The versions of memories that were known at a moment, where they have changed since."""
    cursor = await connection.execute(QUERIES["versions_known"], {"space": space, "ids": list(ids), "at": at})
    return {row.memory_id: row for row in await cursor.fetchall()}


async def former_texts(connection: Connection, space: str, ids: Sequence[UUID]) -> dict[UUID, list[str]]:
    """What memories said before, the newest first, each text once."""
    if not ids:
        return {}
    cursor = await connection.execute(QUERIES["former_texts"], {"space": space, "ids": list(ids)})
    found: dict[UUID, dict[str, None]] = {}
    for row in await cursor.fetchall():
        found.setdefault(row.memory_id, {})[row.content] = None
    return {id: list(texts) for id, texts in found.items()}


async def say_alone(connection: Connection, space: str, hashes: Iterable[bytes]) -> None:
    """Hold the texts of some hashes until the commit: nobody else who does so adds the same meanwhile.

    They share few locks, as a server has room for so many: a thousand texts hold no more of them than a few.
    """
    places = sorted({each[0] % _TEXT_LOCKS for each in hashes})
    if places:
        await connection.execute(QUERIES["say_alone"], {"space": space, "places": places})


async def said_already(connection: Connection, space: str, hashes: Sequence[bytes]) -> list[Any]:
    """Statements that are known and hold, as rows with the hashes of their texts; the oldest first."""
    if not hashes:
        return []
    cursor = await connection.execute(QUERIES["said_already"], {"space": space, "hashes": list(hashes)})
    return await cursor.fetchall()


async def stated_by(connection: Connection, space: str, messages: Sequence[str]) -> list[Any]:
    """Statements that some messages speak for, as rows."""
    cursor = await connection.execute(QUERIES["stated_by"], {"space": space, "messages": list(messages)})
    return await cursor.fetchall()


async def matching(connection: Connection, space: str, filters: Filters, now: datetime) -> list[UUID]:
    """Ids of all memories that the filters describe."""
    statement = SQL(QUERIES["matching"]).format(conditions=conditions(filters, now))
    cursor = await connection.execute(statement, {"space": space})
    return [row.id for row in await cursor.fetchall()]


async def embedded_texts(
    connection: Connection, space: str, hashes: Sequence[bytes]
) -> dict[bytes, NDArray[np.float32]]:
    """Vectors of texts that the space has embedded before."""
    cursor = await connection.execute(QUERIES["embedded_texts"], {"space": space, "hashes": list(hashes)}, binary=True)
    return {bytes(row.text_hash): row.embedding.to_numpy().astype(np.float32) for row in await cursor.fetchall()}


async def mean_length(connection: Connection, space: str) -> float:
    """The mean length of an entry that the term weights of a space are made with."""
    cursor = await connection.execute(QUERIES["weighted_length"], {"space": space})
    row = await cursor.fetchone()
    return (row and row.weighted_length) or bm25.TYPICAL_LENGTH


async def raise_revision(connection: Connection, space: str, now: datetime, *, knowledge: bool, changes: int) -> int:
    """Count a change of the space; its revision."""
    cursor = await connection.execute(
        QUERIES["raise_revision"], {"space": space, "now": now, "rise": int(knowledge), "changes": changes}
    )
    row = await cursor.fetchone()
    return int(row.revision) if row else 0


async def log_changes(
    connection: Connection,
    space: str,
    now: datetime,
    revision: int,
    memories: Sequence[Memory | NewMemory],
    event: str,
    thread: str | None,
) -> None:
    """Lines of the change log for memories that changed."""
    await connection.execute(
        QUERIES["log_changes"],
        {
            "space": space,
            "now": now,
            "revision": revision,
            "ids": [memory.id for memory in memories],
            "kinds": [memory.kind for memory in memories],
            "events": [event] * len(memories),
            "threads": [memory.provenance.thread_id or thread for memory in memories],
        },
    )


async def tell(
    connection: Connection,
    space: str,
    now: datetime,
    event: str,
    rows: Sequence[tuple[UUID, int | None]],
    actor: Actor,
    detail: dict[str, Any] | None = None,
) -> None:
    """Lines of history, one for each memory and its version."""
    await connection.execute(
        QUERIES["tell"],
        {
            "space": space,
            "now": now,
            "event": event,
            "memory_ids": array_literal(str(id) for id, _ in rows),
            "versions": [version for _, version in rows],
            "ids": array_literal(map(str, new_ids(len(rows)))),
            "actor": actor.actor,
            "agent_id": actor.agent_id,
            "reason": actor.reason,
            "detail": Jsonb(detail or {}),
        },
    )


async def act(
    connection: Connection,
    space: str,
    now: datetime,
    event: str,
    op: str,
    ids: Sequence[UUID],
    actor: Actor,
    detail: dict[str, Any] | None = None,
) -> None:
    """Somebody did something to what is no memory, or beside one: a line of history for each, and an event."""
    await tell(connection, space, now, event, [(id, None) for id in ids], actor, detail)
    await record_events(connection, space, [Event("hotpath", op, "ok", id) for id in ids], now)


def act_in(batch: Batch, space: str, now: datetime, event: str, op: str, id: UUID, actor: Actor) -> None:
    """The same, as a part of a batch."""
    values = {"memory_ids": [id], "versions": [None], "ids": new_ids(1), "actor": actor.actor}
    values |= {"agent_id": actor.agent_id, "reason": actor.reason, "detail": Jsonb({})}
    batch.add(QUERIES["tell"], space=space, now=now, event=event, **values)
    batch.add(writing_events(space, [Event("hotpath", op, "ok", id)], now))


async def record_events(connection: Connection, space: str, events: Sequence[Event], now: datetime) -> None:
    """Note what the system did."""
    await connection.execute(writing_events(space, events, now), {})


def writing_events(space: str, events: Sequence[Event], now: datetime) -> Composed:
    """The statement that notes events, each with an id of its own; all of them are one value, for there may be many."""
    told = [{"id": new_id()} | dict(zip(Event.__slots__, _event(event), strict=True)) for event in events]
    values = {"space": Literal(space), "now": Literal(now), "events": Literal(_dumps(told))}
    return SQL(QUERIES["record_events"]).format(**values)


_event = attrgetter(*Event.__slots__)


def _run_of_fields(first: str, last: str) -> Callable[[Any], tuple[Any, ...]]:
    """What takes some fields of a memory out of a row, in their order."""
    names = tuple(Memory.__slots__)
    return attrgetter(*names[names.index(first) : names.index(last) + 1])


_named = _run_of_fields("id", "category")
_told = _run_of_fields("title", "metadata")
_weighed = _run_of_fields("tier", "state")
_used = _run_of_fields("access_count", "purge_at")


def memory_of(row: Any, now: datetime, rules: Rules) -> Memory:
    """A row of the view `remembered` as a value, with its salience as of now.

    Every hit of a search comes through here: the columns are taken in runs, in the order of the fields.
    """
    fields: tuple[Any, ...] = (
        row.space_id,
        *_named(row),
        tuple(row.tags),
        *_told(row),
        Provenance(*_provenance(row)),
        *_weighed(row),
        lifecycle.salience(row, now, rules),
        *_used(row),
    )
    return Memory(*fields)


def as_known(memory: Memory, version: Any | None) -> Memory:
    """A memory as a former version had it; the present one where there is none."""
    if version is None:
        return memory
    return replace(
        memory,
        content=version.content,
        title=version.title,
        summary=version.summary,
        version=version.version,
        valid_from=version.valid_from,
        valid_until=version.valid_until,
    )


def history_of(row: Any) -> HistoryEntry:
    """A row of history as a value."""
    return HistoryEntry(
        row.id,
        row.memory_id,
        row.event,
        row.version,
        row.at,
        row.actor,
        row.agent_id,
        row.reason,
        row.detail,
        row.content,
    )
