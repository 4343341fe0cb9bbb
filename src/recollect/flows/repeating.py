"""A statement that somebody adds by hand, word by word as it is known: the one that is there is theirs from now on.

What is said in other words is compared by night, as nearness alone makes no two statements one. Nothing that the caller
gave may be lost by it: another validity, category, sensitivity, tag, thread or agent makes another memory.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from recollect.core.scope import Scope
from recollect.db.database import Connection
from recollect.records import service, store
from recollect.records.model import Actor, NewMemory

_OF_ONE = ("id", "title", "importance", "happened_at", "valid_from", "valid_until")
"""What a caller gives to say that this one is meant, or that it is unlike others."""
_PLACES = ("thread_id", "agent_id", "run_id", "actor_id")


def may_repeat(draft: NewMemory, given: Mapping[str, Any]) -> bool:
    """Whether something that is added could be no more than what is known."""
    told = any(given.get(name) is not None for name in _OF_ONE)
    return draft.kind == "statement" and not told and not draft.pinned and draft.ttl_policy == "decay"


async def repeated(
    connection: Connection, space: str, drafts: Sequence[NewMemory], now: datetime, scope: Scope
) -> dict[UUID, UUID]:
    """Which drafts say what is known, or what another of them says, and what that is. Those that are known are vouched
    for; what two of the drafts say is written once."""
    hashes = {draft.passages[0].text_hash for draft in drafts if draft.passages}
    await store.say_alone(connection, space, hashes)
    rows = await store.said_already(connection, space, sorted(hashes))
    by_text: dict[str, list[Any]] = {}
    for row in rows:
        by_text.setdefault(row.content, []).append(row)
    same: dict[UUID, UUID] = {}
    said: dict[UUID, float] = {}
    first: dict[str, list[NewMemory]] = {}
    for draft in drafts:
        if (row := next((row for row in by_text.get(draft.content, ()) if _is_said(draft, row)), None)) is not None:
            same[draft.id] = row.id
            said[row.id] = max(said.get(row.id, 0.0), draft.confidence)
        elif (
            other := next((each for each in first.get(draft.content, ()) if _is_alike(draft, each)), None)
        ) is not None:
            same[draft.id] = other.id
        else:
            first.setdefault(draft.content, []).append(draft)
    known = [row for row in rows if row.id in said]
    if known:
        actor = Actor(scope.user_id, scope.agent_id, scope.thread_id, "added once more by hand")
        await service.vouch(connection, space, said, known, now, actor)
    return same


def _is_said(draft: NewMemory, row: Any) -> bool:
    """Whether a statement says all that a draft does."""
    alike = (row.content, row.type, row.category, row.sensitivity)
    if alike != (draft.content, draft.type, draft.category, draft.sensitivity):
        return False
    kept = draft.metadata.items() <= row.metadata.items() and set(draft.tags) <= set(row.tags)
    places = [(getattr(draft.provenance, name), getattr(row, name)) for name in _PLACES]
    return bool(kept and all(asked is None or asked == held for asked, held in places))


def _is_alike(draft: NewMemory, other: NewMemory) -> bool:
    """The same of two drafts."""
    one, two = (
        (each.content, each.type, each.category, each.sensitivity, each.metadata, set(each.tags))
        for each in (draft, other)
    )
    return one == two
