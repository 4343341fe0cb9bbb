"""The same-fact test: on a labelled table, and by what must hold for all statements."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.understanding.same_fact import LEAST_SIMILARITY, compare, ends, settles

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "same_fact_pairs.jsonl").read_text("utf-8").splitlines()
]


def verdicts() -> list[tuple[dict[str, Any], str]]:
    return [(pair, compare(pair["older"], pair["newer"]).relation) for pair in PAIRS]


def test_the_table_is_large_and_of_every_kind() -> None:
    kinds = [pair["kind"] for pair in PAIRS]
    assert len(PAIRS) >= 120
    assert min(kinds.count(kind) for kind in ("same", "contradicts", "different")) >= 40
    assert len({(pair["older"], pair["newer"]) for pair in PAIRS}) == len(PAIRS)


def test_nothing_is_merged_that_is_not_the_same() -> None:
    assert [pair for pair, relation in verdicts() if relation == "same" != pair["kind"]] == []


def test_nothing_is_merged_the_other_way_round_either() -> None:
    merged = [pair for pair in PAIRS if compare(pair["newer"], pair["older"]).relation == "same"]
    assert [pair for pair in merged if pair["kind"] != "same"] == []


def test_nine_of_ten_are_right() -> None:
    right = [pair for pair, relation in verdicts() if relation == pair["kind"]]
    assert len(right) >= 0.9 * len(PAIRS)


def test_contradictions_are_rarely_invented() -> None:
    """A contradiction ends the older statement, so it must be as certain as a merge, nearly."""
    invented = [pair for pair, relation in verdicts() if relation == "contradicts" != pair["kind"]]
    assert len(invented) <= 0.02 * len(PAIRS)


@pytest.mark.parametrize(
    ("older", "newer", "reason"),
    [
        ("Alice takes 5 mg of iron.", "Alice takes 20 mg of iron.", "other number: 5 mg / 20 mg"),
        ("Alice is allergic to nuts.", "Alice is not allergic to nuts.", "negated"),
        ("Alice smokes.", "Alice no longer smokes.", "no longer"),
        ("Alice wants to run a marathon in 2027.", "Alice gave up on running a marathon.", "no longer"),
        ("Alice plans to buy a house.", "Alice has abandoned the idea of buying a house.", "no longer"),
        ("Alice plans to buy a house.", "Alice is not going to buy a house after all.", "called off"),
        ("Alice wants to learn Spanish.", "Alice decided not to learn Spanish.", "called off"),
        ("Alice would rather have tea than coffee.", "Alice prefers coffee over tea.", "the other way round"),
        ("The deadline is on 2026-05-05.", "The deadline moved to 2026-06-01.", "other date"),
        ("The launch was postponed to 2026-06-01.", "The launch is on 2026-06-10.", "other date"),
        ("The deadline is 2026-05-01.", "The deadline is 2026-05-02.", "other date"),
        ("Alice lives in Rome.", "Alice lives in Oslo.", "other value of the same attribute"),
        ("The team studied Apollo 1.", "The team studied Apollo 2.", "other name"),
        ("Alice likes tea.", "Alice enjoys tea.", "same fact in other words"),
        ("Alice likes tea.", "Alice likes tea", "same words"),
        ("Alice works at Acme.", "Alice works at Acme in Rome.", "same fact in more detail"),
        ("Alice likes tea.", "Bob likes tea.", "about another"),
        ("Alice will move to Oslo.", "Alice moved to Oslo.", "future / past"),
    ],
)
def test_the_reason_is_told(older: str, newer: str, reason: str) -> None:
    assert compare(older, newer).reason == reason


def test_the_fuller_text_is_named() -> None:
    short, full = "Alice works at Acme.", "Alice works at Acme in Rome."
    assert compare(short, full).fuller == "newer"
    assert compare(full, short).fuller == "older"
    assert compare("Alice ran a marathon on 2026-03-06.", "Alice ran a marathon.").fuller == "older"


def test_what_the_embedder_finds_far_apart_is_different() -> None:
    older, newer = "Alice lives in Rome.", "Alice lives in Oslo."
    assert compare(older, newer, similarity=LEAST_SIMILARITY).relation == "contradicts"
    assert compare(older, newer, similarity=LEAST_SIMILARITY - 0.01).relation == "different"


def test_the_nearer_the_more_detail_may_be_added() -> None:
    older, newer = "Alice works at Acme.", "Alice works at Acme in Rome with Carl on compilers."
    assert compare(older, newer, similarity=0.95).relation == "same"
    assert compare(older, newer, similarity=0.8).relation == "different"


@pytest.mark.parametrize(
    "text",
    [
        "Alice no longer smokes.",
        "Alice used to smoke.",
        "Alice doesn't live in Rome anymore.",
        "Alice does not live in Rome any more.",
        "Alice stopped smoking.",
        "Alice quit her job.",
        "Alice gave up the cello.",
        "The subscription is cancelled.",
        "Alice retired from teaching.",
    ],
)
def test_an_end_is_seen(text: str) -> None:
    assert ends(text)


@pytest.mark.parametrize(
    "text",
    [
        "Alice smokes.",
        "Alice is used to noise.",
        "Alice stopped at the bakery.",
        "Alice has not stopped smoking.",
        "Alice never smoked.",
        "Alice recommended a film.",
        "Alice attended the talk.",
        "",
    ],
)
def test_no_end_is_made_up(text: str) -> None:
    assert not ends(text)


@given(st.text(max_size=300))
def test_a_text_says_what_it_says(text: str) -> None:
    assert compare(text, text).relation == "same"


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    assert compare(one, other).relation in {"same", "contradicts", "different"}


@given(st.integers(0, 5000), st.integers(0, 5000))
def test_a_dose_is_the_same_only_if_its_number_is(one: int, other: int) -> None:
    relation = compare(f"Alice takes {one} mg of iron.", f"Alice takes {other:,} mg of iron.").relation
    assert relation == ("same" if one == other else "contradicts")


@given(st.integers(0, 23), st.integers(0, 59), st.integers(0, 23), st.integers(0, 59))
def test_a_time_of_day_is_the_same_in_both_notations(hour: int, minute: int, other: int, past: int) -> None:
    half = "am" if other < 12 else "pm"
    newer = f"The meeting is at {other % 12 or 12}:{past:02} {half}."
    relation = compare(f"The meeting is at {hour}:{minute:02}.", newer).relation
    assert relation == ("same" if (hour, minute) == (other, past) else "contradicts")


DAYS = st.dates(date(1900, 1, 1), date(2999, 12, 31))


@given(DAYS, DAYS)
def test_a_deadline_is_the_same_in_words(one: date, other: date) -> None:
    newer = f"The deadline is {other.day} {other:%B} {other.year}."
    relation = compare(f"The deadline is {one.isoformat()}.", newer).relation
    assert relation == ("same" if one == other else "contradicts")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The launch is on 2026-05-05.", "The party was moved to 2026-06-01."),
        ("Alice wants to run a marathon.", "Alice does not want to run an ultra anymore."),
        ("Alice plans to buy a house.", "Alice is not going to buy a car after all."),
        ("Alice plans to buy a house.", "Bob is not going to buy a house."),
        ("Alice bought a house.", "Alice is not going to buy a house."),
    ],
)
def test_what_is_called_off_or_moved_is_the_same_thing(older: str, newer: str) -> None:
    assert compare(older, newer).relation == "different"


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("Alice might move to Madrid.", "Alice is moving to Madrid.", True),
        ("Alice is considering moving to Madrid.", "Alice moved to Madrid.", True),
        ("Alice might move to Madrid.", "Alice is not moving to Madrid.", True),
        ("Alice might move to Madrid.", "Alice is moving to Rome.", False),
        ("Alice might move to Madrid.", "Alice might move to Madrid in June.", False),
        ("Alice might move to Madrid.", "Bob is moving to Madrid.", False),
        ("Alice moves to Madrid.", "Alice is moving to Madrid.", False),
    ],
)
def test_what_was_left_open_is_settled_by_what_is_sure(older: str, newer: str, expected: bool) -> None:
    assert settles(older, newer) is expected
