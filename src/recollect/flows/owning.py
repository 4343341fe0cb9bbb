"""The owner's node follows the profile: a small job, enqueued with every change of the names that it is called by."""

from collections.abc import Sequence
from typing import Any

from recollect.db.database import Connection, again_after_deadlock
from recollect.flows import statistics
from recollect.flows.indexing import node, passages_of
from recollect.flows.parts import Parts
from recollect.graph import owning
from recollect.graph.merges import Desk
from recollect.graph.owning import Called
from recollect.profile import store as profiles
from recollect.queue import enqueue_on
from recollect.records import store
from recollect.records.model import Actor

TASK = "owner"
_NAMES = ("full_name", "name", "preferred_name")
_ACTOR = Actor("recollect", reason="follows the profile", by_hand=False)


def names_owner(type: str | None, key: str | None) -> bool:
    """Whether a profile fact says what the owner is called."""
    return type == "identity" and key in _NAMES


async def called(parts: Parts, connection: Connection, space: str) -> list[str]:
    """The owner's names as the profile has them, the fullest first: said in the first person, or set by hand."""
    rows = await profiles.active_rows(connection, space, parts.clock(), "high")
    said = {row.data["key"]: row.data["value"] for row in rows if _is_own_word(row)}
    return list(dict.fromkeys(said[key] for key in _NAMES if key in said))


def _is_own_word(row: Any) -> bool:
    return names_owner(row.type, row.data["key"]) and (row.by_hand or not row.data.get("inferred"))


async def follow_when_due(parts: Parts, connection: Connection, *spaces: str) -> None:
    """Ask for the owner's node to follow, in the transaction that changed the profile; last in it."""
    for space in sorted(set(spaces)):
        names = await called(parts, connection, space)
        if _full(names) and not await owning.is_followed(connection, space, names[0], names[1:]):
            await enqueue_on(connection, TASK, space)


def _full(names: Sequence[str]) -> bool:
    return bool(names) and any(letter.isalnum() for letter in names[0])


@again_after_deadlock
async def follow(parts: Parts, space: str) -> dict[str, int]:
    """Call the owner's node by the name that the profile has, where it is not."""
    async with parts.database.transaction(space) as connection:
        names = await called(parts, connection, space)
        if not _full(names) or await owning.is_followed(connection, space, names[0], names[1:]):
            return {"seen": 1, "changed": 0}
        row = await owning.present(connection, space)
    said = names[0] if row is None or row.content == row.title else row.content
    aliases = [*(row.data.get("aliases", []) if row else []), *([row.title] if row else []), *names[1:]]
    [passages] = await passages_of(parts, space, [node(names[0], said, aliases)])
    async with parts.database.transaction(space) as connection:
        now = parts.clock()
        await store.raise_revision(connection, space, now, knowledge=False, changes=0)
        if await called(parts, connection, space) != names:
            return {"seen": 1, "changed": 0}  # changed meanwhile, and enqueued again with that
        desk = Desk(connection, space, now, _ACTOR, parts.settings.timezone)
        await owning.follow(
            desk, Called(names[0], tuple(names[1:]), passages), parts.rules, parts.settings.salience_initial
        )
        await statistics.refresh_when_due(connection, space)
    return {"seen": 1, "changed": 1}
