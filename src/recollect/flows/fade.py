"""The nightly jobs of the lifecycle: decay, consolidation, forgetting, purge, expired notes, old log lines, leftovers.

Each finds the spaces that have something due (as the owner, in one statement), then works space by space as the
application role: safe to run twice, and a space that fails does not stop the others.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from recollect.conversation.service import INDEX_TASK
from recollect.db.compose import SQL, Composed
from recollect.db.database import Connection, touch
from recollect.db.sql import load
from recollect.flows import (
    burying,
    daily,
    descriptions,
    ingest,
    ingesting,
    insights,
    learn,
    macros,
    migrate,
    profiling,
    projecting,
    promote,
    source_consolidation,
    statistics,
    storylines,
    talks,
    teams,
    unlearn,
)
from recollect.flows.parts import Parts
from recollect.governance.spend import paid_by
from recollect.graph import service as graph
from recollect.queue import enqueue_on
from recollect.records import notes, service, store
from recollect.records.kinds import EPISODIC_KINDS, FORGETTABLE_KINDS
from recollect.records.model import Actor
from recollect.replays import store as replays

QUERIES = load("recollect.records", "lifecycle.sql")

Counts = dict[str, int]
Progress = Callable[[int, int], None]

_BATCH = 1_000
_EXPIRY = Actor("recollect", reason="note expired", by_hand=False)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A job over all spaces: how those with something due are found, and what is done in one."""

    spaces: str | Callable[[Parts, datetime], Composed]
    """The name of a statement in `lifecycle.sql`, or what makes one."""
    work: Callable[[Parts, str, datetime], Awaitable[Mapping[str, int]]]


_progress: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def reporting(progress: Progress | None) -> Iterator[None]:
    """Sweeps begun inside tell `progress` how many spaces are done, of how many."""
    token = _progress.set(progress)
    try:
        yield
    finally:
        _progress.reset(token)


async def run(parts: Parts, name: str) -> Counts:
    """Run a sweep now, over every space that has something due."""
    sweep, now = SWEEPS[name], parts.clock()
    async with parts.database.owner() as owner:
        cursor = await owner.execute(_finding(parts, sweep, now), {})
        spaces = [row.space_id for row in await cursor.fetchall()]
    total: Counts = {"spaces": len(spaces), "seen": 0, "changed": 0, "archived": 0, "merged": 0, "failed": 0}
    for done, space in enumerate(spaces, start=1):
        try:
            with paid_by(space):
                counts = await sweep.work(parts, space, now)
            for key, value in counts.items():
                total[key] = total.get(key, 0) + value
        except Exception as error:
            # Whatever it is, it is that space's own: the others go on. Its text may hold words of a memory.
            _log.error("%s failed in one space: %s", name, type(error).__name__)
            total["failed"] += 1
        if progress := _progress.get():
            progress(done, len(spaces))
    return total


def _finding(parts: Parts, sweep: Sweep, now: datetime) -> Composed:
    """The statement that finds the spaces with something due."""
    return _statement(parts, sweep.spaces, now) if isinstance(sweep.spaces, str) else sweep.spaces(parts, now)


def _statement(parts: Parts, name: str, now: datetime, space: str | None = None) -> Composed:
    """A statement with every condition and value written in, for the owner and the application alike."""
    s = parts.settings
    idle_since, ended_before = promote.limits(parts, now)
    values = {
        "space": space,
        "now": now,
        "changes_before": now - timedelta(days=s.change_log_days),
        "events_before": now - timedelta(days=s.event_days),
        "replays_before": now - timedelta(days=s.purge_days),
        "idle_since": idle_since,
        "ended_before": ended_before,
        "silent_since": talks.idle_since(parts, now),
    }
    text = QUERIES[name]
    for key in values:
        text = text.replace(f"%({key})s", "{" + key + "}")
    return SQL(text).format(
        decay_due=_decay_due(parts, now),
        consolidation_due=_consolidation_due(parts, now),
        forgetting_due=_forgetting_due(parts, now),
        **values,
    )


# Never touched by a job: what a person pinned, keeps forever, or added or edited by hand.
_FREE = SQL(
    "not u.pinned and not u.by_hand and not u.ttl_policy = 'keep_forever'"
    " and u.state in ('candidate', 'active', 'core')"
)


def _decay_due(parts: Parts, now: datetime) -> Composed:
    s = parts.settings
    return SQL(
        "not pinned and not ttl_policy = 'keep_forever' and state in ('candidate', 'active', 'core') and ("
        " ttl_policy = 'decay' and kind = any ({kinds}::text[]) and salience_at({now}, salience, salience_at, state,"
        " ttl_policy, confidence, recall_frequency, decay_gradient, {rate}, {confident}) < {below}"
        " or ttl_policy = 'ephemeral' and stored_at <= {now}::timestamptz - make_interval(secs => 86400 *"
        " case when kind = any ({episodic}::text[]) then {episodic_days} else {semantic_days} end))"
    ).format(
        now=now,
        kinds=[*s.decay_kinds, "relation"],
        rate=s.decay_rate,
        confident=s.decay_confident,
        below=s.archive_below,
        episodic=list(EPISODIC_KINDS),
        episodic_days=s.ephemeral_episodic_days,
        semantic_days=s.ephemeral_semantic_days,
    )


def _consolidation_due(parts: Parts, now: datetime) -> Composed:
    """Milestones and pending statements, or every statement if so set; never a chunk of a conversation."""
    s = parts.settings
    return SQL(
        "{free} and (u.kind = 'episode' and m.type is not null and not m.type = 'chunk'"
        " or u.kind = 'statement' and (u.pending or {all}))"
        " and u.stored_at <= {now}::timestamptz - make_interval(secs => 86400 * {days})"
        " and u.importance * least(1, power(0.5, greatest(0, extract(epoch from {now} - u.stored_at)) / 86400 / {half})"
        " + least(0.1 * u.access_count, 0.5)) < {below}"
    ).format(
        free=_FREE,
        all=s.consolidation_all,
        now=now,
        days=s.consolidation_days,
        half=s.recency_half_life_days,
        below=s.consolidation_below,
    )


def _forgetting_due(parts: Parts, now: datetime) -> Composed:
    s = parts.settings
    return SQL(
        "not pinned and not by_hand and not ttl_policy = 'keep_forever' and not state = 'soft_deleted'"
        " and kind = any ({kinds}::text[]) and importance < {below}"
        " and coalesce(last_accessed_at, stored_at) <= {now}::timestamptz - make_interval(secs => 86400 * {days})"
    ).format(kinds=list(FORGETTABLE_KINDS), below=s.forgetting_below, now=now, days=s.forgetting_days)


async def _archive(parts: Parts, space: str, now: datetime, name: str) -> Counts:
    async with parts.database.transaction(space) as connection:
        cursor = await connection.execute(_statement(parts, name, now, space), {})
        moved = [row.memory_id for row in await cursor.fetchall()]
        touch(connection, space, moved)
        archived = len(moved)
        await statistics.count_changes(connection, space, now, archived)
    return {"seen": archived, "changed": archived, "archived": archived}


async def _decay(parts: Parts, space: str, now: datetime) -> Counts:
    return await _archive(parts, space, now, "decay")


async def _consolidate(parts: Parts, space: str, now: datetime) -> Counts:
    return await _archive(parts, space, now, "consolidate")


async def _ids(connection: Any, parts: Parts, name: str, now: datetime, space: str) -> list[Any]:
    cursor = await connection.execute(_statement(parts, name, now, space), {})
    return [row.id for row in await cursor.fetchall()]


async def _forget(parts: Parts, space: str, now: datetime) -> Counts:
    async with parts.database.transaction(space) as connection:
        ids = await _ids(connection, parts, "forgettable", now, space)
        deleted = await service.soft_delete(
            connection,
            space,
            ids,
            now,
            Actor("recollect", reason="forgetting", by_hand=False),
            purge_days=parts.settings.purge_days,
            event="soft_deleted",
        )
        await statistics.refresh_when_due(connection, space)
    return {"seen": len(ids), "changed": len(deleted), "soft_deleted": len(deleted)}


async def _purge(parts: Parts, space: str, now: datetime) -> Counts:
    names = await burying.names_of_owner(parts, space)
    async with parts.database.transaction(space) as connection:
        ids = await _ids(connection, parts, "purgeable", now, space)
        rows = await store.get(connection, space, ids)
        told = await _unlearn_sources(parts, connection, space, rows, now)
        await burying.bury_deleted(parts, connection, space, rows, names, now)
        purged = 0
        for start in range(0, len(ids), _BATCH):
            purged += await service.purge(connection, space, ids[start : start + _BATCH], now)
        if told:
            await unlearn.follow(connection, space)
            await teams.tell_members(connection, space)
        await statistics.refresh_when_due(connection, space)
    return {"seen": len(ids), "changed": purged, "purged": purged}


async def _unlearn_sources(
    parts: Parts, connection: Connection, space: str, rows: Sequence[Any], now: datetime
) -> bool:
    """What only sources taught that are purged goes too; whether there are such."""
    along = [row.id for row in rows if row.kind in ("source", "chunk")]
    if along:
        await unlearn.unlearn(connection, space, along, await learn.zone_of(parts, connection, space), now)
    return bool(along)


async def _removed(parts: Parts, space: str, now: datetime, name: str) -> Counts:
    async with parts.database.transaction(space) as connection:
        cursor = await connection.execute(_statement(parts, name, now, space), {})
        row = await cursor.fetchone()
    removed = int(row.removed) if row else 0
    return {"seen": removed, "changed": removed, "removed": removed}


async def _retain(parts: Parts, space: str, now: datetime) -> Counts:
    """What is kept for a time only: lines of logs, replays, chunks of sections, versions that ended."""
    lines, chunks = await _removed(parts, space, now, "drop_old_lines"), await promote.retain(parts, space, now)
    async with parts.database.transaction(space) as connection:
        # They quote memories that may be purged by then.
        gone = await replays.drop_old(connection, space, now - timedelta(days=parts.settings.purge_days))
    lines = {key: count + gone for key, count in lines.items()}
    return {key: lines.get(key, 0) + chunks.get(key, 0) for key in lines | chunks}


async def _drop_notes(parts: Parts, space: str, now: datetime) -> Counts:
    """Notes past their life; what they were on is told of it, and described anew."""
    async with parts.database.transaction(space) as connection:
        await store.raise_revision(connection, space, now, knowledge=False, changes=0)
        removed = await notes.drop_expired(connection, space, now)
        targets = sorted({note.target_id for note in removed})
        if targets:
            lines: list[tuple[UUID, int | None]] = [(id, None) for id in targets]
            await store.tell(connection, space, now, "TTL", lines, _EXPIRY, {"fields": ["notes"]})
            await graph.mark(connection, space, targets, now)
    return {"seen": len(removed), "changed": len(removed), "removed": len(removed)}


async def _catch_up(parts: Parts, space: str, now: datetime) -> Counts:
    """Messages or sources wait and no job knows of them: a coordinator that crashes between two commits leaves such,
    and so does a job that was given up."""
    async with parts.database.transaction(space) as connection:
        for task in sorted((INDEX_TASK, ingest.TASK, ingesting.AGAIN)):
            await enqueue_on(connection, task, space)
    return {"seen": 1}


SWEEPS: dict[str, Sweep] = {
    "decay": Sweep("spaces_to_decay", _decay),
    "descriptions": Sweep("spaces_to_describe", descriptions.sweep),
    "note_cleanup": Sweep("spaces_with_expired_notes", _drop_notes),
    "consolidation": Sweep("spaces_to_consolidate", _consolidate),
    "daily_consolidation": Sweep(daily.spaces_due, daily.consolidate),
    "theory_of_mind": Sweep(insights.spaces_due, insights.observe),
    "forgetting": Sweep("spaces_to_forget_in", _forget),
    "purge": Sweep("spaces_to_purge", _purge),
    "consent_expiry": Sweep("spaces_with_lapsing_proposals", profiling.lapse),
    "migration": Sweep("spaces_to_migrate", migrate.sweep),
    "conversation_sources": Sweep("spaces_to_source", talks.sweep),
    "promotion": Sweep("spaces_to_promote_in", promote.sweep),
    "retention": Sweep("spaces_with_old_lines", _retain),
    "storyline_promotion": Sweep(storylines.spaces_to_promote_in, storylines.promote),
    "storyline_refresh": Sweep(storylines.spaces_to_refresh_in, storylines.refresh),
    "macro_promotion": Sweep(macros.spaces_to_promote_in, macros.promote),
    "macro_refresh": Sweep(macros.spaces_to_refresh_in, macros.refresh),
    "source_consolidation": Sweep(source_consolidation.spaces_to_consolidate_in, source_consolidation.consolidate),
    "projection": Sweep(projecting.spaces_behind, projecting.sweep),
    "catch_up": Sweep("spaces_with_waiting_turns", _catch_up),
}
