"""The nightly job that lets descriptions of nodes and relations follow what was noted, and looks for twins among nodes.

Everything is read, described and embedded before a transaction begins, which writes a batch whole. What is noted
meanwhile stays marked, and is taken up the next night. One that fails does not stop the others.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.core.errors import RecollectError
from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import barring, statistics
from recollect.flows.indexing import node, passages_of, plain
from recollect.flows.parts import Parts
from recollect.graph import dirty, merges
from recollect.graph import store as graph
from recollect.graph.model import tie_text
from recollect.graph.names import NODE_KINDS, UNTYPED, may_be_one
from recollect.records import notes, relations, service, store, tombstones
from recollect.records.changes import Changes
from recollect.records.model import Actor, Note, Passage
from recollect.records.relations import STRUCTURAL, Relation
from recollect.records.tombstones import Bars
from recollect.understanding import describing
from recollect.understanding.describing import Described, Remarked, Subject, Tied
from recollect.understanding.secrets import mask

_BATCH = 64
_MOST_TIES = 6
_NEIGHBOURS = 5
_OPEN = ("low", "normal")
_ALL = (*_OPEN, "high")
_ACTOR = Actor("recollect", reason="described anew", by_hand=False)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A node or relation as it was read, and what there is to say of it."""

    id: UUID
    kind: str
    mark: UUID
    row: Any
    """Of a node the memory's row, else the relation."""
    subject: Subject
    noted: tuple[Note, ...]
    anew: bool
    """Whether something that it may quote was taken back."""


@dataclass(slots=True)
class _Ready:
    """What was made ready before the transaction."""

    waiting: _Waiting
    described: Described
    fell_back: bool = False
    passages: tuple[Passage, ...] | None = None
    """None where the text, and so its vector, stays."""


async def sweep(parts: Parts, space: str, _: datetime) -> dict[str, int]:
    """Describe what waits in a space, up to so many a night, and propose merges of what was described."""
    async with parts.database.transaction(space) as connection:
        marked = await graph.waiting(connection, space, parts.settings.descriptions_most)
    counts = Counter(seen=len(marked), changed=0, proposed=0, failed=0)
    for start in range(0, len(marked), _BATCH):
        await _batch(parts, space, marked[start : start + _BATCH], counts)
    return dict(counts)


async def _batch(parts: Parts, space: str, marked: Sequence[Any], counts: Counter[str]) -> None:
    """Describe some together; where that fails, each alone, so that one does not stop the others."""
    try:
        counts.update(await _describe(parts, space, marked))
    except Exception as error:
        if len(marked) == 1:
            _log.error("describing a %s failed: %s", marked[0].kind, type(error).__name__)
            counts["failed"] += 1
            return
        for mark in marked:
            await _batch(parts, space, [mark], counts)


@again_after_deadlock
async def _describe(parts: Parts, space: str, marked: Sequence[Any]) -> Counter[str]:
    async with parts.database.transaction(space) as connection:
        waiting = await _read(parts, connection, space, marked)
        hashes = await graph.entry_hashes(connection, space, [each.id for each in waiting if each.kind == "relation"])
        indexed = await store.indexed(connection, space, [each.id for each in waiting if each.kind != "relation"])
        newest, bars = await tombstones.newest(connection, space), await barring.bars_of(parts, connection, space)
    ready = [_unbarred(bars, await _described(parts, each)) for each in waiting]
    await _embed(parts, space, ready, hashes, indexed)
    there = {each.id for each in waiting}
    gone = {mark.target_id: mark.mark for mark in marked if mark.target_id not in there}
    async with parts.database.transaction(space) as connection:
        await barring.hold_unless_forgotten(connection, space, newest, parts.clock())
        writing = _Writing(parts, connection, space, parts.clock())
        await writing.write(ready, gone)
    return writing.counts


# Reading


async def _read(parts: Parts, connection: Connection, space: str, marked: Sequence[Any]) -> list[_Waiting]:
    """What is marked, with its notes and, of nodes, their relations; what is gone is not among it."""
    now = parts.clock()
    ids = [mark.target_id for mark in marked]
    rows: dict[UUID, Any] = {row.id: row for row in await store.get(connection, space, ids)}
    around = await relations.of(connection, space, list(rows), now, _ALL) if rows else []
    rows |= {tie.id: tie for tie in await relations.get(connection, space, ids, now)}
    noted = await notes.of(connection, space, ids, now, _ALL)
    open_notes = {note.id for note in await notes.of(connection, space, ids, now, _OPEN)}
    waiting = []
    for mark in marked:
        row = rows.get(mark.target_id)
        if row is not None and row.state != "soft_deleted":
            secret = row.sensitivity == "high"
            told = tuple(n for n in noted if n.target_id == row.id and (secret or n.id in open_notes))
            subject = _of_tie(row, told) if isinstance(row, Relation) else _of_node(row, told, around)
            if mark.anew and not row.by_hand:
                subject = replace(subject, present=None, lead=None)
            waiting.append(_Waiting(row.id, subject.kind, mark.mark, row, subject, told, mark.anew))
    return waiting


def _of_node(row: Any, noted: Sequence[Note], around: Sequence[Relation]) -> Subject:
    described_at = row.data.get("described_at", "")
    told = [tie for tie in around if tie.type not in STRUCTURAL]
    open_enough = [tie for tie in told if row.sensitivity == "high" or tie.sensitivity != "high"]
    return Subject(
        row.kind,
        row.title or row.content,
        None if row.content == row.title else row.content,
        _remarks(noted),
        tuple(_tied(row.id, tie) for tie in open_enough if row.id in (tie.from_id, tie.to_id))[:_MOST_TIES],
        row.data.get("lead"),
        sum((note.updated_at or note.created_at).isoformat() > described_at for note in noted),
    )


def _tied(id: UUID, tie: Relation) -> Tied:
    outgoing = tie.from_id == id
    return Tied(tie.type, (tie.to_name if outgoing else tie.from_name) or "", outgoing)


def _of_tie(tie: Relation, noted: Sequence[Note]) -> Subject:
    name = tie_text(tie.from_name or "", tie.type, tie.to_name or "", None)
    return Subject("relation", name, tie.description, _remarks(noted), fresh=len(noted))


def _remarks(noted: Sequence[Note]) -> tuple[Remarked, ...]:
    return tuple(Remarked(note.content, note.lifetime, note.updated_at or note.created_at) for note in noted)


# Describing


async def _described(parts: Parts, waiting: _Waiting) -> _Ready:
    """What a person wrote stays; a model is asked where there is one, and rules stand in for it."""
    if waiting.row.by_hand:
        return _Ready(waiting, Described(waiting.subject.present, waiting.subject.lead))
    try:
        if parts.model is not None and parts.model.name("consolidate") is not None:
            return _Ready(waiting, await describing.by_model(parts.model, waiting.subject))
    except RecollectError as error:
        _log.warning("a model could not describe a %s: %s", waiting.kind, type(error).__name__)
        return _Ready(waiting, await _by_rules(waiting), fell_back=True)
    return _Ready(waiting, await _by_rules(waiting))


def _unbarred(bars: Bars, ready: _Ready) -> _Ready:
    """A description, but for what is barred."""
    told = ready.described
    if bars.bars(told.text, told.lead):
        text, lead = ((each and bars.told(each)) or None for each in (told.text, told.lead))
        ready.described = replace(told, text=text, lead=lead)
    return ready


async def _by_rules(waiting: _Waiting) -> Described:
    return await asyncio.to_thread(describing.by_rules, waiting.subject)


async def _embed(
    parts: Parts, space: str, ready: Sequence[_Ready], hashes: Mapping[UUID, bytes], indexed: Mapping[UUID, int]
) -> None:
    """Search entries of new texts, and of nodes that have none; vectors of relations that say something else."""
    of_nodes = [each for each in ready if each.waiting.kind != "relation" and _is_new(each, indexed)]
    texts = [_node_text(each) for each in of_nodes]
    of_ties = [each for each in ready if each.waiting.kind == "relation"]
    texts += [plain(mask(_said(each))) for each in of_ties]
    passages = await passages_of(parts, space, texts)
    for each, made in zip([*of_nodes, *of_ties], passages, strict=True):
        if each.waiting.kind != "relation" or hashes.get(each.waiting.id) != made[0].text_hash:
            each.passages = made


def _is_new(each: _Ready, indexed: Mapping[UUID, int]) -> bool:
    row = each.waiting.row
    return _content(each) != str(row.content) or indexed.get(row.id) != row.version


def _content(each: _Ready) -> str:
    """What a node says: its description, or its name."""
    row = each.waiting.row
    return each.described.text or row.title or str(row.content)


def _node_text(each: _Ready) -> Any:
    row = each.waiting.row
    return node(row.title, _content(each), row.data.get("aliases", []))


def _said(each: _Ready) -> str:
    tie: Relation = each.waiting.row
    noted = [note.content for note in each.waiting.noted]
    return tie_text(tie.from_name or "", tie.type, tie.to_name or "", each.described.text, noted)


# Writing


@dataclass(frozen=True, slots=True)
class _Writing:
    """One batch's transaction."""

    parts: Parts
    connection: Connection
    space: str
    now: datetime
    counts: Counter[str] = field(default_factory=Counter)

    async def write(self, ready: Sequence[_Ready], gone: Mapping[UUID, UUID]) -> None:
        """All of it, as far as nobody changed what was read; then what may be one."""
        await store.raise_revision(self.connection, self.space, self.now, knowledge=False, changes=0)
        await self._ties([each for each in ready if each.waiting.kind == "relation"])
        done = await self._nodes([each for each in ready if each.waiting.kind != "relation"])
        done += [each for each in ready if each.waiting.kind == "relation"]
        followed = {each.waiting.id: each.waiting.mark for each in done if not each.fell_back}
        await dirty.clear(self.connection, self.space, followed | dict(gone))
        await self._propose([each.waiting.row for each in done if each.waiting.kind != "relation"])
        await statistics.refresh_when_due(self.connection, self.space)

    async def _ties(self, ready: Sequence[_Ready]) -> None:
        other = [each for each in ready if each.described.text != each.waiting.row.description]
        changed = {each.waiting.id: each.described.text for each in other}
        await relations.describe(self.connection, self.space, changed, self.now)
        if changed:
            lines: list[tuple[UUID, int | None]] = [(id, None) for id in changed]
            detail = {"fields": ["description"]}
            await store.tell(self.connection, self.space, self.now, "UPDATE", lines, _ACTOR, detail)
        vectors = {each.waiting.id: each.passages[0] for each in ready if each.passages}
        await graph.put_entries(self.connection, self.space, vectors)
        self.counts["changed"] += len(changed)

    async def _nodes(self, ready: Sequence[_Ready]) -> list[_Ready]:
        """Write descriptions; those nodes that were as they had been read."""
        ids = sorted(each.waiting.id for each in ready)
        await store.lock(self.connection, self.space, ids)
        rows = {row.id: row for row in await store.get(self.connection, self.space, ids)}
        mean = await store.mean_length(self.connection, self.space)
        done = []
        for each in ready:
            row = rows.get(each.waiting.id)
            if row is not None and (row.version, row.by_hand) == (each.waiting.row.version, each.waiting.row.by_hand):
                await self._node(each, row, mean)
                done.append(each)
        quoting = [each.waiting.id for each in done if each.waiting.anew and not each.waiting.row.by_hand]
        if quoting:
            await store.forget_versions(self.connection, self.space, quoting)
        return done

    async def _node(self, each: _Ready, row: Any, mean: float) -> None:
        memory = store.memory_of(row, self.now, self.parts.rules)
        text, data = _content(each), self._data(each, memory.data)
        if text != memory.content:
            changes = Changes({"content": text})
            await service.change(self.connection, memory, changes, each.passages, self.now, _ACTOR, mean, data=data)
            self.counts["changed"] += 1
        elif each.passages:
            await service.index(self.connection, memory, each.passages, self.now, mean)
        if text == memory.content and data != memory.data:
            await service.set_data(self.connection, memory, data)

    def _data(self, each: _Ready, data: dict[str, Any]) -> dict[str, Any]:
        """What is kept of how a node was described."""
        if each.waiting.row.by_hand:
            return data
        last = max((note.updated_at or note.created_at for note in each.waiting.noted), default=None)
        told = {"lead": each.described.lead, "described_at": last and last.isoformat()}
        marks = {"by_rules": True} if each.fell_back else {}
        rest = {name: value for name, value in data.items() if name not in ("lead", "described_at", "by_rules")}
        return rest | {name: value for name, value in told.items() if value} | marks

    async def _propose(self, rows: Sequence[Any]) -> None:
        """Nodes of one kind that are about the same, and whose names pass the same-fact test, may be one."""
        standing = [row for row in rows if row.state not in ("archived", "soft_deleted")]
        pairs: list[tuple[UUID, UUID, float | None]] = []
        for kind in NODE_KINDS:
            ids = [row.id for row in standing if row.kind == kind]
            pairs += await self._alike(kind, ids) if ids else []
        self.counts["proposed"] += await merges.propose(self.connection, self.space, pairs, self.now)

    async def _alike(self, kind: str, ids: Sequence[UUID]) -> list[tuple[UUID, UUID, float | None]]:
        calibration = self.parts.calibration
        near = await store.nearest(
            self.connection,
            self.space,
            ids,
            [kind],
            dimensions=self.parts.embedder.dimensions,
            least=calibration.raw(self.parts.settings.node_merge),
            most=_NEIGHBOURS,
        )
        ends = sorted({id for pair in near for id in (pair.from_id, pair.to_id)})
        rows = {row.id: row for row in await store.get(self.connection, self.space, ends)} if ends else {}
        found: list[tuple[UUID, UUID, float | None]] = []
        for pair in near:
            one, other = rows[pair.from_id], rows[pair.to_id]
            similarity = calibration.calibrated(pair.similarity)
            if _may_be_one(one, other, similarity):
                kept, gone = sorted((one, other), key=_standing)
                found.append((kept.id, gone.id, similarity))
        return found


def _standing(row: Any) -> tuple[bool, int, UUID]:
    """Which of two nodes is kept: the owner's, the one recalled more often, the older one."""
    return (not row.data.get("owner"), -row.access_count, row.id)


def _may_be_one(one: Any, other: Any, similarity: float) -> bool:
    types = {one.type, other.type} - {UNTYPED}
    return len(types) < 2 and may_be_one(one.kind, one.title or "", other.title or "", similarity)


async def tie_texts(parts: Parts, connection: Connection, space: str, ids: Sequence[UUID]) -> dict[UUID, str]:
    """What relations say, as their vectors are made of it."""
    now = parts.clock()
    noted: dict[UUID, list[str]] = {}
    for note in await notes.of(connection, space, ids, now, _OPEN):
        noted.setdefault(note.target_id, []).append(note.content)
    return {
        tie.id: mask(tie_text(tie.from_name or "", tie.type, tie.to_name or "", tie.description, noted.get(tie.id, ())))
        for tie in await relations.get(connection, space, ids, now)
    }
