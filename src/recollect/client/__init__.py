"""The library's surface over a server: code moves from embedded to server by another first line.

    from recollect.client import Recollect

    async with Recollect.connect("http://127.0.0.1:7077", key="rcl_…") as rc:
        me = rc.scope(user_id="alice")
        await me.add("Alice prefers tea.")
        hits = await me.search("tea")

The methods are made from those of `recollect.memory` and the table of verbs; they take and return the same values and
raise the same errors. `__init__.pyi`, which editors and type checkers read, is generated.
"""

from collections.abc import AsyncIterator, Callable, Generator, Iterable, Mapping, Sequence
from functools import wraps
from types import TracebackType
from typing import Any, Self

from recollect.client.transport import Place, Transport
from recollect.conversation.model import Conversation
from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.core.keys import Key
from recollect.core.scope import Scope, Sensitivity
from recollect.memory import Bullets, Hits
from recollect.wire.answers import Answered, Found, Told
from recollect.wire.headers import naming
from recollect.wire.verbs import VERBS, Owner, Verb, verb

__all__ = ["Chat", "Context", "Recollect", "ScopedMemory"]

_TIMEOUT = 300.0
_WORDS = ("user_id", "project_id", "agent_id", "run_id", "thread_id", "team_ids", "sensitivity")


class _Remote:
    """An object of the library that lives on a server: every verb of `owner`, unless the subclass has its own."""

    _transport: Transport
    _place: Place

    def __init_subclass__(cls, owner: Owner) -> None:
        for each in VERBS:
            if each.owner == owner and each.name not in vars(cls):
                setattr(cls, each.name, _method(each))

    def _shown(self, value: Any) -> Any:
        """An answer as callers of the library get it."""
        if isinstance(value, Found):
            return Hits(value.hits, value.warnings)
        if isinstance(value, Answered):
            return Bullets(value.bullets, value.warnings)
        if isinstance(value, list) and value and isinstance(value[0], Found):
            return [self._shown(each) for each in value]
        return value


def _method(verb: Verb) -> Callable[..., Any]:
    if verb.takes_lines:
        return _taking_lines(verb)
    if verb.streams == "changes":
        return _watching(verb)
    return _streaming(verb) if verb.streams else _asking(verb)


def _asking(verb: Verb) -> Callable[..., Any]:
    @wraps(verb.function)
    async def ask(self: _Remote, *args: Any, **kwargs: Any) -> Any:
        return self._shown(await self._transport.call(verb, self._place, _given(verb, args, kwargs)))

    return ask


def _streaming(verb: Verb) -> Callable[..., Any]:
    @wraps(verb.function)
    def stream(self: _Remote, *args: Any, **kwargs: Any) -> AsyncIterator[str]:
        return self._transport.lines(verb, self._place, _given(verb, args, kwargs))

    return stream


def _watching(verb: Verb) -> Callable[..., Any]:
    @wraps(verb.function)
    def watch(self: _Remote, after: int | None = None) -> AsyncIterator[Any]:
        return self._transport.events(verb, self._place, after)

    return watch


def _taking_lines(verb: Verb) -> Callable[..., Any]:
    @wraps(verb.function)
    async def take(self: _Remote, lines: Iterable[str]) -> Any:
        return await self._transport.send_lines(verb, self._place, lines)

    return take


def _given(verb: Verb, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their names; what stays within a process is refused."""
    bound = verb.signature.bind(*args, **kwargs).arguments
    rest = next((name for name, each in verb.signature.parameters.items() if each.kind is each.VAR_KEYWORD), None)
    named = {name: value for name, value in bound.items() if name != rest} | bound.get(rest or "", {})
    known = {argument.name for argument in verb.arguments}
    for name in set(named) & set(verb.signature.parameters) - known:
        if named.pop(name) is not None:
            raise InvalidInput(name, "stays within a process: a server cannot take it")
    return named


class Recollect(_Remote, owner="recollect"):
    """A memory on a server. Made by `Recollect.connect(…)`, used with `async with`, or awaited and closed by hand."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._place = Place({})
        self._key: Key | None = None

    @classmethod
    def connect(cls, url: str, key: str | None = None, *, timeout: float | None = _TIMEOUT) -> Self:
        """The memory of a server; without a key, where it needs none."""
        return cls(Transport(url, key, timeout))

    @classmethod
    def open(cls, url: str, key: str | None = None, *, timeout: float | None = _TIMEOUT) -> Self:
        """The same, in the library's word."""
        return cls.connect(url, key, timeout=timeout)

    def __await__(self) -> Generator[Any, None, Self]:
        """`rc = await Recollect.connect(…)`; then `await rc.close()` at the end."""
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Self:
        """Look whether the server is there and takes the key."""
        self._key = await self._transport.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Let go of the server, which goes on."""
        await self.close()

    async def close(self) -> None:
        """Let go of the server, which goes on."""
        await self._transport.close()

    def scope(
        self,
        user_id: str | None = None,
        project_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        thread_id: str | None = None,
        team_ids: Sequence[str] | None = None,
        sensitivity: Sensitivity | None = None,
    ) -> "ScopedMemory":
        """The memory as one user, project or agent sees it; what is not named is what the key says."""
        teams = None if team_ids is None else check.names("team_ids", team_ids)
        values = (user_id, project_id, agent_id, run_id, thread_id, teams, sensitivity)
        named = {word: value for word, value in zip(_WORDS, values, strict=True) if value is not None}
        scope = Scope(**(_own(self._key) | named))
        self._transport.refuse_closed()
        return ScopedMemory(self._transport, named, scope)


def _own(key: Key | None) -> dict[str, Any]:
    """What a key says of a scope."""
    return {} if key is None else {word: getattr(key, word) for word in _WORDS if hasattr(key, word)}


class ScopedMemory(_Remote, owner="memory"):
    """The verbs, for one scope."""

    def __init__(self, transport: Transport, named: Mapping[str, Any], scope: Scope) -> None:
        self._transport = transport
        self._headers = naming(named)
        self._place = Place(self._headers)
        self.scope = scope
        """Who asks; which categories its agent may see, the server knows."""

    def _shown(self, value: Any) -> Any:
        return Chat(self, value) if isinstance(value, Conversation) else super()._shown(value)


class Chat(_Remote, owner="chat"):
    """One conversation."""

    def __init__(self, memory: ScopedMemory, conversation: Conversation) -> None:
        self._transport = memory._transport
        self._place = Place(memory._headers, conversation.thread_id, shared=conversation.shared)
        self.conversation = conversation
        self.scope = memory.scope

    def _shown(self, value: Any) -> Any:
        if isinstance(value, Conversation):
            self.conversation = value
            return None
        return Context(self, value) if isinstance(value, Told) else super()._shown(value)


class Context:
    """What a model should know to answer, within its budget."""

    def __init__(self, chat: Chat, told: Told) -> None:
        self._chat = chat
        self._told = told
        self.text = told.text
        self.tokens = told.tokens
        self.stable_prefix = told.stable_prefix
        self.warnings = told.warnings
        self.hits = told.hits
        self.recall_advised = told.recall_advised
        self.offered = told.offered

    def to_openai(self) -> list[dict[str, Any]]:
        """As messages of OpenAI's chat completions."""
        return self._told.openai

    def to_anthropic(self) -> dict[str, Any]:
        """As `system` and `messages` of Anthropic's API."""
        return self._told.anthropic

    async def ack(self) -> None:
        """Say that the updates at its head were read; adding to the thread says so too."""
        acknowledge = verb("chat", "ack")
        await self._chat._transport.call(acknowledge, self._chat._place, {"offered": self.offered})
