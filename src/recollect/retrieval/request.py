"""What is asked of a search, checked."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from operator import attrgetter
from typing import Any

from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.core.settings import Settings
from recollect.records import filters as filtering
from recollect.records.filters import Filters
from recollect.retrieval.fusion import Weights

_QUESTION_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Request:
    """One search."""

    question: str
    limit: int
    filters: Filters
    weights: Weights
    relation_weight: float
    threshold: float | None
    context: str | None
    spaces: tuple[str, ...]
    now: datetime
    of_any_kind: bool = False
    """Whether the kinds that are named are only those that are not left out."""

    @property
    def folds(self) -> bool:
        """With no kind asked for, hits that come of one message count as one."""
        return self.filters.kinds is None or self.of_any_kind


def parse(
    scope: Scope,
    question: object,
    limit: object,
    given: Mapping[str, Any],
    settings: Settings,
    now: datetime,
    zone: str,
) -> Request:
    """Check a search before anything is read."""
    values = dict(given)
    context = values.pop("context", None)
    threshold = values.pop("threshold", None)
    weights, relation = _weights(values.pop("weights", None), settings)
    return Request(
        question=check.text("query", question, most_bytes=_QUESTION_BYTES),
        limit=check.count("limit", limit, most=1_000),
        filters=filtering.parse(values, zone=zone, scope=scope),
        weights=weights,
        relation_weight=relation,
        threshold=check.optional_unit("threshold", threshold),
        context=check.optional_text("context", context, most_bytes=_QUESTION_BYTES),
        spaces=scope.readable,
        now=now,
    )


_settled = attrgetter(*(f"weight_{field.name}" for field in fields(Weights)))
"""The settings' weights, in their order."""


def _weights(given: object, settings: Settings) -> tuple[Weights, float]:
    """The settings' weights, and what this call changes of them."""
    weights = Weights(*_settled(settings))
    if given is None:
        return weights, settings.weight_relation
    if not isinstance(given, Mapping):
        raise InvalidInput("weights", "must be an object of names and numbers")
    named = {str(name): _weight(str(name), value) for name, value in given.items()}
    relation = named.pop("relation", settings.weight_relation)
    unknown = set(named) - {field.name for field in fields(Weights)}
    if unknown:
        raise InvalidInput(f"weights.{min(unknown)}", "is no weight")
    return replace(weights, **named), relation


def _weight(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise InvalidInput(f"weights.{name}", "must be a number from 0 to 100")
    return float(value)
