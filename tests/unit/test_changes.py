"""What a caller may change of a memory."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from recollect.core.errors import InvalidInput
from recollect.records import changes
from recollect.records.model import Memory, Provenance

NOW = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)
MEMORY = Memory(
    space="user:alice",
    id=uuid4(),
    kind="statement",
    type="fact",
    category="knowledge",
    tags=("a",),
    title=None,
    summary=None,
    content="Alice lives in Berlin.",
    data={},
    metadata={},
    provenance=Provenance(),
    tier="long",
    sensitivity="normal",
    importance=0.5,
    confidence=1.0,
    pinned=False,
    ttl_policy="decay",
    state="candidate",
    salience=0.5,
    access_count=0,
    recall_frequency=0,
    last_recall_interval=0.0,
    decay_gradient=1.0,
    last_accessed_at=None,
    happened_at=NOW,
    valid_from=NOW,
    valid_until=None,
    version=1,
    created_at=NOW,
    updated_at=NOW,
    by_hand=True,
    pending=False,
    purge_at=None,
)


def parse(**given):
    return changes.parse(given, 1_000)


def test_only_what_differs_counts():
    parsed = parse(content="Alice lives in Berlin.", importance=0.7, tags=["a"])
    assert parsed.differing(MEMORY) == {"importance"}


def test_what_is_not_given_stays():
    after = parse(importance=0.7).after(MEMORY)
    assert (after["content"], after["importance"], after["valid_from"]) == (MEMORY.content, 0.7, NOW)


def test_what_was_said_or_held_true_before_is_kept():
    for fields, kept in (
        ({"content"}, True),
        ({"title"}, True),
        ({"summary"}, True),
        ({"valid_until"}, True),
        ({"valid_from", "pinned"}, True),
        ({"importance", "tags", "metadata"}, False),
        (set(), False),
    ):
        assert changes.is_new_version(fields) is kept, fields


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "content"),
        ({"id": uuid4()}, "id"),
        ({"version": 3}, "version"),
        ({"content": "x" * 1_001}, "content"),
        ({"importance": 2}, "importance"),
        ({"ttl_policy": "never"}, "ttl_policy"),
        ({"valid_until": datetime(2026, 1, 1)}, "valid_until"),
    ],
)
def test_a_bad_change_is_named(given, field):
    with pytest.raises(InvalidInput) as caught:
        parse(**given)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"type": "nonsense"}, "type"),
        ({"type": None}, "type"),
        ({"valid_until": NOW - timedelta(days=1)}, "valid_until"),
        ({"valid_from": NOW, "valid_until": NOW - timedelta(days=1)}, "valid_until"),
    ],
)
def test_a_change_that_does_not_fit_the_memory_is_named(given, field):
    with pytest.raises(InvalidInput) as caught:
        parse(**given).check_against(MEMORY)
    assert caught.value.field == field


def test_a_start_after_the_end_is_named_by_what_was_given():
    ended = replace(MEMORY, valid_until=NOW)
    with pytest.raises(InvalidInput) as caught:
        parse(valid_from=NOW + timedelta(days=1)).check_against(ended)
    assert caught.value.field == "valid_from"


def test_other_kinds_have_types_of_their_own():
    parse(type="breakthrough").check_against(replace(MEMORY, kind="episode"))
