"""Exploring at three granularities, and down from one into the next, over storylines and macros written here."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from pgvector import HalfVector

from recollect.core.errors import InvalidInput, NotFound
from recollect.core.ids import new_id
from recollect.flows.indexing import passages_of, plain
from recollect.memory import Recollect
from recollect.records import relations, store
from recollect.records.model import Actor, NewMemory
from recollect.records.relations import Observed

SPACE = "user:alice"
DAY = timedelta(days=1)


class World:
    """A life in stories: writes memories as the jobs do."""

    def __init__(self, rc: Recollect, now: datetime) -> None:
        self.rc, self.now = rc, now
        self.ids: dict[str, UUID] = {}

    async def add(self, name: str, kind: str, text: str, *, days: float = 0, **more: Any) -> UUID:
        """A memory of any kind with its search entries."""
        self.ids[name] = id = new_id()
        parts, happened = self.rc.parts, self.now - days * DAY
        [passages] = await passages_of(parts, SPACE, [plain(text)])
        memory = NewMemory(
            id=id,
            kind=kind,
            type=more.pop("type", None),
            category="knowledge",
            title=more.pop("title", name),
            content=text,
            tier="long",
            importance=0.5,
            confidence=0.9,
            happened_at=happened,
            passages=passages,
            **more,
        )
        async with parts.database.transaction(SPACE) as connection:
            await store.remember(connection, SPACE, [memory], self.now, Actor(), salience=0.5, mean_length=10.0)
        return id

    async def tie(self, start: str, type: str, *ends: str) -> None:
        """Relations from one to others."""
        async with self.rc.parts.database.transaction(SPACE) as connection:
            ids = [self.ids[end] for end in ends]
            await store.relate(connection, SPACE, self.ids[start], ids, type, self.now, 0.5)

    async def say(self, start: str, type: str, end: str, text: str) -> UUID:
        """A relation that says something, with its vector."""
        async with self.rc.parts.database.transaction(SPACE) as connection:
            observed = [Observed(self.ids[start], self.ids[end], type, 0.9, 0.8, text)]
            [id] = (await relations.observe(connection, SPACE, observed, self.now, 0.5)).held.values()
            [vector] = await self.rc.parts.embedder.embed([text], purpose="document")
            await connection.execute(
                "insert into relation_entry (space_id, relation_id, text_hash, embedding) values (%s, %s, '', %s)",
                (SPACE, id, HalfVector(vector)),
            )
        return id


def execute(rc: Any, query: str, *values: Any) -> None:
    with psycopg.connect(rc.database_url, options="-c search_path=recollect,public") as owner:
        owner.execute(query, values or None)


@pytest.fixture
async def world(rc: Recollect, clock: Any) -> World:
    """Google and a garden: two macros' worth of sources, storylines and nodes."""
    w = World(rc, clock.now)
    await w.add("Google", "entity", "Google, where Alice interviews.", type="organisation")
    await w.add("Sarah Chen", "person", "Sarah Chen, recruiter of Google.")
    await w.add("Garden", "concept", "The garden behind the house.")
    await w.add("call", "source", "Recruiter call about the role and salary.", days=40, type="meeting")
    await w.add("offer", "source", "Written offer with salary and bonus.", days=10, type="email")
    await w.add("beds", "source", "Dug the vegetable beds and planted beans.", days=5, type="text-note")
    await w.add("interviews", "storyline", "Alice interviewed for the Google job.", days=40, data=_span(2))
    await w.add("negotiation", "storyline", "Alice negotiated salary with Google.", days=10, data=_span(1))
    await w.add("planting", "storyline", "Alice planted a vegetable garden.", days=5, data=_span(1))
    await w.add("career", "macro", "Alice moves towards a job at Google.", days=10)
    await w.tie("call", "mentions", "Google", "Sarah Chen")
    await w.tie("offer", "mentions", "Google")
    await w.tie("beds", "mentions", "Garden")
    await w.tie("interviews", "includes", "call")
    await w.tie("negotiation", "includes", "offer")
    await w.tie("planting", "includes", "beds")
    for story, node in (("interviews", "Google"), ("negotiation", "Google"), ("planting", "Garden")):
        await w.tie(story, "about", node)
    await w.tie("career", "rooted_in", "Google")
    await w.tie("career", "groups", "interviews", "negotiation")
    await w.say("Sarah Chen", "works_at", "Google", "Sarah Chen works at Google as a recruiter.")
    return w


def _span(sources: int) -> dict[str, Any]:
    return {"source_count": sources, "first_source_at": "2026-02-01T00:00", "last_source_at": "2026-03-01T00:00"}


def titles(found: Any) -> list[str | None]:
    return [hit.memory.title for hit in found]


async def test_each_granularity_finds_its_own_kinds(rc, world):
    me = rc.scope(user_id="alice")
    stories = await me.explore(["Google job"])
    assert (stories.granularity, {hit.memory.kind for hit in stories}) == (2, {"storyline"})
    assert stories[0].memory.title == "interviews"
    assert [part.title for part in stories[0].parts] == ["call"]
    assert [part.title for part in stories[0].about] == ["Google"]
    [macro] = await me.explore(["the job"], granularity=3)
    assert (macro.memory.title, macro.all_parts) == ("career", 2)
    assert [part.title for part in macro.parts] == ["negotiation", "interviews"]
    assert [part.sources for part in macro.parts] == [1, 2]
    details = await me.explore(["salary and bonus of the offer"], 1)
    assert details[0].memory.title == "offer"
    assert {hit.memory.kind for hit in details} == {"source", "person", "concept", "entity"}
    assert [entity.title for entity in details[0].entities] == ["Google"]
    google = next(hit for hit in details if hit.memory.title == "Google")
    assert [str(edge) for edge in google.relations] == ["Sarah Chen -works_at-> Google (0.8)"]


async def test_drilling_down(rc, world):
    me = rc.scope(user_id="alice")
    ids = world.ids
    inside = await me.explore(["vegetable garden"], 2, within=ids["career"])
    assert set(titles(inside)) == {"interviews", "negotiation"}
    assert inside.within is not None
    deeper = await me.explore(["salary"], 1, within=ids["career"])
    assert set(titles(deeper)) == {"call", "offer", "Google", "Sarah Chen"}
    # Below a storyline there is one granularity left, whatever is asked for.
    story = await me.explore(["salary"], within=ids["negotiation"])
    assert (story.granularity, set(titles(story))) == (1, {"offer", "Google"})
    node = await me.explore(["anything"], within=ids["Google"])
    assert set(titles(node)) == {"call", "offer"}
    newest = await me.explore([], within=ids["Google"])
    assert titles(newest) == ["offer", "call"]
    assert titles(await me.explore([], 2, within=ids["career"], limit=1)) == ["negotiation"]


async def test_chunks_lead_to_their_sources(rc, world):
    me = rc.scope(user_id="alice")
    source = world.ids["offer"]
    await world.add("piece", "chunk", "Twenty days of paid holiday a year.", data={"sources": [str(source)]})
    execute(rc, "update memory set source_id = %s where space_id = %s and title = 'piece'", source, SPACE)
    for place in (None, world.ids["negotiation"], world.ids["Google"]):
        found = await me.explore(["paid holiday"], 1, within=place)
        assert found[0].memory.title == "offer", place
    assert "offer" not in titles(await me.explore(["paid holiday"], 1, within=world.ids["planting"]))


async def test_several_questions_at_once(rc, world):
    me = rc.scope(user_id="alice")
    found = await me.explore(["Google job", "vegetable garden", "Alice planted beans"])
    assert len({hit.memory.id for hit in found}) == len(found) == 3
    by_title = {hit.memory.title: hit for hit in found}
    assert by_title["planting"].queries[0] in ("vegetable garden", "Alice planted beans")
    assert set(by_title["planting"].queries) >= {"vegetable garden", "Alice planted beans"}
    assert by_title["interviews"].queries[0] == "Google job"
    for hit in found:
        assert sum(hit.why.values()) == pytest.approx(hit.score)


async def test_thresholds_are_per_question(rc, world):
    me = rc.scope(user_id="alice")
    strict = {"query": "submarines in the Arctic", "threshold": 0.6}
    assert len(await me.explore([strict])) == 0
    found = await me.explore([strict, {"query": "vegetable garden"}], threshold=0.5)
    assert titles(found) == ["planting"]
    assert found[0].queries == ("vegetable garden",)
    assert found[0].evidence >= 0.5


async def test_salience_lifts(rc, world):
    me = rc.scope(user_id="alice")
    execute(rc, "update memory_use set salience = 1.0 where memory_id = %s", world.ids["planting"])
    found = {hit.memory.title: hit for hit in await me.explore(["Alice"])}
    assert found["planting"].why["salience"] == pytest.approx(0.2)
    assert found["interviews"].why["salience"] == pytest.approx(0.1)


async def test_fast_ranks_by_vectors_alone(rc, world):
    me = rc.scope(user_id="alice")
    for hit in await me.explore(["Google job"], mode="fast"):
        assert {name for name, part in hit.why.items() if part} <= {"semantic", "salience"}
    assert any(hit.why.get("keyword") for hit in await me.explore(["Google job"], mode="full"))


async def test_relations_are_found_by_what_they_say(rc, world):
    me = rc.scope(user_id="alice")
    found = await me.explore(["Who works at Google as a recruiter?"], 1)
    assert [str(near.relation) for near in found.relations] == ["Sarah Chen -works_at-> Google (0.8)"]
    assert found.relations[0].queries == ("Who works at Google as a recruiter?",)
    assert (
        len((await me.explore(["Who works at Google as a recruiter?"], 1, within=world.ids["career"])).relations) == 1
    )
    assert (await me.explore(["Who works at Google as a recruiter?"], 1, within=world.ids["planting"])).relations == ()
    assert (await me.explore(["Dig the vegetable beds"], 1)).relations == ()


async def test_what_has_faded_comes_only_when_asked_for(rc, world):
    me = rc.scope(user_id="alice")
    for title in ("interviews", "call"):
        execute(rc, "update memory_use set state = 'archived' where memory_id = %s", world.ids[title])
        execute(rc, "update entry set visible = false where memory_id = %s", world.ids[title])
    assert "interviews" not in titles(await me.explore(["Google job"]))
    assert titles(await me.explore([], within=world.ids["Google"])) == ["offer"]
    found = await me.explore(["Google job"], include=["archived"])
    assert found[0].memory.title == "interviews"
    assert [part.state for part in found[0].parts] == ["archived"]  # where the story came from is still told
    await rc.recalls.flush()
    assert "interviews" in titles(await me.explore(["Google job"]))  # recalled, it is back


async def test_sensitive_memories_and_other_spaces_stay_unseen(rc, world):
    await world.add("diary", "source", "Secret thoughts about the salary.", sensitivity="high", type="text-note")
    await world.tie("negotiation", "includes", "diary")
    await world.tie("diary", "mentions", "Google")
    me, trusted = rc.scope(user_id="alice"), rc.scope(user_id="alice", sensitivity="high")
    assert "diary" not in titles(await me.explore(["salary"], 1))
    assert "diary" not in titles(await me.explore([], within=world.ids["negotiation"]))
    stories = await me.explore(["negotiated salary"])
    assert [part.title for part in stories[0].parts] == ["offer"]
    assert "diary" in titles(await trusted.explore(["salary"], 1, within=world.ids["negotiation"]))
    bob = rc.scope(user_id="bob")
    assert len(await bob.explore(["Google job"])) == 0
    with pytest.raises(NotFound):
        await bob.explore(["Google job"], within=world.ids["career"])


async def test_how_it_reads(rc, world):
    me = rc.scope(user_id="alice")
    found = await me.explore(["job at Google"], 3)
    assert str(found).splitlines()[0].endswith(f"career (macro, 2026-03-08)  {world.ids['career']}")
    assert "    - 2026-02-01 to 2026-03-01 (storyline, 1 sources) negotiation: Alice negotiated" in str(found)
    lines = found.compact().splitlines()
    assert lines[0] == f"[macro {world.ids['career']}] career: Alice moves towards a job at Google."
    assert lines[1].startswith(f"  - {world.ids['negotiation']} ")
    nothing = await rc.scope(user_id="nobody").explore(["job"])
    assert (str(nothing), nothing.compact()) == ("Nothing found.", "nothing found")


async def test_what_cannot_be_asked(rc, world):
    me = rc.scope(user_id="alice")
    cases: list[tuple[dict[str, Any], str]] = [
        ({"queries": []}, "queries"),
        ({"queries": [""]}, "query"),
        ({"queries": [7]}, "query"),
        ({"queries": ["x"] * 21}, "queries"),
        ({"queries": [{"query": "x", "limit": 3}]}, "queries.limit"),
        ({"queries": [{"query": "x", "threshold": 2}]}, "threshold"),
        ({"granularity": 0}, "granularity"),
        ({"granularity": 4}, "granularity"),
        ({"mode": "slow"}, "mode"),
        ({"limit": 0}, "limit"),
        ({"within": "here"}, "within"),
        ({"within": world.ids["call"]}, "within"),
        ({"include": ["deleted"]}, "include"),
    ]
    for given, field in cases:
        with pytest.raises(InvalidInput) as error:
            await me.explore(**({"queries": ["job"]} | given))
        assert error.value.field == field
    with pytest.raises(NotFound):
        await me.explore(["job"], within=uuid4())
