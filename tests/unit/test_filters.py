"""Filters: checked, and put into SQL."""

from datetime import UTC, date, datetime
from uuid import uuid4

import pytest

from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.records import filters
from recollect.records.filters import Filters, conditions

NOW = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)


def parse(**values):
    return filters.parse(values, zone="Europe/Berlin", scope=Scope("alice"))


def sql(given):
    return conditions(given, NOW, "r").as_string(None)


def test_nothing_given_hides_what_nobody_sees_by_default():
    text = sql(parse())
    assert """not "r"."state" = any ('{soft_deleted,archived}')""" in text
    assert 'not "r"."pending"' in text
    assert """"r"."sensitivity" = any ('{low,normal}')""" in text
    assert '"r"."valid_until"' in text


def test_nothing_given_is_the_same_as_none():
    assert parse(kinds=None, tags=None, metadata=None, since=None) == parse()


def test_only_kinds_can_be_told_by_the_search_index_alone():
    assert parse().only_kinds
    assert parse(kinds=["turn"]).only_kinds
    for given in (
        {"tags": ["a"]},
        {"include": ["expired"]},
        {"thread": "t"},
        {"min_importance": 0.0},
        {"valid_at": NOW},
    ):
        assert not parse(**given).only_kinds, given


def test_soft_deleted_is_never_included():
    text = sql(parse(include=["archived", "expired"]))
    assert "'{soft_deleted}'" in text
    assert "valid_until" not in text
    with pytest.raises(InvalidInput):
        parse(include=["soft_deleted"])


def test_high_sensitivity_needs_a_scope_opened_for_it():
    assert filters.allowed_sensitivities("normal") == ["low", "normal"]
    assert filters.allowed_sensitivities("low") == ["low", "normal"]
    assert filters.allowed_sensitivities("high") == ["low", "normal", "high"]


def test_a_bare_date_begins_in_the_zone_of_the_space():
    berlin = datetime(2026, 3, 17, 23, tzinfo=UTC)
    assert parse(since="2026-03-18").since == berlin
    assert parse(since=date(2026, 3, 18)).since == berlin
    assert parse(since="2026-03-18T00:00:00+00:00").since == datetime(2026, 3, 18, tzinfo=UTC)


def test_times_are_half_open():
    text = sql(parse(since="2026-03-01", until="2026-04-01"))
    assert '"r"."happened_at" >= ' in text
    assert '"r"."happened_at" < ' in text


def test_values_cannot_break_out_of_the_statement():
    text = sql(parse(thread="'; drop table memory; --", metadata={"a": "%s {x} 100%"}))
    assert "'''; drop table memory; --'" in text
    assert "100%%" in text  # for the driver, which takes a single one for a placeholder


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"colour": 1}, "colour"),
        ({"zzz": 1, "aaa": 2}, "aaa"),
        ({"kinds": ["nonsense"]}, "kinds"),
        ({"source": "x"}, "source"),
        ({"since": datetime(2026, 1, 1)}, "since"),
        ({"since": "2026-02-01", "until": "2026-01-01"}, "until"),
    ],
)
def test_a_bad_filter_is_named(given, field):
    with pytest.raises(InvalidInput) as caught:
        parse(**given)
    assert caught.value.field == field


def test_every_filter_reaches_the_statement():
    given = {
        "kinds": ["turn"],
        "types": ["fact"],
        "categories": ["c"],
        "tags": ["t"],
        "tier": "long",
        "agent": "a",
        "run": "r",
        "thread": "th",
        "source": uuid4(),
        "speaker": "s",
        "actor": "ac",
        "role": "user",
        "pinned": True,
        "metadata": {"k": 1},
        "min_importance": 0.25,
        "max_importance": 0.75,
        "since": NOW,
        "until": NOW,
        "updated_after": NOW,
        "updated_before": NOW,
        "valid_at": NOW,
        "as_known_at": NOW,
    }
    plain = sql(Filters())
    for name, value in given.items():
        assert sql(parse(**{name: value})) != plain, name
