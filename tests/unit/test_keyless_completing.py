"""Decisions and goals are told whole: what was chosen, who decided, whose goal it is."""

from datetime import UTC, datetime

import pytest

from recollect.understanding.keyless import understand
from recollect.understanding.model import Utterance


def told(text: str) -> list[tuple[str, str]]:
    at = datetime(2026, 5, 14, 10, tzinfo=UTC)
    understood = understand(Utterance(text=text, role="user", speaker="Sam", own=True, at=at, zone="UTC", before=None))
    return [(each.type, each.content) for each in understood.statements]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("ok we picked the venue, it'll be the old tram depot. Seating plan ideas?", "old tram depot"),
        ("we've binned the idea of a native app; it'll be a PWA. icon sizes?", "instead: a PWA"),
        (
            "right, decision made, the kitchen's going to be dark green and not blue. What worktop?",
            "Sam decided: the kitchen",
        ),
    ],
)
def test_a_decision_says_what_was_chosen_and_by_whom(text: str, content: str) -> None:
    assert any(type == "decision" and content in said for type, said in told(text)), told(text)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Retirement target: stop working at 62 with the mortgage paid off.", "Sam's goal: stop working at 62"),
        ("the dream is to open a tiny bakery in Tromsø. what does a deck oven cost", "Sam's dream is to open"),
    ],
)
def test_a_goal_says_whose_it_is(text: str, content: str) -> None:
    assert any(type == "goal" and content in said for type, said in told(text)), told(text)


def test_a_weekday_before_a_noun_is_no_date() -> None:
    assert told("Our union contract forbids Sunday shifts.") == [
        ("constraint", "Sam's team's union contract forbids Sunday shifts.")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "If the second file is empty, skip it and give me only the totals of the first.",
        "If the file turns out larger than 2 MB, split it in halves before you summarise, ok?",
    ],
)
def test_an_order_for_this_one_thing_is_no_standing_order(text: str) -> None:
    at = datetime(2026, 5, 14, 10, tzinfo=UTC)
    understood = understand(Utterance(text=text, role="user", speaker="Sam", own=True, at=at, zone="UTC", before=None))
    assert not understood.facts
