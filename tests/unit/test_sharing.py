"""Batches that come at once share a transaction; each caller gets its own rows, and its own errors."""

import asyncio
from typing import Any

import pytest

from recollect.core.errors import Unavailable
from recollect.db import sight
from recollect.db.batch import Batch
from recollect.db.sharing import MOST, GivesWay, Sharing


class Server:
    """Answers each statement with its text, once it is let; what it was sent, transaction by transaction."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.sent: list[list[str]] = []
        self.errors: dict[str, Exception] = {}
        self.held: dict[str, asyncio.Event] = {}

    async def send(self, batch: Batch) -> list[list[Any]]:
        texts = [str(text) for text, _ in batch.statements]
        self.sent.append(texts)
        await self.open.wait()
        for text in texts:
            if error := self.errors.get(text):
                raise error
            if (held := self.held.get(text)) and not held.is_set():
                if "lock_timeout" in batch.settings:
                    raise GivesWay("PostgreSQL", "held")
                await held.wait()
        return [[text] for text in texts]


def batch(*texts: Any, last: Any = None, space: str = "user:alice") -> Batch:
    made = Batch(space)
    for text in texts:
        made.add(text)
    if last is not None:
        made.add_last(last)
    return made


async def begun(*tasks: "asyncio.Task[Any]") -> None:
    for _ in range(10):
        await asyncio.sleep(0)
    assert not any(task.done() for task in tasks)


async def test_who_comes_while_one_is_under_way_goes_with_the_others() -> None:
    server = Server()
    sharing = Sharing(server)
    first = asyncio.create_task(sharing.send(batch("a", last="job"), "1"))
    await begun(first)
    others = [
        asyncio.create_task(sharing.send(batch(*text, last="job"), holds)) for text, holds in (("bc", "3"), ("d", "2"))
    ]
    await begun(first, *others)
    server.open.set()
    assert await first == [["a"]]
    assert await asyncio.gather(*others) == [[["b"], ["c"]], [["d"]]]
    # In the order of what they hold, and what is to be last once, after all else.
    assert server.sent == [["a", "job"], ["d", "b", "c", "job"]]


async def test_who_was_just_answered_goes_with_those_who_wait() -> None:
    server = Server()
    server.open.set()
    sharing = Sharing(server)

    async def writer(name: str) -> None:
        for number in range(5):
            await sharing.send(batch(f"{name}{number}"), name)

    await asyncio.gather(*map(writer, "abc"))
    assert sorted(map(len, server.sent)) == [3] * 5


async def test_an_error_of_one_is_nobody_elses() -> None:
    server = Server()
    server.open.set()
    server.errors["bad"] = ValueError("bad")
    sharing = Sharing(server)
    done = await asyncio.gather(
        *(sharing.send(batch(text), text) for text in ("a", "bad", "c")), return_exceptions=True
    )
    assert done[0] == [["a"]]
    assert isinstance(done[1], ValueError)
    assert done[2] == [["c"]]


async def test_a_server_that_is_away_is_away_for_all_and_not_asked_again() -> None:
    server = Server()
    server.open.set()
    server.errors["b"] = Unavailable("PostgreSQL", "gone")
    sharing = Sharing(server)
    done = await asyncio.gather(*(sharing.send(batch(text), text) for text in "abc"), return_exceptions=True)
    assert [type(each) for each in done] == [Unavailable] * 3
    assert len(server.sent) == 1


async def test_a_row_that_is_held_holds_up_its_own_writers_alone() -> None:
    server = Server()
    server.open.set()
    server.held["a"] = asyncio.Event()
    sharing = Sharing(server)
    waiting = asyncio.create_task(sharing.send(batch("a"), "1"))
    assert await sharing.send(batch("b"), "2") == [["b"]]
    again = [asyncio.create_task(sharing.send(batch(text), "1")) for text in "de"]
    assert await sharing.send(batch("c"), "2") == [["c"]]
    await begun(waiting, *again)
    server.held["a"].set()
    assert [await each for each in (waiting, *again)] == [[["a"]], [["d"]], [["e"]]]
    assert [text for sent in server.sent[-3:] for text in sent] == ["c", "d", "e"]
    await asyncio.sleep(0)
    assert not sharing._lines


async def test_other_spaces_and_other_eyes_share_nothing() -> None:
    server = Server()
    server.open.set()
    sharing = Sharing(server)

    async def narrowed() -> list[Any]:
        with sight.narrowed_to(("work",)):
            return await sharing.send(batch("c"), "1")

    await asyncio.gather(sharing.send(batch("a"), "1"), sharing.send(batch("b", space="user:bob"), "1"), narrowed())
    assert sorted(server.sent) == [["a"], ["b"], ["c"]]


async def test_who_stops_waiting_before_its_turn_writes_nothing() -> None:
    server = Server()
    sharing = Sharing(server)
    first = asyncio.create_task(sharing.send(batch("a"), "1"))
    await begun(first)
    second = asyncio.create_task(sharing.send(batch("b"), "2"))
    await begun(second)
    second.cancel()
    third = asyncio.create_task(sharing.send(batch("c"), "3"))
    await begun(first, third)
    server.open.set()
    assert (await first, await third) == ([["a"]], [["c"]])
    assert second.cancelled()
    assert server.sent == [["a"], ["c"]]


async def test_who_stops_waiting_on_the_way_takes_nobody_along() -> None:
    server = Server()
    sharing = Sharing(server)
    both = [asyncio.create_task(sharing.send(batch(text), text)) for text in "ab"]
    await begun(*both)
    both[0].cancel()
    await asyncio.sleep(0)
    server.open.set()
    assert await both[1] == [["b"]]
    with pytest.raises(asyncio.CancelledError):
        await both[0]


async def test_a_transaction_takes_so_many_and_no_more() -> None:
    server = Server()
    server.open.set()
    sharing = Sharing(server)
    await asyncio.gather(*(sharing.send(batch(str(number)), str(number)) for number in range(MOST + 1)))
    assert [len(sent) for sent in server.sent] == [MOST, 1]


async def test_what_nobody_waits_for_any_more_is_taken_back() -> None:
    server = Server()
    taken_back: list[list[str]] = []
    answer = server.send

    async def send(batch: Batch) -> list[list[Any]]:
        try:
            return await answer(batch)
        except asyncio.CancelledError:
            taken_back.append([str(text) for text, _ in batch.statements])
            raise

    server.send = send  # type: ignore[method-assign]
    sharing = Sharing(server)
    first = asyncio.create_task(sharing.send(batch("a"), "1"))
    await begun(first)
    second, third = (asyncio.create_task(sharing.send(batch(text), text)) for text in "bc")
    await begun(first, second, third)
    first.cancel()
    await begun(second, third)
    assert taken_back == [["a"]]
    second.cancel()
    await begun(third)
    assert taken_back == [["a"]]  # somebody still waits for what goes with it
    server.open.set()
    assert await third == [["c"]]


async def test_closing_lets_what_is_under_way_come_to_its_end() -> None:
    server = Server()
    sharing = Sharing(server)
    caller = asyncio.create_task(sharing.send(batch("a"), "1"))
    await begun(caller)
    closing = asyncio.create_task(sharing.close())
    await begun(caller, closing)
    server.open.set()
    await closing
    assert await caller == [["a"]]
