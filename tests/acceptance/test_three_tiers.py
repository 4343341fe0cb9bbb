"""Document A's examples through the public surface, with the real embedder: active, short-term and long-term memory."""

from datetime import timedelta

import pytest

TEMPLATE = """
template:
  id: "coding_agent_activity_v1"
  name: "Coding Agent Activity"
  version: "1.0.0"
sections:
  - id: "current_task"
    name: "Current Task"
  - id: "progress"
    name: "Progress"
"""

AUTH = (
    "# User Auth Implementation\n\nImplemented JWT-based authentication with refresh tokens. The auth service stores"
    " refresh tokens in PostgreSQL. Access tokens expire after 15 minutes."
)
SAME = (
    "# User Auth Implementation\n\nJWT-based authentication with refresh tokens is implemented in the auth service."
    " Logging out revokes the refresh tokens in PostgreSQL."
)
CONTRARY = (
    "# User Auth Implementation\n\nImplemented JWT-based authentication with refresh tokens. The auth service stores"
    " refresh tokens in PostgreSQL. Access tokens expire after 60 minutes."
)
UNLIKE = "# Vacation\n\nThe team travels to Lisbon in September; Maria books the hotel near the river."


@pytest.fixture
async def rc(open_recollect):
    return await open_recollect(embedder="recollect-recall-v2")


@pytest.fixture
def me(rc):
    return rc.scope(user_id="alice", agent_id="worker-1")


async def test_creation_and_section_update(me):
    """ "Create active memory with template and sections", "Update a specific section"."""
    active = await me.create_active(
        title="Current Task Context",
        template=TEMPLATE,
        sections={
            "current_task": "# Current Task\n\nImplementing authentication",
            "progress": "# Progress\n\n- [x] Set up database",
        },
        metadata={"task_id": 123},
    )
    assert {name: (s["content"], s["update_count"]) for name, s in active.sections.items()} == {
        "current_task": ("# Current Task\n\nImplementing authentication", 0),
        "progress": ("# Progress\n\n- [x] Set up database", 0),
    }
    updated = await me.update_section(
        active.id, "progress", "# Progress\n\n- [x] Set up database\n- [x] Create API endpoints"
    )
    assert updated.sections["progress"].update_count == 1
    assert [found.id for found in await me.actives(agent="worker-1")] == [active.id]
    empty = await me.create_active(title="Another", template=TEMPLATE)
    assert {name: (s.content, s.update_count) for name, s in empty.sections.items()} == {
        "current_task": ("", 0),
        "progress": ("", 0),
    }


async def test_merge_conflict_and_new_by_the_real_similarity(me):
    active = await me.create_active(title="Auth", template=TEMPLATE)

    async def migrated(text):
        await me.update_section(active.id, "current_task", text)
        [landed] = await me.migrate()
        return landed

    first = await migrated(AUTH)
    assert (first.outcome, first.similarity) == ("new", None)
    merged = await migrated(SAME)
    assert merged.outcome == "merged"
    assert merged.similarity >= 0.85
    [chunk] = await me.get_all(kinds=["chunk"])
    for sentence in ("Access tokens expire after 15 minutes.", "Logging out revokes the refresh tokens in PostgreSQL."):
        assert sentence in chunk.content
    assert chunk.data["sources"] == [str(first.source_id), str(merged.source_id)]
    contrary = await migrated(CONTRARY)
    assert contrary.outcome == "review"
    assert contrary.similarity >= 0.85
    [review] = await me.reviews()
    assert "15 minutes" in review.reason
    assert "60 minutes" in review.reason
    resolved = await me.resolve(review.id, "keep_new", text=None)
    assert resolved.status == "keep_new"
    assert "60 minutes" in (await me.get(chunk.id)).content
    unlike = await migrated(UNLIKE)
    assert unlike.outcome == "new"
    assert (await me.get_active(active.id)).sections["current_task"].update_count == 0
    raw = [source.content for source in await me.get_all(kinds=["source"])]
    assert raw == [AUTH, SAME, CONTRARY, UNLIKE]


async def test_shortterm_search_finds_chunks_with_their_entities(me):
    active = await me.create_active(title="User Auth Implementation", template=TEMPLATE)
    await me.update_section(active.id, "current_task", AUTH)
    await me.update_section(active.id, "progress", UNLIKE)
    await me.migrate()
    hits = await me.search("user authentication implementation", tier="short", limit=10, threshold=0.6)
    assert [hit.memory.content for hit in hits] == [AUTH]
    assert {"JWT", "PostgreSQL", "refresh token"} <= {entity.title for entity in hits[0].entities}


async def test_the_flow_example(rc, me):
    """A worker's notes, migrated by the periodic job, promoted by the nightly one."""
    active = await me.create_active(title="User Auth Implementation", sections={"content": ""})
    await me.update_section(active.id, "content", AUTH)
    await rc.run_job("migration")
    [source] = await me.get_all(kinds=["source"])
    assert await me.search("authentication patterns", tier="long") == []
    await me.update(source.id, importance=0.8)
    await rc.run_job("promotion")
    [hit] = await me.search("authentication patterns", tier="long")
    assert (hit.memory.content, hit.memory.tier) == (AUTH, "long")


async def test_the_three_temporal_questions(me, clock):
    active = await me.create_active(title="Auth", sections={"content": ""})
    await me.update_section(active.id, "content", AUTH)
    [landed] = await me.migrate()
    await me.promote(landed.source_id)
    january = clock.now
    clock.forward(days=30)
    await me.update_section(active.id, "content", SAME)
    await me.migrate()
    await me.promote(landed.source_id)
    february = clock.now
    clock.forward(days=1)

    async def chunks(**filters):
        return list(await me.get_all(kinds=["chunk"], tier="long", agent="worker-1", **filters))

    # Current longterm chunks of a worker.
    [current] = await chunks()
    assert (current.valid_from, current.valid_until) == (february, None)
    # Chunks valid at a specific time; half-open, so that at the moment of change one of them holds.
    for moment, start in (
        (january, january),
        (january + timedelta(days=15), january),
        (february, february),
        (clock.now, february),
    ):
        assert [chunk.valid_from for chunk in await chunks(valid_at=moment)] == [start]
        assert [
            hit.memory.valid_from for hit in await me.search("authentication patterns", tier="long", valid_at=moment)
        ] == [start]
    assert await chunks(valid_at=january - timedelta(seconds=1)) == []
    # Historical versions of chunks from the same source, the newest first.
    history = await me.chunk_history(landed.source_id)
    assert [(v.valid_from, v.valid_until) for v in history] == [(february, None), (january, february)]
    assert history[1].content == AUTH


async def test_a_tasks_end_migrates_what_is_left(me):
    active = await me.create_active(title="Auth", template=TEMPLATE)
    await me.update_section(active.id, "current_task", AUTH)
    ended = await me.end_active(active.id)
    assert ended.status == "ended"
    assert [hit.memory.content for hit in await me.search("refresh tokens", tier="short")] == [AUTH]
