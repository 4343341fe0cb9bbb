"""Time-sortable identifiers (UUID version 7), strictly rising within a process."""

import os
import threading
import time
from datetime import datetime
from uuid import UUID

_lock = threading.Lock()
_last = 0

_RANDOM_BITS = 62
_RANDOM_BYTES = 8
_COUNTER_BITS = 12


def new_id() -> UUID:
    """48 bits of milliseconds, 12 bits that keep ids of one millisecond in order, 62 random bits."""
    return new_ids(1)[0]


def new_ids(count: int) -> list[UUID]:
    """`count` rising identifiers; the system is asked once for their random bits, which is what takes long."""
    drawn = memoryview(os.urandom(count * _RANDOM_BYTES))
    return [
        _assemble(_next_stamp(), drawn[place : place + _RANDOM_BYTES]) for place in range(0, len(drawn), _RANDOM_BYTES)
    ]


def dated(id: UUID, at: datetime) -> UUID:
    """An id that sorts by a time, with the bits of another one; as it is before 1970."""
    milliseconds = int(at.timestamp() * 1000)
    return id if milliseconds < 0 else UUID(int=milliseconds << 80 | 0x7 << 76 | id.int & ~(~0 << 76))


def _next_stamp() -> int:
    """Milliseconds and counter in one number; a clock that stands still or goes back only counts up."""
    global _last  # noqa: PLW0603 - the one piece of state that makes ids rise
    with _lock:
        _last = max(_last + 1, (time.time_ns() // 1_000_000) << _COUNTER_BITS)
        return _last


def _assemble(stamp: int, drawn: bytes | memoryview) -> UUID:
    random = int.from_bytes(drawn, "big") >> (8 * _RANDOM_BYTES - _RANDOM_BITS)
    milliseconds, counter = stamp >> _COUNTER_BITS, stamp & ((1 << _COUNTER_BITS) - 1)
    return UUID(int=(milliseconds << 80) | (0x7 << 76) | (counter << 64) | (0b10 << 62) | random)
