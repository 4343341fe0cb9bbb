"""Decisions and goals are told whole: what was chosen, who decided, whose goal it is."""

from datetime import UTC, datetime

import pytest

from recollect.understanding.keyless import understand
from recollect.understanding.keyless.decisions import completed, given_up
from recollect.understanding.keyless.draft import Draft
from recollect.understanding.keyless.steps import steps
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
    ("text", "contents"),
    [
        (
            "For the village fair we've dropped the tombola, it's a raffle only from now on. Poster text?",
            ["Sam's team has dropped the tombola for the village fair; instead: a raffle only from now on."],
        ),
        (
            "After a long night we're not putting Dad in a home, he'll sleep at ours over Easter. Bed tips?",
            ["Sam's family is not putting Dad in a home after a long night, Dad will sleep at Sam's over Easter."],
        ),
        (
            "We've picked Fastmail for the parish, and Moodle will handle the courses. What's the rollout order?",
            ["Sam's team has picked Fastmail for the parish.", "Sam decided: Moodle will handle the courses."],
        ),
        (
            "We've agreed with the label: vinyl first, nine songs not eleven, and no remixes. Track order?",
            [
                "Sam's team decided: vinyl first.",
                "Sam's team decided: nine songs not eleven.",
                "Sam's team decided: no remixes.",
            ],
        ),
    ],
)
def test_what_belongs_to_one_choice_stays_with_it_and_two_choices_are_two(text: str, contents: list[str]) -> None:
    assert [said for type, said in told(text) if type == "decision"] == contents


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("it is going to be larch", "I decided on larch"),
        ("the green kayak it is", "I decided on the green kayak"),
        ("it is settled", "it is settled"),
        ("we picked the way it is", "we picked the way it is"),
    ],
)
def test_a_choice_is_told_without_its_it(text: str, said: str) -> None:
    assert completed(text, text) == said


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "every form needs two stamps, and the archive must stay locked",
            ["every form needs two stamps", "the archive must stay locked"],
        ),
        ("I cannot swim and I must not dive", ["I cannot swim", "I must not dive"]),
        ("the lift must carry 300 kg and a wheelchair", ["the lift must carry 300 kg and a wheelchair"]),
        ("notice is 90 days and I cannot leave before that", ["notice is 90 days and I cannot leave before that"]),
    ],
)
def test_two_limits_with_a_subject_each_are_two(text: str, parts: list[str]) -> None:
    assert [each.text for each in steps(Draft("constraint", text))] == parts


@pytest.mark.parametrize("text", ["we had picked Turin", "I had been planning to sell the van"])
def test_what_was_planned_once_is_no_decision(text: str) -> None:
    assert given_up(text)
    assert not given_up(text.replace("had", "have"))


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
