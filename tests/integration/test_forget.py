"""Forgetting with a receipt: what was forgotten is nowhere, all else is still found, and it does not come back."""

import asyncio
import json

import psycopg
import pytest

import bolt
import dumps
from recollect.core.errors import Conflict, InvalidInput, NotFound

TRACES = ("maria", "maría", "lopez", "lópez", "santos", "marialopez")


@pytest.fixture
def me(mind):
    return mind.scope(user_id="alice")


def traces(rc, *words):
    return dumps.carrying(rc.database_url, *words)


async def found(me, text, **given):
    """Whether a search finds a text, word for word."""
    hits = await me.search(text, limit=20, **given)
    return any(text in hit.memory.content for hit in hits)


async def fifty_sources(rc, me, clock):
    """Documents over many days: a sentence about her in each, another about something else."""
    said = (
        "Maria Lopez checked crate {0} at the harbour.",
        "The lamp in maria lopez's office has number {0}.",
        "We asked MARIA LOPEZ about invoice {0}.",
        "Mia Santos, as friends call her, sent letter {0}.",
        "Dr. María López signed form {0}.",
    )
    for number in range(50):
        about = said[number % len(said)].format(number)
        await me.ingest(f"{about} Rupert Vane counted {number} sacks of barley at Orbital Labs.", title=f"Day {number}")
        if number % 10 == 9:
            await rc.drain()
            clock.forward(days=1)
    await me.ingest("Maria Lopez works at Orbital Labs. Rupert Vane works with Maria Lopez.")
    await rc.drain()
    [maria] = [node for node in await me.nodes(name="Maria Lopez") if node.name == "Maria Lopez"]
    [mia] = await me.nodes(name="Mia Santos")
    await me.merge(maria.id, mia.id)


@pytest.fixture
def neo4j_if_any(request):
    """A Neo4j, where this machine can run one."""
    try:
        return request.getfixturevalue("neo4j_server"), request.getfixturevalue("neo4j")
    except pytest.skip.Exception:
        return None, {}


def in_neo4j(server):
    """All that it holds: labels, types and properties."""
    nodes = bolt.ask(server, "MATCH (n) RETURN labels(n) AS labels, properties(n) AS held")
    ties = bolt.ask(server, "MATCH ()-[r]->() RETURN type(r) AS type, properties(r) AS held")
    return str([*nodes, *ties]).casefold()


@pytest.mark.xdist_group("neo4j")
async def test_a_person_is_forgotten_without_a_trace(open_recollect, neo4j_if_any, clock):
    server, settings = neo4j_if_any
    rc = await open_recollect(understand=True, **settings)
    me = rc.scope(user_id="alice", agent_id="planner", team_ids=["crew"])
    bob = rc.scope(user_id="bob", team_ids=["crew"])
    await fifty_sources(rc, me, clock)
    # A team's source that another user has used.
    await me.ingest("Maria Lopez leads Project Heron. Rupert Vane paints boats in Lisbon.", team_id="crew")
    await rc.drain()
    assert await bob.search("Who leads Project Heron?", kinds=["chunk"])
    await rc.drain()
    assert await bob.nodes(name="Maria")
    # Turns, a profile, proposals.
    chat = await me.conversation("chat")
    for text in (
        "My name is Alice. My sister is Maria Lopez.",
        "maria's birthday is on 3 May. I live in Porto.",
        "My favourite tea is oolong.",
        "Maria Lopez moved to Ghent. She plays the cello.",
        "I work at Orbital Labs.",
    ):
        await chat.add("user", text)
        await chat.add("assistant", "I see. " + ("Maria Lopez sounds nice." if "Maria" in text else "Good to know."))
    await chat.add("user", "I am ill.", name="Maria Lopez", metadata={"from": "maria.lopez@example.org"})
    await me.set_profile("identity", "emergency_contact", "Maria Lopez")
    await me.add("Alice owes Maria Lopez a book. Alice collects stamps.")
    await rc.drain()
    # Working notes, a review, notes on others.
    active = await me.create_active("Trip with Maria Lopez", sections={"plan": "Pack tents."}, description="For Maria.")
    await me.update_section(active.id, "plan", "Maria Lopez brings the tents. The ferry leaves at nine.")
    await me.migrate()
    await me.update_section(active.id, "plan", "Maria Lopez does not bring the tents. The ferry leaves at nine.")
    await me.migrate()
    # A checkpoint, with JSON in a string of it.
    desk = rc.scope(user_id="alice", thread_id="desk")
    hidden = json.dumps({"who": "María López", "step": 4})
    await desk.save_checkpoint({"todo": ["Call maria lopez. Buy bread."], "step": 3, "log": hidden})
    [rupert] = await me.nodes(name="Rupert Vane")
    await me.add_note(rupert.id, "Rupert Vane dined with Maria.", "forever")
    await me.add_note(rupert.id, "Rupert Vane dislikes rain.", "forever")
    for job in ("storyline_promotion", "descriptions"):
        clock.forward(days=4)
        await rc.run_job(job)
    await rc.drain()
    stories = await me.get_all(kinds=["storyline"])
    assert len(stories) >= 3
    assert any("Maria" in story.content for story in stories)
    assert traces(rc, "maria")
    if server is not None:
        assert all(word in in_neo4j(server) for word in ("maria lopez", "mia santos"))

    receipt = await me.forget(person="Maria Lopez")
    await rc.drain()
    await rc.run_job("descriptions")
    await rc.drain()
    if server is not None:
        assert "rupert vane" in (held := in_neo4j(server))
        assert not any(word in held for word in TRACES)
        assert (await rc.verify_graph()).equal

    left = traces(rc, *TRACES)
    assert left == [], "\n".join(left)
    assert not any(word in dumps.pg_dumped(rc.database_url).casefold() for word in TRACES)
    for scope in (me, bob):
        exported = " ".join([line async for line in scope.export()]).casefold()
        assert not any(word in exported or json.dumps(word)[1:-1] in exported for word in TRACES)
    assert receipt.check.ok
    assert receipt.counts["person"] >= 1
    assert receipt.counts["sources"] >= 50
    assert receipt.counts["messages"] >= 4
    assert receipt.counts["rewritten_checkpoint"] == 1
    state = await desk.load_checkpoint()
    assert (state["todo"], state["step"], json.loads(state["log"])) == (["Buy bread."], 3, {"who": "", "step": 4})
    assert not any(word in str(receipt).casefold() for word in TRACES)
    # Everything else is still there.
    for number in (0, 7, 23, 49):
        assert await found(me, f"Rupert Vane counted {number} sacks of barley at Orbital Labs."), number
    for text in (
        "My favourite tea is oolong.",
        "I live in Porto.",
        "Alice collects stamps.",
        "The ferry leaves at nine.",
    ):
        assert await found(me, text), text
    assert await found(bob, "Rupert Vane paints boats in Lisbon.")
    assert [node.name for node in await me.nodes(name="Rupert Vane")] == ["Rupert Vane"]
    assert [node.name for node in await bob.nodes(name="Rupert Vane")] == ["Rupert Vane"]
    assert "Rupert Vane dislikes rain." in [note.content for note in await me.notes(rupert.id)]
    assert {fact.key for fact in await me.profile()} >= {"name"}
    assert await me.get_all(kinds=["storyline"])
    assert not await me.nodes(name="Maria")
    assert not await bob.nodes(name="Maria")
    await no_vector_is_near(rc, "Maria Lopez checked crate 0 at the harbour.", "Maria Lopez moved to Ghent.")

    # What arrives later is raw data, and teaches nothing about her.
    again = await me.ingest("Maria Lopez checked crate 900 at the harbour. Rupert Vane counted 900 sacks of rye.")
    await chat.add("user", "My sister is Maria Lopez. My favourite colour is green.")
    await rc.drain()
    for job in ("storyline_refresh", "descriptions", "source_consolidation"):
        clock.forward(days=2)
        await rc.run_job(job)
    await rc.drain()
    carriers = {line.split(":")[0] for line in traces(rc, "maria")}
    assert carriers <= {"recollect.memory", "recollect.message", "recollect.source", "recollect.space_statistics"}
    with psycopg.connect(rc.database_url) as owner:
        rows = owner.execute(
            "select kind, summary, data::text, title from recollect.memory where content ilike '%maria%'"
        ).fetchall()
        named = owner.execute(
            "select kind from recollect.memory where coalesce(summary, '') || data::text || array_to_string(tags, ' ')"
            " ilike '%maria%'"
        ).fetchall()
    assert {kind for kind, *_ in rows} <= {"turn", "source", "chunk"}
    assert named == []
    assert await found(me, "Maria Lopez checked crate 900 at the harbour.")
    assert not await me.nodes(name="Maria")
    assert (await me.get(again.id)).summary
    assert await found(me, "Rupert Vane counted 900 sacks of rye.")


async def no_vector_is_near(rc, *texts):
    vectors = await rc.parts.embedder.embed(list(texts), purpose="document")
    with psycopg.connect(rc.database_url) as owner:
        for table in ("entry", "relation_entry"):
            for (stored,) in owner.execute(f"select embedding::text from recollect.{table}").fetchall():
                values = json.loads(stored)
                length = sum(value * value for value in values) ** 0.5 or 1.0
                for vector in vectors:
                    near = sum(a * b for a, b in zip(values, vector.tolist(), strict=True)) / length
                    assert near < 0.99, table


async def test_a_statement_goes_with_the_sentence_that_it_was_learned_from(mind, me):
    chat = await me.conversation("chat")
    await chat.add("user", "My name is Alice. By the way, I'm allergic to walnuts. I work at Orbital Labs.")
    await chat.add("assistant", "Noted.")
    await mind.drain()
    known = [m for m in await me.get_all(kinds=["statement", "profile"]) if "walnut" in m.content.casefold()]
    assert known
    for memory in known:
        receipt = await me.forget(memory.id)
        assert receipt.check.ok
        assert memory.id in receipt.removed
    await mind.drain()
    assert traces(mind, "walnut") == []
    [first, _] = await chat.messages()
    assert first.content == "My name is Alice. [forgotten] I work at Orbital Labs."
    assert await found(me, "I work at Orbital Labs.")
    # Said again, it is in the log and found there, and nothing is learned of it.
    await chat.add("user", "By the way, I'm allergic to walnuts.")
    await mind.drain()
    assert await found(me, "allergic to walnuts", kinds=["turn"])
    assert not [m for m in await me.get_all(kinds=["statement", "profile"]) if "walnut" in m.content.casefold()]


async def test_what_is_barred_is_added_by_hand_only_when_lifted(mind, me):
    added = await me.add("Alice is afraid of spiders.")
    await me.forget(added.id)
    with pytest.raises(Conflict, match="tombstone"):
        await me.add("Alice is afraid of spiders.")
    with pytest.raises(Conflict):
        await me.add_many([{"content": "Alice likes tea."}, {"content": "Alice is afraid of spiders."}])
    assert not await me.get_all(kinds=["statement"])  # nothing half written
    with pytest.raises(InvalidInput, match="lift"):
        await me.add("Alice is afraid of spiders.", lift="yes")
    [stone] = await me.tombstones()
    assert "spider" not in str(stone)
    assert (await me.add("Alice is afraid of spiders.", lift=True)).content == "Alice is afraid of spiders."
    assert await me.tombstones() == []
    assert await me.add("Alice is afraid of spiders.")


async def test_a_tombstone_can_be_lifted(mind, me):
    await me.ingest("Otto Kaputt lives in Vienna.")
    await mind.drain()
    await me.forget(person="Otto Kaputt")
    await me.ingest("Otto Kaputt lives in Graz.")
    await mind.drain()
    assert not await me.nodes(name="Otto")
    for refused in (me.set_profile("identity", "friend", "Otto Kaputt"), me.add("Call Otto Kaputt back.")):
        with pytest.raises(Conflict):
            await refused
    [stone] = await me.tombstones()
    assert await me.lift(stone.id) == stone
    with pytest.raises(NotFound):
        await me.lift(stone.id)
    await me.ingest("Otto Kaputt lives in Linz.")
    await mind.drain()
    assert [node.name for node in await me.nodes(name="Otto")] == ["Otto Kaputt"]


async def test_a_message_is_forgotten_with_what_came_of_it(mind, me):
    chat = await me.conversation("chat")
    await chat.add("user", "My name is Alice and I live in Porto.")
    await chat.add("user", "I have a scar from a zeppelin crash.", metadata={"place": "zeppelin hall"})
    for number in range(30):
        await chat.add("user", f"The meter shows {number} today.")
    await chat.end()
    await mind.drain()
    assert traces(mind, "zeppelin")
    receipt = await me.forget(message=("chat", 2))
    await mind.drain()
    assert receipt.check.left == 0
    assert traces(mind, "zeppelin") == []
    log = await chat.messages(limit=40)
    assert [message.turn for message in log] == list(range(1, 33))
    assert log[1].content == "[forgotten]"
    assert await found(me, "The meter shows 7 today.")
    assert await found(me, "My name is Alice and I live in Porto.")
    with pytest.raises(NotFound):
        await me.forget(message=("chat", 99))
    with pytest.raises(NotFound):
        await me.forget(message=("nowhere", 1))
    with pytest.raises(InvalidInput, match="message"):
        await me.forget(message="chat")


async def test_a_message_is_forgotten_but_its_raw_text_may_stay(mind, me):
    chat = await me.conversation("chat")
    await chat.add("user", "I have a scar from a zeppelin crash. I live in Porto.")
    await chat.add("user", "And that is that.")
    await mind.drain()
    await me.forget(message=("chat", 1), keep_raw=True)
    await mind.drain()
    assert [line.split(":")[0] for line in traces(mind, "zeppelin")] == ["recollect.message"]
    assert "zeppelin" in (await chat.messages())[0].content
    assert not await found(me, "zeppelin")


async def test_a_thread_is_forgotten_whole(mind, me):
    for thread in ("one", "two"):
        chat = await me.conversation(thread)
        for number in range(25):
            await chat.add(
                "user", f"In thread {thread} I fed {number} pelicans." if number else f"I like {thread} tea."
            )
        await chat.end()
    await mind.drain()
    receipt = await me.forget(thread="one")
    await mind.drain()
    assert receipt.check.left == 0
    assert receipt.counts["conversations"] == 1
    assert [c.thread_id for c in await me.conversations()] == ["two"]
    assert traces(mind, "thread one", "one tea") == []
    assert await found(me, "In thread two I fed 7 pelicans.")
    again = await me.conversation("one")
    assert (await again.add("user", "Hello.")).turn == 1


async def test_a_source_is_forgotten_with_what_it_taught(mind, me):
    text = "Zelda Quist works at Doppler Group. Zelda Quist has ailment Kappa. Rupert Vane knows Zelda Quist."
    source = await me.ingest(text, title="A letter")
    await me.ingest("Rupert Vane lives in Lisbon.")
    await mind.drain()
    assert await me.nodes(name="Zelda")
    receipt = await me.forget(source=source.id)
    await mind.drain()
    assert receipt.check.left == 0
    assert source.id in receipt.removed
    assert traces(mind, "quist", "doppler", "kappa") == []
    assert [node.name for node in await me.nodes(name="Rupert")] == ["Rupert Vane"]
    # Called again it says that nothing is left; something else was never there.
    assert (await me.forget(source=source.id)).counts == {}
    with pytest.raises(NotFound):
        await me.forget(source="00000000-0000-7000-8000-000000000000")
    # The same text is new raw data: found, and learned from by nobody.
    await me.ingest(text)
    await mind.drain()
    assert await found(me, "Zelda Quist has ailment Kappa.")
    assert not await me.nodes(name="Zelda")
    assert not [m for m in await me.get_all(kinds=["source"]) if "Kappa" in (m.summary or "")]


async def test_a_query_needs_the_token_of_a_dry_run(mind, me):
    tea = await me.add("Alice grows bonsai trees on the balcony.")
    await me.add("The car is blue.")
    with pytest.raises(InvalidInput, match="token"):
        await me.forget(query="bonsai trees")
    shown = await me.forget(query="bonsai trees", dry_run=True)
    assert shown.dry_run
    assert [line.text for line in shown.shown] == ["Alice grows bonsai trees on the balcony."]
    assert await me.get(tea.id)
    for wrong in ("0" * 32, "", shown.token[:-1], "ë"):
        with pytest.raises((Conflict, InvalidInput)):
            await me.forget(query="bonsai trees", token=wrong)
    await me.add("A second sentence about bonsai trees.")
    with pytest.raises(Conflict, match="token"):
        await me.forget(query="bonsai trees", token=shown.token)
    shown = await me.forget(query="bonsai trees", dry_run=True)
    with pytest.raises(Conflict, match="token"):
        await me.forget(query="car", token=shown.token)
    receipt = await me.forget(query="bonsai trees", token=shown.token)
    assert set(receipt.removed) == set(shown.removed)
    assert traces(mind, "bonsai") == []
    assert await found(me, "The car is blue.")


async def test_a_query_means_the_messages_that_say_it(mind, me):
    said = [
        "I like soup. My cat is called Momo.",
        "I drink oat milk.",
        "My car is a Volvo.",
        "The budget is 500 euros.",
    ]
    chat = await me.conversation("chat")
    for text in said:
        await chat.add("user", text)
    await mind.drain()
    before = [memory.content for memory in await me.get_all()]
    shown = await me.forget(query="oat milk", dry_run=True)
    receipt = await me.forget(query="oat milk", token=shown.token)
    assert receipt.check.ok
    assert [message.content for message in await chat.messages()] == [said[0], "[forgotten]", *said[2:]]
    await mind.drain()
    assert traces(mind, "oat milk") == []
    left = [memory.content for memory in await me.get_all()]
    assert [text for text in before if "milk" not in text] == left


async def test_everything_of_a_space_is_forgotten(mind, me):
    bob = mind.scope(user_id="bob")
    await bob.add("Bob likes elephants.")
    chat = await me.conversation("chat")
    await chat.add("user", "My name is Alice. I like elephants.")
    await me.ingest("Otto Kaputt keeps elephants in Vienna.")
    active = await me.create_active("Elephants", sections={"plan": "Buy elephants."})
    await me.update_section(active.id, "plan", "Feed the elephants.")
    await me.guide(instructions="Look for elephants.")
    await mind.drain()
    shown = await me.forget(everything=True, dry_run=True)
    assert len(await chat.messages()) == 1
    receipt = await me.forget(everything=True, token=shown.token)
    await mind.drain()
    assert receipt.check.left == 0
    left = traces(mind, "elephant")
    assert left
    assert all("user:bob" in line for line in left)
    assert [stone.form for stone in await me.tombstones()] == ["everything"]
    assert not await me.get_all()
    assert await me.add("Alice begins anew.")


async def test_everything_may_leave_the_log(mind, me):
    chat = await me.conversation("chat")
    await chat.add("user", "My name is Alice. I like elephants.")
    await me.ingest("Otto Kaputt keeps elephants in Vienna.")
    await mind.drain()
    await me.forget(everything=True, keep_raw=True)
    await mind.drain()
    assert not await me.get_all(kinds=["statement", "profile", "turn", "chunk", "person", "entity"])
    assert len(await chat.messages()) == 1


async def test_one_thing_is_named(me):
    for given in ({}, {"thread": "a", "person": "b"}, {"everything": False}):
        with pytest.raises(InvalidInput):
            await me.forget(**given)
    for given in ({"person": " "}, {"person": "?!"}, {"id": "x"}, {"query": ""}, {"everything": "yes"}, {"thread": ""}):
        with pytest.raises(InvalidInput):
            await me.forget(**given)
    with pytest.raises(NotFound):
        await me.forget("00000000-0000-7000-8000-000000000000")


async def test_namesakes_stay(mind, me):
    await me.ingest("Anna Berg plays chess. Anna Stern paints. Berg Consulting moved to Anna Square.")
    await me.ingest("Will Hunt sings. We will meet on Monday. Mark my words, said Bob Hunt.")
    await mind.drain()
    await me.forget(person="Anna Berg")
    await me.forget(person="Will Hunt")
    await mind.drain()
    assert traces(mind, "anna berg", "will hunt") == []
    for text in ("Anna Stern paints.", "Berg Consulting moved to Anna Square.", "We will meet on Monday."):
        assert await found(me, text), text
    assert await found(me, "Mark my words, said Bob Hunt.")
    assert "Anna Stern" in [node.name for node in await me.nodes(name="Anna")]
    await me.ingest("Kim Adams sings. Kim Brown dances.")
    await mind.drain()
    with pytest.raises(Conflict, match="full name"):
        await me.forget(person="Kim")


async def test_who_has_one_name_is_forgotten_by_it(mind, me):
    await me.ingest("Cher sings in Rome. cher's dog barked. The bridge is closed.")
    await mind.drain()
    await me.forget(person="cher")
    await mind.drain()
    assert traces(mind, "cher") == []
    assert await found(me, "The bridge is closed.")
    await me.ingest("Cher dances.")
    await mind.drain()
    assert not await me.nodes(name="Cher")


async def test_tool_calls_and_encoded_mails_hide_nobody(mind, me):
    chat = await me.conversation("chat")
    call = {"type": "tool_use", "id": "t1", "name": "mail", "input": {"to": "Zelda Quist", "text": "Hi."}}
    await chat.add("assistant", [{"type": "text", "text": "I write to her."}, call])
    spoken = json.dumps({"who": "Zelda Quist"})
    await chat.add("assistant", [{"type": "function", "function": {"name": "find", "arguments": spoken}}])
    mail = (
        "From: Zelda Quist <zelda@example.org>\nTo: Alice <alice@example.org>\nSubject: Hello\n"
        "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
        "WmVsZGEgUXVpc3Qgd3JpdGVzLiBUaGUgYm9pbGVyIGlzIGZpeGVkLg==\n"
    )
    hidden = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
    hidden = "From: bob@example.org\nSubject: Hi\nMIME-Version: 1.0\n" + hidden
    await me.ingest(hidden + "WmVsZGEgUXVpc3Qgd3JpdGVzLiBUaGUgYm9pbGVyIGlzIGZpeGVkLg==\n", source_type="email")
    source = await me.ingest(mail, source_type="email")
    await mind.drain()
    await me.forget(person="Zelda Quist")
    await mind.drain()
    assert traces(mind, "zelda", "quist", "WmVsZGE") == []
    assert "The boiler is fixed." in (await me.get(source.id)).content
    [first, second] = await chat.messages()
    assert first.content[0]["text"] == "I write to her."
    assert json.loads(second.content[0]["function"]["arguments"]) == {"who": "[forgotten]"}


async def test_a_person_can_be_forgotten_by_the_id_of_the_node(mind, me):
    await me.ingest("Zelda Quist works at Doppler Group. The bridge is closed.")
    await mind.drain()
    [zelda] = await me.nodes(name="Zelda")
    await me.forget(zelda.id)
    await mind.drain()
    assert traces(mind, "zelda", "quist") == []
    assert await found(me, "The bridge is closed.")


async def test_notes_and_relations_are_forgotten_by_id(mind, me):
    await me.ingest("Rupert Vane lives in Lisbon. Rupert Vane works at Orbital Labs.")
    await mind.drain()
    [rupert] = await me.nodes(name="Rupert")
    note = await me.add_note(rupert.id, "Rupert snores like a walrus.", "forever")
    [lab] = await me.nodes(kind="entity", name="Orbital")
    tie = await me.relate(rupert.id, lab.id, "owes_money_to", description="He owes a walrus fortune.")
    await mind.run_job("descriptions")
    await me.forget(note.id)
    await me.forget(tie.id)
    await mind.drain()
    assert traces(mind, "walrus") == []
    assert [n.name for n in await me.nodes(name="Rupert")] == ["Rupert Vane"]


async def test_former_versions_are_forgotten_at_every_time(mind, me, clock):
    memory = await me.add("Alice hides the key under the gnome.")
    clock.forward(days=1)
    await me.update(memory.id, content="Alice hides the key in the shed.")
    before = clock.now
    clock.forward(days=1)
    await me.forget(memory.id)
    assert traces(mind, "gnome", "shed") == []
    assert not await me.search("key", as_known_at=before)


async def test_forgetting_is_idempotent_and_two_at_once_are_one(mind, me):
    for number in range(5):
        await me.ingest(f"Zelda Quist has ailment {number}. The bridge {number} is closed.")
    await mind.drain()
    receipts = await asyncio.gather(me.forget(person="Zelda Quist"), me.forget(person="zelda quist"))
    assert sorted(bool(receipt.counts) for receipt in receipts) == [False, True]
    assert (await me.forget(person="Zelda Quist")).counts == {}
    await mind.drain()
    assert traces(mind, "zelda", "quist") == []
    assert len(await me.tombstones()) <= 2


async def test_a_forgetting_that_is_killed_is_finished_by_the_next(mind, me, monkeypatch):
    await me.ingest("Zelda Quist has an ailment. The bridge is closed.")
    chat = await me.conversation("chat")
    await chat.add("user", "Zelda Quist is my aunt. I like tea.")
    await mind.drain()
    before = dumps.dumped(mind.database_url)

    async def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("recollect.records.outbox.forget", killed)
        with pytest.raises(KeyboardInterrupt):
            await me.forget(person="Zelda Quist")
    assert dumps.dumped(mind.database_url) == before  # whole, or not at all
    with monkeypatch.context() as patch:
        patch.setattr("recollect.flows.forget._follow_now", killed)
        with pytest.raises(KeyboardInterrupt):
            await me.forget(person="Zelda Quist")
    assert traces(mind, "zelda", "quist") == []  # what is left may not be searchable yet, but nothing leaks
    assert (await me.forget(person="Zelda Quist")).check.ok
    await mind.drain()
    assert await found(me, "The bridge is closed.")
    assert await found(me, "I like tea.")


async def test_the_key_is_no_part_of_the_database(mind, me, tmp_path):
    await me.forget(person="Zelda Quist")
    file = tmp_path / "tombstones.key"
    assert file.stat().st_mode & 0o777 == 0o600
    key = file.read_text().strip()
    assert traces(mind, key, "zelda") == []
    file.unlink()
    await me.ingest("Zelda Quist sings.")
    drained = await mind.drain()
    assert drained.failed or drained.deferred  # nothing is learned where nobody knows what is barred
    file.write_text(key)
    file.chmod(0o600)


async def test_a_key_may_be_a_setting(open_recollect, tmp_path):
    rc = await open_recollect(understand=True, tombstone_key="a long secret")
    me = rc.scope(user_id="alice")
    await me.forget(person="Zelda Quist")
    await me.ingest("Zelda Quist sings. Rupert Vane listens.")
    await rc.drain()
    assert not (tmp_path / "tombstones.key").exists()
    assert [node.name for node in await me.nodes()] == ["Rupert Vane"]
