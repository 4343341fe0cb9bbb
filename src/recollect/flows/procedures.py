"""Workflows that a conversation spells out become procedures; one that is told anew gets another version."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recollect.conversation.model import Conversation
from recollect.core.ids import new_id
from recollect.db.database import Connection
from recollect.flows import remember
from recollect.flows.indexing import passages_of, plain
from recollect.flows.parts import Parts
from recollect.flows.reading import said_of
from recollect.records import service, store
from recollect.records.changes import Changes
from recollect.records.kinds import KINDS
from recollect.records.model import Actor, Memory, NewMemory, Passage
from recollect.understanding import procedures
from recollect.understanding.procedures import Procedure

_KIND = "procedure"
_NEIGHBOURS = 5
_WRITER = Actor("recollect", reason="steps were spelled out", by_hand=False)


@dataclass(frozen=True, slots=True)
class Ready:
    """A procedure with all that writing it needs."""

    procedure: Procedure
    row: Any
    """The message that it was told in."""
    passages: tuple[Passage, ...]


def found(rows: Sequence[Any], after: int) -> list[tuple[Procedure, Any]]:
    """What the users' new messages spell out, or ask to keep of the message before; with the message that tells it."""
    taken = []
    said = [row for row in rows if row.retracted_at is None and row.role in ("user", "assistant")]
    for place, row in enumerate(said):
        if row.turn <= after or row.role != "user":
            continue
        if (told := procedures.told(row.body)) is not None:
            taken.append((told, row))
        elif place and (kept := procedures.kept(row.body, said[place - 1].body)) is not None:
            taken.append((kept, said[place - 1]))
    return taken


async def prepared(parts: Parts, space: str, told: Sequence[tuple[Procedure, Any]]) -> list[Ready]:
    """Procedures with their search entries."""
    passages = await passages_of(parts, space, [plain(procedure.text) for procedure, _ in told])
    return [Ready(procedure, row, entries) for (procedure, row), entries in zip(told, passages, strict=True)]


async def write(parts: Parts, connection: Connection, conversation: Conversation, ready: Sequence[Ready]) -> int:
    """Add procedures, or bring up to date those of the same title; how many were written."""
    written = 0
    for each in ready:
        known = await _known(parts, connection, conversation.space, each)
        if known is None:
            memory = _new_memory(conversation, each)
            await remember.keep(parts, connection, conversation.space, [memory], _WRITER)
            await remember.link(parts, connection, conversation.space, [memory.id], parts.clock())
            written += 1
        elif _is_outdated(known, each):
            await _renew(parts, connection, known, each)
            written += 1
    return written


async def _known(parts: Parts, connection: Connection, space: str, ready: Ready) -> Memory | None:
    """The procedure of the same title, in whatever state."""
    rows = await store.nearest_of_kind(
        connection,
        space,
        _KIND,
        [(KINDS[_KIND].category, ready.passages[0].embedding)],
        least=parts.calibration.raw(parts.settings.merge_related),
        most=_NEIGHBOURS,
    )
    memories = [store.memory_of(row, parts.clock(), parts.rules) for row in rows]
    title = ready.procedure.title.casefold()
    return next((memory for memory in memories if (memory.title or "").casefold() == title), None)


def _is_outdated(known: Memory, ready: Ready) -> bool:
    """Not what a person wrote or deleted, and not by words that are older than those it has."""
    return not known.by_hand and known.content != ready.procedure.text and ready.row.at >= known.happened_at


async def _renew(parts: Parts, connection: Connection, known: Memory, ready: Ready) -> None:
    data = known.data | _data(ready)
    mean_length = await store.mean_length(connection, known.space)
    changes, now = Changes({"content": ready.procedure.text}), parts.clock()
    await service.change(connection, known, changes, ready.passages, now, _WRITER, mean_length, data=data)


def _data(ready: Ready) -> dict[str, Any]:
    return {"steps": list(ready.procedure.steps), "messages": [str(ready.row.id)]}


def _new_memory(conversation: Conversation, ready: Ready) -> NewMemory:
    kind = KINDS[_KIND]
    return NewMemory(
        id=new_id(),
        kind=_KIND,
        type=None,
        category=kind.category,
        title=ready.procedure.title,
        content=ready.procedure.text,
        tier=kind.tier,
        importance=kind.importance,
        confidence=kind.confidence,
        happened_at=ready.row.at,
        data=_data(ready),
        provenance=said_of(conversation, ready.row).provenance,
        passages=ready.passages,
    )
