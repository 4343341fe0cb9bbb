"""Milestones: found where something happened, and nowhere else; merged, and told as a story."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.understanding.milestones import KEY_MOMENT, MOST_CONTEXT, MOST_TITLE, arc, merge_overlapping, milestones
from recollect.understanding.model import Line, Milestone

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def talk(*said: tuple[str, str]) -> list[Line]:
    return [
        Line(turn, role, "Ann" if role == "user" else None, text, AT) for turn, (role, text) in enumerate(said, start=1)
    ]


def only(*said: tuple[str, str]) -> Milestone:
    (found,) = milestones(talk(*said))
    return found


@pytest.mark.parametrize(
    ("type_", "text", "title"),
    [
        ("decision", "We decided to use PostgreSQL.", "Decided to use PostgreSQL"),
        ("decision", "OK, let's go with the blue one because it is cheaper.", "Chose the blue one"),
        ("decision", "I'm going with Rust.", "Chose Rust"),
        ("decision", "Okay, rolling it is for this release.", "Chose rolling"),
        ("decision", "The final decision is to keep the monolith.", "Decided to keep the monolith"),
        ("solution", "I fixed the login bug.", "Fixed the login bug"),
        ("solution", "The problem with the cache is solved.", "The problem with the cache is solved"),
        ("solution", "The fix was a missing index.", "Fixed by a missing index"),
        ("breakthrough", "I finally figured out why the build was slow.", "Figured out why the build was slow"),
        ("breakthrough", "We found the root cause of the outage!", "Found the root cause of the outage"),
        ("issue", "The build fails on Windows.", "The build fails on Windows"),
        ("issue", "We ran into a memory leak in the parser.", "Found a memory leak in the parser"),
        ("issue", "My laptop doesn't work any more.", "Ann's laptop doesn't work any more"),
        ("completion", "I finished the report.", "Finished the report"),
        ("completion", "The website is live.", "The website is live"),
        ("completion", "We shipped version 2.0 yesterday.", "Finished version 2.0 on 2026-03-01"),
        ("pivot", "We switched from MySQL to Postgres.", "Switched from MySQL to Postgres"),
        ("pivot", "I changed my mind about the colour.", "Changed plans about the colour"),
        ("pivot", "We scrapped the old design.", "Dropped the old design"),
        ("pivot", "Change of plans: we meet in Rome.", "Changed plans: the group meets in Rome"),
    ],
)
def test_every_type_is_found(type_: str, text: str, title: str) -> None:
    found = only(("user", text))
    assert (found.type, found.title) == (type_, title)
    assert (found.first_turn, found.last_turn) == (1, 1)


@pytest.mark.parametrize(
    "text",
    [
        "Did we decide to use PostgreSQL?",
        "We decided to use PostgreSQL, didn't we?",
        "We haven't decided to use it.",
        "We never shipped version 2.",
        "If we decided to use Go, we would be slow.",
        "Maybe we found the root cause.",
        "We might go with Rust.",
        "I'm not going with Rust.",
        "We will fix the bug tomorrow.",
        "I need to finish the report.",
        "I hope to finish the report soon.",
        "We want to switch to Postgres.",
        "The report has to be finished by Friday.",
        "There is no bug in it.",
        "No problem!",
        'She said "we decided to leave".',
        "Let me know if the build fails.",
        "Once I finished the report, I slept.",
        "My friend decided to move.",
        "I know how cold it is.",
        "It is what it is.",
        "What time it is.",
        "```\nwe decided to use PostgreSQL.\n```",
        "I like tea.",
        "",
    ],
)
def test_questions_plans_denials_and_hypotheses_are_none(text: str) -> None:
    assert milestones(talk(("user", text))) == ()


@pytest.mark.parametrize(
    "text",
    [
        "I recommend PostgreSQL.",
        "You could go with Rust.",
        "Once you have fixed the bug, restart.",
        "The build fails when the disk is full.",
        "The migration is done by a script.",
    ],
)
def test_what_the_assistant_advises_is_none(text: str) -> None:
    assert milestones(talk(("assistant", text))) == ()


def test_what_the_assistant_did_counts_a_little_less() -> None:
    by_assistant, by_user = only(("assistant", "I fixed the login bug.")), only(("user", "I fixed the login bug."))
    assert by_assistant.significance < by_user.significance


@pytest.mark.parametrize("role", ["tool", "system"])
def test_others_have_no_milestones(role: str) -> None:
    assert milestones(talk((role, "We decided to use PostgreSQL."))) == ()


def test_a_decision_is_told_with_its_context() -> None:
    found = only(
        ("user", "What database should we use?"),
        ("assistant", "I recommend PostgreSQL for this use case."),
        ("user", "We decided to use PostgreSQL."),
    )
    assert found == Milestone(
        type="decision",
        title="Decided to use PostgreSQL",
        summary="The group decided to use PostgreSQL.",
        context="I recommend PostgreSQL for this use case.",
        participants=("The assistant", "Ann"),
        outcome="to use PostgreSQL",
        valence=0.3,
        significance=0.55,
        first_turn=3,
        last_turn=3,
    )


def test_a_stated_reason_makes_a_decision_a_key_moment() -> None:
    plain = only(("user", "We decided to use Kafka."))
    reasoned = only(("user", "We decided to use Kafka because it keeps the order."))
    assert plain.significance < KEY_MOMENT <= reasoned.significance


def test_an_issue_that_is_solved_matters_more_and_has_an_outcome() -> None:
    alone = only(("user", "The login page crashes on Safari."))
    issue, solution = milestones(
        talk(
            ("user", "The login page crashes on Safari."),
            ("assistant", "Try another cookie name."),
            ("user", "I fixed the login page."),
        )
    )
    assert alone.outcome is None
    assert issue.significance > alone.significance
    assert issue.outcome == "Ann fixed the login page."
    assert solution.significance >= KEY_MOMENT


def test_good_is_positive_and_bad_negative() -> None:
    assert only(("user", "Great, I finished the report.")).valence > 0.5
    assert only(("user", "Unfortunately, the server is down.")).valence < -0.5


def test_a_title_that_names_nothing_gets_the_topic() -> None:
    found = only(
        ("user", "Strict type checking in Zed fails me."),
        ("assistant", "Set the mypy plugin to strict in Zed."),
        ("user", "Got it working, thanks!"),
    )
    assert found.title.startswith("Got it working: ")
    assert "Zed" in found.title
    assert (found.first_turn, found.last_turn) == (2, 3)


def test_one_message_gives_one_of_a_type() -> None:
    found = milestones(talk(("user", "We decided to use Rust. We decided to use Tokio. I finished the parser.")))
    assert [one.type for one in found] == ["decision", "completion"]


def made(title: str, first: int, last: int, **changes: object) -> Milestone:
    base = Milestone("decision", title, f"{title}.", "", ("Ann",), None, 0.4, 0.5, first, last)
    return replace(base, **changes)  # type: ignore[arg-type]


def test_overlapping_ones_about_the_same_merge() -> None:
    (merged,) = merge_overlapping(
        [
            made("Decided to use Kafka", 1, 3, valence=0.2),
            made("Decided to use Kafka for events", 4, 6, significance=0.8, participants=("Bob",), outcome="Kafka"),
        ]
    )
    assert (merged.title, merged.first_turn, merged.last_turn) == ("Decided to use Kafka for events", 1, 6)
    assert (merged.participants, merged.outcome) == (("Ann", "Bob"), "Kafka")
    assert (merged.significance, merged.valence) == (0.8, 0.3)


@pytest.mark.parametrize(
    "other",
    [
        made("Decided to use Kafka for events", 5, 6),
        made("Decided to hire Bob", 2, 3),
        made("Decided to use Kafka", 2, 3, type="pivot"),
    ],
)
def test_others_stay_apart(other: Milestone) -> None:
    assert len(merge_overlapping([made("Decided to use Kafka", 1, 3), other])) == 2


MADE = st.builds(
    made,
    st.sampled_from(["Decided to use Kafka", "Decided to use Kafka soon", "Decided to hire Bob"]),
    st.integers(1, 20),
    st.integers(0, 5),
).map(lambda one: replace(one, last_turn=one.first_turn + one.last_turn))


@given(st.lists(MADE))
def test_merging_loses_no_beginning_and_invents_no_turn(found: list[Milestone]) -> None:
    merged = merge_overlapping(found)
    assert len(merged) <= len(found)
    if found:
        assert min(one.first_turn for one in merged) == min(one.first_turn for one in found)
        assert {one.first_turn for one in merged} <= {one.first_turn for one in found}
        assert {one.last_turn for one in merged} <= {one.last_turn for one in found}


@dataclass(frozen=True)
class Stored:
    """Anything with a turn and a significance will do."""

    first_turn: int
    significance: float


def test_an_arc_is_thirds_by_turn_and_key_moments() -> None:
    moments = [Stored(9, 0.9), Stored(1, 0.2), Stored(3, 0.7), Stored(4, 0.5), Stored(6, 0.69), Stored(7, 1.0)]
    told = arc(moments, last_turn=9)
    assert [one.first_turn for one in told.beginning] == [1, 3]
    assert [one.first_turn for one in told.middle] == [4, 6]
    assert [one.first_turn for one in told.end] == [7, 9]
    assert [one.first_turn for one in told.key_moments] == [3, 7, 9]


@given(st.lists(st.builds(Stored, st.integers(1, 50), st.floats(0, 1))), st.integers(0, 50))
def test_every_moment_is_in_one_third(moments: list[Stored], last_turn: int) -> None:
    told = arc(moments, last_turn)
    parts = [*told.beginning, *told.middle, *told.end]
    assert parts == sorted(moments, key=lambda one: one.first_turn)


PIECES = [
    "We decided to use",
    "I fixed",
    "the build fails",
    "because",
    "Kafka",
    "my",
    "x" * 120,
    ".",
    "?",
    "It works now",
]
SAID = st.lists(st.sampled_from(PIECES), max_size=10)


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), SAID.map(" ".join)), max_size=6))
def test_what_is_found_keeps_its_bounds(said: list[tuple[str, str]]) -> None:
    for one in milestones(talk(*said)):
        assert 0 < len(one.title) <= MOST_TITLE
        assert len(one.context) <= MOST_CONTEXT
        assert -1 <= one.valence <= 1
        assert 0 <= one.significance <= 1
        assert 1 <= one.first_turn <= one.last_turn <= len(said)
        assert one.summary
        assert one.participants


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("We decided to use MySQL.", "We decided to use PostgreSQL instead of MySQL."),
        ("We decided to use MySQL.", "We decided to use PostgreSQL."),
        ("We decided to rent the small flat.", "We decided to rent the large flat instead."),
        ("I chose the red one.", "I chose the blue one over the red one."),
        ("I fixed the login bug.", "I fixed the logout bug."),
        ("We decided to go to Rome in May.", "We decided to go to Rome in June."),
        ("We settled on Kafka.", "We settled on RabbitMQ rather than Kafka."),
        ("We agreed to meet at Ann's.", "We agreed to meet at Bo's, not at Ann's."),
        ("We shipped version 3.1.", "We shipped version 3.2."),
    ],
)
def test_a_newer_choice_is_not_swallowed_by_the_older(first: str, second: str) -> None:
    found = milestones(talk(("user", first), ("user", second)))
    assert [each.first_turn for each in found] == [1, 2]


FAR = [("assistant", "I see."), ("user", "The weather is fine."), ("assistant", "Indeed."), ("user", "Tea is ready.")]


def test_the_same_once_more_much_later_is_one() -> None:
    again = ("user", "We decided to use DuckDB for the metering project. Can you explain what that means?")
    [found] = milestones(talk(("user", "We decided to use DuckDB for the metering project."), *FAR, again))
    assert (found.first_turn, found.last_turn) == (1, 1)


def test_the_same_choice_after_another_is_a_new_one() -> None:
    there = ("user", "We decided to use PostgreSQL instead of MySQL.")
    back = ("user", "We decided to use MySQL.")
    assert len(milestones(talk(back, *FAR, there, *FAR, back))) == 3


def test_of_two_that_are_one_the_fuller_is_told() -> None:
    found = only(("user", "We decided to use Redis."), ("user", "We decided to use Redis for caching."))
    assert found.title == "Decided to use Redis for caching"


@pytest.mark.parametrize("text", ["Got it working, thanks.", "That fixed it, thank you!", "It works now. Thanks!"])
def test_what_says_nothing_is_told_by_what_the_talk_was_about(text: str) -> None:
    assert milestones(talk(("user", text))) == (), "without a talk before it nobody knows what it was"
    [found] = milestones(talk(("user", "How do I calibrate the thermostat of the kiln?"), ("user", text)))
    assert "kiln" in found.title
    assert found.summary.startswith("Ann reported a solution about ")
    assert "kiln" in found.summary
    assert "hank" not in found.summary + found.title


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("We decided to use Redis for caching yesterday.", "2026-03-01"),
        ("On Friday we launched the beta.", "2026-02-27"),
        ("We shipped version 2 last Tuesday.", "2026-02-24"),
        ("I finished the report this morning.", "2026-03-02"),
        ("We agreed to close the office next Monday.", "2026-03-09"),
    ],
)
def test_days_are_those_of_the_calendar(text: str, day: str) -> None:
    found = only(("user", text))
    assert day in found.summary
    assert "On on" not in found.summary
    assert not any(word in found.summary for word in ("yesterday", "Friday", "Tuesday", "morning", "Monday"))
