"""The verbs of memories: add, search, query, get, list, update, history, delete, restore."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast
from uuid import UUID

import typer

from recollect.cli.command import Call, command
from recollect.cli.filters import Categories, Filters, given, json_object
from recollect.cli.output import stdin
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import RenderableType

    from recollect.memory import Bullets, Hits, Recollect
    from recollect.records.model import Memory
    from recollect.retrieval.search import Hit

app = typer.Typer()

_SETTLE = 30.0  # seconds that a command gives to background work which nobody else does

Id = Annotated[str, typer.Argument(help="The memory's id.", show_default=False)]
Words = Annotated[list[str] | None, typer.Argument(show_default=False)]


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
    valid_until: Annotated[str | None, typer.Option(help="Until when it was true, with a time zone.")] = None,
    happened_at: Annotated[str | None, typer.Option(help="When it happened, with a time zone.")] = None,
    id: Annotated[str | None, typer.Option(help="An id of your own: giving it again adds nothing.")] = None,
    lift: Annotated[bool, typer.Option("--lift", help="Add it even if it was forgotten: that is lifted.")] = False,
    role: Annotated[str | None, typer.Option(help="Add a message of this role to --thread instead.")] = None,
    name: Annotated[str | None, typer.Option(help="With --role: who speaks.")] = None,
    at: Annotated[str | None, typer.Option(help="With --role: when it was said, with a time zone.")] = None,
) -> None:
    """Add a memory by hand, or with --role a message of a conversation."""
    text = stdin().read() if content == "-" else content
    common = {"metadata": json_object("metadata", metadata), "id": id}
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
        "valid_until": valid_until,
        "happened_at": happened_at,
        "lift": lift,
    }
    async with call.memory() as opened:
        added = await call.scope(opened).add(text, **values, **common)
        await settle(call, opened)
    _one_line(call, added, "Added")


async def _add_message(call: Call, message: dict[str, Any]) -> None:
    async with call.memory() as opened:
        chat = await call.scope(opened).conversation()
        added = await chat.add(**message)
        await settle(call, opened)
    call.out.answer(added, lambda: [f"Added to {chat.conversation.thread_id}, turn {added.turn}."])


async def settle(call: Call, opened: "Recollect") -> None:
    """Do what a write leaves to background work, unless a worker is there to do it."""
    from recollect.queue import live_workers

    if await live_workers(opened.parts.database, opened.settings.heartbeat_timeout):
        return
    with call.out.waiting("Making it searchable"):
        await opened.drain(_SETTLE)


@command(app, "add-many")
async def add_many(
    call: Call,
    file: Annotated[Path, typer.Argument(help="JSON objects, a line each, or in a list; `-` reads stdin.")],
    messages: Annotated[
        bool, typer.Option("--messages", help="They are messages of --thread: role, content, name, at.")
    ] = False,
) -> None:
    """Add memories, or messages, all of them or none."""
    objects = _objects(file)
    async with call.memory() as opened:
        memory = call.scope(opened)
        added: Sequence[Any]
        if messages:
            added = await (await memory.conversation()).add_many(objects)
        else:
            added = await memory.add_many(objects)
        await settle(call, opened)
    call.out.answer(added, lambda: [f"Added {len(added)} {'messages' if messages else 'memories'}."])


def _objects(file: Path) -> list[Any]:
    if str(file) != "-" and not file.is_file():
        raise InvalidInput("file", f"there is no file {file}")
    text = stdin().read() if str(file) == "-" else file.read_text("utf-8", errors="surrogateescape")
    try:
        if text.lstrip().startswith("["):
            return list(json.loads(text))
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError) as error:
        raise InvalidInput("file", f"is no JSON: {error}") from None


Limit = Annotated[int, typer.Option("--limit", "-n", help="How many hits at most.")]
Threshold = Annotated[float | None, typer.Option(help="Least evidence for a hit, from 0 to 1.")]
Scene = Annotated[str | None, typer.Option(help="More words that set the scene.")]
Weights = Annotated[
    list[str] | None,
    typer.Option("--weight", help="NAME=NUMBER, such as `keyword=0.5`, for this search; may be repeated."),
]
After = Annotated[str | None, typer.Option(help="Wait for what a write of this watermark said.")]
Wait = Annotated[str, typer.Option(help="With --after: until it is `searchable`, or `understood`.")]


@command(app, "search")
async def search(
    call: Call,
    query: Annotated[str, typer.Argument(help="What you want to know.", show_default=False)],
    filters: Filters,
    limit: Limit = 10,
    threshold: Threshold = None,
    context: Scene = None,
    weights: Weights = None,
    after: After = None,
    wait: Wait = "searchable",
) -> None:
    """Find what fits a question, and see why. With --thread or --run, only what was said there."""
    asked = given({"threshold": threshold, "context": context, "weights": _weights(weights)})
    async with call.scoped() as memory:
        waiting = cast("Literal['searchable', 'understood']", wait)
        found = await memory.search(query, limit, after=after, wait=waiting, **asked, **filters.given(call))
    from recollect.cli import show
    from recollect.wire.answers import sent

    call.out.answer(sent(found), lambda: show.hits(found))
    _warn(call, found)


def _warn(call: Call, found: "Hits | Bullets") -> None:
    for warning in found.warnings:
        call.out.remark(f"recollect: {warning}")


@command(app, "search-many")
async def search_many(
    call: Call,
    queries: Annotated[list[str], typer.Argument(help="Several questions.", show_default=False)],
    filters: Filters,
    limit: Limit = 10,
    threshold: Threshold = None,
    context: Scene = None,
    weights: Weights = None,
) -> None:
    """Find what fits each of several questions, at once."""
    asked = given({"threshold": threshold, "context": context, "weights": _weights(weights)})
    async with call.scoped() as memory:
        found = await memory.search_many(queries, limit=limit, **asked, **filters.given(call))
    from recollect.wire.answers import sent

    call.out.answer(sent(found), lambda: _by_question(queries, found))


def _by_question(queries: Sequence[str], found: "Sequence[Sequence[Hit]]") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli import show

    for query, hits in zip(queries, found, strict=True):
        yield Text(query, style="bold")
        yield from show.hits(hits)


def _weights(typed: list[str] | None) -> dict[str, float] | None:
    pairs = [(name, value) for name, _, value in (each.partition("=") for each in typed or ())]
    try:
        return {name: float(value) for name, value in pairs} or None
    except ValueError:
        raise InvalidInput("weights", "must be NAME=NUMBER, as in keyword=0.5") from None


@command(app, "query", without=("thread",))
async def query(
    call: Call,
    query: Annotated[str, typer.Argument(help="What the agent needs to know.", show_default=False)],
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
            query,
            categories=categories or None,
            filters=_filters(filters or []),
            top_k=top_k,
            threshold=threshold,
            return_="full" if full else "bullets",
            budget_tokens=budget_tokens,
        )
    from recollect.cli import show
    from recollect.wire.answers import sent

    call.out.answer(sent(told), lambda: show.bullets(told))
    _warn(call, told)


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
    filters: Filters,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100,
    after: Annotated[str | None, typer.Option(help="Go on after this id.")] = None,
    newest_first: Annotated[bool, typer.Option("--newest-first", help="The newest first.")] = False,
) -> None:
    """List memories, in the order of their ids. With --thread or --run, only what was said there."""
    async with call.scoped() as memory:
        found = await memory.get_all(limit, after, newest_first=newest_first, **filters.given(call))
    from recollect.cli import show

    call.out.answer(found, lambda: show.page(found))


@command(app, "deleted", without=("thread",))
async def deleted(
    call: Call,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100,
    after: Annotated[str | None, typer.Option(help="Go on after this id.")] = None,
) -> None:
    """List what was deleted and can be restored, the newest first."""
    async with call.scoped() as memory:
        found = await memory.deleted(limit, after)
    from recollect.cli import show

    call.out.answer(found, lambda: show.page(found))


@command(app, "update", without=("thread",))
async def update(
    call: Call,
    id: Id,
    content: Annotated[str | None, typer.Option(help="A new text; `-` reads it from stdin.")] = None,
    title: Annotated[str | None, typer.Option(help="A title.")] = None,
    summary: Annotated[str | None, typer.Option(help="A summary.")] = None,
    type: Annotated[str | None, typer.Option(help="Another type, such as decision.")] = None,
    category: Annotated[str | None, typer.Option(help="Another category.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag, instead of those it has; may be repeated.")] = None,
    metadata: Annotated[str | None, typer.Option(help="A JSON object, instead of what it has.")] = None,
    importance: Annotated[float | None, typer.Option(help="How much it matters, from 0 to 1.")] = None,
    confidence: Annotated[float | None, typer.Option(help="How sure it is, from 0 to 1.")] = None,
    pinned: Annotated[bool | None, typer.Option("--pinned/--not-pinned", help="Whether no job may forget it.")] = None,
    ttl_policy: Annotated[str | None, typer.Option(help="keep_forever, ephemeral or decay.")] = None,
    new_sensitivity: Annotated[str | None, typer.Option(help="low, normal or high from now on.")] = None,
    valid_from: Annotated[str | None, typer.Option(help="Since when it is true, with a time zone.")] = None,
    valid_until: Annotated[str | None, typer.Option(help="Until when it was true, with a time zone.")] = None,
    clear: Annotated[
        list[str] | None, typer.Option(help="Take away its title, valid_until or the like; may be repeated.")
    ] = None,
    if_version: Annotated[int | None, typer.Option(help="Only if nobody changed it since this version.")] = None,
) -> None:
    """Change a memory; what it said before stays in its history."""
    changes = given(
        {
            "content": stdin().read() if content == "-" else content,
            "title": title,
            "summary": summary,
            "type": type,
            "category": category,
            "tags": tag,
            "metadata": json_object("metadata", metadata),
            "importance": importance,
            "confidence": confidence,
            "pinned": pinned,
            "ttl_policy": ttl_policy,
            "sensitivity": new_sensitivity,
            "valid_from": valid_from,
            "valid_until": valid_until,
        }
    )
    changes |= {name.replace("-", "_"): _EMPTY.get(name) for name in clear or ()}
    async with call.memory() as opened:
        updated = await call.scope(opened).update(checked_id(id), if_version=if_version, **changes)
        await settle(call, opened)
    _one_line(call, updated, "Updated")


_EMPTY: dict[str, Any] = {"tags": (), "metadata": {}}


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


@command(app, "delete-all")
async def delete_all(
    call: Call,
    filters: Filters,
    everything: Annotated[bool, typer.Option("--everything", help="All of the space, where nothing narrows.")] = False,
) -> None:
    """Take all memories that the options describe out of every search; they can be restored until they are purged."""
    narrowed = filters.given(call)
    if not narrowed and not everything:
        raise InvalidInput("everything", "say which memories, or that all are meant")
    async with call.memory() as opened:
        count = await call.scope(opened).delete_all(**narrowed)
        await settle(call, opened)
    call.out.answer(count, lambda: [f"{count} memories deleted."])


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


def checked_id(text: str) -> UUID:
    """Checked before anything is started for it."""
    try:
        return UUID(text)
    except ValueError:
        raise InvalidInput("id", f"is no id: {text[:80]!r}") from None
