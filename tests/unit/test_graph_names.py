"""Which names may be one, without a database."""

import pytest

from recollect.graph.names import is_short, may_be_one, short_of, untitled


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("entity", "Acme Corp", "Acme Corporation"),
        ("entity", "Acme Corp", "Acme"),
        ("entity", "Open AI", "OpenAI"),
        ("person", "Sarah Chen", "Sarah J. Chen"),
        ("person", "Smith, John", "John Smith"),
        ("person", "José García", "Jose Garcia"),
        ("concept", "rate limit", "rate limits"),
        ("concept", "billing migration", "the billing migration"),
        ("entity", "PostgreSQL", "Postgres"),
    ],
)
def test_one(kind, one, other):
    assert may_be_one(kind, one, other, 0.95)
    assert may_be_one(kind, other, one, 0.95)


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("entity", "Apollo 1", "Apollo 2"),
        ("entity", "Apollo", "Apollo 1"),
        ("entity", "Windows 10", "Windows 11"),
        ("entity", "GPT-4", "GPT-5"),
        ("entity", "Q1 plan", "Q2 plan"),
        ("entity", "Plan A", "Plan B"),
        ("entity", "Team A", "Team"),
        ("entity", "Acme Inc", "Acme GmbH"),
        ("entity", "New York", "New York City"),
        ("entity", "North Korea", "South Korea"),
        ("concept", "access token", "refresh token"),
        ("person", "Jon Smith", "John Smith"),
        ("person", "Sarah Chen", "Sara Chen"),
        ("person", "John A. Smith", "John B. Smith"),
        ("person", "Carlo", "Carlos"),
        ("person", "Anna", "Hanna"),
    ],
)
def test_two(kind, one, other):
    assert not may_be_one(kind, one, other, 0.99)
    assert not may_be_one(kind, other, one, 0.99)


def test_titles_and_short_names():
    assert untitled("dr-sarah-chen") == ("sarah-chen", True)
    assert untitled("ms-chen") == ("chen", True)
    assert untitled("sarah") == ("sarah", False)
    assert untitled("dr") == ("dr", False)
    assert is_short("ms-chen")
    assert is_short("sarah")
    assert not is_short("sarah-chen")
    assert short_of("ms-chen", "sarah-chen")
    assert short_of("sarah", "sarah-chen")
    assert not short_of("chen", "sarah-chen")
    assert not short_of("sarah", "sarah")
