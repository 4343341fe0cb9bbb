"""A request of somebody who looks at a space: which memory it is answered from, and how it is answered."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Message, Receive

from recollect.console import choosing, csrf
from recollect.console.rendering import Telling, render
from recollect.core.errors import InvalidInput, NotAllowed
from recollect.memory import Recollect, ScopedMemory, for_looking
from recollect.wire.headers import KEY_COOKIE

Whose = Callable[[Request], Awaitable[ScopedMemory]]
IsAdmin = Callable[[Request], Awaitable[bool]]

_MOST_FIELDS = 64
_MOST_BYTES = 4 * 1024 * 1024
_MOST_DIGITS = 18


class SignInNeeded(Exception):
    """Nobody knows for whom this request speaks."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Gate:
    """Who may come in: what the server says of a request."""

    recollect: Recollect
    whose: Whose
    is_admin: IsAdmin


@dataclass(slots=True)
class Asked:
    """One request, with the memory that it is answered from."""

    request: Request
    gate: Gate
    memory: ScopedMemory
    admin: bool
    zone: str
    form: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    async def of(cls, request: Request, gate: Gate) -> "Asked":
        """What the gate makes of a request; a form is read only if it is ours."""
        try:
            memory = for_looking(await gate.whose(request))
        except NotAllowed as error:
            raise SignInNeeded(str(error)) from error
        form = await read_form(request) if request.method == "POST" else {}
        return cls(request, gate, memory, await gate.is_admin(request), await memory.timezone(), form)

    @property
    def recollect(self) -> Recollect:
        """The memory of all spaces: for what an administrator does."""
        return self.gate.recollect

    def at(self, path: str) -> str:
        """The address of one of our pages."""
        return address(self.request, path)

    def given(self, name: str) -> str | None:
        """A value of the address, if it is not empty."""
        return (self.request.query_params.get(name) or "").strip() or None

    def sent(self, name: str) -> str | None:
        """A value of the form, if it is not empty."""
        return (self.form.get(name) or "").strip() or None

    def needed(self, name: str) -> str:
        """A value of the form that has to be there."""
        value = self.sent(name)
        if value is None:
            raise InvalidInput(name, "is empty")
        return value

    def refuse_others(self, what: str) -> None:
        """Some pages are for administrators."""
        if not self.admin:
            raise NotAllowed(what, "this is for an administrator: sign in with an admin key")

    def go(self, path: str) -> Response:
        """On to another page, after a form was taken."""
        return RedirectResponse(self.at(path), status_code=303)

    async def page(self, template: str, *, code: int = 200, **values: Any) -> Response:
        """A page, with all that surrounds it."""
        around = await self._around()
        return render(template, self.request, self.telling, code, **around, **values)

    @property
    def telling(self) -> Telling:
        """How moments are told here."""
        return Telling(self.zone, self.recollect.parts.clock())

    async def _around(self) -> dict[str, Any]:
        """What every page shows: where one is, what waits, and which spaces there are."""
        me = self.memory
        reviews, consents, merges = await asyncio.gather(me.reviews(), me.consents(), me.merges())
        spaces = await self.recollect.spaces() if self.admin else []
        return {
            "scope": me.scope,
            "admin": self.admin,
            "keys_shown": self.admin,
            "waiting": {"reviews": len(reviews), "consents": len(consents), "merges": len(merges)},
            "spaces": [space.space for space in spaces if choosing.can_choose(space.space)],
            "signed_in": KEY_COOKIE in self.request.cookies,
            "done": self.request.query_params.get("done"),
        }


def number(given: str | None) -> int | None:
    """A whole number that somebody typed; None where it is none, or larger than any that we count to."""
    if given is None or not given.isascii() or not given.isdecimal() or len(given) > _MOST_DIGITS:
        return None
    return int(given)


def address(request: Request, path: str) -> str:
    """A path below where the console is mounted."""
    return f"{request.scope.get('root_path', '')}{path}"


async def read_form(request: Request) -> dict[str, str]:
    """The texts of a form that one of our pages sent."""
    bounded = Request(request.scope, _bounded(request.receive))
    sent = await bounded.form(max_files=0, max_fields=_MOST_FIELDS, max_part_size=_MOST_BYTES)
    form = {name: value for name, value in sent.items() if isinstance(value, str)}
    csrf.check(request, form)
    return form


def _bounded(receive: Receive) -> Receive:
    """No more of a form than it may have, whether or not it says how large it is."""
    taken = 0

    async def bounded() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > _MOST_BYTES:
            raise InvalidInput("form", f"is larger than {_MOST_BYTES} bytes")
        return message

    return bounded
