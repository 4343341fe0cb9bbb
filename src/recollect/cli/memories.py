"""The verbs of memories: add, search, query, get, list, history, delete, restore."""

import json
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from recollect.cli.command import Call, command
from recollect.cli.output import stdin
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.memory import Recollect
    from recollect.records.model import Memory

app = typer.Typer()

_SETTLE = 30.0  # seconds that a command gives to background work which nobody else does

Id = Annotated[str, typer.Argument(help="The memory's id.", show_default=False)]
Words = Annotated[list[str] | None, typer.Argument(show_default=False)]
Kinds = Annotated[list[str] | None, typer.Option("--kind", "-k", help="Only memories of this kind; may be repeated.")]
Types = Annotated[list[str] | None, typer.Option("--type", help="Only memories of this type; may be repeated.")]
Categories = Annotated[list[str] | None, typer.Option("--category", help="Only this category; may be repeated.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="Only memories with this tag; may be repeated.")]
Speaker = Annotated[str | None, typer.Option(help="Only what this person said.")]
Since = Annotated[str | None, typer.Option(help="Only what happened from this date or time on.")]
Until = Annotated[str | None, typer.Option(help="Only what happened before this date or time.")]
ValidAt = Annotated[str | None, typer.Option(help="Only what was true at this date or time.")]
Include = Annotated[list[str] | None, typer.Option(help="Also `archived` or `expired` memories; may be repeated.")]
Metadata = Annotated[str | None, typer.Option(help="Only memories whose metadata hold this JSON object.")]
MinImportance = Annotated[float | None, typer.Option(help="Only what matters at least this much, from 0 to 1.")]


@command(app, "add")
async def add(
    call: Call,
    content: Annotated[str, typer.Argument(help="The text; `-` reads it from stdin.", show_default=False)],
    kind: Annotated[str | None, typer.Option("--kind", "-k", help="statement, episode, insight or procedure.")] = None,
    type: Annotated[
        str | None, typer.Option(help="Of a statement: fact, decision, preference, constraint, goal.")
    ] = None,
    category: Annotated[str | None, typer.Option(help="The category, if another than the kind's own.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag; may be repeated.")] = None,
    title: Annotated[str | None, typer.Option(help="A title.")] = None,
    importance: Annotated[float | None, typer.Option(help="How much it matters, from 0 to 1.")] = None,
    confidence: Annotated[float | None, typer.Option(help="How sure it is, from 0 to 1.")] = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="No job may ever archive or forget it.")] = False,
    ttl_policy: Annotated[str | None, typer.Option(help="keep_forever, ephemeral or decay.")] = None,
    metadata: Annotated[str | None, typer.Option(help="A JSON object to keep with it.")] = None,
    valid_from: Annotated[str | None, typer.Option(help="Since when it is true, with a time zone.")] = None,
    id: Annotated[str | None, typer.Option(help="An id of your own: giving it again adds nothing.")] = None,
    lift: Annotated[bool, typer.Option("--lift", help="Add it even if it was forgotten: that is lifted.")] = False,
    role: Annotated[str | None, typer.Option(help="Add a message of this role to --thread instead.")] = None,
    name: Annotated[str | None, typer.Option(help="With --role: who speaks.")] = None,
    at: Annotated[str | None, typer.Option(help="With --role: when it was said, with a time zone.")] = None,
) -> None:
    """Add a memory by hand, or with --role a message of a conversation."""
    text = stdin().read() if content == "-" else content
    common = {"metadata": _object("metadata", metadata), "id": id}
    if role is not None:
        await _add_message(call, {"role": role, "content": text, "name": name, "at": at, **common})
        return
    values = {
        "kind": kind,
        "type": type,
        "category": category,
        "tags": tuple(tag or ()),
        "title": title,
        "importance": importance,
        "confidence": confidence,
        "pinned": pinned,
        "ttl_policy": ttl_policy,
        "valid_from": valid_from,
        "lift": lift,
    }
    async with call.memory() as opened:
        added = await call.scope(opened).add(text, **values, **common)
        await settle(call, opened)
    _one_line(call, added, "Added")


async def _add_message(call: Call, message: dict[str, Any]) -> None:
    async with call.memory() as opened:
        chat = await call.scope(opened).conversation()
        [added] = await chat.add_many([message])
        await settle(call, opened)
    call.out.answer(added, lambda: [f"Added to {chat.conversation.thread_id}, turn {added.turn}."])


async def settle(call: Call, opened: "Recollect") -> None:
    """Do what a write leaves to background work, unless a worker is there to do it."""
    from recollect.queue import live_workers

    if await live_workers(opened.parts.database, opened.settings.heartbeat_timeout):
        return
    with call.out.waiting("Making it searchable"):
        await opened.drain(_SETTLE)


@command(app, "search")
async def search(
    call: Call,
    query: Annotated[str, typer.Argument(help="What you want to know.", show_default=False)],
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many hits at most.")] = 5,
    kinds: Kinds = None,
    types: Types = None,
    categories: Categories = None,
    tags: Tags = None,
    tier: Annotated[str | None, typer.Option(help="Only the short or the long tier.")] = None,
    speaker: Speaker = None,
    since: Since = None,
    until: Until = None,
    valid_at: ValidAt = None,
    as_known_at: Annotated[str | None, typer.Option(help="As the system knew it at this date or time.")] = None,
    threshold: Annotated[float | None, typer.Option(help="Least evidence for a hit, from 0 to 1.")] = None,
    context: Annotated[str | None, typer.Option(help="More words that set the scene.")] = None,
    min_importance: MinImportance = None,
    metadata: Metadata = None,
    include: Include = None,
) -> None:
    """Find what fits a question, and see why. With --thread, only in that conversation."""
    filters = {
        "kinds": kinds,
        "types": types,
        "categories": categories,
        "tags": tags,
        "tier": tier,
        "thread": call.thread,
        "speaker": speaker,
        "since": since,
        "until": until,
        "valid_at": valid_at,
        "as_known_at": as_known_at,
        "threshold": threshold,
        "context": context,
        "min_importance": min_importance,
        "metadata": _object("metadata", metadata),
        "include": include,
    }
    async with call.scoped() as memory:
        found = await memory.search(query, limit, **_given(filters))
    from recollect.cli import show

    call.out.answer(found, lambda: show.hits(found))


@command(app, "query", without=("thread",))
async def query(
    call: Call,
    question: Annotated[str, typer.Argument(help="What the agent needs to know.", show_default=False)],
    categories: Categories = None,
    filters: Annotated[
        list[str] | None,
        typer.Option("--filter", help="NAME=VALUE, such as `pinned=true` or `importance_min=3`; may be repeated."),
    ] = None,
    top_k: Annotated[int, typer.Option("--top-k", "-n", help="How many memories at most.")] = 3,
    threshold: Annotated[float | None, typer.Option(help="Least evidence, from 0 to 1.")] = None,
    full: Annotated[bool, typer.Option("--full", help="All that the memories say, and what is known of them.")] = False,
    budget_tokens: Annotated[int, typer.Option(help="How many tokens the texts may take together.")] = 512,
) -> None:
    """Answer an agent in a few bullets within a budget; --agent is held to its allowlist."""
    async with call.scoped() as memory:
        told = await memory.query(
            question,
            categories=categories or None,
            filters=_filters(filters or []),
            top_k=top_k,
            threshold=threshold,
            return_="full" if full else "bullets",
            budget_tokens=budget_tokens,
        )
    from recollect.cli import show

    call.out.answer(told, lambda: show.bullets(told))


def _filters(given: list[str]) -> dict[str, Any]:
    """Filters as they were typed: what reads as a number or as true or false is one."""
    found: dict[str, Any] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals:
            raise InvalidInput("filter", f"{each[:80]!r} is not NAME=VALUE")
        plain = {"true": True, "false": False, "null": None}
        is_level = name in ("importance_min", "importance_max") and value.isdecimal()
        found[name] = int(value) if is_level else plain.get(value, value)
    return found


@command(app, "get", without=("thread",))
async def get(call: Call, id: Id) -> None:
    """Show one memory; a deleted one too, until it is purged."""
    async with call.scoped() as memory:
        found = await memory.get(checked_id(id))
    from recollect.cli import show

    call.out.answer(found, lambda: show.memory(found))


@command(app, "list")
async def list_(
    call: Call,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 20,
    after: Annotated[str | None, typer.Option(help="Go on after this id.")] = None,
    kinds: Kinds = None,
    types: Types = None,
    categories: Categories = None,
    tags: Tags = None,
    speaker: Speaker = None,
    since: Since = None,
    until: Until = None,
    valid_at: ValidAt = None,
    min_importance: MinImportance = None,
    metadata: Metadata = None,
    include: Include = None,
) -> None:
    """List memories, in the order of their ids. With --thread, only those of that conversation."""
    filters = {
        "kinds": kinds,
        "types": types,
        "categories": categories,
        "tags": tags,
        "thread": call.thread,
        "speaker": speaker,
        "since": since,
        "until": until,
        "valid_at": valid_at,
        "min_importance": min_importance,
        "metadata": _object("metadata", metadata),
        "include": include,
    }
    async with call.scoped() as memory:
        found = await memory.get_all(limit, after, **_given(filters))
    from recollect.cli import show

    call.out.answer(found, lambda: show.page(found))


@command(app, "history", without=("thread",))
async def history(call: Call, id: Id) -> None:
    """Show everything that happened to a memory, oldest first."""
    async with call.scoped() as memory:
        entries = await memory.history(checked_id(id))
    from recollect.cli import show

    call.out.answer(entries, lambda: show.history(entries))


@command(app, "delete", without=("thread",))
async def delete(
    call: Call, id: Id, reason: Annotated[str | None, typer.Option(help="Why; its history keeps it.")] = None
) -> None:
    """Take a memory out of every search; it can be restored until it is purged."""
    async with call.memory() as opened:
        deleted = await call.scope(opened).delete(checked_id(id), reason=reason)
        await settle(call, opened)
    _one_line(call, deleted, "Deleted")


@command(app, "restore", without=("thread",))
async def restore(call: Call, id: Id) -> None:
    """Bring a deleted memory back."""
    async with call.memory() as opened:
        restored = await call.scope(opened).restore(checked_id(id))
        await settle(call, opened)
    _one_line(call, restored, "Restored")


@command(app, "feedback", without=("thread",))
async def feedback(
    call: Call, id: Id, verdict: Annotated[str, typer.Argument(help="useful, or wrong.", show_default=False)]
) -> None:
    """Say that a memory was useful, or that it is wrong."""
    async with call.memory() as opened:
        judged = await call.scope(opened).feedback(checked_id(id), verdict)  # type: ignore[arg-type]
        await settle(call, opened)
    _one_line(call, judged, "Noted")


def _one_line(call: Call, found: "Memory", done: str) -> None:
    from recollect.cli import show

    call.out.answer(found, lambda: show.one_line(found, done))


def _given(values: dict[str, Any]) -> dict[str, Any]:
    """Typer hands an option that may be repeated, and was not given, as an empty list."""
    return {name: value for name, value in values.items() if value is not None and value != []}


def checked_id(text: str) -> UUID:
    """Checked before anything is started for it."""
    try:
        return UUID(text)
    except ValueError:
        raise InvalidInput("id", f"is no id: {text[:80]!r}") from None


def _object(field: str, text: str | None) -> dict[str, Any] | None:
    try:
        value = None if text is None else json.loads(text)
    except ValueError as error:
        raise InvalidInput(field, f"is no JSON: {error}") from None
    if value is not None and not isinstance(value, dict):
        raise InvalidInput(field, "must be a JSON object")
    return value
