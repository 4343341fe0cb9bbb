"""Where the window begins when not all of it fits.

Whatever is shown before the newest message is a prefix that a prompt cache keeps, as long as it begins where it did.
So the start stays until it has to move, and then moves by several messages: with every tenth message, when the
summaries before it change anyway, room is made for the messages that come until the next tenth. All of that is
reckoned from the messages themselves, so that every call finds the same start.
"""

from collections.abc import Sequence

_USUAL = 10
"""So many of the last messages tell how large those to come may be."""
_LARGEST_USUAL = 0.2
"""Of the room: a message that is larger says nothing about those to come."""
_LEAST_FREED, _MOST_FREED = 0.25, 0.7
"""Of the room: what is made free when the start moves within a step, and what is made free at most."""
_MARGIN = 1.15
"""Messages to come may be a little larger than the last ones."""
_SOON = 2
"""With so few messages to come before the next step it moves again anyway."""


def start(sizes: Sequence[int], before: int, room: int, step: int) -> int:
    """How many of the messages to leave out, oldest first.

    `before` counts the messages of the talk before them. Of a window that reaches further back than twice the room,
    only the newest have to be given.
    """
    if before < step and sum(sizes) <= room:
        return 0  # nothing was summed up yet, and all of it fits
    settled = max(0, (before + len(sizes) - 1) // step * step - before)
    usual = _usual(sizes[max(0, settled - _USUAL) : settled] or sizes, room)
    begin = 0
    for place in range(settled, len(sizes)):
        to_come = step - 1 - (before + place) % step
        at_step = place == settled > 0
        freed = min(to_come * usual, room * _MOST_FREED)
        least = 0.0 if at_step or to_come <= _SOON else room * _LEAST_FREED
        size = sum(sizes[begin : place + 1])
        if size > room or (at_step and size + freed > room):
            begin = _moved(sizes, begin, place, room, room - max(freed, least))
    return begin


def _usual(sizes: Sequence[int], room: int) -> float:
    """How large the next messages may be expected to be."""
    return _MARGIN * sum(min(size, room * _LARGEST_USUAL) for size in sizes) / len(sizes)


def _moved(sizes: Sequence[int], begin: int, newest: int, room: int, wanted: float) -> int:
    """The first place from which on all is within what is wanted; the newest message stays if it fits at all."""
    size = sum(sizes[begin : newest + 1])
    while begin <= newest and size > (wanted if begin < newest else room):
        size -= sizes[begin]
        begin += 1
    return begin
