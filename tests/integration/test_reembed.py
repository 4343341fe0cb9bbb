"""Carrying a database to another model: resumable, complete, and closed to others meanwhile."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from conftest import Opener
from recollect import Recollect
from recollect.core.errors import Conflict, ModelMismatch, Unavailable
from recollect.db.database import Database
from recollect.flows import reembed as flow
from recollect.flows import statistics
from recollect.flows.parts import Parts
from recollect.providers.embedding.base import Purpose, Vectors
from recollect.providers.embedding.fake import FakeEmbedder


class Other(FakeEmbedder):
    """Another model, of other dimensions; it can be made to fail after some texts."""

    name = "other"

    def __init__(self, dimensions: int = 48, breaks_after: int = 10**9) -> None:
        super().__init__(dimensions)
        self.breaks_after = breaks_after

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        if purpose == "document" and self.texts >= self.breaks_after:
            raise Unavailable("embedder", "broken")
        return await super().embed(texts, purpose=purpose)


def with_embedder(rc: Recollect, embedder: Any, **settings: Any) -> Parts:
    p = rc.parts
    searcher = type(p.searcher)(p.database, embedder, p.calibration, None, p.settings, p.rules, p.governor)
    given = p.settings.model_copy(update=settings)
    return Parts(given, p.clock, p.database, embedder, p.calibration, None, p.rules, searcher, p.governor)


async def fill(rc: Recollect, spaces: int = 3, each: int = 12) -> None:
    for number in range(spaces):
        me = rc.scope(user_id=f"user{number}")
        chat = await me.conversation("t")
        await chat.add_many(
            [{"role": "user", "content": f"message {n} about topic{n % 4}", "name": "Ines"} for n in range(each)]
        )
        await me.add_many([{"content": f"statement {n} on subject{n}"} for n in range(each)])
        edited = await me.add("the first wording")
        await me.update(edited.id, content="the second wording")
        long = await me.add(" ".join(f"word{n}" for n in range(600)))
        await me.update(long.id, importance=0.9)
        await me.delete((await me.add("to be deleted")).id)
    await rc.drain()


COLUMNS = (
    "space_id, memory_id, version, passage, kind, category, sensitivity, visible, part_of, speaker, role, happened_at,"
    " valid_from, valid_until, importance, text_hash, length, terms"
)


async def entries(database: Database, columns: str = COLUMNS) -> list[Any]:
    async with database.owner() as owner:
        cursor = await owner.execute(
            f"select {columns} from recollect.entry order by space_id, memory_id, version, passage"
        )
        return [tuple(row) for row in await cursor.fetchall()]


async def dimensions(database: Database) -> set[int]:
    return {row[0] for row in await entries(database, "public.vector_dims(embedding)")}


async def test_everything_is_rebuilt_for_the_new_model(rc: Recollect, open_recollect: Opener) -> None:
    await fill(rc)
    before, database = await entries(rc.parts.database), rc.parts.database
    told: list[tuple[int, int]] = []
    done = await flow.reembed(with_embedder(rc, Other()), progress=lambda *place: told.append(place))
    assert done is not None
    assert (done.before, done.after, done.spaces, done.resumed) == ("fake", "other", 3, False)
    assert done.memories == 3 * (12 + 12 + 3)
    assert told[-1] == (done.memories, done.memories)
    assert await dimensions(database) == {48}
    assert await entries(database) == before
    with pytest.raises(ModelMismatch, match="filled with other"):
        await open_recollect()
    again = await open_recollect(embedder=Other())
    [hit] = await again.scope(user_id="user1").search("message 7 about topic3", limit=1, kinds=["turn"])
    assert hit.memory.content == "message 7 about topic3"
    assert await flow.reembed(with_embedder(rc, Other())) is None


async def test_cut_off_it_keeps_others_out_and_goes_on(
    rc: Recollect, open_recollect: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(rc)
    before, database = await entries(rc.parts.database), rc.parts.database
    monkeypatch.setattr(flow, "_BATCH", 5)
    with pytest.raises(Unavailable, match="broken"):
        await flow.reembed(with_embedder(rc, Other(breaks_after=35)))
    assert await dimensions(database) == {48, 64}
    for embedder in ("fake", Other()):
        with pytest.raises(ModelMismatch, match="re-embedding unfinished: run `recollect db reembed` again"):
            await open_recollect(embedder=embedder)
    rest = Other()
    done = await flow.reembed(with_embedder(rc, rest))
    assert done is not None
    assert done.resumed
    assert 0 < done.memories < 3 * 27
    assert await dimensions(database) == {48}
    assert await entries(database) == before
    await open_recollect(embedder=Other())


async def test_another_target_starts_over(rc: Recollect, monkeypatch: pytest.MonkeyPatch) -> None:
    await fill(rc, spaces=2)
    monkeypatch.setattr(flow, "_BATCH", 5)
    with pytest.raises(Unavailable):
        await flow.reembed(with_embedder(rc, Other(breaks_after=45)))
    done = await flow.reembed(with_embedder(rc, FakeEmbedder()))
    assert done is not None
    assert (done.resumed, done.memories) == (False, 2 * 27)
    assert await dimensions(rc.parts.database) == {64}


async def test_with_force_the_same_model_builds_the_index_anew(rc: Recollect) -> None:
    await fill(rc, spaces=1)
    before, database = await entries(rc.parts.database), rc.parts.database
    async with database.owner() as owner:
        await owner.execute("delete from recollect.entry where passage = 0")
    assert await flow.reembed(rc.parts) is None
    assert await flow.reembed(rc.parts, force=True) is not None
    assert await entries(database) == before


async def test_vector_indexes_follow(rc: Recollect) -> None:
    await fill(rc, spaces=2, each=40)
    old = with_embedder(rc, rc.parts.embedder, exact_limit=30)
    await statistics.refresh(old, "user:user0")
    name, database = statistics.index_name("user:user0"), rc.parts.database
    assert "(64)" in await _index(database, name)
    await flow.reembed(with_embedder(rc, Other(), exact_limit=30))
    assert "(48)" in await _index(database, name)
    assert "(48)" in await _index(database, statistics.index_name("user:user1"))


async def _index(database: Database, name: str) -> str:
    async with database.owner() as owner:
        cursor = await owner.execute("select indexdef from pg_indexes where indexname = %s", [name])
        row = await cursor.fetchone()
    return row.indexdef if row else ""


async def test_two_at_once_is_one_too_many(rc: Recollect) -> None:
    await fill(rc, spaces=1)
    second: list[Callable[[], Any]] = []

    class Nosy(Other):
        async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
            if not second:
                second.append(lambda: None)
                with pytest.raises(Conflict, match="another process"):
                    await flow.reembed(with_embedder(rc, Other()))
            return await super().embed(texts, purpose=purpose)

    await flow.reembed(with_embedder(rc, Nosy()))
    assert second


async def test_a_live_worker_stands_in_the_way(open_recollect: Opener) -> None:
    rc = await open_recollect(worker=True)
    with pytest.raises(Conflict, match="stop them first"):
        await flow.reembed(with_embedder(rc, Other()))
