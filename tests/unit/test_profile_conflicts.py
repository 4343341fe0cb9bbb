"""What becomes of a value that was said for a profile key."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from recollect.core.ids import new_id
from recollect.profile.conflicts import Decision, Policy, certainty, decide
from recollect.profile.model import Held, Said
from recollect.understanding.model import Fact

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
POLICY = Policy(frozenset({"city", "preferred_name"}), 2)


def city(value: str, confidence: float = 1.0, **more: object) -> Fact:
    return Fact("identity", "city", value, confidence, **more)  # type: ignore[arg-type]


def held(value: str, days: int = 0, **more: object) -> Held:
    given: dict[str, object] = {
        "id": new_id(),
        "value": value,
        "confidence": 1.0,
        "said_at": NOON + timedelta(days=days),
        "turn": 1,
        "ended_at": None,
        "deleted": False,
        "by_hand": False,
        "data": {},
    }
    return Held(**(given | more))  # type: ignore[arg-type]


def said(days: int, turn: int = 1) -> Said:
    return Said(NOON + timedelta(days=days), turn)


def outcome(fact: Fact, when: Said, *values: Held, signals: int = 0) -> str:
    return decide(fact, when, values, signals, POLICY).outcome


def test_a_first_value_is_taken() -> None:
    assert decide(city("Porto"), said(0), [], 0, POLICY) == Decision("add", "said in chat")


def test_a_newer_value_replaces_an_older_one() -> None:
    old = held("Porto")
    assert decide(city("Lisbon"), said(1), [old], 0, POLICY) == Decision("replace", "said in chat", old)


def test_an_older_word_never_undoes_a_newer_one() -> None:
    assert outcome(city("Lisbon"), said(-1), held("Porto")) == "ignore"


def test_of_one_moment_the_later_turn_counts() -> None:
    assert outcome(city("Lisbon"), said(0, turn=2), held("Porto", turn=1)) == "replace"
    assert outcome(city("Lisbon"), said(0, turn=0), held("Porto", turn=1)) == "ignore"


def test_a_less_certain_value_is_passed_over_unless_it_corrects() -> None:
    assert outcome(city("Lisbon", 0.6), said(1), held("Porto")) == "ignore"
    assert outcome(city("Lisbon", 0.6, correction=True), said(1), held("Porto")) == "replace"
    assert outcome(city("Lisbon", 0.6), said(1), held("Porto", confidence=0.6)) == "replace"


def test_a_correction_counts_as_certain() -> None:
    assert certainty(city("Lisbon", 0.5, correction=True)) == 1.0
    assert certainty(city("Lisbon", 0.5)) == 0.5


def test_the_same_value_is_confirmed_whatever_its_case() -> None:
    assert outcome(city("porto."), said(1), held("Porto")) == "confirm"
    assert outcome(city("Porto"), said(-9), held("Porto")) == "confirm"


def test_what_a_person_set_is_proposed_against_not_overwritten() -> None:
    assert outcome(city("Lisbon"), said(1), held("Porto", by_hand=True)) == "propose"


def test_what_a_person_deleted_is_not_made_again() -> None:
    gone = held("Porto", deleted=True, by_hand=True)
    assert outcome(city("Porto"), said(5), gone) == "ignore"
    assert outcome(city("Lisbon"), said(5), gone) == "add"


def test_what_a_job_deleted_may_come_again() -> None:
    assert outcome(city("Porto"), said(5), held("Porto", deleted=True)) == "add"


def test_an_inferred_value_of_a_sensitive_key_always_waits() -> None:
    inferred = city("Lisbon", 0.9, first_person=False)
    assert outcome(inferred, said(1), signals=9) == "propose"


@pytest.mark.parametrize(("signals", "expected"), [(1, "propose"), (2, "add")])
def test_an_inferred_benign_value_needs_two_signals(signals: int, expected: str) -> None:
    tone = Fact("preference", "tone", "formal", 0.8, first_person=False)
    assert decide(tone, said(1), [], signals, POLICY).outcome == expected


def test_an_end_ends_the_value_that_it_names() -> None:
    assert outcome(city("Porto", ended=True), said(1), held("Porto")) == "end"
    assert outcome(city("Rome", ended=True), said(1), held("Porto")) == "ignore"
    assert outcome(city("Porto", ended=True), said(-1), held("Porto")) == "ignore"
    assert outcome(city("Porto", ended=True), said(1)) == "rule_out"


def test_an_ended_value_is_not_revived_by_an_older_word() -> None:
    over = held("Porto", ended_at=NOON + timedelta(days=3))
    assert outcome(city("Porto"), said(1), over) == "ignore"
    assert outcome(city("Porto"), said(4), over) == "add"


def test_any_order_of_arrival_leaves_the_newest_certain_value() -> None:
    """Three certain values of three days, in each order: the newest holds."""
    for order in permutations([(0, "Porto"), (1, "Lisbon"), (2, "Rome")]):
        values: list[Held] = []
        for days, value in order:
            decision = decide(city(value), said(days), values, 0, POLICY)
            if decision.target and decision.outcome == "replace":
                values = [
                    replace(each, ended_at=NOON + timedelta(days=days)) if each.id == decision.target.id else each
                    for each in values
                ]
            if decision.outcome in ("add", "replace"):
                values.append(held(value, days))
        assert [each.value for each in values if each.active] == ["Rome"], order
