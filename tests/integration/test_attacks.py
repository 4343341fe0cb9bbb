"""What goes wrong in the world: outages, half an installation, ids given twice, clocks that go back."""

from datetime import datetime, timedelta

import psycopg
import pytest

from recollect import Conflict, InvalidInput, Recollect, RecollectError, Unavailable
from recollect.db import migrate
from recollect.providers.embedding.fake import FakeEmbedder
from recollect.providers.http import RequestRefused
from recollect.records.lifecycle import Rules, Use, recalled


class Moody(FakeEmbedder):
    """Fails as it is told to."""

    outages = 0
    poison = "\0"

    async def embed(self, texts, *, purpose):
        if self.outages > 0:
            self.outages -= 1
            raise Unavailable("embedder", "answered 429")
        if any(self.poison in text for text in texts):
            raise RequestRefused("embedder", "answered 400")
        return await super().embed(texts, purpose=purpose)


async def test_an_outage_of_the_embedder_loses_no_turn(open_recollect):
    embedder = Moody()
    rc = await open_recollect(embedder=embedder, job_backoff=0.01, job_attempts=10)
    me = rc.scope(user_id="alice")
    chat = await me.conversation("c")
    await chat.add_many([{"role": "user", "content": f"message number{n}"} for n in range(16)])
    embedder.outages = 3
    for _ in range(6):
        await rc.drain()
    assert len(await me.get_all(kinds=["turn"])) == 16


async def test_a_text_that_is_refused_stops_no_other(open_recollect):
    embedder = Moody()
    embedder.poison = "poison"
    rc = await open_recollect(embedder=embedder)
    me = rc.scope(user_id="alice")
    chat = await me.conversation("c")
    words = ["one", "poison", "three", "four"]
    await chat.add_many([{"role": "user", "content": word} for word in words])
    await rc.drain()
    assert {memory.content for memory in await me.get_all(kinds=["turn"])} == {"one", "three", "four"}


async def test_an_installation_that_was_broken_off_is_finished(open_recollect, database_url):
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("drop schema recollect_queue cascade")
        owner.execute("delete from recollect.installation")
    rc = await open_recollect()
    await rc.scope(user_id="alice").add("Alice prefers tea.")
    assert (await rc.drain()).failed == 0
    async with rc.parts.database.owner() as owner:
        assert await migrate.upgrade(owner, rc.parts.database.app_url, create_role=True) == []


async def test_an_id_names_one_thing(rc):
    me = rc.scope(user_id="alice")
    chat = await me.conversation("c")
    memory = await me.add("Alice prefers tea.")
    with pytest.raises(Conflict):
        await chat.add("user", "Hello.", id=memory.id)
    message = await chat.add("user", "Hello again.")
    with pytest.raises(Conflict):
        await me.add("Something else.", id=message.id)


async def test_an_id_does_not_open_what_is_too_sensitive(rc):
    high = rc.scope(user_id="alice", sensitivity="high")
    secret = await high.add("Alice has a secret.")
    await high.update(secret.id, sensitivity="high")
    with pytest.raises(Conflict) as caught:
        await rc.scope(user_id="alice").add("probe", id=secret.id)
    assert "secret" not in str(caught.value)


async def test_a_thread_is_remembered_or_not(rc):
    me = rc.scope(user_id="alice")
    await me.conversation("lasting")
    with pytest.raises(Conflict):
        await me.conversation("lasting", remember=False)


async def test_a_user_and_an_agent_of_one_name_have_threads_of_their_own(rc):
    theirs = await rc.scope(user_id="bob", project_id="p").conversation("priv")
    await theirs.add("user", "for my eyes only")
    assert await (await rc.scope(agent_id="bob", project_id="p").conversation("priv")).messages() == []


async def test_waiting_for_what_nobody_does_says_so(rc):
    me = rc.scope(user_id="alice")
    said = await (await me.conversation("c")).add("user", "We live in Lisbon.")
    hits = await me.search("where do we live?", after=said.watermark)
    assert hits.warnings
    assert not (await me.search("tea", after=(await me.add("Tea.")).watermark)).warnings


def test_a_clock_that_goes_back_charges_no_day_twice():
    now = datetime.fromisoformat("2026-03-18T00:00:00+00:00")
    use = Use("active", 0.5, now, 1.0, access_count=1, last_accessed_at=now)
    again = recalled(use, now - timedelta(days=20), Rules())
    assert (again.salience_at, again.last_accessed_at) == (now, now)


@pytest.mark.parametrize("timeout", ["x", -1, float("nan"), []])
async def test_drain_takes_seconds(rc, timeout):
    with pytest.raises(InvalidInput) as caught:
        await rc.drain(timeout)
    assert caught.value.field == "timeout"


@pytest.mark.parametrize(("name", "value"), [("clock", 5), ("worker", "no"), ("data_dir", "")])
def test_opening_with_nonsense_names_it(name, value):
    with pytest.raises(InvalidInput) as caught:
        Recollect.open(**{name: value})
    assert caught.value.field == name


def test_a_scope_needs_an_open_memory():
    with pytest.raises(RecollectError, match="not open"):
        Recollect.open().scope(user_id="alice")
