"""Whom a request speaks for: its key says so, or, where nobody needs one, its headers.

Nobody needs a key on a loopback address for as long as none was ever made. Then a page of another site, which a browser
lets speak to loopback addresses too, has to be kept out: by the name under which the server was called, and by the
origin of the page.
"""

import ipaddress
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast
from urllib.parse import urlsplit

from starlette.requests import Request

from recollect.core.errors import NotAllowed
from recollect.core.keys import Key
from recollect.core.scope import SENSITIVITIES, Sensitivity
from recollect.governance.admission import RevokedKey
from recollect.memory import Recollect, ScopedMemory
from recollect.wire.headers import KEY_COOKIE, named_by


class NoKey(NotAllowed):
    """A request without a key that opens, where one is needed."""


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Gate:
    """Decides for every request which scope it has, and whether it may do what belongs to no space."""

    def __init__(self, rc: Recollect, *, keyless: bool) -> None:
        self._rc = rc
        self._keyless = keyless

    async def whose(self, request: Request, unnamed: Mapping[str, Any] | None = None) -> ScopedMemory:
        """The memory as whoever asks may see it; `unnamed`: as whom, where neither a key nor the request says it."""
        key, asked = await self.key(request), named_by(request.headers)
        if unnamed is not None and not _names_somebody(key, asked):
            asked = {**unnamed, **asked}
        if key is None:
            return self._rc.scope(**asked)
        try:
            return self._rc.scope(**_allowed(key, asked))
        except NotAllowed as error:
            self._tell(key, error)
            raise

    async def is_admin(self, request: Request) -> bool:
        """Whether it may do what belongs to no space."""
        key = await self.key(request)
        return key is None or key.admin

    async def require_admin(self, request: Request) -> None:
        """Refuse whoever may not."""
        key = await self.key(request)
        if key is not None and not key.admin:
            error = NotAllowed("admin", f"the key {key.prefix} is no admin's")
            self._tell(key, error)
            raise error

    async def key(self, request: Request) -> Key | None:
        """The key of a request, counted once; None where none is needed."""
        if not hasattr(request.state, "key"):
            request.state.key = await self._admit(request)
        return cast("Key | None", request.state.key)

    async def still_open(self, request: Request) -> None:
        """Refuse a request that goes on for long, once its key is taken away or the door is closed."""
        key, secret = await self.key(request), _secret(request)
        if key is not None and secret is not None:
            await self._rc.admission.check(secret)
        elif not await self._rc.admission.open_to_all():
            raise NoKey("key", "from now on one is needed")

    async def _admit(self, request: Request) -> Key | None:
        _refuse_other_sites(request)
        if self._keyless and await self._rc.admission.open_to_all():
            _refuse_other_names(request)
            if "authorization" in request.headers:
                raise NoKey("key", "it is none of this memory's")
            return None
        if (secret := _secret(request)) is None:
            raise NoKey("key", "send one: Authorization: Bearer …")
        return await self._checked(secret)

    async def _checked(self, secret: str) -> Key:
        try:
            key = await self._rc.admission.check(secret)
        except RevokedKey as error:
            self._tell(error.key, error)
            raise NoKey("key", f"{error.key.prefix} is revoked") from None
        except NotAllowed as error:
            raise NoKey("key", "it is none of this memory's") from error
        self._rc.admission.count(key)
        return key

    def _tell(self, key: Key, error: NotAllowed) -> None:
        """An event in the key's own space: somebody tried its door, or another."""
        if (scope := key.scope) is not None:
            problem = f"{key.prefix} was refused: {error}"
            self._rc.recalls.note_problem(scope, "key", problem, self._rc.parts.clock())


def _secret(request: Request) -> str | None:
    given = request.headers.get("authorization")
    if given is None:
        return request.cookies.get(KEY_COOKIE)
    kind, _, secret = given.partition(" ")
    if kind.lower() != "bearer":
        raise NoKey("key", "send it as Authorization: Bearer …")
    return secret.strip()


def _refuse_other_sites(request: Request) -> None:
    """A browser says from which site a request comes, wherever that is not a person's own doing."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise NotAllowed("origin", f"pages of {origin[:100]} may not ask here")


def _refuse_other_names(request: Request) -> None:
    """Whoever owns a name can let it point to a loopback address."""
    name = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    if not is_loopback(name):
        raise NotAllowed("host", f"without a key this server answers to localhost alone, not to {name[:100]!r}")


def _names_somebody(key: Key | None, asked: Mapping[str, Any]) -> bool:
    named = asked if key is None else {"user_id": key.user_id, "project_id": key.project_id, "agent_id": key.agent_id}
    return any(named.get(field) or asked.get(field) for field in ("user_id", "project_id", "agent_id"))


def _allowed(key: Key, asked: dict[str, Any]) -> dict[str, Any]:
    """The scope of a key, with what a request may add to it."""
    own = {
        "user_id": key.user_id,
        "project_id": key.project_id,
        "agent_id": key.agent_id,
        "team_ids": key.team_ids,
        "sensitivity": key.sensitivity,
    }
    if not key.admin:
        for field, value in asked.items():
            _refuse_foreign(key, own, field, value)
    return own | asked


def _refuse_foreign(key: Key, own: dict[str, Any], field: str, value: Any) -> None:
    if field in ("run_id", "thread_id") or value == own[field]:
        return
    # Where no user is named an agent has a space of its own, which then is not the caller's to choose.
    if field == "agent_id" and key.agent_id is None and key.user_id is not None:
        return
    if field == "team_ids" and set(value) <= set(key.team_ids):
        return
    if field == "sensitivity" and value in SENSITIVITIES and _rank(value) <= _rank(key.sensitivity):
        return
    raise NotAllowed(f"{field} {value}", f"the key {key.prefix} does not speak for it")


def _rank(sensitivity: Sensitivity) -> int:
    return SENSITIVITIES.index(sensitivity)
