"""Messages that rules read before their turn."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from recollect.core.ids import new_id
from recollect.flows import reading
from recollect.flows.reading import Ahead, Owner
from recollect.understanding.model import Understood, Utterance

CONVERSATION: Any = SimpleNamespace(space="user:alice", owner="user:alice")


def said(text: str, name: str | None = None) -> Any:
    at = datetime(2026, 5, 4, tzinfo=UTC)
    return SimpleNamespace(id=new_id(), body=text, role="user", name=name, actor_id=None, at=at)


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[Utterance]:
    """What was read, in order."""
    read: list[Utterance] = []

    def understand(utterance: Utterance) -> Understood:
        read.append(utterance)
        return Understood(written=len(utterance.text))

    monkeypatch.setattr(reading.keyless, "understand", understand)
    return read


async def test_what_reads_the_same_at_its_turn_is_read_once(heard: list[Utterance]) -> None:
    owner, row = Owner("user:alice", {"alice"}, "Alice", "UTC"), said("I moved to Porto.")
    with Ahead() as ahead:
        for _ in range(2):
            ahead.begin(CONVERSATION, row, None, owner)
        understood = await ahead.understood(row, reading._utterance(CONVERSATION, row, None, owner))
    assert understood.written == len(row.body)
    assert len(heard) == 1


async def test_what_reads_otherwise_by_then_is_read_again(heard: list[Utterance]) -> None:
    owner, row = Owner("user:alice", {"alice"}, None, "UTC"), said("I moved to Porto.", name="Ally")
    with Ahead() as ahead:
        ahead.begin(CONVERSATION, row, None, owner)
        owner.names.add("ally")
        now = reading._utterance(CONVERSATION, row, None, owner)
        await ahead.understood(row, now)
    assert now in heard  # whichever of the two was read last
    assert now.own


async def test_what_was_never_begun_is_read_at_its_turn(heard: list[Utterance]) -> None:
    owner, row = Owner("user:alice", set(), None, "UTC"), said(f"Hello {uuid4()}")
    with Ahead() as ahead:
        await ahead.understood(row, reading._utterance(CONVERSATION, row, None, owner))
    assert len(heard) == 1
