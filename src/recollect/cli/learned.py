"""What a memory learned since somebody last looked: read from the change logs of a scope's spaces."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from recollect.memory import Recollect, ScopedMemory
from recollect.records import store
from recollect.records.model import Memory

_KINDS = ("profile", "statement")
_MOST = 1_000
_END_OF_REVISION = 2**31 - 1
_WORDS = {
    "created": "learned",
    "updated": "changed",
    "merged": "merged",
    "deleted": "ended",
    "soft_deleted": "forgotten",
    "restored": "holds again",
}
PENDING = "pending"


@dataclass(frozen=True, slots=True)
class Learned:
    """One thing that was learned, changed or ended."""

    what: str
    """`learned`, `changed`, `merged`, `ended`, `forgotten`, `holds again` or `pending`."""
    kind: str
    type: str | None
    key: str | None
    """Of a profile fact."""
    text: str
    """The value of a profile fact, or the statement."""
    before: str | None
    """What it took the place of."""
    memory_id: UUID
    space: str


class Watcher:
    """Remembers how far the change logs were read."""

    def __init__(self, opened: Recollect, memory: ScopedMemory) -> None:
        self._parts = opened.parts
        self._memory = memory
        self._places: dict[str, tuple[int, int]] = {}
        self._pending: set[UUID] = set()

    async def start(self) -> None:
        """From now on."""
        scope = self._memory.scope
        for space in dict.fromkeys([scope.space, scope.own_space]):
            rows = await self._rows(space, "revision")
            self._places[space] = (rows[0].revision if rows else 0, _END_OF_REVISION)
        self._pending = {memory.id for memory in await self._memory.pending(_MOST)}

    async def news(self) -> list[Learned]:
        """What was learned since the last call, in order; at the end what waits to be corroborated."""
        found = [learned for space in self._places for learned in await self._of_space(space)]
        waiting = await self._memory.pending(_MOST)
        fresh = [memory for memory in waiting if memory.id not in self._pending]
        self._pending = {memory.id for memory in waiting}
        return found + [_learned(PENDING, memory, None) for memory in fresh]

    async def _of_space(self, space: str) -> list[Learned]:
        revision, position = self._places[space]
        changes = await self._rows(space, "changes_after", revision=revision, position=position, limit=_MOST)
        if not changes:
            return []
        self._places[space] = (changes[-1].revision, changes[-1].position)
        events = _event_of_each([change for change in changes if change.kind in _KINDS])
        memories = {memory.id: memory for memory in await self._memories(space, "get", list(events))}
        ended = await self._memories(space, "ended_by", [str(id) for id in memories])
        before = {str(memory.data["ended_by"]): memory for memory in ended}
        shown = [(event, memories[id]) for id, event in events.items() if id in memories]
        return [_learned(_WORDS[event], memory, before.get(str(memory.id))) for event, memory in shown]

    async def _memories(self, space: str, query: str, ids: Sequence[object]) -> list[Memory]:
        rows = await self._rows(space, query, ids=ids) if ids else []
        seen = [row for row in rows if self._memory.scope.may_see(row)]
        return [store.memory_of(row, self._parts.clock(), self._parts.rules) for row in seen]

    async def _rows(self, space: str, query: str, **values: Any) -> list[Any]:
        async with self._parts.database.transaction(space) as connection:
            cursor = await connection.execute(store.QUERIES[query], {"space": space, **values})
            return await cursor.fetchall()


def _event_of_each(changes: Sequence[Any]) -> dict[UUID, str]:
    """One event for each memory; what came and went unseen is not told."""
    events: dict[UUID, list[str]] = {}
    for change in changes:
        events.setdefault(change.memory_id, []).append(change.event)
    return {id: told for id, happened in events.items() if (told := _told(happened)) is not None}


def _told(events: Sequence[str]) -> str | None:
    first, last = events[0], events[-1]
    if first != "created":
        return last
    return None if last in ("deleted", "soft_deleted") else first


def _learned(what: str, memory: Memory, before: Memory | None) -> Learned:
    key, text = _named(memory)
    former = None if before is None else _named(before)[1]
    return Learned(what, memory.kind, memory.type, key, text, former, memory.id, memory.space)


def _named(memory: Memory) -> tuple[str | None, str]:
    """A profile fact's key and value; a statement has only its words."""
    if memory.kind == "profile":
        return memory.data["key"], memory.data["value"]
    return None, memory.content
