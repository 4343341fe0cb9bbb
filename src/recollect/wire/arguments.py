"""The arguments of verbs on the wire: which there are, and the types that JSON has for them.

What a signature says in words of Python is said here in words of JSON: an id and a moment are texts, a sequence is a
list. The names behind `**filters` and the like, which no signature tells, are listed below.
"""

import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic import Field

from recollect.retrieval.search import Timing

Id = Annotated[str, Field(json_schema_extra={"format": "uuid"})]
Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
Day = Annotated[str, Field(description="A date and time with its zone, or a date alone.")]
Names = list[str]

_FILTERS: dict[str, Any] = {
    "kinds": Names | None,
    "types": Names | None,
    "categories": Names | None,
    "tags": Names | None,
    "states": list[Literal["candidate", "active", "core", "archived"]] | None,
    "tier": Literal["short", "long"] | None,
    "agent": str | None,
    "run": str | None,
    "thread": str | None,
    "source": Id | None,
    "speaker": str | None,
    "actor": str | None,
    "role": str | None,
    "pinned": bool | None,
    "metadata": dict[str, Any] | None,
    "include": list[Literal["archived", "expired"]] | None,
    "min_importance": float | None,
    "max_importance": float | None,
    "min_level": int | None,
    "max_level": int | None,
    "user": str | None,
    "since": Day | None,
    "until": Day | None,
    "updated_after": Day | None,
    "updated_before": Day | None,
    "valid_at": Day | None,
    "as_known_at": Day | None,
}
_SEARCH = _FILTERS | {"context": str | None, "threshold": float | None, "weights": dict[str, float] | None}
_OF_A_MEMORY: dict[str, Any] = {
    "type": str | None,
    "category": str | None,
    "tags": Names | None,
    "importance": float | None,
    "confidence": float | None,
    "pinned": bool | None,
    "ttl_policy": Literal["keep_forever", "ephemeral", "decay"] | None,
    "metadata": dict[str, Any] | None,
    "valid_from": Moment | None,
    "valid_until": Moment | None,
    "title": str | None,
}
# What stands behind the `**` of a verb.
MORE: dict[str, dict[str, Any]] = {
    "search": _SEARCH,
    "search_many": _SEARCH | {"limit": int, "after": str | None, "wait": Literal["searchable", "understood"]},
    "get_all": _FILTERS,
    "delete_all": _FILTERS,
    "add": _OF_A_MEMORY
    | {
        "kind": str | None,
        "happened_at": Moment | None,
        "id": Id | None,
        "lift": bool | None,
        "sensitivity": Literal["low", "normal", "high"] | None,
    },
    "update": _OF_A_MEMORY
    | {
        "content": str,
        "summary": str | None,
        "category": str,
        "tags": Names,
        "importance": float,
        "confidence": float,
        "pinned": bool,
        "ttl_policy": Literal["keep_forever", "ephemeral", "decay"],
        "sensitivity": Literal["low", "normal", "high"],
    },
}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a verb."""

    name: str
    type: Any
    """In words of JSON."""
    required: bool = False
    default: Any = inspect.Parameter.empty


def arguments_of(verb: str, parameters: Iterable[inspect.Parameter], hints: Mapping[str, Any]) -> list[Argument]:
    """What a caller may give, by the verb's signature."""
    found = []
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            found += [Argument(name, type) for name, type in MORE[verb].items()]
        elif not stays_here(hints[parameter.name]):
            required = parameter.default is parameter.empty
            default = _plain_default(parameter.default)
            found.append(Argument(parameter.name, in_json(hints[parameter.name]), required, default))
    return found


def stays_here(hint: Any) -> bool:
    """Whether an argument makes sense within one process alone: a stopwatch, a callback."""
    return any(each is Timing or get_origin(each) is Callable for each in (hint, *get_args(hint)))


def _plain_default(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def in_json(hint: Any, *, within: bool = False) -> Any:
    """A type of Python as JSON has it. An id within a list may be a name as well, and says nothing of its form."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _union(parts, within=within)
    if origin in (Sequence, list, Iterable):
        return list[in_json(parts[0], within=True)]  # type: ignore[misc]
    if origin in (Mapping, dict):
        return dict[tuple(in_json(part, within=True) for part in parts)]  # type: ignore[misc]
    return {UUID: str if within else Id, datetime: Moment}.get(hint, hint)


def _union(parts: tuple[Any, ...], *, within: bool) -> Any:
    told = [part for part in parts if not (part is str and (UUID in parts or datetime in parts))]
    day = {datetime: Day} if datetime in parts and str in parts else {}
    return Union[tuple(day.get(part) or in_json(part, within=within) for part in told)]  # noqa: UP007
