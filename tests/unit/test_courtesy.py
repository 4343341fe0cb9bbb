"""Background work and those who wait for an answer."""

import asyncio
import math
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import pytest

from recollect.core.courtesy import callers, let_others_go_first, step_back


@pytest.fixture(autouse=True)
def nobody_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "served_at", float("-inf"))


async def test_background_work_goes_on_where_nobody_is_served() -> None:
    assert await let_others_go_first(worked=1.0)


async def test_other_background_work_on_the_loop_is_nobody_to_wait_for() -> None:
    async def busy() -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + 0.01
        while loop.time() < until:
            pass

    task = asyncio.create_task(busy())
    assert await let_others_go_first(worked=1.0)
    await task


async def test_it_rests_while_somebody_is_served_and_right_after() -> None:
    with callers.being_served():
        assert not await let_others_go_first(worked=0.0)
    assert not await let_others_go_first(worked=0.0)


@pytest.mark.parametrize(("goes", "naps"), [(False, 10), (True, 1)])
async def test_it_rests_for_as_long_as_somebody_is_served(
    monkeypatch: pytest.MonkeyPatch, goes: bool, naps: int
) -> None:
    rested = []

    async def nap(seconds: float) -> None:
        rested.append(seconds)
        callers.served_at = -math.inf if goes and seconds else perf_counter()

    monkeypatch.setattr(asyncio, "sleep", nap)
    with callers.being_served():
        assert not await let_others_go_first(worked=1.0)
    assert rested == [0, *[pytest.approx(0.02)] * naps]


async def test_a_call_that_fails_was_served_too() -> None:
    with pytest.raises(ValueError, match="no"), callers.being_served():
        raise ValueError("no")
    assert not await let_others_go_first(worked=0.0)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the threads of a process apart")
def test_a_thread_steps_back_alone_and_not_beyond_the_last_place() -> None:
    def stepped() -> tuple[int, int]:
        step_back(3)
        once = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        step_back(40)
        return once, os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    own = os.getpriority(os.PRIO_PROCESS, 0)
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(stepped).result() == (min(19, own + 3), 19)
    assert os.getpriority(os.PRIO_PROCESS, 0) == own
