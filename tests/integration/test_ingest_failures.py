"""Sources that fail, workers that die, models that do not answer: nothing is lost, nothing twice, nobody waits."""

import asyncio
from collections import Counter
from contextlib import suppress

import pytest
from test_ingest import NOTE, names
from test_model_flow import Scripted
from test_tiers_crash import Crash, Failing, snapshot

from recollect.core.errors import Unavailable
from recollect.flows import ingesting, learn, process, source_texts, talks
from recollect.flows.ingesting import Phase

SPACE = "user:alice"


class Death(BaseException):
    """No Exception: nothing notes it."""


@pytest.fixture
def me(rc):
    return rc.scope(user_id="alice")


def poison(monkeypatch, what, word="POISON"):
    """Let cleaning, or extraction, stumble over a word."""
    whole = getattr(source_texts, what)

    def cleaned(source_type, raw):
        if word in raw:
            raise ValueError(f"cannot read: {raw}")
        return whole(source_type, raw)

    async def extracted(parts, text, speakers, hints):
        if word in text:
            raise ValueError(f"cannot read: {text}")
        return await whole(parts, text, speakers, hints)

    monkeypatch.setattr(source_texts, what, cleaned if what == "cleaned" else extracted)


async def statuses(me):
    return [source.status for source in await me.sources()]


@pytest.mark.parametrize(("what", "stays"), [("cleaned", "raw"), ("extracted", "processed")])
async def test_one_that_fails_does_not_stop_the_others(open_recollect, monkeypatch, what, stays):
    rc = await open_recollect(job_backoff=1_000)  # retries come when the test says so
    me = rc.scope(user_id="alice")
    poison(monkeypatch, what)
    texts = ["Ann Lee works at Acme.", "POISON is in here, says Bob Ray.", "Cy Dee works at Core."]
    ids = [(await me.ingest(text)).id for text in texts]
    drained = await rc.drain()
    assert (drained.failed, drained.deferred) == (0, 1)
    assert await statuses(me) == ["extracted", stays, "extracted"]
    assert {"Ann Lee", "Cy Dee"} <= set(await names(me))
    for attempt in range(2, 6):
        [bad] = [source for source in await me.sources() if source.id == ids[1]]
        assert bad.attempts == attempt - 1
        later = await me.ingest(f"Later {attempt} Tom Ford came.")
        await rc.drain()
        assert (await me.get(later.id)).data["status"] == "extracted"
        await rc.worker.run_now(ingesting.AGAIN, SPACE)
    [bad] = await me.sources(status="failed")
    assert bad.id == ids[1]
    assert "ValueError" in bad.reason
    assert "POISON" not in bad.reason
    memory = await me.get(ids[1])
    assert memory.data["status"] == "failed"
    assert "Bob Ray" in memory.content
    hits = await me.search("Bob Ray", after=memory.watermark, wait="understood")
    assert "could not be read" in hits.warnings[0]
    await rc.worker.run_now(ingesting.AGAIN, SPACE)
    assert len(await me.sources(status="failed")) == 1
    monkeypatch.undo()
    again = await me.retry_source(ids[1])
    assert (again.status, again.attempts, again.reason) == (stays, 0, None)
    await rc.drain()
    assert await me.sources(status="failed") == []
    assert (await me.get(ids[1])).data["status"] == "extracted"
    assert len(await me.get_all(kinds=["chunk"], limit=1000)) == 7


async def test_an_outage_is_nobodys_failure(open_recollect, monkeypatch):
    rc = await open_recollect(job_backoff=1_000)
    me = rc.scope(user_id="alice")
    await me.ingest(NOTE)

    async def down(*given, **options):
        raise Unavailable("embedder", "is down")

    with monkeypatch.context() as patch:
        patch.setattr(type(rc.parts.embedder), "embed", down)
        drained = await rc.drain()
        assert (drained.failed, drained.deferred) == (0, 1)
        with pytest.raises(Unavailable):
            await rc.worker.run_now("ingest", SPACE)
    [source] = await me.sources()
    assert (source.status, source.attempts) == ("raw", 0)
    await rc.worker.run_now("ingest", SPACE)
    assert await statuses(me) == ["extracted"]


@pytest.mark.parametrize("phase", ["raw", "processed"])
async def test_a_source_that_kills_its_worker_is_given_up_in_the_end(rc, me, monkeypatch, phase):
    """The process dies in the middle of its work: nothing of it can note a failure."""
    texts = ["Ann Lee works at Acme.", "POISON is in here.", "Cy Dee works at Core."]
    ids = [(await me.ingest(text)).id for text in texts]
    real = {"raw": process.process, "processed": learn.learn}

    def mortal(status):
        async def work(parts, space, given):
            if status == phase and ids[1] in given:
                raise Death
            return await real[status](parts, space, given)

        return Phase(status, work)

    monkeypatch.setattr(ingesting, "_PHASES", (mortal("raw"), mortal("processed")))

    async def run(task, tried):
        monkeypatch.setattr(ingesting, "_was_tried", lambda: tried)
        with suppress(Death):
            await (ingesting.ingest if task == "ingest" else ingesting.ingest_again)(rc.parts, SPACE)

    await run("ingest", False)
    await run("ingest", True)
    for _ in range(7):
        await run("again", False)
        await run("ingest", True)
    assert [source.status for source in await me.sources() if source.id != ids[1]] == ["extracted", "extracted"]
    [bad] = await me.sources(status="failed")
    assert bad.id == ids[1]
    assert "died" in bad.reason


async def state(rc):
    """Every row, without generated ids and recording times, and how much a queue was asked for."""
    async with rc.parts.database.transaction(SPACE) as connection:
        cursor = await connection.execute(
            "select kind, title, content, summary, sensitivity, data - 'sources' as data, tags from memory"
            " where space_id = 'user:alice' order by kind, title, content"
        )
        memories = [tuple(row) for row in await cursor.fetchall()]
        cursor = await connection.execute(
            "select a.content as one, b.content as other, r.type, r.description, r.valid_until is null as holds"
            " from relation r join memory a on a.space_id = 'user:alice' and a.id = r.from_id"
            " join memory b on b.space_id = 'user:alice' and b.id = r.to_id"
            " where r.space_id = 'user:alice' order by 1, 2, 3"
        )
        ties = [tuple(row) for row in await cursor.fetchall()]
        counts = []
        for table in ("entry", "history", "evidence", "mentioned", "memory_use", "node_name", "event"):
            cursor = await connection.execute(f"select count(*) as n from {table} where space_id = 'user:alice'")
            counts.append((table, (await cursor.fetchone()).n))
        cursor = await connection.execute(
            "select status, attempts, failed, by_rules from source where space_id = 'user:alice' order by id"
        )
        return memories, ties, counts, [tuple(row) for row in await cursor.fetchall()]


TEXTS = [
    NOTE,
    "## Rack\n\nTom Ford works at Acme Robotics.\n\n"
    + "\n\n".join(f"Kafka number {n} is down. " * 9 for n in range(6)),
]


async def told(rc, me):
    for text in TEXTS:
        await me.ingest(text, participants=["Ann Lee"])
    chat = await me.conversation("chat")
    await chat.add("user", "Zara Quill works at Nowhere Labs.", name="Alice")
    await chat.add("assistant", "Good for Zara Quill.")


@pytest.mark.parametrize("work", ["phases", "talks"])
async def test_every_statement_may_fail(open_recollect, monkeypatch, work):
    """Whichever statement failed on the way, all of it is there in the end, and doing it again changes nothing."""
    sizes = {"chunk_single": 60, "chunk_size": 64, "chunk_overlap": 4, "understand": True}
    rc = await open_recollect(**sizes)
    me = rc.scope(user_id="alice")
    await told(rc, me)
    await rc.worker.run_now("index_turns", SPACE)
    await rc.worker.run_now("understand", SPACE)
    await (await me.conversation("chat")).end()

    if work == "phases":
        await talks.source_talks(rc.parts, SPACE)
    for at in range(1, 1_000):
        with monkeypatch.context() as patch:
            failing = Failing(patch, at)
            with suppress(Crash):
                if work == "talks":
                    await talks.source_talks(rc.parts, SPACE)
                else:
                    # A worker that dies: no handler notes the failure.
                    patch.setattr(ingesting, "_together", dying)
                    await ingesting.ingest(rc.parts, SPACE)
        if failing.count < at:
            break
    assert at > (5 if work == "talks" else 30)
    if work == "talks":
        assert len(await me.sources()) == 3
        await ingesting.ingest(rc.parts, SPACE)
    after = await state(rc)
    assert [status for status, *_ in after[3]] == ["extracted"] * 3

    before = snapshot(rc.database_url)
    await ingesting.ingest(rc.parts, SPACE)
    await talks.source_talks(rc.parts, SPACE)
    assert snapshot(rc.database_url) == before


async def dying(parts, space, phase, batch, counts):
    counts["changed"] += await phase.work(parts, space, [each.id for each in batch])


async def test_failing_at_every_statement_gives_the_same_rows(open_recollect, monkeypatch, server):
    """Compared with a database in which nothing failed."""
    states = []
    for fails in (False, True):
        with server.fresh_database() as url:
            rc = await open_recollect(database_url=url, chunk_single=60, chunk_size=64, chunk_overlap=4)
            me = rc.scope(user_id="alice")
            for text in TEXTS:
                await me.ingest(text, participants=["Ann Lee"])
            for at in range(1, 1_000) if fails else ():
                with monkeypatch.context() as patch:
                    failing = Failing(patch, at)
                    patch.setattr(ingesting, "_together", dying)
                    with suppress(Crash):
                        await ingesting.ingest(rc.parts, SPACE)
                if failing.count < at:
                    break
            await ingesting.ingest(rc.parts, SPACE)
            states.append(await state(rc))
            await rc.close()
    assert states[0] == states[1]
    assert len(states[0][1]) > 10


async def test_failures_that_are_noted_end_in_the_same_rows(open_recollect, monkeypatch, server):
    """As above, with the job's own handling: each statement fails once, and later jobs take up what is left."""
    states = []
    for fails in (False, True):
        with server.fresh_database() as url:
            rc = await open_recollect(
                database_url=url, chunk_single=60, chunk_size=64, chunk_overlap=4, job_attempts=900
            )
            me = rc.scope(user_id="alice")
            for text in TEXTS:
                await me.ingest(text, participants=["Ann Lee"])
            for at in range(1, 200, 3) if fails else ():
                with monkeypatch.context() as patch:
                    Failing(patch, at)
                    for job in (ingesting.ingest, ingesting.ingest_again):
                        with suppress(Crash):
                            await job(rc.parts, SPACE)
            for job in (ingesting.ingest_again, ingesting.ingest, ingesting.ingest_again, ingesting.ingest):
                await job(rc.parts, SPACE)
            states.append(await state(rc))
            await rc.close()
    assert states[0] == states[1]


async def test_two_workers_at_once(open_recollect):
    """Neither knows of the other: what one has done, the other leaves alone."""
    one, other = await open_recollect(), await open_recollect()
    me = one.scope(user_id="alice")
    for n in range(30):
        await me.ingest(f"Note {n}: Tom Ford works at Company{n}. Person{n} Smith reports to Tom Ford.")
    await asyncio.gather(*(ingesting.ingest(rc.parts, SPACE) for rc in (one, other, one, other)))
    assert [source.status for source in await me.sources()] == ["extracted"] * 30
    assert len(await me.get_all(kinds=["chunk"], limit=1000)) == 30
    people = await names(me)
    assert len(people) == len(set(people))
    async with one.parts.database.transaction(SPACE) as connection:
        cursor = await connection.execute(
            "select sources from mentioned c join memory m on m.space_id = 'user:alice' and m.id = c.node_id"
            " where c.space_id = 'user:alice' and m.title = 'Tom Ford' and m.kind = 'person'"
        )
        assert [row.sources for row in await cursor.fetchall()] == [30]


@pytest.mark.parametrize("alone", [False, True])
async def test_a_worker_that_is_told_to_stop_has_not_failed(rc, me, monkeypatch, alone):
    """Cut off again and again, a source is not given up: it was never at fault."""
    begun = asyncio.Event()

    async def endless(parts, space, ids):
        begun.set()
        await asyncio.Event().wait()

    await me.ingest(NOTE)
    monkeypatch.setattr(ingesting, "_PHASES", (ingesting.Phase("raw", endless),))
    monkeypatch.setattr(ingesting, "_was_tried", lambda: True)
    [source] = await me.sources()
    for _ in range(rc.settings.job_attempts + 1):
        begun.clear()
        phase = ingesting.Phase("raw", endless)
        work = (
            ingesting._alone(rc.parts, SPACE, phase, source.id, Counter())
            if alone
            else ingesting.ingest(rc.parts, SPACE)
        )
        task = asyncio.create_task(work)
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    [source] = await me.sources()
    assert (source.status, source.attempts) == ("raw", 0)


async def test_a_model_that_fails_gives_way_to_rules_and_is_asked_again(open_recollect):
    told = {"summary": "The model says that Sarah Chen is at Acme.", "topics": ["staff"]}
    sarah = {"name": "Sarah Chen", "kind": "person", "points": ["works at Acme", "reports to Tom", "runs Redis"]}
    script = Scripted(Acme=told | {"entities": [sarah]})
    script.down = True
    rc = await open_recollect(model=script.model)
    me = rc.scope(user_id="alice")
    source = await me.ingest(NOTE)
    drained = await rc.drain()
    assert drained.deferred == 1
    [listed] = await me.sources()
    assert (listed.status, listed.by_rules) == ("extracted", True)
    assert (await me.get(source.id)).data["by_rules"] is True
    sarah = [node.id for node in await me.get_all(kinds=["person"]) if node.title == "Sarah Chen"]
    assert sarah
    script.down = False
    await rc.worker.run_now("reread_sources", SPACE)
    await rc.drain()
    [listed] = await me.sources()
    assert (listed.status, listed.by_rules) == ("extracted", False)
    read = await me.get(source.id)
    assert read.summary == "The model says that Sarah Chen is at Acme."
    assert read.data["by_rules"] is False
    assert len(await me.get_all(kinds=["chunk"])) == 1
    assert [node.id for node in await me.get_all(kinds=["person"]) if node.title == "Sarah Chen"] == sarah
    assert await me.search("The model says", kinds=["source"])


async def test_a_model_that_never_answers_is_asked_a_few_times(open_recollect):
    script = Scripted()
    script.down = True
    rc = await open_recollect(model=script.model, job_attempts=3)
    me = rc.scope(user_id="alice")
    await me.ingest(NOTE)
    await rc.drain()
    before = script.asked
    for _ in range(6):
        await rc.worker.run_now("reread_sources", SPACE)
        await rc.drain()
    assert script.asked == 4 * before
    [listed] = await me.sources()
    assert (listed.status, listed.by_rules) == ("extracted", True)
