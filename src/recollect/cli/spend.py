"""`recollect spend`: what language models and embedders have cost a space, and whether it is over a cap."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import Call, command

if TYPE_CHECKING:
    from rich.console import RenderableType

    from recollect.governance.spend import Day, Spend, Usage

app = typer.Typer()


@command(app, "spend", without=("thread",))
async def spend(
    call: Call, days: Annotated[int, typer.Option("--days", "-n", help="How many days, today included.")] = 1
) -> None:
    """Show what models took of tokens and money, by day, model and task; and whether rules stand in for them."""
    async with call.scoped() as memory:
        found = await memory.spend(days)
    call.out.answer(found, lambda: _shown(found))


def _shown(found: "Spend") -> "Iterator[RenderableType]":
    from rich.text import Text

    from recollect.cli import show

    yield Text(_state(found), style="yellow" if found.stopped else "")
    for warning in found.warnings:
        yield Text(warning, style="yellow")
    told = [day for day in found.days if day.asked]
    if not told:
        yield Text("Nothing was asked of a model.", style="dim")
        return
    columns = ("day", "model", "task", "calls", "failed", "tokens in", "out", "dollars")
    table = show.table(*columns)
    for day in told:
        for row in _rows(day):
            table.add_row(*map(Text, row))
    yield table


def _state(found: "Spend") -> str:
    if found.stopped and found.resumes_at is not None:
        until = found.resumes_at.isoformat(timespec="minutes")
        return (
            f"{found.space}: {found.today.reason or 'the cap is reached'}. Rules stand in for the model until {until}."
        )
    caps = [f"{found.cap_tokens:,} tokens"] if found.cap_tokens is not None else []
    caps += [f"{found.cap_money:g} dollars"] if found.cap_money is not None else []
    allowed = f"may spend {' and '.join(caps)} a day" if caps else "has no cap"
    return f"{found.space} {allowed} (days in {found.timezone})."


def _rows(day: "Day") -> Iterator[tuple[str, ...]]:
    for asked in day.asked:
        yield (day.day.isoformat(), asked.model, asked.task, *_numbers(asked.usage))
    if len(day.asked) > 1:
        yield (day.day.isoformat(), "all", "", *_numbers(day.total))


def _numbers(usage: "Usage") -> tuple[str, ...]:
    money = f"{usage.money:.4g}" + (" (price unknown)" if usage.unpriced else "")
    counts = (usage.calls, usage.failures, usage.input_tokens, usage.output_tokens)
    return (*(f"{count:,}" for count in counts), money)
