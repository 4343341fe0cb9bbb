"""One memory: what it says, when it holds, where it came from, and what happened to it."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

from starlette.responses import Response

from recollect.console import drawing
from recollect.console.asking import Asked, number
from recollect.conversation.model import Message, searchable_text
from recollect.core.errors import Conflict, InvalidInput, NotAllowed, NotFound
from recollect.graph.model import name_of
from recollect.graph.names import NODE_KINDS
from recollect.memory import ScopedMemory
from recollect.records.changes import TTL_POLICIES
from recollect.records.model import Memory
from recollect.records.relations import Relation

_BEFORE, _AFTER = 2, 2  # turns around the one that a memory came from
_TIES = 12  # relations whose other ends are looked up
_TEXTS = ("title", "content", "type", "category", "ttl_policy")
_NUMBERS = ("importance", "confidence")


async def show(asked: Asked) -> Response:
    """All that is known of a memory."""
    memory = await asked.memory.get(_id(asked))
    return await asked.page("memory.html", **await _told(asked, memory), draft=None)


def _id(asked: Asked) -> str:
    return str(asked.request.path_params["id"])


async def _told(asked: Asked, memory: Memory) -> dict[str, Any]:
    me = asked.memory
    history, relations, notes, raw = await asyncio.gather(
        me.history(memory.id), me.relations(memory.id), me.notes(memory.id), _raw(me, memory)
    )
    return {
        "memory": memory,
        "history": history[::-1],
        "relations": relations,
        "others": await _others(me, memory, relations),
        "notes": notes,
        "raw": raw,
        "source": await _source(me, memory),
        "chunks": await me.get_all(kinds=["chunk"], source=memory.id, limit=50) if memory.kind == "source" else (),
        "timeline": drawing.timeline(memory, history, asked.recollect.parts.clock()),
        "policies": sorted(TTL_POLICIES),
        "is_node": memory.kind in NODE_KINDS,
        "is_story": memory.kind in ("storyline", "macro"),
    }


async def _raw(me: ScopedMemory, memory: Memory) -> tuple[UUID, list[tuple[Message, str]]] | None:
    """The turn that a memory came from, in its conversation; nothing where that cannot be seen."""
    place, turn = memory.provenance.conversation_id, memory.provenance.turn
    if place is None or turn is None:
        return None
    try:
        chat = await me.find_conversation(place)
        said = await chat.messages(max(1, turn - _BEFORE), _BEFORE + 1 + _AFTER)
    except (NotFound, NotAllowed):
        return None
    return place, [(message, searchable_text(message.content)) for message in said]


async def _others(me: ScopedMemory, memory: Memory, relations: Sequence[Relation]) -> dict[UUID, str]:
    """What the other ends of relations say that have no name."""
    said: dict[UUID, str] = {}
    for tie in relations[:_TIES]:
        other, name = (tie.to_id, tie.to_name) if tie.from_id == memory.id else (tie.from_id, tie.from_name)
        if name is None and other not in said and (found := await _seen(me, other)) is not None:
            said[other] = name_of(found)
    return said


async def _source(me: ScopedMemory, memory: Memory) -> Memory | None:
    """The document that a memory came from, if it can be seen."""
    return None if memory.provenance.source_id is None else await _seen(me, memory.provenance.source_id)


async def _seen(me: ScopedMemory, id: UUID) -> Memory | None:
    """A memory, for whoever may see it."""
    try:
        return await me.get(id)
    except (NotFound, NotAllowed):
        return None


async def edit(asked: Asked) -> Response:
    """Change what differs, unless somebody changed it meanwhile: then both texts are shown."""
    memory = await asked.memory.get(_id(asked))
    changes = _changes(asked, memory)
    if not changes:
        return asked.go(f"/memories/{memory.id}?done=unchanged")
    try:
        await asked.memory.update(memory.id, if_version=_version(asked), **changes)
    except Conflict as error:
        now = await asked.memory.get(memory.id)
        told = await _told(asked, now)
        return await asked.page("conflict.html", code=409, **told, draft=asked.form, said=str(error))
    return asked.go(f"/memories/{memory.id}?done=saved")


def _version(asked: Asked) -> int:
    version = number(asked.needed("version"))
    if version is None:
        raise InvalidInput("version", "must be a number")
    return version


def _changes(asked: Asked, memory: Memory) -> dict[str, Any]:
    """What the form says otherwise than the memory."""
    given: dict[str, Any] = {name: _text(asked.form[name]) for name in _TEXTS if name in asked.form}
    given |= {name: _number(name, asked.form[name]) for name in _NUMBERS if name in asked.form}
    if "tags" in asked.form:
        given["tags"] = tuple(tag.strip() for tag in asked.form["tags"].split(",") if tag.strip())
    return {name: value for name, value in given.items() if value != _as_shown(getattr(memory, name))}


def _text(value: str) -> str | None:
    """What was typed: a browser ends lines in its own way, and an empty field is none."""
    return value.replace("\r\n", "\n").strip() or None


def _as_shown(value: Any) -> Any:
    """What a form would send of a value that nobody touched."""
    if isinstance(value, str):
        return _text(value)
    return round(value, 2) if isinstance(value, float) else value


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise InvalidInput(name, "must be a number from 0 to 1") from None


async def pin(asked: Asked) -> Response:
    """Pin it, or take the pin away."""
    memory = await asked.memory.update(_id(asked), pinned=asked.needed("pinned") == "yes")
    return asked.go(f"/memories/{memory.id}?done={'pinned' if memory.pinned else 'unpinned'}")


async def delete(asked: Asked) -> Response:
    """Take it out of every search."""
    memory = await asked.memory.delete(_id(asked), reason=asked.sent("reason"))
    return asked.go(f"/memories/{memory.id}?done=deleted")


async def restore(asked: Asked) -> Response:
    """Bring it back."""
    memory = await asked.memory.restore(_id(asked))
    return asked.go(f"/memories/{memory.id}?done=restored")


async def feedback(asked: Asked) -> Response:
    """Say that it was useful, or is wrong."""
    verdict = cast("Any", asked.needed("verdict"))
    memory = await asked.memory.feedback(_id(asked), verdict)
    return asked.go(f"/memories/{memory.id}?done=feedback")


async def promote(asked: Asked) -> Response:
    """Take a pending statement as known, or a source into long-term memory."""
    memory = await asked.memory.promote(_id(asked))
    return asked.go(f"/memories/{memory.id}?done=promoted")


async def add_note(asked: Asked) -> Response:
    """Note something on it."""
    note = await asked.memory.add_note(_id(asked), asked.needed("text"), asked.needed("lifetime"))
    return asked.go(f"/memories/{note.target_id}?done=noted#notes")


async def remove_note(asked: Asked) -> Response:
    """Take a note away."""
    note = await asked.memory.remove_note(str(asked.request.path_params["note"]))
    return asked.go(f"/memories/{note.target_id}?done=note_removed#notes")
