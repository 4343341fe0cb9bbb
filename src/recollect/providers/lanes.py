"""Threads for work that must never run on an event loop, in which urgent work goes first.

A request is a list of items, each worked on by itself. Urgent items have threads of their own. While they come, half
of the threads of the others rest: what is embedded in the background leaves processors to those who answer. Requests
of the same lane take turns, so that a long one does not hold up the short ones behind it.
"""

import asyncio
import heapq
import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Generic, TypeVar

from recollect.core.courtesy import step_back

_URGENT, _PATIENT = 0, 1
_NICENESS = (0, 10)  # somebody waits for a question; what is embedded in the background steps behind all else
_CALM = 0.1  # seconds without an urgent request after which all threads work again

T = TypeVar("T")
R = TypeVar("R")


@dataclass(order=True)
class _Request(Generic[T, R]):
    turn: int
    number: int
    items: Sequence[T] = field(compare=False)
    results: dict[int, R] = field(compare=False, default_factory=dict)
    started: int = field(compare=False, default=0)
    future: Future[list[R]] = field(compare=False, default_factory=Future)

    def finish(self, index: int, result: R) -> None:
        self.results[index] = result
        if len(self.results) == len(self.items):
            with suppress(InvalidStateError):
                self.future.set_result([self.results[i] for i in range(len(self.items))])

    def fail(self, error: BaseException) -> None:
        with suppress(InvalidStateError):
            self.future.set_exception(error)


class Lanes(Generic[T, R]):
    """Runs `work` on each item of a request, on a fixed number of threads that start with the first one.

    `spare`: so many more threads do patient work while nothing urgent comes. A thread that waits for the interpreter
    leaves its processor idle, unless there is another one to take it.
    """

    def __init__(self, name: str, work: Callable[[T], R], threads: int, spare: int = 0) -> None:
        self._name, self._work, self._count, self._spare = name, work, threads, spare
        self._lanes: tuple[list[_Request[T, R]], list[_Request[T, R]]] = ([], [])
        self._turns = [0, 0]
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        # Each lane calls its own threads alone: all of them at once would be in each other's way, and the caller's.
        self._calls = (threading.Condition(self._lock), threading.Condition(self._lock))
        self._threads: tuple[list[threading.Thread], list[threading.Thread]] = ([], [])
        self._patient_at_work = 0
        self._calm_at = 0.0

    async def run(self, items: Sequence[T], *, urgent: bool) -> list[R]:
        """The results for all items, in their order. A caller who is cancelled leaves no work behind."""
        if not items:
            return []
        return await asyncio.wrap_future(self._submit(items, lane=_URGENT if urgent else _PATIENT))

    def _submit(self, items: Sequence[T], lane: int) -> Future[list[R]]:
        with self._lock:
            request: _Request[T, R] = _Request(self._turns[lane], next(self._numbers), items)
            heapq.heappush(self._lanes[lane], request)
            if lane == _URGENT:
                self._calm_at = monotonic() + _CALM
            self._start_threads(lane)
            self._calls[lane].notify(len(items))
        return request.future

    def _start_threads(self, lane: int) -> None:
        count = self._count if lane == _URGENT else self._count + self._spare
        while len(self._threads[lane]) < count:
            thread = threading.Thread(target=self._serve, args=(lane,), name=self._name, daemon=True)
            self._threads[lane].append(thread)
            thread.start()

    def _serve(self, lane: int) -> None:
        step_back(_NICENESS[lane])
        while True:
            request, index = self._take(lane)
            try:
                result = self._work(request.items[index])
            except BaseException as error:
                request.fail(error)
            else:
                with self._lock:
                    request.finish(index, result)
            if lane == _PATIENT:
                with self._lock:
                    self._patient_at_work -= 1

    def _take(self, lane: int) -> tuple[_Request[T, R], int]:
        """The next item of the lane: of the request whose turn it is."""
        with self._lock:
            while True:
                rest = self._rest(lane)
                if rest <= 0 and (found := self._next(lane)) is not None:
                    self._patient_at_work += lane == _PATIENT
                    return found
                self._calls[lane].wait(rest if rest > 0 else None)

    def _rest(self, lane: int) -> float:
        """How long a thread rests before it takes patient work: until nothing urgent has come for a moment."""
        if lane == _URGENT or self._patient_at_work < max(1, self._count // 2):
            return 0.0
        return self._calm_at - monotonic()

    def _next(self, lane: int) -> tuple[_Request[T, R], int] | None:
        queue = self._lanes[lane]
        while queue:
            request = heapq.heappop(queue)
            if request.future.done():
                continue
            self._turns[lane] = request.turn
            index, request.started, request.turn = request.started, request.started + 1, request.turn + 1
            if request.started < len(request.items):
                heapq.heappush(queue, request)
            return request, index
        return None
