"""`recollect audit`: what is wrong with what is remembered."""

from typing import TYPE_CHECKING

import typer

from recollect.cli.command import Call, command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from recollect.flows.audit import Audit

app = typer.Typer()

_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


@command(app, "audit", without=("thread", "team"))
async def audit(call: Call) -> None:
    """Look for duplicates, contradictions, and what is stale, orphaned, secret, or made of recalled memory.

    Nothing is changed. The exit code is 1 where something has to be mended.
    """
    async with call.scoped() as memory:
        with call.out.waiting("Looking"):
            found = await memory.audit()
    call.out.answer(found, lambda: _lines(found))
    if any(check.level == "fail" for check in found.checks):
        raise typer.Exit(1)


def _lines(found: "Audit") -> "Iterator[RenderableType]":
    from rich.text import Text

    for check in found.checks:
        count = f"{check.found:,}: " if check.cases else ""
        yield Text.assemble((f"{check.level:<5}", _COLOURS[check.level]), f"{check.name:<15}", count, check.finding)
        for case in check.cases:
            yield Text.assemble("      ", case.text, ("  " + ", ".join(map(str, case.ids)), "dim"))
        if check.hint:
            yield Text(f"      → {check.hint}", style="dim")
