"""The thread behind `recollect.sync`, without a database; and that its faces lack nothing."""

import asyncio
import inspect
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import pytest

from recollect import memory, sync
from recollect.core.errors import NotFound, RecollectError

_who: ContextVar[str] = ContextVar("_who", default="nobody")


@pytest.fixture
def loop() -> Iterator[sync._Loop]:
    opened = sync._Loop()
    yield opened
    opened.stop()


def in_child(check: Any) -> int:
    """The exit code of a forked child that runs a check."""
    child = os.fork()
    if child == 0:
        os._exit(0 if check() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


async def nothing() -> None:
    """Done at once."""


async def name_of_thread() -> str:
    return threading.current_thread().name


class TestCalls:
    def test_a_result_comes_back(self, loop: sync._Loop) -> None:
        assert loop.call(name_of_thread) == "recollect"

    def test_an_error_comes_back_as_it_is(self, loop: sync._Loop) -> None:
        async def fail() -> None:
            raise NotFound("no such thing")

        with pytest.raises(NotFound, match="no such thing"):
            loop.call(fail)

    def test_the_same_loop_serves_every_call(self, loop: sync._Loop) -> None:
        async def own() -> asyncio.AbstractEventLoop:
            return asyncio.get_running_loop()

        assert loop.call(own) is loop.call(own)

    def test_many_threads_call_at_once(self, loop: sync._Loop) -> None:
        async def doubled(number: int) -> int:
            await asyncio.sleep(0.01)
            return 2 * number

        with ThreadPoolExecutor(16) as pool:
            results = list(pool.map(lambda number: loop.call(lambda: doubled(number)), range(200)))
        assert results == [2 * number for number in range(200)]

    def test_calls_of_several_threads_run_side_by_side(self, loop: sync._Loop) -> None:
        began = time.monotonic()
        with ThreadPoolExecutor(10) as pool:
            list(pool.map(lambda _: loop.call(lambda: asyncio.sleep(0.2)), range(10)))
        assert time.monotonic() - began < 1.5

    async def test_it_works_where_a_loop_runs_already(self, loop: sync._Loop) -> None:
        assert loop.call(name_of_thread) == "recollect"

    def test_context_variables_reach_the_call_and_stay_apart(self, loop: sync._Loop) -> None:
        async def rename() -> str:
            before = _who.get()
            _who.set("changed inside")
            return before

        token = _who.set("alice")
        assert loop.call(rename) == "alice"
        assert _who.get() == "alice"
        _who.reset(token)
        assert loop.call(rename) == "nobody"


class TestInterrupts:
    def test_an_interrupt_cancels_the_call(self, loop: sync._Loop) -> None:
        seen: list[str] = []

        async def long() -> None:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                await asyncio.sleep(0.05)
                seen.append("rolled back")
                raise

        # A shell that starts us in the background has interrupts ignored, which children inherit.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        main = threading.main_thread().ident
        threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            loop.call(long)
        assert seen == ["rolled back"]
        assert time.monotonic() - began < 5
        assert loop.call(name_of_thread) == "recollect"

    def test_stopping_ends_calls_that_are_under_way(self) -> None:
        loop = sync._Loop()
        threading.Timer(0.2, loop.stop).start()
        with pytest.raises(RecollectError, match="closed during the call"):
            loop.call(lambda: asyncio.sleep(60))


class TestRefusals:
    def test_after_the_end(self, loop: sync._Loop) -> None:
        loop.stop()
        loop.stop()
        with pytest.raises(RecollectError, match="is closed"):
            loop.call(nothing)

    def test_in_its_own_thread(self, loop: sync._Loop) -> None:
        async def calls_back() -> None:
            loop.call(nothing)

        with pytest.raises(RecollectError, match="callback"):
            loop.call(calls_back)

    def test_after_a_fork(self, loop: sync._Loop) -> None:
        def refused() -> bool:
            try:
                loop.call(nothing)
            except RecollectError as error:
                return "fork" in str(error)
            return False

        assert in_child(refused) == 0
        assert loop.call(name_of_thread) == "recollect"

    def test_stopping_in_a_child_does_nothing(self, loop: sync._Loop) -> None:
        assert in_child(lambda: loop.stop() is None) == 0


class _Counter:
    def __init__(self) -> None:
        self.closed = False

    async def upto(self, most: int) -> AsyncIterator[int]:
        try:
            for number in range(most):
                yield number
        finally:
            self.closed = True


class _Counting(sync._Face, of=_Counter):
    """A face for a test."""


class TestIterators:
    def test_to_the_end(self, loop: sync._Loop) -> None:
        counter = _Counter()
        assert list(_Counting(counter, loop).upto(3)) == [0, 1, 2]  # type: ignore[attr-defined]
        assert counter.closed

    def test_left_early(self, loop: sync._Loop) -> None:
        counter = _Counter()
        for number in _Counting(counter, loop).upto(3):  # type: ignore[attr-defined]
            if number == 1:
                break
        assert counter.closed

    def test_after_the_end_of_the_loop(self, loop: sync._Loop) -> None:
        numbers = _Counting(_Counter(), loop).upto(3)  # type: ignore[attr-defined]
        assert next(numbers) == 0
        loop.stop()
        with pytest.raises(RecollectError, match="is closed"):
            next(numbers)


@pytest.mark.parametrize("name", ["Chat", "Context", "Recollect", "ScopedMemory"])
class TestFaces:
    def test_every_public_name_is_there(self, name: str) -> None:
        wanted = {each for each in vars(getattr(memory, name)) if not each.startswith("_")}
        assert wanted <= set(dir(getattr(sync, name)))

    def test_nothing_has_to_be_awaited(self, name: str) -> None:
        for each, member in inspect.getmembers(getattr(sync, name), callable):
            if not each.startswith("_"):
                assert not inspect.iscoroutinefunction(member), each
                assert not inspect.isasyncgenfunction(member), each

    def test_methods_keep_signature_and_words(self, name: str) -> None:
        for each, member in vars(getattr(memory, name)).items():
            if inspect.isfunction(member) and not each.startswith("_") and each != "close":
                shown = getattr(getattr(sync, name), each)
                assert inspect.signature(shown) == inspect.signature(member)
                assert shown.__doc__ == member.__doc__
