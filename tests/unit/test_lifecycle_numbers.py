"""The numbers of the lifecycle, by hand and as properties."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.settings import Settings
from recollect.records.lifecycle import Rules, Use, days_between, decay_rate, level, recalled, relevance, salience

NOW = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)
RULES = Rules()
NEW = Use("candidate", 0.5, NOW, confidence=0.5)

uses = st.builds(
    Use,
    state=st.sampled_from(["candidate", "active", "core", "archived"]),
    salience=st.floats(0, 1),
    salience_at=st.just(NOW),
    confidence=st.floats(0, 1),
    ttl_policy=st.sampled_from(["decay", "ephemeral", "keep_forever"]),
    access_count=st.integers(0, 50),
    recall_frequency=st.integers(0, 50),
    last_recall_interval=st.floats(0, 400),
    decay_gradient=st.floats(0.5, 3),
    last_accessed_at=st.one_of(st.none(), st.integers(0, 400).map(lambda days: NOW - timedelta(days=days))),
)
days = st.floats(0, 5_000)


def after(count: float) -> datetime:
    return NOW + timedelta(days=count)


class TestDefaults:
    def test_the_settings_are_the_same_numbers(self) -> None:
        assert Rules.of(Settings()) == Rules()

    def test_a_new_memory(self) -> None:
        assert (NEW.state, NEW.salience, NEW.access_count, NEW.recall_frequency) == ("candidate", 0.5, 0, 0)
        assert (NEW.last_recall_interval, NEW.decay_gradient) == (0, 1)


class TestDecay:
    def test_the_rate_of_what_was_never_recalled(self) -> None:
        """0.02 / (1 + 0¹) = 0.02."""
        assert decay_rate(replace(NEW, state="active"), RULES) == pytest.approx(0.02)

    def test_the_rate_falls_with_recalls(self) -> None:
        """0.02 / (1 + 3²) = 0.002."""
        use = replace(NEW, state="active", recall_frequency=3, decay_gradient=2)
        assert decay_rate(use, RULES) == pytest.approx(0.002)

    def test_confident_candidates_do_not_decay(self) -> None:
        assert decay_rate(replace(NEW, confidence=0.8), RULES) == 0
        assert salience(replace(NEW, confidence=1), after(1_000), RULES) == 0.5

    def test_doubtful_candidates_decay_faster(self) -> None:
        """0.02 × (1 + (1 − 0.5) × 2) = 0.04."""
        assert decay_rate(NEW, RULES) == pytest.approx(0.04)
        assert decay_rate(replace(NEW, confidence=0), RULES) == pytest.approx(0.06)

    def test_confidence_counts_for_candidates_only(self) -> None:
        assert decay_rate(replace(NEW, state="core", confidence=1), RULES) == pytest.approx(0.02)

    def test_salience_after_35_days(self) -> None:
        """0.5 × exp(−0.02 × 35) = 0.2483."""
        assert salience(replace(NEW, state="active"), after(35), RULES) == pytest.approx(0.248293, abs=1e-6)

    def test_days_to_the_threshold(self) -> None:
        """0.5 × exp(−0.02 × d) = 0.01 at d = ln(50) / 0.02 = 195.6: the formula, whatever the prose says."""
        use = replace(NEW, state="active")
        assert salience(use, after(195), RULES) > RULES.archive_below
        assert salience(use, after(196), RULES) < RULES.archive_below

    def test_kept_forever(self) -> None:
        assert salience(replace(NEW, ttl_policy="keep_forever", salience=0.1), after(10_000), RULES) == 1

    def test_a_clock_that_goes_back(self) -> None:
        assert salience(replace(NEW, state="active"), after(-5), RULES) == 0.5
        assert days_between(NOW, after(-5)) == 0

    @given(uses, days, days)
    def test_it_only_falls(self, use: Use, first: float, more: float) -> None:
        assert salience(use, after(first + more), RULES) <= salience(use, after(first), RULES) + 1e-12

    @given(uses, days)
    def test_it_stays_within_bounds(self, use: Use, count: float) -> None:
        assert 0 <= salience(use, after(count), RULES) <= 1

    @given(uses, st.floats(0, 500), st.floats(0, 500))
    def test_reading_in_between_changes_nothing(self, use: Use, first: float, second: float) -> None:
        """Nightly runs, one run after a month, or none: the same number."""
        if use.ttl_policy == "keep_forever":
            return
        halfway = replace(use, salience=salience(use, after(first), RULES), salience_at=after(first))
        direct = salience(use, after(first) + timedelta(days=second), RULES)
        assert salience(halfway, after(first) + timedelta(days=second), RULES) == pytest.approx(direct, abs=1e-9)


class TestRecall:
    def test_the_first_one(self) -> None:
        use = recalled(replace(NEW, confidence=1), NOW, RULES)
        assert (use.state, use.access_count, use.recall_frequency) == ("active", 1, 1)
        assert use.salience == pytest.approx(0.55)
        assert (use.last_recall_interval, use.decay_gradient, use.last_accessed_at) == (0, 1, NOW)

    def test_the_tenth_makes_core(self) -> None:
        use = replace(NEW, confidence=1)
        for count in range(1, 11):
            use = recalled(use, after(count), RULES)
            assert use.state == ("core" if count == 10 else "active")

    def test_what_was_archived_is_active_again(self) -> None:
        assert recalled(replace(NEW, state="archived"), NOW, RULES).state == "active"
        assert recalled(replace(NEW, state="archived", access_count=40), NOW, RULES).state == "active"

    def test_what_was_deleted_stays_deleted(self) -> None:
        assert recalled(replace(NEW, state="soft_deleted"), NOW, RULES).state == "soft_deleted"

    def test_salience_ends_at_one(self) -> None:
        assert recalled(replace(NEW, state="core", salience=0.98), NOW, RULES).salience == 1

    def test_a_recall_adds_to_what_is_left(self) -> None:
        """0.5 × exp(−0.02 × 35) + 0.05 = 0.2983."""
        assert recalled(replace(NEW, state="active"), after(35), RULES).salience == pytest.approx(0.298293, abs=1e-6)

    @pytest.mark.parametrize(("gap", "gradient"), [(8, 1.1), (7, 1.0), (6, 0.95)])
    def test_spacing(self, gap: float, gradient: float) -> None:
        """A longer interval than the last one +0.1, a shorter −0.05."""
        use = replace(NEW, state="active", last_accessed_at=NOW, last_recall_interval=7)
        spaced = recalled(use, after(gap), RULES)
        assert (spaced.decay_gradient, spaced.last_recall_interval) == (pytest.approx(gradient), gap)

    @pytest.mark.parametrize(("start", "gap", "end"), [(3, 8, 3), (2.95, 8, 3), (0.5, 1, 0.5), (0.52, 1, 0.5)])
    def test_the_gradient_has_bounds(self, start: float, gap: float, end: float) -> None:
        use = replace(NEW, state="active", last_accessed_at=NOW, last_recall_interval=7, decay_gradient=start)
        assert recalled(use, after(gap), RULES).decay_gradient == pytest.approx(end)

    @given(uses, days)
    def test_it_stays_within_bounds(self, use: Use, count: float) -> None:
        now = after(count)
        result = recalled(use, now, RULES)
        assert 0 <= result.salience <= 1
        assert 0.5 <= result.decay_gradient <= 3
        assert result.salience >= min(1, salience(use, now, RULES)) - 1e-12
        assert (result.access_count, result.recall_frequency) == (use.access_count + 1, use.recall_frequency + 1)
        assert (result.last_accessed_at, result.salience_at) == (now, now)
        assert result.state in ("active", "core")

    @given(uses, st.lists(st.floats(0, 100), min_size=1, max_size=20))
    def test_core_is_for_good(self, use: Use, gaps: list[float]) -> None:
        use, now = replace(use, state="core"), NOW
        for gap in gaps:
            now += timedelta(days=gap)
            use = recalled(use, now, RULES)
        assert use.state == "core"


class TestRelevance:
    @pytest.mark.parametrize(
        ("age", "accesses", "wanted"),
        [(0, 0, 1), (30, 0, 0.5), (60, 0, 0.25), (30, 2, 0.7), (30, 5, 1), (30, 9, 1), (300, 9, 0.5 + 2**-10)],
    )
    def test_by_hand(self, age: float, accesses: int, wanted: float) -> None:
        assert relevance(age, accesses, 30) == pytest.approx(wanted)

    def test_the_future_is_now(self) -> None:
        assert relevance(-10, 0, 30) == 1

    @given(days, st.integers(0, 1_000), st.floats(0.1, 1_000))
    def test_it_stays_within_bounds(self, age: float, accesses: int, half_life: float) -> None:
        assert 0 <= relevance(age, accesses, half_life) <= 1


@pytest.mark.parametrize(
    ("importance", "wanted"), [(0, 1), (0.1, 1), (0.2, 1), (0.21, 2), (0.4, 2), (0.5, 3), (0.6, 3), (0.8, 4), (1, 5)]
)
def test_levels(importance: float, wanted: int) -> None:
    assert level(importance) == wanted


@given(st.floats(0, 1))
def test_levels_are_from_one_to_five(importance: float) -> None:
    assert level(importance) == max(1, math.ceil(importance * 5)) in range(1, 6)
