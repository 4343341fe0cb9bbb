"""API keys, for an administrator."""

from typing import Any, cast

from starlette.responses import Response

from recollect.console.asking import Asked
from recollect.core import check
from recollect.core.scope import SENSITIVITIES, Sensitivity
from recollect.memory import Recollect


def _keys(asked: Asked) -> Recollect:
    """Whoever knows of all keys."""
    asked.refuse_others("keys")
    return asked.recollect


async def show(asked: Asked) -> Response:
    """All keys, those in force first."""
    return await _page(asked, None)


async def _page(asked: Asked, made: Any) -> Response:
    """The list; right after one was made, its secret."""
    keys = sorted(await _keys(asked).keys(), key=lambda key: (key.revoked_at is not None, key.name))
    return await asked.page("keys.html", keys=keys, made=made, sensitivities=SENSITIVITIES)


async def make(asked: Asked) -> Response:
    """A new key; its secret is shown this once."""
    named = {name: asked.sent(name) for name in ("user_id", "project_id", "agent_id")}
    teams = [team.strip() for team in (asked.sent("team_ids") or "").split(",") if team.strip()]
    level = cast("Sensitivity", check.choice("sensitivity", asked.sent("sensitivity") or "normal", SENSITIVITIES))
    made = await _keys(asked).make_key(
        asked.needed("name"), **named, team_ids=teams, sensitivity=level, admin=asked.sent("admin") is not None
    )
    return await _page(asked, made)


def _id(asked: Asked) -> Any:
    return check.uuid("id", asked.request.path_params["id"])


async def rotate(asked: Asked) -> Response:
    """Another secret; the old one ends."""
    return await _page(asked, await _keys(asked).rotate_key(_id(asked)))


async def revoke(asked: Asked) -> Response:
    """No more use of it."""
    await _keys(asked).revoke_key(_id(asked))
    return asked.go("/keys?done=revoked")
