"""Sources that fade leave their gist on the nodes that they mention; what is said often is noted together."""

from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest
from pydantic import BaseModel

from recollect.flows import fade
from recollect.providers.language.base import BadAnswer
from recollect.providers.language.fake import FakeLanguageModel
from recollect.records import notes
from seeding import SPACE, Garden

DAY = timedelta(days=1)
TICK = timedelta(microseconds=1)
# Active and never recalled, a source loses 2 % a day: from 0.5 it falls under 0.2 after 45.8 days.
FADED = 46 * DAY


@pytest.fixture
def garden(rc):
    return Garden(rc)


def noted(garden):
    return garden.rows(
        "select target_id, content, source_id, lifetime, added_by from note where space_id = %(space)s order by id"
    )


def states(garden, ids):
    found = dict(garden.rows("select memory_id, state from memory_use where space_id = %(space)s"))
    return [found[id] for id in ids]


def dirty(garden):
    return {id for (id,) in garden.rows("select target_id from dirty where space_id = %(space)s")}


def faded(clock, **use):
    return {"state": "active", "salience_at": clock.now - FADED, "stored_at": clock.now - FADED} | use


async def test_a_faded_source_leaves_its_gist_and_is_archived_with_its_chunks(rc, garden, clock):
    sarah, atlas = await garden.node("Sarah Chen"), await garden.node("Atlas", "entity")
    said = "The budget was cut. Sarah Chen leads Atlas from May on."
    source = await garden.source(said, clock.now - 50 * DAY, [sarah, atlas], faded(clock))
    other = await garden.source("Somebody else is in use.", clock.now, [])
    chunk = await garden.chunk(source, "Sarah Chen leads Atlas.")
    shared = await garden.chunk(source, "The budget was cut.", 1, [other])
    counts = await rc.run_job("source_consolidation")
    expected = {"seen": 1, "changed": 1, "archived": 1, "notes": 2, "failed": 0}
    assert {name: counts[name] for name in expected} == expected
    gist = "On 27 January 2026: Sarah Chen leads Atlas from May on."
    assert noted(garden) == [(node, gist, source, "year", "recollect") for node in sorted([sarah, atlas])]
    assert dirty(garden) == {sarah, atlas}
    assert states(garden, [source, chunk, shared, other]) == ["archived", "archived", "candidate", "candidate"]
    me = rc.scope(user_id="alice")
    assert [(entry.event, entry.reason) for entry in await me.history(source)][-1] == ("TTL", "its gist was noted")
    assert garden.linked(source, "mentions") == {sarah, atlas}
    [(raw,)] = garden.rows("select raw from source where space_id = %(space)s and id = %(id)s", id=source)
    assert raw.startswith(said)
    assert (await rc.run_job("source_consolidation"))["spaces"] == 0


@pytest.mark.parametrize(
    ("use", "archived"),
    [
        ({}, True),
        ({"salience": 0.2, "decay_gradient": 1.0, "salience_at": "now"}, False),
        ({"salience": 0.1999, "salience_at": "now"}, True),
        ({"stored_at": 7 * DAY}, False),
        ({"stored_at": 7 * DAY + TICK}, True),
        ({"pinned": True}, False),
        ({"by_hand": True}, False),
        ({"ttl_policy": "keep_forever"}, False),
        ({"state": "core"}, True),
        ({"state": "candidate"}, False),  # sure, and never asked for: it does not fade
        ({"state": "soft_deleted"}, False),
    ],
)
async def test_which_sources_are_archived(rc, garden, clock, use, archived):
    given = {
        name: clock.now if value == "now" else clock.now - value if isinstance(value, timedelta) else value
        for name, value in use.items()
    }
    node = await garden.node("Sarah Chen")
    source = await garden.source("Sarah Chen left.", clock.now, [node], faded(clock, **given))
    assert (await rc.run_job("source_consolidation")).get("archived", 0) == archived
    assert (states(garden, [source]) == ["archived"]) == archived
    assert len(noted(garden)) == archived


async def test_a_source_that_has_not_arrived_in_the_graph_waits(rc, garden, clock):
    await garden.source("Sarah Chen left.", clock.now, [], faded(clock))
    with psycopg.connect(rc.database_url, autocommit=True) as owner:
        owner.execute("update recollect.source set status = 'processed' where space_id = %s", (SPACE,))
    assert (await rc.run_job("source_consolidation"))["spaces"] == 0


@pytest.mark.parametrize(("accesses", "due"), [(5, True), (4, False)])
async def test_what_is_often_asked_for_and_fades_is_noted_early(rc, garden, clock, accesses, due):
    node = await garden.node("Sarah Chen")
    use = faded(clock, stored_at=clock.now - 2 * DAY, access_count=accesses)
    source = await garden.source("Sarah Chen left.", clock.now, [node], use)
    assert (await rc.run_job("source_consolidation")).get("changed", 0) == due
    assert len(noted(garden)) == due
    assert states(garden, [source]) == ["active"]
    assert (await rc.run_job("source_consolidation"))["spaces"] == 0
    # Older, it is archived, and what was noted is not noted again.
    clock.forward(days=6)
    await rc.run_job("source_consolidation")
    assert states(garden, [source]) == ["archived"]
    assert len(noted(garden)) == 1


async def test_what_was_woken_up_and_fades_again_is_not_noted_again(rc, garden, clock):
    node = await garden.node("Sarah Chen")
    source = await garden.source("Sarah Chen left.", clock.now, [node], faded(clock))
    await rc.run_job("source_consolidation")
    clock.forward(days=400)
    await rc.run_job("note_cleanup")
    garden.stand([source], state="active")
    assert (await rc.run_job("source_consolidation"))["archived"] == 1
    assert noted(garden) == []


async def test_what_enough_sources_say_of_one_node_is_noted_together(rc, garden, clock):
    node, few = await garden.node("Sarah Chen"), await garden.node("Ben")
    days = [clock.now - (9 - number) * DAY for number in range(5)]
    sources = [
        await garden.source(f"Sarah Chen built bridge number {number}.", at, [node, few] if number else [node])
        for number, at in enumerate(days)
    ]
    counts = await rc.run_job("source_consolidation")
    assert (counts["seen"], counts["changed"], counts["archived"], counts["notes"]) == (1, 5, 0, 1)
    [(target, content, source, _, _)] = noted(garden)
    assert (target, source) == (node, sources[-1])
    assert content == (
        "5 sources speak of Sarah Chen from 9 March 2026 to 13 March 2026. "
        "On 13 March 2026: Sarah Chen built bridge number 4."
    )
    assert states(garden, sources) == ["candidate"] * 5
    assert (await rc.run_job("source_consolidation"))["spaces"] == 0
    # The next five make the next note; for the other node one more does.
    for number in range(5):
        assert len(noted(garden)) == (1 if number == 0 else 2)
        await garden.source(f"Sarah Chen tore bridge {number} down.", clock.now, [node, few] if not number else [node])
        await rc.run_job("source_consolidation")
    assert {target for target, *_ in noted(garden)} == {node, few}
    assert len(noted(garden)) == 3


async def test_a_note_of_several_is_as_hidden_as_the_most_sensitive(rc, garden, clock):
    node = await garden.node("Sarah Chen")
    sources = [
        await garden.source(
            f"Sarah Chen took pill {number}.", clock.now, [node], sensitivity="high" if number == 1 else "normal"
        )
        for number in range(5)
    ]
    await rc.run_job("source_consolidation")
    assert [source for _, _, source, _, _ in noted(garden)] == [sources[1]]


class Answers(BaseModel):
    summary: str


@pytest.mark.parametrize("answer", [Answers(summary="Sarah Chen builds bridges."), BadAnswer("no")])
async def test_a_model_says_what_sources_come_to(rc, garden, clock, answer):
    node = await garden.node("Sarah Chen")
    for number in range(5):
        await garden.source(f"Sarah Chen built bridge number {number}.", clock.now, [node])
    model = FakeLanguageModel(lambda _: answer)
    await fade.run(replace(garden.parts, model=model), "source_consolidation")
    [(_, content, *_)] = noted(garden)
    assert content == "Sarah Chen builds bridges." or content.startswith("5 sources speak of Sarah Chen")
    assert [question.task for question in model.questions] == ["summarise"]


async def test_a_source_that_fails_does_not_stop_the_others(rc, garden, clock, monkeypatch):
    node = await garden.node("Sarah Chen")
    ids = [await garden.source(f"Sarah Chen left room {n}.", clock.now, [node], faded(clock)) for n in range(3)]
    garden.stand(ids, stored_at=clock.now - 8 * DAY)
    add = notes.add

    async def poisoned(connection, space, drafts, now):
        if any("room 1" in draft.content for draft in drafts):
            raise RuntimeError("poisoned")
        return await add(connection, space, drafts, now)

    monkeypatch.setattr(notes, "add", poisoned)
    counts = await rc.run_job("source_consolidation")
    assert (counts["seen"], counts["archived"], counts["failed"]) == (3, 2, 1)
    assert states(garden, ids) == ["archived", "active", "archived"]
    monkeypatch.undo()
    assert (await rc.run_job("source_consolidation"))["archived"] == 1
