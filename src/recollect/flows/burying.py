"""What a person deleted stays away when it is purged: keyed hashes bar it from being learned again.

Raw texts stay, and so does what else they teach; whoever adds it by hand may. What faded by itself leaves no such mark:
said again, it is learned again.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.conversation.store import QUERIES as MESSAGES
from recollect.core.errors import Unavailable
from recollect.core.ids import new_id
from recollect.db.database import Connection
from recollect.flows.barring import LEARNED_KINDS
from recollect.flows.parts import Parts
from recollect.flows.reading import known_owner
from recollect.records import tombstones
from recollect.records.model import Actor

_log = logging.getLogger(__name__)

_WRITER = Actor("recollect", reason="purged", by_hand=False)


async def names_of_owner(parts: Parts, space: str) -> frozenset[str]:
    """The words of the names of whose space it is."""
    kind, _, user = space.partition(":")
    return (await known_owner(parts, space, user if kind == "user" else None)).words


async def bury_deleted(
    parts: Parts, connection: Connection, space: str, rows: Sequence[Any], names: frozenset[str], now: datetime
) -> None:
    """Mark what a person deleted, of memories that are about to be purged; the owner's names say nothing in it."""
    deleted = [row for row in rows if row.kind in LEARNED_KINDS and row.by_hand and "same_as" not in row.data]
    if not deleted:
        return
    try:
        key = parts.keyring.current()
    except (OSError, Unavailable) as error:
        # The purge is owed to whoever deleted it; that it stays away comes second.
        _log.warning("what is purged may be learned again: no key can be kept: %s", type(error).__name__)
        return
    bodies = await _bodies(connection, space, deleted)
    marks = {(form, key.mark(form, text)) for row in deleted for form, text in _marks(row, names, bodies)}
    id = new_id()
    await tombstones.bury(connection, space, id, "deleted", marks, key.id, now, _WRITER, keep_raw=True)
    await tombstones.account(connection, space, id, Counter(row.kind for row in deleted), {})


async def _bodies(connection: Connection, space: str, rows: Sequence[Any]) -> dict[str, str]:
    """What was said in the messages that memories were learned of."""
    ids = sorted({UUID(id) for row in rows for id in row.data.get("messages", [])})
    if not ids:
        return {}
    cursor = await connection.execute(MESSAGES["by_ids"], {"space": space, "ids": ids})
    return {str(row.id): row.body for row in await cursor.fetchall()}


def _marks(row: Any, names: frozenset[str], bodies: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield from tombstones.learned_marks(row.content, names)
    for message in row.data.get("messages", []):
        yield from tombstones.heard_marks(message, bodies.get(message, ""), row.content)
