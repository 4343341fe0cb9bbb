"""`forget`: look first, then forget for good what was shown."""

from uuid import UUID

from pydantic import Field

from recollect.core.counting import forgotten, keys
from recollect.flows.forget import Receipt
from recollect.mcp.room import Room, recalled
from recollect.mcp.tool import Data, Given, Told, Tool
from recollect.memory import ScopedMemory

DESCRIPTION = """\
Forget something for good: the memory, every text that carried it, and the passages in conversations and documents. It \
cannot be undone, and it stays barred from being learned again. Use it only when the user asks to have something \
forgotten.

It takes two calls. The first, without `token`, forgets nothing: it lists what would go and gives a token. Show the \
user what would go, and ask. Only after a clear yes, call again with the same arguments and the token. A token is good \
for you alone, for exactly what was shown, and once: if anything changed meanwhile, look again.

Name one thing: `id` (a memory), `message`, `thread`, `source` (a document), `person` (by every name), `query` (what a \
search finds), or `everything`. If something is merely wrong or out of date, `remember` the correction instead."""


class Said(Given):
    """A message of a conversation."""

    thread: str
    turn: int = Field(ge=1)


class Forget(Given):
    """What to forget; one thing."""

    id: UUID | None = Field(None, description="A memory, note or relation.")
    message: Said | None = Field(None, description="One message of a conversation.")
    thread: str | None = Field(None, description="A whole conversation.")
    source: UUID | None = Field(None, description="A document.")
    person: str | None = Field(None, description="A person, by every name that is known.")
    query: str | None = Field(None, description="What a search for this finds.")
    everything: bool = Field(False, description="All that is remembered for this user or project.")
    keep_raw: bool = Field(
        False, description="Leave messages and documents as they are; forget only what came of them."
    )
    token: str | None = Field(None, description="From the first call, after the user has agreed.")


class Shown(Data):
    """Something that would go."""

    id: UUID
    kind: str
    text: str


class Forgotten(Data):
    """What would go, with a token; or what went."""

    dry_run: bool
    """True: nothing was forgotten yet."""
    counts: dict[str, int]
    token: str | None = None
    """For the second call."""
    shown: list[Shown] = Field(default_factory=list)
    left_out: int = 0
    """More would go than is shown."""
    removed: int = 0
    """Memories that are gone."""
    rewritten: int = 0
    """Memories that say less than before."""
    tombstones: list[UUID] = Field(default_factory=list)
    keys: dict[str, int] = Field(default_factory=dict)
    """Keys that name it and stay, as callers chose them: of threads, categories, sections, agents or runs."""
    clean: bool | None = None
    """Whether a search afterwards found nothing of it any more."""


async def forget(memory: ScopedMemory, given: Forget) -> Told:
    """Without a token a dry run; with one, for good."""
    receipt = await memory.forget(
        given.id,
        message=None if given.message is None else (given.message.thread, given.message.turn),
        thread=given.thread,
        source=given.source,
        person=given.person,
        query=given.query,
        everything=given.everything,
        keep_raw=given.keep_raw,
        dry_run=given.token is None,
        token=given.token,
    )
    return _looked(receipt) if receipt.dry_run else _gone(receipt)


def _looked(receipt: Receipt) -> Told:
    room = Room(_SHOWN_TOKENS, texts=len(receipt.shown))
    shown = [
        Shown(id=each.id, kind=each.kind, text=text)
        for each in receipt.shown
        if (text := room.take(" ".join(each.text.split())[:_SHOWN_LENGTH], f"- {each.kind} {each.id}:")) is not None
    ]
    unlisted = "It is not listed one by one." if receipt.counts else "Nothing of it is remembered."
    listed = recalled([f"- {each.kind} {each.id}: {each.text}" for each in shown], unlisted)
    more = f"\n… and {room.left_out} more." if room.left_out else ""
    told = (
        f"Nothing is forgotten yet. This would go for good: {_counted(receipt)}.\n{listed}{more}\n"
        f"Ask the user; after a yes, call again with the same arguments and token {receipt.token}"
    )
    data = Forgotten(dry_run=True, counts=receipt.counts, token=receipt.token, shown=shown, left_out=room.left_out)
    return Told(told, data)


def _gone(receipt: Receipt) -> Told:
    clean = None if receipt.check is None else receipt.check.ok
    data = Forgotten(
        dry_run=False,
        counts=receipt.counts,
        removed=len(receipt.removed),
        rewritten=len(receipt.rewritten),
        tombstones=list(receipt.tombstones),
        keys=receipt.keys,
        clean=clean,
    )
    kept = f" Kept, though they name it: {keys(receipt.keys)}." if receipt.keys else ""
    return Told(f"Forgotten for good: {_counted(receipt)}.{_LOOKED[clean]}{kept}", data)


def _counted(receipt: Receipt) -> str:
    return forgotten(receipt.counts, keep_raw=receipt.keep_raw)


_LOOKED = {None: "", True: " A search finds nothing of it any more.", False: " Traces are left: tell the user."}
_SHOWN_TOKENS = 1_500
_SHOWN_LENGTH = 300

TOOL = Tool("forget", "Forget for good", DESCRIPTION, Forget, Forgotten, forget, reads=False, destroys=True)
