"""Forgetting for good, and what stays barred: forget, tombstones, lift."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import Call, command
from recollect.cli.memories import checked_id, settle
from recollect.cli.output import visible
from recollect.core.counting import counted, forgotten, keys
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.flows.forget import Checked, Receipt
    from recollect.records.tombstones import Tombstone

app = typer.Typer()

_MOST_SHOWN = 20
_SHOWN_LENGTH = 100


@command(app, "forget", without=("thread",))
async def forget(
    call: Call,
    id: Annotated[str | None, typer.Argument(help="The id of a memory, note or relation.", show_default=False)] = None,
    message: Annotated[
        tuple[str, int] | None, typer.Option(help="A message: its thread and its turn.", show_default=False)
    ] = None,
    thread: Annotated[str | None, typer.Option(help="A whole conversation.")] = None,
    source: Annotated[str | None, typer.Option(help="A document, by its id.")] = None,
    person: Annotated[str | None, typer.Option(help="A person, by every name.")] = None,
    query: Annotated[str | None, typer.Option(help="What a search finds; needs --token.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="All of the space; needs --token.")] = False,
    keep_raw: Annotated[bool, typer.Option("--keep-raw", help="Leave messages and documents as they are.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would go, and a token for it.")] = False,
    token: Annotated[str | None, typer.Option(help="What a dry run gave: forget exactly what it showed.")] = None,
) -> None:
    """Forget something for good, with a receipt; it stays barred until its tombstone is lifted."""
    if everything and not dry_run and token is None:
        raise InvalidInput("token", "is needed to forget everything: it comes with --dry-run")
    async with call.memory() as opened:
        receipt = await call.scope(opened).forget(
            id,
            message=message,
            thread=thread,
            source=source,
            person=person,
            query=query,
            everything=everything,
            keep_raw=keep_raw,
            dry_run=dry_run,
            token=token,
        )
        if not dry_run:
            await settle(call, opened)
    call.out.answer(receipt, lambda: _lines(receipt))


def _lines(receipt: "Receipt") -> Iterator[str]:
    went = forgotten(receipt.counts, keep_raw=receipt.keep_raw)
    yield f"{'It would come to this' if receipt.dry_run else 'Forgotten'}: {went}."
    for shown in receipt.shown[:_MOST_SHOWN]:
        text = " ".join(shown.text.split())
        yield f"  {shown.kind} {shown.id}: {visible(text[:_SHOWN_LENGTH])}"
    if len(receipt.shown) > _MOST_SHOWN:
        yield f"  … and {len(receipt.shown) - _MOST_SHOWN} more"
    if receipt.hidden:
        yield f"  … and {receipt.hidden} that you may not read"
    if receipt.token is not None:
        yield f"Token: {receipt.token}"
    for stone in receipt.tombstones:
        yield f"Tombstone: {stone}"
    if receipt.check is not None:
        yield from _looked(receipt.check)
    if receipt.keys:
        yield f"Kept, as you chose them yourself, though they name it: {keys(receipt.keys)}."


def _looked(check: "Checked") -> Iterator[str]:
    left = check.left + check.hits
    found = f"{counted(left, 'trace')} left" if left else "nothing of it is left in PostgreSQL"
    yield f"Looked for it: {found}."
    for pending in check.pending:
        what = f"{len(pending.ids)} memories and relations" if pending.ids else "all"
        yield f"Pending: Neo4j may still hold {what} of {pending.space}; it is told as soon as it answers."


@command(app, "tombstones", without=("thread",))
async def tombstones(call: Call) -> None:
    """List what was forgotten: when, by whom and how much, and nothing of what it was."""
    async with call.scoped() as memory:
        found = await memory.tombstones()
    call.out.answer(found, lambda: [_line(stone) for stone in found] or ["No tombstones."])


@command(app, "lift", without=("thread",))
async def lift(call: Call, id: Annotated[str, typer.Argument(help="The tombstone's id.", show_default=False)]) -> None:
    """Take a tombstone away: what it bars may be learned again."""
    async with call.scoped() as memory:
        stone = await memory.lift(checked_id(id))
    call.out.answer(stone, lambda: [f"Lifted: {_line(stone)}"])


def _line(stone: "Tombstone") -> str:
    went = forgotten(stone.counts, keep_raw=stone.keep_raw)
    return f"{stone.id}  {stone.at:%Y-%m-%d %H:%M}  {stone.form} by {stone.actor or stone.agent_id}: {went}"
