"""Who may come in from outside: API keys, made and taken away by the owner, and looked at with every request.

A request costs no statement: what a secret opens is remembered for a second, which is how long a key that another
process revokes goes on opening; what this process revokes is forgotten at once. Uses are counted here and added to the
table within a second.
"""

import asyncio
import hmac
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any
from uuid import UUID

from recollect.core import check
from recollect.core.clock import Clock
from recollect.core.errors import Conflict, InvalidInput, NotAllowed, NotFound, RecollectError
from recollect.core.ids import new_id
from recollect.core.keys import Key, NewKey, digest_of, new_secret, prefix_of
from recollect.core.scope import SENSITIVITIES
from recollect.db.database import Database
from recollect.db.sql import load

QUERIES = load("recollect.governance", "admission.sql")
_REMEMBERED = 1.0
"""Seconds for which an answer of the database is taken as it was."""
_MOST_REMEMBERED = 10_000
_PAUSE = 0.5
_log = logging.getLogger("recollect.keys")


@dataclass(frozen=True, slots=True)
class _Known:
    """A key as it was read, and the hash that its secret must have."""

    key: Key
    digest: bytes
    read_at: float


@dataclass(slots=True)
class _Use:
    uses: int
    last: datetime


class Admission:
    """The keys of one database, as one process knows them."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock
        self._known: dict[str, _Known] = {}
        self._any: tuple[bool, float] | None = None
        self._used: dict[UUID, _Use] = {}
        self._counting: asyncio.Task[None] | None = None

    # What the owner does

    async def make(self, name: str, given: Mapping[str, Any]) -> NewKey:
        """Make a key."""
        values = _checked(name, given)
        secret = new_secret()
        [row] = await self._ask("make_key", id=new_id(), now=self._clock(), **values, **_kept(secret))
        self._any = None
        return NewKey(secret, _key_of(row))

    async def all(self) -> list[Key]:
        """Every key, the oldest first."""
        await self.flush()
        return [_key_of(row) for row in await self._ask("keys")]

    async def rotate(self, id: UUID) -> NewKey:
        """Another secret for a key; the former one opens nothing from now on."""
        secret = new_secret()
        rows = await self._ask("rotate_key", id=id, **_kept(secret))
        if not rows:
            raise await self._missing(id)
        self._known.clear()
        return NewKey(secret, _key_of(rows[0]))

    async def _missing(self, id: UUID) -> RecollectError:
        if any(key.id == id for key in await self.all()):
            return Conflict(f"the key {id} is revoked: make another one")
        return NotFound(f"there is no key {id}")

    async def revoke(self, id: UUID) -> Key:
        """A key that opens nothing from now on."""
        rows = await self._ask("revoke_key", id=id, now=self._clock())
        if not rows:
            raise NotFound(f"there is no key {id}")
        self._known.clear()
        return _key_of(rows[0])

    # What is asked with every request

    async def open_to_all(self) -> bool:
        """Whether no key was ever made. Revoking the last one does not open the door: it stays closed."""
        if self._any is None or monotonic() - self._any[1] > _REMEMBERED:
            [row] = await self._ask("any_key")
            self._any = (row.there, monotonic())
        return not self._any[0]

    async def check(self, secret: str) -> Key:
        """The key that a secret belongs to; NotAllowed where it opens nothing."""
        prefix = prefix_of(secret)
        known = None if prefix is None else await self._look_up(prefix)
        # The hash is compared even where there is none to compare with, so that both take equally long.
        matches = hmac.compare_digest(digest_of(secret), bytes(32) if known is None else known.digest)
        if known is None or not matches:
            _log.warning("a key was refused: %s", prefix or "it is none of ours")
            raise NotAllowed("key", "it is none of this memory's")
        if known.key.revoked_at is not None:
            _log.warning("a revoked key was refused: %s", known.key.prefix)
            raise RevokedKey(known.key)
        return known.key

    async def _look_up(self, prefix: str) -> _Known | None:
        known = self._known.get(prefix)
        if known is not None and monotonic() - known.read_at <= _REMEMBERED:
            return known
        rows = await self._ask("key_of_prefix", prefix=prefix)
        if not rows:
            self._known.pop(prefix, None)
            return None
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        self._known[prefix] = known = _Known(_key_of(rows[0]), bytes(rows[0].digest), monotonic())
        return known

    def count(self, key: Key) -> None:
        """Note that a key was used."""
        use = self._used.setdefault(key.id, _Use(0, self._clock()))
        use.uses, use.last = use.uses + 1, self._clock()
        if self._counting is None or self._counting.done():
            self._counting = asyncio.create_task(self._count_soon())

    async def _count_soon(self) -> None:
        await asyncio.sleep(_PAUSE)
        await self._write_uses()

    async def flush(self) -> None:
        """Write down the uses that wait."""
        if self._counting is not None:
            self._counting.cancel()
            with suppress(asyncio.CancelledError):
                await self._counting
        await self._write_uses()

    async def _write_uses(self) -> None:
        used, self._used = self._used, {}
        for id, use in used.items():
            try:
                await self._ask("count_use", id=id, uses=use.uses, last=use.last)
            except RecollectError as error:
                _log.warning("uses of the key %s were not counted: %s", id, error)

    async def _ask(self, statement: str, /, **values: Any) -> Sequence[Any]:
        async with self._database.owner() as owner:
            cursor = await owner.execute(QUERIES[statement], values)
            return await cursor.fetchall() if cursor.description else ()


class RevokedKey(NotAllowed):
    """A key that once opened something; it is known whose it was."""

    def __init__(self, key: Key) -> None:
        super().__init__("key", f"{key.prefix} is revoked")
        self.key = key


def _checked(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    who = {field: given[field] for field in ("user_id", "project_id", "agent_id")}
    named = {field: None if value is None else check.identifier(field, value) for field, value in who.items()}
    values = {
        "name": check.identifier("name", name),
        **named,
        "team_ids": list(check.names("team_ids", given["team_ids"])),
        "sensitivity": check.choice("sensitivity", given["sensitivity"], SENSITIVITIES),
        "admin": check.flag("admin", given["admin"]),
    }
    if not values["admin"] and not any(named.values()):
        raise InvalidInput("user_id", "a key needs a user_id, a project_id or an agent_id, or is an admin's")
    return values


def _kept(secret: str) -> dict[str, Any]:
    return {"prefix": prefix_of(secret), "digest": digest_of(secret)}


def _key_of(row: Any) -> Key:
    return Key(
        id=row.id,
        name=row.name,
        prefix=row.prefix,
        user_id=row.user_id,
        project_id=row.project_id,
        agent_id=row.agent_id,
        team_ids=tuple(row.team_ids),
        sensitivity=row.sensitivity,
        admin=row.admin,
        created_at=row.created_at,
        last_used_at=row.last_used_at,
        uses=row.uses,
        revoked_at=row.revoked_at,
    )
