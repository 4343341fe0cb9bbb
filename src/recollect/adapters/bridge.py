"""From a program's threads and loops to the loop on which Recollect's connections live."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from recollect import sync
from recollect.core.errors import InvalidInput, RecollectError
from recollect.memory import Chat, ScopedMemory

T = TypeVar("T")


class Bridge:
    """A scope, or a conversation, of either face, for calls with and without `await`."""

    def __init__(self, given: object, what: str, kinds: tuple[type, ...] = (ScopedMemory,)) -> None:
        self.inner, loop = _opened(given)
        if not isinstance(self.inner, kinds):
            wanted = "a scope, as from rc.scope(user_id=…)" + ", or a conversation" * (Chat in kinds)
            raise InvalidInput("memory", f"must be {wanted}")
        if loop is None:
            raise RecollectError(f"make the {what} where Recollect was opened: in a coroutine, or of a sync scope")
        self._loop = loop

    async def there(self, work: Coroutine[Any, Any, T]) -> T:
        """Do work on the loop to which the connections belong, whichever one this is called on."""
        if asyncio.get_running_loop() is self._loop:
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def wait(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Wait for work from a thread that has no loop of its own to wait on."""
        if _running() is self._loop:
            raise RecollectError(
                "this thread runs the loop that would do the work: await ainvoke, or another asynchronous call, instead"
            )
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result()


def _opened(given: object) -> tuple[Any, asyncio.AbstractEventLoop | None]:
    """What was given, and the loop on which its connections live."""
    if isinstance(given, sync.ScopedMemory | sync.Chat):
        return sync.within(given)
    return given, _running()


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
