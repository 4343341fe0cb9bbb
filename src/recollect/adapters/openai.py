"""An OpenAI client that remembers: what is known goes into the request, what was said into the conversation.

    client = remembering(AsyncOpenAI(), rc.scope(user_id="alice", thread_id="chat-1"))
    await client.chat.completions.create(model="…", messages=[{"role": "user", "content": "What do I drink?"}])

`create`, `parse` and `stream` of `chat.completions` and `responses` are wrapped, of `OpenAI` and `AsyncOpenAI`, and so
are copies of the client (`with_options`); all else is as it was, `with_raw_response` too. The context stands in a
message of its own before the user's last one; the caller's list is not touched. Where the caller sends the talk so far,
the context leaves it out.

A memory that does not answer costs no reply, but a `MemoryWarning`. Needs `pip install 'recollect[openai]'`.
"""

import asyncio
import copy
import json
import warnings
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, TypeVar
from uuid import UUID, uuid4, uuid5

from openai import AsyncOpenAI, OpenAI

from recollect import sync
from recollect.adapters.bridge import Bridge
from recollect.context.render import whole_text
from recollect.conversation import service as conversations
from recollect.conversation.model import Message as Said
from recollect.core import check
from recollect.core.errors import InvalidInput
from recollect.memory import Chat, Context, ScopedMemory
from recollect.understanding.fence import fenced

__all__ = ["MemoryWarning", "remembering"]

Client = TypeVar("Client", OpenAI, AsyncOpenAI)
T = TypeVar("T")

_IDS = UUID("6a1d8f52-07de-5a64-9a44-5f0b5b0f7e21")
_RAW = "x-stainless-raw-response"
"""The header by which the library marks a request whose answer is wanted unread."""
_SYSTEM = ("system", "developer")
_TEXTS = ("text", "input_text", "output_text")
_OVER = ("completed", "incomplete")
"""An answer that was cut at its limit was said, too."""
_MORE_HEAD = "## Perhaps related"


class MemoryWarning(UserWarning):
    """The memory did not do its part; the reply came without it."""


def remembering(
    client: Client,
    memory: ScopedMemory | Chat | sync.ScopedMemory | sync.Chat,
    *,
    tokens: int = 4_000,
    patience: float = 5.0,
) -> Client:
    """The same client, with a memory: a conversation, or a scope with a `thread_id`.

    `tokens`: how much of a request the context may take. `patience`: how many seconds the memory may take.
    """
    if not isinstance(client, OpenAI | AsyncOpenAI):
        raise InvalidInput("client", "must be an OpenAI or AsyncOpenAI")
    mind = _Mind(memory, check.count("tokens", tokens, least=256, most=10_000_000), _seconds(patience))
    return _minded(client.copy(), mind)


def _minded(client: Client, mind: "_Mind") -> Client:
    """A client that has not been used yet, given a memory; copies of it have the same one."""
    chat, copied = copy.copy(client.chat), client.copy
    _own(chat, "completions", _wrapped(client.chat.completions, mind, _ChatCall))
    _own(client, "chat", chat)
    _own(client, "responses", _wrapped(client.responses, mind, _ResponseCall))
    for name in ("copy", "with_options"):
        _own(client, name, wraps(copied)(lambda *args, **given: _minded(copied(*args, **given), mind)))
    return client


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
        raise InvalidInput("patience", "must be a number of seconds")
    return float(value)


def _own(holder: Any, name: str, value: Any) -> None:
    """Give an object another part than its class would make."""
    holder.__dict__[name] = value


def _wrapped(resource: Any, mind: "_Mind", kind: "type[_Call]") -> Any:
    """The resource with a memory; `stream` needs no more than that, since it calls `create`."""
    wrapped = copy.copy(resource)
    make = _awaited if isinstance(resource._client, AsyncOpenAI) else _blocking
    for name in ("create", "parse"):
        _own(wrapped, name, make(getattr(resource, name), mind, kind))
    return wrapped


def _awaited(create: Callable[..., Any], mind: "_Mind", kind: "type[_Call]") -> Callable[..., Any]:
    @wraps(create)
    async def asked(*args: Any, **given: Any) -> Any:
        if (call := kind.of(given)) is None:
            return await create(*args, **given)
        await mind.awaited(mind.prepare(call), "be read")
        answer = await create(*args, **call.request())
        if given.get("stream"):
            return _AsyncHeard(answer, call, mind)
        call.hear(answer)
        await mind.awaited(mind.keep(call), "be written")
        return answer

    return asked


def _blocking(create: Callable[..., Any], mind: "_Mind", kind: "type[_Call]") -> Callable[..., Any]:
    @wraps(create)
    def asked(*args: Any, **given: Any) -> Any:
        if (call := kind.of(given)) is None:
            return create(*args, **given)
        mind.waited(lambda: mind.prepare(call), "be read")
        answer = create(*args, **call.request())
        if given.get("stream"):
            return _Heard(answer, call, mind)
        call.hear(answer)
        mind.waited(lambda: mind.keep(call), "be written")
        return answer

    return asked


# Calls


@dataclass
class _Call:
    """One request: what the user said last, what was sent before it, and what was answered."""

    given: dict[str, Any]
    messages: list[Any]
    place: int
    """Of the user's last message."""
    question: str
    context: str = ""
    answered: str | None = None
    user_id: UUID = field(default_factory=uuid4)
    added: bool = False
    _said: list[str] = field(default_factory=list)

    field_name = "messages"

    @classmethod
    def of(cls, given: dict[str, Any]) -> "_Call | None":
        """The call, if somebody asks something in words and wants the answer read."""
        if _header(given, _RAW):
            return None
        messages = cls._listed(given.get(cls.field_name))
        if isinstance(given.get(cls.field_name), Iterator):  # which can be gone through once only
            given = given | {cls.field_name: messages}
        for place in range(len(messages) - 1, -1, -1):
            if _part(messages[place], "role") == "user":
                question = _words(_part(messages[place], "content"))
                return cls(given, messages, place, question) if question.strip() else None
        return None

    @classmethod
    def _listed(cls, value: Any) -> list[Any]:
        return list(value) if isinstance(value, Iterable) and not isinstance(value, str | Mapping) else []

    @property
    def has_history(self) -> bool:
        """Whether the caller sends the talk so far."""
        return any(_part(message, "role") not in _SYSTEM for message in self.messages[: self.place])

    @property
    def key(self) -> str | None:
        """What makes this request the same as another one, where that can be told."""
        if named := _header(self.given, "idempotency-key"):
            return named
        sent = self.messages[: self.place + 1] if self.has_history else None
        return None if sent is None else json.dumps(sent, sort_keys=True, default=str)

    def request(self) -> dict[str, Any]:
        """The request with the context in it."""
        if not self.context:
            return self.given
        told = {"role": "system", "content": self.context}
        return self.given | {self.field_name: [*self.messages[: self.place], told, *self.messages[self.place :]]}

    def hear(self, answer: Any) -> None:
        """An answer that came whole."""
        raise NotImplementedError

    def hear_part(self, event: Any) -> bool:
        """A part of an answer that comes as a stream; whether the answer is whole by it."""
        raise NotImplementedError


@dataclass
class _ChatCall(_Call):
    """A chat completion; of several choices the first is what was said."""

    _calls_tools: bool = False

    def hear(self, answer: Any) -> None:
        choices = getattr(answer, "choices", None)
        message = choices[0].message if choices else None
        if message is not None and not message.tool_calls:
            self.answered = message.content

    def hear_part(self, event: Any) -> bool:
        for choice in getattr(event, "choices", None) or ():
            if choice.index == 0:
                self._said.append(choice.delta.content or "")
                # Not every endpoint ends with "tool_calls" where tools were called.
                self._calls_tools |= bool(choice.delta.tool_calls or choice.delta.function_call)
                if choice.finish_reason is not None and not self._calls_tools:
                    self.answered = "".join(self._said)
                    return True
        return False


@dataclass
class _ResponseCall(_Call):
    """A request of the responses API."""

    field_name = "input"

    @classmethod
    def _listed(cls, value: Any) -> list[Any]:
        return [{"role": "user", "content": value}] if isinstance(value, str) else super()._listed(value)

    @property
    def has_history(self) -> bool:
        """The endpoint may have it, too."""
        stored = self.given.get("previous_response_id") or self.given.get("conversation")
        return bool(stored) or super().has_history

    @property
    def key(self) -> str | None:
        """An answer that follows another one is told apart by it."""
        found = super().key
        before, talk = (self.given.get(name) or None for name in ("previous_response_id", "conversation"))
        return found and f"{found} {before} {talk}"

    def hear(self, answer: Any) -> None:
        output = getattr(answer, "output", None) or ()
        if getattr(answer, "status", None) in (None, *_OVER) and all(_is_said(item) for item in output):
            self.answered = answer.output_text

    def hear_part(self, event: Any) -> bool:
        over = getattr(event, "type", None) in [f"response.{status}" for status in _OVER]
        if over:
            self.hear(event.response)
        return over


def _is_said(item: Any) -> bool:
    return not str(getattr(item, "type", "")).endswith("_call") or item.type in ("web_search_call", "file_search_call")


def _part(message: Any, name: str) -> Any:
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)


def _header(given: Mapping[str, Any], wanted: str) -> str | None:
    """A header that a request has of its own."""
    headers = given.get("extra_headers") or {}
    return next((str(value) for name, value in headers.items() if name.lower() == wanted), None)


def _words(content: Any) -> str:
    """What a message says; pictures and the like say nothing."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    return "\n".join(str(_part(part, "text") or "") for part in parts if _part(part, "type") in _TEXTS)


# Streams


class _Listening:
    """A stream that is listened to; all but going through it is the stream's own.

    What was answered is written before its last part is handed on: many go no further than that.
    """

    def __init__(self, stream: Any, call: _Call, mind: "_Mind") -> None:
        self._stream, self._call, self._mind = stream, call, mind

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Heard(_Listening):
    def __iter__(self) -> Iterator[Any]:
        for event in self._stream:
            if self._call.hear_part(event):
                self._mind.waited(lambda: self._mind.keep(self._call), "be written")
            yield event

    def __next__(self) -> Any:
        if "_events" not in self.__dict__:
            self._events = iter(self)
        return next(self._events)

    def __enter__(self) -> "_Heard":
        self._stream.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._stream.__exit__(*error)


class _AsyncHeard(_Listening):
    async def __aiter__(self) -> AsyncIterator[Any]:
        async for event in self._stream:
            if self._call.hear_part(event):
                await self._mind.awaited(self._mind.keep(self._call), "be written")
            yield event

    async def __anext__(self) -> Any:
        if "_events" not in self.__dict__:
            self._events = aiter(self)
        return await anext(self._events)

    async def __aenter__(self) -> "_AsyncHeard":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stream.__aexit__(*error)


# The memory


class _Mind:
    """The conversation behind a client."""

    def __init__(self, memory: Any, tokens: int, patience: float) -> None:
        self._bridge = Bridge(memory, "client", (ScopedMemory, Chat))
        inner = self._bridge.inner
        self._chat: Chat | None = inner if isinstance(inner, Chat) else None
        self._memory: ScopedMemory = inner._memory if isinstance(inner, Chat) else inner
        if self._chat is None and self._memory.scope.thread_id is None:
            raise InvalidInput("memory", "must be a conversation, or a scope with a thread_id")
        self._tokens, self._patience = tokens, patience

    async def awaited(self, work: Coroutine[Any, Any, T], what: str) -> T | None:
        """Work for a caller with `await`; a failure is a warning."""
        try:
            return await self._bridge.there(self._soon(work))
        except Exception as error:
            _warn(what, error)
            return None

    def waited(self, work: Callable[[], Coroutine[Any, Any, T]], what: str) -> T | None:
        """The same for a caller without."""
        try:
            return self._bridge.wait(lambda: self._soon(work()))
        except Exception as error:
            _warn(what, error)
            return None

    async def _soon(self, work: Coroutine[Any, Any, T]) -> T:
        return await asyncio.wait_for(work, self._patience)

    async def prepare(self, call: _Call) -> None:
        """Write down what the user said, and find what is known of it."""
        chat = await self._opened()
        said = await self._ask(chat, call)
        built = await chat.context(call.question, tokens=self._tokens, after=said)
        more = await self._more(call.question) if built.recall_advised else ()
        call.context = _told(built, more, with_talk=not call.has_history)

    async def keep(self, call: _Call) -> None:
        """Write down what was answered; what was asked too, where that failed before."""
        if not call.answered or not call.answered.strip():
            return
        chat = await self._opened()
        if not call.added:
            await self._ask(chat, call)
        await chat.add("assistant", call.answered, id=uuid5(call.user_id, "answer"))

    async def _opened(self) -> Chat:
        if self._chat is None:
            self._chat = await self._memory.conversation()
        return self._chat

    async def _ask(self, chat: Chat, call: _Call) -> str:
        """Write down what the user said, once, however often it is asked; its watermark."""
        if call.key is not None:
            call.user_id = uuid5(_IDS, json.dumps([chat.conversation.thread_id, chat.conversation.owner, call.key]))
        elif (waiting := await self._unanswered(chat, call.question)) is not None:
            call.user_id, call.added = waiting.id, True
            return waiting.watermark
        message = await chat.add("user", call.question, id=call.user_id)
        call.added = True
        return message.watermark

    async def _unanswered(self, chat: Chat, question: str) -> Said | None:
        """The conversation's last message, where that is this question: its answer did not come."""
        now = await conversations.get(self._memory._parts.database, chat.conversation)
        last = await chat.messages(max(1, now.last_turn), 1)
        return last[0] if last and (last[0].role, last[0].content) == ("user", question) else None

    async def _more(self, question: str) -> Sequence[str]:
        """Where the context recalls nothing, one query looks for what is at least near."""
        return [" ".join(each.text.split()) for each in await self._memory.query(question)]


def _told(built: Context, more: Sequence[str], *, with_talk: bool) -> str:
    """The context as one message: without the question, which follows, and the talk, where the caller sends it."""
    chosen = built._built.assembled.chosen
    stable = chosen.stable if with_talk else replace(chosen.stable, messages=())
    text, _ = whole_text(stable, replace(chosen.volatile, question="", closing=False))
    near = fenced("\n".join([_MORE_HEAD, *(f"- {each}" for each in more)])) if more else ""
    return "\n\n".join(filter(None, (text.strip(), near)))


def _warn(what: str, error: Exception) -> None:
    problem = str(error) or type(error).__name__
    warnings.warn(f"the memory could not {what}: {problem}", MemoryWarning, stacklevel=3)
