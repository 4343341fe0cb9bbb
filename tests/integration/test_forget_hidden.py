"""Forgetting somebody whose name is written in other letters, short, or where the scope may not read."""

import base64
import json
import quopri
from urllib.parse import quote

import psycopg
import pytest

import dumps
from recollect.flows.forget import Checked
from recollect.understanding.plain import plain

NAME = "Íñigo Núñez"
TRACES = ("nuñez", "núñez", "nunez", "iñigo", "íñigo", "inigo")


def traces(rc, *words):
    """Rows that hold one of some words, however they are written."""
    rows = (
        (table, plain(row).text.casefold()) for table, held in dumps.dumped(rc.database_url).items() for row in held
    )
    return [f"{table}: {row[:300]}" for table, row in rows if any(word in row for word in words)]


async def test_a_name_is_found_however_it_is_written(mind):
    me = mind.scope(user_id="alice", thread_id="desk")
    escaped = json.dumps(NAME)[1:-1]
    mail = (
        f"From: bob@example.org\nSubject: =?utf-8?B?{base64.b64encode(NAME.encode()).decode()}?=\nMIME-Version: 1.0\n"
    )
    mail += "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
    mail += quopri.encodestring(f"{NAME} writes. The boiler is fixed.".encode()).decode()
    page = "<p>&Iacute;&ntilde;igo N&uacute;&#241;ez sings.</p><p>The bridge is closed.</p>"
    sent = await me.ingest(mail, source_type="email")
    read = await me.ingest(page, source_type="email")
    await me.ingest(f"Seen at https://example.org/{quote(NAME)} today. The kiln is hot.")
    await me.ingest(f'{{"who": "{escaped}", "what": "A letter."}} The ferry leaves at nine.')
    await me.ingest("Íñigo Núñez lives in Vigo.")
    await me.add("Alice owns a lamp.", metadata={"raw": json.dumps({"by": NAME, "step": 3})})
    state = {"log": json.dumps({"inner": json.dumps({"who": NAME, "step": 4})}), "notes": ["Ask nunez. Buy bread."]}
    await me.save_checkpoint(state)
    chat = await me.conversation("chat")
    await chat.add("user", f"Look at {quote(NAME)} please. I like tea.", metadata={"from": "i.nunez@example.org"})
    await mind.drain()
    assert traces(mind, *TRACES)

    receipt = await me.forget(person=NAME)
    await mind.drain()
    assert receipt.check.ok
    assert traces(mind, *TRACES) == []
    left = await me.load_checkpoint()
    assert json.loads(json.loads(left["log"])["inner"]) == {"who": "", "step": 4}
    assert left["notes"] == ["Buy bread."]
    assert "The boiler is fixed." in (await me.get(sent.id)).content
    assert "The bridge is closed." in (await me.get(read.id)).content
    for text in ("The kiln is hot.", "The ferry leaves at nine.", "I like tea.", "Alice owns a lamp."):
        assert any(text in hit.memory.content for hit in await me.search(text)), text


async def test_short_names_go_and_namesakes_stay(mind):
    me = mind.scope(user_id="alice")
    goes = (
        "i hate wintour",
        "Write to a.wintour@example.com.",
        "Señor Wintour sat.",
        "The Wintours dined.",
        "A.W. signed.",
    )
    stays = ("B. Wintour paints.", "Karla Wintour sings.", "Winter is cold.", "Anna Stern dances.")
    for text in (*goes, *stays, "Anna Wintour edits a magazine."):
        await me.add(text)
    await mind.drain()
    receipt = await me.forget(person="Anna Wintour")
    assert receipt.check.ok
    kept = [memory.content for memory in await me.get_all(kinds=["statement"])]
    assert sorted(kept) == sorted(stays)


async def test_a_capital_beside_a_name_hides_nobody(mind):
    me = mind.scope(user_id="alice", thread_id="chat")
    chat = await me.conversation("chat")
    goes = (
        "I had lunch with Sarah. Pasta was great.",
        "In London Sarah came.",
        "I told Chen. Deadline moved.",
        "Owner: Chen. Status: open.",
        "Sarah Chen is here.",
    )
    stays = ("Sarah Miller is here.", "David Chen is here.")
    for text in (*goes, *stays):
        await me.add(text)
        await chat.add("user", text)
    await mind.drain()
    receipt = await me.forget(person="Sarah Chen")
    assert receipt.check.ok
    left = [memory.content for memory in await me.get_all(kinds=["statement"])]
    assert not [text for text in left if "Sarah" in text.replace("Sarah Miller", "")]
    assert not [text for text in left if "Chen" in text.replace("David Chen", "")]
    assert {*stays, "Pasta was great.", "Deadline moved."} <= set(left)
    said = [message.content for message in await chat.messages()]
    assert said == [
        "[forgotten] Pasta was great.",
        "[forgotten]",
        "[forgotten] Deadline moved.",
        "[forgotten] Status: open.",
        "[forgotten]",
        *stays,
    ]


async def test_a_name_is_folded_as_the_texts_are(mind):
    me = mind.scope(user_id="alice")
    for text in ("İbrahim Yılmaz pays the rent.", "ibrahim yılmaz sings.", "Ibrahim left.", "İbrahim Kaya dances."):
        await me.ingest(text)
    await mind.drain()
    receipt = await me.forget(person="İbrahim Yılmaz")
    await mind.drain()
    assert receipt.check.ok
    assert traces(mind, "yılmaz", "yilmaz") == []
    assert any("İbrahim Kaya dances." in hit.memory.content for hit in await me.search("İbrahim Kaya"))


async def test_a_name_that_was_kept_in_parts_is_still_found(mind):
    """As version 0.1 kept it: the dot of İ parted words."""
    me = mind.scope(user_id="alice")
    await me.ingest("İbrahim Yılmaz works at Orbital Labs.")
    await mind.drain()
    [node] = await me.nodes(name="İbrahim")
    with psycopg.connect(mind.database_url) as owner:
        changed = owner.execute(
            "update recollect.node_name set name = 'i-brahim-yılmaz' where node_id = %s and name = 'ibrahim-yılmaz'",
            [node.id],
        )
        assert changed.rowcount == 1
    await me.ingest("İbrahim Yılmaz knows Rupert Vane.")
    await mind.drain()
    assert [each.id for each in await me.nodes(name="İbrahim")] == [node.id]
    receipt = await me.forget(person="İbrahim Yılmaz")
    assert receipt.check.ok
    assert node.id in receipt.removed


async def test_an_address_is_one_word(mind):
    me = mind.scope(user_id="alice")
    goes = ("Write to anna@firm.com.", "See mailto:ANNA@firm.com.")
    stays = ("Write to joanna@firm.com.", "Our web site is firm.com.", "Anna likes tea.", "bob@firm.com is ill.")
    for text in (*goes, *stays):
        await me.add(text)
    await mind.drain()
    receipt = await me.forget(person="anna@firm.com")
    assert receipt.check.ok
    assert sorted(memory.content for memory in await me.get_all(kinds=["statement"])) == sorted(stays)


async def test_an_address_of_somebody_who_is_known_stands_for_every_name(mind):
    me = mind.scope(user_id="alice")
    await me.ingest("Zelda Quist paints. Rupert Vane sings.")
    await mind.drain()
    [zelda] = await me.nodes(name="Zelda Quist")
    for title in ("zq@example.org", "Zelda Quist"):
        await me.update(zelda.id, title=title)  # a former title is an alias
    await me.add("Mail zq@example.org. Quist owns a boat. The lamp is red.")
    receipt = await me.forget(person="zq@example.org")
    await mind.drain()
    assert receipt.check.ok
    assert traces(mind, "zelda", "quist", "zq@") == []
    assert any("The lamp is red." in hit.memory.content for hit in await me.search("lamp"))
    assert await me.nodes(name="Rupert")


async def test_double_names_go_in_part_too(mind):
    me = mind.scope(user_id="alice")
    await me.ingest("Sinéad O'Connor sings. José Luis García Márquez writes. Connor Walsh paints.")
    await mind.drain()
    stay = ("Connor rests.", "José Martí rests.", "Ana García rests.", "John Connor rests.")
    go = ("José Luis left.", "García Márquez left.", "Mail sinead.oconnor@example.com.", "See /home/jose_luis/a.txt.")
    await me.add(" ".join((*stay, *go)))
    for person in ("Sinéad O'Connor", "José Luis García Márquez"):
        assert (await me.forget(person=person)).check.ok
    await mind.drain()
    words = ("sinead", "sinéad", "oconnor", "o'connor", "josé luis", "jose_luis", "márquez")
    assert dumps.carrying(mind.database_url, *words) == []
    [left] = await me.get_all(kinds=["statement"])
    assert left.content == " ".join(stay)


async def test_a_relation_that_is_named_after_somebody_goes(mind):
    me = mind.scope(user_id="alice")
    await me.ingest("Zelda Quist paints. Rupert Vane knows Ada Stern.")
    await mind.drain()
    [rupert], [ada] = [await me.nodes(name=name) for name in ("Rupert Vane", "Ada Stern")]
    await me.relate(rupert.id, ada.id, "met_through_zelda_quist")
    await me.relate(rupert.id, ada.id, "sings_with")
    receipt = await me.forget(person="Zelda Quist")
    assert receipt.check.ok
    assert dumps.carrying(mind.database_url, "zelda") == []
    assert "sings_with" in {tie.type for tie in await me.relations(rupert.id)}


async def test_a_dry_run_shows_what_may_be_read_and_counts_the_rest(mind):
    me = mind.scope(user_id="alice")
    high = mind.scope(user_id="alice", sensitivity="high")
    await high.ingest("Zelda Quist has an ailment.", sensitivity="high")
    await me.ingest("Zelda Quist sings in Rome.")
    await mind.drain()
    shown = await me.forget(person="Zelda Quist", dry_run=True)
    assert not [line for line in shown.shown if "ailment" in line.text]
    assert any("Rome" in line.text for line in shown.shown)
    assert shown.hidden >= 1
    whole = await high.forget(person="Zelda Quist", dry_run=True)
    assert any("ailment" in line.text for line in whole.shown)
    assert whole.hidden == 0
    assert len(whole.shown) == len(shown.shown) + shown.hidden
    await me.forget(person="Zelda Quist", token=shown.token)  # what may not be read goes too
    assert traces(mind, "zelda", "quist") == []


async def test_another_ones_conversation_in_a_project_is_counted_alone(mind):
    alice, bob = (mind.scope(user_id=name, project_id="boats") for name in ("alice", "bob"))
    await (await bob.conversation("diary")).add("user", "Zelda Quist snores.")
    await (await alice.conversation("chat")).add("user", "Zelda Quist paints.")
    await mind.drain()
    shown = await alice.forget(person="Zelda Quist", dry_run=True)
    messages = [line.text for line in shown.shown if line.kind == "message"]
    assert messages == ["Zelda Quist paints."]
    assert shown.hidden >= 1


@pytest.mark.parametrize(("nearest", "ok"), [(None, True), (0.5, True), (0.99, False), (1.0, False)])
def test_a_vector_that_is_left_is_a_trace(nearest, ok):
    assert Checked(left=0, nearest=nearest, searches=1, hits=0).ok is ok


async def test_a_vector_that_stays_behind_is_found(mind):
    me = mind.scope(user_id="alice")
    bees, tea = await me.add("Zelda Quist keeps bees."), await me.add("Alice likes tea.")
    await mind.drain()
    with psycopg.connect(mind.database_url) as owner:
        owner.execute(
            "update recollect.entry t set embedding = e.embedding from recollect.entry e"
            " where t.space_id = e.space_id and e.memory_id = %s and t.memory_id = %s",
            [bees.id, tea.id],
        )
    receipt = await me.forget(person="Zelda Quist")
    assert receipt.check.left == 0
    assert receipt.check.nearest > 0.99
    assert not receipt.check.ok


async def test_what_says_the_same_and_was_not_asked_to_go_is_no_trace(mind):
    me = mind.scope(user_id="alice")
    chat = await me.conversation("chat")
    for _ in range(2):
        await chat.add("user", "All is well on the boat today.")
    await mind.drain()
    receipt = await me.forget(message=("chat", 2))
    assert receipt.check.left == 0
    assert receipt.check.nearest is None or receipt.check.nearest < 0.99
