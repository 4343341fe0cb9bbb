"""Storylines and macros: what becomes of sources that speak of one node, on the real database."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from pydantic import BaseModel

from recollect.flows import fade
from recollect.flows.storylines import attach
from recollect.providers.language.base import BadAnswer
from recollect.providers.language.fake import FakeLanguageModel
from seeding import SPACE, Garden

NOW = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)
DAY = timedelta(days=1)
SAID = (
    "Sarah Chen joined the payments team.",
    "The budget of Atlas was discussed with Sarah Chen.",
    "Sarah Chen found a leak in the ledger.",
    "A new office in Porto was visited by Sarah Chen.",
    "Sarah Chen shipped the ledger to production.",
    "The auditors praised Sarah Chen for her reports.",
)


@pytest.fixture
def garden(rc):
    return Garden(rc)


async def grown(garden, name="Sarah Chen", *, sources=5, days=3, ago=10.0, state="active", now=NOW, **fields):
    """A node with sources on so many days, the first of them so long ago."""
    node = await garden.node(name, state=state)
    ids = []
    for number in range(sources):
        at = now - timedelta(days=ago) + min(number, days - 1) * DAY + number * timedelta(minutes=1)
        said = SAID[number % len(SAID)].replace("Sarah Chen", name)
        ids.append(await garden.source(said, at, [node], **fields))
    return node, ids


async def stories(garden, kind="storyline", **given):
    return list(await garden.rc.scope(user_id="alice", **given).get_all(kinds=[kind]))


async def joined(garden, source, nodes):
    async with garden.parts.database.transaction(SPACE) as connection:
        return await attach(garden.parts, connection, SPACE, source, nodes, garden.parts.clock())


def dirty(garden):
    return {id for (id,) in garden.rows("select target_id from dirty where space_id = %(space)s")}


async def test_a_node_that_sources_keep_speaking_of_gets_a_storyline(rc, garden):
    node, sources = await grown(garden)
    counts = await rc.run_job("storyline_promotion")
    assert (counts["spaces"], counts["seen"], counts["changed"], counts["failed"]) == (1, 1, 1, 0)
    [story] = await stories(garden)
    assert story.title == "Sarah Chen (8 March – 10 March 2026)"
    assert story.content == (
        "On 8 March 2026: Sarah Chen joined the payments team. "
        "On 10 March 2026: Sarah Chen found a leak in the ledger. "
        "On 10 March 2026: Sarah Chen shipped the ledger to production."
    )
    assert story.data["source_count"] == 5
    first, last = story.data["first_source_at"], story.data["last_source_at"]
    assert (first, last) == ("2026-03-08T09:30:00+00:00", "2026-03-10T09:34:00+00:00")
    assert story.happened_at == datetime.fromisoformat(last)
    assert garden.linked(story.id, "about") == {node}
    assert garden.linked(story.id, "includes") == set(sources)
    history = await rc.scope(user_id="alice").history(story.id)
    assert [entry.event for entry in history] == ["ADD"] + ["LINK"] * 6
    [hit] = await rc.scope(user_id="alice").search("ledger shipped to production", kinds=["storyline"])
    assert hit.memory.id == story.id
    assert (await rc.run_job("storyline_promotion"))["spaces"] == 0
    assert len(await stories(garden)) == 1


@pytest.mark.parametrize(
    ("given", "due"),
    [
        ({}, True),
        ({"state": "core"}, True),
        ({"state": "candidate"}, False),
        ({"state": "archived"}, False),
        ({"state": "soft_deleted"}, False),
        ({"sources": 4}, False),
        ({"days": 2}, False),
        ({"ago": 3.0 + 1e-9}, True),
        ({"ago": 3.0}, False),
    ],
)
async def test_thresholds_of_storylines(rc, garden, given, due):
    await grown(garden, **given)
    assert (await rc.run_job("storyline_promotion"))["spaces"] == due
    assert len(await stories(garden)) == due


async def test_days_are_those_of_the_space(rc, garden):
    """Three sources around midnight in Lisbon, and in Auckland, are of two days, and of one."""
    node = await garden.node("Sarah Chen")
    for number in range(5):
        await garden.source(SAID[number], datetime(2026, 3, 1 + number // 2, 11 + number % 2, 30, tzinfo=UTC), [node])
    with psycopg.connect(rc.database_url, autocommit=True) as owner:
        owner.execute("update recollect.space set timezone = 'Pacific/Auckland' where space_id = %s", (SPACE,))
        owner.execute("update recollect.mentioned set days = 4 where space_id = %s", (SPACE,))
    assert (await rc.run_job("storyline_promotion"))["changed"] == 1
    [story] = await stories(garden)
    # 1, 2, 2, 3, 3 in Lisbon and one more day in Auckland, where it is summer time until April.
    assert story.title == "Sarah Chen (2 March – 4 March 2026)"


async def test_at_most_so_many_a_night_those_with_most_sources_first(open_recollect, clock):
    rc = await open_recollect(storylines_nightly=2)
    garden = Garden(rc)
    for name, sources in (("Ann", 5), ("Ben", 7), ("Cem", 6)):
        await grown(garden, name, sources=sources)
    for _ in range(2):
        await rc.run_job("storyline_promotion")
        assert {story.title.split()[0] for story in await stories(garden)} == {"Ben", "Cem"}
    clock.forward(days=1)
    await rc.run_job("storyline_promotion")
    assert len(await stories(garden)) == 3


async def test_deleted_sources_do_not_count(rc, garden):
    node, sources = await grown(garden)
    await rc.scope(user_id="alice").delete(sources[0])
    garden.count([node])
    assert (await rc.run_job("storyline_promotion"))["spaces"] == 0


async def test_a_storyline_is_as_sensitive_as_its_most_sensitive_source(rc, garden):
    node, _ = await grown(garden)
    await garden.source("Sarah Chen is ill.", NOW - 5 * DAY, [node], sensitivity="high")
    await rc.run_job("storyline_promotion")
    assert await stories(garden) == []
    [story] = await stories(garden, sensitivity="high")
    assert (story.sensitivity, story.data["source_count"]) == ("high", 6)


async def test_later_sources_join_once(rc, garden, clock):
    node, _ = await grown(garden)
    await rc.run_job("storyline_promotion")
    [before] = await stories(garden)
    clock.forward(days=5)
    source = await garden.source("Sarah Chen became a manager.", clock.now, [node])
    assert await joined(garden, source, [node]) == [before.id]
    assert await joined(garden, source, [node]) == []
    [after] = await stories(garden)
    assert (after.data["source_count"], after.content) == (6, before.content)
    assert after.happened_at == clock.now
    assert dirty(garden) == {before.id}
    counts = await rc.run_job("storyline_refresh")
    assert (counts["seen"], counts["changed"]) == (1, 1)
    [told] = await stories(garden)
    assert told.title == "Sarah Chen (8 March – 23 March 2026)"
    assert told.content.endswith("On 23 March 2026: Sarah Chen became a manager.")
    assert dirty(garden) == set()
    assert (await rc.run_job("storyline_refresh"))["spaces"] == 0


async def test_a_sensitive_source_makes_its_storyline_sensitive_at_once(rc, garden, clock):
    node, _ = await grown(garden)
    await rc.run_job("storyline_promotion")
    source = await garden.source("Sarah Chen is ill.", clock.now, [node], sensitivity="high")
    await joined(garden, source, [node])
    assert await stories(garden) == []
    assert await rc.scope(user_id="alice").search("ledger", kinds=["storyline"]) == []
    assert len(await stories(garden, sensitivity="high")) == 1


@pytest.mark.parametrize(("gap", "joins"), [(90 * DAY, False), (90 * DAY - timedelta(seconds=1), True)])
async def test_a_storyline_is_over_after_ninety_days(rc, garden, clock, gap, joins):
    node, _ = await grown(garden)
    await rc.run_job("storyline_promotion")
    [story] = await stories(garden)
    clock.now = story.happened_at + gap
    source = await garden.source("Sarah Chen is back.", clock.now, [node])
    assert bool(await joined(garden, source, [node])) == joins


async def test_an_archived_storyline_takes_nothing_in(rc, garden, clock):
    node, _ = await grown(garden)
    await rc.run_job("storyline_promotion")
    [story] = await stories(garden)
    garden.stand([story.id], state="archived")
    source = await garden.source("Sarah Chen became a manager.", clock.now, [node])
    assert await joined(garden, source, [node]) == []


async def two_storylines(rc, garden, clock):
    """A node with a storyline that is over and one of today."""
    node, old = await grown(garden)
    await rc.run_job("storyline_promotion")
    clock.forward(days=120)
    new = []
    for number in range(5):
        new.append(await garden.source(f"Sarah Chen opened shop {number}.", clock.now + number % 3 * DAY, [node]))
        assert await joined(garden, new[-1], [node]) == []
    clock.forward(days=3)
    return node, old, new


async def test_a_node_gets_a_further_storyline_from_what_is_new(rc, garden, clock):
    node, old, new = await two_storylines(rc, garden, clock)
    assert (await rc.run_job("storyline_promotion"))["changed"] == 1
    first, second = sorted(await stories(garden), key=lambda story: story.happened_at)
    assert garden.linked(first.id, "includes") == set(old)
    assert garden.linked(second.id, "includes") == set(new)
    assert second.data["source_count"] == 5
    source = await garden.source("Sarah Chen opened another shop.", clock.now, [node])
    assert await joined(garden, source, [node]) == [second.id]


@pytest.mark.parametrize("missing", ["a source", "a day", "time"])
async def test_what_a_further_storyline_needs(rc, garden, clock, missing):
    _, _, new = await two_storylines(rc, garden, clock)
    with psycopg.connect(rc.database_url, autocommit=True) as owner:
        if missing == "a source":
            owner.execute("delete from recollect.relation where space_id = %s and from_id = %s", (SPACE, new[0]))
        elif missing == "a day":
            moment = clock.now - 2 * DAY
            owner.execute(
                "update recollect.memory set happened_at = %s where space_id = %s and id = any (%s)",
                (moment, SPACE, new[2::3]),
            )
        else:
            owner.execute(
                "update recollect.memory set data = data || jsonb_build_object('last_source_at', %s::text)"
                " where space_id = %s and kind = 'storyline'",
                ((clock.now - 90 * DAY + timedelta(seconds=1)).isoformat(), SPACE),
            )
    assert (await rc.run_job("storyline_promotion"))["spaces"] == 0


async def test_of_several_storylines_the_nearest_in_time_then_the_most_alike(rc, garden, clock):
    node, _, _ = await two_storylines(rc, garden, clock)
    await rc.run_job("storyline_promotion")
    first, second = sorted(await stories(garden), key=lambda story: story.happened_at)
    early = await garden.source("Sarah Chen was on leave.", first.happened_at + 10 * DAY, [node])
    assert await joined(garden, early, [node]) == [first.id]
    # Both are of this time now: the words decide.
    with psycopg.connect(rc.database_url, autocommit=True) as owner:
        owner.execute(
            "update recollect.memory set data = data || jsonb_build_object('last_source_at', %s::text)"
            " where space_id = %s and kind = 'storyline'",
            (clock.now.isoformat(), SPACE),
        )
    alike = await garden.memory("source", second.content, type="text-note", happened_at=clock.now)
    await garden.mention(alike, [node])
    assert await joined(garden, alike, [node]) == [second.id]


async def test_storylines_become_a_macro_which_later_ones_join(rc, garden, clock):
    node, _, _ = await two_storylines(rc, garden, clock)
    assert (await rc.run_job("macro_promotion"))["spaces"] == 0
    await rc.run_job("storyline_promotion")
    counts = await rc.run_job("macro_promotion")
    assert (counts["seen"], counts["changed"], counts["failed"]) == (1, 1, 0)
    [macro] = await stories(garden, "macro")
    assert garden.linked(macro.id, "rooted_in") == {node}
    assert garden.linked(macro.id, "groups") == {story.id for story in await stories(garden)}
    assert (macro.data["storyline_count"], macro.data["source_count"]) == (2, 10)
    assert macro.title == "Sarah Chen (8 March – 18 July 2026)"
    assert macro.content.startswith(
        "10 sources in 2 storylines speak of Sarah Chen from 8 March 2026 to 18 July 2026. "
    )
    assert 2 <= macro.content.count(". ") + 1 <= 4
    assert (await rc.run_job("macro_promotion"))["spaces"] == 0

    source = await garden.source("Sarah Chen sold the shops.", clock.now, [node])
    [second] = await joined(garden, source, [node])
    assert dirty(garden) == {second, macro.id}
    [macro] = await stories(garden, "macro")
    assert (macro.data["source_count"], macro.data["last_source_at"]) == (11, clock.now.isoformat())
    await rc.run_job("storyline_refresh")
    await rc.run_job("macro_refresh")
    assert dirty(garden) == set()
    [macro] = await stories(garden, "macro")
    assert macro.content.endswith("Sarah Chen sold the shops.")

    clock.forward(days=120)
    for number in range(5):
        await garden.source(f"Sarah Chen went to sea {number} times.", clock.now + number % 3 * DAY, [node])
    clock.forward(days=3)
    await rc.run_job("storyline_promotion")
    assert len(garden.linked(macro.id, "groups")) == 3
    [macro] = await stories(garden, "macro")
    assert (macro.data["storyline_count"], macro.data["source_count"]) == (3, 16)
    assert macro.id in dirty(garden)


@pytest.mark.parametrize("missing", ["a storyline", "time"])
async def test_what_a_macro_needs(rc, garden, clock, missing):
    await two_storylines(rc, garden, clock)
    await rc.run_job("storyline_promotion")
    if missing == "a storyline":
        garden.stand([(await stories(garden))[0].id], state="archived")
    else:
        with psycopg.connect(rc.database_url, autocommit=True) as owner:
            moment = clock.now - 30 * DAY
            owner.execute("update recollect.mentioned set first_at = %s where space_id = %s", (moment, SPACE))
    assert (await rc.run_job("macro_promotion"))["spaces"] == 0


async def test_a_storyline_that_its_macro_does_not_have_is_taken_in(rc, garden, clock):
    await two_storylines(rc, garden, clock)
    await rc.run_job("storyline_promotion")
    await rc.run_job("macro_promotion")
    with psycopg.connect(rc.database_url, autocommit=True) as owner:
        owner.execute(
            "delete from recollect.relation where space_id = %s and type = 'groups' and to_id ="
            " (select max(id::text)::uuid from recollect.memory where space_id = %s and kind = 'storyline')",
            (SPACE, SPACE),
        )
    assert (await rc.run_job("macro_promotion"))["changed"] == 1
    [macro] = await stories(garden, "macro")
    assert len(garden.linked(macro.id, "groups")) == 2
    assert (await rc.run_job("macro_promotion"))["spaces"] == 0


async def test_of_jobs_that_run_at_once_one_tells_a_story(rc, garden, clock):
    node, _ = await grown(garden)
    await asyncio.gather(*(fade.run(garden.parts, "storyline_promotion") for _ in range(4)))
    [story] = await stories(garden)
    source = await garden.source("Sarah Chen became a manager.", clock.now, [node])
    await asyncio.gather(*(joined(garden, source, [node]) for _ in range(4)))
    [after] = await stories(garden)
    assert after.data["source_count"] == 6
    [(ties,)] = garden.rows(
        "select count(*) from relation where space_id = %(space)s and from_id = %(id)s and type = 'includes'",
        id=story.id,
    )
    assert ties == 6
    await asyncio.gather(*(fade.run(garden.parts, "storyline_refresh") for _ in range(4)))
    assert dirty(garden) == set()
    assert (await stories(garden))[0].version == story.version + 1


async def test_what_a_person_wrote_stays(rc, garden, clock):
    node, _ = await grown(garden)
    await rc.run_job("storyline_promotion")
    [story] = await stories(garden)
    me = rc.scope(user_id="alice")
    await me.update(story.id, content="Sarah runs everything.")
    source = await garden.source("Sarah Chen became a manager.", clock.now, [node])
    await joined(garden, source, [node])
    await rc.run_job("storyline_refresh")
    kept = await me.get(story.id)
    assert (kept.content, kept.data["source_count"]) == ("Sarah runs everything.", 6)
    assert dirty(garden) == set()


async def test_a_deleted_storyline_is_not_told_again(rc, garden):
    await grown(garden)
    await rc.run_job("storyline_promotion")
    [story] = await stories(garden)
    await rc.scope(user_id="alice").delete(story.id)
    assert (await rc.run_job("storyline_promotion"))["spaces"] == 0


class Answers(BaseModel):
    summary: str


async def with_model(open_recollect, model):
    """A garden in which a model tells the stories."""
    garden = Garden(await open_recollect())
    garden.parts = replace(garden.parts, model=model)
    return garden


async def test_a_model_tells_and_where_it_fails_rules_do_until_it_can(open_recollect, clock):
    given = [BadAnswer("no")]
    model = FakeLanguageModel(lambda _: given[0])
    garden = await with_model(open_recollect, model)
    await grown(garden)
    counts = await fade.run(garden.parts, "storyline_promotion")
    assert (counts["changed"], counts["failed"]) == (1, 1)
    [story] = await stories(garden)
    assert story.content.startswith("On 8 March 2026: ")
    assert dirty(garden) == {story.id}
    for _ in range(2):
        assert (await fade.run(garden.parts, "storyline_refresh"))["failed"] == 1
        assert [each.version for each in await stories(garden)] == [story.version]
    given[0] = Answers(summary="Sarah Chen joined. She shipped. She won. She left.")
    assert (await fade.run(garden.parts, "storyline_refresh"))["changed"] == 1
    [told] = await stories(garden)
    assert told.content == "Sarah Chen joined. She shipped. She won."
    assert dirty(garden) == set()
    asked = model.questions[-1]
    assert asked.task == "summarise"
    assert "[8 March 2026] Sarah Chen joined the payments team." in asked.prompt
    assert story.content in asked.prompt


async def test_what_came_meanwhile_keeps_a_storyline_marked(open_recollect, clock):
    """A source joins while the model still tells the story: the mark stays, and the next run tells of it too."""
    late = []

    def answer(question):
        late.append(question.prompt)
        return Answers(summary=f"Told {len(late)} times.")

    garden = await with_model(open_recollect, FakeLanguageModel(answer))
    node, _ = await grown(garden)
    await fade.run(garden.parts, "storyline_promotion")
    [story] = await stories(garden)
    await joined(garden, await garden.source("Sarah Chen became a manager.", clock.now, [node]), [node])
    last = await garden.source("Sarah Chen moved to Porto.", clock.now, [node])
    ask = FakeLanguageModel.ask

    async def interrupted(self, *given):
        told = await ask(self, *given)
        await joined(garden, last, [node])
        return told

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FakeLanguageModel, "ask", interrupted)
        await fade.run(garden.parts, "storyline_refresh")
    assert dirty(garden) == {story.id}
    await fade.run(garden.parts, "storyline_refresh")
    assert dirty(garden) == set()
    assert "moved to Porto" in late[-1]


async def test_what_fails_does_not_stop_the_rest(open_recollect, clock):
    class Poisoned(RuntimeError):
        """Nothing that a model may raise."""

    def answer(asked):
        return Poisoned() if "To follow: Ben" in asked.prompt else Answers(summary="Told.")

    garden = await with_model(open_recollect, FakeLanguageModel(answer))
    for name in ("Ann", "Ben", "Cem"):
        await grown(garden, name)
    counts = await fade.run(garden.parts, "storyline_promotion")
    assert (counts["seen"], counts["changed"], counts["failed"]) == (3, 2, 1)
