"""Memories through the public object: writing, changing, deleting, and what is kept of all that."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.ids import new_id


@contextmanager
def statements_counted() -> Iterator[list[str]]:
    """The statements that psycopg sends meanwhile for this task: what models took is written apart, once a second."""
    sent: list[str] = []
    execute, task = psycopg.AsyncCursor.execute, asyncio.current_task()

    async def counting(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        if asyncio.current_task() is task and "explain" not in str(query)[:20]:  # the statement log's, on a cluster
            sent.append(str(query)[:80])
        return await execute(self, query, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.AsyncCursor, "execute", counting)
        yield sent


def rows_of(url: str, query: str, *values: Any) -> list[Any]:
    with psycopg.connect(url, options="-c search_path=recollect,public") as owner:
        return owner.execute(query, values or None).fetchall()


def revision_of(rc: Any, space: str) -> int:
    found = rows_of(rc.database_url, "select revision from space where space_id = %s", space)
    return found[0][0] if found else 0


# Adding


async def test_added_memory_is_found(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice prefers tea.", type="preference")
    [hit] = await me.search("tea")
    assert hit.memory.id == added.id


async def test_a_memory_comes_back_with_all_that_it_was_given(rc, clock):
    me = rc.scope(user_id="alice", agent_id="planner", run_id="run-7", thread_id="chat-1")
    id, since = uuid4(), datetime(2026, 1, 5, 12, tzinfo=UTC)
    added = await me.add(
        "Alice prefers tea.",
        kind="statement",
        type="preference",
        category="drinks",
        tags=["tea", "taste"],
        importance=0.9,
        confidence=0.75,
        pinned=True,
        ttl_policy="keep_forever",
        metadata={"from": {"page": 3}, "ünï": ["x", None, 1.5]},
        valid_from=since,
        id=id,
        title="Tea",
    )
    assert added == await me.get(id)
    assert (added.space, added.id, added.kind, added.type) == ("user:alice", id, "statement", "preference")
    assert (added.category, added.tags, added.title) == ("drinks", ("tea", "taste"), "Tea")
    assert (added.importance, added.confidence, added.pinned) == (0.9, 0.75, True)
    assert (added.ttl_policy, added.salience) == ("keep_forever", 1.0)
    assert added.metadata == {"from": {"page": 3}, "ünï": ["x", None, 1.5]}
    assert (added.valid_from, added.valid_until, added.happened_at) == (since, None, since)
    assert (added.created_at, added.updated_at, added.version, added.by_hand) == (clock.now, clock.now, 1, True)
    where = added.provenance
    assert (where.agent_id, where.run_id, where.thread_id, where.actor_id) == ("planner", "run-7", "chat-1", "alice")


async def test_a_new_memory_starts_as_a_candidate(rc):
    added = await rc.scope(user_id="alice").add("Alice prefers tea.")
    assert (added.state, added.salience, added.access_count) == ("candidate", 0.5, 0)
    assert (added.recall_frequency, added.last_recall_interval, added.decay_gradient) == (0, 0, 1.0)
    assert (added.pending, added.purge_at, added.last_accessed_at) == (False, None, None)


@pytest.mark.parametrize(
    ("given", "category", "importance"),
    [
        ({}, "knowledge", 0.5),
        ({"type": "fact"}, "knowledge", 0.5),
        ({"type": "decision"}, "knowledge", 0.7),
        ({"type": "preference"}, "preferences", 0.6),
        ({"type": "constraint"}, "constraints", 0.6),
        ({"type": "goal"}, "goals", 0.8),
        ({"kind": "episode"}, "event", 0.6),
        ({"kind": "insight"}, "relationship_dynamic", 0.4),
        ({"kind": "procedure"}, "procedural", 0.5),
    ],
)
async def test_defaults_follow_kind_and_type(rc, given, category, importance):
    added = await rc.scope(user_id="alice").add("Something to remember.", **given)
    assert (added.category, added.importance, added.tier) == (category, importance, "long")
    assert added.confidence == 1.0


async def test_the_same_id_returns_the_first_result(rc):
    me, id = rc.scope(user_id="alice"), new_id()
    first = await me.add("Alice prefers tea.", id=id)
    again = await me.add("Alice prefers coffee.", id=str(id))
    assert again == first
    assert [entry.event for entry in await me.history(id)] == ["ADD"]
    assert revision_of(rc, "user:alice") == 1


async def test_the_same_id_twice_in_one_call_is_one_memory(rc):
    me, id = rc.scope(user_id="alice"), new_id()
    first, second = await me.add_many([{"content": "Tea.", "id": id}, {"content": "Coffee.", "id": id}])
    assert first == second
    assert first.content == "Tea."
    assert [entry.event for entry in await me.history(id)] == ["ADD"]
    assert rows_of(rc.database_url, "select count(*) from change_log") == [(1,)]


async def test_writers_of_one_id_at_the_same_moment_get_the_same_memory(rc):
    me, ids = rc.scope(user_id="alice"), [new_id() for _ in range(5)]
    batches = [[{"content": f"Fact {id} by {n}", "id": id} for id in ids[::step]] for n in range(6) for step in (1, -1)]
    results = await asyncio.gather(*(me.add_many(batch) for batch in batches))
    texts = {frozenset((memory.id, memory.content) for memory in result) for result in results}
    assert len(texts) == 1
    assert rows_of(rc.database_url, "select count(*) from history where event = 'ADD'") == [(5,)]


async def test_an_id_of_another_kind_is_a_conflict_and_writes_nothing(rc):
    me, id = rc.scope(user_id="alice"), new_id()
    await me.add("Alice prefers tea.", id=id)
    with pytest.raises(Conflict, match=str(id)):
        await me.add_many([{"content": "Other."}, {"content": "Alice is calm.", "kind": "procedure", "id": id}])
    assert rows_of(rc.database_url, "select count(*) from memory") == [(1,)]


async def test_add_many_keeps_the_order_given(rc):
    me = rc.scope(user_id="alice")
    added = await me.add_many([{"content": f"Fact number {n}."} for n in range(20)])
    assert [memory.content for memory in added] == [f"Fact number {n}." for n in range(20)]
    assert await me.add_many([]) == []


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ({"content": ""}, "[2].content"),
        ({"content": "fine", "importance": float("nan")}, "[2].importance"),
        ({"content": "fine", "kind": "turn"}, "[2].kind"),
        ({"content": "fine", "colour": "red"}, "[2].colour"),
        ({"content": "fine", "valid_from": datetime(2026, 1, 1)}, "[2].valid_from"),
    ],
)
async def test_one_bad_row_stops_all_of_them(rc, bad, field):
    me = rc.scope(user_id="alice")
    with pytest.raises(InvalidInput) as caught:
        await me.add_many([{"content": "One."}, {"content": "Two."}, bad, {"content": "Four."}])
    assert caught.value.field == field
    assert rows_of(rc.database_url, "select count(*) from memory") == [(0,)]


async def test_the_only_row_of_a_list_is_named_by_its_place_too(rc):
    with pytest.raises(InvalidInput) as caught:
        await rc.scope(user_id="alice").add_many([{"content": ""}])
    assert caught.value.field == "[0].content"


async def test_a_thousand_memories_are_a_few_statements(rc):
    me = rc.scope(user_id="alice")
    await me.add("The connection is open by now.")
    with statements_counted() as sent:
        added = await me.add_many([{"content": f"Fact {n} about topic {n % 40}."} for n in range(1_000)])
    assert len(added) == 1_000
    assert len(sent) <= 23, sent


async def test_insights_go_to_the_users_own_space(rc):
    me = rc.scope(user_id="alice", project_id="apollo")
    statement, insight = await me.add_many(
        [{"content": "The launch is in May."}, {"content": "Alice is cautious.", "kind": "insight"}]
    )
    assert (statement.space, insight.space) == ("project:apollo", "user:alice")
    assert await me.get(insight.id) == insight
    with pytest.raises(NotFound):
        await rc.scope(user_id="bob", project_id="apollo").get(insight.id)


async def test_memories_of_two_spaces_are_written_together_or_not_at_all(rc):
    me, taken = rc.scope(user_id="alice", project_id="apollo"), new_id()
    await rc.scope(user_id="alice").add("Alice likes tea.", id=taken)
    with pytest.raises(Conflict):
        await me.add_many(
            [{"content": "The launch is in May."}, {"content": "Alice is calm.", "kind": "insight", "id": taken}]
        )
    assert rows_of(rc.database_url, "select count(*) from memory") == [(1,)]


@pytest.mark.parametrize("name", ["100%", "%s and %(x)s", 'it\'s "q" \\ {}', "{0}", "ünï ☃", "a,b", "NULL"])
async def test_any_name_of_a_user_works(rc, name):
    me = rc.scope(user_id=name, thread_id=name)
    added = await me.add(f"Likes {name} tea.", category=name, tags=[name], metadata={name: name})
    chat = await me.conversation()
    await chat.add("user", "I had soup.", name=name)
    await rc.drain()
    found = await me.search("tea", categories=[name], tags=[name], thread=name, metadata={name: name})
    assert [hit.memory.id for hit in found] == [added.id]
    assert [memory.provenance.speaker for memory in await me.get_all(speaker=name)] == [name]
    assert (await me.update(added.id, content="Likes coffee.")).version == 2
    assert await me.delete_all(categories=[name]) == 1


# Links


async def test_similar_memories_are_linked_once(rc):
    me = rc.scope(user_id="alice")
    first = await me.add("Alice prefers green tea in the morning.")
    second = await me.add("Alice prefers green tea in the evening.")
    await me.add("Bridges need inspections.")
    links = rows_of(rc.database_url, "select from_id, to_id, type, strength from relation")
    assert [(row[0], row[1], row[2]) for row in links] == [(second.id, first.id, "related_to")]
    assert links[0][3] > 0.75
    entries = await me.history(second.id)
    assert [entry.event for entry in entries] == ["ADD", "LINK"]
    assert entries[1].detail == {"type": "related_to", "to": str(first.id)}


async def test_links_inside_one_batch_go_one_way_and_are_one_statement(rc):
    me = rc.scope(user_id="alice")
    with statements_counted() as sent:
        await me.add_many([{"content": f"Alice prefers green tea, number {n}."} for n in range(12)])
    pairs = rows_of(rc.database_url, "select from_id, to_id from relation")
    assert pairs
    assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    assert max(sum(pair[0] == one for pair in pairs) for one, _ in pairs) <= 3
    assert sum("insert into relation" in text for text in sent) == 1


async def test_a_hit_shows_its_relations(rc):
    me = rc.scope(user_id="alice")
    first = await me.add("Alice prefers green tea in the morning.")
    second = await me.add("Alice prefers green tea in the evening.")
    hits = await me.search("green tea")
    assert {hit.memory.id for hit in hits} == {first.id, second.id}
    assert all([(r.from_id, r.to_id) for r in hit.relations] == [(second.id, first.id)] for hit in hits)
    assert all(hit.why["relation"] > 0 for hit in hits)


# Listing


async def test_pages_have_no_gap_and_no_duplicate(rc):
    me = rc.scope(user_id="alice", project_id="apollo", team_ids=["red"])
    added = await me.add_many([{"content": f"Fact {n}."} for n in range(23)])
    own = await rc.scope(user_id="alice").add_many([{"content": f"Mine {n}."} for n in range(9)])
    seen, after = [], None
    while True:
        page = await me.get_all(limit=5, after=after)
        assert len(page) <= 5
        seen += [memory.id for memory in page]
        if page.next is None:
            break
        after = page.next
    assert seen == sorted(memory.id for memory in [*added, *own])


async def test_a_full_last_page_has_no_next(rc):
    me = rc.scope(user_id="alice")
    await me.add_many([{"content": f"Fact {n}."} for n in range(4)])
    assert (await me.get_all(limit=4)).next is None
    assert (await me.get_all(limit=3)).next is not None
    assert len(await rc.scope(user_id="bob").get_all()) == 0


async def test_listing_takes_the_filters_of_search(rc):
    me = rc.scope(user_id="alice")
    goal = await me.add("Run a marathon.", type="goal", tags=["sport"], metadata={"year": 2026})
    await me.add("Likes tea.", type="preference")
    for filters in (
        {"types": ["goal"]},
        {"tags": ["sport", "x"]},
        {"metadata": {"year": 2026}},
        {"min_importance": 0.8},
    ):
        assert [memory.id for memory in await me.get_all(**filters)] == [goal.id], filters
    assert len(await me.get_all(kinds=["procedure"])) == 0


# Changing


async def test_an_update_keeps_the_former_version(rc, clock):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice lives in Berlin.")
    clock.forward(days=1)
    changed = await me.update(added.id, content="Alice lives in Lisbon.", importance=0.9)
    assert (changed.content, changed.importance, changed.version) == ("Alice lives in Lisbon.", 0.9, 2)
    assert (changed.created_at, changed.updated_at) == (added.created_at, clock.now)
    [add, update] = await me.history(added.id)
    assert (add.event, add.version, add.content) == ("ADD", 1, "Alice lives in Berlin.")
    assert (update.event, update.version, update.content) == ("UPDATE", 2, "Alice lives in Lisbon.")
    assert update.detail == {"fields": ["content", "importance"]}
    assert (update.actor, update.at) == ("alice", clock.now)


async def test_the_old_text_is_found_no_more_after_an_update(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice lives in Berlin.")
    await me.update(added.id, content="Alice lives in Lisbon.")
    assert await me.search("Berlin", threshold=0.9) == []
    [hit] = await me.search("Lisbon", threshold=0.9)
    assert hit.memory.content == "Alice lives in Lisbon."


async def test_every_field_that_can_change_does(rc, clock):
    me = rc.scope(user_id="alice", sensitivity="high")
    added = await me.add("Alice lives in Berlin.")
    values: dict[str, Any] = {
        "content": "Alice lives in Lisbon.",
        "title": "Home",
        "summary": "Lisbon",
        "type": "decision",
        "category": "places",
        "tags": ("home",),
        "metadata": {"a": 1},
        "importance": 0.2,
        "confidence": 0.3,
        "pinned": True,
        "ttl_policy": "ephemeral",
        "sensitivity": "high",
        "valid_from": clock.now - timedelta(days=9),
        "valid_until": clock.now + timedelta(days=9),
    }
    await me.update(added.id, **values)
    changed = await me.get(added.id)
    assert {name: getattr(changed, name) for name in values} == values


async def test_an_update_that_changes_nothing_leaves_no_trace(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice lives in Berlin.")
    assert await me.update(added.id, content="Alice lives in Berlin.") == added
    assert len(await me.history(added.id)) == 1
    assert revision_of(rc, "user:alice") == 1


async def test_a_change_of_importance_keeps_the_text_in_history(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice lives in Berlin.")
    await me.update(added.id, importance=0.9)
    await me.update(added.id, content="Alice lives in Lisbon.")
    assert [(entry.event, entry.content) for entry in await me.history(added.id)] == [
        ("ADD", "Alice lives in Berlin."),
        ("UPDATE", "Alice lives in Berlin."),
        ("UPDATE", "Alice lives in Lisbon."),
    ]


async def test_a_stale_version_is_a_conflict(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice lives in Berlin.")
    await me.update(added.id, content="Alice lives in Lisbon.", if_version=1)
    with pytest.raises(Conflict, match="version 2"):
        await me.update(added.id, content="Alice lives in Rome.", if_version=1)
    assert (await me.get(added.id)).content == "Alice lives in Lisbon."


async def test_of_two_writers_of_one_version_one_wins(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice lives in Berlin.")
    cities = ["Lisbon", "Rome", "Paris", "Oslo"]
    results = await asyncio.gather(
        *(me.update(added.id, content=f"Alice lives in {city}.", if_version=1) for city in cities),
        return_exceptions=True,
    )
    won = [result for result in results if not isinstance(result, BaseException)]
    assert len(won) == 1
    assert all(isinstance(result, Conflict) for result in results if result is not won[0])
    assert (await me.get(added.id)).content == won[0].content


async def test_an_unknown_type_cannot_be_given_to_a_statement(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice lives in Berlin.")
    for bad in ("banana", None):
        with pytest.raises(InvalidInput, match="type"):
            await me.update(added.id, type=bad)


async def test_a_validity_cannot_end_before_it_began(rc, clock):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice lives in Berlin.", valid_from=clock.now)
    with pytest.raises(InvalidInput) as caught:
        await me.update(added.id, valid_until=clock.now - timedelta(days=1))
    assert caught.value.field == "valid_until"


async def test_a_deleted_memory_cannot_be_changed(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice lives in Berlin.")
    await me.delete(added.id)
    with pytest.raises(Conflict, match="restore"):
        await me.update(added.id, content="Alice lives in Lisbon.")


# Time travel


async def test_as_known_at_tells_what_was_known_then(rc, clock):
    me = rc.scope(user_id="alice")
    before = clock.now - timedelta(days=1)
    added = await me.add("Alice lives in Berlin.")
    first = clock.now
    clock.forward(days=10)
    await me.update(added.id, content="Alice lives in Lisbon.")
    clock.forward(days=10)
    [then] = await me.search("Where does Alice live?", as_known_at=first)
    assert (then.memory.content, then.memory.version) == ("Alice lives in Berlin.", 1)
    [now] = await me.search("Where does Alice live?", as_known_at=clock.now)
    assert now.memory.content == "Alice lives in Lisbon."
    assert await me.search("Where does Alice live?", as_known_at=before) == []


async def test_a_listing_as_known_at_shows_the_text_of_then(rc, clock):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice lives in Berlin.")
    first = clock.now
    clock.forward(days=10)
    await me.update(added.id, content="Alice lives in Lisbon.")
    [then] = await me.get_all(as_known_at=first)
    assert then.content == "Alice lives in Berlin."


async def test_a_change_of_validity_does_not_change_what_was_known(rc, clock):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice lives in Berlin.")
    first = clock.now
    clock.forward(days=10)
    await me.update(added.id, valid_until=clock.now)
    clock.forward(days=10)
    assert await me.search("Where does Alice live?") == []
    [then] = await me.search("Where does Alice live?", as_known_at=first)
    assert then.memory.valid_until is None
    assert await me.search("Where does Alice live?", as_known_at=clock.now) == []
    [both] = await me.search("Where does Alice live?", as_known_at=clock.now, valid_at=first)
    assert both.memory.valid_until is not None


async def test_validity_is_half_open(rc, clock):
    me = rc.scope(user_id="alice")
    start, end = clock.now - timedelta(days=30), clock.now - timedelta(days=10)
    added = await me.add("Alice lives in Berlin.", valid_from=start)
    await me.update(added.id, valid_until=end)
    tick = timedelta(microseconds=1)
    found = {
        moment: len(await me.search("Alice", valid_at=moment)) for moment in (start - tick, start, end - tick, end)
    }
    assert list(found.values()) == [0, 1, 1, 0]
    assert await me.search("Alice") == []
    assert len(await me.search("Alice", include=["expired"])) == 1


# Deleting


async def test_delete_hides_and_restore_brings_back(rc, clock):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice prefers tea.")
    deleted = await me.delete(added.id, reason="wrong")
    assert (deleted.state, deleted.purge_at) == ("soft_deleted", clock.now + timedelta(days=30))
    assert await me.search("tea") == []
    assert await me.search("tea", include=["archived", "expired"]) == []
    assert len(await me.get_all(include=["archived", "expired"])) == 0
    assert (await me.get(added.id)).state == "soft_deleted"
    restored = await me.restore(added.id)
    assert (restored.state, restored.purge_at) == ("candidate", None)
    assert len(await me.search("tea")) == 1
    entries = await me.history(added.id)
    assert [(entry.event, entry.reason) for entry in entries] == [("ADD", None), ("DELETE", "wrong"), ("RESTORE", None)]
    assert all(entry.content == "Alice prefers tea." for entry in entries)


async def test_deleting_or_restoring_twice_is_once(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("Alice prefers tea.")
    for _ in range(2):
        await me.delete(added.id)
    for _ in range(2):
        await me.restore(added.id)
    assert [entry.event for entry in await me.history(added.id)] == ["ADD", "DELETE", "RESTORE"]
    assert revision_of(rc, "user:alice") == 3


async def test_delete_all_takes_what_the_filters_describe(rc):
    me = rc.scope(user_id="alice")
    kept = await me.add("Run a marathon.", type="goal")
    await me.add_many([{"content": f"Tea {n}.", "tags": ["tea"]} for n in range(5)])
    other = await rc.scope(user_id="bob").add("Tea too.", tags=["tea"])
    assert await me.delete_all(tags=["tea"]) == 5
    assert [memory.id for memory in await me.get_all()] == [kept.id]
    assert (await rc.scope(user_id="bob").get(other.id)).state == "candidate"
    assert revision_of(rc, "user:alice") == 3
    assert await me.delete_all(tags=["tea"]) == 0


def leftovers(url: str, word: str) -> list[str]:
    """Every table with a row that holds a word in any column."""
    with psycopg.connect(url) as owner:
        tables = owner.execute(
            "select format('%I.%I', schemaname, tablename) from pg_tables where schemaname like 'recollect%'"
        ).fetchall()
        rows = {table: owner.execute(f"select * from {table}").fetchall() for (table,) in tables}
        return [table for table, found in rows.items() if any(word in str(row).lower() for row in found)]


async def test_nothing_of_a_purged_memory_remains(rc, clock):
    me = rc.scope(user_id="alice")
    kept = await me.add("Alice prefers green tea at home.")
    added = await me.add(
        "Alice prefers green quuxberry tea.",
        tags=["quuxberry"],
        title="quuxberry",
        metadata={"a": "quuxberry"},
    )
    await me.update(added.id, content="Alice prefers green quuxberry juice.", summary="quuxberry")
    await me.search("quuxberry")
    await rc.drain()
    assert leftovers(rc.database_url, "quuxberry")
    await me.delete(added.id)
    clock.forward(days=29)
    assert (await rc.run_job("purge")).get("purged", 0) == 0
    clock.forward(days=1)
    assert (await rc.run_job("purge"))["purged"] == 1
    await rc.drain()
    assert leftovers(rc.database_url, "quuxberry") == []
    tables = rows_of(rc.database_url, "select table_name from information_schema.columns where column_name='memory_id'")
    holding = [
        table
        for (table,) in tables
        if rows_of(rc.database_url, f"select 1 from {table} where memory_id = %s", added.id)
    ]
    assert sorted(holding) == ["change_log", "event"]  # an id and what happened, no word of it
    assert rows_of(rc.database_url, "select count(*) from relation") == [(0,)]
    with pytest.raises(NotFound):
        await me.get(added.id)
    with pytest.raises(NotFound):
        await me.restore(added.id)
    assert (await me.get(kept.id)).id == kept.id


# Revision and change log


async def test_the_revision_counts_transactions_that_write_knowledge(rc):
    me = rc.scope(user_id="alice")
    added = await me.add("One.")
    await me.add_many([{"content": f"Fact {n}."} for n in range(10)])
    await me.update(added.id, content="One, changed.")
    await me.delete(added.id)
    await me.restore(added.id)
    chat = await me.conversation("chat-1")
    await chat.add("user", "Hello there.")
    await me.search("one")
    await rc.drain()
    assert revision_of(rc, "user:alice") == 5
    lines = rows_of(rc.database_url, "select revision, event from change_log order by revision, position")
    assert lines == [(1, "created"), *[(2, "created")] * 10, (3, "updated"), (4, "deleted"), (5, "restored")]


async def test_the_revision_counts_them_under_concurrent_writers_too(rc):
    me = rc.scope(user_id="alice")
    added = await asyncio.gather(*(me.add(f"Fact {n}.") for n in range(20)))
    await asyncio.gather(
        *(me.update(memory.id, importance=0.9) for memory in added[:10]),
        *(me.delete(memory.id) for memory in added[10:]),
    )
    assert revision_of(rc, "user:alice") == 40
    lines = rows_of(rc.database_url, "select revision from change_log order by revision")
    assert lines == [(n,) for n in range(1, 41)]


async def test_watch_yields_changes_in_order(rc):
    me = rc.scope(user_id="alice", thread_id="chat-9")
    first = await me.add("One.")
    changes = me.watch(after=0)
    seen = [await anext(changes)]
    second = await me.add("Two.")
    await me.delete(first.id)
    seen += [await anext(changes), await anext(changes)]
    assert [(c.revision, c.event, c.memory_id) for c in seen] == [
        (1, "created", first.id),
        (2, "created", second.id),
        (3, "deleted", first.id),
    ]
    assert {c.thread_id for c in seen} == {"chat-9"}
    await changes.aclose()


async def test_watch_begins_now_unless_told_otherwise(rc):
    me = rc.scope(user_id="alice")
    await me.add("Before.")
    changes = me.watch()
    waiting = asyncio.create_task(anext(changes))
    await asyncio.sleep(0.2)
    added = await me.add("After.")
    change = await asyncio.wait_for(waiting, 30)
    assert (change.memory_id, change.revision) == (added.id, 2)
    await changes.aclose()


async def test_watch_loses_no_line_of_a_large_transaction(rc):
    me = rc.scope(user_id="alice")
    added = await me.add_many([{"content": f"Fact {n}."} for n in range(1_500)])
    last = await me.add("The last.")
    changes, seen = me.watch(after=0), []
    while not seen or seen[-1] != last.id:
        seen.append((await asyncio.wait_for(anext(changes), 30)).memory_id)
    assert seen == [*(memory.id for memory in added), last.id]
    await changes.aclose()


async def test_a_list_of_messages_goes_to_the_thread_of_the_scope(rc):
    me = rc.scope(user_id="alice", thread_id="chat-1")
    messages = await me.add(
        [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello.", "name": "Bot"}]
    )
    assert [(message.turn, message.role) for message in messages] == [(1, "user"), (2, "assistant")]
    chat = await me.conversation()
    assert [message.content for message in await chat.messages()] == ["Hi.", "Hello."]


async def test_metadata_comes_back_as_it_was_given(rc):
    me, given = rc.scope(user_id="alice"), {"z": 1, "a": {"nested": [1, 2.5, True, None, "é"]}, "": "empty"}
    added = await me.add("Something.", metadata=given)
    assert json.dumps((await me.get(added.id)).metadata, sort_keys=True) == json.dumps(given, sort_keys=True)


async def test_a_statement_that_is_known_word_by_word_is_given_back(rc):
    me = rc.scope(user_id="alice")
    first = await me.add("Alice prefers tea.", type="preference", confidence=0.6)
    again = await me.add("Alice prefers tea.", type="preference", confidence=0.9)
    assert (again.id, again.confidence) == (first.id, 0.9)
    assert (await me.add("Alice prefers tea.", type="preference", confidence=0.7)).confidence == 0.9
    assert [line.event for line in await me.history(first.id)] == ["ADD", "MERGE", "MERGE"]
    many = await me.add_many(
        [
            {"content": "Alice prefers tea.", "type": "preference"},
            {"content": "Alice runs."},
            {"content": "Alice runs."},
        ]
    )
    assert many[0].id == first.id
    assert many[1].id == many[2].id
    assert len((await me.get_all()).memories) == 2


@pytest.mark.parametrize(
    "given",
    [
        {"content": "Alice likes green tea."},
        {"type": "goal"},
        {"category": "tasks"},
        {"tags": ["drinks"]},
        {"metadata": {"from": "form"}},
        {"sensitivity": "high"},
        {"valid_from": datetime(2026, 1, 1, tzinfo=UTC)},
        {"valid_until": datetime(2027, 1, 1, tzinfo=UTC)},
        {"pinned": True},
        {"ttl_policy": "keep_forever"},
        {"importance": 0.9},
        {"kind": "episode"},
        {"id": uuid4()},
    ],
    ids=lambda given: next(iter(given)),
)
async def test_what_says_more_than_is_known_is_another_memory(rc, given):
    me = rc.scope(user_id="alice", sensitivity="high")
    known = {"content": "Alice likes tea."}
    first = await me.add(**known)
    assert (await me.add(**known | given)).id != first.id


async def test_what_was_deleted_or_lies_elsewhere_is_not_given_back(rc):
    me = rc.scope(user_id="alice")
    first = await me.add("Alice likes tea.")
    other = rc.scope(user_id="alice", thread_id="t")
    second = await other.add("Alice likes tea.")
    assert second.id != first.id
    assert (await other.add("Alice likes tea.")).id == second.id
    assert (await rc.scope(user_id="alice", agent_id="planner").add("Alice likes tea.")).id not in {first.id, second.id}
    assert (await rc.scope(user_id="bob").add("Alice likes tea.")).id != first.id
    for memory in (await me.get_all()).memories:
        await me.delete(memory.id)
    assert (await me.add("Alice likes tea.")).id not in {first.id, second.id}
