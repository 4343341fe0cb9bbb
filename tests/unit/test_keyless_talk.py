"""Statements from everyday talk: composite dates, other people, rules, and what is only talk."""

from datetime import UTC, date, datetime

import pytest

from recollect.understanding.keyless import understand
from recollect.understanding.keyless.dates import absolute
from recollect.understanding.model import Utterance

_TODAY = date(2026, 4, 8)


def told(text: str) -> list[str]:
    """The statements of a message as "type: content"."""
    at = datetime(2026, 4, 8, 12, tzinfo=UTC)
    understood = understand(Utterance(text=text, role="user", speaker="Ana", own=True, at=at, zone="UTC", before=None))
    return [f"{each.type}: {each.content}" for each in understood.statements]


@pytest.mark.parametrize(
    ("text", "past", "expected"),
    [
        ("the cafe opens Saturday the 9th of May", False, "the cafe opens on 2026-05-09"),
        ("we met on a Sunday, the 15th of last month", True, "we met on 2026-03-15"),
        ("I left last Saturday, which was a week ago", True, "I left on 2026-04-04"),
        ("I did it last week on March 31st", True, "I did it on 2026-03-31"),
        ("we drop the Saturday callouts", False, "we drop the Saturday callouts"),
    ],
)
def test_a_composite_date_becomes_one_date(text: str, past: bool, expected: str) -> None:
    assert absolute(text, _TODAY, past).text == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My brother Des already sails out of Poole.", "fact: Ana's brother Des already sails out of Poole."),
        ("The hall only seats 80.", "constraint: The hall only seats 80."),
        ("Guests must leave by 11pm.", "constraint: Guests must leave by 11pm."),
        ("My son hates broccoli.", "preference: Ana's son hates broccoli."),
        ("I'm not taking the job in Leeds.", "decision: Ana is not taking the job in Leeds."),
        ("Next target is a half marathon.", "goal: Ana's next target is a half marathon."),
    ],
)
def test_what_lasts_is_told(text: str, expected: str) -> None:
    assert told(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "Let's keep pushing forward together!",
        "I'll keep going.",
        "I think I'll go with the second one.",
        "The view must be incredible.",
        "I love that idea.",
        "We've been meaning to try it.",
        "No problem at all.",
    ],
)
def test_mere_talk_teaches_nothing(text: str) -> None:
    assert told(text) == []
