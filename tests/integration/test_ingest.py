"""Sources through their phases: stored, processed, extracted; once, whatever fails."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from recollect.core.errors import Conflict, InvalidInput, NotAllowed, NotFound
from recollect.flows.reembed import reembed

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


async def test_the_same_id_is_one_source(rc, me):
    id = uuid4()
    first = await me.ingest(NOTE, id=id, title="One")
    assert await me.ingest("Something else altogether.", id=str(id)) == first
    await rc.drain()
    again = await me.ingest(NOTE, id=id)
    assert again.data["status"] == "extracted"
    assert len(await me.sources()) == 1
    assert len(await me.get_all(kinds=["chunk"])) == 1
    statement = await me.add("Tea is green.")
    with pytest.raises(Conflict, match="id"):
        await me.ingest(NOTE, id=statement.id)
    secret = await rc.scope(user_id="alice", sensitivity="high").ingest(NOTE, sensitivity="high")
    with pytest.raises(Conflict, match="id"):
        await me.ingest(NOTE, id=secret.id)


WRONG = [
    ("raw", {"raw": ""}),
    ("raw", {"raw": " \n\t "}),
    ("raw", {"raw": None}),
    ("raw", {"raw": b"bytes"}),
    ("raw", {"raw": "a\x00b"}),
    ("raw", {"raw": "lone \ud800"}),
    ("raw", {"raw": "x" * 2001}),
    ("source_type", {"source_type": ""}),
    ("source_type", {"source_type": None}),
    ("source_type", {"source_type": "section"}),
    ("source_type", {"source_type": "two\nlines"}),
    ("title", {"title": ""}),
    ("title", {"title": 7}),
    ("participants", {"participants": "Ann"}),
    ("participants", {"participants": [""]}),
    ("participants", {"participants": [1]}),
    ("participants", {"participants": [f"p{n}" for n in range(1001)]}),
    ("started_at", {"started_at": "yesterday"}),
    ("started_at", {"started_at": datetime(2026, 1, 1)}),
    ("ended_at", {"ended_at": 5}),
    (
        "ended_at",
        {"started_at": datetime(2026, 1, 2, tzinfo=UTC), "ended_at": datetime(2026, 1, 1, tzinfo=UTC)},
    ),
    ("context_type", {"context_type": ""}),
    ("sensitivity", {"sensitivity": "secret"}),
    ("ttl_policy", {"ttl_policy": "never"}),
    ("metadata", {"metadata": [1]}),
    ("metadata", {"metadata": {"a": float("nan")}}),
    ("id", {"id": "no-id"}),
    ("team_id", {"team_id": ""}),
]


@pytest.mark.parametrize(("field", "given"), WRONG, ids=lambda value: str(value)[:40])
async def test_bad_input_writes_nothing(open_recollect, field, given):
    me = (await open_recollect(source_bytes=2000)).scope(user_id="alice")
    with pytest.raises(InvalidInput) as caught:
        await me.ingest(**({"raw": NOTE} | given))
    assert caught.value.field == field
    assert await me.sources() == []
    assert list(await me.get_all()) == []


@pytest.mark.parametrize(
    ("field", "call"),
    [
        ("status", lambda me: me.sources(status="done")),
        ("limit", lambda me: me.sources(limit=0)),
        ("after", lambda me: me.sources(after="x")),
        ("source_id", lambda me: me.retry_source("x")),
        ("team_id", lambda me: me.leave_team("")),
    ],
)
async def test_bad_input_of_the_other_verbs(me, field, call):
    with pytest.raises(InvalidInput) as caught:
        await call(me)
    assert caught.value.field == field


async def test_what_is_not_there_or_not_allowed(me):
    with pytest.raises(NotFound):
        await me.retry_source(uuid4())
    with pytest.raises(NotAllowed, match="blue"):
        await me.ingest(NOTE, team_id="blue")
    source = await me.ingest(NOTE)
    with pytest.raises(Conflict, match="raw"):
        await me.retry_source(source.id)


async def test_sources_are_listed_page_by_page(rc, me):
    ids = [(await me.ingest(f"Note number {n} about Acme.")).id for n in range(5)]
    page = await me.sources(limit=2)
    assert [source.id for source in page] == ids[:2]
    assert [source.id for source in await me.sources(after=page[-1].id)] == ids[2:]
    await rc.drain()
    assert await me.sources(status="raw") == []
    assert len(await me.sources(status="extracted")) == 5
    assert await rc.scope(user_id="bob").sources() == []


async def test_a_search_waits_for_a_source(open_recollect):
    rc = await open_recollect(worker=True)
    me = rc.scope(user_id="alice")
    source = await me.ingest(NOTE)
    hits = await me.search("Acme Robotics", after=source.watermark)
    assert hits.warnings == ()
    assert hits
    hits = await me.search("Acme Robotics", after=source.watermark, wait="understood")
    assert hits.warnings == ()
    assert (await me.get(source.id)).data["status"] == "extracted"


async def test_nobody_waits_where_nobody_works(rc, me):
    source = await me.ingest(NOTE)
    hits = await me.search("Acme", after=source.watermark)
    assert "no worker" in hits.warnings[0]
    await rc.drain()
    assert (await me.search("Acme", after=source.watermark, wait="understood")).warnings == ()


async def test_secrets_stay_in_the_raw_text(rc, me):
    key = "sk-proj-Abc123Def456Ghi789Jkl012Mno345Pqr678"
    source = await me.ingest(f"The api key of Acme is {key}. Do not tell Tom Ford.")
    await rc.drain()
    everything = list(await me.get_all())
    assert everything
    assert [memory for memory in everything if key in f"{memory.content} {memory.summary} {memory.title}"] == []
    async with rc.parts.database.transaction("user:alice") as connection:
        cursor = await connection.execute("select raw from source where space_id = 'user:alice'")
        assert key in (await cursor.fetchone()).raw
    assert (await me.get(source.id)).summary


async def test_what_was_recalled_into_a_text_is_not_learned_again(rc, me):
    text = (
        "Tom Ford wrote this.\n<<<recollect:recalled>>>\nZara Quill works at Nowhere Labs.\n<<<recollect:end>>>\nBye."
    )
    await me.ingest(text)
    await rc.drain()
    assert "Zara Quill" not in await names(me)
    assert await me.search("Zara Quill", threshold=0.9) == []


async def test_a_text_of_nothing_but_a_fence_ends_well(rc, me):
    source = await me.ingest("<<<recollect:recalled>>>\nZara Quill.\n<<<recollect:end>>>")
    await rc.drain()
    assert (await me.get(source.id)).data["status"] == "extracted"
    assert list(await me.get_all(kinds=["chunk"])) == []


async def test_a_long_text_has_many_chunks_and_each_its_own_names(open_recollect):
    rc = await open_recollect(chunk_single=60, chunk_size=64, chunk_overlap=4)
    me = rc.scope(user_id="alice")
    told = [("Redis", "Ann Lee", "Acme"), ("Kafka", "Bob Ray", "Bolt"), ("Docker", "Cy Dee", "Core")]
    racks = [
        f"## Rack {n}\n\nThe {name} cluster of rack {n} is quiet. {who} works at {where}. It hums all day long."
        for n, (name, who, where) in enumerate(told)
    ]
    source = await me.ingest("\n\n".join(racks))
    await rc.drain()
    chunks = sorted(await me.get_all(kinds=["chunk"]), key=lambda chunk: chunk.data["order"])
    assert len(chunks) == 3
    hits = {hit.memory.id: hit for hit in await me.search("works at", kinds=["chunk"])}
    named = [{node.title for node in hits[chunk.id].entities} for chunk in chunks]
    assert "Ann Lee" in named[0]
    assert "Ann Lee" not in named[1] | named[2]
    assert "Cy Dee" in named[2]
    [tie] = [tie for tie in hits[chunks[1].id].relations if tie.type == "works_at"]
    assert (tie.from_name, tie.to_name) == ("Bob Ray", "Bolt")
    [whole] = await me.search("Kafka cluster", kinds=["source"])
    assert whole.memory.id == source.id


@pytest.mark.local  # reading takes a minute; where the rows lie changes nothing
async def test_five_megabytes(rc, me):
    line = "Ann Lee works at Acme Robotics, and the Kafka cluster number {} was restarted on a rainy morning.\n"
    text = "".join(line.format(n) for n in range(52_000))
    assert len(text) > 5_000_000
    source = await me.ingest(text)
    await rc.drain(timeout=None)
    [state] = await me.sources()
    assert state.status == "extracted"
    chunks = await me.get_all(kinds=["chunk"], limit=10_000)
    assert len(chunks) > 2_000
    assert "Ann Lee" in await names(me)
    [hit] = await me.search("Kafka cluster number 41999", kinds=["source"], limit=1)
    assert hit.memory.id == source.id
    ctx = await (await me.conversation("chat")).context("Who works at Acme Robotics?", tokens=4000)
    assert ctx.tokens <= 4000


async def test_many_sources_go_together(rc, me, monkeypatch):
    embedder = rc.parts.embedder
    for n in range(120):
        await me.ingest(f"Person{n} Smith works at Company{n} Labs in building {n}.")
    before = embedder.calls
    await rc.drain()
    assert len(await me.sources(status="extracted", limit=1000)) == 120
    assert embedder.calls - before <= 6


async def test_a_deleted_source_waits_until_it_is_restored(rc, me):
    source = await me.ingest(NOTE)
    await me.delete(source.id)
    await rc.drain()
    assert list(await me.get_all(kinds=["chunk"])) == []
    await me.restore(source.id)
    await rc.drain()
    assert (await me.get(source.id)).data["status"] == "extracted"


async def test_a_purged_source_takes_along_what_came_only_of_it(rc, me, clock):
    gone = await me.ingest("Zara Quill works at Nowhere Labs. Zara Quill reports to Tom Ford.")
    await me.ingest("Tom Ford works at Acme Robotics.")
    await rc.drain()
    assert {"Zara Quill", "Tom Ford"} <= set(await names(me))
    await me.delete(gone.id)
    clock.forward(days=31)
    await rc.run_job("purge")
    assert await names(me) == ["Tom Ford"]
    assert [source.title for source in await me.get_all(kinds=["entity"])] == ["Acme Robotics"]
    async with rc.parts.database.transaction("user:alice") as connection:
        for table in ("source", "mentioned", "evidence", "relation", "node_name"):
            cursor = await connection.execute(f"select count(*) as n from {table} where space_id = 'user:alice'")
            counts = (await cursor.fetchone()).n
            assert counts == {"source": 1, "mentioned": 2, "evidence": 2, "relation": 5, "node_name": 2}[table], table


async def test_sensitivity_reaches_what_comes_of_a_source(rc, me):
    opened = rc.scope(user_id="alice", sensitivity="high")
    await opened.ingest("Zara Quill works at Nowhere Labs. Tom Ford works with Zara Quill.", sensitivity="high")
    await rc.drain()
    assert await me.search("Zara Quill") == []
    assert list(await me.get_all()) == []
    assert await me.sources() == []
    assert "Zara Quill" in await names(opened)
    await me.ingest("Tom Ford works at Acme Robotics.")
    await rc.drain()
    assert await names(me) == ["Tom Ford"]
    assert {"Tom Ford", "Zara Quill"} <= set(await names(opened))


async def test_a_relation_that_only_a_sensitive_source_tells_is_not_shown(rc, me):
    opened = rc.scope(user_id="alice", sensitivity="high")
    await me.ingest("Tom Ford met Zara Quill. Zara Quill likes Tom Ford. We saw Tom Ford and Zara Quill.")
    await opened.ingest("Tom Ford reports to Zara Quill.", sensitivity="high")
    await rc.drain()

    async def told(scope):
        hits = await scope.search("Tom Ford Zara Quill", kinds=["chunk"])
        return {tie.type for hit in hits for tie in hit.relations}

    assert "reports_to" in await told(opened)
    assert "reports_to" not in await told(me)
    await me.ingest("Tom Ford reports to Zara Quill, everybody knows.")
    await rc.drain()
    assert "reports_to" in await told(me)


async def test_a_source_that_becomes_sensitive_takes_along_what_came_of_it(rc, me):
    source = await me.ingest(NOTE)
    await rc.drain()
    assert "Sarah Chen" in await names(me)
    await me.update(source.id, sensitivity="high")
    assert list(await me.get_all()) == []
    opened = rc.scope(user_id="alice", sensitivity="high")
    assert "Sarah Chen" in await names(opened)
    await opened.update(source.id, sensitivity="normal")
    assert "Sarah Chen" in await names(me)
    assert await me.search("Acme Robotics", kinds=["chunk"])


@pytest.mark.parametrize("policy", ["keep_forever", "ephemeral"])
async def test_the_ttl_policy_reaches_the_chunks(rc, me, clock, policy):
    source = await me.ingest(NOTE, ttl_policy=policy)
    await rc.drain()
    [chunk] = await me.get_all(kinds=["chunk"])
    assert chunk.ttl_policy == (await me.get(source.id)).ttl_policy == policy
    clock.forward(days=31)
    await rc.run_job("decay")
    left = {memory.kind for memory in await me.get_all(kinds=["chunk", "source"])}
    assert left == (set() if policy == "ephemeral" else {"chunk", "source"})


async def test_days_are_counted_by_the_sources_own_dates(rc, me, clock):
    began = clock() - timedelta(days=100)
    for day in (0, 0, 1, 5):
        await me.ingest(f"Day {day}: Tom Ford works at Acme Robotics.", started_at=began + timedelta(days=day))
    await rc.drain()
    [tom] = await me.get_all(kinds=["person"])
    async with rc.parts.database.transaction("user:alice") as connection:
        cursor = await connection.execute(
            "select * from mentioned where space_id = 'user:alice' and node_id = %(id)s", {"id": tom.id}
        )
        row = await cursor.fetchone()
    assert (row.sources, row.days) == (4, 3)
    assert (row.first_at, row.last_at) == (began, began + timedelta(days=5))


async def test_another_embedding_model_reaches_sources(rc, me):
    await me.ingest(NOTE, title="Who is who")
    await rc.drain()
    source = await me.ingest("Raw and waiting.")

    async def entries():
        async with rc.parts.database.transaction("user:alice") as connection:
            cursor = await connection.execute(
                "select memory_id, kind, version, passage, text_hash, terms from entry"
                " where space_id = 'user:alice' order by 1, 3, 4"
            )
            return [tuple(row) for row in await cursor.fetchall()]

    before = await entries()
    assert {kind for _, kind, *_ in before} == {"source", "chunk", "person", "entity", "concept"}
    await reembed(rc.parts, force=True)
    assert await entries() == before
    assert source.id not in {id for id, *_ in before}
