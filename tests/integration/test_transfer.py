"""Import and export: nothing twice, nothing lost, nothing half."""

import json
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

import pytest
from langgraph.types import Command

from conftest import MovedClock, Opener
from recollect import Recollect
from recollect.adapters.langgraph import RecollectSaver
from recollect.core.errors import InvalidInput, NotAllowed, NotFound
from recollect.core.scope import Scope
from recollect.flows import transfer
from recollect.flows.transfer import BadLine, Import, Imported
from stopping_graph import config, counting

ME = Scope(user_id="ines")


def message(content: str, thread: str = "t", **more: Any) -> str:
    return json.dumps({"thread": thread, "role": "user", "content": content, **more})


async def taken(rc: Recollect, lines: Iterable[str], **more: Any) -> Imported:
    work = Import(rc.parts, more.pop("scope", ME), **more)
    async for _ in work.run(lines):
        pass
    return work.done


async def log(rc: Recollect, thread: str = "t", scope: Scope = ME) -> list[Any]:
    chat = await rc.scope(user_id=scope.user_id, project_id=scope.project_id).conversation(thread)
    return [m.content for m in await chat.messages(limit=10_000)]


async def exported(rc: Recollect, scope: Scope = ME) -> list[dict[str, Any]]:
    return [line async for line in transfer.export(rc.parts, scope)]


async def test_plain_lines_become_messages_and_memories(rc: Recollect) -> None:
    lines = [message("hello", name="Ines", at="2026-03-01T10:00:00+00:00", metadata={"a": 1}), "", "  \n"]
    lines += [json.dumps({"content": "Ines likes rain.", "type": "preference"})]
    done = await taken(rc, lines)
    assert (done.messages, done.memories, done.lines) == (1, 1, 4)
    [found] = await (await rc.scope(user_id="ines").conversation("t")).messages()
    assert (found.name, found.metadata, found.at.isoformat()) == ("Ines", {"a": 1}, "2026-03-01T10:00:00+00:00")
    [memory] = await rc.scope(user_id="ines").get_all(kinds=["statement"])
    assert (memory.content, memory.type, memory.by_hand) == ("Ines likes rain.", "preference", True)


async def test_the_same_lines_again_add_nothing(rc: Recollect) -> None:
    lines = [message(f"number {n % 7}") for n in range(40)] + [json.dumps({"content": "a fact"})] * 2
    first = await taken(rc, lines)
    assert (first.messages, first.memories, first.present) == (40, 2, 0)
    again = await taken(rc, lines)
    assert (again.messages, again.memories, again.present) == (0, 0, 42)
    assert await log(rc) == [f"number {n % 7}" for n in range(40)]


async def test_a_file_that_has_grown_adds_only_what_is_new_and_keeps_the_order(
    rc: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [message(f"line {n}", thread=f"t{n % 3}") for n in range(50)]
    await taken(rc, lines[:23])
    monkeypatch.setattr(transfer, "_WINDOW", 7)  # batches cut elsewhere than before
    done = await taken(rc, lines)
    assert (done.messages, done.present) == (27, 23)
    for thread in range(3):
        assert await log(rc, f"t{thread}") == [f"line {n}" for n in range(50) if n % 3 == thread]


@pytest.mark.parametrize("window", [1, 4, 500])
async def test_an_import_that_was_cut_off_goes_on(rc: Recollect, monkeypatch: pytest.MonkeyPatch, window: int) -> None:
    monkeypatch.setattr(transfer, "_WINDOW", window)
    lines = [message(f"line {n}") for n in range(30)]
    work = Import(rc.parts, ME)
    async for done in work.run(lines):
        acknowledged = done.lines
        if done.lines >= 10:
            break
    assert len(await log(rc)) == acknowledged
    await taken(rc, lines)
    assert await log(rc) == [f"line {n}" for n in range(30)]


async def test_ids_made_for_lines_sort_by_their_time(rc: Recollect) -> None:
    lines = [message(f"day {day}", at=f"2026-03-{day:02}T10:00:00+00:00") for day in range(28, 0, -1)]
    await taken(rc, [*lines, message("before 1970", at="1969-07-20T20:17:40+00:00")])
    chat = await rc.scope(user_id="ines").conversation("t")
    found = await chat.messages()
    assert sorted(found[:-1], key=lambda m: m.id) == sorted(found[:-1], key=lambda m: m.at)
    assert {m.id.version for m in found[:-1]} == {7}
    assert (await taken(rc, lines)).present == 28


async def test_spaces_do_not_share_ids(rc: Recollect) -> None:
    await taken(rc, [message("hello")])
    done = await taken(rc, [message("hello")], scope=Scope(user_id="joaquim"))
    assert done.messages == 1


async def test_the_thread_may_come_from_the_scope(rc: Recollect) -> None:
    line = json.dumps({"role": "user", "content": "hello"})
    with pytest.raises(InvalidInput, match="line 1, thread: is missing"):
        await taken(rc, [line])
    await taken(rc, [line], scope=Scope(user_id="ines", thread_id="from scope"))
    assert await log(rc, "from scope") == ["hello"]


BAD = {
    "{": "JSON",
    "[1]": "JSON",
    '{"record": "poem"}': "record",
    '{"role": "wizard", "thread": "t", "content": "x"}': "role",
    '{"role": "user", "thread": "t", "content": ""}': "content",
    '{"role": "user", "thread": "t", "content": "a\\u0000b"}': "content",
    '{"role": "user", "thread": "t", "content": "\\ud800"}': "content",
    '{"role": "user", "thread": "t", "content": "x", "at": "yesterday"}': "at",
    '{"role": "user", "thread": "t", "content": "x", "at": "2026-01-01T00:00:00"}': "at",
    '{"role": "user", "thread": "t", "content": "x", "id": "nope"}': "id",
    '{"role": "user", "thread": "t", "content": "x", "colour": "red"}': "colour",
    '{"role": "user", "thread": "", "content": "x"}': "thread",
    '{"content": "x", "kind": "turn"}': "kind",
    '{"content": "x", "importance": NaN}': "importance",
    '{"content": "x", "metadata": [1]}': "metadata",
    '{"record": "conversation", "thread": "t", "status": "asleep"}': "status",
    '{"record": "export", "version": 99}': "version",
}


@pytest.mark.parametrize(("line", "field"), BAD.items(), ids=range(len(BAD)))
async def test_a_bad_line_is_named_and_nothing_of_its_batch_is_written(rc: Recollect, line: str, field: str) -> None:
    with pytest.raises(InvalidInput, match=f"^line 3, {field}"):
        await taken(rc, [message("one", thread="a"), message("two", thread="b"), line, message("three")])
    assert await rc.scope(user_id="ines").conversations() == []


async def test_bad_lines_can_be_skipped(rc: Recollect) -> None:
    told: list[BadLine] = []
    done = await taken(rc, [message("one"), *BAD, message("two")], told=told.append)
    assert (done.messages, done.skipped) == (2, len(BAD))
    assert [bad.number for bad in told] == list(range(2, 2 + len(BAD)))
    assert await log(rc) == ["one", "two"]


async def test_an_id_of_another_conversation_is_a_conflict(rc: Recollect) -> None:
    id = str(uuid4())
    await taken(rc, [message("one", id=id)])
    done = await taken(rc, [message("zero"), message("one", thread="elsewhere", id=id)])
    assert (done.messages, done.skipped) == (1, 1)
    assert done.problems == [BadLine(2, "id: belongs to a message of another conversation")]


async def test_an_id_twice_in_a_file_is_one_message(rc: Recollect) -> None:
    id = str(uuid4())
    done = await taken(rc, [message("one", id=id), message("two"), message("one", id=id)])
    assert (done.messages, done.present) == (2, 1)


async def _filled(rc: Recollect) -> None:
    me = rc.scope(user_id="ines")
    chat = await me.conversation("first", title="A title")
    await chat.add_many(
        [
            {"role": "user", "content": f"words {n}", "name": "Ines", "at": f"2026-03-0{n}T10:00:00+01:00"}
            for n in range(1, 6)
        ]
    )
    parts = [{"type": "text", "text": "look"}, {"type": "tool_call", "name": "find", "arguments": {"x": [1]}}]
    await chat.add("assistant", parts, metadata={"deep": {"list": [1, None, "ü"]}})
    await chat.end("done")
    shared = await me.conversation("second", shared=True)
    await shared.add("user", "for all\u2028of us")
    await me.add("one", tags=["x", "y"], title="T", importance=0.9, confidence=0.4, pinned=True, metadata={"k": "v"})
    await me.add("two", kind="procedure", valid_from="2026-01-01T00:00:00+00:00", ttl_policy="keep_forever")
    gone = await me.add("three")
    await me.delete(gone.id)


async def test_a_round_trip_keeps_ids_times_metadata_and_order(rc: Recollect) -> None:
    await _filled(rc)
    lines = await exported(rc)
    scope = Scope(user_id="elsewhere")
    await taken(rc, [json.dumps(line) for line in lines], scope=scope)
    again = await exported(rc, scope)
    assert again[1:] == lines[1:]
    assert [line["record"] for line in lines] == [
        "export", "conversation", *["message"] * 6, "conversation", "message", "memory", "memory",
        "end",
    ]  # fmt: skip
    await taken(rc, [json.dumps(line) for line in lines], scope=scope)
    assert (await exported(rc, scope))[1:] == lines[1:]


async def test_exports_are_read_by_pages(rc: Recollect, monkeypatch: pytest.MonkeyPatch) -> None:
    await taken(rc, [message(f"line {n}", thread=f"t{n % 5}") for n in range(60)])
    await taken(rc, [json.dumps({"content": f"fact {n}"}) for n in range(20)])
    whole = await exported(rc)
    monkeypatch.setattr(transfer, "_PAGE", 3)
    assert (await exported(rc))[1:] == whole[1:]
    assert len(whole) == 1 + 5 + 60 + 20 + 1


async def test_an_export_of_a_project_leaves_the_users_own_space_out(rc: Recollect) -> None:
    await rc.scope(user_id="ines").add("mine")
    await rc.scope(user_id="ines", project_id="stop").add("ours")
    lines = await exported(rc, Scope(user_id="ines", project_id="stop"))
    assert [line["content"] for line in lines if line["record"] == "memory"] == ["ours"]


async def test_what_was_imported_is_found(rc: Recollect) -> None:
    await taken(rc, [message("The bell of tram 203 is in the cellar.", name="Joaquim")])
    await rc.drain()
    [hit] = await rc.scope(user_id="ines").search("where is the bell", limit=1)
    assert hit.memory.provenance.speaker == "Joaquim"


async def test_what_was_taken_back_stays_so_and_what_was_set_comes_along(mind: Recollect) -> None:
    me = mind.scope(user_id="ines")
    chat = await me.conversation("t")
    await chat.add("user", "I'm allergic to peanuts and I live in Lisbon.")
    await chat.add("assistant", "Noted.")
    await chat.retract(1, replace="I live in Porto.")
    await me.set_profile("identity", "name", "Ines")
    await mind.drain()
    lines = [json.dumps(line) for line in await exported(mind)]

    other = Scope(user_id="joana")
    moved = [line for line in lines if '"record": "export"' not in line]
    fresh = [json.loads(line) for line in moved]
    ids = {line["id"]: str(uuid4()) for line in fresh if "id" in line}
    renamed = json.dumps(fresh)
    for old, new in ids.items():
        renamed = renamed.replace(old, new)
    again = [json.dumps(line) for line in json.loads(renamed)]
    for _ in range(2):
        await taken(mind, again, scope=other)
        await mind.drain()
    facts = {fact.key: fact.value for fact in await mind.scope(user_id="joana").profile()}
    assert facts == {"name": "Ines", "city": "Porto"}
    copy = await mind.scope(user_id="joana").conversation("t")
    assert [(m.retracted, m.in_place_of) for m in await copy.messages()] == [(True, None), (False, None), (False, 1)]
    text = (await copy.context("Where do I live?")).text
    assert "peanuts" not in text
    assert text.index("I live in Porto.") < text.index("Noted.")


async def test_documents_are_carried_with_all_that_came_with_them(rc: Recollect) -> None:
    me = rc.scope(user_id="ines")
    values = {"title": "Staff", "participants": ["Ann Lee"], "started_at": "2026-03-01T10:00:00+00:00"}
    more = {"sensitivity": "low", "ttl_policy": "keep_forever", "metadata": {"a": 1}, "context_type": "work"}
    source = await me.ingest("Sarah Chen works at Acme Robotics.", "email", **values, **more)
    await rc.drain()
    await me.ingest("Kept for few.", sensitivity="high")
    gone = await me.ingest("Deleted.")
    await me.delete(gone.id)
    lines = [line for line in await exported(rc) if line["record"] == "source"]
    assert lines == [
        {"record": "source", "id": str(source.id), "raw": "Sarah Chen works at Acme Robotics.", "source_type": "email"}
        | values
        | more
        | {"ended_at": None}
    ]
    other = Scope(user_id="olga")
    written = [json.dumps(line) for line in lines]
    written.append(json.dumps({"record": "source", "raw": "Without an id."}))
    assert (await taken(rc, written, scope=other)).memories == 2
    assert (await taken(rc, written, scope=other)).present == 2
    await rc.drain()
    found = await rc.scope(user_id="olga").sources()
    assert {each.status for each in found} == {"extracted"}
    copy = await rc.scope(user_id="olga").get(source.id)
    assert (copy.title, copy.sensitivity, copy.ttl_policy, copy.metadata) == ("Staff", "low", "keep_forever", {"a": 1})


@pytest.mark.parametrize(
    ("line", "field"), [({"raw": ""}, "raw"), ({"raw": "x", "title": 5}, "title"), ({"raw": "x", "wrong": 1}, "wrong")]
)
async def test_a_document_that_is_wrong_is_named(rc: Recollect, line: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput, match=f"line 1, {field}"):
        await taken(rc, [json.dumps({"record": "source", **line})])


async def test_checkpoints_are_carried_too(rc: Recollect) -> None:
    """States and what graphs left, of every thread; a second import adds nothing, and a second export is the same."""
    me = rc.scope(user_id="ines", agent_id="planner", thread_id="t")
    for number in range(60):
        await me.save_checkpoint({"number": number, "text": "é\u0000"})
    await counting(RecollectSaver(me)).ainvoke({"messages": ["begin"], "count": 0}, config())
    await rc.scope(user_id="other", thread_id="t").save_checkpoint("not hers")
    lines = await exported(rc)
    records = [line["record"] for line in lines]
    assert records.count("checkpoint") == 63
    assert {"checkpoint_value", "checkpoint_write"} < set(records)
    scope = Scope(user_id="another")
    done = await taken(rc, map(json.dumps, lines), scope=scope)
    assert done.checkpoints == len(lines) - 2
    again = await taken(rc, map(json.dumps, lines), scope=scope)
    assert (again.checkpoints, again.present) == (0, len(lines) - 2)
    assert (await exported(rc, scope))[1:] == lines[1:]
    copy = rc.scope(user_id="another", thread_id="t")
    assert await copy.load_checkpoint() == {"number": 59, "text": "é\u0000"}
    done_graph = await counting(RecollectSaver(copy)).ainvoke(Command(resume="yes"), config())
    assert done_graph["count"] == 2


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ({"record": "checkpoint", "kind": "state", "id": "1", "state": 1}, "thread"),
        ({"record": "checkpoint", "kind": "state", "id": "x", "state": 1, "thread": "t"}, "id"),
        ({"record": "checkpoint", "kind": "state", "id": "0", "state": 1, "thread": "t"}, "id"),
        ({"record": "checkpoint", "kind": "state", "id": "1", "thread": "t"}, "state"),
        ({"record": "checkpoint", "kind": "other", "id": "1", "thread": "t"}, "kind"),
        ({"record": "checkpoint", "kind": "graph", "id": "1", "thread": "t", "namespace": "", "type": "x"}, "body"),
        ({"record": "checkpoint_value", "thread": "t", "namespace": "", "channel": "c", "body": "?"}, "body"),
        (
            {"record": "checkpoint_write", "thread": "t", "namespace": "", "channel": "c", "type": "x", "body": ""},
            "place",
        ),
    ],
)
async def test_bad_lines_of_checkpoints_are_told(rc: Recollect, line: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput, match=f"line 1, {field}"):
        await taken(rc, [json.dumps(line)])
    assert [line["record"] for line in await exported(rc)] == ["export", "end"]


async def lines_of(rc: Recollect, **scope: Any) -> list[str]:
    return [line async for line in rc.scope(user_id="ines", **scope).export(plain=True)]


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("cut", ["end", "half", "within a line", "in the middle"])
async def test_an_export_that_was_cut_off_is_refused_and_writes_nothing(rc: Recollect, cut: str, plain: bool) -> None:
    me = rc.scope(user_id="ines")
    await me.add_many([{"content": f"Fact {number}."} for number in range(600)])
    await (await me.conversation("t")).add("user", "Hello.")
    lines = [line async for line in me.export(plain=plain)]
    text = "\n".join(lines)
    broken = {
        "end": lines[:-1],
        "half": lines[: len(lines) // 2],
        "within a line": text[: len(text) * 2 // 3].split("\n")[:-1],
        "in the middle": [*lines[:5], *lines[9:]],
    }[cut]
    other = rc.scope(user_id="olga")
    with pytest.raises(InvalidInput, match="lines: the export"):
        await other.import_lines(broken)
    assert not await other.get_all()
    assert await other.conversations() == []
    done = await other.import_lines(lines)
    assert (done.messages, done.memories) == (1, 600)
    again = await other.import_lines(lines)
    assert (again.messages, again.memories, again.skipped) == (0, 0, 0)


async def test_a_plain_export_carries_tombstones_and_old_ones_bring_nothing_back(mind: Recollect) -> None:
    me = mind.scope(user_id="ines")
    chat = await me.conversation("t")
    await chat.add("user", "My brother Otto Kaputt sells kites. The bell is in the cellar.")
    await me.add("Otto Kaputt owns a kite.")
    await me.add("Ines owns a boat.")
    await me.set_profile("identity", "nickname", "Kaputtchen")
    await mind.drain()
    old = await lines_of(mind)
    await me.forget(person="Otto Kaputt")
    stones = len(await me.tombstones())
    done = await me.import_lines(old)
    assert (done.memories, done.messages, done.skipped) == (0, 0, 1)
    assert "barred" in done.problems[0].problem or "tombstone" in done.problems[0].problem
    await mind.drain()
    everything = " ".join([line async for line in mind.scope(user_id="ines", sensitivity="high").export()])
    assert "Otto" not in everything
    assert "bell" in everything
    # Elsewhere they bar too, and are put up once.
    new = await lines_of(mind)
    other = mind.scope(user_id="olga")
    first, again = await other.import_lines(new), await other.import_lines(new)
    assert (first.tombstones, again.tombstones) == (stones, 0)
    taken_old = await other.import_lines(old)
    assert taken_old.skipped == 1
    await mind.drain()
    assert "Otto" not in " ".join([line async for line in other.export()])
    # An agent that sees some categories alone gets none of it.
    assert any('"tombstone"' in line for line in new)


async def test_an_export_of_before_everything_was_forgotten_brings_nothing(rc: Recollect, clock: MovedClock) -> None:
    me = rc.scope(user_id="ines")
    await (await me.conversation("t")).add("user", "The bell is in the cellar.")
    await me.add("Ines owns a boat.")
    old = await lines_of(rc)
    clock.forward(hours=1)
    await me.forget(everything=True, token=(await me.forget(everything=True, dry_run=True)).token)
    done = await me.import_lines(old)
    assert (done.messages, done.memories, done.forgotten) == (0, 0, len(old) - 1)
    assert not await me.get_all()


async def test_what_a_person_said_of_the_profile_since_stays(rc: Recollect) -> None:
    me = rc.scope(user_id="ines")
    await me.set_profile("identity", "city", "Porto")
    await me.set_profile("identity", "name", "Ines")
    old = await lines_of(rc)
    await me.set_profile("identity", "city", "Braga")
    [name] = [fact for fact in await me.profile() if fact.key == "name"]
    await me.delete(name.memory_ids[0])
    done = await me.import_lines(old)
    assert (done.memories, done.skipped) == (0, 2)
    assert {bad.problem for bad in done.problems} == {
        "city: a person set another value",
        "name: a person deleted this value",
    }
    assert {fact.key: fact.value for fact in await me.profile()} == {"city": "Braga"}


async def test_an_agent_that_sees_some_categories_carries_neither_stones_nor_states(open_recollect: Opener) -> None:
    rc = await open_recollect(categories="allowlists:\n  planner: [goals]\n")
    me = rc.scope(user_id="ines", thread_id="t")
    await me.save_checkpoint({"secret": 1})
    added = await me.add("Ines owns a boat.")
    await me.forget(added.id)
    await me.add("Ines wants to sail.", type="goal")
    lines = await lines_of(rc, agent_id="planner")
    assert [json.loads(line)["record"] for line in lines] == ["export", "memory", "end"]
    with pytest.raises(NotAllowed, match="import_lines"):
        await taken(rc, lines, scope=rc.scope(user_id="ines", agent_id="planner").scope)


async def test_what_is_sensitive_stays_out_of_exports_that_were_not_opened_for_it(mind: Recollect) -> None:
    me = mind.scope(user_id="ines")
    high = mind.scope(user_id="ines", sensitivity="high")
    await me.ingest("Zelda Quist works at Doppler Group.")
    added = await me.add("Ines fears an ailment.", sensitivity="high", id=uuid4())
    assert added.sensitivity == "high"
    with pytest.raises(NotFound):
        await me.get(added.id)
    secret = await me.ingest("Zelda Quist has an ailment. Zelda Quist takes pills for the ailment.", sensitivity="high")
    await mind.drain()
    [zelda] = await me.nodes(name="Zelda Quist")
    async with mind.parts.database.transaction("user:ines") as connection:
        await connection.execute(
            "insert into note (space_id, id, target_id, content, source_id, created_at)"
            " values ('user:ines', %(id)s, %(zelda)s, 'The ailment is told of.', %(source)s, now())",
            {"id": uuid4(), "zelda": zelda.id, "source": secret.id},
        )
    assert not [hit for hit in await me.search("ailment") if "ailment" in hit.memory.content]
    for plain in (True, False):
        assert "ailment" not in " ".join([line async for line in me.export(plain=plain)])
        assert "ailment" in " ".join([line async for line in high.export(plain=plain)])
    [line] = [line async for line in high.export(plain=True) if "fears" in line]
    other = mind.scope(user_id="olga")
    await other.import_lines([line])
    assert not await other.get_all()
    assert [each.sensitivity for each in await mind.scope(user_id="olga", sensitivity="high").get_all()] == ["high"]
    lowered = await high.update(added.id, sensitivity="normal")
    assert (await me.get(lowered.id)).content == "Ines fears an ailment."
    with pytest.raises(InvalidInput, match="sensitivity"):
        await me.add("x", sensitivity="secret")
