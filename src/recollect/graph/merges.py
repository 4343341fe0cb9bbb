"""Making two nodes one, and parting them again.

The kept node gets the names, mentions, relations, notes and evidence of the other one, which is archived and says into
which it went. All that is moved is listed, and goes back if the merge is undone; what was written since stays with the
node that was kept. A relation that both had stays where it is, and what speaks for it, or is noted on it, is handed to
the one that holds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.core.errors import Conflict, NotFound
from recollect.core.ids import new_id, new_ids
from recollect.core.terms import term_counts
from recollect.db.compose import Jsonb
from recollect.db.database import Connection, touch
from recollect.db.sql import load
from recollect.graph import dirty, store
from recollect.graph.model import Merge, canonical, node_words
from recollect.graph.names import MOST_ALIASES
from recollect.graph.store import Key
from recollect.records import notes
from recollect.records import store as records
from recollect.records.model import Actor

QUERIES = load("recollect.graph", "merges.sql")

STATUSES = ("proposed", "merged", "refused", "undone")


@dataclass(frozen=True, slots=True)
class Desk:
    """What every merge needs: the transaction, its space and moment, who does it, and the zone of the days."""

    connection: Connection
    space: str
    now: datetime
    actor: Actor
    zone: str = "UTC"

    @property
    def by(self) -> str:
        """Who decides."""
        return self.actor.agent_id or self.actor.actor or "recollect"


async def propose(
    connection: Connection, space: str, pairs: Sequence[tuple[UUID, UUID, float | None]], now: datetime
) -> int:
    """Pairs of nodes, the one to keep first, that may be one; how many nobody had thought of. The space is held."""
    once = {frozenset(pair[:2]): pair for pair in reversed(pairs)}
    if not once:
        return 0
    ids = sorted({id for pair in once for id in pair})
    for row in await _all(connection, "known_pairs", space=space, ids=ids):
        once.pop(frozenset((row.kept_id, row.gone_id)), None)
    if not once:
        return 0
    values = {
        "ids": new_ids(len(once)),
        "kept": [kept for kept, _, _ in once.values()],
        "gone": [gone for _, gone, _ in once.values()],
        "similarities": [similarity for _, _, similarity in once.values()],
    }
    cursor = await connection.execute(QUERIES["propose"], {"space": space, "now": now} | values)
    return max(0, cursor.rowcount)


async def listed(
    connection: Connection, space: str, status: str | None, sensitivity: Sequence[str], id: UUID | None = None
) -> list[Merge]:
    """Merges of a status, or all, of nodes that may be seen."""
    asked = {"space": space, "status": status, "sensitivity": list(sensitivity)}
    cursor = await connection.execute(QUERIES["listed"], asked)
    return [_merge_of(row) for row in await cursor.fetchall() if id is None or row.id == id]


def _merge_of(row: Any) -> Merge:
    return Merge(
        row.id,
        row.status,
        row.kept_id,
        row.kept_name,
        row.gone_id,
        row.gone_name,
        row.kind,
        row.similarity,
        row.proposed_at,
        row.decided_at,
        row.decided_by,
    )


async def find(connection: Connection, space: str, id: UUID) -> Any:
    """The row of a merge, held; None where there is none."""
    return await _one(connection, "get", space=space, id=id)


async def was_parted(connection: Connection, space: str, one: UUID, other: UUID) -> bool:
    """Whether somebody has said that two nodes are not one."""
    return await _one(connection, "ever", space=space, one=one, other=other) is not None


async def refuse(desk: Desk, row: Any) -> None:
    """The two are not one, and it is not asked again."""
    await _decide(desk, row.id, row.kept_id, row.gone_id, "refused", {})


async def _decide(desk: Desk, id: UUID, kept: UUID, gone: UUID, status: str, moved: Mapping[str, Any]) -> None:
    values = {"id": id, "kept": kept, "gone": gone, "status": status, "moved": Jsonb(moved), "by": desk.by}
    await desk.connection.execute(QUERIES["decide"], {"space": desk.space, "now": desk.now} | values)


async def _one(connection: Connection, name: str, **values: Any) -> Any | None:
    cursor = await connection.execute(QUERIES[name], values)
    return await cursor.fetchone()


async def merge(desk: Desk, kept: UUID, gone: UUID) -> UUID:
    """Make two nodes one; the merge. The space is held by the caller."""
    await records.lock(desk.connection, desk.space, sorted([kept, gone]))
    rows = {row.id: row for row in await records.get(desk.connection, desk.space, [kept, gone])}
    for id in (kept, gone):
        refuse_absent(rows.get(id), id)
    before = await _one(desk.connection, "of_pair", space=desk.space, one=kept, other=gone)
    work = _Merging(desk, rows[kept], rows[gone])
    id = before.id if before is not None else new_id()
    await _decide(desk, id, kept, gone, "merged", await work.merge(id))
    return id


def refuse_absent(row: Any | None, id: UUID) -> None:
    """Nodes that are gone, or stand for nothing any more, cannot be merged or written to."""
    if row is None:
        raise NotFound(f"there is no node {id}")
    if into := row.data.get("merged_into"):
        raise Conflict(f"node {id} was merged into {into}")
    if row.state == "soft_deleted":
        raise Conflict(f"node {id} is deleted: restore it first")


@dataclass(slots=True)
class _Merging:
    """One merge."""

    desk: Desk
    kept: Any
    gone: Any
    moved: dict[str, Any] = field(default_factory=dict)

    async def merge(self, id: UUID) -> dict[str, Any]:
        """Move everything; the list of it."""
        desk = self.desk
        names = await store.names_of(desk.connection, desk.space, [self.gone.id])
        await store.give_names(desk.connection, desk.space, self.gone.id, self.kept.id)
        self.moved["names"] = [list(key) for key in names[self.gone.id]]
        self.moved["description"] = self.kept.content
        await self._relations()
        passed = await notes.retarget(desk.connection, desk.space, {self.gone.id: self.kept.id})
        self.moved["notes"] = [str(note) for note, _ in passed]
        await self._call()
        self.moved["state"] = await records.put_away(desk.connection, desk.space, self.gone.id, "archived")
        await store.recount(desk.connection, desk.space, [self.kept.id], desk.zone)
        await store.uncount(desk.connection, desk.space, [self.gone.id])
        await dirty.drop(desk.connection, desk.space, [self.gone.id])
        await dirty.mark(desk.connection, desk.space, {self.kept.id: self.kept.kind}, desk.now)
        await self._tell(id)
        return self.moved

    async def _relations(self) -> None:
        desk = self.desk
        ends = {"kept": self.kept.id, "gone": self.gone.id}
        cursor = await desk.connection.execute(QUERIES["relations_of"], {"space": desk.space} | ends)
        rows = await cursor.fetchall()
        sorted_out = _sort_out(rows, self.kept.id, self.gone.id)
        turned = {"from": self.gone.id, "to": self.kept.id, "space": desk.space}
        for name, ids in (("turn_from", sorted_out.outgoing), ("turn_to", sorted_out.incoming)):
            if ids:
                await desk.connection.execute(QUERIES[name], turned | {"ids": ids})
                touch(desk.connection, desk.space, map(UUID, map(str, ids)))
        self.moved["outgoing"] = [str(id) for id in sorted_out.outgoing]
        self.moved["incoming"] = [str(id) for id in sorted_out.incoming]
        await _mark_tied(desk, [row.from_id for row in rows if row.id in set(sorted_out.incoming)])
        self.moved["evidence"] = await self._evidence(sorted_out.twins)
        passed = await notes.retarget(desk.connection, desk.space, sorted_out.twins)
        self.moved["tie_notes"] = [[str(note), str(old), str(sorted_out.twins[old])] for note, old in passed]

    async def _evidence(self, twins: Mapping[UUID, UUID]) -> list[list[str]]:
        """What speaks for a relation that both had speaks for the one that holds; what was moved."""
        if not twins:
            return []
        asked = {"space": self.desk.space, "ids": [*twins, *twins.values()]}
        cursor = await self.desk.connection.execute(QUERIES["evidence_of"], asked)
        pairs = [(row.memory_id, row.relation_id) for row in await cursor.fetchall()]
        known = set(pairs)
        moves = [(m, old, twins[old]) for m, old in pairs if old in twins and (m, twins[old]) not in known]
        moves = list({(m, new): (m, old, new) for m, old, new in reversed(moves)}.values())
        await _turn_evidence(self.desk, moves)
        return [[str(id) for id in move] for move in moves]

    async def _call(self) -> None:
        """The kept node goes by all names of both."""
        known = list(self.kept.data.get("aliases", []))
        heard = {canonical(name) for name in [self.kept.title, *known]}
        added = [name for name in [self.gone.title, *self.gone.data.get("aliases", [])] if canonical(name) not in heard]
        self.moved["aliases"] = added
        aliases = list(dict.fromkeys([*known, *added]))[: 2 * MOST_ALIASES]
        data = {
            self.kept.id: self.kept.data | {"aliases": aliases},
            self.gone.id: self.gone.data | {"merged_into": str(self.kept.id)},
        }
        await records.set_data(self.desk.connection, self.desk.space, data)
        await reword(self.desk.connection, self.kept, aliases)

    async def _tell(self, id: UUID) -> None:
        desk = self.desk
        for one, detail in (
            (self.kept, {"merge": str(id), "merged": str(self.gone.id)}),
            (self.gone, {"merge": str(id), "into": str(self.kept.id)}),
        ):
            await records.tell(desk.connection, desk.space, desk.now, "MERGE", [(one.id, None)], desk.actor, detail)


@dataclass(frozen=True, slots=True)
class _Sorted:
    outgoing: list[UUID]
    incoming: list[UUID]
    twins: dict[UUID, UUID]
    """Relations of the one that goes that the kept one has too: its own version."""


def _sort_out(rows: Sequence[Any], kept: UUID, gone: UUID) -> _Sorted:
    """Which relations go over. Those between the two stay, as they would tie a node to itself."""

    def as_kept(row: Any) -> Key | tuple[UUID, UUID, str]:
        return (kept if row.from_id == gone else row.from_id, kept if row.to_id == gone else row.to_id, row.type)

    own = [row for row in rows if gone not in (row.from_id, row.to_id)]
    theirs = [row for row in rows if gone in (row.from_id, row.to_id)]
    found = _Sorted([], [], {})
    for row in theirs:
        key = as_kept(row)
        if key[0] == key[1]:
            continue
        twin = next((other for other in own if _are_twins(key, row, other)), None)
        if twin is not None:
            found.twins[row.id] = twin.id
        else:
            (found.outgoing if row.from_id == gone else found.incoming).append(row.id)
    return found


def _are_twins(key: tuple[Any, ...], row: Any, other: Any) -> bool:
    """Whether two versions cannot stand side by side: both hold, began on one day, or mention once for all."""
    if key != (other.from_id, other.to_id, other.type):
        return False
    lasting = row.type in ("mentions", "related_to")
    return lasting or row.starts_on == other.starts_on or (row.valid_until is None and other.valid_until is None)


async def _mark_tied(desk: Desk, ids: Sequence[UUID]) -> None:
    """Those who stand in a relation to a node say its name in their descriptions."""
    if ids:
        tied = await store.kinds_of(desk.connection, desk.space, ids)
        await dirty.mark(desk.connection, desk.space, tied, desk.now)


async def _turn_evidence(desk: Desk, moves: Sequence[tuple[UUID, UUID, UUID]]) -> None:
    if moves:
        values = {name: [move[place] for move in moves] for place, name in enumerate(("memories", "olds", "news"))}
        await desk.connection.execute(QUERIES["turn_evidence"], {"space": desk.space} | values)


async def reword(connection: Connection, row: Any, aliases: Sequence[str]) -> None:
    """A node is found by these names from now on."""
    counts = term_counts(row.space_id, node_words(row.title, row.content, aliases))
    await records.reword(
        connection, row.space_id, {row.id: counts}, await records.mean_length(connection, row.space_id)
    )


async def part(desk: Desk, row: Any) -> tuple[Any, Any]:
    """Undo a merge; the rows of both nodes as they were before that. The space is held by the caller."""
    await records.lock(desk.connection, desk.space, sorted([row.kept_id, row.gone_id]))
    rows = {each.id: each for each in await records.get(desk.connection, desk.space, [row.kept_id, row.gone_id])}
    kept, gone = rows.get(row.kept_id), rows.get(row.gone_id)
    if kept is None or gone is None:
        raise NotFound(f"merge {row.id}: one of its nodes is gone for good")
    if into := kept.data.get("merged_into"):
        [after] = await _all(desk.connection, "into", space=desk.space, id=kept.id)
        raise Conflict(f"node {kept.id} was merged into {into} since: undo merge {after.id} first")
    await _Parting(desk, kept, gone, row.moved).part()
    await _decide(desk, row.id, row.kept_id, row.gone_id, "undone", row.moved)
    return kept, gone


async def _all(connection: Connection, name: str, **values: Any) -> list[Any]:
    cursor = await connection.execute(QUERIES[name], values)
    return await cursor.fetchall()


@dataclass(frozen=True, slots=True)
class _Parting:
    """One merge that is undone: what was moved goes back, as far as the kept node still has it."""

    desk: Desk
    kept: Any
    gone: Any
    moved: Mapping[str, Any]

    async def part(self) -> None:
        """Everything back."""
        desk = self.desk
        await self._relations()
        back = {UUID(note): self.gone.id for note in self.moved["notes"]}
        await notes.hand_back(desk.connection, desk.space, back, [self.kept.id])
        await self._names()
        await records.put_away(desk.connection, desk.space, self.gone.id, self._state())
        await store.recount(desk.connection, desk.space, [self.kept.id, self.gone.id], desk.zone)
        marked = {self.kept.id: self.kept.kind, self.gone.id: self.gone.kind}
        await dirty.mark(desk.connection, desk.space, marked, desk.now)
        lines: list[tuple[UUID, int | None]] = [(self.kept.id, None), (self.gone.id, None)]
        await records.tell(desk.connection, desk.space, desk.now, "RESTORE", lines, desk.actor, {"parted": True})

    def _state(self) -> str:
        """The state before the merge; one that was deleted since stays so."""
        return str(self.moved["state"] if self.gone.state == "archived" else self.gone.state)

    async def _relations(self) -> None:
        desk = self.desk
        turned = {"from": self.kept.id, "to": self.gone.id, "space": desk.space}
        for name, ids in (("turn_from", self.moved["outgoing"]), ("turn_to", self.moved["incoming"])):
            if ids:
                await desk.connection.execute(QUERIES[name], turned | {"ids": ids})
                touch(desk.connection, desk.space, map(UUID, map(str, ids)))
        tied = await _all(desk.connection, "starts", space=desk.space, ids=self.moved["incoming"])
        await _mark_tied(desk, [row.from_id for row in tied])
        moves = [(UUID(m), UUID(new), UUID(old)) for m, old, new in self.moved["evidence"]]
        await _turn_evidence(desk, moves)
        back = {UUID(note): UUID(old) for note, old, _ in self.moved["tie_notes"]}
        holders = [UUID(new) for _, _, new in self.moved["tie_notes"]]
        await notes.hand_back(desk.connection, desk.space, back, holders)

    async def _names(self) -> None:
        """Both go by their own names again; one that the kept node is called by stays with it."""
        desk = self.desk
        canonicals = {self.kept.data.get("canonical")}
        theirs = [name for _, _, name in self.moved["names"] if name not in canonicals]
        await store.give_names(desk.connection, desk.space, self.kept.id, self.gone.id, theirs)
        name = self.gone.data.get("canonical")
        if name in canonicals:
            name = await self._other_name(str(name))
        added = {canonical(alias) for alias in self.moved["aliases"]}
        aliases = [alias for alias in self.kept.data.get("aliases", []) if canonical(alias) not in added]
        gone = {key: value for key, value in self.gone.data.items() if key != "merged_into"} | {"canonical": name}
        data = {self.kept.id: self.kept.data | {"aliases": aliases}, self.gone.id: gone}
        await records.set_data(desk.connection, desk.space, data)
        await reword(desk.connection, self.kept, aliases)

    async def _other_name(self, name: str) -> str:
        """A name for a node whose own belongs to another one for good: the first that is free."""
        kind, type = self.gone.kind, (self.gone.type or "")
        number = 2
        while not await store.claim(
            self.desk.connection, self.desk.space, {(kind, type, f"{name}-{number}"): self.gone.id}
        ):
            number += 1
        return f"{name}-{number}"
