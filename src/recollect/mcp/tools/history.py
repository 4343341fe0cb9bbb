"""`history`: one memory in full, and what happened to it."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from recollect.core.errors import NotFound
from recollect.mcp.room import Room, Tokens, recalled
from recollect.mcp.tool import Data, Given, Told, Tool
from recollect.mcp.views import View, head, view
from recollect.memory import ScopedMemory
from recollect.records.model import HistoryEntry, Memory
from recollect.understanding.secrets import mask

DESCRIPTION = """\
See one memory in full, where it comes from, and everything that ever happened to it: when it was learned, what it \
said before, who changed, merged, deleted or restored it, and why. Use it with an id from `recall`, `query`, `explore` \
or `profile`: to read a text that was shortened, to answer "how do you know that?" and "since when?", and before you \
tell the user that something was wrong."""


class History(Given):
    """Which memory."""

    id: UUID = Field(description="The memory's id.")
    tokens: Tokens = 2_000


class Entry(Data):
    """One thing that happened."""

    at: datetime
    event: str
    """ADD, UPDATE, DELETE, MERGE, LINK, TTL, RESTORE or FORGET."""
    version: int | None
    by: str | None
    reason: str | None
    text: str | None
    """What it said before."""


class Past(Data):
    """A memory as it stands, and its past, oldest first."""

    memory: View | None
    """None for a proposal to the profile, which has a past alone."""
    source: UUID | None = None
    """The document that it comes of."""
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    version: int | None = None
    entries: list[Entry]
    left_out: int


async def history(memory: ScopedMemory, given: History) -> Told:
    """Tell a memory and its past."""
    entries = await memory.history(given.id)
    found = await _found(memory, given.id)
    half = given.tokens // 2
    room = Room(half, texts=1 + len(entries))
    text = "" if found is None else Room(half).take(mask(found.content)) or ""
    standing = [] if found is None else [*_standing(found, text), ""]
    past = [each for each in (_entry(entry, room) for entry in entries) if each is not None]
    told = recalled(standing + [_line(entry) for entry in past], "Nothing is known of it.", room)
    data = Past(memory=None if found is None else view(found, text), entries=past, left_out=room.left_out)
    if found is not None:
        data.source, data.version = found.provenance.source_id, found.version
        data.valid_from, data.valid_until = found.valid_from, found.valid_until
    return Told(told, data)


async def _found(memory: ScopedMemory, id: UUID) -> Memory | None:
    try:
        return await memory.get(id)
    except NotFound:
        return None


def _standing(found: Memory, text: str) -> list[str]:
    source = found.provenance
    told_by = [f"said by {source.speaker or source.role}"] if source.speaker or source.role else []
    where = [f"in {source.thread_id}, turn {source.turn}"] if source.turn is not None else []
    where += [f"from document {source.source_id}"] if source.source_id else []
    until = [f"true until {found.valid_until:%Y-%m-%d}"] if found.valid_until else []
    return [f"{head(found)} {text}", ", ".join([f"version {found.version}", *told_by, *where, *until])]


def _entry(entry: HistoryEntry, room: Room) -> Entry | None:
    """As much of an entry as there is room for; None where there is none."""
    by, reason = entry.actor or entry.agent_id, entry.reason and entry.reason[:_REASON]
    told = Entry(at=entry.at, event=entry.event, version=entry.version, by=by, reason=reason, text=None)
    if entry.content is None:
        return told if room.take(_line(told)) else None
    text = room.take(mask(entry.content), _line(told))
    return told.model_copy(update={"text": text}) if text else None


def _line(entry: Entry) -> str:
    told = [entry.event, f"by {entry.by}" if entry.by else "", entry.reason or ""]
    said = f": before, {entry.text}" if entry.text else ""
    return f"- {entry.at:%Y-%m-%d %H:%M} {' '.join(each for each in told if each)}{said}"


_REASON = 300

TOOL = Tool("history", "One memory and its past", DESCRIPTION, History, Past, history)
