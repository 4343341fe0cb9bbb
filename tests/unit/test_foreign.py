"""Exports of other systems become lines for an import, one at a time, and what is left out is counted."""

import io
import json
import tracemalloc
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from recollect.core.errors import InvalidInput
from recollect.sources.foreign import Foreign, _Window

DATA = Path(__file__).parents[1] / "data" / "foreign"


def lines_of(path: Path, kind: str = "auto") -> tuple[list[dict[str, Any]], dict[str, int]]:
    foreign = Foreign(path, kind)
    return [json.loads(line) for line in foreign.lines()], dict(foreign.left_out)


@pytest.mark.parametrize("kind", ["auto", "chatgpt"])
def test_chatgpt_follows_the_branch_that_was_looked_at(kind: str) -> None:
    found, left_out = lines_of(DATA / "chatgpt.json", kind)
    assert found[0] == {"record": "conversation", "thread": "chatgpt-6f1c-chat", "title": "Bakery hours"}
    assert [(line["role"], line["content"]) for line in found[1:]] == [
        ("user", "My bakery is called Crumb and opens at six."),
        ("assistant", "Six is early. Who bakes?"),
        ("user", "My brother Anton bakes, here he is."),
        ("assistant", "Anton looks tired."),
    ]
    assert found[1]["at"] == "2026-01-06T09:00:00.250000+00:00"
    assert left_out == {
        "message of another branch": 1,
        "system message": 1,
        "image_asset_pointer part": 1,
        "tool message": 1,
        "thoughts message": 1,
    }


def test_chatgpt_without_a_current_node_or_with_a_circle(tmp_path: Path) -> None:
    [conversation, _] = json.loads((DATA / "chatgpt.json").read_text("utf-8"))
    conversation["current_node"] = "gone"
    conversation["mapping"]["root"]["parent"] = "a3"
    (tmp_path / "one.json").write_text(json.dumps(conversation), "utf-8")
    found, _ = lines_of(tmp_path / "one.json")
    assert len(found) == 5


def test_claude() -> None:
    found, left_out = lines_of(DATA / "claude.json")
    assert found[0] == {"record": "conversation", "thread": "claude-c1d2", "title": "Leaky tap"}
    assert [(line["role"], line["content"]) for line in found[1:]] == [
        ("user", "The kitchen tap drips."),
        ("assistant", "It is the washer.\nTurn the water off first."),
        ("user", "Old shape, no blocks: it worked."),
    ]
    assert found[1]["at"] == "2026-01-08T19:00:01.500000+00:00"
    assert left_out["attachment"] == 1
    assert left_out["thinking part"] == left_out["tool_use part"] == 1


@pytest.mark.parametrize("name", ["mem0-v1.json", "mem0-v1.1.json", "mem0-export.json"])
def test_mem0(name: str) -> None:
    found, left_out = lines_of(DATA / name)
    assert [line["content"] for line in found] == ["Prefers window seats on trains", "Allergic to penicillin"]
    assert found[0]["tags"] == ["travel", "preferences"]
    assert found[0]["metadata"] == {"source": "chat", "mem0": {"user_id": "mara"}}
    assert found[0]["happened_at"] == "2026-01-04T08:44:41.039788-07:00"
    assert left_out["empty memory"] == 1
    assert left_out.get("relation", 0) == ("v1.1" in name)


def test_the_same_file_gives_the_same_ids() -> None:
    assert lines_of(DATA / "chatgpt.json") == lines_of(DATA / "chatgpt.json")


def test_within_the_archive_in_which_it_came(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr("export/user.json", '{"name": "x"}')
        archive.write(DATA / "claude.json", "export/conversations.json")
    assert lines_of(path) == lines_of(DATA / "claude.json")
    parts = tmp_path / "parts.zip"
    with ZipFile(parts, "w") as archive:
        archive.write(DATA / "claude.json", "conversations-000.json")
        archive.write(DATA / "claude.json", "conversations-001.json")
    assert len(lines_of(parts)[0]) == 8


CHATGPT = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hello."]}}
CLAUDE = {"sender": "human", "text": "Hello."}


@pytest.mark.parametrize(
    "broken",
    [
        {"author": "user"},
        {"author": {"role": ["user"]}},
        {"content": "Hello."},
        {"content": {"content_type": ["text"]}},
        {"content": {"content_type": "text", "parts": [{"content_type": 5, "text": 5}]}},
    ],
)
def test_a_broken_message_costs_none_of_the_others(tmp_path: Path, broken: dict[str, Any]) -> None:
    nodes = {"a": {"message": CHATGPT | broken, "parent": None}, "b": {"message": CHATGPT, "parent": "a"}}
    talk = {"mapping": nodes, "current_node": ["b"]}
    (tmp_path / "x.json").write_text(json.dumps([None, talk, {"mapping": 5}, talk | {"id": "c\0"}]), "utf-8")
    found, left_out = lines_of(tmp_path / "x.json")
    assert [line["content"] for line in found if line["record"] == "message"] == ["Hello."] * 2
    assert len({line["thread"] for line in found}) == 2
    assert left_out["object of unknown shape"] == 2
    assert sum(left_out.values()) in (4, 6)


@pytest.mark.parametrize("broken", [{"attachments": 5}, {"created_at": "0001-01-01T00:00:00+14:00"}, {"uuid": {}}])
def test_a_broken_part_costs_none_of_a_message(tmp_path: Path, broken: dict[str, Any]) -> None:
    (tmp_path / "x.json").write_text(json.dumps([{"chat_messages": [5, CLAUDE | broken]}]), "utf-8")
    found, left_out = lines_of(tmp_path / "x.json")
    assert [(line["role"], line["content"]) for line in found[1:]] == [("user", "Hello.")]
    assert left_out["unknown message"] == 1


def test_memories_with_odd_parts(tmp_path: Path) -> None:
    deep = '{"memory": "b", "metadata": {"a": ' + "[" * 600 + "]" * 600 + "}}"
    odd = r'{"memory": "a", "categories": ["x\u0000y", 5], "metadata": {"n": NaN}}'
    (tmp_path / "x.json").write_text('{"results": [' + f'{odd}, {deep}], "relations": 5' + "}", "utf-8")
    [[line], left_out] = lines_of(tmp_path / "x.json")
    assert (line["tags"], line["metadata"]) == (["xy"], {"n": None, "mem0": {}})
    assert left_out["object of too many levels"] == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON"),
        ("[]", "nothing to import"),
        ("[1, 2]", "int where an object was expected"),
        ('[{"b": 1, "a": 2}]', "of no known shape: it holds objects with a, b"),
        ('{"results": [{"text": "x"}]}', "objects with text"),
        ('[{"memory": "a"}, {"chat_messages": []}]', "no export of mem0: it holds objects with chat_messages"),
        ('[{"memory": "a"}', "in the middle"),
        ('[{"memory": "a"', "no JSON"),
        ('[{"memory": "a"} {"memory": "b"}]', "in the middle"),
        ("[" * 100_000, "no JSON"),
        ("plain text", "no JSON"),
    ],
)
def test_files_that_are_something_else(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "file.json").write_text(text, "utf-8")
    with pytest.raises(InvalidInput, match=why):
        lines_of(tmp_path / "file.json")


def test_archives_that_are_something_else(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "empty.zip", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(InvalidInput, match="without a conversations"):
        lines_of(tmp_path / "empty.zip")
    with ZipFile(tmp_path / "broken.zip", "w") as archive:
        archive.write(DATA / "claude.json", "conversations.json")
    whole = bytearray((tmp_path / "broken.zip").read_bytes())
    whole[100] ^= 1
    (tmp_path / "broken.zip").write_bytes(whole)
    with pytest.raises(InvalidInput, match="cannot be read"):
        lines_of(tmp_path / "broken.zip")


def test_the_wrong_name_for_it() -> None:
    with pytest.raises(InvalidInput, match="no export of claude: it holds objects with"):
        lines_of(DATA / "chatgpt.json", "claude")


def test_what_cannot_be_kept_is_mended(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(r'[{"memory": "a\u0000b \ud83d c", "metadata": {"k\u0000": "\u0000v"}}]', "utf-8")
    [[line], _] = lines_of(tmp_path / "m.json")
    assert line["content"] == "ab \ufffd c"
    assert line["metadata"] == {"k": "v", "mem0": {}}


def test_values_across_the_border_of_what_was_read() -> None:
    """Whatever the length of what comes before, a value is whole."""
    for length in range(65_530, 65_542):
        text = json.dumps(["x" * length, 12345, "é" * 70_000, {"a": [1, 2]}, 6])
        window = _Window(io.StringIO(text), lambda _: None)
        assert window.skip("[") == "["
        assert list(window.elements("x")) == json.loads(text)


def test_a_long_file_is_not_held(tmp_path: Path) -> None:
    """Ten megabytes, and never more than a small part of them at once."""
    path = tmp_path / "long.zip"
    [conversation] = json.loads((DATA / "claude.json").read_text("utf-8"))
    conversation["chat_messages"][0]["content"][0]["text"] = "drip " * 20_000
    one = json.dumps(conversation)
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", "[" + ",".join([one] * 100) + "]")
    tracemalloc.start()
    count = sum(1 for _ in Foreign(path).lines())
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 400
    assert most < 3_000_000
