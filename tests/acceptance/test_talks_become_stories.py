"""Talk alone, with no document: people, a storyline, and after more talk another one and a macro."""

from datetime import timedelta

SAID = (
    "I met Ottilie Brandt at the harbour this morning.",
    "Ottilie Brandt leads the lighthouse survey now.",
    "Ottilie wants two more boats for the survey.",
    "Piet Hollander lent us his dinghy.",
    "Ottilie Brandt and Piet Hollander sailed out together.",
    "The fog kept us in port for an hour.",
    "Ottilie Brandt showed me the new charts.",
    "Piet Hollander cooked soup for everybody.",
    "We counted the buoys north of the island.",
    "Ottilie Brandt will write the report.",
)
REPLY = "Noted, tell me more."


async def talk(rc, me, clock, days, thread):
    """Twenty turns a day: ten of the user, ten of the assistant."""
    for _ in range(days):
        chat = await me.conversation(thread)
        messages = [(role, text) for said in SAID for role, text in (("user", said), ("assistant", REPLY))]
        for place, (role, text) in enumerate(messages):
            await chat.add(role, text, at=clock() + timedelta(minutes=place))
        clock.now += timedelta(hours=8)
        await rc.drain()
        await rc.run_job("conversation_sources")
        await rc.drain()
        clock.now += timedelta(hours=16)


async def stories(me, kind):
    return (await me.get_all(kinds=[kind], limit=100)).memories


async def test_two_hundred_turns_tell_a_story_and_more_talk_a_macro(mind, clock):
    rc = mind
    me = rc.scope(user_id="alice")
    await talk(rc, me, clock, 10, "log")
    people = {node.title for node in await me.nodes(kind="person")}
    assert {"Ottilie Brandt", "Piet Hollander"} <= people
    sources = await me.sources()
    assert [source.source_type for source in sources] == ["conversation"] * 10
    await rc.drain()
    await rc.run_job("storyline_promotion")
    first = await stories(me, "storyline")
    assert any("Ottilie Brandt" in (story.title or "") for story in first)
    clock.now += timedelta(days=100)
    await talk(rc, me, clock, 6, "log")
    await rc.drain()
    await rc.run_job("storyline_promotion")
    await rc.run_job("macro_promotion")
    second = [story for story in await stories(me, "storyline") if "Ottilie Brandt" in (story.title or "")]
    assert len(second) == 2
    [macro] = [macro for macro in await stories(me, "macro") if "Ottilie Brandt" in (macro.title or "")]
    inside = await me.explore([], granularity=2, within=macro.id)
    assert {hit.memory.id for hit in inside} == {story.id for story in second}
