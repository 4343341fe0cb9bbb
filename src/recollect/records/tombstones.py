"""Tombstones: what was forgotten on request, as keyed hashes, and what they bar from being derived again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from recollect.core.keyring import Key, Keyring
from recollect.db.compose import Jsonb
from recollect.db.database import Batch, Connection, Database
from recollect.db.sql import load
from recollect.records.model import Actor
from recollect.understanding import carrying
from recollect.understanding.carrying import Marks
from recollect.understanding.named import words_of

QUERIES = load("recollect.records", "tombstones.sql")

Form = Literal["memory", "message", "thread", "source", "person", "query", "everything", "deleted"]
"""What was forgotten; `deleted` is what a person deleted and was purged since: it is not learned again, no more."""

_LEARNED = "learned"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """That something was forgotten, without a word of it."""

    space: str
    id: UUID
    form: Form
    keep_raw: bool
    at: datetime
    actor: str | None
    agent_id: str | None
    counts: dict[str, int]
    """What went, in numbers."""
    marks: int
    """How many keyed hashes it bars by."""


@dataclass(frozen=True, slots=True)
class Barred:
    """One form of marks, made with one key."""

    key: Key
    form: str
    marks: frozenset[bytes]
    tombstones: Mapping[bytes, tuple[UUID, datetime]]


@dataclass(frozen=True, slots=True)
class Bars:
    """What is barred in some spaces, and texts without it. Empty where nothing was ever forgotten."""

    barred: tuple[Barred, ...] = ()
    deleted: tuple[Barred, ...] = ()
    """What a person deleted: a text may say it, and nobody learns it from there."""
    _finders: dict[datetime | None, Marks] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.barred)

    def finder(self, since: datetime | None = None) -> Marks:
        """What finds barred names and sentences; with a moment, only those of tombstones that are no older."""
        if since not in self._finders:
            self._finders[since] = Marks(lambda form, text: bool(self.found(form, text, since)))
        return self._finders[since]

    def raw_finder(self, since: datetime) -> Marks:
        """What finds passages in raw text of a moment that were there when they were forgotten."""
        forms = frozenset({"name", "first", "last", "said"})
        return Marks(lambda form, text: bool(self.found(form, text, since)), forms)

    def found(self, form: str, text: str, since: datetime | None = None) -> set[UUID]:
        """The tombstones that have a mark."""
        ids = set()
        for each in self.deleted if form == _LEARNED else self.barred:
            if each.form == form and (mark := each.key.mark(form, text)) in each.marks:
                id, at = each.tombstones[mark]
                if since is None or at >= since:
                    ids.add(id)
        return ids

    def was_deleted(self, text: str, ignored: frozenset[str] = frozenset()) -> bool:
        """Whether a person deleted what says this, whole; names of the owner are ignored."""
        return bool(self.deleted) and any(self.found(_LEARNED, each) for each in carrying.sentence_forms(text, ignored))

    def was_deleted_of(self, message: UUID | str, body: str, text: str) -> bool:
        """Whether a person deleted what was learned of the sentence of a message that comes nearest to a text."""
        return bool(self.deleted) and any(self.found(_LEARNED, each) for each in _heard(message, body, text))

    def has_row(self, id: UUID) -> bool:
        """Whether a row of this id was forgotten."""
        return bool(self.barred) and bool(self.found("row", str(id)))

    def bars(self, *texts: str | None) -> bool:
        """Whether one of some texts says something that is barred."""
        return bool(self.barred) and any(carrying.has(text, self.finder()) for text in texts)

    def told(self, text: str) -> str:
        """A text as something may be derived from it: without what is barred, and without markers."""
        bare = carrying.told(text)
        return carrying.without(bare, self.finder()) if self.barred else bare

    def keep(self, texts: Iterable[str]) -> list[str]:
        """Those of some names or labels that nothing bars."""
        return carrying.labelled(texts, self.finder(), meant=False) if self.barred else list(texts)

    def tombstones_of(self, texts: Iterable[str]) -> set[UUID]:
        """Which tombstones bar texts."""
        found: set[UUID] = set()
        for text in texts if self.barred else ():
            seen: set[tuple[str, str]] = set()
            Marks(lambda form, each, seen=seen: _noted(seen, form, each)).spans(text)  # type: ignore[misc]
            for form, each in seen:
                found |= self.found(form, each)
        return found


def learned_marks(text: str, ignored: frozenset[str]) -> list[tuple[str, str]]:
    """What a deleted memory is known by."""
    return [(_LEARNED, each) for each in carrying.sentence_forms(text, ignored)]


def heard_marks(message: UUID | str, body: str, text: str) -> list[tuple[str, str]]:
    """The same for what it was learned of: in other words it may be read from there again."""
    return [(_LEARNED, each) for each in _heard(message, body, text)]


def _heard(message: UUID | str, body: str, text: str) -> list[str]:
    return [f"{message} {' '.join(words_of(sentence))}" for sentence in carrying.nearest(body, text)]


def _noted(seen: set[tuple[str, str]], form: str, text: str) -> bool:
    seen.add((form, text))
    return False


NO_BARS = Bars()


async def bars(connection: Connection, spaces: Sequence[str], keyring: Keyring) -> Bars:
    """What is barred in spaces that the transaction may read."""
    rows = []
    for space in dict.fromkeys(spaces):
        cursor = await connection.execute(QUERIES["marks"], {"space": space})
        rows += await cursor.fetchall()
    return _bars(rows, keyring)


async def bars_in(database: Database, spaces: Sequence[str], keyring: Keyring) -> Bars:
    """The same in a transaction of its own, of one round trip."""
    batch = Batch(*dict.fromkeys(spaces))
    for space in batch.spaces:
        batch.add(QUERIES["marks"], space=space)
    return _bars([row for rows in await database.send(batch) for row in rows], keyring)


def _bars(rows: Iterable[Any], keyring: Keyring) -> Bars:
    groups: dict[tuple[str, str], dict[bytes, tuple[UUID, datetime]]] = {}
    for row in rows:
        known = groups.setdefault((row.key_id, row.form), {})
        mark, value = bytes(row.mark), (row.tombstone_id, row.at)
        known[mark] = max(known.get(mark, value), value, key=lambda each: each[1])
    if not groups:
        return NO_BARS
    barred: list[Barred] = []
    deleted: list[Barred] = []
    for (id, form), marks in groups.items():
        if form != _LEARNED:
            barred.append(Barred(keyring.find(id), form, frozenset(marks), marks))
        elif key := keyring.known(id):  # without it nothing is forgotten less: what was deleted may be learned again
            deleted.append(Barred(key, form, frozenset(marks), marks))
    return Bars(tuple(barred), tuple(deleted))


async def write_beside_others(connection: Connection, space: str) -> None:
    """Before a transaction asks what is barred, and holds any row: nothing is forgotten until it has ended."""
    await connection.execute(QUERIES["write_beside_others"], {"space": space})


async def forget_alone(connection: Connection, space: str) -> None:
    """Before a transaction looks for what it forgets: whoever writes has either ended, or sees the tombstone."""
    await connection.execute(QUERIES["forget_alone"], {"space": space})


async def bury(
    connection: Connection,
    space: str,
    id: UUID,
    form: Form,
    marks: Iterable[tuple[str, bytes]],
    key_id: str,
    now: datetime,
    actor: Actor,
    *,
    keep_raw: bool,
) -> None:
    """Put a tombstone up; from the end of the transaction on it bars."""
    values: dict[str, Any] = {"space": space, "id": id, "form": form, "keep_raw": keep_raw, "at": now}
    values |= {"actor": actor.actor, "agent_id": actor.agent_id, "counts": Jsonb({}), "waiting": Jsonb({})}
    await connection.execute(QUERIES["bury"], values)
    await add_marks(connection, space, id, marks, key_id)


async def add_marks(
    connection: Connection, space: str, id: UUID, marks: Iterable[tuple[str, bytes]], key_id: str
) -> None:
    """More that a tombstone bars by."""
    listed = sorted(set(marks))
    if listed:
        values = {"space": space, "id": id, "key_id": key_id}
        values |= {"forms": [form for form, _ in listed], "marks": [mark for _, mark in listed]}
        await connection.execute(QUERIES["mark"], values)


async def account(
    connection: Connection, space: str, id: UUID, counts: Mapping[str, int], waiting: Mapping[str, Any]
) -> None:
    """Keep what went under a tombstone, and what still has to be followed."""
    values = {"counts": Jsonb(dict(counts)), "waiting": Jsonb(dict(waiting))}
    await connection.execute(QUERIES["account"], {"space": space, "id": id, **values})


async def waiting(connection: Connection, space: str) -> dict[UUID, dict[str, Any]]:
    """What of tombstones still has to be followed."""
    cursor = await connection.execute(QUERIES["waiting"], {"space": space})
    return {row.id: row.waiting for row in await cursor.fetchall()}


async def having(connection: Connection, space: str, marks: set[tuple[str, bytes]]) -> UUID | None:
    """A tombstone that bars by all of some marks."""
    cursor = await connection.execute(QUERIES["marks"], {"space": space})
    known: dict[UUID, set[tuple[str, bytes]]] = {}
    for row in await cursor.fetchall():
        known.setdefault(row.tombstone_id, set()).add((row.form, bytes(row.mark)))
    return next((id for id, of_one in known.items() if marks and marks <= of_one), None)


async def keys(connection: Connection, space: str, keyring: Keyring) -> list[Key]:
    """The keys by which the marks of a space were made; what only bars learning may be without its own."""
    cursor = await connection.execute(QUERIES["marks"], {"space": space})
    forms: dict[str, set[str]] = {}
    for row in await cursor.fetchall():
        forms.setdefault(row.key_id, set()).add(row.form)
    found = [keyring.known(id) if forms[id] == {_LEARNED} else keyring.find(id) for id in sorted(forms)]
    return [key for key in found if key is not None]


async def newest(connection: Connection, space: str) -> UUID | None:
    """The newest tombstone of a space."""
    cursor = await connection.execute(QUERIES["newest"], {"space": space})
    row = await cursor.fetchone()
    return row.id if row else None


async def wait(connection: Connection, space: str, id: UUID, more: Mapping[str, list[str]]) -> None:
    """More of a tombstone has to be followed."""
    known = (await waiting(connection, space)).get(id, {})
    both = {name: sorted({*known.get(name, []), *more.get(name, [])}) for name in {*known, *more}}
    await connection.execute(QUERIES["await"], {"space": space, "id": id, "waiting": Jsonb(both)})


async def settle(connection: Connection, space: str, id: UUID, waiting: Mapping[str, Any]) -> None:
    """What waited was followed."""
    await connection.execute(QUERIES["settle"], {"space": space, "id": id, "waiting": Jsonb(dict(waiting))})


async def listed(connection: Connection, space: str) -> list[Tombstone]:
    """The tombstones of a space, oldest first."""
    cursor = await connection.execute(QUERIES["all"], {"space": space})
    rows = await cursor.fetchall()
    return [
        Tombstone(space, row.id, row.form, row.keep_raw, row.at, row.actor, row.agent_id, row.counts, row.marks)
        for row in rows
    ]


async def learn_again(connection: Connection, space: str, bars: Bars, texts: Iterable[str]) -> None:
    """Let texts that a person deleted be learned again: a person says them now."""
    known = {mark for each in bars.deleted for mark in each.marks}
    marks = {
        mark
        for text in texts
        for each in bars.deleted
        for form in carrying.sentence_forms(text)
        if (mark := each.key.mark(_LEARNED, form)) in known
    }
    if marks:
        await connection.execute(QUERIES["unmark"], {"space": space, "marks": sorted(marks)})


async def lift(connection: Connection, space: str, ids: Iterable[UUID]) -> list[UUID]:
    """Take tombstones away; which were there."""
    asked = {"space": space, "ids": sorted(ids)}
    await connection.execute(QUERIES["lift_marks"], asked)
    cursor = await connection.execute(QUERIES["lift"], asked)
    return [row.id for row in await cursor.fetchall()]
