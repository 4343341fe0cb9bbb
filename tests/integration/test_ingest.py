"""Sources through their phases: stored, processed, extracted; once, whatever fails."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from recollect.core.errors import Conflict, InvalidInput, NotAllowed, NotFound

NOTE = "Sarah Chen works at Acme Robotics. Sarah Chen reports to Tom Ford. The Redis cluster runs on Docker."


@pytest.fixture
def me(rc):
    return rc.scope(user_id="alice", agent_id="planner")


async def names(me, kind="person"):
    return sorted(node.title for node in await me.get_all(kinds=[kind]))


async def test_a_source_passes_through_its_phases(rc, me, clock):
    began = datetime(2026, 3, 1, 10, tzinfo=UTC)
    source = await me.ingest(NOTE, title="Who is who", participants=["Ann Lee"], started_at=began, metadata={"a": 1})
    assert (source.kind, source.type, source.content, source.title) == ("source", "text-note", NOTE, "Who is who")
    assert source.data["status"] == "raw"
    assert source.happened_at == began
    assert [(each.id, each.status) for each in await me.sources()] == [(source.id, "raw")]
    assert await me.search("Redis") == []
    await rc.drain()
    read = await me.get(source.id)
    assert read.data["status"] == "extracted"
    assert read.version == 1
    assert read.summary
    assert read.data["keywords"]
    [chunk] = await me.get_all(kinds=["chunk"])
    assert (chunk.content, chunk.type, chunk.title, chunk.metadata) == (NOTE, "text-note", "Who is who", {"a": 1})
    assert chunk.provenance.source_id == source.id
    assert chunk.data == {"order": 0, "sources": [str(source.id)]}
    assert "Sarah Chen" in await names(me)
    assert "Ann Lee" in await names(me)
    [state] = await me.sources()
    assert (state.status, state.attempts, state.by_rules) == ("extracted", 0, False)
    assert state.processed_at == state.extracted_at == clock()
    hits = await me.search("Who works at Acme Robotics?")
    assert {hit.memory.kind for hit in hits} >= {"chunk", "source"}
    assert "Sarah Chen" in [node.title for node in hits[0].entities]
    events = [entry.event for entry in await me.history(source.id)]
    assert events == ["ADD", "UPDATE"]
