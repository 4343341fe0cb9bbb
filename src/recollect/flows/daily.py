"""The daily consolidation: statements that say the same become one.

What is learned is compared with its like when it is written; what came in other words, by hand or from several
writers at once, is compared here. Nearness only proposes a pair: the same-fact test and a model that has read
paraphrases decide, or a language model. One of the two is kept as it is, with the witnesses of both; the other is
deleted, and can be restored. A day compares no more than so many pairs, and none again for a fortnight, so that a night
costs what it may.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

from recollect.core.errors import RecollectError, Unavailable
from recollect.core.terms import terms
from recollect.db.compose import SQL, Composed
from recollect.db.database import Connection, again_after_deadlock
from recollect.db.sql import load
from recollect.flows import statistics
from recollect.flows.learn import zone_of
from recollect.flows.parts import Parts
from recollect.flows.statements import named
from recollect.graph import store as nodes
from recollect.records import service, store
from recollect.records.model import Actor, Event, Memory
from recollect.understanding import sameness, with_model
from recollect.understanding.same_fact import Verdict

QUERIES = load("recollect.flows", "daily.sql")

T = TypeVar("T")
Counts = dict[str, int]
Ids = tuple[UUID, UUID]
"""The ids of a pair, the smaller one first."""

_CANDIDATES = 200
"""Statements whose neighbours are looked up together."""
_NEIGHBOURS = 8
_MOST_WITNESSES = 50
_LEVEL_THREE = 0.4
"""Importance above which the level is 3 or more."""
_LIVE = ("candidate", "active", "core")
_EVER = datetime.min.replace(tzinfo=UTC)
_OPEN = Verdict("different", "not compared yet")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements that are near, the older one first."""

    older: Memory
    newer: Memory
    similarity: float
    """Calibrated, to two places: that much of it is part of the fingerprint."""
    texts: tuple[str, str]
    """What they say, with the owner by name."""
    verdict: Verdict = _OPEN

    @property
    def ids(self) -> Ids:
        """By which the pair is known."""
        one, other = sorted((self.older.id, self.newer.id))
        return one, other


def spaces_due(parts: Parts, now: datetime) -> Composed:
    """The statement that finds the spaces with something to compare."""
    return SQL(QUERIES["spaces_due"]).format(changed_since=_changed_since(parts, now))


def _changed_since(parts: Parts, now: datetime) -> datetime:
    return now - timedelta(hours=parts.settings.daily_hours)


async def consolidate(parts: Parts, space: str, now: datetime) -> Counts:
    """Compare what may be compared today, and make one of what says the same."""
    pairs, left = await _due(parts, space, now)
    gone: set[UUID] = set()
    counts = {"seen": len(pairs), "changed": 0, "merged": 0}
    for group in _in_batches(pairs, parts.settings.daily_batch):
        waiting = [pair for pair in group if not gone.intersection(pair.ids)]
        for pair in await _judged(parts, waiting):
            if not gone.intersection(pair.ids) and (absorbed := await _settle(parts, space, pair, now)) is not None:
                gone.add(absorbed)
    counts["changed"] = counts["merged"] = len(gone)
    async with parts.database.transaction(space) as connection:
        await connection.execute(QUERIES["note_left"], {"space": space, "left": left})
        await statistics.refresh_when_due(connection, space)
    return counts


# Which pairs ------------------------------------------------------------------------------------------------------


async def _due(parts: Parts, space: str, now: datetime) -> tuple[list[Pair], bool]:
    """The pairs that today may still compare, and whether there are more."""
    s = parts.settings
    again = now - timedelta(days=s.daily_again_days)
    async with parts.database.transaction(space) as connection:
        await connection.execute(QUERIES["drop_old_checks"], {"space": space, "since": again})
        today = _midnight(now, await zone_of(parts, connection, space))
        done = await _one(connection, "checked_today", space=space, since=today)
        finding = Finding(parts, connection, space, now, again)
        pairs, most = dict[Ids, Pair](), max(0, s.daily_pairs - done.pairs)
        for some in _in_batches(await finding.candidates(), _CANDIDATES):
            for pair in await finding.pairs(some):
                pairs.setdefault(pair.ids, pair)
            if len(pairs) > most:
                break
    return list(pairs.values())[:most], len(pairs) > most


def _in_batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (items[place : place + size] for place in range(0, len(items), size))


def _midnight(now: datetime, zone: str) -> datetime:
    return now.astimezone(ZoneInfo(zone)).replace(hour=0, minute=0, second=0, microsecond=0)


async def _one(connection: Connection, name: str, **values: Any) -> Any:
    cursor = await connection.execute(QUERIES[name], values)
    return await cursor.fetchone()


@dataclass(frozen=True, slots=True)
class Finding:
    """The search for pairs in one space."""

    parts: Parts
    connection: Connection
    space: str
    now: datetime
    again: datetime | None = None
    """Since when a comparison counts; None: none does."""

    async def candidates(self) -> list[UUID]:
        """The statements that are worth a look, the newest first."""
        values = {
            "space": self.space,
            "young_since": self._young_since(),
            "changed_since": _changed_since(self.parts, self.now),
            "weighty": _LEVEL_THREE,
        }
        cursor = await self.connection.execute(QUERIES["candidates"], values)
        return [row.id for row in await cursor.fetchall()]

    def _young_since(self) -> datetime:
        """Statements that are older are not compared; whoever looks at all pairs sees those too."""
        return self.now - timedelta(days=self.parts.settings.daily_days) if self.again else _EVER

    async def pairs(self, ids: Sequence[UUID]) -> list[Pair]:
        """What of these may be said twice, and was not compared of late: the nearest first."""
        near = await self._near(ids)
        known = await self._checked(near)
        fresh = {pair: similarity for pair, similarity in near.items() if known.get(pair) != similarity}
        memories = await self._memories({id for pair in fresh for id in pair})
        owner = await nodes.owner(self.connection, self.space)
        found = list(self._proposed(fresh, memories, owner.title if owner else None))
        return sorted(found, key=lambda pair: (-pair.similarity, pair.ids))

    async def _near(self, ids: Sequence[UUID]) -> dict[Ids, float]:
        calibration = self.parts.calibration
        least = calibration.raw(self.parts.settings.merge_related)
        values = {"space": self.space, "ids": list(ids), "most": _NEIGHBOURS, "least": least}
        cursor = await self.connection.execute(QUERIES["near"], values)
        found: dict[Ids, float] = {}
        for row in await cursor.fetchall():
            one, other = sorted((row.id, row.other_id))
            found[one, other] = round(calibration.calibrated(row.similarity), 2)
        return found

    async def _checked(self, pairs: Mapping[Ids, float]) -> dict[Ids, float | None]:
        """With which similarity pairs were compared; one that was merged and restored, whatever it is now."""
        if self.again is None:
            return {}
        ids = sorted({id for pair in pairs for id in pair})
        values = {"space": self.space, "ids": ids, "since": self.again}
        cursor = await self.connection.execute(QUERIES["checked"], values)
        found: dict[Ids, float | None] = {}
        for row in await cursor.fetchall():
            pair = row.one_id, row.other_id
            found[pair] = pairs.get(pair) if row.verdict == "merged" else float(row.similarity)
        return found

    async def _memories(self, ids: set[UUID]) -> dict[UUID, Memory]:
        rows = await store.get(self.connection, self.space, sorted(ids))
        return {row.id: store.memory_of(row, self.now, self.parts.rules) for row in rows}

    def _proposed(
        self, near: Mapping[Ids, float], memories: Mapping[UUID, Memory], owner: str | None
    ) -> Iterator[Pair]:
        young = self._young_since()
        for (one, other), similarity in near.items():
            pair = [memories[id] for id in (one, other) if id in memories and _holds(memories[id])]
            if len(pair) < len((one, other)) or min(memory.created_at for memory in pair) <= young:
                continue
            older, newer = sorted(pair, key=lambda memory: (memory.happened_at, memory.id))
            told, anew = named(older.content, owner), named(newer.content, owner)
            # One that is kept from some readers cannot stand for one that is not, nor the other way round.
            if older.sensitivity == newer.sensitivity and set(terms(told)) & set(terms(anew)):
                yield Pair(older, newer, similarity, (told, anew))


def _holds(memory: Memory) -> bool:
    return memory.state in _LIVE and memory.valid_until is None and not memory.pending


# What becomes of them ---------------------------------------------------------------------------------------------


async def _judged(parts: Parts, pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs with how they stand to each other; a language model is asked of those that would be kept apart."""
    compared = await compare(pairs)
    open_ones = [pair for pair in compared if pair.verdict.relation == "different"]
    model = parts.model
    if not open_ones or model is None or model.name("judge") is None or parts.breaker.is_open(parts.clock()):
        return compared
    texts = [(pair.older.content, pair.newer.content) for pair in open_ones]
    try:
        relations = await with_model.same_facts(model, texts)
    except Unavailable as error:
        parts.breaker.trip(parts.clock(), error)
        return compared
    except RecollectError:
        return compared  # its word stands
    same = {pair.ids for pair, relation in zip(open_ones, relations, strict=True) if relation == "same"}
    said = Verdict("same", "the model takes them for the same")
    return [replace(pair, verdict=said) if pair.ids in same else pair for pair in compared]


async def compare(pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs with what the test and the model of paraphrases say of them."""
    return await asyncio.to_thread(lambda: list(map(_compared, pairs)))


def _compared(pair: Pair) -> Pair:
    return replace(pair, verdict=sameness.judge(*pair.texts, similarity=pair.similarity))


@again_after_deadlock
async def _settle(parts: Parts, space: str, pair: Pair, now: datetime) -> UUID | None:
    """One transaction: what the comparison came to, and that it was made; which statement went into the other."""
    async with parts.database.transaction(space) as connection:
        await store.raise_revision(connection, space, now, knowledge=False, changes=0)
        await store.lock(connection, space, list(pair.ids))
        rows = {row.id: row for row in await store.get(connection, space, list(pair.ids))}
        memories = {id: store.memory_of(row, now, parts.rules) for id, row in rows.items()}
        if any(_has_changed(memories.get(each.id), each) for each in (pair.older, pair.newer)):
            return None
        kept, gone = _sides(pair, memories)
        merges = pair.verdict.relation == "same" and not _would_miss(gone, kept)
        if merges:
            await _unite(parts, connection, kept, gone, pair, now)
        await _note(connection, space, pair, "merged" if merges else _verdict(pair), now)
    return gone.id if merges else None


def _has_changed(memory: Memory | None, seen: Memory) -> bool:
    return memory is None or not _holds(memory) or memory.version != seen.version


def _sides(pair: Pair, memories: Mapping[UUID, Memory]) -> tuple[Memory, Memory]:
    """Which one is kept: what a person holds dear or wrote, then what says more, then what was known first."""
    older, newer = memories[pair.older.id], memories[pair.newer.id]

    def worth(memory: Memory) -> tuple[bool, ...]:
        fuller = memory is (older if pair.verdict.fuller == "older" else newer)
        return (memory.pinned, memory.ttl_policy == "keep_forever", memory.by_hand, fuller)

    return (newer, older) if worth(newer) > worth(older) else (older, newer)


def _would_miss(gone: Memory, kept: Memory) -> bool:
    """Whether somebody would miss it: it is to stay, or carries what a caller put on it and the other does not have."""
    if gone.pinned or gone.ttl_policy == "keep_forever":
        return True
    return not (gone.metadata.items() <= kept.metadata.items() and set(gone.tags) <= set(kept.tags))


def _verdict(pair: Pair) -> str:
    return "contradicts" if pair.verdict.relation == "contradicts" else "different"


async def _unite(parts: Parts, connection: Connection, kept: Memory, gone: Memory, pair: Pair, now: datetime) -> None:
    reason = f"{pair.verdict.reason} (similarity {pair.similarity:.2f})"
    actor = Actor("recollect", reason=reason, by_hand=False)
    witnesses = {name: _both(kept, gone, name) for name in ("messages", "evidence")}
    data = kept.data | {name: values for name, values in witnesses.items() if values}
    await service.unite(connection, kept, gone, data, now, actor, purge_days=parts.settings.purge_days)


def _both(kept: Memory, gone: Memory, name: str) -> list[str]:
    """The witnesses of both, each once."""
    return list(dict.fromkeys([*gone.data.get(name, []), *kept.data.get(name, [])]))[-_MOST_WITNESSES:]


async def _note(connection: Connection, space: str, pair: Pair, verdict: str, now: datetime) -> None:
    one, other = pair.ids
    values = {"one": one, "other": other, "similarity": pair.similarity, "verdict": verdict}
    await connection.execute(QUERIES["note_check"], {"space": space, "now": now} | values)
    if verdict != "merged":
        event = Event("worker", "merge", "skipped", other, pair.newer.category, similarity=pair.similarity)
        await store.record_events(connection, space, [event], now)
