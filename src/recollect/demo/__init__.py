"""A life written for `recollect demo`: a spring in fixed dates, the month before today, and questions to ask of it.

The month is in `autumn.txt`: a line `== thread days-ago hour:minute | title`, then what was said, `u:` by Ines and `a:`
by her assistant Pip.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any
from uuid import UUID, uuid5

from recollect.core.ids import dated

USER = "demo"

_IDS = UUID("3c9e5c55-9f0e-5f52-a6a8-5d1f3a2b7c64")
_NAMES = {"u": ("user", "Ines"), "a": ("assistant", "Pip")}
_BETWEEN = timedelta(minutes=1)
_THEN = datetime(2026, 7, 1, tzinfo=UTC)
"""The day by which the month's ids are put in order: after the spring, and the same whenever it is loaded."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, what there is to see in its answer, and the least evidence that it asks for."""

    text: str
    shows: str
    threshold: float | None = None


QUESTIONS = (
    Question("When does the little library open?", "A fact that changed: both days are found, each with its date."),
    Question("Which medicine is bad for me?", "No word in common with the answer: it is found by its meaning."),
    Question("What did Joaquim keep in the cellar?", "Someone is named: what he himself said gains by it."),
    Question("Where did Ines go on 18 April 2026?", "A time is named: what happened then gains by it."),
    Question("On which evening does the quartet meet now?", "Another change; the dates say which came later."),
    Question(
        "How do I descale an espresso machine?",
        "Never talked about: with a threshold, the answer is an honest nothing.",
        threshold=0.75,
    ),
)


def lines(now: datetime) -> Iterator[str]:
    """All that was said, in the form that `recollect import` reads; the same lines on every day but for their dates."""
    with files(__name__).joinpath("conversation.jsonl").open(encoding="utf-8") as file:
        yield from file
    for place, (line, then) in enumerate(zip(_month(now), _month(_THEN), strict=True)):
        if "role" in line:
            line["id"] = str(dated(uuid5(_IDS, str(place)), datetime.fromisoformat(then["at"])))
        yield json.dumps(line)


def _month(now: datetime) -> Iterator[dict[str, Any]]:
    thread, at = "", now
    for text in files(__name__).joinpath("autumn.txt").read_text("utf-8").splitlines():
        if text.startswith("=="):
            place, _, title = text[2:].partition("|")
            thread, days, clock = place.split()
            hour, minute = map(int, clock.split(":"))
            at = (now - timedelta(days=int(days))).replace(hour=hour, minute=minute, second=0, microsecond=0)
            if title:
                yield {"record": "conversation", "thread": thread, "title": title.strip()}
        else:
            role, name = _NAMES[text[0]]
            yield {"thread": thread, "role": role, "name": name, "at": at.isoformat(), "content": text[3:]}
            at += _BETWEEN
