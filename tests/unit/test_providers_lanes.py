"""Urgent work first, fair turns, and nothing left behind."""

import asyncio
import threading
import time

import pytest

from recollect.providers.lanes import Lanes


class Gate:
    """Work that waits to be let through, and remembers the order in which it was done."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.done: list[str] = []

    def __call__(self, item: str) -> str:
        self.open.wait(10)
        time.sleep(0.005)  # longer than threads need to take turns
        self.done.append(item)
        return item.upper()


async def started(*awaitables: "asyncio.Future[list[str]]") -> None:
    await asyncio.sleep(0.02)
    assert not any(awaitable.done() for awaitable in awaitables)


async def test_results_come_in_the_order_of_the_items() -> None:
    lanes: Lanes[int, int] = Lanes("test", lambda number: number * 2, threads=4)
    assert await lanes.run(range(100), urgent=False) == [number * 2 for number in range(100)]
    assert await lanes.run([], urgent=True) == []


async def test_urgent_items_overtake_a_long_request() -> None:
    gate = Gate()
    lanes = Lanes("test", gate, threads=1)
    slow = asyncio.ensure_future(lanes.run([f"d{i}" for i in range(20)], urgent=False))
    await started(slow)
    urgent = asyncio.ensure_future(lanes.run(["q"], urgent=True))
    await started(urgent)
    gate.open.set()
    assert await urgent == ["Q"]
    await slow
    assert gate.done.index("q") <= 3


@pytest.mark.parametrize("spare", [0, 3])
async def test_half_of_the_patient_threads_rest_while_urgent_work_comes(spare: int) -> None:
    lock, at_work, most = threading.Lock(), 0, 0

    def work(item: str) -> str:
        nonlocal at_work, most
        if item == "q":
            return item
        with lock:
            at_work += 1
            most = max(most, at_work)
        time.sleep(0.02)
        with lock:
            at_work -= 1
        return item

    lanes = Lanes("test", work, threads=4, spare=spare)
    await lanes.run(["q"], urgent=True)
    patient = asyncio.ensure_future(lanes.run(["d"] * 40, urgent=False))
    for _ in range(15):
        await lanes.run(["q"], urgent=True)
        await asyncio.sleep(0.01)
    assert most == 2
    await patient
    await lanes.run(["d"] * 40, urgent=False)
    assert most == 4 + spare


async def test_requests_of_one_lane_take_turns() -> None:
    gate = Gate()
    lanes = Lanes("test", gate, threads=1)
    long = asyncio.ensure_future(lanes.run([f"a{i}" for i in range(6)], urgent=False))
    await started(long)
    short = asyncio.ensure_future(lanes.run(["b0", "b1"], urgent=False))
    await started(short)
    gate.open.set()
    await asyncio.gather(long, short)
    assert gate.done == ["a0", "b0", "a1", "b1", "a2", "a3", "a4", "a5"]


async def test_a_cancelled_request_leaves_no_work_behind() -> None:
    gate = Gate()
    lanes = Lanes("test", gate, threads=1)
    request = asyncio.ensure_future(lanes.run([f"d{i}" for i in range(50)], urgent=False))
    await started(request)
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    gate.open.set()
    assert await lanes.run(["next"], urgent=False) == ["NEXT"]
    assert gate.done == ["d0", "next"]


async def test_an_error_reaches_its_caller_and_no_other() -> None:
    def work(item: int) -> float:
        return 1 / item

    lanes = Lanes("test", work, threads=2)
    failed, fine = await asyncio.gather(
        lanes.run([1, 0, 2], urgent=False), lanes.run([2, 4], urgent=False), return_exceptions=True
    )
    assert isinstance(failed, ZeroDivisionError)
    assert fine == [0.5, 0.25]


async def test_work_never_runs_on_the_callers_thread() -> None:
    lanes: Lanes[int, str] = Lanes("test", lambda _: threading.current_thread().name, threads=2)
    assert set(await lanes.run(range(8), urgent=True)) == {"test"}


async def test_many_callers_in_many_threads_get_their_own_results() -> None:
    def work(number: int) -> int:
        time.sleep(0.0001)
        return number

    lanes = Lanes("test", work, threads=3)

    async def caller(first: int) -> bool:
        wanted = list(range(first, first + 20))
        return await lanes.run(wanted, urgent=first % 2 == 0) == wanted

    def loop(first: int) -> bool:
        return asyncio.run(caller(first))

    assert all(await asyncio.gather(*(asyncio.to_thread(loop, first) for first in range(12))))
