"""Recollect without `await`: for scripts, threads and notebooks.

    with Recollect.open() as rc:
        me = rc.scope(user_id="alice")
        me.conversation("chat-1").add("user", "hi")
        me.search("hi")

One thread with one event loop does the work for as long as the memory is open; a call hands it a coroutine and
waits. Nothing is written twice: the classes below get their methods from those of `recollect.memory`, and
`sync.pyi`, which editors and type checkers read, is generated from them.
"""

import asyncio
import atexit
import inspect
import os
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from functools import wraps
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

from recollect import memory
from recollect.conversation.model import Conversation
from recollect.core.errors import RecollectError
from recollect.core.settings import Settings
from recollect.retrieval.search import Hit

__all__ = ["Chat", "Context", "Recollect", "ScopedMemory", "within"]

T = TypeVar("T")

# Seconds that background work gets at an orderly end. What is left stays in the queue for the next one to open it.
_LAST_WORK = 30.0
# Seconds that an interrupted call gets to roll back and let go of its connection.
_CANCELLED = 5.0
_END: Any = object()


class _Loop:
    """A thread that runs one event loop until it is stopped."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._calls: set[Future[Any]] = set()
        self._closing = False
        started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=self._serve, args=(started,), name="recollect", daemon=True)
        self._thread.start()
        self._loop, self._stopped = started.result()

    def _serve(self, started: "Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]") -> None:
        async def until_stopped() -> None:
            stopped = asyncio.Event()
            started.set_result((asyncio.get_running_loop(), stopped))
            await stopped.wait()

        asyncio.run(until_stopped())

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop."""
        return self._loop

    @property
    def forked(self) -> bool:
        """Whether this is a child process: there the thread does not exist."""
        return os.getpid() != self._process

    def check(self) -> None:
        """Refuse a call that could only hang."""
        if self.forked:
            raise RecollectError("this Recollect was opened before a fork: open another one in the child process")
        if self._closing:
            raise RecollectError("this Recollect is closed: open another one")
        if threading.current_thread() is self._thread:
            raise RecollectError("a callback of Recollect cannot wait for Recollect: use the asynchronous one there")

    def call(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What the coroutine returns; an interrupt of the waiting thread cancels it."""
        self.check()
        return self._wait(work())

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        ended = threading.Event()
        # The task runs in a copy of the caller's context variables: call_soon_threadsafe makes it here.
        future = asyncio.run_coroutine_threadsafe(_telling(work, ended), self._loop)
        self._calls.add(future)
        try:
            return future.result()
        except CancelledError:
            raise RecollectError("this Recollect was closed during the call") from None
        finally:
            self._calls.discard(future)
            if not future.done():
                future.cancel()
                ended.wait(_CANCELLED)

    def stop(self, last: Callable[[], Coroutine[Any, Any, None]] | None = None) -> None:
        """End the calls that are under way, run what comes last, and end the thread. A second time does nothing."""
        if self.forked or self._closing:
            return
        self._closing = True
        for future in list(self._calls):
            future.cancel()
        try:
            if last is not None:
                self._wait(last())
        finally:
            self._loop.call_soon_threadsafe(self._stopped.set)
            self._thread.join()


async def _telling(work: Coroutine[Any, Any, T], ended: threading.Event) -> T:
    try:
        return await work
    finally:
        ended.set()


class _Face:
    """A blocking face of an asynchronous class: every public name of `of`, unless the subclass has its own."""

    _faces: ClassVar[dict[type, type["_Face"]]] = {}

    def __init__(self, inner: Any, loop: _Loop) -> None:
        self._inner = inner
        self._loop = loop

    def __init_subclass__(cls, of: type) -> None:
        """Make the methods and properties."""
        _Face._faces[of] = cls
        cls.__doc__ = of.__doc__
        own = vars(cls)
        for name in inspect.get_annotations(cls):
            setattr(cls, name, _property(name))
        for name, member in vars(of).items():
            if not name.startswith("_") and name not in own:
                setattr(cls, name, _property(name) if isinstance(member, property) else _method(member))

    def _shown(self, value: Any) -> Any:
        """A value as callers get it: asynchronous objects behind their own faces."""
        face = self._faces.get(type(value))
        return value if face is None else face(value, self._loop)


def within(face: "_Face") -> tuple[Any, asyncio.AbstractEventLoop]:
    """What a face stands before, and the loop on which it works: for whoever has to do both kinds of calls."""
    face._loop.check()
    return face._inner, face._loop.loop


def _property(name: str) -> property:
    def read(self: _Face) -> Any:
        self._loop.check()
        return getattr(self._inner, name)

    return property(read)


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    if inspect.isasyncgenfunction(function):
        return _iterating(function)
    if inspect.iscoroutinefunction(function):
        return _blocking(function)
    return _plain(function)


def _blocking(function: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
    @wraps(function)
    def call(self: _Face, *args: Any, **kwargs: Any) -> Any:
        return self._shown(self._loop.call(lambda: function(self._inner, *args, **kwargs)))

    return call


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(self: _Face, *args: Any, **kwargs: Any) -> Any:
        self._loop.check()
        return self._shown(function(self._inner, *args, **kwargs))

    return call


def _iterating(function: Callable[..., AsyncIterator[Any]]) -> Callable[..., Iterator[Any]]:
    @wraps(function)
    def iterate(self: _Face, *args: Any, **kwargs: Any) -> Iterator[Any]:
        self._loop.check()
        return _iterator(self, function(self._inner, *args, **kwargs))

    return iterate


def _iterator(face: _Face, source: Any) -> Iterator[Any]:
    async def following() -> Any:
        return await anext(source, _END)

    try:
        while (value := face._loop.call(following)) is not _END:
            yield face._shown(value)
    finally:
        if not (face._loop.forked or face._loop._closing):
            face._loop.call(source.aclose)


class Context(_Face, of=memory.Context):
    text: str
    tokens: int
    stable_prefix: int
    warnings: tuple[str, ...]
    hits: tuple[Hit, ...]
    recall_advised: bool
    offered: dict[str, int]


class Chat(_Face, of=memory.Chat):
    conversation: Conversation


class ScopedMemory(_Face, of=memory.ScopedMemory):
    pass


class Recollect(_Face, of=memory.Recollect):
    settings: Settings

    @classmethod
    def open(cls, *args: Any, **kwargs: Any) -> Self:
        """Open a memory; takes what `recollect.Recollect.open` takes. Closed by `with`, `close`, or at exit."""
        return cls(memory.Recollect.open(*args, **kwargs), None)

    def __init__(self, inner: memory.Recollect, loop: _Loop | None) -> None:
        super().__init__(inner, loop or _Loop())
        try:
            self._loop.call(inner.__aenter__)
        except BaseException:
            self._loop.stop()
            raise
        _open.add(self)

    def __enter__(self) -> Self:
        """It is open already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close; after an error without waiting for background work."""
        self._end(drained=kind is None)

    def close(self) -> None:
        """Have background work done, for a while, then let go of everything. A second time does nothing."""
        self._end(drained=True)

    def _end(self, *, drained: bool) -> None:
        async def last() -> None:
            try:
                # Without a worker of its own, background work is left to others.
                if drained and self._inner.worker.running:
                    await self._inner.drain(_LAST_WORK)
            finally:
                await self._inner.close()

        _open.discard(self)
        self._loop.stop(last)


_open: set[Recollect] = set()


def _close_all() -> None:
    for recollect in list(_open):
        recollect.close()


# Before the interpreter ends its thread pools, which closing still needs; `atexit` itself would come too late.
getattr(threading, "_register_atexit", atexit.register)(_close_all)
