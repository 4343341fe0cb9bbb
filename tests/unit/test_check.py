"""Bad input: each kind is refused, and the error names the field."""

import math
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core import check
from recollect.core.errors import InvalidInput, RecollectError

_FIVE_MB = "x" * 5_000_000


def refused(function: Any, *values: Any, **options: Any) -> str:
    """The error's words; it names the field."""
    with pytest.raises(InvalidInput) as caught:
        function("the_field", *values, **options)
    assert caught.value.field == "the_field"
    assert str(caught.value) == f"the_field: {caught.value.problem}"
    return caught.value.problem


def test_it_is_one_of_our_errors_and_a_value_error() -> None:
    assert issubclass(InvalidInput, RecollectError)
    assert issubclass(InvalidInput, ValueError)


class TestText:
    @pytest.mark.parametrize(
        ("value", "said"),
        [
            ("", "empty"),
            (" \n\t\u3000", "empty"),
            ("a\x00b", "NUL"),
            ("a\ud800b", "surrogate"),
            ("\udfff", "surrogate"),
            (_FIVE_MB, "5,000,000 bytes"),
            (None, "NoneType"),
            (5, "int"),
            (b"bytes", "bytes"),
            (["a"], "list"),
        ],
        ids=lambda value: repr(value)[:20],
    )
    def test_refused(self, value: Any, said: str) -> None:
        assert said in refused(check.text, value, most_bytes=1_000_000)

    def test_the_limit_counts_bytes(self) -> None:
        assert check.text("f", "é" * 5, most_bytes=10) == "é" * 5
        refused(check.text, "é" * 5, most_bytes=9)

    @given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=50))
    def test_all_other_text_is_taken_as_it_is(self, value: str) -> None:
        if value.strip():
            assert check.text("f", value, most_bytes=1_000) == value

    def test_where_nothing_may_be_given(self) -> None:
        assert check.optional_text("f", None) is None
        assert "empty" in refused(check.optional_text, "")


class TestIdentifier:
    @pytest.mark.parametrize("value", ["", "a\x00", "\ud800", "x" * 201, 7, None, _FIVE_MB], ids=lambda v: repr(v)[:12])
    def test_refused(self, value: Any) -> None:
        refused(check.identifier, value)

    def test_any_script_of_some_length(self) -> None:
        assert check.identifier("f", "アリス" * 60) == "アリス" * 60


class TestNumbers:
    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -0.01, 1.01, True, "0.5", None])
    def test_a_share_that_is_none(self, value: Any) -> None:
        refused(check.unit, value)

    def test_a_share_beyond_all_floats(self) -> None:
        refused(check.unit, 10**400)

    @given(st.floats(0, 1))
    def test_every_share_is_taken(self, value: float) -> None:
        assert check.unit("f", value) == value

    def test_whole_numbers_are_shares_too(self) -> None:
        assert (check.unit("f", 0), check.unit("f", 1)) == (0.0, 1.0)

    @pytest.mark.parametrize("value", [0, -1, 10_001, True, 1.5, "3", None, math.nan])
    def test_a_count_that_is_none(self, value: Any) -> None:
        refused(check.count, value)

    @pytest.mark.parametrize("value", [1, 0, "true", None])
    def test_a_flag_that_is_none(self, value: Any) -> None:
        refused(check.flag, value)


class TestMoments:
    @pytest.mark.parametrize(
        "value",
        [
            datetime(2026, 3, 18),
            "2026-03-18T09:30:00",
            "yesterday",
            "",
            date(2026, 3, 18),
            1_700_000_000,
            None,
        ],
        ids=repr,
    )
    def test_refused(self, value: Any) -> None:
        refused(check.moment, value)

    @pytest.mark.parametrize("value", ["0001-01-01T00:00:00+09:00", "9999-12-31T23:59:59-09:00"])
    def test_beyond_the_calendar(self, value: str) -> None:
        refused(check.moment, value)

    def test_the_error_stays_short(self) -> None:
        assert len(refused(check.moment, _FIVE_MB)) < 200
        assert len(refused(check.choice, _FIVE_MB, {"turn"})) < 200

    def test_a_naive_one_is_told_what_it_lacks(self) -> None:
        assert "zone" in refused(check.moment, datetime(2026, 3, 18))

    def test_any_zone_becomes_utc(self) -> None:
        east = timezone(timedelta(hours=9))
        assert check.moment("f", datetime(2026, 3, 18, 9, tzinfo=east)) == datetime(2026, 3, 18, tzinfo=UTC)
        assert check.moment("f", "2026-03-18T09:00:00+09:00").tzinfo is UTC

    @pytest.mark.parametrize("value", ["2026-13-01", "31.12.2026", datetime(2026, 1, 1), 5], ids=repr)
    def test_in_filters_refused(self, value: Any) -> None:
        refused(check.filter_moment, value, "UTC")

    @pytest.mark.parametrize("value", ["2026-07-01", date(2026, 7, 1)], ids=repr)
    def test_in_filters_a_date_begins_where_the_space_is(self, value: Any) -> None:
        assert check.filter_moment("f", value, "Europe/Lisbon") == datetime(2026, 6, 30, 23, tzinfo=UTC)

    def test_in_filters_nothing_is_nothing(self) -> None:
        assert check.filter_moment("f", None, "UTC") is None


class TestIds:
    @pytest.mark.parametrize("value", ["", "no id", 7, None, "0" * 31, "\ud800", _FIVE_MB], ids=lambda v: repr(v)[:12])
    def test_refused(self, value: Any) -> None:
        assert len(refused(check.uuid, value)) < 200

    def test_text_and_values(self) -> None:
        value = UUID("0190163d-8694-739b-aea5-966c26f8ad91")
        assert check.uuid("f", value) == check.uuid("f", str(value)) == value


class TestChoices:
    @pytest.mark.parametrize("value", ["unknown", "", None, 3, ["turn"]], ids=repr)
    def test_refused_with_what_there_is(self, value: Any) -> None:
        assert "source, turn" in refused(check.choice, value, {"turn", "source"})


class TestNames:
    @pytest.mark.parametrize(
        "value", ["one", 3, None, [""], ["a\x00"], [1], [None], ["x" * 300]], ids=lambda v: repr(v)[:12]
    )
    def test_refused(self, value: Any) -> None:
        refused(check.names, value)

    def test_each_once_in_order(self) -> None:
        assert check.names("f", ["b", "a", "b"]) == ("b", "a")


class TestObjects:
    @pytest.mark.parametrize(
        "value",
        [
            [],
            "text",
            {1: "a"},
            {"a": math.nan},
            {"a": math.inf},
            {"a": object()},
            {"a": "\x00"},
            {"a\x00": 1},
            {"a": "\ud800"},
            {"a": {"b": [b"bytes"]}},
            {"a": "x" * 2_000},
        ],
        ids=lambda value: repr(value)[:20],
    )
    def test_refused(self, value: Any) -> None:
        refused(check.mapping, value, most_bytes=1_000)

    def test_taken(self) -> None:
        value = {"a": [1, 2.5, None, True, {"b": "ü"}]}
        assert check.mapping("f", value, most_bytes=1_000) == value
        assert check.mapping("f", None, most_bytes=1_000) == {}

    def test_a_backslash_before_u0000_is_text(self) -> None:
        """The six characters, not the one that they stand for."""
        assert check.mapping("f", {"a": "\\u0000"}, most_bytes=1_000) == {"a": "\\u0000"}

    def test_deeper_than_the_stack(self) -> None:
        value: Any = {}
        for _ in range(100_000):
            value = {"a": value}
        refused(check.mapping, value, most_bytes=10_000_000)
