"""Which memories are meant: filters that search, listing and deleting share, applied in SQL."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from datetime import datetime
from operator import attrgetter
from typing import Any
from uuid import UUID

from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.core.scope import SENSITIVITIES, Scope, Sensitivity, user_space
from recollect.db.compose import SQL, Composed, Identifier, Jsonb
from recollect.records.kinds import KINDS

INCLUDABLE = frozenset({"archived", "expired"})
STATES = ("candidate", "active", "core", "archived")
"""Those that a filter may name; what was deleted is listed by a verb of its own."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What a memory must be like. Nothing given means anything that a caller sees by default."""

    kinds: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    states: tuple[str, ...] | None = None
    tier: str | None = None
    agent: str | None = None
    run: str | None = None
    thread: str | None = None
    source: UUID | None = None
    speaker: str | None = None
    actor: str | None = None
    role: str | None = None
    pinned: bool | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    include: frozenset[str] = frozenset()
    min_importance: float | None = None
    max_importance: float | None = None
    min_level: int | None = None
    max_level: int | None = None
    """Importance as a level from 1 to 5."""
    user: str | None = None
    """In the user's own space anything, elsewhere what the user wrote or said."""
    since: datetime | None = None
    until: datetime | None = None
    updated_after: datetime | None = None
    updated_before: datetime | None = None
    valid_at: datetime | None = None
    as_known_at: datetime | None = None
    sensitivity: Sensitivity = "normal"
    allowed: tuple[str, ...] | None = None
    """The categories that who asks may see at all."""
    ids: tuple[UUID, ...] | None = None
    """Only these, and the chunks of these sources: what a drill-down is confined to."""

    @property
    def only_kinds(self) -> bool:
        """Whether the search index alone can tell, without a look at the memories themselves."""
        return _beyond_entries(self) == _UNFILTERED


_INDEXED = frozenset({"kinds", "sensitivity", "allowed"})
"""What the entries of the search index tell by themselves."""
_beyond_entries = attrgetter(*(each.name for each in fields(Filters) if each.name not in _INDEXED))
_UNFILTERED = _beyond_entries(Filters())


def parse(values: dict[str, Any], *, zone: str, scope: Scope) -> Filters:
    """Check what a caller gave; a category that the scope's agent may not see is refused by its name."""
    unknown = set(values) - set(_CHECKS)
    if unknown:
        raise InvalidInput(min(unknown), "is no filter")
    checked = {
        name: _CHECKS[name](name, value) for name, value in values.items() if value is not None and name not in _MOMENTS
    }
    moments: dict[str, Any] = {
        name: check.filter_moment(name, values[name], zone) for name in _MOMENTS if values.get(name) is not None
    }
    filters = Filters(**checked, **moments, sensitivity=scope.sensitivity, allowed=scope.categories)
    for category in filters.categories or ():
        scope.refuse_unseen(category)
    if filters.since and filters.until and filters.since > filters.until:
        raise InvalidInput("until", "is before since")
    return filters


def _kinds(name: str, value: Any) -> tuple[str, ...]:
    return tuple(check.choice(name, kind, KINDS) for kind in check.names(name, value))


def _states(name: str, value: Any) -> tuple[str, ...]:
    return tuple(check.choice(name, state, STATES) for state in check.names(name, value))


def _include(name: str, value: Any) -> frozenset[str]:
    return frozenset(check.choice(name, word, INCLUDABLE) for word in check.names(name, value))


def _tier(name: str, value: Any) -> str:
    return check.choice(name, value, ("short", "long"))


def _metadata(name: str, value: Any) -> dict[str, Any]:
    return check.mapping(name, value, most_bytes=100_000)


def _moment(name: str, value: Any) -> datetime | None:
    return check.optional_moment(name, value)


def _level(name: str, value: Any) -> int:
    return check.count(name, value, least=1, most=5)


_MOMENTS = frozenset({"since", "until", "updated_after", "updated_before", "valid_at", "as_known_at"})
_CHECKS: dict[str, Any] = {
    "kinds": _kinds,
    "types": check.names,
    "categories": check.names,
    "tags": check.names,
    "states": _states,
    "tier": _tier,
    "agent": check.identifier,
    "run": check.identifier,
    "thread": check.identifier,
    "source": check.uuid,
    "speaker": check.identifier,
    "actor": check.identifier,
    "role": check.identifier,
    "pinned": check.flag,
    "metadata": _metadata,
    "include": _include,
    "min_importance": check.unit,
    "max_importance": check.unit,
    "min_level": _level,
    "max_level": _level,
    "user": check.identifier,
    **dict.fromkeys(_MOMENTS, _moment),
}


def conditions(filters: Filters, now: datetime, table: str = "remembered") -> Composed:
    """The filters as a condition over the view `remembered` (under the name that the query gives it)."""
    column = _Columns(table)
    return SQL(" and ").join([*_standing(filters, column), *_wanted(filters, column), *_times(filters, now, column)])


def allowed_sensitivities(opened_for: Sensitivity) -> list[str]:
    """What a scope may see: `high` only when it was opened for it."""
    return list(SENSITIVITIES) if opened_for == "high" else ["low", "normal"]


class _Columns:
    """Qualified names of the view's columns."""

    def __init__(self, table: str) -> None:
        self._table = table

    def __getattr__(self, name: str) -> Identifier:
        return Identifier(self._table, name)


def _standing(filters: Filters, column: _Columns) -> Iterator[Composed]:
    """What nobody gets to see unless they ask for it."""
    asked_for = "archived" in filters.include or "archived" in (filters.states or ())
    hidden = ["soft_deleted"] if asked_for else ["soft_deleted", "archived"]
    yield SQL("not {} = any ({}) and not {}").format(column.state, hidden, column.pending)
    yield SQL("{} = any ({})").format(column.sensitivity, allowed_sensitivities(filters.sensitivity))
    if filters.allowed is not None:
        yield SQL("{} = any ({}::text[])").format(column.category, list(filters.allowed))


def _wanted(filters: Filters, column: _Columns) -> Iterator[Composed]:
    one_of = {"kind": filters.kinds, "type": filters.types, "category": filters.categories, "state": filters.states}
    for name, values in one_of.items():
        if values is not None:
            yield SQL("{} = any ({}::text[])").format(getattr(column, name), list(values))
    if filters.ids is not None:
        yield SQL("({0} = any ({2}::uuid[]) or {1} = any ({2}::uuid[]) and {3} = 'chunk')").format(
            column.id, column.source_id, list(filters.ids), column.kind
        )
    if filters.tags is not None:
        yield SQL("{} && {}::text[]").format(column.tags, list(filters.tags))
    equal = {
        "tier": filters.tier,
        "agent_id": filters.agent,
        "run_id": filters.run,
        "thread_id": filters.thread,
        "source_id": filters.source,
        "actor_id": filters.actor,
        "role": filters.role,
        "pinned": filters.pinned,
    }
    for name, value in equal.items():
        if value is not None:
            yield SQL("{} = {}").format(getattr(column, name), value)
    if filters.speaker is not None:
        yield SQL("lower({}) = lower({})").format(column.speaker, filters.speaker)
    if filters.metadata:
        yield SQL("{} @> {}").format(column.metadata, Jsonb(filters.metadata))
    yield from _importance(filters, column)
    if filters.user is not None:
        yield SQL("({} = {} or {} = {})").format(
            column.space_id, user_space(filters.user), column.actor_id, filters.user
        )


def _importance(filters: Filters, column: _Columns) -> Iterator[Composed]:
    bounds = (
        ("{} >= {}", filters.min_importance),
        ("{} <= {}", filters.max_importance),
        ("greatest(1, ceil({} * 5)) >= {}", filters.min_level),
        ("greatest(1, ceil({} * 5)) <= {}", filters.max_level),
    )
    for condition, bound in bounds:
        if bound is not None:
            yield SQL(condition).format(column.importance, bound)


def _times(filters: Filters, now: datetime, column: _Columns) -> Iterator[Composed]:
    bounds = (
        ("happened_at", ">=", filters.since),
        ("happened_at", "<", filters.until),
        ("updated_at", ">", filters.updated_after),
        ("updated_at", "<", filters.updated_before),
        ("created_at", "<=", filters.as_known_at),
    )
    for name, operator, value in bounds:
        if value is not None:
            yield SQL("{} {} {}").format(getattr(column, name), SQL(operator), value)
    if filters.as_known_at is None:
        yield from _validity(filters, now, column)
    else:
        yield from _validity_known(filters, filters.as_known_at, column)


def _validity(filters: Filters, now: datetime, column: _Columns) -> Iterator[Composed]:
    """Half-open: valid from its start on, up to but not at its end."""
    if filters.valid_at is not None:
        yield SQL("({0} is null or {0} <= {2}) and ({1} is null or {1} > {2})").format(
            column.valid_from, column.valid_until, filters.valid_at
        )
    elif "expired" not in filters.include:
        yield SQL("({0} is null or {0} > {1})").format(column.valid_until, now)


def _validity_known(filters: Filters, known_at: datetime, column: _Columns) -> Iterator[Composed]:
    """The same of the version that was known at a moment: the present one, if it was there already, or a former one."""
    for present in _validity(filters, known_at, column):
        [former] = _validity(filters, known_at, _Columns("v"))
        yield SQL(
            "case when {recorded} <= {at} then {present} else exists ("
            "select from memory_version v where v.space_id = %(space)s and v.memory_id = {id}"
            " and v.recorded_from <= {at} and v.recorded_until > {at} and {former}) end"
        ).format(
            recorded=column.recorded_at,
            at=known_at,
            present=present,
            id=column.id,
            former=former,
        )
