"""The verbs of memories: each keeps text, history, revision and search index together, in the caller's transaction."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from recollect.core.errors import Conflict, NotFound
from recollect.db.compose import Jsonb
from recollect.db.database import Connection, touch
from recollect.records import changes as changing
from recollect.records import store
from recollect.records.changes import Changes
from recollect.records.kinds import GRAPH_KINDS, is_knowledge
from recollect.records.lifecycle import Rules
from recollect.records.model import Actor, Event, Form, HistoryEntry, Memory, Passage
from recollect.records.store import QUERIES, memory_of


async def get(connection: Connection, space: str, id: UUID, now: datetime, rules: Rules) -> Memory:
    """One memory; a deleted one too, as long as it can be restored."""
    rows = await store.get(connection, space, [id])
    if not rows:
        raise NotFound(f"there is no memory {id}")
    return memory_of(rows[0], now, rules)


async def hold(
    connection: Connection, space: str, id: UUID, now: datetime, rules: Rules, if_version: int | None
) -> Memory:
    """The memory, held for a change, provided that nobody changed it since the caller looked."""
    await store.lock(connection, space, [id])
    memory = await get(connection, space, id, now, rules)
    if memory.state == "soft_deleted":
        raise Conflict(f"memory {id} is deleted: restore it first")
    if if_version is not None and if_version != memory.version:
        raise Conflict(f"memory {id} is at version {memory.version}, not {if_version}")
    return memory


async def change(
    connection: Connection,
    memory: Memory,
    changes: Changes,
    passages: Sequence[Passage] | None,
    now: datetime,
    actor: Actor,
    mean_length: float,
    *,
    event: str | None = "updated",
    data: dict[str, Any] | None = None,
) -> None:
    """Apply changes to a memory that is held; `passages` are the entries of a new text, None where it stays.

    `event` is what the change log calls it, None where another line tells it already; `data` replaces the kind's own.
    """
    fields = changes.differing(memory)
    if not fields:
        return
    changes.check_against(memory)
    after = changes.after(memory)
    at = {"space": memory.space, "id": memory.id, "now": now, "version": memory.version}
    if changing.is_new_version(fields):
        await connection.execute(QUERIES["keep_version"], at)
    await connection.execute(
        QUERIES["change_memory"],
        at
        | after
        | {
            "tags": list(after["tags"]),
            "metadata": Jsonb(after["metadata"]),
            "data": Jsonb(memory.data if data is None else data),
            "new_version": changing.is_new_version(fields),
        },
    )
    await connection.execute(QUERIES["change_use"], at | after | {"by_hand": actor.by_hand})
    touch(connection, memory.space, [memory.id])
    touched = await _reindex(connection, memory, fields, passages, at, after, mean_length)
    await store.tell(
        connection, memory.space, now, "UPDATE", [(memory.id, memory.version + 1)], actor, {"fields": sorted(fields)}
    )
    await _log(connection, memory.space, [memory], event, now, actor, touched)
    node = "hotpath" if actor.by_hand else "worker"
    await store.record_events(connection, memory.space, [Event(node, "update", "ok", memory.id, memory.category)], now)


async def reform(
    connection: Connection, space: str, forms: Sequence[Form], now: datetime, actor: Actor, mean_length: float
) -> None:
    """Bring memories that are held into the form in which they are found, and tell so."""
    written = await store.reform(connection, space, forms, now, mean_length=mean_length)
    await store.tell(connection, space, now, "UPDATE", written, actor, {"fields": ["content", "summary", "tags"]})
    touched = sum(len(form.passages) for form in forms)
    await store.raise_revision(connection, space, now, knowledge=False, changes=touched)


async def _reindex(
    connection: Connection,
    memory: Memory,
    fields: set[str],
    passages: Sequence[Passage] | None,
    at: dict[str, Any],
    after: dict[str, Any],
    mean_length: float,
) -> int:
    if passages is None and not changing.is_new_version(fields):
        await connection.execute(QUERIES["carry_entries"], at | after)
        return 0
    if passages is None:
        await connection.execute(QUERIES["copy_entries"], at | after)
    retired = await connection.execute(QUERIES["retire_entries"], at)
    if passages is None:
        return 0
    arrays = store.entry_arrays([(memory.id, passage) for passage in passages], mean_length)
    await connection.execute(QUERIES["index"], {"space": memory.space, **arrays}, binary=True)
    return retired.rowcount + len(passages)


async def index(
    connection: Connection, memory: Memory, passages: Sequence[Passage], now: datetime, mean_length: float
) -> None:
    """Put a memory into the search index that was not in it."""
    arrays = store.entry_arrays([(memory.id, passage) for passage in passages], mean_length)
    await connection.execute(QUERIES["index"], {"space": memory.space, **arrays}, binary=True)
    await store.raise_revision(connection, memory.space, now, knowledge=False, changes=len(passages))


async def soft_delete(
    connection: Connection,
    space: str,
    ids: Sequence[UUID],
    now: datetime,
    actor: Actor,
    *,
    purge_days: float,
    event: str = "deleted",
) -> list[UUID]:
    """Take memories out of every search at once; they can be restored until the purge."""
    deleted = await _hide(connection, space, ids, now, purge_days, by_hand=actor.by_hand)
    await _follow(connection, space, deleted, "DELETE", event, now, actor)
    return deleted


async def unite(
    connection: Connection,
    kept: Memory,
    gone: Memory,
    data: dict[str, Any],
    now: datetime,
    actor: Actor,
    *,
    purge_days: float,
) -> None:
    """Of two memories that say the same, both held, one is kept as it is, with new `data`; the other is deleted."""
    space = kept.space
    await set_data(connection, kept, data)
    await set_data(connection, gone, gone.data | {"same_as": str(kept.id)})
    trusted = {"confidence": max(kept.confidence, gone.confidence), "pending": False, "by_hand": False}
    await connection.execute(QUERIES["trust"], {"space": space, "id": kept.id} | trusted)
    touch(connection, space, [kept.id])
    await _hide(connection, space, [gone.id], now, purge_days, by_hand=False)
    shown = await connection.execute(QUERIES["show_entries"], {"space": space, "ids": [gone.id]})
    await store.tell(connection, space, now, "MERGE", [(kept.id, kept.version)], actor, {"merged": str(gone.id)})
    await store.tell(connection, space, now, "MERGE", [(gone.id, gone.version)], actor, {"into": str(kept.id)})
    await _log(connection, space, [kept], "merged", now, actor, shown.rowcount)
    await store.record_events(connection, space, [Event("worker", "merge", "ok", kept.id, kept.category)], now)


async def _hide(
    connection: Connection, space: str, ids: Sequence[UUID], now: datetime, purge_days: float, *, by_hand: bool
) -> list[UUID]:
    """Take memories out of every search until they are restored or purged; those that were not out already."""
    purge_at = now + timedelta(days=purge_days)
    values = {"space": space, "ids": list(ids), "now": now, "purge_at": purge_at, "by_hand": by_hand}
    cursor = await connection.execute(QUERIES["soft_delete"], values)
    hidden = [row.memory_id for row in await cursor.fetchall()]
    touch(connection, space, hidden)
    return hidden


async def restore(connection: Connection, space: str, ids: Sequence[UUID], now: datetime, actor: Actor) -> list[UUID]:
    """Bring soft-deleted memories back."""
    cursor = await connection.execute(QUERIES["restore"], {"space": space, "ids": list(ids), "now": now})
    restored = [row.memory_id for row in await cursor.fetchall()]
    touch(connection, space, restored)
    await _follow(connection, space, restored, "RESTORE", "restored", now, actor)
    return restored


async def _follow(
    connection: Connection, space: str, ids: Sequence[UUID], event: str, change: str, now: datetime, actor: Actor
) -> None:
    """Index, history, revision and change log after a change of state."""
    if not ids:
        return
    shown = await connection.execute(QUERIES["show_entries"], {"space": space, "ids": list(ids)})
    rows = await store.get(connection, space, ids)
    await store.tell(connection, space, now, event, [(row.id, row.version) for row in rows], actor)
    await _log(connection, space, [memory_of(row, now, Rules()) for row in rows], change, now, actor, shown.rowcount)
    node = "hotpath" if actor.by_hand else "worker"
    events = [Event(node, event.lower(), "ok", row.id, row.category) for row in rows]
    await store.record_events(connection, space, events, now)


async def _log(
    connection: Connection,
    space: str,
    memories: Sequence[Memory],
    event: str | None,
    now: datetime,
    actor: Actor,
    touched: int,
) -> None:
    knowledge = [memory for memory in memories if event and is_knowledge(memory.kind, memory.type)]
    revision = await store.raise_revision(connection, space, now, knowledge=bool(knowledge), changes=touched)
    if event and knowledge:
        await store.log_changes(connection, space, now, revision, knowledge, event, actor.thread_id)


async def archive(connection: Connection, space: str, ids: Sequence[UUID], now: datetime, actor: Actor) -> int:
    """Take memories out of the default search; how many."""
    cursor = await connection.execute(QUERIES["archive"], {"space": space, "ids": list(ids)})
    archived = [row.memory_id for row in await cursor.fetchall()]
    if archived:
        touch(connection, space, archived)
        shown = await connection.execute(QUERIES["show_entries"], {"space": space, "ids": archived})
        await store.tell(connection, space, now, "TTL", [(id, None) for id in archived], actor)
        await store.raise_revision(connection, space, now, knowledge=False, changes=shown.rowcount)
    return len(archived)


async def wake(connection: Connection, space: str, ids: Sequence[UUID], now: datetime, actor: Actor) -> None:
    """Bring archived memories back into the default search; others stay as they are."""
    cursor = await connection.execute(QUERIES["wake"], {"space": space, "ids": list(ids), "now": now})
    woken = [row.memory_id for row in await cursor.fetchall()]
    if woken:
        touch(connection, space, woken)
        shown = await connection.execute(QUERIES["show_entries"], {"space": space, "ids": woken})
        await store.tell(connection, space, now, "RESTORE", [(id, None) for id in woken], actor)
        await store.raise_revision(connection, space, now, knowledge=False, changes=shown.rowcount)


async def release(connection: Connection, space: str, ids: Sequence[UUID]) -> None:
    """Let jobs change memories again that a person wrote or stood for."""
    await connection.execute(QUERIES["release"], {"space": space, "ids": list(ids)})


async def set_data(connection: Connection, memory: Memory, data: dict[str, Any]) -> None:
    """What only this kind has, where no reader and no history has to know."""
    values = {"space": memory.space, "id": memory.id, "data": Jsonb(data)}
    await connection.execute(QUERIES["annotate"], values)
    if memory.kind in GRAPH_KINDS:
        touch(connection, memory.space, [memory.id])


async def move_on(connection: Connection, memory: Memory, data: dict[str, Any], happened_at: datetime) -> None:
    """Something goes on: what it covers, and when it last happened; its text and history stay."""
    at = {"space": memory.space, "id": memory.id, "version": memory.version, "happened_at": happened_at}
    await connection.execute(QUERIES["move_on"], at | {"data": Jsonb(data)})
    await connection.execute(QUERIES["move_entries_on"], at)


async def index_late(
    connection: Connection, memory: Memory, passages: Sequence[Passage], now: datetime, mean_length: float
) -> None:
    """Give a memory the search entries that it was written without, and keep its data as they are here."""
    await set_data(connection, memory, memory.data)
    arrays = store.entry_arrays([(memory.id, passage) for passage in passages], mean_length)
    await connection.execute(QUERIES["index"], {"space": memory.space, **arrays}, binary=True)
    await store.raise_revision(connection, memory.space, now, knowledge=False, changes=len(passages))


async def annotate(
    connection: Connection,
    memory: Memory,
    data: dict[str, Any],
    now: datetime,
    actor: Actor,
    *,
    confidence: float,
    event: str = "MERGE",
) -> None:
    """What else speaks for a memory: its text, version and rank among the others stay."""
    await set_data(connection, memory, data)
    trusted = {"confidence": confidence, "pending": memory.pending, "by_hand": False}
    await connection.execute(QUERIES["trust"], {"space": memory.space, "id": memory.id} | trusted)
    touch(connection, memory.space, [memory.id])
    await store.tell(connection, memory.space, now, event, [(memory.id, memory.version)], actor)


async def vouch(
    connection: Connection, space: str, said: Mapping[UUID, float], rows: Sequence[Any], now: datetime, actor: Actor
) -> None:
    """A person has said what is known once more, each this surely: it is theirs from now on, and history tells it."""
    values = {"space": space, "ids": list(said), "confidences": list(said.values())}
    await connection.execute(QUERIES["vouch"], values)
    touch(connection, space, list(said))
    await store.tell(connection, space, now, "MERGE", [(row.id, row.version) for row in rows], actor)
    events = [Event("hotpath", "merge", "ok", row.id, row.category) for row in rows]
    await store.record_events(connection, space, events, now)


async def mark_by_hand(connection: Connection, memory: Memory, now: datetime, actor: Actor) -> None:
    """A person stands for a memory: no job changes it from now on."""
    values = {"space": memory.space, "id": memory.id, "confidence": memory.confidence, "pending": False}
    await connection.execute(QUERIES["trust"], values | {"by_hand": True})
    touch(connection, memory.space, [memory.id])
    await store.tell(connection, memory.space, now, "UPDATE", [(memory.id, memory.version)], actor)


async def told(
    connection: Connection,
    space: str,
    row: Any | None,
    id: UUID,
    now: datetime,
    actor: Actor,
    detail: dict[str, Any],
) -> None:
    """Something beside its text changed, of a memory or, without a row, of a relation; history and change log tell."""
    await store.tell(connection, space, now, "UPDATE", [(id, None)], actor, detail)
    if row is not None:
        await _log(connection, space, [memory_of(row, now, Rules())], "updated", now, actor, 0)


async def promote(connection: Connection, memory: Memory, now: datetime, actor: Actor, *, confidence: float) -> None:
    """A pending memory is known from now on."""
    at = {"space": memory.space, "id": memory.id}
    trusted = {"confidence": confidence, "pending": False, "by_hand": actor.by_hand}
    await connection.execute(QUERIES["trust"], at | trusted)
    touch(connection, memory.space, [memory.id])
    shown = await connection.execute(QUERIES["show_entries"], {"space": memory.space, "ids": [memory.id]})
    await store.tell(
        connection, memory.space, now, "UPDATE", [(memory.id, memory.version)], actor, {"fields": ["pending"]}
    )
    await _log(connection, memory.space, [memory], "created", now, actor, shown.rowcount)


async def put_in_doubt(connection: Connection, memory: Memory, now: datetime, actor: Actor) -> None:
    """A memory waits from now on, out of search, until it is corroborated or promoted."""
    at = {"space": memory.space, "id": memory.id}
    doubted = {"confidence": memory.confidence, "pending": True, "by_hand": False}
    await connection.execute(QUERIES["trust"], at | doubted)
    touch(connection, memory.space, [memory.id])
    shown = await connection.execute(QUERIES["show_entries"], {"space": memory.space, "ids": [memory.id]})
    detail = {"fields": ["pending"]}
    await store.tell(connection, memory.space, now, "UPDATE", [(memory.id, memory.version)], actor, detail)
    await _log(connection, memory.space, [memory], "updated", now, actor, shown.rowcount)


async def purge(connection: Connection, space: str, ids: Sequence[UUID], now: datetime) -> int:
    """Remove memories for good; how many."""
    cursor = await connection.execute(QUERIES["purge"], {"space": space, "ids": list(ids)})
    row = await cursor.fetchone()
    touch(connection, space, ids)
    await store.raise_revision(connection, space, now, knowledge=False, changes=len(ids))
    return int(row.purged) if row else 0


async def history(connection: Connection, space: str, id: UUID) -> list[HistoryEntry]:
    """Everything that happened to a memory, oldest first."""
    cursor = await connection.execute(QUERIES["history"], {"space": space, "id": id})
    return [store.history_of(row) for row in await cursor.fetchall()]
