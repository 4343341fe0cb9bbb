"""What is known of the user: the profile, proposals for it, pending statements, and what guides the learning."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import Call, command, when_alone
from recollect.cli.memories import Id, checked_id, settle

if TYPE_CHECKING:
    from recollect.profile.model import Consent

app = typer.Typer()
profile_app = typer.Typer(name="profile", help="See and set what is known of the user.")

ALL = "all"


@when_alone(profile_app, without=("thread",))
async def profile(call: Call) -> None:
    """See what is known of the user, most important first; `profile set` changes it."""
    async with call.scoped() as memory:
        facts = await memory.profile()
    from recollect.cli import show_talk

    call.out.answer(facts, lambda: show_talk.profile(facts))


@command(profile_app, "set", without=("thread",))
async def set_(
    call: Call,
    type: Annotated[str, typer.Argument(help="identity, preference, constraint or instruction.", show_default=False)],
    key: Annotated[str, typer.Argument(help="What it is about, such as city.", show_default=False)],
    value: Annotated[str, typer.Argument(help="What holds from now on.", show_default=False)],
    confidence: Annotated[float, typer.Option(help="How sure it is, from 0 to 1.")] = 1.0,
) -> None:
    """Say what holds for a key; what held before stays as history."""
    async with call.memory() as opened:
        fact = await call.scope(opened).set_profile(type, key, value, confidence)
        await settle(call, opened)
    call.out.answer(fact, lambda: [f"{fact.key} = {fact.value}"])


@command(app, "consents", without=("thread",))
async def consents(
    call: Call,
    status: Annotated[str, typer.Option(help="open, accepted, declined, lapsed, ignored, or all.")] = "open",
) -> None:
    """List values for the profile that wait for a yes or no."""
    async with call.scoped() as memory:
        found = await memory.consents(None if status == ALL else status)
    from recollect.cli import show_talk

    call.out.answer(found, lambda: show_talk.consents(found))


@command(app, "decide", without=("thread",))
async def decide(
    call: Call,
    id: Annotated[str, typer.Argument(help="The proposal's id.", show_default=False)],
    accept: Annotated[bool, typer.Option("--accept/--decline", help="Take the value, or do not.", show_default=False)],
) -> None:
    """Say yes or no to a proposal."""
    async with call.memory() as opened:
        decided = await call.scope(opened).decide(checked_id(id), accept=accept)
        await settle(call, opened)
    call.out.answer(decided, lambda: [decision(decided)])


def decision(decided: "Consent") -> str:
    """What became of a proposal, in a line."""
    return f"{decided.key} = {decided.value}: {decided.status}"


@command(app, "pending", without=("thread",))
async def pending(
    call: Call, limit: Annotated[int, typer.Option("--limit", "-n", help="How many at most.")] = 100
) -> None:
    """List statements that wait to be corroborated; no search finds them until then."""
    async with call.scoped() as memory:
        found = await memory.pending(limit)
    from recollect.cli import show_talk

    call.out.answer(found, lambda: show_talk.pending(found))


@command(app, "promote", without=("thread",))
async def promote(call: Call, id: Id) -> None:
    """Take a pending statement as known, or a source into long-term memory."""
    async with call.memory() as opened:
        promoted = await call.scope(opened).promote(checked_id(id))
        await settle(call, opened)
    from recollect.cli import show

    call.out.answer(promoted, lambda: show.one_line(promoted, "Promoted" if promoted.kind == "source" else "Known"))


@command(app, "guide", without=("thread",))
async def guide(
    call: Call,
    instructions: Annotated[str | None, typer.Option(help="What a model that extracts should heed.")] = None,
    profile_key: Annotated[list[str] | None, typer.Option(help="A key of the profile; may be repeated.")] = None,
    entity_type: Annotated[list[str] | None, typer.Option(help="A type of entity; may be repeated.")] = None,
    relation_type: Annotated[list[str] | None, typer.Option(help="A type of relation; may be repeated.")] = None,
) -> None:
    """See what the space tells extraction, and change what is given."""
    async with call.scoped() as memory:
        guidance = await memory.guide(
            instructions=instructions,
            profile_keys=profile_key or None,
            entity_types=entity_type or None,
            relation_types=relation_type or None,
        )
    from recollect.cli import show_talk

    call.out.answer(guidance, lambda: show_talk.guidance(guidance))
