"""Forgetting for good: what would go, the question, the receipt; and what was forgotten."""

from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from recollect.console.asking import Asked
from recollect.core import check
from recollect.core.errors import Conflict, InvalidInput

FORMS = ("memory", "thread", "source", "person", "query", "everything")
_ARGUMENTS: dict[str, Callable[[str], dict[str, Any]]] = {
    "memory": lambda target: {"id": target},
    "thread": lambda target: {"thread": target},
    "source": lambda target: {"source": target},
    "person": lambda target: {"person": target},
    "query": lambda target: {"query": target},
    "everything": lambda _: {"everything": True},
}


async def show(asked: Asked) -> Response:
    """What to forget."""
    form, target = asked.given("form") or "memory", asked.given("target") or ""
    return await asked.page("forget.html", forms=FORMS, form=form, target=target, stale=False)


async def forget(asked: Asked) -> Response:
    """Without a token show what would go; with one forget exactly that."""
    form = check.choice("form", asked.needed("form"), FORMS)
    target = "" if form == "everything" else asked.needed("target")
    named = _ARGUMENTS[form](target) | {"keep_raw": asked.sent("keep_raw") is not None}
    token = asked.sent("token")
    if token is None:
        return await _dry(asked, form, target, named, stale=False)
    if form == "everything" and asked.sent("space") != asked.memory.scope.space:
        raise InvalidInput("space", f"type {asked.memory.scope.space} to forget all of it")
    try:
        receipt = await asked.memory.forget(token=token, **named)
    except Conflict:
        return await _dry(asked, form, target, named, stale=True)
    return await asked.page("receipt.html", receipt=receipt)


async def _dry(asked: Asked, form: str, target: str, named: dict[str, Any], *, stale: bool) -> Response:
    """What would go; `stale`: it is not any more what was shown before."""
    receipt = await asked.memory.forget(dry_run=True, **named)
    return await asked.page(
        "forget_sure.html", receipt=receipt, form=form, target=target, keep_raw=named["keep_raw"], stale=stale
    )


async def forgotten(asked: Asked) -> Response:
    """What was forgotten, the newest first."""
    stones = await asked.memory.tombstones()
    return await asked.page("forgotten.html", stones=stones[::-1])


async def lift(asked: Asked) -> Response:
    """Let it be learned again."""
    await asked.memory.lift(str(asked.request.path_params["id"]))
    return asked.go("/forgotten?done=lifted")
