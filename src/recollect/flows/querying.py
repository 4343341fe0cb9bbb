"""The one tool that agents need: a question, the categories that it is about, and a budget."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from recollect.context import bullets
from recollect.context.bullets import Bullet
from recollect.core import check
from recollect.core.errors import InvalidInput, NotAllowed
from recollect.core.scope import Scope
from recollect.flows.parts import Parts
from recollect.records.kinds import KINDS
from recollect.retrieval import request as requesting
from recollect.retrieval.related import related
from recollect.retrieval.search import Hit, Timing

PROCEDURE = "procedure"
_NAMES = {
    "user_id": "user",
    "agent_id": "agent",
    "run_id": "run",
    "actor_id": "actor",
    "role": "role",
    "pinned": "pinned",
    "importance_min": "min_level",
    "importance_max": "max_level",
    "updated_after": "updated_after",
    "updated_before": "updated_before",
}
"""Filters of a query, and what a search calls them."""
FILTERS = (*_NAMES, "category")
_MOST = 100
_MOST_TOKENS = 10_000_000


@dataclass(frozen=True, slots=True)
class Answered:
    """What a query gives back, and the hits behind it."""

    told: list[Bullet]
    hits: list[Hit]
    warnings: tuple[str, ...] = ()


def acting_as(scope: Scope, agent: object) -> Scope:
    """The scope as the agent that is named; one that is bound to an agent can name no other."""
    if agent is None:
        return scope
    named = check.identifier("agent", agent)
    if scope.agent_id not in (None, named):
        raise NotAllowed(f"agent {named}", f"the scope is bound to agent {scope.agent_id}")
    return replace(scope, agent_id=named)


async def query(parts: Parts, scope: Scope, question: object, given: Mapping[str, Any], timing: Timing) -> Answered:
    """The best memories for a question, within a budget; procedures only where their category is named."""
    tokens = check.count("budget_tokens", given["budget_tokens"], most=_MOST_TOKENS)
    form = check.choice("return_", given["return_"], bullets.RETURNS)
    limit = check.count("top_k", given["top_k"], most=_MOST)
    categories, filters = _categories(given["categories"]), _filters(given["filters"])
    if (only := filters.pop("category", None)) is not None:
        for category in (*(categories or ()), *only):
            scope.refuse_unseen(category)
        categories = only if categories is None else tuple(name for name in only if name in categories)
    wanted = filters | {"categories": categories, "kinds": _kinds(categories), "threshold": given["threshold"]}
    zone = await parts.searcher.zone(scope.readable)
    request = requesting.parse(scope, question, limit, wanted, parts.settings, parts.clock(), zone)
    request = replace(request, of_any_kind=True)
    hits = await parts.searcher.search(request, timing)
    ties = await related(parts.searcher, request, hits, parts.settings.related_bullets)
    answer = bullets.answer(hits, ties, scope, parts.counter, tokens, whole=form == "full")
    given_ids = {each.id for each in answer.told}
    left = f"{answer.left_out} of {len(hits)} memories were left out: they do not fit into {tokens} tokens"
    told = [hit for hit in hits if hit.memory.id in given_ids]
    return Answered(answer.told, told, (left,) if answer.left_out else ())


def _categories(given: object) -> tuple[str, ...] | None:
    named = check.optional_names("categories", given)
    return named or None


def _kinds(categories: tuple[str, ...] | None) -> list[str]:
    asked = categories is not None and KINDS[PROCEDURE].category in categories
    return [kind for kind in KINDS if kind != PROCEDURE or asked]


def _filters(given: object) -> dict[str, Any]:
    """The filters under the names of a search; what is null filters nothing."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidInput("filters", "must be an object of names and values")
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in FILTERS:
            raise InvalidInput(f"filters.{name}", f"is no filter; there are {', '.join(FILTERS)}")
        if value is not None:
            found[_NAMES.get(str(name), str(name))] = _checked(str(name), value)
    return found


def _checked(name: str, value: Any) -> Any:
    field = f"filters.{name}"
    if name == "category":
        return (check.identifier(field, value),) if isinstance(value, str) else check.names(field, value)
    if name in ("importance_min", "importance_max"):
        return check.count(field, value, most=5)
    if name == "pinned":
        return check.flag(field, value)
    if name in ("updated_after", "updated_before"):
        return value
    return check.identifier(field, value)
