"""Forgetting somebody with a double name, whom texts call by parts of it, in everything that holds words."""

import json

import dumps
from recollect.understanding.plain import plain

NAME = "Jean-Luc Okonkwo-Reyes"
TRACES = ("okonkwo", "jean-luc", "jean luc", "jeanluc", "reyes")
DOCUMENTS = (
    "okonkwo-reyes's invoice is late. The kettle boils at noon.",
    "Mail jean-luc.okonkwo-reyes@example.org about it. The barge sails on Friday.",
    "J.-L. Okonkwo-Reyes signed. Tilda Morrow countersigned the lease.",
    "We saw Okonkwo Reyes (jean luc) at the pier. The pier is long.",
    "# Okonkwo-Reyes, Jean-Luc\n\n- phone 55512\n\n# Tilda Morrow\n\n- phone 55513\n",
    "| name | role |\n|---|---|\n| Jean-Luc Okonkwo-Reyes | pilot |\n| Tilda Morrow | cook |\n",
    json.dumps({"people": [{"name": NAME, "ship": "Heron"}, {"name": "Tilda Morrow", "ship": "Gannet"}]}),
    "Jean-Luc Okonkwo-Reyes: I hate eels.\nTilda Morrow: I love figs.\n",
)
KEPT = (
    *("The kettle boils at noon.", "The barge sails on Friday.", "Tilda Morrow countersigned the lease."),
    *("The pier is long.", "phone 55513", "| Tilda Morrow | cook |", "Gannet", "I love figs."),
    *("I own a canoe.", "I like sleet.", "Pack the tent.", "Tilda Morrow sells clocks."),
)


def traces(rc):
    """Rows that hold a word of the name, however it is written."""
    rows = (
        (table, plain(row).text.casefold()) for table, held in dumps.dumped(rc.database_url).items() for row in held
    )
    return [f"{table}: {row[:300]}" for table, row in rows if any(word in row for word in TRACES)]


async def test_parts_of_a_double_name_are_found_in_everything(mind):
    me = mind.scope(user_id="alice", agent_id="planner", thread_id="desk")
    told = {"attendees": [{"okonkwo-reyes": {"seat": 4}}, {"mail": "tilda@example.org"}], "cc": "jl.okonkwo@x.org"}
    text = f"{NAME} repairs clocks. Tilda Morrow sells clocks."
    about = f"a call with {NAME}"
    people = [NAME, "Tilda Morrow"]
    await me.ingest(text, title=f"Minutes with {NAME}", participants=people, metadata=told, context_type=about)
    for each in DOCUMENTS:
        await me.ingest(each)
    chat = await me.conversation("chat", title="Plans with Jean-Luc")
    called = {"okonkwo-reyes": True, "to": "jean-luc.okonkwo-reyes@example.org", "note": "The rope is red."}
    await chat.add("assistant", [{"type": "tool_use", "id": "t1", "name": "call", "input": called}])
    await chat.add("user", "I told JL OKONKWO-REYES twice. I own a canoe.")
    said = await chat.add("user", "Okonkwo-Reyes rang. I like snow.")
    await chat.retract(said.turn, replace="Okonkwo-Reyes rang twice. I like sleet.")
    await chat.end("Agreed with Okonkwo-Reyes on the price.")
    await me.set_profile("preference", "okonkwo_reyes_gift", "a clock")
    former = await me.add("Okonkwo-Reyes owns a mule.", tags=["okonkwo-reyes"], metadata={"jean-luc": 1})
    await me.update(former.id, content="Alice owns a mule.")
    gone = await me.add("Okonkwo-Reyes dislikes radishes.")
    await me.delete(gone.id, reason="Okonkwo-Reyes asked for it")
    await me.add("1. Call Okonkwo-Reyes.\n2. Pack the tent.", kind="procedure")
    await me.guide(instructions="Note what Okonkwo-Reyes says. Note all prices.")
    active = await me.create_active(title="Voyage", sections={"crew": "Okonkwo-Reyes steers. Tilda Morrow cooks."})
    await me.save_checkpoint({"okonkwo-reyes": 1, "text": "Okonkwo-Reyes paid. Tilda owes 3.", "queue": ["jean-luc"]})
    await mind.drain()
    assert len({node.name for node in await me.nodes(kind="person") if "Okonkwo" in node.name}) > 1
    assert traces(mind)

    receipt = await me.forget(person=NAME)
    await mind.drain()
    assert receipt.check.ok
    assert traces(mind) == []
    assert not any(word in dumps.pg_dumped(mind.database_url).casefold() for word in TRACES)
    assert await me.load_checkpoint() == {"text": "Tilda owes 3.", "queue": []}
    assert (await me.get_active(active.id)).sections["crew"].content == "Tilda Morrow cooks."
    assert (await chat.messages())[0].content[0]["input"] == {"to": "[forgotten]", "note": "The rope is red."}
    for kept in KEPT:
        assert any(kept in hit.memory.content for hit in await me.search(kept, limit=20)), kept
    assert "Tilda Morrow" in {node.name for node in await me.nodes(kind="person")}

    for each in (text, *DOCUMENTS):  # what arrives again is raw text, and teaches nothing of him
        await me.ingest(each)
    await mind.drain()
    derived = [row for row in traces(mind) if not row.startswith(("recollect.source", "recollect.space_statistics"))]
    assert all(" | source | " in row or " | chunk | " in row for row in derived), derived
    assert not [node for node in await me.nodes(kind="person") if "Morrow" not in node.name]
    assert not [memory for memory in await me.get_all(kinds=["source", "chunk"]) if set(memory.tags) & set(TRACES)]
