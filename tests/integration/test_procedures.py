"""Procedures: steps that a user spells out, or asks to keep; never in the way of other knowledge."""

import pytest

from recollect.understanding.fence import CLOSING, OPENING

DEPLOY = """Here is how we deploy the billing service:
1. Run the tests.
2. Build the image.
3. Push it to the registry."""


async def say(rc, *texts, role="user", thread="chat-1"):
    chat = await rc.scope(user_id="alice").conversation(thread)
    for text in texts:
        await chat.add(role, text)
    await rc.drain()
    return chat


async def procedures(rc):
    return list(await rc.scope(user_id="alice").get_all(kinds=["procedure"]))


async def test_steps_that_a_user_spells_out_are_kept(mind):
    chat = await say(mind, DEPLOY)
    [found] = await procedures(mind)
    assert (found.title, found.category, found.data["steps"]) == (
        "How we deploy the billing service",
        "procedural",
        ["Run the tests.", "Build the image.", "Push it to the registry."],
    )
    assert found.content.startswith("How we deploy the billing service\n1. Run the tests.")
    me = mind.scope(user_id="alice")
    assert list(await me.get_all(kinds=["statement"])) == []
    context = await chat.context("How do we deploy billing?")
    assert "procedure" not in {hit.memory.kind for hit in context.hits}
    hits = await me.search("deploy the billing service", kinds=["procedure"])
    assert [hit.memory.id for hit in hits] == [found.id]


async def test_told_again_it_has_another_version(mind, clock):
    await say(mind, DEPLOY)
    [first] = await procedures(mind)
    clock.forward(hours=1)
    await say(mind, DEPLOY)
    [same] = await procedures(mind)
    assert (same.id, same.version) == (first.id, 1)
    clock.forward(hours=1)
    chat = await say(mind, DEPLOY + "\n4. Tell the team.")
    [newer] = await procedures(mind)
    assert (newer.id, newer.version, len(newer.data["steps"])) == (first.id, 2, 4)
    await chat.retract(3)
    await mind.drain()
    assert await procedures(mind) == []


async def test_what_a_person_wrote_or_deleted_stays(mind, clock):
    me = mind.scope(user_id="alice")
    await say(mind, DEPLOY)
    [found] = await procedures(mind)
    await me.update(found.id, content="How we deploy the billing service\n1. Ask Tom.")
    clock.forward(hours=1)
    await say(mind, DEPLOY)
    assert [each.content for each in await procedures(mind)] == ["How we deploy the billing service\n1. Ask Tom."]
    await me.delete(found.id)
    clock.forward(hours=1)
    await say(mind, DEPLOY)
    assert await procedures(mind) == []


async def test_what_an_assistant_lists_is_kept_when_the_user_asks_for_it(mind):
    steps = "Sure. To release:\n1. Tag the commit.\n2. Run the pipeline."
    await say(mind, steps, role="assistant")
    await say(mind, "Thanks, that works.")
    assert await procedures(mind) == []
    await say(mind, steps, role="assistant")
    chat = await say(mind, "Please save these steps as our release procedure.")
    [found] = await procedures(mind)
    assert (found.title, found.data["steps"]) == ("To release", ["Tag the commit.", "Run the pipeline."])
    await chat.retract(3)
    await mind.drain()
    assert await procedures(mind) == []


@pytest.mark.parametrize(
    "text",
    [
        "My favourites:\n1. Tea\n2. Coffee\n3. Water",
        "I have two questions:\n1. Is it open?\n2. What does it cost?",
        "1. Run it\n2. Stop it",
        "The process so far:\n1. We met Tom.\n2. He said no.",
        "How to choose:\n1. The Matrix\n2. Alien",
    ],
)
async def test_other_lists_are_no_procedures(mind, text):
    await say(mind, text)
    assert await procedures(mind) == []


async def test_recalled_text_and_secrets_are_left_out(mind):
    await say(mind, f"{OPENING}\n{DEPLOY}\n{CLOSING}\nThanks.")
    assert await procedures(mind) == []
    await say(mind, "How to log in:\n1. Open the page.\n2. Enter sk-abcdefghijklmnop1234567890ABCDEF as the key.")
    [found] = await procedures(mind)
    assert "sk-abcdef" not in found.content
