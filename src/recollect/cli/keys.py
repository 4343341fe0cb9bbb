"""`recollect keys …`: keys for the server."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import Call, command, when_alone

if TYPE_CHECKING:
    from rich.console import RenderableType

    from recollect.core.keys import Key, NewKey

app = typer.Typer(name="keys", help="Make, list, rotate and revoke the server's keys.")

Id = Annotated[str, typer.Argument(help="The key's id, as `keys list` shows it.")]


@command(app, "make", without=("thread",))
async def make(
    call: Call,
    name: Annotated[str, typer.Argument(help="What it is for: a person, a machine, an agent.")],
    admin: Annotated[
        bool, typer.Option("--admin", help="It may name any space, run jobs and make keys; --user may be left out.")
    ] = False,
) -> None:
    """Make a key that speaks for --user, --project or --agent; its secret is shown once."""
    named = (call.user, call.project, call.agent) != (None, None, None)
    user = call.user if admin or named else call.who
    async with call.memory() as memory:
        made = await memory.make_key(
            name,
            user_id=user,
            project_id=call.project,
            agent_id=call.agent,
            team_ids=tuple(call.team or ()),
            sensitivity=call.sensitivity,  # type: ignore[arg-type]
            admin=admin,
        )
    call.out.answer(made, lambda: _shown(made))


@when_alone(app, scope=False)
@command(app, "list", scope=False)
async def list_(call: Call) -> None:
    """Every key: whom it speaks for, and how it was used."""
    async with call.memory() as memory:
        found = await memory.keys()
    call.out.answer(found, lambda: _listed(found))


@command(app, "rotate", scope=False)
async def rotate(call: Call, id: Id) -> None:
    """Give a key another secret; the former one opens nothing from now on."""
    async with call.memory() as memory:
        made = await memory.rotate_key(id)
    call.out.answer(made, lambda: _shown(made))


@command(app, "revoke", scope=False)
async def revoke(call: Call, id: Id) -> None:
    """Take a key away."""
    async with call.memory() as memory:
        key = await memory.revoke_key(id)
    call.out.answer(key, lambda: [f"{key.name} ({key.prefix}) opens nothing any more."])


def _shown(made: "NewKey") -> "Iterator[RenderableType]":
    from rich.text import Text

    yield made.secret
    yield Text(f"The key {made.key.name} speaks for {_whom(made.key)}. It is not shown again.", style="dim")


def _listed(keys: "Sequence[Key]") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli import show

    if not keys:
        yield Text("There is no key.", style="dim")
        return
    table = show.table("id and name", "begins with", "for", "uses", "last used", "")
    for key in keys:
        last = "never" if key.last_used_at is None else show.when(key.last_used_at)
        state = "revoked" if key.revoked_at else ""
        cells = (
            key.prefix,
            _whom(key),
            f"{key.uses:,}",
            last,
            state,
        )
        table.add_row(show.with_id(key.name, key.id), *map(Text, cells))
    yield table


def _whom(key: "Key") -> str:
    named = {"user": key.user_id, "project": key.project_id, "agent": key.agent_id}
    words = [f"{kind} {name}" for kind, name in named.items() if name]
    words += [f"team {team}" for team in key.team_ids]
    words += ["any space (admin)"] if key.admin else []
    return ", ".join(words) + (" up to high sensitivity" if key.sensitivity == "high" else "")
