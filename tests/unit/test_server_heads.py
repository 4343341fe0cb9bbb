"""What a server writes in one turn of its loop goes out at once."""

import asyncio
from typing import Any, cast

import pytest

from recollect.server.heads import _AT_ONCE, Joined


class Sent:
    """A transport that keeps what is sent."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.closed_after: int | None = None

    def write(self, data: bytes) -> None:
        self.parts.append(data)

    def close(self) -> None:
        self.closed_after = len(self.parts)

    def is_closing(self) -> bool:
        return self.closed_after is not None

    def get_extra_info(self, name: str) -> str:
        return f"the {name}"


@pytest.fixture
def sent() -> Sent:
    return Sent()


@pytest.fixture
async def joined(sent: Sent) -> Joined:
    return Joined(cast("Any", sent), asyncio.get_running_loop())


async def test_a_head_and_its_body_go_together(joined: Joined, sent: Sent) -> None:
    joined.write(b"head ")
    joined.write(b"body")
    assert sent.parts == []
    await asyncio.sleep(0)
    assert sent.parts == [b"head body"]
    joined.write(b"more")
    await asyncio.sleep(0)
    assert sent.parts == [b"head body", b"more"]


async def test_a_long_stream_does_not_wait_for_its_end(joined: Joined, sent: Sent) -> None:
    part = b"x" * (_AT_ONCE // 2 + 1)
    for _ in range(5):
        joined.write(part)
    assert sent.parts == [part * 2, part * 2]
    await asyncio.sleep(0)
    assert b"".join(sent.parts) == part * 5


async def test_what_was_written_comes_before_the_end(joined: Joined, sent: Sent) -> None:
    joined.write(b"farewell")
    joined.close()
    assert (sent.parts, sent.closed_after) == ([b"farewell"], 1)
    await asyncio.sleep(0)
    assert sent.parts == [b"farewell"]


async def test_the_rest_is_the_transports_own(joined: Joined) -> None:
    assert joined.get_extra_info("peername") == "the peername"


async def test_nothing_is_written_once_the_other_side_has_hung_up(joined: Joined, sent: Sent) -> None:
    joined.write(b"head")
    sent.close()
    await asyncio.sleep(0)
    assert sent.parts == []
