"""The options that say which memories are meant: search, list and delete-all share them."""

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.core.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.cli.command import Call

_PANEL = "Which memories"


def _option(*names: str, help: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_PANEL)


ValidAt = Annotated[str | None, _option("--valid-at", help="Only what was true at this date or time.")]
Include = Annotated[
    list[str] | None, _option("--include", help="Also `archived` or `expired` memories; may be repeated.")
]
Categories = Annotated[list[str] | None, _option("--category", help="Only this category; may be repeated.")]


@dataclass(frozen=True)
class Filters:
    """What a memory must be like. --thread and --run, which all commands have, narrow too."""

    kinds: Annotated[list[str] | None, _option("--kind", "-k", help="Only memories of this kind; may be repeated.")] = (
        None
    )
    types: Annotated[list[str] | None, _option("--type", help="Only memories of this type; may be repeated.")] = None
    categories: Categories = None
    tags: Annotated[list[str] | None, _option("--tag", help="Only memories with this tag; may be repeated.")] = None
    states: Annotated[
        list[str] | None, _option("--state", help="Only candidate, active, core or archived ones; may be repeated.")
    ] = None
    tier: Annotated[str | None, _option("--tier", help="Only the short or the long tier.")] = None
    by_agent: Annotated[str | None, _option("--by-agent", help="Only what this agent wrote.")] = None
    source: Annotated[str | None, _option("--source", help="Only what comes of this source, by its id.")] = None
    speaker: Annotated[str | None, _option("--speaker", help="Only what this person said.")] = None
    actor: Annotated[str | None, _option("--actor", help="Only what this user wrote or said.")] = None
    role: Annotated[str | None, _option("--role", help="Only what was said in this role.")] = None
    pinned: Annotated[bool | None, _option("--pinned/--not-pinned", help="Only what is pinned, or is not.")] = None
    metadata: Annotated[str | None, _option("--metadata", help="Only memories whose metadata hold this object.")] = None
    include: Include = None
    min_importance: Annotated[
        float | None, _option("--min-importance", help="Only what matters at least this much, from 0 to 1.")
    ] = None
    max_importance: Annotated[
        float | None, _option("--max-importance", help="Only what matters at most this much.")
    ] = None
    since: Annotated[str | None, _option("--since", help="Only what happened from this date or time on.")] = None
    until: Annotated[str | None, _option("--until", help="Only what happened before this date or time.")] = None
    updated_after: Annotated[str | None, _option("--updated-after", help="Only what changed since then.")] = None
    updated_before: Annotated[str | None, _option("--updated-before", help="Only what has not changed since.")] = None
    valid_at: ValidAt = None
    as_known_at: Annotated[str | None, _option("--as-known-at", help="As it was known at this date or time.")] = None

    def given(self, call: "Call") -> dict[str, Any]:
        """Those that were given, by the names that the verbs have for them."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values["agent"] = values.pop("by_agent")
        values |= {"metadata": json_object("metadata", self.metadata), "thread": call.thread, "run": call.run}
        return given(values)


def given(values: dict[str, Any]) -> dict[str, Any]:
    """Typer hands an option that may be repeated, and was not given, as an empty list."""
    return {name: value for name, value in values.items() if value is not None and value != []}


def json_object(field: str, text: str | None) -> dict[str, Any] | None:
    """A JSON object that was given as text."""
    try:
        value = None if text is None else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(field, f"is no JSON: {error}") from None
    if value is not None and not isinstance(value, dict):
        raise InvalidInput(field, "must be a JSON object")
    return value
