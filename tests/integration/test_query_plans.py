"""The hot statements under the application role, policies on: each is served by the index that was made for it."""

from typing import Any

import psycopg
import pytest

from recollect.db.database import Batch, Database
from recollect.flows.statistics import index_name
from recollect.memory import for_looking
from recollect.records import service
from recollect.records.model import Actor

LARGE = "user:large"
NEIGHBOURS = 12
WHOLE = {"whole entry", "whole memory", "whole memory_use", "whole message", "whole history", "whole change_log"}
LIMITS = {"exact_limit": 500, "filter_limit": 500}


def facts(count: int, who: str) -> list[dict[str, Any]]:
    return [{"content": f"note{n} of {who} on topic{n % 17} with word{n % 101}", "tags": ["t"]} for n in range(count)]


@pytest.fixture
async def filled(open_recollect: Any, database_url: str) -> str:
    """The URL of a database of many spaces, one of them large; the planner knows its tables."""
    rc = await open_recollect(link_neighbours=0, **LIMITS)
    await rc.scope(user_id="large").add_many(facts(1_500, "large"))
    chat = await rc.scope(user_id="large").conversation("chat-1")
    await chat.add_many([{"role": "user", "content": f"Said{n} about topic{n % 17}."} for n in range(300)])
    for n in range(NEIGHBOURS):
        await rc.scope(user_id=f"small-{n}").add_many(facts(150, f"small{n}"))
    assert (await rc.drain()).failed == 0
    await rc.close()
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("vacuum analyze")
    return database_url


class Kept:
    """The batches that were sent, and what the application role would do for each statement."""

    def __init__(self, rc: Any, patch: pytest.MonkeyPatch) -> None:
        self._database: Database = rc.parts.database
        self._batches: list[Batch] = []
        send = Database.send

        async def keeping(database: Database, batch: Batch) -> Any:
            self._batches.append(batch)
            return await send(database, batch)

        patch.setattr(Database, "send", keeping)

    async def plan(self, part: str) -> str:
        """The plan of the last statement that holds a text."""
        for batch in reversed(self._batches):
            async with self._database.transaction(*batch.spaces) as connection:
                cursor = psycopg.AsyncClientCursor(connection)
                for text, values in batch.statements:
                    statement = cursor.mogrify(text, values)
                    if part in statement:
                        await cursor.execute(b"explain " + statement.encode())
                        return "\n".join(row[0] for row in await cursor.fetchall())
        raise AssertionError(f"no statement holds {part!r}")


def counters(url: str) -> dict[str, int]:
    """How often each index was used, and how often each table was read from end to end."""
    with psycopg.connect(url) as owner:
        used = dict(owner.execute("select indexrelname, idx_scan from pg_stat_user_indexes").fetchall())
        tables = owner.execute("select relname, seq_scan from pg_stat_user_tables where schemaname = 'recollect'")
        return used | {f"whole {name}": scans for name, scans in tables.fetchall()}


async def search_large(rc: Any) -> None:
    await rc.scope(user_id="large").search("note77 topic3")
    await rc.recalls.flush()


async def search_small(rc: Any) -> None:
    await rc.scope(user_id="small-3").search("note77 topic3")


async def search_filtered(rc: Any) -> None:
    await rc.scope(user_id="small-3").search("note77 topic3", tags=["t"], min_importance=0.1)


async def list_large(rc: Any) -> None:
    await rc.scope(user_id="large").get_all(limit=20)


async def write(rc: Any) -> None:
    me = rc.scope(user_id="small-1")
    chat = await me.conversation("chat-1")
    await chat.add_many([{"role": "user", "content": f"Message {n}."} for n in range(10)])
    added = await me.add("A fact of topic3.")
    await me.update(added.id, content="Another fact of topic3.")
    await me.delete(added.id)
    await me.history(added.id)


CASES = (
    (search_large, {"entry_terms", index_name(LARGE), "memory_pkey", "memory_use_pkey"}),
    (search_small, {"memory_pkey", "memory_use_pkey"}),
    (search_filtered, {"memory_pkey", "memory_use_pkey"}),
    (list_large, {"memory_pkey", "memory_use_pkey"}),
    (write, {"memory_pkey", "memory_use_pkey", "entry_pkey"}),
)


@pytest.mark.embedded  # plans are those of its version
async def test_no_verb_reads_the_rows_of_all_spaces(filled, open_recollect):
    for verb, wanted in CASES:
        before = counters(filled)
        rc = await open_recollect(**LIMITS)
        await verb(rc)
        await rc.close()  # a server process tells what it did when it ends
        after = counters(filled)
        used = {name for name in after if after[name] > before.get(name, 0)}
        assert wanted <= used, verb.__name__
        assert not WHOLE & used, verb.__name__


@pytest.mark.embedded
async def test_the_statements_of_a_search_are_served_by_their_indexes(filled, open_recollect, monkeypatch):
    rc = await open_recollect(**LIMITS)
    kept = Kept(rc, monkeypatch)
    for user, filters in (
        ("large", {}),
        ("large", {"kinds": ["statement"]}),
        ("large", {"tags": ["t"]}),
        ("small-3", {}),
    ):
        await rc.scope(user_id=user).search("topic3 word7", **filters)
        if user == "large":
            nearest = await kept.plan("halfvec(64)")
            assert f"Index Scan using {index_name(LARGE)}" in nearest, filters
            assert "Seq Scan on entry" not in nearest
        if filters.get("tags"):  # without filters a function reads the hits: the test above sees what it uses
            whole = await kept.plan("select r.* from remembered r")
            assert "memory_pkey" in whole
            assert "memory_use_pkey" in whole
            assert "Seq Scan on memory" not in whole


@pytest.fixture
def crowded(filled: str) -> str:
    """The same database, of whose spaces the planner believes that they are a thousand, and so each tiny."""
    with psycopg.connect(filled, autocommit=True) as owner:
        for table in ("term_statistics", "memory", "memory_use"):
            owner.execute(f"alter table recollect.{table} alter column space_id set (n_distinct = 1000)")
            owner.execute(f"analyze recollect.{table}")
    return filled


@pytest.mark.embedded
@pytest.mark.parametrize("user", ["large", "small-3"])
async def test_only_the_terms_of_the_question_are_read_among_many_neighbours(crowded, open_recollect, user):
    before = _read(crowded, "term_statistics")
    rc = await open_recollect(**LIMITS)
    await rc.scope(user_id=user).search("topic3 word7")
    await rc.close()
    assert 0 < _read(crowded, "term_statistics") - before <= 10


@pytest.mark.embedded
@pytest.mark.parametrize("user", ["large", "small-3"])
async def test_only_the_memories_of_hits_are_read_among_many_neighbours(crowded, open_recollect, user):
    read = {table: _read(crowded, table) for table in ("memory", "memory_use")}
    rc = await open_recollect(worker=False, **LIMITS)
    hits = await for_looking(rc.scope(user_id=user)).search("topic3 word7")  # so that no recall reads them again
    await rc.close()
    for table, before in read.items():
        assert len(hits) <= _read(crowded, table) - before <= 2 * len(hits), table


@pytest.fixture
def round_trips(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many statements each message to the server held, since the list was last cleared."""
    sent: list[int] = []
    send = Database.send

    async def counting(database: Database, batch: Batch) -> Any:
        sent.append(len(batch.statements))
        return await send(database, batch)

    monkeypatch.setattr(Database, "send", counting)
    return sent


async def test_a_search_is_two_round_trips_and_a_context_is_six(open_recollect, round_trips):
    rc = await open_recollect(worker=False)
    me = rc.scope(user_id="alice", agent_id="helper")
    await me.add_many(facts(30, "alice"))
    chat = await me.conversation("chat-1")
    await chat.add("user", "Said something about topic3.")
    await rc.drain()
    for asked, most in ((lambda: me.search("note7 topic3"), 2), (lambda: chat.context("What of topic3?"), 6)):
        await asked()  # a space that was never seen costs one more, and a new reader is written down
        await rc.recalls.flush()
        round_trips.clear()
        await asked()
        assert len(round_trips) <= most, round_trips
        await rc.recalls.flush()


@pytest.mark.embedded  # it counts what its indexes gave
async def test_the_few_of_a_kind_are_found_without_reading_the_many(filled, open_recollect):
    rc = await open_recollect(**LIMITS)
    await rc.scope(user_id="large").add("A pot was glazed in topic3.", kind="episode")
    await rc.close()
    before = _read(filled, "entry")
    rc = await open_recollect(**LIMITS)
    hits = await rc.scope(user_id="large").search("glazed topic3", kinds=["episode"])
    await rc.close()
    assert hits[0].memory.content == "A pot was glazed in topic3."
    assert _read(filled, "entry") - before < 100


@pytest.mark.embedded
async def test_messages_that_the_planner_knows_nothing_of_are_not_read_once_for_each(open_recollect, database_url):
    rc = await open_recollect(worker=False)
    chat = await rc.scope(user_id="alice").conversation("chat-1")
    await chat.add_many([{"role": "user", "content": f"Said{n} about topic{n % 17}."} for n in range(600)])
    await rc.close()
    before = _read(database_url, "message")
    rc = await open_recollect(worker=False)
    await rc.drain()
    await rc.close()
    assert _read(database_url, "message") - before < 20 * 600  # each batch is read from where it begins


@pytest.mark.embedded
async def test_entries_of_a_space_that_the_planner_knows_nothing_of_are_not_tried_with_every_memory(
    filled, open_recollect
):
    rc = await open_recollect(worker=False, link_neighbours=0)
    added = await rc.scope(user_id="new").add_many(facts(400, "new"))
    await rc.close()
    before = _read(filled, "entry")
    rc = await open_recollect(worker=False)
    async with rc.parts.database.transaction("user:new") as connection:
        some = [memory.id for memory in added[:50]]
        assert await service.archive(connection, "user:new", some, rc.parts.clock(), Actor("alice")) == len(some)
    await rc.close()
    assert _read(filled, "entry") - before < 5 * len(added)


def _read(url: str, table: str) -> int:
    """How many rows of a table were read by any index so far."""
    with psycopg.connect(url) as owner:
        row = owner.execute("select idx_tup_fetch from pg_stat_user_tables where relname = %s", [table]).fetchone()
    assert row is not None
    return int(row[0])
