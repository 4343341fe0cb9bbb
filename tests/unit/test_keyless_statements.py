"""Typed statements in the third person, with absolute dates."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.understanding.keyless import understand
from recollect.understanding.model import Statement, Utterance

AT = datetime(2026, 3, 10, 18, tzinfo=UTC)


def stated(text: str, speaker: str | None = "Alice") -> tuple[Statement, ...]:
    return understand(Utterance(text, "user", speaker, own=True, at=AT, zone="Europe/Berlin")).statements


@pytest.mark.parametrize(
    ("text", "type", "content"),
    [
        ("We've decided against Kubernetes.", "decision", "Alice's team has decided against Kubernetes."),
        ("OK, Postgres it is.", "decision", "Alice decided on Postgres."),
        ("We're ditching Slack for Zulip.", "decision", "Alice's team is ditching Slack for Zulip."),
        ("Went with the green one in the end.", "decision", "Alice went with the green one in the end."),
        ("I prefer tea to coffee.", "preference", "Alice prefers tea to coffee."),
        ("I don't really like jazz.", "preference", "Alice does not really like jazz."),
        ("I'd rather text than call.", "preference", "Alice would rather text than call."),
        ("I can't drive.", "constraint", "Alice cannot drive."),
        ("The API must answer in 200 ms.", "constraint", "The API must answer in 200 ms."),
        ("My lease doesn't allow subletting.", "constraint", "Alice's lease does not allow subletting."),
        ("My goal is to run a marathon by June.", "goal", "Alice's goal is to run a marathon by 2026-06."),
        ("Trying to cut down on sugar this year.", "goal", "Alice is trying to cut down on sugar in 2026."),
        ("My sister Mia is a nurse.", "fact", "Alice's sister Mia is a nurse."),
        ("I play bass in a ska band.", "fact", "Alice plays bass in a ska band."),
        ("My dad had a stroke in 2021.", "fact", "Alice's dad had a stroke in 2021."),
        ("The backend is written in Rust.", "fact", "The backend is written in Rust."),
    ],
)
def test_a_statement_of_each_type(text: str, type: str, content: str) -> None:
    assert [(each.type, each.content) for each in stated(text)] == [(type, content)]


def test_the_owner_without_a_name_is_the_user() -> None:
    assert [each.content for each in stated("I want to learn Italian by June.", None)] == [
        "The user wants to learn Italian by 2026-06."
    ]


def test_she_is_the_person_named_before() -> None:
    told = stated("My sister Mia lives in Oslo. She works at Equinor.")
    assert [(each.content, each.about) for each in told] == [
        ("Alice's sister Mia lives in Oslo.", "Mia"),
        ("Alice's sister Mia works at Equinor.", "Mia"),
    ]


def test_doubt_makes_a_statement_pending() -> None:
    (statement,) = stated("I think I might move to Berlin.")
    assert statement.content == "Alice might move to Berlin."
    assert statement.confidence < 0.7


def test_what_a_fact_says_is_not_stated_again() -> None:
    assert stated("I live in Porto and I'm a nurse.") == ()


def test_an_event_is_stated_beside_its_fact() -> None:
    (statement,) = stated("I moved to Lisbon last Friday.")
    assert statement.content == "Alice moved to Lisbon on 2026-03-06."
    assert statement.happened is not None
    assert statement.happened.date() == date(2026, 3, 6)


def test_a_draft_that_points_outside_itself_is_refused() -> None:
    understood = understand(Utterance("My sister told them. I sold it last week.", "user", "Alice", True, AT, "UTC"))
    assert understood.statements == ()


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_gives_sentences_by_the_rules(text: str) -> None:
    for statement in stated(f"I love {text} and we decided to {text}."):
        assert statement.content.endswith(".")
        assert len(statement.content) <= 280


@pytest.mark.parametrize("said", ["Saturday, 21 March", "Saturday, March 21", "Saturday, the 21st of March"])
def test_a_weekday_before_a_date_is_that_date(said: str) -> None:
    assert [each.content for each in stated(f"My recital is on {said}.")] == ["Alice's recital is on 2026-03-21."]
